/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lance.h. */
#include "lance/lance.h"

os_code os_lance_check(os_client *client, const char *table, const os_lance_options *options, const os_call *call,
                       os_lance_finding_fn each, void *context, os_error *err)
{
    const struct lance_arguments check = {
        .table = table, .options = options, .call = call, .each = each, .context = context};
    return lance_run_check(client, &check, err);
}

os_code os_lance_resolve(os_client *client, const char *table, const os_lance_options *options, const os_call *call,
                         uint64_t *ret_completed, os_error *err)
{
    const struct lance_arguments resolve = {
        .table = table, .options = options, .call = call, .ret_completed = ret_completed};
    return lance_run_resolve(client, &resolve, err);
}
