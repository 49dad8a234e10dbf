/* SPDX-License-Identifier: Apache-2.0 */
#include "support/http_server_request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MAX = 256 << 10, BODY_MAX = 64 << 20 };

void *http_server_allocate(size_t size)
{
    void *block = calloc(1, size);
    if (block == NULL) {
        perror("calloc");
        abort();
    }
    return block;
}

/* Reads one more piece into *data; false at the end, with record->end_errno. */
static bool read_more(struct http_server_io *io, struct http_server_record *record, struct buf *data)
{
    char piece[16384];
    ssize_t got = http_server_io_read(io, piece, sizeof(piece));
    if (got <= 0) {
        record->end_errno = got < 0 ? errno : 0;
        return false;
    }
    record->bytes += (size_t)got;
    if (!buf_add(data, piece, (size_t)got)) {
        (void)fprintf(stderr, "a request is larger than the test server takes\n");
        abort();
    }
    return true;
}

static void parse_head(struct http_server_record *record, struct text head)
{
    struct text line;
    struct text word;
    if (text_take_until(&head, '\n', &line) && text_take_until(&line, ' ', &word)) {
        record->method = strndup(word.p, word.len);
        if (text_take_until(&line, ' ', &word))
            record->target = strndup(word.p, word.len);
    }
    while (text_take_until(&head, '\n', &line))
        if (text_take_until(&line, ':', &word))
            (void)http_headers_add_text(&record->headers, word, text_trim(line));
}

static uint64_t promised_length(const struct http_server_record *record)
{
    uint64_t length = 0;
    const char *value = http_headers_get(&record->headers, "content-length");
    (void)(value != NULL && text_parse_u64(text_from(value), &length));
    return length;
}

/* Reads one request; false when the connection ended within it. */
bool http_server_read_request(struct http_server_io *io, struct http_server_record *record, bool with_body)
{
    struct buf data;
    const char *end = NULL;
    buf_init(&data, HEAD_MAX + BODY_MAX);
    while (end == NULL && read_more(io, record, &data))
        end = memmem(data.data, data.len, "\r\n\r\n", 4);
    if (end == NULL) {
        buf_free(&data);
        return false;
    }
    size_t head = (size_t)(end - data.data) + 4;
    parse_head(record, text_of(data.data, head));
    uint64_t length = promised_length(record);
    bool open = true;
    while (with_body && open && data.len - head < length)
        open = read_more(io, record, &data);
    record->body_length = data.len - head;
    record->body = http_server_allocate(record->body_length + 1);
    memcpy(record->body, data.data + head, record->body_length);
    record->whole = record->body_length >= length;
    buf_free(&data);
    return open;
}

void http_server_read_rest(struct http_server_io *io, struct http_server_record *record)
{
    struct buf rest;
    buf_init(&rest, BODY_MAX);
    while (read_more(io, record, &rest)) {
    }
    if (record->headers.count > 0 && rest.len > 0) {
        size_t length = record->body_length + rest.len;
        char *body = http_server_allocate(length + 1);
        memcpy(body, record->body, record->body_length);
        memcpy(body + record->body_length, rest.data, rest.len);
        free(record->body);
        record->body = body;
        record->body_length = length;
    }
    record->whole = record->headers.count > 0 && record->body_length >= promised_length(record);
    buf_free(&rest);
}

void http_server_record_free(struct http_server_record *record)
{
    free(record->method);
    free(record->target);
    http_headers_free(&record->headers);
    free(record->body);
    free(record);
}
