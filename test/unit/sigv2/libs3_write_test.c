/* SPDX-License-Identifier: Apache-2.0 */
/* The libs3 driver: what it says of a PUT, and that no write is sent twice or late (R6). */
#include "libs3_test.h"
#include "support/clock_jump.h"

#include <signal.h>
#include <sys/wait.h>

/* ------------------------------------------------------------------------------------------------ PUT */

TEST_BETWEEN(start_server, stop_server, a_put_is_a_success_when_the_final_status_says_so)
{
    struct libs3_result result;
    push_put("HTTP/1.1 200 OK\r\netag: \"e\"\r\nX-Amz-Version-Id: v\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
             "Content-Length: 0\r\n\r\n");
    check_code(put_text("k", "body", &result), OS_OK);
    assert_int_equal(result.status, 200);
    assert_true(result.sent);
    assert_string_equal(result.object.etag, "\"e\"");
    assert_string_equal(result.object.version_id, "v");
    assert_int_equal(result.date_s, 784111777);
    const struct http_server_record *record = http_server_record(server, 0);
    assert_string_equal(record->method, "PUT");
    assert_string_equal(record->target, "/bucket/k");
    assert_string_equal(http_headers_get(&record->headers, "x-amz-meta-oscommit-nonce"), "00ff");
    assert_string_equal(http_headers_get(&record->headers, "x-amz-meta-oscommit-replaced"), "ee11");
    assert_string_equal(http_headers_get(&record->headers, "content-type"), "application/octet-stream");
    assert_string_equal(http_headers_get(&record->headers, "content-md5"), "hBotaJrYa9FhFEdFPCLG/A==");
}

/* libs3 2.0 calls every one of these a success. */
TEST_BETWEEN(start_server, stop_server, a_put_that_was_refused_without_a_document_is_no_success)
{
    static const char *const statuses[] = {"412 Precondition Failed", "500 Oops", "503 Slow Down", "403 Forbidden",
                                           "400 Bad Request"};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct libs3_result result;
        char *text = answer(statuses[i], "", i == 2 ? "<html>no</html>" : "");
        push_put(text);
        check_code(put_text("k", "body", &result), OS_OK);
        assert_int_equal(result.status, atoi(statuses[i]));
        assert_string_equal(result.error.code, "");
        assert_int_equal(result.error.unreadable, i == 2);
        free(text);
    }
}

TEST_BETWEEN(start_server, stop_server, a_put_that_was_refused_says_why)
{
    struct libs3_result result;
    char *text = answer("400 Bad Request", "", ERROR("XMinioInvalidObjectName"));
    push_put(text);
    check_code(put_text("k", "body", &result), OS_OK);
    assert_int_equal(result.status, 400);
    assert_string_equal(result.error.code, "XMinioInvalidObjectName");
    assert_string_equal(result.error.request_id, "R");
    free(text);
}

TEST_BETWEEN(start_server, stop_server, a_put_that_was_refused_at_once_says_why)
{
    struct libs3_result result;
    char *text = answer("403 Forbidden", "Connection: close\r\n", ERROR("AccessDenied"));
    http_server_push(server, &(struct http_server_step){
                                 .read = HTTP_SERVER_READ_HEADERS, .answer = text, .leave = HTTP_SERVER_DRAIN});
    check_code(put_text("k", "body", &result), OS_OK);
    assert_int_equal(result.status, 403);
    assert_string_equal(result.error.code, "AccessDenied");
    free(text);
}

/* libs3 2.0 calls this a failed connection. */
TEST_BETWEEN(start_server, stop_server, a_put_to_a_store_that_sends_no_100_is_a_success)
{
    struct libs3_result result;
    push("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 0\r\n\r\n", HTTP_SERVER_KEEP);
    check_code(put_text("k", "body", &result), OS_OK);
    assert_int_equal(result.status, 200);
    assert_string_equal(http_server_record(server, 0)->body, "body");
}

TEST_BETWEEN(start_server, stop_server, a_put_whose_connection_breaks_has_no_answer)
{
    static const enum http_server_leave leaves[] = {HTTP_SERVER_CLOSE, HTTP_SERVER_RESET};
    for (size_t i = 0; i < 2; i++) {
        struct libs3_result result;
        push(NULL, leaves[i]);
        check_code(put_text("k", "body", &result), OS_ERR_NETWORK);
        assert_int_equal(result.status, 0);
        assert_true(result.sent);
        assert_int_equal(http_server_connections(server), i + 1);
    }
}

TEST_BETWEEN(start_server, stop_server, half_a_status_line_is_no_answer)
{
    static const char *const answers[] = {"HTTP/1.1 20", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n",
                                          "220 smtp ready\r\n", "HTTP/1.1 100 Continue\r\n\r\n"};
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct libs3_result result;
        push(answers[i], HTTP_SERVER_CLOSE);
        check_code(put_text("k", "body", &result), OS_ERR_NETWORK);
        assert_int_equal(result.status, 0);
        assert_true(result.sent);
        assert_int_equal(http_server_connections(server), i + 1);
    }
}

/* ------------------------------------------------------------------------------------------------ R6 */

TEST_BETWEEN(start_server, stop_server, a_redirected_write_is_not_sent_again)
{
    static const char *const statuses[] = {"301 Moved Permanently", "302 Found", "303 See Other",
                                           "307 Temporary Redirect", "308 Permanent Redirect"};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        struct libs3_result result;
        char headers[256];
        snprintf(headers, sizeof(headers), "Location: http://%s/there\r\nx-amz-bucket-region: eu-west-1\r\n",
                 http_server_host(server));
        char *text = answer(statuses[i], headers, ERROR("TemporaryRedirect"));
        struct libs3_call call = within(60000);
        push(text, HTTP_SERVER_DRAIN);
        check_code(libs3_delete(&config, &call, "k", &result, &err), OS_OK);
        assert_int_equal(result.status, atoi(statuses[i]));
        assert_string_equal(result.error.code, "TemporaryRedirect");
        assert_string_equal(result.error.region, "eu-west-1");
        push_put(text);
        check_code(put_text("k", "body", &result), OS_OK);
        assert_int_equal(result.status, atoi(statuses[i]));
        free(text);
        assert_int_equal(http_server_connections(server), 2 * (i + 1));
    }
}

TEST_BETWEEN(start_server, stop_server, a_put_is_not_sent_again_without_its_expectation)
{
    struct libs3_result result;
    http_server_push(server, &(struct http_server_step){.read = HTTP_SERVER_READ_HEADERS,
                                                        .answer = "HTTP/1.1 417 Expectation Failed\r\n"
                                                                  "Content-Length: 0\r\n\r\n",
                                                        .leave = HTTP_SERVER_DRAIN});
    check_code(put_text("k", "body", &result), OS_OK);
    assert_int_equal(result.status, 417);
    assert_int_equal(http_server_connections(server), 1);
    assert_true(http_server_wait_count(server, 1));
    assert_int_equal(http_server_record(server, 0)->body_length, 0);
}

static void *jump_when_held(void *unused)
{
    (void)unused;
    if (http_server_wait_held(server, 1))
        clock_jump(HOUR_MS);
    return NULL;
}

TEST_BETWEEN(start_server, stop_server, a_write_whose_deadline_passes_is_reset)
{
    struct libs3_result result;
    struct libs3_call call = within(HOUR_MS);
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "body", .length = 4};
    pthread_t thread;
    http_server_push(
        server, &(struct http_server_step){.read = HTTP_SERVER_READ_HEADERS, .hold = true, .leave = HTTP_SERVER_DRAIN});
    assert_int_equal(pthread_create(&thread, NULL, jump_when_held, NULL), 0);
    check_code(libs3_put(&config, &call, "k", &body, NULL, &result, &err), OS_ERR_DEADLINE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(result.sent);
    assert_int_equal(result.status, 0);
    struct clock_reading now;
    clock_read(&now);
    assert_true(now.monotonic_ms >= call.deadline_monotonic_ms);
    assert_true(now.monotonic_ms < call.deadline_monotonic_ms + 60000);
    http_server_release(server, 1);
    assert_true(http_server_wait_count(server, 1));
    assert_int_equal(http_server_record(server, 0)->end_errno, ECONNRESET);
}

TEST_BETWEEN(start_server, stop_server, a_deadline_that_has_passed_sends_nothing)
{
    struct libs3_result result;
    struct libs3_call call = {.deadline_monotonic_ms = 1};
    check_code(libs3_delete(&config, &call, "k", &result, &err), OS_ERR_DEADLINE);
    assert_false(result.sent);
    assert_int_equal(http_server_count(server), 0);
}

struct canceller {
    _Atomic int cancelled;
    bool forks; /* before it cancels: a child that keeps copies of all sockets */
    pid_t child;
};

static void *cancel_when_held(void *context)
{
    struct canceller *canceller = context;
    if (!http_server_wait_held(server, 1))
        return NULL;
    canceller->child = canceller->forks ? fork() : 1;
    while (canceller->child == 0)
        pause();
    canceller->cancelled = canceller->child > 0;
    return NULL;
}

static void check_cancelled_write_is_reset(bool forks)
{
    struct libs3_result result;
    struct canceller canceller = {.forks = forks};
    struct libs3_call call = within(60000);
    call.cancelled = &canceller.cancelled;
    pthread_t thread;
    http_server_push(server, &(struct http_server_step){.hold = true, .leave = HTTP_SERVER_DRAIN});
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_held, &canceller), 0);
    check_code(libs3_delete(&config, &call, "k", &result, &err), OS_ERR_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(result.sent);
    http_server_release(server, 1);
    bool ended = http_server_wait_count(server, 1);
    if (forks) {
        assert_int_equal(kill(canceller.child, SIGKILL), 0);
        assert_int_equal(waitpid(canceller.child, NULL, 0), canceller.child);
    }
    assert_true(ended);
    assert_int_equal(http_server_record(server, 0)->end_errno, ECONNRESET);
}

TEST_BETWEEN(start_server, stop_server, a_cancelled_write_is_reset)
{
    check_cancelled_write_is_reset(false);
}

TEST_BETWEEN(start_server, stop_server, a_cancelled_write_is_reset_beside_a_forked_child)
{
    check_cancelled_write_is_reset(true);
}

TEST_BETWEEN(start_server, stop_server, a_server_that_is_not_there_was_sent_nothing)
{
    struct libs3_result result;
    char kept[sizeof(endpoint.host)];
    memcpy(kept, endpoint.host, sizeof(kept));
    snprintf(endpoint.host, sizeof(endpoint.host), "127.0.0.1:1");
    check_code(put_text("k", "body", &result), OS_ERR_NETWORK);
    memcpy(endpoint.host, kept, sizeof(kept));
    assert_false(result.sent);
    assert_non_null(strstr(err.message, "cannot be reached"));
    assert_non_null(strstr(err.message, "s3://bucket/k"));
}

/* ------------------------------------------------------------------------------------------------ files */

static os_code put_file(const char *text, uint64_t promised, struct libs3_result *ret)
{
    char path[] = "/tmp/oscommit-libs3-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    struct libs3_call call = within(60000);
    struct http_body body = {.kind = HTTP_BODY_FILE, .fd = fd, .length = promised};
    os_code code = libs3_put(&config, &call, "k", &body, NULL, ret, &err);
    close(fd);
    return code;
}

TEST_BETWEEN(start_server, stop_server, a_file_that_changes_while_it_is_sent_is_told)
{
    struct libs3_result result;
    http_server_push(server, &(struct http_server_step){.read = HTTP_SERVER_READ_HEADERS, .answer = CONTINUE});
    http_server_push(server, &(struct http_server_step){.read = HTTP_SERVER_READ_NOTHING, .leave = HTTP_SERVER_DRAIN});
    check_code(put_file("12345", 9, &result), OS_ERR_BODY); /* it shrank */
    assert_int_equal(result.status, 0);
    push_put("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    check_code(put_file("12345", 4, &result), OS_ERR_BODY); /* it grew */
    assert_true(http_server_wait_closed(server, 2));
    for (size_t i = 0; i < http_server_count(server); i++)
        assert_false(http_server_record(server, i)->body_length >= 9);
}

TEST_BETWEEN(start_server, stop_server, a_file_that_keeps_its_length_is_sent)
{
    struct libs3_result result;
    push("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", HTTP_SERVER_KEEP);
    check_code(put_file("12345", 5, &result), OS_OK);
    assert_int_equal(result.status, 200);
    assert_string_equal(http_server_record(server, 0)->body, "12345");
}
