/* SPDX-License-Identifier: Apache-2.0 */
#include "proxy/message.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct proxy_stream stream;
static struct proxy_message message;

/* A stream that has these bytes, and then its end. */
static void given(const char *bytes, size_t len)
{
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    stream_init(&stream, ends[0]);
    message_init(&message);
    assert_int_equal(write(ends[1], bytes, len), (ssize_t)len);
    assert_int_equal(close(ends[1]), 0);
}

static void done(void)
{
    message_free(&message);
    stream_close(&stream);
}

static bool takes_request(const char *bytes)
{
    bool good;

    given(bytes, strlen(bytes));
    good = message_read_request_head(&stream, &message) && message_read_request_body(&stream, &message, SIZE_MAX);
    return good;
}

static bool takes_answer(const char *bytes, const char *method)
{
    given(bytes, strlen(bytes));
    return message_read_answer(&stream, method, &message);
}

TEST(a_request_is_kept_byte_for_byte)
{
    static const char put[] = "PUT /bucket/key%20x?X-Amz-Date=1 HTTP/1.1\r\nHost: h:1\r\nContent-Length: 5\r\n"
                              "x-amz-copy-source: /b/k\r\n\r\nhello";

    assert_true(takes_request(put));
    assert_int_equal(message.len, sizeof(put) - 1);
    assert_memory_equal(message.data, put, sizeof(put) - 1);
    assert_string_equal(message.method, "PUT");
    assert_string_equal(message.target, "/bucket/key%20x?X-Amz-Date=1");
    assert_string_equal(message.authority, "");
    assert_true(message.copies);
    assert_int_equal(message.head_len, sizeof(put) - 1 - 5);
    done();
}

TEST(the_next_request_of_a_connection_is_left_for_later)
{
    assert_true(takes_request("PUT /a HTTP/1.1\r\nContent-Length: 1\r\n\r\nxGET /b HTTP/1.1\r\n\r\n"));
    message_free(&message);
    message_init(&message);
    assert_true(message_read_request_head(&stream, &message));
    assert_string_equal(message.target, "/b");
    done();
}

TEST(a_body_can_be_read_in_parts)
{
    static const char put[] = "PUT /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.1\r\n\r\n";

    given(put, sizeof(put) - 1);
    assert_true(message_read_request_head(&stream, &message));
    assert_true(message_read_request_body(&stream, &message, 2));
    assert_int_equal(message.len - message.head_len, 2);
    assert_true(message_read_request_body(&stream, &message, 0));
    assert_true(message_read_request_body(&stream, &message, SIZE_MAX));
    assert_true(message_read_request_body(&stream, &message, SIZE_MAX));
    assert_memory_equal(message.data + message.head_len, "hello", 5);
    assert_int_equal(message.len - message.head_len, 5);
    done();
}

TEST(a_chunked_body_ends_behind_its_trailers)
{
    static const char put[] = "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "5;chunk-signature=0\r\nhello\r\n0\r\nx-amz-trailer: 1\r\n\r\n";

    assert_true(takes_request(put));
    assert_true(message.framing.chunked);
    assert_int_equal(message.len, sizeof(put) - 1);
    done();
}

TEST(the_absolute_form_becomes_the_origin_form)
{
    static const char origin[] = "GET /b/k?x=http://y/ HTTP/1.1\r\nHost: s3.example:81\r\n\r\n";

    assert_true(takes_request("GET http://s3.example:81/b/k?x=http://y/ HTTP/1.1\r\nHost: s3.example:81\r\n\r\n"));
    assert_string_equal(message.authority, "s3.example:81");
    assert_int_equal(message.len, sizeof(origin) - 1);
    assert_memory_equal(message.data, origin, sizeof(origin) - 1);
    done();
}

TEST(the_call_of_a_service_is_named)
{
    assert_true(takes_request("POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nContent-Length: 0\r\n"
                              "Expect: 100-continue\r\nConnection: close\r\n\r\n"));
    assert_string_equal(message.service_call, "PutItem");
    assert_true(message.framing.expects_continue);
    assert_true(message.framing.closes);
    done();
}

TEST(what_is_no_request_is_refused)
{
    static const char *const bad[] = {
        "",
        "GET",
        "GET /\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\n",
        "GET x HTTP/1.1\r\n\r\n",
        "GET http:///x HTTP/1.1\r\n\r\n",
        "GET http://host HTTP/1.1\r\n\r\n",
        "CONNECT host:443 HTTP/1.1\r\n\r\n",
        " / HTTP/1.1\r\n\r\n",
        "AVERYLONGMETHODNAME / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nA : 1\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \x01\r\n\r\n",
        "GET / HTTP/1.1\r\n: 1\r\n\r\n",
        "GET /\x80 HTTP/1.1\r\n\r\n",
        "PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "PUT / HTTP/1.1\r\nContent-Length: 1 1\r\n\r\n",
        "PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "PUT / HTTP/1.1\r\nContent-Length: 9999999999999999\r\n\r\n",
        "PUT / HTTP/1.1\r\nContent-Length: 300000000\r\n\r\n",
        "PUT / HTTP/1.1\r\nContent-Length: 2\r\n\r\nx",
        "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        bool taken = takes_request(bad[i]);
        done();
        if (taken)
            fail_msg("\"%s\" was taken", bad[i]);
    }
}

TEST(a_head_without_end_is_bounded)
{
    size_t len = MESSAGE_HEAD_MAX + 4096;
    char *endless = malloc(len);
    size_t at;

    assert_non_null(endless);
    at = (size_t)snprintf(endless, len, "GET / HTTP/1.1\r\n");
    while (at + 16 < len)
        at += (size_t)snprintf(endless + at, len - at, "a: bbbbbbbb\r\n");
    given(endless, at);
    free(endless);
    assert_false(message_read_request_head(&stream, &message));
    assert_true(message.len <= MESSAGE_HEAD_MAX);
    done();
}

TEST(interim_answers_are_passed_over)
{
    static const char final[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: Mon\r\n\r\nhi";
    char bytes[200];

    (void)snprintf(bytes, sizeof(bytes), "HTTP/1.1 100 Continue\r\n\r\n%s", final);
    assert_true(takes_answer(bytes, "PUT"));
    assert_int_equal(message.status, 200);
    assert_int_equal(message.len, sizeof(final) - 1);
    assert_string_equal(message.date, "Mon");
    assert_true(message_is_delimited(&message, "PUT"));
    done();
}

TEST(an_answer_to_head_has_no_body_whatever_its_length)
{
    assert_true(takes_answer("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", "HEAD"));
    assert_true(message_is_delimited(&message, "HEAD"));
    done();
    assert_true(takes_answer("HTTP/1.1 204 No Content\r\n\r\n", "DELETE"));
    assert_true(message_is_delimited(&message, "DELETE"));
    done();
}

TEST(an_answer_without_a_length_goes_to_the_end)
{
    assert_true(takes_answer("HTTP/1.1 200 OK\r\n\r\nall of it", "GET"));
    assert_int_equal(message.len - message.head_len, 9);
    assert_true(message.framing.closes);
    assert_false(message_is_delimited(&message, "GET"));
    done();
}

TEST(an_answer_that_is_cut_short_is_none)
{
    static const char *const bad[] = {"",
                                      "HTTP/1.1 200",
                                      "HTTP/2 200 OK\r\n\r\n",
                                      "HTTP/1.1 2x0 OK\r\n\r\n",
                                      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
                                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhi",
                                      "HTTP/1.1 100 Continue\r\n\r\n"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        bool taken = takes_answer(bad[i], "GET");
        done();
        if (taken)
            fail_msg("\"%s\" was taken", bad[i]);
    }
}
