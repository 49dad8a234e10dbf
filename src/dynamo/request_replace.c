/* SPDX-License-Identifier: Apache-2.0 */
/* The PutItem that replaces an item which does not fit the schema, on the condition that it is still the same. */
#include "base/error.h"
#include "dynamo/expression.h"
#include "dynamo/item.h"
#include "dynamo/request_parts.h"
#include "syntax/json.h"

#include <string.h>

enum { REPLACE_BODY_MAX = 4 * 1024 * 1024 /* with an item of 400 KB, every byte escaped as six */ };

/* What a writer sets, and others may have spoilt. */
static expression_names set_names(const struct item_schema *schema)
{
    return expression_names_known(schema) & ~expression_names_key(schema);
}

static bool is_set(const struct item_schema *schema, size_t attribute)
{
    return attribute >= schema->keys && schema->attributes[attribute].presence != ITEM_REMARK;
}

/* ----------------------------------------------------------------------------------- an item that is not known */

static void add_type_test(struct buf *out, const struct item_attribute *attribute)
{
    bool optional = attribute->presence == ITEM_OPTIONAL;
    if (optional)
        buf_add_strs(out, "(attribute_not_exists(#", attribute->name, ") OR ", NULL);
    buf_add_strs(out, "attribute_type(#", attribute->name, ", :", dynamo_type_name(attribute->type), ")", NULL);
    buf_add_str(out, optional ? ")" : "");
}

static void add_type_value(struct buf *out, const struct item_schema *schema, enum item_type type, bool *first)
{
    bool used = false;
    for (size_t i = 0; i < schema->count; i++)
        used = used || (is_set(schema, i) && schema->attributes[i].type == type);
    if (!used)
        return;
    const char *name = dynamo_type_name(type);
    buf_add_strs(out, *first ? ",\"ExpressionAttributeValues\":{\":" : ",\":", name, "\":{\"S\":\"", name, "\"}", NULL);
    *first = false;
}

/* What is too large to be read has more in it than numbers and short texts: no writer of the protocol can have made it.
 * An item without one of the attributes is none either, nor is one that has it of another type. */
static void add_unseen_condition(struct buf *out, const struct item_schema *schema)
{
    bool first = true;
    buf_add_str(out, ",\"ConditionExpression\":\"NOT (");
    for (size_t i = 0; i < schema->count; i++) {
        if (!is_set(schema, i))
            continue;
        buf_add_str(out, first ? "" : " AND ");
        add_type_test(out, &schema->attributes[i]);
        first = false;
    }
    buf_add_str(out, ")\"");
    expression_add_names(out, schema, set_names(schema));
    first = true;
    add_type_value(out, schema, ITEM_NUMBER, &first);
    add_type_value(out, schema, ITEM_STRING, &first);
    buf_add_str(out, first ? "" : "}");
}

/* ---------------------------------------------------------------------------------------- an item that was read */

/* A list, map or set: no schema has one, so that its type tells it from any. (dynalite cannot compare them.) */
static const char *container_type(const json_t *value)
{
    static const char *const types[] = {"L", "M", "SS", "NS", "BS"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (json_object_get(value, types[i]) != NULL)
            return types[i];
    return NULL;
}

static void add_seen_test(struct buf *out, const char *name, const json_t *value)
{
    if (value == NULL)
        buf_add_strs(out, "attribute_not_exists(#", name, ")", NULL);
    else if (container_type(value) != NULL)
        buf_add_strs(out, "attribute_type(#", name, ", :", name, ")", NULL);
    else
        buf_add_strs(out, "#", name, " = :", name, NULL);
}

static void add_seen_value(struct buf *out, const char *name, const json_t *value, bool *first)
{
    if (value == NULL)
        return;
    const char *container = container_type(value);
    buf_add_strs(out, *first ? ",\"ExpressionAttributeValues\":{\":" : ",\":", name, "\":", NULL);
    if (container != NULL)
        buf_add_strs(out, "{\"S\":\"", container, "\"}", NULL);
    else
        (void)json_write(out, value);
    *first = false;
}

/* Every attribute of the schema is as it was, whatever it is, or still missing. */
static void add_seen_condition(struct buf *out, const struct item_schema *schema, const json_t *seen)
{
    bool first = true;
    for (size_t i = 0; i < schema->count; i++) {
        if (!is_set(schema, i))
            continue;
        buf_add_str(out, first ? ",\"ConditionExpression\":\"" : " AND ");
        add_seen_test(out, schema->attributes[i].name, json_object_get(seen, schema->attributes[i].name));
        first = false;
    }
    buf_add_char(out, '"');
    expression_add_names(out, schema, set_names(schema));
    first = true;
    for (size_t i = 0; i < schema->count; i++)
        if (is_set(schema, i))
            add_seen_value(out, schema->attributes[i].name, json_object_get(seen, schema->attributes[i].name), &first);
    buf_add_str(out, first ? "" : "}");
}

os_code dynamo_build_replace(const struct dynamo_target *target, const struct item *item, const char *seen,
                             struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, REPLACE_BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_key(target, item, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    json_t *json = seen != NULL ? json_read(seen, strlen(seen)) : NULL;
    buf_add_str(ret_body, ",\"Item\":");
    dynamo_item_write(ret_body, target->schema, item, target->schema->count);
    if (seen == NULL)
        add_unseen_condition(ret_body, target->schema);
    else if (json != NULL)
        add_seen_condition(ret_body, target->schema, json);
    bool failed = seen != NULL && json == NULL;
    json_decref(json);
    return failed ? dynamo_drop(ret, ret_body, error_no_memory(err))
                  : dynamo_finish(target->endpoint, "PutItem", ret, ret_body, err);
}
