/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which Date is believed to be S3 time (E10). Pure: a struct, and one question.
 *
 * A Date that is too early is safe: it only makes wait. One that runs ahead lets a live record be taken over. So one
 * that is later than the last and what this machine's clocks say has passed since is believed only when others agree.
 */
#ifndef OSCOMMIT_STORE_DATES_H
#define OSCOMMIT_STORE_DATES_H

#include "base/clock.h"

#include <stdbool.h>

enum date_belief {
    DATE_NONE = 0,
    DATE_BELIEVED,
    DATE_DOUBTED, /* it runs ahead, the first of this machine's time: others must agree */
    DATE_ABSURD   /* before 2006, after 2100 */
};

enum {
    DATE_NEAR_S = 900,      /* how far the first may be ahead of REALTIME, and be believed at once */
    DATE_FIRST_AGREE = 2,   /* how many answers must agree on a first one that is farther ahead */
    DATE_JUMP_AGREE = 3,    /* and on one that runs ahead of those before it, */
    DATE_JUMP_MS = 10000,   /* over so long, without one that does not */
    DATE_SLOW_PER_CLOCK = 4 /* this machine's clocks may be slow by a part of so many */
};

struct dates {
    bool known;
    uint64_t date_s;            /* the largest believed */
    struct clock_reading clock; /* read before the request that it answered was sent */

    bool doubting;
    uint64_t doubted_s;                 /* the last of those that agree */
    struct clock_reading doubted_clock; /* when it was received */
    struct clock_reading doubted_since; /* when the first was */
    uint32_t agreeing;
};

/* `sent`: read before the request was sent; `now`: after its answer was received. */
enum date_belief dates_judge(struct dates *dates, uint64_t date_s, const struct clock_reading *sent,
                             const struct clock_reading *now, uint32_t margin_s);

#endif
