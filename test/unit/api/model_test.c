/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions over typed rows by the public functions, in the embedded tables. */
#include "rows/definition.h"
#include "sqlite/rows.h"
#include "unit/api/client_scratch.h"

#include "oscommit_model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const os_code error_of_the_function = OS_ERR_SOURCE;

enum { PATIENT_MS = 60000, ACCOUNTS = 8, THREADS = 4, TRANSFERS = 25, START = 100 };

static const char account_schema[] =
    "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"balance\":{\"type\":\"integer\",\"minimum\":0},\"owner\":{\"type\":\"string\"},"
    "\"visits\":{\"type\":\"integer\",\"default\":0}},\"required\":[\"id\",\"balance\",\"visits\"],\"KEY\":[\"id\"]}";

struct bank {
    struct scratch scratch;
    os_client *client;
    os_model *account;
    os_txn_options options;
    os_txn_result result;
    os_error error;
};

static void make_table(const struct scratch *scratch, const char *name)
{
    static const struct rows_definition definition = {.keys = {.partition = {"_id", VALUE_S}}};
    char file[160];
    os_error error;
    struct sqlite_rows *rows = NULL;
    const struct sqlite_patience patience = sqlite_patience_ms(PATIENT_MS);
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    CHECK_CODE(sqlite_rows_open(file, &patience, &rows, &error), OS_OK, &error);
    CHECK_CODE(sqlite_rows_create(rows, name, &definition, patience, &error), OS_OK, &error);
    sqlite_rows_close(rows);
}

static void bank_set_up(struct bank *ret)
{
    scratch_set_up(&ret->scratch);
    make_table(&ret->scratch, "Account");
    ret->client = scratch_table_client(&ret->scratch);
    CHECK_CODE(os_model_parse(account_schema, NULL, &ret->account, &ret->error), OS_OK, &ret->error);
    ret->options = (os_txn_options)OS_TXN_OPTIONS_INIT;
    ret->options.initial_backoff_ms = 1;
    ret->options.max_backoff_ms = 20;
    ret->options.retries = 50;
    ret->result = (os_txn_result)OS_TXN_RESULT_INIT;
}

static void bank_tear_down(struct bank *bank)
{
    os_model_free(bank->account);
    os_client_close(bank->client);
    scratch_tear_down(&bank->scratch);
}

static os_verdict transact(struct bank *bank, os_txn_fn function, void *context)
{
    os_verdict verdict =
        os_transact(bank->client, &bank->options, function, context, NULL, &bank->result, &bank->error);
    assert_int_equal(verdict, bank->result.verdict);
    assert_int_equal(verdict == OS_COMMITTED, bank->error.code == OS_OK);
    return verdict;
}

#define CHECK_COMMITTED(bank, function, context)                                                \
    do {                                                                                        \
        if (transact(bank, function, context) != OS_COMMITTED)                                  \
            fail_msg("%s: %s", os_verdict_name((bank)->result.verdict), (bank)->error.message); \
    } while (0)

/* ------------------------------------------------------------------------------------------------ functions */

/* What a function is given. */
struct plan {
    struct bank *bank;
    const char *id;
    int64_t balance;
    int64_t seen;
    bool was_there;
    os_txn_fn meanwhile; /* another transaction, in the first run */
    struct plan *other;
    int runs;
};

static const char *key_of(const char *id)
{
    static _Thread_local char text[8][64];
    static _Thread_local unsigned next;
    char *ret = text[next++ % 8];
    snprintf(ret, sizeof(text[0]), "{\"id\":\"%s\"}", id);
    return ret;
}

static os_code create(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    char fields[128];
    snprintf(fields, sizeof(fields), "{\"id\":\"%s\",\"balance\":%lld}", plan->id, (long long)plan->balance);
    return os_txn_create(txn, plan->bank->account, fields, NULL, err);
}

static os_code look(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, key_of(plan->id), NULL, &row, err);
    plan->was_there = row != NULL;
    return code == OS_OK && row != NULL ? os_row_get_int(row, "balance", &plan->seen, err) : code;
}

static os_code let_another(struct plan *plan)
{
    os_error error;
    if (plan->runs++ == 0 && plan->meanwhile != NULL)
        assert_int_equal(os_transact(plan->bank->client, NULL, plan->meanwhile, plan->other, NULL, NULL, &error),
                         OS_COMMITTED);
    return OS_OK;
}

static os_code deposit(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, key_of(plan->id), NULL, &row, err);
    if (code == OS_OK)
        code = os_row_get_int(row, "balance", &plan->seen, err);
    (void)let_another(plan);
    return code == OS_OK ? os_row_set_int(row, "balance", plan->seen + plan->balance, err) : code;
}

static os_code visit(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, key_of(plan->id), NULL, &row, err);
    (void)let_another(plan);
    return code == OS_OK ? os_row_increment(row, "visits", 1, err) : code;
}

static os_code name_owner(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, key_of(plan->id), NULL, &row, err);
    return code == OS_OK ? os_row_set_string(row, "owner", "somebody", err) : code;
}

static os_code end_account(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, key_of(plan->id), NULL, &row, err);
    (void)let_another(plan);
    return code == OS_OK ? os_txn_delete(txn, row, err) : code;
}

static int64_t balance_of(struct bank *bank, const char *id)
{
    struct plan plan = {.bank = bank, .id = id, .seen = -1};
    CHECK_COMMITTED(bank, look, &plan);
    return plan.was_there ? plan.seen : -1;
}

/* ------------------------------------------------------------------------------------------------ one after the other */

TEST_WITH(bank, a_row_is_created_once)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    assert_int_equal(balance_of(bank, "a"), -1);
    CHECK_COMMITTED(bank, create, &plan);
    assert_int_equal(bank->result.requests, 1);
    assert_int_equal(balance_of(bank, "a"), 7);
    assert_int_equal(bank->result.requests, 0);
    assert_int_equal(transact(bank, create, &plan), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_BUSY);
    CHECK_SAYS(&bank->error, "Account \"a\"");
    assert_int_equal(bank->result.runs, 1);
}

TEST_WITH(bank, a_value_that_was_read_and_has_changed_runs_it_again)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, create, &plan);
    plan.meanwhile = deposit;
    plan.other = &other;
    CHECK_COMMITTED(bank, deposit, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(balance_of(bank, "a"), 25);
}

TEST_WITH(bank, what_is_only_added_to_does_not_contend)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, create, &plan);
    plan.meanwhile = deposit;
    plan.other = &other;
    CHECK_COMMITTED(bank, visit, &plan);
    assert_int_equal(bank->result.runs, 1);
    assert_int_equal(balance_of(bank, "a"), 15);
}

TEST_WITH(bank, without_retries_contention_is_a_conflict)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a", .balance = 5};
    CHECK_COMMITTED(bank, create, &plan);
    plan.meanwhile = deposit;
    plan.other = &other;
    bank->options.no_retries = 1;
    assert_int_equal(transact(bank, deposit, &plan), OS_CONFLICT);
    assert_int_equal(bank->error.code, OS_ERR_CONFLICT);
    CHECK_SAYS(&bank->error, "too often in contention");
    assert_int_equal(balance_of(bank, "a"), 15);
}

TEST_WITH(bank, a_row_is_deleted_if_it_is_as_it_was)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    struct plan other = {.bank = bank, .id = "a"};
    CHECK_COMMITTED(bank, create, &plan);
    plan.meanwhile = name_owner;
    plan.other = &other;
    CHECK_COMMITTED(bank, end_account, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(balance_of(bank, "a"), -1);
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

TEST_WITH(bank, rows_are_written_without_being_read_or_none_is)
{
    struct plan plan = {.bank = bank, .id = "z", .balance = 8};
    struct plan wrong = {.bank = bank, .id = "w", .balance = 8};
    bank->options.no_retries = 1;
    CHECK_COMMITTED(bank, create, &plan);
    CHECK_COMMITTED(bank, create, &wrong);
    assert_int_equal(transact(bank, write_blindly, &plan), OS_CONFLICT);
    assert_int_equal(balance_of(bank, "x"), -1);
    assert_int_equal(balance_of(bank, "w"), 8);
    plan.balance = 1;
    CHECK_COMMITTED(bank, deposit, &plan);
    CHECK_COMMITTED(bank, write_blindly, &plan);
    assert_int_equal(bank->result.requests, 1);
    assert_int_equal(balance_of(bank, "x"), 1);
    assert_int_equal(balance_of(bank, "y"), 2);
    assert_int_equal(balance_of(bank, "z"), 3);
    assert_int_equal(balance_of(bank, "w"), -1);
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
    CHECK_CODE(os_txn_get(txn, account, key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_txn_get(txn, account, key_of("a"), NULL, &again, err), OS_ERR_ARGUMENT, err);
    CHECK_SAYS(err, "cache_rows");
    CHECK_CODE(os_row_get(row, "nothing", &text, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_get(row, "owner", &text, err), OS_OK, err);
    assert_null(text);
    CHECK_CODE(os_row_get_string(row, "owner", &text, err), OS_ERR_NOT_FOUND, err);
    CHECK_CODE(os_row_set_int(row, "balance", -1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set(row, "balance", "\"1\"", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set(row, "balance", NULL, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_set_string(row, "id", "b", err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_increment(row, "owner", 1, err), OS_ERR_ARGUMENT, err);
    CHECK_CODE(os_row_get(row, "balance", &text, err), OS_OK, err);
    assert_string_equal(text, "10");
    return error_of_the_function;
}

TEST_WITH(bank, what_is_wrong_is_said_at_once_and_nothing_is_written)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 10};
    CHECK_COMMITTED(bank, create, &plan);
    assert_int_equal(transact(bank, go_wrong, &plan), OS_NOT_EXECUTED);
    assert_int_equal(bank->error.code, error_of_the_function);
    assert_int_equal(balance_of(bank, "a"), 10);
}

/* ------------------------------------------------------------------------------------------------ at once */

static os_code sum_up(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row_key keys[ACCOUNTS];
    os_row *rows[ACCOUNTS];
    char names[ACCOUNTS][32];
    plan->seen = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        snprintf(names[i], sizeof(names[i]), "{\"id\":\"%d\"}", i);
        keys[i] = (os_row_key){plan->bank->account, names[i]};
    }
    os_code code = os_txn_get_many(txn, keys, ACCOUNTS, NULL, rows, err);
    for (int i = 0; i < ACCOUNTS && code == OS_OK; i++) {
        int64_t balance = 0;
        code = os_row_get_int(rows[i], "balance", &balance, err);
        plan->seen += balance;
    }
    return code;
}

struct transfer {
    struct bank *bank;
    unsigned seed;
};

static os_code transfer_one(void *context, os_txn *txn, os_error *err)
{
    const struct transfer *transfer = context;
    char from[8];
    char to[8];
    os_row *rows[2];
    int64_t balance[2] = {0};
    unsigned a = transfer->seed % ACCOUNTS;
    snprintf(from, sizeof(from), "%u", a);
    snprintf(to, sizeof(to), "%u", (a + 1 + transfer->seed / ACCOUNTS % (ACCOUNTS - 1)) % ACCOUNTS);
    const os_row_key keys[] = {{transfer->bank->account, key_of(from)}, {transfer->bank->account, key_of(to)}};
    os_code code = os_txn_get_many(txn, keys, 2, NULL, rows, err);
    for (int i = 0; i < 2 && code == OS_OK; i++)
        code = os_row_get_int(rows[i], "balance", &balance[i], err);
    if (code != OS_OK || balance[0] == 0)
        return code;
    code = os_row_set_int(rows[0], "balance", balance[0] - 1, err);
    return code == OS_OK ? os_row_set_int(rows[1], "balance", balance[1] + 1, err) : code;
}

static void *transfer_many(void *context)
{
    struct transfer *transfer = context;
    for (int i = 0; i < TRANSFERS; i++) {
        os_error error;
        transfer->seed = transfer->seed * 1103515245U + 12345U;
        os_verdict verdict =
            os_transact(transfer->bank->client, &transfer->bank->options, transfer_one, transfer, NULL, NULL, &error);
        if (verdict != OS_COMMITTED)
            return strdup(error.message);
    }
    return NULL;
}

TEST_WITH(bank, the_sum_of_all_accounts_is_the_same_whenever_it_is_read)
{
    char names[ACCOUNTS][8];
    pthread_t threads[THREADS];
    struct transfer transfers[THREADS];
    for (int i = 0; i < ACCOUNTS; i++) {
        snprintf(names[i], sizeof(names[i]), "%d", i);
        struct plan plan = {.bank = bank, .id = names[i], .balance = START};
        CHECK_COMMITTED(bank, create, &plan);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        transfers[i] = (struct transfer){.bank = bank, .seed = i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, transfer_many, &transfers[i]), 0);
    }
    for (int i = 0; i < TRANSFERS; i++) {
        struct plan plan = {.bank = bank};
        CHECK_COMMITTED(bank, sum_up, &plan);
        assert_int_equal(plan.seen, ACCOUNTS * START);
    }
    for (int i = 0; i < THREADS; i++) {
        void *why = NULL;
        pthread_join(threads[i], &why);
        if (why != NULL)
            fail_msg("%s", (const char *)why);
    }
    struct plan plan = {.bank = bank};
    CHECK_COMMITTED(bank, sum_up, &plan);
    assert_int_equal(plan.seen, ACCOUNTS * START);
}
