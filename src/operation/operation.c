/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/operation.h"

#include "base/container.h"
#include "base/error.h"
#include "guarded/call.h"
#include "holding/call.h"
#include "operation/keep.h"
#include "operation/queue.h"
#include "operation/update.h"
#include "plain/call.h"

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum operation_kind { OPERATION_GUARDED, OPERATION_PLAIN, OPERATION_HOLDING };

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
    enum operation_kind kind;
    atomic_bool done;
    /* Of these there is memory for one. */
    union {
        struct guarded guarded;
        struct operation_plain {
            struct plain plain;
            os_object object;
        } plain;
        struct operation_holding {
            struct holding holding;
            os_lease *lease;          /* own, until somebody takes it */
            os_lease_info lease_info; /* its size is 0 until it tells something */
            os_lock_info lock_info;   /* the same */
        } holding;
    } call;
};

/* ------------------------------------------------------------------------------------------------ the end */

static void operation_free(os_operation *operation)
{
    if (operation->kind == OPERATION_GUARDED)
        free(operation->call.guarded.outcome.result.ticket);
    if (operation->kind == OPERATION_HOLDING)
        holding_let_go(operation->call.holding.lease);
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

static void operation_on_holding(struct holding *holding)
{
    os_operation *operation = container_of(holding, struct os_operation, call.holding.holding);
    holding_free(holding);
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

/* What ends a lease goes on all the same: its caller has given that away. */
static void operation_refuse(os_operation *operation)
{
    switch (operation->kind) {
    case OPERATION_GUARDED: operation->call.guarded.step = guarded_refuse_unstarted; break;
    case OPERATION_PLAIN: operation->call.plain.plain.step = plain_refuse_unstarted; break;
    case OPERATION_HOLDING:
        if (operation->arguments.holding.lease == NULL)
            operation->call.holding.holding.step = holding_refuse_unstarted;
        break;
    }
}

static void operation_begin(struct loop_job *job)
{
    os_operation *operation = container_of(job, struct os_operation, job);
    operation_take_time(operation);
    operation->by_caller.on_cancelled = operation_on_cancelled;
    if (!cancel_link(operation->callers, &operation->by_caller, operation->client->loop))
        operation_refuse(operation);
    if (cancel_triggered(operation->callers))
        os_cancel_trigger(operation->cancel); /* before the first request, whose answer could come first */
    switch (operation->kind) {
    case OPERATION_GUARDED: guarded_start(&operation->call.guarded, operation_on_guarded); break;
    case OPERATION_PLAIN: plain_start(&operation->call.plain.plain, operation_on_plain); break;
    case OPERATION_HOLDING: holding_start(&operation->call.holding.holding, operation_on_holding); break;
    }
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

static void operation_init_plain(os_operation *operation, plain_step_fn first)
{
    struct operation_plain *plain = &operation->call.plain;
    struct plain_arguments *arguments = &operation->arguments.plain;
    plain_init(&plain->plain, operation->client, arguments, first);
    plain->object = (os_object)OS_OBJECT_INIT;
    arguments->ret = &plain->object;
}

static void operation_init_holding(os_operation *operation, holding_step_fn first)
{
    struct operation_holding *holding = &operation->call.holding;
    struct holding_arguments *arguments = &operation->arguments.holding;
    holding_init(&holding->holding, operation->client, arguments, first);
    arguments->ret = &holding->lease;
    arguments->ret_info = &holding->lease_info;
    arguments->ret_lock_info = &holding->lock_info;
}

static void operation_init_call(os_operation *operation, const struct operation_request *request)
{
    struct kept_arguments *kept = &operation->arguments;
    switch (operation->kind) {
    case OPERATION_GUARDED:
        guarded_init(&operation->call.guarded, operation->client, &kept->guarded,
                     request->update ? operation_update : request->guarded_first);
        break;
    case OPERATION_PLAIN: operation_init_plain(operation, request->plain_first); break;
    case OPERATION_HOLDING: operation_init_holding(operation, request->holding_first); break;
    }
}

static os_code operation_take_request(os_operation *operation, const struct operation_request *request, os_error *err)
{
    struct kept_arguments *kept = &operation->arguments;
    const os_call *call = NULL;
    os_code code = operation_take_start(operation, request->start, &call, err);
    if (code != OS_OK)
        return code;
    if (request->update)
        code = keep_update(request->update, call, kept, err);
    else if (request->guarded)
        code = keep_guarded(request->guarded, call, kept, err);
    else if (request->plain)
        code = keep_plain(request->plain, call, kept, err);
    else
        code = keep_holding(request->holding, call, kept, err);
    operation->callers = kept->call.cancel;
    kept->call.cancel = operation->cancel;
    return code;
}

/* A closed client is gone, and only its lease knows that. */
static os_code operation_enter(os_operation *operation, const struct operation_request *request, os_error *err)
{
    os_lease *lease = request->holding ? request->holding->lease : NULL;
    return lease ? holding_enter_operation(lease, &operation->client, err)
                 : client_operation_enter(operation->client, err);
}

static size_t operation_size(enum operation_kind kind)
{
    size_t head = offsetof(os_operation, call);
    switch (kind) {
    case OPERATION_PLAIN: return head + sizeof(struct operation_plain);
    case OPERATION_HOLDING: return head + sizeof(struct operation_holding);
    case OPERATION_GUARDED: break;
    }
    return head + sizeof(struct guarded);
}

static enum operation_kind operation_kind_of(const struct operation_request *request)
{
    if (request->holding)
        return OPERATION_HOLDING;
    return request->plain ? OPERATION_PLAIN : OPERATION_GUARDED;
}

static os_code operation_new(os_client *client, const struct operation_request *request, os_operation **ret,
                             os_error *err)
{
    enum operation_kind kind = operation_kind_of(request);
    os_operation *operation = calloc(1, operation_size(kind));
    if (operation == NULL)
        return error_no_memory(err);
    operation->kind = kind;
    operation->client = client;
    operation->job.run = operation_begin;
    clock_read(&operation->started);
    os_code code = os_cancel_new(&operation->cancel) == OS_OK ? operation_take_request(operation, request, err)
                                                              : error_no_memory(err);
    if (code == OS_OK)
        code = operation_enter(operation, request, err);
    if (code != OS_OK) {
        operation_free(operation);
        return code;
    }
    operation_init_call(operation, request);
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
    loop_post(operation->client->loop, &operation->job);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ public */

static bool is_done(const os_operation *operation)
{
    return atomic_load(&operation->done);
}

os_verdict os_operation_verdict(const os_operation *operation)
{
    if (operation->kind != OPERATION_GUARDED || !is_done(operation))
        return (os_verdict)0;
    return operation->call.guarded.outcome.verdict;
}

const os_error *os_operation_error(const os_operation *operation)
{
    if (!is_done(operation))
        return NULL;
    switch (operation->kind) {
    case OPERATION_PLAIN: return &operation->call.plain.plain.error;
    case OPERATION_HOLDING: return &operation->call.holding.holding.error;
    case OPERATION_GUARDED: break;
    }
    return &operation->call.guarded.outcome.error;
}

os_code os_operation_code(const os_operation *operation)
{
    const os_error *error = os_operation_error(operation);
    return error ? error->code : OS_ERR_UNDECIDED;
}

const os_result *os_operation_result(const os_operation *operation)
{
    bool told = operation->kind == OPERATION_GUARDED && is_done(operation);
    return told ? &operation->call.guarded.outcome.result : NULL;
}

const os_object *os_operation_object(const os_operation *operation)
{
    return operation->kind == OPERATION_PLAIN && is_done(operation) ? &operation->call.plain.object : NULL;
}

static bool tells_of_holding(const os_operation *operation)
{
    return operation->kind == OPERATION_HOLDING && is_done(operation);
}

os_lease *os_operation_lease(os_operation *operation)
{
    if (!tells_of_holding(operation))
        return NULL;
    os_lease *lease = operation->call.holding.lease;
    operation->call.holding.lease = NULL;
    return lease;
}

const os_lease_info *os_operation_lease_info(const os_operation *operation)
{
    return tells_of_holding(operation) ? &operation->call.holding.lease_info : NULL;
}

const os_lock_info *os_operation_lock_info(const os_operation *operation)
{
    return tells_of_holding(operation) ? &operation->call.holding.lock_info : NULL;
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
