/* SPDX-License-Identifier: Apache-2.0 */
#include "race/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum race_kind race_kind_of(const char *name)
{
    static const struct {
        const char *start;
        enum race_kind kind;
    } starts[] = {{"key-", RACE_CREATE}, {"counter", RACE_UPDATE}, {"copy-", RACE_COPY}, {"phoenix", RACE_DELETE}};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (strncmp(name, starts[i].start, strlen(starts[i].start)) == 0)
            return starts[i].kind;
    return RACE_KINDS;
}

/* Has anybody else met the value: as what a read saw, as what a write replaced, or at the end? */
static bool was_seen(const struct history *history, const struct history_call *call)
{
    if (call->value[0] == '\0')
        return false; /* a deletion: nothing tells it from another one's */
    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *other = history_call_at(history, i);
        const char *met = other->operation == HISTORY_READ ? other->value : other->expected;
        if (other->key == call->key && met == call->value)
            return true;
    }
    for (size_t i = 0; i < history_final_count(history); i++) {
        const struct history_final *final = history_final_at(history, i);
        if (final->key == call->key && final->value == call->value)
            return true;
    }
    return false;
}

/* Nobody has an answer yet. Where os_resolve has said that there will be none, that is the answer: the judge takes the
 * call as one that may have happened. */
static bool is_unsettled(const struct history_call *call)
{
    return call->end_us != HISTORY_NEVER && call->settled == OS_UNKNOWN && call->settled_us == 0;
}

static void count_unknown(const struct history *history, const struct history_call *call, struct race_figures *figures)
{
    if (call->end_us == HISTORY_NEVER) {
        figures->killed++;
        figures->killed_seen += was_seen(history, call) ? 1 : 0;
        return;
    }
    figures->unknown++;
    figures->settled_committed += call->settled == OS_COMMITTED ? 1 : 0;
    figures->unsettled += is_unsettled(call) ? 1 : 0;
    figures->for_good += call->settled == OS_UNKNOWN && !is_unsettled(call) ? 1 : 0;
    figures->settled_other += call->settled != OS_COMMITTED && call->settled != OS_UNKNOWN ? 1 : 0;
}

static void count_call(const struct history *history, const struct history_call *call, struct race_figures *figures)
{
    uint64_t end_us = call->end_us == HISTORY_NEVER ? call->start_us : call->end_us;

    figures->first_us = figures->calls == 0 || call->start_us < figures->first_us ? call->start_us : figures->first_us;
    figures->last_us = end_us > figures->last_us ? end_us : figures->last_us;
    figures->calls++;
    figures->requests += call->requests;
    figures->by_record += strcmp(call->guard, "record") == 0 ? 1 : 0;
    figures->native += strcmp(call->guard, "native") == 0 ? 1 : 0;
    figures->by_both += strcmp(call->guard, "both") == 0 ? 1 : 0;
    figures->takeovers += call->took_over ? 1 : 0;
    switch (call->verdict) {
    case OS_COMMITTED: figures->committed++; break;
    case OS_CONFLICT: figures->conflicts++; break;
    case OS_NOT_EXECUTED: figures->not_executed++; break;
    case OS_UNKNOWN: count_unknown(history, call, figures); break;
    }
}

static void count_for_writer(const struct history_call *call, enum race_kind kind, struct race_summary *ret)
{
    if (call->settled != OS_COMMITTED || call->writer >= RACE_WRITERS_MAX)
        return;
    ret->won[call->writer] += kind == RACE_CREATE ? 1 : 0;
    ret->increments[call->writer] += kind == RACE_UPDATE && call->operation == HISTORY_PUT_IF_MATCH ? 1 : 0;
}

/* Every name has one final value, if everything was read back. */
static void count_names(const struct history *history, const struct judge_result *judged, struct race_summary *ret)
{
    for (size_t i = 0; i < history_final_count(history); i++) {
        const struct history_final *final = history_final_at(history, i);
        bool wrong = false;
        if (race_kind_of(final->key) != RACE_CREATE)
            continue;
        for (size_t j = 0; j < judged->finding_count; j++)
            wrong = wrong || strcmp(judged->finding[j].key, final->key) == 0;
        ret->names++;
        ret->created += final->value[0] != '\0' ? 1 : 0;
        ret->objects_right += wrong ? 0 : 1;
        ret->objects_wrong += wrong ? 1 : 0;
    }
}

/* A counter's creation is no increment, and sources are only there to be copied: RACE_KINDS. */
static enum race_kind kind_of_call(const struct history_call *call)
{
    enum race_kind kind = call->operation == HISTORY_READ ? RACE_KINDS : race_kind_of(call->key);

    return kind == RACE_UPDATE && call->operation != HISTORY_PUT_IF_MATCH ? RACE_KINDS : kind;
}

static void measure_latencies(const struct history *history, uint64_t *samples, struct race_summary *ret)
{
    for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
        size_t count = 0;
        for (size_t i = 0; i < history_call_count(history); i++) {
            const struct history_call *call = history_call_at(history, i);
            if (kind_of_call(call) == kind && call->end_us != HISTORY_NEVER)
                samples[count++] = call->end_us - call->start_us;
        }
        ret->kind[kind].latency = spread_of(samples, count);
    }
}

static void measure_waits(const struct history *history, uint64_t *samples, struct race_summary *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);
        if (call->took_over && call->operation != HISTORY_READ)
            samples[count++] = call->waited_ms * 1000;
    }
    ret->takeover_wait = spread_of(samples, count);
}

bool race_summarize(const struct history *history, const struct judge_result *judged, unsigned writers,
                    struct race_summary *ret)
{
    uint64_t *samples = malloc((history_call_count(history) + 1) * sizeof(*samples));

    memset(ret, 0, sizeof(*ret));
    if (samples == NULL)
        return false;
    ret->writers = writers;
    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);
        enum race_kind kind = kind_of_call(call);
        ret->reads += call->operation == HISTORY_READ ? 1 : 0;
        ret->unsettled += call->operation != HISTORY_READ && is_unsettled(call) ? 1 : 0;
        if (kind == RACE_KINDS)
            continue;
        count_call(history, call, &ret->kind[kind]);
        count_for_writer(call, kind, ret);
    }
    measure_latencies(history, samples, ret);
    measure_waits(history, samples, ret);
    count_names(history, judged, ret);
    free(samples);
    return true;
}

uint64_t race_committed(const struct race_figures *figures)
{
    return figures->committed + figures->settled_committed;
}

/* ------------------------------------------------------------------------------------------------ the conclusion */

static uint64_t lacking(const struct race_progress *progress, unsigned writers, enum race_kind kind, uint64_t count)
{
    uint64_t lack = 0;

    for (unsigned i = 0; i < writers; i++)
        lack += progress->done[i][kind] < count ? count - progress->done[i][kind] : 0;
    return lack;
}

static bool find_missing(const struct race_summary *summary, const struct race_progress *progress,
                         const uint64_t *count, char *ret, size_t ret_size)
{
    uint64_t missing = 0;

    for (unsigned kind = 0; count != NULL && kind < RACE_KINDS; kind++)
        missing += lacking(progress, summary->writers, (enum race_kind)kind, count[kind]);
    if (progress->lost_writers > 0) {
        (void)snprintf(ret, ret_size, "%u of %u processes ended early.", progress->lost_writers, summary->writers);
    } else if (missing > 0) {
        (void)snprintf(ret, ret_size, "The writers left %" PRIu64 " of their tasks undone.", missing);
    } else if (progress->given_up > 0) {
        (void)snprintf(ret, ret_size, "%" PRIu64 " names were given up, because the writes were not executed.",
                       progress->given_up);
    } else if (!progress->read_back) {
        (void)snprintf(ret, ret_size, "The objects could not be read back.");
    } else if (count != NULL && summary->created < count[RACE_CREATE]) {
        (void)snprintf(ret, ret_size, "Only %" PRIu64 " of %" PRIu64 " keys were created.", summary->created,
                       count[RACE_CREATE]);
    } else {
        return false;
    }
    return true;
}

enum race_judgement race_conclude(const struct race_summary *summary, const struct race_progress *progress,
                                  const struct judge_result *judged, const uint64_t *count, char *ret, size_t ret_size)
{
    const struct judge_finding *first = &judged->finding[0];
    bool incremented = summary->kind[RACE_UPDATE].calls > 0;

    if (!progress->judged) {
        (void)snprintf(ret, ret_size, "The history could not be judged.");
        return RACE_INCOMPLETE;
    }
    if (judged->finding_count > 0) {
        (void)snprintf(ret, ret_size, "%s: %s (%s)", first->key, first->sentence,
                       judge_violation_name(first->violation));
        return RACE_BROKEN;
    }
    if (summary->unsettled > 0) {
        (void)snprintf(ret, ret_size, "The outcome of %" PRIu64 " calls is still unknown.", summary->unsettled);
        return RACE_UNSETTLED;
    }
    if (find_missing(summary, progress, count, ret, ret_size))
        return RACE_INCOMPLETE;
    if (judged->gave_up) {
        (void)snprintf(ret, ret_size, "The judge needs more steps than the limit for one key.");
        return RACE_INCOMPLETE;
    }
    if (count == NULL) {
        (void)snprintf(ret, ret_size, "Every verdict is true, and nothing that was committed is lost.");
    } else {
        (void)snprintf(ret, ret_size, "Every key has exactly one winner%s.",
                       incremented ? ", and the counter has every increment" : "");
    }
    return RACE_EXACT;
}

const char *race_judgement_name(enum race_judgement judgement)
{
    switch (judgement) {
    case RACE_EXACT: return "exact";
    case RACE_INCOMPLETE: return "incomplete";
    case RACE_UNSETTLED: return "unsettled";
    case RACE_BROKEN: break;
    }
    return "broken";
}
