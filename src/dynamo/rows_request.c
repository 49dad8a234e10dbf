/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about one item. */
#include "base/error.h"
#include "dynamo/rows_request_parts.h"
#include "syntax/json.h"

os_code rows_finish(const struct endpoint *endpoint, const char *operation, os_code code, struct http_request *ret,
                    struct buf *ret_body, os_error *err)
{
    return code == OS_OK ? dynamo_finish(endpoint, operation, ret, ret_body, err) : dynamo_drop(ret, ret_body, code);
}

/* --------------------------------------------------------------------------------------------------------- paths */

os_code rows_check_paths_of_keys(const struct rows_keys *keys, const struct path *paths, size_t count, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    for (size_t i = 0; i < count; i++) {
        const char *name = paths[i].count > 1 ? paths[i].steps[0].name : NULL;
        if (name != NULL && rows_is_key_name(keys, name)) {
            return error_set(err, OS_ERR_ARGUMENT,
                             "%s: an attribute of the key is an S, an N or a B, which has nothing inside. Name the "
                             "attribute itself.",
                             path_text(&paths[i], text));
        }
    }
    return OS_OK;
}

os_code rows_check_condition_on_keys(const struct rows_keys *keys, const struct condition *condition, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < condition->count && code == OS_OK; i++)
        code = rows_check_paths_of_keys(keys, &condition->terms[i].path, 1, err);
    return code;
}

/* -------------------------------------------------------------------------------------------------------- writes */

static os_code check_changes(const struct rows_write *write, os_error *err)
{
    char text[PATH_TEXT_SIZE];
    for (size_t i = 0; i < write->change_count; i++) {
        const struct path *path = &write->changes[i].path;
        os_code code = path_check(path, err);
        if (code != OS_OK)
            return code;
        if (rows_is_key_name(&write->table->keys, path->steps[0].name)) {
            return error_set(
                err, OS_ERR_ARGUMENT,
                "%s: the attributes of an item's key do not change. Put a new item and delete the old one.",
                path_text(path, text));
        }
    }
    return OS_OK;
}

static os_code check_write(const struct rows_write *write, os_error *err)
{
    os_code code = write->kind == ROWS_PUT ? rows_check_item(write->table, write->item, err)
                                           : rows_check_key(&(struct rows_key){write->table, write->item}, err);
    if (code == OS_OK)
        code = rows_check_condition_on_keys(&write->table->keys, &write->condition, err);
    if (code != OS_OK)
        return code;
    if (write->kind != ROWS_UPDATE && write->change_count > 0)
        return error_set(err, OS_ERR_ARGUMENT, "Only an update of an item has changes: this is another write.");
    if (write->kind == ROWS_CHECK && write->condition.count == 0)
        return error_set(err, OS_ERR_ARGUMENT, "A check of an item in a transaction has no condition: give one.");
    return write->kind == ROWS_UPDATE ? check_changes(write, err) : OS_OK;
}

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
    os_code code = check_write(write, err);
    if (code != OS_OK)
        return code;
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
    if (write->kind == ROWS_CHECK) {
        return dynamo_drop(
            ret, ret_body,
            error_set(err, OS_ERR_ARGUMENT, "A check of an item stands only in a transaction: read the item instead."));
    }
    buf_add_char(ret_body, '{');
    os_code code = rows_add_write(ret_body, write, err);
    if (write->returns_item)
        buf_add_strs(ret_body, ",\"ReturnValues\":\"", write->kind == ROWS_UPDATE ? "ALL_NEW" : "ALL_OLD", "\"", NULL);
    return rows_finish(endpoint, rows_operation(write->kind), code, ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------------- reads */

os_code rows_add_get(struct buf *out, const struct rows_get *get, os_error *err)
{
    struct rows_substitutes substitutes;
    os_code code = rows_check_key(&get->of, err);
    if (code == OS_OK)
        code = rows_check_paths_of_keys(&get->of.table->keys, get->paths, get->path_count, err);
    if (code != OS_OK)
        return code;
    dynamo_add_table(out, get->of.table->name);
    buf_add_str(out, ",\"Key\":");
    if (!json_write(out, get->of.key))
        return error_no_memory(err);
    rows_substitutes_init(&substitutes);
    code = rows_add_projection(out, get->paths, get->path_count, &substitutes, err);
    if (code == OS_OK)
        code = rows_add_substitutes(out, &substitutes, err);
    rows_substitutes_free(&substitutes);
    return code;
}

os_code rows_build_get(const struct endpoint *endpoint, const struct rows_get *get, struct http_request *ret,
                       struct buf *ret_body, os_error *err)
{
    dynamo_open(ROWS_BODY_MAX, ret, ret_body);
    buf_add_char(ret_body, '{');
    os_code code = rows_add_get(ret_body, get, err);
    buf_add_str(ret_body, get->is_eventual ? "" : ",\"ConsistentRead\":true");
    return rows_finish(endpoint, "GetItem", code, ret, ret_body, err);
}
