/* SPDX-License-Identifier: Apache-2.0 */
#include "transaction_maker.h"

#include "support/checks.h"

void maker_settled_transaction(struct history *history, const struct history_transaction *transaction)
{
    struct history_transaction own = *transaction;

    own.id = history_transaction_count(history) + 1;
    own.writer = (uint32_t)(own.id % 4);
    assert_true(history_add_transaction(history, &own));
}

void maker_transaction(struct history *history, os_verdict verdict, uint64_t start_us, uint64_t end_us,
                       const struct history_item *item, size_t item_count)
{
    const struct history_transaction transaction = {.start_us = start_us,
                                                    .end_us = end_us,
                                                    .verdict = verdict,
                                                    .settled = verdict,
                                                    .item = item,
                                                    .item_count = item_count};

    maker_settled_transaction(history, &transaction);
}

struct transaction_result transactions_judged(struct history *history)
{
    struct transaction_result result;

    assert_true(judge_transactions(history, &result));
    history_free(history);
    return result;
}

struct transaction_result transactions_accepted(struct history *history)
{
    struct transaction_result result = transactions_judged(history);

    if (result.violations != 0)
        fail_msg("%s", result.finding[0].sentence);
    return result;
}

struct transaction_result transactions_refused(struct history *history, enum transaction_violation violation)
{
    struct transaction_result result = transactions_judged(history);

    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.violations, 1);
    assert_string_equal(transaction_violation_name(result.finding[0].violation), transaction_violation_name(violation));
    return result;
}

void transactions_refused_saying(struct history *history, enum transaction_violation violation, const char *sentence)
{
    struct transaction_result result = transactions_judged(history);

    assert_int_equal(result.finding_count, 1);
    assert_int_equal(result.finding[0].violation, violation);
    assert_string_equal(result.finding[0].sentence, sentence);
}
