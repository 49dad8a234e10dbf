/* SPDX-License-Identifier: Apache-2.0 */
/* When it makes sense to look again at an attempt that is not decided. */
#include "guarded/driver.h"

#include "base/min.h"

#include <assert.h>

enum { AGAIN_LEAST_MS = 1000, PATIENCE_MOST_MS = 60000, AGAIN_MOST_S = 3600 };

/* Until S3 time is `at_s`, as far as the largest Date and our own clocks tell; 0 when it is, or nothing tells. */
static uint64_t until_ms(const os_client *client, uint64_t at_s)
{
    struct clock_reading now;
    if (!client->dates.known || client->dates.date_s >= at_s)
        return 0;
    uint64_t left_s = at_s - client->dates.date_s;
    uint64_t left_ms = 1000 * (left_s < AGAIN_MOST_S ? left_s : AGAIN_MOST_S);
    clock_read(&now);
    uint64_t gone_ms = clock_elapsed_max(&client->dates.clock, &now);
    return left_ms > gone_ms ? left_ms - gone_ms : 0;
}

/* Fence + margin, and the second in which that is past. Without a fence nothing is ever dead; the lease is the best
 * guess at when an attempt comes no more. */
static uint64_t until_decided_ms(const struct driver *driver)
{
    const struct guard *guard = &driver->guard;
    const struct record *ours = &guard->own.record;
    uint64_t from_s = ours->has_fence ? ours->fence_s : guard->signature.d0_s;
    uint64_t more_s = ours->has_fence ? (uint64_t)guard->settings.margin_s + 1 : ours->timeout_ms / 1000;
    return until_ms(driver->client, from_s > UINT64_MAX - more_s ? UINT64_MAX : from_s + more_s);
}

uint64_t driver_ask_again_ms(const struct driver *driver)
{
    uint64_t until = until_decided_ms(driver);
    return until > AGAIN_LEAST_MS ? until : AGAIN_LEAST_MS;
}

uint64_t driver_patient_ms(struct driver *driver, uint64_t timer_ms)
{
    assert(driver->params.patient);
    uint64_t until = until_decided_ms(driver);
    driver->time.patience_ms = driver->time.patience_ms ? 2 * driver->time.patience_ms : timer_ms;
    driver->time.patience_ms = u64_min(driver->time.patience_ms, PATIENCE_MOST_MS);
    uint64_t wait_ms =
        u64_min(driver->time.patience_ms, u64_min(driver_ledger_left_ms(driver), driver_store_left_ms(driver)));
    wait_ms = wait_ms > timer_ms ? wait_ms : timer_ms;
    return until > 0 && until < wait_ms ? until : wait_ms;
}
