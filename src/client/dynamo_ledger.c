/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger over DynamoDB (or what speaks its protocol): builds with dynamo/, signs with aws/, sends with http/, reads
 * with dynamo/. */
#include "client/dynamo_ledger_internal.h"

#include "aws/digest.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dynamo_ledger *of(struct ledger *ledger)
{
    return (struct dynamo_ledger *)ledger;
}

static int64_t now_s(const struct dynamo_ledger *ledger)
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

static void op_free(struct ledger_op *op)
{
    loop_timer_clear(op->ledger->loop, &op->timer);
    drop_http(op);
    free(op->start_key);
    free(op->seen);
    free(op);
}

void dynamo_op_finish(struct ledger_op *op, enum ledger_outcome outcome)
{
    op->answer.outcome = outcome;
    op->done(op->context, &op->answer);
    op_free(op);
}

static void run_failed(struct loop_job *job)
{
    struct ledger_op *op = (struct ledger_op *)((char *)job - offsetof(struct ledger_op, failed_job));
    op->posted = false;
    if (op->cancelled)
        op_free(op);
    else
        dynamo_op_finish(op, op->answer.outcome);
}

/* Nothing was sent: said later, as `done` never runs inside start. */
static void fail_later(struct ledger_op *op)
{
    os_code code = op->answer.error.code;
    op->answer.outcome = code == OS_ERR_NO_MEMORY ? LEDGER_THROTTLED : LEDGER_REFUSED;
    op->posted = true;
    op->failed_job.run = run_failed;
    loop_post(op->ledger->loop, &op->failed_job);
}

/* ------------------------------------------------------------------------------------------------ sending */

static os_code build(struct ledger_op *op, os_error *err)
{
    const struct ledger_request *request = &op->request;
    struct dynamo_target target = {.endpoint = &op->ledger->endpoint, .table = op->ledger->table};
    switch (request->verb) {
    case LEDGER_PUT:
        return dynamo_build_put(&target, request->path, request->etag, request->record, request->upload,
                                request->condition, &op->http, &op->body, err);
    case LEDGER_DELETE:
        return dynamo_build_delete(&target, request->path, request->etag, request->condition, &op->http, &op->body,
                                   err);
    case LEDGER_GET: return dynamo_build_get(&target, request->path, request->etag, &op->http, &op->body, err);
    case LEDGER_LIST: return dynamo_list_build(op, &target, err);
    case LEDGER_MEND: return dynamo_mend_build(op, &target, err);
    default: return dynamo_table_build(op, &target, err);
    }
}

static os_code sign(struct ledger_op *op, bool renew, os_error *err)
{
    struct dynamo_ledger *ledger = op->ledger;
    struct sigv4_keys keys;
    char payload[65];
    os_code code = credentials_get(ledger->credentials, now_s(ledger), renew, &keys, err);
    if (code != OS_OK)
        return code;
    if (!sha256_hex(op->body.data, op->body.len, payload) ||
        !sigv4_sign_header(ledger->signer, &keys, now_s(ledger), payload, &op->http))
        return error_no_memory(err);
    return OS_OK;
}

static void http_done(void *context, const struct http_result *result);

static os_code launch(struct ledger_op *op, bool renew)
{
    os_error *err = &op->answer.error;
    os_code code = build(op, err);
    if (code == OS_OK)
        code = sign(op, renew, err);
    if (code != OS_OK)
        return code;
    struct http_start start = {
        .request = &op->http,
        .deadline_monotonic_ms = ledger_try_deadline(&op->request),
        .stall_ms = op->ledger->stall_ms,
        .body_max = DYNAMO_ANSWER_MAX,
        .loopback = op->ledger->endpoint.loopback,
        .done = http_done,
        .done_context = op,
    };
    code = http_engine_start(loop_http(op->ledger->loop), &start, &op->http_id, err);
    if (code == OS_OK)
        op->answer.requests++;
    return code;
}

static void relaunch(struct ledger_op *op, bool renew)
{
    drop_http(op);
    if (launch(op, renew) != OS_OK)
        fail_later(op);
}

void dynamo_op_next(struct ledger_op *op, enum dynamo_step step)
{
    op->step = step;
    relaunch(op, false);
}

void dynamo_op_later(struct ledger_op *op)
{
    loop_timer_set(op->ledger->loop, &op->timer, backoff_next_ms(&op->backoff));
}

static void on_timer(struct loop_timer *timer)
{
    relaunch((struct ledger_op *)((char *)timer - offsetof(struct ledger_op, timer)), false);
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

static void read_record(struct ledger_op *op, const struct http_response *response)
{
    const struct ledger_request *request = &op->request;
    struct ledger_answer *answer = &op->answer;
    struct dynamo_error detail;
    enum ledger_outcome outcome;
    if (request->verb == LEDGER_PUT)
        outcome = dynamo_read_put(response, op->ledger->where, request->path, request->etag, &answer->record,
                                  answer->upload, &detail, &answer->error);
    else if (request->verb == LEDGER_DELETE)
        outcome = dynamo_read_delete(response, op->ledger->where, request->path, request->etag, &answer->record,
                                     answer->upload, &detail, &answer->error);
    else
        outcome = dynamo_read_get(response, op->ledger->where, request->path, request->etag, &answer->found,
                                  &answer->record, answer->upload, &detail, &answer->error);
    answer->foreign = detail.foreign;
    if (!dynamo_op_repeats(op, &detail, response))
        dynamo_op_finish(op, outcome);
}

/* No whole answer. What certainly never left this machine is not applied; the rest may be. */
static void read_transport(struct ledger_op *op, const struct http_result *result)
{
    enum ledger_outcome outcome = result->sent ? LEDGER_AMBIGUOUS : LEDGER_THROTTLED;
    error_set(&op->answer.error, result->code, "The %s could not be asked: %s", op->ledger->where, result->message);
    if (result->code == OS_ERR_TLS && !result->sent)
        outcome = LEDGER_REFUSED; /* the handshake failed, and nothing had left on an earlier connection */
    if (op->request.verb == LEDGER_LIST)
        dynamo_list_unanswered(op, result, outcome);
    else
        dynamo_op_finish(op, outcome);
}

static void http_done(void *context, const struct http_result *result)
{
    struct ledger_op *op = context;
    op->http_id = 0;
    memset(&op->answer.error, 0, sizeof(op->answer.error));
    if (op->cancelled)
        op_free(op);
    else if (result->code != OS_OK)
        read_transport(op, result);
    else if (op->request.verb == LEDGER_LIST)
        dynamo_list_answered(op, result->response);
    else if (op->request.verb == LEDGER_MEND)
        dynamo_mend_answered(op, result->response);
    else if (op->request.verb == LEDGER_PUT || op->request.verb == LEDGER_GET || op->request.verb == LEDGER_DELETE)
        read_record(op, result->response);
    else
        dynamo_table_answered(op, result->response);
}

/* ------------------------------------------------------------------------------------------------ the interface */

static struct ledger_op *dynamo_start(struct ledger *ledger, const struct ledger_request *request, ledger_done_fn done,
                                      void *context)
{
    struct ledger_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->ledger = of(ledger);
    op->request = *request;
    op->done = done;
    op->context = context;
    op->timer.fire = on_timer;
    op->backoff.random = request->deadline_monotonic_ms;
    http_request_init(&op->http);
    buf_init(&op->body, 0);
    if (request->verb == LEDGER_CREATE_TABLE)
        op->step = STEP_CREATE;
    else if (request->verb == LEDGER_CHECK_TABLE)
        op->step = STEP_DESCRIBE;
    if (launch(op, false) != OS_OK)
        fail_later(op);
    return op;
}

static void dynamo_cancel(struct ledger *ledger, struct ledger_op *op)
{
    op->cancelled = true;
    if (op->posted)
        return; /* freed by its job */
    if (op->http_id)
        http_engine_cancel(loop_http(of(ledger)->loop), op->http_id); /* frees in http_done */
    else
        op_free(op);
}

static void dynamo_free(struct ledger *ledger)
{
    struct dynamo_ledger *dynamo = of(ledger);
    credentials_free(dynamo->credentials);
    sigv4_signer_free(dynamo->signer);
    free(dynamo->table);
    free(dynamo);
}

static const struct ledger_vtable dynamo_vtable = {
    .start = dynamo_start,
    .cancel = dynamo_cancel,
    .free = dynamo_free,
};

os_code dynamo_ledger_new(const struct ledger_config *config, struct ledger **ret, os_error *err)
{
    struct dynamo_ledger *ledger = calloc(1, sizeof(*ledger));
    if (ledger == NULL)
        return error_no_memory(err);
    ledger->table = strdup(config->table);
    ledger->signer = sigv4_signer_new(config->endpoint->region, "dynamodb");
    if (ledger->table == NULL || ledger->signer == NULL) {
        sigv4_signer_free(ledger->signer);
        free(ledger->table);
        free(ledger);
        return error_no_memory(err);
    }
    ledger->ledger.vtable = &dynamo_vtable;
    ledger->loop = config->loop;
    ledger->endpoint = *config->endpoint;
    ledger->credentials = config->credentials;
    ledger->stall_ms = config->stall_ms;
    endpoint_mend("dynamodb", config->endpoint, ledger->mend);
    ledger->ledger.mend = ledger->mend;
    snprintf(ledger->where, sizeof(ledger->where), "table %.255s in %s", config->table, config->endpoint->region);
    *ret = &ledger->ledger;
    return OS_OK;
}
