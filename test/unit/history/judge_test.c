/* SPDX-License-Identifier: Apache-2.0 */
/* Histories made by hand: what the judge takes, what it refuses, and what it says of it. */
#include "history_maker.h"
#include "support/checks.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------- accepted */

TEST(an_empty_history_is_accepted)
{
    maker_accepted(maker_new());
}

TEST(one_of_two_creations_wins)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, NULL, "b", 0, 10, OS_CONFLICT);
    maker_final(h, "a", 1);
    maker_accepted(h);
}

TEST(a_conflict_may_rest_on_a_write_that_ends_after_it)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 100, OS_COMMITTED);
    maker_write(h, NULL, "b", 10, 20, OS_CONFLICT);
    maker_accepted(h);
}

TEST(calls_that_touch_at_one_microsecond_overlap)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, NULL, "b", 0, 10, OS_CONFLICT);
    maker_write(h, "a", "c", 10, 20, OS_COMMITTED);
    maker_write(h, "c", "d", 20, 30, OS_COMMITTED);
    maker_read(h, "a", 10, 10);
    maker_final(h, "d", 3);
    maker_accepted(h);
}

TEST(an_unknown_write_may_have_happened)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, HISTORY_NEVER, OS_UNKNOWN);
    maker_write(h, "a", "b", 50, 60, OS_COMMITTED);
    maker_final(h, "b", 2);
    maker_accepted(h);
}

TEST(an_unknown_write_may_not_have_happened)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_UNKNOWN);
    maker_write(h, NULL, "b", 50, 60, OS_COMMITTED);
    maker_final(h, "b", 1);
    maker_accepted(h);
}

TEST(an_unknown_write_may_happen_long_after_its_call)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_UNKNOWN);
    maker_read(h, NULL, 20, 30);
    maker_write(h, NULL, "b", 40, 50, OS_CONFLICT);
    maker_final(h, "a", 1);
    maker_accepted(h);
}

TEST(a_settled_commit_may_have_happened_until_it_was_settled)
{
    struct history *h = maker_new();

    maker_settled(h, HISTORY_PUT_IF_ABSENT, NULL, "a", 0, 10, OS_COMMITTED, 100);
    maker_read(h, NULL, 50, 60);
    maker_read(h, "a", 110, 120);
    maker_final(h, "a", 1);
    maker_accepted(h);
}

TEST(a_settled_conflict_may_rest_on_a_later_write)
{
    struct history *h = maker_new();

    maker_settled(h, HISTORY_PUT_IF_ABSENT, NULL, "a", 0, 10, OS_CONFLICT, 100);
    maker_write(h, NULL, "b", 50, 60, OS_COMMITTED);
    maker_final(h, "b", 1);
    maker_accepted(h);
}

TEST(a_value_may_come_again)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    maker_write(h, "b", "a", 40, 50, OS_COMMITTED);
    maker_write(h, "a", "c", 60, 70, OS_COMMITTED);
    maker_final(h, "c", 4);
    maker_accepted(h);
}

TEST(one_etag_may_be_created_twice_with_a_delete_between)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", NULL, 20, 30, OS_COMMITTED);
    maker_write(h, NULL, "a", 40, 50, OS_COMMITTED);
    maker_final(h, "a", 2);
    maker_accepted(h);
}

TEST(a_rename_is_a_copy_and_a_delete)
{
    struct history *h = maker_new();
    struct history_call put = {.id = 10,
                               .operation = HISTORY_PUT_IF_ABSENT,
                               .key = "source",
                               .value = "a",
                               .end_us = 10,
                               .verdict = OS_COMMITTED,
                               .settled = OS_COMMITTED};
    struct history_call removal = put;

    assert_true(history_add_call(h, &put));
    maker_call(h, HISTORY_COPY_IF_ABSENT, NULL, "a", 20, 30, OS_COMMITTED);
    removal.id = 11;
    removal.operation = HISTORY_DELETE_IF_MATCH;
    removal.expected = "a";
    removal.value = NULL;
    removal.start_us = 40;
    removal.end_us = 50;
    assert_true(history_add_call(h, &removal));
    maker_final(h, "a", 1);
    maker_accepted(h);
}

TEST(an_unknown_delete_lets_two_creations_win)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", NULL, 20, HISTORY_NEVER, OS_UNKNOWN);
    maker_write(h, NULL, "b", 40, 50, OS_COMMITTED);
    maker_final(h, "b", 2);
    maker_accepted(h);
}

TEST(an_unknown_write_that_was_overwritten_counts_as_a_version)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_UNKNOWN);
    maker_write(h, "b", "a", 40, 50, OS_UNKNOWN);
    maker_final(h, "a", 3);
    maker_accepted(h);
}

TEST(a_write_that_was_not_executed_proves_nothing)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_NOT_EXECUTED);
    maker_call(h, HISTORY_READ, NULL, "x", 20, 30, OS_NOT_EXECUTED);
    maker_call(h, HISTORY_READ, NULL, "x", 20, HISTORY_NEVER, OS_UNKNOWN);
    maker_final(h, NULL, 0);
    maker_accepted(h);
}

/* ----------------------------------------------------------------------------------------------------- refused */

TEST(two_winners_are_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, NULL, "b", 5, 20, OS_COMMITTED);
    maker_refused(h, JUDGE_TWO_WINNERS, 2, 1);
}

TEST(two_winners_are_refused_when_the_delete_came_before_both)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", NULL, 20, 30, OS_COMMITTED);
    maker_write(h, NULL, "b", 40, 50, OS_COMMITTED);
    maker_write(h, NULL, "c", 60, 70, OS_COMMITTED);
    maker_refused(h, JUDGE_TWO_WINNERS, 4, 3);
}

TEST(two_winners_under_one_etag_are_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    maker_write(h, "a", "c", 20, 30, OS_COMMITTED);
    maker_refused(h, JUDGE_TWO_WINNERS, 3, 2);
}

TEST(a_commit_that_the_end_state_lacks_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    maker_final(h, "a", -1);
    maker_refused(h, JUDGE_LOST_COMMIT, 2, 0);
}

TEST(an_object_that_is_gone_without_a_delete_is_a_lost_commit)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_final(h, NULL, -1);
    maker_refused(h, JUDGE_LOST_COMMIT, 1, 0);
}

TEST(a_conflict_whose_write_stands_there_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_CONFLICT);
    maker_final(h, "a", 1);
    maker_refused(h, JUDGE_FALSE_CONFLICT, 1, 0);
}

TEST(a_write_that_was_not_executed_but_was_seen_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_NOT_EXECUTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    maker_refused(h, JUDGE_FALSE_CONFLICT, 1, 2);
}

TEST(a_conflict_without_a_reason_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_CONFLICT);
    maker_write(h, "a", "c", 40, 50, OS_COMMITTED);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 2, 1);
}

TEST(a_conflict_of_a_creation_where_nothing_ever_was_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_CONFLICT);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 1, 0);
}

TEST(a_stale_read_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    maker_read(h, "a", 31, 40);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 3, 2);
}

TEST(a_commit_before_its_expectation_was_written_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, "a", "b", 0, 10, OS_COMMITTED);
    maker_write(h, NULL, "a", 20, 30, OS_COMMITTED);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 1, 0);
}

TEST(an_unknown_write_happens_at_most_once)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_UNKNOWN);
    maker_write(h, "a", NULL, 20, 30, OS_COMMITTED);
    maker_read(h, "a", 40, 50);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 3, 2);
}

TEST(an_unknown_write_does_not_happen_before_its_start)
{
    struct history *h = maker_new();

    maker_read(h, "a", 0, 10);
    maker_write(h, NULL, "a", 20, 30, OS_UNKNOWN);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 1, 0);
}

TEST(a_settled_commit_that_never_shows_is_refused)
{
    struct history *h = maker_new();

    maker_settled(h, HISTORY_PUT_IF_ABSENT, NULL, "a", 0, HISTORY_NEVER, OS_COMMITTED, 100);
    maker_read(h, NULL, 101, 110);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 2, 1);
}

TEST(a_second_version_of_a_create_once_key_is_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, NULL, "b", 0, 10, OS_CONFLICT);
    maker_final(h, "a", 2);
    maker_refused(h, JUDGE_VERSIONS, 0, 0);
}

TEST(versions_that_no_order_makes_are_refused)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_UNKNOWN); /* nothing leads back from "b" */
    maker_final(h, "a", 2);
    maker_refused(h, JUDGE_VERSIONS, 0, 0);
}

TEST(a_value_that_nobody_wrote_is_refused)
{
    struct history *h = maker_new();

    maker_final(h, "a", -1);
    maker_refused(h, JUDGE_NOT_LINEARIZABLE, 0, 0);
}

/* ------------------------------------------------------------------------------------------------- bad history */

TEST(a_call_that_ends_before_it_starts_is_a_bad_history)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 10, 5, OS_COMMITTED);
    maker_refused(h, JUDGE_BAD_HISTORY, 1, 0);
}

TEST(a_verdict_of_a_call_that_never_returned_is_a_bad_history)
{
    struct history *h = maker_new();

    maker_write(h, NULL, "a", 10, HISTORY_NEVER, OS_COMMITTED);
    maker_refused(h, JUDGE_BAD_HISTORY, 1, 0);
}

TEST(a_creation_that_expects_something_is_a_bad_history)
{
    struct history *h = maker_new();

    maker_call(h, HISTORY_COPY_IF_ABSENT, "x", "a", 0, 1, OS_COMMITTED);
    maker_refused(h, JUDGE_BAD_HISTORY, 1, 0);
}

TEST(a_replacement_that_writes_nothing_is_a_bad_history)
{
    struct history *h = maker_new();

    maker_call(h, HISTORY_PUT_IF_MATCH, "x", NULL, 0, 1, OS_UNKNOWN);
    maker_refused(h, JUDGE_BAD_HISTORY, 1, 0);
}

TEST(two_end_states_of_one_key_are_a_bad_history)
{
    struct history *h = maker_new();

    maker_final(h, NULL, -1);
    maker_final(h, "a", -1);
    maker_refused(h, JUDGE_BAD_HISTORY, 0, 0);
}

TEST(two_calls_of_one_id_are_a_bad_history)
{
    struct history *h = maker_new();
    struct judge_result result;

    maker_write(h, NULL, "a", 0, 1, OS_COMMITTED);
    struct history_call again = *history_call_at(h, 0);
    again.verdict = again.settled = OS_CONFLICT;
    assert_true(history_add_call(h, &again));
    assert_true(judge_history(h, &result));
    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.finding[0].violation, JUDGE_BAD_HISTORY);
    history_free(h);
}

TEST(too_many_steps_are_neither_accepted_nor_refused)
{
    struct history *h = maker_new();
    struct judge_result result;

    maker_write(h, NULL, "a", 0, 10, OS_COMMITTED);
    maker_write(h, "a", "b", 20, 30, OS_COMMITTED);
    assert_true(judge_history_within(h, 2, &result));
    assert_true(result.gave_up);
    assert_int_equal(result.undecided, 1);
    assert_int_equal(result.finding_count, 0);
    assert_string_equal(result.gave_up_key, "k");
    history_free(h);
}
