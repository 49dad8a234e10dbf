/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of records, and what is asked about the table itself. */
#include "sim/fake_dynamo_internal.h"

#include <stdlib.h>
#include <string.h>

#define DYNAMO "com.amazonaws.dynamodb.v20120810#"

/* --------------------------------------------------------------------------------------------------------- pages */

/* Where the page starts: behind ExclusiveStartKey. False: that is no key. */
static bool find_start(const struct fake_dynamo *dynamo, const json_t *request, size_t *ret)
{
    const json_t *start = json_object_get(request, "ExclusiveStartKey");
    const char *path;
    const char *etag;
    bool is_there;
    *ret = 0;
    if (start == NULL)
        return true;
    if (!fake_key_read(dynamo->schema, start, &path, &etag))
        return false;
    *ret = fake_items_position(dynamo, path, etag, &is_there);
    *ret += is_there ? 1 : 0;
    return true;
}

static json_t *key_of(const struct fake_schema *schema, const struct fake_item *item)
{
    json_t *key = json_pack("{s:{s:s}}", schema->keys[0], "S", item->path);
    if (key != NULL && schema->key_count > 1 &&
        json_object_set_new(key, schema->keys[1], json_pack("{s:s}", "S", item->etag)) != 0) {
        json_decref(key);
        return NULL;
    }
    return key;
}

/* `path` NULL: every partition. */
static void answer_page(struct fake_dynamo *dynamo, const json_t *request, const char *path)
{
    const json_t *limit = json_object_get(request, "Limit");
    json_int_t most = dynamo->options.page_most > 0 ? dynamo->options.page_most : 1000;
    size_t at;
    if (json_is_integer(limit) && json_integer_value(limit) < most)
        most = json_integer_value(limit);
    if (!find_start(dynamo, request, &at) || most < 1) {
        fake_dynamo_invalid(dynamo, "The provided starting key or limit is invalid");
        return;
    }
    json_t *items = json_array();
    const struct fake_item *last = NULL;
    bool ok = items != NULL;
    json_int_t count = 0;
    for (; ok && at < dynamo->count && count < most; at++) {
        if (path == NULL || strcmp(path, dynamo->items[at].path) == 0) {
            last = &dynamo->items[at];
            ok = json_array_append(items, last->item) == 0;
            count++;
        }
    }
    json_t *body = ok ? json_pack("{s:O, s:I, s:I}", "Items", items, "Count", count, "ScannedCount", count) : NULL;
    json_decref(items);
    /* A page that is full names its last key, also when nothing follows. */
    if (body != NULL && count == most &&
        json_object_set_new(body, "LastEvaluatedKey", key_of(dynamo->schema, last)) != 0) {
        json_decref(body);
        body = NULL;
    }
    fake_dynamo_answer(dynamo, body);
}

void fake_dynamo_scan(struct fake_dynamo *dynamo, const json_t *request)
{
    if (fake_dynamo_table_is_there(dynamo, request))
        answer_page(dynamo, request, NULL);
}

void fake_dynamo_query(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *expression = json_string_value(json_object_get(request, "KeyConditionExpression"));
    const json_t *names = json_object_get(request, "ExpressionAttributeNames");
    const json_t *values = json_object_get(request, "ExpressionAttributeValues");
    const char *name = json_string_value(json_object_get(names, "#path"));
    const char *path = fake_typed_text(json_object_get(values, ":path"), "S");
    if (!fake_dynamo_table_is_there(dynamo, request))
        return;
    if (expression == NULL || strcmp(expression, "#path = :path") != 0 || name == NULL || strcmp(name, "path") != 0 ||
        path == NULL || !fake_projects_all(dynamo->schema, request, 1) || json_object_size(values) != 1) {
        fake_dynamo_invalid(dynamo, "Invalid KeyConditionExpression");
        return;
    }
    answer_page(dynamo, request, path);
}

/* --------------------------------------------------------------------------------------------------------- table */

/* One pair of strings for each part of the key. */
static json_t *each_key(const struct fake_schema *schema, const char *name, const char *first, const char *second)
{
    json_t *array = json_array();
    for (size_t i = 0; i < schema->key_count && array != NULL; i++) {
        const char *value = i == 0 ? first : second;
        if (json_array_append_new(array, json_pack("{s:s, s:s}", "AttributeName", schema->keys[i], name, value)) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *describe(const struct fake_dynamo *dynamo, const char *status)
{
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:{s:s}}", "TableName", dynamo->table, "TableStatus", status,
                     "ItemCount", (json_int_t)dynamo->count, "AttributeDefinitions",
                     each_key(dynamo->schema, "AttributeType", "S", "S"), "KeySchema",
                     each_key(dynamo->schema, "KeyType", "HASH", "RANGE"), "BillingModeSummary", "BillingMode",
                     "PAY_PER_REQUEST");
}

void fake_dynamo_describe_table(struct fake_dynamo *dynamo, const json_t *request)
{
    if (fake_dynamo_table_is_there(dynamo, request))
        fake_dynamo_answer(dynamo, json_pack("{s:o}", "Table", describe(dynamo, "ACTIVE")));
}

static bool element_is(const json_t *array, size_t index, const char *name, const char *key, const char *value)
{
    const json_t *element = json_array_get(array, index);
    const char *found = json_string_value(json_object_get(element, "AttributeName"));
    const char *what = json_string_value(json_object_get(element, key));
    return found != NULL && what != NULL && strcmp(found, name) == 0 && strcmp(what, value) == 0;
}

static bool has_schema(const struct fake_schema *schema, const json_t *request)
{
    static const char *const kinds[] = {"HASH", "RANGE"};
    const json_t *keys = json_object_get(request, "KeySchema");
    const json_t *types = json_object_get(request, "AttributeDefinitions");
    bool has = json_array_size(keys) == schema->key_count && json_array_size(types) == schema->key_count;
    for (size_t i = 0; i < schema->key_count && has; i++)
        has = element_is(keys, i, schema->keys[i], "KeyType", kinds[i]) &&
              element_is(types, i, schema->keys[i], "AttributeType", "S");
    return has;
}

void fake_dynamo_create_table(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "TableName"));
    const char *billing = json_string_value(json_object_get(request, "BillingMode"));
    if (name == NULL || billing == NULL || strcmp(billing, "PAY_PER_REQUEST") != 0 ||
        !has_schema(dynamo->schema, request)) {
        fake_dynamo_violate(dynamo, "The table does not have the protocol's keys, or no billing mode");
    } else if (dynamo->table != NULL && strcmp(dynamo->table, name) == 0) {
        fake_dynamo_fail(dynamo, DYNAMO "ResourceInUseException", "Table already exists", NULL);
    } else if (dynamo->table != NULL) {
        fake_dynamo_fail(dynamo, DYNAMO "LimitExceededException", "This account may have one table", NULL);
    } else {
        dynamo->table = strdup(name);
        dynamo->no_memory = dynamo->table == NULL;
        if (!dynamo->no_memory)
            fake_dynamo_answer(dynamo, json_pack("{s:o}", "TableDescription", describe(dynamo, "CREATING")));
    }
}

void fake_dynamo_update_ttl(struct fake_dynamo *dynamo, const json_t *request)
{
    const json_t *wanted = json_object_get(request, "TimeToLiveSpecification");
    const char *name = json_string_value(json_object_get(wanted, "AttributeName"));
    if (!fake_dynamo_table_is_there(dynamo, request))
        return;
    if (name == NULL || strcmp(name, dynamo->schema->ttl) != 0 || !json_is_true(json_object_get(wanted, "Enabled"))) {
        fake_dynamo_violate(dynamo, "TTL must be enabled, on its own attribute");
    } else if (dynamo->has_ttl) {
        fake_dynamo_invalid(dynamo, "TimeToLive is already enabled");
    } else {
        dynamo->has_ttl = true;
        fake_dynamo_answer(dynamo, json_pack("{s:O}", "TimeToLiveSpecification", wanted));
    }
}

void fake_dynamo_describe_ttl(struct fake_dynamo *dynamo, const json_t *request)
{
    if (!fake_dynamo_table_is_there(dynamo, request))
        return;
    fake_dynamo_answer(dynamo, dynamo->has_ttl
                                   ? json_pack("{s:{s:s, s:s}}", "TimeToLiveDescription", "TimeToLiveStatus", "ENABLED",
                                               "AttributeName", dynamo->schema->ttl)
                                   : json_pack("{s:{s:s}}", "TimeToLiveDescription", "TimeToLiveStatus", "DISABLED"));
}
