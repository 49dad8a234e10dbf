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

struct borrow {
    struct monitor monitor; /* of `inside`, and of `cancelled` against it; woken when the worker leaves */
    bool inside;
    _Atomic int cancelled; /* may be read at any time: work that waits looks at it */
};

bool borrow_init(struct borrow *borrow); /* false: out of resources */
void borrow_destroy(struct borrow *borrow);

bool borrow_enter(
    struct borrow *borrow); /* false: cancelled, nothing borrowed may be touched, and borrow_leave is not due */
void borrow_leave(struct borrow *borrow);

/* When it returns, the worker has left or will never enter. */
void borrow_cancel(struct borrow *borrow);
bool borrow_is_cancelled(const struct borrow *borrow);

#endif
