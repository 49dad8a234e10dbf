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
    if (!atomic_load(&op->cancelled))
        op->execute(op);
    pthread_mutex_lock(&op->mutex);
    op->finished = true;
    pthread_cond_signal(&op->finished_cond);
    pthread_mutex_unlock(&op->mutex);
}

static void done(struct loop_blocking *blocking)
{
    struct store_op *op = of(blocking);
    if (!atomic_load(&op->cancelled))
        op->done(op->context, &op->answer);
    pthread_cond_destroy(&op->finished_cond);
    pthread_mutex_destroy(&op->mutex);
    free(op);
}

struct store_op *blocking_op_start(struct loop *loop, struct store *store, const struct store_request *request,
                                   void (*execute)(struct store_op *op), const uint64_t *not_after_s,
                                   store_done_fn done_fn, void *context)
{
    struct store_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    if (pthread_mutex_init(&op->mutex, NULL) != 0) {
        free(op);
        return NULL;
    }
    if (pthread_cond_init(&op->finished_cond, NULL) != 0) {
        pthread_mutex_destroy(&op->mutex);
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
    atomic_store(&op->cancelled, 1);
    pthread_mutex_lock(&op->mutex);
    while (!op->finished)
        pthread_cond_wait(&op->finished_cond, &op->mutex);
    pthread_mutex_unlock(&op->mutex);
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
