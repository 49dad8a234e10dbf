/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a trace's events and plays them; guard_trace_text.c writes what came of them. */
#include "support/guard_trace.h"

#include "support/guard_trace_text.h"
#include "support/guard_trace_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct guard_trace guard_trace;

enum { LINES_MAX = 64 };

/* ------------------------------------------------------------------------------------------------ the first line */

struct guard_settings guard_trace_settings(void)
{
    struct guard_settings settings;
    memset(&settings, 0, sizeof(settings));
    settings.timeout_ms = 20000;
    settings.ttl_s = 3600;
    settings.recheck_after_ms = 5000;
    settings.max_clock_skew_rate = 3;
    settings.length_s = 5;
    settings.margin_s = 2;
    settings.stalled_body_s = GUARD_STALLED_BODY_S;
    settings.late_segment_s = 1;
    settings.minimum_rate = 1000;
    settings.fences = true;
    return settings;
}

static bool take_u32(struct words *words, const char *name, uint32_t *ret)
{
    uint64_t value;
    bool taken = words_take_number(words, name, &value);
    if (taken)
        *ret = (uint32_t)value;
    return taken;
}

static bool take_flag(struct words *words, const char *name, bool *ret, bool value)
{
    bool taken = words_take_word(words, name);
    if (taken)
        *ret = value;
    return taken;
}

static bool take_seconds(struct words *words, struct guard_settings *settings)
{
    return take_u32(words, "length", &settings->length_s) || take_u32(words, "work", &settings->work_s) ||
           take_u32(words, "complete", &settings->complete_s) || take_u32(words, "margin", &settings->margin_s) ||
           take_u32(words, "stalled", &settings->stalled_body_s);
}

static bool take_switch(struct words *words, struct guard_settings *settings)
{
    return take_flag(words, "no-fences", &settings->fences, false) ||
           take_flag(words, "always", &settings->release_always, true) ||
           take_flag(words, "native", &settings->native, true) ||
           take_flag(words, "forward", &settings->forward_only, true) ||
           take_flag(words, "tells", &settings->modified_tells, true) ||
           take_flag(words, "mixed", &settings->native_writers, true) ||
           take_flag(words, "versioned", &settings->versioned, true) ||
           take_flag(words, "likely", &settings->versions_likely, true) ||
           take_flag(words, "unpinned", &settings->source_unpinned, true);
}

static bool take_setting(struct words *words, struct guard_settings *settings)
{
    const char *what_409 = words_take_value(words, "409");
    if (what_409) {
        settings->answer_409 = strcmp(what_409, "again") == 0 ? GUARD_409_SEND_AGAIN : GUARD_409_FINAL;
        return true;
    }
    return take_switch(words, settings) || words_take_number(words, "timeout", &settings->timeout_ms) ||
           words_take_number(words, "ttl", &settings->ttl_s) ||
           words_take_number(words, "recheck", &settings->recheck_after_ms) ||
           take_u32(words, "rate", &settings->max_clock_skew_rate) ||
           take_u32(words, "commits-in", &settings->commit_ms) || take_seconds(words, settings);
}

static bool take_record_word(struct words *words, struct record *ret)
{
    const char *value;
    if (words_take_word(words, "sent")) {
        record_copy(ret, &guard_trace.put);
        return true;
    }
    if ((value = words_take_value(words, "n")) != NULL) {
        words_set_nonce(ret->nonce, value);
        return true;
    }
    if ((value = words_take_value(words, "saw")) != NULL) {
        words_set_nonce(ret->saw, value);
        return true;
    }
    if (words_take_number(words, "fence", &ret->fence_s)) {
        ret->has_fence = true;
        return true;
    }
    return words_take_number(words, "g", &ret->generation) || words_take_number(words, "t", &ret->timeout_ms) ||
           words_take_number(words, "ttl", &ret->ttl_s) || words_take_number(words, "u", &ret->upload);
}

static void take_record(struct words *words, struct record *ret)
{
    memset(ret, 0, sizeof(*ret));
    while (take_record_word(words, ret)) {
    }
}

static bool take_start(struct words *words, struct guard_start *start)
{
    start->has_recent_date = words_take_number(words, "recent", &start->recent_date_s) || start->has_recent_date;
    return start->has_recent_date || words_take_number(words, "gen", &start->generation) ||
           words_take_number(words, "fencing", &start->fencing) || take_u32(words, "parts", &start->part_count) ||
           take_flag(words, "doubt", &start->parts_in_doubt, true);
}

static enum guard_operation operation_of(const char *word)
{
    if (strcmp(word, "put") == 0)
        return GUARD_PUT;
    if (strcmp(word, "copy") == 0)
        return GUARD_COPY;
    if (strcmp(word, "delete") == 0)
        return GUARD_DELETE;
    assert_string_equal(word, "complete");
    return GUARD_COMPLETE;
}

static void set_up(const char *line)
{
    struct words words;
    char expected[VERSION_ETAG_SIZE];
    char ours[VERSION_ETAG_SIZE];
    char known[RECORD_NONCE_SIZE];
    struct record released;
    struct guard_settings settings = guard_trace_settings();
    words_cut(&words, line);
    memset(&guard_trace, 0, sizeof(guard_trace));
    guard_trace.now = (struct clock_reading){.monotonic_ms = 1000000, .boottime_ms = 2000000, .realtime_ms = 3000000};
    struct guard_start start = {.operation = operation_of(words_take(&words)),
                                .nonce = GUARD_TRACE_NONCE,
                                .generation = 100,
                                .seed = 1,
                                .recent_clock = guard_trace.now};
    const char *etag = words_take(&words);
    if (start.operation == GUARD_COMPLETE)
        start.upload = GUARD_TRACE_UPLOAD;
    if (strcmp(etag, "absent") != 0) {
        words_set_etag(expected, sizeof(expected), etag);
        start.expected_etag = expected;
    }
    while (words.next < words.count) {
        const char *body = words_take_value(&words, "body");
        const char *value = body ? body : words_take_value(&words, "ours");
        const char *nonce = words_take_value(&words, "known");
        if (nonce) {
            words_set_nonce(known, nonce);
            start.known_nonce = known;
        } else if (words_take_word(&words, "released")) {
            take_record(&words, &released);
            start.released = &released;
        } else if (value) {
            words_set_etag(ours, sizeof(ours), value);
            start.our_etag = ours;
            settings.etag_known = body == NULL;
        } else if (!take_setting(&words, &settings) && !take_start(&words, &start)) {
            fail_msg("not understood: %s in %s", words_peek(&words), line);
        }
    }
    guard_init(&guard_trace.guard, &settings, &start);
}

/* ------------------------------------------------------------------------------------------------ events */

static bool take_version_word(struct words *words, struct object_version *ret)
{
    const char *value;
    uint64_t seconds;
    if ((value = words_take_value(words, "nonce")) != NULL) {
        words_set_nonce(ret->nonce, value);
        return true;
    }
    if ((value = words_take_value(words, "rep")) != NULL) {
        words_set_nonce(ret->replaced, value);
        return true;
    }
    if ((value = words_take_value(words, "vid")) != NULL) {
        words_set_text(ret->version_id, sizeof(ret->version_id), value);
        return true;
    }
    if (words_take_number(words, "lm", &seconds)) {
        ret->last_modified_s = (int64_t)seconds;
        return true;
    }
    return words_take_number(words, "token", &ret->fencing);
}

static void take_head(struct words *words, struct guard_event *event)
{
    bool part = words_take_word(words, "part");
    bool refused_part = words_take_word(words, "refused-part");
    event->part_seen = part || refused_part;
    event->head = HEAD_ANSWERED;
    if (part || words_take_word(words, "failed"))
        event->head = HEAD_FAILED;
    else if (refused_part || words_take_word(words, "refused"))
        event->head = HEAD_REFUSED;
}

static void read_head(struct words *words, struct guard_event *event)
{
    event->kind = GUARD_EVENT_HEAD;
    take_head(words, event);
    if (event->head == HEAD_REFUSED || (event->head == HEAD_FAILED && !event->part_seen))
        return;
    event->version.exists = !words_take_word(words, "none");
    if (event->version.exists) {
        event->version.last_modified_s = 1;
        words_set_etag(event->version.etag, sizeof(event->version.etag), words_take(words));
    }
    while (take_version_word(words, &event->version)) {
    }
    event->versioned = version_is_own_id(event->version.version_id);
    const char *nonce;
    while ((nonce = words_take_value(words, "pair")) != NULL || (nonce = words_take_value(words, "over")) != NULL) {
        char whole[RECORD_NONCE_SIZE];
        bool over_base = words->word[words->next - 1][0] == 'o';
        words_set_nonce(whole, nonce);
        guard_classify_pair(&guard_trace.guard, whole, over_base, &event->history);
    }
}

static void read_versions(struct words *words, struct guard_event *event)
{
    static const char *const names[] = {[VERSIONS_OURS] = "ours",
                                        [VERSIONS_OTHERS] = "others",
                                        [VERSIONS_UNCLEAR] = "unclear",
                                        [VERSIONS_HIDDEN] = "hidden"};
    const char *name = words_take(words);
    event->kind = GUARD_EVENT_VERSIONS;
    for (size_t i = VERSIONS_OURS; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            event->versions = (enum versions_outcome)i;
    assert_int_not_equal(event->versions, 0);
    if (event->versions != VERSIONS_OURS)
        return;
    event->version.exists = true;
    words_set_etag(event->version.etag, sizeof(event->version.etag), words_take(words));
    while (take_version_word(words, &event->version)) {
    }
}

static void read_source(struct words *words, struct guard_event *event)
{
    event->kind = GUARD_EVENT_SOURCE;
    take_head(words, event);
    if (event->head != HEAD_ANSWERED)
        return;
    event->source_bytes = words_number(words_take(words));
    const char *etag = words_take_value(words, "etag");
    if (etag)
        words_set_etag(event->version.etag, sizeof(event->version.etag), etag);
}

static void read_upload(struct words *words, struct guard_event *event, enum guard_event_kind kind)
{
    static const char *const names[] = {[UPLOAD_OPEN] = "open",
                                        [UPLOAD_ABORTED] = "ok",
                                        [UPLOAD_GONE] = "gone",
                                        [UPLOAD_UNCLEAR] = "unclear",
                                        [UPLOAD_REFUSED] = "refused"};
    event->kind = kind;
    for (size_t i = UPLOAD_OPEN; i < sizeof(names) / sizeof(names[0]); i++)
        if (words_take_word(words, names[i]))
            event->upload = (enum upload_outcome)i;
    assert_true(event->upload != 0);
}

static void read_ledger(struct words *words, struct guard_event *event, enum guard_event_kind kind)
{
    static const char *const names[] = {[LEDGER_OK] = "ok",
                                        [LEDGER_CONFLICT] = "conflict",
                                        [LEDGER_CONFLICT_BLIND] = "blind",
                                        [LEDGER_REFUSED] = "refused",
                                        [LEDGER_AMBIGUOUS] = "ambiguous",
                                        [LEDGER_THROTTLED] = "throttled",
                                        [LEDGER_UNREADABLE] = "unreadable"};
    event->kind = kind;
    event->ledger = LEDGER_OK;
    event->found = kind == GUARD_EVENT_RECORD_GET && words_take_word(words, "found");
    for (size_t i = LEDGER_OK; i < sizeof(names) / sizeof(names[0]); i++)
        if (words_take_word(words, names[i]))
            event->ledger = (enum ledger_outcome)i;
    if (!event->found && event->ledger == LEDGER_OK)
        words_take_word(words, "none");
    if (event->found || event->ledger == LEDGER_CONFLICT)
        take_record(words, &event->record);
}

static void read_query(struct words *words, struct guard_event *event)
{
    read_ledger(words, event, GUARD_EVENT_RECORD_QUERY);
    while (words_take_word(words, "row")) {
        char etag[VERSION_ETAG_SIZE];
        struct record record;
        words_set_etag(etag, sizeof(etag), words_take(words));
        take_record(words, &record);
        guard_classify_record(&guard_trace.guard, etag, &record, &event->evidence);
    }
}

static void read_attempt(struct words *words, struct guard_event *event)
{
    static const char *const names[] = {[ATTEMPT_OK] = "ok",
                                        [ATTEMPT_PRECONDITION] = "precondition",
                                        [ATTEMPT_409] = "409",
                                        [ATTEMPT_REFUSED] = "refused",
                                        [ATTEMPT_DENIED] = "denied",
                                        [ATTEMPT_EXPIRED] = "expired",
                                        [ATTEMPT_SKEWED] = "skewed",
                                        [ATTEMPT_TOKEN_EXPIRED] = "token",
                                        [ATTEMPT_NOT_SENT] = "not-sent",
                                        [ATTEMPT_AMBIGUOUS] = "ambiguous"};
    event->kind = GUARD_EVENT_ATTEMPT;
    const char *name = words_take(words);
    for (size_t i = ATTEMPT_OK; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            event->attempt = (enum attempt_answer)i;
    assert_int_not_equal(event->attempt, 0);
    const char *word = words_peek(words);
    if (event->attempt == ATTEMPT_OK && word[0] >= 'A' && word[0] <= 'Z')
        words_set_etag(event->attempt_etag, sizeof(event->attempt_etag), words_take(words));
}

static void read_kind(struct words *words, struct guard_event *event)
{
    if (words_take_word(words, "start"))
        event->kind = GUARD_EVENT_START;
    else if (words_take_word(words, "timer"))
        event->kind = GUARD_EVENT_TIMER;
    else if (words_take_word(words, "stop"))
        event->kind = GUARD_EVENT_STOP;
    else if (words_take_word(words, "head"))
        read_head(words, event);
    else if (words_take_word(words, "source"))
        read_source(words, event);
    else if (words_take_word(words, "put"))
        read_ledger(words, event, GUARD_EVENT_RECORD_PUT);
    else if (words_take_word(words, "get"))
        read_ledger(words, event, GUARD_EVENT_RECORD_GET);
    else if (words_take_word(words, "query"))
        read_query(words, event);
    else if (words_take_word(words, "attempt"))
        read_attempt(words, event);
    else if (words_take_word(words, "parts"))
        read_upload(words, event, GUARD_EVENT_PARTS);
    else if (words_take_word(words, "abort"))
        read_upload(words, event, GUARD_EVENT_ABORTED);
    else if (words_take_word(words, "versions"))
        read_versions(words, event);
    else if (words_take_word(words, "signed")) {
        event->kind = GUARD_EVENT_SIGNED;
        event->signed_ok = !words_take_word(words, "failed");
        event->at_once = !words_take_number(words, "bytes", &event->wire_bytes);
    }
}

static bool take_time(struct words *words, struct guard_event *event)
{
    struct clock_reading *now = &guard_trace.now;
    const char *word = words_peek(words);
    if (word[0] == '@') {
        event->has_date = true;
        event->date_s = words_number(word + 1);
    } else if (word[0] == '+') {
        uint64_t ms = words_number(word + 1);
        *now = (struct clock_reading){now->monotonic_ms + ms, now->boottime_ms + ms, now->realtime_ms + ms};
    } else if (strncmp(word, "m+", 2) == 0) {
        now->monotonic_ms += words_number(word + 2);
    } else if (strncmp(word, "b+", 2) == 0) {
        now->boottime_ms += words_number(word + 2);
    } else if (strncmp(word, "r+", 2) == 0) {
        now->realtime_ms += words_number(word + 2);
    } else if (strncmp(word, "r-", 2) == 0) {
        now->realtime_ms -= words_number(word + 2);
    } else {
        return false;
    }
    words->next++;
    return true;
}

static const char *take_line(const char *trace, char *ret)
{
    size_t len = strcspn(trace, "\n");
    assert_true(len < TRACE_TEXT_SIZE && trace[len] == '\n');
    memcpy(ret, trace, len);
    ret[len] = '\0';
    return trace + len + 1;
}

static void resolve_from_ticket(struct words *words, struct trace_text *text)
{
    struct guard_ticket ticket;
    struct guard_settings settings = guard_trace.guard.settings;
    while (take_setting(words, &settings)) {
    }
    guard_ticket_of(&guard_trace.guard, &ticket);
    trace_text_ticket(text, &ticket);
    guard_init_resolve(&guard_trace.guard, &settings, &ticket, 2);
}

static void play(const char *line, struct trace_text *text)
{
    struct words words;
    words_cut(&words, line);
    for (size_t i = 0; i < words.count; i++)
        trace_text_add(text, "%s%s", i > 0 ? " " : "", words.word[i]);
    trace_text_add(text, " ->");
    if (words_take_word(&words, "resolve")) {
        resolve_from_ticket(&words, text);
        return;
    }
    struct guard_event *event = &guard_trace.event;
    memset(event, 0, sizeof(*event));
    read_kind(&words, event);
    while (take_time(&words, event)) {
    }
    if (event->kind == 0 || words.next < words.count)
        fail_msg("not understood: %s in %s", words_peek(&words), line);
    event->now = guard_trace.now;
    guard_step(&guard_trace.guard, event, &guard_trace.todo);
    if (guard_trace.todo.what & GUARD_DO_RECORD_PUT)
        record_copy(&guard_trace.put, &guard_trace.todo.record);
    trace_text_step(text, &guard_trace.guard, &guard_trace.todo);
}

static void print_as_source(const struct trace_text *texts, size_t count, const char *first)
{
    print_error("    TRACE(\"%s\\n\"", first);
    for (size_t i = 0; i < count; i++)
        print_error("\n          \"%s\\n\"", texts[i].text);
    print_error(");\n");
}

void guard_trace_check(const char *file, int line, const char *trace)
{
    static struct trace_text texts[LINES_MAX];
    char wanted[TRACE_TEXT_SIZE];
    char first[TRACE_TEXT_SIZE];
    size_t count = 0;
    size_t right = 0;
    memset(texts, 0, sizeof(texts));
    trace = take_line(trace, first);
    set_up(first);
    while (*trace) {
        assert_true(count < LINES_MAX);
        trace = take_line(trace, wanted);
        play(wanted, &texts[count]);
        if (right == count && strcmp(texts[count].text, wanted) == 0)
            right++;
        count++;
    }
    if (right == count)
        return;
    print_error("%s:%d: line %zu differs; the trace is now\n", file, line, right + 2);
    print_as_source(texts, count, first);
    fail();
}
