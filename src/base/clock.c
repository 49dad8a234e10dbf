/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <assert.h>
#include <time.h>

static struct timespec read_time(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);
    assert(failed == 0); /* all three exist in every Linux since 2.6.39 */
    (void)failed;
    return now;
}

static uint64_t read_ms(clockid_t id)
{
    struct timespec now = read_time(id);
    return now.tv_sec < 0 ? 0 : (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_monotonic_us(void)
{
    struct timespec now = read_time(CLOCK_MONOTONIC);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int64_t clock_realtime_ns(void)
{
    struct timespec now = read_time(CLOCK_REALTIME);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_read(struct clock_reading *ret)
{
    ret->monotonic_ms = read_ms(CLOCK_MONOTONIC);
    ret->boottime_ms = read_ms(CLOCK_BOOTTIME);
    ret->realtime_ms = read_ms(CLOCK_REALTIME);
}
