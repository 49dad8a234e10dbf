/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/item.h"

#include "base/error.h"
#include "base/text.h"
#include "syntax/json.h"

#include <string.h>

enum {
    OTHER_MAX =
        4 * 1024 * 1024 /* an item is at most 400 KB (Developer Guide, "Quotas"); JSON may write a byte as six */
};

/* ------------------------------------------------------------------------------------------------------- writing */

const char *dynamo_type_name(enum item_type type)
{
    return type == ITEM_NUMBER ? "N" : "S";
}

void dynamo_value_write(struct buf *out, const struct item_value *value)
{
    if (value->type == ITEM_NUMBER) {
        buf_add_str(out, "{\"N\":\"");
        buf_add_number(out, value->number);
        buf_add_str(out, "\"}");
        return;
    }
    buf_add_str(out, "{\"S\":");
    json_write_string(out, value->text, strlen(value->text));
    buf_add_char(out, '}');
}

void dynamo_item_write(struct buf *out, const struct item_schema *schema, const struct item *item, size_t count)
{
    bool first = true;
    buf_add_char(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (item->values[i].type == ITEM_NONE)
            continue;
        buf_add_strs(out, first ? "\"" : ",\"", schema->attributes[i].name, "\":", NULL);
        dynamo_value_write(out, &item->values[i]);
        first = false;
    }
    buf_add_char(out, '}');
}

/* ------------------------------------------------------------------------------------------------------- reading */

/* The text of an attribute of this type; NULL when its value is not an object with exactly that member, or has a NUL.
 */
static const char *typed_value(const json_t *attribute, const char *type)
{
    return json_object_size(attribute) == 1 ? json_member_string(attribute, type) : NULL;
}

static os_code item_refuse(os_error *err, const char *name, const char *fault)
{
    return error_set(err, OS_ERR_PROTOCOL, "The attribute \"%s\" %s.", name, fault);
}

/* DynamoDB allows no empty key, and nobody writes any other text that is empty. */
static os_code read_string(const struct item_attribute *attribute, const json_t *json, struct item_value *ret,
                           os_error *err)
{
    const char *value = typed_value(json, "S");
    if (value == NULL || value[0] == '\0')
        return item_refuse(err, attribute->name, "is not a string (S) of at least one byte and without NUL");
    if (strlen(value) > attribute->max) {
        return error_set(err, OS_ERR_PROTOCOL, "The attribute \"%s\" is longer than %zu bytes.", attribute->name,
                         attribute->max);
    }
    *ret = item_text(value);
    return OS_OK;
}

static os_code read_number(const struct item_attribute *attribute, const json_t *json, struct item_value *ret,
                           os_error *err)
{
    uint64_t number;
    const char *value = typed_value(json, "N");
    if (value == NULL)
        return item_refuse(err, attribute->name, "is not a number (N)");
    if (!text_parse_u64(text_from(value), &number))
        return item_refuse(err, attribute->name, "is not a plain unsigned 64-bit integer");
    *ret = item_number(number);
    return OS_OK;
}

static os_code read_attribute(const struct item_attribute *attribute, const json_t *item, struct item_value *ret,
                              os_error *err)
{
    const json_t *json = json_object_get(item, attribute->name);
    *ret = (struct item_value){.type = ITEM_NONE};
    if (json == NULL)
        return attribute->presence == ITEM_REQUIRED ? item_refuse(err, attribute->name, "is missing") : OS_OK;
    os_code code = attribute->type == ITEM_NUMBER ? read_number(attribute, json, ret, err)
                                                  : read_string(attribute, json, ret, err);
    if (code == OS_OK || attribute->presence != ITEM_REMARK)
        return code;
    error_clear(err);
    return OS_OK;
}

os_code dynamo_item_read(const struct item_schema *schema, const json_t *json, struct item *ret, os_error *err)
{
    struct item item = {.values = {{.type = ITEM_NONE}}};
    if (!json_is_object(json))
        return error_set(err, OS_ERR_PROTOCOL, "The item is not a JSON object.");
    for (size_t i = 0; i < schema->count; i++) {
        os_code code = read_attribute(&schema->attributes[i], json, &item.values[i], err);
        if (code != OS_OK)
            return code;
    }
    *ret = item;
    return OS_OK;
}

void dynamo_item_read_key(const struct item_schema *schema, const json_t *json, struct item *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < schema->keys; i++)
        ret->values[i] = item_text(typed_value(json_object_get(json, schema->attributes[i].name), "S"));
}

/* -------------------------------------------------------------------------------------------------------- others */

static bool has_place(const struct item_schema *schema, const struct item *item, const char *name)
{
    for (size_t i = 0; i < schema->count; i++)
        if (strcmp(name, schema->attributes[i].name) == 0)
            return item->values[i].type != ITEM_NONE;
    return false;
}

/* A new reference, or NULL when out of memory; the values are the item's own. */
static json_t *pick_others(const struct item_schema *schema, json_t *json, const struct item *item)
{
    const char *name;
    json_t *value;
    json_t *others = json_object();
    if (others == NULL)
        return NULL;
    json_object_foreach(json, name, value)
    {
        if (!has_place(schema, item, name) && json_object_set(others, name, value) != 0) {
            json_decref(others);
            return NULL;
        }
    }
    return others;
}

char *dynamo_item_others(const struct item_schema *schema, json_t *json, const struct item *item)
{
    json_t *others = pick_others(schema, json, item);
    if (others == NULL)
        return NULL;
    struct buf out;
    buf_init(&out, OTHER_MAX);
    bool written = json_write(&out, others);
    json_decref(others);
    if (!written) {
        buf_free(&out);
        return NULL;
    }
    return buf_take(&out);
}
