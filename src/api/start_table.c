/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_async.h that start a call on the table of records. */
#include "operation/operation.h"

os_code os_start_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments creation = {.key = NULL};
    const struct operation_request request = {.plain = &creation, .plain_first = plain_table_create, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments check = {.key = NULL};
    const struct operation_request request = {.plain = &check, .plain_first = plain_table_check, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_table_list(os_client *client, const char *key, os_record_fn each, void *each_context,
                            const os_start *start, os_operation **ret, os_error *err)
{
    const struct plain_arguments list = {.key = key, .each_record = each, .each_context = each_context};
    const struct operation_request request = {.plain = &list, .plain_first = plain_table_list, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_table_release(os_client *client, const char *key, const char *etag, int force, const os_start *start,
                               os_operation **ret, os_error *err)
{
    const struct plain_arguments release = {.key = key, .etag = etag, .force = force != 0};
    const struct operation_request request = {.plain = &release, .plain_first = plain_table_release, .start = start};
    return operation_start(client, &request, ret, err);
}
