/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/prompt.h"

#include <string.h>

/* A body that does not arrive at once takes up to a second here (network.c), and others may be before it. */
enum { PROMPT_MS = 5000 };

static bool went_well(const struct world *world)
{
    for (int kind = 0; kind < FAULT_COUNT; kind++)
        if (!fault_is_of_the_world((enum fault_kind)kind) && world->faults.struck[kind] > 0)
            return false;
    return true;
}

static bool is_applied_to(const struct truth *truth, const char *key)
{
    return truth->operation != HISTORY_READ && truth->applied > 0 && strcmp(truth->key, key) == 0;
}

/* The key is absent once more, or has an ETag once more: then a record of the first time may be in the way, whose write
 * nobody can show to be done any more where there were two others in between (R12.9). */
static bool comes_back(const struct world *world, const char *key)
{
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *one = &world->truths[i];
        if (!is_applied_to(one, key))
            continue;
        if (one->operation == HISTORY_DELETE_IF_MATCH)
            return true;
        for (size_t j = 0; j < i; j++)
            if (is_applied_to(&world->truths[j], key) && strcmp(world->truths[j].value, one->value) == 0)
                return true;
    }
    return false;
}

void prompt_judge(struct world *world)
{
    if (!went_well(world))
        return;
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        uint64_t took_ms = (truth->end_us - truth->start_us) / 1000;
        if (truth->operation == HISTORY_READ || !truth->returned || took_ms <= PROMPT_MS)
            continue;
        if (comes_back(world, truth->key))
            continue;
        world_fail(world, "No fault has struck, and a write of %s took %llu ms, of which it waited %llu ms (%s by %s).",
                   truth->key, (unsigned long long)took_ms, (unsigned long long)truth->waited_ms,
                   os_verdict_name(truth->verdict), truth->rule);
    }
}
