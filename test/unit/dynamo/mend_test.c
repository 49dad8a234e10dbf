/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an item that is no record, and replacing it on the condition that it is still the same. */
#include "answers.h"

#include "dynamo/request.h"
#include "syntax/json.h"

#include <stdlib.h>

static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};
static const struct dynamo_target target = {.endpoint = &endpoint, .table = "records", .schema = &record_schema};
static const struct record released = {.generation = 77, .ttl_s = 1800000000};

#define HEAD                                                      \
    "{\"TableName\":\"records\",\"Item\":{\"path\":{\"S\":\"dir/" \
    "k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"77\"},"  \
    "\"timeout\":{\"N\":\"0\"},\"ttl\":{\"N\":\"1800000000\"}},\"ConditionExpression\":\""
#define NAMES                                                                                                    \
    "\",\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#timeout\":\"timeout\",\"#ttl\":\"ttl\"," \
    "\"#nonce\":\"nonce\",\"#fence\":\"fence\",\"#saw\":\"saw\",\"#upload\":\"upload\"}"

static void assert_mend(const char *seen, const char *golden)
{
    struct http_request request;
    struct buf body;
    assert_int_equal(
        record_build_replace(&target, &(struct record_key){"dir/k", "*"}, &released, seen, &request, &body, NULL),
        OS_OK);
    assert_string_equal(buf_str(&body), golden);
    assert_string_equal(http_headers_get(&request.headers, "x-amz-target"), "DynamoDB_20120810.PutItem");
    http_request_free(&request);
    buf_free(&body);
}

TEST(every_attribute_of_a_record_must_be_as_it_was_or_still_missing)
{
    assert_mend(
        "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"-1\"},\"ttl\":{\"B\":\"AA==\"},"
        "\"nonce\":{\"S\":\"\\u0000\"},\"saw\":{\"M\":{\"a\":{\"S\":\"b\"}}},\"upload\":{\"NS\":[\"1\"]}}",
        HEAD "#generation = :generation AND attribute_not_exists(#timeout) AND #ttl = :ttl AND #nonce = :nonce AND "
             "attribute_not_exists(#fence) AND attribute_type(#saw, :saw) AND attribute_type(#upload, :upload)" NAMES
             ",\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"-1\"},\":ttl\":{\"B\":\"AA==\"},"
             "\":nonce\":{\"S\":\"\\u0000\"},\":saw\":{\"S\":\"M\"},\":upload\":{\"S\":\"NS\"}}}");
    assert_mend("{}",
                HEAD "attribute_not_exists(#generation) AND attribute_not_exists(#timeout) AND "
                     "attribute_not_exists(#ttl) AND attribute_not_exists(#nonce) AND attribute_not_exists(#fence) "
                     "AND attribute_not_exists(#saw) AND attribute_not_exists(#upload)" NAMES "}");
}

TEST(what_was_too_large_must_still_be_no_record)
{
    assert_mend(
        NULL,
        HEAD "NOT (attribute_type(#generation, :N) AND attribute_type(#timeout, :N) AND attribute_type(#ttl, :N) AND "
             "(attribute_not_exists(#nonce) OR attribute_type(#nonce, :S)) AND "
             "(attribute_not_exists(#fence) OR attribute_type(#fence, :N)) AND "
             "(attribute_not_exists(#saw) OR attribute_type(#saw, :S)) AND "
             "(attribute_not_exists(#upload) OR attribute_type(#upload, :S)))" NAMES
             ",\"ExpressionAttributeValues\":{\":N\":{\"S\":\"N\"},\":S\":{\"S\":\"S\"}}}");
}

TEST(what_was_seen_must_be_json)
{
    struct http_request request;
    struct buf body;
    os_error err;
    assert_int_not_equal(
        record_build_replace(&target, &(struct record_key){"dir/k", "*"}, &released, "{", &request, &body, &err),
        OS_OK);
    assert_int_equal(
        record_build_replace(&target, &(struct record_key){"", "*"}, &released, "{}", &request, &body, &err),
        OS_ERR_ARGUMENT);
}

static enum table_outcome read_item(int status, const char *body, bool *ret_found, char **ret_seen)
{
    struct http_response response;
    os_error err;
    answer(&response, status, body);
    enum table_outcome outcome = record_read_unreadable(&response, &dir_k, ret_found, ret_seen, &err);
    http_response_free(&response);
    return outcome;
}

TEST(an_item_that_is_no_record_is_given_as_it_stands)
{
    bool found = false;
    char *seen = NULL;
    assert_int_equal(read_item(200,
                               "{\"Item\":{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"},\"ttl\":{\"N\":\"0.5\"}}}",
                               &found, &seen),
                     TABLE_UNREADABLE);
    assert_string_equal(seen, "{\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"},\"ttl\":{\"N\":\"0.5\"}}");
    free(seen);
    seen = NULL;
    assert_int_equal(read_item(200, "{\"Item\":" ITEM "}", &found, &seen), TABLE_OK);
    assert_true(found);
    assert_int_equal(read_item(200, "{}", &found, &seen), TABLE_OK);
    assert_false(found);
    assert_int_equal(read_item(500, "{}", &found, &seen), TABLE_AMBIGUOUS);
    assert_null(seen);
}

TEST(an_item_that_is_too_large_is_unreadable_and_not_given)
{
    bool found = false;
    char *seen = NULL;
    struct buf body;
    buf_init(&body, 2 * JSON_VALUES_MAX + 1024);
    assert_true(buf_add_str(&body, "{\"Item\":{\"nonce\":{\"L\":[0"));
    for (int i = 0; i < JSON_VALUES_MAX; i++)
        assert_true(buf_add_str(&body, ",0"));
    assert_true(buf_add_str(&body, "]}}}"));
    assert_int_equal(read_item(200, buf_str(&body), &found, &seen), TABLE_UNREADABLE);
    assert_null(seen);
    buf_free(&body);
}
