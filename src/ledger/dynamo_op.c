/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of the DynamoDB ledger: a chain of requests, each signed, sent, and answered to what built it. */
#include "ledger/dynamo_internal.h"

#include "base/container.h"
#include "base/digest.h"
#include "base/error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t dynamo_op_now_s(const struct dynamo_ledger *ledger)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000) + ledger->skew_s;
}

/* ------------------------------------------------------------------------------------------------ the end */

static void drop_http(struct ledger_op *op)
{
    http_request_free(&op->http);
    buf_free(&op->body);
}

static void dynamo_op_free(struct ledger_op *op)
{
    retry_stop(&op->retry);
    drop_http(op);
    free(op->start_key);
    free(op->seen);
    free(op->failed);
    free(op);
}

void dynamo_op_finish(struct ledger_op *op, enum ledger_outcome outcome)
{
    op->answer->outcome = outcome;
    op->answer->requests = op->requests;
    op->done(op->context, op->answer);
    dynamo_op_free(op);
}

static void dynamo_op_run_failed(struct loop_job *job)
{
    struct ledger_op *op = container_of(job, struct ledger_op, failed_job);
    struct ledger_answer answer = {.found = false};
    op->posted = false;
    if (op->failed)
        answer.error = *op->failed;
    else
        error_no_memory(&answer.error);
    op->answer = &answer;
    if (op->cancelled)
        dynamo_op_free(op);
    else
        dynamo_op_finish(op, answer.error.code == OS_ERR_NO_MEMORY ? LEDGER_THROTTLED : LEDGER_REFUSED);
}

/* Nothing was sent: said later, as `done` never runs inside start. */
static void dynamo_op_fail_later(struct ledger_op *op, const os_error *err)
{
    assert(err->code != OS_OK && op->failed == NULL && !op->posted);
    op->failed = malloc(sizeof(*op->failed));
    if (op->failed)
        *op->failed = *err;
    op->posted = true;
    op->failed_job.run = dynamo_op_run_failed;
    loop_post(op->ledger->loop, &op->failed_job);
}

/* ------------------------------------------------------------------------------------------------ sending */

static os_code dynamo_op_sign(struct ledger_op *op, bool renew, os_error *err)
{
    struct dynamo_ledger *ledger = op->ledger;
    struct sigv4_keys keys;
    char payload[65];
    os_code code = credentials_get(ledger->credentials, dynamo_op_now_s(ledger), renew, &keys, err);
    if (code != OS_OK)
        return code;
    if (!sha256_hex(op->body.data, op->body.len, payload) ||
        !sigv4_sign_header(ledger->signer, &keys, dynamo_op_now_s(ledger), payload, &op->http))
        return error_no_memory(err);
    return OS_OK;
}

static void dynamo_op_http_done(void *context, const struct http_result *result);

static os_code dynamo_op_launch(struct ledger_op *op, bool renew, os_error *err)
{
    struct dynamo_target target = {.endpoint = &op->ledger->endpoint, .table = op->ledger->table};
    os_code code = op->chain->build(op, &target, err);
    if (code == OS_OK)
        code = dynamo_op_sign(op, renew, err);
    if (code != OS_OK)
        return code;
    struct http_start start = {
        .request = &op->http,
        .deadline_monotonic_ms = ledger_try_deadline(&op->request),
        .stall_ms = op->ledger->stall_ms,
        .body_max = DYNAMO_ANSWER_MAX,
        .loopback = op->ledger->endpoint.loopback,
        .done = dynamo_op_http_done,
        .done_context = op,
    };
    code = http_engine_start(loop_http(op->ledger->loop), &start, &op->http_id, err);
    if (code == OS_OK)
        op->requests++;
    return code;
}

static void relaunch(struct ledger_op *op, bool renew)
{
    os_error error;
    drop_http(op);
    if (dynamo_op_launch(op, renew, &error) != OS_OK)
        dynamo_op_fail_later(op, &error);
}

void dynamo_op_next(struct ledger_op *op, enum dynamo_step step)
{
    op->step = step;
    relaunch(op, false);
}

static void dynamo_op_attempt(struct retry *retry)
{
    relaunch(container_of(retry, struct ledger_op, retry), false);
}

/* ------------------------------------------------------------------------------------------------ answers */

static void learn_time(struct dynamo_ledger *ledger, const struct http_response *response)
{
    const char *date = http_headers_get(&response->headers, "date");
    int64_t date_s;
    struct clock_reading now;
    clock_read(&now);
    if (date && text_parse_http_date(text_from(date), &date_s))
        ledger->skew_s = date_s - (int64_t)(now.realtime_ms / 1000);
}

bool dynamo_op_repeats(struct ledger_op *op, const struct dynamo_error *detail, const struct http_response *response)
{
    if (op->repeated || (!detail->skewed && !detail->token_expired))
        return false;
    op->repeated = true;
    if (detail->skewed)
        learn_time(op->ledger, response);
    relaunch(op, detail->token_expired);
    return true;
}

/* No whole answer. What certainly never left this machine is not applied; the rest may be. */
static void read_transport(struct ledger_op *op, const struct http_result *result)
{
    enum ledger_outcome outcome = result->sent ? LEDGER_AMBIGUOUS : LEDGER_THROTTLED;
    error_set(&op->answer->error, result->code, "The %s could not be asked: %s", op->ledger->where, result->message);
    if (result->code == OS_ERR_TLS && !result->sent)
        outcome = LEDGER_REFUSED; /* the handshake failed, and nothing had left on an earlier connection */
    if (op->chain->unanswered)
        op->chain->unanswered(op, result, outcome);
    else
        dynamo_op_finish(op, outcome);
}

static void dynamo_op_http_done(void *context, const struct http_result *result)
{
    struct ledger_op *op = context;
    struct ledger_answer answer = {.requests = op->requests};
    op->http_id = 0;
    op->answer = &answer;
    if (op->cancelled)
        dynamo_op_free(op);
    else if (result->code != OS_OK)
        read_transport(op, result);
    else
        op->chain->answered(op, result->response);
}

struct ledger_op *dynamo_op_start(struct dynamo_ledger *ledger, const struct dynamo_chain *chain,
                                  const struct ledger_request *request, ledger_done_fn done, void *context)
{
    struct ledger_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->ledger = ledger;
    op->chain = chain;
    op->request = *request;
    op->done = done;
    op->context = context;
    retry_init(&op->retry, ledger->loop, dynamo_op_attempt);
    http_request_init(&op->http);
    buf_init(&op->body, 0);
    op->step = chain->first;
    os_error error;
    if (dynamo_op_launch(op, false, &error) != OS_OK)
        dynamo_op_fail_later(op, &error);
    return op;
}

void dynamo_op_cancel(struct ledger_op *op)
{
    op->cancelled = true;
    if (op->posted)
        return; /* freed by its job */
    if (op->http_id)
        http_engine_cancel(loop_http(op->ledger->loop), op->http_id); /* frees in http_done */
    else
        dynamo_op_free(op);
}
