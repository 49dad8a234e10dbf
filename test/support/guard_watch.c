/* SPDX-License-Identifier: Apache-2.0 */
#include "support/guard_watch.h"

#include <string.h>

enum {
    REQUESTS = GUARD_DO_HEAD | GUARD_DO_SOURCE | GUARD_DO_SIGN | GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET |
               GUARD_DO_RECORD_QUERY | GUARD_DO_SEND | GUARD_DO_PARTS | GUARD_DO_ABORT | GUARD_DO_VERSIONS
};

void guard_watch_start(struct guard_watch *watch, const struct guard_settings *settings,
                       const struct guard_start *start)
{
    memset(watch, 0, sizeof(*watch));
    watch->settings = *settings;
    watch->start = *start;
    watch->versioned = settings->versioned;
    watch->has_versions = settings->versioned || settings->versions_likely;
    watch->largest_date_s = start->has_recent_date ? start->recent_date_s : 0;
}

void guard_watch_resolve(struct guard_watch *watch, const struct guard_ticket *ticket)
{
    watch->resolving = true;
    watch->under_way = 0;
    watch->timer = false;
    watch->verdict = VERDICT_NONE;
    watch->out = !ticket->not_applied;
    watch->dead = false;
    watch->proven = false;
    watch->upload_open = false;
    watch->not_in_list = false;
    watch->held = false;
    if (ticket->margin_s > watch->settings.margin_s)
        watch->settings.margin_s = ticket->margin_s;
}

static bool is_ours(const struct guard_watch *watch, const struct record *record)
{
    return strcmp(record->nonce, watch->start.nonce) == 0;
}

static bool past(const struct guard_watch *watch, uint64_t date_s, const struct record *record)
{
    return record->has_fence && record->fence_s < UINT64_MAX - watch->settings.margin_s &&
           date_s > record->fence_s + watch->settings.margin_s;
}

/* ------------------------------------------------------------------------------------------------ what went in */

static bool expectation_holds(const struct guard_watch *watch, const struct object_version *version)
{
    if (watch->start.expected_etag == NULL)
        return !version->exists;
    return version->exists && strcmp(version->etag, watch->start.expected_etag) == 0;
}

static void head_came(struct guard_watch *watch, const struct guard_event *event)
{
    if (event->head != HEAD_ANSWERED)
        return;
    watch->checked = expectation_holds(watch, &event->version);
    watch->checked_step = watch->head_step;
    watch->checked_clock = watch->head_clock;
    watch->checked_date_s = watch->head_date_s;
    version_copy(&watch->last, &event->version);
    watch->has_versions = watch->has_versions || event->versioned;
    if (!watch->sent) {
        watch->versioned = watch->versioned || event->versioned;
        watch->looked = true;
        version_copy(&watch->before, &event->version);
    }
    if (event->version.exists && strcmp(event->version.nonce, watch->start.nonce) == 0)
        watch->proven = true;
    if (watch->sent && past(watch, watch->head_date_s, &watch->put))
        watch->dead = true;
}

static void record_came(struct guard_watch *watch, const struct guard_event *event)
{
    const struct record *item = &event->record;
    if (is_ours(watch, item)) {
        if (watch->locking)
            watch->held = record_same_holder(item, &watch->put) && item->timeout_ms == watch->put.timeout_ms &&
                          item->has_fence == watch->put.has_fence && item->fence_s == watch->put.fence_s;
        return;
    }
    if (strcmp(item->saw, watch->start.nonce) == 0)
        watch->proven = true;
    if (watch->sent)
        return;
    watch->held = false;
    watch->locking = false;
    if (!record_same_holder(item, &watch->seen) || item->timeout_ms != watch->seen.timeout_ms ||
        item->has_fence != watch->seen.has_fence || item->fence_s != watch->seen.fence_s ||
        item->upload != watch->seen.upload) {
        record_copy(&watch->seen, item);
        watch->aborted = false;
        watch->seen_step = watch->step;
        watch->first_seen = event->now;
    }
}

/* R17. */
static bool is_the_tickets(const struct guard_watch *watch, const struct record *item)
{
    return memcmp(item, &watch->put, sizeof(*item)) == 0 && past(watch, watch->checked_date_s, item);
}

static void ledger_came(struct guard_watch *watch, const struct guard_event *event)
{
    bool shown = event->kind == GUARD_EVENT_RECORD_GET && event->found;
    if (watch->resolving && event->kind == GUARD_EVENT_RECORD_GET && watch->own_read)
        watch->held = shown && event->ledger == LEDGER_OK && is_the_tickets(watch, &event->record);
    if (event->ledger == LEDGER_CONFLICT || (event->ledger == LEDGER_OK && shown))
        record_came(watch, event);
    if (event->ledger != LEDGER_OK)
        return;
    if (event->kind == GUARD_EVENT_RECORD_PUT)
        watch->held = true;
    if (event->kind == GUARD_EVENT_RECORD_QUERY && event->evidence.saw_ours)
        watch->proven = true;
}

/* R7, R8: which answers leave a copy that may still be applied. DENIED does, unless the guard ends with it. */
static void attempt_came(struct guard_watch *watch, const struct guard_event *event, enum verdict verdict)
{
    switch (event->attempt) {
    case ATTEMPT_OK: watch->proven = true; return;
    case ATTEMPT_PRECONDITION:
    case ATTEMPT_REFUSED:
    case ATTEMPT_TOKEN_EXPIRED:
    case ATTEMPT_SKEWED:
    case ATTEMPT_NOT_SENT: watch->out = false; return;
    case ATTEMPT_409: watch->out = watch->settings.answer_409 == GUARD_409_AMBIGUOUS; return;
    case ATTEMPT_DENIED: watch->out = verdict == VERDICT_NONE; return;
    case ATTEMPT_EXPIRED:
    case ATTEMPT_AMBIGUOUS: return;
    }
}

static void upload_came(struct guard_watch *watch, const struct guard_event *event)
{
    if (event->kind == GUARD_EVENT_PARTS) {
        watch->upload_open = event->upload == UPLOAD_OPEN;
        return;
    }
    watch->aborted = event->upload == UPLOAD_ABORTED || event->upload == UPLOAD_GONE;
    watch->aborted_step = watch->step;
    watch->aborted_clock = event->now;
}

static void versions_came(struct guard_watch *watch, const struct guard_event *event)
{
    bool whole = event->versions == VERSIONS_OTHERS && event->has_date;
    if (event->versions == VERSIONS_OURS)
        watch->proven = true;
    watch->not_in_list = whole && watch->versioned && event->date_s <= watch->date_s + 20 * 3600;
}

/* While its end may be handed over: at the rate that is asked for. */
static uint64_t delivery_s(const struct guard_watch *watch, uint64_t wire_bytes)
{
    uint64_t rate = watch->settings.minimum_rate;
    return wire_bytes / rate + (wire_bytes % rate > 0);
}

static uint64_t work_s(const struct guard_watch *watch)
{
    uint64_t amount = watch->start.operation == GUARD_COPY ? watch->source_bytes : watch->start.part_count;
    uint64_t by_operation_s = guard_work_s(watch->start.operation, amount);
    bool complete = watch->start.operation == GUARD_COMPLETE && watch->settings.complete_s > by_operation_s;
    if (watch->settings.work_s)
        return watch->settings.work_s;
    return complete ? watch->settings.complete_s : by_operation_s;
}

static bool stalls_for_ever(const struct guard_watch *watch)
{
    return !watch->at_once && watch->settings.stalled_body_s == GUARD_STALLED_BODY_FOR_EVER;
}

static uint64_t allowance_s(const struct guard_watch *watch)
{
    uint64_t stalled_s = stalls_for_ever(watch) ? GUARD_STALLED_BODY_S : watch->settings.stalled_body_s;
    if (watch->at_once)
        return work_s(watch);
    return work_s(watch) + delivery_s(watch, watch->wire_bytes) + watch->settings.late_segment_s + stalled_s;
}

/* Native: nothing is put, but it is dead at the same time. */
static void signature_came(struct guard_watch *watch, const struct guard_event *event)
{
    if (watch->renewed) {
        bool slower = !event->at_once && delivery_s(watch, event->wire_bytes) > delivery_s(watch, watch->wire_bytes);
        watch->takes_longer = watch->at_once ? !event->at_once : slower;
        return;
    }
    watch->at_once = event->at_once;
    watch->wire_bytes = event->wire_bytes;
    watch->put.has_fence = watch->settings.fences && !stalls_for_ever(watch);
    watch->put.fence_s = watch->date_s + watch->length_s + allowance_s(watch);
}

static unsigned answered_by(enum guard_event_kind kind)
{
    static const unsigned requests[] = {
        [GUARD_EVENT_HEAD] = GUARD_DO_HEAD,
        [GUARD_EVENT_SOURCE] = GUARD_DO_SOURCE,
        [GUARD_EVENT_SIGNED] = GUARD_DO_SIGN,
        [GUARD_EVENT_RECORD_PUT] = GUARD_DO_RECORD_PUT,
        [GUARD_EVENT_RECORD_GET] = GUARD_DO_RECORD_GET,
        [GUARD_EVENT_RECORD_QUERY] = GUARD_DO_RECORD_QUERY,
        [GUARD_EVENT_ATTEMPT] = GUARD_DO_SEND,
        [GUARD_EVENT_PARTS] = GUARD_DO_PARTS,
        [GUARD_EVENT_ABORTED] = GUARD_DO_ABORT,
        [GUARD_EVENT_VERSIONS] = GUARD_DO_VERSIONS,
        [GUARD_EVENT_STOP] = 0,
    };
    return requests[kind];
}

static void event_came(struct guard_watch *watch, const struct guard_event *event, enum verdict verdict)
{
    unsigned request = answered_by(event->kind);
    if (event->kind == GUARD_EVENT_TIMER)
        watch->timer = false;
    if (!(watch->under_way & request))
        return;
    watch->under_way &= ~request;
    if (request == GUARD_DO_HEAD)
        head_came(watch, event);
    if (request == GUARD_DO_SOURCE && event->head == HEAD_ANSWERED)
        watch->source_bytes = event->source_bytes;
    if (request == GUARD_DO_SIGN)
        signature_came(watch, event);
    if (request & (GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET | GUARD_DO_RECORD_QUERY))
        ledger_came(watch, event);
    if (request == GUARD_DO_SEND)
        attempt_came(watch, event, verdict);
    if (request & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        upload_came(watch, event);
    if (request == GUARD_DO_VERSIONS)
        versions_came(watch, event);
}

/* ------------------------------------------------------------------------------------------------ what came out */

#define MUST(holds, sentence)  \
    do {                       \
        if (!(holds))          \
            return (sentence); \
    } while (false)

static const char *check_sign(struct guard_watch *watch, const struct guard_actions *todo)
{
    watch->renewed = todo->sign_renewed;
    if (todo->sign_renewed) {
        MUST(todo->sign_date_s == watch->date_s && todo->sign_length_s == watch->length_s,
             "R2: renewed credentials sign the same date and length");
        MUST(watch->sent && !watch->out, "E2: only what was answered definitely is signed again");
        return NULL;
    }
    MUST(!watch->held && !watch->sent, "R2: once the record is held, the date never changes");
    watch->date_s = todo->sign_date_s;
    watch->length_s = todo->sign_length_s;
    watch->recorded = false;
    MUST(watch->settings.native || watch->length_s == watch->settings.length_s, "R2: the length as set");
    MUST(watch->length_s >= watch->settings.length_s && watch->length_s <= watch->settings.length_s + 600,
         "native: as set, and the age of the Date");
    return NULL;
}

/* What a takeover and the abort before it have in common. */
static const char *check_dead(const struct guard_watch *watch)
{
    const struct record *seen = &watch->seen;
    MUST(watch->checked && watch->checked_step >= watch->seen_step,
         "R12: the HEAD was sent after the record was first seen");
    if (seen->timeout_ms == 0)
        return NULL;
    if (watch->seen.has_fence) {
        MUST(past(watch, watch->checked_date_s, &watch->seen),
             "R12: the HEAD was sent after S3 time was past fence + margin");
        return NULL;
    }
    MUST(clock_elapsed_min(&watch->first_seen, &watch->checked_clock) >
             record_bound_ms(watch->seen.timeout_ms, watch->settings.max_clock_skew_rate),
         "R12: without a fence the bound has passed");
    return NULL;
}

static const char *check_takeover(const struct guard_watch *watch, const struct record *seen)
{
    MUST(record_same_holder(seen, &watch->seen), "R12: on the condition that the record is as seen");
    const char *wrong = check_dead(watch);
    if (wrong || watch->seen.upload == 0 || watch->seen.timeout_ms == 0)
        return wrong;
    MUST(watch->aborted, "R14: the holder's upload was aborted before");
    MUST(watch->checked_step >= watch->aborted_step, "R14: the HEAD was sent after the abort was answered");
    MUST(watch->seen.has_fence ||
             clock_elapsed_min(&watch->aborted_clock, &watch->checked_clock) > watch->seen.timeout_ms,
         "R14: without a fence its allowance was waited for after the abort");
    return NULL;
}

static const char *check_upload(const struct guard_watch *watch, const struct guard_actions *todo)
{
    if (todo->what & GUARD_DO_PARTS) {
        MUST(watch->start.operation == GUARD_COMPLETE && todo->upload == watch->start.upload, "R14: of our upload");
        MUST(watch->sent && watch->settings.fences && past(watch, watch->largest_date_s, &watch->put),
             "R14: asked only when the Complete is dead");
        return NULL;
    }
    MUST(todo->upload != 0 && todo->upload == watch->seen.upload, "R14: the upload of the record that was seen");
    MUST(watch->seen.timeout_ms != 0, "R14: not of a record that was released");
    return check_dead(watch);
}

static const char *check_put(struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *record = &todo->record;
    uint64_t reach_s = watch->length_s + allowance_s(watch);
    MUST(!watch->settings.native, "native: without a record");
    MUST(record->upload == watch->start.upload, "R14: with the upload");
    MUST(!watch->sent && !watch->held, "R3: what is held, or was sent under, is not put again");
    MUST(is_ours(watch, record), "R3: with our nonce");
    MUST(record->has_fence == (watch->settings.fences && !stalls_for_ever(watch)),
         "E7: a fence only where expiry was seen, and what has begun comes to an end");
    MUST(!record->has_fence || record->fence_s == watch->date_s + reach_s, "fence = D0 + length + allowance");
    MUST(record->timeout_ms >= watch->settings.timeout_ms, "T6: the timeout is never lowered");
    MUST(record->timeout_ms >= (reach_s + watch->settings.margin_s) * 1000, "T6: length + allowance + margin");
    MUST(record->ttl_s >= watch->date_s + watch->settings.ttl_s, "T5: the ttl");
    MUST(todo->condition.kind == RECORD_IF_ABSENT || todo->condition.kind == RECORD_IF_SEEN, "R3, R12: the condition");
    if (todo->condition.kind == RECORD_IF_ABSENT) {
        MUST(record->generation >> 48 == 0, "T2: 48 bits");
    } else {
        MUST(record->generation == todo->condition.seen.generation + 1, "R12: generation + 1");
        if (!is_ours(watch, &todo->condition.seen)) {
            const char *wrong = check_takeover(watch, &todo->condition.seen);
            MUST(wrong == NULL, wrong);
        }
    }
    record_copy(&watch->put, record);
    watch->condition = todo->condition;
    watch->recorded = true;
    watch->locking = true;
    return NULL;
}

static const char *check_send(struct guard_watch *watch, const struct guard_actions *todo)
{
    MUST(!watch->resolving, "a resolution makes no attempt");
    bool native = watch->settings.native;
    uint64_t most_ms =
        native ? (watch->length_s + allowance_s(watch) + watch->settings.margin_s) * 1000 : watch->put.timeout_ms;
    MUST(native || (watch->held && watch->recorded), "R6: sent under our record");
    MUST(watch->checked || (native && !watch->looked), "R1, R5: sent while the expectation held");
    MUST(!watch->out, "R13: no second copy while one may be applied");
    MUST(!watch->takes_longer, "R6: it takes no longer to arrive than the record counts on");
    MUST(todo->send_at_once == watch->at_once, "R6: it is to arrive as the record counts on");
    MUST(todo->send_tail_ms == (watch->length_s + delivery_s(watch, watch->wire_bytes)) * 1000, "R6: its end's time");
    MUST(todo->send_deadline_ms > 0 && todo->send_deadline_ms <= most_ms, "R6: within the lease");
    MUST(todo->send_allowance_ms == allowance_s(watch) * 1000, "R6: the kernel tries no longer than the allowance");
    watch->locking = false;
    watch->sent = true;
    watch->out = true;
    return NULL;
}

static const char *check_release(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *seen = &todo->release_condition.seen;
    MUST(watch->verdict == VERDICT_CONFLICT || watch->verdict == VERDICT_NOT_EXECUTED ||
             (watch->verdict == VERDICT_COMMITTED && (watch->settings.release_always || !watch->sent)),
         "V5, R9: which verdicts release");
    MUST(is_ours(watch, seen), "T3: only what is ours");
    if (watch->resolving)
        MUST(todo->release_condition.kind == RECORD_IF_SAME && watch->held &&
                 memcmp(seen, &watch->put, sizeof(*seen)) == 0,
             "R17: what was stored as the ticket says, and is dead");
    else
        MUST(todo->release_condition.kind == RECORD_IF_HELD, "T3: if it is still ours");
    MUST(todo->release.generation == seen->generation + 1 && todo->release.timeout_ms == 0, "T3: generation, timeout");
    MUST(is_ours(watch, &todo->release), "T3: the same nonce");
    MUST(todo->release.has_fence == seen->has_fence && todo->release.fence_s == seen->fence_s, "T3: the same fence");
    MUST(strcmp(todo->release.saw, seen->saw) == 0, "T3: the same saw");
    MUST(todo->release.upload == 0 && !watch->settings.native, "T3: without the upload");
    return NULL;
}

/* N1, N2: that an attempt which nobody answered was never applied is shown by the version that stood there all the
 * time, or by its upload; nothing else does without a record. */
static bool native_evidence(const struct guard_watch *watch)
{
    const struct object_version *last = &watch->last;
    bool own_kind = last->nonce[0] || strcmp(last->version_id, "v1") == 0;
    int64_t long_ago_s = (int64_t)watch->date_s - (int64_t)watch->settings.margin_s - 300;
    bool old = strlen(last->etag) == 34 && last->last_modified_s != 0 && last->last_modified_s < long_ago_s;
    return watch->upload_open || watch->not_in_list ||
           (last->exists && version_same(last, &watch->before) && own_kind) ||
           (last->exists && watch->settings.modified_tells && old);
}

static bool by_its_rule(const struct guard_watch *watch, const struct guard *guard)
{
    return strcmp(guard_rule_name(guard), "R16") != 0 || watch->proven || watch->not_in_list;
}

static const char *check_verdict(struct guard_watch *watch, const struct guard *guard, enum verdict verdict,
                                 const struct guard_actions *todo)
{
    MUST(by_its_rule(watch, guard), "R16: by what is in the list, or a whole list");
    MUST(watch->verdict == VERDICT_NONE, "one verdict");
    MUST(verdict != VERDICT_NONE, "a verdict that is announced is there");
    watch->verdict = verdict;
    if (verdict == VERDICT_COMMITTED)
        MUST(watch->proven, "V2: committed only on evidence");
    else if (verdict == VERDICT_UNKNOWN)
        MUST(watch->sent || watch->resolving, "V3: unknown only when something was sent");
    else
        MUST(!watch->out || watch->dead, "V1: nothing may still be applied");
    bool by_evidence = (verdict == VERDICT_CONFLICT || verdict == VERDICT_NOT_EXECUTED) && watch->out;
    MUST(!by_evidence || !watch->settings.native || native_evidence(watch), "N1, N2, R16: by what stood there");
    /* V5: with fewer than 2^64 - 1 generations behind it. */
    bool must_release = watch->held && !watch->sent && !(watch->under_way & GUARD_DO_RECORD_PUT) &&
                        (verdict == VERDICT_CONFLICT || verdict == VERDICT_NOT_EXECUTED);
    MUST(!must_release || todo->what & GUARD_DO_RELEASE || watch->put.generation == UINT64_MAX, "V5: released");
    watch->under_way &= GUARD_DO_RECORD_PUT;
    watch->timer = false;
    return NULL;
}

static const char *check_requests(struct guard_watch *watch, const struct guard_event *event,
                                  const struct guard_actions *todo)
{
    const char *wrong = NULL;
    unsigned asked = todo->what & (unsigned)REQUESTS;
    MUST((asked == 0 && !todo->has_timer) || watch->verdict == VERDICT_NONE, "nothing is wanted after the verdict");
    MUST((watch->under_way & asked) == 0, "of each kind of request at most one is under way");
    watch->under_way |= asked;
    if (asked & GUARD_DO_HEAD) {
        watch->head_step = watch->step;
        watch->head_clock = event->now;
        watch->head_date_s = watch->largest_date_s;
    }
    if (asked & GUARD_DO_RECORD_GET)
        watch->own_read = !todo->get_our_etag;
    if (asked & GUARD_DO_SIGN)
        wrong = check_sign(watch, todo);
    if (wrong == NULL && asked & GUARD_DO_RECORD_PUT)
        wrong = check_put(watch, todo);
    if (wrong == NULL && asked & GUARD_DO_SEND)
        wrong = check_send(watch, todo);
    if (wrong == NULL && asked & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        wrong = check_upload(watch, todo);
    if (asked & GUARD_DO_VERSIONS)
        MUST(watch->out && watch->dead && watch->has_versions, "R16: asked only of what is dead, and may be there");
    return wrong;
}

const char *guard_watch_step(struct guard_watch *watch, const struct guard *guard, const struct guard_event *event,
                             const struct guard_actions *todo)
{
    enum verdict verdict = guard_verdict(guard);
    const char *wrong = NULL;
    watch->step++;
    if (event->has_date && event->date_s > watch->largest_date_s)
        watch->largest_date_s = event->date_s;
    event_came(watch, event, verdict);
    if (todo->what & GUARD_DO_VERDICT)
        wrong = check_verdict(watch, guard, verdict, todo);
    MUST(wrong == NULL, wrong);
    MUST(verdict == watch->verdict, "a verdict stays, and is announced");
    wrong = check_requests(watch, event, todo);
    MUST(wrong == NULL, wrong);
    if (todo->what & GUARD_DO_RELEASE)
        wrong = check_release(watch, todo);
    MUST(wrong == NULL, wrong);
    watch->timer = watch->timer || todo->has_timer;
    MUST(!guard_finished(guard) || verdict != VERDICT_NONE, "a guard ends with a verdict");
    MUST(guard_finished(guard) || watch->under_way || watch->timer, "something is waited for");
    return NULL;
}
