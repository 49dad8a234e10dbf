/* SPDX-License-Identifier: Apache-2.0 */
/* A pause of a guarded call. */
#include "guarded/call.h"

#include "base/container.h"

static void interval_end(struct guarded_interval *interval, bool cut)
{
    interval->cut = cut;
    op_end(&interval->op);
    sync_finish(&interval->sync);
}

static void interval_over(struct op *op)
{
    interval_end(container_of(op, struct guarded_interval, op), false);
}

static void interval_interrupted(struct op *op, enum op_reason reason)
{
    (void)reason;
    interval_end(container_of(op, struct guarded_interval, op), true);
}

static void interval_start(struct sync *sync)
{
    struct guarded_interval *interval = container_of(sync, struct guarded_interval, sync);
    if (op_begin(&interval->op, &interval->limits, interval_over, interval_interrupted))
        op_pause_ms(&interval->op, interval->ms);
    else
        interval_end(interval, true);
}

bool guarded_interval_init(const struct guarded *guarded, uint64_t ms, struct guarded_interval *ret)
{
    struct clock_reading now;
    clock_read(&now);
    if (now.monotonic_ms >= guarded_deadline(guarded) || ms >= guarded_deadline(guarded) - now.monotonic_ms)
        return false;
    *ret = (struct guarded_interval){
        .sync = {.start = interval_start},
        .limits = {.loop = guarded->client->loop,
                   .cancel = guarded->params.cancel,
                   .closing = guarded->client->closing,
                   .deadline_ms = OP_NO_DEADLINE},
        .ms = ms,
        .cut = true, /* unless it comes to its end */
    };
    return true;
}

bool guarded_pause(struct guarded *guarded, uint64_t ms)
{
    struct guarded_interval interval;
    return guarded_interval_init(guarded, ms, &interval) && sync_run(guarded->client, &interval.sync, NULL) == OS_OK &&
           !interval.cut;
}
