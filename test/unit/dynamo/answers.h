/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of DynamoDB for the tests of this folder, made from a status, headers and a body. */
#ifndef OSCOMMIT_TEST_DYNAMO_ANSWERS_H
#define OSCOMMIT_TEST_DYNAMO_ANSWERS_H

#include "base/crc.h"
#include "records.h"
#include "support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHERE "table records in us-east-1"
#define SPACE "com.amazonaws.dynamodb.v20120810#"
#define NONCE "0123456789abcdef0123456789abcdef"
#define ITEM                                                                                                         \
    "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"7\"},\"timeout\":{\"N\":\"20000\"}," \
    "\"ttl\":{\"N\":\"1800000000\"},\"nonce\":{\"S\":\"" NONCE "\"},\"fence\":{\"N\":\"1799999999\"},"               \
    "\"saw\":{\"S\":\"ffff\"}}"
#define PEER_ITEM                                                                              \
    "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"\\\"e\\\"\"},\"generation\":{\"N\":\"0\"}," \
    "\"timeout\":{\"N\":\"20000\"},\"ttl\":{\"N\":\"1800000000\"}}"
#define CONFLICT_HEAD \
    "{\"__type\":\"" SPACE "ConditionalCheckFailedException\",\"Message\":\"The conditional request failed\""

static const struct record_about dir_k = {WHERE, "dir/k", "*"};

static inline void answer_bytes(struct http_response *ret, int status, const void *body, size_t len)
{
    http_response_init(ret, DYNAMO_ANSWER_MAX);
    ret->status = status;
    assert_true(buf_add(&ret->body, body, len));
    assert_true(http_headers_add(&ret->headers, "x-amzn-requestid", "REQ1"));
}

static inline void answer(struct http_response *ret, int status, const char *body)
{
    answer_bytes(ret, status, body, strlen(body));
}

static inline void answer_crc(struct http_response *response, uint32_t crc)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%" PRIu32, crc);
    assert_true(http_headers_add(&response->headers, "X-Amz-Crc32", digits));
}

/* PutItem's outcome for an answer; everything else is thrown away. */
static inline enum table_outcome put_outcome(int status, const char *body, struct dynamo_error *ret_detail,
                                             os_error *err)
{
    struct http_response response;
    struct record record;
    answer(&response, status, body);
    enum table_outcome outcome = record_read_put(&response, &dir_k, &record, NULL, ret_detail, err);
    http_response_free(&response);
    return outcome;
}

#define assert_says(err, part) assert_non_null(strstr((err).message, (part)))

#endif
