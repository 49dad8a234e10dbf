/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/query_plan.h"

#include "attribute/json_value.h"
#include "attribute/value.h"
#include "base/error.h"
#include "rows/check.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ where a field is */

const struct model_attribute *query_partition(const struct query_plan *plan)
{
    return plan->index != NULL ? &plan->index->key : &plan->model->model->key;
}

const struct model_attribute *query_sort(const struct query_plan *plan)
{
    return plan->index != NULL ? &plan->index->sort_key : &plan->model->model->sort_key;
}

enum query_place query_place_of(const struct query_plan *plan, const struct model_field *field)
{
    if (model_attribute_has(query_partition(plan), field))
        return QUERY_PARTITION;
    return model_attribute_has(query_sort(plan), field) ? QUERY_SORT : QUERY_LAZY;
}

static bool is_alone(const struct model_attribute *attribute, const struct model_field *field)
{
    return attribute->count == 1 && attribute->parts[0] == field;
}

static bool is_projected(const struct model_index *index, const struct model_attribute *attribute)
{
    return index->only == NULL || strcmp(attribute->name, MODEL_PARTITION) == 0 ||
           strcmp(attribute->name, MODEL_SORT) == 0 || strcmp(attribute->name, index->key.name) == 0 ||
           (index->sort_key.name != NULL && strcmp(attribute->name, index->sort_key.name) == 0);
}

const struct model_attribute *query_attribute_of_part(const struct query_plan *plan, const struct model_field *field)
{
    const struct model *model = plan->model->model;
    const struct model_attribute *found = NULL;
    if (!json_is_true(json_object_get(model->schema, "INDEX_INCLUDE_KEYS")))
        return NULL;
    if (is_alone(&model->key, field))
        found = &model->key;
    else if (is_alone(&model->sort_key, field))
        found = &model->sort_key;
    for (size_t i = 0; i < model->extra_count && found == NULL; i++)
        if (is_alone(&model->extras[i], field))
            found = &model->extras[i];
    return found != NULL && is_projected(plan->index, found) ? found : NULL;
}

/* ------------------------------------------------------------------------------------------------ opening */

static os_code check_options(const os_query_options *options, bool is_scan, os_error *err)
{
    if (options->size != sizeof(*options))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The options of a query or a scan have a wrong size: set them with "
                         "OS_QUERY_OPTIONS_INIT.");
    if (is_scan && (options->descending || options->allow_lazy_filter))
        return error_set(err, OS_ERR_ARGUMENT,
                         "A scan has no order and no filters: it takes neither descending nor allow_lazy_filter.");
    if (!is_scan && (options->shard_count != 0 || options->shard_index != 0))
        return error_set(err, OS_ERR_ARGUMENT, "A query has no shards: scan the table, or an index.");
    if (options->shard_count > ROWS_SEGMENTS_MAX ||
        options->shard_index >= options->shard_count + !options->shard_count)
        return error_set(err, OS_ERR_ARGUMENT,
                         "A scan reads one of 1 to %d shards, which are numbered from 0: there is no shard %u of %u.",
                         ROWS_SEGMENTS_MAX, options->shard_index, options->shard_count);
    return OS_OK;
}

static struct rows_keys keys_of(const struct model_index *index)
{
    return (struct rows_keys){.partition = index->key.name, .sort = index->sort_key.name};
}

static bool make_room(const struct model *model, struct query_plan *ret)
{
    ret->conditions = calloc(model->field_count, sizeof(*ret->conditions));
    ret->terms = calloc(model->field_count, sizeof(*ret->terms));
    ret->steps = calloc(model->field_count, sizeof(*ret->steps));
    ret->values = json_array();
    return ret->conditions != NULL && ret->terms != NULL && ret->steps != NULL && ret->values != NULL;
}

os_code query_plan_open(const os_model *model, const os_query_options *options, bool is_scan, struct query_plan *ret,
                        os_error *err)
{
    static const os_query_options defaults = OS_QUERY_OPTIONS_INIT;
    *ret = (struct query_plan){.model = model, .is_scan = is_scan};
    if (model == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "A query or a scan is made without its model: it is NULL.");
    if (options == NULL)
        options = &defaults;
    os_code code = check_options(options, is_scan, err);
    if (code != OS_OK)
        return code;
    ret->index = options->index != NULL ? model_index_find(model->model, options->index) : NULL;
    if (options->index != NULL && ret->index == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The model %.60s has no index \"%.100s\".", model->model->name,
                         options->index);
    ret->allows_lazy = options->allow_lazy_filter != 0;
    ret->list = (struct rows_list){.table = &model->table,
                                   .segment = options->shard_index,
                                   .segments = options->shard_count,
                                   .is_descending = options->descending != 0,
                                   .is_eventual = options->inconsistent != 0 || ret->index != NULL};
    if (ret->index != NULL) {
        ret->list.index = ret->index->name;
        ret->list.index_keys = keys_of(ret->index);
    }
    return make_room(model->model, ret) ? OS_OK : error_no_memory(err);
}

void query_plan_free(struct query_plan *plan)
{
    for (size_t i = 0; plan->conditions != NULL && i < plan->model->model->field_count; i++) {
        json_decref(plan->conditions[i].value);
        json_decref(plan->conditions[i].upper);
    }
    free(plan->conditions);
    free(plan->terms);
    free(plan->steps);
    json_decref(plan->values);
    *plan = (struct query_plan){.model = NULL};
}

/* ------------------------------------------------------------------------------------------------ keys */

static const struct query_condition *condition_of(const struct query_plan *plan, const struct model_field *field)
{
    return &plan->conditions[field - plan->model->model->fields];
}

static os_code refuse_sort(const struct query_plan *plan, const char *fault, os_error *err)
{
    const struct model_attribute *sort = query_sort(plan);
    return error_set(err, OS_ERR_ARGUMENT, "The query of %.60s asks for the sort key, of which %.60s is a part: %s.",
                     plan->model->model->name, sort->parts[0]->name, fault);
}

static os_code check_partition(const struct query_plan *plan, os_error *err)
{
    const struct model_attribute *key = query_partition(plan);
    for (size_t i = 0; i < key->count; i++)
        if (condition_of(plan, key->parts[i])->test == 0)
            return error_set(err, OS_ERR_ARGUMENT,
                             "The query of %.60s lacks %.60s: every part of the partition key wants a \"==\".",
                             plan->model->model->name, key->parts[i]->name);
    return OS_OK;
}

/* Texts stand in the order of the values as long as strings alone decide: a number has the order of its digits. */
static os_code check_order(const struct query_plan *plan, enum condition_test test, os_error *err)
{
    const struct model_attribute *sort = query_sort(plan);
    bool is_same = test == CONDITION_IS_BETWEEN;
    for (size_t i = 0; i < sort->count; i++) {
        const struct query_condition *condition = condition_of(plan, sort->parts[i]);
        enum model_type type = sort->parts[i]->type;
        is_same = is_same && json_equal(condition->value, condition->upper);
        if (!is_same && (type == MODEL_INTEGER || type == MODEL_NUMBER))
            return refuse_sort(plan,
                               "it is a text of several parts, in which a number has the order of its digits, 10 "
                               "before 9. Give both bounds the same number, or make a sort key of the number alone",
                               err);
    }
    return OS_OK;
}

static os_code check_sort_test(const struct query_plan *plan, enum condition_test test, os_error *err)
{
    const struct model_attribute *sort = query_sort(plan);
    if (test == CONDITION_BEGINS_WITH && sort->parts[sort->count - 1]->type != MODEL_STRING)
        return refuse_sort(plan, "its last part is no string, and only a string has a prefix", err);
    if (test == CONDITION_EQUALS || test == CONDITION_BEGINS_WITH || sort->is_number)
        return OS_OK;
    return check_order(plan, test, err);
}

/* *ret is 0 where no part has a condition. */
static os_code find_sort_test(const struct query_plan *plan, enum condition_test *ret, os_error *err)
{
    const struct model_attribute *sort = query_sort(plan);
    *ret = sort->count > 0 ? condition_of(plan, sort->parts[0])->test : 0;
    for (size_t i = 1; i < sort->count; i++)
        if (condition_of(plan, sort->parts[i])->test != *ret)
            return refuse_sort(
                plan, "all its parts are compared as one, so each wants a condition of the same kind, or none", err);
    return *ret != 0 ? check_sort_test(plan, *ret, err) : OS_OK;
}

static os_code keep(struct query_plan *plan, json_t *value, const json_t **ret, os_error *err)
{
    *ret = value;
    return json_array_append_new(plan->values, value) == 0 ? OS_OK : error_no_memory(err);
}

/* The attribute with the values of its parts, or with their upper bounds. */
static os_code encode(struct query_plan *plan, const struct model_attribute *attribute, bool is_upper, size_t max,
                      const json_t **ret, os_error *err)
{
    const struct model *model = plan->model->model;
    json_t *value = NULL;
    json_t *fields = json_object();
    os_code code = fields != NULL ? OS_OK : error_no_memory(err);
    for (size_t i = 0; i < attribute->count && code == OS_OK; i++) {
        const struct query_condition *condition = condition_of(plan, attribute->parts[i]);
        if (json_object_set(fields, attribute->parts[i]->name, is_upper ? condition->upper : condition->value) != 0)
            code = error_no_memory(err);
    }
    if (code == OS_OK)
        code = model_attribute_encode(model, attribute, fields, &value, err);
    json_decref(fields);
    if (code == OS_OK)
        code = model_attribute_check(model, attribute, value, max, err);
    if (code == OS_OK)
        return keep(plan, value, ret, err);
    json_decref(value);
    return code;
}

static os_code build_key(struct query_plan *plan, os_error *err)
{
    struct rows_range *range = &plan->list.sort;
    os_code code = check_partition(plan, err);
    if (code == OS_OK)
        code = find_sort_test(plan, &range->test, err);
    if (code == OS_OK)
        code = encode(plan, query_partition(plan), false, MODEL_PARTITION_MAX, &plan->list.partition, err);
    if (code == OS_OK && range->test != 0)
        code = encode(plan, query_sort(plan), false, MODEL_SORT_MAX, &range->value, err);
    if (code == OS_OK && range->test == CONDITION_IS_BETWEEN)
        code = encode(plan, query_sort(plan), true, MODEL_SORT_MAX, &range->upper, err);
    return code;
}

/* ------------------------------------------------------------------------------------------------ filters */

static os_code filter_value(struct query_plan *plan, const struct model_field *field, const json_t *value,
                            const json_t **ret, os_error *err)
{
    const struct model *model = plan->model->model;
    json_t *attribute = NULL;
    os_code code;
    if (value == NULL)
        return OS_OK;
    if (field->role == MODEL_PLAIN) {
        code = model_value_to_attribute(model, field, value, &attribute, err);
    } else {
        json_t *fields = json_pack("{s:O}", field->name, value);
        code = fields != NULL
                   ? model_attribute_encode(model, query_attribute_of_part(plan, field), fields, &attribute, err)
                   : error_no_memory(err);
        json_decref(fields);
    }
    return code == OS_OK ? keep(plan, attribute, ret, err) : code;
}

static os_code add_filter(struct query_plan *plan, const struct model_field *field, os_error *err)
{
    const struct query_condition *condition = condition_of(plan, field);
    size_t number = plan->list.filter.count++;
    struct condition_term *term = &plan->terms[number];
    plan->steps[number].name = field->role == MODEL_PLAIN ? field->name : query_attribute_of_part(plan, field)->name;
    *term = (struct condition_term){.path = {.steps = &plan->steps[number], .count = 1}, .test = condition->test};
    os_code code = filter_value(plan, field, condition->value, &term->value, err);
    return code == OS_OK ? filter_value(plan, field, condition->upper, &term->upper, err) : code;
}

static os_code build_filter(struct query_plan *plan, os_error *err)
{
    const struct model *model = plan->model->model;
    plan->list.filter = (struct condition){.terms = plan->terms};
    for (size_t i = 0; i < model->field_count; i++) {
        const struct model_field *field = &model->fields[i];
        if (plan->conditions[i].test == 0 || query_place_of(plan, field) != QUERY_LAZY)
            continue;
        os_code code = add_filter(plan, field, err);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

os_code query_plan_build(struct query_plan *plan, os_error *err)
{
    if (plan->is_built)
        return OS_OK;
    (void)json_array_clear(plan->values);
    os_code code = plan->is_scan ? OS_OK : build_key(plan, err);
    if (code == OS_OK && !plan->is_scan)
        code = build_filter(plan, err);
    if (code == OS_OK)
        code = rows_check_list(&plan->list, err);
    plan->is_built = code == OS_OK;
    return code;
}
