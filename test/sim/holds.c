/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool holds_make(struct world *world)
{
    world->holds = calloc(1, sizeof(*world->holds));
    return world->holds != NULL;
}

void holds_free(struct world *world)
{
    free(world->holds);
}

void holds_name(uint32_t name, char *ret)
{
    snprintf(ret, 16, "lease-%u", name);
}

/* ------------------------------------------------------------------------------------------------ what is said */

/* The library asks the clocks of the process whose thread runs. */
static struct task *enter(const struct hold *hold)
{
    struct task *was = task_running;
    task_running = hold->process->tasks;
    return was;
}

os_lease_status holds_state(const struct hold *hold)
{
    struct task *was = enter(hold);
    os_lease_status status = os_lease_state(hold->lease);
    task_running = was;
    return status;
}

uint64_t holds_remaining_ms(const struct hold *hold)
{
    struct task *was = enter(hold);
    uint64_t left_ms = os_lease_remaining_ms(hold->lease);
    task_running = was;
    return left_ms;
}

/* No thread of a process that stands still could ask, and what is told is remembered: it might hide what the process
 * would say when it goes on. But its clocks run, and by them it must be lost in time. So both are played. */
static bool may_ask(const struct world *world, const struct hold *hold)
{
    bool stopped = hold->process->stopped_until_us > world->schedule.now_us;
    return hold->lease != NULL && (!stopped || world->holds->asks_stopped);
}

static bool believes(const struct world *world, const struct hold *hold)
{
    return may_ask(world, hold) && holds_state(hold) != OS_LEASE_LOST;
}

/* ------------------------------------------------------------------------------------------------ the table */

bool holds_is_in_table(const struct world *world, const struct hold *hold)
{
    return world->holds->in_table[hold->name] == hold;
}

/* The owner that stands there names the handle. */
static struct hold *find_in_table(struct world *world, uint32_t name)
{
    char key[16];
    holds_name(name, key);
    struct fake_dynamo_lease lease = fake_dynamo_lease_of(world->leases, key);
    for (size_t i = 0; i < world->holds->count && lease.version[0] != '\0'; i++)
        if (strcmp(world->holds->at[i].owner, lease.owner) == 0)
            return &world->holds->at[i];
    return NULL;
}

static void lose_item(struct world *world, struct hold *hold, const struct process *process)
{
    bool own = process == hold->process;
    world_trace(world, "  the item of %s is %s's no more", hold->owner, own ? "its owner" : "somebody");
    if (own)
        hold->dropped = true;
    else if (!hold->dropped && !hold->releasing) /* who releases does nothing under it any more */
        hold->taken = true;
    if (!own && !hold->releasing && believes(world, hold))
        world_fail(world, "The item of a lease was taken from %s of lane %u, which is told that it holds it.",
                   hold->owner, hold->process->lane);
}

static void gain_item(struct world *world, struct hold *hold)
{
    world_trace(world, "  the item is %s's, of lane %u", hold->owner, hold->process->lane);
    if (hold->acquiring) /* it was not held yet: what it lost before, it had not */
        hold->taken = hold->dropped = false;
    else
        hold->came_back = hold->dropped;
}

static void note_others(struct world *world, uint32_t name, const struct hold *now)
{
    for (size_t i = 0; i < world->holds->count; i++) {
        struct hold *hold = &world->holds->at[i];
        if (hold->acquiring && hold->name == name && now != NULL && now != hold)
            hold->met_other = true;
    }
}

void holds_note(struct world *world, const struct process *process, bool copy)
{
    struct holds *holds = world->holds;
    for (size_t i = 0; i < holds->count && copy; i++)
        if (holds->at[i].process == process)
            holds->at[i].copied = true;
    for (uint32_t name = 0; name < holds->names; name++) {
        struct hold *was = holds->in_table[name];
        struct hold *now = find_in_table(world, name);
        holds->in_table[name] = now;
        note_others(world, name, now);
        if (was == now)
            continue;
        if (was != NULL)
            lose_item(world, was, process);
        if (now != NULL)
            gain_item(world, now);
    }
}

/* ------------------------------------------------------------------------------------------------ one handle */

struct hold *holds_begin(struct world *world, struct process *process, uint32_t name)
{
    struct holds *holds = world->holds;
    if (holds->count == HOLDS_MAX)
        abort();
    struct hold *hold = &holds->at[holds->count++];
    *hold = (struct hold){.process = process, .name = name, .acquiring = true, .acquired = OS_ERR_CANCELLED};
    snprintf(hold->owner, sizeof(hold->owner), "handle-%zu", holds->count);
    hold->met_other = holds->in_table[name] != NULL;
    return hold;
}

/* Nobody was ever told this token, nor, while he held the lease, a larger one. */
static void check_token(struct world *world, const struct hold *hold, bool held)
{
    struct holds *holds = world->holds;
    bool again = false;
    for (size_t i = 0; i < holds->count; i++) {
        const struct hold *other = &holds->at[i];
        again = again || (other != hold && other->name == hold->name && other->token == hold->token);
    }
    if (again || (held && hold->token <= holds->last_token[hold->name]))
        world_fail(world, "Lane %u has the token %" PRIu64 ", and one before it had %" PRIu64 ".", hold->process->lane,
                   hold->token, again ? hold->token : holds->last_token[hold->name]);
    if (held && hold->token > holds->last_token[hold->name])
        holds->last_token[hold->name] = hold->token;
}

void holds_acquired(struct world *world, struct hold *hold, os_code code, os_lease *lease)
{
    hold->acquiring = false;
    hold->acquired = code;
    hold->lease = lease;
    if ((code == OS_OK) != (lease != NULL))
        world_fail(world, "os_lease_acquire gave %s, and %s lease.", os_code_name(code), lease ? "a" : "no");
    if (code == OS_ERR_CONFLICT && !hold->met_other)
        world_fail(world, "Lane %u was told that another holds the lease, and nobody did.", hold->process->lane);
    if (lease == NULL)
        return;
    bool held = believes(world, hold);
    hold->token = os_lease_token(lease);
    if ((hold->token != 0) != hold->fencing)
        world_fail(world, "A lease was acquired %s fencing, and has the token %" PRIu64 ".",
                   hold->fencing ? "with" : "without", hold->token);
    else if (hold->fencing)
        check_token(world, hold, held);
    if (held && !holds_is_in_table(world, hold))
        world_fail(world, "Lane %u was told that it holds a lease whose item is not its own.", hold->process->lane);
}

void holds_forget(struct world *world, const struct process *process)
{
    for (size_t i = 0; world->holds != NULL && i < world->holds->count; i++) {
        struct hold *hold = &world->holds->at[i];
        if (hold->process == process) {
            hold->lease = NULL;
            hold->acquiring = false;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ at every instant */

/* Lost is final, and says the same as the time that is left. */
static const char *contradiction(struct hold *hold, os_lease_status status)
{
    uint64_t left_ms = holds_remaining_ms(hold);
    if ((status == OS_LEASE_LOST) != (left_ms == 0))
        return "has a state and a remaining time that contradict each other";
    if (hold->taken && status != OS_LEASE_LOST)
        return "is told that it holds a lease whose item was taken from it";
    if (hold->told_lost && status != OS_LEASE_LOST)
        return "was told that its lease is lost, and is told that it is held";
    hold->told_lost = status == OS_LEASE_LOST;
    return NULL;
}

void holds_watch(struct world *world)
{
    struct holds *holds = world->holds;
    const struct hold *holder[HOLDS_NAMES_MAX] = {NULL};
    for (size_t i = 0; i < holds->count && !holds->failed; i++) {
        struct hold *hold = &holds->at[i];
        if (hold->releasing || !may_ask(world, hold))
            continue;
        os_lease_status status = holds_state(hold);
        const char *wrong = contradiction(hold, status);
        if (wrong != NULL)
            world_fail(world, "Lane %u %s.", hold->process->lane, wrong);
        const struct hold *other = holder[hold->name];
        bool two = status != OS_LEASE_LOST && other != NULL;
        if (two)
            world_fail(world, "Lanes %u and %u are both told that they hold one lease.", other->process->lane,
                       hold->process->lane);
        if (status != OS_LEASE_LOST)
            holder[hold->name] = hold;
        holds->failed = wrong != NULL || two;
    }
}
