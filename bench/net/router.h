/* SPDX-License-Identifier: Apache-2.0 */
/* One endpoint for a store and a ledger that makes each request later by a given time, and counts. */
#ifndef BENCH_ROUTER_H
#define BENCH_ROUTER_H

#include "message.h"

#include <stdint.h>

/* What may happen to the next requests of a kind. */
enum fault_kind {
    FAULT_NONE,
    FAULT_ANSWER_503,  /* answered by 503, and not sent on */
    FAULT_HOLD,        /* not sent on; forgotten when the client goes away */
    FAULT_HOLD_ANSWER, /* sent on; its answer is kept for a while */
};

struct fault {
    enum fault_kind kind;
    char request[24]; /* as the counts name it */
    uint64_t hold_us;
    unsigned times;
    unsigned met;
};

/* Longest chain of requests each of which was sent after the one before it was answered: with one client that does one
 * thing after the other, its round trips. */
struct trips {
    unsigned done;
    unsigned resets; /* what was under way at a reset does not count after it */
};

extern uint64_t router_delay_us;
extern struct fault router_fault;
extern struct trips router_trips;

/* "PUT", "COPY", "PutItem" ...: static, or within `head`'s message. */
struct slice router_kind(struct slice head);
void router_count(struct slice kind);
/* A request for the router itself, path "/-/...". */
bool router_is_control(struct slice target);
void router_control(struct slice target, struct bytes *out);

#endif
