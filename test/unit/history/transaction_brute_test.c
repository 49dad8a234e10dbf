/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of transactions against the definition itself: every order, every choice of unknown ones, nothing remembered
 * and nothing left out. Small histories, many of them; some true, some of a store with a fault, some with something
 * changed.
 */
#include "history/jsonl.h"
#include "history/transaction_judge.h"

#include "history_maker.h"
#include "support/checks.h"
#include "transaction_random.h"

#include <stdio.h>
#include <string.h>

enum { HISTORIES = 20000, PARTS_MAX = 12 };

/* ------------------------------------------------------------------------------------------------- all the orders */

/* A transaction, or one read of it. */
struct part {
    const struct history_transaction *of;
    const struct history_item *item; /* NULL: all of it */
    uint64_t end_us;
};

struct orders {
    struct part part[PARTS_MAX];
    size_t count;
};

struct state {
    const char *value[PLAY_REGISTERS];
    const char *list[PLAY_LISTS][PLAY_ELEMENTS_MAX];
    size_t list_count[PLAY_LISTS];
};

static void add_part(struct orders *orders, const struct history_transaction *of, const struct history_item *item,
                     uint64_t end_us)
{
    if (orders->count < PARTS_MAX)
        orders->part[orders->count] = (struct part){of, item, end_us};
    orders->count++;
}

/* Of the unknown ones, the first is chosen by the lowest bit, and so on. */
static void orders_begin(struct orders *orders, const struct history *history, unsigned chosen)
{
    orders->count = 0;
    for (size_t i = 0; i < history_transaction_count(history); i++) {
        const struct history_transaction *of = history_transaction_at(history, i);
        uint64_t end_us = of->settled_us != 0 ? of->settled_us : of->end_us;
        if (of->settled == OS_COMMITTED) {
            add_part(orders, of, NULL, end_us);
        } else if (of->settled == OS_UNKNOWN) {
            if ((chosen & 1) != 0)
                add_part(orders, of, NULL, HISTORY_NEVER);
            chosen >>= 1;
        }
        for (size_t j = 0; of->verdict != OS_COMMITTED && j < of->item_count; j++)
            if (of->item[j].kind == HISTORY_ITEM_READ || of->item[j].kind == HISTORY_ITEM_LIST)
                add_part(orders, of, &of->item[j], of->end_us);
    }
}

static bool is_next(const struct orders *orders, unsigned done, size_t i)
{
    for (size_t j = 0; j < orders->count; j++)
        if ((done >> j & 1) == 0 && j != i && orders->part[j].end_us < orders->part[i].of->start_us)
            return false;
    return (done >> i & 1) == 0;
}

static bool reads_right(const struct state *state, const struct history_item *item)
{
    size_t which = (size_t)(item->key[0] - (item->kind == HISTORY_ITEM_LIST ? 'l' : 'a'));

    if (item->kind == HISTORY_ITEM_READ)
        return strcmp(state->value[which], item->value) == 0;
    if (item->kind != HISTORY_ITEM_LIST)
        return true;
    for (size_t i = 0; i < item->element_count; i++)
        if (i >= state->list_count[which] || strcmp(state->list[which][i], item->element[i]) != 0)
            return false;
    return item->element_count == state->list_count[which];
}

static bool write_right(struct state *state, const struct history_item *item)
{
    if (item->kind == HISTORY_ITEM_WRITE) {
        const char **value = &state->value[item->key[0] - 'a'];
        if (strcmp(*value, item->expected) != 0)
            return false;
        *value = item->value;
    } else if (item->kind == HISTORY_ITEM_APPEND) {
        size_t which = (size_t)(item->key[0] - 'l');
        state->list[which][state->list_count[which]++] = item->value;
    }
    return true;
}

static bool take_effect(struct state *state, const struct part *part)
{
    if (part->item != NULL)
        return reads_right(state, part->item);
    for (size_t i = 0; i < part->of->item_count; i++)
        if (!reads_right(state, &part->of->item[i]))
            return false;
    for (size_t i = 0; i < part->of->item_count; i++)
        if (!write_right(state, &part->of->item[i]))
            return false;
    return true;
}

static bool some_order(const struct orders *orders, unsigned done, const struct state *state)
{
    if (done == (1U << orders->count) - 1)
        return true;
    for (size_t i = 0; i < orders->count; i++) {
        struct state after = *state;
        if (is_next(orders, done, i) && take_effect(&after, &orders->part[i]) &&
            some_order(orders, done | 1U << i, &after))
            return true;
    }
    return false;
}

/* -1: there are too many parts to look at. */
static int all_orders(const struct history *history)
{
    static const struct state empty = {.value = {"", "", ""}};
    struct orders orders;
    unsigned unknown = 0;

    for (size_t i = 0; i < history_transaction_count(history); i++)
        unknown += history_transaction_at(history, i)->settled == OS_UNKNOWN ? 1 : 0;
    orders_begin(&orders, history, ~0U);
    if (orders.count > PARTS_MAX)
        return -1;
    for (unsigned chosen = 0; chosen < 1U << unknown; chosen++) {
        orders_begin(&orders, history, chosen);
        if (some_order(&orders, 0, &empty))
            return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- compare */

struct tally {
    unsigned accepted;
    unsigned refused;
    unsigned left_out;
    unsigned by_violation[TRANSACTION_SUM + 1];
};

static struct play_options draw_options(uint64_t seed)
{
    struct random_history random;

    random_start(&random, ~seed);
    return (struct play_options){.transactions = 1 + random_below(&random, 6),
                                 .spread_us = (uint32_t)random_below(&random, 400),
                                 .unknown = (uint32_t)random_below(&random, 60),
                                 .aborted = (uint32_t)random_below(&random, 30),
                                 .read_at_the_end = random_below(&random, 3) == 0};
}

static void compare(const struct play *play, uint64_t seed, struct tally *tally)
{
    struct history *history = maker_new();
    struct transaction_result result;

    play_add_to(play, "", 1, history);
    int expected = all_orders(history);
    assert_true(judge_transactions(history, &result));
    bool is_bad = result.finding_count > 0 && result.finding[0].violation == TRANSACTION_BAD_HISTORY;
    if (expected < 0 || is_bad) {
        tally->left_out++;
    } else if ((result.violations == 0) != (expected == 1)) {
        (void)jsonl_write(history, stdout);
        fail_msg("seed %llu: the orders %s, the judge says %s %s", (unsigned long long)seed,
                 expected == 1 ? "accept" : "refuse", result.violations == 0 ? "nothing" : result.finding[0].sentence,
                 result.violations == 0 ? "" : result.finding[0].step[0]);
    } else {
        tally->accepted += expected == 1 ? 1 : 0;
        tally->refused += expected == 1 ? 0 : 1;
        for (size_t i = 0; i < result.finding_count; i++)
            tally->by_violation[result.finding[i].violation]++;
    }
    history_free(history);
}

TEST(true_histories_are_accepted)
{
    struct play play;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES / 4; seed++) {
        struct play_options options = draw_options(seed);
        assert_true(play_make(&play, seed, &options));
        compare(&play, seed, &tally);
    }
    assert_int_equal(tally.refused, 0);
    assert_true(tally.accepted > HISTORIES / 8);
}

TEST(faults_are_judged_as_all_orders_say)
{
    struct play play;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        struct play_options options = draw_options(seed);
        options.fault = (enum play_fault)(1 + seed % (PLAY_FAULTS - 1));
        options.transactions = 4 + seed % 3;
        options.unknown /= 3;
        if (play_make(&play, seed, &options))
            compare(&play, seed, &tally);
    }
    assert_true(tally.accepted > HISTORIES / 100);
    assert_true(tally.refused > HISTORIES / 20);
}

TEST(changed_histories_are_judged_as_all_orders_say)
{
    struct play play;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        struct play_options options = draw_options(seed);
        (void)play_make(&play, seed, &options);
        for (uint64_t changes = 1 + random_below(&play.random, 3); changes > 0; changes--)
            (void)play_change(&play, (enum play_change)random_below(&play.random, PLAY_CHANGES));
        compare(&play, seed, &tally);
    }
    assert_true(tally.accepted > HISTORIES / 10);
    assert_true(tally.refused > HISTORIES / 10);
    assert_true(tally.left_out < HISTORIES / 3);
    for (int violation = TRANSACTION_ABORTED_READ; violation <= TRANSACTION_REAL_TIME; violation++)
        assert_true(tally.by_violation[violation] > 0);
}
