/* SPDX-License-Identifier: Apache-2.0 */
/* TLS: verified by default, kept, refused in words that help, and R6 as in the clear. */
#include "fixture.h"
#include "support/clock_jump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, &(struct http_server_options){.tls = true});
}

static const char target[] = "/a/../%20//k";

static void init_tls(struct probe *probe, const char *method, const char *host, const void *data, size_t length)
{
    probe_init(probe, method, host, target, data, length);
    assert_true(http_request_set_origin(&probe->request, "https", host));
}

static void put(struct fixture *fixture, const void *data, size_t length)
{
    struct probe probe;
    init_tls(&probe, "PUT", http_server_host(fixture->server), data, length);
    probe.start.once = true;
    http_probe_run(fixture->engine, &probe);
    assert_string_equal(probe.message, "");
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 200);
    probe_free(&probe);
}

TEST_WITH(fixture, a_trusted_server_is_used_and_its_connection_kept)
{
    char *large = calloc(1, 1 << 20);
    assert_non_null(large);
    for (int i = 0; i < 10; i++)
        put(fixture, "hello", 5);
    put(fixture, large, 1 << 20);
    put(fixture, large, 65535);
    assert_int_equal(http_server_connections(fixture->server), 1);
    assert_string_equal(http_server_record(fixture->server, 0)->target, target);
    assert_int_equal(http_server_record(fixture->server, 10)->body_length, 1 << 20);
    assert_int_equal(http_server_record(fixture->server, 11)->body_length, 65535);
    free(large);
}

static bool arrives_at_once(const struct fixture *fixture, const struct probe *probe)
{
    struct http_delivery delivery;
    http_engine_delivery(fixture->engine, &probe->request, 0, &delivery);
    return delivery.at_once;
}

TEST_WITH(fixture, a_request_of_one_record_arrives_at_once)
{
    char *body = calloc(1, 16384);
    assert_non_null(body);
    put(fixture, "warm", 4);
    struct probe probe;
    init_tls(&probe, "PUT", http_server_host(fixture->server), body, 16384);
    while (!arrives_at_once(fixture, &probe))
        probe.request.body.length--;
    assert_true(probe.request.body.length > 15500);
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(socket_watch()->sends, 1);
    assert_true(socket_watch()->asked[0] > probe.request.body.length);
    assert_int_equal(http_server_record(fixture->server, 1)->body_length, probe.request.body.length);
    probe_free(&probe);
    free(body);
}

/* The number of writes that a PUT with a header of so many bytes takes on a kept connection, and whether it is
 * said to arrive at once. */
static size_t writes_of(struct fixture *fixture, const char *value, bool *ret_at_once)
{
    struct probe probe;
    init_tls(&probe, "PUT", http_server_host(fixture->server), "hello", 5);
    assert_true(http_headers_add(&probe.request.headers, "content-disposition", value));
    *ret_at_once = arrives_at_once(fixture, &probe);
    socket_watch_begin();
    http_probe_run(fixture->engine, &probe);
    socket_watch_end();
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    return socket_watch()->sends;
}

TEST_WITH(fixture, the_head_is_a_part_of_the_record)
{
    bool at_once = true;
    char *value = calloc(1, 16385);
    assert_non_null(value);
    put(fixture, "warm", 4);
    memset(value, 'x', 15500);
    assert_int_equal(writes_of(fixture, value, &at_once), 1);
    assert_true(at_once);
    for (size_t length = 15500; at_once; length++) {
        assert_true(length < 16384);
        value[length] = 'x';
        size_t writes = writes_of(fixture, value, &at_once);
        assert_true(!at_once || writes == 1);
    }
    memset(value, 'x', 16384);
    assert_int_equal(writes_of(fixture, value, &at_once), 2);
    assert_false(at_once);
    free(value);
}

static void expect_tls_failure(struct http_engine *engine, const char *host, const char *words)
{
    struct probe probe;
    init_tls(&probe, "PUT", host, "x", 1);
    probe.start.once = true;
    http_probe_run(engine, &probe);
    assert_int_equal(probe.code, OS_ERR_TLS);
    assert_false(probe.sent);
    assert_non_null(strstr(probe.message, host));
    if (strstr(probe.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", probe.message, words);
    probe_free(&probe);
}

TEST_WITH(fixture, an_unknown_certificate_is_refused_by_default)
{
    struct http_engine *engine = probe_engine(1, NULL);
    expect_tls_failure(engine, http_server_host(fixture->server), "certificate");
    http_engine_free(engine);
}

TEST_WITH(fixture, a_certificate_for_another_name_is_refused)
{
    const struct http_server_options options = {.tls = true, .certificate_name = "store.test"};
    struct http_server *server = http_server_start(&options);
    struct http_engine *engine = probe_engine(1, http_server_ca_file(server));
    expect_tls_failure(engine, http_server_host(server), "host name");
    http_engine_free(engine);
    http_server_stop(server);
}

TEST_WITH(fixture, a_server_without_tls_is_a_tls_failure)
{
    struct http_server *plain = http_server_start(NULL);
    const struct http_server_step babble = {.read = HTTP_SERVER_READ_NOTHING,
                                            .answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                                            .leave = HTTP_SERVER_CLOSE};
    http_server_push(plain, &babble);
    expect_tls_failure(fixture->engine, http_server_host(plain), "https");
    http_server_stop(plain);
}

TEST_WITH(fixture, an_attempt_over_tls_is_not_sent_again)
{
    static const char *const methods[] = {"PUT", "PUT", "DELETE"};
    static const enum http_server_leave leaves[] = {HTTP_SERVER_CLOSE, HTTP_SERVER_RESET};
    for (size_t i = 0; i < 6; i++) {
        put(fixture, "warm", 4);
        const struct http_server_step die = {.leave = leaves[i % 2]};
        http_server_push(fixture->server, &die);
        size_t before = http_server_count(fixture->server);
        struct probe probe;
        init_tls(&probe, methods[i / 2], http_server_host(fixture->server), i / 2 == 0 ? "hello" : NULL, 5);
        probe.start.once = true;
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_ERR_NETWORK);
        assert_true(probe.sent);
        put(fixture, "after", 5);
        assert_int_equal(http_server_count(fixture->server), before + 2);
        probe_free(&probe);
    }
}

TEST_WITH(fixture, at_the_deadline_the_connection_is_reset_and_the_rest_dropped)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step deaf = {.read = HTTP_SERVER_READ_NOTHING, .hold = true, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &deaf);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    init_tls(&probe, "PUT", http_server_host(fixture->server), body, LENGTH);
    probe.start.once = true;
    probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS;
    probe_start(fixture->engine, &probe);
    while (http_server_held(fixture->server) == 0 && !probe.done)
        http_engine_poll(fixture->engine, 10);
    clock_jump(HOUR_MS);
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_true(probe.sent);
    http_server_release(fixture->server, 1);
    assert_true(http_server_wait_count(fixture->server, 1));
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_int_equal(record->end_errno, ECONNRESET);
    assert_true(record->bytes < LENGTH);
    probe_free(&probe);
    free(body);
}
