/* SPDX-License-Identifier: Apache-2.0 */
/* The ports, who is served there, and how that ends. */
#include "proxy/core.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct proxy *proxy_open(proxy_serve_fn serve, void *context)
{
    struct proxy *proxy = calloc(1, sizeof(*proxy));
    pthread_condattr_t attributes;

    if (proxy == NULL)
        return NULL;
    proxy->serve = serve;
    proxy->context = context;
    (void)pthread_mutex_init(&proxy->mutex, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&proxy->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    proxy->port = calloc(PROXY_PORTS_MAX, sizeof(proxy->port[0]));
    proxy->wake = eventfd(0, EFD_CLOEXEC);
    if (proxy->port == NULL || proxy->wake < 0) {
        proxy_free(proxy);
        return NULL;
    }
    return proxy;
}

unsigned proxy_listen(struct proxy *proxy, unsigned lane, const struct proxy_target *target)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    struct proxy_port *port = &proxy->port[proxy->port_count];
    int fd;

    if (proxy->port_count == PROXY_PORTS_MAX) {
        errno = EMFILE;
        return 0;
    }
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    if (bind(fd, (const struct sockaddr *)&address, len) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        int failure = errno;
        (void)close(fd);
        errno = failure;
        return 0;
    }
    *port = (struct proxy_port){.fd = fd, .lane = lane, .target = *target};
    proxy->port_count++;
    return ntohs(address.sin_port);
}

/* ------------------------------------------------------------------------------------------------ connections */

static void *serve_connection(void *context)
{
    struct proxy_connection *connection = context;
    struct proxy *proxy = connection->proxy;
    bool stopping = false;

    while (!stopping && proxy_exchange(connection)) {
        (void)pthread_mutex_lock(&proxy->mutex);
        stopping = proxy->stopping;
        (void)pthread_mutex_unlock(&proxy->mutex);
    }
    proxy_unlink(connection);
    stream_close(&connection->client);
    stream_close(&connection->server);
    free(connection);
    OPENSSL_thread_stop();
    proxy_thread_ends(proxy);
    return NULL;
}

static void take_connection(struct proxy *proxy, const struct proxy_port *port)
{
    int fd = accept4(port->fd, NULL, NULL, SOCK_CLOEXEC);
    struct proxy_connection *connection = fd < 0 ? NULL : calloc(1, sizeof(*connection));

    if (connection == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    connection->proxy = proxy;
    connection->port = port;
    connection->server_fd = -1;
    stream_init(&connection->client, fd);
    stream_init(&connection->server, -1);
    proxy_link(proxy, connection);
    if (!proxy_start_thread(proxy, serve_connection, connection)) {
        proxy_unlink(connection);
        stream_close(&connection->client);
        free(connection);
    }
}

static void *accept_all(void *context)
{
    struct proxy *proxy = context;
    struct pollfd *fds = calloc(proxy->port_count + 1, sizeof(fds[0]));

    if (fds == NULL)
        return NULL;
    for (size_t i = 0; i < proxy->port_count; i++)
        fds[i] = (struct pollfd){.fd = proxy->port[i].fd, .events = POLLIN};
    fds[proxy->port_count] = (struct pollfd){.fd = proxy->wake, .events = POLLIN};
    while (fds[proxy->port_count].revents == 0) {
        if (poll(fds, proxy->port_count + 1, -1) < 0)
            continue;
        for (size_t i = 0; i < proxy->port_count; i++)
            if (fds[i].revents != 0)
                take_connection(proxy, &proxy->port[i]);
    }
    free(fds);
    return NULL;
}

bool proxy_run(struct proxy *proxy)
{
    sigset_t all;
    sigset_t before;
    int failure;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    failure = pthread_create(&proxy->acceptor, NULL, accept_all, proxy);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    proxy->accepting = failure == 0;
    errno = failure;
    return proxy->accepting;
}

/* ------------------------------------------------------------------------------------------------ the end */

void proxy_drain(struct proxy *proxy)
{
    (void)pthread_mutex_lock(&proxy->mutex);
    proxy->draining = true;
    (void)pthread_cond_broadcast(&proxy->changed);
    while (proxy->held > 0)
        (void)pthread_cond_wait(&proxy->changed, &proxy->mutex);
    proxy->draining = false;
    (void)pthread_mutex_unlock(&proxy->mutex);
}

static void end_connections(struct proxy *proxy)
{
    (void)pthread_mutex_lock(&proxy->mutex);
    proxy->stopping = true;
    (void)pthread_cond_broadcast(&proxy->changed);
    for (const struct proxy_connection *at = proxy->first; at != NULL; at = at->next) {
        (void)shutdown(at->client.fd, SHUT_RDWR);
        if (at->server_fd >= 0)
            (void)shutdown(at->server_fd, SHUT_RDWR);
    }
    while (proxy->threads > 0)
        (void)pthread_cond_wait(&proxy->changed, &proxy->mutex);
    (void)pthread_mutex_unlock(&proxy->mutex);
}

void proxy_free(struct proxy *proxy)
{
    uint64_t one = 1;

    if (proxy == NULL)
        return;
    if (proxy->accepting && write(proxy->wake, &one, sizeof(one)) == (ssize_t)sizeof(one))
        (void)pthread_join(proxy->acceptor, NULL);
    end_connections(proxy);
    for (size_t i = 0; i < proxy->port_count; i++)
        (void)close(proxy->port[i].fd);
    if (proxy->wake >= 0)
        (void)close(proxy->wake);
    free(proxy->port);
    SSL_CTX_free(proxy->tls);
    (void)pthread_cond_destroy(&proxy->changed);
    (void)pthread_mutex_destroy(&proxy->mutex);
    free(proxy);
}
