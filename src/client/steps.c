/* SPDX-License-Identifier: Apache-2.0 */
#include "client/steps.h"

#include "base/container.h"

#include <assert.h>

void steps_run(struct steps *steps)
{
    enum steps_next next;
    while ((next = steps->step(steps)) != STEPS_OVER)
        if (next == STEPS_WAIT)
            (void)sync_run(steps->client, steps->wait, NULL);
}

static void steps_continue(struct steps *steps, enum steps_next next);

static void steps_on_waited(struct sync *sync)
{
    struct steps *steps = sync->context;
    steps_continue(steps, steps->step(steps));
}

/* Loop's thread. */
static void steps_on_unblocked(struct loop_job *job)
{
    struct steps *steps = container_of(job, struct steps, job);
    steps_continue(steps, steps->after_block);
}

/* A thread of the pool. What does not block goes on where it belongs. */
static void steps_block(struct pool_job *job)
{
    struct steps *steps = container_of(job, struct steps, blocking);
    struct inside inside;
    client_enter_thread(steps->client, &inside);
    do
        steps->after_block = steps->step(steps);
    while (steps->after_block == STEPS_BLOCK);
    client_leave(steps->client, &inside);
    steps->job.run = steps_on_unblocked;
    loop_post(steps->client->loop, &steps->job);
}

static void steps_continue(struct steps *steps, enum steps_next next)
{
    switch (next) {
    case STEPS_WAIT: sync_begin(steps->wait, steps_on_waited, steps); return;
    case STEPS_BLOCK:
        steps->blocking.run = steps_block;
        if (pool_run(steps->client->pool, &steps->blocking))
            return;
        steps->no_thread = true;
        break;
    case STEPS_OVER: break;
    }
    steps->over(steps);
}

void steps_start(struct steps *steps)
{
    assert(steps->over != NULL);
    steps_continue(steps, steps->step(steps));
}
