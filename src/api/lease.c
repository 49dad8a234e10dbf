/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_lease.h. */
#include "holding/holding.h"

static void give_none(os_lease **ret)
{
    if (ret)
        *ret = NULL;
}

os_code os_lease_acquire(os_client *client, const char *name, const os_lease_options *options, const os_call *call,
                         os_lease **ret, os_error *err)
{
    const struct holding_arguments arguments = {.name = name, .options = options, .call = call, .ret = ret};
    give_none(ret);
    return holding_call(client, &arguments, holding_acquire, err);
}

os_code os_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                       const os_call *call, os_lease **ret, os_error *err)
{
    const struct holding_arguments arguments = {
        .name = name, .handle = handle, .options = options, .call = call, .ret = ret};
    give_none(ret);
    return holding_call(client, &arguments, holding_adopt, err);
}

os_code os_lease_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err)
{
    return holding_handle(lease, ret, err);
}

os_code os_lease_detach(os_lease *lease, os_error *err)
{
    return holding_end(lease, NULL, holding_detach, err);
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
    return holding_end(lease, call, holding_release, err);
}

void os_lease_free(os_lease *lease)
{
    holding_let_go(lease);
}

os_code os_lease_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret, os_error *err)
{
    const struct holding_arguments arguments = {.name = name, .call = call, .ret_info = ret};
    return holding_call(client, &arguments, holding_read_lease, err);
}

os_code os_lease_list(os_client *client, const os_call *call, os_lease_fn each, void *context, os_error *err)
{
    const struct holding_arguments arguments = {.each_lease = each, .each_context = context, .call = call};
    return holding_call(client, &arguments, holding_list_leases, err);
}

os_code os_lease_table_create(os_client *client, const os_call *call, os_error *err)
{
    const struct holding_arguments arguments = {.call = call};
    return holding_call(client, &arguments, holding_create_leases, err);
}

os_code os_lease_table_check(os_client *client, const os_call *call, os_error *err)
{
    const struct holding_arguments arguments = {.call = call};
    return holding_call(client, &arguments, holding_check_leases, err);
}
