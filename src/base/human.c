/* SPDX-License-Identifier: Apache-2.0 */
#include "base/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define YEAR_10000 UINT64_C(253402300800)

enum { SECOND_MS = 1000, MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, TEN_YEARS_S = 3652 * DAY_S };

void human_time(uint64_t epoch_s, char ret[HUMAN_SIZE])
{
    time_t seconds = (time_t)epoch_s;
    struct tm parts;
    if (epoch_s >= YEAR_10000 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(ret, HUMAN_SIZE, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        snprintf(ret, HUMAN_SIZE, "no time (%" PRIu64 ")", epoch_s);
}

void human_span(uint64_t span_ms, char ret[HUMAN_SIZE])
{
    uint64_t s = span_ms / SECOND_MS;
    if (span_ms % SECOND_MS != 0 && s < 10)
        snprintf(ret, HUMAN_SIZE, "%" PRIu64 " ms", span_ms);
    else if (s < 2 * MINUTE_S)
        snprintf(ret, HUMAN_SIZE, "%" PRIu64 " s", s);
    else if (s < HOUR_S)
        snprintf(ret, HUMAN_SIZE, "%" PRIu64 " min %" PRIu64 " s", s / MINUTE_S, s % MINUTE_S);
    else if (s < 2 * DAY_S)
        snprintf(ret, HUMAN_SIZE, "%" PRIu64 " h %" PRIu64 " min", s / HOUR_S, s % HOUR_S / MINUTE_S);
    else if (s < TEN_YEARS_S)
        snprintf(ret, HUMAN_SIZE, "%" PRIu64 " days", s / DAY_S);
    else
        snprintf(ret, HUMAN_SIZE, "for ever (%" PRIu64 " ms)", span_ms);
}
