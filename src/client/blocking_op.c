/* SPDX-License-Identifier: Apache-2.0 */
#include "client/blocking_op.h"

#include "base/error.h"

#include <stdlib.h>

static struct store_op *of(struct loop_blocking *blocking)
{
    return (struct store_op *)((char *)blocking - offsetof(struct store_op, blocking));
}

static void work(struct loop_blocking *blocking)
{
    struct store_op *op = of(blocking);
    if (!gate_enter(&op->gate))
        return;
    op->execute(op);
    gate_leave(&op->gate);
}

static void done(struct loop_blocking *blocking)
{
    struct store_op *op = of(blocking);
    if (!gate_cancelled(&op->gate))
        op->done(op->context, &op->answer);
    gate_destroy(&op->gate);
    free(op);
}

struct store_op *blocking_op_start(struct loop *loop, struct store *store, const struct store_request *request,
                                   void (*execute)(struct store_op *op), const uint64_t *not_after_s,
                                   store_done_fn done_fn, void *context)
{
    struct store_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    if (!gate_init(&op->gate)) {
        free(op);
        return NULL;
    }
    op->store = store;
    op->request = *request;
    op->execute = execute;
    op->expires = not_after_s != NULL;
    op->not_after_s = not_after_s ? *not_after_s : 0;
    op->done = done_fn;
    op->context = context;
    op->blocking.work = work;
    op->blocking.done = done;
    loop_run_blocking(loop, &op->blocking);
    return op;
}

void blocking_op_cancel(struct store_op *op)
{
    gate_cancel(&op->gate);
}

os_code blocking_attempt_new(const struct store_request *request, uint64_t not_after_s, struct store_attempt **ret,
                             os_error *err)
{
    struct store_attempt *attempt = calloc(1, sizeof(*attempt));
    if (attempt == NULL)
        return error_no_memory(err);
    attempt->request = *request;
    attempt->not_after_s = not_after_s;
    *ret = attempt;
    return OS_OK;
}
