/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/operation.h"

#include "base/container.h"
#include "base/error.h"
#include "guarded/call.h"
#include "operation/keep.h"
#include "operation/queue.h"
#include "operation/update.h"
#include "plain/call.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct os_operation {
    os_client *client;
    struct kept_arguments arguments;
    os_complete_fn complete; /* NULL: into the queue */
    void *context;
    os_queue *queue;
    struct queue_link link;
    struct loop_job job; /* its beginning */
    struct clock_reading started;
    os_cancel *cancel;            /* its own, which the call listens to */
    os_cancel *callers;           /* NULL: none */
    struct cancel_link by_caller; /* who triggers the own one, too */
    bool is_guarded;
    atomic_bool done;
    /* Of the two there is memory for one. */
    union {
        struct guarded guarded;
        struct operation_plain {
            struct plain plain;
            os_object object;
        } plain;
    } call;
};

/* ------------------------------------------------------------------------------------------------ the end */

static void operation_free(os_operation *operation)
{
    if (operation->is_guarded)
        free(operation->call.guarded.outcome.result.ticket);
    keep_free(&operation->arguments);
    os_cancel_free(operation->cancel);
    free(operation);
}

/* Loop's thread. The operation may be gone when its completion is told. */
static void operation_complete(os_operation *operation)
{
    os_client *client = operation->client;
    assert(!atomic_load(&operation->done)); /* exactly once */
    cancel_unlink(&operation->by_caller);
    atomic_store(&operation->done, true);
    client_operation_completed(client);
    if (operation->complete)
        client_report_completion(client, operation->complete, operation->context, operation);
    else
        queue_put(operation->queue, &operation->link);
    client_operation_over(client);
}

static void operation_on_guarded(struct guarded *guarded)
{
    os_operation *operation = container_of(guarded, struct os_operation, call.guarded);
    guarded_free(guarded);
    operation_complete(operation);
}

static void operation_on_plain(struct plain *plain)
{
    os_operation *operation = container_of(plain, struct os_operation, call.plain.plain);
    plain_free(plain);
    if (plain->code != OS_OK)
        operation->call.plain.object.size = 0;
    operation_complete(operation);
}

/* ------------------------------------------------------------------------------------------------ the beginning */

static void operation_on_cancelled(struct cancel_link *link)
{
    os_operation *operation = container_of(link, struct os_operation, by_caller);
    os_cancel_trigger(operation->cancel);
}

/* The deadline counts from the start: the loop may have had others to begin first. */
static void operation_take_time(os_operation *operation)
{
    struct clock_reading now;
    os_call *call = &operation->arguments.call;
    clock_read(&now);
    uint64_t waited_ms = now.monotonic_ms - operation->started.monotonic_ms;
    call->deadline_ms = call->deadline_ms > waited_ms ? call->deadline_ms - waited_ms : 1;
}

static void operation_begin(struct loop_job *job)
{
    os_operation *operation = container_of(job, struct os_operation, job);
    operation_take_time(operation);
    operation->by_caller.on_cancelled = operation_on_cancelled;
    bool listens = cancel_link(operation->callers, &operation->by_caller, operation->client->loop);
    if (!listens && operation->is_guarded)
        operation->call.guarded.step = guarded_refuse_unstarted;
    else if (!listens)
        operation->call.plain.plain.step = plain_refuse_unstarted;
    if (operation->is_guarded)
        guarded_start(&operation->call.guarded, operation_on_guarded);
    else
        plain_start(&operation->call.plain.plain, operation_on_plain);
}

static os_code operation_take_start(os_operation *operation, const os_start *start, os_call const **ret_call,
                                    os_error *err)
{
    os_start own;
    os_code code = versioned_copy(start, &own, sizeof(own), "os_start", err);
    if (code != OS_OK)
        return code;
    if ((own.complete != NULL) == (own.queue != NULL))
        return error_set(err, OS_ERR_ARGUMENT,
                         "os_start needs one of complete and queue, so that the completion can be told; it has %s.",
                         own.queue ? "both" : "none");
    operation->complete = own.complete;
    operation->queue = own.queue;
    operation->context = own.context;
    operation->link = (struct queue_link){.operation = operation, .free = operation_free};
    *ret_call = own.call;
    return OS_OK;
}

static os_code operation_take_request(os_operation *operation, const struct operation_request *request, os_error *err)
{
    struct kept_arguments *kept = &operation->arguments;
    const os_call *call = NULL;
    os_code code = operation_take_start(operation, request->start, &call, err);
    if (code != OS_OK)
        return code;
    operation->is_guarded = request->plain == NULL;
    if (request->update)
        code = keep_update(request->update, call, kept, err);
    else
        code = request->guarded ? keep_guarded(request->guarded, call, kept, err)
                                : keep_plain(request->plain, call, kept, err);
    operation->callers = kept->call.cancel;
    kept->call.cancel = operation->cancel;
    if (operation->is_guarded) {
        guarded_init(&operation->call.guarded, operation->client, &kept->guarded,
                     request->update ? operation_update : request->guarded_first);
        return code;
    }
    struct operation_plain *plain = &operation->call.plain;
    plain_init(&plain->plain, operation->client, &kept->plain, request->plain_first);
    plain->object = (os_object)OS_OBJECT_INIT;
    kept->plain.ret = &plain->object;
    return code;
}

static os_code operation_new(os_client *client, const struct operation_request *request, os_operation **ret,
                             os_error *err)
{
    size_t call_size = request->plain ? sizeof(struct operation_plain) : sizeof(struct guarded);
    os_operation *operation = calloc(1, offsetof(os_operation, call) + call_size);
    if (operation == NULL)
        return error_no_memory(err);
    operation->client = client;
    operation->job.run = operation_begin;
    clock_read(&operation->started);
    os_code code = os_cancel_new(&operation->cancel) == OS_OK ? operation_take_request(operation, request, err)
                                                              : error_no_memory(err);
    if (code == OS_OK)
        code = client_operation_enter(client, err);
    if (code != OS_OK) {
        operation_free(operation);
        return code;
    }
    *ret = operation;
    return OS_OK;
}

os_code operation_start(os_client *client, const struct operation_request *request, os_operation **ret, os_error *err)
{
    os_operation *operation = NULL;
    error_clear(err);
    os_code code = operation_new(client, request, &operation, err);
    if (code != OS_OK)
        return code;
    if (ret)
        *ret = operation;
    loop_post(client->loop, &operation->job);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ public */

static bool is_done(const os_operation *operation)
{
    return atomic_load(&operation->done);
}

os_verdict os_operation_verdict(const os_operation *operation)
{
    if (!operation->is_guarded || !is_done(operation))
        return (os_verdict)0;
    return operation->call.guarded.outcome.verdict;
}

const os_error *os_operation_error(const os_operation *operation)
{
    if (!is_done(operation))
        return NULL;
    return operation->is_guarded ? &operation->call.guarded.outcome.error : &operation->call.plain.plain.error;
}

os_code os_operation_code(const os_operation *operation)
{
    const os_error *error = os_operation_error(operation);
    return error ? error->code : OS_ERR_UNDECIDED;
}

const os_result *os_operation_result(const os_operation *operation)
{
    bool told = operation->is_guarded && is_done(operation);
    return told ? &operation->call.guarded.outcome.result : NULL;
}

const os_object *os_operation_object(const os_operation *operation)
{
    return !operation->is_guarded && is_done(operation) ? &operation->call.plain.object : NULL;
}

void *os_operation_context(const os_operation *operation)
{
    return operation->context;
}

void os_operation_cancel(os_operation *operation)
{
    os_cancel_trigger(operation->cancel);
}

void os_operation_free(os_operation *operation)
{
    if (operation && is_done(operation))
        operation_free(operation);
}
