/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_message.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 16384 };

void fault_stream_init(struct fault_stream *stream, int fd)
{
    stream->fd = fd;
    buf_init(&stream->ahead, FAULT_BODY_MAX);
}

void fault_stream_free(struct fault_stream *stream)
{
    buf_free(&stream->ahead);
}

bool fault_send(int fd, const void *data, size_t len)
{
    const char *p = data;
    while (len > 0) {
        ssize_t sent = send(fd, p, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        len -= (size_t)sent;
    }
    return true;
}

static bool read_more(struct fault_stream *stream)
{
    char chunk[READ_SIZE];
    for (;;) {
        ssize_t got = recv(stream->fd, chunk, sizeof(chunk), 0);
        if (got < 0 && errno == EINTR)
            continue;
        return got > 0 && buf_add(&stream->ahead, chunk, (size_t)got);
    }
}

/* Moves `count` bytes that are already there from the stream to `ret`. */
static bool take(struct fault_stream *stream, size_t count, struct buf *ret)
{
    if (!buf_add(ret, stream->ahead.data, count))
        return false;
    memmove(stream->ahead.data, stream->ahead.data + count, stream->ahead.len - count);
    stream->ahead.len -= count;
    return true;
}

static bool take_exactly(struct fault_stream *stream, uint64_t count, struct buf *ret)
{
    while (count > 0) {
        if (stream->ahead.len == 0 && !read_more(stream))
            return false;
        size_t now = stream->ahead.len < count ? stream->ahead.len : (size_t)count;
        if (!take(stream, now, ret))
            return false;
        count -= now;
    }
    return true;
}

/* Takes what stands up to and with `mark`. */
static bool take_through(struct fault_stream *stream, const char *mark, size_t max, struct buf *ret)
{
    for (;;) {
        const char *found =
            stream->ahead.len > 0 ? memmem(stream->ahead.data, stream->ahead.len, mark, strlen(mark)) : NULL;
        if (found != NULL)
            return take(stream, (size_t)(found - stream->ahead.data) + strlen(mark), ret);
        if (stream->ahead.len > max || !read_more(stream))
            return false;
    }
}

void fault_message_init(struct fault_message *message)
{
    memset(message, 0, sizeof(*message));
    buf_init(&message->head, FAULT_HEAD_MAX);
    buf_init(&message->body, FAULT_BODY_MAX);
}

void fault_message_free(struct fault_message *message)
{
    buf_free(&message->head);
    buf_free(&message->body);
    free(message->path);
    free(message->query);
    fault_message_init(message);
}

/* Finds a header's line: its start, and its end behind the line end. NULL when there is none. */
static const char *find_header(const char *head, const char *name, const char **ret_end)
{
    size_t len = strlen(name);
    const char *line = strstr(head, "\r\n");
    while (line != NULL) {
        line += 2;
        const char *end = strstr(line, "\r\n");
        if (end == NULL || end == line)
            return NULL;
        if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
            *ret_end = end + 2;
            return line;
        }
        line = end;
    }
    return NULL;
}

char *fault_header(const struct buf *head, const char *name)
{
    const char *end = NULL;
    const char *line = find_header(buf_str(head), name, &end);
    if (line == NULL)
        return NULL;
    const char *value = line + strlen(name) + 1;
    end -= 2;
    while (value < end && isspace((unsigned char)*value))
        value++;
    while (end > value && isspace((unsigned char)end[-1]))
        end--;
    return strndup(value, (size_t)(end - value));
}

bool fault_set_header(struct buf *head, const char *name, const char *value)
{
    const char *end = NULL;
    for (const char *line; (line = find_header(buf_str(head), name, &end)) != NULL;) {
        size_t at = (size_t)(line - head->data);
        size_t gone = (size_t)(end - line);
        memmove(head->data + at, head->data + at + gone, head->len - at - gone + 1);
        head->len -= gone;
    }
    if (value == NULL || head->len < 2)
        return buf_ok(head);
    head->len -= 2; /* the empty line */
    return buf_add_f(head, "%s: %s\r\n\r\n", name, value);
}

static bool header_says(const struct buf *head, const char *name, const char *word)
{
    char *value = fault_header(head, name);
    bool says = value != NULL && strcasestr(value, word) != NULL;
    free(value);
    return says;
}

static void read_framing(struct fault_message *message)
{
    char *length = fault_header(&message->head, "content-length");
    message->has_length = length != NULL;
    message->length = length != NULL ? strtoull(length, NULL, 10) : 0;
    free(length);
    message->chunked = header_says(&message->head, "transfer-encoding", "chunked");
    message->expects_continue = header_says(&message->head, "expect", "100-continue");
}

bool fault_read_request_head(struct fault_stream *stream, struct fault_message *ret)
{
    if (!take_through(stream, "\r\n\r\n", FAULT_HEAD_MAX, &ret->head))
        return false;
    const char *line = buf_str(&ret->head);
    const char *target = strchr(line, ' ');
    const char *end = target != NULL ? strchr(target + 1, ' ') : NULL;
    if (end == NULL || (size_t)(target - line) >= sizeof(ret->method))
        return false;
    memcpy(ret->method, line, (size_t)(target - line));
    target++;
    const char *mark = memchr(target, '?', (size_t)(end - target));
    const char *path_end = mark != NULL ? mark : end;
    const char *query = mark != NULL ? mark + 1 : end;
    ret->path = strndup(target, (size_t)(path_end - target));
    ret->query = strndup(query, (size_t)(end - query));
    read_framing(ret);
    return ret->path != NULL && ret->query != NULL;
}

bool fault_read_request_body(struct fault_stream *stream, struct fault_message *request, size_t count)
{
    uint64_t left = request->length - request->body.len;
    return take_exactly(stream, left < count ? left : count, &request->body);
}

static bool read_chunked(struct fault_stream *stream, struct buf *ret)
{
    for (;;) {
        size_t before = ret->len;
        if (!take_through(stream, "\r\n", FAULT_HEAD_MAX, ret))
            return false;
        uint64_t size = strtoull(ret->data + before, NULL, 16);
        if (!take_exactly(stream, size + 2, ret))
            return false;
        if (size == 0)
            return true; /* trailers are not used by the services that stand behind the proxy */
    }
}

static bool read_to_end(struct fault_stream *stream, struct buf *ret)
{
    do {
        if (stream->ahead.len > 0 && !take(stream, stream->ahead.len, ret))
            return false;
    } while (read_more(stream));
    return true;
}

bool fault_read_answer(struct fault_stream *stream, const char *method, struct fault_message *ret)
{
    do {
        buf_reset(&ret->head);
        if (!take_through(stream, "\r\n\r\n", FAULT_HEAD_MAX, &ret->head))
            return false;
        const char *space = strchr(buf_str(&ret->head), ' ');
        ret->status = space != NULL ? atoi(space + 1) : 0;
    } while (ret->status >= 100 && ret->status < 200);
    read_framing(ret);
    if (strcmp(method, "HEAD") == 0 || ret->status == 204 || ret->status == 304)
        return true;
    if (ret->chunked)
        return read_chunked(stream, &ret->body);
    return ret->has_length ? take_exactly(stream, ret->length, &ret->body) : read_to_end(stream, &ret->body);
}
