/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions at their edges: what is refused and when, what ends one, and what a function may pass over. */
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_MS = 60000 };

/* ------------------------------------------------------------------------------------------------ reads */

static os_code read_texts(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    const char *first = NULL;
    const char *again = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_row_get(row, "balance", &first, err), OS_OK, err);
    CHECK_CODE(os_row_get(row, "balance", &again, err), OS_OK, err);
    assert_string_equal(first, "7");
    assert_ptr_equal(first, again);
    assert_ptr_equal(os_row_model(row), plan->bank->account);
    return OS_OK;
}

TEST_WITH(bank, a_text_stays_when_its_field_is_asked_for_again)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, read_texts, &plan);
}

static os_code read_twice(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    os_row *rows[2] = {NULL, NULL};
    os_model *other = NULL;
    const os_row_key keys[] = {{plan->bank->account, bank_key_of("a")}, {plan->bank->account, bank_key_of("a")}};
    os_txn_cache_rows(txn);
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &rows[0], err), OS_OK, err);
    assert_ptr_equal(row, rows[0]);
    CHECK_CODE(os_txn_get_many(txn, keys, 2, NULL, rows, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "asked for twice");
    assert_null(rows[0]);
    CHECK_CODE(
        os_model_parse("{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},"
                       "\"required\":[\"id\"],\"KEY\":[\"id\"]}",
                       NULL, &other, err),
        OS_OK, err);
    CHECK_CODE(os_txn_get(txn, other, bank_key_of("a"), NULL, &rows[0], err), OS_ERR_ARGUMENT, err);
    os_model_free(other);
    return OS_OK;
}

TEST_WITH(bank, a_row_that_is_kept_is_given_once_in_a_read_and_to_its_model)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, read_twice, &plan);
}

static os_code pass_over_a_failed_read(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    os_model *elsewhere = NULL;
    CHECK_CODE(
        os_model_parse("{\"title\":\"Nowhere\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},"
                       "\"required\":[\"id\"],\"KEY\":[\"id\"]}",
                       NULL, &elsewhere, err),
        OS_OK, err);
    CHECK_CODE(os_txn_get(txn, elsewhere, bank_key_of("a"), NULL, &row, err), OS_ERR_NO_TABLE, err);
    os_model_free(elsewhere);
    return os_txn_create(txn, plan->bank->account, "{\"id\":\"b\",\"balance\":1}", NULL, err);
}

TEST_WITH(bank, a_read_that_failed_and_was_passed_over_commits_nothing)
{
    struct plan plan = {.bank = bank};
    assert_int_equal(bank_transact(bank, pass_over_a_failed_read, &plan), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, OS_ERR_NO_TABLE);
    CHECK_SAYS(&bank->error, "has returned OS_OK, although");
    assert_int_equal(bank_balance_of(bank, "b"), -1);
}

static os_code create_too_many(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    for (int i = 0; i < 101; i++) {
        char fields[64];
        snprintf(fields, sizeof(fields), "{\"id\":\"%d\",\"balance\":1}", i);
        os_code code = os_txn_create(txn, plan->bank->account, fields, NULL, err);
        assert_int_equal(code, i < 100 ? OS_OK : OS_ERR_TOO_LARGE);
    }
    return OS_OK;
}

TEST_WITH(bank, of_too_many_rows_none_is_written)
{
    struct plan plan = {.bank = bank};
    assert_int_equal(bank_transact(bank, create_too_many, &plan), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, OS_ERR_TOO_LARGE);
    CHECK_SAYS(&bank->error, "at most 100 rows");
    assert_int_equal(bank_balance_of(bank, "0"), -1);
}

/* ------------------------------------------------------------------------------------------------ create if missing */

static os_code get_or_make(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, "{\"id\":\"a\",\"balance\":1}", &creates, &row, err);
    if (code != OS_OK)
        return code;
    plan->was_there = !os_row_is_new(row);
    bank_let_another(plan);
    return os_row_increment(row, "balance", 1, err);
}

TEST_WITH(bank, a_row_that_another_makes_first_is_read_again)
{
    struct plan other = {.bank = bank, .id = "a", .balance = 10};
    struct plan plan = {.bank = bank, .meanwhile = bank_create, .other = &other};
    CHECK_COMMITTED(bank, get_or_make, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_true(plan.was_there);
    assert_int_equal(bank_balance_of(bank, "a"), 11);
}

static os_code get_or_make_none(void *context, os_txn *txn, os_error *err)
{
    static const os_get_options creates = {.size = sizeof(creates), .create_if_missing = 1};
    const struct plan *plan = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), &creates, &row, err), OS_ERR_ARGUMENT, err);
    return OS_OK;
}

TEST_WITH(bank, what_could_not_be_made_is_refused_whether_it_is_missing_or_not)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, get_or_make_none, &plan);
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, get_or_make_none, &plan);
}

/* The first of two makes both rows; whoever finds one adds to it. */
static os_code get_or_make_both(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_code code = get_or_make(context, txn, err);
    return code == OS_OK && !plan->was_there
               ? os_txn_create(txn, plan->bank->account, "{\"id\":\"0\",\"balance\":1}", NULL, err)
               : code;
}

TEST_WITH(bank, a_row_that_is_made_because_another_is_missing_is_no_permanent_obstacle)
{
    struct plan other = {.bank = bank};
    struct plan plan = {.bank = bank, .meanwhile = get_or_make_both, .other = &other};
    CHECK_COMMITTED(bank, get_or_make_both, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "a"), 3);
}

static os_code make_what_is_missing(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_row *again = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    plan->was_there = row != NULL;
    bank_let_another(plan);
    if (row != NULL)
        return os_row_increment(row, "balance", 1, err);
    CHECK_CODE(os_txn_create(txn, plan->bank->account, "{\"id\":\"a\",\"balance\":1}", &row, err), OS_OK, err);
    CHECK_CODE(os_txn_create(txn, plan->bank->account, "{\"id\":\"a\",\"balance\":1}", &again, err), OS_ERR_ARGUMENT,
               err);
    assert_true(os_row_is_new(row));
    return os_row_set_int(row, "balance", 2, err);
}

TEST_WITH(bank, what_was_looked_for_in_vain_can_be_made)
{
    struct plan other = {.bank = bank, .id = "a", .balance = 10};
    struct plan plan = {.bank = bank};
    CHECK_COMMITTED(bank, make_what_is_missing, &plan);
    assert_int_equal(bank->result.requests, 1);
    assert_int_equal(bank_balance_of(bank, "a"), 2);
    CHECK_COMMITTED(bank, bank_end_account, &other);
    plan.meanwhile = bank_create;
    plan.other = &other;
    plan.runs = 0;
    CHECK_COMMITTED(bank, make_what_is_missing, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "a"), 11);
}

/* ------------------------------------------------------------------------------------------------ without reads */

static os_code expect(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    const os_model *account = plan->bank->account;
    const char *fields = "{\"id\":\"a\",\"balance\":5}";
    CHECK_CODE(os_txn_create_or_put(txn, account, fields, "{\"balance\":\"7\"}", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_create_or_put(txn, account, fields, "{\"id\":\"b\"}", err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "part of the key");
    CHECK_CODE(os_txn_update(txn, account, fields, "{\"balance\":null}", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_update(txn, account, "{\"id\":\"a\",\"balance\":true}", "{\"balance\":1}", err), OS_ERR_ARGUMENT,
               err);
    return os_txn_create_or_put(txn, account, fields, "{}", err);
}

TEST_WITH(bank, what_is_expected_is_checked_at_once_and_nothing_is_no_condition)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, expect, &plan);
    assert_int_equal(bank_balance_of(bank, "a"), 5);
}

/* ------------------------------------------------------------------------------------------------ read-only */

static os_code write_although(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    const os_model *account = plan->bank->account;
    if (!plan->bank->options.read_only)
        CHECK_CODE(os_txn_make_read_only(txn, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_row_set_int(row, "balance", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "read_only");
    CHECK_CODE(os_row_increment(row, "visits", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_delete(txn, row, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_create(txn, account, "{\"id\":\"b\",\"balance\":1}", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_delete_key(txn, account, bank_key_of("b"), err), OS_ERR_ARGUMENT, err);
    return OS_OK;
}

static os_code read_only_too_late(void *context, os_txn *txn, os_error *err)
{
    os_code code = bank_deposit(context, txn, err);
    if (code == OS_OK)
        CHECK_CODE(os_txn_make_read_only(txn, err), OS_ERR_ARGUMENT, err);
    return code;
}

TEST_WITH(bank, a_transaction_that_only_reads_changes_no_row)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, write_although, &plan);
    bank->options.read_only = 1;
    CHECK_COMMITTED(bank, write_although, &plan);
    assert_int_equal(bank->result.requests, 0);
    bank->options.read_only = 0;
    assert_int_equal(bank_balance_of(bank, "a"), 7);
    CHECK_COMMITTED(bank, read_only_too_late, &plan);
}

/* ------------------------------------------------------------------------------------------------ one inside another */

static os_code delete_of_another(void *context, os_txn *txn, os_error *err)
{
    os_row *row = context;
    CHECK_CODE(os_txn_delete(txn, row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "of another transaction");
    return OS_OK;
}

static os_code run_one_inside(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    assert_int_equal(os_transact(plan->bank->client, NULL, delete_of_another, row, NULL, NULL, err), OS_COMMITTED);
    return OS_OK;
}

TEST_WITH(bank, a_row_is_not_deleted_by_a_transaction_that_it_is_not_of)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, run_one_inside, &plan);
    assert_int_equal(bank_balance_of(bank, "a"), 7);
}

/* ------------------------------------------------------------------------------------------------ before the commit */

static os_code name_it(void *context, os_txn *txn, os_row *row, os_error *err)
{
    int *calls = context;
    (void)txn;
    ++*calls;
    return os_row_set_string(row, "owner", "finalized", err);
}

static os_code refuse_it(void *context, os_txn *txn, os_row *row, os_error *err)
{
    (void)context;
    (void)txn;
    (void)row;
    return err->code = OS_ERR_SOURCE;
}

static os_code check_owner(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    const char *owner = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_row_get_string(row, "owner", &owner, err), OS_OK, err);
    assert_string_equal(owner, "finalized");
    return OS_OK;
}

TEST_WITH(bank, rows_that_are_written_are_finalized)
{
    int calls = 0;
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    bank->options.finalize = name_it;
    bank->options.finalize_context = &calls;
    CHECK_COMMITTED(bank, bank_create, &plan);
    assert_int_equal(calls, 1);
    CHECK_COMMITTED(bank, check_owner, &plan);
    assert_int_equal(calls, 1);
    bank->options.finalize = refuse_it;
    assert_int_equal(bank_transact(bank, bank_deposit, &plan), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, OS_ERR_SOURCE);
    assert_int_equal(bank_balance_of(bank, "a"), 7);
}

/* ------------------------------------------------------------------------------------------------ over */

enum { TOLD_MAX = 4 };

struct told {
    struct plan plan;
    os_code code; /* what the function returns */
    int runs_again;
    char names[TOLD_MAX + 1];
    os_verdict verdicts[TOLD_MAX];
    int64_t balances[TOLD_MAX];
    size_t count;
};
struct asking {
    struct told *told;
    char name;
};

static void take_note(void *context, os_verdict verdict)
{
    const struct asking *asking = context;
    struct told *told = asking->told;
    assert_true(told->count < TOLD_MAX);
    told->names[told->count] = asking->name;
    told->verdicts[told->count] = verdict;
    told->balances[told->count++] = bank_balance_of(told->plan.bank, told->plan.id);
}

static os_code deposit_and_ask(void *context, os_txn *txn, os_error *err)
{
    static struct asking first, second, again;
    struct told *told = context;
    first = (struct asking){told, 'a'};
    second = (struct asking){told, 'b'};
    again = (struct asking){told, 'x'};
    CHECK_CODE(os_txn_on_end(txn, NULL, &first, err), OS_ERR_ARGUMENT, err);
    if (told->runs_again-- > 0) {
        CHECK_CODE(os_txn_on_end(txn, take_note, &again, err), OS_OK, err);
        return OS_ERR_CONFLICT;
    }
    CHECK_CODE(os_txn_on_end(txn, take_note, &first, err), OS_OK, err);
    CHECK_CODE(os_txn_on_end(txn, take_note, &second, err), OS_OK, err);
    os_code code = bank_deposit(&told->plan, txn, err);
    return code == OS_OK ? told->code : code;
}

TEST_WITH(bank, who_asked_for_it_is_told_the_verdict_once_when_it_stands)
{
    struct told told = {.plan = {.bank = bank, .id = "a", .balance = 7}, .runs_again = 1};
    bank->options.initial_backoff_ms = 1;
    CHECK_COMMITTED(bank, bank_create, &told.plan);
    CHECK_COMMITTED(bank, deposit_and_ask, &told);
    assert_string_equal(told.names, "ab");
    for (size_t i = 0; i < told.count; i++) {
        assert_int_equal(told.verdicts[i], OS_COMMITTED);
        assert_int_equal(told.balances[i], 14); /* it asks by a transaction of its own */
    }
}

TEST_WITH(bank, who_asked_for_it_is_told_that_nothing_was_applied)
{
    struct told told = {.plan = {.bank = bank, .id = "a", .balance = 7}, .code = OS_ERR_SOURCE};
    CHECK_COMMITTED(bank, bank_create, &told.plan);
    assert_int_equal(bank_transact(bank, deposit_and_ask, &told), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, OS_ERR_SOURCE);
    assert_string_equal(told.names, "ab");
    assert_int_equal(told.verdicts[0], OS_NOT_EXECUTED);
    assert_int_equal(told.balances[0], 7);

    struct told last = {.plan = {.bank = bank, .id = "a", .balance = 7}, .runs_again = 2};
    bank->options.retries = 1;
    bank->options.initial_backoff_ms = 1;
    assert_int_equal(bank_transact(bank, deposit_and_ask, &last), OS_CONFLICT);
    assert_string_equal(last.names, "x");
    assert_int_equal(last.verdicts[0], OS_CONFLICT);
}

/* ------------------------------------------------------------------------------------------------ given up */

struct giving_up {
    struct bank *bank;
    os_cancel *cancel;
    os_code code;
    int runs;
};

static os_code cancel_oneself(void *context, os_txn *txn, os_error *err)
{
    struct giving_up *giving_up = context;
    os_code code = os_txn_create(txn, giving_up->bank->account, "{\"id\":\"a\",\"balance\":1}", NULL, err);
    giving_up->runs++;
    os_cancel_trigger(giving_up->cancel);
    return code == OS_OK ? giving_up->code : code;
}

static void check_given_up(struct bank *bank, os_code code, const char *says)
{
    struct giving_up giving_up = {.bank = bank, .code = code};
    os_call call = OS_CALL_INIT;
    assert_int_equal(os_cancel_new(&giving_up.cancel), OS_OK);
    call.cancel = giving_up.cancel;
    bank->options.initial_backoff_ms = bank->options.max_backoff_ms = LONG_MS;
    call.deadline_ms = (uint64_t)10 * LONG_MS;
    assert_int_equal(
        os_transact(bank->client, &bank->options, cancel_oneself, &giving_up, &call, &bank->result, &bank->error),
        OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, OS_ERR_CANCELLED);
    CHECK_SAYS(&bank->error, says);
    assert_int_equal(giving_up.runs, 1);
    os_cancel_free(giving_up.cancel);
    assert_int_equal(bank_balance_of(bank, "a"), -1);
}

TEST_WITH(bank, what_is_cancelled_before_the_commit_sends_nothing)
{
    check_given_up(bank, OS_OK, "nothing was sent");
    assert_int_equal(bank->result.requests, 0);
}

TEST_WITH(bank, what_is_cancelled_between_two_runs_says_so)
{
    check_given_up(bank, OS_ERR_CONFLICT, "was not run again");
}

static os_code ask_to_run_again(void *context, os_txn *txn, os_error *err)
{
    int *runs = context;
    (void)txn;
    (void)err;
    ++*runs;
    return OS_ERR_CONFLICT;
}

TEST_WITH(bank, a_function_may_ask_to_run_again_and_the_deadline_is_of_all_runs)
{
    int runs = 0;
    os_call call = OS_CALL_INIT;
    bank->options.retries = 2;
    assert_int_equal(bank_transact(bank, ask_to_run_again, &runs), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_CONFLICT);
    assert_int_equal(runs, 3);
    runs = 0;
    call.deadline_ms = LONG_MS / 2;
    bank->options.initial_backoff_ms = bank->options.max_backoff_ms = LONG_MS;
    assert_int_equal(os_transact(bank->client, &bank->options, ask_to_run_again, &runs, &call, NULL, &bank->error),
                     OS_CONFLICT);
    CHECK_SAYS(&bank->error, "no time for another run");
    assert_int_equal(runs, 1);
}

TEST_WITH(bank, a_function_without_its_transaction_is_refused)
{
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(NULL, bank->account, bank_key_of("a"), NULL, &row, &bank->error), OS_ERR_ARGUMENT,
               &bank->error);
    CHECK_CODE(os_txn_create(NULL, bank->account, "{}", NULL, &bank->error), OS_ERR_ARGUMENT, &bank->error);
}
