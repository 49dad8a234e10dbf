/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/request_parts.h"

#include "base/error.h"
#include "base/text.h"
#include "dynamo/item.h"
#include "dynamo/json.h"

#include <assert.h>
#include <string.h>

enum {
    PATH_MAX_BYTES = 2048, /* partition and sort key: Developer Guide, "Quotas in Amazon DynamoDB" */
    ETAG_MAX_BYTES = 1024,
    TABLE_NAME_MIN = 3,
    TABLE_NAME_MAX = 255,
    TABLE_ARN_MAX = 1024,  /* API Reference, PutItem, TableName */
    START_KEY_MAX = 32768, /* both keys, with every byte escaped as six */
    BODY_MAX = 128 * 1024,
    BODY_USUAL = 1023, /* most fit into that */
    /* Records. DynamoDB ends a page at 1 MB of them whatever is asked for (API Reference, Query), which is some
     * thousand of ours; this bounds what smaller ones take once they are read. */
    PAGE_LIMIT = 4000
};

/* ------------------------------------------------------------------------------------------------- arguments */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

static bool is_name(struct text name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!is_name_char(name.p[i]))
            return false;
    return name.len >= TABLE_NAME_MIN && name.len <= TABLE_NAME_MAX;
}

/* arn:PARTITION:dynamodb:REGION:ACCOUNT:table/NAME */
static bool is_table_arn(struct text arn)
{
    struct text partition;
    struct text region;
    struct text account;
    return arn.len <= TABLE_ARN_MAX && text_take_str(&arn, "arn:") && text_take_until(&arn, ':', &partition) &&
           partition.len > 0 && text_take_str(&arn, "dynamodb:") && text_take_until(&arn, ':', &region) &&
           region.len > 0 && text_take_until(&arn, ':', &account) && account.len > 0 && text_take_str(&arn, "table/") &&
           is_name(arn);
}

bool dynamo_table_name_ok(const char *table)
{
    return is_name(text_from(table)) || is_table_arn(text_from(table));
}

static os_code check_table(const char *table, os_error *err)
{
    if (!dynamo_table_name_ok(table)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "\"%s\" is not the name of a DynamoDB table: give 3 to 255 of a-z, A-Z, 0-9, '_', '-' and "
                         "'.', or the table's ARN.",
                         table != NULL ? table : "");
    }
    return OS_OK;
}

static os_code check_key_part(const char *what, const char *value, size_t max, os_error *err)
{
    struct text text = text_from(value);
    if (text.len == 0 || text.len > max || !text_is_utf8(text)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The %s of a record must be 1 to %zu bytes of UTF-8, the limit of DynamoDB's keys; this one "
                         "has %zu bytes%s. Use another key.",
                         what, max, text.len, text_is_utf8(text) ? "" : " that are not UTF-8");
    }
    return OS_OK;
}

static os_code check_partition(const struct dynamo_target *target, const char *path, os_error *err)
{
    os_code code = check_table(target->table, err);
    return code == OS_OK ? check_key_part(RECORD_PATH, path, PATH_MAX_BYTES, err) : code;
}

os_code dynamo_check_key(const struct dynamo_target *target, const struct dynamo_key *key, os_error *err)
{
    os_code code = check_partition(target, key->path, err);
    return code == OS_OK ? check_key_part(RECORD_ETAG, key->etag, ETAG_MAX_BYTES, err) : code;
}

/* --------------------------------------------------------------------------------------------------- request */

static void request_start(struct http_request *ret, struct buf *ret_body)
{
    http_request_init(ret);
    buf_init(ret_body, BODY_MAX);
}

/* Developer Guide, "DynamoDB low-level API". The answer is asked for as it is: x-amz-crc32 is about the bytes that were
 * sent, and a compressed body would have to be checked before it is unpacked. */
static bool request_fill(const struct dynamo_target *target, const char *operation, struct http_request *ret,
                         const struct buf *body)
{
    char action[64];
    bool fits = text_concat(action, sizeof(action), "DynamoDB_20120810.", operation, NULL);
    assert(fits);
    (void)fits;
    ret->method = "POST";
    ret->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = body->data, .fd = -1, .length = body->len};
    return http_request_set_origin(ret, target->endpoint->scheme, target->endpoint->host) &&
           buf_add_str(&ret->path, "/") && http_headers_add(&ret->headers, "accept-encoding", "identity") &&
           http_headers_add(&ret->headers, "content-type", "application/x-amz-json-1.0") &&
           http_headers_add(&ret->headers, "x-amz-target", action);
}

/* Takes the reference to `body`, which is NULL when it could not be made. */
os_code dynamo_finish(const struct dynamo_target *target, const char *operation, json_t *body, struct http_request *ret,
                      struct buf *ret_body, os_error *err)
{
    bool done = body != NULL && buf_reserve(ret_body, BODY_USUAL) && json_write(ret_body, body) &&
                request_fill(target, operation, ret, ret_body);
    json_decref(body);
    if (!done) {
        http_request_free(ret);
        buf_free(ret_body);
        return error_no_memory(err);
    }
    error_clear(err);
    return OS_OK;
}

/* A request that says nothing but the table. */
static os_code build_plain(const struct dynamo_target *target, const char *operation, struct http_request *ret,
                           struct buf *ret_body, os_error *err)
{
    request_start(ret, ret_body);
    os_code code = check_table(target->table, err);
    if (code != OS_OK)
        return code;
    return dynamo_finish(target, operation, json_pack("{s:s}", "TableName", target->table), ret, ret_body, err);
}

/* --------------------------------------------------------------------------------------------------- records */

/* Names go through placeholders everywhere: path, ttl, timeout and others are reserved words of expressions (Developer
 * Guide, "Reserved words in DynamoDB"), and that list grows. */
bool dynamo_add_name(json_t *names, const char *placeholder, const char *name)
{
    return json_object_set_new_nocheck(names, placeholder, json_string_nocheck(name)) == 0;
}

bool dynamo_add_value(json_t *values, const char *placeholder, json_t *value)
{
    return json_object_set_new_nocheck(values, placeholder, value) == 0;
}

#define SAME_BUT_TWO                                                                                                  \
    "#generation = :generation AND #ttl = :ttl AND #nonce = :nonce AND #timeout = :timeout AND attribute_not_exists(" \
    "#upload)"

/* R17: every attribute, of a record with a nonce. What it has not must still be none; and it names no upload. */
static const char *same_expression(const struct record *seen)
{
    bool has_saw = seen->saw[0] != '\0';
    if (seen->has_fence) {
        return has_saw ? SAME_BUT_TWO " AND #fence = :fence AND #saw = :saw"
                       : SAME_BUT_TWO " AND #fence = :fence AND attribute_not_exists(#saw)";
    }
    return has_saw ? SAME_BUT_TWO " AND attribute_not_exists(#fence) AND #saw = :saw"
                   : SAME_BUT_TWO " AND attribute_not_exists(#fence) AND attribute_not_exists(#saw)";
}

/* R12: generation, ttl and nonce as seen; T3: generation and nonce. No nonce must still be none. */
static const char *condition_expression(const struct record_condition *condition)
{
    bool has_nonce = condition->seen.nonce[0] != '\0';
    switch (condition->kind) {
    case RECORD_IF_ABSENT: return "attribute_not_exists(#path)";
    case RECORD_IF_SEEN:
        return has_nonce ? "#generation = :generation AND #ttl = :ttl AND #nonce = :nonce"
                         : "#generation = :generation AND #ttl = :ttl AND attribute_not_exists(#nonce)";
    case RECORD_IF_HELD:
        return has_nonce ? "#generation = :generation AND #nonce = :nonce"
                         : "#generation = :generation AND attribute_not_exists(#nonce)";
    case RECORD_IF_SAME: return same_expression(&condition->seen);
    }
    return NULL;
}

/* DynamoDB refuses a name or value that the expression does not use, so exactly the used ones are given. */
static bool add_condition_names(json_t *names, const struct record_condition *condition)
{
    if (condition->kind == RECORD_IF_ABSENT)
        return dynamo_add_name(names, "#path", RECORD_PATH);
    return dynamo_add_name(names, "#generation", RECORD_GENERATION) &&
           (condition->kind == RECORD_IF_HELD || dynamo_add_name(names, "#ttl", RECORD_TTL)) &&
           dynamo_add_name(names, "#nonce", RECORD_NONCE) &&
           (condition->kind != RECORD_IF_SAME ||
            (dynamo_add_name(names, "#timeout", RECORD_TIMEOUT) && dynamo_add_name(names, "#fence", RECORD_FENCE) &&
             dynamo_add_name(names, "#saw", RECORD_SAW) && dynamo_add_name(names, "#upload", RECORD_UPLOAD)));
}

static bool add_same_values(json_t *values, const struct record *seen)
{
    return dynamo_add_value(values, ":timeout", item_number(seen->timeout_ms)) &&
           (!seen->has_fence || dynamo_add_value(values, ":fence", item_number(seen->fence_s))) &&
           (seen->saw[0] == '\0' || dynamo_add_value(values, ":saw", item_string(seen->saw)));
}

static bool add_condition_values(json_t *values, const struct record_condition *condition)
{
    const struct record *seen = &condition->seen;
    return dynamo_add_value(values, ":generation", item_number(seen->generation)) &&
           (condition->kind == RECORD_IF_HELD || dynamo_add_value(values, ":ttl", item_number(seen->ttl_s))) &&
           (seen->nonce[0] == '\0' || dynamo_add_value(values, ":nonce", item_string(seen->nonce))) &&
           (condition->kind != RECORD_IF_SAME || add_same_values(values, seen));
}

static bool add_condition(json_t *body, const struct record_condition *condition)
{
    json_t *names = json_object();
    json_t *values = json_object();
    const char *expression = condition_expression(condition);
    assert(expression != NULL);
    bool has_values = condition->kind != RECORD_IF_ABSENT;
    bool done = names != NULL && values != NULL && add_condition_names(names, condition) &&
                (!has_values || add_condition_values(values, condition)) &&
                json_object_set_new(body, "ConditionExpression", json_string(expression)) == 0 &&
                json_object_set(body, "ExpressionAttributeNames", names) == 0 &&
                (!has_values || json_object_set(body, "ExpressionAttributeValues", values) == 0) &&
                json_object_set_new(body, "ReturnValuesOnConditionCheckFailure", json_string("ALL_OLD")) == 0;
    json_decref(names);
    json_decref(values);
    return done;
}

static json_t *item_of(const struct dynamo_key *key, const struct dynamo_write *write)
{
    json_t *item = item_from_record(key->path, key->etag, write->record, write->upload);
    if (item == NULL || write->bucket == NULL || item_set_bucket(item, write->bucket))
        return item;
    json_decref(item);
    return NULL;
}

os_code dynamo_build_put(const struct dynamo_target *target, const struct dynamo_key *key,
                         const struct dynamo_write *write, struct http_request *ret, struct buf *ret_body,
                         os_error *err)
{
    request_start(ret, ret_body);
    os_code code = dynamo_check_key(target, key, err);
    if (code != OS_OK)
        return code;
    json_t *body = json_pack("{s:s, s:o}", "TableName", target->table, "Item", item_of(key, write));
    if (body != NULL && !add_condition(body, write->condition)) {
        json_decref(body);
        body = NULL;
    }
    return dynamo_finish(target, "PutItem", body, ret, ret_body, err);
}

/* What a record may have, whatever its type: an attribute of a wrong one makes the item unreadable, which must be seen.
 */
const char *const dynamo_known[DYNAMO_KNOWN_COUNT][2] = {
    {"#path", RECORD_PATH},       {"#etag", RECORD_ETAG}, {"#generation", RECORD_GENERATION},
    {"#timeout", RECORD_TIMEOUT}, {"#ttl", RECORD_TTL},   {"#nonce", RECORD_NONCE},
    {"#fence", RECORD_FENCE},     {"#saw", RECORD_SAW},   {"#upload", RECORD_UPLOAD},
};

os_code dynamo_build_delete(const struct dynamo_target *target, const struct dynamo_key *key,
                            const struct record_condition *condition, struct http_request *ret, struct buf *ret_body,
                            os_error *err)
{
    request_start(ret, ret_body);
    os_code code = dynamo_check_key(target, key, err);
    if (code != OS_OK)
        return code;
    json_t *body = json_pack("{s:s, s:{s:{s:s}, s:{s:s}}}", "TableName", target->table, "Key", RECORD_PATH, "S",
                             key->path, RECORD_ETAG, "S", key->etag);
    if (body != NULL && !add_condition(body, condition)) {
        json_decref(body);
        body = NULL;
    }
    return dynamo_finish(target, "DeleteItem", body, ret, ret_body, err);
}

static bool add_projection(json_t *body, json_t *names, enum dynamo_attributes attributes)
{
    char expression[128] = "";
    size_t count = attributes == DYNAMO_KEY_ATTRIBUTES ? DYNAMO_KEY_COUNT : DYNAMO_KNOWN_COUNT;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(expression);
        bool fits =
            text_concat(expression + used, sizeof(expression) - used, i > 0 ? ", " : "", dynamo_known[i][0], NULL);
        assert(fits);
        (void)fits;
        if (!dynamo_add_name(names, dynamo_known[i][0], dynamo_known[i][1]))
            return false;
    }
    return json_object_set_new(body, "ProjectionExpression", json_string(expression)) == 0;
}

static bool add_record_projection(json_t *body)
{
    json_t *names = json_object();
    bool done = names != NULL && add_projection(body, names, DYNAMO_RECORD_ATTRIBUTES) &&
                json_object_set(body, "ExpressionAttributeNames", names) == 0;
    json_decref(names);
    return done;
}

os_code dynamo_build_get(const struct dynamo_target *target, const struct dynamo_key *key, struct http_request *ret,
                         struct buf *ret_body, os_error *err)
{
    request_start(ret, ret_body);
    os_code code = dynamo_check_key(target, key, err);
    if (code != OS_OK)
        return code;
    json_t *body = json_pack("{s:s, s:{s:{s:s}, s:{s:s}}, s:b}", "TableName", target->table, "Key", RECORD_PATH, "S",
                             key->path, RECORD_ETAG, "S", key->etag, "ConsistentRead", 1);
    if (body != NULL && !add_record_projection(body)) {
        json_decref(body);
        body = NULL;
    }
    return dynamo_finish(target, "GetItem", body, ret, ret_body, err);
}

static bool add_partition(json_t *body, json_t *names, const char *path)
{
    json_t *values = json_object();
    bool done = values != NULL && dynamo_add_name(names, "#path", RECORD_PATH) &&
                dynamo_add_value(values, ":path", item_string(path)) &&
                json_object_set_new(body, "KeyConditionExpression", json_string("#path = :path")) == 0 &&
                json_object_set(body, "ExpressionAttributeValues", values) == 0;
    json_decref(values);
    return done;
}

static bool add_expressions(json_t *body, const struct dynamo_page *page)
{
    bool all = page->attributes == DYNAMO_ALL_ATTRIBUTES;
    if (page->path == NULL && all)
        return true;
    json_t *names = json_object();
    bool done = names != NULL && (page->path == NULL || add_partition(body, names, page->path)) &&
                (all || add_projection(body, names, page->attributes)) &&
                json_object_set(body, "ExpressionAttributeNames", names) == 0;
    json_decref(names);
    return done;
}

/* *ret is NULL when there is no start key. */
static os_code read_start_key(const char *start_key, json_t **ret, os_error *err)
{
    *ret = NULL;
    if (start_key == NULL)
        return OS_OK;
    size_t len = strlen(start_key);
    *ret = len <= START_KEY_MAX ? json_read(start_key, len) : NULL;
    if (*ret == NULL) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The next page of records cannot start here: no page ended with this key. List the records "
                         "from the beginning.");
    }
    return OS_OK;
}

os_code dynamo_build_list(const struct dynamo_target *target, const struct dynamo_page *page, struct http_request *ret,
                          struct buf *ret_body, os_error *err)
{
    json_t *start_at = NULL;
    request_start(ret, ret_body);
    os_code code = page->path != NULL ? check_partition(target, page->path, err) : check_table(target->table, err);
    if (code == OS_OK)
        code = read_start_key(page->start_key, &start_at, err);
    if (code != OS_OK)
        return code;
    int limit = page->limit > 0 && page->limit < PAGE_LIMIT ? (int)page->limit : PAGE_LIMIT;
    json_t *body = json_pack("{s:s, s:b, s:i}", "TableName", target->table, "ConsistentRead", 1, "Limit", limit);
    bool done = body != NULL && add_expressions(body, page) &&
                (start_at == NULL || json_object_set(body, "ExclusiveStartKey", start_at) == 0);
    json_decref(start_at);
    if (!done) {
        json_decref(body);
        body = NULL;
    }
    return dynamo_finish(target, page->path != NULL ? "Query" : "Scan", body, ret, ret_body, err);
}

/* ----------------------------------------------------------------------------------------------------- table */

os_code dynamo_build_describe_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                    os_error *err)
{
    return build_plain(target, "DescribeTable", ret, ret_body, err);
}

os_code dynamo_build_describe_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err)
{
    return build_plain(target, "DescribeTimeToLive", ret, ret_body, err);
}

os_code dynamo_build_create_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err)
{
    request_start(ret, ret_body);
    os_code code = check_table(target->table, err);
    if (code != OS_OK)
        return code;
    json_t *body =
        json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:[{s:s, s:s}, {s:s, s:s}], s:s}", "TableName", target->table,
                  "AttributeDefinitions", "AttributeName", RECORD_PATH, "AttributeType", "S", "AttributeName",
                  RECORD_ETAG, "AttributeType", "S", "KeySchema", "AttributeName", RECORD_PATH, "KeyType", "HASH",
                  "AttributeName", RECORD_ETAG, "KeyType", "RANGE", "BillingMode", "PAY_PER_REQUEST");
    return dynamo_finish(target, "CreateTable", body, ret, ret_body, err);
}

os_code dynamo_build_update_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                os_error *err)
{
    request_start(ret, ret_body);
    os_code code = check_table(target->table, err);
    if (code != OS_OK)
        return code;
    json_t *body = json_pack("{s:s, s:{s:b, s:s}}", "TableName", target->table, "TimeToLiveSpecification", "Enabled", 1,
                             "AttributeName", RECORD_TTL);
    return dynamo_finish(target, "UpdateTimeToLive", body, ret, ret_body, err);
}
