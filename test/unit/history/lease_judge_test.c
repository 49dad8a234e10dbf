/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of leases, each rule with a history that breaks it and with one that only just does not. */
#include "history/lease_judge.h"

#include "history_maker.h"
#include "lease_maker.h"
#include "support/checks.h"

/* ---------------------------------------------------------------------------------------------------- overlaps */

TEST(one_after_the_other_is_exact_and_ends_may_touch)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 10);
    lease_holds(history, "b", 10, 20);
    lease_holds(history, "a", 20, 30);
    lease_holds(history, "b", 31, 40);
    struct lease_result result = lease_exact(history);
    assert_int_equal(result.keys, 1);
    assert_int_equal(result.beliefs, 4);
    assert_int_equal(result.hand_overs, 3);
}

TEST(leases_are_judged_apart)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 10);
    lease_say(history, HISTORY_LEASE_HELD, "b", "other", 5);
    struct lease_result result = lease_exact(history);
    assert_int_equal(result.keys, 2);
    assert_int_equal(result.hand_overs, 0);
}

TEST(two_at_once_are_found_with_their_times)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 10);
    lease_holds(history, "b", 9, 20);
    lease_broken_says(history, LEASE_TWO_HOLDERS,
                      "a (0.000000 s to 0.000010 s) and b (0.000009 s to 0.000020 s) both believe for 0.000001 s");
}

TEST(every_pair_is_found)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 100);
    lease_holds(history, "b", 10, 20);
    lease_holds(history, "c", 15, 30);
    lease_broken(history, LEASE_TWO_HOLDERS, 3);
}

TEST(one_within_a_long_one_is_found_behind_another_that_ended)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 100);
    lease_holds(history, "b", 10, 20);
    lease_holds(history, "b", 50, 60);
    lease_broken(history, LEASE_TWO_HOLDERS, 2);
}

TEST(a_belief_that_nothing_ends_lasts_for_ever)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_held(history, "b", 1000);
    lease_broken_says(history, LEASE_TWO_HOLDERS,
                      "a (0.000000 s to for ever) and b (0.001000 s to for ever) both believe for ever");
}

TEST(whoever_takes_what_it_holds_already_is_found)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_held(history, "a", 10);
    lease_released(history, "a", 20);
    lease_broken(history, LEASE_TWO_HOLDERS, 1);
}

/* More than there is room for are counted all the same. */
TEST(all_are_counted_and_the_first_are_kept)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    for (uint64_t i = 0; i < 40; i++)
        lease_holds(history, "b", 10 + 10 * i, 15 + 10 * i);
    struct lease_result result = lease_judged(history);
    assert_int_equal(result.violations, 40);
    assert_int_equal(result.finding_count, 32);
}

/* ---------------------------------------------------------------------------------------------------- ends */

static void until_and_then(uint64_t until_us, void (*end)(struct history *, const char *, uint64_t), uint64_t end_us,
                           bool is_exact)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_until(history, "a", 1, until_us);
    if (end != NULL)
        end(history, "a", end_us);
    lease_holds(history, "b", 10, 20);
    if (is_exact)
        (void)lease_exact(history);
    else
        lease_broken(history, LEASE_TWO_HOLDERS, 1);
}

TEST(the_first_of_what_is_said_ends_a_belief)
{
    void (*const ends[])(struct history *, const char *, uint64_t) = {lease_released, lease_lost, lease_killed};

    until_and_then(10, NULL, 0, true);
    until_and_then(11, NULL, 0, false);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        until_and_then(30, ends[i], 10, true);
        until_and_then(30, ends[i], 11, false);
        until_and_then(10, ends[i], 30, true);
    }
}

TEST(the_last_until_counts)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 0, 10, 1);
    lease_until(history, "a", 5, 30);
    lease_holds(history, "b", 20, 40);
    lease_broken(history, LEASE_TWO_HOLDERS, 1);

    history = maker_new();
    lease_held_with(history, "a", 0, 30, 1);
    lease_until(history, "a", 5, 10);
    lease_holds(history, "b", 20, 40);
    (void)lease_exact(history);
}

/* It said nothing for a while, but who has a lease has had it all the time. */
TEST(a_later_until_closes_the_gap_before_it)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 0, 10, 1);
    lease_until(history, "a", 20, 30);
    (void)lease_exact(history);

    history = maker_new();
    lease_held_with(history, "a", 0, 10, 1);
    lease_until(history, "a", 20, 30);
    lease_holds(history, "b", 12, 15);
    lease_broken(history, LEASE_TWO_HOLDERS, 1);
}

TEST(an_end_of_one_lease_is_none_of_another)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_say(history, HISTORY_LEASE_LOST, "a", "other", 10);
    lease_holds(history, "b", 10, 20);
    lease_broken(history, LEASE_TWO_HOLDERS, 1);
}

TEST(a_kill_ends_every_belief_of_that_process_alone)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_say(history, HISTORY_LEASE_HELD, "a", "other", 0);
    lease_holds(history, "b", 10, 20);
    lease_say(history, HISTORY_LEASE_HELD, "c", "other", 10);
    lease_killed(history, "a", 10);
    assert_int_equal(lease_exact(history).killed, 2);

    history = maker_new();
    lease_held(history, "a", 0);
    lease_holds(history, "b", 10, 20);
    lease_killed(history, "d", 5);
    lease_broken(history, LEASE_TWO_HOLDERS, 1);
}

TEST(a_pause_ends_nothing_and_is_named)
{
    struct history *history = maker_new();

    lease_paused(history, "a", 5, 25);
    lease_holds(history, "a", 0, 30);
    lease_holds(history, "b", 10, 20);
    lease_broken_says(history, LEASE_TWO_HOLDERS,
                      "a (0.000000 s to 0.000030 s, stood still from 0.000005 s) and b (0.000010 s to 0.000020 s) both "
                      "believe for 0.000010 s");
}

TEST(an_answer_that_came_when_it_was_over_is_no_belief)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 15, 10, 1);
    lease_holds(history, "b", 10, 20);
    assert_int_equal(lease_exact(history).beliefs, 1);
}

TEST(a_belief_that_is_over_is_not_taken_up_again)
{
    void (*const ends[])(struct history *, const char *, uint64_t) = {lease_released, lease_lost};

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct history *history = maker_new();
        lease_held(history, "a", 0);
        ends[i](history, "a", 10);
        lease_until(history, "a", 20, 30);
        lease_broken(history, LEASE_AFTER_END, 1);
    }
}

/* ---------------------------------------------------------------------------------------------------- releases */

TEST(a_release_that_was_confirmed_ends_a_belief)
{
    struct history *history = maker_new();

    lease_holds(history, "a", 0, 10);
    lease_let_go(history, "a", 12);
    lease_holds(history, "b", 11, 20); /* it has it before the other one hears of its end */
    lease_let_go(history, "b", 21);
    assert_int_equal(lease_exact(history).let_go, 2);
}

/* OS_OK says that it was held until it was lease_released, whatever was believed before. */
TEST(what_was_let_go_was_held_until_then)
{
    for (int confirmed = 0; confirmed < 2; confirmed++) {
        struct history *history = maker_new();
        lease_held_with(history, "a", 0, 10, 1);
        lease_released(history, "a", 30);
        lease_holds(history, "b", 15, 25);
        if (confirmed)
            lease_let_go(history, "a", 31);
        if (confirmed)
            lease_broken(history, LEASE_TWO_HOLDERS, 1);
        else
            (void)lease_exact(history);
    }
}

TEST(what_was_lost_is_not_released_as_held)
{
    struct history *history = maker_new();

    lease_held(history, "a", 0);
    lease_lost(history, "a", 10);
    lease_let_go(history, "a", 20);
    lease_broken_says(
        history, LEASE_FALSE_RELEASE,
        "the release of a ended at 20 us and said that the lease was held until then, but it had said that it "
        "was lost");
}

TEST(what_was_never_held_or_is_let_go_twice_is_found)
{
    struct history *history = maker_new();

    lease_let_go(history, "a", 20);
    lease_broken(history, LEASE_FALSE_RELEASE, 1);

    history = maker_new();
    lease_held(history, "a", 0);
    lease_let_go(history, "a", 20);
    lease_broken(history, LEASE_FALSE_RELEASE, 1);

    history = maker_new();
    lease_holds(history, "a", 0, 10);
    lease_let_go(history, "a", 11);
    lease_let_go(history, "a", 20);
    lease_broken(history, LEASE_FALSE_RELEASE, 1);
}

/* ---------------------------------------------------------------------------------------------------- tokens */

TEST(tokens_grow_in_the_order_of_the_beliefs)
{
    struct history *history = maker_new();

    lease_held_with(history, "b", 20, 30, 9);
    lease_held_with(history, "a", 0, 10, 1);
    lease_held_with(history, "c", 10, 20, 2);
    lease_holds(history, "d", 30, 40); /* it has none */
    lease_held_with(history, "a", 40, 50, 10);
    (void)lease_exact(history);
}

TEST(the_same_or_a_smaller_token_is_found)
{
    for (uint64_t token = 6; token <= 7; token++) {
        struct history *history = maker_new();
        lease_held_with(history, "a", 0, 5, 7);
        lease_holds(history, "b", 5, 6);
        lease_held_with(history, "c", 6, 8, token);
        lease_broken(history, LEASE_TOKEN, 1);
    }
}

TEST(the_greatest_token_counts_and_not_the_last)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 0, 1, 7);
    lease_held_with(history, "b", 2, 3, 3);
    lease_held_with(history, "a", 4, 5, 5);
    lease_broken(history, LEASE_TOKEN, 2);
}

TEST(the_token_of_a_belief_that_came_too_late_counts)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 15, 10, 2);
    lease_held_with(history, "b", 16, 20, 2);
    lease_broken(history, LEASE_TOKEN, 1);
}

TEST(a_token_of_zero_is_none)
{
    struct history *history = maker_new();

    lease_held_with(history, "a", 0, 10, 0);
    lease_broken(history, LEASE_TOKEN, 1);
}

/* ---------------------------------------------------------------------------------------------------- histories */

TEST(what_contradicts_itself_is_no_history)
{
    struct history *history = maker_new();

    lease_held(history, "a", 10);
    lease_released(history, "a", 9);
    lease_broken(history, LEASE_BAD_HISTORY, 1);

    history = maker_new();
    lease_until(history, "a", 1, 10);
    lease_broken(history, LEASE_BAD_HISTORY, 1);

    history = maker_new();
    lease_killed(history, "a", 9);
    lease_held(history, "a", 10);
    lease_broken(history, LEASE_BAD_HISTORY, 1);

    history = maker_new();
    lease_say(history, HISTORY_LEASE_PAUSED, "a", "", 1);
    lease_say(history, HISTORY_LEASE_PAUSED, "a", "", 2);
    lease_broken(history, LEASE_BAD_HISTORY, 1);

    history = maker_new();
    lease_say(history, HISTORY_LEASE_RESUMED, "a", "", 1);
    lease_broken(history, LEASE_BAD_HISTORY, 1);
}

TEST(nothing_is_exact_and_empty)
{
    struct lease_result result = lease_exact(maker_new());

    assert_int_equal(result.keys, 0);
    assert_int_equal(result.beliefs, 0);
}
