/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge against the definition itself: every order of the calls, every choice of unknown ones, nothing remembered
 * and nothing left out. Small histories, many of them; some true, some with one thing changed, some drawn blindly.
 */
#include "history_maker.h"
#include "history_random.h"
#include "support/checks.h"

#include <string.h>

enum { HISTORIES = 100000, CALLS_MAX = 8 };

/* ------------------------------------------------------------------------------------------------- all the orders */

struct orders {
    const struct history_call *call[CALLS_MAX];
    uint64_t end[CALLS_MAX];
    bool may_be_left[CALLS_MAX];
    size_t count;
    const struct history_final *final; /* NULL: none */
};

static void orders_begin(struct orders *orders, const struct history *history)
{
    *orders = (struct orders){0};
    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);
        bool says_nothing = call->operation == HISTORY_READ && call->settled != OS_COMMITTED;
        if (call->settled == OS_NOT_EXECUTED || says_nothing)
            continue;
        orders->call[orders->count] = call;
        orders->may_be_left[orders->count] = call->settled == OS_UNKNOWN;
        orders->end[orders->count] = call->settled_us != 0 ? call->settled_us : call->end_us;
        if (call->settled == OS_UNKNOWN)
            orders->end[orders->count] = HISTORY_NEVER;
        orders->count++;
    }
    orders->final = history_final_count(history) > 0 ? history_final_at(history, 0) : NULL;
}

/* May call `i` be the next one? Not if another one that must come ended before it began. */
static bool is_next(const struct orders *orders, unsigned done, size_t i)
{
    for (size_t j = 0; j < orders->count; j++)
        if ((done >> j & 1) == 0 && j != i && !orders->may_be_left[j] && orders->end[j] < orders->call[i]->start_us)
            return false;
    return (done >> i & 1) == 0;
}

static bool is_end(const struct orders *orders, unsigned done, const char *value, int64_t versions)
{
    for (size_t i = 0; i < orders->count; i++)
        if ((done >> i & 1) == 0 && !orders->may_be_left[i])
            return false;
    return orders->final == NULL ||
           (orders->final->value == value && (orders->final->versions < 0 || orders->final->versions == versions));
}

static bool some_order(const struct orders *orders, unsigned done, const char *value, int64_t versions)
{
    if (is_end(orders, done, value, versions))
        return true;
    for (size_t i = 0; i < orders->count; i++) {
        const struct history_call *call = orders->call[i];
        if (!is_next(orders, done, i))
            continue;
        bool reads = call->operation == HISTORY_READ;
        bool holds = (reads ? call->value : call->expected) == value;
        bool writes = !reads && call->settled != OS_CONFLICT;
        if (holds != (call->settled != OS_CONFLICT))
            continue;
        if (some_order(orders, done | 1U << i, writes ? call->value : value,
                       versions + (writes && *call->value != '\0' ? 1 : 0)))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------------- compare */

static struct random_options draw_options(struct random_history *random)
{
    return (struct random_options){
        .calls = 1 + random_below(random, CALLS_MAX - 2),
        .values = 2 + (uint32_t)random_below(random, 4),
        .spread_us = (uint32_t)random_below(random, 400),
        .unknown = (uint32_t)random_below(random, 60),
        .unexecuted = (uint32_t)random_below(random, 20),
    };
}

struct tally {
    unsigned accepted;
    unsigned refused;
    unsigned by_violation[JUDGE_BAD_HISTORY + 1];
};

static bool compare(const struct random_history *random, uint64_t seed, struct tally *tally)
{
    struct history *history = maker_new();
    struct judge_result result;
    struct orders orders;

    random_add_to(random, 1, history);
    orders_begin(&orders, history);
    bool expected = some_order(&orders, 0, history_text(history, ""), 0);
    assert_true(judge_history(history, &result));
    assert_false(result.gave_up);
    if ((result.finding_count == 0) != expected || (result.refused == 0) != expected) {
        fail_msg("seed %llu: the orders %s, the judge says %s", (unsigned long long)seed,
                 expected ? "accept" : "refuse", result.finding_count == 0 ? "nothing" : result.finding[0].sentence);
    }
    tally->accepted += expected ? 1 : 0;
    tally->refused += expected ? 0 : 1;
    tally->by_violation[expected ? JUDGE_NONE : result.finding[0].violation]++;
    history_free(history);
    return expected;
}

TEST(true_histories_are_accepted)
{
    struct random_history random;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES / 4; seed++) {
        random_start(&random, seed);
        struct random_options options = draw_options(&random);
        random_make(&random, &options, "k");
        assert_true(compare(&random, seed, &tally));
    }
}

TEST(changed_histories_are_judged_as_all_their_orders_say)
{
    struct random_history random;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        random_start(&random, seed);
        struct random_options options = draw_options(&random);
        random_make(&random, &options, "k");
        for (uint64_t changes = 1 + random_below(&random, 2); changes > 0;) {
            changes -= random_change(&random, (enum random_change)random_below(&random, RANDOM_CHANGES)) ? 1 : 0;
            if (random.count == 0 || random.count >= CALLS_MAX)
                break;
        }
        if (random.count <= CALLS_MAX)
            (void)compare(&random, seed, &tally);
    }
    assert_true(tally.accepted > HISTORIES / 10);
    assert_true(tally.refused > HISTORIES / 10);
    for (int violation = JUDGE_NOT_LINEARIZABLE; violation < JUDGE_BAD_HISTORY; violation++)
        assert_true(tally.by_violation[violation] > HISTORIES / 1000);
    assert_int_equal(tally.by_violation[JUDGE_BAD_HISTORY], 0);
}

TEST(histories_without_sense_are_judged_as_all_their_orders_say)
{
    static const enum random_change anything[] = {RANDOM_FLIP_VERDICT, RANDOM_MOVE_TIME, RANDOM_SWAP_TIMES,
                                                  RANDOM_SETTLE_FALSELY};
    struct random_history random;
    struct tally tally = {0};

    for (uint64_t seed = 0; seed < HISTORIES / 2; seed++) {
        random_start(&random, seed);
        struct random_options options = draw_options(&random);
        options.values = 2;
        options.spread_us = 600;
        random_make(&random, &options, "k");
        for (unsigned i = 0; i < 12; i++)
            (void)random_change(&random, anything[random_below(&random, 4)]);
        (void)compare(&random, seed, &tally);
    }
    assert_true(tally.accepted > HISTORIES / 100);
    assert_true(tally.refused > HISTORIES / 100);
}
