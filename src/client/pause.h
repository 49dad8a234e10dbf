/* SPDX-License-Identifier: Apache-2.0 */
/* A pause of a call's thread. */
#ifndef OSCOMMIT_CLIENT_PAUSE_H
#define OSCOMMIT_CLIENT_PAUSE_H

#include "client/client.h"

/* False: the call was cancelled or the client closes; then it may have been shorter. Blocks. */
bool client_pause(os_client *client, os_cancel *cancel, uint64_t ms);

#endif
