/* SPDX-License-Identifier: Apache-2.0 */
/* R11: 25 ms doubling to 1 s, with jitter. */
#include "base/backoff.h"
#include "support/test.h"

static const uint32_t steps_ms[] = {25, 50, 100, 200, 400, 800, 1000, 1000, 1000};
enum { STEP_COUNT = sizeof(steps_ms) / sizeof(steps_ms[0]) };

TEST(steps_double_from_25_ms_to_one_second)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct backoff backoff = {.random = seed};
        for (size_t i = 0; i < STEP_COUNT; i++) {
            uint32_t drawn_ms = backoff_next_ms(&backoff);
            assert_int_equal(backoff.step_ms, steps_ms[i]);
            assert_in_range(drawn_ms, steps_ms[i] / 2, steps_ms[i]);
        }
    }
}

TEST(every_length_of_the_upper_half_is_drawn)
{
    bool drawn[BACKOFF_FIRST_MS + 1] = {false};
    struct backoff backoff = {.random = 7};
    for (int i = 0; i < 2000; i++) {
        backoff_restart(&backoff);
        drawn[backoff_next_ms(&backoff)] = true;
    }
    for (uint32_t ms = 0; ms <= BACKOFF_FIRST_MS; ms++)
        assert_int_equal(drawn[ms], ms >= BACKOFF_FIRST_MS / 2);
}

TEST(a_restart_begins_at_25_ms_and_goes_on_drawing)
{
    struct backoff backoff = {.random = 7};
    for (int i = 0; i < 10; i++)
        backoff_next_ms(&backoff);
    uint64_t random = backoff.random;
    backoff_restart(&backoff);
    assert_int_equal(backoff.random, random);
    assert_in_range(backoff_next_ms(&backoff), 12, 25);
    assert_int_not_equal(backoff.random, random);
}

TEST(equal_seeds_draw_equal_lengths)
{
    struct backoff one = {.random = 42};
    struct backoff two = {.random = 42};
    for (int i = 0; i < 100; i++)
        assert_int_equal(backoff_next_ms(&one), backoff_next_ms(&two));
}
