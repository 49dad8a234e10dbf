/* SPDX-License-Identifier: Apache-2.0 */
/* A page of a Query or a Scan. */
#include "attribute/projection.h"
#include "base/error.h"
#include "rows/check.h"

/* The key conditions say all that is to be said of the key. */
static os_code check_filter(const struct rows_list *list, os_error *err)
{
    const struct rows_keys *keys = rows_list_keys(list);
    os_code code = condition_check(&list->filter, err);
    for (size_t i = 0; list->partition != NULL && i < list->filter.count && code == OS_OK; i++) {
        const char *name = list->filter.terms[i].path.steps[0].name;
        if (rows_is_key_name(keys, name)) {
            code = error_set(err, OS_ERR_ARGUMENT,
                             "The filter of a Query says something of \"%.100s\", which is of the key. Say it of the "
                             "sort key, or filter the items that come.",
                             name);
        }
    }
    return code;
}

static os_code check_segments(const struct rows_list *list, os_error *err)
{
    if (list->segments == 0 ? list->segment == 0
                            : list->segments <= ROWS_SEGMENTS_MAX && list->segment < list->segments)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A Scan reads one of 1 to %d segments, which are numbered from 0: there is no segment %u of %u.",
                     ROWS_SEGMENTS_MAX, list->segment, list->segments);
}

static os_code check_range(const struct rows_keys *keys, const struct rows_range *range, os_error *err)
{
    if (keys->sort == NULL || range->test == CONDITION_DIFFERS || range->test >= CONDITION_CONTAINS) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The sort key of a Query is compared with =, <, <=, >, >=, BETWEEN or begins_with, where the "
                         "table or the index has one. Use the filter for all else.");
    }
    const struct path_step step = {.name = keys->sort};
    const struct condition_term term = {
        .path = {&step, 1}, .test = range->test, .value = range->value, .upper = range->upper};
    os_code code = rows_check_key_value(keys->sort, range->value, true, err);
    if (code == OS_OK && range->test == CONDITION_IS_BETWEEN)
        code = rows_check_key_value(keys->sort, range->upper, true, err);
    return code == OS_OK ? condition_check(&(struct condition){&term, 1}, err) : code;
}

static os_code check_query(const struct rows_list *list, os_error *err)
{
    const struct rows_keys *keys = rows_list_keys(list);
    if (list->segments != 0 || list->segment != 0)
        return error_set(err, OS_ERR_ARGUMENT, "A Query reads one partition: it has no segments. Scan the table.");
    os_code code = rows_check_key_value(keys->partition, list->partition, false, err);
    return code == OS_OK && list->sort.test != 0 ? check_range(keys, &list->sort, err) : code;
}

static os_code check_scan(const struct rows_list *list, os_error *err)
{
    if (list->sort.test == 0 && !list->is_descending)
        return check_segments(list, err);
    return error_set(err, OS_ERR_ARGUMENT,
                     "A Scan has no order and asks nothing of the sort key: give the value of the partition, or use a "
                     "filter.");
}

static os_code check_names(const struct rows_list *list, os_error *err)
{
    os_code code = rows_check_key_names(&list->table->keys, err);
    if (code != OS_OK || list->index == NULL)
        return code;
    code = rows_check_name(list->index, "an index", err);
    return code == OS_OK ? rows_check_key_names(&list->index_keys, err) : code;
}

static os_code check_paths(const struct rows_list *list, const struct rows_keys *keys, os_error *err)
{
    os_code code = rows_check_paths_of_keys(keys, list->paths, list->path_count, err);
    return code == OS_OK ? rows_check_condition_on_keys(keys, &list->filter, err) : code;
}

static os_code check_start(const struct rows_list *list, os_error *err)
{
    os_code code = rows_check_start_key(list, err);
    if (code != OS_OK || rows_list_asks_for(list, list->start_key))
        return code;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A page cannot begin here: the key is none that this Query asks for. List from the beginning.");
}

os_code rows_check_list(const struct rows_list *list, os_error *err)
{
    os_code code = check_names(list, err);
    if (code == OS_OK)
        code = list->partition != NULL ? check_query(list, err) : check_scan(list, err);
    if (code == OS_OK)
        code = check_filter(list, err);
    if (code == OS_OK)
        code = projection_check(list->paths, list->path_count, err);
    if (code == OS_OK)
        code = check_paths(list, &list->table->keys, err);
    if (code == OS_OK && list->index != NULL)
        code = check_paths(list, &list->index_keys, err);
    return code == OS_OK && list->start_key != NULL ? check_start(list, err) : code;
}

/* ----------------------------------------------------------------------------------------------------- start keys */

static bool fits_term(const struct condition_term *term, const json_t *item)
{
    return path_find(item, &term->path) == NULL || condition_holds(&(struct condition){term, 1}, item);
}

bool rows_list_asks_for(const struct rows_list *list, const json_t *item)
{
    const struct rows_keys *keys = rows_list_keys(list);
    const struct rows_range *sort = &list->sort;
    const struct path_step steps[] = {{.name = keys->partition}, {.name = keys->sort}};
    const struct condition_term partition = {
        .path = {&steps[0], 1}, .test = CONDITION_EQUALS, .value = list->partition};
    const struct condition_term range = {
        .path = {&steps[1], 1}, .test = sort->test, .value = sort->value, .upper = sort->upper};
    return list->partition == NULL || (fits_term(&partition, item) && (sort->test == 0 || fits_term(&range, item)));
}

static size_t count_names(const struct rows_keys *keys, const struct rows_keys *others)
{
    size_t count = rows_is_key_name(others, keys->partition) ? 0 : 1;
    return count + (keys->sort != NULL && !rows_is_key_name(others, keys->sort) ? 1 : 0);
}

/* The key of the table, and where an index is asked that of the index too. */
os_code rows_check_start_key(const struct rows_list *list, os_error *err)
{
    static const struct rows_keys none;
    const struct rows_keys *keys = &list->table->keys;
    const struct rows_keys *listed = rows_list_keys(list);
    size_t count = count_names(keys, &none) + (listed != keys ? count_names(listed, keys) : 0);
    os_code code = rows_check_key_values(keys, list->start_key, err);
    if (code == OS_OK)
        code = rows_check_key_values(listed, list->start_key, err);
    if (code != OS_OK || json_object_size(list->start_key) == count)
        return code;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A page cannot begin here: the key has other attributes than one with which a page of this list "
                     "ended. List from the beginning.");
}
