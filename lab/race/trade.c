/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process does that races with transactions: it transfers between accounts, writes one alone, adds all up, and
 * writes and reads documents. What a transaction reads and is going to write it says before it is committed, so that it can
 * be killed at any time.
 */
#include "race/clock.h"
#include "race/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ASKS_MAX = 8 /* for what others have hidden, perhaps for good */, AMOUNT_MAX = 5 };

/* One transaction over accounts. */
struct trade {
    struct race_worker *worker;
    unsigned number[BANK_ACCOUNTS_MAX]; /* of accounts */
    size_t count;
    bool reads_only;
    bool said;
    struct telling telling;
    struct bank_account account[BANK_ACCOUNTS_MAX];
};

/* ---------------------------------------------------------------------------------------------------- saying it */

static void say(struct race_worker *worker, const struct telling *telling)
{
    char line[RACE_LINE_MAX];
    size_t len = telling_format(telling, line);

    worker->stop = worker->stop || len == 0; /* what is not said cannot be judged */
    race_send_text(worker, line, len);
}

static os_verdict say_end(struct race_worker *worker, uint64_t id, os_verdict verdict, const char *ticket,
                          const os_error *error)
{
    struct race_message end = {.call = id, .verdict = verdict};

    return race_end_call(worker, &end, ticket, error);
}

bool race_ask_of_transaction(struct race_worker *worker, const char *ticket, unsigned asked,
                             struct race_message *message)
{
    const struct bank *bank = &worker->bank;
    os_error error = {0};

    message->verdict = os_txn_resolve(bank->client, ticket, bank->call, &error);
    if (error.code == OS_ERR_ARGUMENT) { /* it is no ticket of rows */
        os_document_result result = OS_DOCUMENT_RESULT_INIT;
        message->verdict = os_document_resolve(bank->client, &bank->documents, ticket, bank->call, &result, &error);
        os_free(result.ticket);
    }
    (void)snprintf(message->text, sizeof(message->text), "%.500s", error.message);
    return message->verdict != OS_UNKNOWN || (error.code == OS_ERR_UNDECIDED && asked >= ASKS_MAX);
}

/* ---------------------------------------------------------------------------------------------------- accounts */

static os_code write_accounts(struct trade *trade, os_error *err)
{
    int64_t amount = 1 + (int64_t)(race_random(&trade->worker->random) % AMOUNT_MAX);
    os_code code = OS_OK;

    if (trade->count == 1)
        amount = 0;
    if (amount > trade->account[0].balance)
        amount = trade->account[0].balance;
    for (size_t i = 0; i < trade->count && code == OS_OK; i++) {
        const struct bank_account *account = &trade->account[i];
        code =
            bank_write(trade->number[i], account, account->balance + (i == 0 ? -amount : amount), &trade->telling, err);
    }
    return code;
}

/* Where an account is missing, the judge will say what it means, and nothing is built on it. */
static bool are_there(const struct trade *trade)
{
    for (size_t i = 0; i < trade->count; i++)
        if (trade->account[i].row == NULL)
            return false;
    return true;
}

static os_code play(void *context, os_txn *txn, os_error *err)
{
    struct trade *trade = context;
    os_code code =
        bank_read(&trade->worker->bank, txn, trade->number, trade->count, &trade->telling, trade->account, err);

    if (code == OS_OK && !trade->reads_only && are_there(trade))
        code = write_accounts(trade, err);
    if (code != OS_OK)
        return code;
    say(trade->worker, &trade->telling);
    trade->said = true;
    return OS_OK;
}

static os_verdict transact(struct race_worker *worker, struct trade *trade)
{
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    os_txn_result result = OS_TXN_RESULT_INIT;
    os_error error = {0};
    uint64_t id = race_next_call(worker);
    os_verdict verdict;

    options.no_retries = 1; /* each try is a transaction of its own */
    options.read_only = trade->reads_only;
    trade->worker = worker;
    telling_begin(&trade->telling, id, (unsigned)worker->task.lane, race_now_us());
    verdict = os_transact(worker->bank.client, &options, play, trade, worker->bank.call, &result, &error);
    if (trade->said)
        verdict = say_end(worker, id, verdict, result.ticket, &error);
    else if (verdict != OS_CONFLICT)
        race_take_failure(worker, &error);
    os_txn_result_clear(&result);
    return verdict;
}

static os_verdict write_some(struct race_worker *worker, size_t count)
{
    struct trade trade = {.count = count};
    unsigned accounts = worker->bank.accounts;

    trade.number[0] = (unsigned)(race_random(&worker->random) % accounts);
    trade.number[1] = (trade.number[0] + 1 + (unsigned)(race_random(&worker->random) % (accounts - 1))) % accounts;
    return transact(worker, &trade);
}

static os_verdict add_up(struct race_worker *worker)
{
    struct trade trade = {.count = worker->bank.accounts, .reads_only = true};

    for (unsigned i = 0; i < worker->bank.accounts; i++)
        trade.number[i] = i;
    return transact(worker, &trade);
}

/* ---------------------------------------------------------------------------------------------------- documents */

static void tell_half(struct telling *telling, unsigned number, size_t half, const struct bank_document *seen)
{
    char name[TELLING_TEXT_SIZE];

    bank_half_name(number, half, name);
    telling_read(telling, name, seen->half[half].value, NULL);
}

/* False: nothing was seen, which was said. */
static bool see_document(struct race_worker *worker, unsigned number, struct bank_document *ret)
{
    os_error error = {0};

    if (bank_read_document(&worker->bank, number, ret, &error) == OS_OK)
        return true;
    race_take_failure(worker, &error);
    return false;
}

static os_verdict write_document(struct race_worker *worker, unsigned number)
{
    uint64_t id = race_next_call(worker);
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    struct bank_document seen;
    struct telling telling;
    os_verdict verdict;

    telling_begin(&telling, id, (unsigned)worker->task.lane, race_now_us());
    if (!see_document(worker, number, &seen))
        return OS_NOT_EXECUTED;
    for (size_t half = 0; half < 2; half++)
        tell_half(&telling, number, half, &seen);
    for (size_t half = 0; half < 2; half++) {
        char name[TELLING_TEXT_SIZE];
        char value[BANK_VALUE_SIZE];
        bank_half_name(number, half, name);
        (void)snprintf(value, sizeof(value), "%" PRIu64, id);
        telling_write(&telling, name, seen.half[half].value, value, NULL);
    }
    say(worker, &telling);
    bank_write_document(&worker->bank, number, &seen, id, &result);
    verdict = say_end(worker, id, result.verdict, result.ticket, &result.error);
    os_free(result.ticket);
    return verdict;
}

/* The halves may be of different instants, so each is a read of its own. */
static os_verdict look_at_document(struct race_worker *worker, unsigned number)
{
    uint64_t start_us = race_now_us();
    const os_error error = {.code = OS_OK};
    struct bank_document seen;

    if (!see_document(worker, number, &seen))
        return OS_NOT_EXECUTED;
    for (size_t half = 0; half < 2; half++) {
        struct telling telling;
        telling_begin(&telling, race_next_call(worker), (unsigned)worker->task.lane, start_us);
        tell_half(&telling, number, half, &seen);
        say(worker, &telling);
        (void)say_end(worker, telling.transaction.id, OS_COMMITTED, NULL, &error);
    }
    return OS_COMMITTED;
}

/* ---------------------------------------------------------------------------------------------------- all of it */

void race_trade(struct race_worker *worker)
{
    while (race_now_us() < worker->task.until_us && !worker->stop) {
        uint64_t at = race_random(&worker->random) % 100;
        unsigned document = (unsigned)(race_random(&worker->random) % BANK_DOCUMENTS);
        os_verdict verdict;
        if (at < 55)
            verdict = write_some(worker, 2);
        else if (at < 65)
            verdict = write_some(worker, 1);
        else if (at < 75)
            verdict = add_up(worker);
        else if (at < 90)
            verdict = write_document(worker, document);
        else
            verdict = look_at_document(worker, document);
        if (verdict == OS_NOT_EXECUTED && !worker->stop)
            race_pause_shortly(worker);
    }
}
