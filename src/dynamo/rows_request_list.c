/* SPDX-License-Identifier: Apache-2.0 */
/* Query and Scan. */
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <string.h>

const char *rows_list_operation(const struct rows_list *list)
{
    return list->partition != NULL ? "Query" : "Scan";
}

static os_code add_expressions(struct buf *out, const struct rows_list *list, struct rows_substitutes *substitutes,
                               os_error *err)
{
    os_code code = OS_OK;
    if (list->partition != NULL)
        code = rows_add_key_condition(out, list, substitutes, err);
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

/* Q2. An index beside the table is never consistent, and the service refuses to be asked (API Reference, Query). */
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
    os_code code = dynamo_check_table(list->table->name, err);
    if (code == OS_OK)
        code = rows_check_list(list, err);
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
