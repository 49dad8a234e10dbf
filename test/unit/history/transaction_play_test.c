/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of transactions on what a small store does that is really played: true histories are accepted, and each
 * fault of the store is refused. A last transaction reads everything, so that no fault can hide.
 */
#include "history/transaction_judge.h"

#include "history_maker.h"
#include "support/checks.h"
#include "transaction_random.h"

enum { SEEDS = 1500 };

static struct play_options draw_options(uint64_t seed)
{
    struct random_history random;

    random_start(&random, seed);
    return (struct play_options){.transactions = 10 + random_below(&random, 45),
                                 .spread_us = (uint32_t)random_below(&random, 1500),
                                 .unknown = (uint32_t)random_below(&random, 30),
                                 .aborted = (uint32_t)random_below(&random, 30),
                                 .read_at_the_end = true};
}

static struct transaction_result judge(const struct play *play)
{
    struct history *history = maker_new();
    struct transaction_result result;

    play_add_to(play, "", 1, history);
    assert_true(judge_transactions(history, &result));
    history_free(history);
    return result;
}

TEST(a_true_store_is_accepted)
{
    struct play play;
    size_t seen = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct play_options options = draw_options(seed);
        assert_true(play_make(&play, seed, &options));
        struct transaction_result result = judge(&play);
        if (result.violations > 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, result.finding[0].sentence);
        seen += result.seen;
    }
    assert_true(seen > SEEDS);
}

/* What it is called depends on what the others did meanwhile; it is one of these. */
static void refuse(enum play_fault fault, const enum transaction_violation *named, size_t count)
{
    struct play play;
    size_t done = 0;
    size_t as_named = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct play_options options = draw_options(seed);
        options.fault = fault;
        if (!play_make(&play, seed, &options))
            continue;
        struct transaction_result result = judge(&play);
        if (result.violations == 0)
            fail_msg("seed %llu: the fault was not found", (unsigned long long)seed);
        done++;
        for (size_t i = 0; i < result.finding_count * count; i++) {
            if (result.finding[i / count].violation == named[i % count]) {
                as_named++;
                break;
            }
        }
    }
    assert_true(done > SEEDS / 4);
    assert_int_equal(as_named, done);
}

#define REFUSE(fault, ...)                                           \
    refuse(fault, (const enum transaction_violation[]){__VA_ARGS__}, \
           sizeof((const enum transaction_violation[]){__VA_ARGS__}) / sizeof(enum transaction_violation))

TEST(a_stale_read_is_refused)
{
    REFUSE(PLAY_STALE_READ, TRANSACTION_REAL_TIME, TRANSACTION_G_SINGLE, TRANSACTION_G2_ITEM,
           TRANSACTION_INTERMEDIATE_READ);
}

TEST(half_a_commit_is_refused)
{
    REFUSE(PLAY_HALF_COMMIT, TRANSACTION_REAL_TIME, TRANSACTION_G_SINGLE, TRANSACTION_LOST_UPDATE,
           TRANSACTION_INTERMEDIATE_READ, TRANSACTION_G2_ITEM);
}

TEST(a_lost_update_is_refused)
{
    REFUSE(PLAY_LOST_UPDATE, TRANSACTION_LOST_UPDATE, TRANSACTION_INTERMEDIATE_READ);
}

TEST(a_false_conflict_is_refused)
{
    REFUSE(PLAY_FALSE_CONFLICT, TRANSACTION_ABORTED_READ);
}

TEST(a_lost_commit_is_refused)
{
    REFUSE(PLAY_LOST_COMMIT, TRANSACTION_REAL_TIME, TRANSACTION_LOST_UPDATE, TRANSACTION_G_SINGLE, TRANSACTION_G2_ITEM);
}

TEST(an_append_that_is_made_twice_is_refused)
{
    REFUSE(PLAY_APPLIED_TWICE, TRANSACTION_APPLIED_TWICE);
}

TEST(a_read_in_the_midst_of_a_commit_is_refused)
{
    REFUSE(PLAY_SHOWS_HALF, TRANSACTION_G_SINGLE, TRANSACTION_INTERMEDIATE_READ);
}
