/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The race's proxy on loopback, which does harm where it is told to. It stands between a client and a service, forwards every
 * request byte for byte with the Host that was signed, so that signatures stay valid, and asks at each boundary of a
 * request what shall happen to it. Each port belongs to one lane, so that it is known whose request it is.
 *
 * A port has a fixed server; or it is an HTTP proxy ("GET http://host/path"), for clients that shall sign the real host
 * although they speak plain HTTP on loopback. In both cases the way to the server may be under TLS, which is verified.
 *
 * Knows HTTP as far as message.h, and nothing of S3, of DynamoDB or of races. One thread for each connection; hooks run
 * on these threads.
 */
#ifndef OSCOMMIT_LAB_PROXY_H
#define OSCOMMIT_LAB_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proxy_harm {
    PROXY_NONE,           /* forward, and give the answer */
    PROXY_HOLD_REQUEST,   /* forward after `hold_ms`, also when the client has gone by then */
    PROXY_HOLD_ANSWER,    /* give the answer after `hold_ms` */
    PROXY_DROP_ANSWER,    /* forward, throw the answer away, reset the client's connection */
    PROXY_DISCARD,        /* forward nothing, reset the client's connection */
    PROXY_LATE,           /* reset the client's connection, and forward after `hold_ms` */
    PROXY_TWICE,          /* forward, give the answer, and forward the same again after `hold_ms` */
    PROXY_ANSWER_INSTEAD, /* forward nothing, answer as given */
    PROXY_ANSWER_AFTER    /* forward, and answer as given, with the Date of the real answer */
};

struct proxy_fault {
    enum proxy_harm harm;
    unsigned kind; /* the asker's own, for `met` */
    uint32_t hold_ms;
    int status;       /* of an answer as given; 500 and so on */
    const char *type; /* its content type */
    const char *body;
};

/* Borrowed for the duration of a hook. */
struct proxy_request {
    unsigned lane;
    const char *method;
    const char *target;       /* path and query, as sent */
    const char *service_call; /* "PutItem"; empty: none is named */
    bool copies;
};

struct proxy_hooks {
    void *context;
    /* The whole request is here, and nothing of it is forwarded. `ret` is PROXY_NONE to begin with. */
    void (*arrived)(void *context, const struct proxy_request *request, struct proxy_fault *ret);
    /* The server has answered, and the client has not heard of it. */
    void (*answered)(void *context, const struct proxy_request *request);
    /* The client has been told. */
    void (*delivered)(void *context, const struct proxy_request *request);
    /* A fault is over, with its time on CLOCK_MONOTONIC. */
    void (*met)(void *context, const struct proxy_request *request, const struct proxy_fault *fault, uint64_t start_us,
                uint64_t end_us);
};

/* Where a port's requests go. */
struct proxy_target {
    char host[256]; /* empty: the port is an HTTP proxy, and each request says where */
    char port[8];
    bool tls;        /* of requests that name no service call */
    bool ledger_tls; /* of those that do (x-amz-target); the same for a fixed server */
};

struct proxy;

/* NULL: no memory, or the CA file cannot be used. */
struct proxy *proxy_new(const struct proxy_hooks *hooks, const char *ca_file);
/* The port's number on 127.0.0.1; 0: errno says why there is none. Before proxy_run. */
unsigned proxy_listen(struct proxy *proxy, unsigned lane, const struct proxy_target *target);
bool proxy_run(struct proxy *proxy); /* false: errno */
/* What is held is forwarded now, and has been answered when this returns. */
void proxy_drain(struct proxy *proxy);
void proxy_free(struct proxy *proxy); /* ends every connection; NULL is fine */

#endif
