/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads HTTP/1.1 messages from a socket and keeps them byte for byte, understanding no more of them than where they end
 * and what the fault proxy matches on. Knows nothing of rules, of S3 or of DynamoDB.
 */
#ifndef OSCOMMIT_TEST_FAULT_MESSAGE_H
#define OSCOMMIT_TEST_FAULT_MESSAGE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAULT_HEAD_MAX = 1 << 17, FAULT_BODY_MAX = 1 << 28, FAULT_METHOD_SIZE = 16 };

/* A socket and the bytes that were read from it ahead of need. */
struct fault_stream {
    int fd;
    struct buf ahead;
};

void fault_stream_init(struct fault_stream *stream, int fd);
void fault_stream_free(struct fault_stream *stream); /* leaves the socket open */

/* Sends all of it; false when the other side is gone. */
bool fault_send(int fd, const void *data, size_t len);

/* A request or an answer as it came: `head` is the start line and the headers with the empty line behind them. */
struct fault_message {
    struct buf head;
    struct buf body;                /* of an answer: with its chunk framing, if it has one */
    char method[FAULT_METHOD_SIZE]; /* of a request */
    char *path;                     /* of a request, as sent */
    char *query;                    /* of a request, as sent, without '?'; "" if there is none */
    int status;                     /* of an answer */
    uint64_t length;                /* content-length; of a request without one: 0 */
    bool has_length;
    bool chunked;
    bool expects_continue;
};

void fault_message_init(struct fault_message *message);
void fault_message_free(struct fault_message *message);

bool fault_read_request_head(struct fault_stream *stream, struct fault_message *ret);
/* Appends up to `count` bytes of the request's body, fewer only where the body ends. */
bool fault_read_request_body(struct fault_stream *stream, struct fault_message *request, size_t count);
/* The whole final answer to `method`; 1xx answers before it are passed over. */
bool fault_read_answer(struct fault_stream *stream, const char *method, struct fault_message *ret);

/* The value of the first header of that name (any case), malloc'ed; NULL when there is none. */
char *fault_header(const struct buf *head, const char *name);
/* The head without its headers of that name; with `value`, one header of that name and value at the end. */
bool fault_set_header(struct buf *head, const char *name, const char *value);

#endif
