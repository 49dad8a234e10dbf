/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a fault proxy: its rules with their counts, and the requests that it has seen. Every function locks for
 * itself. Knows nothing of sockets. What a test may ask of it stands in fault_proxy.h; here is what an exchange does.
 */
#ifndef OSCOMMIT_TEST_FAULT_RULES_H
#define OSCOMMIT_TEST_FAULT_RULES_H

#include "proxy/core.h"
#include "support/fault_proxy.h"

struct fault_entry;

/* What changes is guarded by the mutex of `proxy`, whose `changed` tells of hits, finished and released ones. */
struct fault_proxy {
    struct proxy *proxy;
    struct proxy_place store;
    struct proxy_place ledger; /* of a router: where requests with an x-amz-target go; else the same again */
    char url[64];
    struct fault_entry *entries; /* in the order of adding; freed with the proxy, so that a held request's rule stays */
    struct fault_seen **seen;
    size_t seen_count;
    size_t seen_cap;
    unsigned last_id;
};

/* Remembers the request and finds its rule; *ret_rule is a plain FAULT_PASS when none meets it. The returned request
 * stays until the proxy is stopped. NULL when out of memory. */
struct fault_seen *fault_meet(struct fault_proxy *faults, const struct proxy_message *request,
                              struct fault_rule *ret_rule);
void fault_status(struct fault_proxy *faults, struct fault_seen *seen, int status, int upstream_status); /* 0: leave */
void fault_hit(struct fault_proxy *faults, unsigned id); /* ids that are no rule's are ignored */
void fault_finished(struct fault_proxy *faults, unsigned id);
/* Waits until the rule is released or the proxy stops (then FAULT_DISCARD). */
enum fault_release fault_wait_release(struct fault_proxy *faults, unsigned id);
void fault_forget_all(struct fault_proxy *faults); /* frees rules and requests; no thread is left */

/* The line of the first header of that name in a head, with its end. False: there is none. */
bool fault_find_header(struct head_text head, const char *name, struct head_text *ret_line, struct head_field *ret);

/* What is done with each request that comes. */
bool fault_serve(struct proxy_exchange *exchange);

#endif
