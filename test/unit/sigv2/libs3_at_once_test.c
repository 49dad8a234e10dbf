/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libs3 driver where all happens within the first call that lets libs3 go on: the connection stands, the request
 * leaves, and the answer or the end comes, before the driver could look into the socket. A write is then open (R10),
 * never "not sent".
 */
#include "libs3_test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libs3.h>
#include <poll.h>
#include <sys/socket.h>

enum { READ_TRIES = 6 }; /* as the driver has it */

static unsigned spared;   /* so many requests come before the one whose first call is made long */
static size_t requests;   /* that call ends when so many have come; 0: when libs3 has nothing left to do */
static bool reset_unseen; /* that call ends when the request has left and the connection was reset, both unnoticed */
static bool first_call;

S3Status __real_S3_create_request_context(S3RequestContext **ret);
S3Status __wrap_S3_create_request_context(S3RequestContext **ret);
S3Status __real_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining);
S3Status __wrap_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining);

S3Status __wrap_S3_create_request_context(S3RequestContext **ret)
{
    first_call = spared == 0;
    spared -= spared > 0 ? 1 : 0;
    return __real_S3_create_request_context(ret);
}

S3Status __wrap_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining)
{
    bool last = !first_call;
    S3Status status;
    do {
        status = __real_S3_runonce_request_context(context, ret_remaining);
        last = last || (requests > 0 && http_server_count(server) >= requests);
    } while (status == S3StatusOK && *ret_remaining > 0 && !last);
    if (first_call && requests > 0)
        http_server_release(server, 1);
    if (first_call && reset_unseen)
        assert_true(http_server_wait_closed(server, 1));
    first_call = false;
    return status;
}

static int start(void **state)
{
    spared = 0;
    requests = 0;
    reset_unseen = false;
    return start_server(state);
}

/* ------------------------------------------------------------------------------------------------ writes */

enum write { DELETION, COPY, EMPTY_PUT, WRITES };

static os_code send_write(enum write write, struct libs3_result *ret)
{
    struct libs3_call call = within(60000);
    struct http_body nothing = {.kind = HTTP_BODY_NONE};
    switch (write) {
    case DELETION: return libs3_delete(&config, &call, "k", ret, &err);
    case COPY:
        return libs3_copy(&config, &call, &(struct libs3_copy_request){.source_key = "s", .key = "k"}, ret, &err);
    default: return libs3_put(&config, &call, "k", &nothing, NULL, ret, &err);
    }
}

/* The copy's look at its source is an ordinary request. */
static void push_write(enum write write, const char *text, enum http_server_leave leave)
{
    if (write == COPY)
        push("HTTP/1.1 200 OK\r\nETag: \"s\"\r\nContent-Length: 3\r\n\r\n", HTTP_SERVER_DRAIN);
    push(text, leave);
    spared = write == COPY ? 1 : 0;
}

static void check_open(enum write write, const char *text, enum http_server_leave leave)
{
    struct libs3_result result;
    push_write(write, text, leave);
    check_code(send_write(write, &result), OS_ERR_NETWORK);
    assert_int_equal(result.status, 0);
    assert_true(result.sent);
}

TEST_BETWEEN(start, stop_server, a_deletion_answered_at_once_is_open)
{
    check_open(DELETION, "HTTP/1.1 204 No Content\r\n\r\n", HTTP_SERVER_KEEP);
    assert_non_null(strstr(err.message, "the answer was not seen"));
}

TEST_BETWEEN(start, stop_server, a_copy_answered_at_once_is_open)
{
    char *text = answer("200 OK", "", "<CopyObjectResult><ETag>\"s\"</ETag></CopyObjectResult>");
    check_open(COPY, text, HTTP_SERVER_KEEP);
    free(text);
}

TEST_BETWEEN(start, stop_server, an_empty_put_answered_at_once_is_open)
{
    check_open(EMPTY_PUT, "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 0\r\n\r\n", HTTP_SERVER_KEEP);
}

TEST_BETWEEN(start, stop_server, a_write_refused_at_once_is_open)
{
    char *text = answer("403 Forbidden", "", ERROR("AccessDenied"));
    for (enum write write = DELETION; write < WRITES; write++)
        check_open(write, text, HTTP_SERVER_KEEP);
    free(text);
}

TEST_BETWEEN(start, stop_server, a_write_closed_at_once_is_open)
{
    for (enum write write = DELETION; write < WRITES; write++)
        check_open(write, NULL, HTTP_SERVER_CLOSE);
}

TEST_BETWEEN(start, stop_server, a_write_reset_at_once_is_open)
{
    for (enum write write = DELETION; write < WRITES; write++)
        check_open(write, NULL, HTTP_SERVER_RESET);
}

/* A socket that was reset has no peer, like one that is not connected yet. */
TEST_BETWEEN(start, stop_server, a_write_reset_behind_the_first_call_is_open)
{
    struct libs3_result result;
    requests = 1;
    reset_unseen = true;
    http_server_push(server, &(struct http_server_step){.hold = true, .leave = HTTP_SERVER_RESET});
    check_code(send_write(DELETION, &result), OS_ERR_NETWORK);
    assert_int_equal(result.status, 0);
    assert_true(result.sent);
}

static void push_redirect(void)
{
    char headers[128];
    snprintf(headers, sizeof(headers), "Location: http://%s/there\r\n", http_server_host(server));
    char *text = answer("307 Temporary Redirect", headers, "");
    push(text, HTTP_SERVER_KEEP);
    free(text);
}

/* libs3 has followed it: what it tells of is the answer to a second copy. */
TEST_BETWEEN(start, stop_server, a_write_redirected_at_once_is_open)
{
    struct libs3_result result;
    push_redirect();
    check_code(send_write(DELETION, &result), OS_ERR_NETWORK);
    assert_int_equal(result.status, 0);
    assert_true(result.sent);
    assert_int_equal(http_server_count(server), 2);
    assert_string_equal(http_server_record(server, 1)->method, "DELETE");
}

TEST_BETWEEN(start, stop_server, the_answer_to_a_second_copy_is_not_taken_for_the_first)
{
    struct libs3_result result;
    push_redirect();
    requests = 2;
    http_server_push(server, &(struct http_server_step){.hold = true, .answer = "HTTP/1.1 204 No Content\r\n\r\n"});
    check_code(send_write(DELETION, &result), OS_ERR_NETWORK);
    assert_int_equal(result.status, 0);
    assert_true(result.sent);
}

/* ------------------------------------------------------------------------------------------------ reads */

TEST_BETWEEN(start, stop_server, a_read_is_repeated_and_then_takes_the_word_of_libs3)
{
    struct libs3_result result;
    for (size_t i = 0; i < READ_TRIES; i++)
        push("HTTP/1.1 404 Not Found\r\n\r\n", HTTP_SERVER_CLOSE);
    check_code(head_of("k", &result), OS_OK);
    assert_int_equal(result.status, 404);
    assert_true(result.sent);
    assert_int_equal(http_server_connections(server), READ_TRIES);
}

/* ------------------------------------------------------------------------------------------------ nothing left */

TEST_BETWEEN(start, stop_server, a_server_that_is_not_there_was_sent_nothing)
{
    struct libs3_result result;
    char kept[sizeof(endpoint.host)];
    memcpy(kept, endpoint.host, sizeof(kept));
    snprintf(endpoint.host, sizeof(endpoint.host), "127.0.0.1:1");
    check_code(send_write(DELETION, &result), OS_ERR_NETWORK);
    memcpy(endpoint.host, kept, sizeof(kept));
    assert_false(result.sent);
    assert_non_null(strstr(err.message, "cannot be reached"));
}

enum { QUEUE = 4 };

/* Listens, accepts nothing, and has no room for one more connection. */
static int listen_with_a_full_queue(int *ret_fillers)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    for (int i = 0; i < QUEUE; i++) {
        ret_fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_true(ret_fillers[i] >= 0);
        (void)connect(ret_fillers[i], (struct sockaddr *)&address, size);
    }
    snprintf(endpoint.host, sizeof(endpoint.host), "127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

TEST_BETWEEN(start, stop_server, a_connection_that_never_stood_was_sent_nothing)
{
    struct libs3_result result;
    struct libs3_call call = within(200);
    int fillers[QUEUE];
    spared = 1;
    int listener = listen_with_a_full_queue(fillers);
    check_code(libs3_delete(&config, &call, "k", &result, &err), OS_ERR_DEADLINE);
    assert_false(result.sent);
    for (int i = 0; i < QUEUE; i++)
        close(fillers[i]);
    close(listener);
}
