/* SPDX-License-Identifier: Apache-2.0 */
#include "race/line.h"

#include "history/json_string.h"

#include <jansson.h>
#include <string.h>

enum field_type {
    FIELD_NUMBER,    /* uint64_t, up to `limit` */
    FIELD_SEED,      /* uint64_t, all of it: JSON's integers have a sign */
    FIELD_COUNTS,    /* uint64_t [RACE_KINDS] */
    FIELD_FLAG,      /* bool */
    FIELD_TEXT,      /* char [limit] */
    FIELD_NAME,      /* the same, not empty */
    FIELD_TICKET,    /* const char * */
    FIELD_OPERATION, /* enum history_operation, of a write */
    FIELD_VERDICT    /* os_verdict */
};

struct field {
    const char *name;
    enum field_type type;
    size_t offset; /* in struct race_message */
    uint64_t limit;
    unsigned kinds; /* which messages have it: bits of IN */
};

#define IN(kind)      (1U << RACE_MESSAGE_##kind)
#define OF(member)    offsetof(struct race_message, member)
#define ARRAY(member) OF(member), sizeof(((struct race_message *)NULL)->member)

static const struct field fields[] = {
    {"call", FIELD_NUMBER, OF(call), INT64_MAX, IN(CALL) | IN(END) | IN(TICKET) | IN(SETTLED)},
    {"operation", FIELD_OPERATION, OF(operation), 0, IN(CALL)},
    {"key", FIELD_NAME, ARRAY(key), IN(CALL) | IN(READ)},
    {"expected", FIELD_TEXT, ARRAY(expected), IN(CALL)},
    {"value", FIELD_TEXT, ARRAY(value), IN(CALL) | IN(READ)},
    {"start_us", FIELD_NUMBER, OF(start_us), INT64_MAX, IN(CALL) | IN(READ)},
    {"end_us", FIELD_NUMBER, OF(end_us), INT64_MAX, IN(END) | IN(SETTLED) | IN(READ)},
    {"verdict", FIELD_VERDICT, OF(verdict), 0, IN(END) | IN(SETTLED)},
    {"generation", FIELD_NUMBER, OF(generation), INT64_MAX, IN(END)},
    {"attempts", FIELD_NUMBER, OF(attempts), UINT32_MAX, IN(END)},
    {"requests", FIELD_NUMBER, OF(requests), UINT32_MAX, IN(END) | IN(SETTLED)},
    {"guards", FIELD_NUMBER, OF(guards), UINT32_MAX, IN(END)},
    {"waited_ms", FIELD_NUMBER, OF(waited_ms), INT64_MAX, IN(END)},
    {"took_over", FIELD_FLAG, OF(took_over), 0, IN(END)},
    {"guard", FIELD_TEXT, ARRAY(guard), IN(END)},
    {"rule", FIELD_TEXT, ARRAY(rule), IN(END) | IN(SETTLED)},
    {"message", FIELD_TEXT, ARRAY(text), IN(END) | IN(SETTLED) | IN(TROUBLE) | IN(REMARK)},
    {"ticket", FIELD_TICKET, OF(ticket), 0, IN(TICKET)},
    {"item", FIELD_NUMBER, OF(item), RACE_KINDS - 1, IN(PROGRESS)},
    {"done", FIELD_NUMBER, OF(done), INT64_MAX, IN(PROGRESS)},
    {"given_up", FIELD_FLAG, OF(given_up), 0, IN(PROGRESS)},
    {"lane", FIELD_NUMBER, OF(task.lane), RACE_WRITERS_MAX - 1, IN(TASK)},
    {"life", FIELD_NUMBER, OF(task.life), INT64_MAX, IN(TASK)},
    {"seed", FIELD_SEED, OF(task.seed), 0, IN(TASK)},
    {"until_us", FIELD_NUMBER, OF(task.until_us), INT64_MAX, IN(TASK)},
    {"counts", FIELD_COUNTS, OF(task.count), 0, IN(TASK)},
    {"done_before", FIELD_COUNTS, OF(task.done), 0, IN(TASK)},
    {"serial", FIELD_NUMBER, OF(task.serial), INT64_MAX, IN(TASK)},
    {"etags_are_md5", FIELD_FLAG, OF(task.etags_are_md5), 0, IN(TASK)},
};

static const char *const kind_names[] = {
    [RACE_MESSAGE_READY] = "ready",   [RACE_MESSAGE_CALL] = "call",         [RACE_MESSAGE_END] = "end",
    [RACE_MESSAGE_TICKET] = "ticket", [RACE_MESSAGE_SETTLED] = "settled",   [RACE_MESSAGE_READ] = "read",
    [RACE_MESSAGE_DONE] = "done",     [RACE_MESSAGE_PROGRESS] = "progress", [RACE_MESSAGE_TROUBLE] = "trouble",
    [RACE_MESSAGE_REMARK] = "remark", [RACE_MESSAGE_TASK] = "task",         [RACE_MESSAGE_BEGIN] = "begin",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ------------------------------------------------------------------------------------------------ writing */

static json_t *counts_written(const uint64_t *counts)
{
    json_t *array = json_array();

    for (size_t i = 0; i < RACE_KINDS; i++)
        (void)json_array_append_new(array, json_integer((json_int_t)counts[i]));
    if (json_array_size(array) == RACE_KINDS)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *field_written(const struct field *field, const struct race_message *message)
{
    const void *at = (const char *)message + field->offset;

    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_SEED: return json_integer((json_int_t) * (const uint64_t *)at);
    case FIELD_COUNTS: return counts_written(at);
    case FIELD_FLAG: return json_boolean(*(const bool *)at);
    case FIELD_TEXT:
    case FIELD_NAME: return json_string_of(at);
    case FIELD_TICKET: return json_string(*(const char *const *)at);
    case FIELD_OPERATION: return json_string(history_operation_name(*(const enum history_operation *)at));
    case FIELD_VERDICT: return json_string(history_verdict_name(*(const os_verdict *)at));
    }
    return NULL;
}

size_t race_line_format(const struct race_message *message, char ret[RACE_LINE_MAX])
{
    json_t *object = json_object();
    bool good = json_object_set_new(object, "race", json_string(kind_names[message->kind])) == 0;
    size_t len = 0;

    for (size_t i = 0; i < COUNT(fields) && good; i++)
        if (fields[i].kinds & 1U << message->kind)
            good = json_object_set_new(object, fields[i].name, field_written(&fields[i], message)) == 0;
    if (good)
        len = json_dumpb(object, ret, RACE_LINE_MAX - 1, JSON_COMPACT);
    json_decref(object);
    if (len == 0 || len > RACE_LINE_MAX - 2)
        return 0;
    ret[len] = '\n';
    ret[len + 1] = '\0';
    return len + 1;
}

/* ------------------------------------------------------------------------------------------------ parsing */

static bool number_read(const json_t *value, uint64_t limit, uint64_t *ret)
{
    *ret = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *ret <= limit;
}

static bool seed_read(const json_t *value, uint64_t *ret)
{
    *ret = (uint64_t)json_integer_value(value);
    return json_is_integer(value);
}

static bool counts_read(const json_t *value, uint64_t *ret)
{
    bool good = json_array_size(value) == RACE_KINDS;

    for (size_t i = 0; i < RACE_KINDS && good; i++)
        good = number_read(json_array_get(value, i), INT64_MAX, &ret[i]);
    return good;
}

static bool flag_read(const json_t *value, bool *ret)
{
    *ret = json_is_true(value);
    return json_is_boolean(value);
}

/* It may be shown on a terminal. */
static bool text_read(const json_t *value, char *ret, size_t ret_size)
{
    if (!json_is_string(value) || json_string_length(value) >= ret_size)
        return false;
    memcpy(ret, json_string_value(value), json_string_length(value) + 1);
    for (char *p = ret; *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
    return true;
}

/* What it was packed in is never shorter. */
static bool ticket_read(const json_t *value, char *line, const char **ret)
{
    if (json_string_length(value) == 0)
        return false;
    memcpy(line, json_string_value(value), json_string_length(value) + 1);
    *ret = line;
    return true;
}

static bool operation_read(const json_t *value, enum history_operation *ret)
{
    return json_is_string(value) && history_operation_of(json_string_value(value), ret) && *ret != HISTORY_READ;
}

static bool verdict_read(const json_t *value, os_verdict *ret)
{
    return json_is_string(value) && history_verdict_of(json_string_value(value), ret);
}

static bool field_read(const struct field *field, const json_t *value, char *line, struct race_message *ret)
{
    void *at = (char *)ret + field->offset;

    switch (field->type) {
    case FIELD_NUMBER: return number_read(value, field->limit, at);
    case FIELD_SEED: return seed_read(value, at);
    case FIELD_COUNTS: return counts_read(value, at);
    case FIELD_FLAG: return flag_read(value, at);
    case FIELD_TEXT: return text_read(value, at, field->limit);
    case FIELD_NAME: return text_read(value, at, field->limit) && *(const char *)at != '\0';
    case FIELD_TICKET: return ticket_read(value, line, at);
    case FIELD_OPERATION: return operation_read(value, at);
    case FIELD_VERDICT: return verdict_read(value, at);
    }
    return false;
}

static bool kind_read(const json_t *value, enum race_message_kind *ret)
{
    for (size_t i = 1; i < COUNT(kind_names) && json_is_string(value); i++)
        if (strcmp(kind_names[i], json_string_value(value)) == 0) {
            *ret = (enum race_message_kind)i;
            return true;
        }
    return false;
}

bool race_line_parse(char *line, struct race_message *ret)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    bool good;
    size_t known = 1;

    memset(ret, 0, sizeof(*ret));
    good = kind_read(json_object_get(object, "race"), &ret->kind);
    for (size_t i = 0; i < COUNT(fields) && good; i++)
        if (fields[i].kinds & 1U << ret->kind) {
            good = field_read(&fields[i], json_object_get(object, fields[i].name), line, ret);
            known++;
        }
    good = good && json_object_size(object) == known;
    json_decref(object);
    return good;
}

/* ------------------------------------------------------------------------------------------------ gathering */

bool race_reader_take(struct race_reader *reader, const char **data, size_t *len, char ret[RACE_LINE_MAX],
                      bool *ret_too_long)
{
    *ret_too_long = false;
    while (*len > 0) {
        char c = **data;
        (*data)++;
        (*len)--;
        if (c == '\n') {
            memcpy(ret, reader->data, reader->len);
            ret[reader->len] = '\0';
            reader->len = 0;
            return true;
        }
        if (reader->len == RACE_LINE_MAX - 1) {
            *ret_too_long = true;
            return false;
        }
        reader->data[reader->len++] = c;
    }
    return false;
}
