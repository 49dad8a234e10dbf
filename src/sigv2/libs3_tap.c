/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_tap.h"

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

bool libs3_tap_init(struct libs3_tap *tap)
{
    memset(tap, 0, sizeof(*tap));
    http_response_init(&tap->answer, TAP_MAX);
    tap->bytes = malloc(TAP_MAX);
    return tap->bytes != NULL;
}

void libs3_tap_free(struct libs3_tap *tap)
{
    http_response_free(&tap->answer);
    free(tap->bytes);
}

/* poll then tells of the socket only when so many bytes lie in it, or when no more will come (tcp(7), socket(7)). */
static void set_low_water(int fd, int bytes)
{
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

void libs3_tap_open(const struct libs3_tap *tap, int fd)
{
    set_low_water(fd, tap->held ? (int)tap->wanted : 1);
}

void libs3_tap_shut(const struct libs3_tap *tap, int fd)
{
    if (!tap->over)
        set_low_water(fd, INT_MAX);
}

static enum libs3_tap_step end(struct libs3_tap *tap)
{
    tap->over = true;
    tap->held = false;
    return LIBS3_TAP_PASS;
}

/* Needs `wanted` bytes and has `len`. PASS: they will not come. */
static enum libs3_tap_step hold(struct libs3_tap *tap, size_t len, size_t wanted)
{
    bool stands_still = tap->held && len <= tap->seen; /* poll woke us for the end of the stream */
    if (stands_still)
        return LIBS3_TAP_PASS;
    tap->held = true;
    tap->seen = len;
    tap->wanted = wanted;
    return LIBS3_TAP_HOLD;
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
static size_t body_length(const struct libs3_tap *tap)
{
    const struct http_response *answer = &tap->answer;
    const char *length = http_headers_get(&answer->headers, "content-length");
    bool only_wait = answer->status < 300 && tap->wait_for_body;
    bool wanted = answer->status >= 300 || tap->want_body || only_wait;
    uint64_t bytes;
    if (tap->no_body || answer->status == 204 || !wanted || length == NULL ||
        !text_parse_u64(text_from(length), &bytes) || bytes > (only_wait ? WAIT_MAX : TAP_MAX))
        return 0;
    return (size_t)bytes;
}

/* `len` bytes of the answer can be seen, and more may lie behind them. */
static bool take_body(struct libs3_tap *tap, size_t len, size_t body_offset, size_t wanted)
{
    if (body_offset + wanted > len)
        return tap->answer.status < 300 && tap->wait_for_body;
    bool ok = buf_add(&tap->answer.body, tap->bytes + body_offset, wanted);
    tap->no_memory = !ok;
    return ok;
}

/* False as well where the kernel does not count (before Linux 4.1). */
static bool was_overread(const struct libs3_tap *tap, int fd)
{
    return fd_taken_bytes(fd) > tap->passed + 1; /* the end of the stream may count as one byte */
}

static enum libs3_tap_step take_answer(struct libs3_tap *tap, int fd, size_t len, size_t body_offset)
{
    tap->overread = was_overread(tap, fd);
    if (tap->overread) {
        (void)end(tap);
        return LIBS3_TAP_ABORT;
    }
    size_t wanted = body_length(tap);
    int available = 0;
    if (ioctl(fd, FIONREAD, &available) != 0 || (size_t)available < len)
        available = (int)len;
    if (wanted > 0 && (size_t)available < body_offset + wanted &&
        hold(tap, (size_t)available, body_offset + wanted) == LIBS3_TAP_HOLD) {
        http_headers_free(&tap->answer.headers); /* read again with the body */
        tap->answer.status = 0;
        return LIBS3_TAP_HOLD;
    }
    if (wanted > 0 && (size_t)available >= body_offset + wanted)
        tap->whole_body = take_body(tap, len, body_offset, wanted);
    tap->answered = !tap->no_memory;
    (void)end(tap);
    return must_abort(&tap->answer) ? LIBS3_TAP_ABORT : LIBS3_TAP_PASS;
}

static enum libs3_tap_step hold_or_end(struct libs3_tap *tap, size_t len)
{
    bool full = len == TAP_MAX;
    return !full && hold(tap, len, len + 1) == LIBS3_TAP_HOLD ? LIBS3_TAP_HOLD : end(tap);
}

/* Only whole 1xx answers so far: a PUT's body waits for them. */
static enum libs3_tap_step pass_interim(struct libs3_tap *tap, size_t len)
{
    if (tap->sends_nothing)
        return hold_or_end(tap, len);
    tap->held = false;
    tap->passed += len;
    return LIBS3_TAP_PASS;
}

/* libcurl has pipes of its own among its sockets, to hear of a name look-up. */
static bool is_internet_socket(int fd)
{
    int domain = AF_UNSPEC;
    socklen_t size = sizeof(domain);
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

enum libs3_tap_step libs3_tap_look(struct libs3_tap *tap, int fd)
{
    if (tap->over)
        return LIBS3_TAP_PASS;
    if (!is_internet_socket(fd))
        return LIBS3_TAP_NOTHING;
    ssize_t got = recv(fd, tap->bytes, TAP_MAX, MSG_PEEK | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN))
        return tap->held ? LIBS3_TAP_HOLD : LIBS3_TAP_NOTHING;
    if (got <= 0)
        return tap->held ? end(tap) : LIBS3_TAP_PASS; /* the end, or an error */
    size_t len = (size_t)got;
    size_t body_offset = 0;
    switch (answer_head_read(text_of(tap->bytes, len), &tap->answer, &body_offset)) {
    case ANSWER_HEAD_WHOLE: return take_answer(tap, fd, len, body_offset);
    case ANSWER_HEAD_CUT: return hold_or_end(tap, len);
    case ANSWER_HEAD_NONE: return pass_interim(tap, len);
    case ANSWER_HEAD_NO_MEMORY: tap->no_memory = true; return end(tap);
    case ANSWER_HEAD_FOREIGN: return end(tap);
    }
    return LIBS3_TAP_PASS;
}
