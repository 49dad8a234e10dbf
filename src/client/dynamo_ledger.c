/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger over DynamoDB (or what speaks its protocol): builds with dynamo/, signs with aws/, sends with http/, reads
 * with dynamo/. */
#include "aws/credentials.h"
#include "aws/digest.h"
#include "aws/sigv4.h"
#include "base/error.h"
#include "client/ledger.h"
#include "commit/backoff.h"
#include "dynamo/request.h"
#include "dynamo/response.h"
#include "dynamo/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dynamo_ledger {
    struct ledger ledger;
    struct loop *loop;
    struct endpoint endpoint;
    char *table;
    char where[400]; /* "table NAME in REGION", for sentences */
    struct credentials *credentials;
    struct sigv4_signer *signer;
    int64_t skew_s; /* the service's clock minus ours (E2) */
    uint64_t stall_ms;
};

/* Which request of an operation is under way. */
enum step { STEP_ONLY = 0, STEP_CREATE, STEP_DESCRIBE, STEP_UPDATE_TTL, STEP_DESCRIBE_TTL };

struct ledger_op {
    struct dynamo_ledger *ledger;
    struct ledger_request request;
    ledger_done_fn done;
    void *context;
    struct http_request http;
    struct buf body;
    uint64_t http_id;
    enum step step;
    bool repeated;
    bool posted; /* failed_job is on its way */
    bool cancelled;
    char *start_key; /* LIST */
    struct dynamo_table found;
    struct loop_timer timer;
    struct backoff backoff;
    struct loop_job failed_job;
    struct ledger_answer answer;
};

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
    free(op);
}

static void finish(struct ledger_op *op, enum ledger_outcome outcome)
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
        finish(op, op->answer.outcome);
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

static os_code build_table_request(struct ledger_op *op, const struct dynamo_target *target, os_error *err)
{
    switch (op->step) {
    case STEP_CREATE: return dynamo_build_create_table(target, &op->http, &op->body, err);
    case STEP_UPDATE_TTL: return dynamo_build_update_ttl(target, &op->http, &op->body, err);
    case STEP_DESCRIBE_TTL: return dynamo_build_describe_ttl(target, &op->http, &op->body, err);
    default: return dynamo_build_describe_table(target, &op->http, &op->body, err);
    }
}

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
    case LEDGER_LIST: return dynamo_build_list(&target, request->path, op->start_key, &op->http, &op->body, err);
    default: return build_table_request(op, &target, err);
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
        .deadline_monotonic_ms = op->request.deadline_monotonic_ms,
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

/* The next request of the same operation. */
static void go_on(struct ledger_op *op, enum step step, bool renew)
{
    drop_http(op);
    op->step = step;
    if (launch(op, renew) != OS_OK)
        fail_later(op);
}

static void on_timer(struct loop_timer *timer)
{
    struct ledger_op *op = (struct ledger_op *)((char *)timer - offsetof(struct ledger_op, timer));
    go_on(op, op->step, false);
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

/* Definite answers that ask for exactly one repetition (E2). */
static bool repeat(struct ledger_op *op, const struct dynamo_error *detail, const struct http_response *response)
{
    if (op->repeated || (!detail->skewed && !detail->token_expired))
        return false;
    op->repeated = true;
    if (detail->skewed)
        learn_time(op->ledger, response);
    go_on(op, op->step, detail->token_expired);
    return true;
}

static bool give_row(void *context, const struct dynamo_row *row)
{
    struct ledger_op *op = context;
    struct ledger_row given = {.path = row->path,
                               .etag = row->etag,
                               .readable = row->readable,
                               .record = row->record,
                               .upload = row->upload,
                               .other = row->other};
    return op->request.each(op->request.each_context, &given);
}

static void read_list(struct ledger_op *op, const struct http_response *response)
{
    struct dynamo_error detail;
    char *last_key = NULL;
    enum ledger_outcome outcome =
        dynamo_read_list(response, op->ledger->where, give_row, op, &last_key, &detail, &op->answer.error);
    if (outcome != LEDGER_OK) {
        if (!repeat(op, &detail, response))
            finish(op, outcome);
        return;
    }
    free(op->start_key);
    op->start_key = last_key;
    if (last_key)
        go_on(op, STEP_ONLY, false);
    else
        finish(op, LEDGER_OK);
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
    if (!repeat(op, &detail, response))
        finish(op, outcome);
}

static void wait_and_ask_again(struct ledger_op *op, enum step step)
{
    struct clock_reading now;
    clock_read(&now);
    op->step = step;
    if (now.monotonic_ms >= op->request.deadline_monotonic_ms) {
        error_set(&op->answer.error, OS_ERR_DEADLINE, "The %s did not become ACTIVE in time; check it again later.",
                  op->ledger->where);
        finish(op, LEDGER_REFUSED);
        return;
    }
    drop_http(op);
    loop_timer_set(op->ledger->loop, &op->timer, backoff_next_ms(&op->backoff));
}

static void described(struct ledger_op *op, bool exists)
{
    bool creating = op->request.verb == LEDGER_CREATE_TABLE;
    bool active = exists && strcmp(op->found.status, "ACTIVE") == 0;
    if (creating && !active) {
        wait_and_ask_again(op, STEP_DESCRIBE);
    } else if (!exists) {
        error_set(&op->answer.error, OS_ERR_NO_TABLE, "There is no %s; create it with `oscommit table create`.",
                  op->ledger->where);
        finish(op, LEDGER_REFUSED);
    } else {
        go_on(op, creating && op->found.keys_ok ? STEP_UPDATE_TTL : STEP_DESCRIBE_TTL, false);
    }
}

static void read_ttl(struct ledger_op *op, const struct http_response *response)
{
    char status[DYNAMO_TTL_STATUS_SIZE] = "";
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE] = "";
    struct dynamo_error detail;
    os_error *err = &op->answer.error;
    enum ledger_outcome outcome = dynamo_read_ttl(response, op->ledger->where, status, attribute, &detail, err);
    bool no_api = outcome == LEDGER_REFUSED && err->code == OS_ERR_UNSUPPORTED;
    if (outcome != LEDGER_OK && !no_api) {
        if (!repeat(op, &detail, response))
            finish(op, outcome);
        return;
    }
    os_code code = dynamo_judge_table(op->ledger->where, &op->found, no_api ? NULL : status, attribute, err);
    finish(op, code == OS_OK ? LEDGER_OK : LEDGER_REFUSED);
}

static void read_done(struct ledger_op *op, const struct http_response *response, enum step next)
{
    struct dynamo_error detail;
    enum ledger_outcome outcome = dynamo_read_done(response, op->ledger->where, &detail, &op->answer.error);
    bool no_ttl_api = op->step == STEP_UPDATE_TTL && op->answer.error.code == OS_ERR_UNSUPPORTED;
    if (outcome == LEDGER_OK || no_ttl_api)
        go_on(op, next, false);
    else if (outcome == LEDGER_THROTTLED)
        wait_and_ask_again(op, op->step);
    else if (!repeat(op, &detail, response))
        finish(op, outcome);
}

static void read_table_answer(struct ledger_op *op, const struct http_response *response)
{
    switch (op->step) {
    case STEP_CREATE: read_done(op, response, STEP_DESCRIBE); return;
    case STEP_UPDATE_TTL: read_done(op, response, STEP_DESCRIBE_TTL); return;
    case STEP_DESCRIBE_TTL: read_ttl(op, response); return;
    default: break;
    }
    struct dynamo_error detail;
    bool exists = false;
    enum ledger_outcome outcome =
        dynamo_read_table(response, op->ledger->where, &exists, &op->found, &detail, &op->answer.error);
    if (outcome == LEDGER_OK)
        described(op, exists);
    else if (!repeat(op, &detail, response))
        finish(op, outcome);
}

/* No whole answer. What certainly never left this machine is not applied; the rest may be. */
static void read_transport(struct ledger_op *op, const struct http_result *result)
{
    error_set(&op->answer.error, result->code, "The %s could not be asked: %s", op->ledger->where, result->message);
    if (result->code == OS_ERR_TLS && !result->sent)
        finish(op, LEDGER_REFUSED); /* the handshake failed, and nothing had left on an earlier connection */
    else
        finish(op, result->sent ? LEDGER_AMBIGUOUS : LEDGER_THROTTLED);
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
        read_list(op, result->response);
    else if (op->request.verb == LEDGER_PUT || op->request.verb == LEDGER_GET || op->request.verb == LEDGER_DELETE)
        read_record(op, result->response);
    else
        read_table_answer(op, result->response);
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
    snprintf(ledger->where, sizeof(ledger->where), "table %.255s in %s", config->table, config->endpoint->region);
    *ret = &ledger->ledger;
    return OS_OK;
}
