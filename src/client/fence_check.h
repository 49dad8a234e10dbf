/* SPDX-License-Identifier: Apache-2.0 */
/* What a client finds out once, before its first guarded call: the bucket, the store's time, and E7. Loop's thread. */
#ifndef OSCOMMIT_CLIENT_FENCE_CHECK_H
#define OSCOMMIT_CLIENT_FENCE_CHECK_H

#include "client/client.h"

/* Who waits for it. All zero but the functions, of which one is called once. */
struct fence_waiter {
    struct fence_waiter *next;
    const char *key;   /* of fence_check_wait; borrowed until it is called */
    uint32_t requests; /* that the check has made of the bucket, once it is over or left */
    bool is_nowhere;   /* no object has that key: a policy may deny it, and allow those that are written */
    void (*ready)(struct fence_waiter *waiter);
    void (*refused)(struct fence_waiter *waiter, const os_error *error); /* `error` is borrowed */
};

/* Begins it where nobody has. `key` is that of an object that may be asked for. May call the waiter before it returns. */
void fence_check_wait(os_client *client, struct fence_waiter *waiter, const char *key);
/* Waits no longer. Gives what is wrong with the bucket so far, borrowed from the check; NULL: nothing. */
const os_error *fence_check_leave(os_client *client, struct fence_waiter *waiter);
void fence_check_free(os_client *client);

#endif
