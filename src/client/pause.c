/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pause.h"

#include "base/container.h"

static void interval_end(struct client_interval *interval, bool cut)
{
    interval->cut = cut;
    op_end(&interval->op);
    sync_finish(&interval->sync);
}

static void interval_over(struct op *op)
{
    interval_end(container_of(op, struct client_interval, op), false);
}

static void interval_interrupted(struct op *op, enum op_reason reason)
{
    (void)reason;
    interval_end(container_of(op, struct client_interval, op), true);
}

static void interval_start(struct sync *sync)
{
    struct client_interval *interval = container_of(sync, struct client_interval, sync);
    if (op_begin(&interval->op, &interval->limits, interval_over, interval_interrupted))
        op_pause_ms(&interval->op, interval->ms);
    else
        interval_end(interval, true);
}

void client_interval_init(os_client *client, os_cancel *cancel, uint64_t ms, struct client_interval *ret)
{
    *ret = (struct client_interval){
        .sync = {.start = interval_start},
        .limits = {.loop = client->loop, .cancel = cancel, .closing = client->closing, .deadline_ms = OP_NO_DEADLINE},
        .ms = ms,
        .cut = true, /* unless it comes to its end */
    };
}

bool client_pause(os_client *client, os_cancel *cancel, uint64_t ms)
{
    struct client_interval interval;
    client_interval_init(client, cancel, ms, &interval);
    return sync_run(client, &interval.sync, NULL) == OS_OK && !interval.cut;
}
