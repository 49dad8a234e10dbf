/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/plan.h"

#include "sim/calm.h"

enum {
    PURPOSE_LANES = 200,
    PURPOSE_KEYS,
    PURPOSE_COUNT,
    PURPOSE_KIND,
    PURPOSE_KEY,
    PURPOSE_SOURCE,
    PURPOSE_THINK,
    PURPOSE_DEADLINE,
    PURPOSE_CANCEL,
    PURPOSE_CONTENT,
    PURPOSE_RESOLVE,
    PURPOSE_SETTING,
    PURPOSE_PACE,
    PURPOSE_TABLE,
    PURPOSE_BODY,
    PURPOSE_PAGE,
    PURPOSE_FORWARD,
    PURPOSE_LEASE = 500
};

static uint64_t draw(const struct world *world, uint64_t purpose, uint64_t occasion, uint64_t least, uint64_t most)
{
    return fault_number(&world->faults, purpose, occasion, least, most);
}

bool plan_is_staged(const struct world *world)
{
    return world->fleet.stage_above > 0 && world->fleet.stage_above < WORLD_WHOLE;
}

/* The whole fleet has one mode; with a profile in every mode it asks that for whatever it leaves open. */
static void plan_modes(struct world *world)
{
    static const os_guard modes[] = {OS_GUARD_RECORD, OS_GUARD_BOTH, OS_GUARD_NATIVE, OS_GUARD_AUTO};
    struct fleet *fleet = &world->fleet;
    fleet->stage_above = draw(world, PURPOSE_SETTING, 12, 0, 3) == 0 ? 0 : WORLD_WHOLE;
    if (world->faults.rate[FAULT_STAGED] > 0) { /* those that are the same for all calls have ten bytes */
        fleet->stage_above = draw(world, PURPOSE_SETTING, 8, 0, 1) == 0 ? 1 : 12;
        fleet->parts_at_once = (uint32_t)draw(world, PURPOSE_SETTING, 9, 1, 4);
    }
    if (world->faults.rate[FAULT_MODES] > 0) {
        fleet->guard = modes[draw(world, PURPOSE_SETTING, 10, 0, 3)];
        fleet->profiled = true;
        fleet->condition_headers = OS_AUTO;
        fleet->fences = OS_AUTO;
    }
    if (world->faults.rate[FAULT_FORWARD_ONLY] > 0) { /* a record decides by itself what N4 is for */
        static const os_guard mostly[] = {OS_GUARD_NATIVE, OS_GUARD_NATIVE, OS_GUARD_AUTO, OS_GUARD_BOTH};
        fleet->guard = mostly[draw(world, PURPOSE_SETTING, 13, 0, 3)];
        fleet->profiled = true;
        fleet->condition_headers = OS_AUTO;
        fleet->fences = OS_AUTO;
    }
}

/* F3: the smallest segments part every request with a body, those of loopback none. */
static void plan_link(struct world *world)
{
    static const uint32_t stalled_s[] = {2, 10, 65};
    struct fleet *fleet = &world->fleet;
    fleet->segment_bytes = world->faults.rate[FAULT_SEGMENTS] > 0 ? 536 : 65483;
    fleet->stalled_body_s = stalled_s[draw(world, PURPOSE_SETTING, 11, 0, 2)];
}

/* T5, T6 and E5 hold for every choice. A store without expiry is guarded by the record's timeout alone (see README.md):
 * there it is the default or longer. */
static void plan_fleet(struct world *world)
{
    struct fleet *fleet = &world->fleet;
    bool usual = draw(world, PURPOSE_SETTING, 0, 0, 1) == 0 || !world->store_expires;
    fleet->timeout_ms = usual ? 20000 : draw(world, PURPOSE_SETTING, 1, 15, 30) * 1000;
    fleet->skew_rate = usual ? 3 : (uint32_t)draw(world, PURPOSE_SETTING, 2, 2, 4);
    /* Less than the margin and a second, and a front end that is ahead refuses what was signed just now. */
    fleet->length_s = usual ? 5 : (uint32_t)draw(world, PURPOSE_SETTING, 3, 4, 8);
    fleet->allowance_s = 5;
    fleet->margin_s = 2;
    uint64_t least_ttl_s = 10 * fleet->timeout_ms * fleet->skew_rate / 1000;
    bool removes = world->faults.rate[FAULT_TTL] > 0; /* then as early as T5 allows */
    fleet->ttl_s = !removes && draw(world, PURPOSE_SETTING, 4, 0, 1) ? 3600 : least_ttl_s > 600 ? least_ttl_s : 600;
    fleet->release = draw(world, PURPOSE_SETTING, 5, 0, 2) == 0 ? OS_RELEASE_ALWAYS : OS_RELEASE_ON_FAILURE;
    fleet->fences = draw(world, PURPOSE_SETTING, 6, 0, 7) == 0 ? OS_OFF : OS_AUTO;
    fleet->condition_headers = draw(world, PURPOSE_SETTING, 7, 0, 2) == 0 ? OS_ON : OS_OFF;
    fleet->guard = OS_GUARD_RECORD;
    plan_modes(world);
    plan_link(world);
}

void plan_world(struct world *world)
{
    world->lanes = (uint32_t)draw(world, PURPOSE_LANES, 0, 2, 5);
    bool one = draw(world, PURPOSE_KEYS, 1, 0, 2) == 0; /* all of them at one key */
    world->keys = one ? 1 : (uint32_t)draw(world, PURPOSE_KEYS, 0, 1, 4);
    world->table_offset_ms = (int64_t)draw(world, PURPOSE_TABLE, 0, 0, 56000) - 28000; /* E5, less the spread */
    world->page_most = (uint32_t)draw(world, PURPOSE_PAGE, 0, 1, 3);
    plan_fleet(world);
}

uint32_t plan_count(const struct world *world, uint32_t lane)
{
    uint64_t most = draw(world, PURPOSE_COUNT, 0, 1, 5);
    return (uint32_t)draw(world, PURPOSE_COUNT, 1 + lane, 1, most);
}

bool plan_is_counter(const struct world *world, uint32_t key)
{
    return world->faults.rate[FAULT_COUNTER] > 0 && key == 0;
}

bool plan_is_create_once(const struct world *world, uint32_t key)
{
    return !plan_is_counter(world, key) && draw(world, PURPOSE_KIND, key, 0, 3) == 0;
}

bool plan_is_forward_only(const struct world *world, uint32_t key)
{
    return world->faults.rate[FAULT_FORWARD_ONLY] > 0 && draw(world, PURPOSE_FORWARD, key, 0, 3) != 0;
}

static bool promises(const struct world *world, uint32_t lane)
{
    return world->faults.rate[FAULT_FORWARD_ONLY] > 0 && draw(world, PURPOSE_FORWARD, 200 + lane, 0, 3) != 0;
}

static bool has_promised_prefix(const struct world *world, uint32_t key)
{
    return plan_is_forward_only(world, key) && key == draw(world, PURPOSE_FORWARD, 100, 0, world->keys - 1);
}

bool plan_promised_prefix(const struct world *world, uint32_t lane, char ret[16])
{
    for (uint32_t key = 0; key < world->keys && promises(world, lane); key++) {
        if (has_promised_prefix(world, key)) {
            world_key_name(key, ret);
            return true;
        }
    }
    return false;
}

bool plan_promises_by_call(const struct world *world, uint32_t lane, uint32_t key)
{
    return promises(world, lane) && plan_is_forward_only(world, key) && !has_promised_prefix(world, key);
}

enum plan_kind plan_any_write(const struct world *world, uint32_t key)
{
    if (plan_is_counter(world, key))
        return PLAN_COUNT;
    return plan_is_create_once(world, key) ? PLAN_CREATE : PLAN_UPDATE;
}

static enum plan_kind kind_of(const struct world *world, uint64_t occasion, uint32_t key)
{
    static const enum plan_kind of_many[] = {PLAN_CREATE, PLAN_CREATE, PLAN_UPDATE, PLAN_UPDATE, PLAN_UPDATE,
                                             PLAN_STALE,  PLAN_COPY,   PLAN_RENAME, PLAN_DELETE, PLAN_READ};
    static const enum plan_kind of_forward[] = {PLAN_CREATE, PLAN_CREATE, PLAN_UPDATE, PLAN_UPDATE, PLAN_UPDATE,
                                                PLAN_UPDATE, PLAN_UPDATE, PLAN_STALE,  PLAN_STALE,  PLAN_READ};
    static const enum plan_kind of_once[] = {PLAN_CREATE, PLAN_CREATE, PLAN_CREATE, PLAN_READ};
    static const enum plan_kind of_forward_once[] = {PLAN_CREATE, PLAN_COPY, PLAN_RENAME, PLAN_READ};
    uint64_t choice = draw(world, PURPOSE_KIND, 100 + occasion, 0, 999);
    bool forward = plan_is_forward_only(world, key);
    if (plan_is_counter(world, key))
        return choice % 10 == 9 ? PLAN_READ : PLAN_COUNT;
    if (plan_is_create_once(world, key))
        return (forward ? of_forward_once : of_once)[choice % 4];
    return (forward ? of_forward : of_many)[choice % 10];
}

static bool must_stay(const struct world *world, uint32_t key)
{
    return plan_is_create_once(world, key) || plan_is_counter(world, key) || plan_is_forward_only(world, key);
}

static uint64_t think_us(const struct world *world, uint64_t occasion)
{
    static const uint64_t most_ms[] = {1, 50, 200, 2000, 8000, 60000, 700000};
    bool slow = world->faults.rate[FAULT_TTL] > 0 && draw(world, PURPOSE_PACE, 1, 0, 1) == 0;
    uint64_t pace = slow ? 6 : draw(world, PURPOSE_PACE, 0, 0, 6); /* of this seed */
    uint64_t choice = draw(world, PURPOSE_THINK, occasion, 0, pace);
    return draw(world, PURPOSE_THINK + 1000, occasion, 0, most_ms[choice] * 1000);
}

void plan_call(const struct world *world, uint32_t lane, uint32_t index, struct plan_call *ret)
{
    static const uint64_t deadlines_ms[] = {300, 4000, 15000, 30000, 30000, 75000, 150000};
    uint64_t occasion = fault_occasion(lane, index);
    ret->key = (uint32_t)draw(world, PURPOSE_KEY, occasion, 0, world->keys - 1);
    ret->source = (uint32_t)draw(world, PURPOSE_SOURCE, occasion, 0, world->keys - 1);
    ret->kind = kind_of(world, occasion, ret->key);
    if (ret->kind == PLAN_RENAME && must_stay(world, ret->source))
        ret->kind = PLAN_COPY;
    if (ret->source == ret->key && (ret->kind == PLAN_COPY || ret->kind == PLAN_RENAME))
        ret->kind = plan_any_write(world, ret->key);
    ret->think_us = think_us(world, occasion);
    ret->deadline_ms = deadlines_ms[draw(world, PURPOSE_DEADLINE, occasion, 0, 6)];
    if (world->defect == WORLD_CALM)
        ret->deadline_ms = CALM_DEADLINE_MS;
    ret->cancel_after_us = draw(world, PURPOSE_CANCEL, occasion, 0, 20000000);
    uint64_t content = draw(world, PURPOSE_CONTENT, occasion, 0, 11);
    ret->content = content < 2 && !plan_is_forward_only(world, ret->key) ? (uint32_t)content + 1 : 0;
    if (plan_is_counter(world, ret->key)) /* of the seed: rivals write the same bytes, or others */
        ret->content = draw(world, PURPOSE_FORWARD, 300, 0, 1) == 0 ? 0 : 1;
    bool staged = plan_is_staged(world);
    ret->stream = staged && draw(world, PURPOSE_BODY, occasion, 0, 3) == 0;
    ret->large = staged && draw(world, PURPOSE_BODY + 1000, occasion, 0, 499) == 0;
    ret->resolve_after = draw(world, PURPOSE_RESOLVE, occasion, 0, 2) != 0;
}

/* ------------------------------------------------------------------------------------------------ leases */

bool plan_has_leases(const struct world *world)
{
    return world->faults.rate[FAULT_LEASES] > 0;
}

uint32_t plan_lease_names(const struct world *world)
{
    return (uint32_t)draw(world, PURPOSE_LEASE, 0, 1, 2);
}

bool plan_asks_stopped(const struct world *world)
{
    return draw(world, PURPOSE_LEASE, 1, 0, 1) == 0;
}

uint32_t plan_lease_name(const struct world *world, uint32_t key)
{
    return key % plan_lease_names(world);
}

/* Three lanes of four. Who holds none writes nevertheless: a token protects from those that are late, not from others. */
void plan_lease(const struct world *world, uint32_t lane, uint64_t call, uint32_t key, struct plan_lease *ret)
{
    static const uint64_t ttls_s[] = {2, 4, 8, 15, 30, 30};
    static const uint64_t deadlines_ms[] = {300, 5000, 20000, 45000};
    bool takes_part = draw(world, PURPOSE_LEASE, 100 + lane, 0, 3) != 0;
    *ret = (struct plan_lease){.name = plan_lease_name(world, key)};
    ret->acquires = takes_part && draw(world, PURPOSE_LEASE + 1, call, 0, 2) != 0;
    ret->ttl_s = ttls_s[draw(world, PURPOSE_LEASE + 2, call, 0, 5)];
    ret->waits = draw(world, PURPOSE_LEASE + 3, call, 0, 2) != 0;
    ret->fencing = draw(world, PURPOSE_LEASE + 4, call, 0, 3) != 0;
    ret->deadline_ms = deadlines_ms[draw(world, PURPOSE_LEASE + 5, call, 0, 3)];
    ret->cancel_after_us = draw(world, PURPOSE_LEASE + 6, call, 0, 5000000);
    ret->careful = draw(world, PURPOSE_LEASE + 7, call, 0, 1) == 0;
    ret->releases = draw(world, PURPOSE_LEASE + 8, call, 0, 1) == 0;
    ret->keeps_token = draw(world, PURPOSE_LEASE + 9, call, 0, 2) == 0;
    ret->closes_first = draw(world, PURPOSE_LEASE + 10, call, 0, 7) == 0;
}
