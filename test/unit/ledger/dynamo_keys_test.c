/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to DynamoDB whose keys have to be searched for: a record that was not sent is refused, never ambiguous. */
#include "aws/endpoint.h"
#include "credentials/credentials.h"
#include "ledger/ledger.h"
#include "unit/credentials/sources.h"
#include "unit/loop/on_loop.h"

#include <stdio.h>

enum { PATIENCE_MS = 60000 };

#define OK "200 OK", "{}"
#define EXPIRED \
    "400 Bad Request", "{\"__type\":\"com.amazon.coral.service#ExpiredTokenException\",\"message\":\"token expired\"}"

struct searched {
    struct sources sources; /* its server gives the keys */
    struct http_server *server;
    struct on_loop on;
    struct table *ledger;
    struct endpoint endpoint;
    struct credentials *credentials;
};

static void open_ledger(void *context)
{
    static const struct credentials_source source = {.region = "eu-west-1"};
    struct searched *searched = context;
    struct table_config config = {
        .loop = searched->on.loop, .endpoint = &searched->endpoint, .name = "records", .stall_ms = PATIENCE_MS};
    assert_int_equal(credentials_new(&source, &searched->credentials, NULL), OS_OK);
    assert_int_equal(credentials_attach(searched->credentials, searched->on.loop, &searched->sources.http, NULL),
                     OS_OK);
    config.credentials = searched->credentials;
    assert_int_equal(dynamo_table_new(&config, &searched->ledger, NULL), OS_OK);
}

static void searched_set_up(struct searched *ret)
{
    char url[64];
    sources_set_up(&ret->sources);
    sources_name_server(&ret->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
    ret->server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(ret->server));
    assert_int_equal(endpoint_parse("dynamodb", url, "eu-west-1", &ret->endpoint, NULL), OS_OK);
    on_loop_set_up(&ret->on);
    on_loop_call(&ret->on, open_ledger, ret);
}

static void stop_keys(void *context)
{
    credentials_stop(context);
}

static void searched_tear_down(struct searched *searched)
{
    on_loop_call(&searched->on, stop_keys, searched->credentials);
    on_loop_settle(&searched->on);
    searched->ledger->vtable->free(searched->ledger);
    credentials_free(searched->credentials);
    http_server_stop(searched->server);
    sources_tear_down(&searched->sources);
}

struct put {
    struct searched *searched;
    struct ledger_op *op;
    struct ledger_answer answer;
    unsigned told;
    struct event done;
};

static void note_answer(void *context, const struct ledger_answer *answer)
{
    struct put *put = context;
    put->answer = *answer;
    put->told++;
    event_set(&put->done);
}

static void start(void *context)
{
    static const struct record record = {.generation = 7, .timeout_ms = 20000, .ttl_s = 1800000000, .nonce = "ab"};
    static const struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    struct put *put = context;
    const struct ledger_request request = {.verb = LEDGER_PUT,
                                           .path = "dir/k",
                                           .etag = RECORD_ETAG_CREATE,
                                           .record = &record,
                                           .condition = &absent,
                                           .deadline_monotonic_ms = now_ms() + PATIENCE_MS};
    put->op = ledger_start(put->searched->ledger, &request, note_answer, put);
    assert_non_null(put->op);
}

static void cancel(void *context)
{
    struct put *put = context;
    ledger_cancel(put->op);
}

static void begin(struct searched *searched, struct put *ret)
{
    *ret = (struct put){.searched = searched, .done = EVENT_INIT};
    on_loop_call(&searched->on, start, ret);
}

static void end(struct put *put, enum ledger_outcome outcome)
{
    event_wait(&put->done);
    if (put->answer.outcome != outcome)
        fail_msg("%d instead of %d: %s", put->answer.outcome, outcome, put->answer.error.message);
}

static void push(struct searched *searched, const char *status, const char *body)
{
    char text[300];
    snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nx-amzn-requestid: A\r\nContent-Length: %zu\r\n\r\n%s", status,
             strlen(body), body);
    http_server_push(searched->server, &(struct http_server_step){.answer = text});
}

static void check_signed(struct searched *searched, size_t index, const char *id)
{
    char wanted[64];
    const char *authorization =
        http_headers_get(&http_server_record(searched->server, index)->headers, "authorization");
    snprintf(wanted, sizeof(wanted), "Credential=%s/", id);
    assert_non_null(authorization);
    assert_non_null(strstr(authorization, wanted));
}

TEST_WITH(searched, a_record_waits_for_the_first_keys)
{
    struct put put;
    sources_give_keys(&searched->sources, "one", 3600, true);
    push(searched, OK);
    begin(searched, &put);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    assert_int_equal(http_server_connections(searched->server), 0);
    http_server_release(searched->sources.server, 1);
    end(&put, LEDGER_OK);
    check_signed(searched, 0, "one");
}

TEST_WITH(searched, without_keys_a_record_is_refused)
{
    struct put put;
    sources_give_none(&searched->sources, false);
    begin(searched, &put);
    end(&put, LEDGER_REFUSED);
    assert_int_equal(put.answer.error.code, OS_ERR_CREDENTIALS);
    assert_non_null(strstr(put.answer.error.message, "answered 404, and gave no keys"));
    assert_int_equal(http_server_connections(searched->server), 0);
}

TEST_WITH(searched, an_expired_token_is_followed_by_one_repetition_with_new_keys)
{
    struct put put;
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, true);
    push(searched, EXPIRED);
    push(searched, OK);
    begin(searched, &put);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    assert_int_equal(http_server_count(searched->server), 1);
    http_server_release(searched->sources.server, 1);
    end(&put, LEDGER_OK);
    check_signed(searched, 0, "one");
    check_signed(searched, 1, "two");
}

/* The service has refused it, and it was not sent again. */
TEST_WITH(searched, an_expired_token_without_new_keys_is_a_refusal_that_says_why)
{
    struct put put;
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_none(&searched->sources, false);
    push(searched, EXPIRED);
    begin(searched, &put);
    end(&put, LEDGER_REFUSED);
    assert_non_null(strstr(put.answer.error.message, "answered 404, and gave no keys"));
    assert_int_equal(http_server_count(searched->server), 1);
}

TEST_WITH(searched, a_second_expired_token_is_the_answer)
{
    struct put put;
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, false);
    push(searched, EXPIRED);
    push(searched, EXPIRED);
    begin(searched, &put);
    end(&put, LEDGER_REFUSED);
    assert_string_equal(put.answer.error.service_code, "ExpiredTokenException");
    assert_int_equal(http_server_count(searched->server), 2);
}

/* Before the first request, and before its repetition. */
TEST_WITH(searched, a_record_that_waits_for_keys_can_be_cancelled)
{
    struct put first;
    struct put second;
    struct put third;
    sources_give_keys(&searched->sources, "one", 3600, true);
    begin(searched, &first);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    on_loop_call(&searched->on, cancel, &first);
    begin(searched, &second);
    push(searched, EXPIRED);
    sources_give_keys(&searched->sources, "two", 3600, true);
    http_server_release(searched->sources.server, 1);
    assert_true(http_server_wait_count(searched->sources.server, 2));
    assert_true(http_server_wait_held(searched->sources.server, 1));
    on_loop_call(&searched->on, cancel, &second);
    http_server_release(searched->sources.server, 1);
    push(searched, OK);
    begin(searched, &third);
    end(&third, LEDGER_OK);
    assert_int_equal(first.told + second.told, 0);
    assert_int_equal(http_server_count(searched->server), 2);
}
