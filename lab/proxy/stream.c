/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy/stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CONNECT_S = 10, IDLE_S = 90 };

static void stream_set_up(int fd)
{
    int on = 1;
    struct timeval idle = {.tv_sec = IDLE_S};

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
}

void stream_init(struct proxy_stream *stream, int fd)
{
    stream->fd = fd;
    stream->tls = NULL;
    stream->first = 0;
    stream->last = 0;
    if (fd >= 0)
        stream_set_up(fd);
}

void stream_close(struct proxy_stream *stream)
{
    SSL_free(stream->tls);
    stream->tls = NULL;
    if (stream->fd >= 0) {
        (void)close(stream->fd);
        stream->fd = -1;
    }
}

void stream_reset(struct proxy_stream *stream)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    if (stream->fd >= 0)
        (void)setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    stream_close(stream);
}

static int open_one(const struct addrinfo *address)
{
    struct timeval patience = {.tv_sec = CONNECT_S};
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)); /* holds for connect() too */
    if (connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* RFC 6066: no address is sent as the server's name. */
static bool is_address(const char *host)
{
    return strspn(host, "0123456789.") == strlen(host) || strchr(host, ':') != NULL;
}

static bool start_tls(struct proxy_stream *stream, const char *host, SSL_CTX *context)
{
    stream->tls = SSL_new(context);
    return stream->tls != NULL && (is_address(host) || SSL_set_tlsext_host_name(stream->tls, host) == 1) &&
           SSL_set1_host(stream->tls, host) == 1 && SSL_set_fd(stream->tls, stream->fd) == 1 &&
           SSL_connect(stream->tls) == 1;
}

bool stream_connect(struct proxy_stream *ret, const char *host, const char *port, SSL_CTX *context)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int fd = -1;

    stream_init(ret, -1);
    if (getaddrinfo(host, port, &hints, &list) != 0)
        return false;
    for (const struct addrinfo *at = list; at != NULL && fd < 0; at = at->ai_next)
        fd = open_one(at);
    freeaddrinfo(list);
    if (fd < 0)
        return false;
    stream_init(ret, fd);
    if (context != NULL && !start_tls(ret, host, context)) {
        stream_close(ret);
        return false;
    }
    return true;
}

bool stream_send(struct proxy_stream *stream, const void *data, size_t len)
{
    const char *next = data;

    if (stream->fd < 0)
        return false;
    while (len > 0) {
        ssize_t sent;
        if (stream->tls != NULL)
            sent = SSL_write(stream->tls, next, len < 65536 ? (int)len : 65536);
        else
            sent = send(stream->fd, next, len, MSG_NOSIGNAL);
        if (sent <= 0) {
            if (stream->tls == NULL && sent < 0 && errno == EINTR)
                continue;
            return false;
        }
        next += sent;
        len -= (size_t)sent;
    }
    return true;
}

/* 0: the end, or an error. */
static size_t receive(struct proxy_stream *stream)
{
    ssize_t got;

    do {
        got = stream->tls != NULL ? SSL_read(stream->tls, stream->ahead, (int)sizeof(stream->ahead))
                                  : recv(stream->fd, stream->ahead, sizeof(stream->ahead), 0);
    } while (stream->tls == NULL && got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

size_t stream_take(struct proxy_stream *stream, char *ret, size_t most)
{
    size_t len;

    if (stream->fd < 0 || most == 0)
        return 0;
    if (stream->first == stream->last) {
        stream->first = 0;
        stream->last = receive(stream);
    }
    len = stream->last - stream->first;
    len = len < most ? len : most;
    memcpy(ret, stream->ahead + stream->first, len);
    stream->first += len;
    return len;
}

bool stream_is_idle(const struct proxy_stream *stream)
{
    struct pollfd fd = {.fd = stream->fd, .events = POLLIN};

    return stream->fd >= 0 && stream->first == stream->last && (stream->tls == NULL || SSL_pending(stream->tls) == 0) &&
           poll(&fd, 1, 0) == 0;
}

SSL_CTX *stream_tls_context(const char *ca_file)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    bool good = context != NULL && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1;

    if (good) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        /* Tickets would come in between answers and make an idle connection look busy. */
        (void)SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        good = ca_file != NULL ? SSL_CTX_load_verify_locations(context, ca_file, NULL) == 1
                               : SSL_CTX_set_default_verify_paths(context) == 1;
    }
    if (!good) {
        SSL_CTX_free(context);
        return NULL;
    }
    return context;
}
