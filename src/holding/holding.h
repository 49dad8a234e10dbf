/* SPDX-License-Identifier: Apache-2.0 */
/* Leases of a client, and locks. A lease is kept by its driver, which gives a step machine (lease/lease.h) time and a
 * table; a lock is one request each. */
#ifndef OSCOMMIT_HOLDING_HOLDING_H
#define OSCOMMIT_HOLDING_HOLDING_H

#include "client/steps.h"
#include "oscommit_lease.h"

/* As the caller gave them; nothing is checked yet. What a function does not have is zero. */
struct holding_arguments {
    const char *name; /* of a lease */
    const os_lease_options *options;
    const char *handle;     /* of an adoption */
    os_lease *lease;        /* that ends */
    const os_lock *lock;    /* as the functions of the header have it; break and read: its namespace and name */
    uint64_t duration_s;    /* of a lock */
    const char *name_space; /* locks that are listed; NULL: all */
    os_lease_fn each_lease;
    os_lock_fn each_lock;
    void *each_context; /* of either */
    const os_call *call;
    os_lease **ret; /* acquire, adopt */
    os_lease_info *ret_info;
    os_lock_info *ret_lock_info; /* may be NULL */
};

/* A call on leases or locks (call.h). Each of the functions below is its first step. */
struct holding;
typedef enum steps_next (*holding_step_fn)(struct holding *holding);
enum steps_next holding_acquire(struct holding *holding);
enum steps_next holding_adopt(struct holding *holding);
enum steps_next holding_read_lease(struct holding *holding);
enum steps_next holding_list_leases(struct holding *holding);
enum steps_next holding_create_leases(struct holding *holding); /* the table */
enum steps_next holding_check_leases(struct holding *holding);
enum steps_next holding_acquire_lock(struct holding *holding);
enum steps_next holding_renew_lock(struct holding *holding);
enum steps_next holding_release_lock(struct holding *holding);
enum steps_next holding_read_lock(struct holding *holding);
enum steps_next holding_break_lock(struct holding *holding);
enum steps_next holding_list_locks(struct holding *holding);
enum steps_next holding_create_locks(struct holding *holding);
enum steps_next holding_check_locks(struct holding *holding);

/* The call from its first step to its code. Blocks. `err` may be NULL. */
os_code holding_call(os_client *client, const struct holding_arguments *arguments, holding_step_fn first,
                     os_error *err);
/* The same of who is inside the client already; `err` is not NULL. */
os_code holding_run(os_client *client, const struct holding_arguments *arguments, holding_step_fn first, os_error *err);

/* ------------------------------------------------------------------------------------------------ of a lease */

/* The last steps of a lease, which frees it when it is over; of `lease` in the arguments. */
enum steps_next holding_release(struct holding *holding);
enum steps_next holding_detach(struct holding *holding);

/* As os_lease_release and os_lease_detach, by the first step of either. Blocks. */
os_code holding_end(os_lease *lease, const os_call *call, holding_step_fn first, os_error *err);
/* An operation will end it: it enters the lease's client, as client_operation_enter does. OS_ERR_CANCELLED: that is being
 * closed, or was. Else the lease is as it was. */
os_code holding_enter_operation(os_lease *lease, os_client **ret, os_error *err);
/* Nobody wants it: it is released in the background, if its client is open, and freed. From any thread; waits for nothing but
 * its `changed`. NULL is fine. */
void holding_let_go(os_lease *lease);

os_code holding_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err);
os_lease_status holding_state(const os_lease *lease);
uint64_t holding_remaining_ms(const os_lease *lease);
uint64_t holding_token(const os_lease *lease);

/* The client ends, and its loop has: leases that were not released are not extended any more. They stay the caller's. */
void holding_detach_all(os_client *client);

#endif
