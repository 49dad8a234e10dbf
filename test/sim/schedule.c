/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/schedule.h"

#include "base/random.h"

#include <stdlib.h>

void schedule_init(struct schedule *schedule, uint64_t seed)
{
    *schedule = (struct schedule){.random = seed ^ UINT64_C(0x5ced)};
}

void schedule_free(struct schedule *schedule)
{
    free(schedule->heap);
    schedule->heap = NULL;
}

static bool before(const struct schedule_event *a, const struct schedule_event *b)
{
    if (a->at_us != b->at_us)
        return a->at_us < b->at_us;
    return a->tie != b->tie ? a->tie < b->tie : a->serial < b->serial;
}

static void swap(struct schedule_event *a, struct schedule_event *b)
{
    struct schedule_event kept = *a;
    *a = *b;
    *b = kept;
}

void schedule_at(struct schedule *schedule, uint64_t at_us, schedule_fn run, void *context, uint64_t argument)
{
    if (schedule->count == schedule->cap) {
        schedule->cap = schedule->cap ? 2 * schedule->cap : 256;
        struct schedule_event *grown = realloc(schedule->heap, schedule->cap * sizeof(*grown));
        if (grown == NULL)
            abort();
        schedule->heap = grown;
    }
    size_t at = schedule->count++;
    schedule->heap[at] = (struct schedule_event){
        .at_us = at_us < schedule->now_us ? schedule->now_us : at_us,
        .tie = random_next(&schedule->random),
        .serial = ++schedule->serial,
        .run = run,
        .context = context,
        .argument = argument,
    };
    while (at > 0 && before(&schedule->heap[at], &schedule->heap[(at - 1) / 2])) {
        swap(&schedule->heap[at], &schedule->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sink(struct schedule *schedule)
{
    size_t at = 0;
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < schedule->count; child++)
            if (before(&schedule->heap[child], &schedule->heap[least]))
                least = child;
        if (least == at)
            return;
        swap(&schedule->heap[at], &schedule->heap[least]);
        at = least;
    }
}

bool schedule_step(struct schedule *schedule)
{
    if (schedule->count == 0)
        return false;
    struct schedule_event next = schedule->heap[0];
    schedule->heap[0] = schedule->heap[--schedule->count];
    sink(schedule);
    schedule->now_us = next.at_us;
    schedule->ran++;
    next.run(next.context, next.argument);
    return true;
}
