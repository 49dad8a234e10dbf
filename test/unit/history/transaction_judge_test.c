/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of transactions, each anomaly with a history that has it and with one that only just does not. */
#include "history/transaction_judge.h"

#include "history_maker.h"
#include "support/checks.h"
#include "transaction_maker.h"

#include <string.h>

#define NEVER HISTORY_NEVER

/* ------------------------------------------------------------------------------------------------------ accepted */

TEST(an_empty_history_is_accepted)
{
    struct transaction_result result = transactions_accepted(maker_new());

    assert_int_equal(result.transactions, 0);
    assert_int_equal(result.keys, 0);
}

TEST(one_after_the_other_is_accepted_and_counted)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, READ("a", ""), WRITE("a", "", "a1"), WRITE("b", "", "b1"));
    COMMIT(history, 11, 20, READ("a", "a1"), WRITE("a", "a1", "a2"), APPEND("l", "x"));
    COMMIT(history, 21, 30, READ("a", "a2"), READ("b", "b1"), LIST("l", "x"));
    ADD(history, OS_CONFLICT, 31, 40, WRITE("a", "a1", "a3"));
    ADD(history, OS_NOT_EXECUTED, 41, 50, APPEND("l", "y"));
    ADD(history, OS_UNKNOWN, 51, 60, APPEND("l", "z"));
    struct transaction_result result = transactions_accepted(history);
    assert_int_equal(result.transactions, 6);
    assert_int_equal(result.keys, 3);
    assert_int_equal(result.by_verdict[OS_COMMITTED], 3);
    assert_int_equal(result.by_verdict[OS_CONFLICT], 1);
    assert_int_equal(result.by_verdict[OS_NOT_EXECUTED], 1);
    assert_int_equal(result.by_verdict[OS_UNKNOWN], 1);
    assert_int_equal(result.seen, 0);
}

/* The one that began last may come first. */
TEST(transactions_that_overlap_come_in_any_order)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, WRITE("a", "a1", "a2"));
    COMMIT(history, 100, 200, WRITE("a", "", "a1"));
    (void)transactions_accepted(history);
}

TEST(a_transaction_writes_a_key_twice)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"), WRITE("a", "a1", "a2"), APPEND("l", "x"), APPEND("l", "y"));
    COMMIT(history, 11, 20, READ("a", "a2"), LIST("l", "x", "y"));
    (void)transactions_accepted(history);
}

/* ------------------------------------------------------------------------------------------------- G1a, G1b, made up */

TEST(a_read_of_a_conflict_is_found)
{
    struct history *history = maker_new();

    ADD(history, OS_CONFLICT, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 1000000, 2000000, READ("a", "a1"));
    transactions_refused_saying(history, TRANSACTION_ABORTED_READ,
                                "Transaction 1 (writer 1, 0.000000 s to 0.000010 s, conflict) was told that it was not "
                                "applied. But transaction 2 (writer 2, 1.000000 s to 2.000000 s, committed) read its "
                                "value \"a1\" of a.");
}

TEST(a_write_upon_what_was_not_executed_is_found)
{
    struct history *history = maker_new();

    ADD(history, OS_NOT_EXECUTED, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a2"));
    assert_int_equal(transactions_refused(history, TRANSACTION_ABORTED_READ).finding[0].transaction, 1);
}

/* The reader may be one that failed: what it read was there. */
TEST(a_conflict_that_reads_a_conflict_is_found)
{
    struct history *history = maker_new();

    ADD(history, OS_CONFLICT, 0, 10, APPEND("l", "x"));
    ADD(history, OS_CONFLICT, 20, 30, LIST("l", "x"), APPEND("l", "y"));
    (void)transactions_refused(history, TRANSACTION_ABORTED_READ);
}

TEST(what_was_settled_as_a_conflict_must_not_be_seen)
{
    const struct history_item item[] = {WRITE("a", "", "a1")};
    struct history_transaction transaction = {.end_us = NEVER,
                                              .verdict = OS_UNKNOWN,
                                              .settled = OS_CONFLICT,
                                              .settled_us = 50,
                                              .item = item,
                                              .item_count = 1};
    struct history *history = maker_new();

    maker_settled_transaction(history, &transaction);
    COMMIT(history, 20, 30, READ("a", "a1"));
    (void)transactions_refused(history, TRANSACTION_ABORTED_READ);
    history = maker_new();
    transaction.settled = OS_COMMITTED;
    maker_settled_transaction(history, &transaction);
    COMMIT(history, 20, 30, READ("a", "a1"));
    (void)transactions_accepted(history);
    history = maker_new();
    maker_settled_transaction(history, &transaction);
    COMMIT(history, 51, 60, READ("a", ""));
    (void)transactions_refused(history, TRANSACTION_REAL_TIME);
}

TEST(a_read_between_two_writes_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"), WRITE("a", "a1", "a2"));
    COMMIT(history, 0, 10, READ("a", "a1"));
    transactions_refused_saying(
        history, TRANSACTION_INTERMEDIATE_READ,
        "Transaction 2 (writer 2, 0.000000 s to 0.000010 s, committed) read \"a1\" of a without "
        "\"a2\". But transaction 1 (writer 1, 0.000000 s to 0.000010 s, committed) wrote both, "
        "one after the other.");
}

TEST(half_of_a_transactions_appends_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, APPEND("l", "x"), APPEND("l", "y"));
    COMMIT(history, 0, 10, LIST("l", "x"));
    COMMIT(history, 20, 30, LIST("l", "x", "y"));
    (void)transactions_refused(history, TRANSACTION_INTERMEDIATE_READ);
    history = maker_new(); /* in the wrong order */
    COMMIT(history, 0, 10, APPEND("l", "x"), APPEND("l", "y"));
    COMMIT(history, 0, 10, APPEND("l", "z"));
    COMMIT(history, 20, 30, LIST("l", "y", "x", "z"));
    (void)transactions_refused(history, TRANSACTION_INTERMEDIATE_READ);
}

TEST(a_value_of_nobody_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, READ("a", "a1"));
    (void)transactions_refused(history, TRANSACTION_MADE_UP);
    history = maker_new();
    COMMIT(history, 0, 10, WRITE("a", "a1", "a2"));
    (void)transactions_refused(history, TRANSACTION_MADE_UP);
    history = maker_new();
    COMMIT(history, 0, 10, LIST("l", "x"));
    (void)transactions_refused(history, TRANSACTION_MADE_UP);
    history = maker_new(); /* what a conflict expected need not have been there */
    ADD(history, OS_CONFLICT, 0, 10, WRITE("a", "a1", "a2"));
    (void)transactions_accepted(history);
}

/* ------------------------------------------------------------------------------------------------- lost update */

TEST(two_that_replaced_one_value_are_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a2"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a3"));
    transactions_refused_saying(
        history, TRANSACTION_LOST_UPDATE,
        "Transaction 2 (writer 2, 0.000020 s to 0.000030 s, committed) and transaction 3 (writer "
        "3, 0.000020 s to 0.000030 s, committed) both replaced one value of a: a1.");
}

TEST(two_that_created_one_key_are_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, WRITE("a", "", "a2"));
    (void)transactions_refused(history, TRANSACTION_LOST_UPDATE);
    history = maker_new(); /* one of them is not known to have done it */
    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    ADD(history, OS_UNKNOWN, 20, 30, WRITE("a", "", "a2"));
    (void)transactions_accepted(history);
}

TEST(two_that_read_one_list_and_appended_are_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, LIST("l", "w"), APPEND("l", "x"));
    COMMIT(history, 0, 10, LIST("l", "w"), APPEND("l", "y"));
    COMMIT(history, 0, 10, APPEND("l", "w"));
    (void)transactions_refused(history, TRANSACTION_G2_ITEM);
    history = maker_new(); /* the other one read nothing */
    COMMIT(history, 0, 10, LIST("l", "w"), APPEND("l", "x"));
    COMMIT(history, 0, 10, APPEND("l", "y"));
    COMMIT(history, 0, 10, APPEND("l", "w"));
    (void)transactions_accepted(history);
}

/* ------------------------------------------------------------------------------------------------------- lists */

TEST(an_element_that_stands_there_twice_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, APPEND("l", "x"));
    COMMIT(history, 20, 30, LIST("l", "x", "x"));
    transactions_refused_saying(history, TRANSACTION_APPLIED_TWICE,
                                "Transaction 2 read the list l with the element \"x\" at two places, 1 and 2. It was "
                                "appended once.");
}

TEST(two_orders_of_a_list_are_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, APPEND("l", "x"));
    COMMIT(history, 0, 10, APPEND("l", "y"));
    COMMIT(history, 20, 30, LIST("l", "x", "y"));
    COMMIT(history, 20, 30, LIST("l", "y", "x"));
    transactions_refused_saying(
        history, TRANSACTION_ORDERS,
        "Transaction 4 read the list l with \"y\" as element 1, and transaction 3 with \"x\" there.");
}

/* Nothing follows from a read that is wrong already. */
TEST(a_list_that_lacks_its_beginning_is_found_once)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, APPEND("l", "x"));
    COMMIT(history, 0, 10, APPEND("l", "y"));
    COMMIT(history, 0, 10, APPEND("l", "z"));
    COMMIT(history, 20, 30, LIST("l", "x", "y", "z"));
    COMMIT(history, 20, 30, LIST("l", "z"));
    (void)transactions_refused(history, TRANSACTION_ORDERS);
}

TEST(an_append_that_was_lost_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, APPEND("l", "x"));
    COMMIT(history, 11, 30, EMPTY_LIST("l"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_REAL_TIME);
    assert_string_equal(result.finding[0].step[0],
                        "transaction 2 (writer 2, 0.000011 s to 0.000030 s, committed) read the list l without \"x\", "
                        "which transaction 1 (writer 1, 0.000000 s to 0.000010 s, committed) appended.");
    assert_string_equal(result.finding[0].step[1],
                        "transaction 1 (writer 1, 0.000000 s to 0.000010 s, committed) ended before transaction 2 "
                        "(writer 2, 0.000011 s to 0.000030 s, committed) began.");
    assert_int_equal(result.finding[0].step_count, 2);
    history = maker_new();
    COMMIT(history, 0, 10, APPEND("l", "x"));
    COMMIT(history, 10, 30, EMPTY_LIST("l"));
    (void)transactions_accepted(history);
}

/* ------------------------------------------------------------------------------------------------------ cycles */

static void assert_story(const struct transaction_result *result, size_t steps, const char *a, const char *b)
{
    assert_int_equal(result->finding[0].step_count, steps);
    for (size_t i = 0; i < steps; i++)
        if (strstr(result->finding[0].step[i], a) != NULL && (b == NULL || strstr(result->finding[0].step[i], b)))
            return;
    fail_msg("no step says \"%s\"; the first is \"%s\"", a, result->finding[0].step[0]);
}

TEST(a_cycle_of_writes_is_g0)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, WRITE("a", "", "a1"), WRITE("b", "b1", "b2"));
    COMMIT(history, 0, 100, WRITE("a", "a1", "a2"), WRITE("b", "", "b1"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G0);
    assert_story(&result, 2, "wrote \"a1\" to a, and transaction 2", "replaced it by \"a2\"");
    assert_story(&result, 2, "wrote \"b1\" to b, and transaction 1", "replaced it by \"b2\"");
    assert_string_equal(result.finding[0].sentence, "2 transactions come one before the other in a circle, so none of "
                                                    "them can be the first.");
}

TEST(a_cycle_of_appends_is_g0)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, APPEND("l", "x1"), APPEND("m", "x2"));
    COMMIT(history, 0, 100, APPEND("l", "y1"), APPEND("m", "y2"));
    COMMIT(history, 200, 300, LIST("l", "x1", "y1"), LIST("m", "y2", "x2"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G0);
    assert_story(&result, 2, "appended \"y1\" behind it", NULL);
}

TEST(two_that_read_each_other_are_g1c)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, WRITE("a", "", "a1"), READ("b", "b1"));
    COMMIT(history, 0, 100, WRITE("b", "", "b1"), READ("a", "a1"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G1C);
    assert_story(&result, 2, "wrote \"a1\" to a, and transaction 2", "read it.");
}

/* A reader that sees one of two writes. */
TEST(read_skew_is_g_single)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, WRITE("a", "", "a1"), WRITE("b", "", "b1"));
    COMMIT(history, 0, 100, READ("a", "a1"), READ("b", ""));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G_SINGLE);
    assert_story(&result, 2, "read \"nothing\" of b, which transaction 1", "replaced by \"b1\"");
}

TEST(read_skew_of_lists_is_g_single)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, APPEND("l", "x"), APPEND("m", "y"));
    COMMIT(history, 0, 100, LIST("l", "x"), EMPTY_LIST("m"));
    (void)transactions_refused(history, TRANSACTION_G_SINGLE);
}

TEST(write_skew_is_g2_item)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, READ("a", ""), WRITE("b", "", "b1"));
    COMMIT(history, 0, 100, READ("b", ""), WRITE("a", "", "a1"));
    (void)transactions_refused(history, TRANSACTION_G2_ITEM);
    history = maker_new(); /* one of them is not known to have taken effect */
    COMMIT(history, 0, 100, READ("a", ""), WRITE("b", "", "b1"));
    ADD(history, OS_UNKNOWN, 0, 100, READ("b", ""), WRITE("a", "", "a1"));
    (void)transactions_accepted(history);
    history = maker_new(); /* but it was seen */
    COMMIT(history, 0, 100, READ("a", ""), WRITE("b", "", "b1"));
    ADD(history, OS_UNKNOWN, 0, 100, READ("b", ""), WRITE("a", "", "a1"));
    COMMIT(history, 0, 100, READ("a", "a1"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G2_ITEM);
    assert_story(&result, 2, "unknown, but seen", NULL);
    assert_int_equal(result.seen, 1);
}

/* The names go from the worst to the mildest, and the first of them is told. */
TEST(the_worst_cycle_of_several_is_told)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, READ("c", ""), WRITE("a", "", "a1"), WRITE("b", "b1", "b2"), WRITE("d", "", "d1"));
    COMMIT(history, 0, 100, READ("d", ""), WRITE("a", "a1", "a2"), WRITE("b", "", "b1"), WRITE("c", "", "c1"));
    (void)transactions_refused(history, TRANSACTION_G0);
}

TEST(knots_that_do_not_touch_are_told_apart)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, READ("a", ""), WRITE("b", "", "b1"));
    COMMIT(history, 0, 100, READ("b", ""), WRITE("a", "", "a1"));
    COMMIT(history, 200, 300, READ("c", ""), WRITE("d", "", "d1"));
    COMMIT(history, 200, 300, READ("d", ""), WRITE("c", "", "c1"));
    assert_int_equal(transactions_judged(history).violations, 2);
}

TEST(a_long_cycle_is_told_by_its_first_steps)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    struct history *history = maker_new();

    for (size_t i = 0; i < 9; i++)
        COMMIT(history, 0, 100, READ(names[i], ""), WRITE(names[(i + 1) % 9], "", "1"));
    struct transaction_result result = transactions_refused(history, TRANSACTION_G2_ITEM);
    assert_int_equal(result.finding[0].step_count, 9);
    assert_true(result.finding[0].step[TRANSACTION_STEPS - 1][0] != '\0');
}

/* -------------------------------------------------------------------------------------------------------- time */

TEST(a_read_of_what_was_replaced_before_it_began_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a2"));
    COMMIT(history, 31, 40, READ("a", "a1"));
    (void)transactions_refused(history, TRANSACTION_REAL_TIME);
    history = maker_new(); /* it began at the instant at which the other one ended */
    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a2"));
    COMMIT(history, 30, 40, READ("a", "a1"));
    (void)transactions_accepted(history);
}

/* Two readers who disagree about who was first, over two keys. */
TEST(a_cycle_through_two_gaps_of_time_is_found)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 100, WRITE("a", "", "a1"));
    COMMIT(history, 0, 100, WRITE("b", "", "b1"));
    COMMIT(history, 10, 20, READ("a", "a1"));
    COMMIT(history, 30, 40, READ("b", ""));
    COMMIT(history, 10, 20, READ("b", "b1"));
    (void)transactions_refused(history, TRANSACTION_REAL_TIME);
}

TEST(an_unknown_one_may_take_effect_long_after_its_end)
{
    struct history *history = maker_new();

    ADD(history, OS_UNKNOWN, 0, 10, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, READ("a", ""));
    COMMIT(history, 40, 50, READ("a", "a1"));
    assert_int_equal(transactions_accepted(history).seen, 1);
    history = maker_new(); /* but not before its start */
    ADD(history, OS_UNKNOWN, 31, 40, WRITE("a", "", "a1"));
    COMMIT(history, 20, 30, READ("a", "a1"));
    (void)transactions_refused(history, TRANSACTION_REAL_TIME);
}

/* One unknown is seen only by another, which is seen. */
TEST(what_a_seen_one_replaced_took_effect_too)
{
    struct history *history = maker_new();

    ADD(history, OS_UNKNOWN, 0, NEVER, WRITE("a", "", "a1"), WRITE("b", "", "b1"));
    ADD(history, OS_UNKNOWN, 0, NEVER, WRITE("a", "a1", "a2"));
    COMMIT(history, 10, 20, READ("a", "a2"));
    COMMIT(history, 21, 30, READ("b", ""));
    struct transaction_result result = transactions_refused(history, TRANSACTION_REAL_TIME);
    assert_int_equal(result.seen, 2);
    assert_int_equal(result.by_verdict[OS_UNKNOWN], 0);
}

/* Its reads were true while it ran, whatever became of it. */
TEST(each_read_of_a_conflict_counts_for_itself)
{
    struct history *history = maker_new();

    COMMIT(history, 0, 10, WRITE("a", "", "a1"), WRITE("b", "", "b1"));
    COMMIT(history, 20, 30, WRITE("a", "a1", "a2"), WRITE("b", "b1", "b2"));
    ADD(history, OS_CONFLICT, 20, 30, READ("a", "a1"), READ("b", "b2"));
    (void)transactions_accepted(history);
    history = maker_new();
    COMMIT(history, 0, 10, WRITE("a", "", "a1"));
    ADD(history, OS_CONFLICT, 20, 30, READ("a", ""));
    struct transaction_result result = transactions_refused(history, TRANSACTION_REAL_TIME);
    assert_story(&result, 2, "a read of transaction 2 (", "conflict) read \"nothing\" of a");
}
