/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

static bool left(const struct world *world, enum budget budget)
{
    return world->budget[budget] > 0;
}

static bool resolves(const struct world *world, unsigned c)
{
    for (unsigned f = 0; f < FLIGHTS; f++)
        if (world->flights[f].kind && world->flights[f].awaited && world->flights[f].resolves &&
            world->flights[f].call == c)
            return true;
    return false;
}

static void calls(const struct world *world, struct choices *ret)
{
    for (unsigned c = 0; c < CALLS; c++) {
        const struct call *call = &world->calls[c];
        if (call->phase == CALL_IDLE && call->tries < config->tries[c])
            choices_add(ret, CHOICE_START, c, 0, 0);
        if (call->phase == CALL_RUNS && call->has_timer)
            choices_add(ret, CHOICE_TIMER, c, 0, 0);
        if (call->phase == CALL_RUNS && left(world, BUDGET_STOP))
            choices_add(ret, CHOICE_STOP, c, 0, 0);
        if (call->phase == CALL_HAS_TICKET && left(world, BUDGET_RESOLVE) && !resolves(world, c))
            choices_add(ret, CHOICE_RESOLVE, c, 0, 0);
    }
}

/* ------------------------------------------------------------------------------------------------ requests */

static bool may_have_forgotten(const struct world *world, const struct flight *flight)
{
    const struct attempt *of = &world->attempts[flight->attempt];
    uint64_t age_ms = (uint64_t)(world->tick - of->completed) * config->tick_ms;
    return flight->kind == TRANSACTION_TOGETHER && of->memory != 0 && age_ms >= SERVICE_MEMORY_MS;
}

static void unserved(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *flight = &world->flights[f];
    if (world_is_alive(world, flight)) {
        choices_add(ret, CHOICE_SERVE, f, 0, 0);
        if (may_have_forgotten(world, flight))
            choices_add(ret, CHOICE_SERVE, f, 1, 0);
    }
    if (flight->awaited && left(world, BUDGET_THROTTLE))
        choices_add(ret, CHOICE_REJECT, f, TRANSACTION_THROTTLED, 0);
    if (flight->awaited && left(world, BUDGET_REFUSE))
        choices_add(ret, CHOICE_REJECT, f, TRANSACTION_REFUSED, 0);
}

static void requests(const struct world *world, struct choices *ret)
{
    for (unsigned f = 0; f < FLIGHTS && world->flights[f].kind; f++) {
        const struct flight *flight = &world->flights[f];
        if (!flight->served)
            unserved(world, f, ret);
        else
            choices_add(ret, CHOICE_DELIVER, f, 0, 0);
        if (flight->served && flight->outcome == TRANSACTION_FAILED && left(world, BUDGET_BLIND))
            choices_add(ret, CHOICE_DELIVER, f, 1, 0);
        if (flight->awaited && left(world, BUDGET_LOSE))
            choices_add(ret, CHOICE_LOSE, f, 0, 0);
    }
}

/* ------------------------------------------------------------------------------------------------ surroundings */

bool foreign_may(const struct row *row, enum foreign_step step)
{
    return row->there == (step != FOREIGN_CREATE);
}

static void foreigners(const struct world *world, struct choices *ret)
{
    for (unsigned r = 0; r < ROWS && left(world, BUDGET_FOREIGN); r++)
        for (unsigned step = 0; step < FOREIGN_STEPS; step++)
            if (config->foreign >> r & 1 && foreign_may(&world->rows[r], (enum foreign_step)step))
                choices_add(ret, CHOICE_FOREIGN, r, step, 0);
}

/* Nothing depends on time any more when no call runs and nothing is on its way. */
static bool time_matters(const struct world *world)
{
    bool matters = world->flights[0].kind != 0;
    for (unsigned c = 0; c < CALLS; c++)
        matters = matters || world->calls[c].phase == CALL_RUNS;
    return matters;
}

static void time_steps(const struct world *world, struct choices *ret)
{
    if (!left(world, BUDGET_TICK) || !time_matters(world))
        return;
    choices_add(ret, CHOICE_TIME, CLOCKS_RUN, 0, 0);
    for (unsigned c = 0; c < CALLS; c++) {
        if (world->calls[c].phase == CALL_RUNS && left(world, BUDGET_SUSPEND))
            choices_add(ret, CHOICE_TIME, CLOCKS_SUSPENDED, c, 0);
        if (world->calls[c].phase == CALL_RUNS && left(world, BUDGET_FREEZE))
            choices_add(ret, CHOICE_TIME, CLOCKS_FROZEN, c, 0);
    }
}

void choices_of(const struct world *world, struct choices *ret)
{
    ret->count = 0;
    calls(world, ret);
    requests(world, ret);
    foreigners(world, ret);
    time_steps(world, ret);
}
