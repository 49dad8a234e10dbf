/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void message_init(struct proxy_message *message)
{
    memset(message, 0, sizeof(*message));
}

void message_free(struct proxy_message *message)
{
    free(message->data);
    message->data = NULL;
    message->len = 0;
    message->room = 0;
}

static bool have_room(struct proxy_message *message, size_t more)
{
    size_t wanted = message->len + more;
    size_t room = message->room == 0 ? 4096 : message->room;
    char *data;

    if (wanted > MESSAGE_MAX)
        return false;
    while (room < wanted)
        room *= 2;
    if (room == message->room)
        return true;
    data = realloc(message->data, room);
    if (data == NULL)
        return false;
    message->data = data;
    message->room = room;
    return true;
}

static bool take_exactly(struct proxy_stream *stream, struct proxy_message *message, uint64_t count)
{
    if (count > MESSAGE_MAX || !have_room(message, (size_t)count))
        return false;
    while (count > 0) {
        size_t got = stream_take(stream, message->data + message->len, (size_t)count);
        if (got == 0)
            return false;
        message->len += got;
        count -= got;
    }
    return true;
}

/* A line with its end is appended; `*ret_start` is where it begins. None has a NUL: what is kept of it are strings. */
static bool take_line(struct proxy_stream *stream, struct proxy_message *message, size_t most, size_t *ret_start)
{
    *ret_start = message->len;
    do {
        if (message->len - *ret_start >= most || !take_exactly(stream, message, 1) ||
            message->data[message->len - 1] == '\0')
            return false;
    } while (message->data[message->len - 1] != '\n');
    return true;
}

/* ------------------------------------------------------------------------------------------------ heads */

/* Digits only, not more than a message may have. */
static bool read_number(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    if (len == 0 || len > 15)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *ret = value;
    return true;
}

static bool is_named(const char *line, size_t name_len, const char *name)
{
    return strlen(name) == name_len && strncasecmp(line, name, name_len) == 0;
}

static void copy_text(char *ret, size_t ret_size, const char *text, size_t len)
{
    len = len < ret_size - 1 ? len : ret_size - 1;
    memcpy(ret, text, len);
    ret[len] = '\0';
}

static void take_service_call(const char *value, size_t len, struct proxy_message *ret)
{
    const char *dot = memrchr(value, '.', len);
    size_t skip = dot == NULL ? 0 : (size_t)(dot - value) + 1;

    copy_text(ret->service_call, sizeof(ret->service_call), value + skip, len - skip);
}

static bool take_length(const char *value, size_t len, struct proxy_message *ret)
{
    uint64_t length;

    if (!read_number(value, len, &length) || (ret->has_length && ret->length != length))
        return false;
    ret->length = length;
    ret->has_length = true;
    return true;
}

/* A header that says nothing to us is as good as any. False: one that contradicts an earlier one. */
static bool take_named(const char *line, size_t name_len, const char *value, size_t len, struct proxy_message *ret)
{
    if (is_named(line, name_len, "content-length"))
        return take_length(value, len, ret);
    if (is_named(line, name_len, "transfer-encoding")) {
        ret->chunked = is_named(value, len, "chunked");
        return ret->chunked;
    }
    if (is_named(line, name_len, "connection"))
        ret->closes = ret->closes || is_named(value, len, "close");
    else if (is_named(line, name_len, "expect"))
        ret->expects_continue = true;
    else if (is_named(line, name_len, "x-amz-target"))
        take_service_call(value, len, ret);
    else if (is_named(line, name_len, "x-amz-copy-source"))
        ret->copies = true;
    else if (is_named(line, name_len, "date"))
        copy_text(ret->date, sizeof(ret->date), value, len);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool take_header(const char *line, size_t len, struct proxy_message *ret)
{
    const char *colon = memchr(line, ':', len);
    const char *value;
    const char *end = line + len;

    if (colon == NULL || colon == line || is_blank(line[0]))
        return false;
    for (value = colon + 1; value < end && is_blank(*value); value++) {
    }
    for (; end > value && is_blank(end[-1]); end--) {
    }
    return take_named(line, (size_t)(colon - line), value, (size_t)(end - value), ret);
}

static size_t without_end(const char *line, size_t len)
{
    len -= 1; /* '\n' */
    return len > 0 && line[len - 1] == '\r' ? len - 1 : len;
}

/* The headers behind the first line, to the empty line. */
static bool take_headers(struct proxy_stream *stream, struct proxy_message *ret)
{
    while (true) {
        size_t start;
        size_t len;
        if (ret->len >= MESSAGE_HEAD_MAX || !take_line(stream, ret, MESSAGE_HEAD_MAX - ret->len, &start))
            return false;
        len = without_end(ret->data + start, ret->len - start);
        if (len == 0) {
            ret->head_len = ret->len;
            return !(ret->chunked && ret->has_length);
        }
        if (!take_header(ret->data + start, len, ret))
            return false;
    }
}

/* Takes "http://HOST" out of the request line, as the next server wants it. */
static bool make_origin_form(struct proxy_message *ret)
{
    static const char scheme[] = "http://";
    char *target = memchr(ret->data, ' ', ret->len);
    size_t before;
    size_t gone;
    size_t host_len;

    if (target == NULL)
        return false;
    target++;
    before = (size_t)(target - ret->data);
    if (ret->len - before < sizeof(scheme) || strncasecmp(target, scheme, sizeof(scheme) - 1) != 0)
        return target[0] == '/';
    for (host_len = 0; before + sizeof(scheme) - 1 + host_len < ret->len; host_len++) {
        char c = target[sizeof(scheme) - 1 + host_len];
        if (c == '/' || c == ' ')
            break;
    }
    gone = sizeof(scheme) - 1 + host_len;
    if (host_len == 0 || host_len >= sizeof(ret->authority) || before + gone >= ret->len || target[gone] != '/')
        return false;
    copy_text(ret->authority, sizeof(ret->authority), target + sizeof(scheme) - 1, host_len);
    memmove(target, target + gone, ret->len - before - gone);
    ret->len -= gone;
    return true;
}

static bool take_request_line(struct proxy_message *ret)
{
    const char *end;
    const char *target;
    const char *version;
    size_t len;

    if (!make_origin_form(ret))
        return false;
    len = without_end(ret->data, ret->len);
    end = ret->data + len;
    target = memchr(ret->data, ' ', len);
    version = target == NULL ? NULL : memchr(target + 1, ' ', (size_t)(end - target - 1));
    if (version == NULL || (size_t)(target - ret->data) >= sizeof(ret->method) || target == ret->data ||
        (size_t)(version - target) > sizeof(ret->target) || end - version != 9 || strncmp(version, " HTTP/1.1", 9) != 0)
        return false;
    copy_text(ret->method, sizeof(ret->method), ret->data, (size_t)(target - ret->data));
    copy_text(ret->target, sizeof(ret->target), target + 1, (size_t)(version - target - 1));
    return true;
}

bool message_read_request_head(struct proxy_stream *stream, struct proxy_message *ret)
{
    size_t start;

    return take_line(stream, ret, MESSAGE_LINE_MAX, &start) && take_request_line(ret) && take_headers(stream, ret);
}

/* ------------------------------------------------------------------------------------------------ bodies */

static bool read_chunk_size(const char *line, size_t len, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i;

    for (i = 0; i < len && line[i] != ';' && line[i] != ' '; i++) {
        char c = line[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0 || value > MESSAGE_MAX)
            return false;
        value = value * 16 + (uint64_t)digit;
    }
    *ret = value;
    return i > 0;
}

static bool take_chunks(struct proxy_stream *stream, struct proxy_message *message)
{
    uint64_t size;
    size_t start;

    do {
        if (!take_line(stream, message, MESSAGE_LINE_MAX, &start) ||
            !read_chunk_size(message->data + start, without_end(message->data + start, message->len - start), &size) ||
            (size > 0 && !take_exactly(stream, message, size + 2)))
            return false;
    } while (size > 0);
    do { /* trailers, to the empty line */
        if (!take_line(stream, message, MESSAGE_LINE_MAX, &start))
            return false;
    } while (without_end(message->data + start, message->len - start) > 0);
    return true;
}

static bool take_to_end(struct proxy_stream *stream, struct proxy_message *message)
{
    message->closes = true;
    while (have_room(message, 4096)) {
        size_t got = stream_take(stream, message->data + message->len, 4096);
        if (got == 0)
            return true;
        message->len += got;
    }
    return false;
}

bool message_read_request_body(struct proxy_stream *stream, struct proxy_message *request)
{
    if (request->chunked)
        return take_chunks(stream, request);
    return take_exactly(stream, request, request->has_length ? request->length : 0);
}

static bool has_no_body(int status, const char *method)
{
    return strcmp(method, "HEAD") == 0 || status == 204 || status == 304;
}

bool message_is_delimited(const struct proxy_message *answer, const char *method)
{
    return has_no_body(answer->status, method) || answer->chunked || answer->has_length;
}

static bool take_status_line(struct proxy_message *ret)
{
    size_t len = without_end(ret->data, ret->len);
    uint64_t status;

    if (len < 12 || strncmp(ret->data, "HTTP/1.", 7) != 0 || ret->data[8] != ' ' ||
        !read_number(ret->data + 9, 3, &status) || status < 100)
        return false;
    ret->closes = ret->data[7] == '0';
    ret->status = (int)status;
    return true;
}

bool message_read_answer(struct proxy_stream *stream, const char *method, struct proxy_message *ret)
{
    enum { INTERIM_MAX = 8 };
    size_t start;

    for (unsigned i = 0; i < INTERIM_MAX; i++) {
        message_free(ret);
        message_init(ret);
        if (!take_line(stream, ret, MESSAGE_LINE_MAX, &start) || !take_status_line(ret) || !take_headers(stream, ret))
            return false;
        if (ret->status >= 200)
            break;
    }
    if (ret->status < 200)
        return false;
    if (has_no_body(ret->status, method))
        return true;
    if (ret->chunked)
        return take_chunks(stream, ret);
    return ret->has_length ? take_exactly(stream, ret, ret->length) : take_to_end(stream, ret);
}
