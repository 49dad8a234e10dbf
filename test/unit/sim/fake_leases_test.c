/* SPDX-License-Identifier: Apache-2.0 */
/* The fake DynamoDB's table of leases: what it refuses, and what TTL removes. That it answers as the real one does is
 * for integration_fake_dynamo_agrees. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdio.h>

static struct fake_dynamo *open_leases(void)
{
    struct fake_dynamo_options options = wire_dynamo_options();
    options.table = "leases";
    options.kind = FAKE_DYNAMO_LEASES;
    struct fake_dynamo *dynamo = fake_dynamo_new(&options);
    assert_non_null(dynamo);
    return dynamo;
}

#define KEY(name)  "\"TableName\":\"leases\",\"Key\":{\"key\":{\"S\":\"" name "\"}}"
#define ALL_NEW    ",\"ReturnValues\":\"ALL_NEW\""
#define ADD_TOKEN  ",\"UpdateExpression\":\"ADD #t :new_t\",\"ExpressionAttributeNames\":{\"#t\":\"lease_token\"}"
#define ONE        ",\"ExpressionAttributeValues\":{\":new_t\":{\"N\":\"1\"}}"
#define PUT(attrs) "{\"TableName\":\"leases\",\"Item\":{\"key\":{\"S\":\"job\"}" attrs "},"
#define IF_FREE \
    "\"ConditionExpression\":\"attribute_not_exists(#v)\",\"ExpressionAttributeNames\":{\"#v\":\"lease_version\"}}"
#define VERSION ",\"lease_version\":{\"S\":\"v\"}"

TEST(what_no_lease_asks_for_is_refused_and_noted)
{
    static const struct {
        const char *operation;
        const char *json;
    } bad[] = {
        {"UpdateItem", "{" KEY("job#fencing-epoch") ADD_TOKEN ONE "}"},     /* the new item is not asked for */
        {"UpdateItem", "{" KEY("job") ADD_TOKEN ONE ALL_NEW "}"},           /* no condition */
        {"UpdateItem", "{" KEY("job#fencing-epoch") ADD_TOKEN ALL_NEW "}"}, /* no value */
        {"UpdateItem", "{" KEY("job#fencing-epoch") ADD_TOKEN
         ",\"ExpressionAttributeValues\":{\":new_t\":{\"S\":\"1\"}}" ALL_NEW "}"},
        {"DeleteItem", "{" KEY("job") "}"},
        {"PutItem", PUT(VERSION) IF_FREE}, /* no TTL could ever remove it */
        {"PutItem", PUT(",\"lease_token\":{\"S\":\"1\"}") IF_FREE},
        {"PutItem", PUT(",\"lease_owner\":{\"N\":\"1\"}") IF_FREE},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fake_dynamo *dynamo = open_leases();
        wire_dynamo_is(dynamo, 0, bad[i].operation, bad[i].json, 400);
        assert_non_null(fake_dynamo_violation(dynamo));
        fake_dynamo_free(dynamo);
    }
    struct fake_dynamo *dynamo = open_leases();
    wire_dynamo_is(dynamo, 0, "UpdateItem", "{" KEY("job#fencing-epoch") ADD_TOKEN ONE ALL_NEW "}", 200);
    wire_dynamo_is(dynamo, 0, "UpdateItem", "{" KEY("job#fencing-epoch") ADD_TOKEN ONE ALL_NEW "}", 200);
    assert_null(fake_dynamo_violation(dynamo));
    assert_true(fake_dynamo_lease_of(dynamo, "job#fencing-epoch").token == 2);
    fake_dynamo_free(dynamo);
}

TEST(ttl_removes_a_lease_that_has_expired_and_no_free_one)
{
    struct fake_dynamo *dynamo = open_leases();
    char put[512];
    wire_dynamo_is(dynamo, 0, "PutItem", PUT(",\"lease_token\":{\"N\":\"7\"}") IF_FREE, 200);
    assert_true(fake_dynamo_lease_of(dynamo, "job").token == 7);
    assert_string_equal(fake_dynamo_lease_of(dynamo, "job").version, "");
    assert_int_equal(fake_dynamo_expired_count(dynamo, UINT64_MAX - 1), 0);
    snprintf(put, sizeof(put), PUT(VERSION ",\"lease_owner\":{\"S\":\"me\"},\"lease_expiry\":{\"N\":\"%d\"}") IF_FREE,
             WIRE_S);
    wire_dynamo_is(dynamo, 0, "PutItem", put, 200);
    assert_string_equal(fake_dynamo_lease_of(dynamo, "job").owner, "me");
    assert_int_equal(fake_dynamo_expired_count(dynamo, WIRE_MS + 999), 0);
    assert_int_equal(fake_dynamo_expired_count(dynamo, WIRE_MS + 1000), 1);
    fake_dynamo_expire(dynamo, WIRE_MS + 1000, 0);
    assert_string_equal(fake_dynamo_lease_of(dynamo, "job").owner, "");
    assert_null(fake_dynamo_violation(dynamo));
    fake_dynamo_free(dynamo);
}
