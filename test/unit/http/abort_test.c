/* SPDX-License-Identifier: Apache-2.0 */
/* R6: an attempt that is given up is dropped with a reset, and one that is too late is not sent. */
#include "fixture.h"
#include "support/clock_jump.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, NULL);
}

/* A server that does not read gets what the socket buffers hold, then a reset, and never the rest. */
static void check_reset(struct fixture *fixture, bool cancel)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step deaf = {.read = HTTP_SERVER_READ_NOTHING, .hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &deaf);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", body, LENGTH);
    probe.start.deadline_monotonic_ms = cancel ? 0 : probe_now_ms() + HOUR_MS;
    socket_watch_begin();
    probe_start(fixture->engine, &probe);
    while (http_server_held(fixture->server) == 0 && !probe.done)
        http_engine_poll(fixture->engine, 10);
    if (cancel) {
        http_engine_cancel(fixture->engine, probe.id);
        assert_true(probe.done);
    } else {
        clock_jump(HOUR_MS);
    }
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, cancel ? OS_ERR_CANCELLED : OS_ERR_DEADLINE);
    assert_true(probe.sent);
    assert_int_equal(socket_watch()->resets, 1);
    http_server_release(fixture->server, 1);
    assert_true(http_server_wait_count(fixture->server, 1));
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_int_equal(record->end_errno, ECONNRESET);
    assert_true(record->bytes < LENGTH);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, at_the_deadline_the_connection_is_reset_and_the_rest_dropped)
{
    check_reset(fixture, false);
}

TEST_WITH(fixture, a_cancelled_attempt_is_reset_and_the_rest_dropped)
{
    check_reset(fixture, true);
}

TEST_WITH(fixture, an_unanswered_small_attempt_is_reset_at_its_deadline)
{
    const struct http_server_step mute = {.hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &mute);
    struct probe probe;
    fixture_init_once(fixture, &probe, "DELETE", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS;
    probe_start(fixture->engine, &probe);
    while (http_server_held(fixture->server) == 0 && !probe.done)
        http_engine_poll(fixture->engine, 10);
    assert_false(probe.done);
    clock_jump(HOUR_MS);
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_true(probe.sent);
    http_server_release(fixture->server, 1);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_int_equal(http_server_record(fixture->server, 0)->end_errno, ECONNRESET);
    probe_free(&probe);
}

/* By itself, also when nothing happens: a poll would go on for two minutes. */
TEST_WITH(fixture, an_attempt_ends_when_its_deadline_comes)
{
    const struct http_server_step mute = {.leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &mute);
    struct probe probe;
    fixture_init_once(fixture, &probe, "DELETE", NULL, 0);
    uint64_t begun_ms = probe_now_ms();
    probe.start.deadline_monotonic_ms = begun_ms + 200;
    http_probe_run(fixture->engine, &probe);
    assert_in_range(probe_now_ms() - begun_ms, 200, 60000);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    probe_free(&probe);
}

/* A server that reads nothing until it is told to; http_server.h reads on behind its answer. */
static int listen_deafly(char ret_host[32])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    snprintf(ret_host, 32, "127.0.0.1:%d", ntohs(address.sin_port));
    return fd;
}

/* libcurl closes the connection itself, while the kernel holds a part of the body. */
TEST_WITH(fixture, an_attempt_whose_answer_makes_no_sense_is_reset_and_the_rest_dropped)
{
    enum { LENGTH = 32 << 20 };
    static const char nonsense[] = "no HTTP\r\n\r\n";
    char host[32];
    char data[4096];
    char *body = calloc(1, LENGTH);
    struct probe probe;
    int listening = listen_deafly(host);
    assert_non_null(body);
    probe_init(&probe, "PUT", host, "/attempt", body, LENGTH);
    probe.start.once = true;
    probe_start(fixture->engine, &probe);
    http_engine_poll(fixture->engine, 100);
    int accepted = accept(listening, NULL, NULL);
    assert_true(accepted >= 0);
    assert_int_equal(send(accepted, nonsense, sizeof(nonsense) - 1, 0), sizeof(nonsense) - 1);
    while (!probe.done)
        http_engine_poll(fixture->engine, 100);
    assert_int_not_equal(probe.code, OS_OK);
    ssize_t got = 1;
    while (got > 0)
        got = recv(accepted, data, sizeof(data), 0);
    assert_int_equal(got, -1);
    assert_int_equal(errno, ECONNRESET);
    close(accepted);
    close(listening);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, an_attempt_past_its_deadline_is_not_sent)
{
    fixture_warm_up(fixture);
    struct probe probe;
    fixture_init_once(fixture, &probe, "DELETE", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() - 1;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_false(probe.sent);
    fixture_warm_up(fixture);
    assert_int_equal(http_server_count(fixture->server), 2);
    probe_free(&probe);
}

static void pass_time_until(uint64_t then_ms)
{
    uint64_t now_ms = probe_now_ms();
    if (now_ms <= then_ms)
        clock_jump(then_ms - now_ms + 1);
}

/* A connection can be read from, or written to. */
static void wait_until_ready(const struct http_engine *engine)
{
    struct pollfd ready = {.fd = http_engine_fd(engine), .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 60000), 1);
}

TEST_WITH(fixture, a_process_stopped_past_the_deadline_sends_nothing_more)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step late = {.read = HTTP_SERVER_READ_NOTHING, .hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &late);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", body, LENGTH);
    probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS;
    socket_watch_begin();
    probe_start(fixture->engine, &probe);
    while (http_server_held(fixture->server) == 0 && !probe.done)
        http_engine_poll(fixture->engine, 100);
    assert_false(probe.done);
    size_t sends = socket_watch()->sends;
    assert_true(sends > 0);
    http_server_release(fixture->server, 1); /* from here on it would take everything */
    wait_until_ready(fixture->engine);
    clock_jump(HOUR_MS);
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_int_equal(socket_watch()->sends, sends);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_true(http_server_record(fixture->server, 0)->bytes < LENGTH);
    probe_free(&probe);
    free(body);
}

static int pass_time(void *context, const void *data, size_t length)
{
    (void)data;
    (void)length;
    pass_time_until(*(uint64_t *)context);
    return 0;
}

/* Two requests for one connection: the callback of the first takes so long that the second may no longer be sent, which
 * libcurl would do at once. */
TEST_WITH(fixture, an_attempt_held_up_by_a_callback_past_its_deadline_is_not_sent)
{
    struct http_engine *engine = probe_engine(1, NULL);
    const struct http_server_step answer = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"};
    http_server_push(fixture->server, &answer);
    uint64_t deadline_ms = probe_now_ms() + 300;
    struct probe first;
    struct probe second;
    probe_init(&first, "GET", http_server_host(fixture->server), "/first", NULL, 0);
    first.start.sink = pass_time;
    first.start.sink_context = &deadline_ms;
    fixture_init_once(fixture, &second, "DELETE", NULL, 0);
    second.start.deadline_monotonic_ms = deadline_ms;
    probe_start(engine, &first);
    probe_start(engine, &second);
    probe_wait(engine, &first);
    probe_wait(engine, &second);
    assert_int_equal(first.code, OS_OK);
    assert_int_equal(second.code, OS_ERR_DEADLINE);
    assert_false(second.sent);
    probe_free(&first);
    probe_free(&second);
    http_engine_free(engine);
    assert_true(http_server_wait_closed(fixture->server, 1));
    assert_int_equal(http_server_count(fixture->server), 1);
}

TEST_WITH(fixture, an_attempt_that_was_answered_is_not_reset)
{
    const struct http_server_step closing = {
        .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &closing);
    socket_watch_begin();
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", "hello", 5);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(socket_watch()->resets, 0);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_int_equal(http_server_record(fixture->server, 0)->end_errno, 0);
    probe_free(&probe);
}

TEST_WITH(fixture, the_user_timeout_is_set_for_the_attempt_and_taken_back_for_others)
{
    fixture_warm_up(fixture);
    socket_watch_begin();
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", "hello", 5);
    probe.start.user_timeout_ms = 4321;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(socket_watch()->user_timeout_calls, 1);
    assert_int_equal(socket_watch()->user_timeout_ms, 4321);
    probe_free(&probe);
    fixture_warm_up(fixture);
    assert_int_equal(socket_watch()->user_timeout_calls, 2);
    assert_int_equal(socket_watch()->user_timeout_ms, 0);
    fixture_warm_up(fixture);
    assert_int_equal(socket_watch()->user_timeout_calls, 2);
    assert_int_equal(http_server_connections(fixture->server), 1);
}
