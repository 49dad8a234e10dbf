/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The books of a world of transactions: what each run of a transaction's function has read and wanted to write, what its
 * caller was told, and what the table truly did with its requests.
 *
 * There are accounts, whose balances have one sum, notes that are made and deleted, and a counter. A run writes its own
 * number into the rows that it writes; so a value names its write.
 */
#ifndef OSCOMMIT_TEST_SIM_BOOKS_H
#define OSCOMMIT_TEST_SIM_BOOKS_H

#include "sim/world.h"

enum { BOOKS_ACCOUNTS = 4, BOOKS_NOTES = 4, BOOKS_COUNTER = BOOKS_ACCOUNTS + BOOKS_NOTES, BOOKS_KEYS };
enum { BOOKS_RUNS_MAX = 768, BOOKS_STATES_MAX = 4096, BOOKS_VALUE_SIZE = 16, BOOKS_BALANCE = 100 };

#define BOOKS_TABLE_OF_ACCOUNTS "accounts"
#define BOOKS_TABLE_OF_NOTES    "notes"

enum trade_kind {
    TRADE_TRANSFER = 1, /* from one account to another; makes those that are missing */
    TRADE_TOUCH,        /* one account alone */
    TRADE_AUDIT,        /* reads all accounts at one instant */
    TRADE_AUDIT_APART,  /* reads them one after the other, and commits that */
    TRADE_MAKE,         /* a note, which it has not read */
    TRADE_MAKE_TWO,
    TRADE_PUT,     /* a note, whatever is there */
    TRADE_ALTER,   /* a note that is there, which it has not read */
    TRADE_REPLACE, /* reads a note, and makes it, or deletes it, or changes it */
    TRADE_ERASE,   /* a note, whether it is there or not */
    TRADE_MOVE,    /* deletes one note, makes another, writes an account */
    TRADE_COUNT,   /* adds one to the counter */
    TRADE_KINDS
};

struct run_key { /* what a run has to do with a key */
    bool reads;
    bool writes;
    char seen[BOOKS_VALUE_SIZE];  /* "": absent */
    char value[BOOKS_VALUE_SIZE]; /* that it writes; "": it deletes */
    int64_t seen_amount, amount;  /* of an account */
};

struct run {
    uint32_t lane;
    uint64_t call; /* fault_occasion(lane, index) */
    enum trade_kind kind;
    uint64_t start_us;
    uint64_t end_us;
    bool returned;
    bool is_last; /* of its call: what that was told is told of it */
    bool failed;  /* something that its function has asked for, which then went on as if it had not */
    os_verdict verdict;
    os_verdict settled;
    uint64_t settled_us;
    os_code code;
    char *ticket;
    uint32_t requests;
    struct run_key keys[BOOKS_KEYS];
    uint32_t applied;
    uint64_t applied_us;
};

struct books_state { /* a key since then */
    uint64_t since_us;
    uint32_t key;
    char value[BOOKS_VALUE_SIZE];
};

struct books {
    struct run *runs; /* the number of one in requests is its index and one */
    size_t run_count;
    uint32_t accounts; /* of this world */
    uint32_t notes;
    bool believed;   /* its clients take the service for one that remembers */
    bool calm;       /* nothing goes wrong here */
    bool is_patient; /* and ask again later than others */
    bool is_long;    /* processes are cut off for longer than tokens are remembered, and wait so long */
    char now[BOOKS_KEYS][BOOKS_VALUE_SIZE];
    struct books_state *states; /* in the order of time */
    size_t state_count;
    char *read_by_another[BOOKS_KEYS]; /* a row as he has read it */
    uint64_t foreign_writes;
};

bool books_make(struct world *world); /* false: no memory */
void books_free(struct world *world);

/* "a0", "n1", "count" ...; ret holds BOOKS_VALUE_SIZE. */
void books_name(uint32_t key, char *ret);
const char *books_table_of(uint32_t key);
/* The keys of this world: which of them come. */
bool books_has(const struct books *books, uint32_t key);

/* Aborts when there are too many. */
struct run *books_begin(struct world *world, uint32_t lane, uint64_t call, enum trade_kind kind);
uint64_t books_number(const struct books *books, const struct run *run);

/* Another writes the row of this key whole: the one that is there, or a note that he has read before. Rows of accounts
 * he reads and writes at one instant: their values name their writes. */
void books_write_foreign(struct world *world, uint32_t key, bool reads);

/* A request of the run of this number has been handled; 0: of none. */
void books_note(struct world *world, uint64_t number);

const char *books_kind_name(enum trade_kind kind);

void books_digest(struct world *world);

/* When all is over. Every breach becomes a failure of the world. */
void books_judge(struct world *world);

#endif
