/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as they are added: each by itself. */
#include "attribute/value.h"
#include "base/error.h"
#include "syntax/json.h"
#include "transact/query_plan.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_TEXT_MAX = 6 * ITEM_SIZE_MAX /* of JSON, which may write each byte of an item as six */ };

static const struct operation {
    const char *name;
    enum condition_test test;
} operations[] = {
    {"==", CONDITION_EQUALS},          {"!=", CONDITION_DIFFERS},         {"<", CONDITION_IS_BELOW},
    {"<=", CONDITION_IS_AT_MOST},      {">", CONDITION_IS_ABOVE},         {">=", CONDITION_IS_AT_LEAST},
    {"between", CONDITION_IS_BETWEEN}, {"prefix", CONDITION_BEGINS_WITH}, {"contains", CONDITION_CONTAINS},
};

/* What is asked of one field. */
struct asked {
    struct query_plan *plan;
    const struct model_field *field;
    const struct operation *operation;
    enum query_place place;
    os_error *err;
};

static os_code refuse(const struct asked *asked, const char *fault)
{
    return error_set(asked->err, OS_ERR_ARGUMENT, "%.60s.%.60s \"%s\": %s.", asked->plan->model->model->name,
                     asked->field->name, asked->operation->name, fault);
}

/* ------------------------------------------------------------------------------------------------ operations */

static os_code check_of_key(const struct asked *asked)
{
    enum condition_test test = asked->operation->test;
    if (asked->place == QUERY_PARTITION)
        return test == CONDITION_EQUALS ? OS_OK : refuse(asked, "it is of the partition key, which wants \"==\"");
    if (test == CONDITION_DIFFERS || test == CONDITION_CONTAINS)
        return refuse(asked, "it is of the sort key, which takes ==, >, >=, <, <=, prefix and between");
    return OS_OK;
}

static bool has_order(enum condition_test test)
{
    return test >= CONDITION_IS_BELOW && test <= CONDITION_IS_BETWEEN;
}

/* What the service would refuse, or would answer with nothing. */
static os_code check_type(const struct asked *asked)
{
    enum condition_test test = asked->operation->test;
    enum model_type type = asked->field->type;
    if (has_order(test) && type != MODEL_INTEGER && type != MODEL_NUMBER && type != MODEL_STRING)
        return refuse(asked, "only numbers and strings have an order");
    if (test == CONDITION_CONTAINS && type != MODEL_STRING && type != MODEL_ARRAY)
        return refuse(asked, "only strings and arrays contain something");
    return OS_OK;
}

/* Whether what is listed has the field, as an attribute that can be asked. */
static os_code check_is_there(const struct asked *asked)
{
    const struct query_plan *plan = asked->plan;
    const struct model_index *index = plan->index;
    if (index == NULL || (asked->field->role == MODEL_PLAIN && model_index_has(index, asked->field)))
        return OS_OK;
    if (asked->field->role != MODEL_PLAIN && query_attribute_of_part(plan, asked->field) != NULL)
        return OS_OK;
    return refuse(asked, asked->field->role == MODEL_PLAIN
                             ? "the index does not have it (INCLUDE_ONLY): add it there, or look at the rows"
                             : "the index has no attribute of it alone: set INDEX_INCLUDE_KEYS (with all fields in the "
                               "index), or look at the rows");
}

static os_code check_lazy(const struct asked *asked)
{
    if (!asked->plan->allows_lazy)
        return refuse(asked, "it is no part of the key that is asked, so all rows are read to find some. Make an index "
                             "of it, or set allow_lazy_filter");
    if (asked->operation->test == CONDITION_BEGINS_WITH)
        return refuse(asked, "a prefix is only asked of a sort key. Use \"between\"");
    os_code code = check_type(asked);
    return code == OS_OK ? check_is_there(asked) : code;
}

/* ------------------------------------------------------------------------------------------------ values */

/* An element of an array is not looked at by the rules of the field, nor is a part of a string. */
static os_code take_part(const struct asked *asked, const json_t *given, json_t **ret)
{
    struct model_place place =
        model_place_of(asked->plan->model->model->name, asked->field->name, OS_ERR_ARGUMENT, asked->err);
    if (asked->field->type == MODEL_STRING && !json_is_string(given))
        return refuse(asked, "a string only contains a string");
    return model_json_copy(&place, given, MODEL_NUMBERS_STORED, ret);
}

static os_code take_value(const struct asked *asked, const json_t *given, json_t **ret)
{
    if (asked->operation->test == CONDITION_CONTAINS)
        return take_part(asked, given, ret);
    return model_value_take(asked->plan->model->model, asked->field, given, OS_ERR_ARGUMENT, ret, asked->err);
}

static os_code take_values(const struct asked *asked, const json_t *given, struct query_condition *condition)
{
    if (asked->operation->test != CONDITION_IS_BETWEEN)
        return take_value(asked, given, &condition->value);
    if (!json_is_array(given) || json_array_size(given) != 2)
        return refuse(asked, "it wants an array of the two bounds");
    os_code code = take_value(asked, json_array_get(given, 0), &condition->value);
    return code == OS_OK ? take_value(asked, json_array_get(given, 1), &condition->upper) : code;
}

static os_code read_values(const struct asked *asked, const char *json, struct query_condition *condition)
{
    enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL };
    char why[JSON_FAULT_SIZE];
    char fault[JSON_FAULT_SIZE + 32];
    if (json == NULL || strnlen(json, VALUE_TEXT_MAX + 1) > VALUE_TEXT_MAX)
        return refuse(asked, json == NULL ? "it has no value: it is NULL" : "its value is longer than an item can be");
    json_t *given = json_parse(json, strlen(json), FLAGS, NULL);
    if (given == NULL) {
        const char *because = json_parse_fault(json, strlen(json), FLAGS, why);
        if (because == NULL)
            return error_no_memory(asked->err);
        snprintf(fault, sizeof(fault), "its value is no JSON: %s", because);
        return refuse(asked, fault);
    }
    os_code code = take_values(asked, given, condition);
    json_decref(given);
    return code;
}

/* ------------------------------------------------------------------------------------------------ the call */

static const struct operation *find_operation(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

static os_code find(struct asked *asked, const char *field, const char *operation)
{
    const struct model *model = asked->plan->model->model;
    asked->field = field != NULL ? model_field_find(model, field) : NULL;
    asked->operation = find_operation(operation);
    if (asked->plan->is_scan)
        return error_set(asked->err, OS_ERR_ARGUMENT, "A scan of %.60s has no conditions: query it.", model->name);
    if (asked->field == NULL)
        return error_set(asked->err, OS_ERR_ARGUMENT, "The model %.60s has no field \"%.100s\".", model->name,
                         field != NULL ? field : "");
    if (asked->operation == NULL)
        return error_set(asked->err, OS_ERR_ARGUMENT,
                         "%.60s.%.60s: \"%.20s\" is none of ==, !=, >, >=, <, <=, prefix, between and contains.",
                         model->name, field, operation != NULL ? operation : "");
    asked->place = query_place_of(asked->plan, asked->field);
    return OS_OK;
}

os_code query_plan_filter(struct query_plan *plan, const char *field, const char *operation, const char *json,
                          os_error *err)
{
    struct asked asked = {.plan = plan, .err = err};
    os_code code = find(&asked, field, operation);
    if (code != OS_OK)
        return code;
    struct query_condition taken = {.test = asked.operation->test};
    struct query_condition *condition = &plan->conditions[asked.field - plan->model->model->fields];
    if (plan->is_built)
        return refuse(&asked, "rows have been fetched, so the query does not change any more. Make another one");
    if (condition->test != 0)
        return refuse(&asked, "the field has a condition already");
    code = asked.place == QUERY_LAZY ? check_lazy(&asked) : check_of_key(&asked);
    if (code == OS_OK)
        code = read_values(&asked, json, &taken);
    if (code == OS_OK) {
        *condition = taken;
        return OS_OK;
    }
    json_decref(taken.value);
    json_decref(taken.upper);
    return code;
}
