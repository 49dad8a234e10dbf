/* SPDX-License-Identifier: Apache-2.0 */
/* The fake DynamoDB's tables of rows: what takes ten minutes, what it refuses, and what it tells the simulator. That it
 * answers as the real one does is for integration_fake_rows_agree. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdlib.h>

static struct fake_dynamo *open_rows(bool forgets)
{
    struct fake_dynamo_options options = wire_dynamo_options();
    options.kind = FAKE_DYNAMO_ROWS;
    options.forgets_tokens = forgets;
    struct fake_dynamo *dynamo = fake_dynamo_new(&options);
    assert_non_null(dynamo);
    assert_true(fake_dynamo_make_table(dynamo, "rows", "_id", NULL));
    return dynamo;
}

#define TABLE  "\"TableName\":\"rows\""
#define KEY    TABLE ",\"Key\":{\"_id\":{\"S\":\"a\"}}"
#define ABSENT "\"ConditionExpression\":\"attribute_not_exists(#n0)\",\"ExpressionAttributeNames\":{\"#n0\":\"_id\"}"
#define CREATE                                                                                                     \
    "{\"ClientRequestToken\":\"t\",\"TransactItems\":[{\"Put\":{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"},\"v\":{" \
    "\"S\":\"1\"}}," ABSENT "}}]}"
#define ERASE "{" KEY "}"

static bool is_there(const struct fake_dynamo *dynamo)
{
    return fake_dynamo_row_text(dynamo, "rows", "a", "v") != NULL;
}

TEST(a_token_is_remembered_for_ten_minutes)
{
    struct fake_dynamo *dynamo = open_rows(false);
    wire_dynamo_is(dynamo, 0, "TransactWriteItems", CREATE, 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_APPLIED);
    wire_dynamo_is(dynamo, 1, "DeleteItem", ERASE, 200);
    wire_dynamo_is(dynamo, 599, "TransactWriteItems", CREATE, 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_NOTHING);
    assert_false(is_there(dynamo));
    wire_dynamo_is(dynamo, 600, "TransactWriteItems", CREATE, 200);
    assert_true(is_there(dynamo));
    fake_dynamo_free(dynamo);
}

TEST(a_transaction_that_has_failed_is_not_remembered)
{
    struct fake_dynamo *dynamo = open_rows(false);
    wire_dynamo_is(dynamo, 0, "PutItem", "{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"}}}", 200);
    wire_dynamo_is(dynamo, 1, "TransactWriteItems", CREATE, 400);
    wire_dynamo_is(dynamo, 2, "DeleteItem", ERASE, 200);
    wire_dynamo_is(dynamo, 3, "TransactWriteItems", CREATE, 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_APPLIED);
    fake_dynamo_free(dynamo);
}

TEST(one_that_forgets_does_it_again)
{
    struct fake_dynamo *dynamo = open_rows(true);
    wire_dynamo_is(dynamo, 0, "TransactWriteItems", CREATE, 200);
    wire_dynamo_is(dynamo, 1, "TransactWriteItems", CREATE, 400);
    wire_dynamo_is(dynamo, 2, "DeleteItem", ERASE, 200);
    wire_dynamo_is(dynamo, 3, "TransactWriteItems", CREATE, 200);
    assert_true(is_there(dynamo));
    fake_dynamo_free(dynamo);
}

TEST(a_fence_is_told_from_a_write)
{
#define SET(name)                                                                                   \
    "{" KEY ",\"UpdateExpression\":\"SET #n0 = :v0\",\"ExpressionAttributeNames\":{\"#n0\":\"" name \
    "\"},\"ExpressionAttributeValues\":{\":v0\":{\"S\":\"x\"}}}"
    struct fake_dynamo *dynamo = open_rows(false);
    wire_dynamo_is(dynamo, 0, "TransactWriteItems", CREATE, 200);
    wire_dynamo_is(dynamo, 1, "UpdateItem", SET("_txn"), 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_FENCED);
    wire_dynamo_is(dynamo, 2, "UpdateItem", SET("v"), 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_APPLIED);
    wire_dynamo_is(dynamo, 3, "GetItem", "{" KEY ",\"ConsistentRead\":true}", 200);
    assert_int_equal(fake_dynamo_effect_of(dynamo), FAKE_DYNAMO_NOTHING);
    fake_dynamo_free(dynamo);
}

TEST(what_no_transaction_asks_for_is_refused_and_noted)
{
    static const struct {
        const char *operation;
        const char *json;
    } bad[] = {
        {"PutItem", "{" TABLE ",\"Item\":{\"v\":{\"S\":\"1\"}}}"},
        {"PutItem", "{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"}},\"Expected\":{}}"},
        {"PutItem", "{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"}},\"ExpressionAttributeNames\":{\"#n0\":\"v\"}}"},
        {"PutItem", "{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"}},\"ConditionExpression\":\"#n0 = :v0\"}"},
        {"PutItem", "{" TABLE ",\"Item\":{\"_id\":{\"S\":\"a\"}},\"ConditionExpression\":\"size(#n0) > :v0\"}"},
        {"UpdateItem", "{" KEY ",\"UpdateExpression\":\"SET #n0 == :v0\"}"},
        {"GetItem", "{" TABLE ",\"Key\":{\"v\":{\"S\":\"a\"}}}"},
        {"TransactWriteItems", "{\"ClientRequestToken\":\"t\",\"TransactItems\":[]}"},
        {"TransactWriteItems", "{\"TransactItems\":[{\"Delete\":{" KEY "}}]}"},
        {"TransactWriteItems",
         "{\"ClientRequestToken\":\"t\",\"TransactItems\":[{\"Delete\":{" KEY "}},{\"Delete\":{" KEY "}}]}"},
        {"TransactGetItems", "{\"TransactItems\":[]}"},
        {"BatchGetItem", "{\"RequestItems\":{\"rows\":{\"Keys\":[{\"_id\":{\"S\":\"a\"}}]}}}"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct fake_dynamo *dynamo = open_rows(false);
        wire_dynamo_is(dynamo, 0, bad[i].operation, bad[i].json, 400);
        assert_non_null(fake_dynamo_violation(dynamo));
        fake_dynamo_free(dynamo);
    }
}

TEST(another_puts_a_row_as_he_has_read_it)
{
    static const char *const unknown[] = {"v", NULL};
    struct fake_dynamo *dynamo = open_rows(false);
    assert_null(fake_dynamo_read_whole(dynamo, "rows", "a"));
    wire_dynamo_is(dynamo, 0, "TransactWriteItems", CREATE, 200);
    char *text = fake_dynamo_read_whole(dynamo, "rows", "a");
    wire_dynamo_is(dynamo, 1, "DeleteItem", ERASE, 200);
    assert_true(fake_dynamo_write_whole(dynamo, "rows", text, unknown));
    assert_string_equal(fake_dynamo_row_text(dynamo, "rows", "a", "_id"), "a");
    assert_null(fake_dynamo_row_text(dynamo, "rows", "a", "v"));
    free(text);
    fake_dynamo_free(dynamo);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv);
}
