/* SPDX-License-Identifier: Apache-2.0 */
#include "race_tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct race_tally tally;
static char sentence[256];

static int begin(void **state)
{
    (void)state;
    return race_tally_init(&tally, 3, 2, 2) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    race_tally_free(&tally);
    return 0;
}

static struct race_message call(enum race_message_kind kind, uint64_t index, os_verdict first, os_verdict settled)
{
    return (struct race_message){.kind = kind,
                                 .index = index,
                                 .first = first,
                                 .settled = settled,
                                 .requests = 3,
                                 .duration_us = 1000,
                                 .last = true};
}

static void creates(unsigned writer, uint64_t key, os_verdict verdict)
{
    struct race_message message = call(RACE_MESSAGE_CREATE, key, verdict, verdict);

    assert_true(race_tally_add(&tally, writer, &message));
}

static void increments(unsigned writer, uint64_t done, os_verdict verdict)
{
    struct race_message message = call(RACE_MESSAGE_UPDATE, done, verdict, verdict);

    assert_true(race_tally_add(&tally, writer, &message));
}

/* Key 0 is won by writer 1, key 1 by writer 2. */
static void create_all(void)
{
    creates(0, 0, OS_CONFLICT);
    creates(1, 0, OS_COMMITTED);
    creates(2, 0, OS_CONFLICT);
    creates(0, 1, OS_CONFLICT);
    creates(1, 1, OS_CONFLICT);
    creates(2, 1, OS_COMMITTED);
}

static void increment_all(void)
{
    for (unsigned writer = 0; writer < 3; writer++) {
        increments(writer, 0, OS_CONFLICT);
        increments(writer, 0, OS_COMMITTED);
        increments(writer, 1, OS_COMMITTED);
    }
}

static void read_all(void)
{
    race_tally_object(&tally, 0, 1, false);
    race_tally_object(&tally, 1, 2, false);
    tally.read_back = true;
    tally.counter_read = true;
    tally.counter_found = 6;
}

static enum race_judgement judge(void)
{
    return race_tally_judge(&tally, sentence, sizeof(sentence));
}

static void a_race_that_adds_up_is_exact(void **state)
{
    (void)state;
    create_all();
    increment_all();
    read_all();
    assert_int_equal(judge(), RACE_EXACT);
    assert_string_equal(sentence, "Every key has exactly one winner, and the counter has every increment.");
    assert_int_equal(tally.creations.calls, 6);
    assert_int_equal(tally.creations.committed, 2);
    assert_int_equal(tally.creations.conflicts, 4);
    assert_int_equal(tally.creations.requests, 18);
    assert_int_equal(tally.increments.calls, 9);
    assert_int_equal(tally.increments.committed, 6);
    assert_int_equal(tally.writer[1].won, 1);
    assert_int_equal(race_tally_created(&tally), 2);
}

static void two_winners_of_a_key_break_the_race(void **state)
{
    (void)state;
    create_all();
    tally.writer[0].next_key = 1;
    tally.key[1].conflicts--;
    creates(0, 1, OS_COMMITTED);
    increment_all();
    read_all();
    assert_int_equal(judge(), RACE_BROKEN);
    assert_string_equal(sentence, "Key 1 has 2 winners.");
}

static void a_conflict_without_a_winner_breaks_the_race(void **state)
{
    (void)state;
    creates(0, 0, OS_CONFLICT);
    creates(1, 0, OS_CONFLICT);
    assert_int_equal(judge(), RACE_INCOMPLETE); /* writer 2 has not told: it may have won */
    creates(2, 0, OS_CONFLICT);
    assert_int_equal(judge(), RACE_BROKEN);
    assert_string_equal(sentence, "Key 0 was refused as a conflict, but nobody created it.");
}

static void a_lost_update_breaks_the_race(void **state)
{
    (void)state;
    create_all();
    increment_all();
    read_all();
    tally.counter_found = 5;
    assert_int_equal(judge(), RACE_BROKEN);
    assert_string_equal(sentence, "The counter is 5, but 6 increments were committed.");
    tally.counter_found = 7;
    assert_int_equal(judge(), RACE_BROKEN);
    tally.lost_writers = 1; /* it may have committed one more without telling */
    assert_int_equal(judge(), RACE_INCOMPLETE);
}

static void another_content_than_the_winners_breaks_the_race(void **state)
{
    (void)state;
    create_all();
    increment_all();
    race_tally_object(&tally, 0, 0, false);
    race_tally_object(&tally, 1, 2, false);
    tally.read_back = tally.counter_read = true;
    tally.counter_found = 6;
    assert_int_equal(judge(), RACE_BROKEN);
    assert_string_equal(sentence, "1 objects do not have the content of their announced winner.");
}

static void a_missing_or_foreign_object_is_wrong(void **state)
{
    (void)state;
    create_all();
    race_tally_object(&tally, 0, RACE_NO_WINNER, false);
    race_tally_object(&tally, 1, RACE_NO_WINNER, true);
    assert_int_equal(tally.objects_wrong, 2);
}

static void an_object_that_nobody_won_is_wrong_unless_somebody_may_have(void **state)
{
    (void)state;
    creates(0, 0, OS_NOT_EXECUTED);
    creates(1, 0, OS_NOT_EXECUTED);
    race_tally_object(&tally, 0, 2, false); /* writer 2 has not told */
    assert_int_equal(tally.objects_right, 1);
    creates(2, 0, OS_NOT_EXECUTED);
    race_tally_object(&tally, 0, 2, false);
    assert_int_equal(tally.objects_wrong, 1);
    race_tally_object(&tally, 0, RACE_NO_WINNER, false);
    assert_int_equal(tally.objects_right, 2);
}

static void an_unknown_outcome_that_was_settled_counts_as_what_it_was(void **state)
{
    struct race_message message = call(RACE_MESSAGE_CREATE, 0, OS_UNKNOWN, OS_COMMITTED);

    (void)state;
    assert_true(race_tally_add(&tally, 1, &message));
    assert_int_equal(tally.key[0].winner, 1);
    assert_int_equal(tally.creations.unknown, 1);
    assert_int_equal(tally.creations.settled_committed, 1);
    assert_int_equal(race_tally_committed(&tally.creations), 1);
}

static void an_unknown_outcome_that_was_not_settled_leaves_the_race_unsettled(void **state)
{
    (void)state;
    create_all();
    increments(0, 0, OS_UNKNOWN);
    read_all();
    tally.counter_found = 1; /* it may have been applied */
    assert_int_equal(judge(), RACE_UNSETTLED);
    tally.counter_found = 0;
    assert_int_equal(judge(), RACE_UNSETTLED);
    tally.counter_found = 2;
    assert_int_equal(judge(), RACE_BROKEN);
}

static void what_was_not_executed_may_be_tried_again(void **state)
{
    struct race_message message = call(RACE_MESSAGE_CREATE, 0, OS_NOT_EXECUTED, OS_NOT_EXECUTED);

    (void)state;
    message.last = false;
    assert_true(race_tally_add(&tally, 0, &message));
    assert_int_equal(tally.key[0].not_executed, 0);
    creates(0, 0, OS_COMMITTED);
    assert_int_equal(tally.creations.not_executed, 1);
    assert_int_equal(tally.creations.calls, 2);
    message = call(RACE_MESSAGE_CREATE, 1, OS_CONFLICT, OS_CONFLICT);
    message.last = false;
    assert_false(race_tally_add(&tally, 0, &message));
}

static void what_was_not_done_makes_the_race_incomplete(void **state)
{
    (void)state;
    assert_int_equal(judge(), RACE_INCOMPLETE);
    assert_string_equal(sentence, "Only 0 of 2 keys were created.");
    create_all();
    assert_int_equal(judge(), RACE_INCOMPLETE);
    assert_string_equal(sentence, "Only 0 of 6 increments were committed.");
    increment_all();
    assert_int_equal(judge(), RACE_INCOMPLETE);
    assert_string_equal(sentence, "The objects could not be read back.");
    read_all();
    assert_int_equal(judge(), RACE_EXACT);
    tally.lost_writers = 1;
    assert_int_equal(judge(), RACE_INCOMPLETE);
    assert_string_equal(sentence, "1 of 3 processes ended early.");
}

static void a_refused_creation_makes_the_race_incomplete(void **state)
{
    (void)state;
    creates(0, 0, OS_COMMITTED);
    creates(1, 0, OS_NOT_EXECUTED);
    creates(2, 0, OS_CONFLICT);
    creates(0, 1, OS_COMMITTED);
    creates(1, 1, OS_CONFLICT);
    creates(2, 1, OS_CONFLICT);
    increment_all();
    race_tally_object(&tally, 0, 0, false);
    race_tally_object(&tally, 1, 0, false);
    tally.read_back = tally.counter_read = true;
    tally.counter_found = 6;
    assert_int_equal(judge(), RACE_INCOMPLETE);
    assert_string_equal(sentence, "1 creations were not executed.");
}

static void what_contradicts_the_task_is_refused(void **state)
{
    struct race_message message = call(RACE_MESSAGE_CREATE, 1, OS_COMMITTED, OS_COMMITTED);

    (void)state;
    assert_false(race_tally_add(&tally, 0, &message)); /* key 0 comes first */
    message.index = 0;
    assert_false(race_tally_add(&tally, 3, &message)); /* no such writer */
    creates(0, 0, OS_COMMITTED);
    assert_false(race_tally_add(&tally, 0, &message)); /* twice */
    creates(0, 1, OS_CONFLICT);
    message.index = 2;
    assert_false(race_tally_add(&tally, 0, &message)); /* no such key */
    message = call(RACE_MESSAGE_UPDATE, 1, OS_COMMITTED, OS_COMMITTED);
    assert_false(race_tally_add(&tally, 0, &message)); /* none was committed yet */
    increments(0, 0, OS_COMMITTED);
    increments(0, 1, OS_COMMITTED);
    message.index = 2;
    assert_false(race_tally_add(&tally, 0, &message)); /* more than its task */
    increments(1, 0, OS_UNKNOWN);
    message.index = 0;
    assert_false(race_tally_add(&tally, 1, &message)); /* after an outcome that nobody knows */
    message.kind = RACE_MESSAGE_READY;
    assert_false(race_tally_add(&tally, 1, &message));
}

static void quantiles_are_close_and_never_over_the_largest(void **state)
{
    struct latency latency = {0};

    (void)state;
    assert_int_equal(latency_quantile(&latency, 50), 0);
    for (uint64_t us = 1; us <= 100000; us++) {
        latency_add(&latency, us);
    }
    assert_in_range(latency_quantile(&latency, 50), 50000, 51600);
    assert_in_range(latency_quantile(&latency, 95), 95000, 98000);
    assert_int_equal(latency_quantile(&latency, 100), 100000);
    assert_int_equal(latency.max_us, 100000);
    memset(&latency, 0, sizeof(latency));
    latency_add(&latency, 7);
    assert_int_equal(latency_quantile(&latency, 50), 7);
    latency_add(&latency, UINT64_MAX);
    assert_int_equal(latency_quantile(&latency, 50), 7);
    assert_true(latency_quantile(&latency, 95) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_race_that_adds_up_is_exact, begin, end),
        cmocka_unit_test_setup_teardown(two_winners_of_a_key_break_the_race, begin, end),
        cmocka_unit_test_setup_teardown(a_conflict_without_a_winner_breaks_the_race, begin, end),
        cmocka_unit_test_setup_teardown(a_lost_update_breaks_the_race, begin, end),
        cmocka_unit_test_setup_teardown(another_content_than_the_winners_breaks_the_race, begin, end),
        cmocka_unit_test_setup_teardown(a_missing_or_foreign_object_is_wrong, begin, end),
        cmocka_unit_test_setup_teardown(an_object_that_nobody_won_is_wrong_unless_somebody_may_have, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_outcome_that_was_settled_counts_as_what_it_was, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_outcome_that_was_not_settled_leaves_the_race_unsettled, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_executed_may_be_tried_again, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_done_makes_the_race_incomplete, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_creation_makes_the_race_incomplete, begin, end),
        cmocka_unit_test_setup_teardown(what_contradicts_the_task_is_refused, begin, end),
        cmocka_unit_test(quantiles_are_close_and_never_over_the_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
