/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without a fault, what is in the way of a write is a call that is under way, or the record of one that is done. The
 * first takes some round trips; the second is to be seen as spent (R12.9), or released. Records that stay in the way
 * nevertheless, unless release=always, are named here, and nothing else is excused.
 */
#include "sim/calm.h"

#include "sim/plan.h"

#include <string.h>

/* A round trip takes at most 43 ms here, and where segments are small the end of a body has up to 0.9 s (F4). Up to five
 * lanes write one key, and polls are up to a second apart (R11). */
enum { CALL_MS = 5000, CALL_REQUESTS = 40, ROUND_MS = 2000, WRITES_MAX = WORLD_CALLS_MAX };

void calm_faults(struct faults *faults)
{
    for (uint32_t kind = 0; kind < FAULT_COUNT; kind++)
        if (!fault_is_of_the_world(kind))
            faults->rate[kind] = 0;
    faults->rate[FAULT_DRIFT] = 0; /* of 15 %: what is signed by a Date ten minutes old is expired then (M5) */
}

/* ------------------------------------------------------------------------------------------------ what is excused */

struct writes { /* that took effect at one key before some time, in that order */
    const struct truth *at[WRITES_MAX];
    size_t count;
};

static void writes_of(const struct world *world, const char *key, uint64_t until_us, struct writes *ret)
{
    ret->count = 0;
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        if (truth->operation == HISTORY_READ || truth->applied == 0 || truth->applied_us > until_us ||
            strcmp(truth->key, key) != 0)
            continue;
        size_t at = ret->count++;
        for (; at > 0 && ret->at[at - 1]->applied_us > truth->applied_us; at--)
            ret->at[at] = ret->at[at - 1];
        ret->at[at] = truth;
    }
}

/* After so many of the writes. */
static const char *state_after(const struct writes *writes, size_t count)
{
    return count == 0 ? "" : writes->at[count - 1]->value;
}

/* What the call expected was there before, and the record of the write that replaced it then says nothing of its end:
 * the object names two nonces, its own and that of the version before it (R12.9). So content that is back after three
 * or more states waits: also the second replacement in create, replace, delete, create, replace of the same bytes. */
static bool record_stays(const struct writes *writes, size_t now, const struct truth *call)
{
    enum { NAMED = 2 };
    for (size_t before = now; before-- > 0;)
        if (strcmp(state_after(writes, before), call->expected) == 0 && writes->at[before] != call)
            return now - before > NAMED;
    return false;
}

/* At any time during the call, that is: another may have met the record first, and been replaced since. */
static bool meets_a_record_that_stays(const struct world *world, const struct truth *call)
{
    struct writes writes;
    writes_of(world, call->key, call->end_us, &writes);
    for (size_t now = writes.count + 1; now-- > 0;) {
        if (now < writes.count && writes.at[now]->applied_us < call->start_us)
            return false;
        if (strcmp(state_after(&writes, now), call->expected) == 0 && record_stays(&writes, now, call))
            return true;
    }
    return false;
}

/* The two writes of a rename are one call. */
static bool is_excused(const struct world *world, const struct truth *call)
{
    bool stays = false;
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *part = &world->truths[i];
        bool is_part = part->call == call->call && part->operation != HISTORY_READ;
        stays = stays || (is_part && meets_a_record_that_stays(world, part));
    }
    return world->fleet.release != OS_RELEASE_ALWAYS && stays;
}

/* ------------------------------------------------------------------------------------------------ the judge */

void calm_judge(struct world *world)
{
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        uint64_t took_ms = (truth->end_us - truth->start_us) / 1000;
        uint64_t most_ms = CALL_MS + (uint64_t)ROUND_MS * truth->lost;
        uint64_t most_requests = CALL_REQUESTS * (1 + (uint64_t)truth->lost);
        bool long_call = took_ms > most_ms || truth->requests > most_requests;
        if (!truth->returned)
            world_fail(world, "Nothing went wrong, and a call of %s did not return.", truth->key);
        else if (truth->settled == OS_UNKNOWN)
            world_fail(world, "Nothing went wrong, and a write of %s is unknown by %s.", truth->key, truth->rule);
        else if (long_call && !is_excused(world, truth))
            world_fail(world, "Nothing went wrong, and a call of %s took %llu ms and %u requests.", truth->key,
                       (unsigned long long)took_ms, truth->requests);
    }
}
