/* SPDX-License-Identifier: Apache-2.0 */
/* What is added to numbers that are not read: whatever others do meanwhile, the sum keeps to its rules, and can be read. */
#include "sqlite/rows.h"
#include "unit/api/bank.h"
#include "unit/api/client_scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static os_code add_too_much(void *context, os_txn *txn, os_error *err)
{
    const struct plan *plan = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    CHECK_CODE(os_row_increment(row, "visits", 3, err), OS_OK, err);
    CHECK_CODE(os_row_increment(row, "visits", INT64_MAX, err), OS_ERR_ARGUMENT, err);
    return OS_OK;
}

TEST_WITH(bank, a_sum_beyond_its_type_is_refused_and_the_sum_before_stays)
{
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, add_too_much, &plan);
}

/* Rows of an older model: without a field that came later, and has a default. */
struct older {
    struct plan plan;
    os_model *model;
};

static struct older older_of(struct bank *bank)
{
    struct older ret = {.plan = {.bank = bank, .id = "a", .balance = 7}};
    CHECK_CODE(os_model_parse("{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
                              "\"balance\":{\"type\":\"integer\"}},\"required\":[\"id\",\"balance\"],\"KEY\":[\"id\"]}",
                              NULL, &ret.model, &bank->error),
               OS_OK, &bank->error);
    return ret;
}

static os_code put_older(void *context, os_txn *txn, os_error *err)
{
    const struct older *older = context;
    return os_txn_create_or_put(txn, older->model, "{\"id\":\"a\",\"balance\":7}", NULL, err);
}

static os_code look_at_visits(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err);
    return code == OS_OK ? os_row_get_int(row, "visits", &plan->seen, err) : code;
}

TEST_WITH(bank, to_a_default_that_the_table_does_not_have_can_be_added)
{
    struct older older = older_of(bank);
    CHECK_COMMITTED(bank, put_older, &older);
    CHECK_COMMITTED(bank, bank_visit, &older.plan);
    CHECK_COMMITTED(bank, bank_visit, &older.plan);
    CHECK_COMMITTED(bank, look_at_visits, &older.plan);
    assert_int_equal(older.plan.seen, 2);
    os_model_free(older.model);
}

TEST_WITH(bank, where_another_has_removed_the_number_that_is_added_to_it_runs_again)
{
    struct older older = older_of(bank);
    struct plan plan = {.bank = bank, .id = "a", .balance = 7, .meanwhile = put_older, .other = &older.plan};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, bank_visit, &plan);
    assert_int_equal(bank->result.runs, 2);
    CHECK_COMMITTED(bank, look_at_visits, &plan);
    assert_int_equal(plan.seen, 1);
    os_model_free(older.model);
}

/* ------------------------------------------------------------------------------------------------ rules of sums */

/* A row with the number n, to which two add at the same time. */
struct meter {
    struct bank *bank;
    os_model *model;
    double begin;
    double add;
    double seen;
    struct meter *other;
    int runs;
};

static void meter_open(struct meter *meter, struct bank *bank, const char *rules)
{
    char schema[256];
    meter->bank = bank;
    snprintf(schema, sizeof(schema),
             "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},\"n\":{%s}},"
             "\"required\":[\"id\",\"n\"],\"KEY\":[\"id\"]}",
             rules);
    CHECK_CODE(os_model_parse(schema, NULL, &meter->model, &bank->error), OS_OK, &bank->error);
}

static os_code begin_meter(void *context, os_txn *txn, os_error *err)
{
    const struct meter *meter = context;
    char fields[96];
    snprintf(fields, sizeof(fields), "{\"id\":\"a\",\"n\":%.17g}", meter->begin);
    return os_txn_create_or_put(txn, meter->model, fields, NULL, err);
}

static os_code read_meter(void *context, os_txn *txn, os_error *err)
{
    struct meter *meter = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, meter->model, bank_key_of("a"), NULL, &row, err);
    return code == OS_OK ? os_row_get_double(row, "n", &meter->seen, err) : code;
}

static os_code add_to_meter(void *context, os_txn *txn, os_error *err)
{
    struct meter *meter = context;
    os_row *row = NULL;
    os_error error;
    os_code code = os_txn_get(txn, meter->model, bank_key_of("a"), NULL, &row, err);
    if (meter->runs++ == 0 && meter->other != NULL)
        assert_int_equal(os_transact(meter->bank->client, NULL, add_to_meter, meter->other, NULL, NULL, &error),
                         OS_COMMITTED);
    return code == OS_OK ? os_row_increment_double(row, "n", meter->add, err) : code;
}

static const struct sum_case {
    const char *name;
    const char *rules;
    double begin;
    double add;  /* by each of two, at the same time */
    double ends; /* with this */
    int runs;    /* of the slower one */
    os_verdict verdict;
    const char *says;
} sum_cases[] = {
    {"both fit", "\"type\":\"integer\",\"minimum\":0", 7, -3, 1, 1, OS_COMMITTED, ""},
    {"it ends at the bound", "\"type\":\"integer\",\"minimum\":0", 6, -3, 0, 1, OS_COMMITTED, ""},
    {"below the minimum", "\"type\":\"integer\",\"minimum\":0", 7, -5, 2, 2, OS_NOT_EXECUTED, "below the minimum"},
    {"above the maximum", "\"type\":\"integer\",\"maximum\":9", 1, 5, 6, 2, OS_NOT_EXECUTED, "above the maximum"},
    {"none of an enum", "\"type\":\"integer\",\"enum\":[1,2,4]", 1, 1, 2, 2, OS_NOT_EXECUTED, "enum"},
    {"beyond what is exact", "\"type\":\"integer\"", 9007199254740001, 900, 9007199254740901, 2, OS_NOT_EXECUTED,
     "9007199254740991"},
    {"below a fraction", "\"type\":\"number\",\"minimum\":0.5", 1.75, -0.75, 1, 2, OS_NOT_EXECUTED, "minimum"},
    {"more digits than a double has", "\"type\":\"number\"", 0.1234567890123456, 12345.678901234567, 24691.48125925815,
     1, OS_COMMITTED, ""},
    {"more digits than a number has", "\"type\":\"number\",\"maximum\":4503599627370496", 4503599627370495, 1e-30,
     4503599627370495, 2, OS_COMMITTED, ""},
};

TEST_ROWS_WITH(bank, sum_cases, two_who_add_at_the_same_time)
{
    struct meter other = {.add = row->add};
    meter_open(&other, bank, row->rules);
    struct meter meter = {.bank = bank, .model = other.model, .begin = row->begin, .add = row->add, .other = &other};
    CHECK_COMMITTED(bank, begin_meter, &meter);
    if (bank_transact(bank, add_to_meter, &meter) != row->verdict)
        fail_msg("%s: %s", os_verdict_name(bank->result.verdict), bank->error.message);
    CHECK_SAYS(&bank->error, row->says);
    assert_int_equal(bank->result.runs, row->runs);
    CHECK_COMMITTED(bank, read_meter, &meter);
    if (fabs(meter.seen - row->ends) > 1e-9 * fabs(row->ends))
        fail_msg("%.17g", meter.seen);
    os_model_free(other.model);
}

/* ------------------------------------------------------------------------------------------------ what a sum tells */

/* A stock of which somebody wants something, and a note that says whether there was enough. */
struct shop {
    struct bank *bank;
    const int64_t *adds; /* one after the other, until one is refused; 0: the end */
    os_code code;        /* of the last that was tried */
    int64_t meanwhile;   /* that another adds, in the first run */
    int runs;
};

static os_code supply(void *context, os_txn *txn, os_error *err)
{
    const struct shop *shop = context;
    os_row *row = NULL;
    os_code code = os_txn_get(txn, shop->bank->account, bank_key_of("a"), NULL, &row, err);
    return code == OS_OK ? os_row_increment(row, "balance", shop->meanwhile, err) : code;
}

static os_code sell(void *context, os_txn *txn, os_error *err)
{
    struct shop *shop = context;
    os_row *row = NULL;
    os_error error;
    CHECK_CODE(os_txn_get(txn, shop->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    shop->code = OS_OK;
    for (size_t i = 0; shop->adds[i] != 0 && shop->code == OS_OK; i++)
        shop->code = os_row_increment(row, "balance", shop->adds[i], err);
    if (shop->runs++ == 0)
        assert_int_equal(os_transact(shop->bank->client, NULL, supply, shop, NULL, NULL, &error), OS_COMMITTED);
    return os_txn_create_or_put(
        txn, shop->bank->account,
        shop->code == OS_OK ? "{\"id\":\"note\",\"balance\":1}" : "{\"id\":\"note\",\"balance\":0}", NULL, err);
}

TEST_WITH(bank, that_a_sum_was_refused_is_a_read_of_the_number)
{
    static const int64_t adds[] = {-5, 0};
    struct plan plan = {.bank = bank, .id = "a", .balance = 3};
    struct shop shop = {.bank = bank, .adds = adds, .meanwhile = 10};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, sell, &shop);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "note"), 1);
    assert_int_equal(bank_balance_of(bank, "a"), 8);
}

TEST_WITH(bank, what_is_added_and_taken_back_is_a_read_of_the_number)
{
    static const int64_t adds[] = {-5, 5, 0};
    struct plan plan = {.bank = bank, .id = "a", .balance = 7};
    struct shop shop = {.bank = bank, .adds = adds, .meanwhile = -3};
    CHECK_COMMITTED(bank, bank_create, &plan);
    CHECK_COMMITTED(bank, sell, &shop);
    assert_int_equal(bank->result.runs, 2);
    assert_int_equal(bank_balance_of(bank, "note"), 0);
    assert_int_equal(bank_balance_of(bank, "a"), 4);
}

/* By another program, which keeps no tokens. */
static void put_bare(struct bank *bank, const char *balance)
{
    static const struct rows_table table = {.name = "Account", .keys = {.partition = "_id"}};
    const struct sqlite_patience patience = sqlite_patience_ms(BANK_PATIENT_MS);
    struct sqlite_rows *rows = NULL;
    char file[160];
    json_t *was = NULL;
    json_t *item =
        json_pack("{s:{s:s}, s:{s:s}, s:{s:s}}", "_id", "S", "a", "balance", "N", balance, "visits", "N", "0");
    const struct rows_write write = {.kind = ROWS_PUT, .table = &table, .item = item};
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", bank->scratch->root);
    CHECK_CODE(sqlite_rows_open(file, &patience, &rows, &bank->error), OS_OK, &bank->error);
    assert_int_equal(sqlite_rows_write(rows, &write, patience, 0, &was, &bank->error), TABLE_OK);
    sqlite_rows_close(rows);
    json_decref(item);
}

static os_code take_and_end(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    os_row *row = NULL;
    CHECK_CODE(os_txn_get(txn, plan->bank->account, bank_key_of("a"), NULL, &row, err), OS_OK, err);
    plan->was_there = os_row_increment(row, "balance", -5, err) == OS_OK;
    if (plan->runs++ == 0)
        put_bare(plan->bank, "2");
    return os_txn_delete(txn, row, err);
}

TEST_WITH(bank, a_sum_of_a_row_that_is_deleted_is_a_read_of_the_number)
{
    struct plan plan = {.bank = bank};
    put_bare(bank, "7");
    CHECK_COMMITTED(bank, take_and_end, &plan);
    assert_int_equal(bank->result.runs, 2);
    assert_false(plan.was_there);
}
