/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "support/test.h"

#include "base/random.h"

#include <string.h>
#include <time.h>

TEST(the_clocks_run_on_and_agree_with_the_systems)
{
    struct clock_reading first;
    struct clock_reading second;
    time_t before = time(NULL);
    clock_read(&first);
    uint64_t between_us = clock_monotonic_us();
    clock_read(&second);
    time_t after = time(NULL);
    assert_true(second.monotonic_ms >= first.monotonic_ms);
    assert_in_range(between_us / 1000, first.monotonic_ms, second.monotonic_ms);
    assert_true(second.boottime_ms >= first.boottime_ms);
    assert_true(first.boottime_ms >= first.monotonic_ms || first.monotonic_ms - first.boottime_ms < 1000);
    assert_in_range(first.realtime_ms / 1000, (uint64_t)before, (uint64_t)after + 1);
}

/* R6: the clock that says most counts, so that a suspended machine or a clock set forward ends a lease early, not late.
 */
TEST(the_largest_elapsed_time_counts_for_a_lease)
{
    const struct clock_reading start = {1000, 1000, 1000};
    assert_int_equal(clock_elapsed_max(&start, &(struct clock_reading){1005, 1003, 1004}), 5);
    assert_int_equal(clock_elapsed_max(&start, &(struct clock_reading){1003, 1005, 1004}), 5);
    assert_int_equal(clock_elapsed_max(&start, &(struct clock_reading){1003, 1004, 1005}), 5);
    assert_int_equal(clock_elapsed_max(&start, &(struct clock_reading){1003, 1004, 10}), 4);
    assert_int_equal(clock_elapsed_max(&start, &start), 0);
    assert_int_equal(clock_elapsed_max(&start, &(struct clock_reading){0, 0, 0}), 0);
    assert_true(clock_elapsed_max(&(struct clock_reading){0, 0, 0}, &(struct clock_reading){0, 0, UINT64_MAX}) ==
                UINT64_MAX);
}

/* R12: who waits for another's lease believes the slower of the two clocks that nobody can set. */
TEST(the_smaller_of_the_unsettable_clocks_counts_for_waiting)
{
    const struct clock_reading start = {1000, 1000, 1000};
    assert_int_equal(clock_elapsed_min(&start, &(struct clock_reading){1005, 1003, 1000000}), 3);
    assert_int_equal(clock_elapsed_min(&start, &(struct clock_reading){1003, 1005, 0}), 3);
    assert_int_equal(clock_elapsed_min(&start, &(struct clock_reading){999, 1005, 2000}), 0);
    assert_int_equal(clock_elapsed_min(&start, &(struct clock_reading){1005, 999, 2000}), 0);
}

TEST(random_bytes_fill_what_was_asked_and_no_more)
{
    unsigned char first[600] = {0};
    unsigned char second[600] = {0};
    assert_true(random_bytes(first, 599)); /* above the 256 bytes that the system gives in one piece for certain */
    assert_true(random_bytes(second, 599));
    assert_memory_not_equal(first, second, 599);
    assert_int_equal(first[599], 0);
    assert_true(random_bytes(first, 0));
}

/* The first values of the generator's published C source, from the seed 1234567. */
TEST(the_generator_is_splitmix64)
{
    uint64_t seed = 1234567;
    assert_true(random_next(&seed) == UINT64_C(6457827717110365317));
    assert_true(random_next(&seed) == UINT64_C(3203168211198807973));
    assert_true(random_next(&seed) == UINT64_C(9817491932198370423));
}

TEST(a_call_that_is_late_has_one_millisecond_left)
{
    uint64_t now_ms = clock_monotonic_ms();
    assert_int_equal(clock_left_ms(now_ms), 0);
    assert_int_equal(clock_left_for_call_ms(now_ms), 1);
    assert_in_range(clock_left_for_call_ms(now_ms + 3600000), 2, 3600000);
    assert_true(clock_left_ms(UINT64_MAX) > UINT64_MAX / 2);
}
