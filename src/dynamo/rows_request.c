/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about one item. */
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "rows/check.h"
#include "syntax/json.h"

os_code rows_finish(const struct endpoint *endpoint, const char *operation, os_code code, struct http_request *ret,
                    struct buf *ret_body, os_error *err)
{
    return code == OS_OK ? dynamo_finish(endpoint, operation, ret, ret_body, err) : dynamo_drop(ret, ret_body, code);
}

const char *rows_operation(enum rows_write_kind kind)
{
    static const char *const operations[] = {[ROWS_PUT] = "PutItem",
                                             [ROWS_UPDATE] = "UpdateItem",
                                             [ROWS_DELETE] = "DeleteItem",
                                             [ROWS_CHECK] = "ConditionCheck"};
    return operations[kind];
}

/* -------------------------------------------------------------------------------------------------------- writes */

static os_code add_write_expressions(struct buf *out, const struct rows_write *write,
                                     struct rows_substitutes *substitutes, os_error *err)
{
    os_code code = OS_OK;
    if (write->kind == ROWS_UPDATE)
        code = rows_add_changes(out, write->changes, write->change_count, substitutes, err);
    if (code == OS_OK)
        code = rows_add_condition(out, "ConditionExpression", &write->condition, substitutes, err);
    return code == OS_OK ? rows_add_substitutes(out, substitutes, err) : code;
}

os_code rows_add_write(struct buf *out, const struct rows_write *write, os_error *err)
{
    struct rows_substitutes substitutes;
    os_code code = OS_OK;
    dynamo_add_table(out, write->table->name);
    buf_add_str(out, write->kind == ROWS_PUT ? ",\"Item\":" : ",\"Key\":");
    if (!json_write(out, write->item))
        return error_no_memory(err);
    rows_substitutes_init(&substitutes);
    code = add_write_expressions(out, write, &substitutes, err);
    rows_substitutes_free(&substitutes);
    if (write->condition.count > 0)
        buf_add_str(out, ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
    return code;
}

os_code rows_build_write(const struct endpoint *endpoint, const struct rows_write *write, struct http_request *ret,
                         struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_table(write->table->name, err);
    if (code == OS_OK)
        code = rows_check_write_alone(write, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    buf_add_char(ret_body, '{');
    code = rows_add_write(ret_body, write, err);
    if (write->returns_item)
        buf_add_strs(ret_body, ",\"ReturnValues\":\"", write->kind == ROWS_UPDATE ? "ALL_NEW" : "ALL_OLD", "\"", NULL);
    return rows_finish(endpoint, rows_operation(write->kind), code, ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------------- reads */

os_code rows_add_get(struct buf *out, const struct rows_get *get, os_error *err)
{
    struct rows_substitutes substitutes;
    dynamo_add_table(out, get->of.table->name);
    buf_add_str(out, ",\"Key\":");
    if (!json_write(out, get->of.key))
        return error_no_memory(err);
    rows_substitutes_init(&substitutes);
    os_code code = rows_add_projection(out, get->paths, get->path_count, &substitutes, err);
    if (code == OS_OK)
        code = rows_add_substitutes(out, &substitutes, err);
    rows_substitutes_free(&substitutes);
    return code;
}

os_code rows_build_get(const struct endpoint *endpoint, const struct rows_get *get, struct http_request *ret,
                       struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_table(get->of.table->name, err);
    if (code == OS_OK)
        code = rows_check_get(get, err);
    buf_add_char(ret_body, '{');
    if (code == OS_OK)
        code = rows_add_get(ret_body, get, err);
    buf_add_str(ret_body, get->is_eventual ? "" : ",\"ConsistentRead\":true");
    return rows_finish(endpoint, "GetItem", code, ret, ret_body, err);
}
