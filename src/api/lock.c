/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lease.h about locks. */
#include "holding/lock.h"

os_code os_lock_acquire(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                        os_lock_info *ret, os_error *err)
{
    return lock_acquire(client, &(struct lock_arguments){lock, duration_s, call, ret}, err);
}

os_code os_lock_renew(os_client *client, const os_lock *lock, uint64_t duration_s, const os_call *call,
                      os_lock_info *ret, os_error *err)
{
    return lock_renew(client, &(struct lock_arguments){lock, duration_s, call, ret}, err);
}

os_code os_lock_release(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    return lock_release(client, &(struct lock_arguments){lock, 0, call, ret}, err);
}

os_code os_lock_read(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    return lock_read(client, &(struct lock_arguments){lock, 0, call, ret}, err);
}

os_code os_lock_break(os_client *client, const os_lock *lock, const os_call *call, os_lock_info *ret, os_error *err)
{
    return lock_break(client, &(struct lock_arguments){lock, 0, call, ret}, err);
}

os_code os_lock_list(os_client *client, const char *name_space, const os_call *call, os_lock_fn each, void *context,
                     os_error *err)
{
    return lock_list(client, &(struct lock_list_arguments){name_space, call, each, context}, err);
}

os_code os_lock_table_create(os_client *client, const os_call *call, os_error *err)
{
    return lock_table_create(client, call, err);
}

os_code os_lock_table_check(os_client *client, const os_call *call, os_error *err)
{
    return lock_table_check(client, call, err);
}
