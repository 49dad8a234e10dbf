/* SPDX-License-Identifier: Apache-2.0 */
/* A pause of a call: a while on the loop, which a cancellation and the client's end cut short. */
#ifndef OSCOMMIT_CLIENT_PAUSE_H
#define OSCOMMIT_CLIENT_PAUSE_H

#include "client/client.h"

/* To be started as any sync. When it has finished, `cut` says that it was cut short. */
struct client_interval {
    struct sync sync;
    struct op op;
    struct op_limits limits;
    uint64_t ms;
    bool cut;
};
void client_interval_init(os_client *client, os_cancel *cancel, uint64_t ms, struct client_interval *ret);

/* False: the call was cancelled or the client closes; then it may have been shorter. Blocks. */
bool client_pause(os_client *client, os_cancel *cancel, uint64_t ms);

#endif
