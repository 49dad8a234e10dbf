/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of operations share: a completing function that counts, and waiting for it. */
#ifndef OSCOMMIT_TEST_API_COMPLETIONS_H
#define OSCOMMIT_TEST_API_COMPLETIONS_H

#include "oscommit_async.h"
#include "support/event.h"

struct completions {
    struct event told; /* once for each completion */
    os_operation *last;
};
#define COMPLETIONS_INIT \
    {                    \
        EVENT_INIT, NULL \
    }

os_start completions_start(struct completions *completions);
/* The operation that was told to have completed, which is the caller's to free. One is under way. */
os_operation *completions_wait(struct completions *completions);

/* Starts, or fails the test. */
os_operation *completions_create(struct completions *completions, os_client *client, const char *key);

#endif
