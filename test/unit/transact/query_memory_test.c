/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out: an error, or the same as with memory. Never another query, never another token. */
#include "model/model_schema_build.h"
#include "support/test.h"
#include "transact/query_token.h"

#include <string.h>

/* In this order: the files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
#include "transact/query_plan.c"
/* clang-format on */

static const char schema[] =
    "{\"title\":\"M\",\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"object\"},\"a\":{\"type\":\"string\"},"
    "\"b\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"},\"l\":{\"type\":\"array\"}},\"required\":[\"k\",\"a\","
    "\"b\"],"
    "\"KEY\":[\"k\"],\"SORT_KEY\":[\"a\",\"b\"]}";
static const char *const where[][3] = {
    {"k", "==", "{\"y\":[1],\"x\":null}"}, {"a", "between", "[\"a\",\"b\"]"},
    {"b", "between", "[\"c\",\"d\"]"},     {"n", "!=", "7"},
    {"l", "contains", "{\"e\":0.5}"},
};

/* *ret_token and *ret_key are for json_decref. */
static os_code ask(const os_model *model, const json_t *last_key, json_t **ret_token, json_t **ret_key, os_error *err)
{
    struct query_plan plan;
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    options.allow_lazy_filter = 1;
    *ret_token = NULL;
    *ret_key = NULL;
    os_code code = query_plan_open(model, &options, false, &plan, err);
    for (size_t i = 0; i < sizeof(where) / sizeof(where[0]) && code == OS_OK; i++)
        code = query_plan_filter(&plan, where[i][0], where[i][1], where[i][2], err);
    if (code == OS_OK)
        code = query_plan_build(&plan, err);
    if (code == OS_OK)
        code = query_token_make(&plan, last_key, ret_token, err);
    if (code == OS_OK)
        code = query_token_read(&plan, json_string_value(*ret_token), ret_key, err);
    query_plan_free(&plan);
    return code;
}

/* jansson does not say why it reads no JSON. */
static bool is_want_of_memory(const os_error *err)
{
    return err->code == OS_ERR_NO_MEMORY || strstr(err->message, "is no JSON") != NULL ||
           strstr(err->message, "The token") != NULL;
}

TEST(a_query_is_asked_without_memory_as_with_it_or_not_at_all)
{
    os_model model = {.table_name = "things"};
    json_t *wanted;
    json_t *token;
    json_t *key;
    os_error err;
    json_t *last_key =
        json_pack("{s:{s:s}, s:{s:s%}}", "_id", "S", "{\"x\":null,\"y\":[1]}", "_sk", "S", "a\0d", (size_t)3);
    model.table = (struct rows_table){.name = "things", .keys = {MODEL_PARTITION, MODEL_SORT}};
    assert_int_equal(model_read(schema, strlen(schema), &model.model, &err), OS_OK);
    if (ask(&model, last_key, &wanted, &key, &err) != OS_OK)
        fail_msg("%s", err.message);
    assert_true(json_equal(key, last_key));
    json_decref(key);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 100000; failures += 99999) {
            alloc_fail_from(number, failures);
            json_set_alloc_funcs(failing_malloc, free);
            os_code code = ask(&model, last_key, &token, &key, &err);
            json_set_alloc_funcs(malloc, free);
            alloc_fail_none();
            assert_true(token == NULL || json_equal(token, wanted));
            assert_true(code == OS_OK ? json_equal(key, last_key) : key == NULL && is_want_of_memory(&err));
            json_decref(token);
            json_decref(key);
        }
    json_decref(wanted);
    json_decref(last_key);
    model_free(model.model);
}
