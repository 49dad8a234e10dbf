/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_peek.h"

#include "base/fd.h"
#include "s3/answer_head.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    TAP_MAX = 48 * 1024,    /* what an ordinary receive buffer (128 KiB, half of it for data) holds for sure */
    WAIT_MAX = 1024 * 1024, /* for this SO_RCVLOWAT makes the buffer larger; where the system allows less, poll tells at
                               once, and the wait is given up */
    TAP_METADATA_MAX = 100  /* libs3's own array ends at 157, and it does not look */
};

bool libs3_peek_init(struct libs3_peek *peek)
{
    memset(peek, 0, sizeof(*peek));
    http_response_init(&peek->answer, TAP_MAX);
    peek->bytes = malloc(TAP_MAX);
    return peek->bytes != NULL;
}

void libs3_peek_free(struct libs3_peek *peek)
{
    http_response_free(&peek->answer);
    free(peek->bytes);
}

/* poll then tells of the socket only when so many bytes lie in it, or when no more will come (tcp(7), socket(7)). */
static void set_low_water(int fd, int bytes)
{
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

void libs3_peek_open(const struct libs3_peek *peek, int fd)
{
    set_low_water(fd, peek->held ? (int)peek->wanted : 1);
}

void libs3_peek_close(const struct libs3_peek *peek, int fd)
{
    if (!peek->over)
        set_low_water(fd, INT_MAX);
}

static enum libs3_peek_step libs3_peek_end(struct libs3_peek *peek)
{
    peek->over = true;
    peek->held = false;
    return LIBS3_PEEK_PASS;
}

/* Needs `wanted` bytes and has `len`. PASS: they will not come. */
static enum libs3_peek_step libs3_peek_hold(struct libs3_peek *peek, size_t len, size_t wanted)
{
    bool stands_still = peek->held && len <= peek->seen; /* poll woke us for the end of the stream */
    if (stands_still)
        return LIBS3_PEEK_PASS;
    peek->held = true;
    peek->seen = len;
    peek->wanted = wanted;
    return LIBS3_PEEK_HOLD;
}

static bool too_many_metadata(const struct http_headers *headers)
{
    size_t count = 0;
    for (size_t i = 0; i < headers->count; i++)
        count += text_starts(text_from(headers->list[i].name), "x-amz-meta-") ? 1 : 0;
    return count > TAP_METADATA_MAX;
}

/* A redirect would be followed, and after a 417 libcurl sends the request again without "Expect". */
static bool must_abort(const struct http_response *answer)
{
    return (answer->status >= 300 && answer->status < 400) || answer->status == 417 ||
           too_many_metadata(&answer->headers);
}

/* How long the body is that is worth waiting for; 0: none, too long, or of a length that is not said. */
static size_t body_length(const struct libs3_peek *peek)
{
    const struct http_response *answer = &peek->answer;
    const char *length = http_headers_get(&answer->headers, "content-length");
    bool only_wait = answer->status < 300 && peek->wait_for_body;
    bool wanted = answer->status >= 300 || peek->want_body || only_wait;
    uint64_t bytes;
    if (peek->no_body || answer->status == 204 || !wanted || length == NULL ||
        !text_parse_u64(text_from(length), &bytes) || bytes > (only_wait ? WAIT_MAX : TAP_MAX))
        return 0;
    return (size_t)bytes;
}

/* `len` bytes of the answer can be seen, and more may lie behind them. */
static bool take_body(struct libs3_peek *peek, size_t len, size_t body_offset, size_t wanted)
{
    if (body_offset + wanted > len)
        return peek->answer.status < 300 && peek->wait_for_body;
    bool ok = buf_add(&peek->answer.body, peek->bytes + body_offset, wanted);
    peek->no_memory = !ok;
    return ok;
}

/* False as well where the kernel does not count (before Linux 4.1). */
static bool was_overread(const struct libs3_peek *peek, int fd)
{
    return fd_taken_bytes(fd) > peek->passed + 1; /* the end of the stream may count as one byte */
}

static enum libs3_peek_step take_answer(struct libs3_peek *peek, int fd, size_t len, size_t body_offset)
{
    peek->overread = was_overread(peek, fd);
    if (peek->overread) {
        (void)libs3_peek_end(peek);
        return LIBS3_PEEK_ABORT;
    }
    size_t wanted = body_length(peek);
    int available = 0;
    if (ioctl(fd, FIONREAD, &available) != 0 || (size_t)available < len)
        available = (int)len;
    if (wanted > 0 && (size_t)available < body_offset + wanted &&
        libs3_peek_hold(peek, (size_t)available, body_offset + wanted) == LIBS3_PEEK_HOLD) {
        http_headers_free(&peek->answer.headers); /* read again with the body */
        peek->answer.status = 0;
        return LIBS3_PEEK_HOLD;
    }
    if (wanted > 0 && (size_t)available >= body_offset + wanted)
        peek->whole_body = take_body(peek, len, body_offset, wanted);
    peek->answered = !peek->no_memory;
    (void)libs3_peek_end(peek);
    return must_abort(&peek->answer) ? LIBS3_PEEK_ABORT : LIBS3_PEEK_PASS;
}

static enum libs3_peek_step hold_or_end(struct libs3_peek *peek, size_t len)
{
    bool full = len == TAP_MAX;
    return !full && libs3_peek_hold(peek, len, len + 1) == LIBS3_PEEK_HOLD ? LIBS3_PEEK_HOLD : libs3_peek_end(peek);
}

/* Only whole 1xx answers so far: a PUT's body waits for them. */
static enum libs3_peek_step pass_interim(struct libs3_peek *peek, size_t len)
{
    if (peek->sends_nothing)
        return hold_or_end(peek, len);
    peek->held = false;
    peek->passed += len;
    return LIBS3_PEEK_PASS;
}

/* libcurl has pipes of its own among its sockets, to hear of a name look-up. */
static bool is_internet_socket(int fd)
{
    int domain = AF_UNSPEC;
    socklen_t size = sizeof(domain);
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

enum libs3_peek_step libs3_peek_head(struct libs3_peek *peek, int fd)
{
    if (peek->over)
        return LIBS3_PEEK_PASS;
    if (!is_internet_socket(fd))
        return LIBS3_PEEK_NOTHING;
    ssize_t got = recv(fd, peek->bytes, TAP_MAX, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
        return peek->held ? LIBS3_PEEK_HOLD : LIBS3_PEEK_NOTHING;
    if (got <= 0)
        return peek->held ? libs3_peek_end(peek) : LIBS3_PEEK_PASS; /* the end, or an error */
    size_t len = (size_t)got;
    size_t body_offset = 0;
    switch (answer_head_read(text_of(peek->bytes, len), &peek->answer, &body_offset)) {
    case ANSWER_HEAD_WHOLE: return take_answer(peek, fd, len, body_offset);
    case ANSWER_HEAD_CUT: return hold_or_end(peek, len);
    case ANSWER_HEAD_NONE: return pass_interim(peek, len);
    case ANSWER_HEAD_NO_MEMORY: peek->no_memory = true; return libs3_peek_end(peek);
    case ANSWER_HEAD_FOREIGN: return libs3_peek_end(peek);
    }
    return LIBS3_PEEK_PASS;
}
