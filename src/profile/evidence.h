/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what a store answered, and what stood there afterwards, to what may be said of it. Pure: a probe asks, a test
 * plays it. Nothing here is ever decided by one answer, nor by an answer that a proxy may have given for the store.
 */
#ifndef OSCOMMIT_PROFILE_EVIDENCE_H
#define OSCOMMIT_PROFILE_EVIDENCE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* How often a thing must be seen alike before it is said, and how often it is asked at most. */
enum { EVIDENCE_WANTED = 3, EVIDENCE_MOST = 9 };

/* What stands under the key after a write was answered. */
enum evidence_stands {
    EVIDENCE_STANDS_UNKNOWN = 0, /* it could not be read */
    EVIDENCE_STANDS_OURS,        /* what the write would have made of it */
    EVIDENCE_STANDS_BEFORE,      /* what was there before; or nothing, as before */
    EVIDENCE_STANDS_OTHER
};

/* One write, its answer, and a read after it. */
struct evidence_write {
    bool complete;  /* a whole answer came */
    bool succeeded; /* 2xx and, where one belongs to it, the result document */
    bool explained; /* an error that the store itself names: an error document, or none was due */
    int status;
    enum evidence_stands stands;
};

enum evidence_outcome {
    EVIDENCE_UNCLEAR = 0, /* says nothing: to be asked again */
    EVIDENCE_WRITTEN,     /* answered as a success, and done */
    EVIDENCE_HELD,        /* refused by the store, and not done */
    EVIDENCE_CONTRARY     /* the answer and what stands there contradict each other */
};
enum evidence_outcome evidence_outcome(const struct evidence_write *write);

/* Several writes of the same kind. Zeroed at first. */
struct evidence_tally {
    uint32_t written, held, contrary, unclear;
    uint32_t done, undone; /* stands there, or what was before, whatever was answered */
    int status;            /* of those that were held; -1: they differ */
    int status_success;    /* of those that were written */
};
void evidence_add(struct evidence_tally *tally, const struct evidence_write *write);
bool evidence_settled(const struct evidence_tally *tally); /* asking again would change nothing */
/* WRITTEN or HELD when EVIDENCE_WANTED say so and none says otherwise; else UNCLEAR. */
enum evidence_outcome evidence_of(const struct evidence_tally *tally);
int evidence_status(const struct evidence_tally *tally); /* 0 unless it is HELD with one status */

/* What becomes of a condition: `met` writes where it holds, `unmet` where it does not; `missing` (may be NULL) where
 * there is nothing that an ETag could match. Not for a DELETE, which nothing is lost by there. */
enum profile_condition evidence_condition(const struct evidence_tally *met, const struct evidence_tally *unmet,
                                          const struct evidence_tally *missing);

/* One race of writers for one key under one expectation. */
struct evidence_round {
    uint32_t writers;
    uint32_t won;        /* answered as a success */
    uint32_t refused;    /* refused by the store itself (412, 409, 404) */
    bool stands_known;   /* what stands there afterwards could be read */
    bool stands_winners; /* and is what the only winner made of it */
};
enum evidence_race {
    EVIDENCE_RACE_OPEN = 0, /* says nothing: an answer was missing, or nobody won */
    EVIDENCE_RACE_ONE,      /* one winner, and its work stands */
    EVIDENCE_RACE_BROKEN    /* two winners, or the winner's work is gone */
};
enum evidence_race evidence_round(const struct evidence_round *round);

/* Rounds of one kind. Zeroed at first. */
struct evidence_races {
    uint32_t one, broken, open;
};
void evidence_add_round(struct evidence_races *races, const struct evidence_round *round);
/* `wanted` rounds had one winner, and none had two. */
bool evidence_atomic(const struct evidence_races *races, uint32_t wanted);

/* What 409 means (R7): by the code that came with it, and only where no write that was answered so was seen applied. */
enum profile_409 evidence_409(const char *service_code, bool seen_applied);

/* Expired signatures. `live` is the same request with a signature that is valid: without its success nothing is said.
 */
enum profile_expiry evidence_expiry(const struct evidence_tally *live, const struct evidence_tally *expired);
/* What two requests say together: the one that protects less. */
enum profile_expiry evidence_expiry_of_both(enum profile_expiry a, enum profile_expiry b);

/* What becomes of writes whose rest came only after a long time: all were done, or none was. */
enum profile_stalled evidence_stalled(const struct evidence_tally *tally);

/* A sum is checked when the right one is taken and a wrong one is not. */
bool evidence_checksum(const struct evidence_tally *right, const struct evidence_tally *wrong);

/* Something that is there or not: YES or NO when EVIDENCE_WANTED answers agree, else UNKNOWN. */
enum profile_answer evidence_answer(const struct evidence_tally *tally);

#endif
