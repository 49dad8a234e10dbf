/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a condition, of each field and each operation: it is refused with a sentence, or makes a question that a table
 * takes. And a token to go on with a query or a scan, and what stands in one for its key: it is refused with a sentence, or a
 * page of these rows can begin there, and its key makes a token that is read again as the same. No other question takes it.
 */
#include "fuzz.h"

#include "model/model_schema_build.h"
#include "rows/check.h"
#include "syntax/json.h"
#include "transact/query_token.h"

#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "{\"title\":\"M\",\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"},\"a\":{\"type\":\"integer\"},"
    "\"m\":{\"type\":\"string\"},\"l\":{\"type\":\"array\"}},\"required\":[\"k\",\"a\",\"m\"],\"KEY\":[\"k\"],\"SORT_"
    "KEY\":[\"a\"],"
    "\"INDEXES\":{\"byM\":{\"KEY\":[\"m\"]}}}";

enum { QUERY, SCAN, INDEX, PLANS };

static os_model model = {.table = {.name = "things", .keys = {MODEL_PARTITION, MODEL_SORT}}};
static struct query_plan plans[PLANS];

static void open_plans(void)
{
    os_query_options by_index = OS_QUERY_OPTIONS_INIT;
    by_index.index = "byM";
    FUZZ_CHECK(model_read(schema, strlen(schema), &model.model, NULL) == OS_OK);
    FUZZ_CHECK(query_plan_open(&model, NULL, false, &plans[QUERY], NULL) == OS_OK);
    FUZZ_CHECK(query_plan_filter(&plans[QUERY], "k", "==", "\"p\"", NULL) == OS_OK);
    FUZZ_CHECK(query_plan_filter(&plans[QUERY], "a", ">", "7", NULL) == OS_OK);
    FUZZ_CHECK(query_plan_open(&model, NULL, true, &plans[SCAN], NULL) == OS_OK);
    FUZZ_CHECK(query_plan_open(&model, &by_index, true, &plans[INDEX], NULL) == OS_OK);
    for (int i = 0; i < PLANS; i++)
        FUZZ_CHECK(query_plan_build(&plans[i], NULL) == OS_OK);
}

/* ------------------------------------------------------------------------------------------------ conditions */

static void check_build(struct query_plan *plan)
{
    os_error err = {.code = OS_OK};
    os_code code = query_plan_build(plan, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_ARGUMENT);
    if (code == OS_OK)
        FUZZ_CHECK(rows_check_list(&plan->list, NULL) == OS_OK);
}

static void check_condition(const char *field, const char *operation, const char *json)
{
    struct query_plan plan;
    os_error err = {.code = OS_OK};
    os_query_options lazily = OS_QUERY_OPTIONS_INIT;
    lazily.allow_lazy_filter = 1;
    FUZZ_CHECK(query_plan_open(&model, &lazily, false, &plan, NULL) == OS_OK);
    if (strcmp(field, "k") != 0)
        FUZZ_CHECK(query_plan_filter(&plan, "k", "==", "\"p\"", NULL) == OS_OK);
    os_code code = query_plan_filter(&plan, field, operation, json, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || code == OS_ERR_ARGUMENT);
    if (code == OS_OK)
        check_build(&plan);
    query_plan_free(&plan);
}

static void check_conditions(const char *json)
{
    static const char *const fields[] = {"k", "a", "m", "l"};
    static const char *const operations[] = {"==", "!=", "<", "<=", ">", ">=", "between", "prefix", "contains"};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        for (size_t j = 0; j < sizeof(operations) / sizeof(operations[0]); j++)
            check_condition(fields[i], operations[j], json);
}

/* ------------------------------------------------------------------------------------------------ tokens */

static void check_again(const struct query_plan *plan, const json_t *key)
{
    json_t *token;
    json_t *again;
    FUZZ_CHECK(query_token_make(plan, key, &token, NULL) == OS_OK);
    FUZZ_CHECK(query_token_read(plan, json_string_value(token), &again, NULL) == OS_OK);
    FUZZ_CHECK(json_equal(again, key) == 1);
    json_decref(again);
    json_decref(token);
}

static bool check_token(const struct query_plan *plan, const char *token)
{
    json_t *key;
    os_error err = {.code = OS_OK};
    struct rows_list list = plan->list;
    os_code code = query_token_read(plan, token, &key, &err);
    fuzz_check_error(code, &err);
    FUZZ_CHECK(code == OS_OK || (code == OS_ERR_ARGUMENT && key == NULL));
    if (code != OS_OK)
        return false;
    list.start_key = key;
    FUZZ_CHECK(rows_check_list(&list, NULL) == OS_OK);
    check_again(plan, key);
    json_decref(key);
    return true;
}

/* Of one alone, whatever it is. */
static void check_each(const char *token)
{
    unsigned taken = 0;
    for (int i = 0; i < PLANS; i++)
        taken += check_token(&plans[i], token);
    FUZZ_CHECK(taken <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (plans[0].model == NULL)
        open_plans();
    char *text = fuzz_string(data, size);
    json_t *key = json_read(text, strlen(text));
    check_conditions(text);
    check_each(text);
    for (int i = 0; i < PLANS && key != NULL; i++) {
        json_t *token;
        if (query_token_make(&plans[i], key, &token, NULL) == OS_OK) /* it may be too long */
            check_each(json_string_value(token));
        json_decref(token);
    }
    json_decref(key);
    free(text);
    return 0;
}
