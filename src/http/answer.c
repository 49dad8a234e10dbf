/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer on its way in: libcurl's header lines and body pieces become a bounded http_response. Knows nothing of
 * sockets or of what the answer means; anything over a limit ends the request.
 */
#include "http/internal.h"

static size_t stop(struct http_transfer *transfer)
{
    transfer->aborting = true;
    return 0; /* anything but the number of bytes makes libcurl give up */
}

/* "HTTP/1.1 200 OK" begins an answer; an interim one (1xx) before it is forgotten. */
static bool begin_answer(struct http_transfer *transfer, struct text line)
{
    uint64_t status = 0;
    struct text version;
    if (!text_take_until(&line, ' ', &version)) {
        failure_set(transfer, OS_ERR_PROTOCOL, "the answer's first line has no status");
        return false;
    }
    if (!text_take_u64(&line, &status) || status < 100 || status > 999) {
        failure_set(transfer, OS_ERR_PROTOCOL, "the answer's status is not a number of three digits");
        return false;
    }
    if (transfer->response.status != 0 && ++transfer->interim_answers > INTERIM_ANSWERS_MAX) {
        failure_set(transfer, OS_ERR_PROTOCOL, "more than %d interim answers came", INTERIM_ANSWERS_MAX);
        return false;
    }
    http_headers_free(&transfer->response.headers);
    transfer->response.status = (int)status;
    return true;
}

static bool keep_header(struct http_transfer *transfer, struct text line)
{
    struct text name;
    if (text_take_until(&line, ':', &name) &&
        http_headers_add_text(&transfer->response.headers, name, text_trim(line))) {
        return true;
    }
    failure_set(transfer, OS_ERR_PROTOCOL, "the answer's headers are malformed, or more than %d or %d bytes",
                HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX);
    return false;
}

size_t answer_header(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * count;
    struct text line = text_trim(text_of(data, length));
    transfer->moved_ms = transfer->engine->now_ms;
    if (transfer->headers_whole) {
        return length; /* a trailer of a chunked body: nothing in them is of use */
    }
    bool good = true;
    if (text_starts(line, "HTTP/")) {
        good = begin_answer(transfer, line);
    } else if (line.len == 0) {
        transfer->headers_whole = transfer->response.status >= 200;
    } else {
        good = keep_header(transfer, line);
    }
    return good ? length : stop(transfer);
}

size_t answer_body(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * count;
    int status = transfer->response.status;
    if (transfer->cancelled) {
        return stop(transfer);
    }
    if (transfer->start.sink != NULL && status >= 200 && status < 300) {
        if (transfer->start.sink(transfer->start.sink_context, data, length) == 0) {
            return length;
        }
        failure_set(transfer, OS_ERR_STOPPED, "the receiver of the body stopped it");
        return stop(transfer);
    }
    if (buf_add(&transfer->response.body, data, length)) {
        return length;
    }
    failure_set(transfer, OS_ERR_PROTOCOL, "the answer's body is longer than %zu bytes, or memory is short",
                transfer->start.body_max);
    return stop(transfer);
}
