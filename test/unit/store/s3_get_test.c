/* SPDX-License-Identifier: Apache-2.0 */
/* GETs through the store's interface, against a server that answers with other bytes, or with fewer. */
#include "store/answer.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/store/store_call.h"

#include <stdio.h>
#include <string.h>

#define MARK "x-amz-request-id: 1\r\n"

struct fixture {
    struct http_server *server;
    struct on_store on;
    char bytes[64]; /* that the receiver was given */
    size_t length;
};

static void fixture_set_up(struct fixture *f)
{
    f->server = on_store_serve(&f->on, STORE_MARKS_NONE);
}

static void fixture_tear_down(struct fixture *f)
{
    on_store_stop(&f->on, f->server);
}

static int take(void *context, const void *data, size_t length)
{
    struct fixture *f = context;
    assert_true(f->length + length < sizeof(f->bytes));
    memcpy(f->bytes + f->length, data, length);
    f->length += length;
    return 0;
}

static struct store_answer get(struct fixture *f, const char *answer, uint64_t offset, uint64_t count)
{
    struct store_request request = {
        .verb = STORE_GET, .key = "k", .offset = offset, .count = count, .sink = take, .sink_context = f};
    f->length = 0;
    memset(f->bytes, 0, sizeof(f->bytes));
    http_server_push(f->server, &(struct http_server_step){.answer = answer, .leave = HTTP_SERVER_CLOSE});
    return store_call(&f->on, &request);
}

static void refused_before_a_byte(struct fixture *f, const char *answer, uint64_t offset, uint64_t count)
{
    struct store_answer got = get(f, answer, offset, count);
    CHECK_ANSWER(got, OS_ERR_PROTOCOL);
    assert_string_equal(f->bytes, "");
}

TEST_WITH(fixture, what_was_asked_for_is_given)
{
    struct store_answer got = get(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 5\r\n\r\n01234", 0, 0);
    CHECK_ANSWER(got, OS_OK);
    assert_string_equal(fixture->bytes, "01234");
    got = get(fixture, "HTTP/1.1 206 OK\r\n" MARK "Content-Length: 2\r\nContent-Range: bytes 1-2/5\r\n\r\n12", 1, 2);
    CHECK_ANSWER(got, OS_OK);
    assert_string_equal(fixture->bytes, "12");
    assert_int_equal(got.object.length, 5);
    got = get(fixture, "HTTP/1.1 200 OK\r\n" MARK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 0, 0);
    CHECK_ANSWER(got, OS_OK);
    assert_string_equal(fixture->bytes, "abc");
    assert_int_equal(got.object.length, 3);
}

TEST_WITH(fixture, another_range_is_no_answer)
{
    refused_before_a_byte(fixture,
                          "HTTP/1.1 206 OK\r\n" MARK "Content-Length: 2\r\nContent-Range: bytes 0-1/5\r\n\r\n01", 1, 2);
    refused_before_a_byte(fixture, "HTTP/1.1 206 OK\r\n" MARK "Content-Length: 2\r\n\r\n12", 1, 2);
    refused_before_a_byte(fixture,
                          "HTTP/1.1 206 OK\r\n" MARK "Content-Length: 2\r\nContent-Range: bytes 0-1/5\r\n\r\n01", 0, 0);
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 5\r\n\r\n01234", 1, 2);
}

TEST_WITH(fixture, two_lengths_are_none)
{
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 5\r\nContent-Length: 3\r\n\r\n01234", 0,
                          0);
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 3\r\nContent-Length: 5\r\n\r\n01234", 0,
                          0);
    refused_before_a_byte(fixture,
                          "HTTP/1.1 200 OK\r\n" MARK
                          "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\n\r\n",
                          0, 0);
}

TEST_WITH(fixture, a_length_that_no_body_has_is_none)
{
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 18446744073709551615\r\n\r\n01234", 0,
                          0);
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 9223372036854775808\r\n\r\n01234", 0, 0);
}

/* As HTTP/1.0 ends a body: it may have been cut anywhere. */
TEST_WITH(fixture, a_body_that_ends_with_its_connection_may_be_cut)
{
    refused_before_a_byte(fixture, "HTTP/1.0 200 OK\r\n" MARK "\r\n01234", 0, 0);
    refused_before_a_byte(fixture, "HTTP/1.1 200 OK\r\n" MARK "Connection: close\r\n\r\n01234", 0, 0);
    struct store_answer got =
        get(fixture, "HTTP/1.0 206 OK\r\n" MARK "Content-Range: bytes 1-4/5\r\n\r\n123", 1, 4); /* the range has four */
    CHECK_ANSWER(got, OS_ERR_PROTOCOL);
    got = get(fixture, "HTTP/1.0 206 OK\r\n" MARK "Content-Range: bytes 1-4/5\r\n\r\n1234", 1, 4);
    CHECK_ANSWER(got, OS_OK);
}

TEST_WITH(fixture, bytes_with_another_sum_are_no_answer)
{
    struct store_answer got =
        get(fixture, "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 9\r\nx-amz-checksum-crc32c: 4waSgw==\r\n\r\n123456780",
            0, 0);
    CHECK_ANSWER(got, OS_ERR_PROTOCOL);
    CHECK_SAYS(&got.error, "The answer to GET of k is not what was asked for: the CRC32C of the received bytes");
    got = get(fixture,
              "HTTP/1.1 200 OK\r\n" MARK "Content-Length: 9\r\nx-amz-checksum-crc32c: 4waSgw==\r\n\r\n123456789", 0, 0);
    CHECK_ANSWER(got, OS_OK);
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_string_equal(http_headers_get(&record->headers, "x-amz-checksum-mode"), "ENABLED");
}

TEST_WITH(fixture, a_head_is_answered_with_200)
{
    struct store_request request = {.verb = STORE_HEAD, .key = "k"};
    static const char *const others[] = {"203 Non-Authoritative", "204 No Content", "206 Partial"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "HTTP/1.1 %s\r\n" MARK "ETag: \"e\"\r\n\r\n", others[i]);
        http_server_push(fixture->server, &(struct http_server_step){.answer = text});
        struct store_answer got = store_call(&fixture->on, &request);
        CHECK_ANSWER(got, OS_ERR_PROTOCOL);
    }
}
