/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_async.h that start a call on locks. */
#include "operation/operation.h"

static os_code start_call(os_client *client, const struct holding_arguments *arguments, holding_step_fn first,
                          const os_start *start, os_operation **ret, os_error *err)
{
    const struct operation_request request = {.holding = arguments, .holding_first = first, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_lock_acquire(os_client *client, const os_lock *lock, uint64_t duration_s, const os_start *start,
                              os_operation **ret, os_error *err)
{
    const struct holding_arguments acquisition = {.lock = lock, .duration_s = duration_s};
    return start_call(client, &acquisition, holding_acquire_lock, start, ret, err);
}

os_code os_start_lock_renew(os_client *client, const os_lock *lock, uint64_t duration_s, const os_start *start,
                            os_operation **ret, os_error *err)
{
    const struct holding_arguments renewal = {.lock = lock, .duration_s = duration_s};
    return start_call(client, &renewal, holding_renew_lock, start, ret, err);
}

os_code os_start_lock_release(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                              os_error *err)
{
    const struct holding_arguments release = {.lock = lock};
    return start_call(client, &release, holding_release_lock, start, ret, err);
}

os_code os_start_lock_read(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                           os_error *err)
{
    const struct holding_arguments reading = {.lock = lock};
    return start_call(client, &reading, holding_read_lock, start, ret, err);
}

os_code os_start_lock_break(os_client *client, const os_lock *lock, const os_start *start, os_operation **ret,
                            os_error *err)
{
    const struct holding_arguments breaking = {.lock = lock};
    return start_call(client, &breaking, holding_break_lock, start, ret, err);
}

os_code os_start_lock_list(os_client *client, const char *name_space, os_lock_fn each, void *each_context,
                           const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments list = {.name_space = name_space, .each_lock = each, .each_context = each_context};
    return start_call(client, &list, holding_list_locks, start, ret, err);
}

os_code os_start_lock_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments creation = {.name = NULL};
    return start_call(client, &creation, holding_create_locks, start, ret, err);
}

os_code os_start_lock_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments check = {.name = NULL};
    return start_call(client, &check, holding_check_locks, start, ret, err);
}
