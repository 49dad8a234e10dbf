/* SPDX-License-Identifier: Apache-2.0 */
#include "store/dates.h"

enum { CUT_S = 1 };                       /* a Date is cut to the second */
#define DATE_LEAST_S UINT64_C(1136073600) /* 2006-01-01: no store of this kind is older */
#define DATE_MOST_S  UINT64_C(4102444800) /* 2100-01-01 */

/* REALTIME does not count: it may be set while another's Date is on its way. */
static uint64_t elapsed_ms(const struct clock_reading *start, const struct clock_reading *now)
{
    struct clock_reading from = *start;
    from.realtime_ms = now->realtime_ms;
    return clock_elapsed_max(&from, now);
}

/* The latest that a store's clock may show, which showed date_s after `clock` was read. */
static uint64_t latest_s(uint64_t date_s, const struct clock_reading *clock, const struct clock_reading *now,
                         uint32_t margin_s)
{
    uint64_t gone_ms = elapsed_ms(clock, now);
    return date_s + (gone_ms + gone_ms / DATE_SLOW_PER_CLOCK) / 1000 + CUT_S + margin_s;
}

static bool is_first_near(uint64_t date_s, const struct clock_reading *now)
{
    return date_s <= now->realtime_ms / 1000 + DATE_NEAR_S;
}

static bool dates_fits(const struct dates *dates, uint64_t date_s, const struct clock_reading *now, uint32_t margin_s)
{
    return dates->known ? date_s <= latest_s(dates->date_s, &dates->clock, now, margin_s) : is_first_near(date_s, now);
}

static void dates_believe(struct dates *dates, uint64_t date_s, const struct clock_reading *sent)
{
    dates->doubting = false;
    if (dates->known && date_s < dates->date_s)
        return;
    dates->known = true;
    dates->date_s = date_s;
    dates->clock = *sent;
}

static bool agrees(const struct dates *dates, uint64_t date_s, const struct clock_reading *now, uint32_t margin_s)
{
    return dates->doubting && date_s + margin_s >= dates->doubted_s &&
           date_s <= latest_s(dates->doubted_s, &dates->doubted_clock, now, margin_s);
}

/* Answers that were under way together may have come from one place. */
static bool is_another(const struct dates *dates, const struct clock_reading *sent)
{
    return sent->monotonic_ms >= dates->doubted_clock.monotonic_ms;
}

static bool is_agreed(const struct dates *dates, const struct clock_reading *now)
{
    if (!dates->known)
        return dates->agreeing >= DATE_FIRST_AGREE;
    return dates->agreeing >= DATE_JUMP_AGREE && clock_elapsed_min(&dates->doubted_since, now) >= DATE_JUMP_MS;
}

/* By the same clock, but written before the last of them: where an answer is long on its way, its Date is old. */
static bool is_older(const struct dates *dates, uint64_t date_s, const struct clock_reading *sent, uint32_t margin_s)
{
    return dates->doubting && date_s < dates->doubted_s &&
           latest_s(date_s, sent, &dates->doubted_clock, margin_s) >= dates->doubted_s;
}

static void dates_doubt(struct dates *dates, uint64_t date_s, const struct clock_reading *sent,
                        const struct clock_reading *now, uint32_t margin_s)
{
    bool agreed = agrees(dates, date_s, now, margin_s);
    if (!agreed && is_older(dates, date_s, sent, margin_s))
        return;
    if (!agreed) {
        dates->doubting = true;
        dates->agreeing = 0;
        dates->doubted_since = *now;
    } else if (!is_another(dates, sent)) {
        return;
    }
    dates->agreeing++;
    dates->doubted_s = date_s;
    dates->doubted_clock = *now;
}

enum date_belief dates_judge(struct dates *dates, uint64_t date_s, const struct clock_reading *sent,
                             const struct clock_reading *now, uint32_t margin_s)
{
    if (date_s < DATE_LEAST_S || date_s >= DATE_MOST_S)
        return DATE_ABSURD;
    if (dates_fits(dates, date_s, now, margin_s)) {
        dates_believe(dates, date_s, sent);
        return DATE_BELIEVED;
    }
    dates_doubt(dates, date_s, sent, now, margin_s);
    if (!is_agreed(dates, now))
        return DATE_DOUBTED;
    dates_believe(dates, date_s, sent);
    return DATE_BELIEVED;
}
