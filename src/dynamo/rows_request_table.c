/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that make a table by its definition. Those that ask what it is are in request_table.c. */
#include "dynamo/request_parts.h"
#include "dynamo/rows_request.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <string.h>

enum {
    TABLE_BODY_MAX =
        1024 * 1024, /* 100 names that indexes include, of which JSON makes six times as much, and the rest */
    KEY_ATTRIBUTES_MAX = 2 * (1 + ROWS_INDEXES_MAX)
};

static os_code begin(const char *table, struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_open(TABLE_BODY_MAX, ret, ret_body);
    buf_add_char(ret_body, '{');
    dynamo_add_table(ret_body, table);
    return dynamo_check_table(table, err);
}

/* "MEMBER":TEXT */
static void add_member(struct buf *out, const char *member, const char *text)
{
    buf_add_strs(out, "\"", member, "\":", NULL);
    json_write_string(out, text, strlen(text));
}

/* ---------------------------------------------------------------------------------------------------- attributes */

struct key_attributes {
    const struct rows_attribute *list[KEY_ATTRIBUTES_MAX];
    size_t count;
};

/* Each once. */
static void take_attribute(struct key_attributes *attributes, const struct rows_attribute *attribute)
{
    if (attribute->name == NULL)
        return;
    for (size_t i = 0; i < attributes->count; i++)
        if (strcmp(attributes->list[i]->name, attribute->name) == 0)
            return;
    attributes->list[attributes->count++] = attribute;
}

static void take_keys(struct key_attributes *attributes, const struct rows_key_schema *keys)
{
    take_attribute(attributes, &keys->partition);
    take_attribute(attributes, &keys->sort);
}

static void add_attributes(struct buf *out, const struct rows_definition *definition)
{
    struct key_attributes attributes = {.count = 0};
    take_keys(&attributes, &definition->keys);
    for (size_t i = 0; i < definition->index_count; i++)
        take_keys(&attributes, &definition->indexes[i].keys);
    buf_add_str(out, ",\"AttributeDefinitions\":[");
    for (size_t i = 0; i < attributes.count; i++) {
        buf_add_str(out, i > 0 ? ",{" : "{");
        add_member(out, "AttributeName", attributes.list[i]->name);
        buf_add_strs(out, ",\"AttributeType\":\"", value_type_name(attributes.list[i]->type), "\"}", NULL);
    }
    buf_add_char(out, ']');
}

/* ---------------------------------------------------------------------------------------------------------- keys */

static void add_key(struct buf *out, const struct rows_attribute *attribute, const char *role)
{
    buf_add_char(out, '{');
    add_member(out, "AttributeName", attribute->name);
    buf_add_strs(out, ",\"KeyType\":\"", role, "\"}", NULL);
}

static void add_keys(struct buf *out, const struct rows_key_schema *keys)
{
    buf_add_str(out, ",\"KeySchema\":[");
    add_key(out, &keys->partition, "HASH");
    if (keys->sort.name != NULL) {
        buf_add_char(out, ',');
        add_key(out, &keys->sort, "RANGE");
    }
    buf_add_char(out, ']');
}

/* ------------------------------------------------------------------------------------------------------- indexes */

static void add_names(struct buf *out, const struct rows_index *index)
{
    buf_add_str(out, ",\"NonKeyAttributes\":[");
    for (size_t i = 0; i < index->name_count; i++) {
        buf_add_str(out, i > 0 ? "," : "");
        json_write_string(out, index->names[i], strlen(index->names[i]));
    }
    buf_add_char(out, ']');
}

static void add_index(struct buf *out, const struct rows_index *index)
{
    buf_add_char(out, '{');
    add_member(out, "IndexName", index->name);
    add_keys(out, &index->keys);
    buf_add_strs(out, ",\"Projection\":{\"ProjectionType\":\"", rows_projection_name(index->projection), "\"", NULL);
    if (index->projection == ROWS_PROJECT_INCLUDE)
        add_names(out, index);
    buf_add_str(out, "}}");
}

static void add_indexes(struct buf *out, const struct rows_definition *definition)
{
    for (size_t i = 0; i < definition->index_count; i++) {
        buf_add_str(out, i > 0 ? "," : ",\"GlobalSecondaryIndexes\":[");
        add_index(out, &definition->indexes[i]);
    }
    buf_add_str(out, definition->index_count > 0 ? "]" : "");
}

/* What CreateTable and the resource of a template have, beside the name. */
static void add_definition(struct buf *out, const struct rows_definition *definition)
{
    add_attributes(out, definition);
    add_keys(out, &definition->keys);
    add_indexes(out, definition);
    buf_add_str(out, ",\"BillingMode\":\"PAY_PER_REQUEST\"");
}

static void add_time_to_live(struct buf *out, const char *attribute)
{
    buf_add_str(out, ",\"TimeToLiveSpecification\":{\"Enabled\":true,");
    add_member(out, "AttributeName", attribute);
    buf_add_char(out, '}');
}

/* ------------------------------------------------------------------------------------------------------ requests */

os_code rows_build_create_table(const struct endpoint *endpoint, const char *table,
                                const struct rows_definition *definition, struct http_request *ret,
                                struct buf *ret_body, os_error *err)
{
    os_code code = begin(table, ret, ret_body, err);
    if (code == OS_OK)
        code = rows_definition_check(definition, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    add_definition(ret_body, definition);
    return dynamo_finish(endpoint, "CreateTable", ret, ret_body, err);
}

os_code rows_build_update_ttl(const struct endpoint *endpoint, const char *table, const char *attribute,
                              struct http_request *ret, struct buf *ret_body, os_error *err)
{
    os_code code = begin(table, ret, ret_body, err);
    if (code != OS_OK)
        return dynamo_drop(ret, ret_body, code);
    add_time_to_live(ret_body, attribute);
    return dynamo_finish(endpoint, "UpdateTimeToLive", ret, ret_body, err);
}

/* -------------------------------------------------------------------------------------------------- infrastructure */

os_code rows_build_resource(const char *table, const struct rows_definition *definition, struct buf *ret, os_error *err)
{
    buf_init(ret, TABLE_BODY_MAX);
    os_code code = dynamo_check_table(table, err);
    if (code == OS_OK && !rows_is_name(text_from(table)))
        code = error_set(err, OS_ERR_ARGUMENT, "A template makes a table by its name, which is no ARN: %.255s.", table);
    if (code == OS_OK)
        code = rows_definition_check(definition, err);
    if (code != OS_OK)
        return code;
    /* The first is for a resource that leaves the template, the second for one that another takes the place of. */
    buf_add_str(ret, "{\"Type\":\"AWS::DynamoDB::Table\",\"DeletionPolicy\":\"Retain\","
                     "\"UpdateReplacePolicy\":\"Retain\",\"Properties\":{");
    dynamo_add_table(ret, table);
    add_definition(ret, definition);
    if (definition->ttl != NULL)
        add_time_to_live(ret, definition->ttl);
    buf_add_str(ret, "}}");
    return buf_ok(ret) ? OS_OK : error_no_memory(err);
}
