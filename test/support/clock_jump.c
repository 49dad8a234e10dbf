/* SPDX-License-Identifier: Apache-2.0 */
#include "clock_jump.h"

#include <stdatomic.h>
#include <time.h>

static _Atomic uint64_t ahead_ms;

void clock_jump(uint64_t ms)
{
    atomic_fetch_add(&ahead_ms, ms);
}

int __real_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret);
int __wrap_clock_gettime(clockid_t id, struct timespec *ret)
{
    uint64_t jumped_ms = atomic_load(&ahead_ms);
    int status = __real_clock_gettime(id, ret);
    if (status == 0) {
        ret->tv_nsec += (long)(jumped_ms % 1000) * 1000000;
        ret->tv_sec += (time_t)(jumped_ms / 1000) + ret->tv_nsec / 1000000000;
        ret->tv_nsec %= 1000000000;
    }
    return status;
}
