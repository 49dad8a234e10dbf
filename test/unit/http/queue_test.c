/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for a connection. */
#include "unit/http/fixture.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>

enum { WAITING = 5, LATE_MS = 200 };

struct one_connection {
    struct fixture fixture;
    struct probe held;
    struct probe waiting[WAITING];
};

static void wait_until_held(struct fixture *fixture)
{
    uint64_t end_ms = probe_now_ms() + 60000;
    while (http_server_held(fixture->server) == 0) {
        http_engine_poll(fixture->engine, 20);
        assert_true(probe_now_ms() < end_ms);
    }
}

/* The one connection is taken by a request whose answer is held back; behind it, "/0", "/1" and so on. */
static void one_connection_set_up(struct one_connection *ret)
{
    const struct http_server_step held = {.hold = true, .answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    fixture_start(&ret->fixture, 1, NULL);
    http_server_push(ret->fixture.server, &held);
    probe_init(&ret->held, "GET", http_server_host(ret->fixture.server), "/held", NULL, 0);
    assert_true(http_engine_has_room(ret->fixture.engine));
    probe_start(ret->fixture.engine, &ret->held);
    wait_until_held(&ret->fixture);
    assert_false(http_engine_has_room(ret->fixture.engine));
    for (int i = 0; i < WAITING; i++) {
        char path[8];
        (void)snprintf(path, sizeof(path), "/%d", i);
        probe_init(&ret->waiting[i], "GET", http_server_host(ret->fixture.server), path, NULL, 0);
        probe_start(ret->fixture.engine, &ret->waiting[i]);
    }
}

static void one_connection_tear_down(struct one_connection *one)
{
    fixture_tear_down(&one->fixture);
    probe_free(&one->held);
    for (int i = 0; i < WAITING; i++)
        probe_free(&one->waiting[i]);
}

static void end_all(struct one_connection *one)
{
    http_server_release(one->fixture.server, 1);
    probe_wait(one->fixture.engine, &one->held);
    for (int i = 0; i < WAITING; i++)
        if (!one->waiting[i].done)
            probe_wait(one->fixture.engine, &one->waiting[i]);
}

TEST_WITH(one_connection, they_are_sent_in_the_order_in_which_they_came)
{
    end_all(one_connection);
    assert_int_equal(http_server_connections(one_connection->fixture.server), 1);
    for (int i = 0; i < WAITING; i++) {
        char path[8];
        (void)snprintf(path, sizeof(path), "/%d", i);
        assert_int_equal(one_connection->waiting[i].code, OS_OK);
        assert_string_equal(http_server_record(one_connection->fixture.server, (size_t)i + 1)->target, path);
    }
    assert_true(http_engine_has_room(one_connection->fixture.engine));
}

TEST_WITH(one_connection, one_that_is_cancelled_is_never_sent)
{
    struct probe *cancelled = &one_connection->waiting[2];
    http_engine_cancel(one_connection->fixture.engine, cancelled->id);
    assert_true(cancelled->done);
    assert_int_equal(cancelled->code, OS_ERR_CANCELLED);
    assert_false(cancelled->sent);
    assert_int_equal(cancelled->sent_us, 0);
    http_engine_cancel(one_connection->fixture.engine, cancelled->id); /* unknown by now */
    end_all(one_connection);
    assert_int_equal(http_server_count(one_connection->fixture.server), WAITING); /* the held one, and all but it */
}

TEST_WITH(one_connection, their_deadlines_pass_while_they_wait)
{
    struct probe late;
    probe_init(&late, "GET", http_server_host(one_connection->fixture.server), "/late", NULL, 0);
    late.start.deadline_monotonic_ms = probe_now_ms() + LATE_MS;
    probe_start(one_connection->fixture.engine, &late);
    probe_wait(one_connection->fixture.engine, &late);
    assert_int_equal(late.code, OS_ERR_DEADLINE);
    assert_false(late.sent);
    assert_string_equal(late.message, "the deadline passed before anything was sent");
    probe_free(&late);
    end_all(one_connection);
    assert_int_equal(http_server_count(one_connection->fixture.server), WAITING + 1);
}

TEST_WITH(one_connection, another_host_has_connections_of_its_own)
{
    struct http_server *other = http_server_start(NULL);
    struct probe probe;
    probe_get(one_connection->fixture.engine, &probe, http_server_host(other), "/");
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    end_all(one_connection);
    http_server_stop(other);
}

TEST_WITH(one_connection, an_engine_that_is_freed_cancels_them)
{
    http_engine_free(one_connection->fixture.engine);
    one_connection->fixture.engine = NULL;
    for (int i = 0; i < WAITING; i++) {
        assert_int_equal(one_connection->waiting[i].code, OS_ERR_CANCELLED);
        assert_false(one_connection->waiting[i].sent);
    }
    http_server_release(one_connection->fixture.server, 1);
}

/* ------------------------------------------------------------------------------------------------ waking */

static void *wake_often(void *engine)
{
    for (int i = 0; i < 1000; i++)
        http_engine_wakeup(engine);
    return NULL;
}

TEST(a_wakeup_before_the_wait_is_not_lost)
{
    struct http_engine *engine = probe_engine(1, NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_often, engine), 0);
    http_engine_poll(engine, 600000); /* the test's time is over before */
    pthread_join(thread, NULL);
    http_engine_wakeup(engine);
    http_engine_poll(engine, 600000);
    http_engine_free(engine);
}

TEST(who_waits_elsewhere_sees_a_wakeup_on_the_descriptor)
{
    struct http_engine *engine = probe_engine(1, NULL);
    struct pollfd watched = {.fd = http_engine_fd(engine), .events = POLLIN};
    http_engine_poll(engine, 0);
    http_engine_await(engine);
    assert_true(http_engine_due_ms(engine) == UINT64_MAX);
    assert_int_equal(poll(&watched, 1, 0), 0);
    http_engine_wakeup(engine);
    assert_int_equal(poll(&watched, 1, 0), 1);
    http_engine_poll(engine, 0);
    http_engine_await(engine);
    assert_int_equal(poll(&watched, 1, 0), 0);
    http_engine_free(engine);
}
