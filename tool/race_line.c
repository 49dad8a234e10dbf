/* SPDX-License-Identifier: Apache-2.0 */
#include "race_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t format_trouble(const char *text, char *ret)
{
    size_t len = (size_t)snprintf(ret, RACE_LINE_MAX - 1, "T %s", text);

    if (len > RACE_LINE_MAX - 2) {
        len = RACE_LINE_MAX - 2;
    }
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)ret[i] < 0x20) {
            ret[i] = ' ';
        }
    }
    ret[len] = '\n';
    ret[len + 1] = '\0';
    return len + 1;
}

size_t race_line_format(const struct race_message *message, char ret[RACE_LINE_MAX])
{
    int len;

    if (message->kind == RACE_MESSAGE_TROUBLE) {
        return format_trouble(message->text, ret);
    }
    if (message->kind == RACE_MESSAGE_READY || message->kind == RACE_MESSAGE_DONE) {
        len = snprintf(ret, RACE_LINE_MAX, "%c\n", (char)message->kind);
    } else {
        len = snprintf(ret, RACE_LINE_MAX, "%c %" PRIu64 " %d %d %" PRIu64 " %" PRIu64 " %d %d\n", (char)message->kind,
                       message->index, (int)message->first, (int)message->settled, message->requests,
                       message->duration_us, message->took_over ? 1 : 0, message->last ? 1 : 0);
    }
    return (size_t)len;
}

/* A blank, then decimal digits. */
static bool take(const char **cursor, uint64_t max, uint64_t *ret)
{
    const char *p = *cursor;
    uint64_t value = 0;

    if (*p++ != ' ' || *p < '0' || *p > '9') {
        return false;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *cursor = p;
    *ret = value;
    return true;
}

static bool take_verdict(const char **cursor, os_verdict *ret)
{
    uint64_t value;

    if (!take(cursor, OS_UNKNOWN + 9, &value) || value < OS_COMMITTED || value > OS_UNKNOWN) {
        return false;
    }
    *ret = (os_verdict)value;
    return true;
}

static bool take_flag(const char **cursor, bool *ret)
{
    uint64_t value;

    if (!take(cursor, 9, &value) || value > 1) {
        return false;
    }
    *ret = value == 1;
    return true;
}

static bool parse_call(const char *cursor, struct race_message *ret)
{
    return take(&cursor, UINT64_MAX, &ret->index) && take_verdict(&cursor, &ret->first) &&
           take_verdict(&cursor, &ret->settled) && take(&cursor, UINT64_MAX, &ret->requests) &&
           take(&cursor, UINT64_MAX, &ret->duration_us) && take_flag(&cursor, &ret->took_over) &&
           take_flag(&cursor, &ret->last) && *cursor == '\0' &&
           (ret->first == OS_UNKNOWN || ret->first == ret->settled);
}

bool race_line_parse(const char *line, struct race_message *ret)
{
    struct race_message message = {.kind = (enum race_message_kind)(unsigned char)line[0]};
    bool good = false;

    switch (line[0]) {
    case 'R':
    case 'D': good = line[1] == '\0'; break;
    case 'C':
    case 'U': good = parse_call(line + 1, &message); break;
    case 'T':
        good = line[1] == ' ' && strlen(line + 2) < sizeof(message.text);
        if (good) {
            memcpy(message.text, line + 2, strlen(line + 2) + 1);
        }
        break;
    default: break;
    }
    if (good) {
        *ret = message;
    }
    return good;
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
