/* SPDX-License-Identifier: Apache-2.0 */
#include "store/worker_op.h"

#include "base/container.h"
#include "base/error.h"

#include <stdlib.h>

static struct store_op *worker_op_of(struct loop_blocking *blocking)
{
    return container_of(blocking, struct store_op, blocking);
}

static void worker_op_work(struct loop_blocking *blocking)
{
    struct store_op *op = worker_op_of(blocking);
    if (!borrow_enter(&op->borrow))
        return;
    op->kind->execute(op);
    borrow_leave(&op->borrow);
}

static void worker_op_end(struct store_op *op)
{
    if (op->kind->ended)
        op->kind->ended(op);
    if (!borrow_is_cancelled(&op->borrow))
        op->done(op->context, &op->answer);
    borrow_destroy(&op->borrow);
    free(op);
}

static void park(struct store_op *op)
{
    op->waits = false;
    op->parked = true;
    op->kind->wait(op);
}

static void worker_op_done(struct loop_blocking *blocking)
{
    struct store_op *op = worker_op_of(blocking);
    if (op->waits && !borrow_is_cancelled(&op->borrow))
        park(op);
    else
        worker_op_end(op);
}

/* Uploads and downloads go by verb, not by size: nobody knows how slow who gives or takes the bytes is. */
static enum loop_lane lane_of(enum store_verb verb)
{
    switch (verb) {
    case STORE_GET:
    case STORE_LIST:
    case STORE_LIST_UPLOADS: return LOOP_READS;
    case STORE_PUT:
    case STORE_COPY:
    case STORE_DELETE:
    case STORE_UPLOAD_PART:
    case STORE_UPLOAD_PART_COPY:
    case STORE_COMPLETE: return LOOP_WRITES;
    default: return LOOP_LOOKS;
    }
}

struct store_op *blocking_op_start(struct loop *loop, struct store *store, const struct store_request *request,
                                   const struct blocking_kind *kind, const uint64_t *not_after_s, store_done_fn done_fn,
                                   void *context)
{
    struct store_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    if (!borrow_init(&op->borrow)) {
        free(op);
        return NULL;
    }
    op->store = store;
    op->request = *request;
    op->kind = kind;
    op->expires = not_after_s != NULL;
    op->not_after_s = not_after_s ? *not_after_s : 0;
    op->done = done_fn;
    op->context = context;
    op->blocking.work = worker_op_work;
    op->blocking.done = worker_op_done;
    op->blocking.loop = loop;
    op->blocking.lane = kind->attempts ? LOOP_ATTEMPTS : lane_of(request->verb);
    if (kind->must_wait && kind->must_wait(op))
        park(op);
    else
        loop_run_blocking(loop, &op->blocking);
    return op;
}

void blocking_op_resume(struct store_op *op)
{
    op->parked = false;
    loop_run_blocking(op->blocking.loop, &op->blocking);
}

void blocking_op_end(struct store_op *op)
{
    op->parked = false;
    worker_op_end(op);
}

void blocking_op_cancel(struct store_op *op)
{
    borrow_cancel(&op->borrow);
    if (op->parked)
        worker_op_end(op);
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
