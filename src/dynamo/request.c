/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about items. */
#include "base/error.h"
#include "base/text.h"
#include "dynamo/expression.h"
#include "dynamo/item.h"
#include "dynamo/request_parts.h"
#include "rows/rows.h"
#include "syntax/json.h"

#include <string.h>

enum {
    BODY_MAX = 128 * 1024,
    START_KEY_MAX = 32768 /* both keys, with every byte escaped as six */
};

static const struct item_condition no_condition;

/* As it stands behind the table's name. */
static void add_key(struct buf *out, const struct dynamo_target *target, const struct item *item)
{
    buf_add_str(out, ",\"Key\":");
    dynamo_item_write(out, target->schema, item, target->schema->keys);
}

/* The condition, names and values of a write; and what is asked for where the condition fails. */
static void add_expressions(struct buf *out, const struct dynamo_target *target, const struct dynamo_write *write)
{
    const struct item_schema *schema = target->schema;
    const struct item_condition *condition = write->condition != NULL ? write->condition : &no_condition;
    expression_add_condition(out, schema, condition);
    expression_add_names(
        out, schema, expression_names_of(condition) | expression_names_changed(write->changes, write->change_count));
    expression_add_values(out, schema, condition, write->changes, write->change_count);
    if (condition->count > 0)
        buf_add_str(out, ",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
}

os_code dynamo_build_put(const struct dynamo_target *target, const struct dynamo_write *write, struct http_request *ret,
                         struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_key(target, write->item, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    buf_add_str(ret_body, ",\"Item\":");
    dynamo_item_write(ret_body, target->schema, write->item, target->schema->count);
    add_expressions(ret_body, target, write);
    return dynamo_finish(target->endpoint, "PutItem", ret, ret_body, err);
}

os_code dynamo_build_update(const struct dynamo_target *target, const struct dynamo_write *write,
                            struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_key(target, write->item, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    add_key(ret_body, target, write->item);
    expression_add_changes(ret_body, target->schema, write->changes, write->change_count);
    add_expressions(ret_body, target, write);
    buf_add_str(ret_body, ",\"ReturnValues\":\"ALL_NEW\"");
    return dynamo_finish(target->endpoint, "UpdateItem", ret, ret_body, err);
}

os_code dynamo_build_delete(const struct dynamo_target *target, const struct dynamo_write *write,
                            struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_key(target, write->item, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    add_key(ret_body, target, write->item);
    add_expressions(ret_body, target, write);
    return dynamo_finish(target->endpoint, "DeleteItem", ret, ret_body, err);
}

os_code dynamo_build_get(const struct dynamo_target *target, const struct item *key, struct http_request *ret,
                         struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_key(target, key, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    expression_names names = expression_names_known(target->schema);
    add_key(ret_body, target, key);
    buf_add_str(ret_body, ",\"ConsistentRead\":true");
    expression_add_projection(ret_body, target->schema, names);
    expression_add_names(ret_body, target->schema, names);
    return dynamo_finish(target->endpoint, "GetItem", ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------------- lists */

static expression_names wanted_names(const struct item_schema *schema, enum dynamo_attributes attributes)
{
    switch (attributes) {
    case DYNAMO_KNOWN_ATTRIBUTES: return expression_names_known(schema);
    case DYNAMO_KEY_ATTRIBUTES: return expression_names_key(schema);
    case DYNAMO_ALL_ATTRIBUTES: break;
    }
    return 0;
}

static void add_partition(struct buf *out, const struct item_schema *schema, const char *partition)
{
    const char *name = schema->attributes[0].name;
    struct item_value value = item_text(partition);
    buf_add_strs(out, ",\"KeyConditionExpression\":\"#", name, " = :", name,
                 "\",\"ExpressionAttributeValues\":{\":", name, "\":", NULL);
    dynamo_value_write(out, &value);
    buf_add_char(out, '}');
}

static os_code add_start_key(struct buf *out, const char *start_key, os_error *err)
{
    if (start_key == NULL)
        return OS_OK;
    size_t len = strlen(start_key);
    json_t *key = len <= START_KEY_MAX ? json_read(start_key, len) : NULL;
    if (key == NULL) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The next page of records cannot start here: no page ended with this key. List the records "
                         "from the beginning.");
    }
    buf_add_str(out, ",\"ExclusiveStartKey\":");
    (void)json_write(out, key);
    json_decref(key);
    return OS_OK;
}

os_code dynamo_build_list(const struct dynamo_target *target, const struct dynamo_page *page, struct http_request *ret,
                          struct buf *ret_body, os_error *err)
{
    const struct item_schema *schema = target->schema;
    bool queries = page->partition != NULL;
    dynamo_begin(target, BODY_MAX, ret, ret_body);
    os_code code =
        queries ? dynamo_check_partition(target, page->partition, err) : dynamo_check_table(target->table, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    expression_names names = wanted_names(schema, page->attributes);
    buf_add_str(ret_body, ",\"ConsistentRead\":true,\"Limit\":");
    buf_add_number(ret_body, rows_page_limit(page->limit));
    if (queries)
        add_partition(ret_body, schema, page->partition);
    expression_add_projection(ret_body, schema, names);
    expression_add_names(ret_body, schema, names | (queries ? 1 : 0));
    code = add_start_key(ret_body, page->start_key, err);
    return code == OS_OK ? dynamo_finish(target->endpoint, queries ? "Query" : "Scan", ret, ret_body, err)
                         : dynamo_drop(ret, ret_body, code);
}
