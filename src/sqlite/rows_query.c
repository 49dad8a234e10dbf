/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_query.h"

#include "base/error.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- bounds */

/* Directly behind a value. */
static void step_behind(struct rows_bytes *bytes)
{
    bytes->bytes[bytes->size++] = 0;
}

/* Behind every sort key: longer than they are, of the largest bytes. */
static void set_highest(struct rows_bytes *bytes)
{
    bytes->size = ROWS_SORT_MAX + 1;
    memset(bytes->bytes, 0xff, bytes->size);
}

/* Behind all that begin with it. */
static void step_behind_prefix(struct rows_bytes *bytes)
{
    while (bytes->size > 0 && bytes->bytes[bytes->size - 1] == 0xff)
        bytes->size--;
    if (bytes->size > 0)
        bytes->bytes[bytes->size - 1]++;
    else
        set_highest(bytes);
}

static void set_sort_bounds(const struct rows_range *sort, struct rows_bytes *from, struct rows_bytes *until)
{
    struct rows_bytes value;
    rows_bytes_of(sort->value, &value);
    bool has_lower = sort->test != CONDITION_IS_BELOW && sort->test != CONDITION_IS_AT_MOST;
    bool has_upper = sort->test != CONDITION_IS_ABOVE && sort->test != CONDITION_IS_AT_LEAST;
    if (has_lower)
        *from = value;
    if (sort->test == CONDITION_IS_ABOVE)
        step_behind(from);
    if (sort->test == CONDITION_IS_BETWEEN)
        rows_bytes_of(sort->upper, &value);
    if (has_upper)
        *until = value;
    if (sort->test == CONDITION_BEGINS_WITH)
        step_behind_prefix(until);
    else if (has_upper && sort->test != CONDITION_IS_BELOW)
        step_behind(until);
}

/* --------------------------------------------------------------------------------------------------------- checks */

/* Beyond what rows/check.h has looked at: what the definition of the table says. */
static os_code refuse(const struct rows_list *list, const char *fault, const char *name, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "The %s of %.255s%s%.255s cannot be answered: %s%.255s.",
                     list->partition != NULL ? "query" : "scan", list->table->name,
                     list->index != NULL ? ", index " : "", list->index != NULL ? list->index : "", fault, name);
}

static const struct rows_key_schema *keys_of(const struct rows_plan *plan)
{
    return plan->index != NULL ? &plan->index->keys : &plan->table->definition.keys;
}

static os_code check_type(const struct rows_plan *plan, const struct rows_attribute *attribute, const json_t *value,
                          os_error *err)
{
    if (value_type(value) == attribute->type)
        return OS_OK;
    return refuse(plan->list, "the value of a key is of another type than the key: ", attribute->name, err);
}

/* As the service: what an index does not have is no attribute that is missing, but a question that it cannot answer. */
static os_code check_attribute(const struct rows_plan *plan, const char *name, os_error *err)
{
    if (plan->index != NULL && !rows_index_projects(&plan->table->definition, plan->index, name))
        return refuse(plan->list, "the index does not have the attribute ", name, err);
    return OS_OK;
}

static os_code check_attributes(const struct rows_plan *plan, os_error *err)
{
    const struct rows_list *list = plan->list;
    os_code code = OS_OK;
    for (size_t i = 0; i < list->path_count && code == OS_OK; i++)
        code = check_attribute(plan, list->paths[i].steps[0].name, err);
    for (size_t i = 0; i < list->filter.count && code == OS_OK; i++)
        code = check_attribute(plan, list->filter.terms[i].path.steps[0].name, err);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- range */

static os_code plan_query(struct rows_plan *plan, os_error *err)
{
    const struct rows_list *list = plan->list;
    const struct rows_key_schema *keys = keys_of(plan);
    struct encoded_key *from = &plan->range.from.key;
    struct encoded_key *until = &plan->range.until.key;
    os_code code = check_type(plan, &keys->partition, list->partition, err);
    if (code == OS_OK && list->sort.test != 0)
        code = check_type(plan, &keys->sort, list->sort.value, err);
    if (code != OS_OK)
        return code;
    rows_bytes_of(list->partition, &from->partition);
    encoded_key_hash(from);
    *until = *from;
    set_highest(&until->sort);
    if (list->sort.test != 0)
        set_sort_bounds(&list->sort, &from->sort, &until->sort);
    return OS_OK;
}

static void plan_scan(struct rows_plan *plan)
{
    const struct rows_list *list = plan->list;
    int64_t segments = list->segments == 0 ? 1 : list->segments;
    plan->range.from.key.hash = ROWS_HASHES * list->segment / segments;
    plan->range.until.key.hash = ROWS_HASHES * (list->segment + (int64_t)1) / segments;
}

static int compare_keys(const struct encoded_key *a, const struct encoded_key *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    int order = rows_bytes_compare(&a->partition, &b->partition);
    return order != 0 ? order : rows_bytes_compare(&a->sort, &b->sort);
}

/* By the order of the rows, in which the hash of an entry's row has no part. */
static int compare_positions(const struct rows_position *a, const struct rows_position *b)
{
    int order = compare_keys(&a->key, &b->key);
    if (order == 0)
        order = rows_bytes_compare(&a->row.partition, &b->row.partition);
    return order != 0 ? order : rows_bytes_compare(&a->row.sort, &b->row.sort);
}

/* The position that the start key names. */
static os_code read_start(const struct rows_plan *plan, struct rows_position *ret, os_error *err)
{
    const json_t *start = plan->list->start_key;
    os_code code = encoded_key_of(plan->table->name, &plan->table->definition.keys, start, &ret->row, err);
    if (code != OS_OK)
        return code;
    if (plan->index == NULL) {
        ret->key = ret->row;
        memset(&ret->row, 0, sizeof(ret->row));
        return OS_OK;
    }
    return encoded_key_of_index(&plan->index->keys, start, &ret->key)
               ? OS_OK
               : refuse(plan->list, "the key to start at is none of the index", "", err);
}

static os_code plan_start(struct rows_plan *plan, os_error *err)
{
    struct rows_position start = {.key = {.hash = 0}};
    os_code code = read_start(plan, &start, err);
    if (code != OS_OK)
        return code;
    if (compare_positions(&start, &plan->range.from) < 0 || compare_positions(&start, &plan->range.until) >= 0)
        return refuse(plan->list, "the key to start at is outside of what is asked for", "", err);
    if (plan->list->is_descending) {
        plan->range.until = start;
        return OS_OK;
    }
    step_behind(plan->index != NULL ? &start.row.sort : &start.key.sort);
    plan->range.from = start;
    return OS_OK;
}

static os_code plan_index(struct rows_plan *plan, os_error *err)
{
    char of[ROWS_NAME_MAX + 16];
    const struct rows_definition *definition = &plan->table->definition;
    const struct rows_list *list = plan->list;
    if (list->index == NULL)
        return OS_OK;
    plan->index = rows_index_find(definition, list->index);
    if (plan->index == NULL)
        return refuse(list, "the table has no such index", "", err);
    plan->index_number = (int)(plan->index - definition->indexes) + 1;
    (void)text_concat(of, sizeof(of), "the index ", list->index, NULL);
    return rows_key_schema_fit(&plan->index->keys, &list->index_keys, of, err);
}

os_code rows_plan(const struct rows_list *list, const struct sqlite_rows_table *table, struct rows_plan *ret,
                  os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->list = list;
    ret->table = table;
    ret->index_number = ROWS_NO_INDEX;
    os_code code = sqlite_rows_table_fit(table, list->table, err);
    if (code == OS_OK)
        code = plan_index(ret, err);
    if (code == OS_OK && list->partition != NULL)
        code = plan_query(ret, err);
    else if (code == OS_OK)
        plan_scan(ret);
    if (code == OS_OK)
        code = check_attributes(ret, err);
    return code == OS_OK && list->start_key != NULL ? plan_start(ret, err) : code;
}
