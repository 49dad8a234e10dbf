/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that does not say what happens on the connections: the calls to epoll are led through this file (--wrap), and
 * fail when a test says so. */
#include "support/clock_jump.h"
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <errno.h>
#include <sys/epoll.h>

enum { TURN_MS = 300, REST_MS = 10 };

static unsigned asked;
static struct http_server *answers_while_stopped; /* and an hour passes */
static bool waiting_fails;
static bool watching_fails;

int __real_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int most, int timeout_ms)
{
    asked++;
    if (answers_while_stopped && timeout_ms != 0) {
        http_server_release(answers_while_stopped, 1);
        answers_while_stopped = NULL;
        (void)__real_epoll_wait(fd, events, most, 60000); /* level-triggered: who asks again is told again */
        clock_jump(HOUR_MS);
        errno = EINTR;
        return -1;
    }
    if (!waiting_fails)
        return __real_epoll_wait(fd, events, most, timeout_ms);
    errno = ENOMEM;
    return -1;
}

int __real_epoll_ctl(int fd, int what, int of, struct epoll_event *event);
int __wrap_epoll_ctl(int fd, int what, int of, struct epoll_event *event);
int __wrap_epoll_ctl(int fd, int what, int of, struct epoll_event *event)
{
    if (!watching_fails)
        return __real_epoll_ctl(fd, what, of, event);
    errno = ENOSPC;
    return -1;
}

TEST(it_is_not_asked_again_and_again)
{
    struct http_engine *engine = probe_engine(1, NULL);
    uint64_t began_ms = probe_now_ms();
    asked = 0;
    waiting_fails = true;
    http_engine_poll(engine, TURN_MS);
    waiting_fails = false;
    assert_in_range(asked, 1, TURN_MS / REST_MS + 2);
    assert_true(probe_now_ms() - began_ms >= TURN_MS);
    http_engine_free(engine);
}

static void check_that_requests_are_answered(bool *fails)
{
    struct http_server *server = http_server_start(NULL);
    struct http_engine *engine = probe_engine(1, NULL);
    struct probe probe;
    *fails = true;
    probe_get(engine, &probe, http_server_host(server), "/k");
    *fails = false;
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 200);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
}

TEST(requests_are_answered_where_it_cannot_be_waited_for)
{
    check_that_requests_are_answered(&waiting_fails);
}

TEST(requests_are_answered_on_connections_that_cannot_be_watched)
{
    check_that_requests_are_answered(&watching_fails);
}

/* Linux ends a wait with EINTR in a process that was stopped and goes on (signal(7)), whatever has come. */
TEST(an_answer_that_came_while_the_process_was_stopped_counts)
{
    const struct http_server_step held = {.hold = true, .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    struct http_server *server = http_server_start(NULL);
    struct http_engine *engine = probe_engine(1, NULL);
    struct probe probe;
    http_server_push(server, &held);
    probe_init(&probe, "GET", http_server_host(server), "/k", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS / 2;
    probe_start(engine, &probe);
    uint64_t end_ms = probe_now_ms() + 60000;
    while (http_server_held(server) == 0) {
        http_engine_poll(engine, 20);
        assert_true(probe_now_ms() < end_ms);
    }
    answers_while_stopped = server;
    probe_wait(engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
}
