/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_async.h that start a plain call on objects. */
#include "operation/operation.h"

os_code os_start_head(os_client *client, const char *key, const char *version_id, const os_start *start,
                      os_operation **ret, os_error *err)
{
    const struct plain_arguments head = {.key = key, .version_id = version_id};
    const struct operation_request request = {.plain = &head, .plain_first = plain_head, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_get(os_client *client, const char *key, const os_sink *sink, const os_start *start, os_operation **ret,
                     os_error *err)
{
    const struct plain_arguments get = {.key = key, .sink = sink};
    const struct operation_request request = {.plain = &get, .plain_first = plain_get, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                     const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments put = {.key = key, .body = body, .put_options = options};
    const struct operation_request request = {.plain = &put, .plain_first = plain_put, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_delete(os_client *client, const char *key, const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments deletion = {.key = key};
    const struct operation_request request = {.plain = &deletion, .plain_first = plain_delete, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_list(os_client *client, const os_list_options *options, os_list_fn each, void *each_context,
                      const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments list = {.list_options = options, .each_object = each, .each_context = each_context};
    const struct operation_request request = {.plain = &list, .plain_first = plain_list, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_client_warm(os_client *client, uint32_t connections, const os_start *start, os_operation **ret,
                             os_error *err)
{
    const struct plain_arguments warm = {.connections = connections};
    const struct operation_request request = {.plain = &warm, .plain_first = plain_warm, .start = start};
    return operation_start(client, &request, ret, err);
}
