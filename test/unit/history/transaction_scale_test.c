/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as a long race makes it: transfers between accounts, readers of all of them, a log, unknown ones. Its time
 * must grow no faster than its size: eight times as much is judged in less than thirty times the time.
 */
#include "history/transaction_judge.h"

#include "history_maker.h"
#include "history_random.h"
#include "support/checks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ACCOUNTS = 50, LOGS = 5000, TRANSFERS = 100000, START = 1000 };

struct bank {
    struct history *history;
    struct random_history random; /* for its generator */
    char key[ACCOUNTS][16];
    char value[ACCOUNTS][24];
    int64_t balance[ACCOUNTS];
    uint64_t now_us;
    uint64_t values;
};

static uint64_t below(struct bank *bank, uint64_t bound)
{
    return random_below(&bank->random, bound);
}

/* About eight overlap. */
static void add(struct bank *bank, os_verdict verdict, const struct history_item *item, size_t count)
{
    struct history_transaction transaction = {.id = history_transaction_count(bank->history) + 1,
                                              .verdict = verdict,
                                              .settled = verdict,
                                              .item = item,
                                              .item_count = count};

    bank->now_us += 100;
    transaction.start_us = bank->now_us - below(bank, 400);
    transaction.end_us = bank->now_us + below(bank, 400);
    assert_true(history_add_transaction(bank->history, &transaction));
}

static void write_balance(struct bank *bank, size_t account, char kept[24], struct history_item *ret)
{
    memcpy(kept, bank->value[account], 24);
    (void)snprintf(bank->value[account], 24, "v%llu", (unsigned long long)++bank->values);
    *ret = (struct history_item){.kind = HISTORY_ITEM_WRITE,
                                 .key = bank->key[account],
                                 .expected = kept,
                                 .value = bank->value[account],
                                 .has_amount = true,
                                 .amount = bank->balance[account]};
}

/* One in ten is unknown, one in ten a conflict. */
static void transfer(struct bank *bank)
{
    size_t from = below(bank, ACCOUNTS);
    size_t to = (from + 1 + below(bank, ACCOUNTS - 1)) % ACCOUNTS;
    int64_t amount = (int64_t)below(bank, 20);
    char kept[2][24];
    char log[16];
    char entry[24];
    struct history_item item[3];

    if (below(bank, 10) == 0) {
        struct history_item stale = {
            .kind = HISTORY_ITEM_WRITE, .key = bank->key[from], .expected = "no longer", .value = entry};
        (void)snprintf(entry, sizeof(entry), "c%llu", (unsigned long long)++bank->values);
        add(bank, OS_CONFLICT, &stale, 1);
        return;
    }
    bank->balance[from] -= amount;
    bank->balance[to] += amount;
    write_balance(bank, from, kept[0], &item[0]);
    write_balance(bank, to, kept[1], &item[1]);
    (void)snprintf(log, sizeof(log), "log%llu", (unsigned long long)below(bank, LOGS));
    (void)snprintf(entry, sizeof(entry), "e%llu", (unsigned long long)bank->values);
    item[2] = (struct history_item){.kind = HISTORY_ITEM_APPEND, .key = log, .value = entry};
    add(bank, below(bank, 10) == 0 ? OS_UNKNOWN : OS_COMMITTED, item, 3);
}

static void read_all(struct bank *bank)
{
    struct history_item item[ACCOUNTS];

    for (size_t i = 0; i < ACCOUNTS; i++)
        item[i] = (struct history_item){.kind = HISTORY_ITEM_READ, .key = bank->key[i], .value = bank->value[i]};
    add(bank, OS_COMMITTED, item, ACCOUNTS);
}

static void open_accounts(struct bank *bank)
{
    const char *keys[ACCOUNTS];
    struct history_item item[ACCOUNTS];
    char kept[ACCOUNTS][24];
    struct history_sum sum = {.sum = ACCOUNTS * START, .key = keys, .key_count = ACCOUNTS};

    for (size_t i = 0; i < ACCOUNTS; i++) {
        (void)snprintf(bank->key[i], sizeof(bank->key[i]), "account%zu", i);
        keys[i] = bank->key[i];
        bank->balance[i] = START;
        write_balance(bank, i, kept[i], &item[i]);
    }
    assert_true(history_add_sum(bank->history, &sum));
    add(bank, OS_COMMITTED, item, ACCOUNTS);
}

static void make_bank(struct bank *bank, size_t transfers)
{
    *bank = (struct bank){.history = maker_new(), .now_us = 1000};
    random_start(&bank->random, transfers);
    open_accounts(bank);
    for (size_t i = 0; i < transfers; i++) {
        transfer(bank);
        if (i % 50 == 0)
            read_all(bank);
    }
    read_all(bank);
}

/* Of this process, so that others do not count. */
static double judge_s(struct history *history, struct transaction_result *result)
{
    clock_t start = clock();

    assert_true(judge_transactions(history, result));
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

TEST(the_time_grows_with_the_size)
{
    struct transaction_result result;
    struct bank bank;

    make_bank(&bank, TRANSFERS / 8);
    double small_s = judge_s(bank.history, &result);
    assert_int_equal(result.violations, 0);
    history_free(bank.history);
    make_bank(&bank, TRANSFERS);
    double large_s = judge_s(bank.history, &result);
    (void)printf("%d transfers: %.2f s; %d transfers: %.2f s\n", TRANSFERS / 8, small_s, TRANSFERS, large_s);
    assert_int_equal(result.violations, 0);
    assert_true(result.seen > TRANSFERS / 20);
    assert_true(large_s < 30 * small_s + 0.5);
    history_free(bank.history);
}

/* The read is of the first values, and comes last: everything is in one knot. */
TEST(one_stale_read_at_the_end_is_found)
{
    struct transaction_result result;
    struct bank bank;

    make_bank(&bank, TRANSFERS / 2);
    struct history_item item = {.kind = HISTORY_ITEM_READ, .key = bank.key[7], .value = "v8"};
    bank.now_us += 10000;
    add(&bank, OS_COMMITTED, &item, 1);
    (void)judge_s(bank.history, &result);
    assert_int_equal(result.violations, 1);
    assert_int_equal(result.finding[0].violation, TRANSACTION_REAL_TIME);
    assert_true(result.finding[0].step_count <= 4); /* what replaced it may be unknown, and have no end */
    history_free(bank.history);
}

/* Nothing of it goes back in time by itself, and no two of it contradict each other. */
TEST(read_skew_in_a_large_history_is_found)
{
    struct transaction_result result;
    struct bank bank;

    make_bank(&bank, TRANSFERS / 2);
    struct history_item item[2] = {{.kind = HISTORY_ITEM_READ, .key = bank.key[0], .value = bank.value[0]},
                                   {.kind = HISTORY_ITEM_READ, .key = bank.key[1], .value = "v2"}};
    struct history_transaction transaction = {.id = history_transaction_count(bank.history) + 1,
                                              .end_us = HISTORY_NEVER - 1,
                                              .verdict = OS_COMMITTED,
                                              .settled = OS_COMMITTED,
                                              .item = item,
                                              .item_count = 2};
    assert_true(history_add_transaction(bank.history, &transaction));
    (void)judge_s(bank.history, &result);
    assert_int_equal(result.violations, 1);
    assert_int_equal(result.finding[0].violation, TRANSACTION_G_SINGLE);
    history_free(bank.history);
}
