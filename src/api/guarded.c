/* SPDX-License-Identifier: Apache-2.0 */
/* The guarded functions of the public header. */
#include "guarded/guarded.h"
#include "client/settings.h"
#include "update/update.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

os_verdict os_put_if_absent(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                            const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments put = {
        .name = "put_if_absent", .key = key, .body = body, .put_options = options, .call = call};
    return guarded_call(client, &put, guarded_put, ret, err);
}

os_verdict os_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                           const os_put_options *options, const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments put = {.name = "put_if_match",
                                          .key = key,
                                          .replaces = true,
                                          .etag = etag,
                                          .body = body,
                                          .put_options = options,
                                          .call = call};
    return guarded_call(client, &put, guarded_put, ret, err);
}

os_verdict os_copy_if_not_exists(os_client *client, const char *source, const char *key, const os_copy_options *options,
                                 const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments copy = {
        .name = "copy_if_not_exists", .key = key, .source = source, .copy_options = options, .call = call};
    return guarded_call(client, &copy, guarded_copy, ret, err);
}

os_verdict os_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                            const os_copy_options *options, const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments copy = {.name = "copy_if_match",
                                           .key = key,
                                           .replaces = true,
                                           .etag = etag,
                                           .source = source,
                                           .copy_options = options,
                                           .call = call};
    return guarded_call(client, &copy, guarded_copy, ret, err);
}

os_verdict os_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                   const os_copy_options *options, const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments rename = {
        .name = "rename_if_not_exists", .key = key, .source = source, .copy_options = options, .call = call};
    return guarded_call(client, &rename, guarded_rename, ret, err);
}

os_verdict os_delete_if_match(os_client *client, const char *key, const char *etag, const os_call *call, os_result *ret,
                              os_error *err)
{
    const struct guarded_arguments deletion = {
        .name = "delete_if_match", .key = key, .replaces = true, .etag = etag, .call = call};
    return guarded_call(client, &deletion, guarded_delete, ret, err);
}

os_verdict os_resolve(os_client *client, const char *ticket, const os_call *call, os_result *ret, os_error *err)
{
    const struct guarded_arguments question = {.name = "resolve", .asks = true, .ticket = ticket, .call = call};
    return guarded_call(client, &question, guarded_resolve, ret, err);
}

os_verdict os_settle(os_client *client, const char *ticket, const os_resolve_options *options, const os_call *call,
                     os_result *ret, os_error *err)
{
    const struct guarded_arguments question = {
        .name = "settle", .asks = true, .ticket = ticket, .resolve_options = options, .patient = true, .call = call};
    return guarded_call(client, &question, guarded_resolve, ret, err);
}

os_verdict os_update(os_client *client, const char *key, os_transform_fn transform, void *context,
                     const os_update_options *options, const os_call *call, os_result *ret, os_error *err)
{
    const struct update_arguments update = {
        .key = key, .transform = transform, .context = context, .options = options, .call = call};
    return update_run(client, &update, ret, err);
}

void os_result_clear(os_result *result)
{
    if (result == NULL)
        return;
    size_t size = versioned_size(result, sizeof(*result));
    if (size >= offsetof(os_result, ticket) + sizeof(result->ticket))
        free(result->ticket);
    memset(result, 0, size);
    memcpy(result, &size, sizeof(size));
}
