/* SPDX-License-Identifier: Apache-2.0 */
/* R6.7. Kept connections that were closed, and of which libcurl does not know: it does not look at every one (7.88
 * with GnuTLS, 8.22 for a second after its last look). Here it never does. */
#include "fixture.h"
#include "http/internal.h"
#include "support/clock_jump.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool libcurl_is_blind;

/* libcurl's as well: it is a shared library. Under another name here, as glibc declares that poll reads nothing of `fds`. */
__attribute__((visibility("default"))) int stale_poll(struct pollfd *fds, nfds_t count, int timeout_ms) __asm__("poll");
int stale_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
    if (libcurl_is_blind && count == 1 && timeout_ms == 0 && (fds->events & (POLLRDHUP | POLLOUT)) == 0)
        return 0;
    return (int)syscall(SYS_ppoll, fds, count, timeout_ms < 0 ? NULL : &timeout, NULL, _NSIG / 8);
}

static void fixture_set_up(struct fixture *fixture)
{
    libcurl_is_blind = false;
    fixture_start(fixture, 4, NULL);
}

static void send_one(struct fixture *fixture, bool once, const char *method)
{
    struct probe probe;
    fixture_init_once(fixture, &probe, method, "hello", 5);
    probe.start.once = once;
    http_probe_run(fixture->engine, &probe);
    assert_string_equal(probe.message, "");
    assert_int_equal(probe.status, 200);
    probe_free(&probe);
}

/* So many connections that are kept, all closed by the server. */
static void leave_closed_ones(struct fixture *fixture, size_t count)
{
    const struct http_server_step last = {.hold = true, .answer = http_server_ok.answer, .leave = HTTP_SERVER_CLOSE};
    struct probe probes[4];
    for (size_t i = 0; i < count; i++) {
        http_server_push(fixture->server, &last);
        fixture_init_once(fixture, &probes[i], "PUT", "hello", 5);
        probe_start(fixture->engine, &probes[i]);
    }
    while (http_server_held(fixture->server) < count)
        http_engine_poll(fixture->engine, 10);
    libcurl_is_blind = true;
    http_server_release(fixture->server, count);
    for (size_t i = 0; i < count; i++) {
        probe_wait(fixture->engine, &probes[i]);
        assert_int_equal(probes[i].status, 200);
        probe_free(&probes[i]);
    }
}

TEST_WITH(fixture, a_write_goes_on_a_new_one)
{
    leave_closed_ones(fixture, 1);
    assert_true(http_server_wait_closed(fixture->server, 1));
    send_one(fixture, true, "PUT");
    assert_int_equal(http_server_connections(fixture->server), 2);
    assert_int_equal(http_server_count(fixture->server), 2);
}

TEST_WITH(fixture, however_many_were_closed)
{
    leave_closed_ones(fixture, 4);
    assert_true(http_server_wait_closed(fixture->server, 4));
    send_one(fixture, true, "PUT");
    send_one(fixture, false, "PUT");
    assert_int_equal(http_server_count(fixture->server), 6);
}

TEST_WITH(fixture, so_it_does_when_this_side_closed_it)
{
    send_one(fixture, true, "PUT");
    clock_jump(IDLE_MAX_MS);
    libcurl_is_blind = true;
    send_one(fixture, true, "PUT");
    assert_int_equal(http_server_record(fixture->server, 1)->connection, 1);
    assert_int_equal(http_server_connections(fixture->server), 2);
}

TEST_WITH(fixture, the_new_one_is_kept)
{
    leave_closed_ones(fixture, 1);
    assert_true(http_server_wait_closed(fixture->server, 1));
    for (size_t i = 0; i < 3; i++)
        send_one(fixture, true, "PUT");
    assert_int_equal(http_server_connections(fixture->server), 2);
}
