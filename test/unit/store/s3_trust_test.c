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

static struct fixture *open_fixture(enum store_marks marks)
{
    struct fixture *f = calloc(1, sizeof(*f));
    char url[64];
    assert_non_null(f);
    f->server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(f->server));
    on_store_open_marks(&f->on, url, "bucket", marks);
    return f;
}

static void close_fixture(struct fixture *f)
{
    on_store_close(&f->on);
    http_server_stop(f->server);
    free(f);
}

static int setup(void **state)
{
    *state = open_fixture(STORE_MARKS_UNKNOWN);
    return 0;
}

static int teardown(void **state)
{
    close_fixture(*state);
    return 0;
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

static void what_has_no_mark_says_nothing_once_one_was_seen(void **state)
{
    static const int statuses[] = {200, 204, 301, 307, 400, 403, 404, 405, 409, 412, 429, 501};
    struct fixture *f = *state;
    CHECK_ANSWER(answered(f, 404, MARK), OS_ERR_NOT_FOUND);
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        expect_foreign(answered(f, statuses[i], DATED "ETag: \"e\"\r\n"));
        assert_int_equal(http_server_count(f->server), i + 2); /* and nothing is asked about it */
    }
    CHECK_ANSWER(answered(f, 404, MARK), OS_ERR_NOT_FOUND);
}

static void a_mark_is_that_of_any_vendor(void **state)
{
    static const char *const marks[] = {"X-Amz-Request-Id: A\r\n", "x-oss-request-id: A\r\n", "x-cos-request-id: A\r\n",
                                        "X-GUploader-UploadID: A\r\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        struct fixture *f = open_fixture(STORE_MARKS_ALL);
        CHECK_ANSWER(answered(f, 404, marks[i]), OS_ERR_NOT_FOUND);
        close_fixture(f);
    }
    struct fixture *f = open_fixture(STORE_MARKS_ALL);
    expect_foreign(answered(f, 404, "x-amz-request-id:\r\nx-amzn-RequestId: A\r\nX-Amz-Cf-Id: A\r\n"));
    close_fixture(f);
}

/* That a gateway could not reach the store is what it says, and all that it says. */
static void a_gateway_is_believed_when_it_says_that_it_knows_nothing(void **state)
{
    static const int statuses[] = {500, 502, 503, 504};
    struct fixture *f = *state;
    for (int known = 0; known < 2; known++) {
        for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
            struct store_answer answer = answered(f, statuses[i], DATED);
            assert_true(answer.code == OS_ERR_SERVICE || answer.code == OS_ERR_THROTTLED);
            assert_true(answer.complete);
            assert_false(answer.foreign || answer.has_date);
        }
        CHECK_ANSWER(answered(f, 404, MARK), OS_ERR_NOT_FOUND);
    }
    assert_false(answered(f, 503, DATED MARK).has_date); /* nor is the clock of it the store's */
    assert_true(answered(f, 404, DATED MARK).has_date);
}

static void before_any_mark_was_seen_it_is_asked_for(void **state)
{
    struct fixture *f = *state;
    push(f, 404, DATED, "");
    push(f, 404, MARK, NOWHERE);
    expect_foreign(head(f));
    assert_int_equal(http_server_count(f->server), 2);
    const struct http_server_record *asked = http_server_record(f->server, 1);
    assert_string_equal(asked->method, "GET");
    assert_non_null(strstr(asked->target, "/bucket/.oscommit-nowhere-"));
    expect_foreign(answered(f, 404, DATED));
    assert_int_equal(http_server_count(f->server), 3);
}

static void a_store_without_marks_shows_itself_by_its_own_error(void **state)
{
    struct fixture *f = *state;
    push(f, 200, DATED "ETag: \"e\"\r\n", "");
    push(f, 403, "", "<Error><Code>AccessDenied</Code></Error>");
    struct store_answer answer = head(f);
    CHECK_ANSWER(answer, OS_OK);
    assert_string_equal(answer.object.etag, "\"e\"");
    assert_true(answer.has_date && answer.complete);
    CHECK_ANSWER(answered(f, 404, ""), OS_ERR_NOT_FOUND);
    CHECK_ANSWER(answered(f, 404, MARK), OS_ERR_NOT_FOUND);
    CHECK_ANSWER(answered(f, 404, ""), OS_ERR_NOT_FOUND);
    assert_int_equal(http_server_count(f->server), 5); /* asked once for all */
}

/* No ingress gives the error of a store, whatever it gives. */
static void what_could_be_anybodys_is_no_proof(void **state)
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
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        push(f, 404, DATED, "");
        push(f, cases[i].status, cases[i].headers, cases[i].body);
        struct store_answer answer = head(f);
        expect_foreign(answer);
        CHECK_SAYS(&answer.error, "nothing has shown yet");
    }
    push(f, 404, DATED, "");
    http_server_push(f->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    expect_foreign(head(f));
}

static void a_profile_spares_the_question(void **state)
{
    (void)state;
    struct fixture *f = open_fixture(STORE_MARKS_NONE);
    CHECK_ANSWER(answered(f, 404, ""), OS_ERR_NOT_FOUND);
    assert_int_equal(http_server_count(f->server), 1);
    close_fixture(f);
    f = open_fixture(STORE_MARKS_ALL);
    expect_foreign(answered(f, 404, ""));
    assert_int_equal(http_server_count(f->server), 1);
    close_fixture(f);
}

static int take(void *context, const void *data, size_t length)
{
    (void)data;
    ((struct fixture *)context)->taken += length;
    return 0;
}

static void bytes_of_another_are_given_to_nobody(void **state)
{
    struct fixture *f = *state;
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = f};
    CHECK_ANSWER(answered(f, 404, MARK), OS_ERR_NOT_FOUND);
    push(f, 200, "", "<html>Please wait.</html>");
    expect_foreign(store_call(&f->on, &request));
    assert_int_equal(f->taken, 0);
    push(f, 200, MARK, "an object");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(f->taken, 9);
}

/* Before the first mark was seen as well: who has given bytes on cannot take them back. */
static void the_first_bytes_of_all_wait_until_it_is_known_whose_they_are(void **state)
{
    struct fixture *f = *state;
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = f};
    push(f, 200, "", "<html>Please wait.</html>");
    push(f, 404, MARK, NOWHERE);
    expect_foreign(store_call(&f->on, &request));
    assert_int_equal(f->taken, 0);
    assert_int_equal(http_server_count(f->server), 2);
    push(f, 200, MARK, "an object");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(f->taken, 9);
}

static void the_first_bytes_of_a_store_without_marks_are_asked_for_once_more(void **state)
{
    struct fixture *f = *state;
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = f};
    push(f, 200, "", "an object");
    push(f, 404, "", NOWHERE);
    push(f, 200, "", "an object");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(f->taken, 9);
    assert_int_equal(http_server_count(f->server), 3);
    push(f, 200, "", "an object");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(f->taken, 18);
    assert_int_equal(http_server_count(f->server), 4);
}

/* What answers does not know of objects: not to be asked for ever. */
static void first_bytes_that_stay_anybodys_are_given_to_nobody(void **state)
{
    struct fixture *f = *state;
    struct store_request request = {.verb = STORE_GET, .key = "k", .sink = take, .sink_context = f};
    push(f, 200, "", "<html>Please wait.</html>");
    push(f, 200, "", "<html>Please wait.</html>");
    expect_foreign(store_call(&f->on, &request));
    assert_int_equal(f->taken, 0);
    assert_int_equal(http_server_count(f->server), 2);
}

/* R10: 412 of a firewall that looks at answers, of a write that was applied. */
static void of_a_guarded_write_it_leaves_all_open(void **state)
{
    static const int statuses[] = {200, 403, 404, 409, 412, 501};
    struct fixture *f = *state;
    struct store_request request = {.verb = STORE_PUT, .key = "k", .body = {.kind = HTTP_BODY_MEMORY, .data = "x"}};
    request.body.length = 1;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        push(f, statuses[i], DATED, "");
        push(f, 404, MARK, NOWHERE); /* asked for the first time only */
        expect_foreign(store_call_guarded(&f->on, &request));
        if (i > 0)
            CHECK_ANSWER(head(f), OS_ERR_NOT_FOUND);
    }
    assert_string_equal(http_server_record(f->server, 0)->method, "PUT");
    assert_string_equal(http_server_record(f->server, 1)->method, "GET");
    assert_string_equal(http_server_record(f->server, 2)->method, "PUT");
}

/* What is on this machine is reached by no proxy, whatever the environment says: the region that it names is learned.
 */
static void a_region_is_learned_on_this_machine_beside_a_proxy(void **state)
{
    (void)state;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct fixture *f = open_fixture(STORE_MARKS_ALL);
    push(f, 301, MARK "x-amz-bucket-region: eu-central-1\r\n", "");
    CHECK_ANSWER(answered(f, 200, MARK "ETag: \"e\"\r\n"), OS_OK);
    assert_int_equal(http_server_count(f->server), 2);
    const char *signature = http_headers_get(&http_server_record(f->server, 1)->headers, "authorization");
    assert_non_null(strstr(signature, "/eu-central-1/s3/"));
    close_fixture(f);
    unsetenv("http_proxy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_has_no_mark_says_nothing_once_one_was_seen, setup, teardown),
        cmocka_unit_test(a_mark_is_that_of_any_vendor),
        cmocka_unit_test_setup_teardown(a_gateway_is_believed_when_it_says_that_it_knows_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(before_any_mark_was_seen_it_is_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(a_store_without_marks_shows_itself_by_its_own_error, setup, teardown),
        cmocka_unit_test_setup_teardown(what_could_be_anybodys_is_no_proof, setup, teardown),
        cmocka_unit_test(a_profile_spares_the_question),
        cmocka_unit_test(a_region_is_learned_on_this_machine_beside_a_proxy),
        cmocka_unit_test_setup_teardown(bytes_of_another_are_given_to_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_bytes_of_all_wait_until_it_is_known_whose_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_bytes_of_a_store_without_marks_are_asked_for_once_more, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(first_bytes_that_stay_anybodys_are_given_to_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(of_a_guarded_write_it_leaves_all_open, setup, teardown),
    };
    return cmocka_run_group_tests_name("client_s3_trust", tests, NULL, NULL);
}
