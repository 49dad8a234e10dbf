/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 messages, kept byte for byte, understood no further than where they end and who is meant by them. Bounded:
 * a head of 64 KiB, a line of 16 KiB in a chunked body, a message of 256 MiB; memory is taken as the bytes come.
 */
#ifndef OSCOMMIT_LAB_PROXY_MESSAGE_H
#define OSCOMMIT_LAB_PROXY_MESSAGE_H

#include "proxy/head.h"
#include "proxy/stream.h"

#include <stdint.h>

enum {
    MESSAGE_HEAD_MAX = 64 * 1024,
    MESSAGE_LINE_MAX = 16 * 1024,
    MESSAGE_MAX = 256 * 1024 * 1024,
    MESSAGE_TARGET_MAX = 8 * 1024
};

struct proxy_message {
    char *data; /* the message as it came; a request in absolute form has lost "http://HOST" by then */
    size_t len;
    size_t room;
    size_t head_len; /* with the empty line */

    char method[16];                 /* of a request */
    char target[MESSAGE_TARGET_MAX]; /* path and query */
    char authority[300];             /* of the absolute form; else empty */
    char service_call[64];           /* behind the last dot of x-amz-target: "PutItem"; empty: none */
    char date[64];
    int status;  /* of an answer */
    bool copies; /* x-amz-copy-source */
    struct head_framing framing;
};

void message_init(struct proxy_message *message);
void message_free(struct proxy_message *message);

/* False: the end, or nothing that can be read as a request. */
bool message_read_request_head(struct proxy_stream *stream, struct proxy_message *ret);
/* Up to `most` bytes more, fewer only where the body ends; all of a chunked one. */
bool message_read_request_body(struct proxy_stream *stream, struct proxy_message *request, size_t most);

/* The final answer to `method`, whole; those before it (1xx) are passed over. */
bool message_read_answer(struct proxy_stream *stream, const char *method, struct proxy_message *ret);

/* The end of an answer to `method` can be told from the bytes themselves. */
bool message_is_delimited(const struct proxy_message *answer, const char *method);

#endif
