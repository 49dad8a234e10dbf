/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_async.h that start a guarded call. */
#include "operation/operation.h"
#include "update/update.h"

os_code os_start_put_if_absent(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                               const os_start *start, os_operation **ret, os_error *err)
{
    const struct guarded_arguments put = {.name = "put_if_absent", .key = key, .body = body, .put_options = options};
    const struct operation_request request = {.guarded = &put, .guarded_first = guarded_put, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                              const os_put_options *options, const os_start *start, os_operation **ret, os_error *err)
{
    const struct guarded_arguments put = {
        .name = "put_if_match", .key = key, .replaces = true, .etag = etag, .body = body, .put_options = options};
    const struct operation_request request = {.guarded = &put, .guarded_first = guarded_put, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_copy_if_not_exists(os_client *client, const char *source, const char *key,
                                    const os_copy_options *options, const os_start *start, os_operation **ret,
                                    os_error *err)
{
    const struct guarded_arguments copy = {
        .name = "copy_if_not_exists", .key = key, .source = source, .copy_options = options};
    const struct operation_request request = {.guarded = &copy, .guarded_first = guarded_copy, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                               const os_copy_options *options, const os_start *start, os_operation **ret, os_error *err)
{
    const struct guarded_arguments copy = {
        .name = "copy_if_match", .key = key, .replaces = true, .etag = etag, .source = source, .copy_options = options};
    const struct operation_request request = {.guarded = &copy, .guarded_first = guarded_copy, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                      const os_copy_options *options, const os_start *start, os_operation **ret,
                                      os_error *err)
{
    const struct guarded_arguments rename = {
        .name = "rename_if_not_exists", .key = key, .source = source, .copy_options = options};
    const struct operation_request request = {.guarded = &rename, .guarded_first = guarded_rename, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_delete_if_match(os_client *client, const char *key, const char *etag, const os_start *start,
                                 os_operation **ret, os_error *err)
{
    const struct guarded_arguments deletion = {.name = "delete_if_match", .key = key, .replaces = true, .etag = etag};
    const struct operation_request request = {.guarded = &deletion, .guarded_first = guarded_delete, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_resolve(os_client *client, const char *ticket, const os_start *start, os_operation **ret,
                         os_error *err)
{
    const struct guarded_arguments question = {.name = "resolve", .asks = true, .ticket = ticket};
    const struct operation_request request = {.guarded = &question, .guarded_first = guarded_resolve, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_settle(os_client *client, const char *ticket, const os_resolve_options *options, const os_start *start,
                        os_operation **ret, os_error *err)
{
    const struct guarded_arguments question = {
        .name = "settle", .asks = true, .ticket = ticket, .resolve_options = options, .patient = true};
    const struct operation_request request = {.guarded = &question, .guarded_first = guarded_resolve, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_update(os_client *client, const char *key, os_transform_fn transform, void *transform_context,
                        const os_update_options *options, const os_start *start, os_operation **ret, os_error *err)
{
    const struct update_arguments update = {
        .key = key, .transform = transform, .context = transform_context, .options = options};
    const struct operation_request request = {.update = &update, .start = start};
    return operation_start(client, &request, ret, err);
}
