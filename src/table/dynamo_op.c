/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of the DynamoDB table: a chain of requests, each answered to what built it. */
#include "table/dynamo_internal.h"

#include "base/container.h"
#include "base/error.h"

#include <stdlib.h>

static struct table_op *op_of(struct dynamo_call *call)
{
    return container_of(call, struct table_op, call);
}

/* ------------------------------------------------------------------------------------------------ the end */

static void dynamo_op_free(struct table_op *op)
{
    retry_stop(&op->retry);
    dynamo_call_free(&op->call);
    free(op->start_key);
    free(op->seen);
    free(op);
}

static void dynamo_op_cancelled(struct dynamo_call *call)
{
    dynamo_op_free(op_of(call));
}

void dynamo_op_finish(struct table_op *op, enum table_outcome outcome)
{
    op->answer->outcome = outcome;
    op->answer->requests = op->call.requests;
    op->done(op->context, op->answer);
    dynamo_op_free(op);
}

static void dynamo_op_failed(struct dynamo_call *call, const os_error *why)
{
    struct table_answer answer = {.error = *why};
    op_of(call)->answer = &answer;
    dynamo_op_finish(op_of(call), why->code == OS_ERR_NO_MEMORY ? TABLE_THROTTLED : TABLE_REFUSED);
}

/* ------------------------------------------------------------------------------------------------ the chain */

static os_code dynamo_op_build(struct dynamo_call *call, os_error *err)
{
    struct table_op *op = op_of(call);
    struct dynamo_target target = {
        .endpoint = &call->connection->endpoint, .table = op->service->name, .schema = op->request.schema};
    return op->chain->build(op, &target, err);
}

void dynamo_op_next(struct table_op *op, enum dynamo_step step)
{
    op->step = step;
    dynamo_call_send(&op->call);
}

static void dynamo_op_attempt(struct retry *retry)
{
    dynamo_call_send(&container_of(retry, struct table_op, retry)->call);
}

/* What certainly never left this machine is not applied; the rest may be. */
static void dynamo_op_unanswered(struct dynamo_call *call, const struct http_result *result, enum table_outcome outcome)
{
    struct table_op *op = op_of(call);
    struct table_answer answer = {.requests = call->requests};
    op->answer = &answer;
    error_set(&answer.error, result->code, "The %s could not be asked: %s", op->service->where, result->message);
    if (op->chain->unanswered)
        op->chain->unanswered(op, result, outcome);
    else
        dynamo_op_finish(op, outcome);
}

static void dynamo_op_answered(struct dynamo_call *call, const struct http_response *response)
{
    struct table_answer answer = {.requests = call->requests, .has_date = call->has_date, .date_s = call->date_s};
    op_of(call)->answer = &answer;
    op_of(call)->chain->answered(op_of(call), response);
}

static const struct dynamo_caller op_caller = {
    .build = dynamo_op_build,
    .answered = dynamo_op_answered,
    .unanswered = dynamo_op_unanswered,
    .failed = dynamo_op_failed,
    .cancelled = dynamo_op_cancelled,
};

struct table_op *dynamo_op_start(struct dynamo_service *service, const struct dynamo_chain *chain,
                                 const struct table_request *request, table_done_fn done, void *context)
{
    struct table_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->service = service;
    op->chain = chain;
    op->request = *request;
    op->done = done;
    op->context = context;
    retry_init(&op->retry, service->connection.loop, dynamo_op_attempt);
    dynamo_call_init(&op->call, &op_caller, &service->connection);
    op->call.deadline_monotonic_ms = request->deadline_monotonic_ms;
    op->call.try_ms = request->try_ms;
    op->call.once = request->once;
    if (chain->begin != NULL)
        chain->begin(op);
    dynamo_call_send(&op->call);
    return op;
}
