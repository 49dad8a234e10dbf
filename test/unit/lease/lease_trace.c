/* SPDX-License-Identifier: Apache-2.0 */
#include "lease_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct lease_trace lease_trace;

enum { LINES_MAX = 8192, WORD_SIZE = 192 };

/* ------------------------------------------------------------------------------------------------ events */

static uint64_t number_of(const char *text)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    if (end == text || *end != '\0')
        fail_msg("\"%s\" is no number", text);
    return number;
}

static bool has_prefix(const char *word, const char *prefix, const char **ret_rest)
{
    size_t length = strlen(prefix);
    *ret_rest = word + (strncmp(word, prefix, length) == 0 ? length : 0);
    return *ret_rest != word;
}

static void read_version(const char *word, char *ret)
{
    bool own = word[strspn(word, "0123456789")] == '\0';
    snprintf(ret, LEASE_VERSION_SIZE, "%s%s", own ? LEASE_TRACE_NONCE "-" : "", word);
}

static bool read_clock(const char *word, struct clock_reading *now)
{
    const char *rest;
    uint64_t ms;
    if (has_prefix(word, "r-", &rest)) {
        now->realtime_ms -= number_of(rest);
        return true;
    }
    const char *plus = strchr(word, '+');
    if (plus == NULL || plus > word + 1)
        return false;
    ms = number_of(plus + 1);
    now->monotonic_ms += *word == '+' || *word == 'm' ? ms : 0;
    now->boottime_ms += *word == '+' || *word == 'b' ? ms : 0;
    now->realtime_ms += *word == '+' || *word == 'r' ? ms : 0;
    return true;
}

static bool read_item(const char *word, struct lease_item *item)
{
    const char *rest;
    if (strcmp(word, "none") == 0) {
        item->found = false;
    } else if (strcmp(word, "free") == 0) {
        item->found = true;
    } else if (has_prefix(word, "v=", &rest)) {
        item->found = item->held = true;
        read_version(rest, item->version);
    } else if (has_prefix(word, "e=", &rest)) {
        item->expiry_s = number_of(rest);
    } else if (has_prefix(word, "t=", &rest)) {
        item->ttl_ms = number_of(rest);
    } else if (has_prefix(word, "n=", &rest)) {
        unsigned long epoch;
        unsigned long n;
        assert_int_equal(sscanf(rest, "%lu/%lu", &epoch, &n), 2);
        item->token = (uint64_t)epoch << 32 | n;
    } else {
        return false;
    }
    return true;
}

static void read_detail(const char *word, struct lease_event *event)
{
    const char *rest;
    if (has_prefix(word, "@", &rest)) {
        event->has_date = true;
        event->date_s = (int64_t)number_of(rest);
    } else if (has_prefix(word, "epoch=", &rest)) {
        event->epoch = number_of(rest);
    } else if (!read_item(word, &event->item) && !read_clock(word, &lease_trace.now)) {
        fail_msg("what is \"%s\"?", word);
    }
}

static void read_kind(const char *word, struct lease_event *event)
{
    static const char *const outcomes[] = {"?", "ok", "conflict", "blind", "throttled", "ambiguous", "refused"};
    static const char *const kinds[] = {"?", "start", "?", "timer", "release", "stop"};
    for (unsigned i = 1; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(word, kinds[i]) == 0)
            event->kind = (enum lease_event_kind)i;
    for (unsigned i = 1; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        if (strcmp(word, outcomes[i]) != 0)
            continue;
        event->kind = LEASE_EVENT_ANSWER;
        event->outcome = (enum lease_outcome)i;
    }
    if (event->kind == 0)
        fail_msg("what is the event \"%s\"?", word);
}

static void read_event(const char *line, size_t length, struct lease_event *event)
{
    char words[512];
    char *rest = NULL;
    memset(event, 0, sizeof(*event));
    snprintf(words, sizeof(words), "%.*s", (int)length, line);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (event->kind == 0)
            read_kind(word, event);
        else
            read_detail(word, event);
    event->now = lease_trace.now;
}

/* In the place of a random number, versions go on from 100 more. */
static void read_adopted(const char *number, struct lease_settings *ret)
{
    read_version(number, ret->adopted);
    ret->version_count = number_of(number) + 100;
}

static void read_settings(const char *line, size_t length)
{
    struct lease_settings settings = {.poll_ms = 1000, .nonce = LEASE_TRACE_NONCE};
    char words[128];
    char *rest = NULL;
    const char *value;
    snprintf(words, sizeof(words), "%.*s", (int)length, line);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (has_prefix(word, "ttl=", &value))
            settings.ttl_s = number_of(value);
        else if (has_prefix(word, "poll=", &value))
            settings.poll_ms = (uint32_t)number_of(value);
        else if (has_prefix(word, "adopts=", &value))
            read_adopted(value, &settings);
        else if (strcmp(word, "once") == 0)
            settings.once = true;
        else if (strcmp(word, "fencing") == 0)
            settings.fencing = true;
        else
            fail_msg("what is the setting \"%s\"?", word);
    memset(&lease_trace, 0, sizeof(lease_trace));
    lease_trace.now = (struct clock_reading){1000000, 1000000, 1000000};
    lease_init(&lease_trace.lease, &settings);
}

/* ------------------------------------------------------------------------------------------------ what came of it */

struct lines {
    char text[LINES_MAX];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void write_text(struct lines *lines, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(lines->text + lines->length, LINES_MAX - lines->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < LINES_MAX - lines->length);
    lines->length += (size_t)length;
}

static const char *short_version(const char *version)
{
    const char *rest;
    has_prefix(version, LEASE_TRACE_NONCE "-", &rest);
    return rest;
}

static void write_request(struct lines *lines, const struct lease_request *request)
{
    static const char *const names[] = {"?", "TAKE", "EXTEND", "DROP", "READ", "EPOCH", "TOKEN"};
    write_text(lines, "%s", names[request->kind]);
    if (request->version[0])
        write_text(lines, " %s e=%" PRIu64, short_version(request->version), request->expiry_s);
    if (request->kind == LEASE_TOKEN)
        write_text(lines, " %" PRIu64 "/%" PRIu64, request->token >> 32, request->token & UINT32_MAX);
    if (request->kind != LEASE_READ && request->on_version[0])
        write_text(lines, " on=%s", short_version(request->on_version));
    if (request->kind == LEASE_TAKE && request->now_s != 0)
        write_text(lines, " now=%" PRIu64, request->now_s);
}

static void write_result(struct lines *lines)
{
    static const char *const statuses[] = {"?",       "ACQUIRING", "BUSY",      "STOPPED",  "HELD",
                                           "AT_RISK", "LOST",      "RELEASING", "RELEASED", "FAILED"};
    const struct lease_actions *todo = &lease_trace.todo;
    write_text(lines, " -> ");
    if (todo->send)
        write_request(lines, &todo->request);
    if (todo->has_timer)
        write_text(lines, "%sWAIT %" PRIu64, todo->send ? ", " : "", todo->timer_ms);
    write_text(lines, "%s[%s", todo->send || todo->has_timer ? " " : "",
               statuses[lease_status(&lease_trace.lease, &lease_trace.now)]);
    uint64_t token = lease_token(&lease_trace.lease);
    if (token != 0)
        write_text(lines, " %" PRIu64 "/%" PRIu64, token >> 32, token & UINT32_MAX);
    write_text(lines, "%s]\n", lease_left_behind(&lease_trace.lease) ? " LEFT" : "");
}

/* ------------------------------------------------------------------------------------------------ what always holds */

/* Two requests are never under way; a version is new; a finished lease asks for nothing; the state has no gap. */
static void check_step(const struct lease *before, const struct lease_event *event, enum lease_status status)
{
    const struct lease *after = &lease_trace.lease;
    const struct lease_actions *todo = &lease_trace.todo;
    struct lease twin = *before;
    struct lease_actions actions;
    if (todo->send) {
        assert_true(before->flight.kind == 0 || event->kind == LEASE_EVENT_ANSWER);
        assert_int_equal(after->flight.kind, todo->request.kind);
        assert_int_equal(after->version_count, before->version_count + (todo->request.version[0] != '\0'));
    }
    assert_false(lease_finished(after) && (todo->send || todo->has_timer));
    bool held = lease_status(after, &event->now) == LEASE_HELD || lease_status(after, &event->now) == LEASE_AT_RISK;
    assert_true(held == (lease_remaining_ms(after, &event->now) > 0));
    assert_true(todo->changed == (status != lease_status(after, &event->now)));
    lease_step(&twin, event, &actions);
    assert_memory_equal(&twin, after, sizeof(twin));
}

static void play(const char *line, size_t length, struct lines *lines)
{
    struct lease_event event;
    struct lease before = lease_trace.lease;
    enum lease_status status = before.shown;
    read_event(line, length, &event);
    lease_step(&lease_trace.lease, &event, &lease_trace.todo);
    check_step(&before, &event, status);
    write_text(lines, "%.*s", (int)length, line);
    write_result(lines);
}

void lease_trace_check(const char *file, int line, const char *trace)
{
    static struct lines lines;
    lines.length = 0;
    for (const char *next = trace; *next != '\0'; next += strcspn(next, "\n") + 1) {
        const char *arrow = strstr(next, " ->");
        if (next == trace) {
            read_settings(next, strcspn(next, "\n"));
            write_text(&lines, "%.*s\n", (int)strcspn(next, "\n"), next);
        } else {
            assert_non_null(arrow);
            play(next, (size_t)(arrow - next), &lines);
        }
    }
    if (strcmp(lines.text, trace) != 0)
        fail_msg("%s:%d: expected\n%s\nand it was\n%s", file, line, trace, lines.text);
}
