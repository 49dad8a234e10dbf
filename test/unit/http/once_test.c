/* SPDX-License-Identifier: Apache-2.0 */
/* R6: a guarded attempt leaves at most once. */

#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, NULL);
}

/* The attempt goes out on a kept connection that dies without an answer; then the server would answer a second copy. */
static void attempt_on_dying_connection(struct fixture *fixture, const char *method, const void *data, size_t length,
                                        enum http_server_read read, enum http_server_leave leave)
{
    fixture_warm_up(fixture);
    const struct http_server_step die = {.read = read, .leave = leave};
    http_server_push(fixture->server, &die);
    size_t connections = http_server_connections(fixture->server);
    struct probe probe;
    fixture_init_once(fixture, &probe, method, data, length);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_true(probe.sent);
    assert_false(probe.answered_in_part);
    assert_int_equal(probe.status, 0);
    assert_true(strlen(probe.message) > 0);
    assert_int_equal(http_server_connections(fixture->server), connections); /* not even a new connection */
    /* One more request as a barrier: whatever had been sent before it would have been recorded. */
    fixture_warm_up(fixture);
    size_t attempts = 0;
    for (size_t i = 0; i < http_server_count(fixture->server); i++) {
        const struct http_server_record *record = http_server_record(fixture->server, i);
        bool is_warm_up = record->target != NULL && strcmp(record->target, "/warm") == 0;
        attempts += is_warm_up ? 0 : 1;
    }
    assert_int_equal(attempts, 1);
    probe_free(&probe);
}

static const enum http_server_leave both_ends[] = {HTTP_SERVER_CLOSE, HTTP_SERVER_RESET};
static const enum http_server_read both_reads[] = {HTTP_SERVER_READ_ALL, HTTP_SERVER_READ_NOTHING};

static void attempts_on_dying_connections(struct fixture *fixture, const char *method, const void *data, size_t length)
{
    for (size_t i = 0; i < 4; i++) {
        struct fixture each = {.server = http_server_start(NULL), .engine = fixture->engine};
        attempt_on_dying_connection(&each, method, data, length, both_reads[i / 2], both_ends[i % 2]);
        http_server_stop(each.server);
    }
}

TEST_WITH(fixture, a_put_is_not_sent_again)
{
    attempts_on_dying_connections(fixture, "PUT", "hello", 5);
}

TEST_WITH(fixture, a_large_put_is_not_sent_again)
{
    char *body = calloc(1, 300000);
    assert_non_null(body);
    attempts_on_dying_connections(fixture, "PUT", body, 300000);
    free(body);
}

TEST_WITH(fixture, a_copy_is_not_sent_again)
{
    attempts_on_dying_connections(fixture, "PUT", NULL, 0);
}

TEST_WITH(fixture, a_delete_is_not_sent_again)
{
    attempts_on_dying_connections(fixture, "DELETE", NULL, 0);
}

TEST_WITH(fixture, a_complete_is_not_sent_again)
{
    attempts_on_dying_connections(fixture, "POST", "<x/>", 4);
}

/* With other kept connections in the pool, libcurl would send again on one of those, without opening any. */
TEST_WITH(fixture, no_other_kept_connection_gets_it_either)
{
    struct probe warm[4];
    const struct http_server_step held = {.hold = true, .answer = http_server_ok.answer};
    for (size_t i = 0; i < 4; i++) {
        http_server_push(fixture->server, &held);
        probe_init(&warm[i], "GET", http_server_host(fixture->server), "/warm", NULL, 0);
        probe_start(fixture->engine, &warm[i]);
    }
    http_engine_poll(fixture->engine, 0);
    while (http_server_connections(fixture->server) < 4)
        http_engine_poll(fixture->engine, 1);
    http_server_release(fixture->server, 4);
    for (size_t i = 0; i < 4; i++) {
        probe_wait(fixture->engine, &warm[i]);
        assert_int_equal(warm[i].code, OS_OK);
        probe_free(&warm[i]);
    }
    const struct http_server_step die = {.leave = HTTP_SERVER_RESET};
    http_server_push(fixture->server, &die);
    struct probe probe;
    fixture_init_once(fixture, &probe, "DELETE", NULL, 0);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_true(probe.sent);
    fixture_warm_up(fixture);
    assert_int_equal(http_server_count(fixture->server), 6);
    assert_int_equal(http_server_connections(fixture->server), 4);
    probe_free(&probe);
}

TEST_WITH(fixture, any_other_request_may_be_sent_again)
{
    fixture_warm_up(fixture);
    const struct http_server_step die = {.leave = HTTP_SERVER_CLOSE};
    http_server_push(fixture->server, &die);
    struct probe probe;
    char *body = calloc(1, 300000);
    assert_non_null(body);
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/again", body, 300000);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(http_server_count(fixture->server), 3);
    assert_true(http_server_record(fixture->server, 2)->whole);
    assert_int_equal(http_server_record(fixture->server, 2)->body_length, 300000);
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, a_connection_closed_long_before_is_replaced)
{
    const struct http_server_step closing = {.answer = http_server_ok.answer, .leave = HTTP_SERVER_CLOSE};
    http_server_push(fixture->server, &closing);
    fixture_warm_up(fixture);
    assert_true(http_server_wait_closed(fixture->server, 1));
    struct probe probe;
    fixture_init_once(fixture, &probe, "PUT", "hello", 5);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(http_server_connections(fixture->server), 2);
    assert_int_equal(http_server_count(fixture->server), 2);
    assert_memory_equal(http_server_record(fixture->server, 1)->body, "hello", 5);
    probe_free(&probe);
}
