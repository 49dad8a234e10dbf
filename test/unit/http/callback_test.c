/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks that start and cancel requests, the end of an engine, waking up. */
#include "unit/http/fixture.h"

#include <pthread.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, NULL);
}

static void hold_next(struct fixture *fixture, size_t count)
{
    const struct http_server_step held = {.hold = true, .answer = http_server_ok.answer};
    for (size_t i = 0; i < count; i++)
        http_server_push(fixture->server, &held);
}

TEST_WITH(fixture, ids_are_never_used_again)
{
    uint64_t last = 0;
    for (int i = 0; i < 5; i++) {
        struct probe probe;
        probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/k");
        assert_true(probe.id > last);
        last = probe.id;
        http_engine_cancel(fixture->engine, probe.id); /* of no effect */
        probe_free(&probe);
    }
}

static void start_another(struct probe *probe)
{
    struct probe *next = ((struct probe **)probe->after_context)[1];
    probe_start(((void **)probe->after_context)[0], next);
}

TEST_WITH(fixture, a_callback_may_start_another_request)
{
    struct probe first;
    struct probe second;
    void *context[2] = {fixture->engine, &second};
    probe_init(&first, "GET", http_server_host(fixture->server), "/first", NULL, 0);
    probe_init(&second, "GET", http_server_host(fixture->server), "/second", NULL, 0);
    first.after = start_another;
    first.after_context = context;
    probe_start(fixture->engine, &first);
    probe_wait(fixture->engine, &second);
    assert_true(first.done);
    assert_int_equal(second.code, OS_OK);
    assert_int_equal(http_server_connections(fixture->server), 1);
    probe_free(&first);
    probe_free(&second);
}

struct group {
    struct http_engine *engine;
    struct probe probes[8];
};

static void cancel_the_others(struct probe *probe)
{
    struct group *group = probe->after_context;
    for (size_t i = 0; i < 8; i++)
        http_engine_cancel(group->engine, group->probes[i].id);
}

/* Of eight requests each, ending, cancels all others, and those, ending in turn, try the same. Says how many were not
 * cancelled; `deadlines_ms` is NULL where the server answers one and nothing else ends any. */
static size_t count_uncancelled(struct fixture *fixture, const uint64_t *deadlines_ms, os_code expected)
{
    static struct group group;
    group.engine = fixture->engine;
    hold_next(fixture, deadlines_ms ? 8 : 7);
    for (size_t i = 0; i < 8; i++) {
        probe_init(&group.probes[i], "GET", http_server_host(fixture->server), "/k", NULL, 0);
        group.probes[i].after = cancel_the_others;
        group.probes[i].after_context = &group;
        group.probes[i].start.deadline_monotonic_ms = deadlines_ms ? deadlines_ms[i] : 0;
        probe_start(fixture->engine, &group.probes[i]);
    }
    size_t uncancelled = 0;
    for (size_t i = 0; i < 8; i++) {
        probe_wait(fixture->engine, &group.probes[i]);
        if (group.probes[i].code != OS_ERR_CANCELLED) {
            assert_int_equal(group.probes[i].code, expected);
            uncancelled++;
        }
        probe_free(&group.probes[i]);
    }
    http_server_release(fixture->server, 8);
    return uncancelled;
}

TEST_WITH(fixture, a_callback_may_cancel_other_requests)
{
    assert_int_equal(count_uncancelled(fixture, NULL, OS_OK), 1);
}

TEST_WITH(fixture, a_callback_at_a_deadline_may_cancel_other_requests)
{
    uint64_t deadlines_ms[8];
    uint64_t now_ms = probe_now_ms();
    for (size_t i = 0; i < 8; i++)
        deadlines_ms[i] = now_ms + (i == 3 ? 100 : 600000);
    assert_int_equal(count_uncancelled(fixture, deadlines_ms, OS_ERR_DEADLINE), 1);
}

/* How many of them are over by the time the first callback runs is libcurl's, or a slow machine's. */
TEST_WITH(fixture, callbacks_at_one_deadline_may_cancel_each_other)
{
    uint64_t deadlines_ms[8];
    uint64_t now_ms = probe_now_ms();
    for (size_t i = 0; i < 8; i++)
        deadlines_ms[i] = now_ms + 100;
    assert_in_range(count_uncancelled(fixture, deadlines_ms, OS_ERR_DEADLINE), 1, 8);
}

static void start_is_refused(struct probe *probe)
{
    os_error err;
    struct probe *other = ((struct probe **)probe->after_context)[1];
    assert_int_equal(http_engine_start(((void **)probe->after_context)[0], &other->start, &other->id, &err),
                     OS_ERR_CANCELLED);
    assert_int_equal(err.code, OS_ERR_CANCELLED);
}

TEST_WITH(fixture, freeing_the_engine_cancels_what_runs_and_starts_nothing_more)
{
    struct http_engine *engine = probe_engine(4, NULL);
    struct probe sent;
    struct probe fresh;
    struct probe refused;
    void *context[2] = {engine, &refused};
    hold_next(fixture, 1);
    probe_init(&sent, "PUT", http_server_host(fixture->server), "/sent", "x", 1);
    probe_init(&fresh, "PUT", http_server_host(fixture->server), "/fresh", "x", 1);
    probe_init(&refused, "GET", http_server_host(fixture->server), "/refused", NULL, 0);
    sent.after = start_is_refused;
    sent.after_context = context;
    probe_start(engine, &sent);
    while (http_server_count(fixture->server) == 0)
        http_engine_poll(engine, 1);
    probe_start(engine, &fresh);
    http_engine_free(engine);
    assert_true(sent.done && fresh.done && !refused.done);
    assert_int_equal(sent.code, OS_ERR_CANCELLED);
    assert_true(sent.sent);
    assert_int_equal(fresh.code, OS_ERR_CANCELLED);
    assert_false(fresh.sent);
    http_server_release(fixture->server, 1);
    probe_free(&sent);
    probe_free(&fresh);
    probe_free(&refused);
}

static void *wake(void *engine)
{
    http_engine_wakeup(engine);
    return NULL;
}

TEST_WITH(fixture, a_wake_up_from_another_thread_ends_the_poll)
{
    uint64_t begun_ms = probe_now_ms();
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, wake, fixture->engine), 0);
        http_engine_poll(fixture->engine, 120000);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_true(probe_now_ms() - begun_ms < 100000); /* less than a single one that is not woken takes */
}

TEST_WITH(fixture, an_idle_poll_ends_after_its_timeout)
{
    uint64_t begun_ms = probe_now_ms();
    http_engine_poll(fixture->engine, 120);
    assert_in_range(probe_now_ms() - begun_ms, 120, 60000); /* seconds would be two minutes */
}
