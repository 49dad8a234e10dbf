/* SPDX-License-Identifier: Apache-2.0 */
/* From the first HEAD to a record that is held and an expectation that still holds under it: R1 to R5. */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ R1 */

static void native_check(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->settings.native && g->own.hold == GUARD_HOLDS_NOTHING);
    /* With a recent Date nobody needs to look at the object: the store's condition does. */
    bool has_date = g->check.stage == GUARD_CHECK_BESIDE;
    g->check.stage = has_date ? GUARD_CHECK_DONE : GUARD_CHECK_FIRST;
    g->state = GUARD_CHECKING;
    if (!has_date)
        guard_request_head(g, &event->now, actions);
    if (g->write.operation == GUARD_COPY)
        guard_request(g, GUARD_DO_SOURCE, actions);
    else if (has_date)
        guard_sign(g, &event->now, actions);
}

/* R3.7: the record fixes date and length, and counts on a source of the size that is expected. */
static void copy_beside(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    g->signature.length_s = g->settings.length_s;
    g->signature.at_once = true; /* F3.2; what is signed later is held against it */
    guard_lock(g, &event->now, actions);
    guard_request(g, GUARD_DO_SOURCE, actions);
}

/* N4.4: then its ETag would name two versions. */
static void refuse_same_bytes(struct guard *g, struct guard_actions *actions)
{
    assert(g->settings.forward_only && g->write.expected_etag[0] && g->attempt.send_count == 0);
    guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SAME_ETAG, RULE_N4, actions);
}

static bool copies_same_bytes(const struct guard *g, const struct guard_event *source)
{
    return g->settings.forward_only && g->write.expected_etag[0] &&
           strcmp(source->version.etag, g->write.expected_etag) == 0;
}

void guard_check(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->check.stage != GUARD_CHECK_DONE && g->awaiting == 0);
    if (g->write.keeps_bytes) {
        refuse_same_bytes(g, actions);
        return;
    }
    if (g->settings.native) {
        native_check(g, event, actions);
        return;
    }
    if (g->check.stage == GUARD_CHECK_BESIDE && g->write.operation == GUARD_COPY) {
        copy_beside(g, event, actions);
        return;
    }
    if (g->check.stage == GUARD_CHECK_BESIDE) {
        guard_sign(g, &event->now, actions); /* R2 comes first even here; HEAD and PutItem follow together */
        return;
    }
    g->state = GUARD_CHECKING;
    guard_request_head(g, &event->now, actions);
    if (g->write.operation == GUARD_COPY)
        guard_request(g, GUARD_DO_SOURCE, actions);
}

static void record_acquired(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);

static bool is_checked(const struct guard *g)
{
    bool has_source = g->write.operation != GUARD_COPY || g->check.source == GUARD_SOURCE_FOUND;
    return g->check.stage == GUARD_CHECK_DONE && has_source;
}

/* After each answer of R1: what waits for all of them. */
static void go_on_when_checked(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    if (!is_checked(g))
        return;
    if (g->state == GUARD_CHECKING)
        guard_sign(g, now, actions);
    else if (g->state == GUARD_CONTEND_FIRST)
        guard_contend(g, now, actions);
    else if (g->own.hold == GUARD_HOLDS_RECORD)
        record_acquired(g, now, actions);
}

/* R3.6: then what the record says that it saw is not what is there. */
static bool knew_another(const struct guard *g, const struct object_version *version)
{
    return version->exists && strcmp(g->check.known_nonce, version->nonce) != 0;
}

void guard_on_check_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->check.stage != GUARD_CHECK_DONE);
    if (event->head == HEAD_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_HEAD_REFUSED, RULE_R1, actions);
        return;
    }
    if (event->head == HEAD_FAILED || !event->has_date) {
        guard_wait(g, g->state, actions);
        return;
    }
    if (guard_broken(g, &event->version)) {
        version_copy(&g->outcome.found, &event->version);
        guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_EXPECTATION, RULE_R1, actions);
        return;
    }
    if (g->check.source == GUARD_SOURCE_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SOURCE, RULE_R1, actions);
        return;
    }
    bool comes_first = g->check.stage == GUARD_CHECK_FIRST;
    bool says_saw = !comes_first && g->state != GUARD_CONTEND_FIRST; /* a record that is under way, or held */
    if (says_saw && knew_another(g, &event->version)) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_MISTAKEN, RULE_R3, actions);
        return;
    }
    guard_note_head(g, event);
    g->check.stage = GUARD_CHECK_DONE;
    if (comes_first)
        guard_sign_at_head(g);
    go_on_when_checked(g, &event->now, actions);
}

/* R3.7: the record that was put does. */
static bool counts_on(const struct guard *g, uint64_t source_bytes)
{
    return g->state == GUARD_CHECKING || source_bytes <= guard_copy_expected_bytes(g);
}

void guard_on_source(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->write.operation == GUARD_COPY && g->check.source == GUARD_SOURCE_OPEN);
    if (event->head == HEAD_FAILED) {
        guard_wait(g, g->state, actions);
        return;
    }
    if (event->head == HEAD_REFUSED && g->awaiting & GUARD_DO_HEAD) {
        g->check.source = GUARD_SOURCE_REFUSED; /* a broken expectation is the better answer: wait for the HEAD */
        return;
    }
    if (event->head == HEAD_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SOURCE, RULE_R1, actions);
        return;
    }
    if (copies_same_bytes(g, event)) {
        refuse_same_bytes(g, actions);
        return;
    }
    if (event->source_bytes > GUARD_COPY_MAX_BYTES) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SOURCE_TOO_LARGE, RULE_R1, actions);
        return;
    }
    if (!counts_on(g, event->source_bytes)) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_MISTAKEN, RULE_R3, actions);
        return;
    }
    bool counts = g->state == GUARD_CHECKING && !g->settings.source_unpinned;
    g->check.source_bytes = counts ? event->source_bytes : guard_copy_expected_bytes(g);
    g->check.source = GUARD_SOURCE_FOUND;
    go_on_when_checked(g, &event->now, actions);
}

/* ------------------------------------------------------------------------------------------------ R3, R4 */

void guard_on_signed(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold == GUARD_HOLDS_NOTHING && g->attempt.send_count == 0);
    if (!event->signed_ok) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SIGN_FAILED, RULE_R2, actions);
        return;
    }
    g->signature.made = true;
    g->signature.at_once = event->at_once;
    g->signature.wire_bytes = event->wire_bytes;
    if (g->settings.native) {
        guard_describe_record(g);
        g->own.lease_clock = event->now;
        backoff_restart(&g->backoff);
        guard_send(g, &event->now, actions);
    } else {
        guard_lock(g, &event->now, actions);
    }
}

static bool lease_over(const struct guard *g, const struct clock_reading *now)
{
    return clock_elapsed_max(&g->own.lease_clock, now) >= g->own.record.timeout_ms;
}

static void record_acquired(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->state != GUARD_CONTEND_FIRST && !(g->awaiting & GUARD_DO_RECORD_PUT));
    g->own.hold = GUARD_HOLDS_RECORD;
    g->own.took_over = g->own.condition.kind == RECORD_IF_SEEN && !guard_continues_own(g);
    backoff_restart(&g->backoff);
    if (!is_checked(g)) {
        g->state = GUARD_ACQUIRING; /* from ACQUIRE_READING a timer would send the GetItem once more */
        if (!(g->awaiting & (GUARD_DO_HEAD | GUARD_DO_SOURCE)))
            guard_wait(g, GUARD_ACQUIRING, actions);
        return; /* R1's HEAD, sent beside the PutItem, is still to come */
    }
    if (guard_continues_own(g) || clock_elapsed_max(&g->time.head_clock, now) > g->settings.recheck_after_ms) { /* R5 */
        g->state = GUARD_RECHECKING;
        guard_request_head(g, now, actions);
        return;
    }
    guard_send(g, now, actions);
}

/* Timeout and ttl too: a release that an earlier guard of the same upload left to the background has our nonce, and
 * can have the generation of what continues its record. */
static bool just_sent(const struct guard *g, const struct record *item)
{
    return record_same_holder(item, &g->own.record) && item->timeout_ms == g->own.record.timeout_ms &&
           item->has_fence == g->own.record.has_fence && (!item->has_fence || item->fence_s == g->own.record.fence_s);
}

/* What of it is neither answered nor under way. */
static void ask_r1_again(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    bool source_open = g->write.operation == GUARD_COPY && g->check.source == GUARD_SOURCE_OPEN;
    if (g->check.stage != GUARD_CHECK_DONE && !(g->awaiting & GUARD_DO_HEAD))
        guard_request_head(g, now, actions);
    if (source_open && !(g->awaiting & GUARD_DO_SOURCE))
        guard_request(g, GUARD_DO_SOURCE, actions);
}

static void met_item(struct guard *g, const struct record *item, const struct clock_reading *now,
                     struct guard_actions *actions)
{
    assert(g->own.hold != GUARD_HOLDS_RECORD && g->state != GUARD_CONTEND_FIRST);
    if (!guard_is_ours(g, item)) {
        if (g->own.hold == GUARD_HOLDS_OLDER)
            g->own.hold = GUARD_HOLDS_NOTHING;
        guard_see_record(g, item, now, actions);
        if (is_checked(g)) {
            guard_contend(g, now, actions);
            return;
        }
        g->state = GUARD_CONTEND_FIRST; /* first let R1 say whether there is anything to contend for */
        ask_r1_again(g, now, actions);
        return;
    }
    if (just_sent(g, item))
        record_acquired(g, now, actions);
    else
        guard_continue_own(g, item, now, actions);
}

/* R4: the same PutItem again, or the GetItem, within the lease. */
static void again_within_lease(struct guard *g, const struct guard_event *event, enum guard_state state,
                               struct guard_actions *actions)
{
    assert(!g->settings.native && guard_phase(g) == GUARD_PHASE_ACQUIRE);
    if (lease_over(g, &event->now))
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_TOO_LATE, RULE_R4, actions);
    else
        guard_wait(g, state, actions);
}

void guard_on_record_put(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold != GUARD_HOLDS_RECORD && g->attempt.send_count == 0);
    switch (event->ledger) {
    case LEDGER_OK: record_acquired(g, &event->now, actions); return;
    case LEDGER_CONFLICT: met_item(g, &event->record, &event->now, actions); return;
    case LEDGER_CONFLICT_BLIND:
        g->own.hold = GUARD_HOLDS_MAYBE; /* any layer may have sent it twice: the item in its way is perhaps ours */
        g->state = GUARD_ACQUIRE_READING;
        guard_request(g, GUARD_DO_RECORD_GET, actions);
        return;
    case LEDGER_AMBIGUOUS:
        g->own.hold = GUARD_HOLDS_MAYBE;
        again_within_lease(g, event, GUARD_ACQUIRING, actions);
        return;
    case LEDGER_THROTTLED: /* E1 */ again_within_lease(g, event, GUARD_ACQUIRING, actions); return;
    case LEDGER_REFUSED: guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_LEDGER_REFUSED, RULE_R3, actions); return;
    case LEDGER_UNREADABLE:
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNREADABLE_RECORD, RULE_R3, actions);
        return;
    }
}

/* R3: the verdict is given, the PutItem is answered only now. */
void guard_orphan_answered(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->outcome.verdict != VERDICT_NONE && g->own.hold != GUARD_HOLDS_RECORD && g->awaiting == 0);
    g->state = GUARD_FINISHED;
    switch (event->ledger) {
    case LEDGER_OK: g->own.hold = GUARD_HOLDS_RECORD; break;
    case LEDGER_CONFLICT:
        /* What a resolution of our ticket has released meanwhile is left as it is. */
        g->own.hold = guard_is_ours(g, &event->record) && event->record.timeout_ms != 0 ? GUARD_HOLDS_RECORD
                                                                                        : GUARD_HOLDS_NOTHING;
        if (g->own.hold == GUARD_HOLDS_RECORD)
            record_copy(&g->own.record, &event->record);
        break;
    case LEDGER_AMBIGUOUS:
    case LEDGER_CONFLICT_BLIND: g->own.hold = GUARD_HOLDS_MAYBE; break;
    case LEDGER_THROTTLED:
    case LEDGER_REFUSED:
    case LEDGER_UNREADABLE: break; /* this one was not applied: what was before it stands */
    }
    guard_release(g, actions);
}

/* A consistent read shows no record: there is nothing to release. */
static void record_gone(struct guard *g, struct guard_actions *actions)
{
    assert(g->own.hold != GUARD_HOLDS_RECORD);
    g->own.hold = GUARD_HOLDS_NOTHING;
    guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_RECORD_GONE, RULE_R4, actions);
}

void guard_on_acquire_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold == GUARD_HOLDS_MAYBE); /* R4: a PutItem whose answer tells nothing */
    if (event->ledger == LEDGER_OK && event->found)
        met_item(g, &event->record, &event->now, actions);
    else if (event->ledger == LEDGER_OK)
        record_gone(g, actions);
    else if (event->ledger == LEDGER_REFUSED)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_LEDGER_REFUSED, RULE_R4, actions);
    else if (event->ledger == LEDGER_UNREADABLE)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNREADABLE_RECORD, RULE_R4, actions);
    else
        again_within_lease(g, event, GUARD_ACQUIRE_READING, actions);
}

/* ------------------------------------------------------------------------------------------------ R5 */

void guard_on_recheck_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->own.hold == GUARD_HOLDS_RECORD && g->check.stage == GUARD_CHECK_DONE);
    if (event->head == HEAD_REFUSED) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_HEAD_REFUSED, RULE_R5, actions);
        return;
    }
    if (event->head == HEAD_FAILED) {
        again_within_lease(g, event, GUARD_RECHECKING, actions);
        return;
    }
    if (guard_broken(g, &event->version)) {
        version_copy(&g->outcome.found, &event->version);
        guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_EXPECTATION, RULE_R5, actions);
        return;
    }
    if (knew_another(g, &event->version)) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_MISTAKEN, RULE_R5, actions);
        return;
    }
    version_copy(&g->check.base, &event->version);
    guard_send(g, &event->now, actions);
}

/* Sends again whatever of R1, R3, R4 and R5 is wanted and not under way. */
void guard_on_acquire_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->outcome.verdict == VERDICT_NONE && g->attempt.send_count == 0);
    bool checks = g->state == GUARD_CHECKING || g->state == GUARD_CONTEND_FIRST;
    if (!checks && lease_over(g, &event->now)) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_TOO_LATE, RULE_R4, actions);
        return;
    }
    if (g->state == GUARD_RECHECKING && !(g->awaiting & GUARD_DO_HEAD))
        guard_request_head(g, &event->now, actions);
    ask_r1_again(g, &event->now, actions);
    bool unlocked = g->state == GUARD_ACQUIRING && g->own.hold != GUARD_HOLDS_RECORD;
    if (unlocked && !(g->awaiting & GUARD_DO_RECORD_PUT))
        guard_put_record(g, actions);
    if (g->state == GUARD_ACQUIRE_READING && !(g->awaiting & GUARD_DO_RECORD_GET))
        guard_request(g, GUARD_DO_RECORD_GET, actions);
}
