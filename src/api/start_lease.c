/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_async.h that start a call on leases. */
#include "base/error.h"
#include "operation/operation.h"

os_code os_start_lease_acquire(os_client *client, const char *name, const os_lease_options *options,
                               const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments acquisition = {.name = name, .options = options};
    const struct operation_request request = {
        .holding = &acquisition, .holding_first = holding_acquire, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_lease_adopt(os_client *client, const char *name, const char *handle, const os_lease_options *options,
                             const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments adoption = {.name = name, .handle = handle, .options = options};
    const struct operation_request request = {.holding = &adoption, .holding_first = holding_adopt, .start = start};
    return operation_start(client, &request, ret, err);
}

static os_code start_end(os_lease *lease, holding_step_fn first, const os_start *start, os_operation **ret,
                         os_error *err)
{
    const struct holding_arguments end = {.lease = lease};
    const struct operation_request request = {.holding = &end, .holding_first = first, .start = start};
    if (lease == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "There is no lease to end: it is NULL.");
    return operation_start(NULL, &request, ret, err);
}

os_code os_start_lease_release(os_lease *lease, const os_start *start, os_operation **ret, os_error *err)
{
    return start_end(lease, holding_release, start, ret, err);
}

os_code os_start_lease_detach(os_lease *lease, const os_start *start, os_operation **ret, os_error *err)
{
    return start_end(lease, holding_detach, start, ret, err);
}

os_code os_start_lease_read(os_client *client, const char *name, const os_start *start, os_operation **ret,
                            os_error *err)
{
    const struct holding_arguments reading = {.name = name};
    const struct operation_request request = {.holding = &reading, .holding_first = holding_read_lease, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_lease_list(os_client *client, os_lease_fn each, void *each_context, const os_start *start,
                            os_operation **ret, os_error *err)
{
    const struct holding_arguments list = {.each_lease = each, .each_context = each_context};
    const struct operation_request request = {.holding = &list, .holding_first = holding_list_leases, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_lease_table_create(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments creation = {.name = NULL};
    const struct operation_request request = {
        .holding = &creation, .holding_first = holding_create_leases, .start = start};
    return operation_start(client, &request, ret, err);
}

os_code os_start_lease_table_check(os_client *client, const os_start *start, os_operation **ret, os_error *err)
{
    const struct holding_arguments check = {.name = NULL};
    const struct operation_request request = {.holding = &check, .holding_first = holding_check_leases, .start = start};
    return operation_start(client, &request, ret, err);
}
