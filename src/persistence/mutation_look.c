/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W5, W6: what may have been done is looked at. While what a write expects is there, it may be done yet: then it is looked at
 * again, until the deadline.
 */
#include "base/error.h"
#include "base/min.h"
#include "persistence/mutation.h"

enum { PAUSE_MS = 100, PAUSE_MAX_MS = 5000 };

static size_t count_looks(const struct mutations *mutations)
{
    size_t count = 0;
    for (size_t i = 0; i < mutations->count; i++)
        count += mutations->list[i].needs_look ? 1 : 0;
    return count;
}

/* What is unknown gets its ticket. */
static enum steps_next end_mutations(struct persistence *call)
{
    const struct mutations *mutations = call->work;
    const struct persistence_arguments *arguments = call->arguments;
    os_code code = OS_OK;
    for (size_t i = 0; i < arguments->count; i++) {
        os_document_result *result = &arguments->ret_results[i];
        if (result->verdict == OS_UNKNOWN)
            writing_add_ticket(call, &mutations->list[i].written, result);
        if (code == OS_OK && result->verdict != OS_COMMITTED) {
            call->error = result->error;
            code = result->error.code;
        }
    }
    return persistence_over(call, code);
}

/* ------------------------------------------------------------------------------------------------ pauses */

static enum steps_next pause_is_over(struct persistence *call)
{
    const struct mutations *mutations = call->work;
    return mutations->interval.cut ? end_mutations(call) : mutations_look(call);
}

/* Towards the deadline the pauses become shorter, so that the last look is shortly before it. */
static enum steps_next pause_before_look(struct persistence *call)
{
    struct mutations *mutations = call->work;
    uint64_t half_ms = clock_left_ms(call->deadline_monotonic_ms) / 2;
    if (half_ms < PAUSE_MS)
        return end_mutations(call);
    mutations->pause_ms = mutations->pause_ms == 0 ? PAUSE_MS : u64_min(2 * mutations->pause_ms, PAUSE_MAX_MS);
    client_interval_init(call->client, call->call.cancel, u64_min(mutations->pause_ms, half_ms), &mutations->interval);
    call->step = pause_is_over;
    call->steps.wait = &mutations->interval.sync;
    return STEPS_WAIT;
}

/* ------------------------------------------------------------------------------------------------ looks */

/* What an earlier look has told stays said. */
static void give_looked(struct persistence *call, struct row_call *of, struct mutation *mutation,
                        os_document_result *ret)
{
    bool was_seen = of->error.code == OS_OK && of->answer.outcome == TABLE_OK;
    json_t *const *found = of->answer.items.items;
    if (was_seen)
        writing_judge(&call->store, &mutation->written, found, &mutation->error, ret);
    else if (ret->verdict == 0)
        writing_say_unseen(&mutation->written, &of->error, ret);
    mutation->needs_look = was_seen && ret->verdict == OS_UNKNOWN && writing_may_follow(&mutation->written, found);
}

static enum steps_next were_looked_at(struct persistence *call)
{
    struct mutations *mutations = call->work;
    size_t look = 0;
    for (size_t i = 0; i < mutations->count; i++)
        if (mutations->list[i].needs_look)
            give_looked(call, &call->set.calls[look++], &mutations->list[i], &call->arguments->ret_results[i]);
    return count_looks(mutations) > 0 ? pause_before_look(call) : end_mutations(call);
}

static enum steps_next cannot_look(struct persistence *call)
{
    const struct mutations *mutations = call->work;
    (void)error_no_memory(&call->error);
    for (size_t i = 0; i < mutations->count; i++) {
        os_document_result *result = &call->arguments->ret_results[i];
        if (result->verdict == 0)
            writing_say_unseen(&mutations->list[i].written, &call->error, result);
    }
    return end_mutations(call);
}

enum steps_next mutations_look(struct persistence *call)
{
    struct mutations *mutations = call->work;
    size_t count = count_looks(mutations);
    size_t at = 0;
    if (count == 0)
        return end_mutations(call);
    struct row_call *calls = persistence_calls(call, count, "look at a document");
    if (calls == NULL)
        return cannot_look(call);
    for (size_t i = 0; i < mutations->count; i++) {
        struct mutation *mutation = &mutations->list[i];
        if (mutation->needs_look)
            writing_make_look(&call->store, &mutation->written, mutation->gets, &calls[at++].request);
    }
    return persistence_ask(call, were_looked_at);
}
