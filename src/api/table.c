/* SPDX-License-Identifier: Apache-2.0 */
/* The public header's functions of the table of records. */
#include "plain/plain.h"

os_code os_table_create(os_client *client, const os_call *call, os_error *err)
{
    const struct plain_arguments creation = {.call = call};
    return plain_call(client, &creation, plain_table_create, err);
}

os_code os_table_check(os_client *client, const os_call *call, os_error *err)
{
    const struct plain_arguments check = {.call = call};
    return plain_call(client, &check, plain_table_check, err);
}

os_code os_table_list(os_client *client, const char *key, const os_call *call, os_record_fn each, void *context,
                      os_error *err)
{
    const struct plain_arguments list = {.key = key, .each_record = each, .each_context = context, .call = call};
    return plain_call(client, &list, plain_table_list, err);
}

os_code os_table_release(os_client *client, const char *key, const char *etag, int force, const os_call *call,
                         os_error *err)
{
    const struct plain_arguments release = {.key = key, .etag = etag, .force = force != 0, .call = call};
    return plain_call(client, &release, plain_table_release, err);
}
