/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pause.h"

#include "base/container.h"

/* A while on the loop, which a cancellation and the client's end cut short. */
struct interval {
    struct sync sync;
    struct op op;
    struct op_limits limits;
    uint64_t ms;
    bool cut;
};

static void interval_end(struct interval *interval, bool cut)
{
    interval->cut = cut;
    op_end(&interval->op);
    sync_finish(&interval->sync);
}

static void interval_over(struct op *op)
{
    interval_end(container_of(op, struct interval, op), false);
}

static void interval_interrupted(struct op *op, enum op_reason reason)
{
    (void)reason;
    interval_end(container_of(op, struct interval, op), true);
}

static void interval_start(struct sync *sync)
{
    struct interval *interval = container_of(sync, struct interval, sync);
    if (op_begin(&interval->op, &interval->limits, interval_over, interval_interrupted))
        op_pause_ms(&interval->op, interval->ms);
    else
        interval_end(interval, true);
}

bool client_pause(os_client *client, os_cancel *cancel, uint64_t ms)
{
    struct interval interval = {
        .sync = {.start = interval_start},
        .limits = {.loop = client->loop, .cancel = cancel, .closing = client->closing, .deadline_ms = OP_NO_DEADLINE},
        .ms = ms,
    };
    return sync_run(client, &interval.sync, NULL) == OS_OK && !interval.cut;
}
