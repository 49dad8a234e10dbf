/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part of the guard rests on: how it begins, what it knows of its expectation, its record and its fence, the
 * requests that it asks for, and how it ends (V1-V5, T3). Knows none of the parts above it.
 */
#include "commit/guard_internal.h"

#include "commit/words.h"

#include <assert.h>
#include <string.h>

enum guard_versioning guard_versioning_of(const struct guard_settings *settings, bool before)
{
    if (before)
        return GUARD_VERSIONED_BEFORE;
    return settings->versioned || settings->versions_likely ? GUARD_VERSIONED_NOW : GUARD_UNVERSIONED;
}

static void know_nonce(struct guard *g, const char *nonce)
{
    fixed_str_copy(g->check.known_nonce, nonce, sizeof(g->check.known_nonce));
    g->check.knows_nonce = true;
}

/* R12.11. The HEAD that R12.5 asks for follows, as this guard has sent none yet. */
static void begin_on_released(struct guard *g, const struct record *released)
{
    assert(released->timeout_ms == 0 && !g->settings.native);
    if (guard_is_ours(g, released) || released->generation == UINT64_MAX)
        return; /* R4; and with nothing above it R11 says so */
    g->own.condition.kind = RECORD_IF_SEEN;
    record_copy(&g->own.condition.seen, released);
    g->own.record.generation = released->generation + 1;
}

/* Without a HEAD that comes first. A record that lacks `saw` takes row A's best evidence from the writer of what is
 * replaced. L10: what the store's own condition does not ask for is looked at. */
static bool may_begin_beside(const struct guard *g, const struct guard_start *start)
{
    bool native = g->settings.native;
    bool knows_what_it_sees = native || start->expected_etag == NULL || g->check.knows_nonce;
    bool needs_a_look = native && start->fencing != 0 && start->expected_etag != NULL;
    return start->has_recent_date && knows_what_it_sees && !needs_a_look;
}

void guard_init(struct guard *g, const struct guard_settings *settings, const struct guard_start *start)
{
    memset(g, 0, sizeof(*g));
    g->settings = *settings;
    g->backoff.random = start->seed;
    g->write.operation = start->operation;
    assert(start->operation != GUARD_DELETE || start->expected_etag != NULL);
    if (start->expected_etag)
        fixed_str_copy(g->write.expected_etag, start->expected_etag, sizeof(g->write.expected_etag));
    if (start->operation == GUARD_DELETE)
        fixed_str_copy(g->write.our_etag, RECORD_ETAG_CREATE, sizeof(g->write.our_etag));
    else if (settings->etag_known && start->our_etag)
        fixed_str_copy(g->write.our_etag, start->our_etag, sizeof(g->write.our_etag));
    if (settings->forward_only && start->expected_etag && start->our_etag) /* whatever ETags are here */
        g->write.keeps_bytes = strcmp(start->our_etag, start->expected_etag) == 0;
    fixed_str_copy(g->write.nonce, start->nonce, sizeof(g->write.nonce));
    g->write.part_count = start->part_count;
    g->write.fencing = start->fencing;
    g->write.parts_in_doubt = start->parts_in_doubt;
    g->versioning = guard_versioning_of(settings, settings->versioned);
    assert((start->operation == GUARD_COMPLETE) == (start->upload != 0));
    g->own.record.upload = start->upload;
    g->own.condition.kind = RECORD_IF_ABSENT;
    g->own.record.generation = start->generation & ((UINT64_C(1) << 48) - 1); /* T2 */
    if (start->released)
        begin_on_released(g, start->released);
    if (start->known_nonce)
        know_nonce(g, start->known_nonce);
    if (may_begin_beside(g, start)) {
        g->check.stage = GUARD_CHECK_BESIDE;
        g->signature.d0_s = start->recent_date_s;
        g->time.largest_date_s = start->recent_date_s;
        g->signature.d0_clock = start->recent_clock;
    }
}

/* ------------------------------------------------------------------------------------------------ what it says */

bool guard_finished(const struct guard *g)
{
    return g->state == GUARD_FINISHED;
}

enum verdict guard_verdict(const struct guard *g)
{
    return g->outcome.verdict;
}

bool guard_try_again(const struct guard *g)
{
    if (g->outcome.verdict != VERDICT_NOT_EXECUTED || g->write.from_ticket)
        return false;
    return g->outcome.reason == GUARD_REASON_RECORD_GONE || g->outcome.reason == GUARD_REASON_TOO_LATE ||
           g->outcome.reason == GUARD_REASON_EXPIRED || g->outcome.reason == GUARD_REASON_NOT_SENT ||
           g->outcome.reason == GUARD_REASON_SKEWED || g->outcome.reason == GUARD_REASON_MISTAKEN;
}

bool guard_expired(const struct guard *g)
{
    return g->attempt.came_too_late && g->outcome.verdict == VERDICT_NOT_EXECUTED;
}

bool guard_by_fence(const struct guard *g)
{
    bool lost = g->outcome.verdict == VERDICT_CONFLICT || g->outcome.verdict == VERDICT_NOT_EXECUTED;
    bool by_pair = g->outcome.verdict == VERDICT_CONFLICT && g->outcome.rule == RULE_N4; /* dead or not */
    return lost && guard_is_dead(g) && !g->attempt.not_applied && !by_pair;
}

static const char *const rule_names[] = {
    [GUARD_RULE_NONE] = "", [RULE_R1] = "R1",       [RULE_R2] = "R2",       [RULE_R3] = "R3",
    [RULE_R4] = "R4",       [RULE_R5] = "R5",       [RULE_R6] = "R6",       [RULE_R7] = "R7",
    [RULE_R8] = "R8",       [RULE_R9] = "R9",       [RULE_R11] = "R11",     [RULE_V3] = "V3",
    [RULE_V4] = "V4",       [RULE_E2] = "E2",       [RULE_R13_A] = "R13.A", [RULE_R13_B] = "R13.B",
    [RULE_R13_C] = "R13.C", [RULE_R13_D] = "R13.D", [RULE_R13_E] = "R13.E", [RULE_R13_F] = "R13.F",
    [RULE_R14] = "R14",     [RULE_R16] = "R16",     [RULE_R17] = "R17",     [RULE_N1] = "N1",
    [RULE_N2] = "N2",       [RULE_N3] = "N3",       [RULE_N4] = "N4",
};

const char *guard_rule_name(const struct guard *g)
{
    assert(g->outcome.rule < sizeof(rule_names) / sizeof(rule_names[0]));
    return rule_names[g->outcome.rule];
}

/* ------------------------------------------------------------------------------------------------ what it knows */

static const uint8_t phases[] = {
    [GUARD_NEW] = GUARD_PHASE_CHECK,
    [GUARD_CHECKING] = GUARD_PHASE_CHECK,
    [GUARD_SIGNING] = GUARD_PHASE_CHECK,
    [GUARD_ACQUIRING] = GUARD_PHASE_ACQUIRE,
    [GUARD_ACQUIRE_READING] = GUARD_PHASE_ACQUIRE,
    [GUARD_RECHECKING] = GUARD_PHASE_ACQUIRE,
    [GUARD_SENDING] = GUARD_PHASE_ATTEMPT,
    [GUARD_SEND_WAITING] = GUARD_PHASE_ATTEMPT,
    [GUARD_SIGNING_AGAIN] = GUARD_PHASE_ATTEMPT,
    [GUARD_CONTEND_FIRST] = GUARD_PHASE_CONTEND,
    [GUARD_CONTEND_WAITING] = GUARD_PHASE_CONTEND,
    [GUARD_CONTEND_READING] = GUARD_PHASE_CONTEND,
    [GUARD_CONTEND_CHECKING] = GUARD_PHASE_CONTEND,
    [GUARD_CONTEND_ABORTING] = GUARD_PHASE_CONTEND,
    [GUARD_RESOLVE_HEAD] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_OWN] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_OTHERS] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_PARTS] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_AGAIN] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_VERSIONS] = GUARD_PHASE_RESOLVE,
    [GUARD_RESOLVE_WAITING] = GUARD_PHASE_RESOLVE,
    [GUARD_ORPHANED] = GUARD_PHASE_OVER,
    [GUARD_CLEARING] = GUARD_PHASE_OVER,
    [GUARD_FINISHED] = GUARD_PHASE_OVER,
};

enum guard_phase guard_phase(const struct guard *g)
{
    assert(g->state < sizeof(phases) / sizeof(phases[0]));
    return (enum guard_phase)phases[g->state];
}

const char *guard_record_etag(const struct guard *g)
{
    return g->write.expected_etag[0] ? g->write.expected_etag : RECORD_ETAG_CREATE;
}

bool guard_broken(const struct guard *g, const struct object_version *version)
{
    if (!g->write.expected_etag[0])
        return version->exists;
    return !version->exists || strcmp(version->etag, g->write.expected_etag) != 0 ||
           version_is_fenced(version, g->write.fencing);
}

bool guard_is_forward(const struct guard *g)
{
    return g->settings.forward_only && g->settings.native;
}

bool guard_is_ours(const struct guard *g, const struct record *record)
{
    return strcmp(record->nonce, g->write.nonce) == 0;
}

bool guard_continues_own(const struct guard *g)
{
    return g->own.condition.kind == RECORD_IF_SEEN && guard_is_ours(g, &g->own.condition.seen);
}

void guard_note_head(struct guard *g, const struct guard_event *event)
{
    assert(event->has_date && !guard_broken(g, &event->version));
    version_copy(&g->check.base, &event->version);
    know_nonce(g, event->version.nonce);
    g->check.date_s = event->date_s;
    g->check.clock = g->time.head_clock;
}

void guard_sign_at_head(struct guard *g)
{
    g->signature.d0_s = g->check.date_s;
    g->signature.d0_clock = g->check.clock;
}

/* R12.9: its only attempt was applied before. The nonce of an upload is that of several attempts (R14.1). */
bool guard_is_spent(const struct record *record, const struct object_version *version)
{
    return record->upload == 0 && version_shows_nonce(version, record->nonce);
}

bool guard_past_fence(const struct guard *g, uint64_t date_s, uint64_t fence_s)
{
    return date_s > g->settings.margin_s && date_s - g->settings.margin_s > fence_s;
}

uint64_t guard_until_past_s(const struct guard *g, uint64_t date_s, uint64_t fence_s)
{
    uint64_t before_s = date_s > g->settings.margin_s ? date_s - g->settings.margin_s : 0;
    return fence_s > before_s ? fence_s - before_s : 0;
}

bool guard_round_sees(struct guard *g, const struct guard_event *event)
{
    g->round.part = event->part_seen;
    return (event->head == HEAD_ANSWERED || (event->head == HEAD_FAILED && event->part_seen)) && event->has_date;
}

bool guard_part_stands(const struct guard *g, const struct object_version *version)
{
    return g->round.part && strcmp(version->nonce, g->write.nonce) == 0;
}

bool guard_is_dead(const struct guard *g)
{
    return g->round.life != GUARD_LIFE_LEFT;
}

bool guard_dead_by(const struct guard *g, uint64_t date_s)
{
    return g->own.record.has_fence && guard_past_fence(g, date_s, g->own.record.fence_s);
}

/* ------------------------------------------------------------------------------------------------ allowance */

uint32_t guard_work_s(enum guard_operation operation, uint64_t amount)
{
    const uint64_t copy_bytes_per_s = UINT64_C(40) << 20;
    const uint64_t parts_per_s = 100;
    uint64_t per_s = operation == GUARD_COPY ? copy_bytes_per_s : parts_per_s;
    bool grows = operation == GUARD_COPY || operation == GUARD_COMPLETE;
    return (uint32_t)(5 + (grows ? (amount + per_s - 1) / per_s : 0));
}

uint64_t guard_copy_expected_bytes(const struct guard *g)
{
    return g->settings.source_unpinned ? GUARD_COPY_MAX_BYTES : GUARD_COPY_EXPECTED_BYTES;
}

static uint32_t work_s(const struct guard *g)
{
    if (g->settings.work_s != 0)
        return g->settings.work_s;
    uint64_t copied = g->check.source == GUARD_SOURCE_FOUND ? g->check.source_bytes : guard_copy_expected_bytes(g);
    uint64_t amount = g->write.operation == GUARD_COPY ? copied : g->write.part_count;
    uint32_t by_operation_s = guard_work_s(g->write.operation, amount);
    bool takes_longer = g->write.operation == GUARD_COMPLETE && g->settings.complete_s > by_operation_s;
    return takes_longer ? g->settings.complete_s : by_operation_s;
}

uint32_t guard_delivery_s(const struct guard_settings *settings, uint64_t wire_bytes)
{
    assert(settings->minimum_rate > 0);
    return (uint32_t)((wire_bytes + settings->minimum_rate - 1) / settings->minimum_rate);
}

bool guard_never_dies(const struct guard *g)
{
    return !g->signature.at_once && g->settings.stalled_body_s == GUARD_STALLED_BODY_FOR_EVER;
}

/* What does not arrive at once may stall on its way; a store that waits for it for ever has no such bound, and what is
 * sent to it no fence. */
uint32_t guard_allowance_s(const struct guard *g)
{
    if (g->signature.at_once)
        return work_s(g);
    uint32_t stalled_s = guard_never_dies(g) ? GUARD_STALLED_BODY_S : g->settings.stalled_body_s;
    return work_s(g) + guard_delivery_s(&g->settings, g->signature.wire_bytes) + g->settings.late_segment_s + stalled_s;
}

/* ------------------------------------------------------------------------------------------------ what it asks for */

void guard_request(struct guard *g, unsigned what, struct guard_actions *actions)
{
    assert(g->outcome.verdict == VERDICT_NONE);
    assert((g->awaiting & what) == 0);
    g->awaiting |= what;
    actions->what |= what;
}

void guard_drop(struct guard *g, unsigned what, struct guard_actions *actions)
{
    actions->drop |= g->awaiting & what;
    g->awaiting &= ~what;
}

void guard_request_head(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    g->time.head_clock = *now;
    g->time.head_date_s = g->time.largest_date_s;
    guard_request(g, GUARD_DO_HEAD, actions);
}

void guard_wait(struct guard *g, enum guard_state state, struct guard_actions *actions)
{
    assert(g->outcome.verdict == VERDICT_NONE);
    g->state = state;
    g->attempt.pause_due = false;
    actions->has_timer = true;
    actions->timer_ms = backoff_next_ms(&g->backoff);
}

void guard_read_parts(struct guard *g, struct guard_actions *actions)
{
    assert(g->write.operation == GUARD_COMPLETE && guard_is_dead(g) && !g->attempt.not_applied); /* R14, N2 */
    g->state = GUARD_RESOLVE_PARTS;
    actions->upload = g->own.record.upload;
    guard_request(g, GUARD_DO_PARTS, actions);
}

/* ------------------------------------------------------------------------------------------------ how it ends */

static void describe_release(const struct guard *g, const struct record *record, struct record *ret)
{
    uint64_t ttl_s =
        record_ttl(g->time.largest_date_s, g->settings.ttl_s, record->timeout_ms, g->settings.max_clock_skew_rate);
    record_released(record, ttl_s, ret);
}

/* T3: a release writes nothing unless the record is still ours, so it is also right where we only may hold it. */
void guard_release(struct guard *g, struct guard_actions *actions)
{
    assert(g->outcome.verdict != VERDICT_NONE);
    assert(!g->settings.native || g->own.hold == GUARD_HOLDS_NOTHING);
    if (g->own.hold == GUARD_HOLDS_NOTHING)
        return;
    assert(g->own.hold != GUARD_HOLDS_OLDER || guard_continues_own(g));
    if (g->own.hold == GUARD_HOLDS_OLDER)
        record_copy(&g->own.record, &g->own.condition.seen);
    if (g->own.record.generation == UINT64_MAX)
        return;
    describe_release(g, &g->own.record, &actions->release);
    memset(&actions->release_condition, 0, sizeof(actions->release_condition));
    actions->release_condition.kind = g->write.from_ticket ? RECORD_IF_SAME : RECORD_IF_HELD; /* R17 */
    record_copy(&actions->release_condition.seen, &g->own.record);
    actions->what |= GUARD_DO_RELEASE;
    g->own.hold = GUARD_HOLDS_NOTHING;
}

/* T3.10: the record under which the deleted object was made stands in the way of the next creation, and protects
 * nothing any more. Then the own one follows: no object will ever show its nonce. */
static bool clears_creation(const struct guard *g)
{
    bool deletes = g->write.operation == GUARD_DELETE && !g->settings.native;
    return deletes && (record_is_nonce(g->check.base.nonce) || record_is_nonce(g->check.base.replaced));
}

/* Beside the attempt, so that the next creation does not wait for it. When it is read does not matter: it is released on
 * the condition that it still is what was read. */
void guard_read_creation(struct guard *g, struct guard_actions *actions)
{
    if (!clears_creation(g) || g->attempt.creation_found)
        return;
    guard_request(g, GUARD_DO_RECORD_GET, actions);
    actions->get_our_etag = true;
}

static void release_creation(struct guard *g, struct guard_actions *actions)
{
    const struct record *creation = &g->holder.record;
    assert(g->own.hold == GUARD_HOLDS_RECORD);
    bool stands = g->attempt.creation_found && creation->timeout_ms != 0;
    if (stands && guard_is_spent(creation, &g->check.base) && creation->generation != UINT64_MAX) {
        describe_release(g, creation, &actions->creation);
        actions->creation_condition.kind = RECORD_IF_HELD;
        record_copy(&actions->creation_condition.seen, creation);
        actions->what |= GUARD_DO_RELEASE_CREATION;
    }
    guard_release(g, actions);
}

/* Nobody's record is in the way any more: `holder` has room for it. */
void guard_on_creation(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(clears_creation(g) && !g->attempt.creation_found);
    g->attempt.creation_found = event->ledger == LEDGER_OK && event->found;
    if (g->attempt.creation_found)
        record_copy(&g->holder.record, &event->record);
    if (g->state != GUARD_CLEARING)
        return;
    g->state = GUARD_FINISHED;
    release_creation(g, actions);
}

/* V5, R9. The record of a Complete never counts as spent, and is released when an answer says that it is over (V4.5). */
static bool releases_record(const struct guard *g, enum verdict verdict, enum guard_rule rule)
{
    if (verdict != VERDICT_COMMITTED)
        return verdict != VERDICT_UNKNOWN;
    return g->write.operation == GUARD_COMPLETE ? rule == RULE_R9 : g->settings.release_always;
}

void guard_conclude(struct guard *g, enum verdict verdict, enum guard_reason reason, enum guard_rule rule,
                    struct guard_actions *actions)
{
    assert(g->outcome.verdict == VERDICT_NONE);
    bool by_head = rule == RULE_V4 || rule == RULE_N4; /* whatever becomes of the copy that is out */
    assert(by_head || verdict == VERDICT_UNKNOWN || !(g->awaiting & GUARD_DO_SEND)); /* V1 */
    (void)by_head;
    assert(verdict != VERDICT_UNKNOWN || g->write.from_ticket || g->attempt.send_count > 0); /* V3 */
    assert(verdict != VERDICT_NONE && reason != GUARD_REASON_NONE && rule != GUARD_RULE_NONE);
    g->outcome.verdict = verdict;
    g->outcome.reason = reason;
    g->outcome.rule = rule;
    actions->what |= GUARD_DO_VERDICT;
    if (g->awaiting & GUARD_DO_RECORD_PUT) {
        g->awaiting = GUARD_DO_RECORD_PUT;
        g->state = GUARD_ORPHANED;
        return;
    }
    bool clears = rule == RULE_R9 && clears_creation(g);
    g->awaiting &= clears ? GUARD_DO_RECORD_GET : 0;
    g->state = g->awaiting ? GUARD_CLEARING : GUARD_FINISHED;
    if (g->state == GUARD_CLEARING) /* the reading is out since the attempt was sent */
        return;
    if (clears)
        release_creation(g, actions);
    else if (releases_record(g, verdict, rule))
        guard_release(g, actions);
}

bool guard_is_overtaken(const struct guard *g, const struct guard_event *event)
{
    return event->head == HEAD_ANSWERED && event->history.overtaken && guard_broken(g, &event->version);
}

/* True of a copy that is still out as well: no condition of ours will ever hold again. */
void guard_conclude_overtaken(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_overtaken(g, event));
    version_copy(&g->outcome.found, &event->version);
    guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_OVERTAKEN, RULE_N4, actions);
}
