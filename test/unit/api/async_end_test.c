/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of operations: cancelled at each of their steps, by either token; closed with their client; too many of them. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"

#include "unit/sqlite/records.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MANY = 64 };

/* A holder that never ends: its record has no fence and a lease of an hour. Whoever wants the key waits. */
static void hold(const struct scratch *scratch, const char *key)
{
    char file[160];
    struct sqlite_tables *ledger = NULL;
    struct record record = {.generation = 1, .timeout_ms = 3600000, .ttl_s = UINT32_MAX};
    struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    struct record conflict;
    os_error error = {0};
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    CHECK_CODE(sqlite_tables_open(file, NULL, &ledger, &error), OS_OK, &error);
    const struct record_row write = {
        .path = key, .etag = "*", .record = &record, .condition = &condition, .now_s = (int64_t)time(NULL)};
    assert_int_equal(records_put(ledger, &write, sqlite_patience_ms(60000), &conflict, NULL, &error), TABLE_OK);
    sqlite_tables_close(ledger);
}

static void check_cancelled(os_operation *done)
{
    assert_int_equal(os_operation_verdict(done), OS_NOT_EXECUTED);
    assert_int_equal(os_operation_code(done), OS_ERR_CANCELLED);
    os_operation_free(done);
}

/* ------------------------------------------------------------------------------------------------ too many */

TEST_WITH(scratch, one_more_than_max_in_flight_is_refused)
{
    os_options options = OS_OPTIONS_INIT;
    options.max_in_flight = 2;
    hold(scratch, "held");
    os_client *client = scratch_client(scratch, &options);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_operation *refused = NULL;
    os_error error;
    os_operation *first = completions_create(&completions, client, "held");
    completions_create(&completions, client, "held");
    CHECK_CODE(os_start_put(client, "other", &body, NULL, &start, &refused, &error), OS_ERR_IN_FLIGHT, &error);
    CHECK_SAYS(&error, "2 operations");
    assert_null(refused);
    assert_int_equal(os_put(client, "other", &body, NULL, NULL, NULL, &error), OS_OK); /* a call is none */
    os_operation_cancel(first);
    check_cancelled(completions_wait(&completions));
    CHECK_CODE(os_start_put(client, "other", &body, NULL, &start, NULL, &error), OS_OK, &error);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_code(done), OS_OK);
    os_operation_free(done);
    os_client_close(client);
    check_cancelled(completions_wait(&completions));
}

struct row {
    os_client *client;
    unsigned left;
    os_code code;
    struct completions completions;
};

static void on_one_of_a_row(void *context, os_operation *operation)
{
    struct row *row = context;
    os_start start = completions_start(&row->completions);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_operation_free(operation);
    if (--row->left > 0) {
        start.complete = on_one_of_a_row;
        start.context = row;
    }
    row->code = os_start_put(row->client, "row", &body, NULL, &start, NULL, NULL);
}

TEST_WITH(scratch, one_follows_another_from_its_completion_where_one_is_allowed)
{
    os_options options = OS_OPTIONS_INIT;
    options.max_in_flight = 1;
    struct row row = {.client = scratch_client(scratch, &options), .left = 5, .completions = COMPLETIONS_INIT};
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error;
    start.complete = on_one_of_a_row;
    start.context = &row;
    CHECK_CODE(os_start_put(row.client, "row", &body, NULL, &start, NULL, &error), OS_OK, &error);
    os_operation *last = completions_wait(&row.completions);
    assert_int_equal(os_operation_code(last), OS_OK);
    assert_int_equal(row.code, OS_OK);
    assert_int_equal(row.left, 0);
    os_operation_free(last);
    os_client_close(row.client);
}

/* ------------------------------------------------------------------------------------------------ closing */

struct closing {
    os_client *client;
    atomic_int cancelled;
    atomic_int others;
    atomic_int started; /* from a completion, while the client closes */
};

static void on_closed(void *context, os_operation *operation)
{
    struct closing *closing = context;
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    bool right = os_operation_verdict(operation) == OS_NOT_EXECUTED && os_operation_code(operation) == OS_ERR_CANCELLED;
    atomic_fetch_add(right ? &closing->cancelled : &closing->others, 1);
    start.complete = on_closed;
    if (os_start_put(closing->client, "late", &body, NULL, &start, NULL, NULL) != OS_ERR_CANCELLED)
        atomic_fetch_add(&closing->started, 1);
    os_operation_free(operation);
}

TEST_WITH(scratch, closing_a_client_completes_each_operation_once_and_before_it_returns)
{
    hold(scratch, "held");
    for (int round = 0; round < 5; round++) {
        struct closing closing = {.client = scratch_client(scratch, NULL)};
        for (int i = 0; i < MANY; i++) {
            os_start start = OS_START_INIT;
            os_body body = OS_BODY_MEMORY("x", 1);
            start.complete = on_closed;
            start.context = &closing;
            assert_int_equal(os_start_put_if_absent(closing.client, "held", &body, NULL, &start, NULL, NULL), OS_OK);
        }
        os_client_close(closing.client);
        assert_int_equal(atomic_load(&closing.cancelled), MANY);
        assert_int_equal(atomic_load(&closing.others), 0);
        assert_int_equal(atomic_load(&closing.started), 0);
    }
}

TEST_WITH(scratch, closing_a_client_leaves_its_operations_in_their_queue)
{
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    hold(scratch, "held");
    os_client *client = scratch_client(scratch, NULL);
    for (int i = 0; i < MANY; i++) {
        os_start start = OS_START_INIT;
        os_body body = OS_BODY_MEMORY("x", 1);
        start.queue = queue;
        assert_int_equal(os_start_put_if_absent(client, "held", &body, NULL, &start, NULL, NULL), OS_OK);
    }
    os_client_close(client);
    for (int i = 0; i < MANY; i++)
        check_cancelled(os_queue_take(queue, 0));
    assert_null(os_queue_take(queue, 0));
    os_queue_free(queue);
}

/* ------------------------------------------------------------------------------------------------ cancelling */

TEST_WITH(scratch, either_token_ends_an_operation)
{
    os_cancel *cancel = NULL;
    os_call call = OS_CALL_INIT;
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_body body = OS_BODY_MEMORY("x", 1);
    hold(scratch, "held");
    os_client *client = scratch_client(scratch, NULL);
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    call.cancel = cancel;
    start.call = &call;
    os_operation *own = completions_create(&completions, client, "held");
    os_operation_cancel(own);
    assert_ptr_equal(completions_wait(&completions), own);
    check_cancelled(own);
    for (int i = 0; i < 2; i++) { /* triggered while it is under way, and before */
        assert_int_equal(os_start_put_if_absent(client, "held", &body, NULL, &start, NULL, NULL), OS_OK);
        os_cancel_trigger(cancel);
        check_cancelled(completions_wait(&completions));
    }
    os_client_close(client);
    os_cancel_free(cancel);
}

/* Cancels its operation when so many requests have ended; on a worker or on the I/O thread. */
struct at_step {
    os_operation *operation; /* set by its start, before anything is sent */
    atomic_int step;
    atomic_int count;
};

static void cancel_at_step(void *context, const os_metric *metric)
{
    struct at_step *at = context;
    if (metric->kind == OS_METRIC_REQUEST && atomic_fetch_add(&at->count, 1) == at->step)
        os_operation_cancel(at->operation);
}

static void check_against_store(os_client *client, const char *key, os_operation *done)
{
    os_verdict verdict = os_operation_verdict(done);
    if (verdict == OS_UNKNOWN) {
        os_error error;
        verdict = os_settle(client, os_operation_result(done)->ticket, NULL, NULL, NULL, &error);
    }
    bool there = os_head(client, key, NULL, NULL, NULL) == OS_OK;
    assert_true(verdict == OS_COMMITTED || verdict == OS_NOT_EXECUTED);
    assert_int_equal(verdict == OS_COMMITTED, there);
}

TEST_WITH(scratch, an_operation_that_is_cancelled_at_any_step_tells_the_truth)
{
    bool cancelled = true;
    for (int step = 0; cancelled; step++) {
        char key[16];
        struct at_step at = {.step = step};
        struct completions completions = COMPLETIONS_INIT;
        os_options options = OS_OPTIONS_INIT;
        options.metric = cancel_at_step;
        options.metric_context = &at;
        os_client *client = scratch_client(scratch, &options);
        os_body body = OS_BODY_MEMORY("new", 3);
        os_start start = completions_start(&completions);
        snprintf(key, sizeof(key), "key-%d", step);
        assert_int_equal(os_start_put_if_absent(client, key, &body, NULL, &start, &at.operation, NULL), OS_OK);
        os_operation *operation = completions_wait(&completions);
        cancelled = atomic_load(&at.count) > step;
        os_verdict verdict = os_operation_verdict(operation);
        assert_true(cancelled || verdict == OS_COMMITTED);
        atomic_store(&at.step, -1);
        check_against_store(client, key, operation);
        os_operation_free(operation);
        os_client_close(client);
        assert_in_range(step, 0, 20);
    }
}

/* ------------------------------------------------------------------------------------------------ in the air */

#define DATE "Date: Sat, 21 Nov 2026 18:00:00 GMT\r\nx-amz-request-id: A\r\n"

/* Nothing is there, and a PUT is not answered. */
static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    (void)context;
    (void)scratch;
    if (strcmp(record->method, "PUT") == 0)
        *ret = (struct http_server_step){.hold = true, .answer = "", .leave = HTTP_SERVER_CLOSE};
    else if (strncmp(record->target, "/bucket/", strlen("/bucket/")) != 0)
        ret->answer = "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\n\r\n";
    else
        ret->answer = "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 0\r\n\r\n";
}

static os_client *client_of_silent_store(const struct scratch *scratch, const struct http_server *store)
{
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_OFF;
    return scratch_s3_client(scratch, http_server_host(store), &options);
}

static void check_unknown(os_operation *done)
{
    assert_int_equal(os_operation_verdict(done), OS_UNKNOWN);
    assert_int_equal(os_operation_code(done), OS_ERR_UNDECIDED);
    assert_non_null(os_operation_result(done)->ticket);
    os_operation_free(done);
}

TEST_WITH(scratch, a_put_that_is_in_the_air_when_it_ends_is_unknown_and_has_a_ticket)
{
    const struct http_server_options service = {.respond = answer_store};
    for (int closes = 0; closes < 2; closes++) {
        struct http_server *store = http_server_start(&service);
        os_client *client = client_of_silent_store(scratch, store);
        struct completions completions = COMPLETIONS_INIT;
        os_operation *operation = completions_create(&completions, client, closes ? "closed" : "cancelled");
        assert_true(http_server_wait_held(store, 1));
        assert_int_equal(event_count(&completions.told), 0);
        assert_int_equal(os_operation_verdict(operation), 0); /* nothing yet */
        assert_null(os_operation_result(operation));
        assert_null(os_operation_error(operation));
        assert_int_equal(os_operation_code(operation), OS_ERR_UNDECIDED);
        if (!closes)
            os_operation_cancel(operation);
        else
            os_client_close(client);
        check_unknown(completions_wait(&completions));
        if (!closes)
            os_client_close(client);
        http_server_release(store, 1);
        http_server_stop(store);
    }
}

TEST_WITH(scratch, plain_puts_in_the_air_are_told_undecided_when_their_client_closes)
{
    const struct http_server_options service = {.respond = answer_store};
    struct http_server *store = http_server_start(&service);
    os_client *client = client_of_silent_store(scratch, store);
    os_queue *queue = NULL;
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    assert_int_equal(os_queue_new(&queue), OS_OK);
    start.queue = queue;
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%d", i);
        assert_int_equal(os_start_put(client, key, &body, NULL, &start, NULL, NULL), OS_OK);
    }
    assert_true(http_server_wait_held(store, 20));
    os_client_close(client);
    for (int i = 0; i < 20; i++) {
        os_operation *done = os_queue_take(queue, 0);
        assert_non_null(done);
        assert_int_equal(os_operation_code(done), OS_ERR_UNDECIDED);
        os_operation_free(done);
    }
    os_queue_free(queue);
    http_server_release(store, 20);
    http_server_stop(store);
}
