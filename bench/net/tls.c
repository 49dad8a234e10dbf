/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <openssl/err.h>
#include <stdio.h>

enum { RECORD_BYTES = 16384 };

SSL_CTX *tls_context(const char *certificate_file, const char *key_file)
{
    static const unsigned char id[] = "bench_stub";
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (context == NULL || SSL_CTX_use_certificate_chain_file(context, certificate_file) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key_file, SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_id_context(context, id, sizeof(id) - 1);
    return context;
}

SSL *tls_accepted(SSL_CTX *context, int fd)
{
    SSL *ssl = SSL_new(context);
    if (ssl == NULL || SSL_set_fd(ssl, fd) != 1) {
        SSL_free(ssl);
        return NULL;
    }
    SSL_set_accept_state(ssl);
    return ssl;
}

/* A handshake on loopback never has more to send than a socket takes. */
static bool waits(SSL *ssl, int result)
{
    int error = SSL_get_error(ssl, result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

bool tls_read(SSL *ssl, struct bytes *bytes)
{
    char record[RECORD_BYTES];
    int got = 0;
    while ((got = SSL_read(ssl, record, sizeof(record))) > 0)
        bytes_add(bytes, record, (size_t)got);
    return waits(ssl, got);
}

bool tls_write(SSL *ssl, struct bytes *bytes)
{
    if (bytes->len == 0)
        return true;
    int sent = SSL_write(ssl, bytes->p, (int)bytes->len);
    if (sent <= 0)
        return waits(ssl, sent);
    bytes_drop(bytes, (size_t)sent);
    return true;
}
