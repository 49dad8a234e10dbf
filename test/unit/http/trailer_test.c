/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the last chunk of a body. */
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { TRAILERS_BYTES = 1 << 20, EXTENSION_BYTES = 32 << 20, SMALL_CHUNKS = 200000 };

/* A body and trailers without end, as a server could send them. */
static void send_trailers(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    const char *line = context;
    (void)record;
    assert_true(buf_add_str(scratch, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"));
    while (scratch->len < TRAILERS_BYTES)
        assert_true(buf_add_str(scratch, line));
    *ret = (struct http_server_step){
        .answer = buf_str(scratch), .answer_length = scratch->len, .leave = HTTP_SERVER_DRAIN};
}

static void expect_bounded(const char *line, const char *words)
{
    char context[8192];
    (void)snprintf(context, sizeof(context), "%s", line);
    const struct http_server_options options = {.respond = send_trailers, .respond_context = context};
    struct http_server *server = http_server_start(&options);
    struct http_engine *engine = probe_engine(4, NULL);
    struct probe probe;
    probe_get(engine, &probe, http_server_host(server), "/k");
    assert_int_equal(probe.code, OS_ERR_PROTOCOL);
    assert_true(probe.answered_in_part);
    if (strstr(probe.message, words) == NULL)
        fail_msg("%s", probe.message);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
}

TEST(endless_trailers_are_given_up)
{
    char long_line[8192];
    memset(long_line, 'x', sizeof(long_line));
    memcpy(long_line, "y: ", 3);
    memcpy(long_line + 1000, "\r\n", 3);
    expect_bounded("x: 1\r\n", "trailers");
    expect_bounded(long_line, "trailers");
    memset(long_line + 1000, 'x', 7000);
    memcpy(long_line + 8000, "\r\n", 3);
    expect_bounded(long_line, "a trailer is longer than libcurl takes");
}

/* One chunk whose length is followed by an extension (RFC 9112, section 7.1.1) without end. */
static void send_extension(void *context, const struct http_server_record *record, struct buf *scratch,
                           struct http_server_step *ret)
{
    const bool behind_a_chunk = *(const bool *)context;
    (void)record;
    assert_true(buf_add_f(
        scratch, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s3;e=", behind_a_chunk ? "3\r\nabc\r\n" : ""));
    char fill[1 << 16];
    memset(fill, 'e', sizeof(fill));
    while (scratch->len < EXTENSION_BYTES)
        assert_true(buf_add(scratch, fill, sizeof(fill)));
    *ret = (struct http_server_step){
        .answer = buf_str(scratch), .answer_length = scratch->len, .leave = HTTP_SERVER_DRAIN};
}

TEST(an_endless_chunk_extension_is_given_up)
{
    for (int i = 0; i < 2; i++) {
        bool behind_a_chunk = i == 1;
        const struct http_server_options options = {.respond = send_extension, .respond_context = &behind_a_chunk};
        struct http_server *server = http_server_start(&options);
        struct http_engine *engine = probe_engine(4, NULL);
        struct probe probe;
        probe_init(&probe, "GET", http_server_host(server), "/k", NULL, 0);
        probe.start.stall_ms = 20000;
        probe_start(engine, &probe);
        probe_wait(engine, &probe);
        assert_int_equal(probe.code, OS_ERR_PROTOCOL);
        if (strstr(probe.message, "has more than") == NULL)
            fail_msg("%s", probe.message);
        probe_free(&probe);
        http_engine_free(engine);
        http_server_stop(server);
    }
}

/* Many small chunks are framing for the most part, and a body all the same. */
TEST(a_body_in_small_chunks_is_taken)
{
    struct buf answer;
    struct probe probe;
    buf_init(&answer, 16 << 20);
    assert_true(buf_add_str(&answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for (int i = 0; i < SMALL_CHUNKS; i++)
        assert_true(buf_add_str(&answer, "1;extension-of-a-chunk=0123456789abcdef\r\nx\r\n"));
    assert_true(buf_add_str(&answer, "0\r\n\r\n"));
    const struct http_server_step step = {.answer = buf_str(&answer), .answer_length = answer.len};
    struct http_server *server = http_server_start(NULL);
    struct http_engine *engine = probe_engine(4, NULL);
    http_server_push(server, &step);
    probe_get(engine, &probe, http_server_host(server), "/k");
    assert_string_equal(probe.message, "");
    assert_int_equal(probe.code, OS_OK);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
    buf_free(&answer);
}

TEST(trailers_within_bounds_are_passed_over)
{
    struct buf answer;
    struct probe probe;
    buf_init(&answer, 100000);
    assert_true(buf_add_str(&answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"));
    for (int i = 0; i < 100; i++)
        assert_true(buf_add_f(&answer, "x-%d: %0400d\r\n", i, i));
    assert_true(buf_add_str(&answer, "\r\n"));
    const struct http_server_step step = {.answer = buf_str(&answer)};
    struct http_server *server = http_server_start(NULL);
    struct http_engine *engine = probe_engine(4, NULL);
    http_server_push(server, &step);
    probe_get(engine, &probe, http_server_host(server), "/k");
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(buf_str(&probe.body), "abc");
    buf_free(&answer);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
}
