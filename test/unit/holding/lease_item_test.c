/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a lease as those of a table, in the words of DynamoDB: with and without fencing. */
#include "holding/lease_item.h"

#include "base/text.h"
#include "dynamo/request.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};
static const struct dynamo_target target = {.endpoint = &endpoint, .table = "leases", .schema = &lease_schema};
static const struct lease_holder plain = {"job", "job#fencing-epoch", "me", false};
static const struct lease_holder fenced = {"job", "job#fencing-epoch", "me", true};

static os_code build(const struct table_request *wanted, struct http_request *ret, struct buf *ret_body)
{
    struct dynamo_write write = {wanted->item, wanted->condition, wanted->changes, wanted->change_count};
    switch (wanted->verb) {
    case TABLE_PUT: return dynamo_build_put(&target, &write, ret, ret_body, NULL);
    case TABLE_UPDATE: return dynamo_build_update(&target, &write, ret, ret_body, NULL);
    case TABLE_DELETE: return dynamo_build_delete(&target, &write, ret, ret_body, NULL);
    default: return dynamo_build_get(&target, wanted->item, ret, ret_body, NULL);
    }
}

static void assert_body(const struct lease_holder *holder, const struct lease_request *request, const char *golden)
{
    struct lease_wire wire;
    struct http_request http;
    struct buf body;
    lease_wire_fill(request, holder, &wire);
    assert_true(wire.table.once); /* L9 */
    assert_int_equal(build(&wire.table, &http, &body), OS_OK);
    assert_string_equal(buf_str(&body), golden);
    http_request_free(&http);
    buf_free(&body);
}

#define HEAD       "{\"TableName\":\"leases\","
#define KEY        "\"Key\":{\"key\":{\"S\":\"job\"}}"
#define ALL_OLD    ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\""
#define ON_VERSION ",\"ConditionExpression\":\"#lease_version = :lease_version\",\"ExpressionAttributeNames\":{"

TEST(L2_a_take_is_one_conditional_put)
{
    struct lease_request take = {
        .kind = LEASE_TAKE, .version = "n-1", .now_s = 100, .expiry_s = 161, .ttl_ms = 60000, .on_version = "m-7"};
    assert_body(&plain, &take,
                HEAD "\"Item\":{\"key\":{\"S\":\"job\"},\"lease_expiry\":{\"N\":\"161\"},\"lease_version\":{\"S\":"
                     "\"n-1\"},\"lease_ttl_ms\":{\"N\":\"60000\"},\"lease_owner\":{\"S\":\"me\"}},"
                     "\"ConditionExpression\":\"attribute_not_exists(#lease_version) OR "
                     "attribute_not_exists(#lease_ttl_ms) AND #lease_expiry < :lease_expiry OR "
                     "#lease_version = :lease_version\",\"ExpressionAttributeNames\":{\"#lease_expiry\":"
                     "\"lease_expiry\",\"#lease_version\":\"lease_version\",\"#lease_ttl_ms\":\"lease_ttl_ms\"},"
                     "\"ExpressionAttributeValues\":{\":lease_expiry\":{\"N\":\"100\"},\":lease_version\":{\"S\":"
                     "\"m-7\"}}" ALL_OLD "}");
}

TEST(L2_what_may_not_be_taken_is_not_in_the_condition)
{
    struct lease_request take = {.kind = LEASE_TAKE, .version = "n-1", .expiry_s = 161, .ttl_ms = 60000};
    assert_body(&plain, &take,
                HEAD "\"Item\":{\"key\":{\"S\":\"job\"},\"lease_expiry\":{\"N\":\"161\"},\"lease_version\":{\"S\":"
                     "\"n-1\"},\"lease_ttl_ms\":{\"N\":\"60000\"},\"lease_owner\":{\"S\":\"me\"}},"
                     "\"ConditionExpression\":\"attribute_not_exists(#lease_version)\",\"ExpressionAttributeNames\":{"
                     "\"#lease_version\":\"lease_version\"}" ALL_OLD "}");
}

TEST(L8_with_fencing_it_adds_to_the_token)
{
    struct lease_request take = {.kind = LEASE_TAKE, .version = "n-1", .expiry_s = 161, .ttl_ms = 60000};
    assert_body(&fenced, &take,
                HEAD KEY ",\"UpdateExpression\":\"SET #lease_expiry = :new_lease_expiry, #lease_version = "
                         ":new_lease_version, #lease_ttl_ms = :new_lease_ttl_ms, #lease_owner = :new_lease_owner ADD "
                         "#lease_token :new_lease_token\",\"ConditionExpression\":"
                         "\"attribute_not_exists(#lease_version)\",\"ExpressionAttributeNames\":{\"#lease_expiry\":"
                         "\"lease_expiry\",\"#lease_version\":\"lease_version\",\"#lease_ttl_ms\":\"lease_ttl_ms\","
                         "\"#lease_owner\":\"lease_owner\",\"#lease_token\":\"lease_token\"},"
                         "\"ExpressionAttributeValues\":{\":new_lease_expiry\":{\"N\":\"161\"},\":new_lease_version\":"
                         "{\"S\":\"n-1\"},\":new_lease_ttl_ms\":{\"N\":\"60000\"},\":new_lease_owner\":{\"S\":\"me\"},"
                         "\":new_lease_token\":{\"N\":\"1\"}}" ALL_OLD ",\"ReturnValues\":\"ALL_NEW\"}");
    struct lease_request epoch = {.kind = LEASE_EPOCH};
    assert_body(&fenced, &epoch,
                HEAD
                "\"Key\":{\"key\":{\"S\":\"job#fencing-epoch\"}},\"UpdateExpression\":\"ADD #lease_token "
                ":new_lease_token\",\"ExpressionAttributeNames\":{\"#lease_token\":\"lease_token\"},"
                "\"ExpressionAttributeValues\":{\":new_lease_token\":{\"N\":\"1\"}},\"ReturnValues\":\"ALL_NEW\"}");
    struct lease_request token = {.kind = LEASE_TOKEN, .on_version = "n-1", .token = UINT64_C(5) << 32 | 1};
    assert_body(&fenced, &token,
                HEAD KEY ",\"UpdateExpression\":\"SET #lease_token = :new_lease_token\",\"ConditionExpression\":"
                         "\"#lease_version = :lease_version AND #lease_token < :lease_token\","
                         "\"ExpressionAttributeNames\":{"
                         "\"#lease_version\":\"lease_version\",\"#lease_token\":\"lease_token\"},"
                         "\"ExpressionAttributeValues\":{\":lease_version\":{\"S\":\"n-1\"},\":lease_token\":{\"N\":"
                         "\"21474836482\"},\":new_lease_token\":{\"N\":\"21474836481\"}}" ALL_OLD
                         ",\"ReturnValues\":\"ALL_NEW\"}");
}

TEST(L5_L7_extending_and_dropping_rest_on_the_version)
{
    struct lease_request extend = {
        .kind = LEASE_EXTEND, .version = "n-2", .on_version = "n-1", .expiry_s = 161, .ttl_ms = 60000};
    assert_body(&plain, &extend,
                HEAD KEY ",\"UpdateExpression\":\"SET #lease_expiry = :new_lease_expiry, #lease_version = "
                         ":new_lease_version, #lease_ttl_ms = :new_lease_ttl_ms\"" ON_VERSION
                         "\"#lease_expiry\":\"lease_expiry\",\"#lease_version\":\"lease_version\",\"#lease_ttl_ms\":"
                         "\"lease_ttl_ms\"},\"ExpressionAttributeValues\":{\":lease_version\":{\"S\":\"n-1\"},"
                         "\":new_lease_expiry\":{\"N\":\"161\"},\":new_lease_version\":{\"S\":\"n-2\"},"
                         "\":new_lease_ttl_ms\":{\"N\":\"60000\"}}" ALL_OLD ",\"ReturnValues\":\"ALL_NEW\"}");
    struct lease_request drop = {.kind = LEASE_DROP, .on_version = "n-2"};
    assert_body(&plain, &drop,
                HEAD KEY ON_VERSION "\"#lease_version\":\"lease_version\"},\"ExpressionAttributeValues\":{"
                                    "\":lease_version\":{\"S\":\"n-2\"}}" ALL_OLD "}");
    assert_body(&fenced, &drop,
                HEAD KEY
                ",\"UpdateExpression\":\"REMOVE #lease_expiry, #lease_version, #lease_ttl_ms, #lease_owner\"" ON_VERSION
                "\"#lease_expiry\":\"lease_expiry\",\"#lease_version\":\"lease_version\","
                "\"#lease_ttl_ms\":\"lease_ttl_ms\",\"#lease_owner\":\"lease_owner\"},"
                "\"ExpressionAttributeValues\":{\":lease_version\":{\"S\":\"n-2\"}}" ALL_OLD
                ",\"ReturnValues\":\"ALL_NEW\"}");
}

TEST(an_item_is_a_lease_free_or_foreign)
{
    struct lease_item lease;
    struct item item = {.values = {[LEASE_AT_KEY] = item_text("job")}};
    lease_item_of(NULL, &lease);
    assert_false(lease.found);
    lease_item_of(&item, &lease);
    assert_true(lease.found);
    assert_false(lease.held);
    item.values[LEASE_AT_VERSION] = item_text("uuid");
    item.values[LEASE_AT_EXPIRY] = item_number(161);
    lease_item_of(&item, &lease);
    assert_true(lease.held);
    assert_int_equal(lease.ttl_ms, 0);
    assert_int_equal(lease.expiry_s, 161);
    assert_string_equal(lease.version, "uuid");
}

TEST(an_item_that_does_not_fit_is_in_the_way)
{
    static const struct {
        enum table_outcome table;
        enum lease_outcome lease;
    } outcomes[] = {{TABLE_OK, LEASE_OK},
                    {TABLE_CONFLICT, LEASE_CONFLICT},
                    {TABLE_CONFLICT_BLIND, LEASE_CONFLICT_BLIND},
                    {TABLE_THROTTLED, LEASE_THROTTLED},
                    {TABLE_AMBIGUOUS, LEASE_AMBIGUOUS},
                    {TABLE_REFUSED, LEASE_REFUSED},
                    {TABLE_UNREADABLE, LEASE_REFUSED}};
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
        assert_int_equal(lease_outcome_of(outcomes[i].table), outcomes[i].lease);
}
