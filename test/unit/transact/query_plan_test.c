/* SPDX-License-Identifier: Apache-2.0 */
/* What @pocketgems/dynamodb asks of its tables (test/data/model/queries), and what is asked here. */
#include "transact/query_plan.h"

#include "attribute/value.h"
#include "model/model_schema_build.h"
#include "support/data_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct library {
    json_t *fixture;
    os_model model;
};

static void library_open(struct library *library, const char *name)
{
    os_error err;
    char path[DATA_PATH_SIZE];
    snprintf(path, sizeof(path), "model/queries/%s", name);
    char *text = data_file(path);
    library->fixture = json_loads(text, JSON_ALLOW_NUL, NULL);
    assert_non_null(library->fixture);
    free(text);
    text = json_dumps(json_object_get(library->fixture, "model"), 0);
    if (model_read(text, strlen(text), &library->model.model, &err) != OS_OK)
        fail_msg("%s: %s", name, err.message);
    free(text);
    library->model.table_name = "things";
    library->model.table = (struct rows_table){
        .name = "things", .keys = {MODEL_PARTITION, library->model.model->sort_key.name != NULL ? MODEL_SORT : NULL}};
}

typedef void library_check(const struct library *library, const json_t *asked);

static size_t each(const char *list, library_check *check)
{
    size_t count = 0;
    char **names = data_names("model/queries");
    for (char **name = names; *name != NULL; name++) {
        struct library library;
        size_t i;
        json_t *asked;
        library_open(&library, *name);
        json_array_foreach(json_object_get(library.fixture, list), i, asked)
        {
            check(&library, asked);
            count++;
        }
        json_decref(library.fixture);
        model_free(library.model.model);
    }
    data_names_free(names);
    return count;
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_query_options options_of(const json_t *json)
{
    os_query_options ret = OS_QUERY_OPTIONS_INIT;
    ret.index = json_string_value(json_object_get(json, "index"));
    ret.inconsistent = json_is_true(json_object_get(json, "inconsistentRead"));
    ret.descending = json_is_true(json_object_get(json, "descending"));
    ret.allow_lazy_filter = json_is_true(json_object_get(json, "allowLazyFilter"));
    ret.shard_index = (uint32_t)json_integer_value(json_object_get(json, "shardIndex"));
    ret.shard_count = (uint32_t)json_integer_value(json_object_get(json, "shardCount"));
    return ret;
}

/* ["field", value], ["field", operation, value] or ["field", "between", lower, upper]. */
static os_code add(struct query_plan *plan, const json_t *condition, os_error *err)
{
    size_t size = json_array_size(condition);
    json_t *both = size == 4 ? json_pack("[OO]", json_array_get(condition, 2), json_array_get(condition, 3)) : NULL;
    const json_t *value = both != NULL ? both : json_array_get(condition, size - 1);
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    os_code code = query_plan_filter(plan, json_string_value(json_array_get(condition, 0)),
                                     size == 2 ? "==" : json_string_value(json_array_get(condition, 1)), text, err);
    free(text);
    json_decref(both);
    return code;
}

/* *ret is for query_plan_free. */
static os_code ask(const struct library *library, const json_t *asked, struct query_plan *ret, os_error *err)
{
    size_t i;
    json_t *condition;
    os_query_options options = options_of(json_object_get(asked, "options"));
    os_code code = query_plan_open(&library->model, &options, json_is_true(json_object_get(asked, "scan")), ret, err);
    json_array_foreach(json_object_get(asked, "where"), i, condition)
    {
        if (code == OS_OK)
            code = add(ret, condition, err);
    }
    return code == OS_OK ? query_plan_build(ret, err) : code;
}

/* ------------------------------------------------------------------------------------------------ comparing */

static const char *const test_names[] = {
    [CONDITION_EQUALS] = "==",          [CONDITION_DIFFERS] = "!=",         [CONDITION_IS_BELOW] = "<",
    [CONDITION_IS_AT_MOST] = "<=",      [CONDITION_IS_ABOVE] = ">",         [CONDITION_IS_AT_LEAST] = ">=",
    [CONDITION_IS_BETWEEN] = "between", [CONDITION_BEGINS_WITH] = "prefix", [CONDITION_CONTAINS] = "contains",
};

static void add_wanted(json_t *list, const char *name, enum condition_test test, const json_t *value,
                       const json_t *upper)
{
    json_t *condition = json_pack("[ssO]", name, test_names[test], value);
    if (test == CONDITION_IS_BETWEEN)
        json_array_append(condition, (json_t *)upper);
    assert_int_equal(json_array_append_new(list, condition), 0);
}

/* As queries.js writes a request. */
static json_t *request_of(const struct rows_list *list)
{
    const struct rows_keys *keys = rows_list_keys(list);
    json_t *key = json_array();
    json_t *filter = json_array();
    if (list->partition != NULL)
        add_wanted(key, keys->partition, CONDITION_EQUALS, list->partition, NULL);
    if (list->sort.test != 0)
        add_wanted(key, keys->sort, list->sort.test, list->sort.value, list->sort.upper);
    for (size_t i = 0; i < list->filter.count; i++) {
        const struct condition_term *term = &list->filter.terms[i];
        add_wanted(filter, term->path.steps[0].name, term->test, term->value, term->upper);
    }
    json_t *ret = json_pack("{s:b, s:b, s:o, s:o}", "consistent", !list->is_eventual, "descending", list->is_descending,
                            "key", key, "filter", filter);
    if (list->index != NULL)
        json_object_set_new(ret, "index", json_string(list->index));
    if (list->segments > 0) {
        json_object_set_new(ret, "segment", json_integer(list->segment));
        json_object_set_new(ret, "segments", json_integer(list->segments));
    }
    return ret;
}

static char *text_of(const json_t *json)
{
    return json_dumps(json, JSON_SORT_KEYS);
}

static void check_taken(const struct library *library, const json_t *asked)
{
    struct query_plan plan;
    os_error err;
    char *question = text_of(asked);
    if (ask(library, asked, &plan, &err) != OS_OK)
        fail_msg("%s: %s", question, err.message);
    json_t *request = request_of(&plan.list);
    char *own = text_of(request);
    char *theirs = text_of(json_object_get(asked, "request"));
    assert_string_equal(own, theirs);
    json_decref(request);
    free(question);
    free(own);
    free(theirs);
    query_plan_free(&plan);
}

static void check_refused(const struct library *library, const json_t *asked)
{
    struct query_plan plan;
    os_error err;
    char *question = text_of(asked);
    if (ask(library, asked, &plan, &err) != OS_ERR_ARGUMENT)
        fail_msg("it was taken: %s", question);
    assert_int_equal(err.code, OS_ERR_ARGUMENT);
    free(question);
    query_plan_free(&plan);
}

TEST(what_the_library_asks_is_asked)
{
    assert_int_equal(each("taken", check_taken), 63);
}

TEST(what_the_library_refuses_is_refused)
{
    assert_int_equal(each("refused", check_refused), 43);
}

/* The library compares the text that stands there with the boolean itself. */
TEST(a_part_of_the_key_that_is_no_string_is_asked_for_as_it_stands_there)
{
    static const char schema[] =
        "{\"title\":\"M\",\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"boolean\"},\"a\":{\"type\":\"string\"},"
        "\"f\":{\"type\":\"string\"}},\"required\":[\"k\",\"a\",\"f\"],\"KEY\":[\"k\",\"a\"],"
        "\"INDEX_INCLUDE_KEYS\":true,\"INDEXES\":{\"byF\":{\"KEY\":[\"f\"]}}}";
    os_model model = {.table = {.name = "things", .keys = {MODEL_PARTITION, NULL}}};
    struct query_plan plan;
    os_error err;
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    options.index = "byF";
    options.allow_lazy_filter = 1;
    assert_int_equal(model_read(schema, strlen(schema), &model.model, &err), OS_OK);
    assert_int_equal(query_plan_open(&model, &options, false, &plan, &err), OS_OK);
    assert_int_equal(query_plan_filter(&plan, "f", "==", "\"x\"", &err), OS_OK);
    assert_int_equal(query_plan_filter(&plan, "k", "<", "true", &err), OS_ERR_ARGUMENT);
    assert_int_equal(query_plan_filter(&plan, "k", "!=", "true", &err), OS_OK);
    assert_int_equal(query_plan_build(&plan, &err), OS_OK);
    json_t *request = request_of(&plan.list);
    char *text = text_of(json_object_get(request, "filter"));
    assert_string_equal(text, "[[\"_c_k\", \"!=\", {\"S\": \"true\"}]]");
    free(text);
    json_decref(request);
    query_plan_free(&plan);
    model_free(model.model);
}

TEST(what_would_find_wrong_rows_is_refused_too)
{
    assert_int_equal(each("stricter", check_refused), 17);
}
