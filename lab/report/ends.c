/* SPDX-License-Identifier: Apache-2.0 */
#include "report/numbers.h"

#include <stdlib.h>

struct report_ends {
    uint64_t last;
    size_t count;
    struct {
        uint64_t end;
        uint64_t lost;
    } call[];
};

/* Where a lane's process ends (at a kill, and at the latest when the next one begins), or where it is paused. */
struct stop {
    uint32_t writer;
    uint64_t at_us;
};

static int compare_stops(const void *a, const void *b)
{
    const struct stop *left = a;
    const struct stop *right = b;

    if (left->writer != right->writer)
        return left->writer < right->writer ? -1 : 1;
    return left->at_us == right->at_us ? 0 : left->at_us < right->at_us ? -1 : 1;
}

static size_t collect_stops(const struct history *history, bool pauses, struct stop *ret)
{
    size_t count = 0;

    for (size_t i = 0; i < history_event_count(history); i++) {
        const struct history_event *event = history_event_at(history, i);

        if (pauses ? event->kind == HISTORY_PAUSE : event->kind == HISTORY_KILL || event->kind == HISTORY_START)
            ret[count++] = (struct stop){event->writer, event->start_us};
    }
    qsort(ret, count, sizeof(*ret), compare_stops);
    return count;
}

/* The first stop of the call's lane at or after its start; `otherwise` where there is none. */
static uint64_t stop_after(const struct stop *stops, size_t count, const struct history_call *call, uint64_t otherwise)
{
    struct stop wanted = {call->writer, call->start_us};
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_stops(&stops[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && stops[low].writer == call->writer ? stops[low].at_us : otherwise;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return b != HISTORY_NEVER && b > a ? b : a;
}

static uint64_t last_instant(const struct history *history)
{
    uint64_t last = 0;

    for (size_t i = 0; i < history_call_count(history); i++) {
        const struct history_call *call = history_call_at(history, i);

        last = later(later(later(last, call->start_us), call->end_us), call->settled_us);
    }
    for (size_t i = 0; i < history_event_count(history); i++)
        last = later(later(last, history_event_at(history, i)->start_us), history_event_at(history, i)->end_us);
    return last;
}

static void find_ends(const struct history *history, struct stop *stops, struct report_ends *ret)
{
    size_t count = collect_stops(history, false, stops);

    for (size_t i = 0; i < ret->count; i++) {
        const struct history_call *call = history_call_at(history, i);
        bool returned = call->end_us != HISTORY_NEVER;

        ret->call[i].end = returned ? call->end_us : stop_after(stops, count, call, ret->last);
        ret->call[i].lost = returned && call->verdict != OS_UNKNOWN ? HISTORY_NEVER : ret->call[i].end;
    }
    count = collect_stops(history, true, stops);
    for (size_t i = 0; i < ret->count; i++) {
        uint64_t paused = stop_after(stops, count, history_call_at(history, i), HISTORY_NEVER);

        if (paused <= ret->call[i].end && paused < ret->call[i].lost)
            ret->call[i].lost = paused;
    }
}

struct report_ends *report_ends_new(const struct history *history)
{
    size_t calls = history_call_count(history);
    struct report_ends *ends = malloc(sizeof(*ends) + calls * sizeof(ends->call[0]));
    struct stop *stops = malloc((history_event_count(history) + 1) * sizeof(*stops));

    if (ends == NULL || stops == NULL) {
        free(ends);
        free(stops);
        return NULL;
    }
    ends->count = calls;
    ends->last = last_instant(history);
    find_ends(history, stops, ends);
    free(stops);
    return ends;
}

void report_ends_free(struct report_ends *ends)
{
    free(ends);
}

uint64_t report_end(const struct report_ends *ends, size_t call)
{
    return call < ends->count ? ends->call[call].end : ends->last;
}

uint64_t report_lost(const struct report_ends *ends, size_t call)
{
    return call < ends->count ? ends->call[call].lost : HISTORY_NEVER;
}

uint64_t report_last_instant(const struct report_ends *ends)
{
    return ends->last;
}
