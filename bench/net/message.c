/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_AT_ONCE = 16384 };

/* ---------------------------------------------------------------------------------------------------------- bytes */

static void bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->len + more <= bytes->size)
        return;
    bytes->size = 2 * bytes->size + more;
    bytes->p = realloc(bytes->p, bytes->size);
    if (bytes->p == NULL)
        abort();
}

void bytes_add(struct bytes *bytes, const void *data, size_t len)
{
    bytes_reserve(bytes, len);
    if (len > 0)
        memcpy(bytes->p + bytes->len, data, len);
    bytes->len += len;
}

void bytes_add_slice(struct bytes *bytes, struct slice slice)
{
    bytes_add(bytes, slice.p, slice.len);
}

void bytes_add_f(struct bytes *bytes, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (len < 0 || (size_t)len >= sizeof(text))
        abort();
    bytes_add(bytes, text, (size_t)len);
}

void bytes_drop(struct bytes *bytes, size_t len)
{
    bytes->len -= len;
    if (bytes->len > 0)
        memmove(bytes->p, bytes->p + len, bytes->len);
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->p);
    *bytes = (struct bytes){0};
}

/* --------------------------------------------------------------------------------------------------------- slices */

struct slice slice_of(const char *text)
{
    return (struct slice){text, strlen(text)};
}

bool slice_equal(struct slice a, struct slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

bool slice_is(struct slice slice, const char *text)
{
    return slice_equal(slice, slice_of(text));
}

bool slice_starts(struct slice slice, const char *text)
{
    size_t len = strlen(text);
    return slice.len >= len && memcmp(slice.p, text, len) == 0;
}

bool slice_has(struct slice slice, const char *text)
{
    return slice.len > 0 && memmem(slice.p, slice.len, text, strlen(text)) != NULL;
}

unsigned long slice_number(struct slice slice)
{
    unsigned long number = 0;
    for (size_t i = 0; i < slice.len && slice.p[i] >= '0' && slice.p[i] <= '9'; i++)
        number = 10 * number + (unsigned long)(slice.p[i] - '0');
    return number;
}

/* -------------------------------------------------------------------------------------------------------- sockets */

bool socket_read(int fd, struct bytes *bytes)
{
    for (;;) {
        bytes_reserve(bytes, READ_AT_ONCE);
        size_t room = bytes->size - bytes->len;
        ssize_t got = recv(fd, bytes->p + bytes->len, room, MSG_DONTWAIT);
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        bytes->len += (size_t)got;
        if ((size_t)got < room)
            return true;
    }
}

bool socket_write(int fd, struct bytes *bytes)
{
    if (bytes->len == 0)
        return true;
    ssize_t sent = send(fd, bytes->p, bytes->len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR;
    bytes_drop(bytes, (size_t)sent);
    return true;
}

int socket_listen(unsigned short *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t len = sizeof(at);
    int one = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        return -1;
    *port = ntohs(at.sin_port);
    return fd;
}

/* ------------------------------------------------------------------------------------------------------- messages */

struct slice message_header(struct slice head, const char *name)
{
    size_t len = strlen(name);
    const char *end = head.p + head.len;
    const char *line = memchr(head.p, '\n', head.len);
    while (line != NULL && (size_t)(end - ++line) > len) {
        const char *stop = memchr(line, '\r', (size_t)(end - line));
        if (stop != NULL && line[len] == ':' && strncasecmp(line, name, len) == 0) {
            line += len + 1;
            while (line < stop && *line == ' ')
                line++;
            return (struct slice){line, (size_t)(stop - line)};
        }
        line = memchr(line, '\n', (size_t)(end - line));
    }
    return (struct slice){NULL, 0};
}

void message_words(struct slice head, struct slice words[3])
{
    const char *at = head.p;
    const char *end = memchr(head.p, '\r', head.len);
    for (int i = 0; i < 3; i++) {
        const char *stop = i < 2 ? memchr(at, ' ', (size_t)(end - at)) : end;
        stop = stop != NULL ? stop : end;
        words[i] = (struct slice){at, (size_t)(stop - at)};
        at = stop < end ? stop + 1 : end;
    }
}

/* The length of a chunked body; SIZE_MAX: not whole yet. */
static size_t message_chunked_len(const char *body, size_t len)
{
    size_t at = 0;
    for (;;) {
        const char *line = memmem(body + at, len - at, "\r\n", 2);
        if (line == NULL)
            return SIZE_MAX;
        size_t chunk = strtoul(body + at, NULL, 16);
        at = (size_t)(line + 2 - body) + chunk + 2;
        if (at > len)
            return SIZE_MAX;
        if (chunk == 0)
            return at;
    }
}

static bool message_bodiless(struct slice head, bool has_body)
{
    struct slice words[3];
    message_words(head, words);
    return !has_body || slice_is(words[1], "204") || slice_is(words[1], "304");
}

bool message_take(const struct bytes *bytes, bool has_body, struct message *ret)
{
    const char *end = bytes->len > 0 ? memmem(bytes->p, bytes->len, "\r\n\r\n", 4) : NULL;
    if (end == NULL)
        return false;
    ret->head = (struct slice){bytes->p, (size_t)(end + 4 - bytes->p)};
    ret->body = (struct slice){end + 4, 0};
    size_t rest = bytes->len - ret->head.len;
    if (!message_bodiless(ret->head, has_body)) {
        if (slice_is(message_header(ret->head, "transfer-encoding"), "chunked"))
            ret->body.len = message_chunked_len(ret->body.p, rest);
        else
            ret->body.len = slice_number(message_header(ret->head, "content-length"));
    }
    ret->len = ret->head.len + ret->body.len;
    return ret->body.len <= rest;
}

struct slice query_value(struct slice target, const char *name)
{
    size_t len = strlen(name);
    const char *end = target.p + target.len;
    const char *at = memchr(target.p, '?', target.len);
    while (at != NULL && (size_t)(end - ++at) > len) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        if (at[len] == '=' && memcmp(at, name, len) == 0)
            return (struct slice){at + len + 1, (size_t)(stop - at) - len - 1};
        at = stop < end ? stop : NULL;
    }
    return (struct slice){NULL, 0};
}
