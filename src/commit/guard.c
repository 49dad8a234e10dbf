/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's start, its dispatch of events, and how it ends (V1-V5). */
#include "commit/guard.h"

#include "commit/guard_internal.h"
#include "commit/words.h"

#include <assert.h>
#include <string.h>

static const char *const rule_names[] = {
    [GUARD_RULE_NONE] = "", [RULE_R1] = "R1",       [RULE_R2] = "R2",       [RULE_R3] = "R3",
    [RULE_R4] = "R4",       [RULE_R5] = "R5",       [RULE_R6] = "R6",       [RULE_R7] = "R7",
    [RULE_R8] = "R8",       [RULE_R9] = "R9",       [RULE_R11] = "R11",     [RULE_V3] = "V3",
    [RULE_V4] = "V4",       [RULE_E2] = "E2",       [RULE_R13_A] = "R13.A", [RULE_R13_B] = "R13.B",
    [RULE_R13_C] = "R13.C", [RULE_R13_D] = "R13.D", [RULE_R13_E] = "R13.E", [RULE_R13_F] = "R13.F",
    [RULE_R14] = "R14",     [RULE_R16] = "R16",     [RULE_R17] = "R17",     [RULE_N1] = "N1",
    [RULE_N2] = "N2",       [RULE_N3] = "N3",
};

void guard_init(struct guard *g, const struct guard_settings *settings, const struct guard_start *start)
{
    memset(g, 0, sizeof(*g));
    g->settings = *settings;
    g->backoff.random = start->seed;
    g->operation = start->operation;
    assert(start->operation != GUARD_DELETE || start->expected_etag != NULL);
    if (start->expected_etag)
        word_copy(g->expected_etag, start->expected_etag, sizeof(g->expected_etag));
    if (start->operation == GUARD_DELETE)
        word_copy(g->our_etag, RECORD_ETAG_CREATE, sizeof(g->our_etag));
    else if (settings->etag_known && start->our_etag)
        word_copy(g->our_etag, start->our_etag, sizeof(g->our_etag));
    word_copy(g->nonce, start->nonce, sizeof(g->nonce));
    g->part_count = start->part_count;
    g->parts_in_doubt = start->parts_in_doubt;
    g->versioned = settings->versioned;
    g->has_versions = settings->versioned || settings->versions_likely;
    assert((start->operation == GUARD_COMPLETE) == (start->upload != 0));
    g->ours.upload = start->upload;
    g->condition.kind = RECORD_IF_ABSENT;
    g->ours.generation = start->generation & ((UINT64_C(1) << 48) - 1);   /* T2 */
    bool sign_first = start->operation != GUARD_COPY || settings->native; /* a COPY's fence needs the source's size */
    if (start->has_recent_date && sign_first) {
        g->together = true;
        g->d0_s = start->recent_date_s;
        g->largest_date_s = start->recent_date_s;
        g->d0_clock = start->recent_clock;
    }
}

uint32_t guard_work_s(enum guard_operation operation, uint64_t amount)
{
    const uint64_t copy_bytes_per_s = UINT64_C(40) << 20;
    const uint64_t parts_per_s = 100;
    uint64_t per_s = operation == GUARD_COPY ? copy_bytes_per_s : parts_per_s;
    bool grows = operation == GUARD_COPY || operation == GUARD_COMPLETE;
    return (uint32_t)(5 + (grows ? (amount + per_s - 1) / per_s : 0));
}

const char *guard_record_etag(const struct guard *g)
{
    return g->expected_etag[0] ? g->expected_etag : RECORD_ETAG_CREATE;
}

bool guard_finished(const struct guard *g)
{
    return g->state == GUARD_FINISHED;
}

enum verdict guard_verdict(const struct guard *g)
{
    return (enum verdict)g->verdict;
}

bool guard_try_again(const struct guard *g)
{
    if (g->verdict != VERDICT_NOT_EXECUTED || g->resolving)
        return false;
    return g->reason == GUARD_REASON_RECORD_GONE || g->reason == GUARD_REASON_TOO_LATE ||
           g->reason == GUARD_REASON_EXPIRED || g->reason == GUARD_REASON_NOT_SENT || g->reason == GUARD_REASON_SKEWED;
}

bool guard_expired(const struct guard *g)
{
    return g->came_too_late && g->verdict == VERDICT_NOT_EXECUTED;
}

bool guard_by_fence(const struct guard *g)
{
    bool lost = g->verdict == VERDICT_CONFLICT || g->verdict == VERDICT_NOT_EXECUTED;
    return lost && g->dead && !g->not_applied;
}

const char *guard_rule_name(const struct guard *g)
{
    assert(g->rule < sizeof(rule_names) / sizeof(rule_names[0]));
    return rule_names[g->rule];
}

bool guard_broken(const struct guard *g, const struct object_version *version)
{
    if (!g->expected_etag[0])
        return version->exists;
    return !version->exists || strcmp(version->etag, g->expected_etag) != 0;
}

bool guard_is_ours(const struct guard *g, const struct record *record)
{
    return strcmp(record->nonce, g->nonce) == 0;
}

bool guard_past_fence(const struct guard *g, uint64_t date_s, uint64_t fence_s)
{
    return date_s > g->settings.margin_s && date_s - g->settings.margin_s > fence_s;
}

void guard_want(struct guard *g, unsigned what, struct guard_todo *todo)
{
    assert((g->awaiting & what) == 0);
    g->awaiting |= what;
    todo->what |= what;
}

void guard_want_head(struct guard *g, const struct clock_reading *now, struct guard_todo *todo)
{
    g->head_clock = *now;
    g->head_date_s = g->largest_date_s;
    guard_want(g, GUARD_DO_HEAD, todo);
}

void guard_wait(struct guard *g, enum guard_state state, struct guard_todo *todo)
{
    g->state = state;
    todo->has_timer = true;
    todo->timer_ms = backoff_next_ms(&g->backoff);
}

/* T3: a release writes nothing unless the record is still ours, so it is also right where we only may hold it. */
static void release_ours(struct guard *g, struct guard_todo *todo)
{
    if (!g->held && !g->put_ambiguous) {
        if (!g->older_left)
            return;
        record_copy(&g->ours, &g->condition.seen);
    }
    if (g->ours.generation == UINT64_MAX)
        return;
    uint64_t ttl_s =
        record_ttl(g->largest_date_s, g->settings.ttl_s, g->ours.timeout_ms, g->settings.max_clock_skew_rate);
    record_released(&g->ours, ttl_s, &todo->release);
    memset(&todo->release_condition, 0, sizeof(todo->release_condition));
    todo->release_condition.kind = g->resolving ? RECORD_IF_SAME : RECORD_IF_HELD; /* R17 */
    record_copy(&todo->release_condition.seen, &g->ours);
    todo->what |= GUARD_DO_RELEASE;
    g->held = false;
    g->put_ambiguous = false;
    g->older_left = false;
}

void guard_conclude(struct guard *g, enum verdict verdict, enum guard_reason reason, enum guard_rule rule,
                    struct guard_todo *todo)
{
    assert(g->verdict == VERDICT_NONE);
    g->verdict = verdict;
    g->reason = reason;
    g->rule = rule;
    todo->what |= GUARD_DO_VERDICT;
    if (g->awaiting & GUARD_DO_RECORD_PUT) {
        g->awaiting = GUARD_DO_RECORD_PUT;
        g->state = GUARD_ORPHANED;
        return;
    }
    g->awaiting = 0;
    g->state = GUARD_FINISHED;
    bool release = verdict == VERDICT_COMMITTED ? g->settings.release_always : verdict != VERDICT_UNKNOWN; /* V5, R9 */
    if (release)
        release_ours(g, todo);
}

/* R3: the verdict is given, the PutItem is answered only now. */
void guard_orphan_answered(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    g->state = GUARD_FINISHED;
    switch (event->ledger) {
    case LEDGER_OK: g->held = true; break;
    case LEDGER_CONFLICT:
        g->held = guard_is_ours(g, &event->record);
        g->put_ambiguous = false;
        g->older_left = false;
        if (g->held)
            record_copy(&g->ours, &event->record);
        break;
    case LEDGER_AMBIGUOUS:
    case LEDGER_CONFLICT_BLIND: g->put_ambiguous = true; break;
    default: break; /* this one was not applied: what was before it stands */
    }
    release_ours(g, todo);
}

/* The caller's deadline or cancellation (V3): an attempt that may be applied makes it `unknown`, anything else `not
 * executed`; between two copies (R7, E2) every one so far was answered definitely, and none will follow. */
static void stop(struct guard *g, struct guard_todo *todo)
{
    if (g->verdict != VERDICT_NONE)
        return;
    bool may_be_out = g->resolving || g->state == GUARD_SENDING || g->state >= GUARD_RESOLVE_HEAD;
    bool contends = g->contending || g->state >= GUARD_CONTEND_WAITING;
    if (may_be_out)
        guard_conclude(g, VERDICT_UNKNOWN, GUARD_REASON_STOPPED, RULE_V3, todo);
    else if (contends)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_BUSY, RULE_R11, todo);
    else
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_STOPPED, RULE_V3, todo);
}

static void on_timer(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    switch ((enum guard_state)g->state) {
    case GUARD_CHECKING:
    case GUARD_ACQUIRING:
    case GUARD_ACQUIRE_READING:
    case GUARD_RECHECKING: guard_on_acquire_timer(g, event, todo); return;
    case GUARD_SEND_WAITING: guard_on_send_timer(g, event, todo); return;
    case GUARD_CONTEND_WAITING: guard_on_contend_timer(g, event, todo); return;
    case GUARD_RESOLVE_WAITING:
    case GUARD_NATIVE_WAITING: guard_resolve(g, &event->now, todo); return;
    default: return; /* a timer of an earlier state */
    }
}

static void on_head(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    const struct object_version *version = &event->version;
    if (event->head == HEAD_ANSWERED && version->exists && strcmp(version->nonce, g->nonce) == 0) { /* V4 */
        version_copy(&g->found, version);
        guard_conclude(g, VERDICT_COMMITTED, GUARD_REASON_PROVEN, RULE_V4, todo);
        return;
    }
    switch ((enum guard_state)g->state) {
    case GUARD_RECHECKING: guard_on_recheck_head(g, event, todo); return;
    case GUARD_CONTEND_CHECKING: guard_on_contend_head(g, event, todo); return;
    case GUARD_RESOLVE_HEAD:
    case GUARD_RESOLVE_AGAIN: guard_on_resolve_head(g, event, todo); return;
    case GUARD_NATIVE_HEAD: guard_on_native_head(g, event, todo); return;
    default: guard_on_check_head(g, event, todo); return;
    }
}

static void on_record_get(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    if (g->state == GUARD_ACQUIRE_READING)
        guard_on_acquire_get(g, event, todo);
    else if (g->state == GUARD_CONTEND_READING)
        guard_on_contend_get(g, event, todo);
    else
        guard_on_resolve_get(g, event, todo);
}

static void on_signed(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    if (g->state == GUARD_SIGNING_AGAIN)
        guard_on_signed_again(g, event, todo);
    else
        guard_on_signed(g, event, todo);
}

static unsigned answers(enum guard_event_kind kind)
{
    switch (kind) {
    case GUARD_EVENT_HEAD: return GUARD_DO_HEAD;
    case GUARD_EVENT_SOURCE: return GUARD_DO_SOURCE;
    case GUARD_EVENT_SIGNED: return GUARD_DO_SIGN;
    case GUARD_EVENT_RECORD_PUT: return GUARD_DO_RECORD_PUT;
    case GUARD_EVENT_RECORD_GET: return GUARD_DO_RECORD_GET;
    case GUARD_EVENT_RECORD_QUERY: return GUARD_DO_RECORD_QUERY;
    case GUARD_EVENT_ATTEMPT: return GUARD_DO_SEND;
    case GUARD_EVENT_PARTS: return GUARD_DO_PARTS;
    case GUARD_EVENT_ABORTED: return GUARD_DO_ABORT;
    case GUARD_EVENT_VERSIONS: return GUARD_DO_VERSIONS;
    default: return 0;
    }
}

static void dispatch_answer(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    switch (event->kind) {
    case GUARD_EVENT_HEAD:
        guard_note_versions(g, event);
        on_head(g, event, todo);
        return;
    case GUARD_EVENT_SOURCE: guard_on_source(g, event, todo); return;
    case GUARD_EVENT_SIGNED: on_signed(g, event, todo); return;
    case GUARD_EVENT_RECORD_PUT:
        if (g->state == GUARD_ORPHANED)
            guard_orphan_answered(g, event, todo);
        else
            guard_on_record_put(g, event, todo);
        return;
    case GUARD_EVENT_RECORD_GET: on_record_get(g, event, todo); return;
    case GUARD_EVENT_RECORD_QUERY: guard_on_resolve_query(g, event, todo); return;
    case GUARD_EVENT_PARTS: guard_on_parts(g, event, todo); return;
    case GUARD_EVENT_ABORTED: guard_on_aborted(g, event, todo); return;
    case GUARD_EVENT_VERSIONS: guard_on_versions(g, event, todo); return;
    default: guard_on_attempt(g, event, todo); return;
    }
}

void guard_step(struct guard *g, const struct guard_event *event, struct guard_todo *todo)
{
    memset(todo, 0, sizeof(*todo));
    if (event->has_date && event->date_s > g->largest_date_s)
        g->largest_date_s = event->date_s;
    if (event->kind == GUARD_EVENT_STOP) {
        stop(g, todo);
    } else if (event->kind == GUARD_EVENT_TIMER) {
        on_timer(g, event, todo);
    } else if (event->kind == GUARD_EVENT_START) {
        assert(g->state == GUARD_NEW);
        if (g->resolving)
            guard_resolve(g, &event->now, todo);
        else
            guard_check(g, event, todo);
    } else if (g->awaiting & answers(event->kind)) {
        g->awaiting &= ~answers(event->kind);
        dispatch_answer(g, event, todo);
    }
}
