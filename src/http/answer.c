/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer on its way in: libcurl's header lines and body pieces become a bounded http_response. Knows nothing of
 * sockets or of what the answer means; anything over a limit ends the request.
 */
#include "http/internal.h"

#include <string.h>

static size_t answer_stop(struct http_transfer *transfer)
{
    transfer->wire.aborting = true;
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
    if (transfer->answer.response.status != 0 && ++transfer->answer.interim_answers > INTERIM_ANSWERS_MAX) {
        failure_set(transfer, OS_ERR_PROTOCOL, "more than %d interim answers came", INTERIM_ANSWERS_MAX);
        return false;
    }
    http_headers_free(&transfer->answer.response.headers);
    transfer->answer.response.status = (int)status;
    return true;
}

static bool keep_header(struct http_transfer *transfer, struct text line)
{
    struct text name;
    if (text_take_until(&line, ':', &name) &&
        http_headers_add_text(&transfer->answer.response.headers, name, text_trim(line)))
        return true;
    failure_set(transfer, OS_ERR_PROTOCOL, "the answer's headers are malformed, or more than %d or %d bytes",
                HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX);
    return false;
}

static bool same_length_again(const struct http_headers *headers, size_t first)
{
    for (size_t i = first + 1; i < headers->count; i++) {
        const struct http_header *other = &headers->list[i];
        if (strcmp(other->name, "content-length") == 0 && strcmp(other->value, headers->list[first].value) != 0)
            return false;
    }
    return true;
}

/* What says where the body ends must say one thing (RFC 9112, section 6.3): else what follows on the connection is
 * taken for the answer to another request. */
static bool is_framed_soundly(const struct http_headers *headers)
{
    uint64_t length = 0;
    size_t at = 0;
    while (at < headers->count && strcmp(headers->list[at].name, "content-length") != 0)
        at++;
    if (at == headers->count)
        return true;
    bool readable = text_parse_u64(text_from(headers->list[at].value), &length) && length <= INT64_MAX;
    return readable && same_length_again(headers, at) && http_headers_get(headers, "transfer-encoding") == NULL;
}

static bool end_headers(struct http_transfer *transfer)
{
    const struct http_response *response = &transfer->answer.response;
    transfer->answer.headers_whole = response->status >= 200;
    if (!transfer->answer.headers_whole)
        return true;
    if (!is_framed_soundly(&response->headers)) {
        failure_set(transfer, OS_ERR_PROTOCOL, "the answer gives its length in two ways, or in no readable way");
        return false;
    }
    if (transfer->start.approve == NULL)
        return true;
    os_code code = transfer->start.approve(transfer->start.approve_context, response);
    if (code != OS_OK)
        failure_set(transfer, code, "the answer of %s was refused", transfer->start.request->host);
    return code == OS_OK;
}

/* Trailers of a chunked body: nothing in them is of use, but a server could send them for ever. */
static bool pass_trailer(struct http_transfer *transfer, size_t length)
{
    transfer->answer.trailer_bytes += length;
    if (++transfer->answer.trailers <= HTTP_HEADERS_MAX && transfer->answer.trailer_bytes <= HTTP_HEADERS_BYTES_MAX)
        return true;
    failure_set(transfer, OS_ERR_PROTOCOL, "more than %d trailers, or %d bytes of trailers, follow the answer's body",
                HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX);
    return false;
}

size_t answer_header(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * count;
    struct text line = text_trim(text_of(data, length));
    transfer->wire.moved_ms = clock_monotonic_us() / 1000;
    if (transfer->answer.headers_whole)
        return pass_trailer(transfer, length) ? length : answer_stop(transfer);
    bool good = true;
    if (text_starts(line, "HTTP/"))
        good = begin_answer(transfer, line);
    else if (line.len == 0)
        good = end_headers(transfer);
    else
        good = keep_header(transfer, line);
    return good ? length : answer_stop(transfer);
}

size_t answer_body(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *transfer = context;
    size_t length = size * count;
    int status = transfer->answer.response.status;
    if (transfer->cancelled)
        return answer_stop(transfer);
    if (transfer->start.sink != NULL && status >= 200 && status < 300) {
        if (transfer->start.sink(transfer->start.sink_context, data, length) == 0)
            return length;
        failure_set(transfer, OS_ERR_STOPPED, "the receiver of the body stopped it");
        return answer_stop(transfer);
    }
    if (buf_add(&transfer->answer.response.body, data, length))
        return length;
    failure_set(transfer, OS_ERR_PROTOCOL, "the answer's body is longer than %zu bytes, or memory is short",
                transfer->start.body_max);
    return answer_stop(transfer);
}
