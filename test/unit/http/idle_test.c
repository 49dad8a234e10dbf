/* SPDX-License-Identifier: Apache-2.0 */
/* R6.6. Connections that nobody uses: closed from this side, before a server does it while a request is on its way. */
#include "fixture.h"
#include "http/internal.h"
#include "support/clock_jump.h"

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 4, NULL);
}

static void put_once(struct fixture *fixture, const char *scheme)
{
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", "hello", 5);
    assert_true(http_request_set_origin(&probe.request, scheme, http_server_host(fixture->server)));
    http_probe_run(fixture->engine, &probe);
    assert_string_equal(probe.message, "");
    assert_int_equal(probe.status, 200);
    probe_free(&probe);
}

TEST_WITH(fixture, what_was_idle_for_too_long_is_closed)
{
    put_once(fixture, "http");
    clock_jump(IDLE_MAX_MS);
    http_engine_poll(fixture->engine, 0);
    assert_true(http_server_wait_closed(fixture->server, 1));
    put_once(fixture, "http");
    assert_int_equal(http_server_connections(fixture->server), 2);
}

TEST_WITH(fixture, it_carries_no_request_either_that_comes_at_that_moment)
{
    put_once(fixture, "http");
    clock_jump(IDLE_MAX_MS);
    put_once(fixture, "http");
    assert_int_equal(http_server_record(fixture->server, 1)->connection, 1);
    assert_int_equal(http_server_connections(fixture->server), 2);
}

TEST_WITH(fixture, the_engine_tells_when_that_will_be)
{
    assert_true(http_engine_due_ms(fixture->engine) == UINT64_MAX);
    put_once(fixture, "http");
    assert_true(http_engine_due_ms(fixture->engine) <= probe_now_ms() + IDLE_MAX_MS);
    clock_jump(IDLE_MAX_MS);
    assert_true(http_engine_due_ms(fixture->engine) <= probe_now_ms());
    http_engine_poll(fixture->engine, 0);
    assert_true(http_engine_due_ms(fixture->engine) == UINT64_MAX);
}

/* After a burst there are no more of them than are used. */
TEST_WITH(fixture, their_number_follows_the_load)
{
    enum { AT_ONCE = 4 };
    const struct http_server_step held = {.hold = true, .answer = http_server_ok.answer};
    struct probe probes[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        http_server_push(fixture->server, &held);
        fixture_init_once(fixture, &probes[i], "PUT", "hello", 5);
        probes[i].start.deadline_monotonic_ms = 0;
        probe_start(fixture->engine, &probes[i]);
    }
    while (http_server_held(fixture->server) < AT_ONCE)
        http_engine_poll(fixture->engine, 10);
    clock_jump(HOUR_MS); /* one that is in use is not idle */
    http_engine_poll(fixture->engine, 0);
    http_server_release(fixture->server, AT_ONCE);
    for (size_t i = 0; i < AT_ONCE; i++) {
        probe_wait(fixture->engine, &probes[i]);
        assert_int_equal(probes[i].status, 200);
        probe_free(&probes[i]);
    }
    clock_jump(IDLE_MAX_MS);
    put_once(fixture, "http");
    assert_true(http_server_wait_closed(fixture->server, AT_ONCE));
    assert_int_equal(http_server_connections(fixture->server), AT_ONCE + 1);
}

TEST(over_tls_too)
{
    struct fixture fixture;
    fixture_start(&fixture, 4, &(struct http_server_options){.tls = true});
    put_once(&fixture, "https");
    clock_jump(IDLE_MAX_MS);
    put_once(&fixture, "https");
    assert_true(http_server_wait_closed(fixture.server, 1));
    assert_int_equal(http_server_connections(fixture.server), 2);
    fixture_tear_down(&fixture);
}
