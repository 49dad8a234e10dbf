/* SPDX-License-Identifier: Apache-2.0 */
/* Leases of a client: the driver, which gives a step machine (lease/lease.h) time and a table. */
#ifndef OSCOMMIT_HOLDING_HOLDING_H
#define OSCOMMIT_HOLDING_HOLDING_H

#include "client/client.h"
#include "oscommit_lease.h"

struct holding_arguments {
    const char *name;
    const char *handle; /* of an adoption */
    const os_lease_options *options;
    const os_call *call;
    os_lease **ret;
};

/* As the functions of the header. */
os_code holding_acquire(os_client *client, const struct holding_arguments *arguments, os_error *err);
os_code holding_adopt(os_client *client, const struct holding_arguments *arguments, os_error *err);
os_code holding_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err);
os_code holding_detach(os_lease *lease, os_error *err);
os_code holding_release(os_lease *lease, const os_call *call, os_error *err);
os_lease_status holding_state(const os_lease *lease);
uint64_t holding_remaining_ms(const os_lease *lease);
uint64_t holding_token(const os_lease *lease);
os_code holding_read(os_client *client, const char *name, const os_call *call, os_lease_info *ret, os_error *err);
os_code holding_list(os_client *client, const os_call *call, os_lease_fn each, void *context, os_error *err);

os_code holding_table_create(os_client *client, const os_call *call, os_error *err);
os_code holding_table_check(os_client *client, const os_call *call, os_error *err);

/* The client ends, and its loop has: leases that were not released are not extended any more. They stay the caller's. */
void holding_detach_all(os_client *client);

#endif
