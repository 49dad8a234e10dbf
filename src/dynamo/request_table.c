/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about the table itself. */
#include "dynamo/request_parts.h"

enum { TABLE_BODY_MAX = 8 * 1024 };

static os_code begin(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body, os_error *err)
{
    dynamo_begin(target, TABLE_BODY_MAX, ret, ret_body);
    os_code code = dynamo_check_table(target->table, err);
    return code == OS_OK ? code : dynamo_drop(ret, ret_body, code);
}

os_code dynamo_build_describe_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                    os_error *err)
{
    os_code code = begin(target, ret, ret_body, err);
    return code == OS_OK ? dynamo_finish(target->endpoint, "DescribeTable", ret, ret_body, err) : code;
}

os_code dynamo_build_describe_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err)
{
    os_code code = begin(target, ret, ret_body, err);
    return code == OS_OK ? dynamo_finish(target->endpoint, "DescribeTimeToLive", ret, ret_body, err) : code;
}

os_code dynamo_build_create_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err)
{
    static const char *const roles[ITEM_KEYS_MAX] = {"HASH", "RANGE"};
    const struct item_schema *schema = target->schema;
    os_code code = begin(target, ret, ret_body, err);
    if (code != OS_OK)
        return code;
    buf_add_str(ret_body, ",\"AttributeDefinitions\":[");
    for (size_t i = 0; i < schema->keys; i++)
        buf_add_strs(ret_body, i > 0 ? "," : "", "{\"AttributeName\":\"", schema->attributes[i].name,
                     "\",\"AttributeType\":\"S\"}", NULL);
    buf_add_str(ret_body, "],\"KeySchema\":[");
    for (size_t i = 0; i < schema->keys; i++)
        buf_add_strs(ret_body, i > 0 ? "," : "", "{\"AttributeName\":\"", schema->attributes[i].name,
                     "\",\"KeyType\":\"", roles[i], "\"}", NULL);
    buf_add_str(ret_body, "],\"BillingMode\":\"PAY_PER_REQUEST\"");
    return dynamo_finish(target->endpoint, "CreateTable", ret, ret_body, err);
}

os_code dynamo_build_update_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                os_error *err)
{
    os_code code = begin(target, ret, ret_body, err);
    if (code != OS_OK)
        return code;
    buf_add_strs(ret_body, ",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"",
                 target->schema->attributes[target->schema->ttl].name, "\"}", NULL);
    return dynamo_finish(target->endpoint, "UpdateTimeToLive", ret, ret_body, err);
}
