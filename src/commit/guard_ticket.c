/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guard of a ticket, and what of the ticket is believed (R17). Whoever can read the table can write a ticket for
 * another's record. So a ticket gives a date, a fence, a refusal only to the verdict on the write that it describes;
 * what is done to the record, or to its upload, rests on the record as it is stored.
 */
#include "commit/guard_internal.h"
#include "commit/words.h"

#include <assert.h>
#include <string.h>

void guard_init_resolve(struct guard *g, const struct guard_settings *settings, const struct guard_ticket *ticket,
                        uint64_t seed)
{
    memset(g, 0, sizeof(*g));
    g->settings = *settings;
    if (ticket->margin_s > settings->margin_s)
        g->settings.margin_s = ticket->margin_s;
    g->settings.native = ticket->native;
    g->settings.forward_only = ticket->forward_only;
    g->settings.native_writers = ticket->native_writers || settings->native_writers;
    g->backoff.random = seed;
    g->write.operation = ticket->operation;
    g->write.from_ticket = true;
    if (strcmp(ticket->expected_etag, RECORD_ETAG_CREATE) != 0)
        fixed_str_copy(g->write.expected_etag, ticket->expected_etag, sizeof(g->write.expected_etag));
    fixed_str_copy(g->write.our_etag, ticket->operation == GUARD_DELETE ? RECORD_ETAG_CREATE : ticket->our_etag,
                   sizeof(g->write.our_etag));
    record_copy(&g->own.record, &ticket->record);
    fixed_str_copy(g->write.nonce, ticket->record.nonce, sizeof(g->write.nonce));
    g->signature.d0_s = ticket->d0_s;
    version_copy(&g->check.base, &ticket->base);
    g->attempt.not_applied = ticket->not_applied;
    g->write.parts_in_doubt = ticket->parts_in_doubt;
    g->versioning = guard_versioning_of(settings, ticket->versioned);
}

void guard_ticket_of(const struct guard *g, struct guard_ticket *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->operation = g->write.operation;
    ret->native = g->settings.native;
    ret->forward_only = g->settings.forward_only;
    ret->native_writers = g->settings.native_writers;
    ret->versioned = g->versioning == GUARD_VERSIONED_BEFORE;
    fixed_str_copy(ret->expected_etag, guard_record_etag(g), sizeof(ret->expected_etag));
    fixed_str_copy(ret->our_etag, g->write.our_etag, sizeof(ret->our_etag));
    record_copy(&ret->record, &g->own.record);
    ret->d0_s = g->signature.d0_s;
    ret->margin_s = g->settings.margin_s;
    version_copy(&ret->base, &g->check.base);
    ret->not_applied = g->attempt.not_applied;
    ret->parts_in_doubt = g->write.parts_in_doubt;
}

/* The same nonce and generation were written once, with one content: a ticket that says otherwise was changed. Under
 * the same nonce an earlier or a later guard of one upload has another generation, and may have another fence: then
 * both bounds must have passed. */
bool guard_ticket_agrees(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->write.from_ticket && g->state == GUARD_RESOLVE_OWN);
    assert(g->own.hold == GUARD_HOLDS_NOTHING && g->round.own_row == GUARD_ROW_OF_NOBODY);
    const struct record *stored = &event->record;
    if (!event->found || !guard_is_ours(g, stored))
        return true;
    bool same = record_same(stored, &g->own.record);
    if (!same && stored->generation == g->own.record.generation) {
        guard_conclude(g, VERDICT_UNKNOWN, GUARD_REASON_FALSE_TICKET, RULE_R17, actions);
        return false;
    }
    bool past = stored->has_fence && guard_past_fence(g, g->time.head_date_s, stored->fence_s);
    if (stored->has_fence && !past)
        g->round.own_row = GUARD_ROW_ALIVE;
    else if (same)
        g->round.own_row = GUARD_ROW_AS_TICKET;
    if (!past)
        g->round.life = GUARD_LIFE_LEFT;
    if (same && guard_is_dead(g) && stored->upload == 0)
        g->own.hold = GUARD_HOLDS_RECORD;
    return true;
}

bool guard_owns_upload(const struct guard *g)
{
    assert(g->write.from_ticket || g->round.own_row < GUARD_ROW_ALIVE);
    return g->write.from_ticket && g->round.own_row == GUARD_ROW_AS_TICKET && guard_is_dead(g) &&
           g->own.record.upload != 0;
}
