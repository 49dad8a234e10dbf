/* SPDX-License-Identifier: Apache-2.0 */
/* A contender: waiting for another writer's record, and taking it over when its attempt is dead (R11, R12, R14). */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ R12 */

/* R12, by the clocks that were read before the HEAD was sent, or by a Date that was received before. */
static bool holder_is_dead(const struct guard *g, uint64_t date_s)
{
    if (g->holder.record.timeout_ms == 0)
        return true;
    if (g->holder.record.has_fence)
        return guard_past_fence(g, date_s, g->holder.record.fence_s);
    uint64_t bound_ms = record_bound_ms(g->holder.record.timeout_ms, g->settings.max_clock_skew_rate);
    return clock_elapsed_min(&g->holder.first_seen, &g->time.head_clock) > bound_ms;
}

/* The HEAD seen last is R1 of the guard that continues: D0, version seen and fence are of it; the nonce stays. */
static void take_over(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(holder_is_dead(g, g->time.head_date_s) || guard_is_spent(&g->holder.record, &g->check.base));
    assert(g->holder.record.upload == 0 || g->holder.record.timeout_ms == 0 || g->holder.upload_aborted); /* R14 */
    if (g->holder.record.generation == UINT64_MAX) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNREADABLE_RECORD, RULE_R11, actions);
        return;
    }
    g->own.condition.kind = RECORD_IF_SEEN;
    record_copy(&g->own.condition.seen, &g->holder.record);
    g->own.record.generation = g->holder.record.generation + 1;
    guard_sign_at_head(g);
    guard_sign(g, now, actions);
}

/* What is signed at an older Date would leave too little of its signature. */
static bool head_is_recent(const struct guard *g, const struct clock_reading *now)
{
    return clock_elapsed_max(&g->check.clock, now) < GUARD_RECENT_DATE_MS;
}

/* R12.10: HEAD and PutItem go out together. The HEAD before the release was seen does not serve: the attempt under that
 * record may have been applied after it. */
static void take_over_beside(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->holder.record.timeout_ms == 0 && g->check.stage == GUARD_CHECK_DONE);
    g->check.stage = GUARD_CHECK_BESIDE;
    take_over(g, now, actions);
}

/* ------------------------------------------------------------------------------------------------ R11 */

void guard_see_record(struct guard *g, const struct record *item, const struct clock_reading *now,
                      struct guard_actions *actions)
{
    assert(!guard_is_ours(g, item));
    record_copy(&g->holder.record, item);
    g->holder.first_seen = *now;
    g->holder.upload_aborted = false;
    g->holder.just_met = true;
    if (item->timeout_ms > GUARD_LONG_LEASE_MS && !g->holder.lease_reported) {
        g->holder.lease_reported = true;
        actions->what |= GUARD_DO_REPORT_LEASE;
    }
}

static void contend_look(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    g->holder.just_met = false;
    g->state = GUARD_CONTEND_CHECKING;
    guard_request_head(g, now, actions);
}

/* R11.5: what the last HEAD showed is as old as the record; its holder is about to write. */
static void wait_for_commit(struct guard *g, struct guard_actions *actions)
{
    g->state = GUARD_CONTEND_WAITING;
    actions->has_timer = true;
    actions->timer_ms = g->settings.commit_ms;
}

/* The record was seen under way to the own one, or by a poll. */
static void look_or_take_over(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    if (head_is_recent(g, now) && g->holder.record.timeout_ms == 0)
        take_over_beside(g, now, actions);
    else if (head_is_recent(g, now) && guard_is_spent(&g->holder.record, &g->check.base))
        take_over(g, now, actions);
    else if (head_is_recent(g, now) && g->holder.just_met && g->settings.commit_ms > 0)
        wait_for_commit(g, actions);
    else
        contend_look(g, now, actions);
}

/* The answer that showed the record is a consistent read itself, so the first poll is only a HEAD. */
void guard_contend(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->check.stage == GUARD_CHECK_DONE && g->own.hold != GUARD_HOLDS_RECORD && g->awaiting == 0);
    /* The condition failed on another's item: no copy of ours was applied before it. */
    g->own.hold = GUARD_HOLDS_NOTHING;
    backoff_restart(&g->backoff);
    look_or_take_over(g, now, actions);
}

void guard_on_contend_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold == GUARD_HOLDS_NOTHING && g->awaiting == 0);
    if (g->holder.just_met) {
        contend_look(g, &event->now, actions);
        return;
    }
    g->state = GUARD_CONTEND_READING;
    guard_request(g, GUARD_DO_RECORD_GET, actions);
}

static bool as_seen(const struct guard *g, const struct record *item)
{
    return record_same_holder(&g->holder.record, item) && g->holder.record.timeout_ms == item->timeout_ms &&
           g->holder.record.upload == item->upload && g->holder.record.has_fence == item->has_fence &&
           (!item->has_fence || g->holder.record.fence_s == item->fence_s);
}

static void contend_found(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (guard_is_ours(g, &event->record)) {
        guard_continue_own(g, &event->record, &event->now, actions); /* R4 */
        return;
    }
    if (!as_seen(g, &event->record)) {
        guard_see_record(g, &event->record, &event->now, actions);
        backoff_restart(&g->backoff);
    }
    look_or_take_over(g, &event->now, actions);
}

void guard_on_contend_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (event->ledger == LEDGER_OK && event->found)
        contend_found(g, event, actions);
    else if (event->ledger == LEDGER_OK)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_RECORD_GONE, RULE_R11, actions);
    else if (event->ledger == LEDGER_REFUSED)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_LEDGER_REFUSED, RULE_R11, actions);
    else if (event->ledger == LEDGER_UNREADABLE)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNREADABLE_RECORD, RULE_R11, actions);
    else
        guard_wait(g, GUARD_CONTEND_WAITING, actions);
}

/* ------------------------------------------------------------------------------------------------ R14 */

static void on_dead_holder(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(!guard_broken(g, &event->version)); /* R14.8: nothing is aborted for a race that is lost */
    bool has_upload = g->holder.record.upload != 0 && g->holder.record.timeout_ms != 0;
    if (has_upload && !g->holder.upload_aborted) {
        g->state = GUARD_CONTEND_ABORTING;
        actions->upload = g->holder.record.upload;
        guard_request(g, GUARD_DO_ABORT, actions);
    } else {
        take_over(g, &event->now, actions);
    }
}

/* The HEAD comes after the abort in any case: "accepted" is also said of an upload that was completed before. Where the
 * holder has no fence, its Complete may have been admitted before the abort: R12's bound, which covers its allowance
 * (T6), begins anew. */
void guard_on_aborted(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->holder.record.upload != 0 && !g->holder.upload_aborted);
    if (event->upload == UPLOAD_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_ABORT_REFUSED, RULE_R14, actions);
        return;
    }
    g->holder.upload_aborted = event->upload == UPLOAD_ABORTED || event->upload == UPLOAD_GONE;
    if (g->holder.upload_aborted && !g->holder.record.has_fence)
        g->holder.first_seen = event->now;
    if (g->holder.upload_aborted && g->holder.record.has_fence) {
        g->state = GUARD_CONTEND_CHECKING;
        guard_request_head(g, &event->now, actions);
    } else {
        guard_wait(g, GUARD_CONTEND_WAITING, actions);
    }
}

/* Until R12's bound, by the Date of the last HEAD or by the local clocks. It has not passed by them. */
static uint64_t time_to_bound_ms(const struct guard *g, uint64_t date_s, uint64_t waited_ms)
{
    const struct record *record = &g->holder.record;
    if (record->has_fence)
        return (guard_until_past_s(g, date_s, record->fence_s) + 1) * 1000;
    uint64_t bound_ms = record_bound_ms(record->timeout_ms, g->settings.max_clock_skew_rate);
    return bound_ms > waited_ms ? bound_ms - waited_ms : 0;
}

/* R11.2: a holder that has been at it for long is dead or slow, and need not be asked for every second. But his bound is
 * not slept through: contenders wake up one after the other from then on. */
static void wait_for_holder(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    guard_wait(g, GUARD_CONTEND_WAITING, actions);
    uint64_t waited_ms = clock_elapsed_min(&g->holder.first_seen, &event->now);
    uint64_t left_ms = time_to_bound_ms(g, event->date_s, waited_ms);
    uint64_t longer_ms = waited_ms < GUARD_POLL_MAX_MS ? waited_ms : GUARD_POLL_MAX_MS;
    uint64_t pause_ms = longer_ms < left_ms ? longer_ms : left_ms + actions->timer_ms / 4;
    if (g->backoff.step_ms == BACKOFF_MAX_MS && pause_ms > actions->timer_ms)
        actions->timer_ms = pause_ms;
}

void guard_on_contend_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold == GUARD_HOLDS_NOTHING && !guard_is_ours(g, &g->holder.record));
    if (event->head == HEAD_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_HEAD_REFUSED, RULE_R11, actions);
        return;
    }
    if (event->head == HEAD_ANSWERED && guard_broken(g, &event->version)) {
        version_copy(&g->outcome.found, &event->version);
        guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_EXPECTATION, RULE_R11, actions);
        return;
    }
    if (event->head != HEAD_ANSWERED || !event->has_date) {
        guard_wait(g, GUARD_CONTEND_WAITING, actions);
        return;
    }
    guard_note_head(g, event);
    if (guard_is_spent(&g->holder.record, &event->version))
        take_over(g, &event->now, actions);
    else if (holder_is_dead(g, g->time.head_date_s))
        on_dead_holder(g, event, actions);
    else if (holder_is_dead(g, event->date_s))
        /* The bound was passed while this HEAD was under way: its Date is of its end, what it shows may be older. */
        guard_request_head(g, &event->now, actions);
    else
        wait_for_holder(g, event, actions);
}
