/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into an attempt and what comes out: its parts, events, and the requests that it asks for. */
#ifndef OSCOMMIT_TRANSACTION_TRANSACTION_EVENT_H
#define OSCOMMIT_TRANSACTION_TRANSACTION_EVENT_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* As many as TransactWriteItems takes: API Reference, TransactWriteItems, TransactItems. */
enum { TRANSACTION_PARTS = 100 };

/* What a part does with its row. */
enum transaction_part {
    TRANSACTION_CREATE = 1, /* the row must not be there */
    TRANSACTION_WRITE,      /* put, update, delete of a row that was read with a token */
    TRANSACTION_BARE,       /* the same of a row that was read without one */
    TRANSACTION_BLIND,      /* the same of a row that was not read */
    TRANSACTION_CHECK       /* a row that was only read */
};

/* ------------------------------------------------------------------------------------------------ rows */

enum transaction_seen {
    TRANSACTION_UNSEEN = 0, /* nothing was told of it */
    TRANSACTION_ABSENT,
    TRANSACTION_THERE
};

/* Whose a token is. */
enum transaction_token {
    TRANSACTION_NONE = 0,
    TRANSACTION_OURS,
    TRANSACTION_READ,  /* what this part has read */
    TRANSACTION_FENCE, /* that of this attempt's fences (X8) */
    TRANSACTION_OTHER
};

/* What an answer tells of a part's row. */
struct transaction_row {
    bool failed;    /* FAILED: the condition of this part, or another had it under way, so that it may fail */
    uint8_t seen;   /* enum transaction_seen */
    uint8_t token;  /* THERE: enum transaction_token, of _txn */
    uint8_t before; /* THERE: the same, of _txn_before */
};

/* ------------------------------------------------------------------------------------------------ what to do */

enum transaction_request_kind {
    TRANSACTION_PLAIN = 1,  /* the one part, as PutItem, UpdateItem or DeleteItem */
    TRANSACTION_TOGETHER,   /* all parts, as TransactWriteItems under the attempt's ClientRequestToken */
    TRANSACTION_LOOK,       /* consistent reads of all rows that are written */
    TRANSACTION_SEND_FENCE, /* X8: on the row of `part`, on the condition that its token is what was read */
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct transaction_request {
    enum transaction_request_kind kind;
    uint32_t part; /* SEND_FENCE */
};

#pragma GCC diagnostic pop

struct transaction_actions {
    bool send;
    struct transaction_request request;
    bool has_timer;    /* without one none is wanted any more */
    uint64_t timer_ms; /* from now; replaces the one before */
};

/* ------------------------------------------------------------------------------------------------ events */

enum transaction_event_kind {
    TRANSACTION_EVENT_START = 1,
    TRANSACTION_EVENT_ANSWER, /* to the request under way */
    TRANSACTION_EVENT_TIMER,
    TRANSACTION_EVENT_STOP /* the deadline has come, or the caller gives up */
};

enum transaction_outcome {
    TRANSACTION_OK = 1,    /* a LOOK: it has the rows */
    TRANSACTION_FAILED,    /* one condition or more; rows[] tells which, and what is in the way */
    TRANSACTION_THROTTLED, /* this copy was not applied, and may be sent again; a TransactionConflict as well */
    TRANSACTION_AMBIGUOUS, /* this copy may be applied, now or later; a TransactionInProgressException as well */
    TRANSACTION_REFUSED    /* this copy was not applied, and none like it will be */
};

struct transaction_event {
    enum transaction_event_kind kind;
    enum transaction_outcome outcome; /* ANSWER */
    struct clock_reading now;
    const struct transaction_row *rows; /* FAILED, and OK of a LOOK: one for each part. SEND_FENCE: the same */
};

#endif
