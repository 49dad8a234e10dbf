/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the proxy share. */
#ifndef OSCOMMIT_LAB_PROXY_INTERNAL_H
#define OSCOMMIT_LAB_PROXY_INTERNAL_H

#include "proxy/message.h"
#include "proxy/proxy.h"
#include "proxy/stream.h"

#include <pthread.h>

enum { PROXY_PORTS_MAX = 1024 };

struct proxy_port {
    int fd;
    unsigned lane;
    struct proxy_target target;
};

/* A connection of a client, and the one to the server that goes with it. */
struct proxy_connection {
    struct proxy *proxy;
    const struct proxy_port *port;
    struct proxy_stream client;
    struct proxy_stream server;
    char server_name[300]; /* "host:port" of `server` */
    bool linked;           /* proxy_free may shut the client's socket down */
    struct proxy_connection *next;
    struct proxy_connection *previous;
};

struct proxy {
    struct proxy_hooks hooks;
    SSL_CTX *tls;
    struct proxy_port *port;
    size_t port_count;
    int wake; /* eventfd: the acceptor ends */
    pthread_t acceptor;
    bool accepting;

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct proxy_connection *first;
    unsigned threads; /* of connections and of late deliveries */
    unsigned held;    /* requests that are held, or are delivered late */
    bool draining;
    bool stopping;
};

uint64_t proxy_now_us(void);

/* exchange.c: serves one request. False: the connection is at its end. */
bool proxy_exchange(struct proxy_connection *connection);

/* proxy_free ends what is linked. */
void proxy_link(struct proxy *proxy, struct proxy_connection *connection);

/* Before the client's socket is closed: its number may be another's right afterwards. Twice is fine. */
void proxy_unlink(struct proxy_connection *connection);

/* Waits so long, or until the proxy is drained or stopped. */
void proxy_hold(struct proxy *proxy, uint32_t hold_ms);

/* Around whatever proxy_drain has to wait for. */
void proxy_held(struct proxy *proxy, int change);

/* Runs `body` on a thread of its own, which proxy_free waits for. False: it could not be started. */
bool proxy_start_thread(struct proxy *proxy, void *(*body)(void *context), void *context);
void proxy_thread_ends(struct proxy *proxy);

#endif
