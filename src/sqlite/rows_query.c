/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_query.h"

#include "attribute/check.h"
#include "attribute/projection.h"
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

static void set_sort_bounds(const struct rows_query *query, struct rows_bytes *from, struct rows_bytes *until)
{
    struct rows_bytes value;
    rows_bytes_of(query->sort, &value);
    bool has_lower = query->sort_test != CONDITION_IS_BELOW && query->sort_test != CONDITION_IS_AT_MOST;
    bool has_upper = query->sort_test != CONDITION_IS_ABOVE && query->sort_test != CONDITION_IS_AT_LEAST;
    if (has_lower)
        *from = value;
    if (query->sort_test == CONDITION_IS_ABOVE)
        step_behind(from);
    if (query->sort_test == CONDITION_IS_BETWEEN)
        rows_bytes_of(query->sort_upper, &value);
    if (has_upper)
        *until = value;
    if (query->sort_test == CONDITION_BEGINS_WITH)
        step_behind_prefix(until);
    else if (has_upper && query->sort_test != CONDITION_IS_BELOW)
        step_behind(until);
}

/* --------------------------------------------------------------------------------------------------------- checks */

static os_code refuse(const struct rows_query *query, const char *fault, const char *name, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "The %s of %.255s%s%.255s cannot be answered: %s%.255s.",
                     query->partition != NULL ? "query" : "scan", query->table, query->index != NULL ? ", index " : "",
                     query->index != NULL ? query->index : "", fault, name);
}

static const struct rows_key_schema *keys_of(const struct rows_plan *plan)
{
    return plan->index != NULL ? &plan->index->keys : &plan->table->definition.keys;
}

static os_code check_value(const struct rows_plan *plan, const struct rows_attribute *attribute, const json_t *value,
                           size_t size_max, os_error *err)
{
    const struct path_step step = {.name = attribute->name};
    const struct path path = {&step, 1};
    os_code code = value_check(value, &path, err);
    const char *fault = code == OS_OK ? rows_value_fault(attribute, value, size_max) : NULL;
    if (fault == NULL)
        return code;
    char sentence[160];
    bool fits = text_concat(sentence, sizeof(sentence), "the value of a key ", fault, ": ", NULL);
    return refuse(plan->query, fits ? sentence : fault, attribute->name, err);
}

static bool is_sort_test(enum condition_test test)
{
    switch (test) {
    case CONDITION_EQUALS:
    case CONDITION_IS_BELOW:
    case CONDITION_IS_AT_MOST:
    case CONDITION_IS_ABOVE:
    case CONDITION_IS_AT_LEAST:
    case CONDITION_IS_BETWEEN:
    case CONDITION_BEGINS_WITH: return true;
    default: return false;
    }
}

static os_code check_sort(const struct rows_plan *plan, os_error *err)
{
    const struct rows_query *query = plan->query;
    const struct rows_attribute *sort = &keys_of(plan)->sort;
    if (sort->name == NULL)
        return refuse(query, "there is no sort key to ask for", "", err);
    if (!is_sort_test(query->sort_test))
        return refuse(query, "a sort key is asked for by =, <, <=, >, >=, BETWEEN and begins_with alone: ", sort->name,
                      err);
    const struct path_step step = {.name = sort->name};
    const struct condition_term term = {
        .path = {&step, 1}, .test = query->sort_test, .value = query->sort, .upper = query->sort_upper};
    os_code code = condition_check(&(struct condition){&term, 1}, err);
    if (code == OS_OK)
        code = check_value(plan, sort, query->sort, ROWS_SORT_MAX, err);
    if (code == OS_OK && query->sort_test == CONDITION_IS_BETWEEN)
        code = check_value(plan, sort, query->sort_upper, ROWS_SORT_MAX, err);
    return code;
}

/* As the service: the filter of a query has no keys, which are asked for otherwise; and what an index does not have is no
 * attribute that is missing, but a question that it cannot answer. */
static os_code check_attribute(const struct rows_plan *plan, const char *name, bool is_of_filter, os_error *err)
{
    if (is_of_filter && plan->query->partition != NULL && rows_key_schema_has(keys_of(plan), name))
        return refuse(plan->query, "the filter of a query has no key attributes, such as ", name, err);
    if (plan->index != NULL && !rows_index_projects(&plan->table->definition, plan->index, name))
        return refuse(plan->query, "the index does not have the attribute ", name, err);
    return OS_OK;
}

static os_code check_attributes(const struct rows_plan *plan, os_error *err)
{
    const struct rows_query *query = plan->query;
    os_code code = projection_check(query->paths, query->path_count, err);
    for (size_t i = 0; i < query->path_count && code == OS_OK; i++)
        code = check_attribute(plan, query->paths[i].steps[0].name, false, err);
    if (code != OS_OK || query->filter == NULL)
        return code;
    code = condition_check(query->filter, err);
    for (size_t i = 0; i < query->filter->count && code == OS_OK; i++)
        code = check_attribute(plan, query->filter->terms[i].path.steps[0].name, true, err);
    return code;
}

static os_code check_scan(const struct rows_query *query, os_error *err)
{
    if (query->sort_test != 0)
        return refuse(query, "a sort key is asked for in one partition alone", "", err);
    if (query->is_descending)
        return refuse(query, "a scan has no order that could be turned round", "", err);
    if (query->segments > ROWS_SEGMENTS_MAX ||
        (query->segments == 0 ? query->segment > 0 : query->segment >= query->segments))
        return refuse(query, "it has 1 to 1000000 segments, which are counted from 0", "", err);
    return OS_OK;
}

/* ---------------------------------------------------------------------------------------------------------- range */

static os_code plan_query(struct rows_plan *plan, os_error *err)
{
    const struct rows_query *query = plan->query;
    struct encoded_key *from = &plan->range.from.key;
    struct encoded_key *until = &plan->range.until.key;
    if (query->segments != 0 || query->segment != 0)
        return refuse(query, "only a scan has segments", "", err);
    os_code code = check_value(plan, &keys_of(plan)->partition, query->partition, ROWS_PARTITION_MAX, err);
    if (code == OS_OK && query->sort_test != 0)
        code = check_sort(plan, err);
    if (code != OS_OK)
        return code;
    rows_bytes_of(query->partition, &from->partition);
    encoded_key_hash(from);
    *until = *from;
    set_highest(&until->sort);
    if (query->sort_test != 0)
        set_sort_bounds(query, &from->sort, &until->sort);
    return OS_OK;
}

static os_code plan_scan(struct rows_plan *plan, os_error *err)
{
    const struct rows_query *query = plan->query;
    int64_t segments = query->segments == 0 ? 1 : query->segments;
    plan->range.from.key.hash = ROWS_HASHES * query->segment / segments;
    plan->range.until.key.hash = ROWS_HASHES * (query->segment + (int64_t)1) / segments;
    return check_scan(query, err);
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

/* The position that `start` names, which has just the attributes of a page's `next`. */
static os_code read_start(const struct rows_plan *plan, struct rows_position *ret, os_error *err)
{
    static const char fault[] = "the key to start at is not one that a page of the same gave as `next`";
    const struct rows_key_schema *keys = &plan->table->definition.keys;
    os_code code = item_check(plan->query->start, err);
    if (code == OS_OK)
        code = encoded_key_of(plan->table->name, keys, plan->query->start, &ret->row, err);
    if (code != OS_OK)
        return code;
    if (plan->index == NULL) {
        ret->key = ret->row;
        memset(&ret->row, 0, sizeof(ret->row));
    } else if (!encoded_key_of_index(&plan->index->keys, plan->query->start, &ret->key)) {
        return refuse(plan->query, fault, "", err);
    }
    json_t *all = rows_key_attributes(keys, plan->index, plan->query->start);
    bool is_whole = all != NULL && json_object_size(all) == json_object_size(plan->query->start);
    json_decref(all);
    if (all == NULL)
        return error_no_memory(err);
    return is_whole ? OS_OK : refuse(plan->query, fault, "", err);
}

static os_code plan_start(struct rows_plan *plan, os_error *err)
{
    struct rows_position start = {.key = {.hash = 0}};
    os_code code = read_start(plan, &start, err);
    if (code != OS_OK)
        return code;
    if (compare_positions(&start, &plan->range.from) < 0 || compare_positions(&start, &plan->range.until) >= 0)
        return refuse(plan->query, "the key to start at is outside of what is asked for", "", err);
    if (plan->query->is_descending) {
        plan->range.until = start;
        return OS_OK;
    }
    step_behind(plan->index != NULL ? &start.row.sort : &start.key.sort);
    plan->range.from = start;
    return OS_OK;
}

static os_code plan_index(struct rows_plan *plan, os_error *err)
{
    const struct rows_definition *definition = &plan->table->definition;
    if (plan->query->index == NULL)
        return OS_OK;
    plan->index = rows_index_find(definition, plan->query->index);
    if (plan->index == NULL)
        return refuse(plan->query, "the table has no such index", "", err);
    plan->index_number = (int)(plan->index - definition->indexes) + 1;
    return OS_OK;
}

os_code rows_plan(const struct rows_query *query, const struct sqlite_rows_table *table, struct rows_plan *ret,
                  os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->query = query;
    ret->table = table;
    ret->index_number = ROWS_NO_INDEX;
    os_code code = plan_index(ret, err);
    if (code == OS_OK)
        code = query->partition != NULL ? plan_query(ret, err) : plan_scan(ret, err);
    if (code == OS_OK)
        code = check_attributes(ret, err);
    return code == OS_OK && query->start != NULL ? plan_start(ret, err) : code;
}
