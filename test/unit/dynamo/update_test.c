/* SPDX-License-Identifier: Apache-2.0 */
/* UpdateItem and alternatives in conditions, on a table whose key has one part. */
#include "answers.h"

#include "dynamo/table.h"

enum { NAME, COUNT, UNTIL };

static const struct item_attribute attributes[] = {
    [NAME] = {"name", ITEM_STRING, ITEM_REQUIRED, 64},
    [COUNT] = {"count", ITEM_NUMBER, ITEM_OPTIONAL, 0},
    [UNTIL] = {"until", ITEM_NUMBER, ITEM_OPTIONAL, 0},
};
static const struct item_schema counters = {
    .words.what = "counter",
    .words.plural = "counters",
    .words.subject = "counter",
    .words.mend = "Look who wrote it.",
    .words.flag = " --counters",
    .words.sweep = "oscommit counter sweep",
    .attributes = attributes,
    .count = 3,
    .keys = 1,
    .ttl = UNTIL,
};
static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};
static const struct dynamo_target target = {.endpoint = &endpoint, .table = "counters", .schema = &counters};
static const struct item key = {.values = {[NAME] = {ITEM_STRING, "ann", 0}}};
static const struct dynamo_about about = {.where = "table counters in us-east-1",
                                          .schema = &counters,
                                          .key = &key,
                                          .table = "counters",
                                          .reach = " --dynamodb-region us-east-1"};

static void assert_body(os_code code, struct http_request *request, struct buf *body, const char *golden)
{
    assert_int_equal(code, OS_OK);
    assert_string_equal(buf_str(body), golden);
    http_request_free(request);
    buf_free(body);
}

TEST(a_server_without_ttl_is_accepted_with_the_command_for_these_items)
{
    static const struct dynamo_table fit = {.status = "ACTIVE", .keys_ok = true};
    os_error err;
    assert_int_equal(dynamo_judge_table(&about, &fit, NULL, NULL, &err), OS_OK);
    assert_says(err,
                "old counters stay until somebody removes them (`oscommit counter sweep --ledger dynamodb://counters "
                "--dynamodb-region us-east-1`)");
}

TEST(an_update_sets_adds_and_removes_on_a_condition)
{
    struct http_request request;
    struct buf body;
    struct item_condition condition = {.count = 0};
    item_require_absent(&condition, COUNT);
    item_or(&condition);
    item_require_there(&condition, UNTIL);
    item_require_below(&condition, UNTIL, 99);
    const struct item_change changes[] = {
        {UNTIL, ITEM_SET, {ITEM_NUMBER, NULL, 100}},
        {COUNT, ITEM_ADD, {ITEM_NUMBER, NULL, 1}},
    };
    struct dynamo_write write = {&key, &condition, changes, 2};
    assert_body(dynamo_build_update(&target, &write, &request, &body, NULL), &request, &body,
                "{\"TableName\":\"counters\",\"Key\":{\"name\":{\"S\":\"ann\"}},"
                "\"UpdateExpression\":\"SET #until = :new_until ADD #count :new_count\","
                "\"ConditionExpression\":\"attribute_not_exists(#count) OR attribute_exists(#until) AND "
                "#until < :until\",\"ExpressionAttributeNames\":{\"#count\":\"count\",\"#until\":\"until\"},"
                "\"ExpressionAttributeValues\":{\":until\":{\"N\":\"99\"},\":new_until\":{\"N\":\"100\"},"
                "\":new_count\":{\"N\":\"1\"}},\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\","
                "\"ReturnValues\":\"ALL_NEW\"}");
}

TEST(an_update_needs_no_condition_and_a_clause_may_have_several)
{
    struct http_request request;
    struct buf body;
    const struct item_change changes[] = {{COUNT, ITEM_REMOVE, {.type = ITEM_NONE}},
                                          {UNTIL, ITEM_REMOVE, {.type = ITEM_NONE}}};
    struct dynamo_write write = {.item = &key, .changes = changes, .change_count = 2};
    assert_body(dynamo_build_update(&target, &write, &request, &body, NULL), &request, &body,
                "{\"TableName\":\"counters\",\"Key\":{\"name\":{\"S\":\"ann\"}},"
                "\"UpdateExpression\":\"REMOVE #count, #until\","
                "\"ExpressionAttributeNames\":{\"#count\":\"count\",\"#until\":\"until\"},"
                "\"ReturnValues\":\"ALL_NEW\"}");
}

TEST(a_key_that_is_none_is_refused_by_every_write)
{
    struct http_request request;
    struct buf body;
    const struct item none = {.values = {{.type = ITEM_NONE}}};
    struct dynamo_write write = {.item = &none};
    os_error err;
    assert_int_equal(dynamo_build_update(&target, &write, &request, &body, &err), OS_ERR_ARGUMENT);
    assert_says(err, "The name of a counter must be 1 to 64 bytes");
    assert_int_equal(dynamo_build_put(&target, &write, &request, &body, NULL), OS_ERR_ARGUMENT);
    assert_int_equal(dynamo_build_delete(&target, &write, &request, &body, NULL), OS_ERR_ARGUMENT);
    assert_int_equal(dynamo_build_replace(&target, &none, NULL, &request, &body, NULL), OS_ERR_ARGUMENT);
}

TEST(a_table_of_one_key_is_made_and_judged)
{
    struct http_request request;
    struct buf body;
    os_error err;
    assert_body(dynamo_build_create_table(&target, &request, &body, NULL), &request, &body,
                "{\"TableName\":\"counters\",\"AttributeDefinitions\":[{\"AttributeName\":\"name\","
                "\"AttributeType\":\"S\"}],\"KeySchema\":[{\"AttributeName\":\"name\",\"KeyType\":\"HASH\"}],"
                "\"BillingMode\":\"PAY_PER_REQUEST\"}");
    struct dynamo_table found = {.status = "ACTIVE", .keys_found = "path (S, HASH)"};
    assert_int_equal(dynamo_judge_table(&about, &found, "ENABLED", "until", &err), OS_ERR_TABLE);
    assert_says(err, "and must be name (S, HASH).");
    found.keys_ok = true;
    assert_int_equal(dynamo_judge_table(&about, &found, "ENABLED", "until", &err), OS_OK);
    assert_int_equal(dynamo_judge_table(&about, &found, "ENABLED", "ttl", &err), OS_ERR_TABLE);
    assert_says(err, "old counters are never removed");
}

static enum table_outcome update_outcome(int status, const char *body, struct dynamo_reading *ret, os_error *err)
{
    struct http_response response;
    answer(&response, status, body);
    enum table_outcome outcome = dynamo_read_write(&response, &about, DYNAMO_UPDATE, ret, err);
    http_response_free(&response);
    return outcome;
}

TEST(an_update_gives_the_item_as_it_is_now)
{
    struct dynamo_reading reading;
    os_error err;
    assert_int_equal(
        update_outcome(200, "{\"Attributes\":{\"name\":{\"S\":\"ann\"},\"count\":{\"N\":\"8\"}}}", &reading, &err),
        TABLE_OK);
    assert_true(reading.found);
    assert_int_equal(reading.item.values[COUNT].number, 8);
    assert_string_equal(item_text_of(&reading.item, NAME), "ann");
    dynamo_reading_free(&reading);
}

TEST(an_update_whose_answer_shows_no_item_may_have_been_done)
{
    static const char *const bodies[] = {"{}", "{\"Attributes\":{}}", "{\"Attributes\":{\"name\":{\"N\":\"1\"}}}"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct dynamo_reading reading;
        os_error err;
        assert_int_equal(update_outcome(200, bodies[i], &reading, &err), TABLE_AMBIGUOUS);
        assert_says(err, "UpdateItem of the counter \"ann\" in table counters");
        assert_false(reading.found);
        dynamo_reading_free(&reading);
    }
}

TEST(a_conflict_of_an_update_gives_the_item_in_the_way)
{
    struct dynamo_reading reading;
    os_error err;
    assert_int_equal(update_outcome(400, CONFLICT_HEAD ",\"Item\":{\"name\":{\"S\":\"ann\"}}}", &reading, &err),
                     TABLE_CONFLICT);
    assert_true(reading.found);
    assert_int_equal(reading.item.values[COUNT].type, ITEM_NONE);
    dynamo_reading_free(&reading);
    assert_int_equal(update_outcome(400, CONFLICT_HEAD ",\"Item\":{\"count\":{\"N\":\"1\"}}}", &reading, &err),
                     TABLE_UNREADABLE);
    assert_says(err, "is not a counter. The attribute \"name\" is missing. Look who wrote it.");
    dynamo_reading_free(&reading);
}

/* Each kind of item has a table of its own, which the commands are told by a flag. */
TEST(the_commands_that_help_are_those_of_these_items)
{
    static const struct {
        const char *code;
        const char *command;
    } rows[] = {
        {"ResourceNotFoundException",
         "with `oscommit table create --counters --ledger dynamodb://counters --dynamodb-region us-east-1` and wait"},
        {"ValidationException",
         "with `oscommit table check --counters --ledger dynamodb://counters --dynamodb-region us-east-1`;"},
        {"AccessDeniedException", "its KMS key."},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dynamo_reading reading;
        char body[128];
        os_error err;
        snprintf(body, sizeof(body), "{\"__type\":\"" SPACE "%s\"}", rows[i].code);
        assert_int_equal(update_outcome(400, body, &reading, &err), TABLE_REFUSED);
        assert_says(err, rows[i].command);
        dynamo_reading_free(&reading);
    }
    struct dynamo_table table = {.status = "ACTIVE", .keys_found = "path (S, HASH), etag (S, RANGE)"};
    os_error err;
    assert_int_equal(dynamo_judge_table(&about, &table, "ENABLED", "until", &err), OS_ERR_TABLE);
    assert_says(err, "must be name (S, HASH). Keys");
    assert_says(err, "or make one with `oscommit table create --counters --ledger dynamodb://counters-counters "
                     "--dynamodb-region us-east-1`.");
    table.keys_ok = true;
    assert_int_equal(dynamo_judge_table(&about, &table, "DISABLED", "", &err), OS_ERR_TABLE);
    assert_says(err, "on the attribute \"until\", as `oscommit table create --counters --ledger dynamodb://counters "
                     "--dynamodb-region us-east-1` does");
    assert_int_equal(dynamo_judge_table(&about, &table, "ENABLED", "until", &err), OS_OK);
}

/* As DynamoDB, DynamoDB Local and dynalite say it. */
static const struct keys_row {
    const char *name;
    const char *message;
} keys_rows[] = {
    {"DynamoDB", "The provided key element does not match the schema"},
    {"DynamoDB Local", "The number of conditions on the keys is invalid"},
    {"a value that is missing", "One of the required keys was not given a value"},
    {"an item without the key", "One or more parameter values were invalid: Missing the key path in the item"},
    {"a query", "Query condition missed key schema element: path"},
};

TEST_ROWS(keys_rows, a_table_of_other_items_is_told_from_a_defect)
{
    struct dynamo_reading reading;
    char body[256];
    os_error err;
    snprintf(body, sizeof(body), "{\"__type\":\"" SPACE "ValidationException\",\"message\":\"%s\"}", row->message);
    assert_int_equal(update_outcome(400, body, &reading, &err), TABLE_REFUSED);
    assert_int_equal(err.code, OS_ERR_TABLE);
    assert_says(err, row->message);
    assert_says(err, "This table has other keys than one of counters: another kind of items is in it, perhaps records. "
                     "Name a table of counters, or make one with `oscommit table create --counters --ledger "
                     "dynamodb://counters-counters --dynamodb-region us-east-1`.");
    dynamo_reading_free(&reading);
}

/* Lance makes the table of its rows itself. */
TEST(items_that_the_tool_has_no_table_for_name_no_command)
{
    struct item_schema rows_of_others = counters;
    rows_of_others.words.flag = NULL;
    struct dynamo_about others = about;
    others.schema = &rows_of_others;
    const struct dynamo_table table = {.status = "ACTIVE", .keys_found = "id (N, HASH)"};
    os_error err;
    assert_int_equal(dynamo_judge_table(&others, &table, "ENABLED", "until", &err), OS_ERR_TABLE);
    assert_says(err, "or make one with the program that writes such tables.");
    assert_null(strstr(err.message, "oscommit table"));
}
