/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a lease that became free had no holder though somebody waited. Figures, no judgement: a machine that is slow,
 * or a network that is harmed, makes them long, and nothing is wrong then.
 */
#include "history/lease_beliefs.h"

#include <stdlib.h>
#include <string.h>

/* An instant at which a lease may have become free, or at which it became unclear since when it is. */
enum mark_kind { MARK_RELEASE, MARK_DEATH, MARK_UNCLEAR };

struct mark {
    const char *key;
    uint64_t at_us;
    enum mark_kind kind;
};

struct marks {
    struct mark *list;
    size_t count;
    size_t room;
    bool no_memory;
};

static void add_mark(struct marks *marks, const char *key, uint64_t at_us, enum mark_kind kind)
{
    if (at_us == HISTORY_NEVER || marks->no_memory)
        return;
    if (marks->count == marks->room) {
        size_t room = marks->room == 0 ? 64 : marks->room * 2;
        struct mark *more = realloc(marks->list, room * sizeof(*more));
        marks->no_memory = more == NULL;
        if (more == NULL)
            return;
        marks->list = more;
        marks->room = room;
    }
    marks->list[marks->count++] = (struct mark){.key = key, .at_us = at_us, .kind = kind};
}

static void mark_end(struct marks *marks, const struct lease_belief *belief)
{
    if (belief->let_go_us != HISTORY_NEVER)
        add_mark(marks, belief->key, belief->let_go_us, MARK_RELEASE);
    else if (belief->ended_by == HISTORY_LEASE_KILLED && belief->ended_us < belief->until_us)
        add_mark(marks, belief->key, belief->ended_us, MARK_DEATH);
    else
        add_mark(marks, belief->key, lease_belief_end(belief), MARK_UNCLEAR);
}

static void mark_if_between(struct marks *marks, const char *key, uint64_t at_us, uint64_t from_us, uint64_t to_us)
{
    if (at_us >= from_us && at_us <= to_us)
        add_mark(marks, key, at_us, MARK_UNCLEAR);
}

/* Whoever stands still while it asks does not take what is free, and what it has just taken nobody else can have. */
static void mark_pauses(struct marks *marks, const struct lease_beliefs *beliefs, const struct lease_process *process,
                        const char *key, uint64_t from_us, uint64_t to_us)
{
    for (size_t i = process->first_pause; i < process->end_pause; i++) {
        mark_if_between(marks, key, beliefs->pause[i].from_us, from_us, to_us);
        mark_if_between(marks, key, beliefs->pause[i].to_us, from_us, to_us);
    }
}

static void take_marks(struct marks *marks, const struct lease_beliefs *beliefs)
{
    for (size_t i = 0; i < beliefs->count; i++) {
        const struct lease_belief *belief = &beliefs->belief[i];
        uint64_t from_us = belief->waits_us == HISTORY_NEVER ? belief->start_us : belief->waits_us;
        mark_end(marks, belief);
        mark_pauses(marks, beliefs, &beliefs->process[belief->process], belief->key, from_us, lease_belief_end(belief));
    }
    for (size_t i = 0; i < beliefs->process_count; i++) {
        const struct lease_process *process = &beliefs->process[i];
        if (process->asks == NULL)
            continue;
        /* It may have had it when it died, and nobody knows. */
        add_mark(marks, process->asks, process->killed_us, MARK_UNCLEAR);
        mark_pauses(marks, beliefs, process, process->asks, process->asks_since_us, process->killed_us);
    }
}

static int compare_marks(const void *left, const void *right)
{
    const struct mark *a = left;
    const struct mark *b = right;
    int order = strcmp(a->key, b->key);

    return order != 0 ? order : a->at_us < b->at_us ? -1 : a->at_us > b->at_us;
}

struct gaps {
    uint64_t *sample;
    size_t count;
};

static void measure(const struct lease_belief *belief, const struct mark *mark, struct gaps gaps[2])
{
    struct gaps *of_kind;

    if (mark->kind == MARK_UNCLEAR || belief->waits_us > mark->at_us)
        return;
    of_kind = &gaps[mark->kind == MARK_DEATH];
    of_kind->sample[of_kind->count++] = belief->start_us - mark->at_us;
}

/* Both are in the order of leases and times: each belief has the last mark before it. */
static void measure_all(const struct lease_beliefs *beliefs, const struct marks *marks, struct gaps gaps[2])
{
    size_t next = 0;

    for (size_t i = 0; i < beliefs->count; i++) {
        const struct lease_belief *belief = &beliefs->belief[i];
        while (next < marks->count) {
            int order = strcmp(marks->list[next].key, belief->key);
            if (order > 0 || (order == 0 && marks->list[next].at_us > belief->start_us))
                break;
            next++;
        }
        if (next > 0 && marks->list[next - 1].key == belief->key)
            measure(belief, &marks->list[next - 1], gaps);
    }
}

bool lease_measure_gaps(const struct lease_beliefs *beliefs, struct lease_result *ret)
{
    struct marks marks = {0};
    struct gaps gaps[2] = {{.sample = calloc(beliefs->count + 1, sizeof(uint64_t))},
                           {.sample = calloc(beliefs->count + 1, sizeof(uint64_t))}};
    bool good;

    take_marks(&marks, beliefs);
    good = !marks.no_memory && gaps[0].sample != NULL && gaps[1].sample != NULL;
    if (good) {
        if (marks.count > 0)
            qsort(marks.list, marks.count, sizeof(*marks.list), compare_marks);
        measure_all(beliefs, &marks, gaps);
        ret->after_release = spread_of(gaps[0].sample, gaps[0].count);
        ret->after_death = spread_of(gaps[1].sample, gaps[1].count);
    }
    free(marks.list);
    free(gaps[0].sample);
    free(gaps[1].sample);
    return good;
}
