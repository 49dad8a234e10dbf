/* SPDX-License-Identifier: Apache-2.0 */
#include "table/dynamo_call.h"

#include "base/container.h"
#include "base/digest.h"
#include "base/error.h"
#include "table/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int64_t wall_clock_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000);
}

/* ------------------------------------------------------------------------------------------------ the connection */

bool dynamo_connection_open(struct dynamo_connection *connection, struct loop *loop, const struct endpoint *endpoint,
                            struct credentials *credentials, uint64_t stall_ms)
{
    *connection = (struct dynamo_connection){
        .loop = loop,
        .endpoint = *endpoint,
        .credentials = credentials,
        .signer = sigv4_signer_new(endpoint->region, "dynamodb"),
        .stall_ms = stall_ms,
    };
    return connection->signer != NULL;
}

void dynamo_connection_close(struct dynamo_connection *connection)
{
    sigv4_signer_free(connection->signer);
    connection->signer = NULL;
}

/* ------------------------------------------------------------------------------------------------ the end */

static void drop_http(struct dynamo_call *call)
{
    http_request_free(&call->http);
    buf_free(&call->body);
}

void dynamo_call_free(struct dynamo_call *call)
{
    drop_http(call);
    free(call->failed);
    call->failed = NULL;
}

static void dynamo_call_run_failed(struct loop_job *job)
{
    struct dynamo_call *call = container_of(job, struct dynamo_call, failed_job);
    os_error error;
    call->posted = false;
    if (call->failed != NULL)
        error = *call->failed;
    else
        error_no_memory(&error);
    if (call->is_cancelled)
        call->caller->cancelled(call);
    else
        call->caller->failed(call, &error);
}

static void dynamo_call_fail_later(struct dynamo_call *call, const os_error *err)
{
    assert(err->code != OS_OK && call->failed == NULL && !call->posted);
    call->failed = malloc(sizeof(*call->failed));
    if (call->failed != NULL)
        *call->failed = *err;
    call->posted = true;
    call->failed_job.run = dynamo_call_run_failed;
    loop_post(call->connection->loop, &call->failed_job);
}

/* ------------------------------------------------------------------------------------------------ sending */

static os_code dynamo_call_sign(struct dynamo_call *call, os_error *err)
{
    struct dynamo_connection *connection = call->connection;
    struct sigv4_keys keys;
    char payload[65];
    os_code code = credentials_get(connection->credentials, &keys, err);
    if (code != OS_OK)
        return code;
    if (!sha256_hex(call->body.data, call->body.len, payload) ||
        !sigv4_sign_header(connection->signer, &keys, wall_clock_s() + connection->skew_s, payload, &call->http))
        return error_no_memory(err);
    return OS_OK;
}

static void dynamo_call_http_done(void *context, const struct http_result *result);

static os_code dynamo_call_launch(struct dynamo_call *call, os_error *err)
{
    struct dynamo_connection *connection = call->connection;
    os_code code = call->caller->build(call, err);
    if (code == OS_OK)
        code = dynamo_call_sign(call, err);
    if (code != OS_OK)
        return code;
    struct http_start start = {
        .request = &call->http,
        .deadline_monotonic_ms = table_try_deadline(call->deadline_monotonic_ms, call->try_ms),
        .stall_ms = connection->stall_ms,
        .body_max = DYNAMO_ANSWER_MAX,
        .loopback = connection->endpoint.loopback,
        .once = call->once,
        .done = dynamo_call_http_done,
        .done_context = call,
    };
    code = http_engine_start(loop_http(connection->loop), &start, &call->http_id, err);
    if (code == OS_OK)
        call->requests++;
    return code;
}

static bool is_stale(const struct dynamo_call *call)
{
    struct clock_reading now;
    clock_read(&now);
    return call->fresh_ms > 0 && clock_elapsed_max(&call->asked, &now) > call->fresh_ms;
}

static void dynamo_call_on_keys(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct dynamo_call *call = container_of(waiter, struct dynamo_call, keys);
    os_error error;
    call->is_stale = why_none == NULL && is_stale(call);
    if (call->is_stale)
        (void)error_set(
            &error, OS_ERR_CREDENTIALS,
            "The keys of DynamoDB, or an answer that asks for others, came too late to sign the request: it "
            "was not sent.");
    if (why_none != NULL)
        dynamo_call_fail_later(call, why_none);
    else if (call->is_stale || dynamo_call_launch(call, &error) != OS_OK)
        dynamo_call_fail_later(call, &error);
}

/* With `refused` the keys of the last time are no good any more. */
static void ask_for_keys(struct dynamo_call *call, bool refused)
{
    drop_http(call);
    credentials_ask(call->connection->credentials, refused, &call->keys);
}

void dynamo_call_send(struct dynamo_call *call)
{
    clock_read(&call->asked);
    ask_for_keys(call, false);
}

/* ------------------------------------------------------------------------------------------------ answers */

static void dynamo_call_read_date(struct dynamo_call *call, const struct http_response *response)
{
    const char *date = http_headers_get(&response->headers, "date");
    call->has_date = date != NULL && text_parse_http_date(text_from(date), &call->date_s);
}

/* X5: a clock of ours that is ahead makes a signature live longer, and is not refused before it is 5 minutes ahead. */
enum { CLOCK_AHEAD_MAX_S = 60 };

/* A clock of ours that was set right meanwhile would be wrong by what mended it before. Without a refusal a Date is
 * believed only where it makes a signature live shorter. */
static void dynamo_call_keep_skew(const struct dynamo_call *call, const struct http_response *response)
{
    struct dynamo_connection *connection = call->connection;
    if (!call->has_date || http_headers_get(&response->headers, "x-amzn-requestid") == NULL)
        return;
    int64_t skew_s = call->date_s - wall_clock_s();
    if (connection->skew_s != 0 || skew_s < -CLOCK_AHEAD_MAX_S)
        connection->skew_s = skew_s;
}

bool dynamo_call_repeats(struct dynamo_call *call, const struct dynamo_error *detail)
{
    if (call->repeated || (!detail->skewed && !detail->token_expired))
        return false;
    call->repeated = true;
    if (detail->skewed && call->has_date)
        call->connection->skew_s = call->date_s - wall_clock_s();
    ask_for_keys(call, detail->token_expired);
    return true;
}

static enum table_outcome outcome_without_answer(const struct http_result *result)
{
    if (result->sent)
        return TABLE_AMBIGUOUS;
    return result->code == OS_ERR_TLS ? TABLE_REFUSED : TABLE_THROTTLED;
}

static void dynamo_call_http_done(void *context, const struct http_result *result)
{
    struct dynamo_call *call = context;
    call->http_id = 0;
    call->has_date = false;
    if (call->is_cancelled) {
        call->caller->cancelled(call);
    } else if (result->code != OS_OK) {
        call->caller->unanswered(call, result, outcome_without_answer(result));
    } else {
        dynamo_call_read_date(call, result->response);
        dynamo_call_keep_skew(call, result->response);
        call->caller->answered(call, result->response);
    }
}

/* ------------------------------------------------------------------------------------------------ the whole */

void dynamo_call_init(struct dynamo_call *call, const struct dynamo_caller *caller,
                      struct dynamo_connection *connection)
{
    memset(call, 0, sizeof(*call));
    call->caller = caller;
    call->connection = connection;
    call->keys.ready = dynamo_call_on_keys;
    http_request_init(&call->http);
    buf_init(&call->body, 0);
}

void dynamo_call_cancel(struct dynamo_call *call)
{
    call->is_cancelled = true;
    if (call->posted)
        return; /* ended by its job */
    credentials_leave(call->connection->credentials, &call->keys);
    if (call->http_id)
        http_engine_cancel(loop_http(call->connection->loop), call->http_id); /* ends in http_done */
    else
        call->caller->cancelled(call);
}
