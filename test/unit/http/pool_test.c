/* SPDX-License-Identifier: Apache-2.0 */
/* What a request leaves behind that never came to a connection, or was sent again: nothing that stands in the way of the next one. */
#include "fixture.h"
#include "support/name_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUED = 8 };

static char host[64]; /* the server, by a name that libcurl has not kept */
static unsigned names;

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 1, NULL);
}

static void take_new_name(struct fixture *fixture)
{
    (void)snprintf(host, sizeof(host), "store%u.test:%d", names++, http_server_port(fixture->server));
}

static void expect_answer(struct fixture *fixture, const char *of)
{
    struct probe probe;
    probe_get(fixture->engine, &probe, of, "/k");
    assert_string_equal(probe.message, "");
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 200);
    probe_free(&probe);
}

static void expect_unknown_host(struct fixture *fixture)
{
    char sentence[128];
    struct probe probe;
    (void)snprintf(sentence, sizeof(sentence), "the host name %.*s could not be looked up", (int)strcspn(host, ":"),
                   host);
    probe_get(fixture->engine, &probe, host, "/k");
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_false(probe.sent);
    assert_non_null(strstr(probe.message, sentence));
    probe_free(&probe);
}

TEST_WITH(fixture, a_failed_name_look_up_names_the_host_and_is_over)
{
    for (int round = 0; round < 3; round++) {
        take_new_name(fixture);
        name_service_fail(1);
        expect_unknown_host(fixture);
        expect_answer(fixture, host);
        expect_answer(fixture, http_server_host(fixture->server));
    }
}

TEST_WITH(fixture, a_name_that_stays_unknown_is_said_to_be_unknown_each_time)
{
    take_new_name(fixture);
    name_service_fail(4);
    for (int i = 0; i < 4; i++)
        expect_unknown_host(fixture);
    expect_answer(fixture, host);
}

static void expect_no_name_in_time(struct fixture *fixture, const char *of, const char *sentence)
{
    struct probe probe;
    probe_init(&probe, "GET", of, "/k", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() + 50;
    probe.start.loopback = false; /* or there is no proxy */
    http_probe_run(fixture->engine, &probe);
    if (strstr(probe.message, sentence) == NULL)
        fail_msg("\"%s\" is not in: %s", sentence, probe.message);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_false(probe.sent);
    probe_free(&probe);
}

/* A name service that does not answer holds up its own request until the deadline, and no other. */
TEST_WITH(fixture, a_name_look_up_without_end_ends_at_the_deadline_and_says_so)
{
    char sentence[128];
    take_new_name(fixture);
    (void)snprintf(sentence, sizeof(sentence), "the host name %.*s could not be looked up before the deadline",
                   (int)strcspn(host, ":"), host);
    name_service_hold();
    expect_no_name_in_time(fixture, host, sentence);
    assert_int_equal(setenv("http_proxy", "http://proxy.test:1", 1), 0);
    expect_no_name_in_time(fixture, "store.example", "the host name of the proxy on the way to store.example");
    assert_int_equal(unsetenv("http_proxy"), 0);
    expect_answer(fixture, http_server_host(fixture->server));
    name_service_go_on();
    expect_answer(fixture, host);
}

/* They wait for the one connection that the engine may have, and never get it. */
static void give_up_in_the_queue(struct fixture *fixture, bool cancel)
{
    const struct http_server_step held = {.hold = true, .answer = http_server_ok.answer};
    struct probe busy;
    struct probe waiting[QUEUED];
    http_server_push(fixture->server, &held);
    probe_init(&busy, "GET", http_server_host(fixture->server), "/busy", NULL, 0);
    probe_start(fixture->engine, &busy);
    for (size_t i = 0; i < QUEUED; i++) {
        probe_init(&waiting[i], "PUT", http_server_host(fixture->server), "/k", "x", 1);
        waiting[i].start.deadline_monotonic_ms = probe_now_ms() + (cancel ? 60000 : 50);
        probe_start(fixture->engine, &waiting[i]);
    }
    http_engine_poll(fixture->engine, 20);
    for (size_t i = 0; i < QUEUED; i++) {
        if (cancel)
            http_engine_cancel(fixture->engine, waiting[i].id);
        probe_wait(fixture->engine, &waiting[i]);
        assert_int_equal(waiting[i].code, cancel ? OS_ERR_CANCELLED : OS_ERR_DEADLINE);
        assert_false(waiting[i].sent);
        probe_free(&waiting[i]);
    }
    http_server_release(fixture->server, 1);
    probe_wait(fixture->engine, &busy);
    assert_int_equal(busy.code, OS_OK);
    probe_free(&busy);
}

TEST_WITH(fixture, requests_that_timed_out_in_the_queue_are_over)
{
    give_up_in_the_queue(fixture, false);
    for (size_t i = 0; i < QUEUED + 1; i++)
        expect_answer(fixture, http_server_host(fixture->server));
}

TEST_WITH(fixture, requests_that_were_cancelled_in_the_queue_are_over)
{
    give_up_in_the_queue(fixture, true);
    for (size_t i = 0; i < QUEUED + 1; i++)
        expect_answer(fixture, http_server_host(fixture->server));
}

TEST_WITH(fixture, a_refused_connection_is_over)
{
    struct http_server *gone = http_server_start(NULL);
    (void)snprintf(host, sizeof(host), "%s", http_server_host(gone));
    http_server_stop(gone);
    struct probe probe;
    probe_get(fixture->engine, &probe, host, "/k");
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    probe_free(&probe);
    expect_answer(fixture, http_server_host(fixture->server));
}

/* libcurl gives up the sixth request that one handle sends again. */
TEST_WITH(fixture, sending_again_is_not_used_up)
{
    const struct http_server_step closed = {.leave = HTTP_SERVER_CLOSE};
    fixture_warm_up(fixture);
    for (int round = 0; round < 8; round++) {
        http_server_push(fixture->server, &closed);
        expect_answer(fixture, http_server_host(fixture->server));
    }
}
