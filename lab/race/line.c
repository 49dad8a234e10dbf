/* SPDX-License-Identifier: Apache-2.0 */
#include "race/line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *line_shown(const char *text)
{
    return text[0] == '\0' ? "-" : text;
}

static size_t line_add(char *ret, size_t len, const char *format, ...) __attribute__((format(printf, 3, 4)));

static size_t line_add(char *ret, size_t len, const char *format, ...)
{
    va_list args;
    int more;

    va_start(args, format);
    more = vsnprintf(ret + len, RACE_LINE_MAX - len, format, args);
    va_end(args);
    return len + (size_t)more;
}

/* The last field: what would end the line, or cannot be shown, becomes a blank. */
static size_t add_text(char *ret, size_t len, const char *text)
{
    size_t start = len;

    len = line_add(ret, len, " %.*s", RACE_TEXT_MAX - 1, text);
    for (size_t i = start; i < len; i++)
        if ((unsigned char)ret[i] < 0x20 || ret[i] == 0x7f)
            ret[i] = ' ';
    return len;
}

static size_t format_task(const struct race_task *task, char *ret)
{
    size_t len = line_add(ret, 0, "J %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, task->lane, task->life, task->seed,
                          task->until_us);

    for (size_t i = 0; i < RACE_KINDS; i++)
        len = line_add(ret, len, " %" PRIu64, task->count[i]);
    for (size_t i = 0; i < RACE_KINDS; i++)
        len = line_add(ret, len, " %" PRIu64, task->done[i]);
    return line_add(ret, len, " %" PRIu64 " %d", task->serial, task->etags_are_md5 ? 1 : 0);
}

static size_t format_end(const struct race_message *message, char *ret)
{
    size_t len =
        line_add(ret, 0, "E %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
                 message->call, (int)message->verdict, message->end_us, message->generation, message->attempts,
                 message->requests, message->guards, message->waited_ms);

    len = line_add(ret, len, " %d %s %s", message->took_over ? 1 : 0, line_shown(message->guard),
                   line_shown(message->rule));
    return add_text(ret, len, message->text);
}

static size_t format_settled(const struct race_message *message, char *ret)
{
    size_t len = line_add(ret, 0, "V %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %s", message->call, (int)message->verdict,
                          message->end_us, message->requests, line_shown(message->rule));

    return add_text(ret, len, message->text);
}

static size_t format_ticket(const struct race_message *message, char *ret)
{
    size_t len = strlen(message->ticket);

    if (len == 0 || len > RACE_LINE_MAX - 64 || strpbrk(message->ticket, "\r\n") != NULL)
        return 0;
    return line_add(ret, 0, "K %" PRIu64 " %s", message->call, message->ticket);
}

static size_t format_body(const struct race_message *message, char *ret)
{
    switch (message->kind) {
    case RACE_MESSAGE_CALL:
        return line_add(ret, 0, "S %" PRIu64 " %d %s %s %s %" PRIu64, message->call, (int)message->operation,
                        message->key, line_shown(message->expected), line_shown(message->value), message->start_us);
    case RACE_MESSAGE_READ:
        return line_add(ret, 0, "G %s %s %" PRIu64 " %" PRIu64, message->key, line_shown(message->value),
                        message->start_us, message->end_us);
    case RACE_MESSAGE_PROGRESS:
        return line_add(ret, 0, "P %" PRIu64 " %" PRIu64 " %d", message->item, message->done,
                        message->given_up ? 1 : 0);
    case RACE_MESSAGE_END: return format_end(message, ret);
    case RACE_MESSAGE_SETTLED: return format_settled(message, ret);
    case RACE_MESSAGE_TICKET: return format_ticket(message, ret);
    case RACE_MESSAGE_TASK: return format_task(&message->task, ret);
    case RACE_MESSAGE_TROUBLE: return add_text(ret, line_add(ret, 0, "T"), message->text);
    case RACE_MESSAGE_REMARK: return add_text(ret, line_add(ret, 0, "M"), message->text);
    case RACE_MESSAGE_READY:
    case RACE_MESSAGE_DONE:
    case RACE_MESSAGE_BEGIN: break;
    }
    return line_add(ret, 0, "%c", (char)message->kind);
}

size_t race_line_format(const struct race_message *message, char ret[RACE_LINE_MAX])
{
    size_t len = format_body(message, ret);

    return len == 0 ? 0 : line_add(ret, len, "\n");
}

/* ------------------------------------------------------------------------------------------------ parsing */

/* A blank, then decimal digits. */
static bool line_take(const char **cursor, uint64_t max, uint64_t *ret)
{
    const char *p = *cursor;
    uint64_t value = 0;

    if (*p++ != ' ' || *p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (digit > max || value > (max - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *cursor = p;
    *ret = value;
    return true;
}

static bool take_any(const char **cursor, uint64_t *ret)
{
    return line_take(cursor, UINT64_MAX, ret);
}

/* A blank, then a word. "-" is the empty one, where that is allowed. */
static bool take_word(const char **cursor, bool may_be_empty, char *ret, size_t ret_size)
{
    const char *p = *cursor;
    size_t len;

    if (*p++ != ' ')
        return false;
    len = strcspn(p, " ");
    *cursor = p + len;
    if (len == 1 && *p == '-') {
        ret[0] = '\0';
        return may_be_empty;
    }
    if (len == 0 || len >= ret_size)
        return false;
    memcpy(ret, p, len);
    ret[len] = '\0';
    return true;
}

static bool take_verdict(const char **cursor, os_verdict *ret)
{
    uint64_t value;

    if (!line_take(cursor, OS_UNKNOWN, &value) || value < OS_COMMITTED)
        return false;
    *ret = (os_verdict)value;
    return true;
}

static bool take_operation(const char **cursor, enum history_operation *ret)
{
    uint64_t value;

    if (!line_take(cursor, HISTORY_DELETE_IF_MATCH, &value) || value < HISTORY_PUT_IF_ABSENT)
        return false;
    *ret = (enum history_operation)value;
    return true;
}

static bool take_flag(const char **cursor, bool *ret)
{
    uint64_t value;

    if (!line_take(cursor, 1, &value))
        return false;
    *ret = value == 1;
    return true;
}

/* A blank and the rest of the line. */
static bool take_text(const char **cursor, struct race_message *ret)
{
    size_t len;

    if (**cursor != ' ' || (len = strlen(*cursor + 1)) >= sizeof(ret->text))
        return false;
    memcpy(ret->text, *cursor + 1, len + 1);
    *cursor += 1 + len;
    return true;
}

static bool parse_call(const char **at, struct race_message *ret)
{
    return take_any(at, &ret->call) && take_operation(at, &ret->operation) &&
           take_word(at, false, ret->key, sizeof(ret->key)) &&
           take_word(at, true, ret->expected, sizeof(ret->expected)) &&
           take_word(at, true, ret->value, sizeof(ret->value)) && take_any(at, &ret->start_us);
}

static bool parse_end(const char **at, struct race_message *ret)
{
    return take_any(at, &ret->call) && take_verdict(at, &ret->verdict) && take_any(at, &ret->end_us) &&
           take_any(at, &ret->generation) && line_take(at, UINT32_MAX, &ret->attempts) &&
           line_take(at, UINT32_MAX, &ret->requests) && line_take(at, UINT32_MAX, &ret->guards) &&
           take_any(at, &ret->waited_ms) && take_flag(at, &ret->took_over) &&
           take_word(at, true, ret->guard, sizeof(ret->guard)) && take_word(at, true, ret->rule, sizeof(ret->rule)) &&
           take_text(at, ret);
}

static bool parse_settled(const char **at, struct race_message *ret)
{
    return take_any(at, &ret->call) && take_verdict(at, &ret->verdict) && take_any(at, &ret->end_us) &&
           line_take(at, UINT32_MAX, &ret->requests) && take_word(at, true, ret->rule, sizeof(ret->rule)) &&
           take_text(at, ret);
}

static bool parse_ticket(const char **at, struct race_message *ret)
{
    if (!take_any(at, &ret->call) || **at != ' ' || (*at)[1] == '\0')
        return false;
    ret->ticket = *at + 1;
    *at += strlen(*at);
    return true;
}

static bool parse_read(const char **at, struct race_message *ret)
{
    return take_word(at, false, ret->key, sizeof(ret->key)) && take_word(at, true, ret->value, sizeof(ret->value)) &&
           take_any(at, &ret->start_us) && take_any(at, &ret->end_us);
}

static bool parse_task(const char **at, struct race_task *ret)
{
    bool good = line_take(at, RACE_WRITERS_MAX - 1, &ret->lane) && take_any(at, &ret->life) &&
                take_any(at, &ret->seed) && take_any(at, &ret->until_us);

    for (size_t i = 0; i < RACE_KINDS; i++)
        good = good && take_any(at, &ret->count[i]);
    for (size_t i = 0; i < RACE_KINDS; i++)
        good = good && take_any(at, &ret->done[i]);
    return good && take_any(at, &ret->serial) && take_flag(at, &ret->etags_are_md5);
}

bool race_line_parse(const char *line, struct race_message *ret)
{
    const char *at = line + 1;
    bool good = false;

    memset(ret, 0, sizeof(*ret));
    ret->kind = (enum race_message_kind)(unsigned char)line[0];
    switch (line[0]) {
    case RACE_MESSAGE_READY:
    case RACE_MESSAGE_DONE:
    case RACE_MESSAGE_BEGIN: good = true; break;
    case RACE_MESSAGE_CALL: good = parse_call(&at, ret); break;
    case RACE_MESSAGE_END: good = parse_end(&at, ret); break;
    case RACE_MESSAGE_TICKET: good = parse_ticket(&at, ret); break;
    case RACE_MESSAGE_SETTLED: good = parse_settled(&at, ret); break;
    case RACE_MESSAGE_READ: good = parse_read(&at, ret); break;
    case RACE_MESSAGE_PROGRESS:
        good =
            line_take(&at, RACE_KINDS - 1, &ret->item) && take_any(&at, &ret->done) && take_flag(&at, &ret->given_up);
        break;
    case RACE_MESSAGE_TROUBLE:
    case RACE_MESSAGE_REMARK: good = take_text(&at, ret); break;
    case RACE_MESSAGE_TASK: good = parse_task(&at, &ret->task); break;
    default: return false;
    }
    return good && *at == '\0';
}

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
