/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random histories of transactions. They are drawn from a store that is really played, one transaction after the other,
 * so they are true; unless the store has a fault, or something in them is changed afterwards. A function of the seed.
 */
#ifndef OSCOMMIT_TEST_TRANSACTION_RANDOM_H
#define OSCOMMIT_TEST_TRANSACTION_RANDOM_H

#include "history_random.h"

enum { PLAY_TRANSACTIONS_MAX = 64, PLAY_ITEMS_MAX = 8, PLAY_ELEMENTS_MAX = 160, PLAY_REGISTERS = 3, PLAY_LISTS = 2 };

/* What the store does wrong, once. */
enum play_fault {
    PLAY_TRUE,           /* nothing */
    PLAY_STALE_READ,     /* reads what was replaced before the transaction began */
    PLAY_HALF_COMMIT,    /* commits the first write and loses the others */
    PLAY_LOST_UPDATE,    /* replaces a value that was replaced before */
    PLAY_FALSE_CONFLICT, /* applies, and says conflict or not executed */
    PLAY_LOST_COMMIT,    /* says committed, and applies nothing */
    PLAY_APPLIED_TWICE,  /* appends twice */
    PLAY_SHOWS_HALF,     /* another transaction reads between two writes */
    PLAY_FAULTS
};

/* What is changed in a history afterwards, whatever that makes of it. */
enum play_change {
    PLAY_CHANGE_VERDICT,
    PLAY_CHANGE_READ,
    PLAY_CHANGE_EXPECTED,
    PLAY_CHANGE_LIST,
    PLAY_SWAP_TIMES,
    PLAY_MOVE_TIME,
    PLAY_CHANGES
};

struct play_options {
    size_t transactions; /* 1 to PLAY_TRANSACTIONS_MAX - 1 */
    uint32_t spread_us;  /* how far one reaches to either side of its instant; instants are 100 us apart */
    uint32_t unknown;    /* percent */
    uint32_t aborted;    /* percent */
    enum play_fault fault;
    bool read_at_the_end; /* a last transaction reads everything */
};

struct play_version {
    const char *value;
    uint64_t replaced_us; /* the end of the committed transaction that did it; HISTORY_NEVER: none did */
};

struct play {
    struct random_history random; /* for its generator */
    char name[2 * PLAY_ELEMENTS_MAX][8];
    size_t names;
    struct history_transaction transaction[PLAY_TRANSACTIONS_MAX];
    struct history_item item[PLAY_TRANSACTIONS_MAX][PLAY_ITEMS_MAX];
    const char *element[PLAY_TRANSACTIONS_MAX][PLAY_LISTS][PLAY_ELEMENTS_MAX];
    size_t count;
    /* The store. */
    struct play_version version[PLAY_REGISTERS][PLAY_ELEMENTS_MAX];
    size_t version_count[PLAY_REGISTERS];
    const char *list[PLAY_LISTS][PLAY_ELEMENTS_MAX];
    size_t list_count[PLAY_LISTS];
    bool fault_done;
};

/* False: there was no occasion for the fault. */
bool play_make(struct play *play, uint64_t seed, const struct play_options *options);
/* False: there was nothing to change in this way. */
bool play_change(struct play *play, enum play_change change);
/* Adds it to `history`; its keys begin with `prefix`, its numbers with `first_id`. */
void play_add_to(const struct play *play, const char *prefix, uint64_t first_id, struct history *history);

#endif
