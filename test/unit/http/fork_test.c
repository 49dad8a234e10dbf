/* SPDX-License-Identifier: Apache-2.0 */
/* R6 in a program that forks without exec: the child's copies of the sockets live as long as it does, and nothing is
 * delivered later for that. */
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    struct http_server *server;
    struct http_engine *engine;
    pid_t child;
};

static void fixture_set_up(struct fixture *fixture)
{
    fixture->server = http_server_start(NULL);
    fixture->engine = probe_engine(8, NULL);
}

static void fixture_tear_down(struct fixture *fixture)
{
    if (fixture->child > 0) {
        (void)kill(fixture->child, SIGKILL);
        (void)waitpid(fixture->child, NULL, 0);
    }
    http_engine_free(fixture->engine);
    http_server_stop(fixture->server);
}

static void fork_bystander(struct fixture *fixture)
{
    fixture->child = fork();
    assert_true(fixture->child >= 0);
    if (fixture->child == 0)
        for (;;)
            (void)pause();
}

static void start_once(struct fixture *fixture, struct probe *probe, const char *method, const void *data,
                       size_t length)
{
    probe_init(probe, method, http_server_host(fixture->server), "/attempt", data, length);
    probe->start.once = true;
    probe_start(fixture->engine, probe);
}

static void poll_until_held(struct fixture *fixture)
{
    uint64_t until_ms = probe_now_ms() + 60000;
    while (http_server_held(fixture->server) == 0 && probe_now_ms() < until_ms)
        http_engine_poll(fixture->engine, 10);
    assert_int_equal(http_server_held(fixture->server), 1);
}

static void check_was_reset(struct fixture *fixture)
{
    assert_int_equal(kill(fixture->child, 0), 0);
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_int_equal(http_server_record(fixture->server, 0)->end_errno, ECONNRESET);
}

/* What the kernel has taken and the server has not read is thrown away, as without the child. */
TEST_WITH(fixture, a_cancelled_attempt_is_reset_beside_a_forked_child_and_the_rest_dropped)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step deaf = {.read = HTTP_SERVER_READ_NOTHING, .hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &deaf);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    start_once(fixture, &probe, "PUT", body, LENGTH);
    poll_until_held(fixture);
    fork_bystander(fixture);
    http_engine_cancel(fixture->engine, probe.id);
    assert_true(probe.done);
    http_server_release(fixture->server, 1);
    check_was_reset(fixture);
    assert_true(http_server_record(fixture->server, 0)->bytes < LENGTH);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, an_unanswered_small_attempt_is_reset_beside_a_forked_child)
{
    const struct http_server_step mute = {.hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &mute);
    struct probe probe;
    start_once(fixture, &probe, "DELETE", NULL, 0);
    poll_until_held(fixture);
    fork_bystander(fixture);
    http_engine_cancel(fixture->engine, probe.id);
    http_server_release(fixture->server, 1);
    check_was_reset(fixture);
    probe_free(&probe);
}

/* A server that keeps connections open for as long as their clients would run out of them. */
TEST_WITH(fixture, a_kept_connection_is_closed_with_its_engine_beside_a_forked_child)
{
    const struct http_server_step kept = {.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                                          .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &kept);
    struct probe probe;
    probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/warm");
    assert_int_equal(probe.code, OS_OK);
    fork_bystander(fixture);
    http_engine_free(fixture->engine);
    fixture->engine = NULL;
    assert_true(http_server_wait_count(fixture->server, 1));
    assert_int_equal(http_server_record(fixture->server, 0)->end_errno, 0);
    assert_int_equal(kill(fixture->child, 0), 0);
    probe_free(&probe);
}
