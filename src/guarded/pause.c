/* SPDX-License-Identifier: Apache-2.0 */
/* A pause of a guarded call's thread. */
#include "guarded/call.h"

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

bool guarded_pause(struct guarded *guarded, uint64_t ms)
{
    struct clock_reading now;
    clock_read(&now);
    if (now.monotonic_ms >= guarded_deadline(guarded) || ms >= guarded_deadline(guarded) - now.monotonic_ms)
        return false;
    struct interval interval = {
        .sync = {.start = interval_start},
        .limits = {.loop = guarded->client->loop,
                   .cancel = guarded->params.cancel,
                   .closing = guarded->client->closing,
                   .deadline_ms = OP_NO_DEADLINE},
        .ms = ms,
    };
    return sync_run(guarded->client, &interval.sync, NULL) == OS_OK && !interval.cut;
}
