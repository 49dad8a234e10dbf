/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own idea of numbers, values, conditions and changes against DynamoDB Local: the cases of the unit tests,
 * as requests. Where DynamoDB Local takes what the service's documentation rules out, the case says so.
 */
#include "support/test.h"
#include "unit/sim/real.h"

#include "attribute/check.h"
#include "support/raw_service.h"
#include "unit/attribute/case_reading.h"
/* clang-format off */
#include "unit/attribute/condition_cases.h"
#include "unit/attribute/change_cases.h"
/* clang-format on */
#include "unit/attribute/number_cases.h"
#include "unit/attribute/plain_request.h"
#include "unit/attribute/value_cases.h"

#include <stdio.h>
#include <string.h>

static const char *endpoint;
static const char *table;

/* ------------------------------------------------------------------------------------------------------ requests */

static json_t *key(void)
{
    return json_pack("{s:{s:s}}", "key", "S", "k");
}

/* The status; *ret_code: the code of an error, "" without. Takes `request`, and gives it the table. */
static int ask(const char *action, json_t *request, json_t **ret_answer, char ret_code[64])
{
    json_t *answer = NULL;
    assert_int_equal(json_object_set_new(request, "TableName", json_string(table)), 0);
    int status = raw_dynamo(endpoint, action, request, &answer);
    const char *type = json_string_value(json_object_get(answer, "__type"));
    const char *code = type != NULL ? strchr(type, '#') : NULL;
    snprintf(ret_code, 64, "%s", code != NULL ? code + 1 : "");
    if (ret_answer != NULL)
        *ret_answer = json_incref(answer);
    json_decref(answer);
    return status;
}

/* Refused for what it is: nothing else may be taken for that. */
static bool is_done(const char *action, json_t *request)
{
    char code[64];
    int status = ask(action, request, NULL, code);
    if (status != 200) {
        assert_int_equal(status, 400);
        assert_string_equal(code, "ValidationException");
    }
    return status == 200;
}

/* Takes `item`, which may be NULL: there is none then. */
static bool put(json_t *item)
{
    if (item == NULL)
        return is_done("DeleteItem", json_pack("{s:o}", "Key", key()));
    json_t *keyed = json_copy(item);
    json_t *key_only = key();
    assert_int_equal(json_object_update(keyed, key_only), 0);
    json_decref(key_only);
    json_decref(item);
    return is_done("PutItem", json_pack("{s:o}", "Item", keyed));
}

/* Without its key. */
static json_t *get(void)
{
    char code[64];
    json_t *answer;
    assert_int_equal(ask("GetItem", json_pack("{s:o,s:b}", "Key", key(), "ConsistentRead", 1), &answer, code), 200);
    json_t *item = json_incref(json_object_get(answer, "Item"));
    json_decref(answer);
    (void)json_object_del(item, "key");
    return item;
}

/* {"a": value}; takes it. */
static json_t *attribute_a(json_t *value)
{
    return json_pack("{s:o}", "a", value);
}

static json_t *number_value(const char *text)
{
    return json_pack("{s:s}", "N", text);
}

static void begin(struct plain_request *plain)
{
    plain_begin(plain, json_pack("{s:o}", "Key", key()));
}

/* ------------------------------------------------------------------------------------------------------- numbers */

TEST_ROWS(number_cases, dynamodb_local_gives_the_same_number_back)
{
    if (row->local_takes_it)
        return;
    assert_int_equal(put(attribute_a(number_value(row->name))), row->text != NULL);
    if (row->text == NULL)
        return;
    json_t *item = get();
    assert_string_equal(raw_attribute(item, "a", 'N'), row->text);
    json_decref(item);
}

TEST_ROWS(sum_cases, dynamodb_local_adds_as_exactly)
{
    struct plain_request plain;
    struct case_path a;
    json_t *more = number_value(row->more);
    const struct change change = {*case_path("a", &a), CHANGE_ADD, more};
    assert_true(put(attribute_a(number_value(row->name))));
    begin(&plain);
    plain_changes(&plain, &change, 1);
    assert_int_equal(is_done("UpdateItem", plain_end(&plain)), row->sum != NULL);
    json_t *item = get();
    assert_string_equal(raw_attribute(item, "a", 'N'), row->sum != NULL ? row->sum : raw_attribute(item, "a", 'N'));
    json_decref(item);
    json_decref(more);
}

/* -------------------------------------------------------------------------------------------------------- values */

TEST_ROWS(value_cases, dynamodb_local_takes_the_same_values)
{
    if (row->local_is_lax)
        return;
    assert_int_equal(put(attribute_a(case_json(row->name))), row->fault == NULL);
}

/* Beside the value, so much text that the item is as large as one may be; with a byte more it is not taken. */
TEST_ROWS(value_cases, dynamodb_local_counts_the_same_bytes)
{
    static char text[ITEM_SIZE_MAX];
    if (row->fault != NULL)
        return;
    memset(text, 't', sizeof(text));
    json_t *value = case_json(row->name);
    json_t *item = json_pack("{s:{s:s},s:O,s:{s:s}}", "key", "S", "k", "a", value, "f", "S", "");
    size_t rest = ITEM_SIZE_MAX - item_size(item);
    json_decref(item);
    for (size_t more = 0; more < 2; more++)
        assert_int_equal(put(json_pack("{s:O,s:{s:s%}}", "a", value, "f", "S", text, rest + more)), more == 0);
    json_decref(value);
}

TEST(dynamodb_local_has_as_many_levels)
{
    for (size_t levels = VALUE_LEVELS_MAX; levels <= VALUE_LEVELS_MAX + 1; levels++)
        for (int maps = 0; maps < 2; maps++)
            assert_int_equal(put(attribute_a(case_nested(levels, maps == 1))), levels == VALUE_LEVELS_MAX);
}

/* ---------------------------------------------------------------------------------------------------- conditions */

TEST_ROWS(condition_cases, dynamodb_local_says_the_same_of_a_condition)
{
    struct case_condition read;
    struct plain_request plain;
    char code[64];
    case_condition_read(row, &read);
    assert_true(put(case_json(row->item)));
    begin(&plain);
    plain_condition(&plain, "ConditionExpression", &read.condition);
    int status = ask("DeleteItem", plain_end(&plain), NULL, code);
    static const char *const codes[] = {
        [FAILS] = "ConditionalCheckFailedException", [HOLDS] = "", [REFUSED] = "ValidationException"};
    assert_string_equal(code, codes[row->answer]);
    assert_int_equal(status, row->answer == HOLDS ? 200 : 400);
    case_condition_free(&read);
}

static bool takes_term(const struct condition_term *term)
{
    char code[64];
    struct plain_request plain;
    begin(&plain);
    plain_condition(&plain, "ConditionExpression", &(struct condition){term, 1});
    (void)ask("DeleteItem", plain_end(&plain), NULL, code);
    return strcmp(code, "ValidationException") != 0;
}

TEST(dynamodb_local_takes_as_deep_values_and_as_large_indexes)
{
    struct case_path at;
    for (size_t levels = 30; levels <= 34; levels++) {
        json_t *value = case_nested(levels, false);
        const struct condition_term term = {*case_path("a.b.c", &at), CONDITION_DIFFERS, value, NULL, false};
        assert_int_equal(takes_term(&term), condition_check(&(struct condition){&term, 1}, NULL) == OS_OK);
        json_decref(value);
    }
    for (size_t index = PATH_INDEX_MAX; index <= (size_t)PATH_INDEX_MAX + 1; index++) {
        const struct path_step steps[] = {{.name = "a"}, {.index = index}};
        const struct condition_term term = {{steps, 2}, CONDITION_EXISTS, NULL, NULL, false};
        assert_int_equal(takes_term(&term), path_check(&term.path, NULL) == OS_OK);
    }
}

/* ------------------------------------------------------------------------------------------------------- changes */

TEST_ROWS(change_cases, dynamodb_local_makes_the_same_of_an_item)
{
    struct case_changes read;
    struct plain_request plain;
    case_changes_read(row, &read);
    assert_true(put(case_json(row->item)));
    begin(&plain);
    plain_changes(&plain, read.changes, read.count);
    assert_int_equal(is_done("UpdateItem", plain_end(&plain)), row->after != NULL);
    const char *text = row->after != NULL ? row->after : row->item;
    json_t *wanted = case_json(text);
    json_t *found = get();
    if (wanted == NULL)
        assert_null(found);
    else if (!case_items_equal(found, wanted))
        fail_msg("%s, not %s", json_dumps(found, 0), text);
    json_decref(wanted);
    json_decref(found);
    case_changes_free(&read);
}

int main(int argc, char **argv)
{
    struct real_service server;
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    endpoint = getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT");
    table = server.unique;
    int status = raw_make_table(endpoint, table, "key", "S", NULL) ? test_main(argc, argv) : 1;
    real_close(&server);
    return status;
}
