/* SPDX-License-Identifier: Apache-2.0 */
/* TLS of the stub, from OpenSSL, on sockets that do not block. */
#ifndef BENCH_TLS_H
#define BENCH_TLS_H

#include "message.h"

#include <openssl/ssl.h>

/* Files of PEM. NULL: they cannot be read, which is said on standard error. */
SSL_CTX *tls_context(const char *certificate_file, const char *key_file);
/* Of a connection that was accepted; the handshake is made by the first reads. NULL: no memory. */
SSL *tls_accepted(SSL_CTX *context, int fd);

/* As socket_read and socket_write. */
bool tls_read(SSL *ssl, struct bytes *bytes);
bool tls_write(SSL *ssl, struct bytes *bytes);

#endif
