/* SPDX-License-Identifier: Apache-2.0 */
#include "transaction_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_SIZE = 512 };

struct trace {
    struct transaction attempt;
    struct clock_reading now;
    struct transaction_row rows[TRANSACTION_PARTS];
};

/* The index of the word, from 1 on; 0: it is none of them. */
static unsigned index_of(const char *word, const char *const *words)
{
    for (unsigned i = 1; words[i] != NULL; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return 0;
}

/* ------------------------------------------------------------------------------------------------ settings */

static bool read_part(const char *word, struct transaction_settings *settings)
{
    static const char *const parts[] = {"", "create", "write", "bare", "blind", "check", NULL};
    unsigned times = 1;
    if (strncmp(word, "100*", 4) == 0) {
        times = TRANSACTION_PARTS;
        word += 4;
    }
    unsigned part = index_of(word, parts);
    for (unsigned i = 0; part != 0 && i < times; i++)
        settings->parts[settings->count++] = (uint8_t)part;
    return part != 0;
}

static void read_setting(const char *word, struct transaction_settings *settings)
{
    if (strcmp(word, "together") == 0)
        settings->together = true;
    else if (strcmp(word, "forgets") == 0)
        settings->remembers = false;
    else if (!read_part(word, settings))
        fail_msg("what is the part \"%s\"?", word);
}

/* ------------------------------------------------------------------------------------------------ events */

static uint8_t token_of(const char *word)
{
    static const char *const tokens[] = {"", "ours", "read", "fence", "other", NULL};
    uint8_t token = (uint8_t)index_of(word, tokens);
    if (token == 0 && strcmp(word, "none") != 0)
        fail_msg("whose token is \"%s\"?", word);
    return token;
}

static void read_row(const char *word, bool failed, struct transaction_row *rows)
{
    unsigned part;
    char token[8];
    char before[8];
    int count = sscanf(word, "%u:%7[a-z]/%7[a-z]", &part, token, before);
    assert_true(count >= 2 && part < TRANSACTION_PARTS);
    rows[part] = (struct transaction_row){.failed = failed, .seen = TRANSACTION_UNSEEN};
    if (count == 3) {
        rows[part].seen = TRANSACTION_THERE;
        rows[part].token = token_of(token);
        rows[part].before = token_of(before);
    } else if (strcmp(token, "absent") == 0) {
        rows[part].seen = TRANSACTION_ABSENT;
    } else {
        assert_string_equal(token, "unseen");
    }
}

static void read_clock(const char *word, struct clock_reading *now)
{
    const char *plus = strchr(word, '+');
    uint64_t ms = strtoull(plus + 1, NULL, 10);
    now->monotonic_ms += *word == '+' || *word == 'm' ? ms : 0;
    now->boottime_ms += *word == '+' || *word == 'b' ? ms : 0;
    now->realtime_ms += *word == '+' || *word == 'r' ? ms : 0;
}

static void read_kind(const char *word, struct transaction_event *event)
{
    static const char *const outcomes[] = {"", "ok", "failed", "throttled", "ambiguous", "refused", NULL};
    static const char *const kinds[] = {"", "start", "-", "timer", "stop", NULL};
    event->outcome = (enum transaction_outcome)index_of(word, outcomes);
    event->kind = event->outcome ? TRANSACTION_EVENT_ANSWER : (enum transaction_event_kind)index_of(word, kinds);
    if (event->kind == 0)
        fail_msg("what is the event \"%s\"?", word);
}

static void read_event(char *words, struct trace *trace, struct transaction_event *event)
{
    char *rest = NULL;
    memset(event, 0, sizeof(*event));
    memset(trace->rows, 0, sizeof(trace->rows));
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (event->kind == 0)
            read_kind(word, event);
        else if (strchr(word, '+') != NULL)
            read_clock(word, &trace->now);
        else
            read_row(word, event->outcome == TRANSACTION_FAILED, trace->rows);
    event->now = trace->now;
    event->rows = trace->rows;
}

/* ------------------------------------------------------------------------------------------------ actions */

static void write_actions(const struct transaction *attempt, const struct transaction_actions *actions, char *ret)
{
    static const char *const verdicts[] = {"", "COMMITTED", "CONFLICT", "EXISTS", "NOT_EXECUTED", "UNKNOWN"};
    static const char *const requests[] = {"", "PLAIN", "TOGETHER", "LOOK", "FENCE"};
    if (transaction_verdict(attempt) != 0)
        snprintf(ret, WORDS_SIZE, "%s", verdicts[transaction_verdict(attempt)]);
    else if (actions->send && actions->request.kind == TRANSACTION_SEND_FENCE)
        snprintf(ret, WORDS_SIZE, "FENCE %" PRIu32, actions->request.part);
    else if (actions->send)
        snprintf(ret, WORDS_SIZE, "%s", requests[actions->request.kind]);
    else if (actions->has_timer)
        snprintf(ret, WORDS_SIZE, "WAIT %" PRIu64, actions->timer_ms);
    else
        snprintf(ret, WORDS_SIZE, "nothing");
}

static void check_line(struct trace *trace, char *line, const char *file, int at)
{
    struct transaction_event event;
    struct transaction_actions actions;
    char said[WORDS_SIZE];
    char *arrow = strstr(line, " -> ");
    assert_non_null(arrow);
    *arrow = '\0';
    char words[WORDS_SIZE];
    snprintf(words, sizeof(words), "%s", line);
    read_event(words, trace, &event);
    transaction_step(&trace->attempt, &event, &actions);
    write_actions(&trace->attempt, &actions, said);
    if (strcmp(said, arrow + 4) != 0)
        fail_msg("%s:%d: \"%s\" gives \"%s\", not \"%s\"", file, at, line, said, arrow + 4);
}

static struct transaction_settings read_settings(char *words, struct transaction_row *rows)
{
    struct transaction_settings settings = {.remembers = true};
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (rows != NULL && strchr(word, ':') != NULL)
            read_row(word, false, rows);
        else
            read_setting(word, &settings);
    return settings;
}

void transaction_trace_check(const char *file, int line, const char *text)
{
    static struct trace trace;
    char lines[8192];
    char *rest = NULL;
    memset(&trace, 0, sizeof(trace));
    trace.now = (struct clock_reading){1000000, 1000000, 1000000};
    snprintf(lines, sizeof(lines), "%s", text);
    char *first = strtok_r(lines, "\n", &rest);
    struct transaction_settings settings = read_settings(first, NULL);
    transaction_init(&trace.attempt, &settings);
    for (char *next = strtok_r(NULL, "\n", &rest); next != NULL; next = strtok_r(NULL, "\n", &rest))
        check_line(&trace, next, file, line);
}

enum transaction_finding transaction_trace_judge(const char *text)
{
    struct transaction_row rows[TRANSACTION_PARTS] = {{.failed = false}};
    char words[WORDS_SIZE];
    uint32_t part = 0;
    snprintf(words, sizeof(words), "%s", text);
    struct transaction_settings settings = read_settings(words, rows);
    return transaction_judge(&settings, rows, &part);
}
