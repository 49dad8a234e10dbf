/* SPDX-License-Identifier: Apache-2.0 */
#include "history/lease_beliefs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct walk {
    struct lease_beliefs *beliefs;
    struct lease_process *process;
};

uint64_t lease_belief_end(const struct lease_belief *belief)
{
    if (belief->let_go_us != HISTORY_NEVER)
        return belief->ended_us;
    return belief->ended_us < belief->until_us ? belief->ended_us : belief->until_us;
}

void lease_find(struct lease_result *result, enum lease_violation violation, const char *key, const char *format, ...)
{
    struct lease_finding *finding = &result->finding[result->finding_count];
    va_list arguments;

    result->violations++;
    if (result->finding_count == sizeof(result->finding) / sizeof(result->finding[0]))
        return;
    result->finding_count++;
    finding->violation = violation;
    finding->key = key;
    va_start(arguments, format);
    (void)vsnprintf(finding->sentence, sizeof(finding->sentence), format, arguments);
    va_end(arguments);
}

static void contradict(struct walk *walk, const struct history_lease *lease, const char *what)
{
    lease_find(walk->beliefs->result, LEASE_BAD_HISTORY, lease->key, "%.100s, \"%s\" at %" PRIu64 " us: %s", lease->who,
               history_lease_name(lease->kind), lease->at_us, what);
}

/* ------------------------------------------------------------------------------------------------ its own words */

/* The last belief of the lease; NULL: it never had one. */
static struct lease_belief *last_of(struct walk *walk, const char *key)
{
    for (size_t i = walk->beliefs->count; i > walk->process->first_belief; i--)
        if (walk->beliefs->belief[i - 1].key == key)
            return &walk->beliefs->belief[i - 1];
    return NULL;
}

static void begin_belief(struct walk *walk, const struct history_lease *lease)
{
    struct lease_process *process = walk->process;
    bool asked = process->asks == lease->key;

    walk->beliefs->belief[walk->beliefs->count++] =
        (struct lease_belief){.who = lease->who,
                              .key = lease->key,
                              .waits_us = asked ? process->asks_since_us : HISTORY_NEVER,
                              .start_us = lease->at_us,
                              .until_us = lease->until_us,
                              .ended_us = HISTORY_NEVER,
                              .let_go_us = HISTORY_NEVER,
                              .has_token = lease->has_token,
                              .token = lease->token,
                              .process = (size_t)(process - walk->beliefs->process)};
    process->asks = asked ? NULL : process->asks;
}

static void extend_belief(struct walk *walk, const struct history_lease *lease)
{
    struct lease_belief *belief = last_of(walk, lease->key);

    if (belief == NULL) {
        contradict(walk, lease, "it never took that lease");
        return;
    }
    if (belief->ended_us != HISTORY_NEVER) {
        lease_find(walk->beliefs->result, LEASE_AFTER_END, lease->key,
                   "%.100s took it at %" PRIu64 " us and said at %" PRIu64
                   " us that it is over, but then that it holds it until %" PRIu64 " us",
                   lease->who, belief->start_us, belief->ended_us, lease->until_us);
    }
    belief->until_us = lease->until_us;
}

static void end_beliefs(struct walk *walk, const struct history_lease *lease)
{
    for (size_t i = walk->process->first_belief; i < walk->beliefs->count; i++) {
        struct lease_belief *belief = &walk->beliefs->belief[i];
        bool is_meant = lease->key[0] == '\0' || belief->key == lease->key;
        if (is_meant && belief->ended_us == HISTORY_NEVER) {
            belief->ended_us = lease->at_us;
            belief->ended_by = lease->kind;
        }
    }
}

/* OS_OK says that it was held until the release: of a lease that was not believed to be, that is false. */
static void let_go(struct walk *walk, const struct history_lease *lease)
{
    struct lease_belief *belief = last_of(walk, lease->key);

    if (belief != NULL && belief->ended_by == HISTORY_LEASE_RELEASED && belief->let_go_us == HISTORY_NEVER) {
        belief->let_go_us = lease->at_us;
        walk->beliefs->result->let_go++;
        return;
    }
    lease_find(walk->beliefs->result, LEASE_FALSE_RELEASE, lease->key,
               "the release of %.100s ended at %" PRIu64 " us and said that the lease was held until then, but it %s",
               lease->who, lease->at_us,
               belief == NULL                           ? "was never believed to be held"
               : belief->ended_by == HISTORY_LEASE_LOST ? "had said that it was lost"
               : belief->let_go_us != HISTORY_NEVER     ? "had been released before"
                                                        : "was not about to be released");
}

static void take_own(struct walk *walk, const struct history_lease *lease)
{
    struct lease_process *process = walk->process;

    if (lease->at_us != HISTORY_NEVER) {
        if (lease->at_us < process->last_us)
            contradict(walk, lease, "its time goes back");
        process->last_us = lease->at_us;
    }
    switch (lease->kind) {
    case HISTORY_LEASE_WAITS:
        process->asks = lease->key;
        process->asks_since_us = lease->at_us;
        return;
    case HISTORY_LEASE_HELD: begin_belief(walk, lease); return;
    case HISTORY_LEASE_UNTIL: extend_belief(walk, lease); return;
    case HISTORY_LEASE_LOST:
    case HISTORY_LEASE_RELEASED: end_beliefs(walk, lease); return;
    case HISTORY_LEASE_LET_GO: let_go(walk, lease); return;
    case HISTORY_LEASE_KILLED:
    case HISTORY_LEASE_PAUSED:
    case HISTORY_LEASE_RESUMED: break;
    }
}

/* ------------------------------------------------------------------------------------- what is said by others */

static bool is_standing_still(const struct walk *walk)
{
    const struct lease_beliefs *beliefs = walk->beliefs;

    return beliefs->pause_count > walk->process->first_pause &&
           beliefs->pause[beliefs->pause_count - 1].to_us == HISTORY_NEVER;
}

static void take_other(struct walk *walk, const struct history_lease *lease)
{
    struct lease_beliefs *beliefs = walk->beliefs;

    if (lease->kind == HISTORY_LEASE_KILLED) {
        walk->process->killed_us = lease->at_us;
    } else if (lease->kind == HISTORY_LEASE_PAUSED) {
        if (is_standing_still(walk))
            contradict(walk, lease, "it stands still already");
        beliefs->pause[beliefs->pause_count++] = (struct lease_pause){.from_us = lease->at_us, .to_us = HISTORY_NEVER};
    } else if (is_standing_still(walk)) {
        beliefs->pause[beliefs->pause_count - 1].to_us = lease->at_us;
    } else {
        contradict(walk, lease, "it does not stand still");
    }
}

static void end_by_death(struct walk *walk)
{
    struct lease_process *process = walk->process;

    if (process->killed_us == HISTORY_NEVER)
        return;
    if (process->last_us > process->killed_us) {
        lease_find(walk->beliefs->result, LEASE_BAD_HISTORY, "",
                   "%.100s was killed at %" PRIu64 " us, and said something at %" PRIu64 " us", process->who,
                   process->killed_us, process->last_us);
    }
    for (size_t i = process->first_belief; i < walk->beliefs->count; i++) {
        struct lease_belief *belief = &walk->beliefs->belief[i];
        if (belief->ended_us == HISTORY_NEVER) {
            belief->ended_us = process->killed_us;
            belief->ended_by = HISTORY_LEASE_KILLED;
        }
    }
}

/* ---------------------------------------------------------------------------------------- one process at a time */

static bool is_of_others(const struct history_lease *lease)
{
    return lease->kind == HISTORY_LEASE_KILLED || lease->kind == HISTORY_LEASE_PAUSED ||
           lease->kind == HISTORY_LEASE_RESUMED;
}

static void walk_process(struct walk *walk, const struct history_lease *const *line, size_t count)
{
    struct lease_beliefs *beliefs = walk->beliefs;
    struct lease_process *process = &beliefs->process[beliefs->process_count++];

    *process = (struct lease_process){.who = line[0]->who,
                                      .killed_us = HISTORY_NEVER,
                                      .first_belief = beliefs->count,
                                      .first_pause = beliefs->pause_count};
    walk->process = process;
    for (size_t i = 0; i < count; i++)
        if (is_of_others(line[i]))
            take_other(walk, line[i]);
        else
            take_own(walk, line[i]);
    end_by_death(walk);
    process->end_pause = beliefs->pause_count;
}

/* By process, and each one's lines as they were. Equal texts are one, and so are their addresses. */
static int compare_lines(const void *left, const void *right)
{
    const struct history_lease *a = *(const struct history_lease *const *)left;
    const struct history_lease *b = *(const struct history_lease *const *)right;

    if (a->who != b->who)
        return (uintptr_t)a->who < (uintptr_t)b->who ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool make_room(struct lease_beliefs *beliefs, size_t count)
{
    beliefs->belief = calloc(count + 1, sizeof(*beliefs->belief));
    beliefs->process = calloc(count + 1, sizeof(*beliefs->process));
    beliefs->pause = calloc(count + 1, sizeof(*beliefs->pause));
    return beliefs->belief != NULL && beliefs->process != NULL && beliefs->pause != NULL;
}

bool lease_beliefs_take(struct lease_beliefs *ret, const struct history *history, struct lease_result *result)
{
    size_t count = history_lease_count(history);
    const struct history_lease **line = calloc(count + 1, sizeof(*line));
    struct walk walk = {.beliefs = ret};

    *ret = (struct lease_beliefs){.history = history, .result = result};
    if (line == NULL || !make_room(ret, count)) {
        free(line);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        line[i] = history_lease_at(history, i);
    qsort(line, count, sizeof(*line), compare_lines);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && line[end]->who == line[first]->who; end++) {
        }
        walk_process(&walk, line + first, end - first);
    }
    free(line);
    return true;
}

void lease_beliefs_free(struct lease_beliefs *beliefs)
{
    free(beliefs->belief);
    free(beliefs->process);
    free(beliefs->pause);
}
