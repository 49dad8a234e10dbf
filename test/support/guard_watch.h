/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of a guard in any sequence of events: watched from outside, on what goes in and what comes out. It
 * keeps its own books and reads nothing of the guard's state but whether it has finished, and its verdict.
 */
#ifndef OSCOMMIT_TEST_GUARD_WATCH_H
#define OSCOMMIT_TEST_GUARD_WATCH_H

#include "commit/guard.h"

struct guard_watch {
    struct guard_settings settings;
    struct guard_start start; /* strings are borrowed */
    bool resolving;

    unsigned under_way; /* GUARD_DO_... asked for and not answered */
    bool timer;
    uint64_t step;
    enum verdict verdict;

    /* The signature, and the record that went with it (R2). */
    uint64_t date_s;
    uint32_t length_s;
    bool renewed; /* the signature under way, or made last, is the second one */
    bool at_once; /* so was signed what the record counts on */
    uint64_t wire_bytes;
    bool takes_longer; /* what was signed last does, and the record does not count on that */
    bool recorded;
    struct record put;
    struct record_condition condition;

    /* Another writer's record (R12). */
    struct record seen;
    uint64_t seen_step;
    struct clock_reading first_seen;
    uint64_t largest_date_s;
    uint64_t head_step; /* of the HEAD under way: when it was asked for, and the largest Date received before */
    struct clock_reading head_clock;
    uint64_t head_date_s;
    uint64_t checked_step; /* the same of the HEAD answered last */
    struct clock_reading checked_clock;
    uint64_t checked_date_s;

    /* The upload of that record, and our own (R14). */
    bool aborted;
    uint64_t aborted_step;
    struct clock_reading aborted_clock;
    bool upload_open; /* it was, after our attempt was dead */

    /* The list of versions (R16). */
    bool versioned;    /* the bucket had versions before we sent */
    bool has_versions; /* or has them now */
    bool not_in_list;  /* it shows that the attempt was not applied */

    /* Native mode: what stood there before we sent, and what the HEAD answered last has shown. */
    struct object_version before;
    struct object_version last;

    uint64_t source_bytes;
    bool looked;   /* a HEAD was answered before we sent */
    bool checked;  /* the HEAD answered last showed the expectation to hold */
    bool locking;  /* from a PutItem until it is known whose the record is: an item just as sent is then ours (R4) */
    bool held;     /* resolving: the ticket's record was stored, and was dead, when it was read last (R17) */
    bool own_read; /* the GetItem under way is of our key */
    bool sent;
    bool out; /* a copy is unanswered, or was answered so that it may be applied */
    bool dead;
    bool proven;
};

void guard_watch_start(struct guard_watch *watch, const struct guard_settings *settings,
                       const struct guard_start *start);
void guard_watch_resolve(struct guard_watch *watch, const struct guard_ticket *ticket);

/* NULL, or the sentence that does not hold. */
const char *guard_watch_step(struct guard_watch *watch, const struct guard *guard, const struct guard_event *event,
                             const struct guard_actions *todo);

#endif
