/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lease.h. */
#include "holding/holding.h"

os_code os_lease_acquire(os_client *client, const char *name, const os_lease_options *options, const os_call *call,
                         os_lease **ret, os_error *err)
{
    const struct holding_arguments arguments = {name, NULL, options, call, ret};
    return holding_acquire(client, &arguments, err);
}

os_code os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                       const os_call *call, os_lease **ret, os_error *err)
{
    const struct holding_arguments arguments = {name, handle, options, call, ret};
    return holding_adopt(client, &arguments, err);
}

os_code os_lease_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err)
{
    return holding_handle(lease, ret, err);
}

os_code os_lease_detach(os_lease *lease, os_error *err)
{
    return holding_detach(lease, err);
}

os_lease_status os_lease_state(const os_lease *lease)
{
    return holding_state(lease);
}

uint64_t os_lease_remaining_ms(const os_lease *lease)
{
    return holding_remaining_ms(lease);
}

uint64_t os_lease_token(const os_lease *lease)
{
    return holding_token(lease);
}

os_code os_lease_release(os_lease *lease, const os_call *call, os_error *err)
{
    return holding_release(lease, call, err);
}

os_code os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret, os_error *err)
{
    return holding_read(client, name, call, ret, err);
}

os_code os_lease_list(os_client *client, const os_call *call, os_lease_fn each, void *context, os_error *err)
{
    return holding_list(client, call, each, context, err);
}

os_code os_lease_table_create(os_client *client, const os_call *call, os_error *err)
{
    return holding_table_create(client, call, err);
}

os_code os_lease_table_check(os_client *client, const os_call *call, os_error *err)
{
    return holding_table_check(client, call, err);
}
