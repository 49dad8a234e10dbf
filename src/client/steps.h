/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call as steps. Between two of them it waits for something on the loop's thread. The same steps are run by a thread
 * that waits (steps_run), or by nobody in particular (steps_start): then each runs on the loop's thread, but one that
 * may block, which runs on a thread of the client's pool.
 */
#ifndef OSCOMMIT_CLIENT_STEPS_H
#define OSCOMMIT_CLIENT_STEPS_H

#include "client/client.h"
#include "client/pool.h"

enum steps_next {
    STEPS_OVER,  /* the call has come to its end */
    STEPS_WAIT,  /* for `wait`; then comes `step` */
    STEPS_BLOCK, /* `step` comes at once, and may block */
};

struct steps {
    os_client *client;
    enum steps_next (*step)(struct steps *steps); /* the next one */
    /* Where this could not begin, for want of resources, `step` comes all the same: it must find out. */
    struct sync *wait;

    /* Of a call that nobody waits for. */
    void (*over)(struct steps *steps); /* on the loop's thread. The steps may be freed then */
    bool no_thread;                    /* a step that may block found no thread, and was not taken */
    enum steps_next after_block;
    struct pool_job blocking;
    struct loop_job job;
};

/* To the end; on a thread that may block. `client` and `step` are set. */
void steps_run(struct steps *steps);

/* The same on the loop's thread, without waiting; ends in `over`, which may come before this returns. */
void steps_start(struct steps *steps);

#endif
