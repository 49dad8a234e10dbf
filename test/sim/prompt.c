/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/prompt.h"

#include <stdlib.h>
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

/* What the key held one after the other: ETags, "" for absent. Each was made by the write that is behind the one before. */
struct states {
    const char *of[WORLD_CALLS_MAX + 1];
    size_t count;
};

static int by_time(const void *a, const void *b)
{
    const struct truth *const *x = a;
    const struct truth *const *y = b;
    return (*x)->applied_us < (*y)->applied_us ? -1 : (*x)->applied_us > (*y)->applied_us;
}

static void states_of(const struct world *world, const char *key, struct states *ret)
{
    const struct truth *writes[WORLD_CALLS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < world->truth_count; i++)
        if (is_applied_to(&world->truths[i], key))
            writes[count++] = &world->truths[i];
    qsort(writes, count, sizeof(writes[0]), by_time);
    ret->of[0] = "";
    for (size_t i = 0; i < count; i++)
        ret->of[i + 1] = writes[i]->operation == HISTORY_DELETE_IF_MATCH ? "" : writes[i]->value;
    ret->count = count + 1;
}

/* The key holds once more what it held: then the record of the write that replaced it is in the way. An object shows the
 * nonces of its own write and of the one before (G3.5), and who deletes it knows both (T3.10). Whatever is further back
 * may be under way for all that anybody knows. */
static bool comes_back_late(const struct world *world, const char *key)
{
    struct states states;
    states_of(world, key, &states);
    for (size_t i = 0; i < states.count; i++)
        for (size_t j = i + (states.of[i][0] == '\0' ? 4 : 3); j < states.count; j++)
            if (strcmp(states.of[i], states.of[j]) == 0)
                return true;
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
        if (comes_back_late(world, truth->key))
            continue;
        world_fail(world, "No fault has struck, and a write of %s took %llu ms, of which it waited %llu ms (%s by %s).",
                   truth->key, (unsigned long long)took_ms, (unsigned long long)truth->waited_ms,
                   os_verdict_name(truth->verdict), truth->rule);
    }
}
