/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of a query as a program gives them: each is taken, or refused with a sentence, and then the query is as before. */
#include "transact/query_plan.h"

#include "attribute/value.h"
#include "model/model_schema_build.h"
#include "support/test.h"

#include <string.h>

static const char schema[] =
    "{\"title\":\"M\",\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"},\"a\":{\"type\":\"string\"},"
    "\"n\":{\"type\":\"integer\",\"maximum\":9},\"s\":{\"type\":\"string\",\"maxLength\":3},\"l\":{\"type\":\"array\"},"
    "\"o\":{\"type\":\"object\"},\"x\":{\"type\":\"string\"}},\"required\":[\"k\",\"a\",\"n\",\"s\",\"l\",\"o\",\"x\"],"
    "\"KEY\":[\"k\"],\"SORT_KEY\":[\"a\"],\"INDEXES\":{\"byX\":{\"KEY\":[\"x\"],\"INCLUDE_ONLY\":[\"n\"]}}}";

struct query {
    os_model model;
    struct query_plan plan;
    os_error err;
};

static void query_set_up(struct query *query)
{
    query->model.table = (struct rows_table){.name = "things", .keys = {MODEL_PARTITION, MODEL_SORT}};
    assert_int_equal(model_read(schema, strlen(schema), &query->model.model, &query->err), OS_OK);
}

static void query_tear_down(struct query *query)
{
    query_plan_free(&query->plan);
    model_free(query->model.model);
}

static void open_query(struct query *query, const char *index, bool allows_lazy)
{
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    options.index = index;
    options.allow_lazy_filter = allows_lazy;
    assert_int_equal(query_plan_open(&query->model, &options, false, &query->plan, &query->err), OS_OK);
}

#define NO_JSON "its value is no JSON: "

static const struct {
    const char *name;
    const char *field;
    const char *operation;
    const char *json;
    const char *sentence;
    const char *index;
    bool forbids_lazy;
} refused[] = {
    {"no field", NULL, "==", "1", .sentence = "The model M has no field \"\"."},
    {"a strange field", "y", "==", "1", .sentence = "The model M has no field \"y\"."},
    {"no operation", "n", NULL, "1",
     .sentence = "M.n: \"\" is none of ==, !=, >, >=, <, <=, prefix, between and contains."},
    {"a strange operation", "n", "=", "1",
     .sentence = "M.n: \"=\" is none of ==, !=, >, >=, <, <=, prefix, between and contains."},
    {"no value", "n", "==", NULL, .sentence = "M.n \"==\": it has no value: it is NULL."},
    {"an empty value", "n", "==", "",
     .sentence = "M.n \"==\": " NO_JSON "unexpected token near end of file (line 1, column 0)."},
    {"half a value", "n", "==", "[1",
     .sentence = "M.n \"==\": " NO_JSON "']' expected near end of file (line 1, column 2)."},
    {"two values", "n", "==", "1 2",
     .sentence = "M.n \"==\": " NO_JSON "end of file expected near '2' (line 1, column 3)."},
    {"a member twice", "o", "==", "{\"a\":1,\"a\":2}",
     .sentence = "M.o \"==\": " NO_JSON "duplicate object key near '\"a\"' (line 1, column 10)."},
    {"a value of another type", "n", "==", "\"1\"", .sentence = "M.n: the value \"1\" is no integer."},
    {"a value that breaks a rule", "n", "<", "10", .sentence = "M.n: the value 10 is above the maximum 9."},
    {"another test of the partition key", "k", ">", "\"a\"",
     .sentence = "M.k \">\": it is of the partition key, which wants \"==\"."},
    {"another test of the sort key", "a", "!=", "\"a\"",
     .sentence = "M.a \"!=\": it is of the sort key, which takes ==, >, >=, <, <=, prefix and between."},
    {"what the sort key contains", "a", "contains", "\"a\"",
     .sentence = "M.a \"contains\": it is of the sort key, which takes ==, >, >=, <, <=, prefix and between."},
    {"one bound", "n", "between", "[1]", .sentence = "M.n \"between\": it wants an array of the two bounds."},
    {"three bounds", "n", "between", "[1,2,3]", .sentence = "M.n \"between\": it wants an array of the two bounds."},
    {"bounds that are no array", "n", "between", "{\"0\":1,\"1\":2}",
     .sentence = "M.n \"between\": it wants an array of the two bounds."},
    {"a lower bound of another type", "n", "between", "[true,2]", .sentence = "M.n: the value true is no integer."},
    {"an upper bound of another type", "n", "between", "[1,null]", .sentence = "M.n: the value null is no integer."},
    {"an order of objects", "o", "<", "{}", .sentence = "M.o \"<\": only numbers and strings have an order."},
    {"an order of arrays", "l", "between", "[[],[]]",
     .sentence = "M.l \"between\": only numbers and strings have an order."},
    {"what a number contains", "n", "contains", "1",
     .sentence = "M.n \"contains\": only strings and arrays contain something."},
    {"a number in a string", "s", "contains", "1", .sentence = "M.s \"contains\": a string only contains a string."},
    {"a number that no item has", "l", "contains", "1e300",
     .sentence = "M.l: the value 1e+300 is beyond 9007199254740991, up to which numbers are exact."},
    {"a prefix outside of a sort key", "s", "prefix", "\"a\"",
     .sentence = "M.s \"prefix\": a prefix is only asked of a sort key. Use \"between\"."},
    {"a filter that was not allowed", "n", "==", "1",
     .sentence = "M.n \"==\": it is no part of the key that is asked, so all rows are read to find some. Make an index "
                 "of it, or "
                 "set "
                 "allow_lazy_filter.",
     .forbids_lazy = true},
    {"what an index leaves out", "s", "==", "\"a\"",
     .sentence = "M.s \"==\": the index does not have it (INCLUDE_ONLY): add it there, or look at the rows.",
     .index = "byX"},
    {"a key that an index has no attribute of", "a", "==", "\"a\"",
     .sentence = "M.a \"==\": the index has no attribute of it alone: set INDEX_INCLUDE_KEYS (with all fields in the "
                 "index), or "
                 "look at the rows.",
     .index = "byX"},
};

TEST_ROWS_WITH(query, refused, a_condition_that_cannot_be_asked_is_refused)
{
    open_query(query, row->index, !row->forbids_lazy);
    assert_int_equal(query_plan_filter(&query->plan, row->field, row->operation, row->json, &query->err),
                     OS_ERR_ARGUMENT);
    assert_int_equal(query->err.code, OS_ERR_ARGUMENT);
    assert_string_equal(query->err.message, row->sentence);
    for (size_t i = 0; i < query->model.model->field_count; i++)
        assert_true(query->plan.conditions[i].test == 0 && query->plan.conditions[i].value == NULL &&
                    query->plan.conditions[i].upper == NULL);
}

static const struct {
    const char *name;
    const char *field;
    const char *operation;
    const char *json;
    enum condition_test test;
    const char *value;
    const char *upper;
} taken[] = {
    {"the partition key", "k", "==", " \"a\" ", CONDITION_EQUALS, "\"a\"", NULL},
    {"a prefix of the sort key", "a", "prefix", "\"a\"", CONDITION_BEGINS_WITH, "\"a\"", NULL},
    {"a range of the sort key", "a", "between", "[\"a\",\"b\"]", CONDITION_IS_BETWEEN, "\"a\"", "\"b\""},
    {"a range of numbers", "n", "between", "[1.0,9]", CONDITION_IS_BETWEEN, "1", "9"},
    /* A part of a string is not looked at by the rules of the string. */
    {"a long part of a string", "s", "contains", "\"abcd\"", CONDITION_CONTAINS, "\"abcd\"", NULL},
    {"an element of an array", "l", "contains", "{\"a\":[null]}", CONDITION_CONTAINS, "{\"a\":[null]}", NULL},
    {"another object", "o", "!=", "{}", CONDITION_DIFFERS, "{}", NULL},
    {"a string with a NUL", "x", ">=", "\"a\\u0000\"", CONDITION_IS_AT_LEAST, "\"a\\u0000\"", NULL},
};

static void check_json(const json_t *json, const char *text)
{
    json_t *wanted = text != NULL ? json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
    assert_true(text == NULL ? json == NULL : json_equal(json, wanted));
    json_decref(wanted);
}

TEST_ROWS_WITH(query, taken, a_condition_is_kept_as_it_was_given)
{
    open_query(query, NULL, true);
    const struct model_field *field = model_field_find(query->model.model, row->field);
    const struct query_condition *condition = &query->plan.conditions[field - query->model.model->fields];
    if (query_plan_filter(&query->plan, row->field, row->operation, row->json, &query->err) != OS_OK)
        fail_msg("%s", query->err.message);
    assert_int_equal(condition->test, row->test);
    check_json(condition->value, row->value);
    check_json(condition->upper, row->upper);
    assert_int_equal(query_plan_filter(&query->plan, row->field, row->operation, row->json, &query->err),
                     OS_ERR_ARGUMENT);
    assert_non_null(strstr(query->err.message, ": the field has a condition already."));
    check_json(condition->value, row->value);
}

TEST_WITH(query, a_value_has_room_for_all_of_an_item_and_no_more)
{
    enum { MAX = 6 * ITEM_SIZE_MAX };
    char *json = malloc(MAX + 2);
    assert_non_null(json);
    open_query(query, NULL, true);
    memset(json, ' ', MAX + 1);
    json[0] = '7';
    json[MAX + 1] = '\0';
    assert_int_equal(query_plan_filter(&query->plan, "n", "==", json, &query->err), OS_ERR_ARGUMENT);
    assert_string_equal(query->err.message, "M.n \"==\": its value is longer than an item can be.");
    json[MAX] = '\0';
    assert_int_equal(query_plan_filter(&query->plan, "n", "==", json, &query->err), OS_OK);
    free(json);
}

TEST_WITH(query, a_scan_and_a_query_that_has_begun_take_no_condition)
{
    assert_int_equal(query_plan_open(&query->model, NULL, true, &query->plan, &query->err), OS_OK);
    assert_int_equal(query_plan_filter(&query->plan, "k", "==", "\"a\"", &query->err), OS_ERR_ARGUMENT);
    assert_string_equal(query->err.message, "A scan of M has no conditions: query it.");
    query_plan_free(&query->plan);
    open_query(query, NULL, true);
    assert_int_equal(query_plan_filter(&query->plan, "k", "==", "\"a\"", &query->err), OS_OK);
    assert_int_equal(query_plan_build(&query->plan, &query->err), OS_OK);
    assert_int_equal(query_plan_filter(&query->plan, "n", "==", "7", &query->err), OS_ERR_ARGUMENT);
    assert_string_equal(query->err.message,
                        "M.n \"==\": rows have been fetched, so the query does not change any more. Make another one.");
    assert_int_equal(query->plan.list.filter.count, 0);
}
