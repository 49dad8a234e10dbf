/* SPDX-License-Identifier: Apache-2.0 */
/* What a holder may believe of a lease: asked from any thread, answered by the clocks. */
#include "holding/hold.h"

#include "base/error.h"

#include <string.h>

/* As it is shown, and the instant by which it is judged: now, or that at which it was said to be lost. */
static struct lease shown_at(const os_lease *lease, struct clock_reading *ret_when)
{
    os_lease *hold = (os_lease *)lease; /* nothing but what was told */
    monitor_enter(&hold->monitor);
    struct lease shown = hold->shown;
    if (!hold->was_told_lost)
        clock_read(&hold->told);
    hold->was_told_lost = lease_status(&shown, &hold->told) == LEASE_LOST;
    *ret_when = hold->told;
    monitor_leave(&hold->monitor);
    return shown;
}

os_lease_status holding_state(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || hold_is_of_parent(lease))
        return OS_LEASE_LOST;
    struct lease shown = shown_at(lease, &when);
    switch (lease_status(&shown, &when)) {
    case LEASE_HELD: return OS_LEASE_HELD;
    case LEASE_AT_RISK: return OS_LEASE_AT_RISK;
    default: return OS_LEASE_LOST;
    }
}

uint64_t holding_remaining_ms(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || hold_is_of_parent(lease))
        return 0;
    struct lease shown = shown_at(lease, &when);
    return lease_remaining_ms(&shown, &when);
}

uint64_t holding_token(const os_lease *lease)
{
    struct clock_reading when;
    if (lease == NULL || hold_is_of_parent(lease))
        return 0;
    struct lease shown = shown_at(lease, &when);
    return lease_token(&shown);
}

os_code holding_handle(const os_lease *lease, char ret[OS_LEASE_HANDLE_SIZE], os_error *err)
{
    struct clock_reading when;
    error_clear(err);
    if (lease == NULL || ret == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lease_handle needs a lease, and a place for its handle.");
    if (hold_is_of_parent(lease)) /* whose thread may have had the lock when this process was forked */
        return error_set(err, OS_ERR_ARGUMENT, "The lease \"%.200s\" is of the process that this one was forked from.",
                         lease->name);
    struct lease shown = shown_at(lease, &when);
    memset(ret, 0, OS_LEASE_HANDLE_SIZE);
    memcpy(ret, shown.handle, strnlen(shown.handle, OS_LEASE_HANDLE_SIZE - 1));
    return OS_OK;
}
