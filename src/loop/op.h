/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation on the loop's thread: attempts with pauses between them, until its owner ends it, or its deadline, its
 * caller's cancellation or the closing of its client interrupts it. The one place where these meet. Knows nothing of
 * what an attempt is.
 */
#ifndef OSCOMMIT_LOOP_OP_H
#define OSCOMMIT_LOOP_OP_H

#include "loop/cancel.h"
#include "loop/retry.h"

#define OP_NO_DEADLINE UINT64_MAX

struct op_limits {
    struct loop *loop;
    os_cancel *cancel;    /* of the caller; NULL: none */
    os_cancel *closing;   /* of the client; NULL: none */
    uint64_t deadline_ms; /* from now; or OP_NO_DEADLINE */
    uint64_t grace_ms;    /* cancellation and closing only make the deadline come so soon; 0: they interrupt */
};

enum op_reason { OP_DEADLINE = 1, OP_CANCELLED, OP_CLOSING };

/* Embedded in what it is of. A zeroed one has not begun and may be ended. */
struct op {
    void (*attempt)(struct op *op);
    void (*interrupted)(struct op *op, enum op_reason reason);
    struct retry retry;
    uint64_t deadline_monotonic_ms; /* for the requests of an attempt */
    uint64_t grace_ms;
    struct loop_timer deadline_timer;
    struct cancel_link cancel_link;
    struct cancel_link closing_link;
    bool begun; /* and not ended */
};

/*
 * Listens from now on. The owner makes the first attempt itself, as not all begin with one; `attempt` is called after
 * each pause. `interrupted` does not end the operation: the owner does, with op_end, when it has given up what is under
 * way. Neither is called by op_begin, nor after op_end. False: out of memory, and not begun.
 */
bool op_begin(struct op *op, const struct op_limits *limits, void (*attempt)(struct op *op),
              void (*interrupted)(struct op *op, enum op_reason reason));
void op_end(struct op *op); /* once more does nothing */

/* Pauses before the next attempt: of the back-off, or of the owner's choice. */
void op_pause(struct op *op);
void op_pause_ms(struct op *op, uint64_t delay_ms);
/* The deadline comes so soon, if it does not come sooner. */
void op_shorten(struct op *op, uint64_t left_ms);

/* An error's code, and a clause for its sentence: "its deadline passed". */
os_code op_reason_code(enum op_reason reason);
const char *op_reason_clause(enum op_reason reason);

#endif
