/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/leasing.h"

#include "sim/frame.h"
#include "sim/holds.h"
#include "sim/network.h"
#include "sim/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Round trips, and what a waiter's polls may be late by. */
enum { POLL_MS = 1000, MARGIN_MS = 2000, RELEASE_MS = 8000, RELEASE_TRIES = 100, SECOND = 1000000 };
enum { PURPOSE_DOZE = 520 };

/* ------------------------------------------------------------------------------------------------ acquire */

/* On the client's I/O thread, where the state may be asked. */
static void state_changed(void *context, os_lease *lease, os_lease_status status)
{
    const struct hold *hold = context;
    struct memory_owner *library = memory_switch(NULL);
    struct world *world = hold->process->world;
    bool lost = status == OS_LEASE_LOST;
    world_trace(world, "lane %u: the state of %s is %d", hold->process->lane, hold->owner, (int)status);
    memory_switch(library);
    os_lease_status now = os_lease_state(lease);
    library = memory_switch(NULL);
    if (lost && now != OS_LEASE_LOST)
        world_fail(world, "Lane %u was told of a loss, and is told that it holds the lease.", hold->process->lane);
    memory_switch(library);
}

static os_code ask(struct worker *worker, const struct plan_lease *plan, struct hold *hold, os_lease **ret)
{
    char name[16];
    struct frame frame;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    holds_name(plan->name, name);
    options.ttl_s = plan->ttl_s;
    options.wait = plan->waits;
    options.fencing = plan->fencing;
    options.owner = hold->owner;
    options.changed = state_changed;
    options.context = hold;
    if (fault_strikes(&worker->world->faults, FAULT_CANCEL, worker->process->call + PLAN_CALLS_MAX))
        frame_cancel_later(worker, plan->cancel_after_us);
    frame_begin(worker, &frame, plan->deadline_ms);
    os_code code = os_lease_acquire(worker->lease_client, name, &options, &frame.call, ret, &frame.error);
    frame_end(&frame, "os_lease_acquire");
    world_trace(worker->world, "lane %u: %s is acquired as %s: %s (%s)", worker->process->lane, name, hold->owner,
                os_code_name(code), frame.error.message);
    return code;
}

/* Long enough for another to have it, or nearly so: there a margin shows. */
static void doze(struct worker *worker, const struct hold *hold)
{
    const struct faults *faults = &worker->world->faults;
    uint64_t per_mille = fault_number(faults, PURPOSE_DOZE, worker->process->call, 900, 1100);
    uint64_t for_us = hold->ttl_s * 1000 * per_mille;
    world_trace(worker->world, "lane %u dozes for %llu ms", worker->process->lane, (unsigned long long)for_us / 1000);
    process_stop(worker->process, for_us, false);
    (void)task_wait(NULL, frame_now_us(worker));
}

static bool acquire(struct worker *worker, const struct plan_lease *plan)
{
    struct world *world = worker->world;
    os_lease *lease = NULL;
    if (worker->lease_client == NULL && !action_open_leases(worker))
        return false; /* for want of memory */
    struct hold *hold = holds_begin(world, worker->process, plan->name);
    hold->ttl_s = plan->ttl_s;
    hold->fencing = plan->fencing;
    os_code code = ask(worker, plan, hold, &lease);
    holds_acquired(world, hold, code, lease);
    worker->hold = lease != NULL ? hold : NULL;
    if (lease != NULL)
        worker->token[plan->name] = hold->token;
    if (lease != NULL && fault_strikes(&worker->world->faults, FAULT_DOZE, worker->process->call))
        doze(worker, hold);
    return lease != NULL;
}

/* ------------------------------------------------------------------------------------------------ release */

struct release { /* how it was just before */
    bool was_lost;
    bool was_detached;
    uint64_t left_ms;
    struct clock_reading begun;
};

/* It may have been lost by the time that the client had the call. */
static bool may_be_lost(const struct worker *worker, const struct release *release)
{
    struct clock_reading now;
    process_read_clocks(worker->process, frame_now_us(worker), &now);
    return release->was_lost || release->left_ms <= clock_elapsed_max(&release->begun, &now);
}

/* NULL: what the caller is told is true (oscommit_lease.h). */
static const char *untruth(const struct worker *worker, const struct hold *hold, const struct release *release)
{
    bool calm = worker->world->defect == WORLD_CALM;
    switch (hold->released) {
    case OS_OK:
        if (release->was_lost || hold->taken)
            return "it had been lost before";
        return holds_is_in_table(worker->world, hold) && !hold->came_back ? "something of it is left" : NULL;
    case OS_ERR_CONFLICT:
        if (calm)
            return "nothing went wrong";
        return may_be_lost(worker, release) || hold->taken || hold->copied ? NULL : "it was never lost";
    case OS_ERR_UNDECIDED: return calm ? "nothing went wrong" : release->was_lost ? "it had been lost before" : NULL;
    case OS_ERR_CANCELLED: return release->was_detached ? NULL : "nobody had closed its client";
    default: return "that is no answer";
    }
}

/* One that is refused for want of memory is held on. */
static void release(struct worker *worker, bool detached)
{
    struct hold *hold = worker->hold;
    struct release before = {.was_detached = detached};
    struct frame frame;
    before.was_lost = holds_state(hold) == OS_LEASE_LOST;
    before.left_ms = holds_remaining_ms(hold);
    process_read_clocks(worker->process, frame_now_us(worker), &before.begun);
    hold->releasing = true;
    for (int i = 0; i < RELEASE_TRIES; i++) {
        frame_begin(worker, &frame, RELEASE_MS);
        hold->released = os_lease_release(hold->lease, &frame.call, &frame.error);
        frame_end(&frame, "os_lease_release");
        if (hold->released != OS_ERR_NO_MEMORY)
            break;
        (void)task_wait(NULL, frame_now_us(worker) + SECOND / 10);
    }
    hold->lease = NULL;
    hold->was_released = true;
    worker->hold = NULL;
    world_trace(worker->world, "lane %u: %s is released: %s (%s)", worker->process->lane, hold->owner,
                os_code_name(hold->released), frame.error.message);
    const char *wrong = untruth(worker, hold, &before);
    if (wrong != NULL)
        world_fail(worker->world, "The release of %s by lane %u gave %s, but %s.", hold->owner, worker->process->lane,
                   os_code_name(hold->released), wrong);
}

/* ------------------------------------------------------------------------------------------------ around a call */

static bool has_leases(const struct worker *worker)
{
    return worker->world->holds != NULL;
}

bool leasing_before(struct worker *worker, const struct plan_call *call)
{
    struct plan_lease *plan = &worker->plan;
    if (!has_leases(worker))
        return true;
    plan_lease(worker->world, worker->process->lane, worker->process->call, call->key, plan);
    if (worker->hold == NULL && plan->acquires)
        (void)acquire(worker, plan);
    bool lost = worker->hold != NULL && plan->careful && holds_state(worker->hold) == OS_LEASE_LOST;
    if (lost)
        release(worker, false);
    return !lost;
}

void leasing_after(struct worker *worker)
{
    if (worker->hold != NULL && worker->plan.releases)
        release(worker, false);
}

void leasing_end(struct worker *worker)
{
    bool detached = worker->hold != NULL && worker->plan.closes_first;
    if (!has_leases(worker))
        return;
    if (worker->hold != NULL && !detached)
        release(worker, false);
    action_close_leases(worker);
    if (detached)
        release(worker, true);
}

uint64_t leasing_think_us(const struct worker *worker, uint64_t wanted_us)
{
    uint64_t most_us = worker->hold != NULL ? 3 * worker->hold->ttl_s * SECOND : UINT64_MAX;
    return wanted_us < most_us ? wanted_us : most_us;
}

uint64_t leasing_token(const struct worker *worker, uint32_t key)
{
    if (!has_leases(worker))
        return 0;
    uint32_t name = plan_lease_name(worker->world, key);
    bool holds = worker->hold != NULL && worker->hold->name == name;
    return holds || worker->plan.keeps_token ? worker->token[name] : 0;
}

/* ------------------------------------------------------------------------------------------------ the end */

/* The longest time to live that anybody gave it, by a clock that runs as slow as one may. */
static uint64_t longest_ms(const struct world *world, uint32_t name)
{
    uint64_t longest_s = 0;
    for (size_t i = 0; i < world->holds->count; i++)
        if (world->holds->at[i].name == name && world->holds->at[i].ttl_s > longest_s)
            longest_s = world->holds->at[i].ttl_s;
    return longest_s * 1000;
}

void leasing_final(struct worker *worker)
{
    struct world *world = worker->world;
    for (uint32_t name = 0; has_leases(worker) && name < world->holds->names; name++) {
        struct plan_lease plan = {.name = name, .ttl_s = 30, .waits = true};
        plan.deadline_ms = longest_ms(world, name) + POLL_MS + MARGIN_MS;
        plan.fencing = world->holds->last_token[name] > 0 || name == 0;
        if (!acquire(worker, &plan)) {
            world_fail(world, "Without any fault or holder left, lease %u could not be acquired within %llu ms.", name,
                       (unsigned long long)plan.deadline_ms);
            continue;
        }
        release(worker, false);
        if (world->holds->at[world->holds->count - 1].released != OS_OK)
            world_fail(world, "Without any fault left, lease %u could not be released.", name);
    }
}
