/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of transactions: sums of amounts, and histories that contradict themselves. */
#include "history/transaction_judge.h"

#include "history_maker.h"
#include "support/checks.h"
#include "transaction_maker.h"

#define NEVER HISTORY_NEVER

/* -------------------------------------------------------------------------------------------------------- sums */

static struct history *two_accounts(int64_t a, int64_t b)
{
    static const char *const keys[] = {"a", "b"};
    const struct history_sum sum = {.sum = 100, .key = keys, .key_count = 2};
    struct history *history = maker_new();

    assert_true(history_add_sum(history, &sum));
    COMMIT(history, 0, 10, READ("a", ""), READ("b", ""));
    COMMIT(history, 11, 20, WRITE_AMOUNT("a", "", "a1", 60), WRITE_AMOUNT("b", "", "b1", 40));
    COMMIT(history, 21, 30, WRITE_AMOUNT("a", "a1", "a2", a), WRITE_AMOUNT("b", "b1", "b2", b));
    COMMIT(history, 31, 40, READ("a", "a2"), READ("b", "b2"));
    return history;
}

TEST(a_sum_is_looked_at_in_each_read_of_all_keys)
{
    (void)transactions_accepted(two_accounts(-5, 105));
    transactions_refused_saying(
        two_accounts(59, 40), TRANSACTION_SUM,
        "Transaction 4 (writer 0, 0.000031 s to 0.000040 s, committed) read 2 amounts, of a and "
        "others. Their sum is 99, not 100.");
    struct history *history = two_accounts(60, 40);
    COMMIT(history, 41, 50, READ_AMOUNT("a", "a2", 60)); /* one of two */
    (void)transactions_accepted(history);
}

TEST(a_register_that_is_read_twice_counts_once)
{
    struct history *history = two_accounts(60, 40);

    COMMIT(history, 41, 50, READ("a", "a2"), READ("b", "b2"), READ("a", "a2"));
    (void)transactions_accepted(history);
    history = two_accounts(59, 40);
    COMMIT(history, 41, 50, READ("a", "a2"), READ("b", "b2"), READ("a", "a2"));
    assert_int_equal(transactions_judged(history).violations, 2);
}

/* The reads of a conflict need not be of one instant. */
TEST(only_what_took_effect_has_a_sum)
{
    struct history *history = two_accounts(-5, 105);

    ADD(history, OS_CONFLICT, 21, 30, READ("a", "a1"), READ("b", "b2"));
    ADD(history, OS_UNKNOWN, 21, 30, READ("a", "a2"), READ("b", "b1"));
    (void)transactions_accepted(history);
}

TEST(an_amount_other_than_was_written_is_found)
{
    struct history *history = two_accounts(60, 40);

    COMMIT(history, 41, 50, READ_AMOUNT("a", "a2", 61));
    (void)transactions_refused(history, TRANSACTION_AMOUNT);
}

/* -------------------------------------------------------------------------------------------------- bad histories */

#define BAD(sentence, ...)                                                           \
    do {                                                                             \
        struct history *bad_history = maker_new();                                   \
        ADD(bad_history, __VA_ARGS__);                                               \
        transactions_refused_saying(bad_history, TRANSACTION_BAD_HISTORY, sentence); \
    } while (0)
#define FIRST "Transaction 1 (writer 1, 0.000005 s to 0.000009 s, committed) "

TEST(what_contradicts_itself_is_told)
{
    BAD("Transaction 1 (writer 1, 0.000005 s to 0.000004 s, committed) ends before it starts.", OS_COMMITTED, 5, 4,
        READ("a", ""));
    BAD("Transaction 1 (writer 1, 0.000005 s to its death, committed) never ended but has a verdict.", OS_COMMITTED, 5,
        NEVER, READ("a", ""));
    BAD("Transaction 1 (writer 1, 0.000005 s to 0.000009 s, ?) has no verdict.", (os_verdict)0, 5, 9, READ("a", ""));
    BAD(FIRST "reads what it writes itself; such reads are left out.", OS_COMMITTED, 5, 9, READ("a", "a1"),
        WRITE("a", "", "a1"));
    BAD(FIRST "reads what it writes itself; such reads are left out.", OS_COMMITTED, 5, 9, LIST("l", "x"),
        APPEND("l", "x"));
    BAD(FIRST "expects what it is only about to write.", OS_COMMITTED, 5, 9, WRITE("a", "a1", "a1"));
    BAD(FIRST "writes nothing.", OS_COMMITTED, 5, 9, WRITE("a", "a1", ""));
    BAD(FIRST "has something that is neither a read nor a write.", OS_COMMITTED, 5, 9, {.key = "a"});
    BAD("Transaction 1 writes a twice, and its second write does not expect the first.", OS_COMMITTED, 5, 9,
        WRITE("a", "", "a1"), WRITE("a", "", "a2"));
    BAD("Transactions 1 and 1 write the same value \"x\" to l. A value must name its write.", OS_COMMITTED, 5, 9,
        APPEND("l", "x"), APPEND("l", "x"));
    BAD("Transaction 1 uses a as a list, but another one does not.", OS_COMMITTED, 5, 9, READ("a", ""),
        APPEND("a", "x"));
}

TEST(two_of_one_number_are_told)
{
    const struct history_transaction transaction = {
        .id = 7, .end_us = 1, .verdict = OS_COMMITTED, .settled = OS_COMMITTED};
    struct history *history = maker_new();

    assert_true(history_add_transaction(history, &transaction));
    assert_true(history_add_transaction(history, &transaction));
    transactions_refused_saying(history, TRANSACTION_BAD_HISTORY, "Two transactions have the number 7.");
}

TEST(a_false_settlement_is_told)
{
    static const struct history_transaction bad[] = {
        {.end_us = 9, .verdict = OS_COMMITTED, .settled = OS_CONFLICT, .settled_us = 10},
        {.end_us = 9, .verdict = OS_UNKNOWN, .settled = OS_CONFLICT},
        {.end_us = 9, .verdict = OS_UNKNOWN, .settled = OS_CONFLICT, .settled_us = 8},
        {.start_us = 5, .end_us = NEVER, .verdict = OS_UNKNOWN, .settled = OS_CONFLICT, .settled_us = 4},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct history *history = maker_new();
        maker_settled_transaction(history, &bad[i]);
        (void)transactions_refused(history, TRANSACTION_BAD_HISTORY);
    }
}

TEST(all_are_counted_and_the_first_are_kept)
{
    struct history *history = maker_new();

    for (uint64_t i = 0; i < 40; i++)
        COMMIT(history, 10 * i, 10 * i, READ("a", "nobody's"));
    struct transaction_result result = transactions_judged(history);
    assert_int_equal(result.violations, 40);
    assert_int_equal(result.finding_count, TRANSACTION_FINDINGS);
}
