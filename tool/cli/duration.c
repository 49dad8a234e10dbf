/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/duration.h"

#include <string.h>
#include <time.h>

/* 0: no such unit. */
static uint64_t seconds_of(const char *unit, const char *units)
{
    bool is_known = unit[0] == '\0' || (unit[1] == '\0' && strchr(units, unit[0]) != NULL);

    switch (is_known ? unit[0] : '?') {
    case '\0':
    case 's': return 1;
    case 'm': return 60;
    case 'h': return 3600;
    case 'd': return 86400;
    default: return 0;
    }
}

bool duration_parse(const char *text, const char *units, uint64_t most_s, uint64_t *ret_s)
{
    uint64_t number = 0;
    uint64_t seconds;
    const char *p = text;

    for (; *p >= '0' && *p <= '9' && number <= most_s; p++)
        number = number * 10 + (uint64_t)(*p - '0');
    seconds = seconds_of(p, units);
    if (number == 0 || seconds == 0 || number > most_s / seconds)
        return false;
    *ret_s = number * seconds;
    return true;
}

uint64_t duration_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
