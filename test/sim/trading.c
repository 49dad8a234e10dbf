/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/trading.h"

#include "oscommit_model.h"
#include "sim/frame.h"
#include "sim/trade.h"

#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000, RESOLVE_MS = 20000, FINAL_MS = 120000, CALM_MS = 60000 };
enum {
    PURPOSE_TRADE = 620,
    PURPOSE_TRADE_COUNT,
    PURPOSE_TRADE_THINK,
    PURPOSE_TRADE_DEADLINE,
    PURPOSE_TRADE_RETRIES,
    PURPOSE_TRADE_PACE,
    PURPOSE_TRADE_RESOLVE,
    PURPOSE_TRADE_CANCEL,
    PURPOSE_FOREIGNER
};

static uint64_t draw(const struct world *world, uint64_t purpose, uint64_t occasion, uint64_t least, uint64_t most)
{
    return fault_number(&world->faults, purpose, occasion, least, most);
}

/* ------------------------------------------------------------------------------------------------ open, close */

static const char *const schemas[] = {
    "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"balance\":{\"type\":\"integer\"},\"value\":{\"type\":\"string\"}},"
    "\"required\":[\"id\",\"balance\",\"value\"],\"KEY\":[\"id\"]}",
    "{\"title\":\"Note\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"count\":{\"type\":\"integer\"},\"value\":{\"type\":\"string\"}},\"required\":[\"id\",\"value\"],"
    "\"KEY\":[\"id\"]}",
};

bool trading_open(struct worker *worker)
{
    static const char *const tables[] = {BOOKS_TABLE_OF_ACCOUNTS, BOOKS_TABLE_OF_NOTES};
    os_error error;
    os_code code = action_open_rows(worker) ? OS_OK : OS_ERR_NO_MEMORY;
    frame_enter(worker);
    for (size_t i = 0; i < 2 && code == OS_OK; i++)
        code = os_model_parse(schemas[i], tables[i], &worker->models[i], &error);
    frame_leave();
    if (code != OS_OK && code != OS_ERR_NO_MEMORY)
        world_fail(worker->world, "A model could not be read: %s", error.message);
    if (code != OS_OK)
        trading_close(worker);
    return code == OS_OK;
}

void trading_close(struct worker *worker)
{
    frame_enter(worker);
    for (size_t i = 0; i < 2; i++) {
        os_model_free(worker->models[i]);
        worker->models[i] = NULL;
    }
    frame_leave();
    action_close(worker);
}

/* ------------------------------------------------------------------------------------------------ plan */

static uint64_t think_us(const struct world *world, uint64_t call)
{
    static const uint64_t most_ms[] = {1, 50, 200, 2000, 20000, 120000};
    uint64_t pace = world->books->is_long ? 5 : draw(world, PURPOSE_TRADE_PACE, 0, 0, 5); /* of this seed */
    uint64_t choice = draw(world, PURPOSE_TRADE_THINK, call, 0, pace);
    return draw(world, PURPOSE_TRADE_THINK + 1000, call, 0, most_ms[choice] * 1000);
}

/* Some for longer than tokens are remembered. */
static uint64_t deadline_ms(const struct world *world, uint64_t call)
{
    static const uint64_t deadlines_ms[] = {300, 4000, 15000, 30000, 75000, 150000, 400000, 720000, 900000};
    uint64_t least = world->books->is_long ? 6 : 0;
    return world->books->calm ? CALM_MS : deadlines_ms[draw(world, PURPOSE_TRADE_DEADLINE, call, least, 8)];
}

uint32_t trading_count(const struct world *world, uint32_t lane)
{
    uint64_t most = draw(world, PURPOSE_TRADE_COUNT, 0, 2, 12);
    return (uint32_t)draw(world, PURPOSE_TRADE_COUNT, 1 + lane, 1, most);
}

/* ------------------------------------------------------------------------------------------------ a transaction */

/* Nobody asked for more: what came of a run before the last is that it was not applied. */
static void end_runs(struct worker *worker, const struct trade *trade, const struct frame *frame, os_txn_result *result)
{
    struct books *books = worker->world->books;
    for (size_t i = 0; i < trade->run_count; i++) {
        struct run *run = trade->runs[i];
        bool is_last = i + 1 == trade->run_count;
        run->returned = true;
        run->is_last = is_last;
        run->end_us = is_last ? frame_now_us(worker) : trade->runs[i + 1]->start_us;
        run->verdict = is_last ? frame->verdict : OS_CONFLICT;
        run->settled = run->verdict;
        run->code = is_last ? frame->error.code : OS_ERR_CONFLICT;
        run->requests = is_last ? result->requests : 0;
        if (is_last && result->ticket != NULL)
            run->ticket = strdup(result->ticket);
    }
    const struct run *last = trade->run_count > 0 ? trade->runs[trade->run_count - 1] : NULL;
    world_trace(worker->world, "lane %u: run %llu (%s) is %s (%s)", worker->process->lane,
                last != NULL ? (unsigned long long)books_number(books, last) : 0, books_kind_name(trade->kind),
                os_verdict_name(frame->verdict), frame->error.message);
}

static os_verdict transact(struct worker *worker, struct trade *trade, uint64_t within_ms, uint32_t retries)
{
    struct frame frame;
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    os_txn_result result = OS_TXN_RESULT_INIT;
    options.retries = retries;
    options.no_retries = retries == 0;
    options.read_only = trade->kind == TRADE_AUDIT || trade->kind == TRADE_AUDIT_APART;
    trade->worker = worker;
    frame_begin(worker, &frame, within_ms);
    frame.verdict = os_transact(worker->client, &options, trade_run, trade, &frame.call, &result, &frame.error);
    frame_end(&frame, "os_transact");
    worker->process->call = 0; /* what is sent from here on is of no run */
    end_runs(worker, trade, &frame, &result);
    if (frame.verdict == OS_UNKNOWN && result.ticket == NULL && worker->world->faults.rate[FAULT_MEMORY] == 0)
        world_fail(worker->world, "A transaction is unknown, and there is no ticket: %s", frame.error.message);
    frame_enter(worker);
    os_txn_result_clear(&result);
    frame_leave();
    return frame.verdict;
}

/* ------------------------------------------------------------------------------------------------ tickets */

static void settle(struct worker *worker, struct run *run, uint64_t within_ms)
{
    struct frame frame;
    struct world *world = worker->world;
    frame_begin(worker, &frame, within_ms);
    frame.verdict = os_txn_resolve(worker->client, run->ticket, &frame.call, &frame.error);
    frame_end(&frame, "os_txn_resolve");
    world_trace(world, "lane %u: run %llu of lane %u is settled as %s (%s)", worker->process->lane,
                (unsigned long long)books_number(world->books, run), run->lane, os_verdict_name(frame.verdict),
                frame.error.message);
    if (frame.verdict == OS_UNKNOWN)
        return;
    if (run->settled != OS_UNKNOWN && run->settled != frame.verdict)
        world_fail(world, "The ticket of run %llu was settled as %s, and as %s.",
                   (unsigned long long)books_number(world->books, run), os_verdict_name(run->settled),
                   os_verdict_name(frame.verdict));
    if (run->settled != OS_UNKNOWN)
        return;
    run->settled = frame.verdict;
    run->settled_us = frame_now_us(worker);
}

/* One of those that are not settled, or all. Several processes may have one in hand. */
static void resolve(struct worker *worker, bool all, uint64_t choice)
{
    struct books *books = worker->world->books;
    for (size_t i = 0; i < books->run_count; i++) {
        struct run *run = &books->runs[(i + choice) % books->run_count];
        if (run->ticket == NULL || run->settled != OS_UNKNOWN)
            continue;
        settle(worker, run, RESOLVE_MS);
        if (!all)
            return;
    }
}

void trading_call(struct worker *worker, uint64_t call)
{
    struct world *world = worker->world;
    struct trade trade;
    (void)task_wait(NULL, frame_now_us(worker) + think_us(world, call));
    trade_plan(world, call, &trade);
    if (fault_strikes(&world->faults, FAULT_CANCEL, call))
        frame_cancel_later(worker, draw(world, PURPOSE_TRADE_CANCEL, call, 0, 20 * SECOND));
    (void)transact(worker, &trade, deadline_ms(world, call), (uint32_t)draw(world, PURPOSE_TRADE_RETRIES, call, 0, 3));
    if (draw(world, PURPOSE_TRADE_RESOLVE, call, 0, 2) != 0)
        resolve(worker, false, draw(world, PURPOSE_TRADE_RESOLVE + 1000, call, 0, 1000));
}

/* ------------------------------------------------------------------------------------------------ the end */

void trading_final(struct worker *worker)
{
    struct world *world = worker->world;
    resolve(worker, true, 0); /* everything has landed: what decides does so now */
    for (uint32_t key = 0; key <= world->books->accounts; key++) {
        bool audits = key == world->books->accounts;
        struct trade trade = {.kind = audits ? TRADE_AUDIT : TRADE_TOUCH, .keys = {key}, .key_count = 1};
        trade.call = fault_occasion(world->lanes, key);
        os_verdict verdict = transact(worker, &trade, FINAL_MS, 3);
        if (verdict != OS_COMMITTED)
            world_fail(world, "Without any fault or rival left, a transaction (%s) is %s.", books_kind_name(trade.kind),
                       os_verdict_name(verdict));
    }
}

/* ------------------------------------------------------------------------------------------------ a foreigner */

static void write_whole(void *context, uint64_t round)
{
    struct world *world = context;
    if (world->faults.stopped || world->workers_left == 0)
        return;
    uint64_t key = draw(world, PURPOSE_FOREIGNER, round, 0, BOOKS_KEYS - 1);
    if (fault_strikes(&world->faults, FAULT_BARE, round))
        books_write_foreign(world, (uint32_t)key, draw(world, PURPOSE_FOREIGNER + 2000, round, 0, 1) == 0);
    uint64_t after_us = draw(world, PURPOSE_FOREIGNER + 1000, round, 1, 10000) * 1000;
    schedule_at(&world->schedule, world->schedule.now_us + after_us, write_whole, world, round + 1);
}

void trading_start_foreigner(struct world *world)
{
    if (world->faults.rate[FAULT_BARE] > 0)
        schedule_at(&world->schedule, world->schedule.now_us, write_whole, world, 1);
}
