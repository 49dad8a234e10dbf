/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a fault proxy: its rules with their counts, and the requests that it has seen. Every function locks for
 * itself. Knows nothing of sockets.
 */
#ifndef OSCOMMIT_TEST_FAULT_RULES_H
#define OSCOMMIT_TEST_FAULT_RULES_H

#include "support/fault_message.h"
#include "support/fault_proxy.h"

#include <pthread.h>

struct fault_entry;

struct fault_book {
    pthread_mutex_t mutex;
    pthread_cond_t changed;      /* hits, finished, released, stopping */
    struct fault_entry *entries; /* in the order of adding; freed with the book, so that a held request's rule stays */
    struct fault_seen **seen;
    size_t seen_count;
    size_t seen_cap;
    unsigned last_id;
    bool stopping;
};

bool fault_book_init(struct fault_book *book);
void fault_book_destroy(struct fault_book *book);

/* Remembers the request and finds its rule; *ret_rule is a plain FAULT_PASS when none meets it. The returned request
 * stays until the book is destroyed. NULL when out of memory. */
struct fault_seen *fault_book_meet(struct fault_book *book, const struct fault_message *request,
                                   struct fault_rule *ret_rule);
void fault_book_status(struct fault_book *book, struct fault_seen *seen, int status,
                       int upstream_status);               /* 0: leave */
void fault_book_hit(struct fault_book *book, unsigned id); /* ids that are no rule's are ignored */
void fault_book_finished(struct fault_book *book, unsigned id);
/* Waits until the rule is released or the proxy stops (then FAULT_DISCARD). */
enum fault_release fault_book_wait_release(struct fault_book *book, unsigned id);
void fault_book_delay(struct fault_book *book, unsigned delay_ms); /* ends early when the proxy stops */
void fault_book_stop(struct fault_book *book);

unsigned fault_book_add(struct fault_book *book, const struct fault_rule *rule);
void fault_book_remove(struct fault_book *book, unsigned id); /* 0: all */
void fault_book_release(struct fault_book *book, unsigned id, enum fault_release how);
unsigned fault_book_hits(struct fault_book *book, unsigned id);
bool fault_book_wait(struct fault_book *book, unsigned id, bool finished, unsigned count, unsigned timeout_ms);
size_t fault_book_count(struct fault_book *book, const struct fault_match *match);
bool fault_book_seen(struct fault_book *book, const struct fault_match *match, size_t index, struct fault_seen *ret);
void fault_book_forget(struct fault_book *book);

#endif
