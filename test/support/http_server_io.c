/* SPDX-License-Identifier: Apache-2.0 */
#include "support/http_server_io.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct http_server_tls {
    SSL_CTX *context;
    char ca_file[64];
};

static void die_tls(const char *what)
{
    (void)fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    abort();
}

/* Self-signed, for one name, valid for a day. */
static X509 *make_certificate(EVP_PKEY *key, const char *name)
{
    struct in_addr address;
    char alternative[256];
    X509 *certificate = X509_new();
    X509_NAME *subject = X509_get_subject_name(certificate);
    bool ok = X509_set_version(certificate, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
              X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
              X509_gmtime_adj(X509_getm_notAfter(certificate), 86400) != NULL &&
              X509_set_pubkey(certificate, key) == 1 &&
              X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0) == 1 &&
              X509_set_issuer_name(certificate, subject) == 1;
    bool is_address = inet_pton(AF_INET, name, &address) == 1;
    (void)snprintf(alternative, sizeof(alternative), "%s:%s", is_address ? "IP" : "DNS", name);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alternative);
    ok = ok && extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    if (!ok || X509_sign(certificate, key, EVP_sha256()) == 0)
        die_tls("the test server cannot make a certificate");
    return certificate;
}

static void write_pem(struct http_server_tls *tls, X509 *certificate)
{
    (void)snprintf(tls->ca_file, sizeof(tls->ca_file), "/tmp/oscommit-test-ca-XXXXXX");
    int fd = mkstemp(tls->ca_file);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL || PEM_write_X509(file, certificate) != 1 || fclose(file) != 0)
        die_tls("the test server cannot write its certificate");
}

struct http_server_tls *http_server_tls_new(const char *name)
{
    struct http_server_tls *tls = calloc(1, sizeof(*tls));
    EVP_PKEY *key = EVP_EC_gen("P-256");
    if (tls == NULL || key == NULL)
        die_tls("the test server cannot make a key");
    X509 *certificate = make_certificate(key, name);
    tls->context = SSL_CTX_new(TLS_server_method());
    if (tls->context == NULL || SSL_CTX_use_certificate(tls->context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey(tls->context, key) != 1)
        die_tls("the test server cannot use its certificate");
    write_pem(tls, certificate);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return tls;
}

void http_server_tls_free(struct http_server_tls *tls)
{
    if (tls != NULL) {
        (void)unlink(tls->ca_file);
        SSL_CTX_free(tls->context);
        free(tls);
    }
}

const char *http_server_tls_ca_file(const struct http_server_tls *tls)
{
    return tls->ca_file;
}

bool http_server_io_begin(struct http_server_io *io, struct http_server_tls *tls)
{
    if (tls == NULL)
        return true;
    io->ssl = SSL_new(tls->context);
    return io->ssl != NULL && SSL_set_fd(io->ssl, io->fd) == 1 && SSL_accept(io->ssl) == 1;
}

bool http_server_io_wait(struct http_server_io *io)
{
    char byte;
    if (io->ssl != NULL)
        return SSL_peek(io->ssl, &byte, 1) == 1;
    ssize_t got = 0;
    do {
        got = recv(io->fd, &byte, 1, MSG_PEEK);
    } while (got < 0 && errno == EINTR);
    return got == 1;
}

/* Waits for it. 0, or -1 with errno. */
static ssize_t tcp_end(int fd)
{
    char byte;
    ssize_t got = 0;
    do {
        got = recv(fd, &byte, 1, MSG_PEEK);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? -1 : 0;
}

ssize_t http_server_io_read(struct http_server_io *io, void *ret, size_t size)
{
    ssize_t got = 0;
    if (io->ssl == NULL) {
        do {
            got = recv(io->fd, ret, size, 0);
        } while (got < 0 && errno == EINTR);
        return got;
    }
    errno = 0;
    got = SSL_read(io->ssl, ret, (int)size);
    if (got > 0)
        return got;
    int why = SSL_get_error(io->ssl, (int)got);
    if (why == SSL_ERROR_ZERO_RETURN) /* a farewell of TLS, behind which the connection is closed or reset */
        return tcp_end(io->fd);
    return why == SSL_ERROR_SYSCALL && errno != 0 ? -1 : 0;
}

bool http_server_io_write(struct http_server_io *io, const void *data, size_t size)
{
    if (io->ssl != NULL)
        return SSL_write(io->ssl, data, (int)size) == (int)size;
    size_t sent = 0;
    while (sent < size) {
        ssize_t n = send(io->fd, (const char *)data + sent, size - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

void http_server_io_reset(struct http_server_io *io)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(io->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    SSL_free(io->ssl); /* no farewell */
    io->ssl = NULL;
}

void http_server_io_close(struct http_server_io *io)
{
    if (io->ssl != NULL) {
        (void)SSL_shutdown(io->ssl);
        SSL_free(io->ssl);
        io->ssl = NULL;
    }
    (void)close(io->fd);
    io->fd = -1;
}
