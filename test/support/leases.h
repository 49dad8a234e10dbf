/* SPDX-License-Identifier: Apache-2.0 */
/* Leases and locks in the ledger of a fixture: in tables of their own, or embedded in the store's own file. */
#ifndef OSCOMMIT_TEST_LEASES_H
#define OSCOMMIT_TEST_LEASES_H

#include "oscommit_lease.h"
#include "support/event.h"
#include "support/fixture.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* A client for leases alone, whose requests go through the fixture's proxy where it has one. Makes the table first. */
os_client *leases_client(const struct fixture *f);
/* The same past the proxy; and with options of the caller's, whose ledger and credentials are filled in. */
os_client *leases_direct_client(const struct fixture *f);
os_client *leases_client_with(const struct fixture *f, os_options options);
/* The same at a ledger that the caller names, and that nobody has made. */
os_client *leases_client_at(const struct fixture *f, const char *ledger_url);
/* The same for locks. */
os_client *locks_client(const struct fixture *f);
os_client *locks_client_with(const struct fixture *f, os_options options);

/* Options of a client that counts its requests. */
os_options leases_count_requests(atomic_int *requests);

/* Holds it at once, or fails the test. `options` may be NULL. */
os_lease *leases_acquire(os_client *client, const char *name, const os_lease_options *options);
/* The same without waiting, and releases it again. */
os_code leases_try(os_client *client, const char *name, os_error *error);
void leases_release(os_lease *lease); /* or fails the test */
os_lease_info leases_read(os_client *client, const char *name);

/* Of DynamoDB: what others do to the item. */
void leases_put_item(const struct fixture *f, json_t *item); /* takes it over */
void locks_put_item(const struct fixture *f, json_t *item);  /* the same */
void leases_delete_item(const struct fixture *f, const char *name);

/* One that waits in a thread of its own until it holds the lease, which it then has. */
struct lease_waiter {
    os_client *client;
    const char *name;
    os_lease *lease;
    os_code code;
    os_error error;
    uint64_t held_ms; /* when: now_ms() */
    pthread_t thread;
};
void lease_waiter_start(struct lease_waiter *waiter);
void lease_waiter_join(struct lease_waiter *waiter); /* it has acquired the lease, or the test fails */

#endif
