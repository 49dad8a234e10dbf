/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of the DynamoDB table: a chain of requests, each signed, sent, and answered to what built it. */
#include "table/dynamo_internal.h"

#include "base/container.h"
#include "base/digest.h"
#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t dynamo_op_now_s(const struct dynamo_service *service)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000) + service->skew_s;
}

/* ------------------------------------------------------------------------------------------------ the end */

static void drop_http(struct table_op *op)
{
    http_request_free(&op->http);
    buf_free(&op->body);
}

static void dynamo_op_free(struct table_op *op)
{
    retry_stop(&op->retry);
    drop_http(op);
    free(op->start_key);
    free(op->seen);
    free(op->failed);
    free(op);
}

void dynamo_op_finish(struct table_op *op, enum table_outcome outcome)
{
    op->answer->outcome = outcome;
    op->answer->requests = op->requests;
    op->done(op->context, op->answer);
    dynamo_op_free(op);
}

static void dynamo_op_run_failed(struct loop_job *job)
{
    struct table_op *op = container_of(job, struct table_op, failed_job);
    struct table_answer answer = {.found = false};
    op->posted = false;
    if (op->failed)
        answer.error = *op->failed;
    else
        error_no_memory(&answer.error);
    op->answer = &answer;
    if (op->cancelled)
        dynamo_op_free(op);
    else
        dynamo_op_finish(op, answer.error.code == OS_ERR_NO_MEMORY ? TABLE_THROTTLED : TABLE_REFUSED);
}

/* Nothing was sent: said later, as `done` never runs inside start. */
static void dynamo_op_fail_later(struct table_op *op, const os_error *err)
{
    assert(err->code != OS_OK && op->failed == NULL && !op->posted);
    op->failed = malloc(sizeof(*op->failed));
    if (op->failed)
        *op->failed = *err;
    op->posted = true;
    op->failed_job.run = dynamo_op_run_failed;
    loop_post(op->service->loop, &op->failed_job);
}

/* ------------------------------------------------------------------------------------------------ sending */

static os_code dynamo_op_sign(struct table_op *op, os_error *err)
{
    struct dynamo_service *service = op->service;
    struct sigv4_keys keys;
    char payload[65];
    os_code code = credentials_get(service->credentials, &keys, err);
    if (code != OS_OK)
        return code;
    if (!sha256_hex(op->body.data, op->body.len, payload) ||
        !sigv4_sign_header(service->signer, &keys, dynamo_op_now_s(service), payload, &op->http))
        return error_no_memory(err);
    return OS_OK;
}

static void dynamo_op_http_done(void *context, const struct http_result *result);

static os_code dynamo_op_launch(struct table_op *op, os_error *err)
{
    struct dynamo_target target = {
        .endpoint = &op->service->endpoint, .table = op->service->name, .schema = op->request.schema};
    os_code code = op->chain->build(op, &target, err);
    if (code == OS_OK)
        code = dynamo_op_sign(op, err);
    if (code != OS_OK)
        return code;
    struct http_start start = {
        .request = &op->http,
        .deadline_monotonic_ms = table_try_deadline(&op->request),
        .stall_ms = op->service->stall_ms,
        .body_max = DYNAMO_ANSWER_MAX,
        .loopback = op->service->endpoint.loopback,
        .once = op->request.once,
        .done = dynamo_op_http_done,
        .done_context = op,
    };
    code = http_engine_start(loop_http(op->service->loop), &start, &op->http_id, err);
    if (code == OS_OK)
        op->requests++;
    return code;
}

static void dynamo_op_on_keys(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct table_op *op = container_of(waiter, struct table_op, keys);
    os_error error;
    if (why_none != NULL)
        dynamo_op_fail_later(op, why_none);
    else if (dynamo_op_launch(op, &error) != OS_OK)
        dynamo_op_fail_later(op, &error);
}

/* With `refused` the keys of the last time are no good any more. */
static void launch(struct table_op *op, bool refused)
{
    credentials_ask(op->service->credentials, refused, &op->keys);
}

static void relaunch(struct table_op *op, bool refused)
{
    drop_http(op);
    launch(op, refused);
}

void dynamo_op_next(struct table_op *op, enum dynamo_step step)
{
    op->step = step;
    relaunch(op, false);
}

static void dynamo_op_attempt(struct retry *retry)
{
    relaunch(container_of(retry, struct table_op, retry), false);
}

/* ------------------------------------------------------------------------------------------------ answers */

static void read_date(const struct http_response *response, struct table_answer *answer)
{
    const char *date = http_headers_get(&response->headers, "date");
    answer->has_date = date != NULL && text_parse_http_date(text_from(date), &answer->date_s);
}

static void learn_time(struct dynamo_service *service, const struct table_answer *answer)
{
    struct clock_reading now;
    clock_read(&now);
    if (answer->has_date)
        service->skew_s = answer->date_s - (int64_t)(now.realtime_ms / 1000);
}

bool dynamo_op_repeats(struct table_op *op, const struct dynamo_error *detail)
{
    if (op->repeated || (!detail->skewed && !detail->token_expired))
        return false;
    op->repeated = true;
    if (detail->skewed)
        learn_time(op->service, op->answer);
    relaunch(op, detail->token_expired);
    return true;
}

/* No whole answer. What certainly never left this machine is not applied; the rest may be. */
static void read_transport(struct table_op *op, const struct http_result *result)
{
    enum table_outcome outcome = result->sent ? TABLE_AMBIGUOUS : TABLE_THROTTLED;
    error_set(&op->answer->error, result->code, "The %s could not be asked: %s", op->service->where, result->message);
    if (result->code == OS_ERR_TLS && !result->sent)
        outcome = TABLE_REFUSED; /* the handshake failed, and nothing had left on an earlier connection */
    if (op->chain->unanswered)
        op->chain->unanswered(op, result, outcome);
    else
        dynamo_op_finish(op, outcome);
}

static void dynamo_op_http_done(void *context, const struct http_result *result)
{
    struct table_op *op = context;
    struct table_answer answer = {.requests = op->requests};
    op->http_id = 0;
    op->answer = &answer;
    if (op->cancelled) {
        dynamo_op_free(op);
    } else if (result->code != OS_OK) {
        read_transport(op, result);
    } else {
        read_date(result->response, &answer);
        op->chain->answered(op, result->response);
    }
}

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
    retry_init(&op->retry, service->loop, dynamo_op_attempt);
    http_request_init(&op->http);
    buf_init(&op->body, 0);
    op->step = chain->first;
    op->keys.ready = dynamo_op_on_keys;
    launch(op, false);
    return op;
}

void dynamo_op_cancel(struct table_op *op)
{
    op->cancelled = true;
    if (op->posted)
        return; /* freed by its job */
    credentials_leave(op->service->credentials, &op->keys);
    if (op->http_id)
        http_engine_cancel(loop_http(op->service->loop), op->http_id); /* frees in http_done */
    else
        dynamo_op_free(op);
}
