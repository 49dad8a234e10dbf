/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as they were built, connections kept, and deadlines. Stalls: stall_test.c. */
#include "unit/http/fixture.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 64, NULL);
}

static const struct http_server_record *last_record(struct fixture *fixture)
{
    return http_server_record(fixture->server, http_server_count(fixture->server) - 1);
}

static void hold_next(struct fixture *fixture, size_t count)
{
    const struct http_server_step held = {.hold = true, .answer = http_server_ok.answer};
    for (size_t i = 0; i < count; i++)
        http_server_push(fixture->server, &held);
}

TEST_WITH(fixture, a_request_arrives_as_it_was_built)
{
    struct probe probe;
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/b/a/../%20//c", "hello", 5);
    assert_true(buf_add_str(&probe.request.query, "X-Amz-Signature=aa%2Fbb&x-id="));
    assert_true(http_headers_add(&probe.request.headers, "x-amz-meta-nonce", "0123"));
    assert_true(http_headers_add(&probe.request.headers, "x-amz-meta-empty", ""));
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 200);
    assert_true(probe.sent);
    const struct http_server_record *record = last_record(fixture);
    assert_string_equal(record->method, "PUT");
    assert_string_equal(record->target, "/b/a/../%20//c?X-Amz-Signature=aa%2Fbb&x-id=");
    assert_string_equal(http_headers_get(&record->headers, "host"), http_server_host(fixture->server));
    assert_string_equal(http_headers_get(&record->headers, "user-agent"), "probe/1");
    assert_string_equal(http_headers_get(&record->headers, "x-amz-meta-nonce"), "0123");
    assert_string_equal(http_headers_get(&record->headers, "x-amz-meta-empty"), "");
    assert_string_equal(http_headers_get(&record->headers, "content-length"), "5");
    assert_int_equal(record->headers.count, 5); /* and nothing that was not asked for */
    assert_string_equal(record->body, "hello");
    probe_free(&probe);
}

TEST_WITH(fixture, only_methods_with_a_body_say_that_it_is_empty)
{
    static const struct {
        const char *method;
        const char *length;
    } cases[] = {{"GET", NULL}, {"HEAD", NULL}, {"DELETE", NULL}, {"PUT", "0"}, {"POST", "0"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct probe probe;
        probe_init(&probe, cases[i].method, http_server_host(fixture->server), "/k", NULL, 0);
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        const struct http_server_record *record = last_record(fixture);
        assert_string_equal(record->method, cases[i].method);
        const char *length = http_headers_get(&record->headers, "content-length");
        if (cases[i].length == NULL)
            assert_null(length);
        else
            assert_string_equal(length, cases[i].length);
        assert_null(http_headers_get(&record->headers, "content-type"));
        assert_null(http_headers_get(&record->headers, "expect"));
        assert_null(http_headers_get(&record->headers, "accept-encoding"));
        probe_free(&probe);
    }
}

TEST_WITH(fixture, a_delete_with_a_body_sends_it)
{
    struct probe probe;
    probe_init(&probe, "DELETE", http_server_host(fixture->server), "/k", "why", 3);
    http_probe_run(fixture->engine, &probe);
    assert_string_equal(last_record(fixture)->method, "DELETE");
    assert_string_equal(last_record(fixture)->body, "why");
    probe_free(&probe);
}

TEST_WITH(fixture, a_large_body_arrives_whole_without_expecting_a_100)
{
    enum { LENGTH = 5 << 20 };
    char *body = malloc(LENGTH);
    assert_non_null(body);
    for (size_t i = 0; i < LENGTH; i++)
        body[i] = (char)(i * 31 >> 3);
    struct probe probe;
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/k", body, LENGTH);
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(last_record(fixture)->body_length, LENGTH);
    assert_memory_equal(last_record(fixture)->body, body, LENGTH);
    assert_null(http_headers_get(&last_record(fixture)->headers, "expect"));
    assert_null(http_headers_get(&last_record(fixture)->headers, "transfer-encoding"));
    probe_free(&probe);
    free(body);
}

TEST_WITH(fixture, requests_one_after_another_share_a_connection)
{
    for (int i = 0; i < 100; i++) {
        struct probe probe;
        probe_init(&probe, i % 3 == 0 ? "PUT" : "GET", http_server_host(fixture->server), "/k", i % 3 == 0 ? "x" : NULL,
                   1);
        probe.start.once = i % 2 == 0;
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        probe_free(&probe);
    }
    assert_int_equal(http_server_connections(fixture->server), 1);
    assert_int_equal(http_server_count(fixture->server), 100);
}

static void run_together(struct fixture *fixture, struct probe *probes, size_t count, size_t held)
{
    hold_next(fixture, held);
    for (size_t i = 0; i < count; i++) {
        probe_init(&probes[i], "PUT", http_server_host(fixture->server), "/k", "body", 4);
        probes[i].start.once = i % 2 == 0;
        probe_start(fixture->engine, &probes[i]);
    }
    while (held > 0 && http_server_count(fixture->server) < held)
        http_engine_poll(fixture->engine, 1);
    http_server_release(fixture->server, held);
    for (size_t i = 0; i < count; i++) {
        probe_wait(fixture->engine, &probes[i]);
        assert_string_equal(probes[i].message, "");
        assert_int_equal(probes[i].code, OS_OK);
        probe_free(&probes[i]);
    }
}

TEST_WITH(fixture, sixty_four_requests_run_at_once_and_keep_their_connections)
{
    static struct probe probes[64];
    run_together(fixture, probes, 64, 64);
    assert_int_equal(http_server_connections(fixture->server), 64);
    run_together(fixture, probes, 64, 0);
    assert_int_equal(http_server_connections(fixture->server), 64);
    assert_int_equal(http_server_count(fixture->server), 128);
}

TEST_WITH(fixture, more_requests_than_connections_wait_their_turn)
{
    struct fixture narrow = {.server = fixture->server, .engine = probe_engine(4, NULL)};
    static struct probe probes[200];
    run_together(&narrow, probes, 200, 0);
    assert_true(http_server_connections(fixture->server) <= 4);
    assert_int_equal(http_server_count(fixture->server), 200);
    http_engine_free(narrow.engine);
}

TEST_WITH(fixture, a_request_that_waits_for_a_place_ends_unsent_at_its_deadline)
{
    struct http_engine *engine = probe_engine(1, NULL);
    struct probe first;
    struct probe second;
    hold_next(fixture, 1);
    probe_init(&first, "GET", http_server_host(fixture->server), "/first", NULL, 0);
    probe_init(&second, "DELETE", http_server_host(fixture->server), "/second", NULL, 0);
    second.start.once = true;
    second.start.deadline_monotonic_ms = probe_now_ms() + 100;
    probe_start(engine, &first);
    probe_start(engine, &second);
    probe_wait(engine, &second);
    assert_int_equal(second.code, OS_ERR_DEADLINE);
    assert_false(second.sent);
    assert_false(first.done);
    http_server_release(fixture->server, 1);
    probe_wait(engine, &first);
    assert_int_equal(first.code, OS_OK);
    assert_int_equal(http_server_count(fixture->server), 1);
    probe_free(&first);
    probe_free(&second);
    http_engine_free(engine);
}

/* Nothing listens on ::1: libcurl opens a socket that it then closes without a word. */
TEST_WITH(fixture, the_next_address_of_a_name_is_tried)
{
    char host[64];
    (void)snprintf(host, sizeof(host), "localhost:%d", http_server_port(fixture->server));
    for (int i = 0; i < 3; i++) {
        struct probe probe;
        probe_init(&probe, "PUT", host, "/k", "x", 1);
        probe.start.once = true;
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        probe_free(&probe);
    }
    assert_int_equal(http_server_connections(fixture->server), 1);
    assert_string_equal(http_headers_get(&last_record(fixture)->headers, "host"), host);
}

TEST_WITH(fixture, a_refused_connection_says_so_and_nothing_was_sent)
{
    struct http_server *gone = http_server_start(NULL);
    char host[64];
    (void)snprintf(host, sizeof(host), "%s", http_server_host(gone));
    http_server_stop(gone);
    struct probe probe;
    probe_init(&probe, "PUT", host, "/k", "x", 1);
    probe.start.once = true;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_false(probe.sent);
    assert_non_null(strstr(probe.message, host));
    assert_non_null(strstr(probe.message, "Connection refused"));
    probe_free(&probe);
}

/* A listener whose queue is full does not answer a SYN. */
TEST_WITH(fixture, a_connection_that_is_not_accepted_times_out)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    int fillers[4];
    for (size_t i = 0; i < 4; i++) {
        fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fillers[i], (struct sockaddr *)&address, sizeof(address));
    }
    const struct http_engine_options options = {
        .user_agent = "probe/1", .connect_timeout_ms = 200, .max_connections = 1};
    struct http_engine *engine = NULL;
    assert_int_equal(http_engine_new(&options, &engine, NULL), OS_OK);
    char host[64];
    (void)snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
    struct probe probe;
    probe_init(&probe, "PUT", host, "/k", "x", 1);
    probe.start.once = true;
    http_probe_run(engine, &probe);
    assert_int_equal(probe.code, OS_ERR_NETWORK);
    assert_false(probe.sent);
    assert_non_null(strstr(probe.message, "within 200 ms"));
    probe_free(&probe);
    http_engine_free(engine);
    for (size_t i = 0; i < 4; i++)
        (void)close(fillers[i]);
    (void)close(listener);
}

TEST_WITH(fixture, a_missing_ca_file_is_a_configuration_error)
{
    const struct http_engine_options options = {.ca_file = "/nonexistent/ca.pem", .max_connections = 1};
    struct http_engine *engine = NULL;
    os_error err;
    assert_int_equal(http_engine_new(&options, &engine, &err), OS_ERR_CONFIG);
    assert_null(engine);
    assert_non_null(strstr(err.message, "/nonexistent/ca.pem"));
}

TEST_WITH(fixture, a_ca_file_that_would_be_waited_for_is_a_configuration_error)
{
    char path[] = "/tmp/oscommit-ca-XXXXXX";
    const struct http_engine_options options = {.ca_file = path, .max_connections = 1};
    struct http_engine *engine = NULL;
    os_error err;
    assert_non_null(mkdtemp(path));
    assert_int_equal(rmdir(path) + mkfifo(path, 0600), 0);
    assert_int_equal(http_engine_new(&options, &engine, &err), OS_ERR_CONFIG);
    assert_null(engine);
    assert_non_null(strstr(err.message, "FIFO"));
    assert_int_equal(unlink(path), 0);
}

/* The test server stands for the proxy: it gets the whole URL. */
TEST_WITH(fixture, a_proxy_of_the_environment_is_used_except_for_loopback)
{
    char proxy[64];
    (void)snprintf(proxy, sizeof(proxy), "http://%s", http_server_host(fixture->server));
    assert_int_equal(setenv("http_proxy", proxy, 1), 0);
    assert_int_equal(setenv("no_proxy", "spared.test", 1), 0);
    struct probe probe;
    probe_init(&probe, "PUT", "store.test", "/a/../%20//k", "x", 1);
    assert_true(buf_add_str(&probe.request.query, "x-id="));
    probe.start.loopback = false;
    probe.start.once = true;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(last_record(fixture)->target, "http://store.test/a/../%20//k?x-id=");
    assert_string_equal(http_headers_get(&last_record(fixture)->headers, "host"), "store.test");
    probe_free(&probe);
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
    probe_get(fixture->engine, &probe, http_server_host(fixture->server), "/direct");
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(last_record(fixture)->target, "/direct");
    probe_free(&probe);
    assert_int_equal(unsetenv("http_proxy"), 0);
    assert_int_equal(unsetenv("no_proxy"), 0);
}

static void note_progress(void *context, uint64_t sent_bytes, uint64_t total_bytes)
{
    uint64_t *seen = context;
    assert_true(sent_bytes >= seen[0]);
    seen[0] = sent_bytes;
    seen[1] = total_bytes;
    seen[2]++;
}

TEST_WITH(fixture, progress_grows_to_the_whole)
{
    enum { LENGTH = 4 << 20 };
    uint64_t seen[3] = {0, 0, 0};
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/k", body, LENGTH);
    probe.start.progress = note_progress;
    probe.start.progress_context = seen;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(seen[0], LENGTH);
    assert_int_equal(seen[1], LENGTH);
    assert_true(seen[2] > 1);
    probe_free(&probe);
    free(body);
}

/* libcurl makes a handle without what wakes it when there is no descriptor left, and does not say so. */
TEST_WITH(fixture, an_engine_that_could_not_be_woken_is_not_made)
{
    struct http_engine_options options = {.max_connections = 4, .connect_timeout_ms = 1000};
    struct http_engine *engine = NULL;
    struct rlimit before;
    os_error err;
    int next = dup(STDIN_FILENO); /* the lowest number that is free */
    assert_true(next >= 0);
    (void)close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none_left = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none_left), 0);
    os_code code = http_engine_new(&options, &engine, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_not_equal(code, OS_OK);
    assert_null(engine);
    assert_true(err.message[0] != '\0');
}
