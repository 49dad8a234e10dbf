/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tail of a body that is held back (R6, F4): when it may leave, and what the kernel is asked about it. A store that
 * looks at a signature when the headers arrive takes the rest later, so nobody but us keeps the whole from being late.
 * The order matters: first that all before it has arrived, then the time. Whoever is stopped in between leaves a store
 * that waits for a stalled body, and the allowance counts that.
 */
#include "http/internal.h"

#include <string.h>

enum { PAUSE_FIRST_MS = 1, PAUSE_MOST_MS = 16 };

bool tail_begins(const struct http_transfer *transfer, size_t *want)
{
    uint64_t left = body_length(&transfer->start.request->body) - transfer->body_offset;
    if (transfer->start.tail != HTTP_TAIL_HELD_BACK)
        return false;
    if (left > TAIL_BYTES && *want > left - TAIL_BYTES)
        *want = (size_t)(left - TAIL_BYTES);
    return left <= TAIL_BYTES;
}

/* libcurl 8.7 and newer asks for the body while it still keeps what comes before it, be it the head: the kernel has
 * then nothing to acknowledge. What it gave away is asked of it: of a body the bytes of that alone, which are behind
 * the head, for CURLINFO_REQUEST_SIZE counts some of them (7.88) or all of them (8.7) once more. */
static bool is_handed_over(const struct http_transfer *transfer)
{
    const struct http_request *request = transfer->start.request;
    uint64_t least = strlen(request->method) + request->path.len + request->query.len + request->headers.bytes;
    long head = 0;
    curl_off_t body = 0;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &head) != CURLE_OK ||
        curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &body) != CURLE_OK)
        return false;
    return transfer->body_offset == 0 ? (uint64_t)head >= least : (uint64_t)body >= transfer->body_offset;
}

static bool has_arrived(const struct http_transfer *transfer)
{
    return is_handed_over(transfer) && socket_acknowledged(transfer);
}

static void tail_look_later(struct http_transfer *transfer)
{
    uint64_t pause_ms = transfer->tail.pause_ms < PAUSE_MOST_MS / 2 ? 2 * transfer->tail.pause_ms : PAUSE_MOST_MS;
    transfer->tail.pause_ms = transfer->tail.pause_ms == 0 ? PAUSE_FIRST_MS : pause_ms;
    transfer->tail.look_ms = clock_monotonic_us() / 1000 + transfer->tail.pause_ms;
    due_plan(transfer);
}

static bool is_in_time(const struct http_transfer *transfer)
{
    struct clock_reading now;
    clock_read(&now);
    return clock_elapsed_max(&transfer->start.tail_clock, &now) < transfer->start.tail_before_ms;
}

static void tail_keep(struct http_transfer *transfer)
{
    failure_set(transfer, OS_ERR_DEADLINE,
                "the connection is too slow: the body had %llu ms to arrive and did not, so the last bytes were not "
                "sent and the connection was reset",
                (unsigned long long)transfer->start.tail_before_ms);
    transfer->wire.aborting = true;
    transfer->tail.kept = true;
    transfer->tail.acknowledged_bytes =
        socket_acknowledged_bytes(transfer); /* libcurl closes it before the end is told */
}

bool tail_may_leave(struct http_transfer *transfer)
{
    bool arrived = has_arrived(transfer);
    if (!is_in_time(transfer)) {
        tail_keep(transfer);
        return false;
    }
    transfer->tail.state = arrived ? TAIL_LEFT : TAIL_WAITS;
    tail_look_later(transfer);
    if (!arrived)
        return false;
    if (transfer->start.late_segment_ms != 0)
        socket_user_timeout(transfer, transfer->start.late_segment_ms);
    transfer->tail.pause_ms = 0;
    return true;
}

bool tail_look(struct http_transfer *transfer)
{
    bool arrived = has_arrived(transfer);
    if (transfer->tail.state == TAIL_WAITS && (arrived || !is_in_time(transfer)))
        return true; /* body_read asks once more, and says what becomes of it */
    if (transfer->tail.state == TAIL_LEFT && arrived) {
        transfer->tail.state = TAIL_ACKNOWLEDGED;
        socket_user_timeout(transfer, transfer->start.user_timeout_ms);
        return false;
    }
    tail_look_later(transfer);
    return false;
}
