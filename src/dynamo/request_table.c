/* SPDX-License-Identifier: Apache-2.0 */
/* Requests about the table itself. */
#include "dynamo/request_parts.h"
#include "dynamo/rows_request.h"

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

/* Their keys are all of type S. */
os_code dynamo_build_create_table(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                  os_error *err)
{
    const struct item_schema *schema = target->schema;
    struct rows_definition definition = {.keys = {.partition = {schema->attributes[0].name, VALUE_S}}};
    if (schema->keys > 1)
        definition.keys.sort = (struct rows_attribute){schema->attributes[1].name, VALUE_S};
    return rows_build_create_table(target->endpoint, target->table, &definition, ret, ret_body, err);
}

os_code dynamo_build_update_ttl(const struct dynamo_target *target, struct http_request *ret, struct buf *ret_body,
                                os_error *err)
{
    const struct item_schema *schema = target->schema;
    return rows_build_update_ttl(target->endpoint, target->table, schema->attributes[schema->ttl].name, ret, ret_body,
                                 err);
}
