/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/retry.h"

#include "base/container.h"

static void retry_on_timer(struct loop_timer *timer)
{
    struct retry *retry = container_of(timer, struct retry, timer);
    retry->attempt(retry);
}

void retry_init(struct retry *retry, struct loop *loop, void (*attempt)(struct retry *retry))
{
    *retry = (struct retry){.attempt = attempt, .loop = loop, .timer = {.fire = retry_on_timer}};
    clock_read(&retry->started);
    retry->backoff.random = retry->started.realtime_ms; /* contenders spread out */
}

void retry_later(struct retry *retry)
{
    retry_after(retry, backoff_next_ms(&retry->backoff));
}

void retry_after(struct retry *retry, uint64_t delay_ms)
{
    loop_timer_set(retry->loop, &retry->timer, delay_ms);
}

bool retry_before(struct retry *retry, uint64_t deadline_monotonic_ms)
{
    uint64_t pause_ms = backoff_next_ms(&retry->backoff);
    if (clock_left_ms(deadline_monotonic_ms) <= pause_ms)
        return false;
    retry_after(retry, pause_ms);
    return true;
}

void retry_stop(struct retry *retry)
{
    loop_timer_clear(retry->loop, &retry->timer);
}

uint64_t retry_elapsed_ms(const struct retry *retry)
{
    struct clock_reading now;
    clock_read(&now);
    return clock_elapsed_max(&retry->started, &now);
}
