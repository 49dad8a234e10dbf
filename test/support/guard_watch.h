/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold of a guard in any sequence of events: judged from outside, on what goes in and what comes out. It
 * keeps its own books and reads nothing of the guard's state but its public functions, and why it ended. The random
 * sequences of the unit tests and the fuzz target of the guard are judged by it.
 */
#ifndef OSCOMMIT_TEST_GUARD_WATCH_H
#define OSCOMMIT_TEST_GUARD_WATCH_H

#include "commit/guard.h"

/* A HEAD of the object: when it was asked for, and the largest Date received before. */
struct guard_watch_head {
    uint64_t step;
    struct clock_reading clock;
    uint64_t date_s;
};

/* R2: what was signed. */
struct guard_watch_signature {
    uint64_t date_s;
    struct clock_reading clock; /* when the request was sent that this Date answers */
    uint64_t wire_bytes;        /* of what the record counts on */
    uint32_t length_s;
    bool at_once;
    bool renewed; /* the signature under way, or made last, is the second one */
    bool good;
    bool later;        /* of a COPY, that is made when its record is there */
    bool takes_longer; /* what was signed last does, and the record does not count on that */
};

/* R3, R4: our record. */
struct guard_watch_own {
    struct record put;
    struct record_condition condition;
    struct clock_reading lease_clock; /* when it was first put so */
    struct clock_reading held_clock;  /* when it was held, and a HEAD answered */
    uint64_t held_step;
    bool recorded; /* put since the signature, and nothing else was shown there since */
    bool locking;  /* from a PutItem until it is known whose the record is: an item just as sent is then ours */
    bool held;     /* from a ticket: what it tells of was stored, and was dead, when it was read last (R17) */
    bool reading;  /* the GetItem under way is of our key */
};

/* R12, R14: another writer's record, and its upload. */
struct guard_watch_holder {
    struct record seen;
    struct clock_reading first_seen;
    struct clock_reading aborted_clock;
    uint64_t seen_step; /* 0: none */
    uint64_t aborted_step;
    bool aborted;
};

/* What is known of the attempt. */
struct guard_watch_attempt {
    bool sent;
    bool out;          /* a copy is unanswered, or was answered so that it may be applied */
    bool again;        /* the last copy was answered so that the same may be sent again */
    bool dead;         /* a HEAD was sent after that */
    bool proven;       /* V2 */
    bool written;      /* R9 */
    bool upload_open;  /* R14: it was, after the attempt was dead */
    bool versioned;    /* R16: the bucket had versions before it was sent */
    bool has_versions; /* or has them now */
    bool not_in_list;  /* their list shows that it was not applied */
    bool uncertain;    /* N4.3: a copy before the last one was left unanswered */
    bool overtaken;    /* N4.2: the HEAD answered last has a pair of another, over what is expected */
    bool part;         /* V4.8: the last HEAD says that only a part of it was seen */
    uint64_t step;     /* of the last answer */
};

struct guard_watch {
    struct guard_settings settings;
    enum guard_operation operation;
    bool from_ticket;
    char expected_etag[VERSION_ETAG_SIZE]; /* "": absent */
    char our_etag[VERSION_ETAG_SIZE];      /* "": not predicted */
    char nonce[RECORD_NONCE_SIZE];
    char known_nonce[RECORD_NONCE_SIZE]; /* R3.6 */
    uint64_t upload;
    uint64_t amount; /* of a COPY's source in bytes; of a COMPLETE its parts */

    uint64_t step;
    struct clock_reading now;
    uint64_t largest_date_s;
    unsigned under_way; /* GUARD_DO_... asked for and not answered */
    unsigned answered;  /* the one that the event of this step answers */
    bool timer;
    enum verdict verdict;
    unsigned releases;
    unsigned reports;

    struct guard_watch_head asked;    /* the HEAD under way */
    struct guard_watch_head checked;  /* the HEAD answered last; its step is 0: none was */
    struct clock_reading dated_clock; /* when that was sent whose Date came last; before: of the recent Date */
    bool holds;                       /* the HEAD answered last showed the expectation to hold */
    struct object_version before;     /* what stood there before we sent */
    struct object_version last;       /* what the HEAD answered last has shown */
    struct object_version dated;      /* the same of those with a Date, while the expectation held */

    struct guard_watch_signature signature;
    struct guard_watch_own own;
    struct guard_watch_holder holder;
    struct guard_watch_attempt attempt;
    bool same_bytes; /* N4.4: it would write what is there */
    bool clears;     /* T3.10: the record of what is deleted was asked for beside the attempt */
    bool creation_found;
    struct record creation; /* it */
    bool contradicted;      /* R17: the stored record says that the ticket is false */
    bool owns_upload;       /* R17: by the stored record the ticket's upload may be aborted */
};

void guard_watch_start(struct guard_watch *watch, const struct guard_settings *settings,
                       const struct guard_start *start);
void guard_watch_resolve(struct guard_watch *watch, const struct guard_settings *settings,
                         const struct guard_ticket *ticket);

/* After guard_step. NULL, or the sentence that does not hold. */
const char *guard_watch_step(struct guard_watch *watch, const struct guard *guard, const struct guard_event *event,
                             const struct guard_actions *todo);

/* The request that an event of this kind answers; 0: none. */
unsigned guard_watch_request_of(enum guard_event_kind kind);

/* What guard_watch.c and guard_watch_check.c share. */
void guard_watch_event(struct guard_watch *watch, const struct guard_event *event);
bool guard_watch_is_ours(const struct guard_watch *watch, const struct record *record);
bool guard_watch_shows(const struct object_version *version, const char *nonce); /* as own, or as replaced */
bool guard_watch_past(const struct guard_watch *watch, uint64_t date_s, const struct record *record);
uint64_t guard_watch_delivery_s(const struct guard_watch *watch, uint64_t wire_bytes);
uint64_t guard_watch_allowance_s(const struct guard_watch *watch);
bool guard_watch_forward(const struct guard_watch *watch);         /* N4: the promise, and the store's own condition */
bool guard_watch_stalls_for_ever(const struct guard_watch *watch); /* what was signed has no fence */

#endif
