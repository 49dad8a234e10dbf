/* SPDX-License-Identifier: Apache-2.0 */
#include "history/lease_judge.h"

#include "history/lease_beliefs.h"
#include "history/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lease_violation_name(enum lease_violation violation)
{
    static const char *const names[] = {
        [LEASE_TWO_HOLDERS] = "two holders",        [LEASE_TOKEN] = "token",
        [LEASE_AFTER_END] = "belief after its end", [LEASE_FALSE_RELEASE] = "false release",
        [LEASE_BAD_HISTORY] = "bad history",
    };

    return names[violation];
}

/* ---------------------------------------------------------------------------------------------------- words */

enum { BELIEF_SIZE = 240 };

/* The first pause that reaches into the belief: it is mostly why. */
static const struct lease_pause *pause_of(const struct lease_beliefs *beliefs, const struct lease_belief *belief)
{
    const struct lease_process *process = &beliefs->process[belief->process];

    for (size_t i = process->first_pause; i < process->end_pause; i++)
        if (beliefs->pause[i].from_us < lease_belief_end(belief) && beliefs->pause[i].to_us > belief->start_us)
            return &beliefs->pause[i];
    return NULL;
}

/* "w3.0 (1.203000 s to 1.250000 s, token 7, stood still from 1.210000 s)" */
static void describe_belief(const struct lease_beliefs *beliefs, const struct lease_belief *belief,
                            char ret[BELIEF_SIZE])
{
    const struct lease_pause *pause = pause_of(beliefs, belief);
    char from[WORDS_TIME];
    char to[WORDS_TIME];
    char token[48] = "";
    char stood[64] = "";

    words_time(belief->start_us, "for ever", from);
    words_time(lease_belief_end(belief), "for ever", to);
    if (belief->has_token)
        (void)snprintf(token, sizeof(token), ", token %" PRIu64, belief->token);
    if (pause != NULL) {
        char since[WORDS_TIME];
        words_time(pause->from_us, "for ever", since);
        (void)snprintf(stood, sizeof(stood), ", stood still from %s", since);
    }
    (void)snprintf(ret, BELIEF_SIZE, "%.60s (%s to %s%s%s)", belief->who, from, to, token, stood);
}

static void find_pair(const struct lease_beliefs *beliefs, enum lease_violation violation,
                      const struct lease_belief *first, const struct lease_belief *second, const char *what)
{
    char one[BELIEF_SIZE];
    char two[BELIEF_SIZE];

    describe_belief(beliefs, first, one);
    describe_belief(beliefs, second, two);
    lease_find(beliefs->result, violation, first->key, "%s and %s %s", one, two, what);
}

/* ---------------------------------------------------------------------------------------------------- judging */

static int compare_beliefs(const void *left, const void *right)
{
    const struct lease_belief *a = left;
    const struct lease_belief *b = right;
    int order = strcmp(a->key, b->key);

    if (order == 0)
        order = a->start_us < b->start_us ? -1 : a->start_us > b->start_us;
    return order != 0 ? order : strcmp(a->who, b->who);
}

/* One that was over before it began was never a belief: the answer came too late. */
static bool is_belief(const struct lease_belief *belief)
{
    return lease_belief_end(belief) > belief->start_us;
}

static void find_overlap(const struct lease_beliefs *beliefs, const struct lease_belief *first,
                         const struct lease_belief *second)
{
    uint64_t one_us = lease_belief_end(first);
    uint64_t two_us = lease_belief_end(second);
    uint64_t to_us = one_us < two_us ? one_us : two_us;
    char both[WORDS_TIME];
    char what[WORDS_TIME + 32];

    words_time(to_us == HISTORY_NEVER ? to_us : to_us - second->start_us, "for ever", both);
    (void)snprintf(what, sizeof(what), "both believe %s%s", to_us == HISTORY_NEVER ? "" : "for ", both);
    find_pair(beliefs, LEASE_TWO_HOLDERS, first, second, what);
}

/* Each belief with those before it that are not over: `standing` has room for all of the lease. */
static void judge_overlaps(struct lease_beliefs *beliefs, size_t first, size_t end, size_t *standing)
{
    size_t count = 0;

    for (size_t i = first; i < end; i++) {
        const struct lease_belief *belief = &beliefs->belief[i];
        size_t kept = 0;
        if (!is_belief(belief))
            continue;
        for (size_t j = 0; j < count; j++)
            if (lease_belief_end(&beliefs->belief[standing[j]]) > belief->start_us)
                standing[kept++] = standing[j];
        for (size_t j = 0; j < kept; j++)
            find_overlap(beliefs, &beliefs->belief[standing[j]], belief);
        standing[kept++] = i;
        count = kept;
    }
}

/* Where there is no token yet, zero is the greatest: a token of zero is none. */
static void judge_tokens(struct lease_beliefs *beliefs, size_t first, size_t end)
{
    const struct lease_belief *greatest = NULL;

    for (size_t i = first; i < end; i++) {
        const struct lease_belief *belief = &beliefs->belief[i];
        if (!belief->has_token)
            continue;
        if (greatest == NULL && belief->token == 0)
            find_pair(beliefs, LEASE_TOKEN, belief, belief, "have no token");
        else if (greatest != NULL && belief->token <= greatest->token)
            find_pair(beliefs, LEASE_TOKEN, greatest, belief, "have tokens that do not grow");
        else
            greatest = belief;
    }
}

static size_t count_pauses(const struct lease_beliefs *beliefs, const struct lease_belief *belief)
{
    const struct lease_process *process = &beliefs->process[belief->process];
    size_t count = 0;

    for (size_t i = process->first_pause; i < process->end_pause; i++) {
        uint64_t from_us = beliefs->pause[i].from_us;
        count += from_us >= belief->start_us && from_us < lease_belief_end(belief) ? 1 : 0;
    }
    return count;
}

static void count_beliefs(struct lease_beliefs *beliefs, size_t first, size_t end, struct lease_result *ret)
{
    const char *before = NULL;

    for (size_t i = first; i < end; i++) {
        const struct lease_belief *belief = &beliefs->belief[i];
        if (!is_belief(belief))
            continue;
        ret->beliefs++;
        ret->hand_overs += before != NULL && before != belief->who ? 1 : 0;
        ret->lost += belief->ended_by == HISTORY_LEASE_LOST ? 1 : 0;
        ret->killed += belief->ended_by == HISTORY_LEASE_KILLED && belief->ended_us < belief->until_us ? 1 : 0;
        ret->paused += count_pauses(beliefs, belief);
        before = belief->who;
    }
}

static bool judge_beliefs(struct lease_beliefs *beliefs, struct lease_result *ret)
{
    size_t *standing = calloc(beliefs->count + 1, sizeof(*standing));

    if (standing == NULL)
        return false;
    qsort(beliefs->belief, beliefs->count, sizeof(*beliefs->belief), compare_beliefs);
    for (size_t first = 0, end; first < beliefs->count; first = end) {
        for (end = first + 1; end < beliefs->count && beliefs->belief[end].key == beliefs->belief[first].key; end++) {
        }
        judge_overlaps(beliefs, first, end, standing);
        judge_tokens(beliefs, first, end);
        count_beliefs(beliefs, first, end, ret);
        ret->keys++;
    }
    free(standing);
    return lease_measure_gaps(beliefs, ret);
}

bool lease_judge(const struct history *history, struct lease_result *ret)
{
    struct lease_beliefs beliefs;
    bool good;

    memset(ret, 0, sizeof(*ret));
    good = lease_beliefs_take(&beliefs, history, ret) && judge_beliefs(&beliefs, ret);
    lease_beliefs_free(&beliefs);
    return good;
}
