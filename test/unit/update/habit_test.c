/* SPDX-License-Identifier: Apache-2.0 */
#include "support/test.h"
#include "update/habit.h"

#include <string.h>

enum { ROUND_MS = 10, TRIES = 1000 };

/* The longest of many waits of the same habit. */
static uint64_t longest_wait(const struct update_habit *habit)
{
    uint64_t random = 1;
    uint64_t longest = 0;
    for (int i = 0; i < TRIES; i++) {
        struct update_habit copy = *habit;
        uint64_t wait_ms = update_habit_wait_ms(&copy, &random);
        longest = wait_ms > longest ? wait_ms : longest;
    }
    return longest;
}

TEST(who_is_new_does_not_wait)
{
    const struct update_habit habit = {.key_hash = 1};
    assert_int_equal(longest_wait(&habit), 0);
}

TEST(who_had_conflicts_waits_and_soon_no_longer)
{
    struct update_habit habit = {.key_hash = 1};
    update_habit_note_end(&habit, 4, ROUND_MS, "\"1\"");
    assert_int_equal(longest_wait(&habit), 4 * ROUND_MS);
    update_habit_note_end(&habit, 0, ROUND_MS, "\"2\"");
    assert_int_equal(longest_wait(&habit), 2 * ROUND_MS);
    update_habit_note_end(&habit, 0, ROUND_MS, "\"3\"");
    update_habit_note_end(&habit, 0, ROUND_MS, "\"4\"");
    assert_int_equal(longest_wait(&habit), 0);
}

TEST(no_wait_is_longer_than_a_second)
{
    struct update_habit habit = {.key_hash = 1};
    update_habit_note_end(&habit, UINT32_MAX, 60000, "\"1\"");
    assert_int_equal(longest_wait(&habit), 1000);
}

TEST(who_meets_nobody_pauses_now_and_then)
{
    struct update_habit habit = {.key_hash = 1};
    uint64_t random = 1;
    int pauses = 0;
    for (int i = 0; i < 160; i++) {
        uint64_t wait_ms = update_habit_wait_ms(&habit, &random);
        assert_true(wait_ms == 0 || wait_ms == 2 * ROUND_MS);
        pauses += wait_ms > 0 ? 1 : 0;
        update_habit_note_read(&habit, "\"own\"");
        update_habit_note_end(&habit, 0, ROUND_MS, "\"own\"");
    }
    assert_int_equal(pauses, 9);
}

TEST(a_version_of_another_is_a_sign_of_others)
{
    struct update_habit habit = {.key_hash = 1};
    update_habit_note_read(&habit, "\"first\"");
    assert_int_equal(habit.contention, 0);
    update_habit_note_end(&habit, 0, ROUND_MS, "\"own\"");
    update_habit_note_read(&habit, "\"own\"");
    assert_int_equal(habit.contention, 0);
    assert_int_equal(habit.streak, 1);
    update_habit_note_read(&habit, "\"other\"");
    assert_int_equal(habit.contention, 1);
    assert_int_equal(habit.streak, 0);
    assert_int_equal(longest_wait(&habit), ROUND_MS);
    update_habit_note_end(&habit, 3, ROUND_MS, "");
    update_habit_note_read(&habit, "\"other\"");
    assert_int_equal(habit.contention, 3);
}

TEST(a_habit_is_kept_for_its_key_while_it_is_fresh)
{
    os_client *client = calloc(1, sizeof(*client));
    assert_non_null(client);
    struct update_habit habit = update_habit_of(client, "key");
    assert_int_equal(habit.streak, 0);
    update_habit_note_end(&habit, 2, ROUND_MS, "\"1\"");
    update_habit_keep(client, &habit);
    assert_int_equal(update_habit_of(client, "key").contention, 2);
    assert_int_equal(update_habit_of(client, "another").contention, 0);
    habit.ended_ms -= 2000;
    update_habit_keep(client, &habit);
    assert_int_equal(update_habit_of(client, "key").contention, 0);
    free(client);
}
