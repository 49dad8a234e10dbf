/* SPDX-License-Identifier: Apache-2.0 */
/* A store request that blocks, run on a worker thread: shared by the embedded store and the one over libs3. */
#ifndef OSCOMMIT_CLIENT_BLOCKING_OP_H
#define OSCOMMIT_CLIENT_BLOCKING_OP_H

#include "client/gate.h"
#include "client/store.h"

/* A guarded write of a store without query signatures. */
struct store_attempt {
    struct store_request request;
    uint64_t not_after_s; /* the store's own time until which it may be admitted */
};

struct store_op {
    struct loop_blocking blocking;
    struct store *store;
    struct store_request request;
    bool expires;
    uint64_t not_after_s;
    void (*execute)(struct store_op *op); /* on a worker: fills `answer`; looks at the gate, as told below */
    struct store_answer answer;
    struct gate gate;
    store_done_fn done;
    void *context;
};

/* NULL when out of memory. */
struct store_op *blocking_op_start(struct loop *loop, struct store *store, const struct store_request *request,
                                   void (*execute)(struct store_op *op), const uint64_t *not_after_s,
                                   store_done_fn done, void *context);

/* Waits until the worker has let go of what the request borrows: soon, as the worker looks at the gate wherever it
 * waits for others, and at each block that it reads, digests or copies; only a flush to disk that has begun is waited
 * for to its end. At once when no worker has come to it yet. */
void blocking_op_cancel(struct store_op *op);

os_code blocking_attempt_new(const struct store_request *request, uint64_t not_after_s, struct store_attempt **ret,
                             os_error *err);

#endif
