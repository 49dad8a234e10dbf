/* SPDX-License-Identifier: Apache-2.0 */
/* os_client_warm: what is ready after it, what it says of services that are not, and how it ends early. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG_MS = 120000, SHORT_MS = 100, WARM = 4 };

enum service {
    IS_WELL,
    IS_NOT_THERE /* the bucket, or the table */,
    IS_SILENT,
    DENIES,
    DENIES_NOWHERE /* keys that nobody writes */
};

struct place {
    enum service store_is;
    enum service ledger_is;
    os_cancel *cancel; /* triggered by a request to a silent service */
    struct http_server *store;
    struct http_server *ledger;
};

static void add_date(struct buf *ret)
{
    char date[64];
    time_t now = time(NULL);
    struct tm tm;
    assert_true(strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm)) > 0);
    buf_add_strs(ret, "Date: ", date, "\r\n", NULL);
}

static void keep_silent(struct place *place, struct http_server_step *ret)
{
    if (place->cancel)
        os_cancel_trigger(place->cancel);
    *ret = (struct http_server_step){.leave = HTTP_SERVER_DRAIN};
}

static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    struct place *place = context;
    bool bucket = strcmp(record->target, "/bucket") == 0 || strcmp(record->target, "/bucket/") == 0;
    bool denied = place->store_is == DENIES || (place->store_is == DENIES_NOWHERE && strstr(record->target, "nowhere"));
    bool is_there = strcmp(record->method, "PUT") == 0 || (bucket && !denied && place->store_is != IS_NOT_THERE);
    if (place->store_is == IS_SILENT) {
        keep_silent(place, ret);
        return;
    }
    buf_reset(scratch);
    buf_add_strs(scratch, "HTTP/1.1 ",
                 is_there ? "200 OK"
                 : denied ? "403 No"
                          : "404 Not Found",
                 "\r\nx-amz-request-id: 1\r\n", NULL);
    add_date(scratch);
    buf_add_str(scratch, is_there ? "ETag: \"9dd4e461268c8034f5c8564e155c67a6\"\r\n" : "");
    buf_add_str(scratch, "Content-Length: 0\r\n\r\n");
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static void answer_ledger(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    static const char no_table[] =
        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\",\"message\":\"no\"}";
    static const char denied[] = "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"no\"}";
    struct place *place = context;
    const char *body = place->ledger_is == IS_NOT_THERE ? no_table : place->ledger_is == DENIES ? denied : "{}";
    (void)record;
    if (place->ledger_is == IS_SILENT) {
        keep_silent(place, ret);
        return;
    }
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s",
              place->ledger_is == IS_WELL ? "200 OK" : "400 Bad Request", strlen(body), body);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static void place_start(struct place *place)
{
    place->store = http_server_start(&(struct http_server_options){.respond = answer_store, .respond_context = place});
    place->ledger =
        http_server_start(&(struct http_server_options){.respond = answer_ledger, .respond_context = place});
}

static void place_stop(struct place *place)
{
    http_server_stop(place->store);
    http_server_stop(place->ledger);
}

static os_client *open_client(const struct place *place, uint32_t max_connections)
{
    os_options options = OS_OPTIONS_INIT;
    options.store_url = "s3://bucket/folder";
    options.max_connections = max_connections;
    return scratch_services_client(http_server_host(place->store), http_server_host(place->ledger), &options);
}

static os_code warm(os_client *client, uint32_t connections, uint64_t deadline_ms, os_cancel *cancel, os_error *err)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel;
    return os_client_warm(client, connections, &call, err);
}

/* ------------------------------------------------------------------------------------------------ what is ready */

static void commit(os_client *client)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error;
    os_verdict verdict = os_put_if_absent(client, "k", &body, NULL, NULL, NULL, &error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s: %s", os_verdict_name(verdict), error.message);
}

TEST(the_first_commit_opens_no_connection_and_asks_nothing_but_its_own)
{
    struct place place = {0};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, WARM, LONG_MS, NULL, &error), OS_OK, &error);
    size_t store_connections = http_server_connections(place.store);
    size_t store_requests = http_server_count(place.store);
    size_t ledger_requests = http_server_count(place.ledger);
    assert_in_range(store_connections, WARM, WARM + 2); /* E7 asks two questions at once, perhaps beside all others */
    assert_int_equal(http_server_connections(place.ledger), WARM);
    assert_int_equal(ledger_requests, WARM);
    commit(client);
    assert_int_equal(http_server_connections(place.store), store_connections);
    assert_int_equal(http_server_connections(place.ledger), WARM);
    assert_int_equal(http_server_count(place.store) - store_requests, 2); /* HEAD and PUT */
    assert_int_equal(http_server_count(place.ledger) - ledger_requests, 1);
    os_client_close(client);
    place_stop(&place);
}

/* The two HEADs of E7. */
static size_t probes_of(const struct place *place, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < http_server_count(place->store); i++) {
        const struct http_server_record *record = http_server_record(place->store, i);
        count += strcmp(record->method, "HEAD") == 0 && strstr(record->target, "X-Amz-Expires") != NULL &&
                 strstr(record->target, key) != NULL;
    }
    return count;
}

TEST(E7_8_a_policy_that_denies_other_keys_does_not_leave_commits_without_fences)
{
    struct place place = {.store_is = DENIES_NOWHERE};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, WARM, LONG_MS, NULL, &error), OS_OK, &error);
    assert_int_equal(probes_of(&place, "nowhere"), 2);
    commit(client);
    assert_int_equal(probes_of(&place, "/folder/k?"), 2);
    os_client_close(client);
    place_stop(&place);
}

static void begin_warm(os_client *client, struct completions *completions)
{
    os_start start = completions_start(completions);
    os_error error;
    CHECK_CODE(os_start_client_warm(client, WARM, &start, NULL, &error), OS_OK, &error);
}

static void end_warm(struct completions *completions)
{
    os_operation *done = completions_wait(completions);
    assert_int_equal(os_operation_code(done), OS_OK);
    os_operation_free(done);
}

TEST(E7_8_nor_one_that_begins_meanwhile)
{
    struct place place = {.store_is = DENIES_NOWHERE};
    struct completions completions = COMPLETIONS_INIT;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    begin_warm(client, &completions);
    commit(client);
    end_warm(&completions);
    assert_int_equal(probes_of(&place, "/folder/k?"), 2);
    os_client_close(client);
    place_stop(&place);
}

TEST(nothing_is_written)
{
    struct place place = {0};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, 0, LONG_MS, NULL, &error), OS_OK, &error);
    for (size_t i = 0; i < http_server_count(place.store); i++)
        assert_string_equal(http_server_record(place.store, i)->method, "HEAD");
    assert_int_equal(http_server_count(place.ledger), 1);
    const struct http_server_record *get = http_server_record(place.ledger, 0);
    assert_non_null(strstr(http_headers_get(&get->headers, "x-amz-target"), "GetItem"));
    os_client_close(client);
    place_stop(&place);
}

TEST(there_are_no_more_connections_than_the_client_may_have)
{
    struct place place = {0};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 2);
    CHECK_CODE(warm(client, 1000, LONG_MS, NULL, &error), OS_OK, &error);
    assert_int_equal(http_server_connections(place.store), 2);
    assert_int_equal(http_server_connections(place.ledger), 2);
    os_client_close(client);
    place_stop(&place);
}

TEST(it_may_be_started)
{
    struct place place = {0};
    struct completions completions = COMPLETIONS_INIT;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    begin_warm(client, &completions);
    end_warm(&completions);
    assert_int_equal(http_server_connections(place.ledger), WARM);
    os_client_close(client);
    place_stop(&place);
}

/* ------------------------------------------------------------------------------------------------ what is not */

struct wrong {
    const char *name;
    enum service store_is;
    enum service ledger_is;
    os_code code;
    const char *says;
};
static const struct wrong wrongs[] = {
    {"no bucket", IS_NOT_THERE, IS_WELL, OS_ERR_NO_BUCKET, "bucket"},
    {"a store that denies what it is asked", DENIES, IS_WELL, OS_OK, ""},
    {"no table", IS_WELL, IS_NOT_THERE, OS_ERR_NO_TABLE, "records"},
    {"a table that is denied", IS_WELL, DENIES, OS_ERR_DENIED, "records"},
};

TEST_ROWS(wrongs, what_is_not_ready_is_said)
{
    struct place place = {.store_is = row->store_is, .ledger_is = row->ledger_is};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, WARM, LONG_MS, NULL, &error), row->code, &error);
    CHECK_SAYS(&error, row->says);
    os_client_close(client);
    place_stop(&place);
}

static const struct wrong silences[] = {
    {"the store", IS_SILENT, IS_WELL, OS_OK, ""},
    {"the ledger", IS_WELL, IS_SILENT, OS_OK, ""},
};

TEST_ROWS(silences, a_silent_service_is_waited_for_until_the_deadline)
{
    struct place place = {.store_is = row->store_is, .ledger_is = row->ledger_is};
    os_error error;
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, WARM, SHORT_MS, NULL, &error), OS_ERR_DEADLINE, &error);
    os_client_close(client);
    place_stop(&place);
}

TEST_ROWS(silences, a_silent_service_is_waited_for_until_it_is_cancelled)
{
    struct place place = {.store_is = row->store_is, .ledger_is = row->ledger_is};
    os_error error;
    assert_int_equal(os_cancel_new(&place.cancel), OS_OK);
    place_start(&place);
    os_client *client = open_client(&place, 0);
    CHECK_CODE(warm(client, WARM, LONG_MS, place.cancel, &error), OS_ERR_CANCELLED, &error);
    os_client_close(client);
    place_stop(&place);
    os_cancel_free(place.cancel);
}

/* ------------------------------------------------------------------------------------------------ other stores */

TEST_WITH(scratch, an_embedded_store_is_ready_at_once)
{
    os_error error;
    os_client *client = scratch_client(scratch, NULL);
    CHECK_CODE(os_client_warm(client, WARM, NULL, &error), OS_OK, &error);
    os_client_close(client);
}

TEST(a_client_without_a_ledger_warms_its_store)
{
    struct place place = {0};
    os_error error;
    place_start(&place);
    os_client *client = scratch_services_client(http_server_host(place.store), NULL, NULL);
    CHECK_CODE(os_client_warm(client, WARM, NULL, &error), OS_OK, &error);
    assert_in_range(http_server_connections(place.store), WARM, WARM + 2);
    os_client_close(client);
    place_stop(&place);
}

TEST_WITH(scratch, bad_arguments_are_said_before_anything_is_sent)
{
    os_error error;
    os_call call = {.size = 1};
    os_client *client = scratch_client(scratch, NULL);
    CHECK_CODE(os_client_warm(client, 0, &call, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "os_call");
    os_client_close(client);
}
