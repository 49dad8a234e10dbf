/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/answer_head.h"

#include <string.h>

/* A line without its end; false, and nothing taken, when there is no whole one. */
static bool take_line(struct text *cursor, struct text *ret)
{
    if (!text_take_until(cursor, '\n', ret))
        return false;
    if (ret->len > 0 && ret->p[ret->len - 1] == '\r')
        ret->len--;
    return true;
}

static bool has_control(struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return true;
    }
    return false;
}

static bool is_name(struct text name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < name.len; i++)
        if (name.p[i] == '\0' || strchr(letters, name.p[i]) == NULL)
            return false;
    return name.len > 0;
}

/* "HTTP/1.1 200 OK" */
static bool parse_status(struct text line, int *ret)
{
    uint64_t status;
    if (!text_take_str(&line, "HTTP/1.") || (!text_take_char(&line, '1') && !text_take_char(&line, '0')) ||
        !text_take_char(&line, ' ') || !text_take_u64(&line, &status) || status < 100 || status > 599 ||
        (line.len > 0 && line.p[0] != ' '))
        return false;
    *ret = (int)status;
    return true;
}

static enum answer_head_outcome add_line(struct http_headers *headers, struct text line)
{
    struct text name;
    if (!text_take_until(&line, ':', &name) || !is_name(name) || has_control(line))
        return ANSWER_HEAD_WHOLE;
    if (http_headers_add_text(headers, name, text_trim(line)))
        return ANSWER_HEAD_WHOLE;
    bool full =
        headers->count >= HTTP_HEADERS_MAX || headers->bytes + name.len + line.len > (size_t)HTTP_HEADERS_BYTES_MAX;
    return full ? ANSWER_HEAD_FOREIGN : ANSWER_HEAD_NO_MEMORY;
}

/* One block up to its empty line. */
static enum answer_head_outcome read_block(struct text *cursor, struct http_response *ret)
{
    struct text line;
    if (!take_line(cursor, &line))
        return ANSWER_HEAD_CUT;
    if (!parse_status(line, &ret->status))
        return ANSWER_HEAD_FOREIGN;
    enum answer_head_outcome outcome = ANSWER_HEAD_WHOLE;
    while (outcome == ANSWER_HEAD_WHOLE) {
        if (!take_line(cursor, &line))
            return ANSWER_HEAD_CUT;
        if (line.len == 0)
            return ANSWER_HEAD_WHOLE;
        outcome = add_line(&ret->headers, line);
    }
    return outcome;
}

static bool may_begin(struct text bytes)
{
    static const char begin[] = "HTTP/1.";
    size_t len = bytes.len < sizeof(begin) - 1 ? bytes.len : sizeof(begin) - 1;
    return memcmp(bytes.p, begin, len) == 0;
}

enum answer_head_outcome answer_head_read(struct text bytes, struct http_response *ret, size_t *ret_body_offset)
{
    struct text cursor = bytes;
    while (cursor.len > 0) {
        if (!may_begin(cursor))
            return ANSWER_HEAD_FOREIGN;
        http_headers_free(&ret->headers);
        enum answer_head_outcome outcome = read_block(&cursor, ret);
        bool interim = outcome == ANSWER_HEAD_WHOLE && ret->status < 200;
        if (outcome == ANSWER_HEAD_WHOLE && !interim) {
            *ret_body_offset = bytes.len - cursor.len;
            return outcome;
        }
        http_headers_free(&ret->headers);
        ret->status = 0;
        if (!interim)
            return outcome;
    }
    return ANSWER_HEAD_NONE;
}
