/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one connection of the test server, in the clear or over TLS with a certificate made on the spot. */
#ifndef OSCOMMIT_TEST_HTTP_SERVER_IO_H
#define OSCOMMIT_TEST_HTTP_SERVER_IO_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct http_server_tls;

struct http_server_tls *http_server_tls_new(const char *name); /* ends the program when it cannot */
void http_server_tls_free(struct http_server_tls *tls);        /* NULL is fine */
const char *http_server_tls_ca_file(const struct http_server_tls *tls);

struct http_server_io {
    int fd;
    SSL *ssl; /* NULL: in the clear */
};

bool http_server_io_begin(struct http_server_io *io, struct http_server_tls *tls); /* the handshake, if any */
bool http_server_io_wait(struct http_server_io *io); /* until a byte is there; false at the end */
ssize_t http_server_io_read(struct http_server_io *io, void *ret, size_t size); /* as read(2) */
bool http_server_io_write(struct http_server_io *io, const void *data, size_t size);
void http_server_io_reset(struct http_server_io *io); /* the close to come is a reset */
void http_server_io_close(struct http_server_io *io);

#endif
