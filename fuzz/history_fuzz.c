/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as lines: what is read is written and read again as the same; and the judge says the same of both, whatever
 * nonsense stands in it.
 */
#include "fuzz.h"

#include "history/jsonl.h"
#include "history/judge.h"
#include "history/transaction_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the judge to go everywhere; a bad one is given up in milliseconds. */
#define STEPS_MAX 20000

static bool read_bytes(char *bytes, size_t length, struct history *history, os_error *err)
{
    FILE *file = fmemopen(bytes, length, "r");

    FUZZ_CHECK(file != NULL);
    bool read = jsonl_read(file, "fuzz", history, err);
    (void)fclose(file);
    return read;
}

static void check_call(const struct history *history, size_t index)
{
    const struct history_call *call = history_call_at(history, index);
    char text[200];

    FUZZ_CHECK(call->key == history_text((struct history *)(uintptr_t)history, call->key));
    FUZZ_CHECK(strcmp(history_operation_name(call->operation), "?") != 0);
    FUZZ_CHECK(strcmp(history_verdict_name(call->settled), "?") != 0);
    judge_describe(call, text, sizeof(text));
    fuzz_check_string(text, sizeof(text));
}

static bool same_transactions(const struct history *a, const struct history *b)
{
    struct transaction_result one;
    struct transaction_result two;

    FUZZ_CHECK(judge_transactions(a, &one) && judge_transactions(b, &two));
    FUZZ_CHECK(one.transactions == history_transaction_count(a));
    FUZZ_CHECK((one.violations > 0) == (one.finding_count > 0));
    for (size_t i = 0; i < one.finding_count; i++) {
        FUZZ_CHECK_ARRAY(one.finding[i].sentence);
        for (size_t j = 0; j < TRANSACTION_STEPS; j++)
            FUZZ_CHECK_ARRAY(one.finding[i].step[j]);
    }
    return one.violations == two.violations && one.seen == two.seen && one.keys == two.keys;
}

static void check_again(const struct history *history, const struct judge_result *result)
{
    struct history *again = history_new();
    struct judge_result same;
    char *text = NULL;
    size_t length = 0;
    os_error err;

    FILE *file = open_memstream(&text, &length);
    FUZZ_CHECK(again != NULL && file != NULL);
    FUZZ_CHECK(jsonl_write(history, file) && fclose(file) == 0);
    /* Escapes can make a line longer than the limit, which has been met once before. */
    if (read_bytes(text, length, again, &err)) {
        FUZZ_CHECK(history_call_count(again) == history_call_count(history));
        FUZZ_CHECK(history_event_count(again) == history_event_count(history));
        FUZZ_CHECK(history_final_count(again) == history_final_count(history));
        FUZZ_CHECK(history_fact_count(again) == history_fact_count(history));
        FUZZ_CHECK(history_transaction_count(again) == history_transaction_count(history));
        FUZZ_CHECK(history_sum_count(again) == history_sum_count(history));
        FUZZ_CHECK(same_transactions(history, again));
        FUZZ_CHECK(judge_history_within(again, STEPS_MAX, &same));
        FUZZ_CHECK(same.finding_count == result->finding_count && same.refused == result->refused);
        FUZZ_CHECK(same.undecided == result->undecided && same.keys == result->keys);
    } else {
        FUZZ_CHECK(err.code == OS_ERR_TOO_LARGE);
    }
    history_free(again);
    free(text);
}

static void check_judged(const struct history *history)
{
    struct judge_result result;

    FUZZ_CHECK(judge_history_within(history, STEPS_MAX, &result));
    FUZZ_CHECK(result.calls == history_call_count(history));
    FUZZ_CHECK(result.refused + result.undecided <= result.keys);
    FUZZ_CHECK(result.refused == 0 || result.finding_count > 0);
    for (size_t i = 0; i < result.finding_count; i++) {
        FUZZ_CHECK(result.finding[i].violation != JUDGE_NONE);
        FUZZ_CHECK_ARRAY(result.finding[i].sentence);
    }
    check_again(history, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history *history = history_new();
    char *bytes = fuzz_copy(data, size);
    os_error err;

    FUZZ_CHECK(history != NULL);
    if (size > 0 && read_bytes(bytes, size, history, &err)) {
        for (size_t i = 0; i < history_call_count(history); i++)
            check_call(history, i);
        check_judged(history);
    } else if (size > 0) {
        FUZZ_CHECK(err.code != OS_OK);
        fuzz_check_error(err.code, &err);
    }
    history_free(history);
    free(bytes);
    return 0;
}
