/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wall clock that is OSCOMMIT_TEST_CLOCK_AHEAD_S seconds ahead of the machine's, for the one program that this is
 * loaded into before all else (LD_PRELOAD). With OSCOMMIT_TEST_CLOCK_AHEAD_FILE the number stands in that file, and is
 * read anew each time: so a test sets the clock of a program that runs. Its other clocks stay what they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number_in(const char *file)
{
    char text[32] = "";
    int said = errno;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        abort(); /* a clock that is not set proves nothing */
    close(fd);
    errno = said;
    return strtol(text, NULL, 10);
}

static long ahead_s(void)
{
    const char *file = getenv("OSCOMMIT_TEST_CLOCK_AHEAD_FILE");
    const char *ahead = getenv("OSCOMMIT_TEST_CLOCK_AHEAD_S");
    if (file != NULL)
        return number_in(file);
    return ahead != NULL ? strtol(ahead, NULL, 10) : 0;
}

int clock_gettime(clockid_t which, struct timespec *ret)
{
    if (syscall(SYS_clock_gettime, which, ret) != 0)
        return -1;
    if (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)
        ret->tv_sec += ahead_s();
    return 0;
}
