/* SPDX-License-Identifier: Apache-2.0 */
#include "client/row_set.h"

#include "base/container.h"
#include "base/error.h"

static bool has_one_to_start(const struct row_set *set)
{
    return set->next < set->count && set->under_way < set->parallel;
}

static void start_next(struct row_set *set)
{
    os_call left = set->limits;
    left.deadline_ms = clock_left_ms(set->deadline_monotonic_ms);
    set->under_way++;
    row_call_start(&set->calls[set->next++], &left);
}

/* One that ends at once comes back here: then the loop that started it goes on. */
static void start_more(struct row_set *set)
{
    if (set->is_starting)
        return;
    set->is_starting = true;
    while (has_one_to_start(set))
        start_next(set);
    set->is_starting = false;
    if (set->under_way == 0)
        sync_finish(&set->sync);
}

static void one_is_over(struct row_call *call)
{
    struct row_set *set = call->context;
    set->under_way--;
    start_more(set);
}

static void begin_set(struct sync *sync)
{
    start_more(container_of(sync, struct row_set, sync));
}

void row_set_prepare(struct row_set *set)
{
    set->sync.start = begin_set;
    set->next = 0;
    set->under_way = 0;
    set->is_starting = false;
    for (size_t i = 0; i < set->count; i++) {
        set->calls[i].done = one_is_over;
        set->calls[i].context = set;
        (void)error_no_memory(&set->calls[i].error); /* which it is where it does not begin */
    }
}

void row_set_free(struct row_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        row_call_free(&set->calls[i]);
}

os_code row_set_ask_one(struct row_call *call, const os_call *limits, uint64_t deadline_monotonic_ms, os_error *err)
{
    struct row_set set = {
        .calls = call, .count = 1, .parallel = 1, .limits = *limits, .deadline_monotonic_ms = deadline_monotonic_ms};
    row_set_prepare(&set);
    os_code code = sync_run(call->client, &set.sync, err);
    if (code != OS_OK || call->error.code == OS_OK)
        return code;
    *err = call->error;
    return call->error.code;
}
