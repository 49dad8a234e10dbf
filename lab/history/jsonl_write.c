/* SPDX-License-Identifier: Apache-2.0 */
/* What is 0, false or empty by nature is left out: a reader takes it for that. */
#include "history/json_string.h"
#include "history/jsonl.h"
#include "history/lease_line.h"
#include "history/transaction_line.h"

#include <jansson.h>

struct line {
    json_t *object;
    bool failed;
};

static void line_begin(struct line *line)
{
    line->object = json_object();
    line->failed = line->object == NULL;
}

static void line_put(struct line *line, const char *name, json_t *value)
{
    if (line->failed)
        json_decref(value);
    else if (value == NULL || json_object_set_new(line->object, name, value) != 0)
        line->failed = true;
}

static void put_text(struct line *line, const char *name, const char *text)
{
    line_put(line, name, json_string_of(text));
}

static void put_text_if(struct line *line, const char *name, const char *text)
{
    if (*text != '\0')
        put_text(line, name, text);
}

static void put_value(struct line *line, const char *name, const char *value)
{
    line_put(line, name, *value == '\0' ? json_null() : json_string_of(value));
}

/* HISTORY_NEVER, and whatever JSON's signed integers cannot hold, is null. */
static void put_number(struct line *line, const char *name, uint64_t number)
{
    line_put(line, name, number > INT64_MAX ? json_null() : json_integer((json_int_t)number));
}

static void put_number_if(struct line *line, const char *name, uint64_t number)
{
    if (number != 0)
        put_number(line, name, number);
}

static bool line_end(struct line *line, FILE *file)
{
    bool written = !line->failed && json_dumpf(line->object, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF;

    json_decref(line->object);
    return written;
}

static bool write_head(FILE *file)
{
    struct line line;

    line_begin(&line);
    put_number(&line, "oscommit_history", 1);
    return line_end(&line, file);
}

static bool write_fact(const char *name, const char *value, FILE *file)
{
    struct line line;

    line_begin(&line);
    put_text(&line, "fact", name);
    put_text(&line, "value", value);
    return line_end(&line, file);
}

static bool write_call(const struct history_call *call, FILE *file)
{
    struct line line;

    line_begin(&line);
    put_number(&line, "call", call->id);
    put_number(&line, "writer", call->writer);
    put_text(&line, "operation", history_operation_name(call->operation));
    put_text(&line, "key", call->key);
    if (call->operation != HISTORY_READ)
        put_value(&line, "expected", call->expected);
    put_value(&line, "value", call->value);
    put_number(&line, "start_us", call->start_us);
    put_number(&line, "end_us", call->end_us);
    put_text(&line, "verdict", history_verdict_name(call->verdict));
    if (call->settled_us != 0 || call->settled != call->verdict) {
        put_text(&line, "settled", history_verdict_name(call->settled));
        put_number(&line, "settled_us", call->settled_us);
    }
    put_text_if(&line, "rule", call->rule);
    put_text_if(&line, "message", call->message);
    put_number_if(&line, "generation", call->generation);
    put_number_if(&line, "attempts", call->attempts);
    put_number_if(&line, "requests", call->requests);
    put_number_if(&line, "guards", call->guards);
    put_number_if(&line, "waited_ms", call->waited_ms);
    if (call->took_over)
        line_put(&line, "took_over", json_true());
    put_text_if(&line, "guard", call->guard);
    return line_end(&line, file);
}

static bool write_event(const struct history_event *event, FILE *file)
{
    struct line line;

    line_begin(&line);
    put_text(&line, "event", history_event_name(event->kind));
    put_number(&line, "writer", event->writer);
    put_number(&line, "start_us", event->start_us);
    put_number(&line, "end_us", event->end_us);
    put_text_if(&line, "what", event->what);
    return line_end(&line, file);
}

static bool write_final(const struct history_final *final, FILE *file)
{
    struct line line;

    line_begin(&line);
    put_text(&line, "final", final->key);
    put_value(&line, "value", final->value);
    put_number(&line, "at_us", final->at_us);
    if (final->versions >= 0)
        put_number(&line, "versions", (uint64_t) final->versions);
    return line_end(&line, file);
}

/* NULL for the object: there was no memory for it. */
static bool write_object(json_t *object, FILE *file)
{
    struct line line = {.object = object, .failed = object == NULL};

    return line_end(&line, file);
}

static bool write_facts(const struct history *history, FILE *file)
{
    bool good = true;

    for (size_t i = 0; good && i < history_fact_count(history); i++) {
        const char *name;
        const char *value;
        history_fact_at(history, i, &name, &value);
        good = write_fact(name, value, file);
    }
    return good;
}

static bool write_calls(const struct history *history, FILE *file)
{
    bool good = true;

    for (size_t i = 0; good && i < history_call_count(history); i++)
        good = write_call(history_call_at(history, i), file);
    for (size_t i = 0; good && i < history_event_count(history); i++)
        good = write_event(history_event_at(history, i), file);
    for (size_t i = 0; good && i < history_final_count(history); i++)
        good = write_final(history_final_at(history, i), file);
    return good;
}

static bool write_others(const struct history *history, FILE *file)
{
    bool good = true;

    for (size_t i = 0; good && i < history_lease_count(history); i++)
        good = write_object(lease_line_written(history_lease_at(history, i)), file);
    for (size_t i = 0; good && i < history_sum_count(history); i++)
        good = write_object(sum_line_written(history_sum_at(history, i)), file);
    for (size_t i = 0; good && i < history_transaction_count(history); i++)
        good = write_object(transaction_line_written(history_transaction_at(history, i)), file);
    return good;
}

bool jsonl_write(const struct history *history, FILE *file)
{
    return write_head(file) && write_facts(history, file) && write_calls(history, file) &&
           write_others(history, file) && fflush(file) == 0;
}
