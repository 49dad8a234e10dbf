/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions over typed rows in the embedded tables and at DynamoDB Local: what holds of any tables; and beside lost,
 * late and repeated answers each verdict is true.
 */
#include "support/raw_service.h"
#include "support/suite.h"
#include "unit/api/bank_checks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ tables */

static bool is_embedded(const struct fixture *f)
{
    return f->ledger_endpoint[0] == '\0';
}

static const char *file_of(const struct fixture *f)
{
    static char file[400];
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", f->store_url + strlen("file://"));
    return file;
}

static void make_table(struct fixture *f, const char *name)
{
    if (is_embedded(f))
        bank_make_table(file_of(f), name);
    else
        assert_true(raw_make_table(f->ledger_endpoint, name, "_id", "S", NULL));
}

/* A client for tables alone; past the proxies unless they are started. */
static os_client *client_of(const struct fixture *f)
{
    char url[420];
    os_options of_fixture = fixture_options(f);
    os_options options = OS_OPTIONS_INIT;
    snprintf(url, sizeof(url), "sqlite://%s", file_of(f));
    options.ledger_url = is_embedded(f) ? url : "dynamodb://any";
    options.no_environment = 1;
    options.dynamodb_endpoint = of_fixture.dynamodb_endpoint;
    options.dynamodb_region = of_fixture.s3_region;
    options.access_key_id = of_fixture.access_key_id;
    options.secret_access_key = of_fixture.secret_access_key;
    return fixture_client(&options);
}

static void open_bank(struct fixture *f, struct bank *ret)
{
    char table[160];
    snprintf(table, sizeof(table), "%s-%s", f->table, fixture_key(f, "accounts")); /* servers outlive a run */
    memset(ret, 0, sizeof(*ret));
    make_table(f, table);
    bank_open(ret, client_of(f), table);
}

SUITE_ROWS(bank_checks, it_holds_that, 0)
{
    struct bank bank;
    open_bank(f, &bank);
    row->run(&bank);
    bank_close(&bank);
}

/* ------------------------------------------------------------------------------------------------ faults */

enum { THREADS = 4, TRANSFERS = 30, FAULTS = 24, PATIENT_MS = 120000 };

/* One who transfers: a row for each transfer tells whether it was applied, and one of his own counts how many were. */
struct teller {
    struct bank *bank;
    os_client *direct; /* past the faults */
    unsigned number;
    int transfer;
    struct transfer what;
    int committed;
    int not_known;
    char why[600]; /* what was wrong; "": nothing */
};

static void name_of(const struct teller *teller, int transfer, char ret[32])
{
    snprintf(ret, 32, "of-%u-%d", teller->number, transfer);
}

static os_code transfer_and_tell(void *context, os_txn *txn, os_error *err)
{
    struct teller *teller = context;
    char name[32];
    char fields[96];
    name_of(teller, teller->transfer, name);
    snprintf(fields, sizeof(fields), "{\"id\":\"%s\",\"balance\":1}", name);
    os_code code = bank_transfer(&teller->what, txn, err);
    return code == OS_OK ? os_txn_create(txn, teller->bank->account, fields, NULL, err) : code;
}

static os_code count_up(void *context, os_txn *txn, os_error *err)
{
    struct teller *teller = context;
    char name[16];
    snprintf(name, sizeof(name), "count-%u", teller->number);
    struct plan plan = {.bank = teller->bank, .id = name, .balance = 1};
    return bank_deposit(&plan, txn, err);
}

/* A verdict, or what the ticket of an unknown says past the faults. */
static os_verdict settle(struct teller *teller, os_txn_fn function, os_error *ret_error)
{
    os_txn_result result = OS_TXN_RESULT_INIT;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = PATIENT_MS;
    os_verdict verdict =
        os_transact(teller->bank->client, &teller->bank->options, function, teller, &call, &result, ret_error);
    if (verdict == OS_UNKNOWN)
        verdict = result.ticket != NULL ? os_txn_resolve(teller->direct, result.ticket, &call, ret_error) : 0;
    os_txn_result_clear(&result);
    return verdict;
}

static os_code look_for(void *context, os_txn *txn, os_error *err)
{
    struct plan *plan = context;
    return bank_look(plan, txn, err);
}

static bool is_there(struct teller *teller, const char *name)
{
    os_error error;
    struct plan plan = {.bank = teller->bank, .id = name};
    os_verdict verdict = os_transact(teller->direct, NULL, look_for, &plan, NULL, NULL, &error);
    if (verdict != OS_COMMITTED)
        snprintf(teller->why, sizeof(teller->why), "look: %.500s", error.message);
    return plan.was_there;
}

static void transfer_one(struct teller *teller)
{
    char name[32];
    os_error error;
    teller->what.seed = teller->what.seed * 1103515245U + 12345U;
    os_verdict verdict = settle(teller, transfer_and_tell, &error);
    name_of(teller, teller->transfer, name);
    bool was_applied = is_there(teller, name);
    if (verdict != OS_UNKNOWN && (verdict == OS_COMMITTED) != was_applied)
        snprintf(teller->why, sizeof(teller->why), "%s is %s: %.500s", name, os_verdict_name(verdict), error.message);
    if (verdict != OS_UNKNOWN && verdict != OS_COMMITTED)
        snprintf(teller->why, sizeof(teller->why), "%s: %.500s", name, error.message);
}

static void count_one(struct teller *teller)
{
    os_error error;
    os_verdict verdict = settle(teller, count_up, &error);
    if (verdict == OS_COMMITTED)
        teller->committed++;
    else if (verdict == OS_UNKNOWN)
        teller->not_known++;
    else
        snprintf(teller->why, sizeof(teller->why), "count: %s: %.500s", os_verdict_name(verdict), error.message);
}

static void *transfer_many(void *context)
{
    struct teller *teller = context;
    for (teller->transfer = 0; teller->transfer < TRANSFERS && teller->why[0] == '\0'; teller->transfer++) {
        transfer_one(teller);
        if (teller->why[0] == '\0')
            count_one(teller);
    }
    return NULL;
}

/* At requests that chance chooses; all of them are met, as more are made than that. */
static void add_faults(struct fixture *f, unsigned seed)
{
    static const char *const targets[] = {"TransactWriteItems", "UpdateItem", "TransactGetItems", "GetItem"};
    static const enum fault_action actions[] = {FAULT_DROP_ANSWER, FAULT_DROP_ANSWER, FAULT_RESET, FAULT_REPLAY,
                                                FAULT_ANSWER_AFTER};
    for (unsigned i = 0; i < FAULTS; i++) {
        seed = seed * 1103515245U + 12345U;
        const struct fault_rule rule = {.match = {.target = targets[i % 4]},
                                        .action = actions[seed / 65536 % 5],
                                        .first = 1 + seed / 1048576 % (THREADS * TRANSFERS / 2),
                                        .times = 1,
                                        .status = 500,
                                        .headers = "Content-Type: application/x-amz-json-1.0\r\n",
                                        .body =
                                            "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\"}"};
        assert_true(fault_proxy_add(f->ledger_proxy, &rule) > 0);
    }
}

static void begin_tellers(struct bank *bank, os_client *direct, struct teller tellers[THREADS])
{
    for (unsigned i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "count-%u", i);
        struct plan plan = {.bank = bank, .id = name};
        CHECK_COMMITTED(bank, bank_create, &plan);
        tellers[i] =
            (struct teller){.bank = bank, .direct = direct, .number = i, .what = {.bank = bank, .seed = i + 1}};
    }
}

static void check_tellers(struct bank *bank, const struct teller tellers[THREADS])
{
    for (unsigned i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "count-%u", i);
        if (tellers[i].why[0] != '\0')
            fail_msg("teller %u: %s", i, tellers[i].why);
        int64_t count = bank_balance_of(bank, name);
        assert_in_range(count, tellers[i].committed, tellers[i].committed + tellers[i].not_known);
    }
    struct plan plan = {.bank = bank};
    CHECK_COMMITTED(bank, bank_sum_up, &plan);
    assert_int_equal(plan.seen, BANK_ACCOUNTS * BANK_START);
}

SUITE_TEST(beside_lost_answers_each_verdict_is_true_and_the_sum_is_exact, BACKEND_DYNAMO)
{
    struct bank bank;
    struct teller tellers[THREADS];
    pthread_t threads[THREADS];
    unsigned seed = (unsigned)now_ms();
    print_message("seed %u\n", seed);
    os_client *direct = client_of(f);
    assert_true(fixture_proxies(f));
    open_bank(f, &bank);
    bank_create_all(&bank);
    begin_tellers(&bank, direct, tellers);
    add_faults(f, seed);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, transfer_many, &tellers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fault_proxy_clear(f->ledger_proxy);
    check_tellers(&bank, tellers);
    bank_close(&bank);
    os_client_close(direct);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "transactions over typed rows", .only = "minio,embedded"};
    return suite_main(&suite, argc, argv);
}
