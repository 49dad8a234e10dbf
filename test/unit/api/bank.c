/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/bank.h"

#include "rows/definition.h"
#include "sqlite/rows.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char account_schema[] =
    "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"balance\":{\"type\":\"integer\",\"minimum\":0},\"owner\":{\"type\":\"string\"},"
    "\"visits\":{\"type\":\"integer\",\"default\":0}},\"required\":[\"id\",\"balance\",\"visits\"],\"KEY\":[\"id\"]}";

void bank_make_table(const char *file, const char *name)
{
    static const struct rows_definition definition = {.keys = {.partition = {"_id", VALUE_S}}};
    os_error error;
    struct sqlite_rows *rows = NULL;
    const struct sqlite_patience patience = sqlite_patience_ms(BANK_PATIENT_MS);
    CHECK_CODE(sqlite_rows_open(file, &patience, &rows, &error), OS_OK, &error);
    CHECK_CODE(sqlite_rows_create(rows, name, &definition, patience, &error), OS_OK, &error);
    sqlite_rows_close(rows);
}

void bank_open(struct bank *ret, os_client *client, const char *table)
{
    ret->client = client;
    CHECK_CODE(os_model_parse(account_schema, table, &ret->account, &ret->error), OS_OK, &ret->error);
    ret->options = (os_txn_options)OS_TXN_OPTIONS_INIT;
    ret->options.initial_backoff_ms = 1;
    ret->options.max_backoff_ms = 20;
    ret->options.retries = 50;
    ret->result = (os_txn_result)OS_TXN_RESULT_INIT;
}

void bank_close(struct bank *bank)
{
    os_txn_result_clear(&bank->result);
    os_model_free(bank->account);
    os_client_close(bank->client);
}

void bank_set_up(struct bank *ret)
{
    char file[160];
    ret->scratch = calloc(1, sizeof(*ret->scratch));
    assert_non_null(ret->scratch);
    scratch_set_up(ret->scratch);
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", ret->scratch->root);
    bank_make_table(file, "Account");
    bank_open(ret, scratch_table_client(ret->scratch), NULL);
}

void bank_tear_down(struct bank *bank)
{
    bank_close(bank);
    scratch_tear_down(bank->scratch);
    free(bank->scratch);
}

os_verdict bank_transact(struct bank *bank, os_txn_fn function, void *context)
{
    os_txn_result_clear(&bank->result);
    os_verdict verdict =
        os_transact(bank->client, &bank->options, function, context, NULL, &bank->result, &bank->error);
    assert_int_equal(verdict, bank->result.verdict);
    assert_int_equal(verdict == OS_COMMITTED, bank->error.code == OS_OK);
    return verdict;
}

/* ------------------------------------------------------------------------------------------------ functions */

const char *bank_key_of(const char *id)
{
    static _Thread_local char text[8][64];
    static _Thread_local unsigned next;
    char *ret = text[next++ % 8];
    snprintf(ret, sizeof(text[0]), "{\"id\":\"%s\"}", id);
    return ret;
}

os_code bank_create(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    char fields[128];
    snprintf(fields, sizeof(fields), "{\"id\":\"%s\",\"balance\":%lld}", plan->id, (long long)plan->balance);
    return os_txn_create(txn, plan->bank->account, fields, NULL, err);
}

os_code bank_look(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of(plan->id), NULL, &row, err);
    plan->was_there = row != NULL;
    return code == OS_OK && row != NULL ? os_row_get_int(row, "balance", &plan->seen, err) : code;
}

void bank_let_another(struct plan *plan)
{
    os_error error;
    if (plan->runs++ == 0 && plan->meanwhile != NULL)
        assert_int_equal(os_transact(plan->bank->client, NULL, plan->meanwhile, plan->other, NULL, NULL, &error),
                         OS_COMMITTED);
}

os_code bank_deposit(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of(plan->id), NULL, &row, err);
    if (code == OS_OK)
        code = os_row_get_int(row, "balance", &plan->seen, err);
    bank_let_another(plan);
    return code == OS_OK ? os_row_set_int(row, "balance", plan->seen + plan->balance, err) : code;
}

os_code bank_visit(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of(plan->id), NULL, &row, err);
    bank_let_another(plan);
    return code == OS_OK ? os_row_increment(row, "visits", 1, err) : code;
}

os_code bank_name_owner(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of(plan->id), NULL, &row, err);
    return code == OS_OK ? os_row_set_string(row, "owner", "somebody", err) : code;
}

os_code bank_end_account(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of(plan->id), NULL, &row, err);
    bank_let_another(plan);
    return code == OS_OK ? os_txn_delete(txn, row, err) : code;
}

int64_t bank_balance_of(struct bank *bank, const char *id)
{
    struct plan plan = {.bank = bank, .id = id, .seen = -1};
    CHECK_COMMITTED(bank, bank_look, &plan);
    return plan.was_there ? plan.seen : -1;
}

void bank_create_all(struct bank *bank)
{
    for (int i = 0; i < BANK_ACCOUNTS; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%d", i);
        struct plan plan = {.bank = bank, .id = name, .balance = BANK_START};
        CHECK_COMMITTED(bank, bank_create, &plan);
    }
}

os_code bank_sum_up(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row_key keys[BANK_ACCOUNTS];
    os_row *rows[BANK_ACCOUNTS];
    char names[BANK_ACCOUNTS][32];
    plan->seen = 0;
    for (int i = 0; i < BANK_ACCOUNTS; i++) {
        snprintf(names[i], sizeof(names[i]), "{\"id\":\"%d\"}", i);
        keys[i] = (os_row_key){plan->bank->account, names[i]};
    }
    os_code code = os_txn_get_many(txn, keys, BANK_ACCOUNTS, NULL, rows, err);
    for (int i = 0; i < BANK_ACCOUNTS && code == OS_OK; i++) {
        int64_t balance = 0;
        code = os_row_get_int(rows[i], "balance", &balance, err);
        plan->seen += balance;
    }
    return code;
}

os_code bank_transfer(void *context, os_txn *txn, os_error *err)
{
    const struct transfer *transfer = context;
    char from[8];
    char to[8];
    os_row *rows[2];
    int64_t balance[2] = {0};
    unsigned a = transfer->seed % BANK_ACCOUNTS;
    snprintf(from, sizeof(from), "%u", a);
    snprintf(to, sizeof(to), "%u", (a + 1 + transfer->seed / BANK_ACCOUNTS % (BANK_ACCOUNTS - 1)) % BANK_ACCOUNTS);
    const os_row_key keys[] = {{transfer->bank->account, bank_key_of(from)},
                               {transfer->bank->account, bank_key_of(to)}};
    os_code code = os_txn_get_many(txn, keys, 2, NULL, rows, err);
    for (int i = 0; i < 2 && code == OS_OK; i++)
        code = os_row_get_int(rows[i], "balance", &balance[i], err);
    if (code != OS_OK || balance[0] == 0)
        return code;
    code = os_row_set_int(rows[0], "balance", balance[0] - 1, err);
    return code == OS_OK ? os_row_set_int(rows[1], "balance", balance[1] + 1, err) : code;
}
