/* SPDX-License-Identifier: Apache-2.0 */
/* The plain object calls of the public header. */
#include "plain/plain.h"

#include <stdlib.h>

os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err)
{
    return os_head_version(client, key, NULL, call, ret, err);
}

os_code os_head_version(os_client *client, const char *key, const char *version_id, const os_call *call, os_object *ret,
                        os_error *err)
{
    const struct plain_arguments head = {.key = key, .version_id = version_id, .call = call, .ret = ret};
    return plain_call(client, &head, plain_head, err);
}

os_code os_get(os_client *client, const char *key, const os_sink *sink, const os_call *call, os_object *ret,
               os_error *err)
{
    const struct plain_arguments get = {.key = key, .sink = sink, .call = call, .ret = ret};
    return plain_call(client, &get, plain_get, err);
}

os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
               const os_call *call, os_object *ret, os_error *err)
{
    const struct plain_arguments put = {.key = key, .body = body, .put_options = options, .call = call, .ret = ret};
    return plain_call(client, &put, plain_put, err);
}

os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err)
{
    const struct plain_arguments deletion = {.key = key, .call = call};
    return plain_call(client, &deletion, plain_delete, err);
}

os_code os_list(os_client *client, const os_list_options *options, const os_call *call, os_list_fn each, void *context,
                os_error *err)
{
    const struct plain_arguments list = {
        .list_options = options, .each_object = each, .each_context = context, .call = call};
    return plain_call(client, &list, plain_list, err);
}

os_code os_presign(os_client *client, const char *key, const os_presign_options *options, char **ret_url,
                   char **ret_headers, os_error *err)
{
    const struct plain_arguments presign = {
        .key = key, .presign = options, .ret_url = ret_url, .ret_headers = ret_headers};
    return plain_call(client, &presign, plain_presign, err);
}

void os_free(void *data)
{
    free(data);
}

os_code os_client_warm(os_client *client, uint32_t connections, const os_call *call, os_error *err)
{
    const struct plain_arguments warm = {.connections = connections, .call = call};
    return plain_call(client, &warm, plain_warm, err);
}
