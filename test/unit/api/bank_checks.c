/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/bank_checks.h"
#include "unit/api/client_scratch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const os_code error_of_the_function = OS_ERR_SOURCE;

enum { THREADS = 4, TRANSFERS = 25 };

/* ------------------------------------------------------------------------------------------------ one after the other */

void a_row_is_created_once(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    assert_int_equal(bank_balance_of(bank, "a"), -1);
    CHECK_COMMITTED(bank, bank_create, &plan);
    assert_int_equal(bank->result.requests, 1);
    assert_int_equal(bank_balance_of(bank, "a"), 7);
    assert_int_equal(bank->result.requests, 0);
    assert_int_equal(bank_transact(bank, bank_create, &plan), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_BUSY);
    CHECK_SAYS(&bank->error, "Account \"a\"");
    assert_int_equal(bank->result.runs, 1);
}

void a_value_that_was_read_and_has_changed_runs_it_again(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, bank_create, &plan);
    plan.meanwhile = bank_deposit;
    plan.other = &other;
    CHECK_COMMITTED(bank, bank_deposit, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "a"), 25);
}

void what_is_only_added_to_does_not_contend(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, bank_create, &plan);
    plan.meanwhile = bank_deposit;
    plan.other = &other;
    CHECK_COMMITTED(bank, bank_visit, &plan);
    assert_int_equal(bank->result.runs, 1);
    assert_int_equal(bank_balance_of(bank, "a"), 15);
}

void without_retries_contention_is_a_conflict(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, bank_create, &plan);
    plan.meanwhile = bank_deposit;
    plan.other = &other;
    bank->options.no_retries = 1;
    assert_int_equal(bank_transact(bank, bank_deposit, &plan), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_CONFLICT);
    CHECK_SAYS(&bank->error, "too often in contention");
    CHECK_SAYS(&bank->error, "Account \"a\" had changed meanwhile.");
    assert_int_equal(bank_balance_of(bank, "a"), 15);
}

void a_row_is_deleted_if_it_is_as_it_was(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a"};
    CHECK_COMMITTED(bank, bank_create, &plan);
    plan.meanwhile = bank_name_owner;
    plan.other = &other;
    CHECK_COMMITTED(bank, bank_end_account, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "a"), -1);
}

/* ------------------------------------------------------------------------------------------------ without reads */

static os_code write_blindly(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    const os_model *account = plan->bank->account;
    os_code code = os_txn_create_or_put(txn, account, "{\"id\":\"x\",\"balance\":1}", NULL, err);
    if (code == OS_OK)
        code = os_txn_create_or_put(txn, account, "{\"id\":\"y\",\"balance\":2}", "{\"balance\":1}", err);
    if (code == OS_OK)
        code = os_txn_update(txn, account, "{\"id\":\"z\",\"balance\":9}", "{\"balance\":3}", err);
    return code == OS_OK ? os_txn_delete_key(txn, account, "{\"id\":\"w\"}", err) : code;
}

void rows_are_written_without_being_read_or_none_is(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "z", .balance = 8};
    struct plan wrong = {.bank = bank, .id = "w", .balance = 8};
    bank->options.no_retries = 1;
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, bank_create, &wrong);
    assert_int_equal(bank_transact(bank, write_blindly, &plan), OS_CONFLICT);
    CHECK_SAYS(&bank->error, "Account \"z\" was not as the transaction expects it");
    assert_int_equal(bank_balance_of(bank, "x"), -1);
    assert_int_equal(bank_balance_of(bank, "w"), 8);
    plan.balance = 1;
    CHECK_COMMITTED(bank, bank_deposit, &plan);
    CHECK_COMMITTED(bank, write_blindly, &plan);
    assert_int_equal(bank->result.requests, 1);
    assert_int_equal(bank_balance_of(bank, "x"), 1);
    assert_int_equal(bank_balance_of(bank, "y"), 2);
    assert_int_equal(bank_balance_of(bank, "z"), 3);
    assert_int_equal(bank_balance_of(bank, "w"), -1);
}

/* ------------------------------------------------------------------------------------------------ bad arguments */

static os_code go_wrong(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_row *again = NULL;
    const char *text = NULL;
    const os_model *account = plan->bank->account;
    CHECK_CODE(os_txn_get(txn, account, "{\"id\":1}", NULL, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_txn_get(txn, account, "[]", NULL, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "The key of a row is no strict JSON object: it is no object.");
    CHECK_CODE(os_txn_get(txn, account, "{'id':1}", NULL, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "(line 1, column 2)");
    CHECK_CODE(os_txn_get(txn, account, NULL, NULL, &row, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "it is NULL");
    CHECK_CODE(os_txn_get(txn, account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, account, bank_key_of("a"), NULL, &again, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "cache_rows");
    CHECK_CODE(os_row_get(row, "nothing", &text, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_get(row, "owner", &text, err), OS_OK, err);
    assert_null(text);
    CHECK_CODE(os_row_get_string(row, "owner", &text, err), OS_ERR_NOT_FOUND, err);
    CHECK_CODE(os_row_set_int(row, "balance", -1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set(row, "balance", "\"1\"", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set(row, "balance", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set(row, "balance", "36893488147419103232", err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "The new value of the field balance is no JSON: too big integer");
    CHECK_CODE(os_row_set_string(row, "id", "b", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_increment(row, "owner", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_get(row, "balance", &text, err), OS_OK, err);
    assert_string_equal(text, "10");
    return error_of_the_function;
}

void what_is_wrong_is_said_at_once_and_nothing_is_written(struct bank *bank)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    CHECK_COMMITTED(bank, bank_create, &plan);
    assert_int_equal(bank_transact(bank, go_wrong, &plan), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, error_of_the_function);
    assert_int_equal(bank_balance_of(bank, "a"), 10);
}

/* ------------------------------------------------------------------------------------------------ at once */

static void *transfer_many(void *context)
{
    struct transfer *transfer = context;
    for (int i = 0; i < TRANSFERS; i++) {
        os_error error;
        transfer->seed = transfer->seed * 1103515245U + 12345U;
        os_verdict verdict =
            os_transact(transfer->bank->client, &transfer->bank->options, bank_transfer, transfer, NULL, NULL, &error);
        if (verdict != OS_COMMITTED)
            return strdup(error.message);
    }
    return NULL;
}

void the_sum_of_all_accounts_is_the_same_whenever_it_is_read(struct bank *bank)
{
    pthread_t threads[THREADS];
    struct transfer transfers[THREADS];
    bank_create_all(bank);
    for (unsigned i = 0; i < THREADS; i++) {
        transfers[i] = (struct transfer){.bank = bank, .seed = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, transfer_many, &transfers[i]), 0);
    }
    for (int i = 0; i < TRANSFERS; i++) {
        struct plan plan = {.bank = bank};
        CHECK_COMMITTED(bank, bank_sum_up, &plan);
        assert_int_equal(plan.seen, BANK_ACCOUNTS * BANK_START);
    }
    for (int i = 0; i < THREADS; i++) {
        void *why = NULL;
        pthread_join(threads[i], &why);
        if (why != NULL)
            fail_msg("%s", (const char *)why);
    }
    struct plan plan = {.bank = bank};
    CHECK_COMMITTED(bank, bank_sum_up, &plan);
    assert_int_equal(plan.seen, BANK_ACCOUNTS * BANK_START);
}
