/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ who holds */

/* L11: who adopted it holds it for him who had it before. */
static bool is_passed_on(const struct world *world, unsigned h)
{
    bool passed_on = false;
    for (unsigned i = h + 1; i < config->handles; i++)
        passed_on = passed_on || (world_letter(i) == world_letter(h) && world_believes(world, i));
    return passed_on;
}

void oracle_world(const struct world *world)
{
    char names[HANDLES + 2] = {0};
    size_t count = 0;
    for (unsigned h = 0; h < config->handles; h++)
        if (world_believes(world, h) && !is_passed_on(world, h))
            names[count++] = (char)('A' + h);
    if (world_foreign_believes(world))
        names[count++] = 'F';
    if (count > 1 && !config->may_overlap)
        violated("two-holders", "%s believe that they hold", names);
}

/* ------------------------------------------------------------------------------------------------ steps */

/* L8: at the instant of the announcement. */
static void announced(struct world *world, unsigned h)
{
    uint64_t token = lease_token(&world->handles[h].lease);
    if (config->adopts >> h & 1 && world->last_holder != world_letter(h))
        violated("not-adopted", "%c says that it goes on, and %c was announced meanwhile", (char)('A' + h),
                 (char)(world->last_holder - 'a' + 'A'));
    if (config->adopts)
        world->last_holder = world_letter(h);
    if (!(config->fencing >> h & 1))
        return;
    bool adopted = config->adopts >> h & 1;
    if (adopted && token != world->last_token)
        violated("token-changes", "%c has adopted the token %llu/%llu after %llu/%llu", (char)('A' + h),
                 (unsigned long long)(token >> 32), (unsigned long long)(token & UINT32_MAX),
                 (unsigned long long)(world->last_token >> 32), (unsigned long long)(world->last_token & UINT32_MAX));
    if (!adopted && token <= world->last_token)
        violated("token-shrinks", "%c is announced with the token %llu/%llu after %llu/%llu", (char)('A' + h),
                 (unsigned long long)(token >> 32), (unsigned long long)(token & UINT32_MAX),
                 (unsigned long long)(world->last_token >> 32), (unsigned long long)(world->last_token & UINT32_MAX));
    world->last_token = token;
}

/* L3, L5: it waits for an answer, for a timer, or for its caller. */
static void check_progress(const struct world *world, unsigned h, const struct lease_actions *actions)
{
    const struct lease *lease = &world->handles[h].lease;
    bool waits = lease->flight.kind != 0 || actions->has_timer;
    bool is_through = lease->phase == LEASE_PHASE_LOST || lease->phase == LEASE_PHASE_OVER;
    if (!waits && !is_through)
        violated("stuck", "%c waits for nothing", (char)('A' + h));
    if (lease->phase == LEASE_PHASE_HOLDING && !actions->has_timer)
        violated("stuck", "%c holds, and no timer ends it", (char)('A' + h));
}

/* Other numbers of the letter are of whoever adopted it, or had it before. */
static bool wrote(const struct world *world, unsigned h, const char *version)
{
    const struct lease *lease = &world->handles[h].lease;
    unsigned long number = strtoul(version + LEASE_NONCE_SIZE, NULL, 10);
    return version[0] == world_letter(h) && number > lease->settings.version_count && number <= lease->version_count;
}

/* L7: what it says is dropped does not stand there, unless it came after that. */
static void check_end(const struct world *world, unsigned h)
{
    const struct handle *handle = &world->handles[h];
    bool own = world->item.held && wrote(world, h, world->item.version);
    bool has_late_take = false;
    for (unsigned i = 0; i < config->handles; i++)
        has_late_take = has_late_take || (world_letter(i) == world_letter(h) && world->handles[i].has_late_take);
    if (lease_finished(&handle->lease) && !lease_left_behind(&handle->lease) && own && !has_late_take)
        violated("left-behind", "%c has ended, says that nothing is left, and the item is its own", (char)('A' + h));
}

/* L6: from then on it is told so to whoever asks. A REALTIME that is set back before the handle has a step is not seen. */
void oracle_time(struct world *world)
{
    for (unsigned h = 0; h < config->handles && config->budget[BUDGET_SET] == 0; h++)
        if (world->handles[h].lease.phase == LEASE_PHASE_HOLDING && !world_believes(world, h))
            world->handles[h].was_lost = true;
}

void oracle_step(struct world *world, unsigned h, const struct lease_actions *actions)
{
    bool held = world_believes(world, h);
    if (held && !world->handles[h].was_held && world->handles[h].lease.phase == LEASE_PHASE_HOLDING)
        announced(world, h);
    world->handles[h].was_held = held || world->handles[h].was_held;
    if (held && world->handles[h].was_lost)
        violated("held-again", "%c has lost it, and believes that it holds", (char)('A' + h));
    check_progress(world, h, actions);
    check_end(world, h);
}

/* ------------------------------------------------------------------------------------------------ waiting */

void oracle_shown(struct world *world, unsigned h, const struct lease_item *item)
{
    struct sight *sight = &world->handles[h].sight;
    if (item->held && strcmp(sight->version, item->version) == 0)
        return;
    memset(sight, 0, sizeof(*sight));
    if (!item->held)
        return;
    memcpy(sight->version, item->version, sizeof(sight->version));
    sight->ttl_ms = item->ttl_ms;
    sight->since = world_clock(world, h);
}

/* L2c: told from what its own answers showed it, and its clocks at the send. */
void oracle_asks(struct world *world, unsigned h, const struct lease_request *request)
{
    struct handle *handle = &world->handles[h];
    const struct sight *sight = &handle->sight;
    struct clock_reading now = world_clock(world, h);
    uint64_t least_ms = sight->ttl_ms > LEASE_RIPE_MIN_MS ? sight->ttl_ms : LEASE_RIPE_MIN_MS;
    bool ripe = sight->ttl_ms > 0 && clock_elapsed_min(&sight->since, &now) >= least_ms;
    handle->takes_ripe = request->kind == LEASE_TAKE && ripe;
}

void oracle_conflict(const struct world *world, const struct flight *take)
{
    const struct handle *handle = &world->handles[take->who];
    const struct sight *sight = &handle->sight;
    bool same = world->item.held && strcmp(sight->version, world->item.version) == 0;
    bool own = world->item.version[0] == world_letter(take->who);
    if (take->awaited && same && (own || handle->takes_ripe))
        violated("blocked", "%c may take what it has seen for long enough, and does not", (char)('A' + take->who));
}
