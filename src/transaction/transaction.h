/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt of a transaction over rows, as a step machine. An event and the time go in; the request that should be
 * made, and at last a verdict, come out. It reads no clock, makes no request, allocates nothing; its whole state is one
 * plain struct without pointers, which can be copied, compared and hashed as bytes.
 *
 *   transaction_init(&attempt, &settings);
 *   transaction_step(&attempt, &(struct transaction_event){.kind = TRANSACTION_EVENT_START, .now = ...}, &actions);
 *   while (transaction_verdict(&attempt) == 0) {
 *       do what `actions` says; wait for an answer or for actions.timer_ms; transaction_step(...);
 *   }
 *
 * At most one request is under way. The driver answers each with exactly one event, or stops answering after the
 * verdict. No layer below sends a request again (X5). Keys, tokens and fields are the driver's: the machine sees of a
 * row only whose its two tokens are.
 *
 * The rules, in full in docs/transactions.md:
 * X1 Each attempt has a token of its own, which every row that it writes has.
 * X2 A token is replaced once: a WRITE whose row has another one than was read is never applied any more.
 * X3 An answer OK: committed.
 * X4 While no answer was lost, a condition that failed is definite.
 * X5 What was lost is sent again only when it cannot be applied twice.
 * X6 The two tokens of a row tell whether a WRITE on it was applied, or never will be.
 * X7 As long as the service remembers the token, a transaction that has failed was not applied before.
 * X8 What may be applied yet is fenced: the token that was read is replaced by one that ends it.
 * X9 The deadline: not executed while nothing was lost, else unknown.
 * X10 A ticket is judged by the rows in the same way.
 *
 * The parts, each of which knows only those after it: transaction.c (events, what is due), transaction_answer.c (X3 to
 * X9), transaction_judge.c (X2, X6).
 */
#ifndef OSCOMMIT_TRANSACTION_TRANSACTION_H
#define OSCOMMIT_TRANSACTION_TRANSACTION_H

#include "transaction/transaction_event.h"

/* X5, X7: "A client request token is valid for 10 minutes after the first request that uses it is completed" (API
 * Reference, TransactWriteItems, ClientRequestToken). The first one is completed after it was sent. Two minutes of the
 * ten are for clocks that differ in rate. */
enum { TRANSACTION_MEMORY_MS = 8 * 60 * 1000 };
/* X5: DynamoDB refuses a signature that is older than 5 minutes ("Signature expired: ... is now earlier than ... - 5
 * min."). With a clock that is wrong by a minute, what is sent until then is through before the memory ends. */
enum { TRANSACTION_TWICE_MS = 3 * 60 * 1000 };
/* The first pause before a request that follows an unclear answer; it doubles. A retry that comes 5 s after the first
 * one completes what is in progress (API Reference, TransactionInProgressException). */
enum { TRANSACTION_PAUSE_MS = 100, TRANSACTION_PAUSE_MAX_MS = 5000 };

enum transaction_verdict {
    TRANSACTION_COMMITTED = 1, /* applied, once */
    TRANSACTION_CONFLICT,      /* never applied; another attempt may be */
    TRANSACTION_EXISTS,        /* never applied; rows of CREATE are in the way, and nothing else */
    TRANSACTION_NOT_EXECUTED,  /* never applied: refused, or the deadline came */
    TRANSACTION_UNKNOWN        /* after a lost answer: a ticket tells what to look for */
};

enum transaction_phase {
    TRANSACTION_PHASE_NEW = 0,
    TRANSACTION_PHASE_WRITING, /* X3 to X7 */
    TRANSACTION_PHASE_LOOKING, /* X5, X6 */
    TRANSACTION_PHASE_FENCING, /* X8 */
    TRANSACTION_PHASE_OVER
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct transaction_settings {
    uint32_t count;
    bool together; /* one part is sent as a transaction as well: twice the price, and a CREATE can be sent again (X5) */
    bool remembers; /* the service keeps ClientRequestTokens as TRANSACTION_MEMORY_MS says: DynamoDB does */
    uint8_t reserved[2];
    uint8_t parts[TRANSACTION_PARTS]; /* enum transaction_part; one that is no CHECK at least, or several CHECKs */
};

struct transaction {
    struct transaction_settings settings;
    enum transaction_phase phase;
    enum transaction_verdict verdict;  /* OVER */
    struct transaction_request flight; /* the request under way; kind 0: none */
    uint32_t fenced;                   /* FENCING: the part */
    uint32_t pause_ms;                 /* the next pause; 0: not begun */
    bool is_lost;                      /* a copy that writes was not answered clearly */
    bool is_due;                       /* the next request of the phase, while none is under way */
    bool has_moved;                    /* X7: a row of a WRITE has, as was seen before the request under way */
    uint8_t reserved[5];
    uint32_t delay_ms; /* is_due: after due_since */
    struct clock_reading due_since;
    struct clock_reading first_sent; /* before the first copy that was lost */
};

#pragma GCC diagnostic pop

void transaction_init(struct transaction *transaction, const struct transaction_settings *settings);

/* One event in; *ret_actions is what to do now. After the verdict no event changes anything. */
void transaction_step(struct transaction *transaction, const struct transaction_event *event,
                      struct transaction_actions *ret_actions);

/* 0: none yet. */
enum transaction_verdict transaction_verdict(const struct transaction *transaction);

/* ------------------------------------------------------------------------------------------------ judging rows */

enum transaction_finding {
    TRANSACTION_UNDECIDED = 0, /* nothing is told: it may have been applied, or be yet */
    TRANSACTION_APPLIED,
    TRANSACTION_NEVER, /* not applied, and it never will be */
    TRANSACTION_OPEN,  /* not applied so far; a fence on this part decides (X8) */
    TRANSACTION_MOVED  /* it will not be applied any more; whether it was is not told */
};

/* X6, X10: what consistent reads of the rows say. They need not be of one instant. A fence that was applied is NEVER,
 * too. For NEVER a ticket's attempt was not executed; for all but APPLIED and NEVER it is still unknown. */
enum transaction_finding transaction_judge(const struct transaction_settings *settings,
                                           const struct transaction_row *rows, uint32_t *ret_part);
/* X2: a row of a WRITE shows that it will not be applied any more. */
bool transaction_has_moved(const struct transaction_settings *settings, const struct transaction_row *rows);

#endif
