/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every proxy that does harm is made of: ports, connections, and the parts of an exchange. What is done with an
 * exchange is another's: the race's faults are in harm.c, those of the tests in test/support/fault_actions.c.
 */
#ifndef OSCOMMIT_LAB_PROXY_CORE_H
#define OSCOMMIT_LAB_PROXY_CORE_H

#include "proxy/message.h"
#include "proxy/proxy.h"
#include "proxy/stream.h"

#include <pthread.h>
#include <time.h>

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
    bool linked;           /* proxy_free may shut both sockets down; below the proxy's mutex, as what follows */
    int server_fd;
    struct proxy_connection *next;
    struct proxy_connection *previous;
};

/* One request, and what came of it. */
struct proxy_exchange {
    struct proxy_connection *connection;
    struct proxy_message request;
    struct proxy_message answer;
    bool answer_given; /* all of it was sent to the client */
};

/* Does with a request what shall be done. False: the connection is at its end. */
typedef bool (*proxy_serve_fn)(struct proxy_exchange *exchange);

struct proxy {
    proxy_serve_fn serve;
    void *context; /* of `serve` */
    struct proxy_hooks hooks;
    SSL_CTX *tls; /* NULL: no server is under TLS */
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

/* Where a request goes. */
struct proxy_place {
    char host[256];
    char port[8];
    bool tls;
};

struct proxy *proxy_open(proxy_serve_fn serve, void *context);

/* --------------------------------------------------------------- the parts of an exchange: false, it went wrong */

bool exchange_read_head(struct proxy_exchange *exchange);
/* Asks the client for the body if it wants that, and reads up to `most` bytes more of it (all of a chunked one). */
bool exchange_read_body(struct proxy_exchange *exchange, size_t most);

/* Sends the request, once, and reads its answer. */
bool exchange_forward(struct proxy_exchange *exchange, const struct proxy_place *place);
/* The same in three steps. */
bool exchange_open_server(struct proxy_connection *connection, const struct proxy_place *place);
bool exchange_send_part(struct proxy_exchange *exchange, size_t from, size_t to);
bool exchange_read_answer(struct proxy_exchange *exchange);
void exchange_close_server(struct proxy_connection *connection);

/* Tell the client, and say whether it may send another request. */
bool exchange_give_answer(struct proxy_exchange *exchange);
/* `headers` are lines that end in CR LF; with the length of `body`, where they name none. */
bool exchange_give_made_up(struct proxy_exchange *exchange, int status, const char *headers, const char *body);
/* False, always: for what ends the exchange. */
bool exchange_reset_client(struct proxy_exchange *exchange);

/* ------------------------------------------------------------------------------------------------------- threads */

uint64_t proxy_now_us(void);
struct timespec proxy_time_after(uint32_t ms); /* for waiting on `changed` */

/* Reads and serves one request. False: the connection is at its end. */
bool proxy_exchange(struct proxy_connection *connection);

/* proxy_free ends what is linked. */
void proxy_link(struct proxy *proxy, struct proxy_connection *connection);

/* Before the client's socket is closed: its number may be another's right afterwards. Twice is fine. */
void proxy_unlink(struct proxy_connection *connection);
/* The server's socket, or -1 before it is closed. */
void proxy_note_server(struct proxy_connection *connection, int fd);

/* Waits so long, or until the proxy is drained or stopped. */
void proxy_hold(struct proxy *proxy, uint32_t hold_ms);

/* Around whatever proxy_drain has to wait for. */
void proxy_held(struct proxy *proxy, int change);

/* Runs `body` on a thread of its own, which proxy_free waits for. False: it could not be started. */
bool proxy_start_thread(struct proxy *proxy, void *(*body)(void *context), void *context);
void proxy_thread_ends(struct proxy *proxy);

#endif
