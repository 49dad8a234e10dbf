/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world of transactions: two calls (each runs one real machine of src/transaction after another), three rows, a foreign
 * writer, and everything that is on its way between them. A plain struct without pointers, zero where nothing is said, so
 * that it can be copied, packed and hashed as bytes. What may happen next is choice.h; what must hold is oracle.h;
 * ../README.md tells what all this stands for.
 */
#ifndef OSCOMMIT_MODEL_TRANSACTION_WORLD_H
#define OSCOMMIT_MODEL_TRANSACTION_WORLD_H

#include "finding.h"

#include "transaction/transaction.h"

enum { CALLS = 2, ROWS = 3, FLIGHTS = 8, ATTEMPTS = 6 };

/* Tokens: 0 is none, 1 to ATTEMPTS are those of the attempts. */
enum { TOKEN_FENCE = 0x20, TOKEN_FIRST = 0x40 };

enum { SERVICE_MEMORY_MS = 10 * 60 * 1000 };

/* What may still go wrong, or happen, how often. */
enum budget {
    BUDGET_TICK = 0, /* config.tick_ms pass */
    BUDGET_LOSE,     /* an answer is lost; what was not served yet stays on its way */
    BUDGET_STOP,     /* a deadline comes */
    BUDGET_THROTTLE,
    BUDGET_REFUSE,
    BUDGET_BLIND,   /* conditions that fail, without the items */
    BUDGET_FOREIGN, /* a step of one who knows no tokens */
    BUDGET_SUSPEND, /* time passes and one call's MONOTONIC stands */
    BUDGET_FREEZE,  /* time passes and all clocks of one call stand */
    BUDGET_RESOLVE, /* a look for a ticket */
    BUDGETS
};

/* What a call wants of a row. What that is for a row that is not there, or has no token, see term_of. */
enum plan {
    PLAN_NOTHING = 0,
    PLAN_CREATE,
    PLAN_WRITE,
    PLAN_DELETE,
    PLAN_BLIND_PUT,
    PLAN_BLIND_UPDATE,
    PLAN_BLIND_DELETE,
    PLAN_CHECK
};

struct config {
    const char *name;
    const char *about;
    const char *expects; /* the violation that must be found; NULL: none may be */
    uint8_t plans[CALLS][ROWS];
    uint8_t tries[CALLS]; /* attempts of a call at most */
    unsigned again;       /* mask of calls that begin anew after they have committed */
    unsigned there;       /* mask of rows */
    unsigned bare;        /* mask of rows: without a token */
    unsigned foreign;     /* mask of rows that the foreign writer changes */
    bool together;
    bool believes;          /* the calls take it that the service remembers tokens */
    bool remembers;         /* it does */
    bool remembers_failure; /* and answers a transaction that has failed as it did */
    uint64_t tick_ms;
    uint64_t life_ms; /* what is older is not applied any more; 0: for ever */
    bool quick;
    uint8_t budget[BUDGETS];
};

struct row {
    uint8_t there;
    uint8_t token;
    uint8_t before;
    uint8_t value; /* of a field */
};

/* One part of a request, and what its condition compares with. */
struct term {
    uint8_t part; /* 0: none; enum transaction_part */
    uint8_t plan;
    struct row read;
};

struct flight {
    uint8_t kind; /* 0: none; enum transaction_request_kind */
    uint8_t call;
    uint8_t attempt;
    uint8_t awaited;  /* somebody waits for the answer */
    uint8_t resolves; /* and that is whoever has the ticket */
    uint8_t served;
    uint8_t outcome;
    uint8_t sent; /* tick */
    uint8_t fenced;
    uint8_t looked; /* rows */
    struct term terms[ROWS];
    struct transaction_row rows[ROWS];
};

struct attempt {
    uint8_t applied; /* how often */
    uint8_t verdict;
    uint8_t memory;                    /* enum transaction_outcome that the service remembers; 0: none */
    uint8_t completed;                 /* the tick of that */
    struct transaction_row rows[ROWS]; /* FAILED */
};

enum call_phase { CALL_IDLE = 0, CALL_RUNS, CALL_HAS_TICKET, CALL_OVER };

struct call {
    struct transaction machine;
    struct term terms[ROWS];
    uint8_t phase;
    uint8_t attempt;
    uint8_t tries;
    uint8_t is_lost;
    uint8_t has_timer;
    uint8_t mono_stood; /* ticks */
    uint8_t all_stood;
    uint8_t reserved[7];
};

struct world {
    struct call calls[CALLS];
    struct flight flights[FLIGHTS];
    struct attempt attempts[ATTEMPTS + 1]; /* by token */
    struct row rows[ROWS];
    uint8_t begun; /* attempts */
    uint8_t tick;
    uint8_t budget[BUDGETS];
    uint8_t reserved[4];
};

/* What a search saw. */
struct tally {
    uint64_t committed;
    uint64_t unknown;
};

struct clock_reading world_clock(const struct world *world, unsigned c);
bool world_is_alive(const struct world *world, const struct flight *flight);
bool term_writes(const struct term *term);
/* The rows as a part of an answer shows them, by its index in the machine. */
unsigned row_of_part(const struct term terms[ROWS], unsigned part);

#endif
