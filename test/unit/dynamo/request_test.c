/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests: every body was accepted by DynamoDB Local 2.6.1 as it stands here. */
#include "answers.h"
#include "requests.h"

#include "base/error.h"
#include "syntax/json.h"

#include <stdlib.h>

static const struct dynamo_target target = {.endpoint = &endpoint, .table = "records", .schema = &record_schema};
static const struct record held = {.generation = 281474976710655,
                                   .timeout_ms = 20000,
                                   .ttl_s = 1800000000,
                                   .fence_s = 1799999999,
                                   .has_fence = true,
                                   .nonce = NONCE,
                                   .saw = "ffff"};
static const struct record peers = {.generation = 0, .timeout_ms = 20000, .ttl_s = 1800003600};

#define TABLE "{\"TableName\":\"records\""
#define KEY   "\"path\":{\"S\":\"dir/k\"},\"etag\":{\"S\":\"*\"}"
#define HELD_ITEM                                                                                      \
    "{" KEY ",\"generation\":{\"N\":\"281474976710655\"},\"timeout\":{\"N\":\"20000\"},"               \
    "\"ttl\":{\"N\":\"1800000000\"},\"nonce\":{\"S\":\"" NONCE "\"},\"fence\":{\"N\":\"1799999999\"}," \
    "\"saw\":{\"S\":\"ffff\"}}"
#define ALL_OLD "\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}"

TEST(a_record_is_removed_only_as_it_was_seen)
{
    struct http_request request;
    struct buf body;
    struct record_condition condition = {.kind = RECORD_IF_SEEN, .seen = held};
    os_code code = record_build_delete(&target, &(struct record_key){"dir/k", "*"}, &condition, &request, &body, NULL);
    assert_request(code, &request, &body, "DeleteItem",
                   TABLE ",\"Key\":{" KEY "},\"ConditionExpression\":\"#generation = :generation AND #ttl = :ttl AND "
                         "#nonce = :nonce\",\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#ttl\":"
                         "\"ttl\",\"#nonce\":\"nonce\"},\"ExpressionAttributeValues\":{\":generation\":{\"N\":"
                         "\"281474976710655\"},\":ttl\":{\"N\":\"1800000000\"},\":nonce\":{\"S\":\"" NONCE
                         "\"}}," ALL_OLD);
    assert_int_equal(record_build_delete(&target, &(struct record_key){"", "*"}, &condition, &request, &body, NULL),
                     OS_ERR_ARGUMENT);
}

static void assert_put(const struct record *record, enum record_condition_kind kind, const struct record *seen,
                       const char *golden)
{
    struct http_request request;
    struct buf body;
    struct record_condition condition = {.kind = kind};
    if (seen != NULL)
        condition.seen = *seen;
    os_code code = record_build_put(&target, &(struct record_key){"dir/k", "*"},
                                    &(struct record_write){record, NULL, NULL, &condition}, &request, &body, NULL);
    assert_request(code, &request, &body, "PutItem", golden);
}

TEST(R3_acquires_where_no_record_is)
{
    assert_put(&held, RECORD_IF_ABSENT, NULL,
               TABLE ",\"Item\":" HELD_ITEM ",\"ConditionExpression\":\"attribute_not_exists(#path)\","
                     "\"ExpressionAttributeNames\":{\"#path\":\"path\"}," ALL_OLD);
}

/* T4.3: beside the record; no condition asks for it. */
TEST(a_bucket_goes_along)
{
    struct http_request request;
    struct buf body;
    struct record_condition condition = {.kind = RECORD_IF_SEEN, .seen = held};
    struct record_write write = {.record = &held, .bucket = "fleet-7", .condition = &condition};
    assert_int_equal(record_build_put(&target, &(struct record_key){"dir/k", "*"}, &write, &request, &body, NULL),
                     OS_OK);
    static const char item[] = "\"bucket\":{\"S\":\"fleet-7\"}},\"ConditionExpression\"";
    const char *bucket = strstr(buf_str(&body), item);
    assert_non_null(bucket);
    assert_null(strstr(bucket + strlen(item), "bucket"));
    http_request_free(&request);
    buf_free(&body);
}

TEST(R12_takes_over_what_was_seen)
{
    assert_put(&held, RECORD_IF_SEEN, &held,
               TABLE
               ",\"Item\":" HELD_ITEM
               ",\"ConditionExpression\":\"#generation = :generation AND #ttl = :ttl AND #nonce = :nonce\","
               "\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#ttl\":\"ttl\",\"#nonce\":\"nonce\"},"
               "\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"281474976710655\"},"
               "\":ttl\":{\"N\":\"1800000000\"},\":nonce\":{\"S\":\"" NONCE "\"}}," ALL_OLD);
}

TEST(R12_takes_over_a_peers_record_only_while_it_has_no_nonce)
{
    assert_put(
        &held, RECORD_IF_SEEN, &peers,
        TABLE ",\"Item\":" HELD_ITEM ",\"ConditionExpression\":\"#generation = :generation AND #ttl = :ttl AND "
              "attribute_not_exists(#nonce)\","
              "\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#ttl\":\"ttl\",\"#nonce\":\"nonce\"},"
              "\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"0\"},\":ttl\":{\"N\":\"1800003600\"}}," ALL_OLD);
}

TEST(T3_releases_what_is_held)
{
    assert_put(&held, RECORD_IF_HELD, &held,
               TABLE ",\"Item\":" HELD_ITEM
                     ",\"ConditionExpression\":\"#generation = :generation AND #nonce = :nonce\","
                     "\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#nonce\":\"nonce\"},"
                     "\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"281474976710655\"},"
                     "\":nonce\":{\"S\":\"" NONCE "\"}}," ALL_OLD);
}

TEST(T3_releases_a_record_without_nonce_only_while_it_has_none)
{
    assert_put(&held, RECORD_IF_HELD, &peers,
               TABLE ",\"Item\":" HELD_ITEM
                     ",\"ConditionExpression\":\"#generation = :generation AND attribute_not_exists(#nonce)\","
                     "\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#nonce\":\"nonce\"},"
                     "\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"0\"}}," ALL_OLD);
}

TEST(R17_releases_for_a_ticket_what_is_stored_as_it_says)
{
    struct record seen = held;
    seen.has_fence = true;
    seen.fence_s = 1799990010;
    memcpy(seen.saw, NONCE, sizeof(seen.saw));
    assert_put(&held, RECORD_IF_SAME, &seen,
               TABLE ",\"Item\":" HELD_ITEM
                     ",\"ConditionExpression\":\"#generation = :generation AND #ttl = :ttl AND #nonce = :nonce AND "
                     "#timeout = :timeout AND attribute_not_exists(#upload) AND #fence = :fence AND #saw = :saw\","
                     "\"ExpressionAttributeNames\":{\"#generation\":\"generation\",\"#timeout\":\"timeout\","
                     "\"#ttl\":\"ttl\",\"#nonce\":\"nonce\",\"#fence\":\"fence\",\"#saw\":\"saw\",\"#upload\":"
                     "\"upload\"},\"ExpressionAttributeValues\":{\":generation\":{\"N\":\"281474976710655\"},"
                     "\":ttl\":{\"N\":\"1800000000\"},\":nonce\":{\"S\":\"" NONCE
                     "\"},\":timeout\":{\"N\":\"20000\"},\":fence\":{\"N\":\"1799990010\"},\":saw\":{\"S\":\"" NONCE
                     "\"}}," ALL_OLD);
}

/* All that a record may have, also when it has it in a wrong form. */
#define OF_RECORDS_NAMES                                                                             \
    "\"#path\":\"path\",\"#etag\":\"etag\",\"#generation\":\"generation\",\"#timeout\":\"timeout\"," \
    "\"#ttl\":\"ttl\",\"#nonce\":\"nonce\",\"#fence\":\"fence\",\"#saw\":\"saw\",\"#upload\":\"upload\""
#define OF_RECORDS_PROJECTION \
    "\"ProjectionExpression\":\"#path, #etag, #generation, #timeout, #ttl, #nonce, #fence, #saw, #upload\""
#define OF_RECORDS OF_RECORDS_PROJECTION ",\"ExpressionAttributeNames\":{" OF_RECORDS_NAMES "}"

TEST(reads_are_consistent)
{
    struct http_request request;
    struct buf body;
    os_code code = record_build_get(&target, &(struct record_key){"dir/k", "*"}, &request, &body, NULL);
    assert_request(code, &request, &body, "GetItem",
                   TABLE ",\"Key\":{" KEY "},\"ConsistentRead\":true," OF_RECORDS "}");
}

TEST(a_partition_is_queried)
{
    struct http_request request;
    struct buf body;
    os_code code = dynamo_build_list(&target, &(struct dynamo_page){.partition = "dir/k", .start_key = NULL}, &request,
                                     &body, NULL);
    assert_request(code, &request, &body, "Query",
                   TABLE ",\"ConsistentRead\":true,\"Limit\":4000,\"KeyConditionExpression\":\"#path = :path\","
                         "\"ExpressionAttributeValues\":{\":path\":{\"S\":\"dir/k\"}},"
                         "\"ExpressionAttributeNames\":{\"#path\":\"path\"}}");
}

TEST(a_page_of_records_leaves_out_what_others_have_added)
{
    struct http_request request;
    struct buf body;
    struct dynamo_page page = {.partition = "dir/k", .attributes = DYNAMO_KNOWN_ATTRIBUTES, .limit = 7};
    os_code code = dynamo_build_list(&target, &page, &request, &body, NULL);
    assert_request(code, &request, &body, "Query",
                   TABLE ",\"ConsistentRead\":true,\"Limit\":7,"
                         "\"KeyConditionExpression\":\"#path = :path\","
                         "\"ExpressionAttributeValues\":{\":path\":{\"S\":\"dir/k\"}}," OF_RECORDS "}");
    page = (struct dynamo_page){.attributes = DYNAMO_KEY_ATTRIBUTES, .limit = 1};
    code = dynamo_build_list(&target, &page, &request, &body, NULL);
    assert_request(code, &request, &body, "Scan",
                   TABLE ",\"ConsistentRead\":true,\"Limit\":1,\"ProjectionExpression\":\"#path, #etag\","
                         "\"ExpressionAttributeNames\":{\"#path\":\"path\",\"#etag\":\"etag\"}}");
}

TEST(a_whole_table_is_scanned)
{
    struct http_request request;
    struct buf body;
    os_code code =
        dynamo_build_list(&target, &(struct dynamo_page){.partition = NULL, .start_key = NULL}, &request, &body, NULL);
    assert_request(code, &request, &body, "Scan", TABLE ",\"ConsistentRead\":true,\"Limit\":4000}");
}

TEST(the_next_page_starts_at_the_last_key)
{
    struct http_request request;
    struct buf body;
    os_code code = dynamo_build_list(&target, &(struct dynamo_page){.partition = NULL, .start_key = "{" KEY "}"},
                                     &request, &body, NULL);
    assert_request(code, &request, &body, "Scan",
                   TABLE ",\"ConsistentRead\":true,\"Limit\":4000,\"ExclusiveStartKey\":{" KEY "}}");
    code = dynamo_build_list(&target, &(struct dynamo_page){.partition = "dir/k", .start_key = "{" KEY "}"}, &request,
                             &body, NULL);
    assert_request(code, &request, &body, "Query",
                   TABLE ",\"ConsistentRead\":true,\"Limit\":4000,\"KeyConditionExpression\":\"#path = :path\","
                         "\"ExpressionAttributeValues\":{\":path\":{\"S\":\"dir/k\"}},"
                         "\"ExpressionAttributeNames\":{\"#path\":\"path\"},\"ExclusiveStartKey\":{" KEY "}}");
}

TEST(the_table_is_described_and_made)
{
    struct http_request request;
    struct buf body;
    os_code code = dynamo_build_describe_table(&target, &request, &body, NULL);
    assert_request(code, &request, &body, "DescribeTable", TABLE "}");
    code = dynamo_build_create_table(&target, &request, &body, NULL);
    assert_request(code, &request, &body, "CreateTable",
                   TABLE ",\"AttributeDefinitions\":[{\"AttributeName\":\"path\",\"AttributeType\":\"S\"},"
                         "{\"AttributeName\":\"etag\",\"AttributeType\":\"S\"}],"
                         "\"KeySchema\":[{\"AttributeName\":\"path\",\"KeyType\":\"HASH\"},"
                         "{\"AttributeName\":\"etag\",\"KeyType\":\"RANGE\"}],\"BillingMode\":\"PAY_PER_REQUEST\"}");
}

TEST(ttl_is_turned_on_and_described)
{
    struct http_request request;
    struct buf body;
    os_code code = dynamo_build_update_ttl(&target, &request, &body, NULL);
    assert_request(code, &request, &body, "UpdateTimeToLive",
                   TABLE ",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"ttl\"}}");
    code = dynamo_build_describe_ttl(&target, &request, &body, NULL);
    assert_request(code, &request, &body, "DescribeTimeToLive", TABLE "}");
}

/* -------------------------------------------------------------------------------------------------- arguments */

static os_code build_get(const char *table, const char *path, const char *etag, os_error *err)
{
    struct http_request request;
    struct buf body;
    const struct dynamo_target other = {.endpoint = &endpoint, .table = table, .schema = &record_schema};
    os_code code = record_build_get(&other, &(struct record_key){path, etag}, &request, &body, err);
    if (code != OS_OK) {
        assert_null(body.data);
        assert_int_equal(request.headers.count, 0);
    }
    http_request_free(&request); /* harmless after a failure */
    buf_free(&body);
    return code;
}

static os_code build_every_other(const struct dynamo_target *other, int which, os_error *err)
{
    struct http_request request;
    struct buf body;
    const struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    os_code code;
    switch (which) {
    case 0:
        code = record_build_put(other, &(struct record_key){"k", "*"},
                                &(struct record_write){&held, NULL, NULL, &condition}, &request, &body, err);
        break;
    case 1:
        code =
            dynamo_build_list(other, &(struct dynamo_page){.partition = "k", .start_key = NULL}, &request, &body, err);
        break;
    case 2:
        code =
            dynamo_build_list(other, &(struct dynamo_page){.partition = NULL, .start_key = NULL}, &request, &body, err);
        break;
    case 3: code = dynamo_build_describe_table(other, &request, &body, err); break;
    case 4: code = dynamo_build_create_table(other, &request, &body, err); break;
    case 5: code = dynamo_build_update_ttl(other, &request, &body, err); break;
    default: code = dynamo_build_describe_ttl(other, &request, &body, err); break;
    }
    http_request_free(&request);
    buf_free(&body);
    return code;
}

TEST(keys_at_dynamodbs_limits_are_taken_and_beyond_refused)
{
    char path[2050];
    char etag[1026];
    os_error err;
    memset(path, 1, sizeof(path)); /* a control character: six bytes of JSON for each */
    memset(etag, 1, sizeof(etag));
    path[2048] = '\0';
    etag[1024] = '\0';
    assert_int_equal(build_get("records", path, etag, &err), OS_OK);
    assert_int_equal(err.code, OS_OK);
    etag[1024] = 1;
    etag[1025] = '\0';
    assert_int_equal(build_get("records", path, etag, &err), OS_ERR_ARGUMENT);
    assert_says(err, "etag of a record must be 1 to 1024 bytes");
    path[2048] = 1;
    path[2049] = '\0';
    assert_int_equal(build_get("records", path, "*", &err), OS_ERR_ARGUMENT);
    assert_says(err, "path of a record must be 1 to 2048 bytes");
    assert_says(err, "2049 bytes");
}

TEST(empty_keys_and_keys_that_are_not_utf8_are_refused)
{
    os_error err;
    assert_int_equal(build_get("records", "", "*", &err), OS_ERR_ARGUMENT);
    assert_int_equal(build_get("records", "k", "", &err), OS_ERR_ARGUMENT);
    assert_int_equal(build_get("records", NULL, "*", &err), OS_ERR_ARGUMENT);
    assert_int_equal(build_get("records", "k", NULL, &err), OS_ERR_ARGUMENT);
    assert_int_equal(build_get("records", "\xff", "*", &err), OS_ERR_ARGUMENT);
    assert_says(err, "not UTF-8");
    assert_int_equal(build_get("records", "k", "\xc3", &err), OS_ERR_ARGUMENT);
}

TEST(a_bad_table_name_is_refused_by_every_builder)
{
    const struct dynamo_target other = {.endpoint = &endpoint, .table = "a b", .schema = &record_schema};
    os_error err;
    assert_int_equal(build_get("a b", "k", "*", &err), OS_ERR_ARGUMENT);
    assert_says(err, "\"a b\" is not the name of a DynamoDB table");
    for (int which = 0; which < 7; which++)
        assert_int_equal(build_every_other(&other, which, &err), OS_ERR_ARGUMENT);
}

TEST(a_start_key_that_is_none_is_refused)
{
    static const char *const keys[] = {"", "x", "[]", "{", "null", "{\"a\":1,\"a\":1}"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct http_request request;
        struct buf body;
        os_error err;
        assert_int_equal(dynamo_build_list(&target, &(struct dynamo_page){.partition = "k", .start_key = keys[i]},
                                           &request, &body, &err),
                         OS_ERR_ARGUMENT);
        assert_says(err, "List the records from the beginning");
    }
}

TEST(names_and_arns_of_tables_are_told_from_others)
{
    char name[257];
    memset(name, 'n', sizeof(name) - 1);
    name[256] = '\0';
    assert_false(dynamo_table_name_ok(name));
    name[255] = '\0';
    assert_true(dynamo_table_name_ok(name));
    static const char *const good[] = {"abc", "A-b_c.9", "...", "arn:aws:dynamodb:us-east-1:123456789012:table/abc",
                                       "arn:aws-cn:dynamodb:cn-north-1:1:table/a.b"};
    static const char *const bad[] = {"",
                                      "ab",
                                      "a/b",
                                      "a:b",
                                      "a b",
                                      "tab\xc3\xbc",
                                      "abc\n",
                                      "arn:aws:s3:us-east-1:123456789012:table/abc",
                                      "arn:aws:dynamodb:us-east-1:123456789012:table/ab",
                                      "arn:aws:dynamodb:us-east-1:123456789012:table/abc/index/i",
                                      "arn:aws:dynamodb::123456789012:table/abc",
                                      "arn:aws:dynamodb:us-east-1::table/abc",
                                      "arn:aws:dynamodb:us-east-1:1:abc"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(dynamo_table_name_ok(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(dynamo_table_name_ok(bad[i]));
    assert_false(dynamo_table_name_ok(NULL));
}

/* ----------------------------------------------------------------------------------------------------- memory */

static size_t allocations_left;

static void *counted_malloc(size_t size)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return malloc(size);
}

/* Once one allocation of the JSON fails, all later ones do: the request is either right or not there. */
TEST(every_failed_allocation_is_an_error_and_leaks_nothing)
{
    size_t failures = 0;
    os_code code = OS_ERR_NO_MEMORY;
    for (size_t allowed = 0; code != OS_OK; allowed++) {
        struct http_request request;
        struct buf body;
        os_error err;
        allocations_left = allowed;
        json_set_alloc_funcs(counted_malloc, free);
        code = record_build_replace(&target, &(struct record_key){"dir/k", "*"}, &held, "{" KEY "}", &request, &body,
                                    &err);
        json_set_alloc_funcs(malloc, free);
        if (code != OS_OK) {
            assert_int_equal(code, OS_ERR_NO_MEMORY);
            assert_int_equal(err.code, OS_ERR_NO_MEMORY);
            assert_null(body.data);
            failures++;
        }
        http_request_free(&request);
        buf_free(&body);
        assert_true(allowed < 10000);
    }
    assert_true(failures > 10);
}
