/* SPDX-License-Identifier: Apache-2.0 */
/* Query and Scan. */
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "syntax/json.h"

#include <string.h>

enum { SEGMENTS_MAX = 1000000 /* API Reference, Scan, TotalSegments */ };

/* -------------------------------------------------------------------------------------------------------- checks */

static os_code check_index(const struct rows_list *list, os_error *err)
{
    if (list->index == NULL || (dynamo_table_name_ok(list->index) && strchr(list->index, ':') == NULL))
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "\"%s\" is not the name of an index: give 3 to 255 of a-z, A-Z, 0-9, '_', '-' and '.'.",
                     list->index);
}

/* The key conditions say all that is to be said of the key. */
static os_code check_filter(const struct rows_list *list, os_error *err)
{
    const struct rows_keys *keys = rows_list_keys(list);
    os_code code = condition_check(&list->filter, err);
    for (size_t i = 0; i < list->filter.count && code == OS_OK; i++) {
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
    if (list->segments == 0 ? list->segment == 0 : list->segments <= SEGMENTS_MAX && list->segment < list->segments)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A Scan reads one of 1 to %d segments, which are numbered from 0: there is no segment %u of %u.",
                     SEGMENTS_MAX, list->segment, list->segments);
}

static os_code check_kind(const struct rows_list *list, os_error *err)
{
    if (list->partition != NULL) {
        if (list->segments == 0 && list->segment == 0)
            return check_filter(list, err);
        return error_set(err, OS_ERR_ARGUMENT, "A Query reads one partition: it has no segments. Scan the table.");
    }
    if (list->sort.test == 0 && !list->is_descending)
        return check_segments(list, err);
    return error_set(err, OS_ERR_ARGUMENT,
                     "A Scan has no order and asks nothing of the sort key: give the value of the partition, or use a "
                     "filter.");
}

static os_code check_paths(const struct rows_list *list, const struct rows_keys *keys, os_error *err)
{
    os_code code = rows_check_paths_of_keys(keys, list->paths, list->path_count, err);
    return code == OS_OK ? rows_check_condition_on_keys(keys, &list->filter, err) : code;
}

static os_code check_list(const struct rows_list *list, os_error *err)
{
    os_code code = rows_check_table(list->table, err);
    if (code == OS_OK)
        code = check_index(list, err);
    if (code == OS_OK && list->index != NULL)
        code = rows_check_table(&(struct rows_table){list->table->name, list->index_keys}, err);
    if (code == OS_OK)
        code = check_kind(list, err);
    if (code == OS_OK)
        code = check_paths(list, &list->table->keys, err);
    if (code == OS_OK && list->index != NULL)
        code = check_paths(list, &list->index_keys, err);
    return code == OS_OK && list->start_key != NULL ? rows_check_start_key(list, err) : code;
}

/* ------------------------------------------------------------------------------------------------------- request */

static os_code add_expressions(struct buf *out, const struct rows_list *list, struct rows_substitutes *substitutes,
                               os_error *err)
{
    os_code code = OS_OK;
    if (list->partition != NULL)
        code = rows_add_key_condition(out, list, substitutes, err);
    if (code == OS_OK && list->start_key != NULL && !rows_key_condition_fits(list, list->start_key)) {
        code =
            error_set(err, OS_ERR_ARGUMENT,
                      "A page cannot begin here: the key is none that this Query asks for. List from the beginning.");
    }
    if (code == OS_OK)
        code = rows_add_condition(out, "FilterExpression", &list->filter, substitutes, err);
    if (code == OS_OK)
        code = rows_add_projection(out, list->paths, list->path_count, substitutes, err);
    return code == OS_OK ? rows_add_substitutes(out, substitutes, err) : code;
}

static void add_number(struct buf *out, const char *member, uint32_t number)
{
    buf_add_strs(out, ",\"", member, "\":", NULL);
    buf_add_number(out, number);
}

/* An index beside the table is never consistent, and the service refuses to be asked (API Reference, Query). */
static os_code add_members(struct buf *out, const struct rows_list *list, os_error *err)
{
    if (list->index != NULL) {
        buf_add_str(out, ",\"IndexName\":");
        json_write_string(out, list->index, strlen(list->index));
    }
    buf_add_str(out, list->is_eventual || list->index != NULL ? "" : ",\"ConsistentRead\":true");
    buf_add_str(out, list->is_descending ? ",\"ScanIndexForward\":false" : "");
    if (list->limit > 0)
        add_number(out, "Limit", list->limit < INT32_MAX ? list->limit : INT32_MAX); /* an Integer of the API */
    if (list->segments > 0) {
        add_number(out, "Segment", list->segment);
        add_number(out, "TotalSegments", list->segments);
    }
    if (list->start_key == NULL)
        return OS_OK;
    buf_add_str(out, ",\"ExclusiveStartKey\":");
    return json_write(out, list->start_key) ? OS_OK : error_no_memory(err);
}

os_code rows_build_list(const struct endpoint *endpoint, const struct rows_list *list, struct http_request *ret,
                        struct buf *ret_body, os_error *err)
{
    struct rows_substitutes substitutes;
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    os_code code = check_list(list, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    buf_add_char(ret_body, '{');
    dynamo_add_table(ret_body, list->table->name);
    code = add_members(ret_body, list, err);
    rows_substitutes_init(&substitutes);
    if (code == OS_OK)
        code = add_expressions(ret_body, list, &substitutes, err);
    rows_substitutes_free(&substitutes);
    return rows_finish(endpoint, rows_list_operation(list), code, ret, ret_body, err);
}
