/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few threads for the steps of calls that block where nobody waits for the call (steps.h): a stream that is read, a
 * body that goes in parts. Started as they are needed, kept until the client closes; what is more waits, in order. They
 * are not the loop's workers, as a step may wait for what those do.
 */
#ifndef OSCOMMIT_CLIENT_POOL_H
#define OSCOMMIT_CLIENT_POOL_H

#include "oscommit.h"

#include <stdbool.h>

enum { POOL_THREADS = 8 };

struct pool;

/* Embedded in what it works on. */
struct pool_job {
    void (*run)(struct pool_job *job); /* may free it */
    struct pool_job *next;
};

os_code pool_new(struct pool **ret, os_error *err);
/* From any thread. False, and nothing will run: there is no thread, and none can be started. */
bool pool_run(struct pool *pool, struct pool_job *job);
void pool_free(struct pool *pool); /* nothing must be queued any more; NULL is fine */

#endif
