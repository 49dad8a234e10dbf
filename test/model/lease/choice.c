/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

static bool left(const struct world *world, enum budget budget)
{
    return world->budget[budget] > 0;
}

static bool is_running(const struct world *world, unsigned h)
{
    const struct handle *handle = &world->handles[h];
    return handle->is_started && !handle->is_dead && !handle->is_detached && !lease_finished(&handle->lease);
}

/* ------------------------------------------------------------------------------------------------ handles */

static void callers(const struct world *world, unsigned h, struct choices *ret)
{
    enum lease_phase phase = world->handles[h].lease.phase;
    bool seeks = phase == LEASE_PHASE_SEEKING || phase == LEASE_PHASE_TAKEN;
    if (left(world, BUDGET_RELEASE) && phase != LEASE_PHASE_LEAVING)
        choices_add(ret, CHOICE_RELEASE, h, 0, 0);
    if (left(world, BUDGET_STOP) && (seeks || phase == LEASE_PHASE_LEAVING))
        choices_add(ret, CHOICE_STOP, h, 0, 0);
    if (left(world, BUDGET_DETACH) && world_believes(world, h))
        choices_add(ret, CHOICE_DETACH, h, 0, 0);
    if (left(world, BUDGET_CRASH))
        choices_add(ret, CHOICE_CRASH, h, 0, 0);
}

/* A is stopped, or has lost it, and another process is told to go on. */
static bool is_given_up(const struct world *world)
{
    const struct lease *lease = &world->handles[0].lease;
    return lease->phase == LEASE_PHASE_LOST && lease->handle[0] != '\0';
}

/* Where all are alike, the order of their names is that of their starts. */
static bool may_start(const struct world *world, unsigned h)
{
    bool alike = config->once == 0 && config->adopts == 0 && (config->fencing == 0 || config->fencing == MASK_ALL);
    for (unsigned i = 0; i < config->handles; i++)
        alike = alike && config->rate[i] == 0 && config->wall_s[i] == 0;
    if (config->adopts >> h & 1 && !world->handles[0].is_detached && !is_given_up(world))
        return false;
    return !world->handles[h].is_started && (!alike || h == 0 || world->handles[h - 1].is_started);
}

static void handles(const struct world *world, struct choices *ret)
{
    for (unsigned h = 0; h < config->handles; h++) {
        const struct handle *handle = &world->handles[h];
        if (may_start(world, h))
            choices_add(ret, CHOICE_START, h, 0, 0);
        if (!is_running(world, h))
            continue;
        if (handle->has_timer && world_clock(world, h).monotonic_ms >= handle->timer_ms)
            choices_add(ret, CHOICE_TIMER, h, 0, 0);
        callers(world, h, ret);
        if (!left(world, BUDGET_SET))
            continue;
        choices_add(ret, CHOICE_SET, h, 0, 0);
        choices_add(ret, CHOICE_SET, h, 1, 0);
    }
}

/* ------------------------------------------------------------------------------------------------ requests */

static void served(const struct world *world, unsigned f, struct choices *ret)
{
    choices_add(ret, CHOICE_DELIVER, f, 0, 0);
    if (world->flights[f].outcome == LEASE_CONFLICT && left(world, BUDGET_BLIND))
        choices_add(ret, CHOICE_DELIVER, f, 1, 0);
}

static void asked(const struct world *world, unsigned f, struct choices *ret)
{
    choices_add(ret, CHOICE_SERVE, f, 0, 0);
    if (left(world, BUDGET_THROTTLE))
        choices_add(ret, CHOICE_REJECT, f, LEASE_THROTTLED, 0);
    if (left(world, BUDGET_REFUSE))
        choices_add(ret, CHOICE_REJECT, f, LEASE_REFUSED, 0);
    if (left(world, BUDGET_DUP) && world->flights[FLIGHTS - 1].kind == 0)
        choices_add(ret, CHOICE_COPY, f, 0, 0);
}

static void requests(const struct world *world, struct choices *ret)
{
    for (unsigned f = 0; f < FLIGHTS; f++) {
        const struct flight *flight = &world->flights[f];
        if (flight->kind == 0)
            return; /* sorted: the rest is empty */
        if (!flight->awaited && condition_holds(world, &flight->request))
            choices_add(ret, CHOICE_LAND, f, 0, 0);
        if (!flight->awaited)
            continue;
        if (left(world, BUDGET_LOSE))
            choices_add(ret, CHOICE_LOSE, f, 0, 0);
        if (flight->served)
            served(world, f, ret);
        else
            asked(world, f, ret);
    }
}

/* ------------------------------------------------------------------------------------------------ others, time */

static void surroundings(const struct world *world, struct choices *ret)
{
    if (world->item.held && left(world, BUDGET_TTL) && world->item.expiry_s < world_date_s(world))
        choices_add(ret, CHOICE_TTL, 0, 0, 0);
    if (world->item.held && left(world, BUDGET_BREAK))
        choices_add(ret, CHOICE_BREAK, 0, 0, 0);
    for (unsigned step = 0; step < FOREIGN_STEPS && config->foreign && left(world, BUDGET_FOREIGN); step++)
        if (foreign_may(world, (enum foreign_step)step))
            choices_add(ret, CHOICE_FOREIGN, step, 0, 0);
}

/* Time decides nothing any more once everybody is through. */
static bool time_matters(const struct world *world)
{
    for (unsigned h = 0; h < config->handles; h++)
        if (!world->handles[h].is_started || is_running(world, h))
            return true;
    return false;
}

/* The next timer of anybody who waits for one. */
static uint64_t next_timer_ms(const struct world *world)
{
    uint64_t next_ms = 0;
    for (unsigned h = 0; h < config->handles; h++) {
        const struct handle *handle = &world->handles[h];
        if (!is_running(world, h) || !handle->has_timer)
            continue;
        uint64_t at_ms = world_time_of(world, h, handle->timer_ms);
        if (at_ms > world->now_ms && (next_ms == 0 || at_ms < next_ms))
            next_ms = at_ms;
    }
    return next_ms;
}

uint64_t time_step_ms(const struct world *world, enum budget step)
{
    uint64_t next_ms = next_timer_ms(world);
    uint64_t grid_ms = config->grid_ms;
    switch (step) {
    case BUDGET_NEXT: return next_ms ? (next_ms + grid_ms - 1) / grid_ms * grid_ms - world->now_ms : 0;
    case BUDGET_TICK: return config->tick_ms;
    default: return config->leap_ms;
    }
}

/* Time that a holder does not see pass is one of the holes; so it is for one whose TAKE was served. */
static bool may_be_frozen(const struct world *world, unsigned h)
{
    const struct handle *handle = &world->handles[h];
    bool waits = handle->lease.phase == LEASE_PHASE_SEEKING;
    for (unsigned f = 0; f < FLIGHTS; f++)
        waits = waits && !(world->flights[f].kind && world->flights[f].who == h && world->flights[f].served);
    return config->may_be_frozen >> h & 1 && (waits || config->holder_may_be_frozen);
}

static void time_steps(const struct world *world, struct choices *ret)
{
    for (unsigned step = BUDGET_NEXT; step <= BUDGET_LEAP; step++) {
        uint64_t step_ms = time_step_ms(world, (enum budget)step);
        bool ends = config->horizon_ms > 0 && world->now_ms + step_ms > config->horizon_ms;
        if (!left(world, (enum budget)step) || step_ms == 0 || ends)
            continue;
        choices_add(ret, CHOICE_TIME, step, CLOCKS_RUN, 0);
        for (unsigned h = 0; h < config->handles; h++) {
            if (is_running(world, h) && left(world, BUDGET_SUSPEND))
                choices_add(ret, CHOICE_TIME, step, CLOCKS_SUSPENDED, h);
            if (is_running(world, h) && left(world, BUDGET_FREEZE) && may_be_frozen(world, h))
                choices_add(ret, CHOICE_TIME, step, CLOCKS_FROZEN, h);
        }
    }
}

void choices_of(const struct world *world, struct choices *ret)
{
    ret->count = 0;
    handles(world, ret);
    requests(world, ret);
    if (!time_matters(world))
        return;
    surroundings(world, ret);
    time_steps(world, ret);
}
