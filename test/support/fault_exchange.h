/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request on its way through the fault proxy: read, matched, met by its fault, answered. Private to the proxy.
 */
#ifndef OSCOMMIT_TEST_FAULT_EXCHANGE_H
#define OSCOMMIT_TEST_FAULT_EXCHANGE_H

#include "support/fault_message.h"
#include "support/fault_rules.h"

#include <pthread.h>
#include <sys/socket.h>

struct fault_connection {
    struct fault_connection *next;
    struct fault_proxy *proxy;
    struct fault_stream client;
    int upstream_fd; /* -1: none at the moment */
};

struct fault_upstream {
    struct sockaddr_storage address;
    socklen_t len;
};

struct fault_proxy {
    struct fault_book book;
    int listen_fd;
    pthread_t accepter;
    char url[64];
    struct fault_upstream upstream;
    struct fault_upstream ledger; /* of a router: where requests with an x-amz-target go; else the same again */
    pthread_mutex_t mutex;        /* of what follows */
    pthread_cond_t ended;
    struct fault_connection *connections;
    bool stopping;
};

enum fault_outcome { FAULT_GO_ON, FAULT_CLOSE_CLIENT, FAULT_RESET_CLIENT };

/* Reads one request from the client and does with it what its rule says. */
enum fault_outcome fault_exchange(struct fault_connection *connection);

#endif
