/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_TEST_ADDRESS_H
#define OSCOMMIT_TEST_ADDRESS_H

#include <stdbool.h>

enum { ADDRESS_WAITING = 4 };

/* An address at which nobody listens, or somebody who never accepts: then the kernel drops what comes. */
struct address {
    int socket;
    int waiting[ADDRESS_WAITING];
};

/* `port` 0: any. Gives the port. */
int address_take(struct address *ret, int port, bool listens);
void address_free(struct address *address);

#endif
