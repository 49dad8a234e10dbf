/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy/message.h"

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
    enum { AT_ONCE = 64 * 1024 };
    if (count > MESSAGE_MAX - message->len)
        return false;
    while (count > 0) {
        size_t most = count < AT_ONCE ? (size_t)count : AT_ONCE;
        size_t got = have_room(message, most) ? stream_take(stream, message->data + message->len, most) : 0;
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

static void copy_text(char *ret, size_t ret_size, struct head_text text)
{
    size_t len = text.len < ret_size - 1 ? text.len : ret_size - 1;
    memcpy(ret, text.p, len);
    ret[len] = '\0';
}

static void note_service_call(struct head_text value, struct proxy_message *ret)
{
    const char *dot = memrchr(value.p, '.', value.len);
    size_t skip = dot == NULL ? 0 : (size_t)(dot - value.p) + 1;

    copy_text(ret->service_call, sizeof(ret->service_call), (struct head_text){value.p + skip, value.len - skip});
}

/* A header that says nothing to us is as good as any. */
static bool note_field(const struct head_field *field, struct proxy_message *ret)
{
    if (head_is(field->name, "x-amz-target"))
        note_service_call(field->value, ret);
    else if (head_is(field->name, "x-amz-copy-source"))
        ret->copies = true;
    else if (head_is(field->name, "date"))
        copy_text(ret->date, sizeof(ret->date), field->value);
    return head_note_framing(field, &ret->framing);
}

/* The line that begins at `start` and ends what is there; a server may leave its CR out. */
static struct head_text line_at(const struct proxy_message *message, size_t start)
{
    struct head_text line = {message->data + start, message->len - start - 1};

    if (line.len > 0 && line.p[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* The headers behind the first line, to the empty line. */
static bool take_headers(struct proxy_stream *stream, struct proxy_message *ret)
{
    while (true) {
        struct head_field field;
        size_t start;
        if (ret->len >= MESSAGE_HEAD_MAX || !take_line(stream, ret, MESSAGE_HEAD_MAX - ret->len, &start))
            return false;
        struct head_text line = line_at(ret, start);
        if (line.len == 0) {
            ret->head_len = ret->len;
            return head_is_framed(&ret->framing);
        }
        if (!head_read_field(line, &field) || !note_field(&field, ret))
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
    copy_text(ret->authority, sizeof(ret->authority), (struct head_text){target + sizeof(scheme) - 1, host_len});
    memmove(target, target + gone, ret->len - before - gone);
    ret->len -= gone;
    return true;
}

static bool take_request_line(struct proxy_message *ret)
{
    struct head_text method;
    struct head_text target;

    if (!make_origin_form(ret) || !head_read_request_line(line_at(ret, 0), &method, &target) ||
        method.len >= sizeof(ret->method) || target.len >= sizeof(ret->target))
        return false;
    copy_text(ret->method, sizeof(ret->method), method);
    copy_text(ret->target, sizeof(ret->target), target);
    return true;
}

bool message_read_request_head(struct proxy_stream *stream, struct proxy_message *ret)
{
    size_t start;

    return take_line(stream, ret, MESSAGE_LINE_MAX, &start) && take_request_line(ret) && take_headers(stream, ret);
}

/* ------------------------------------------------------------------------------------------------ bodies */

static bool read_chunk_size(struct head_text line, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i;

    for (i = 0; i < line.len && line.p[i] != ';' && line.p[i] != ' '; i++) {
        char c = line.p[i];
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
        if (!take_line(stream, message, MESSAGE_LINE_MAX, &start) || !read_chunk_size(line_at(message, start), &size) ||
            (size > 0 && !take_exactly(stream, message, size + 2)))
            return false;
    } while (size > 0);
    do { /* trailers, to the empty line */
        if (!take_line(stream, message, MESSAGE_LINE_MAX, &start))
            return false;
    } while (line_at(message, start).len > 0);
    return true;
}

static bool take_to_end(struct proxy_stream *stream, struct proxy_message *message)
{
    message->framing.closes = true;
    while (have_room(message, 4096)) {
        size_t got = stream_take(stream, message->data + message->len, 4096);
        if (got == 0)
            return true;
        message->len += got;
    }
    return false;
}

bool message_read_request_body(struct proxy_stream *stream, struct proxy_message *request, size_t most)
{
    size_t taken = request->len - request->head_len;
    if (request->framing.chunked)
        return taken > 0 || take_chunks(stream, request);
    uint64_t left = request->framing.length - taken;
    return take_exactly(stream, request, left < most ? left : most);
}

static bool has_no_body(int status, const char *method)
{
    return strcmp(method, "HEAD") == 0 || status == 204 || status == 304;
}

bool message_is_delimited(const struct proxy_message *answer, const char *method)
{
    return has_no_body(answer->status, method) || answer->framing.chunked || answer->framing.has_length;
}

bool message_read_answer(struct proxy_stream *stream, const char *method, struct proxy_message *ret)
{
    enum { INTERIM_MAX = 8 };
    size_t start;

    for (unsigned i = 0; i < INTERIM_MAX; i++) {
        message_free(ret);
        message_init(ret);
        if (!take_line(stream, ret, MESSAGE_LINE_MAX, &start) ||
            !head_read_status_line(line_at(ret, 0), &ret->status, &ret->framing) || !take_headers(stream, ret))
            return false;
        if (ret->status >= 200)
            break;
    }
    if (ret->status < 200)
        return false;
    if (has_no_body(ret->status, method))
        return true;
    if (ret->framing.chunked)
        return take_chunks(stream, ret);
    return ret->framing.has_length ? take_exactly(stream, ret, ret->framing.length) : take_to_end(stream, ret);
}
