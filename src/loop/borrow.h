/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets the I/O thread revoke memory that a worker has borrowed:
 * the worker enters before it touches anything borrowed and leaves when it is done; whoever cancels waits only while it
 * is inside. Knows nothing of what the work is.
 */
#ifndef OSCOMMIT_LOOP_BORROW_H
#define OSCOMMIT_LOOP_BORROW_H

#include "base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>

struct gate {
    struct monitor monitor; /* of `inside`, and of `cancelled` against it; woken when the worker leaves */
    bool inside;
    _Atomic int cancelled; /* may be read at any time: work that waits looks at it */
};

bool gate_init(struct gate *gate); /* false: out of resources */
void gate_destroy(struct gate *gate);

bool gate_enter(struct gate *gate); /* false: cancelled, nothing borrowed may be touched, and gate_leave is not due */
void gate_leave(struct gate *gate);

/* When it returns, the worker has left or will never enter. */
void gate_cancel(struct gate *gate);
bool gate_cancelled(const struct gate *gate);

#endif
