/* SPDX-License-Identifier: Apache-2.0 */
/* E10: which Date is believed. */
#include "store/dates.h"
#include "support/test.h"

enum { NOW_S = 1795437634, MARGIN_S = 2, HOUR_S = 3600 };

/* What an answer's Date, received `at_ms` after the test began, is taken for. Its request was sent 10 ms before. */
static enum date_belief at(struct dates *dates, uint64_t at_ms, uint64_t date_s)
{
    struct clock_reading now = {
        .monotonic_ms = 5000000 + at_ms, .boottime_ms = 9000000 + at_ms, .realtime_ms = (uint64_t)NOW_S * 1000 + at_ms};
    struct clock_reading sent = {.monotonic_ms = now.monotonic_ms - 10,
                                 .boottime_ms = now.boottime_ms - 10,
                                 .realtime_ms = now.realtime_ms - 10};
    return dates_judge(dates, date_s, &sent, &now, MARGIN_S);
}

TEST(the_time_that_passes_is_believed)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    assert_int_equal(at(&dates, 1000, NOW_S + 1), DATE_BELIEVED);
    assert_int_equal(at(&dates, 1000, NOW_S + 4), DATE_BELIEVED);  /* another front end's clock, within the margin */
    assert_int_equal(at(&dates, 2000, NOW_S - 15), DATE_BELIEVED); /* too early is safe */
    assert_int_equal(dates.date_s, NOW_S + 4);
    assert_int_equal(at(&dates, HOUR_S * 1000, NOW_S + HOUR_S + HOUR_S / 8), DATE_BELIEVED); /* a slow clock here */
}

TEST(one_date_that_runs_ahead_is_not_believed)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    assert_int_equal(at(&dates, 1000, NOW_S + 8), DATE_DOUBTED);
    assert_int_equal(at(&dates, 1000, NOW_S + HOUR_S), DATE_DOUBTED);
    assert_int_equal(dates.date_s, NOW_S);
    assert_int_equal(at(&dates, 2000, NOW_S + 2), DATE_BELIEVED);
}

/* What REALTIME is set to is no time that has passed. */
TEST(a_realtime_clock_that_is_set_makes_nothing_true)
{
    struct dates dates = {.known = false};
    struct clock_reading now = {.monotonic_ms = 5001000, .boottime_ms = 9001000};
    now.realtime_ms = (uint64_t)(NOW_S + HOUR_S) * 1000;
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    assert_int_equal(dates_judge(&dates, NOW_S + HOUR_S, &now, &now, MARGIN_S), DATE_DOUBTED);
}

/* A machine that was suspended: BOOTTIME has gone on. */
TEST(the_clock_that_went_on_in_a_suspended_machine_counts)
{
    struct dates dates = {.known = false};
    struct clock_reading now = {.monotonic_ms = 5001000, .boottime_ms = 9000000 + HOUR_S * 1000};
    now.realtime_ms = (uint64_t)NOW_S * 1000;
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    assert_int_equal(dates_judge(&dates, NOW_S + HOUR_S, &now, &now, MARGIN_S), DATE_BELIEVED);
}

/* A store whose clock was set is used again after ten seconds and three answers. */
TEST(a_jump_is_believed_when_others_agree)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    for (uint64_t s = 1; s <= 10; s++)
        assert_int_equal(at(&dates, s * 1000, NOW_S + HOUR_S + s), DATE_DOUBTED);
    assert_int_equal(at(&dates, 11000, NOW_S + HOUR_S + 11), DATE_BELIEVED);
    assert_int_equal(dates.date_s, NOW_S + HOUR_S + 11);
    assert_int_equal(at(&dates, 12000, NOW_S + HOUR_S + 12), DATE_BELIEVED);
    assert_int_equal(at(&dates, 12000, NOW_S + 12), DATE_BELIEVED); /* one that is back: too early is safe */
    assert_int_equal(dates.date_s, NOW_S + HOUR_S + 12);
}

TEST(time_alone_makes_no_agreement)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    assert_int_equal(at(&dates, 1000, NOW_S + HOUR_S), DATE_DOUBTED);
    assert_int_equal(at(&dates, 60000, NOW_S + HOUR_S + 59), DATE_DOUBTED);
    assert_int_equal(at(&dates, 61000, NOW_S + HOUR_S + 60), DATE_BELIEVED);
}

/* One front end of two has a wrong clock. */
TEST(an_answer_that_fits_ends_an_agreement)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    for (uint64_t s = 1; s <= 60; s++) {
        assert_int_equal(at(&dates, s * 1000, NOW_S + HOUR_S + s), DATE_DOUBTED);
        if (s % 5 == 0)
            assert_int_equal(at(&dates, s * 1000, NOW_S + s), DATE_BELIEVED);
    }
    assert_int_equal(dates.date_s, NOW_S + 60);
}

TEST(dates_that_disagree_are_never_believed)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    for (uint64_t s = 1; s <= 60; s++)
        assert_int_equal(at(&dates, s * 1000, NOW_S + HOUR_S + (s % 2 ? 7 : 3) * s * 100), DATE_DOUBTED);
    assert_int_equal(dates.date_s, NOW_S);
}

/* Answers that were under way together. */
TEST(what_was_asked_before_is_no_other_answer)
{
    struct dates dates = {.known = false};
    struct clock_reading sent = {
        .monotonic_ms = 5000000, .boottime_ms = 9000000, .realtime_ms = NOW_S * UINT64_C(1000)};
    struct clock_reading now = {
        .monotonic_ms = 5001000, .boottime_ms = 9001000, .realtime_ms = sent.realtime_ms + 1000};
    for (int i = 0; i < 5; i++)
        assert_int_equal(dates_judge(&dates, NOW_S + HOUR_S, &sent, &now, MARGIN_S), DATE_DOUBTED);
    assert_int_equal(dates_judge(&dates, NOW_S + HOUR_S, &now, &now, MARGIN_S), DATE_BELIEVED);
}

/* A download's Date is of its beginning: beside slow ones a store whose clock was set is used again as soon. */
TEST(an_old_date_of_a_slow_answer_ends_no_agreement)
{
    enum { SLOW_S = 8 };
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S), DATE_BELIEVED);
    for (uint64_t s = 1; s <= 10; s++) {
        assert_int_equal(at(&dates, s * 1000, NOW_S + HOUR_S + s), DATE_DOUBTED);
        struct clock_reading now = {.monotonic_ms = 5000000 + s * 1000, .boottime_ms = 9000000 + s * 1000};
        struct clock_reading sent = {.monotonic_ms = now.monotonic_ms - SLOW_S * 1000,
                                     .boottime_ms = now.boottime_ms - SLOW_S * 1000};
        assert_int_equal(dates_judge(&dates, NOW_S + HOUR_S + s - SLOW_S, &sent, &now, MARGIN_S), DATE_DOUBTED);
    }
    assert_int_equal(at(&dates, 11000, NOW_S + HOUR_S + 11), DATE_BELIEVED);
}

TEST(a_first_date_far_ahead_of_ours_needs_another)
{
    struct dates dates = {.known = false};
    assert_int_equal(at(&dates, 0, NOW_S + DATE_NEAR_S + 1), DATE_DOUBTED);
    assert_int_equal(at(&dates, 100, NOW_S + DATE_NEAR_S + 1), DATE_BELIEVED);
    dates = (struct dates){.known = false};
    assert_int_equal(at(&dates, 0, NOW_S + HOUR_S), DATE_DOUBTED);
    assert_int_equal(at(&dates, 100, NOW_S), DATE_BELIEVED);
    dates = (struct dates){.known = false};
    assert_int_equal(at(&dates, 0, NOW_S - HOUR_S), DATE_BELIEVED); /* too early is safe */
    dates = (struct dates){.known = false};
    assert_int_equal(at(&dates, 0, NOW_S + DATE_NEAR_S), DATE_BELIEVED);
}

TEST(absurd_dates_are_refused_however_often_they_come)
{
    static const uint64_t absurd[] = {0, 1, 1136073599, 4102444800, 253402300799, UINT64_MAX};
    struct dates dates = {.known = false};
    for (int known = 0; known < 2; known++) {
        for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++)
            for (uint64_t s = 0; s < 20; s++)
                assert_int_equal(at(&dates, s * 1000, absurd[i]), DATE_ABSURD);
        assert_int_equal(at(&dates, 20000, NOW_S + 20), DATE_BELIEVED);
    }
    assert_int_equal(dates.date_s, NOW_S + 20);
}
