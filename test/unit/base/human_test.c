/* SPDX-License-Identifier: Apache-2.0 */
#include "base/human.h"
#include "support/test.h"

TEST(times_are_of_the_calendar_or_none)
{
    static const struct {
        uint64_t time_s;
        const char *text;
    } times[] = {
        {0, "1970-01-01 00:00:00 UTC"},
        {1795349482, "2026-11-22 12:11:22 UTC"},
        {UINT64_C(253402300799), "9999-12-31 23:59:59 UTC"},
        {UINT64_C(253402300800), "no time (253402300800)"},
        {INT64_MAX, "no time (9223372036854775807)"},
        {UINT64_MAX, "no time (18446744073709551615)"},
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        char text[HUMAN_SIZE];
        human_time(times[i].time_s, text);
        assert_string_equal(text, times[i].text);
    }
}

TEST(spans_have_the_unit_that_fits)
{
    static const struct {
        uint64_t span_ms;
        const char *text;
    } spans[] = {
        {0, "0 s"},
        {850, "850 ms"},
        {1500, "1500 ms"},
        {20000, "20 s"},
        {119999, "119 s"},
        {185000, "3 min 5 s"},
        {UINT64_C(9600000), "2 h 40 min"},
        {UINT64_C(1036800000), "12 days"},
        {UINT64_C(315532800000), "for ever (315532800000 ms)"},
        {UINT64_MAX, "for ever (18446744073709551615 ms)"},
    };
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        char text[HUMAN_SIZE];
        human_span(spans[i].span_ms, text);
        assert_string_equal(text, spans[i].text);
    }
}
