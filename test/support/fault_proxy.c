/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_proxy.h"

#include "support/fault_exchange.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void close_fd(int fd, bool reset)
{
    if (reset) {
        struct linger linger = {.l_onoff = 1, .l_linger = 0};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    }
    close(fd);
}

static void *serve(void *argument)
{
    struct fault_connection *connection = argument;
    struct fault_proxy *proxy = connection->proxy;
    enum fault_outcome outcome;
    do {
        outcome = fault_exchange(connection);
    } while (outcome == FAULT_GO_ON);
    pthread_mutex_lock(&proxy->mutex);
    int fd = connection->client.fd;
    connection->client.fd = -1;
    pthread_mutex_unlock(&proxy->mutex);
    close_fd(fd, outcome == FAULT_RESET_CLIENT);
    fault_stream_free(&connection->client);

    pthread_mutex_lock(&proxy->mutex);
    struct fault_connection **link = &proxy->connections;
    while (*link != connection)
        link = &(*link)->next;
    *link = connection->next;
    pthread_cond_broadcast(&proxy->ended);
    pthread_mutex_unlock(&proxy->mutex); /* from here on the proxy may be gone */
    free(connection);
    return NULL;
}

/* --------------------------------------------------------------------------------------------------- the proxy */

static void start_connection(struct fault_proxy *proxy, int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    struct fault_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        close(fd);
        return;
    }
    connection->proxy = proxy;
    connection->upstream_fd = -1;
    fault_stream_init(&connection->client, fd);
    pthread_mutex_lock(&proxy->mutex);
    connection->next = proxy->connections;
    proxy->connections = connection;
    pthread_mutex_unlock(&proxy->mutex);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, connection) == 0) {
        pthread_detach(thread);
        return;
    }
    pthread_mutex_lock(&proxy->mutex);
    proxy->connections = connection->next;
    pthread_mutex_unlock(&proxy->mutex);
    close(fd);
    free(connection);
}

static void *accept_all(void *argument)
{
    struct fault_proxy *proxy = argument;
    for (;;) {
        int fd = accept4(proxy->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            start_connection(proxy, fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            return NULL; /* the listening socket was shut down */
    }
}

static bool resolve(const char *url, struct fault_upstream *ret)
{
    const char *start = strncmp(url, "http://", 7) == 0 ? url + 7 : url;
    const char *colon = strrchr(start, ':');
    if (colon == NULL)
        return false;
    char host[256];
    char port[16];
    snprintf(host, sizeof(host), "%.*s", (int)(colon - start), start);
    snprintf(port, sizeof(port), "%.*s", (int)strcspn(colon + 1, "/"), colon + 1);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return false;
    memcpy(&ret->address, found->ai_addr, found->ai_addrlen);
    ret->len = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

static bool listen_on_free_port(struct fault_proxy *proxy)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    proxy->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (proxy->listen_fd < 0 || bind(proxy->listen_fd, (const struct sockaddr *)&address, len) != 0 ||
        listen(proxy->listen_fd, 256) != 0 || getsockname(proxy->listen_fd, (struct sockaddr *)&address, &len) != 0)
        return false;
    snprintf(proxy->url, sizeof(proxy->url), "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    return true;
}

static void destroy(struct fault_proxy *proxy)
{
    if (proxy->listen_fd >= 0)
        close(proxy->listen_fd);
    pthread_cond_destroy(&proxy->ended);
    pthread_mutex_destroy(&proxy->mutex);
    fault_book_destroy(&proxy->book);
    free(proxy);
}

struct fault_proxy *fault_proxy_start(const char *upstream)
{
    return fault_proxy_start_router(upstream, upstream);
}

struct fault_proxy *fault_proxy_start_router(const char *store, const char *ledger)
{
    struct fault_proxy *proxy = calloc(1, sizeof(*proxy));
    if (proxy == NULL || !fault_book_init(&proxy->book)) {
        free(proxy);
        return NULL;
    }
    pthread_mutex_init(&proxy->mutex, NULL);
    pthread_cond_init(&proxy->ended, NULL);
    proxy->listen_fd = -1;
    if (!resolve(store, &proxy->upstream) || !resolve(ledger, &proxy->ledger) || !listen_on_free_port(proxy) ||
        pthread_create(&proxy->accepter, NULL, accept_all, proxy) != 0) {
        destroy(proxy);
        return NULL;
    }
    return proxy;
}

void fault_proxy_stop(struct fault_proxy *proxy)
{
    if (proxy == NULL)
        return;
    fault_book_stop(&proxy->book);
    shutdown(proxy->listen_fd, SHUT_RDWR);
    pthread_join(proxy->accepter, NULL);
    pthread_mutex_lock(&proxy->mutex);
    proxy->stopping = true;
    for (struct fault_connection *connection = proxy->connections; connection != NULL; connection = connection->next) {
        if (connection->client.fd >= 0)
            shutdown(connection->client.fd, SHUT_RDWR);
        if (connection->upstream_fd >= 0)
            shutdown(connection->upstream_fd, SHUT_RDWR);
    }
    while (proxy->connections != NULL)
        pthread_cond_wait(&proxy->ended, &proxy->mutex);
    pthread_mutex_unlock(&proxy->mutex);
    destroy(proxy);
}

const char *fault_proxy_url(const struct fault_proxy *proxy)
{
    return proxy->url;
}

unsigned fault_proxy_add(struct fault_proxy *proxy, const struct fault_rule *rule)
{
    return fault_book_add(&proxy->book, rule);
}

void fault_proxy_remove(struct fault_proxy *proxy, unsigned id)
{
    fault_book_remove(&proxy->book, id);
}

void fault_proxy_clear(struct fault_proxy *proxy)
{
    fault_book_remove(&proxy->book, 0);
}

void fault_proxy_release(struct fault_proxy *proxy, unsigned id, enum fault_release how)
{
    fault_book_release(&proxy->book, id, how);
}

unsigned fault_proxy_hits(struct fault_proxy *proxy, unsigned id)
{
    return fault_book_hits(&proxy->book, id);
}

bool fault_proxy_wait_hits(struct fault_proxy *proxy, unsigned id, unsigned hits, unsigned timeout_ms)
{
    return fault_book_wait(&proxy->book, id, false, hits, timeout_ms);
}

bool fault_proxy_wait_finished(struct fault_proxy *proxy, unsigned id, unsigned count, unsigned timeout_ms)
{
    return fault_book_wait(&proxy->book, id, true, count, timeout_ms);
}

size_t fault_proxy_count(struct fault_proxy *proxy, const struct fault_match *match)
{
    return fault_book_count(&proxy->book, match);
}

bool fault_proxy_seen(struct fault_proxy *proxy, const struct fault_match *match, size_t index, struct fault_seen *ret)
{
    return fault_book_seen(&proxy->book, match, index, ret);
}

void fault_proxy_forget(struct fault_proxy *proxy)
{
    fault_book_forget(&proxy->book);
}
