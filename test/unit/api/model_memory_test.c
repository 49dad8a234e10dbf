/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the whole process fails in turn while a transaction runs: nothing crashes, nothing waits for ever, and
 * the verdict is true of all its rows.
 */
#include "support/failing_process.h"
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALM = 30 }; /* runs in which none has failed: threads take memory when they like */

static os_code do_some_of_all(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    const os_model *account = plan->bank->account;
    char fields[64];
    os_row *rows[2] = {NULL, NULL};
    const char *text = NULL;
    const os_row_key keys[] = {{account, bank_key_of("a")}, {account, bank_key_of("b")}};
    snprintf(fields, sizeof(fields), "{\"id\":\"%s\",\"balance\":1}", plan->id);
    os_code code = os_txn_get_many(txn, keys, 2, NULL, rows, err);
    if (code == OS_OK)
        code = os_row_get(rows[0], "balance", &text, err);
    if (code == OS_OK)
        code = os_row_set_int(rows[0], "balance", strtoll(text, NULL, 10) + 1, err);
    if (code == OS_OK)
        code = os_row_increment(rows[1], "balance", 1, err);
    if (code == OS_OK)
        code = os_txn_create(txn, account, fields, NULL, err);
    if (code == OS_OK)
        code = os_txn_create_or_put(txn, account, "{\"id\":\"c\",\"balance\":1}", "{\"balance\":1}", err);
    if (code == OS_OK)
        code = os_txn_update(txn, account, "{\"id\":\"d\",\"balance\":1}", "{\"balance\":1}", err);
    return code == OS_OK ? os_txn_delete_key(txn, account, bank_key_of("e"), err) : code;
}

/* What the function passes over must not be half of it. */
static os_code do_some_and_say_ok(void *context, os_txn *txn, os_error *err)
{
    os_code code = do_some_of_all(context, txn, err);
    return code == OS_ERR_NO_MEMORY ? OS_OK : code;
}

static os_verdict try_once(struct bank *bank, os_txn_fn function, long number, struct plan *plan)
{
    os_txn_result_clear(&bank->result);
    atomic_store(&has_failed, false);
    atomic_store(&allocations_left, number);
    os_verdict verdict = os_transact(bank->client, &bank->options, function, plan, NULL, &bank->result, &bank->error);
    if (verdict == OS_UNKNOWN && bank->result.ticket != NULL)
        verdict = os_txn_resolve(bank->client, bank->result.ticket, NULL, &bank->error);
    atomic_store(&allocations_left, -1);
    return verdict;
}

static void check_true(struct bank *bank, os_verdict verdict, const char *id, int64_t *committed, long number)
{
    bool was_applied = bank_balance_of(bank, id) == 1;
    if (verdict != OS_COMMITTED && verdict != OS_NOT_EXECUTED && verdict != OS_UNKNOWN)
        fail_msg("allocation %ld: %s: %s", number, os_verdict_name(verdict), bank->error.message);
    if (verdict != OS_UNKNOWN && was_applied != (verdict == OS_COMMITTED))
        fail_msg("allocation %ld: %s, and it was %sapplied", number, os_verdict_name(verdict),
                 was_applied ? "" : "not ");
    *committed += was_applied;
    assert_int_equal(bank_balance_of(bank, "a"), *committed);
    assert_int_equal(bank_balance_of(bank, "b"), *committed);
}

static void try_all(struct bank *bank, os_txn_fn function)
{
    static const char *const there[] = {"a", "b", "c", "d"};
    int64_t committed = 0;
    for (size_t i = 0; i < 4; i++) {
        struct plan plan = {.bank = bank, .id = there[i], .balance = i < 2 ? 0 : 1};
        CHECK_COMMITTED(bank, bank_create, &plan);
    }
    bank->options.retries = 3;
    long number = 0;
    for (int calm = 0; calm < CALM; number++) {
        char id[32];
        snprintf(id, sizeof(id), "n%ld", number);
        struct plan plan = {.bank = bank, .id = id};
        os_verdict verdict = try_once(bank, function, number, &plan);
        calm = atomic_load(&has_failed) ? 0 : calm + 1;
        check_true(bank, verdict, id, &committed, number);
    }
    assert_true(number > 100);
}

TEST_WITH(bank, without_memory_each_verdict_is_true)
{
    try_all(bank, do_some_of_all);
}

TEST_WITH(bank, a_function_that_passes_over_want_of_memory_commits_nothing_half)
{
    try_all(bank, do_some_and_say_ok);
}
