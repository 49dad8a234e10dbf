/* SPDX-License-Identifier: Apache-2.0 */
#include "history_maker.h"

#include "support/checks.h"

#include <stdio.h>

struct history *maker_new(void)
{
    struct history *history = history_new();

    assert_non_null(history);
    return history;
}

static uint64_t add(struct history *history, struct history_call *call)
{
    call->id = history_call_count(history) + 1;
    call->writer = (uint32_t)(call->id % 4);
    call->key = "k";
    assert_true(history_add_call(history, call));
    return call->id;
}

uint64_t maker_call(struct history *history, enum history_operation operation, const char *expected, const char *value,
                    uint64_t start_us, uint64_t end_us, os_verdict verdict)
{
    struct history_call call = {.operation = operation,
                                .expected = expected,
                                .value = value,
                                .start_us = start_us,
                                .end_us = end_us,
                                .verdict = verdict,
                                .settled = verdict};

    return add(history, &call);
}

uint64_t maker_settled(struct history *history, enum history_operation operation, const char *expected,
                       const char *value, uint64_t start_us, uint64_t end_us, os_verdict settled, uint64_t settled_us)
{
    struct history_call call = {.operation = operation,
                                .expected = expected,
                                .value = value,
                                .start_us = start_us,
                                .end_us = end_us,
                                .verdict = OS_UNKNOWN,
                                .settled = settled,
                                .settled_us = settled_us};

    return add(history, &call);
}

uint64_t maker_write(struct history *history, const char *from, const char *to, uint64_t start_us, uint64_t end_us,
                     os_verdict verdict)
{
    enum history_operation operation = HISTORY_PUT_IF_MATCH;

    if (from == NULL)
        operation = HISTORY_PUT_IF_ABSENT;
    else if (to == NULL)
        operation = HISTORY_DELETE_IF_MATCH;
    return maker_call(history, operation, from, to, start_us, end_us, verdict);
}

uint64_t maker_read(struct history *history, const char *value, uint64_t start_us, uint64_t end_us)
{
    return maker_call(history, HISTORY_READ, NULL, value, start_us, end_us, OS_COMMITTED);
}

void maker_final(struct history *history, const char *value, int64_t versions)
{
    const struct history_final final = {.key = "k", .value = value, .at_us = 1000000, .versions = versions};

    assert_true(history_add_final(history, &final));
}

void maker_accepted(struct history *history)
{
    struct judge_result result;

    assert_true(judge_history(history, &result));
    if (result.finding_count > 0)
        fail_msg("%s: %s", judge_violation_name(result.finding[0].violation), result.finding[0].sentence);
    assert_false(result.gave_up);
    assert_int_equal(result.refused, 0);
    history_free(history);
}

void maker_refused(struct history *history, enum judge_violation violation, uint64_t call, uint64_t other_call)
{
    struct judge_result result;

    assert_true(judge_history(history, &result));
    assert_int_equal(result.finding_count, 1);
    print_message("%s\n", result.finding[0].sentence);
    assert_string_equal(judge_violation_name(result.finding[0].violation), judge_violation_name(violation));
    assert_string_equal(result.finding[0].key, "k");
    assert_int_equal(result.finding[0].call, call);
    assert_int_equal(result.finding[0].other_call, other_call);
    assert_int_equal(result.refused, 1);
    history_free(history);
}
