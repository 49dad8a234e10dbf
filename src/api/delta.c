/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_delta.h. */
#include "append/append.h"
#include "append/check.h"
#include "append/entries.h"

os_verdict os_delta_commit(os_client *client, const char *table, const os_delta_files *files,
                           const os_delta_options *options, const os_call *call, os_delta_result *ret, os_error *err)
{
    const struct append_arguments commit = {.table = table, .data = files, .options = options, .call = call};
    return append_run_commit(client, &commit, ret, err);
}

os_verdict os_delta_append(os_client *client, const char *table, const char *const *files,
                           const os_delta_options *options, const os_call *call, os_delta_result *ret, os_error *err)
{
    const struct append_arguments append = {.table = table, .files = files, .options = options, .call = call};
    return append_run_files(client, &append, ret, err);
}

os_verdict os_delta_resolve(os_client *client, const char *table, const char *ticket, const os_delta_options *options,
                            const os_call *call, os_delta_result *ret, os_error *err)
{
    const struct append_arguments question = {.table = table, .ticket = ticket, .options = options, .call = call};
    return append_run_resolve(client, &question, ret, err);
}

os_code os_delta_check(os_client *client, const char *table, const os_delta_options *options, const os_call *call,
                       os_delta_finding_fn each, void *context, os_error *err)
{
    const struct append_arguments check = {.table = table, .options = options, .call = call};
    return append_run_check(client, &check, &(struct check_arguments){each, context}, err);
}

os_code os_delta_log_store_create(os_client *log_store, const os_call *call, os_error *err)
{
    return entry_table(log_store, TABLE_CREATE, call, err);
}

os_code os_delta_log_store_check(os_client *log_store, const os_call *call, os_error *err)
{
    return entry_table(log_store, TABLE_CHECK, call, err);
}

void os_delta_result_clear(os_delta_result *result)
{
    append_result_clear(result);
}
