/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection with what was read from it ahead of need, plain or under TLS. Knows nothing of HTTP. For one thread.
 */
#ifndef OSCOMMIT_LAB_PROXY_STREAM_H
#define OSCOMMIT_LAB_PROXY_STREAM_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

struct proxy_stream {
    int fd; /* -1: closed */
    SSL *tls;
    char ahead[16384];
    size_t first; /* of what is in `ahead` and not taken */
    size_t last;
};

void stream_init(struct proxy_stream *stream, int fd);

/* Connects within ten seconds; `context` NULL: without TLS. The certificate must be the host's, and be vouched for. */
bool stream_connect(struct proxy_stream *ret, const char *host, const char *port, SSL_CTX *context);
void stream_close(struct proxy_stream *stream);
void stream_reset(struct proxy_stream *stream); /* closes so that the other side sees a reset */

bool stream_send(struct proxy_stream *stream, const void *data, size_t len);
/* Takes at least one byte and at most `most`. 0: the end, or an error. */
size_t stream_take(struct proxy_stream *stream, char *ret, size_t most);

/* Nothing was sent by the other side, and it has not hung up: fit for one more request. */
bool stream_is_idle(const struct proxy_stream *stream);

/* What makes streams to verified hosts; NULL: `ca_file` cannot be read, or no memory. NULL for the system's CAs. */
SSL_CTX *stream_tls_context(const char *ca_file);

#endif
