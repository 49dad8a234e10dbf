/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may say of leases, and to whom a pause belongs. */
#include "race/race.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { ORIGIN = 1000, WRITERS = 4 };

static struct race race;

static int begin(void **state)
{
    (void)state;
    memset(&race, 0, sizeof(race));
    if (!race_record_init(&race.record, ORIGIN))
        return -1;
    race_faults_init(&race.faults, &race.record, RACE_FAULT_LOCAL, WRITERS, 1, 1000000);
    return 0;
}

static int end(void **state)
{
    (void)state;
    race_faults_free(&race.faults);
    race_record_free(&race.record);
    return 0;
}

static const struct history_lease *line(size_t index)
{
    return history_lease_at(race.record.history, index);
}

TEST_BETWEEN(begin, end, its_times_count_from_the_begin_of_the_race)
{
    assert_true(race_lease_line_take(&race, 2, 1,
                                     "{\"lease\":\"held\",\"who\":\"w2.1\",\"key\":\"k\",\"at_us\":1005,"
                                     "\"until_us\":1105,\"token\":7}"));
    assert_int_equal(history_lease_count(race.record.history), 1);
    assert_string_equal(line(0)->who, "w2.1");
    assert_int_equal(line(0)->at_us, 5);
    assert_int_equal(line(0)->until_us, 105);
    assert_int_equal(line(0)->token, 7);
    assert_true(race.faults.lane[2].matters);
    assert_true(
        race_lease_line_take(&race, 2, 1, "{\"lease\":\"lost\",\"who\":\"w2.1\",\"key\":\"k\",\"at_us\":1006}"));
    assert_int_equal(line(1)->until_us, HISTORY_NEVER);
    assert_false(race.faults.lane[2].matters);
}

/* A process speaks for itself alone, and does not say that it is dead. */
TEST_BETWEEN(begin, end, what_a_process_may_not_say_is_refused)
{
    static const char *const bad[] = {
        "{\"lease\":\"held\",\"who\":\"w2.0\",\"key\":\"k\",\"at_us\":1005}",
        "{\"lease\":\"held\",\"who\":\"w3.1\",\"key\":\"k\",\"at_us\":1005}",
        "{\"lease\":\"held\",\"who\":\"w2.1\",\"key\":\"k\",\"at_us\"",
        "{\"lease\":\"taken\",\"who\":\"w2.1\",\"key\":\"k\",\"at_us\":1005}",
        "{\"lease\":\"killed\",\"who\":\"w2.1\",\"at_us\":1005}",
        "{\"lease\":\"paused\",\"who\":\"w2.1\",\"at_us\":1005}",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_true(race_lease_line_is(bad[i]));
        assert_false(race_lease_line_take(&race, 2, 1, bad[i]));
    }
    assert_false(race_lease_line_is("{\"race\":\"ready\"}"));
    assert_int_equal(history_lease_count(race.record.history), 0);
    assert_false(race.record.no_memory);
}

TEST_BETWEEN(begin, end, a_pause_is_of_the_process_that_filled_the_lane_then)
{
    race_record_event(&race.record, HISTORY_START, 1, 1001, 1001, "");
    race_record_event(&race.record, HISTORY_START, 2, 1001, 1001, "");
    race_record_event(&race.record, HISTORY_PAUSE, 1, 1010, 1020, "");
    race_record_event(&race.record, HISTORY_KILL, 1, 1030, 1030, "");
    race_record_event(&race.record, HISTORY_START, 1, 1040, 1040, "");
    race_record_event(&race.record, HISTORY_PAUSE, 1, 1050, 1060, "");
    assert_true(race_lease_pauses(&race));
    assert_int_equal(history_lease_count(race.record.history), 4);
    assert_string_equal(line(0)->who, "w1.0");
    assert_int_equal(line(0)->kind, HISTORY_LEASE_PAUSED);
    assert_int_equal(line(0)->at_us, 10);
    assert_int_equal(line(1)->kind, HISTORY_LEASE_RESUMED);
    assert_int_equal(line(1)->at_us, 20);
    assert_string_equal(line(3)->who, "w1.1");
    assert_int_equal(line(3)->at_us, 60);
}
