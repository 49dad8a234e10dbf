/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be true of transactions when a seed is over. Three judges: what callers were told against what the table did;
 * what the table did by itself (books.c has looked at each effect when it came); and the judge of histories, in which only
 * callers have a word.
 */
#include "sim/books.h"

#include "history/transaction_judge.h"
#include "sim/oracle.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct books *books, const struct run *run, char ret[64])
{
    snprintf(ret, 64, "Run %llu (%s)", (unsigned long long)books_number(books, run), books_kind_name(run->kind));
    return ret;
}

static bool writes(const struct run *run)
{
    for (uint32_t key = 0; key < BOOKS_KEYS; key++)
        if (run->keys[key].writes)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------ verdicts */

static void check_verdict(struct world *world, const struct run *run)
{
    char name[64];
    const char *told = os_verdict_name(run->settled);
    name_of(world->books, run, name);
    bool denied = run->settled == OS_CONFLICT || run->settled == OS_NOT_EXECUTED;
    if (run->failed && run->settled == OS_COMMITTED)
        world_fail(world, "%s is told as committed, although a read or a write in it had failed.", name);
    if (run->applied > 1)
        world_fail(world, "%s took effect %u times.", name, run->applied);
    if (denied && run->applied > 0)
        world_fail(world, "%s is told as %s, and took effect.", name, told);
    if (run->settled == OS_COMMITTED && writes(run) && run->applied == 0)
        world_fail(world, "%s is told as committed, and never took effect.", name);
}

/* What stands in front of the service has answered more than once; or it was not allowed. */
static bool is_excused(const struct world *world, os_code code)
{
    return (code == OS_ERR_CONFIG && world->faults.struck[FAULT_FOREIGN] > 1) ||
           (code == OS_ERR_DENIED && world->faults.struck[FAULT_DENIED] > 0);
}

static void check_code(struct world *world, const struct run *run)
{
    char name[64];
    bool blames = oracle_blames(run->code) && !oracle_may_blame(world);
    if (run->returned && blames && !is_excused(world, run->code))
        world_fail(world, "%s ends with %s, which blames the caller.", name_of(world->books, run, name),
                   os_code_name(run->code));
}

/* Where nothing goes wrong, others can be in the way, and nothing else. */
static void check_calm(struct world *world, const struct run *run)
{
    char name[64];
    bool clear = run->verdict == OS_COMMITTED || run->verdict == OS_CONFLICT;
    if (world->books->calm && !(run->returned && clear))
        world_fail(world, "Nothing went wrong, and %s is %s.", name_of(world->books, run, name),
                   os_verdict_name(run->verdict));
}

/* ------------------------------------------------------------------------------------------------ snapshots */

/* What the key was then. */
static const char *value_at(const struct books *books, uint32_t key, uint64_t at_us, size_t states)
{
    const char *value = "";
    for (size_t i = 0; i < states && books->states[i].since_us <= at_us; i++)
        if (books->states[i].key == key)
            value = books->states[i].value;
    return value;
}

static bool all_seen_at(const struct books *books, const struct run *run, uint64_t at_us, size_t states)
{
    for (uint32_t key = 0; key < BOOKS_KEYS; key++)
        if (run->keys[key].reads && strcmp(value_at(books, key, at_us, states), run->keys[key].seen) != 0)
            return false;
    return true;
}

/* Of states that began at one microsecond each may have been the one that was seen. */
static bool was_one_instant(const struct books *books, const struct run *run)
{
    if (all_seen_at(books, run, run->start_us, books->state_count))
        return true;
    for (size_t i = 0; i < books->state_count; i++) {
        uint64_t at_us = books->states[i].since_us;
        if (at_us >= run->start_us && at_us <= run->end_us && all_seen_at(books, run, at_us, i + 1))
            return true;
    }
    return false;
}

static void check_snapshot(struct world *world, const struct run *run)
{
    char name[64];
    if (run->verdict == OS_COMMITTED && !writes(run) && !was_one_instant(world->books, run))
        world_fail(world, "%s is committed, and what it has read was never there at one instant.",
                   name_of(world->books, run, name));
}

/* ------------------------------------------------------------------------------------------------ sums */

static void check_accounts(struct world *world)
{
    long long sum = 0;
    long long there = 0;
    for (uint32_t key = 0; key < BOOKS_ACCOUNTS; key++) {
        char name[BOOKS_VALUE_SIZE];
        books_name(key, name);
        const char *balance = fake_dynamo_row_text(world->dynamo, BOOKS_TABLE_OF_ACCOUNTS, name, "balance");
        there += balance != NULL ? 1 : 0;
        sum += balance != NULL ? strtoll(balance, NULL, 10) : 0;
    }
    if (sum != there * BOOKS_BALANCE)
        world_fail(world, "%lld accounts have %lld together.", there, sum);
}

static void check_count(struct world *world)
{
    const struct books *books = world->books;
    unsigned long long counted = 0;
    for (size_t i = 0; i < books->run_count; i++)
        counted += books->runs[i].kind == TRADE_COUNT ? books->runs[i].applied : 0;
    if (strtoull(books->now[BOOKS_COUNTER], NULL, 10) != counted)
        world_fail(world, "The counter stands at \"%s\", and %llu runs have counted.", books->now[BOOKS_COUNTER],
                   counted);
}

/* ------------------------------------------------------------------------------------------------ history */

enum { ITEMS_MAX = 2 * BOOKS_ACCOUNTS };

struct telling_of_run {
    char names[BOOKS_ACCOUNTS][BOOKS_VALUE_SIZE];
    struct history_item items[ITEMS_MAX];
    size_t count;
};

/* Of accounts alone: they are never deleted, so that a value names its write. */
static void tell_items(const struct run *run, struct telling_of_run *ret)
{
    for (uint32_t key = 0; key < BOOKS_ACCOUNTS; key++) {
        const struct run_key *had = &run->keys[key];
        books_name(key, ret->names[key]);
        if (had->reads)
            ret->items[ret->count++] = (struct history_item){.kind = HISTORY_ITEM_READ,
                                                             .key = ret->names[key],
                                                             .value = had->seen,
                                                             .has_amount = had->seen[0] != '\0',
                                                             .amount = had->seen_amount};
    }
    for (uint32_t key = 0; key < BOOKS_ACCOUNTS; key++) {
        const struct run_key *had = &run->keys[key];
        if (had->writes)
            ret->items[ret->count++] = (struct history_item){.kind = HISTORY_ITEM_WRITE,
                                                             .key = ret->names[key],
                                                             .expected = had->seen,
                                                             .value = had->value,
                                                             .has_amount = true,
                                                             .amount = had->amount};
    }
}

static bool tell_run(const struct books *books, struct history *history, const struct run *run)
{
    struct telling_of_run telling = {.count = 0};
    tell_items(run, &telling);
    const struct history_transaction transaction = {.id = books_number(books, run),
                                                    .writer = run->lane,
                                                    .start_us = run->start_us,
                                                    .end_us = run->returned ? run->end_us : HISTORY_NEVER,
                                                    .verdict = run->verdict,
                                                    .settled = run->settled,
                                                    .settled_us = run->settled_us,
                                                    .message = "",
                                                    .item = telling.items,
                                                    .item_count = telling.count};
    return telling.count == 0 || history_add_transaction(history, &transaction);
}

static bool tell_sum(const struct books *books, struct history *history)
{
    char names[BOOKS_ACCOUNTS][BOOKS_VALUE_SIZE];
    const char *keys[BOOKS_ACCOUNTS];
    for (uint32_t key = 0; key < books->accounts; key++) {
        books_name(key, names[key]);
        keys[key] = names[key];
    }
    const struct history_sum sum = {
        .sum = (int64_t)books->accounts * BOOKS_BALANCE, .key = keys, .key_count = books->accounts};
    return history_add_sum(history, &sum);
}

static void judge(struct world *world)
{
    const struct books *books = world->books;
    static struct transaction_result result;
    struct history *history = history_new();
    bool ok = history != NULL && tell_sum(books, history);
    for (size_t i = 0; i < books->run_count && ok; i++)
        ok = tell_run(books, history, &books->runs[i]);
    ok = ok && judge_transactions(history, &result);
    history_free(history);
    if (!ok)
        world_fail(world, "Memory was too short to judge the history.");
    for (size_t i = 0; ok && i < result.finding_count; i++)
        world_fail(world, "The judge: %s: %.300s", transaction_violation_name(result.finding[i].violation),
                   result.finding[i].sentence);
}

void books_judge(struct world *world)
{
    const struct books *books = world->books;
    for (size_t i = 0; i < books->run_count; i++) {
        check_verdict(world, &books->runs[i]);
        check_code(world, &books->runs[i]);
        check_calm(world, &books->runs[i]);
        check_snapshot(world, &books->runs[i]);
    }
    check_accounts(world);
    check_count(world);
    judge(world);
}
