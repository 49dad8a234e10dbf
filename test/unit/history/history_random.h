/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random histories of one key. They are drawn from a register that is really played, so they are true; then one thing
 * in them may be changed, after which most of them are not. A function of the seed.
 */
#ifndef OSCOMMIT_TEST_HISTORY_RANDOM_H
#define OSCOMMIT_TEST_HISTORY_RANDOM_H

#include "history/history.h"

enum { RANDOM_CALLS_MAX = 64, RANDOM_VALUES_MAX = 64 };

struct random_history {
    uint64_t seed; /* the state of the generator */
    struct history_call call[RANDOM_CALLS_MAX];
    size_t count;
    struct history_final final; /* key NULL: none */
};

struct random_options {
    size_t calls;        /* 1 to RANDOM_CALLS_MAX - 1 */
    uint32_t values;     /* that there are, 2 to RANDOM_VALUES_MAX; few of them come again and again */
    uint32_t spread_us;  /* how far a call reaches to either side of its instant; instants are 100 us apart */
    uint32_t unknown;    /* percent */
    uint32_t unexecuted; /* percent */
};

enum random_change {
    RANDOM_FLIP_VERDICT,
    RANDOM_MOVE_TIME,
    RANDOM_CHANGE_VALUE,
    RANDOM_CHANGE_EXPECTED,
    RANDOM_DROP_CALL,
    RANDOM_DOUBLE_CALL,
    RANDOM_CHANGE_FINAL,
    RANDOM_CHANGE_VERSIONS,
    RANDOM_SWAP_TIMES,
    RANDOM_SETTLE_FALSELY,
    RANDOM_CHANGES
};

void random_start(struct random_history *random, uint64_t seed);
uint64_t random_below(struct random_history *random, uint64_t bound);

void random_make(struct random_history *random, const struct random_options *options, const char *key);
/* False: there was nothing to change in this way. It stays a history that does not contradict itself. */
bool random_change(struct random_history *random, enum random_change change);
/* Adds it all to `history`, with ids from `first_id`. */
void random_add_to(const struct random_history *random, uint64_t first_id, struct history *history);

#endif
