/* SPDX-License-Identifier: Apache-2.0 */
/* The file comes from anywhere: every line, every field and every number is looked at before it is believed. */
#include "history/jsonl.h"

#include "history/lease_line.h"
#include "history/transaction_line.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 64 * 1024, LINES_MAX = 10 * 1000 * 1000 };

struct reader {
    FILE *file;
    const char *name;
    uint64_t line; /* from 1 */
    struct history *history;
    os_error *err;
    json_t *object; /* the line's; NULL between lines */
    char text[LINE_MAX_BYTES];
};

/* ---------------------------------------------------------------------------------------------------- errors */

/* A word of the file that is quoted may hold anything. */
static void make_plain(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
            *text = '?';
}

/* Says it of the file and the line; always false. */
__attribute__((format(printf, 3, 4))) static bool refuse_line(struct reader *reader, os_code code, const char *format,
                                                              ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    make_plain(what);
    if (reader->err != NULL) {
        memset(reader->err, 0, sizeof(*reader->err));
        reader->err->code = code;
        (void)snprintf(reader->err->message, sizeof(reader->err->message), "%.300s, line %" PRIu64 ": %s", reader->name,
                       reader->line, what);
    }
    return false;
}

static bool out_of_memory(struct reader *reader)
{
    return refuse_line(reader, OS_ERR_NO_MEMORY, "there is not enough memory for this history.");
}

/* ---------------------------------------------------------------------------------------------------- fields */

/* A string; where the field is not there or null: `otherwise`, or, with NULL for that, a refusal. */
static bool text_field(struct reader *reader, const char *field, const char *otherwise, const char **ret)
{
    const json_t *value = json_object_get(reader->object, field);

    if (value == NULL || json_is_null(value)) {
        *ret = otherwise;
        return otherwise != NULL || refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is missing.", field);
    }
    *ret = json_string_value(value);
    return *ret != NULL || refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is not a string.", field);
}

/* An ETag or null. One that is not given at all is taken for an oversight, not for "no object". */
static bool value_field(struct reader *reader, const char *field, const char **ret)
{
    if (json_object_get(reader->object, field) == NULL)
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is missing; write null if nothing is there.", field);
    return text_field(reader, field, "", ret);
}

/* From 0 to `max`; `otherwise` where it is not there or null. */
static bool number_field(struct reader *reader, const char *field, uint64_t max, uint64_t otherwise, uint64_t *ret)
{
    const json_t *value = json_object_get(reader->object, field);

    *ret = otherwise;
    if (value == NULL || json_is_null(value))
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > max)
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is not a whole number from 0 to %" PRIu64 ".", field, max);
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

static bool needed_number(struct reader *reader, const char *field, uint64_t max, uint64_t *ret)
{
    if (!json_is_integer(json_object_get(reader->object, field)))
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is missing, or is not a whole number.", field);
    return number_field(reader, field, max, 0, ret);
}

static bool small_field(struct reader *reader, const char *field, uint32_t *ret)
{
    uint64_t number;

    if (!number_field(reader, field, UINT32_MAX, 0, &number))
        return false;
    *ret = (uint32_t)number;
    return true;
}

static bool flag_field(struct reader *reader, const char *field, bool *ret)
{
    const json_t *value = json_object_get(reader->object, field);

    if (value != NULL && !json_is_boolean(value))
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%s\" is neither true nor false.", field);
    *ret = json_is_true(value);
    return true;
}

static bool verdict_field(struct reader *reader, const char *field, const char *otherwise, os_verdict *ret)
{
    const char *name;

    if (!text_field(reader, field, otherwise, &name))
        return false;
    return history_verdict_of(name, ret) ||
           refuse_line(reader, OS_ERR_PROTOCOL,
                       "\"%.40s\" is not a verdict (\"%s\" must be committed, conflict, not executed or unknown).",
                       name, field);
}

/* ----------------------------------------------------------------------------------------------------- lines */

static bool take_operation(struct reader *reader, struct history_call *call)
{
    const char *name;

    if (!text_field(reader, "operation", NULL, &name))
        return false;
    if (!history_operation_of(name, &call->operation))
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%.40s\" is not an operation.", name);
    call->expected = "";
    return text_field(reader, "key", NULL, &call->key) && value_field(reader, "value", &call->value) &&
           (call->operation == HISTORY_READ || value_field(reader, "expected", &call->expected));
}

static bool take_verdicts(struct reader *reader, struct history_call *call)
{
    const char *otherwise = call->operation == HISTORY_READ ? "committed" : NULL;

    return verdict_field(reader, "verdict", otherwise, &call->verdict) &&
           verdict_field(reader, "settled", history_verdict_name(call->verdict), &call->settled) &&
           number_field(reader, "settled_us", INT64_MAX, 0, &call->settled_us);
}

static bool take_details(struct reader *reader, struct history_call *call)
{
    return text_field(reader, "rule", "", &call->rule) && text_field(reader, "message", "", &call->message) &&
           number_field(reader, "generation", INT64_MAX, 0, &call->generation) &&
           small_field(reader, "attempts", &call->attempts) && small_field(reader, "requests", &call->requests) &&
           small_field(reader, "guards", &call->guards) &&
           number_field(reader, "waited_ms", INT64_MAX, 0, &call->waited_ms) &&
           flag_field(reader, "took_over", &call->took_over) && text_field(reader, "guard", "", &call->guard);
}

static bool take_call(struct reader *reader)
{
    struct history_call call = {0};

    if (!needed_number(reader, "call", INT64_MAX, &call.id) || !small_field(reader, "writer", &call.writer) ||
        !take_operation(reader, &call) || !needed_number(reader, "start_us", INT64_MAX, &call.start_us) ||
        !number_field(reader, "end_us", INT64_MAX, HISTORY_NEVER, &call.end_us) || !take_verdicts(reader, &call) ||
        !take_details(reader, &call))
        return false;
    return history_add_call(reader->history, &call) || out_of_memory(reader);
}

static bool take_event(struct reader *reader)
{
    struct history_event event = {0};
    const char *name;

    if (!text_field(reader, "event", NULL, &name))
        return false;
    if (!history_event_of(name, &event.kind))
        return refuse_line(reader, OS_ERR_PROTOCOL, "\"%.40s\" is not an event.", name);
    if (!small_field(reader, "writer", &event.writer) ||
        !needed_number(reader, "start_us", INT64_MAX, &event.start_us) ||
        !number_field(reader, "end_us", INT64_MAX, HISTORY_NEVER, &event.end_us) ||
        !text_field(reader, "what", "", &event.what))
        return false;
    return history_add_event(reader->history, &event) || out_of_memory(reader);
}

static bool take_final(struct reader *reader)
{
    struct history_final final = {0};
    uint64_t versions;

    if (!text_field(reader, "final", NULL, &final.key) || !value_field(reader, "value", &final.value) ||
        !number_field(reader, "at_us", INT64_MAX, 0, &final.at_us) ||
        !number_field(reader, "versions", INT64_MAX, UINT64_MAX, &versions))
        return false;
    final.versions = versions == UINT64_MAX ? -1 : (int64_t)versions;
    return history_add_final(reader->history, &final) || out_of_memory(reader);
}

static bool take_fact(struct reader *reader)
{
    const char *name;
    const char *value;

    if (!text_field(reader, "fact", NULL, &name) || !text_field(reader, "value", "", &value))
        return false;
    return history_add_fact(reader->history, name, value) || out_of_memory(reader);
}

static bool take_lease(struct reader *reader)
{
    struct history_lease lease;
    const char *wrong = lease_line_read(reader->object, &lease);

    if (wrong != NULL)
        return refuse_line(reader, OS_ERR_PROTOCOL, "%s", wrong);
    return history_add_lease(reader->history, &lease) || out_of_memory(reader);
}

static bool take_part(struct reader *reader, bool (*take)(const json_t *, struct history *, const char **))
{
    const char *wrong;

    if (take(reader->object, reader->history, &wrong))
        return true;
    return wrong != NULL ? refuse_line(reader, OS_ERR_PROTOCOL, "%s", wrong) : out_of_memory(reader);
}

static bool take_transaction(struct reader *reader)
{
    return take_part(reader, transaction_line_take);
}

static bool take_sum(struct reader *reader)
{
    return take_part(reader, sum_line_take);
}

static bool take_head(struct reader *reader)
{
    uint64_t version = 0;

    if (json_object_get(reader->object, "oscommit_history") == NULL) {
        return refuse_line(reader, OS_ERR_PROTOCOL,
                           "this is not a history: a history begins with {\"oscommit_history\":1}.");
    }
    if (!needed_number(reader, "oscommit_history", INT64_MAX, &version))
        return false;
    return version == 1 || refuse_line(reader, OS_ERR_UNSUPPORTED,
                                       "this history has version %" PRIu64 "; this release reads version 1.", version);
}

static bool take_object(struct reader *reader)
{
    static const struct {
        const char *field;
        bool (*take)(struct reader *reader);
    } kinds[] = {{"call", take_call}, {"event", take_event}, {"final", take_final},
                 {"fact", take_fact}, {"lease", take_lease}, {"transaction", take_transaction},
                 {"sum", take_sum}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (json_object_get(reader->object, kinds[i].field) != NULL)
            return kinds[i].take(reader);
    return refuse_line(
        reader, OS_ERR_PROTOCOL,
        "this is not a call, an event, a final value, a fact, a word on a lease, a transaction or a sum.");
}

static bool take_line(struct reader *reader, size_t length, bool *ret_head_seen)
{
    json_error_t error;
    bool good;

    if (strspn(reader->text, " \t\r") == length)
        return true;
    reader->object = json_loadb(reader->text, length, JSON_REJECT_DUPLICATES, &error);
    if (reader->object == NULL) {
        /* Without memory, jansson does not always say so: then it says nothing. */
        return json_error_code(&error) == json_error_out_of_memory || error.text[0] == '\0'
                   ? out_of_memory(reader)
                   : refuse_line(reader, OS_ERR_PROTOCOL, "this is not JSON: %s.", error.text);
    }
    if (!json_is_object(reader->object)) {
        good = refuse_line(reader, OS_ERR_PROTOCOL, "a line must be a JSON object.");
    } else if (!*ret_head_seen) {
        good = take_head(reader);
        *ret_head_seen = good;
    } else {
        good = take_object(reader);
    }
    json_decref(reader->object);
    reader->object = NULL;
    return good;
}

/* The next line without its end, with a NUL behind it. False at the end of the file, and after a refusal
 * (*ret_refused). */
static bool next_line(struct reader *reader, size_t *ret_length, bool *ret_refused)
{
    size_t length = 0;
    int c = getc_unlocked(reader->file);

    if (c == EOF && !ferror(reader->file))
        return false;
    reader->line++;
    for (; c != EOF && c != '\n'; c = getc_unlocked(reader->file)) {
        if (length == LINE_MAX_BYTES - 1) {
            *ret_refused =
                !refuse_line(reader, OS_ERR_TOO_LARGE, "the line is longer than %d bytes.", LINE_MAX_BYTES - 1);
            return false;
        }
        reader->text[length++] = (char)c;
    }
    if (ferror(reader->file))
        *ret_refused = !refuse_line(reader, OS_ERR_IO, "it cannot be read: %s.", strerror(errno));
    else if (reader->line > LINES_MAX)
        *ret_refused = !refuse_line(reader, OS_ERR_TOO_LARGE, "a history has at most %d lines.", LINES_MAX);
    reader->text[length] = '\0';
    *ret_length = length;
    return !*ret_refused;
}

bool jsonl_read(FILE *file, const char *name, struct history *history, os_error *err)
{
    struct reader reader = {.file = file, .name = name, .history = history, .err = err};
    bool head_seen = false;
    bool refused = false;
    size_t length = 0;

    if (err != NULL)
        memset(err, 0, sizeof(*err));
    while (next_line(&reader, &length, &refused))
        if (!take_line(&reader, length, &head_seen))
            return false;
    if (!refused && !head_seen) {
        reader.line++;
        return refuse_line(&reader, OS_ERR_PROTOCOL,
                           "the file is empty; a history begins with {\"oscommit_history\":1}.");
    }
    return !refused;
}
