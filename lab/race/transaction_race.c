/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A race with transactions: the tables and their accounts before, and what stands in them afterwards. These are
 * transactions of the history, too, with numbers below those of any process.
 */
#include "race/bank.h"
#include "race/clock.h"
#include "race/race.h"

#include <stdio.h>

enum { CREATION = 1, READ_BACK, READ_DOCUMENTS };
enum { KEEPING_MS = 60 * 1000 };

/* What the parent runs by itself. */
struct keeping {
    struct race *race;
    os_call call; /* not as short as those that race may be */
    struct bank bank;
    struct telling telling;
    struct bank_account account[BANK_ACCOUNTS_MAX];
};

static uint64_t since_begin(const struct race *race)
{
    return race_now_us() - race->record.origin_us;
}

static void begin_keeping(struct keeping *keeping, uint64_t id)
{
    telling_begin(&keeping->telling, id, keeping->race->writers, since_begin(keeping->race));
}

/* False: no memory. */
static bool add_committed(struct keeping *keeping)
{
    struct race_record *record = &keeping->race->record;
    struct history_transaction *told = &keeping->telling.transaction;

    told->end_us = since_begin(keeping->race);
    told->verdict = OS_COMMITTED;
    told->settled = OS_COMMITTED;
    record->no_memory = !history_add_transaction(record->history, told) || record->no_memory;
    return !record->no_memory;
}

static bool open_keeping(struct keeping *ret, struct race *race, os_error *err)
{
    ret->race = race;
    ret->call = race->session->call;
    if (ret->call.deadline_ms < KEEPING_MS)
        ret->call.deadline_ms = KEEPING_MS;
    return bank_open(&ret->bank, race->session->client, &ret->call, race->at->store, race->at->key, race->account_count,
                     err);
}

/* ------------------------------------------------------------------------------------------------ before */

static os_code create_accounts(void *context, os_txn *txn, os_error *err)
{
    struct keeping *keeping = context;

    return bank_create(&keeping->bank, txn, &keeping->telling, err);
}

static bool add_sum(struct race *race)
{
    char name[BANK_ACCOUNTS_MAX][TELLING_TEXT_SIZE];
    const char *keys[BANK_ACCOUNTS_MAX];
    struct history_sum sum = {
        .sum = (int64_t)race->account_count * BANK_BALANCE, .key = keys, .key_count = race->account_count};

    for (unsigned i = 0; i < race->account_count; i++) {
        bank_account_name(i, name[i]);
        keys[i] = name[i];
    }
    return history_add_sum(race->record.history, &sum);
}

static bool make_accounts(struct keeping *keeping, os_error *err)
{
    os_verdict verdict;

    if (bank_make_tables(&keeping->bank, err) != OS_OK)
        return false;
    begin_keeping(keeping, CREATION);
    verdict = os_transact(keeping->bank.client, NULL, create_accounts, keeping, keeping->bank.call, NULL, err);
    if (verdict != OS_COMMITTED)
        return false;
    if (add_committed(keeping) && add_sum(keeping->race))
        return true;
    *err = (os_error){.code = OS_ERR_NO_MEMORY, .message = "There is not enough memory."};
    return false;
}

static bool prepare_transactions(struct race *race, bool network, enum status *ret_status)
{
    struct keeping keeping = {.race = race};
    os_error error = {0};
    bool good = open_keeping(&keeping, race, &error) && make_accounts(&keeping, &error);

    (void)network;
    if (!good)
        *ret_status = output_outcome(&race->session->output, race->at->store, status_of_write(&error), &error);
    bank_close(&keeping.bank);
    return good;
}

/* ------------------------------------------------------------------------------------------------ afterwards */

static os_code read_accounts(void *context, os_txn *txn, os_error *err)
{
    struct keeping *keeping = context;
    unsigned number[BANK_ACCOUNTS_MAX];

    for (unsigned i = 0; i < keeping->bank.accounts; i++)
        number[i] = i;
    return bank_read(&keeping->bank, txn, number, keeping->bank.accounts, &keeping->telling, keeping->account, err);
}

/* Each half is a read of its own, and all are read twice: of two halves that do not belong together, the second time shows
 * one as it was before what the first time has shown of the other. */
static bool read_documents(struct keeping *keeping, os_error *err)
{
    uint64_t id = READ_DOCUMENTS;

    for (unsigned i = 0; i < 2 * BANK_DOCUMENTS; i++) {
        struct bank_document seen;
        uint64_t start_us = since_begin(keeping->race);
        if (bank_read_document(&keeping->bank, i % BANK_DOCUMENTS, &seen, err) != OS_OK)
            return false;
        for (size_t half = 0; half < 2; half++) {
            char name[TELLING_TEXT_SIZE];
            telling_begin(&keeping->telling, id++, keeping->race->writers, start_us);
            bank_half_name(i % BANK_DOCUMENTS, half, name);
            telling_read(&keeping->telling, name, seen.half[half].value, NULL);
            if (!add_committed(keeping))
                return false;
        }
    }
    return true;
}

static bool read_back(struct keeping *keeping, os_error *err)
{
    os_txn_options options = OS_TXN_OPTIONS_INIT;

    options.read_only = 1;
    begin_keeping(keeping, READ_BACK);
    return os_transact(keeping->bank.client, &options, read_accounts, keeping, keeping->bank.call, NULL, err) ==
               OS_COMMITTED &&
           add_committed(keeping) && read_documents(keeping, err);
}

static bool judge_with_end(struct race *race)
{
    struct keeping keeping = {.race = race};
    os_error error = {0};

    race->progress.read_back = open_keeping(&keeping, race, &error) && read_back(&keeping, &error);
    if (!race->progress.read_back && error.message[0] != '\0')
        output_message(&race->session->output, error.message);
    bank_close(&keeping.bank);
    return race_judge_transactions(race);
}

const struct race_in_table race_with_transactions = {.take = race_settings_take_transactions,
                                                     .prepare = prepare_transactions,
                                                     .judge = judge_with_end,
                                                     .print = race_print_transactions};
