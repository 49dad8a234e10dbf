/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wall clock that is OSCOMMIT_TEST_CLOCK_AHEAD_S seconds ahead of the machine's, for the one program that this is
 * loaded into before all else (LD_PRELOAD). Its other clocks stay what they are.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec *ret)
{
    if (syscall(SYS_clock_gettime, which, ret) != 0)
        return -1;
    const char *ahead = getenv("OSCOMMIT_TEST_CLOCK_AHEAD_S");
    if (ahead != NULL && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        ret->tv_sec += strtol(ahead, NULL, 10);
    return 0;
}
