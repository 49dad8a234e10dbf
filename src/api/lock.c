/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lease.h about locks. */
#include "client/settings.h"
#include "holding/holding.h"

/* What is not told is not there. */
static os_code lock_call(os_client *client, const struct holding_arguments *arguments, holding_step_fn first,
                         os_error *err)
{
    const os_lock_info nothing = {0};
    if (arguments->ret_lock_info)
        versioned_give(&nothing, sizeof(nothing), arguments->ret_lock_info);
    return holding_call(client, arguments, first, err);
}

os_code os_lock_acquire(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                        os_lock_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {
        .lock = lock, .duration_s = duration_s, .call = call, .ret_lock_info = ret};
    return lock_call(client, &arguments, holding_acquire_lock, err);
}

os_code os_lock_renew(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                      os_lock_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {
        .lock = lock, .duration_s = duration_s, .call = call, .ret_lock_info = ret};
    return lock_call(client, &arguments, holding_renew_lock, err);
}

os_code os_lock_release(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {.lock = lock, .call = call, .ret_lock_info = ret};
    return lock_call(client, &arguments, holding_release_lock, err);
}

os_code os_lock_read(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {.lock = lock, .call = call, .ret_lock_info = ret};
    return lock_call(client, &arguments, holding_read_lock, err);
}

os_code os_lock_break(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {.lock = lock, .call = call, .ret_lock_info = ret};
    return lock_call(client, &arguments, holding_break_lock, err);
}

os_code os_lock_list(os_client *client, const char *name_space, const os_call *call, os_lock_fn each, void *context,
                     os_error *err)
{
    const struct holding_arguments arguments = {
        .name_space = name_space, .each_lock = each, .each_context = context, .call = call};
    return holding_call(client, &arguments, holding_list_locks, err);
}

os_code os_lock_table_create(os_client *client, const os_call *call, os_error *err)
{
    const struct holding_arguments arguments = {.call = call};
    return holding_call(client, &arguments, holding_create_locks, err);
}

os_code os_lock_table_check(os_client *client, const os_call *call, os_error *err)
{
    const struct holding_arguments arguments = {.call = call};
    return holding_call(client, &arguments, holding_check_locks, err);
}
