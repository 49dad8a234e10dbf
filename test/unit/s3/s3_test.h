/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of S3's requests and answers share: answers from text, requests as text. Includes cmocka with what it
 * needs before it. */
#ifndef OSCOMMIT_TEST_S3_TEST_H
#define OSCOMMIT_TEST_S3_TEST_H

#include "base/http_message.h"
#include "oscommit.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `headers` is "name: value" lines; `body` is bytes. */
static inline void answer_bytes(struct http_response *ret, int status, const char *headers, const void *body,
                                size_t length)
{
    struct text rest = text_from(headers);
    struct text line;
    struct text name;
    http_response_init(ret, 8 << 20);
    ret->status = status;
    while (text_take_until(&rest, '\n', &line)) {
        assert_true(text_take_until(&line, ':', &name));
        assert_true(http_headers_add_text(&ret->headers, name, text_trim(line)));
    }
    assert_true(buf_add(&ret->body, body, length));
}

static inline void answer_text(struct http_response *ret, int status, const char *headers, const char *body)
{
    answer_bytes(ret, status, headers, body, strlen(body));
}

/* "PUT http://host/path?query\nname: value\n ...\n", headers in their order. */
static inline char *request_text(const struct http_request *request)
{
    struct buf text;
    struct buf url;
    buf_init(&text, 1 << 20);
    buf_init(&url, 1 << 20);
    assert_true(http_request_url(request, &url));
    buf_add_f(&text, "%s %s\n", request->method, buf_str(&url));
    for (size_t i = 0; i < request->headers.count; i++)
        buf_add_f(&text, "%s: %s\n", request->headers.list[i].name, request->headers.list[i].value);
    buf_free(&url);
    return buf_take(&text);
}

static inline void check_request(struct http_request *request, const char *expected)
{
    char *text = request_text(request);
    assert_string_equal(text, expected);
    free(text);
    http_request_free(request);
}

/* What a builder makes of `request`, whole; or that it refuses to. */
#define BUILDS(builder, ...)                  \
    do {                                      \
        struct http_request request;          \
        assert_int_equal((builder), OS_OK);   \
        check_request(&request, __VA_ARGS__); \
    } while (0)
#define REFUSES(builder)                              \
    do {                                              \
        struct http_request request;                  \
        assert_int_equal((builder), OS_ERR_ARGUMENT); \
        http_request_free(&request);                  \
    } while (0)

#endif
