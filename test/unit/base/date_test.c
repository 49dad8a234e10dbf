/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void expect_http(const char *date, int64_t wanted)
{
    int64_t epoch_s = 0;
    char back[30];
    if (!text_parse_http_date(text_from(date), &epoch_s) || epoch_s != wanted)
        fail_msg("%s gives %lld", date, (long long)epoch_s);
    text_format_http_date(wanted, back);
    assert_string_equal(back, date);
}

TEST(http_dates_go_both_ways)
{
    expect_http("Sun, 06 Nov 1994 08:49:37 GMT", 784111777);
    expect_http("Thu, 01 Jan 1970 00:00:00 GMT", 0);
    expect_http("Wed, 31 Dec 1969 23:59:59 GMT", -1);
    expect_http("Tue, 29 Feb 2000 12:00:00 GMT", 951825600);
    expect_http("Thu, 29 Feb 2024 23:59:59 GMT", 1709251199);
    expect_http("Fri, 01 Mar 2024 00:00:00 GMT", 1709251200);
    expect_http("Tue, 19 Jan 2038 03:14:08 GMT", INT64_C(2147483648));
    expect_http("Mon, 01 Mar 2100 00:00:00 GMT", INT64_C(4107542400));
    expect_http("Fri, 31 Dec 9999 23:59:59 GMT", INT64_C(253402300799));
    expect_http("Mon, 01 Jan 0001 00:00:00 GMT", INT64_C(-62135596800));
}

TEST(http_dates_in_any_other_form_are_refused)
{
    static const char *const bad[] = {
        "",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Mon, 06 Nov 1994 08:49:37 GMT", /* it was a Sunday */
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Thu, 31 Nov 1994 08:49:37 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT",
        "Mon, 29 Feb 2100 00:00:00 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:3",
        "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 0x:49:37 GMT",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t epoch_s = 7;
        if (text_parse_http_date(text_from(bad[i]), &epoch_s))
            fail_msg("\"%s\" is taken", bad[i]);
        assert_int_equal(epoch_s, 7);
    }
}

TEST(no_cut_of_a_date_is_a_date)
{
    const char http[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    const char iso[] = "2006-02-03T16:45:09.123Z";
    int64_t epoch_s;
    for (size_t len = 0; len < strlen(http); len++)
        assert_false(text_parse_http_date(text_of(http, len), &epoch_s));
    for (size_t len = 0; len < strlen(iso); len++)
        assert_false(text_parse_iso8601(text_of(iso, len), &epoch_s));
}

TEST(a_leap_second_is_the_first_of_the_next_minute)
{
    int64_t epoch_s;
    assert_true(text_parse_http_date(text_from("Sat, 31 Dec 2016 23:59:60 GMT"), &epoch_s));
    assert_int_equal(epoch_s, 1483228800);
}

TEST(iso_dates_are_read_with_and_without_a_fraction)
{
    static const char *const good[] = {"2006-02-03T16:45:09Z", "2006-02-03T16:45:09.0Z", "2006-02-03T16:45:09.999Z",
                                       "2006-02-03T16:45:09.123456789Z"};
    static const char *const bad[] = {
        "2006-02-03T16:45:09.Z",           "2006-02-03T16:45:09",  "2006-02-03 16:45:09Z", "2006-02-03T16:45:09+00:00",
        "2006-02-03T16:45:09.1234567890Z", "2006-02-30T16:45:09Z", "2006-13-03T16:45:09Z", "2006-00-03T16:45:09Z",
        "2006-02-03T16:45:09Zx",           "06-02-03T16:45:09Z",   "2006-02-03t16:45:09z", ""};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        int64_t epoch_s = 0;
        assert_true(text_parse_iso8601(text_from(good[i]), &epoch_s));
        assert_int_equal(epoch_s, 1138985109);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t epoch_s = 7;
        if (text_parse_iso8601(text_from(bad[i]), &epoch_s))
            fail_msg("\"%s\" is taken", bad[i]);
        assert_int_equal(epoch_s, 7);
    }
}

TEST(amz_dates_are_those_of_the_signatures)
{
    char date[30];
    text_format_amz_date(1369353600, date);
    assert_string_equal(date, "20130524T000000Z");
    text_format_amz_date(1440938160, date);
    assert_string_equal(date, "20150830T123600Z");
}

TEST(times_beyond_the_calendar_stop_at_its_ends)
{
    char date[30];
    text_format_http_date(INT64_MAX, date);
    assert_string_equal(date, "Fri, 31 Dec 9999 23:59:59 GMT");
    text_format_http_date(INT64_MIN, date);
    assert_string_equal(date, "Mon, 01 Jan 0001 00:00:00 GMT");
    text_format_amz_date(INT64_MAX, date);
    assert_string_equal(date, "99991231T235959Z");
}

/* Against the C library, which has its own calendar: an odd step meets every day, hour and minute. */
TEST(the_calendar_is_that_of_the_c_library)
{
    for (int64_t epoch_s = -2208988800; epoch_s < INT64_C(7258118400); epoch_s += 86400 * 3 + 12347) {
        time_t time = (time_t)epoch_s;
        struct tm parts;
        char wanted[64];
        char got[30];
        int64_t back = 0;
        assert_non_null(gmtime_r(&time, &parts));
        assert_true(strftime(wanted, sizeof(wanted), "%a, %d %b %Y %H:%M:%S GMT", &parts) > 0);
        text_format_http_date(epoch_s, got);
        assert_string_equal(got, wanted);
        assert_true(text_parse_http_date(text_from(got), &back));
        assert_true(back == epoch_s);
    }
}
