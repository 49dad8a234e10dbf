/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three local clocks, read together once per event (R6 counts the largest elapsed time, R12 the smallest of the
 * first two). Arithmetic on readings is pure, so that src/commit may use it; clock_read is in clock.c and only the
 * driver calls it.
 */
#ifndef OSCOMMIT_BASE_CLOCK_H
#define OSCOMMIT_BASE_CLOCK_H

#include <stdint.h>

struct clock_reading {
    uint64_t monotonic_ms; /* CLOCK_MONOTONIC: stands while the machine is suspended */
    uint64_t boottime_ms;  /* CLOCK_BOOTTIME: runs on */
    uint64_t realtime_ms;  /* CLOCK_REALTIME: may be set, in both directions */
};

int64_t clock_realtime_ns(void); /* since 1970 */
void clock_read(struct clock_reading *ret);

/* For what is measured and for deadlines on this machine alone. */
uint64_t clock_monotonic_us(void);

/* The same clock as in a reading. */
static inline uint64_t clock_monotonic_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms;
}

/* Until a deadline; 0 once it has passed. */
static inline uint64_t clock_left_ms(uint64_t deadline_monotonic_ms)
{
    uint64_t now_ms = clock_monotonic_ms();
    return deadline_monotonic_ms > now_ms ? deadline_monotonic_ms - now_ms : 0;
}

/* For the deadline of a call, where 0 would be none given: 1 once it has passed. */
static inline uint64_t clock_left_for_call_ms(uint64_t deadline_monotonic_ms)
{
    uint64_t left_ms = clock_left_ms(deadline_monotonic_ms);
    return left_ms > 0 ? left_ms : 1;
}

/* Since `start`, by the clock that says most; a clock that went backwards counts as 0. */
static inline uint64_t clock_elapsed_max(const struct clock_reading *start, const struct clock_reading *now)
{
    uint64_t most = 0;
    if (now->monotonic_ms > start->monotonic_ms)
        most = now->monotonic_ms - start->monotonic_ms;
    if (now->boottime_ms > start->boottime_ms && now->boottime_ms - start->boottime_ms > most)
        most = now->boottime_ms - start->boottime_ms;
    if (now->realtime_ms > start->realtime_ms && now->realtime_ms - start->realtime_ms > most)
        most = now->realtime_ms - start->realtime_ms;
    return most;
}

/* Since `start`, by the slower of MONOTONIC and BOOTTIME. */
static inline uint64_t clock_elapsed_min(const struct clock_reading *start, const struct clock_reading *now)
{
    uint64_t mono = now->monotonic_ms > start->monotonic_ms ? now->monotonic_ms - start->monotonic_ms : 0;
    uint64_t boot = now->boottime_ms > start->boottime_ms ? now->boottime_ms - start->boottime_ms : 0;
    return mono < boot ? mono : boot;
}

#endif
