/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include "pack.h"
#include "visited.h"

#include <string.h>
#include <time.h>

#define NO_PARENT UINT32_MAX

enum { MEMORY_STATES_MAX = 24000000, CLOCK_EVERY = 1024 };
/* With the fingerprints and the log of as many states as fit beside it, below 3 GiB. */
#define FRONTIER_BYTES_MAX ((size_t)3 << 29)

struct run {
    const struct search_limits *limits;
    struct search_result *result;
    struct visited visited;
    struct step_log log;
    struct frontier frontier;
    double began;
};

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void keep_schedule(const struct run *run, uint32_t parent, uint32_t choice)
{
    struct schedule *schedule = &run->result->schedule;
    uint32_t reversed[SCHEDULE_MAX];
    size_t count = 0;
    reversed[count++] = choice;
    for (uint32_t i = parent; run->log.entries[i].parent != NO_PARENT && count < SCHEDULE_MAX;
         i = run->log.entries[i].parent)
        reversed[count++] = run->log.entries[i].choice;
    for (size_t i = 0; i < count; i++)
        schedule->choices[i] = reversed[count - 1 - i];
    schedule->count = count;
}

/* False: the search is over. */
static bool reach(struct run *run, const struct world *world, uint32_t parent, uint32_t choice, uint32_t depth)
{
    static uint8_t packed[PACKED_MAX];
    int added = visited_add(&run->visited, fingerprint_of(world));
    if (added == 0)
        return true;
    size_t size = pack(world, packed);
    uint32_t index = (uint32_t)run->log.count;
    struct frontier_entry entry = {.index = index, .depth = depth, .packed = packed, .size = size};
    bool kept = added > 0 && step_log_add(&run->log, parent, choice) && frontier_put(&run->frontier, &entry);
    if (!kept) {
        run->result->out_of_memory = true;
        return false;
    }
    run->result->states++;
    if (depth > run->result->depth)
        run->result->depth = depth;
    return true;
}

/* False: the search is over. */
static bool expand(struct run *run, const struct world *world, const struct frontier_entry *entry)
{
    struct choices choices;
    choices_of(world, &choices);
    world_tally(world, choices.count == 0, &run->result->tally);
    for (size_t i = 0; i < choices.count; i++) {
        struct world next;
        memcpy(&next, world, sizeof(next));
        choice_apply(&next, choices.list[i]);
        run->result->transitions++;
        if (finding.name) {
            run->result->finding = finding;
            keep_schedule(run, entry->index, choices.list[i]);
            return false;
        }
        if (!reach(run, &next, entry->index, choices.list[i], entry->depth + 1))
            return false;
    }
    return true;
}

static bool limit_reached(const struct run *run, uint64_t expanded)
{
    if (run->limits->states > 0 && run->result->states >= run->limits->states)
        return true;
    if (run->frontier.bytes >= FRONTIER_BYTES_MAX || run->log.count >= MEMORY_STATES_MAX)
        return true;
    return run->limits->seconds > 0 && expanded % CLOCK_EVERY == 0 && seconds_now() - run->began > run->limits->seconds;
}

static void explore_all(struct run *run)
{
    struct world world;
    struct frontier_entry entry;
    world_init(&world);
    world_canonical(&world);
    if (!reach(run, &world, NO_PARENT, 0, 0))
        return;
    for (uint64_t expanded = 1; frontier_take(&run->frontier, &entry); expanded++) {
        if (limit_reached(run, expanded))
            return;
        unpack(entry.packed, &world);
        if (!expand(run, &world, &entry))
            return;
    }
    run->result->finished = true;
}

void search(const struct config *of, const struct search_limits *limits, struct search_result *ret)
{
    struct run run = {.limits = limits, .result = ret, .began = seconds_now()};
    memset(ret, 0, sizeof(*ret));
    memset(&finding, 0, sizeof(finding));
    config = of;
    if (visited_init(&run.visited))
        explore_all(&run);
    else
        ret->out_of_memory = true;
    visited_free(&run.visited);
    step_log_free(&run.log);
    frontier_free(&run.frontier);
    ret->seconds = seconds_now() - run.began;
}
