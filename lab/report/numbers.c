/* SPDX-License-Identifier: Apache-2.0 */
#include "report/numbers.h"

#include <stdlib.h>
#include <string.h>

struct work {
    const struct history *history;
    const struct report_ends *ends;
    size_t calls;
    uint64_t *samples; /* room for one of each call or event */
    size_t *by_key;    /* calls by key, and by start within one */
    size_t *by_writer; /* calls by lane, and by start within one */
};

static uint64_t span(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* ------------------------------------------------------------------------------------------------------ counts */

static size_t verdict_index(os_verdict verdict)
{
    return verdict >= OS_COMMITTED && verdict <= OS_UNKNOWN ? (size_t)verdict : OS_UNKNOWN;
}

static void count_call(const struct history_call *call, struct report_numbers *ret)
{
    size_t settled = verdict_index(call->settled);

    ret->requests += call->requests;
    ret->attempts += call->attempts;
    if (call->operation == HISTORY_READ) {
        ret->reads++;
        return;
    }
    ret->guarded++;
    ret->settled_as[settled]++;
    if (call->end_us == HISTORY_NEVER) {
        ret->killed++;
        ret->killed_as[settled]++;
    } else if (verdict_index(call->verdict) == OS_UNKNOWN) {
        ret->unknown++;
        ret->unknown_as[settled]++;
    }
    ret->takeovers += call->took_over ? 1 : 0;
}

static void count_lanes(const struct history *history, struct report_numbers *ret)
{
    for (size_t i = 0; i < history_call_count(history); i++) {
        uint32_t writer = history_call_at(history, i)->writer;

        ret->lanes = writer >= ret->lanes && writer < UINT32_MAX ? writer + 1 : ret->lanes;
    }
    for (size_t i = 0; i < history_event_count(history); i++) {
        uint32_t writer = history_event_at(history, i)->writer;

        ret->lanes = writer >= ret->lanes && writer < UINT32_MAX ? writer + 1 : ret->lanes;
    }
}

/* --------------------------------------------------------------------------------------------------- latencies */

static void measure_latencies(struct work *work, struct report_numbers *ret)
{
    for (size_t operation = 0; operation < REPORT_OPERATIONS; operation++) {
        for (size_t verdict = 0; verdict < REPORT_VERDICTS; verdict++) {
            size_t count = 0;

            for (size_t i = 0; i < work->calls; i++) {
                const struct history_call *call = history_call_at(work->history, i);
                bool wanted = operation == 0 ? call->operation != HISTORY_READ : call->operation == operation;

                if (wanted && (verdict == 0 || verdict_index(call->verdict) == verdict) &&
                    call->end_us != HISTORY_NEVER)
                    work->samples[count++] = span(call->start_us, call->end_us);
            }
            ret->latency[operation][verdict] = spread_of(work->samples, count);
        }
    }
}

static void measure_waits(struct work *work, struct report_numbers *ret)
{
    size_t waited = 0;
    size_t settled = 0;

    for (size_t i = 0; i < work->calls; i++) {
        const struct history_call *call = history_call_at(work->history, i);

        if (call->took_over && call->operation != HISTORY_READ)
            work->samples[waited++] = call->waited_ms < UINT64_MAX / 1000 ? call->waited_ms * 1000 : UINT64_MAX;
    }
    ret->waited = spread_of(work->samples, waited);
    for (size_t i = 0; i < work->calls; i++) {
        const struct history_call *call = history_call_at(work->history, i);

        if (call->settled_us != 0)
            work->samples[settled++] = span(report_end(work->ends, i), call->settled_us);
    }
    ret->settling = spread_of(work->samples, settled);
}

/* -------------------------------------------------------------------------------------------- events, takeovers */

/* The place in by_writer of the first call of the lane that begins after `at_us`. */
static size_t first_after(const struct work *work, uint32_t writer, uint64_t at_us)
{
    size_t low = 0;
    size_t high = work->calls;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct history_call *call = history_call_at(work->history, work->by_writer[middle]);

        if (call->writer < writer || (call->writer == writer && call->start_us <= at_us))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A lane has one call at a time: the last one that began before the event's end may have met it, and those that began
 * during it. */
static size_t calls_met(const struct work *work, const struct history_event *event)
{
    uint64_t end_us = event->end_us != HISTORY_NEVER ? event->end_us : event->start_us;
    size_t end = first_after(work, event->writer, end_us);
    size_t begin = first_after(work, event->writer, event->start_us);
    size_t met = end - (begin <= end ? begin : end);

    if (begin > 0) {
        size_t before = work->by_writer[begin - 1];

        if (history_call_at(work->history, before)->writer == event->writer &&
            report_end(work->ends, before) >= event->start_us)
            met++;
    }
    return met;
}

static void measure_events(struct work *work, struct report_numbers *ret)
{
    for (unsigned kind = 1; kind < REPORT_KINDS; kind++) {
        size_t count = 0;

        for (size_t i = 0; i < history_event_count(work->history); i++) {
            const struct history_event *event = history_event_at(work->history, i);

            if (event->kind == kind) {
                work->samples[count++] = event->end_us == HISTORY_NEVER ? 0 : span(event->start_us, event->end_us);
                ret->met[kind] += calls_met(work, event);
            }
        }
        ret->events[kind] = spread_of(work->samples, count);
    }
}

/* The last call of another writer on the key that began before `at` in by_key and was abandoned before its end. */
static uint64_t holder_lost_at(const struct work *work, size_t at)
{
    enum { LOOK_BACK = 64 };
    const struct history_call *taker = history_call_at(work->history, work->by_key[at]);

    for (size_t back = 1; back <= at && back <= LOOK_BACK; back++) {
        const struct history_call *other = history_call_at(work->history, work->by_key[at - back]);
        uint64_t lost;

        if (other->key != taker->key)
            break;
        if (other->writer == taker->writer || other->operation == HISTORY_READ)
            continue;
        lost = report_lost(work->ends, work->by_key[at - back]);
        if (lost < taker->end_us)
            return lost;
    }
    return HISTORY_NEVER;
}

static void measure_takeovers(struct work *work, struct report_numbers *ret)
{
    size_t count = 0;

    for (size_t at = 0; at < work->calls; at++) {
        const struct history_call *call = history_call_at(work->history, work->by_key[at]);

        if (call->took_over && call->operation != HISTORY_READ && call->end_us != HISTORY_NEVER) {
            uint64_t lost = holder_lost_at(work, at);

            if (lost != HISTORY_NEVER)
                work->samples[count++] = span(lost, call->end_us);
        }
    }
    ret->failover = spread_of(work->samples, count);
}

/* --------------------------------------------------------------------------------------------------------- all */

static int compare_numbers(uint64_t left, uint64_t right)
{
    return left == right ? 0 : left < right ? -1 : 1;
}

struct place {
    uint64_t group;
    uint64_t start_us;
    size_t index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a;
    const struct place *right = b;
    int by_group = compare_numbers(left->group, right->group);
    int by_start = compare_numbers(left->start_us, right->start_us);

    return by_group != 0 ? by_group : by_start != 0 ? by_start : compare_numbers(left->index, right->index);
}

/* Equal keys are one pointer: the address groups them, and in no order that could be seen. */
static void sort_calls(struct work *work, struct place *places, bool by_key, size_t *ret)
{
    for (size_t i = 0; i < work->calls; i++) {
        const struct history_call *call = history_call_at(work->history, i);

        places[i] = (struct place){by_key ? (uint64_t)(uintptr_t)call->key : call->writer, call->start_us, i};
    }
    qsort(places, work->calls, sizeof(*places), compare_places);
    for (size_t i = 0; i < work->calls; i++)
        ret[i] = places[i].index;
}

static uint32_t count_writers(const struct work *work)
{
    uint32_t writers = 0;

    for (size_t at = 0; at < work->calls; at++) {
        uint32_t writer = history_call_at(work->history, work->by_writer[at])->writer;

        writers += at == 0 || writer != history_call_at(work->history, work->by_writer[at - 1])->writer ? 1 : 0;
    }
    return writers;
}

static size_t count_keys(const struct work *work)
{
    size_t keys = 0;

    for (size_t at = 0; at < work->calls; at++) {
        const char *key = history_call_at(work->history, work->by_key[at])->key;

        keys += at == 0 || key != history_call_at(work->history, work->by_key[at - 1])->key ? 1 : 0;
    }
    return keys;
}

static void measure(struct work *work, struct place *places, struct report_numbers *ret)
{
    sort_calls(work, places, true, work->by_key);
    sort_calls(work, places, false, work->by_writer);
    for (size_t i = 0; i < work->calls; i++)
        count_call(history_call_at(work->history, i), ret);
    count_lanes(work->history, ret);
    ret->keys = count_keys(work);
    ret->writers = count_writers(work);
    ret->duration_us = report_last_instant(work->ends);
    measure_latencies(work, ret);
    measure_waits(work, ret);
    measure_events(work, ret);
    measure_takeovers(work, ret);
}

bool report_numbers(const struct history *history, struct report_numbers *ret)
{
    size_t calls = history_call_count(history);
    size_t most = calls > history_event_count(history) ? calls : history_event_count(history);
    struct report_ends *ends = report_ends_new(history);
    struct place *places = malloc((calls + 1) * sizeof(*places));
    struct work work = {.history = history, .ends = ends, .calls = calls};
    bool good;

    memset(ret, 0, sizeof(*ret));
    work.samples = malloc((most + 1) * sizeof(*work.samples));
    work.by_key = malloc((calls + 1) * sizeof(*work.by_key));
    work.by_writer = malloc((calls + 1) * sizeof(*work.by_writer));
    good = ends != NULL && places != NULL && work.samples != NULL && work.by_key != NULL && work.by_writer != NULL;
    if (good)
        measure(&work, places, ret);
    report_ends_free(ends);
    free(places);
    free(work.samples);
    free(work.by_key);
    free(work.by_writer);
    return good;
}
