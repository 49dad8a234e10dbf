/* SPDX-License-Identifier: Apache-2.0 */
/* A store request that blocks, run on a worker thread: shared by the embedded store and the one with Signature V2. */
#ifndef OSCOMMIT_STORE_WORKER_OP_H
#define OSCOMMIT_STORE_WORKER_OP_H

#include "loop/borrow.h"
#include "store/lock_line.h"
#include "store/store.h"

/* A guarded write of a store without query signatures. */
struct store_attempt {
    struct store_request request;
    uint64_t not_after_s; /* the store's own time until which it may be admitted */
};

/* What a store does with its requests. Static data. */
struct blocking_kind {
    /* On a worker: fills `answer`; looks at the gate, as told below. Where others have what it needs it sets `waits`
     * instead, and gives the worker back. */
    void (*execute)(struct store_op *op);
    /* These on the loop's thread; NULL where `waits` is never set. */
    bool (*must_wait)(struct store_op *op); /* before it is executed at all */
    void (*wait)(struct store_op *op);      /* keeps it until blocking_op_resume, _end or _cancel */
    void (*ended)(struct store_op *op);     /* it is freed next: also a cancelled one, waiting or not */
    bool attempts;                          /* the writes of guards */
};

struct store_op {
    struct loop_blocking blocking;
    struct store *store;
    struct store_request request;
    bool expires;
    uint64_t not_after_s;
    const struct blocking_kind *kind;
    struct store_answer answer;
    struct borrow borrow;
    bool waits;                         /* set by `execute` */
    bool parked;                        /* `wait` has it */
    struct lock_waiter waiter;          /* these five are the embedded store's */
    size_t lock_number;                 /* of its key, which is borrowed */
    bool locked;                        /* it had the lock of its key */
    struct file_store *files;           /* of a COMPLETE, with the next */
    struct file_completion *completion; /* checked; what is left to do needs the lock */
    store_done_fn done;
    void *context;
};

/* NULL when out of memory. */
struct store_op *blocking_op_start(struct loop *loop, struct store *store, const struct store_request *request,
                                   const struct blocking_kind *kind, const uint64_t *not_after_s, store_done_fn done,
                                   void *context);

void blocking_op_resume(struct store_op *op); /* one that waits is executed again */
void blocking_op_end(struct store_op *op);    /* one that waits is done, with the answer that it has */

/* Waits until the worker has let go of what the request borrows: soon, as the worker looks at the gate wherever it
 * waits for others, and at each block that it reads, digests or copies; only a flush to disk that has begun is waited
 * for to its end. At once when no worker has come to it yet, or it waits without one. */
void blocking_op_cancel(struct store_op *op);

os_code blocking_attempt_new(const struct store_request *request, uint64_t not_after_s, struct store_attempt **ret,
                             os_error *err);

#endif
