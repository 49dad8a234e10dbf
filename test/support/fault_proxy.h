/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loopback HTTP/1.1 proxy that makes things go wrong on purpose. It forwards every request to one upstream, byte for
 * byte and with the Host header untouched, so that a signature made for the proxy's address stays valid for any server
 * that takes the Host it was signed with. Rules, added and removed while it runs, say which request meets which fault;
 * every request is remembered, so that a test can assert what was sent and not only what came of it.
 *
 * Stands on the core of the race's proxy (lab/proxy/core.h). One thread per connection; every request to the upstream has
 * a connection of its own, so that no fault spreads to the next one. All functions may be called from any thread. It must
 * know nothing of the library under test.
 */
#ifndef OSCOMMIT_TEST_FAULT_PROXY_H
#define OSCOMMIT_TEST_FAULT_PROXY_H

#include <stdbool.h>
#include <stddef.h>

struct fault_proxy;

/* `upstream` is "host:port" or "http://host:port". Listens on a free port of 127.0.0.1. NULL when that fails. */
struct fault_proxy *fault_proxy_start(const char *upstream);
/* The same in front of two servers: what has an x-amz-target goes to the ledger, the rest to the store. For clients
 * that know but one endpoint. */
struct fault_proxy *fault_proxy_start_router(const char *store, const char *ledger);
/* Ends every connection; held requests are discarded. Accepts NULL. */
void fault_proxy_stop(struct fault_proxy *proxy);
const char *fault_proxy_url(const struct fault_proxy *proxy); /* "http://127.0.0.1:PORT", borrowed */

/* Which requests are meant. NULL fields match everything; all given ones must hold. */
struct fault_match {
    const char *method;
    const char *path_contains;  /* of the path as sent, that is percent-encoded */
    const char *query_contains; /* of the query as sent */
    const char *target;         /* what x-amz-target ends with: "PutItem" */
    const char *has_header;
    const char *lacks_header;
    const char *body_contains; /* only for requests with an x-amz-target */
};

enum fault_action {
    FAULT_PASS,           /* forward; a rule that only counts, or only delays */
    FAULT_DROP_ANSWER,    /* forward, read the whole answer, reset the client's connection */
    FAULT_RESET,          /* reset the client's connection, forward nothing */
    FAULT_HOLD,           /* keep the request until the rule is released, whether or not the client is still there */
    FAULT_HOLD_ANSWER,    /* forward, keep the answer until the rule is released */
    FAULT_REPLAY,         /* forward twice, one after the other; the second answer goes to the client */
    FAULT_ANSWER,         /* answer with status, headers and body, forward nothing */
    FAULT_ANSWER_AFTER,   /* forward, throw the answer away, answer with status, headers and body */
    FAULT_CUT,            /* forward, pass on the answer's head and only the first `bytes` of its body, close */
    FAULT_CORRUPT_CRC,    /* forward, pass the answer on with an x-amz-crc32 that does not fit */
    FAULT_STRIP_REQUEST,  /* forward without `header` */
    FAULT_STRIP_ANSWER,   /* forward, pass the answer on without `header` */
    FAULT_STALL_UPSTREAM, /* take the whole body, pass on its first `bytes`, keep the rest until the rule is released */
    FAULT_STALL_CLIENT    /* take and pass on the first `bytes` of the body, read no more until the rule is released */
};

struct fault_rule {
    struct fault_match match;
    enum fault_action action;
    unsigned first;      /* the fault begins with the first-th request that matches [1] */
    unsigned times;      /* and meets so many [0: all] */
    unsigned delay_ms;   /* before anything else */
    int status;          /* ANSWER, ANSWER_AFTER */
    const char *headers; /* lines that end in "\r\n"; Date and Content-Length are added where they are missing */
    const char *body;
    const char *header; /* STRIP */
    size_t bytes;       /* CUT, STALL */
};

/* The first rule, in the order of adding, whose window is open decides. Strings are copied. Returns an id, 0 when out
 * of memory. */
unsigned fault_proxy_add(struct fault_proxy *proxy, const struct fault_rule *rule);
void fault_proxy_remove(struct fault_proxy *proxy,
                        unsigned id);              /* held requests are forwarded; the counts can still be read */
void fault_proxy_clear(struct fault_proxy *proxy); /* removes all */

enum fault_release { FAULT_FORWARD = 1, FAULT_DISCARD = 2 };
/* Lets go what the rule holds, now and from now on. */
void fault_proxy_release(struct fault_proxy *proxy, unsigned id, enum fault_release how);

unsigned fault_proxy_hits(struct fault_proxy *proxy, unsigned id);
/* Waits until the rule has met so many requests; false when the time is over first. Of a held request that means that
 * the whole of it is here, of a held answer that the upstream has given it. */
bool fault_proxy_wait_hits(struct fault_proxy *proxy, unsigned id, unsigned hits, unsigned timeout_ms);
/* The same for requests that the rule has done with: a held one has been let go and its answer read from the upstream.
 */
bool fault_proxy_wait_finished(struct fault_proxy *proxy, unsigned id, unsigned count, unsigned timeout_ms);

/* What was seen. `status` is what the client was told, `upstream_status` what the upstream said; 0: nothing. */
struct fault_seen {
    char *method;
    char *path;
    char *query;
    char *head; /* start line and headers */
    char *body; /* of requests with an x-amz-target; else "" */
    int status;
    int upstream_status;
    unsigned rule; /* that met it; 0: none */
};
size_t fault_proxy_count(struct fault_proxy *proxy, const struct fault_match *match);
/* A copy of the index-th request that matches, from 0; false when there are fewer. */
bool fault_proxy_seen(struct fault_proxy *proxy, const struct fault_match *match, size_t index, struct fault_seen *ret);
void fault_seen_free(struct fault_seen *seen);
/* Waits until the upstream has answered so many requests that match with this status. */
bool fault_proxy_wait_answered(struct fault_proxy *proxy, const struct fault_match *match, int upstream_status,
                               unsigned count, unsigned timeout_ms);
void fault_proxy_forget(struct fault_proxy *proxy); /* what was seen so far */

#endif
