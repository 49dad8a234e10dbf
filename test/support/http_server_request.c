/* SPDX-License-Identifier: Apache-2.0 */
#include "support/http_server_request.h"

#include "proxy/head.h"

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

/* A test that looks for a header would not find it in a line that a lenient server takes in another way. */
static void refuse_malformed(struct head_text line)
{
    (void)fprintf(stderr, "a request has a line that no server would take: %.*s\n", (int)line.len, line.p);
    abort();
}

static void parse_head(struct http_server_record *record, struct head_text head)
{
    struct head_text line;
    struct head_text method;
    struct head_text target;
    struct head_field field;
    struct head_framing framing = {0};
    if (head_take_line(&head, &line) && head_read_request_line(line, &method, &target)) {
        record->method = strndup(method.p, method.len);
        record->target = strndup(target.p, target.len);
    }
    while (head.len > 0) {
        if (!head_take_line(&head, &line))
            refuse_malformed(head);
        if (line.len == 0)
            break;
        if (!head_read_field(line, &field) || !head_note_framing(&field, &framing))
            refuse_malformed(line);
        (void)http_headers_add_text(&record->headers, text_of(field.name.p, field.name.len),
                                    text_of(field.value.p, field.value.len));
    }
    record->promised = framing.length;
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
    parse_head(record, (struct head_text){data.data, head});
    bool open = true;
    while (with_body && open && data.len - head < record->promised)
        open = read_more(io, record, &data);
    record->body_length = data.len - head;
    record->body = http_server_allocate(record->body_length + 1);
    memcpy(record->body, data.data + head, record->body_length);
    record->whole = record->body_length >= record->promised;
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
    record->whole = record->headers.count > 0 && record->body_length >= record->promised;
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
