/* SPDX-License-Identifier: Apache-2.0 */
/* How every request begins and ends, and what is refused before one is built. */
#include "dynamo/request_parts.h"

#include "base/error.h"
#include "base/text.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <assert.h>

enum {
    TABLE_ARN_MAX = 1024, /* API Reference, PutItem, TableName */
    BODY_USUAL = 1023     /* most fit into that */
};

/* ------------------------------------------------------------------------------------------------- arguments */

/* arn:PARTITION:dynamodb:REGION:ACCOUNT:table/NAME */
static bool is_table_arn(struct text arn)
{
    struct text partition;
    struct text region;
    struct text account;
    return arn.len <= TABLE_ARN_MAX && text_take_str(&arn, "arn:") && text_take_until(&arn, ':', &partition) &&
           partition.len > 0 && text_take_str(&arn, "dynamodb:") && text_take_until(&arn, ':', &region) &&
           region.len > 0 && text_take_until(&arn, ':', &account) && account.len > 0 && text_take_str(&arn, "table/") &&
           rows_is_name(arn);
}

bool dynamo_table_name_ok(const char *table)
{
    return rows_is_name(text_from(table)) || is_table_arn(text_from(table));
}

os_code dynamo_check_table(const char *table, os_error *err)
{
    if (!dynamo_table_name_ok(table)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "\"%s\" is not the name of a DynamoDB table: give 3 to 255 of a-z, A-Z, 0-9, '_', '-' and "
                         "'.', or the table's ARN.",
                         table != NULL ? table : "");
    }
    return OS_OK;
}

static os_code check_key_part(const struct item_schema *schema, size_t attribute, const char *value, os_error *err)
{
    struct text text = text_from(value);
    size_t max = schema->attributes[attribute].max;
    if (text.len == 0 || text.len > max || !text_is_utf8(text)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The %s of a %s must be 1 to %zu bytes of UTF-8, the limit of DynamoDB's keys; this one "
                         "has %zu bytes%s. Use another key.",
                         schema->attributes[attribute].name, schema->words.what, max, text.len,
                         text_is_utf8(text) ? "" : " that are not UTF-8");
    }
    return OS_OK;
}

os_code dynamo_check_partition(const struct dynamo_target *target, const char *partition, os_error *err)
{
    os_code code = dynamo_check_table(target->table, err);
    return code == OS_OK ? check_key_part(target->schema, 0, partition, err) : code;
}

os_code dynamo_check_key(const struct dynamo_target *target, const struct item *item, os_error *err)
{
    os_code code = dynamo_check_table(target->table, err);
    for (size_t i = 0; i < target->schema->keys && code == OS_OK; i++)
        if (target->schema->attributes[i].type == ITEM_STRING) /* a number always fits */
            code = check_key_part(target->schema, i, item_text_of(item, i), err);
    return code;
}

/* --------------------------------------------------------------------------------------------------- request */

void dynamo_open(size_t most, struct http_request *ret, struct buf *ret_body)
{
    http_request_init(ret);
    buf_init(ret_body, most);
    buf_reserve(ret_body, BODY_USUAL);
}

void dynamo_add_table(struct buf *out, const char *table)
{
    struct text name = text_from(table);
    buf_add_str(out, "\"TableName\":");
    json_write_string(out, name.p, name.len);
}

void dynamo_begin(const struct dynamo_target *target, size_t most, struct http_request *ret, struct buf *ret_body)
{
    dynamo_open(most, ret, ret_body);
    buf_add_char(ret_body, '{');
    dynamo_add_table(ret_body, target->table);
}

/* Developer Guide, "DynamoDB low-level API". The answer is asked for as it is: x-amz-crc32 is about the bytes that were
 * sent, and a compressed body would have to be checked before it is unpacked. */
static bool request_fill(const struct endpoint *endpoint, const char *operation, struct http_request *ret,
                         const struct buf *body)
{
    char action[64];
    bool fits = text_concat(action, sizeof(action), "DynamoDB_20120810.", operation, NULL);
    assert(fits);
    (void)fits;
    ret->method = "POST";
    ret->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = body->data, .fd = -1, .length = body->len};
    return http_request_set_origin(ret, endpoint->scheme, endpoint->host) && buf_add_str(&ret->path, "/") &&
           http_headers_add(&ret->headers, "accept-encoding", "identity") &&
           http_headers_add(&ret->headers, "content-type", "application/x-amz-json-1.0") &&
           http_headers_add(&ret->headers, "x-amz-target", action);
}

os_code dynamo_drop(struct http_request *request, struct buf *body, os_code code)
{
    http_request_free(request);
    buf_free(body);
    return code;
}

os_code dynamo_finish(const struct endpoint *endpoint, const char *operation, struct http_request *ret,
                      struct buf *ret_body, os_error *err)
{
    bool done = buf_add_char(ret_body, '}') && request_fill(endpoint, operation, ret, ret_body);
    if (!done)
        return dynamo_drop(ret, ret_body, error_no_memory(err));
    error_clear(err);
    return OS_OK;
}
