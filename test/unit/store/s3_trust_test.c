/* SPDX-License-Identifier: Apache-2.0 */
/* E9: whose answer it is. A server that marks its answers, or does not, and what stands in front of it. */
#include "store/answer.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/store/store_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK    "x-amz-request-id: 1\r\n"
#define DATED   "Date: Sat, 21 Nov 2026 10:00:00 GMT\r\n"
#define NOWHERE "<Error><Code>NoSuchKey</Code></Error>"

struct fixture {
    struct http_server *server;
    struct on_store on;
    size_t taken;
};

static void open_fixture(struct fixture *f, enum store_marks marks)
{
    f->server = on_store_serve(&f->on, marks);
}

static void fixture_set_up(struct fixture *f)
{
    open_fixture(f, STORE_MARKS_UNKNOWN);
}

static void fixture_tear_down(struct fixture *f)
{
    on_store_stop(&f->on, f->server);
}

static void push(struct fixture *f, int status, const char *headers, const char *body)
{
    char text[512];
    snprintf(text, sizeof(text), "HTTP/1.1 %d Said\r\nContent-Length: %zu\r\n%s\r\n%s", status, strlen(body), headers,
             body);
    http_server_push(f->server, &(struct http_server_step){.answer = text});
}

/* To a HEAD of k. */
static struct store_answer answered(struct fixture *f, int status, const char *headers)
{
    char text[256];
    struct store_request request = {.verb = STORE_HEAD, .key = "k"};
    snprintf(text, sizeof(text), "HTTP/1.1 %d Said\r\nContent-Length: 0\r\n%s\r\n", status, headers);
    http_server_push(f->server, &(struct http_server_step){.answer = text});
    return store_call(&f->on, &request);
}

static struct store_answer head(struct fixture *f)
{
    struct store_request request = {.verb = STORE_HEAD, .key = "k"};
    return store_call(&f->on, &request);
}

static void expect_foreign(struct store_answer answer)
{
    CHECK_ANSWER(answer, OS_ERR_NETWORK);
    assert_true(answer.foreign && answer.sent);
    assert_false(answer.complete || answer.has_date);
    assert_int_equal(answer.status, 0);
    CHECK_SAYS(&answer.error, "came without a mark");
}

TEST_WITH(fixture, what_has_no_mark_says_nothing_once_one_was_seen)
{
    static const int statuses[] = {200, 204, 301, 307, 400, 403, 404, 405, 409, 412, 429, 501};
    CHECK_ANSWER(answered(fixture, 404, MARK), OS_ERR_NOT_FOUND);
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        expect_foreign(answered(fixture, statuses[i], DATED "ETag: \"e\"\r\n"));
        assert_int_equal(http_server_count(fixture->server), i + 2); /* and nothing is asked about it */
    }
    CHECK_ANSWER(answered(fixture, 404, MARK), OS_ERR_NOT_FOUND);
}

TEST(a_mark_is_that_of_any_vendor)
{
    static const char *const marks[] = {"X-Amz-Request-Id: A\r\n", "x-oss-request-id: A\r\n", "x-cos-request-id: A\r\n",
                                        "X-GUploader-UploadID: A\r\n"};
    struct fixture f;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        open_fixture(&f, STORE_MARKS_ALL);
        CHECK_ANSWER(answered(&f, 404, marks[i]), OS_ERR_NOT_FOUND);
        fixture_tear_down(&f);
    }
    open_fixture(&f, STORE_MARKS_ALL);
    expect_foreign(answered(&f, 404, "x-amz-request-id:\r\nx-amzn-RequestId: A\r\nX-Amz-Cf-Id: A\r\n"));
    fixture_tear_down(&f);
}

/* That a gateway could not reach the store is what it says, and all that it says. */
TEST_WITH(fixture, a_gateway_is_believed_when_it_says_that_it_knows_nothing)
{
    static const int statuses[] = {500, 502, 503, 504};
    for (int known = 0; known < 2; known++) {
        for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
            struct store_answer answer = answered(fixture, statuses[i], DATED);
            assert_true(answer.code == OS_ERR_SERVICE || answer.code == OS_ERR_THROTTLED);
            assert_true(answer.complete);
            assert_false(answer.foreign || answer.has_date);
        }
        CHECK_ANSWER(answered(fixture, 404, MARK), OS_ERR_NOT_FOUND);
    }
    assert_false(answered(fixture, 503, DATED MARK).has_date); /* nor is the clock of it the store's */
    assert_true(answered(fixture, 404, DATED MARK).has_date);
}

TEST_WITH(fixture, before_any_mark_was_seen_it_is_asked_for)
{
    push(fixture, 404, DATED, "");
    push(fixture, 404, MARK, NOWHERE);
    expect_foreign(head(fixture));
    assert_int_equal(http_server_count(fixture->server), 2);
    const struct http_server_record *asked = http_server_record(fixture->server, 1);
    assert_string_equal(asked->method, "GET");
    assert_non_null(strstr(asked->target, "/bucket/.oscommit-nowhere-"));
    expect_foreign(answered(fixture, 404, DATED));
    assert_int_equal(http_server_count(fixture->server), 3);
}

TEST_WITH(fixture, a_store_without_marks_shows_itself_by_its_own_error)
{
    push(fixture, 200, DATED "ETag: \"e\"\r\n", "");
    push(fixture, 403, "", "<Error><Code>AccessDenied</Code></Error>");
    struct store_answer answer = head(fixture);
    CHECK_ANSWER(answer, OS_OK);
    assert_string_equal(answer.object.etag, "\"e\"");
    assert_true(answer.has_date && answer.complete);
    CHECK_ANSWER(answered(fixture, 404, ""), OS_ERR_NOT_FOUND);
    CHECK_ANSWER(answered(fixture, 404, MARK), OS_ERR_NOT_FOUND);
    CHECK_ANSWER(answered(fixture, 404, ""), OS_ERR_NOT_FOUND);
    assert_int_equal(http_server_count(fixture->server), 5); /* asked once for all */
}

/* No ingress gives the error of a store, whatever it gives. */
TEST_WITH(fixture, what_could_be_anybodys_is_no_proof)
{
    static const struct {
        int status;
        const char *headers;
        const char *body;
    } cases[] = {{404, "", "default backend - 404"},
                 {200, "", "<html>Welcome.</html>"},
                 {403, "", ""},
                 {404, "", "<Error><Code>NoSuchKey</Code>"},
                 {503, "", NOWHERE},
                 {301, "Location: https://elsewhere/\r\n", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        push(fixture, 404, DATED, "");
        push(fixture, cases[i].status, cases[i].headers, cases[i].body);
        struct store_answer answer = head(fixture);
        expect_foreign(answer);
        CHECK_SAYS(&answer.error, "nothing shows yet");
    }
    push(fixture, 404, DATED, "");
    http_server_push(fixture->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    expect_foreign(head(fixture));
}

TEST(a_profile_spares_the_question)
{
    struct fixture f;
    open_fixture(&f, STORE_MARKS_NONE);
    CHECK_ANSWER(answered(&f, 404, ""), OS_ERR_NOT_FOUND);
    assert_int_equal(http_server_count(f.server), 1);
    fixture_tear_down(&f);
    open_fixture(&f, STORE_MARKS_ALL);
    expect_foreign(answered(&f, 404, ""));
    assert_int_equal(http_server_count(f.server), 1);
    fixture_tear_down(&f);
}

static int take(void *context, const void *data, size_t length)
{
    (void)data;
    ((struct fixture *)context)->taken += length;
    return 0;
}

TEST_WITH(fixture, bytes_of_another_are_given_to_nobody)
{
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = fixture};
    CHECK_ANSWER(answered(fixture, 404, MARK), OS_ERR_NOT_FOUND);
    push(fixture, 200, "", "<html>Please wait.</html>");
    expect_foreign(store_call(&fixture->on, &request));
    assert_int_equal(fixture->taken, 0);
    push(fixture, 200, MARK, "an object");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(fixture->taken, 9);
}

/* Before the first mark was seen as well: who has given bytes on cannot take them back. */
TEST_WITH(fixture, the_first_bytes_of_all_wait_until_it_is_known_whose_they_are)
{
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = fixture};
    push(fixture, 200, "", "<html>Please wait.</html>");
    push(fixture, 404, MARK, NOWHERE);
    expect_foreign(store_call(&fixture->on, &request));
    assert_int_equal(fixture->taken, 0);
    assert_int_equal(http_server_count(fixture->server), 2);
    push(fixture, 200, MARK, "an object");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(fixture->taken, 9);
}

TEST_WITH(fixture, the_first_bytes_of_a_store_without_marks_are_asked_for_once_more)
{
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = fixture};
    push(fixture, 200, "", "an object");
    push(fixture, 404, "", NOWHERE);
    push(fixture, 200, "", "an object");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(fixture->taken, 9);
    assert_int_equal(http_server_count(fixture->server), 3);
    push(fixture, 200, "", "an object");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(fixture->taken, 18);
    assert_int_equal(http_server_count(fixture->server), 4);
}

/* What answers does not know of objects: not to be asked for ever. */
TEST_WITH(fixture, first_bytes_that_stay_anybodys_are_given_to_nobody)
{
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = fixture};
    push(fixture, 200, "", "<html>Please wait.</html>");
    push(fixture, 200, "", "<html>Please wait.</html>");
    expect_foreign(store_call(&fixture->on, &request));
    assert_int_equal(fixture->taken, 0);
    assert_int_equal(http_server_count(fixture->server), 2);
}

/* R10: 412 of a firewall that looks at answers, of a write that was applied. */
TEST_WITH(fixture, of_a_guarded_write_it_leaves_all_open)
{
    static const int statuses[] = {200, 403, 404, 409, 412, 501};
    struct store_request request = {.verb = STORE_PUT, .key = "k", .body = {.kind = HTTP_BODY_MEMORY, .data = "x"}};
    request.body.length = 1;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        push(fixture, statuses[i], DATED, "");
        push(fixture, 404, MARK, NOWHERE); /* asked for the first time only */
        expect_foreign(store_call_guarded(&fixture->on, &request));
        if (i > 0)
            CHECK_ANSWER(head(fixture), OS_ERR_NOT_FOUND);
    }
    assert_string_equal(http_server_record(fixture->server, 0)->method, "PUT");
    assert_string_equal(http_server_record(fixture->server, 1)->method, "GET");
    assert_string_equal(http_server_record(fixture->server, 2)->method, "PUT");
}

/* What is on this machine is reached by no proxy, whatever the environment says: the region that it names is learned.
 */
TEST(a_region_is_learned_on_this_machine_beside_a_proxy)
{
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct fixture f;
    open_fixture(&f, STORE_MARKS_ALL);
    push(&f, 301, MARK "x-amz-bucket-region: eu-central-1\r\n", "");
    CHECK_ANSWER(answered(&f, 200, MARK "ETag: \"e\"\r\n"), OS_OK);
    assert_int_equal(http_server_count(f.server), 2);
    const char *signature = http_headers_get(&http_server_record(f.server, 1)->headers, "authorization");
    assert_non_null(strstr(signature, "/eu-central-1/s3/"));
    fixture_tear_down(&f);
    unsetenv("http_proxy");
}
