/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a request on its way out: from memory, or with pread from a file that must be exactly as long as
 * promised. Knows nothing of sockets. A small body is handed to libcurl as one piece, so that it leaves in one write
 * with the headers; a file of another length is noticed before its last byte is handed out, so that no server ever
 * holds a complete body that is not the file.
 */
#include "base/error.h"
#include "base/fd.h"
#include "http/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Reads exactly `size` bytes. When they are the last ones, the file must also end there. */
static os_code read_part(const struct http_body *body, uint64_t offset, char *ret, size_t size)
{
    int64_t got = fd_read_at(body->fd, ret, size, offset);
    if (got < 0)
        return OS_ERR_IO;
    if ((size_t)got < size)
        return OS_ERR_BODY;
    char beyond;
    if (offset + size == body->length && (got = fd_read_at(body->fd, &beyond, 1, body->length)) != 0)
        return got < 0 ? OS_ERR_IO : OS_ERR_BODY;
    return OS_OK;
}

static os_code refuse_length(const struct http_body *body, uint64_t found, os_error *err)
{
    return error_set(err, OS_ERR_BODY,
                     "The file to send has %llu bytes, not %llu: it changed since it was opened; call again.",
                     (unsigned long long)found, (unsigned long long)body->length);
}

os_code body_prepare(struct http_transfer *transfer, os_error *err)
{
    const struct http_body *body = &transfer->start.request->body;
    transfer->body_offset = 0;
    if (body->kind != HTTP_BODY_FILE)
        return OS_OK;
    struct stat status;
    if (fstat(body->fd, &status) != 0)
        return error_set(err, OS_ERR_IO, "The file to send cannot be examined: %s.", strerror(errno));
    if (!S_ISREG(status.st_mode)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "Only a regular file can be sent; copy the data into one, or give it in memory.");
    }
    if ((uint64_t)status.st_size != body->length)
        return refuse_length(body, (uint64_t)status.st_size, err);
    if (!body_is_joined(transfer))
        return OS_OK;
    transfer->joined_body = malloc((size_t)body->length + 1);
    if (transfer->joined_body == NULL)
        return error_no_memory(err);
    os_code code = read_part(body, 0, transfer->joined_body, (size_t)body->length);
    if (code == OS_ERR_IO)
        return error_set(err, OS_ERR_IO, "The file to send cannot be read: %s.", strerror(errno));
    if (code == OS_ERR_BODY)
        return error_set(err, OS_ERR_BODY, "The file to send changed its length while it was read; call again.");
    return OS_OK;
}

bool body_is_joined(const struct http_transfer *transfer)
{
    const struct http_body *body = &transfer->start.request->body;
    return body_length(body) <= JOINED_BODY_MAX && body->held_until_monotonic_ms == 0 &&
           transfer->start.tail != HTTP_TAIL_HELD_BACK;
}

const char *body_joined_data(const struct http_transfer *transfer)
{
    const struct http_body *body = &transfer->start.request->body;
    if (transfer->joined_body != NULL)
        return transfer->joined_body;
    return body->kind == HTTP_BODY_MEMORY && body->length > 0 ? body->data : "";
}

static size_t body_stop(struct http_transfer *transfer, os_code code)
{
    if (code == OS_ERR_DEADLINE)
        failure_set(transfer, code, "the deadline passed before the whole body was sent");
    else if (code == OS_ERR_IO)
        failure_set(transfer, code, "the file could not be read: %s", strerror(errno));
    else
        failure_set(transfer, code, "the file changed its length while it was sent");
    transfer->wire.aborting = true;
    return CURL_READFUNC_ABORT;
}

size_t body_read(char *ret, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    const struct http_body *body = &transfer->start.request->body;
    uint64_t left = body->length - transfer->body_offset;
    size_t want = size * count;
    if (want > left)
        want = (size_t)left;
    if (want == 0)
        return 0;
    uint64_t deadline_ms = transfer->start.deadline_monotonic_ms;
    /* R6, also when a callback held up this turn */
    if (deadline_ms != 0 && clock_monotonic_us() / 1000 >= deadline_ms)
        return body_stop(transfer, OS_ERR_DEADLINE);
    if (tail_begins(transfer, &want) && !tail_may_leave(transfer))
        return transfer->tail.kept ? CURL_READFUNC_ABORT : CURL_READFUNC_PAUSE;
    if (clock_monotonic_us() / 1000 < body->held_until_monotonic_ms) {
        if (transfer->body_offset >= body->held_from) {
            transfer->held = true;
            due_plan(transfer);
            return CURL_READFUNC_PAUSE;
        }
        uint64_t before_hold = body->held_from - transfer->body_offset;
        want = want < before_hold ? want : (size_t)before_hold;
    }
    if (body->kind == HTTP_BODY_FILE) {
        os_code code = read_part(body, transfer->body_offset, ret, want);
        if (code != OS_OK)
            return body_stop(transfer, code);
    } else {
        memcpy(ret, (const char *)body->data + transfer->body_offset, want);
    }
    transfer->body_offset += want;
    return want;
}

/* libcurl rewinds before it sends again, which it may do for anything but a `once` request. */
int body_seek(void *context, curl_off_t offset, int origin)
{
    struct http_transfer *transfer = context;
    uint64_t length = body_length(&transfer->start.request->body);
    if (transfer->start.once || origin != SEEK_SET || offset < 0 || (uint64_t)offset > length)
        return CURL_SEEKFUNC_FAIL;
    transfer->body_offset = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}
