/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to S3 whose keys have to be searched for: what waits, what is sent again, and what is not sent at all. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/credentials/sources.h"
#include "unit/store/store_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPIRED "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"

struct searched {
    struct sources sources; /* its server gives the keys */
    struct http_server *server;
    struct on_store on;
};

static void searched_set_up(struct searched *ret)
{
    static const struct credentials_source source = {.region = "eu-west-1"};
    char url[64];
    sources_set_up(&ret->sources);
    sources_name_server(&ret->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
    ret->server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(ret->server));
    on_store_open_source(&ret->on, url, "bucket", &source);
}

static void searched_tear_down(struct searched *searched)
{
    on_store_stop(&searched->on, searched->server);
    sources_tear_down(&searched->sources);
}

/* A HEAD has no body that could say so; that a token was sent says it. */
static void answer_expired(struct searched *searched, const char *body)
{
    char text[300];
    snprintf(text, sizeof(text), "HTTP/1.1 400 Bad Request\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    http_server_push(searched->server, &(struct http_server_step){.answer = text});
}

static void check_signed(struct searched *searched, size_t index, const char *id)
{
    char wanted[64];
    const struct http_server_record *record = http_server_record(searched->server, index);
    const char *authorization = http_headers_get(&record->headers, "authorization");
    snprintf(wanted, sizeof(wanted), "Credential=%s/", id);
    assert_non_null(authorization);
    if (strstr(authorization, wanted) == NULL)
        fail_msg("\"%s\" is not in: %s", wanted, authorization);
    assert_string_equal(http_headers_get(&record->headers, "x-amz-security-token"), "t");
}

/* A request that is under way while the test goes on. */
struct under_way {
    struct on_store *on;
    struct store_request request;
    struct store_op *op;
    struct store_answer answer;
    unsigned told;
    struct event done;
};

static void note_answer(void *context, const struct store_answer *answer)
{
    struct under_way *under_way = context;
    under_way->answer = *answer;
    under_way->told++;
    event_set(&under_way->done);
}

static void start(void *context)
{
    struct under_way *under_way = context;
    struct store *store = under_way->on->store;
    under_way->op = store->vtable->start(store, &under_way->request, note_answer, under_way);
    assert_non_null(under_way->op);
}

static void cancel(void *context)
{
    struct under_way *under_way = context;
    under_way->on->store->vtable->cancel(under_way->on->store, under_way->op);
}

static void begin(struct searched *searched, struct under_way *ret)
{
    *ret = (struct under_way){
        .on = &searched->on,
        .request = {.verb = STORE_HEAD, .key = "k", .deadline_monotonic_ms = now_ms() + 60000},
        .done = EVENT_INIT,
    };
    on_loop_call(&searched->on.on, start, ret);
}

static struct store_answer head(struct searched *searched)
{
    struct store_request request = {.verb = STORE_HEAD, .key = "k"};
    return store_call(&searched->on, &request);
}

TEST_WITH(searched, requests_wait_for_the_first_keys)
{
    struct under_way all[3];
    sources_give_keys(&searched->sources, "one", 3600, true);
    for (size_t i = 0; i < 3; i++)
        begin(searched, &all[i]);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    assert_int_equal(http_server_connections(searched->server), 0);
    http_server_release(searched->sources.server, 1);
    for (size_t i = 0; i < 3; i++) {
        event_wait(&all[i].done);
        CHECK_ANSWER(all[i].answer, OS_OK);
        check_signed(searched, i, "one");
    }
    assert_int_equal(http_server_count(searched->sources.server), 1);
}

TEST_WITH(searched, without_keys_nothing_is_sent)
{
    sources_give_none(&searched->sources, false);
    struct store_answer answer = head(searched);
    CHECK_ANSWER(answer, OS_ERR_CREDENTIALS);
    CHECK_SAYS(&answer.error, "answered 404, and gave no keys");
    assert_false(answer.sent);
    assert_int_equal(http_server_connections(searched->server), 0);
    sources_give_keys(&searched->sources, "one", 3600, false); /* the next request looks again */
    CHECK_ANSWER(head(searched), OS_OK);
}

TEST_WITH(searched, a_request_that_waits_for_keys_can_be_cancelled)
{
    struct under_way under_way;
    sources_give_keys(&searched->sources, "one", 3600, true);
    begin(searched, &under_way);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    on_loop_call(&searched->on.on, cancel, &under_way);
    http_server_release(searched->sources.server, 1);
    CHECK_ANSWER(head(searched), OS_OK);
    assert_int_equal(under_way.told, 0);
    assert_int_equal(http_server_count(searched->server), 1);
}

TEST_WITH(searched, an_expired_token_is_followed_by_one_repetition_with_new_keys)
{
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, false);
    answer_expired(searched, "");
    CHECK_ANSWER(head(searched), OS_OK);
    assert_int_equal(http_server_count(searched->server), 2);
    check_signed(searched, 0, "one");
    check_signed(searched, 1, "two");
    CHECK_ANSWER(head(searched), OS_OK);
    check_signed(searched, 2, "two");
    assert_int_equal(http_server_count(searched->sources.server), 2);
}

TEST_WITH(searched, an_expired_token_without_new_keys_says_why_there_are_none)
{
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_none(&searched->sources, false);
    answer_expired(searched, "");
    struct store_answer answer = head(searched);
    CHECK_ANSWER(answer, OS_ERR_CREDENTIALS);
    CHECK_SAYS(&answer.error, "answered 404, and gave no keys");
    assert_int_equal(http_server_count(searched->server), 1);
}

TEST_WITH(searched, a_second_expired_token_is_the_answer)
{
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, false);
    answer_expired(searched, EXPIRED);
    answer_expired(searched, EXPIRED);
    struct store_request request = {.verb = STORE_PUT, .key = "k"};
    struct store_answer answer = store_call(&searched->on, &request);
    CHECK_ANSWER(answer, OS_ERR_CREDENTIALS);
    assert_string_equal(answer.service.code, "ExpiredToken");
    assert_int_equal(http_server_count(searched->server), 2);
}

/* New keys have changed nothing: status 77, and not that of a request that was wrong in itself. */
TEST_WITH(searched, a_head_that_is_refused_again_without_a_reason_is_about_the_keys)
{
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, false);
    for (int i = 0; i < 3; i++)
        answer_expired(searched, "");
    for (int i = 0; i < 2; i++) { /* the second time the keys are fresh, and none are looked for */
        struct store_answer answer = head(searched);
        CHECK_ANSWER(answer, OS_ERR_CREDENTIALS);
        CHECK_SAYS(&answer.error, "HEAD of k failed: HTTP 400 without a reason");
        answer_expired(searched, "");
    }
    assert_int_equal(http_server_count(searched->server), 4);
    assert_int_equal(http_server_count(searched->sources.server), 2);
}

/* They have no end: an object that was encrypted with its writer's own key is answered so, too. */
TEST_WITH(searched, a_head_that_is_refused_without_a_reason_says_nothing_about_keys_without_a_token)
{
    setenv("AWS_ACCESS_KEY_ID", "AKIASTATIC", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    for (int i = 0; i < 2; i++)
        answer_expired(searched, "");
    struct store_answer answer = head(searched);
    CHECK_ANSWER(answer, OS_ERR_REFUSED);
    CHECK_SAYS(&answer.error, "HEAD of s3://bucket/k failed: HTTP 400 without a reason, from http://127.0.0.1:");
    CHECK_SAYS(&answer.error, "in another region than us-east-1: set s3_region (--region, AWS_REGION)");
}

TEST_WITH(searched, a_repetition_that_waits_for_keys_can_be_cancelled)
{
    struct under_way under_way;
    sources_give_keys(&searched->sources, "one", 3600, false);
    sources_give_keys(&searched->sources, "two", 3600, true);
    answer_expired(searched, "");
    begin(searched, &under_way);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    on_loop_call(&searched->on.on, cancel, &under_way);
    http_server_release(searched->sources.server, 1);
    CHECK_ANSWER(head(searched), OS_OK);
    assert_int_equal(under_way.told, 0);
    assert_int_equal(http_server_count(searched->server), 2);
}

/* Its deadline is that of the request, and not of the search. */
TEST_WITH(searched, keys_that_come_after_the_deadline_send_nothing)
{
    struct under_way under_way = {.on = &searched->on, .request = {.verb = STORE_HEAD, .key = "k"}, .done = EVENT_INIT};
    under_way.request.deadline_monotonic_ms = now_ms();
    sources_give_keys(&searched->sources, "one", 3600, true);
    on_loop_call(&searched->on.on, start, &under_way);
    assert_true(http_server_wait_held(searched->sources.server, 1));
    http_server_release(searched->sources.server, 1);
    event_wait(&under_way.done);
    CHECK_ANSWER(under_way.answer, OS_ERR_DEADLINE);
    assert_false(under_way.answer.sent);
    assert_int_equal(http_server_count(searched->server), 0);
}
