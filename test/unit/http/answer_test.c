/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as they come: whole, in pieces, cut short, over a limit, or no HTTP at all. */
#include "unit/http/fixture.h"

#include <stdio.h>
#include <string.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 4, NULL);
}

static void get_answer(struct fixture *fixture, const char *answer, enum http_server_leave leave, struct probe *probe)
{
    const struct http_server_step step = {.answer = answer, .leave = leave};
    http_server_push(fixture->server, &step);
    probe_get(fixture->engine, probe, http_server_host(fixture->server), "/k");
}

static void expect_failure(struct fixture *fixture, const char *answer, enum http_server_leave leave, os_code code,
                           bool in_part)
{
    struct probe probe;
    get_answer(fixture, answer, leave, &probe);
    assert_int_equal(probe.code, code);
    assert_true(probe.sent);
    assert_int_equal(probe.answered_in_part, in_part);
    assert_true(strlen(probe.message) > 0);
    if (!in_part) {
        assert_int_equal(probe.status, 0);
        assert_int_equal(probe.headers.count, 0);
    }
    probe_free(&probe);
}

TEST_WITH(fixture, status_headers_and_body_are_kept)
{
    struct probe probe;
    get_answer(
        fixture,
        "HTTP/1.1 412 Precondition Failed\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag:  \"a\" \r\nx-empty:\r\n"
        "Content-Length: 4\r\n\r\nbody",
        HTTP_SERVER_KEEP, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 412);
    assert_string_equal(http_headers_get(&probe.headers, "date"), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_string_equal(http_headers_get(&probe.headers, "etag"), "\"a\"");
    assert_string_equal(http_headers_get(&probe.headers, "x-empty"), "");
    assert_string_equal(buf_str(&probe.body), "body");
    probe_free(&probe);
}

TEST_WITH(fixture, the_answer_to_a_head_has_a_length_and_no_body)
{
    const struct http_server_step step = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"};
    http_server_push(fixture->server, &step);
    struct probe probe;
    probe_init(&probe, "HEAD", http_server_host(fixture->server), "/k", NULL, 0);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(http_headers_get(&probe.headers, "content-length"), "1000000");
    assert_int_equal(probe.body.len, 0);
    probe_free(&probe);
    probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/k");
    assert_int_equal(http_server_connections(fixture->server), 1);
    probe_free(&probe);
}

TEST_WITH(fixture, interim_answers_are_skipped)
{
    struct probe probe;
    get_answer(fixture,
               "HTTP/1.1 100 Continue\r\nx-interim: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nx-interim: 2\r\n\r\n"
               "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
               HTTP_SERVER_KEEP, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 201);
    assert_null(http_headers_get(&probe.headers, "x-interim"));
    assert_string_equal(buf_str(&probe.body), "ok");
    probe_free(&probe);
}

TEST_WITH(fixture, endless_interim_answers_are_given_up)
{
    struct buf answer;
    buf_init(&answer, 100000);
    for (int i = 0; i < 100; i++)
        assert_true(buf_add_str(&answer, "HTTP/1.1 102 Processing\r\n\r\n"));
    expect_failure(fixture, buf_str(&answer), HTTP_SERVER_KEEP, OS_ERR_PROTOCOL, false);
    buf_free(&answer);
}

TEST_WITH(fixture, a_chunked_body_is_joined_and_its_trailers_dropped)
{
    struct probe probe;
    get_answer(
        fixture,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-late\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n"
        "x-late: 1\r\n\r\n",
        HTTP_SERVER_KEEP, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(buf_str(&probe.body), "abcde");
    assert_null(http_headers_get(&probe.headers, "x-late"));
    probe_free(&probe);
}

TEST_WITH(fixture, a_body_shorter_than_promised_is_cut_short)
{
    expect_failure(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", HTTP_SERVER_CLOSE, OS_ERR_PROTOCOL,
                   true);
}

TEST_WITH(fixture, a_chunked_body_without_its_end_is_cut_short)
{
    expect_failure(fixture, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc", HTTP_SERVER_CLOSE,
                   OS_ERR_PROTOCOL, true);
    expect_failure(fixture, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", HTTP_SERVER_CLOSE,
                   OS_ERR_PROTOCOL, true);
}

TEST_WITH(fixture, a_broken_chunk_is_no_answer)
{
    expect_failure(fixture, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
                   HTTP_SERVER_KEEP, OS_ERR_PROTOCOL, true);
}

TEST_WITH(fixture, a_reset_within_the_body_is_a_network_failure_in_part)
{
    /* Held until the headers are read, because a reset drops what the client has not read yet. */
    const struct http_server_step step = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                                          .leave = HTTP_SERVER_RESET};
    http_server_push(fixture->server, &step);
    struct probe probe;
    probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/k");
    assert_true(probe.code == OS_ERR_NETWORK || probe.code == OS_ERR_PROTOCOL);
    assert_true(probe.sent);
    probe_free(&probe);
}

TEST_WITH(fixture, headers_without_their_end_are_no_answer)
{
    struct probe probe;
    get_answer(fixture, "HTTP/1.1 200 OK\r\nContent-Le", HTTP_SERVER_CLOSE, &probe);
    assert_int_not_equal(probe.code, OS_OK);
    assert_false(probe.answered_in_part);
    assert_int_equal(probe.status, 0);
    probe_free(&probe);
}

TEST_WITH(fixture, no_answer_at_all_is_a_network_failure)
{
    expect_failure(fixture, NULL, HTTP_SERVER_CLOSE, OS_ERR_NETWORK, false);
    expect_failure(fixture, NULL, HTTP_SERVER_RESET, OS_ERR_NETWORK, false);
}

TEST_WITH(fixture, what_is_not_http_is_no_answer)
{
    expect_failure(fixture, "SSH-2.0-OpenSSH_9.2\r\n", HTTP_SERVER_CLOSE, OS_ERR_PROTOCOL, false);
    expect_failure(fixture, "HTTP/1.1 abc\r\n\r\n", HTTP_SERVER_CLOSE, OS_ERR_PROTOCOL, false);
}

TEST_WITH(fixture, too_many_headers_are_refused)
{
    struct buf answer;
    buf_init(&answer, 100000);
    assert_true(buf_add_str(&answer, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"));
    for (int i = 1; i < HTTP_HEADERS_MAX; i++)
        assert_true(buf_add_f(&answer, "x-%d: 1\r\n", i));
    struct buf more;
    buf_init(&more, 100000);
    assert_true(buf_add_str(&more, buf_str(&answer)) && buf_add_str(&more, "x-one-more: 1\r\n\r\n"));
    assert_true(buf_add_str(&answer, "\r\n"));
    struct probe probe;
    get_answer(fixture, buf_str(&answer), HTTP_SERVER_KEEP, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.headers.count, HTTP_HEADERS_MAX);
    probe_free(&probe);
    expect_failure(fixture, buf_str(&more), HTTP_SERVER_KEEP, OS_ERR_PROTOCOL, false);
    buf_free(&answer);
    buf_free(&more);
}

TEST_WITH(fixture, too_large_headers_are_refused)
{
    struct buf answer;
    buf_init(&answer, 1000000);
    assert_true(buf_add_str(&answer, "HTTP/1.1 200 OK\r\nx: "));
    for (int i = 0; i < 70000; i++)
        assert_true(buf_add_char(&answer, 'a'));
    struct buf longer; /* than libcurl keeps */
    buf_init(&longer, 1000000);
    for (int i = 0; i < 4; i++)
        assert_true(buf_add(&longer, buf_str(&answer) + (i > 0 ? 20 : 0), 70000));
    assert_true(buf_add_str(&answer, "\r\nContent-Length: 0\r\n\r\n"));
    assert_true(buf_add_str(&longer, "\r\nContent-Length: 0\r\n\r\n"));
    expect_failure(fixture, buf_str(&answer), HTTP_SERVER_KEEP, OS_ERR_PROTOCOL, false);
    expect_failure(fixture, buf_str(&longer), HTTP_SERVER_KEEP, OS_ERR_PROTOCOL, false);
    buf_free(&longer);
    buf_free(&answer);
}

TEST_WITH(fixture, lengths_that_disagree_are_no_answer)
{
    static const char *const heads[] = {
        "Content-Length: 3\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 3",
        "Content-Length: 5, 5",
        "Content-Length: -5",
        "Content-Length: 18446744073709551615",
        "Content-Length: 9223372036854775808",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
    };
    char answer[256];
    struct probe probe;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        (void)snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\n%s\r\n\r\n01234", heads[i]);
        get_answer(fixture, answer, HTTP_SERVER_CLOSE, &probe);
        assert_int_equal(probe.code, OS_ERR_PROTOCOL);
        assert_int_equal(probe.body.len, 0);
        probe_free(&probe);
    }
    get_answer(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n01", HTTP_SERVER_KEEP,
               &probe);
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
}

TEST_WITH(fixture, a_body_over_its_limit_is_refused)
{
    for (size_t limit = 9; limit <= 10; limit++) {
        const struct http_server_step step = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"};
        http_server_push(fixture->server, &step);
        struct probe probe;
        probe_init(&probe, "GET", http_server_host(fixture->server), "/k", NULL, 0);
        probe.start.body_max = limit;
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, limit == 10 ? OS_OK : OS_ERR_PROTOCOL);
        assert_int_equal(probe.answered_in_part, limit == 9);
        probe_free(&probe);
    }
}

TEST_WITH(fixture, a_redirect_is_an_answer)
{
    struct probe probe;
    get_answer(fixture, "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
               HTTP_SERVER_KEEP, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 307);
    assert_int_equal(http_server_count(fixture->server), 1);
    probe_free(&probe);
}

TEST_WITH(fixture, a_challenge_is_an_answer)
{
    static const char *const answers[] = {"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic "
                                          "realm=\"x\"\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n",
                                          "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n"};
    for (size_t i = 0; i < 2; i++) {
        const struct http_server_step step = {.answer = answers[i]};
        http_server_push(fixture->server, &step);
        struct probe probe;
        probe_init(&probe, "PUT", http_server_host(fixture->server), "/k", "x", 1);
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        assert_int_equal(probe.status, i == 0 ? 401 : 417);
        assert_int_equal(http_server_count(fixture->server), i + 1);
        probe_free(&probe);
    }
}

TEST_WITH(fixture, an_answer_before_the_body_is_sent_ends_the_upload)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step early = {.read = HTTP_SERVER_READ_HEADERS,
                                           .answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\ndenied",
                                           .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &early);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/k", body, LENGTH);
    probe.start.once = true;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 403);
    assert_string_equal(buf_str(&probe.body), "denied");
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_false(http_server_record(fixture->server, 0)->whole);
    probe_free(&probe);
    free(body);
}

struct sink {
    struct buf data;
    size_t limit; /* stops when it would be over */
    struct http_engine *engine;
    uint64_t cancel; /* id to cancel from within */
    struct probe *start;
};

static int take(void *context, const void *data, size_t length)
{
    struct sink *sink = context;
    if (sink->cancel != 0)
        http_engine_cancel(sink->engine, sink->cancel);
    if (sink->start != NULL) {
        probe_start(sink->engine, sink->start);
        sink->start = NULL;
    }
    return sink->data.len + length > sink->limit || !buf_add(&sink->data, data, length);
}

static void run_with_sink(struct fixture *fixture, const char *answer, struct sink *sink, struct probe *probe)
{
    const struct http_server_step step = {.answer = answer};
    http_server_push(fixture->server, &step);
    buf_init(&sink->data, 1000);
    probe_init(probe, "GET", http_server_host(fixture->server), "/k", NULL, 0);
    probe->start.sink = take;
    probe->start.sink_context = sink;
    probe->start.body_max = 20;
    probe_start(fixture->engine, probe);
    if (sink->cancel != 0)
        sink->cancel = probe->id;
    probe_wait(fixture->engine, probe);
}

TEST_WITH(fixture, a_good_body_goes_to_the_sink)
{
    struct sink sink = {.limit = 1000};
    struct probe probe;
    run_with_sink(fixture, "HTTP/1.1 206 Partial Content\r\nContent-Length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz",
                  &sink, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.body.len, 0);
    assert_string_equal(buf_str(&sink.data), "abcdefghijklmnopqrstuvwxyz");
    probe_free(&probe);
    buf_free(&sink.data);
}

TEST_WITH(fixture, an_error_body_does_not_go_to_the_sink)
{
    struct sink sink = {.limit = 1000};
    struct probe probe;
    run_with_sink(fixture, "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nerror", &sink, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(buf_str(&probe.body), "error");
    assert_int_equal(sink.data.len, 0);
    probe_free(&probe);
    buf_free(&sink.data);
}

TEST_WITH(fixture, a_sink_may_stop)
{
    struct sink sink = {.limit = 3};
    struct probe probe;
    run_with_sink(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", &sink, &probe);
    assert_int_equal(probe.code, OS_ERR_STOPPED);
    assert_true(probe.answered_in_part);
    probe_free(&probe);
    buf_free(&sink.data);
}

TEST_WITH(fixture, a_sink_may_cancel_its_request)
{
    struct sink sink = {.limit = 1000, .engine = fixture->engine, .cancel = 1};
    struct probe probe;
    run_with_sink(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", &sink, &probe);
    assert_int_equal(probe.code, OS_ERR_CANCELLED);
    probe_free(&probe);
    buf_free(&sink.data);
}

TEST_WITH(fixture, a_sink_may_start_a_request)
{
    struct probe other;
    probe_init(&other, "GET", http_server_host(fixture->server), "/other", NULL, 0);
    struct sink sink = {.limit = 1000, .engine = fixture->engine, .start = &other};
    struct probe probe;
    run_with_sink(fixture, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde", &sink, &probe);
    assert_int_equal(probe.code, OS_OK);
    probe_wait(fixture->engine, &other);
    assert_int_equal(other.code, OS_OK);
    probe_free(&probe);
    probe_free(&other);
    buf_free(&sink.data);
}
