/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/books.h"

#include "sim/calm.h"
#include "sim/network.h"

#include <stdlib.h>
#include <string.h>

enum { PURPOSE_BOOKS = 600 };

static bool fill(struct world *world, struct books *books)
{
    const struct faults *faults = &world->faults;
    books->runs = calloc(BOOKS_RUNS_MAX, sizeof(*books->runs));
    books->states = calloc(BOOKS_STATES_MAX, sizeof(*books->states));
    books->accounts = (uint32_t)fault_number(faults, PURPOSE_BOOKS, 0, 2, BOOKS_ACCOUNTS);
    books->notes = (uint32_t)fault_number(faults, PURPOSE_BOOKS, 1, 1, BOOKS_NOTES);
    bool remembers = faults->rate[FAULT_FORGETS] == 0;
    books->believed = remembers && fault_number(faults, PURPOSE_BOOKS, 2, 0, 3) != 0;
    uint64_t way = fault_number(faults, PURPOSE_BOOKS, 3, 0, 15);
    books->calm = way == 0;
    books->is_long = way > 11;
    books->is_patient = way > 13;
    if (books->is_long)
        books->notes = 2;
    return books->runs != NULL && books->states != NULL;
}

bool books_make(struct world *world)
{
    world->books = calloc(1, sizeof(*world->books));
    if (world->books == NULL || !fill(world, world->books))
        return false;
    world->faults.rate[FAULT_LEASES] = 0;
    if (world->books->calm)
        calm_faults(&world->faults);
    if (world->books->is_long && !world->faults.change->without_kind[FAULT_CUT_OFF])
        world->faults.rate[FAULT_CUT_OFF] = 250;
    return true;
}

void books_free(struct world *world)
{
    struct books *books = world->books;
    if (books == NULL)
        return;
    for (size_t i = 0; i < books->run_count; i++)
        free(books->runs[i].ticket);
    for (size_t i = 0; i < BOOKS_KEYS; i++)
        free(books->read_by_another[i]);
    free(books->runs);
    free(books->states);
    free(books);
    world->books = NULL;
}

/* ------------------------------------------------------------------------------------------------ names */

void books_name(uint32_t key, char *ret)
{
    if (key == BOOKS_COUNTER)
        snprintf(ret, BOOKS_VALUE_SIZE, "count");
    else if (key < BOOKS_ACCOUNTS)
        snprintf(ret, BOOKS_VALUE_SIZE, "a%u", key);
    else
        snprintf(ret, BOOKS_VALUE_SIZE, "n%u", key - BOOKS_ACCOUNTS);
}

const char *books_table_of(uint32_t key)
{
    return key < BOOKS_ACCOUNTS ? BOOKS_TABLE_OF_ACCOUNTS : BOOKS_TABLE_OF_NOTES;
}

bool books_has(const struct books *books, uint32_t key)
{
    return key < BOOKS_ACCOUNTS ? key < books->accounts : key == BOOKS_COUNTER || key - BOOKS_ACCOUNTS < books->notes;
}

const char *books_kind_name(enum trade_kind kind)
{
    static const char *const names[TRADE_KINDS] = {[TRADE_TRANSFER] = "transfer", [TRADE_TOUCH] = "touch",
                                                   [TRADE_AUDIT] = "audit",       [TRADE_AUDIT_APART] = "audit apart",
                                                   [TRADE_MAKE] = "make",         [TRADE_MAKE_TWO] = "make two",
                                                   [TRADE_PUT] = "put",           [TRADE_ALTER] = "alter",
                                                   [TRADE_REPLACE] = "replace",   [TRADE_ERASE] = "erase",
                                                   [TRADE_MOVE] = "move",         [TRADE_COUNT] = "count"};
    return names[kind];
}

/* ------------------------------------------------------------------------------------------------ runs */

struct run *books_begin(struct world *world, uint32_t lane, uint64_t call, enum trade_kind kind)
{
    struct books *books = world->books;
    if (books->run_count == BOOKS_RUNS_MAX)
        abort();
    struct run *run = &books->runs[books->run_count++];
    *run = (struct run){.lane = lane, .call = call, .kind = kind, .verdict = OS_UNKNOWN, .settled = OS_UNKNOWN};
    run->start_us = world->schedule.now_us;
    return run;
}

uint64_t books_number(const struct books *books, const struct run *run)
{
    return (uint64_t)(run - books->runs) + 1;
}

void books_digest(struct world *world)
{
    const struct books *books = world->books;
    for (size_t i = 0; i < books->run_count; i++) {
        const struct run *run = &books->runs[i];
        uint64_t facts[6] = {run->call, run->start_us, run->end_us, run->verdict, run->settled, run->applied_us};
        world_digest(world, facts, sizeof(facts));
    }
}

/* ------------------------------------------------------------------------------------------------ what took effect */

static void read_value(const struct world *world, uint32_t key, char *ret)
{
    char name[BOOKS_VALUE_SIZE];
    books_name(key, name);
    const char *text =
        fake_dynamo_row_text(world->dynamo, books_table_of(key), name, key == BOOKS_COUNTER ? "count" : "value");
    snprintf(ret, BOOKS_VALUE_SIZE, "%s", text != NULL ? text : "");
}

static void note_state(struct world *world, uint32_t key, const char *value)
{
    struct books *books = world->books;
    if (books->state_count == BOOKS_STATES_MAX)
        abort();
    struct books_state *state = &books->states[books->state_count++];
    *state = (struct books_state){.since_us = world->schedule.now_us, .key = key};
    memcpy(state->value, value, BOOKS_VALUE_SIZE);
}

/* Strict serializability by itself: what a run has read was still so at the instant at which it took effect. */
static void check_read(struct world *world, const struct run *run, uint32_t key)
{
    const struct run_key *read = &run->keys[key];
    char name[BOOKS_VALUE_SIZE];
    books_name(key, name);
    if (read->reads && strcmp(read->seen, world->books->now[key]) != 0) {
        world_fail(world, "Run %llu (%s) took effect although %s, which it had read as \"%s\", was \"%s\".",
                   (unsigned long long)books_number(world->books, run), books_kind_name(run->kind), name, read->seen,
                   world->books->now[key]);
    }
}

/* All that it writes is written, and nothing else. */
static void check_written(struct world *world, const struct run *run, uint32_t key, const char *value)
{
    const struct run_key *written = &run->keys[key];
    char name[BOOKS_VALUE_SIZE];
    bool is_same = strcmp(value, world->books->now[key]) == 0;
    bool is_wrong = written->writes ? key != BOOKS_COUNTER && strcmp(value, written->value) != 0 : !is_same;
    books_name(key, name);
    if (is_wrong) {
        world_fail(world, "Run %llu (%s) took effect, and %s is \"%s\" instead of \"%s\".",
                   (unsigned long long)books_number(world->books, run), books_kind_name(run->kind), name, value,
                   written->writes ? written->value : world->books->now[key]);
    }
}

static void take_value(struct world *world, uint32_t key, const char *value)
{
    if (strcmp(value, world->books->now[key]) != 0)
        note_state(world, key, value);
    memcpy(world->books->now[key], value, BOOKS_VALUE_SIZE);
}

static void take_effect(struct world *world, struct run *run)
{
    struct books *books = world->books;
    run->applied++;
    run->applied_us = world->schedule.now_us;
    world_trace(world, "  run %llu of lane %u takes effect (%s)", (unsigned long long)books_number(books, run),
                run->lane, books_kind_name(run->kind));
    for (uint32_t key = 0; key < BOOKS_KEYS; key++)
        check_read(world, run, key);
    for (uint32_t key = 0; key < BOOKS_KEYS; key++) {
        char value[BOOKS_VALUE_SIZE] = "";
        read_value(world, key, value);
        check_written(world, run, key, value);
        take_value(world, key, value);
    }
}

void books_write_foreign(struct world *world, uint32_t key, bool reads)
{
    static const char *const unknown[] = {"_txn", "_txn_before", NULL};
    struct books *books = world->books;
    char **has = &books->read_by_another[key];
    char name[BOOKS_VALUE_SIZE];
    char value[BOOKS_VALUE_SIZE] = "";
    bool is_note = key >= BOOKS_ACCOUNTS && key != BOOKS_COUNTER;
    books_name(key, name);
    if (*has == NULL || !is_note || reads) {
        free(*has);
        *has = fake_dynamo_read_whole(world->dynamo, books_table_of(key), name);
    }
    if (*has == NULL || (is_note && reads) ||
        !fake_dynamo_write_whole(world->dynamo, books_table_of(key), *has, unknown))
        return;
    books->foreign_writes++;
    world_trace(world, "another writes %s whole: %s", name, *has);
    read_value(world, key, value);
    take_value(world, key, value);
}

void books_note(struct world *world, uint64_t number)
{
    switch (fake_dynamo_effect_of(world->dynamo)) {
    case FAKE_DYNAMO_NOTHING: break;
    case FAKE_DYNAMO_FENCED: world_trace(world, "  a row is fenced"); break;
    case FAKE_DYNAMO_APPLIED:
        if (number == 0 || number > world->books->run_count)
            world_fail(world, "Rows were written that no run had asked for.");
        else
            take_effect(world, &world->books->runs[number - 1]);
        break;
    }
}
