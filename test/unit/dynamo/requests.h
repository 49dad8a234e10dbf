/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as they are sent, for the tests of this folder. */
#ifndef OSCOMMIT_TEST_DYNAMO_REQUESTS_H
#define OSCOMMIT_TEST_DYNAMO_REQUESTS_H

#include "dynamo/request.h"
#include "support/test.h"
#include "syntax/json.h"

#include <stdio.h>

static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};

/* Checks bytes, JSON and headers, and frees both. */
static inline void assert_request(os_code code, struct http_request *request, struct buf *body, const char *operation,
                                  const char *golden)
{
    char action[64];
    snprintf(action, sizeof(action), "DynamoDB_20120810.%s", operation);
    assert_int_equal(code, OS_OK);
    assert_string_equal(buf_str(body), golden);
    json_t *parsed = json_read(body->data, body->len);
    json_t *expected = json_loads(golden, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    assert_non_null(parsed);
    assert_true(json_equal(parsed, expected));
    json_decref(parsed);
    json_decref(expected);
    assert_string_equal(request->method, "POST");
    assert_string_equal(request->scheme, "http");
    assert_string_equal(request->host, "127.0.0.1:8000");
    assert_string_equal(buf_str(&request->path), "/");
    assert_string_equal(buf_str(&request->query), "");
    assert_int_equal(request->headers.count, 3);
    assert_string_equal(http_headers_get(&request->headers, "x-amz-target"), action);
    assert_string_equal(http_headers_get(&request->headers, "content-type"), "application/x-amz-json-1.0");
    assert_string_equal(http_headers_get(&request->headers, "accept-encoding"), "identity");
    assert_int_equal(request->body.kind, HTTP_BODY_MEMORY);
    assert_ptr_equal(request->body.data, body->data);
    assert_int_equal(request->body.length, body->len);
    http_request_free(request);
    buf_free(body);
}

#endif
