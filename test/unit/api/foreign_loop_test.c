/* SPDX-License-Identifier: Apache-2.0 */
/* A client without an I/O thread, which the test moves on. */
#include "oscommit_async.h"
#include "oscommit_document.h"
#include "oscommit_model.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 100 };

struct seen {
    os_client *client;
    unsigned completed;
    unsigned by_verdict[5];
    unsigned to_start; /* from within completions */
    os_code refused;   /* what a step within a completion came to */
};

static os_client *foreign_client(const struct scratch *scratch, const char *s3_host)
{
    os_options options = OS_OPTIONS_INIT;
    options.foreign_loop = 1;
    return s3_host ? scratch_s3_client(scratch, s3_host, &options) : scratch_client(scratch, &options);
}

static void start_create(struct seen *seen, unsigned number);

static void on_complete(void *context, os_operation *operation)
{
    struct seen *seen = context;
    os_error error;
    seen->completed++;
    seen->by_verdict[os_operation_verdict(operation)]++;
    seen->refused = os_client_step(seen->client, &error);
    os_operation_free(operation);
    if (seen->to_start > 0)
        start_create(seen, --seen->to_start);
}

static void start_create(struct seen *seen, unsigned number)
{
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("new", 3);
    os_error error;
    char key[32];
    snprintf(key, sizeof(key), "key/%u", number);
    start.complete = on_complete;
    start.context = seen;
    CHECK_CODE(os_start_put_if_absent(seen->client, key, &body, NULL, &start, NULL, &error), OS_OK, &error);
}

static void step_until(struct seen *seen, unsigned completed)
{
    struct pollfd watched = {.fd = os_client_fd(seen->client), .events = POLLIN};
    os_error error;
    while (seen->completed < completed) {
        int64_t timeout_ms = os_client_timeout_ms(seen->client);
        assert_true(poll(&watched, 1, timeout_ms < 60000 ? (int)timeout_ms : 60000) >= 0);
        CHECK_CODE(os_client_step(seen->client, &error), OS_OK, &error);
    }
}

TEST_WITH(scratch, its_operations_complete_within_steps)
{
    struct seen seen = {.client = foreign_client(scratch, NULL)};
    for (unsigned i = 0; i < MANY; i++)
        start_create(&seen, i);
    assert_int_equal(seen.completed, 0);
    step_until(&seen, MANY);
    assert_int_equal(seen.by_verdict[OS_COMMITTED], MANY);
    assert_int_equal(seen.refused, OS_ERR_ARGUMENT);
    assert_true(os_client_timeout_ms(seen.client) != 0);
    os_client_close(seen.client);
}

TEST_WITH(scratch, a_completion_may_start_another_operation)
{
    struct seen seen = {.client = foreign_client(scratch, NULL), .to_start = MANY};
    start_create(&seen, MANY);
    step_until(&seen, MANY + 1);
    assert_int_equal(seen.by_verdict[OS_COMMITTED], MANY + 1);
    os_client_close(seen.client);
}

TEST_WITH(scratch, its_calls_are_refused)
{
    os_client *client = foreign_client(scratch, NULL);
    os_body body = OS_BODY_MEMORY("new", 3);
    os_error error;
    assert_int_equal(os_put(client, "key", &body, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "foreign_loop"));
    assert_int_equal(os_head(client, "key", NULL, NULL, &error), OS_ERR_ARGUMENT);
    assert_int_equal(os_put_if_absent(client, "key", &body, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    assert_int_equal(os_table_check(client, NULL, &error), OS_ERR_ARGUMENT);
    os_client_close(client);
}

static os_code never(void *context, os_txn *txn, os_error *err)
{
    (void)context;
    (void)txn;
    (void)err;
    fail();
    return OS_OK;
}

TEST_WITH(scratch, its_transactions_and_documents_are_refused)
{
    os_client *client = foreign_client(scratch, NULL);
    os_document_write write = {.size = sizeof(write), .id = "device", .name = "pump", .reported = "{}"};
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    os_txn_result before = {.size = sizeof(before), .verdict = OS_COMMITTED, .runs = 1}; /* of another transaction */
    os_documents documents;
    os_error error;
    assert_int_equal(os_transact(client, NULL, never, NULL, NULL, &before, &error), OS_NOT_EXECUTED);
    assert_int_equal(before.verdict, OS_NOT_EXECUTED);
    assert_int_equal(before.runs, 0);
    CHECK_CODE(error.code, OS_ERR_ARGUMENT, &error);
    assert_int_equal(os_txn_resolve(client, "{}", NULL, &error), OS_UNKNOWN);
    CHECK_CODE(error.code, OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_documents_read(client, NULL, NULL, 0, NULL, &documents, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_documents_write(client, NULL, &write, 1, NULL, &result, &error), OS_ERR_ARGUMENT, &error);
    assert_non_null(strstr(error.message, "foreign_loop"));
    assert_int_equal(result.verdict, OS_NOT_EXECUTED);
    os_client_close(client);
}

TEST_WITH(scratch, a_client_with_a_thread_takes_no_steps)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error;
    assert_int_equal(os_client_fd(client), -1);
    assert_int_equal(os_client_timeout_ms(client), -1);
    assert_int_equal(os_client_step(client, &error), OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "I/O thread of its own"));
    os_client_close(client);
}

TEST_WITH(scratch, a_check_at_the_opening_is_refused)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    options.foreign_loop = 1;
    options.check_table = 1;
    options.store_url = scratch->url;
    options.no_environment = 1;
    assert_int_equal(os_client_open(&options, &client, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "check_table"));
}

TEST_WITH(scratch, closing_gives_each_operation_its_verdict)
{
    const struct http_server_step held = {.hold = true, .leave = HTTP_SERVER_CLOSE};
    struct http_server *server = http_server_start(NULL);
    http_server_push(server, &held);
    struct seen seen = {.client = foreign_client(scratch, http_server_host(server))};
    for (unsigned i = 0; i < MANY; i++)
        start_create(&seen, i);
    while (http_server_held(server) == 0)
        assert_int_equal(os_client_step(seen.client, NULL), OS_OK);
    os_client_close(seen.client);
    assert_int_equal(seen.completed, MANY);
    assert_int_equal(seen.by_verdict[OS_NOT_EXECUTED], MANY); /* nothing but looks was sent */
    http_server_release(server, 1);
    http_server_stop(server);
}

/* The server holds the first request back, so that a client with one connection begins one operation. */
struct waiting {
    struct http_server *server;
    struct seen seen;
};

static void begin_one(const struct scratch *scratch, struct waiting *ret)
{
    const struct http_server_step held = {.hold = true, .leave = HTTP_SERVER_CLOSE};
    os_options options = OS_OPTIONS_INIT;
    options.foreign_loop = 1;
    options.max_connections = 1;
    ret->server = http_server_start(NULL);
    http_server_push(ret->server, &held);
    ret->seen = (struct seen){.client = scratch_s3_client(scratch, http_server_host(ret->server), &options)};
    start_create(&ret->seen, 0);
    while (http_server_held(ret->server) == 0)
        assert_int_equal(os_client_step(ret->seen.client, NULL), OS_OK);
}

TEST_WITH(scratch, one_that_waits_for_its_turn_can_be_cancelled)
{
    struct waiting waiting = {0};
    begin_one(scratch, &waiting);
    os_operation *operation = NULL;
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("new", 3);
    os_error error;
    start.complete = on_complete;
    start.context = &waiting.seen;
    CHECK_CODE(os_start_put_if_absent(waiting.seen.client, "other", &body, NULL, &start, &operation, &error), OS_OK,
               &error);
    assert_int_equal(os_client_step(waiting.seen.client, NULL), OS_OK);
    assert_int_equal(waiting.seen.completed, 0);
    os_operation_cancel(operation);
    step_until(&waiting.seen, 1);
    assert_int_equal(waiting.seen.by_verdict[OS_NOT_EXECUTED], 1);
    assert_int_equal(http_server_count(waiting.server), 1); /* of the one that is held back */
    os_client_close(waiting.seen.client);
    http_server_release(waiting.server, 1);
    http_server_stop(waiting.server);
}

TEST_WITH(scratch, its_deadline_passes_while_it_waits_for_its_turn)
{
    struct waiting waiting = {0};
    begin_one(scratch, &waiting);
    os_start start = OS_START_INIT;
    os_call call = OS_CALL_INIT;
    os_body body = OS_BODY_MEMORY("new", 3);
    os_error error;
    call.deadline_ms = 100;
    start.call = &call;
    start.complete = on_complete;
    start.context = &waiting.seen;
    CHECK_CODE(os_start_put_if_absent(waiting.seen.client, "other", &body, NULL, &start, NULL, &error), OS_OK, &error);
    step_until(&waiting.seen, 1);
    assert_int_equal(waiting.seen.by_verdict[OS_NOT_EXECUTED], 1);
    os_client_close(waiting.seen.client);
    assert_int_equal(waiting.seen.completed, 2);
    http_server_release(waiting.server, 1);
    http_server_stop(waiting.server);
}

/* Its transform runs on a thread of the client's, whose calls the loop moves on. */
static int add_one(void *context, const os_current *current, os_body *ret)
{
    static const char one[] = "1";
    os_object object = OS_OBJECT_INIT;
    os_error error;
    (void)current;
    os_code code = os_head(context, "other", NULL, &object, &error);
    assert_true(code == OS_ERR_NOT_FOUND);
    *ret = (os_body)OS_BODY_MEMORY(one, 1);
    return 0;
}

TEST_WITH(scratch, an_update_is_moved_on_by_the_loop)
{
    struct seen seen = {.client = foreign_client(scratch, NULL)};
    os_start start = OS_START_INIT;
    os_error error;
    start.complete = on_complete;
    start.context = &seen;
    CHECK_CODE(os_start_update(seen.client, "key", add_one, seen.client, NULL, &start, NULL, &error), OS_OK, &error);
    step_until(&seen, 1);
    assert_int_equal(seen.by_verdict[OS_COMMITTED], 1);
    os_client_close(seen.client);
}
