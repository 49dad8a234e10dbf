/* SPDX-License-Identifier: Apache-2.0 */
/* What takes long leaves connections for what must be quick. */
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <stdlib.h>

enum { MOST = 4, BULK_MOST = 3, WAITING = 3, BULK = BULK_MOST + WAITING, QUICK_MS = 60000 };

struct fixture {
    struct http_server *server;
    struct http_engine *engine;
    struct probe bulk[BULK];
};

static void fixture_set_up(struct fixture *fixture)
{
    fixture->server = http_server_start(NULL);
    fixture->engine = probe_engine(MOST, NULL);
}

static void fixture_tear_down(struct fixture *fixture)
{
    http_engine_free(fixture->engine);
    http_server_stop(fixture->server);
}

static void start_bulk(struct fixture *fixture, struct probe *probe)
{
    probe_init(probe, "GET", http_server_host(fixture->server), "/bulk", NULL, 0);
    probe->start.bulk = true;
    probe_start(fixture->engine, probe);
}

/* BULK downloads whose answers the server holds back, as many as it got. */
static void start_held(struct fixture *fixture)
{
    const struct http_server_step held = {.hold = true, .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    for (size_t i = 0; i < BULK; i++)
        start_bulk(fixture, &fixture->bulk[i]);
    for (size_t i = 0; i < BULK_MOST; i++)
        http_server_push(fixture->server, &held);
    uint64_t end_ms = probe_now_ms() + 60000;
    while (!fixture->bulk[0].done && http_server_held(fixture->server) < BULK_MOST) {
        http_engine_poll(fixture->engine, 20);
        assert_true(probe_now_ms() < end_ms);
    }
    assert_int_equal(http_server_held(fixture->server), BULK_MOST);
}

static void check_quick(struct fixture *fixture)
{
    struct probe quick;
    uint64_t start_ms = probe_now_ms();
    probe_get(fixture->engine, &quick, http_server_host(fixture->server), "/quick");
    assert_int_equal(quick.code, OS_OK);
    assert_in_range(probe_now_ms() - start_ms, 0, QUICK_MS); /* else it waits for two minutes, its deadline */
    probe_free(&quick);
}

static void end_held(struct fixture *fixture)
{
    http_server_release(fixture->server, BULK_MOST);
    for (size_t i = 0; i < BULK; i++) {
        if (!fixture->bulk[i].done)
            probe_wait(fixture->engine, &fixture->bulk[i]);
        probe_free(&fixture->bulk[i]);
    }
}

TEST_WITH(fixture, a_quick_request_finds_a_connection_beside_any_number_of_bulk_ones)
{
    start_held(fixture);
    check_quick(fixture);
    http_engine_poll(fixture->engine, 100);
    assert_int_equal(http_server_connections(fixture->server), MOST);
    for (size_t i = 0; i < BULK; i++)
        assert_false(fixture->bulk[i].done);
    end_held(fixture);
    for (size_t i = 0; i < BULK; i++)
        assert_int_equal(fixture->bulk[i].code, OS_OK); /* those that waited came to their turn */
    assert_int_equal(http_server_count(fixture->server), BULK + 1);
}

TEST_WITH(fixture, bulk_requests_that_wait_can_be_cancelled_and_have_deadlines)
{
    struct probe late;
    start_held(fixture);
    probe_init(&late, "GET", http_server_host(fixture->server), "/late", NULL, 0);
    late.start.bulk = true;
    late.start.deadline_monotonic_ms = probe_now_ms() + 200;
    http_probe_run(fixture->engine, &late);
    assert_int_equal(late.code, OS_ERR_DEADLINE);
    assert_false(late.sent);
    probe_free(&late);
    http_engine_cancel(fixture->engine, fixture->bulk[BULK - 1].id);
    assert_true(fixture->bulk[BULK - 1].done);
    assert_int_equal(fixture->bulk[BULK - 1].code, OS_ERR_CANCELLED);
    assert_false(fixture->bulk[BULK - 1].sent);
    end_held(fixture);
    assert_int_equal(http_server_count(fixture->server), BULK - 1);
}

/* One that fails or is cancelled gives its place back. */
TEST_WITH(fixture, a_bulk_request_that_is_cancelled_makes_room)
{
    start_held(fixture);
    for (size_t i = 0; i < BULK_MOST; i++) {
        http_engine_cancel(fixture->engine, fixture->bulk[i].id);
        assert_int_equal(fixture->bulk[i].code, OS_ERR_CANCELLED);
    }
    for (size_t i = BULK_MOST; i < BULK; i++) {
        probe_wait(fixture->engine, &fixture->bulk[i]);
        assert_int_equal(fixture->bulk[i].code, OS_OK);
    }
    end_held(fixture);
}

TEST_WITH(fixture, with_a_single_connection_bulk_requests_get_that)
{
    struct http_engine *single = probe_engine(1, NULL);
    struct probe probe;
    probe_init(&probe, "GET", http_server_host(fixture->server), "/bulk", NULL, 0);
    probe.start.bulk = true;
    http_probe_run(single, &probe);
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    http_engine_free(single);
}
