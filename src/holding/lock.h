/* SPDX-License-Identifier: Apache-2.0 */
/* Locks with owner and instance: one conditional request each. As the functions of the header. */
#ifndef OSCOMMIT_HOLDING_LOCK_H
#define OSCOMMIT_HOLDING_LOCK_H

#include "client/client.h"
#include "item/item.h"
#include "oscommit_lease.h"

enum lock_attribute {
    LOCK_AT_ID,
    LOCK_AT_NAMESPACE,
    LOCK_AT_NAME,
    LOCK_AT_OWNER,
    LOCK_AT_INSTANCE,
    LOCK_AT_DURATION,
    LOCK_AT_EXPIRY,
    LOCK_ATTRIBUTES
};

extern const struct item_schema lock_schema;

struct lock_arguments {
    const os_lock *lock;
    uint64_t duration_s;
    const os_call *call;
    os_lock_info *ret;
};

os_code lock_acquire(os_client *client, const struct lock_arguments *arguments, os_error *err);
os_code lock_renew(os_client *client, const struct lock_arguments *arguments, os_error *err);
os_code lock_release(os_client *client, const struct lock_arguments *arguments, os_error *err);
/* `lock` has the namespace and the name. */
os_code lock_break(os_client *client, const struct lock_arguments *arguments, os_error *err);

struct lock_list_arguments {
    const char *name_space;
    const os_call *call;
    os_lock_fn each;
    void *context;
};
os_code lock_list(os_client *client, const struct lock_list_arguments *arguments, os_error *err);
os_code lock_read(os_client *client, const struct lock_arguments *arguments, os_error *err);
os_code lock_table_create(os_client *client, const os_call *call, os_error *err);
os_code lock_table_check(os_client *client, const os_call *call, os_error *err);

#endif
