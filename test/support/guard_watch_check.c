/* SPDX-License-Identifier: Apache-2.0 */
/* The judge's checks: what came out. */
#include "support/guard_watch.h"

#include <string.h>

enum {
    REQUESTS = GUARD_DO_HEAD | GUARD_DO_SOURCE | GUARD_DO_SIGN | GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET |
               GUARD_DO_RECORD_QUERY | GUARD_DO_SEND | GUARD_DO_PARTS | GUARD_DO_ABORT | GUARD_DO_VERSIONS
};

/* R11.2: of a contender. */
enum { PAUSE_MAX_MS = GUARD_POLL_MAX_MS + BACKOFF_MAX_MS / 4 };

#define MUST(holds, sentence)  \
    do {                       \
        if (!(holds))          \
            return (sentence); \
    } while (false)

/* ------------------------------------------------------------------------------------------------ before the attempt */

static bool replaces_as_seen(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const char *replaced = todo->sign_replaced;
    bool replaces = watch->expected_etag[0] != '\0' && watch->operation != GUARD_DELETE;
    bool known = strcmp(replaced, watch->known_nonce) == 0 || strcmp(replaced, watch->dated.nonce) == 0;
    return replaced[0] == '\0' || (replaces && known && strlen(replaced) == RECORD_NONCE_SIZE - 1);
}

static const char *check_sign(struct guard_watch *watch, const struct guard_actions *todo)
{
    struct guard_watch_signature *signature = &watch->signature;
    uint32_t set_s = watch->settings.length_s;
    MUST(!watch->from_ticket, "R17: a ticket's guard signs nothing");
    MUST(watch->settings.native || todo->sign_length_s == set_s, "R2: the length as set");
    MUST(todo->sign_length_s >= set_s && todo->sign_length_s <= set_s + 600, "native: as set, and the age of the Date");
    signature->renewed = todo->sign_renewed;
    signature->good = false;
    MUST(replaces_as_seen(watch, todo), "G3.5: only what was known of the version that is expected");
    if (signature->later && watch->own.held && !todo->sign_renewed) {
        MUST(todo->sign_date_s == signature->date_s && todo->sign_length_s == signature->length_s &&
                 !watch->attempt.sent,
             "R3.7: the same date and length");
        return NULL;
    }
    if (todo->sign_renewed) {
        MUST(todo->sign_date_s == signature->date_s && todo->sign_length_s == signature->length_s,
             "R2: renewed credentials sign the same date and length");
        MUST(watch->attempt.sent && !watch->attempt.out, "E2: only what was answered definitely is signed again");
        return NULL;
    }
    MUST(!watch->own.held && !watch->attempt.sent, "R2: once the record is held, the date never changes");
    signature->date_s = todo->sign_date_s;
    signature->length_s = todo->sign_length_s;
    signature->clock = watch->dated_clock;
    signature->later = false;
    watch->own.recorded = false;
    return NULL;
}

/* R12.9. */
static bool is_spent(const struct guard_watch *watch)
{
    return watch->holder.seen.upload == 0 && guard_watch_shows(&watch->dated, watch->holder.seen.nonce);
}

/* What a takeover and the abort before it have in common. Without a fence the bound begins anew with an abort (R14). */
static const char *check_dead(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct guard_watch_holder *holder = &watch->holder;
    const struct record *seen = &holder->seen;
    bool under_way = watch->under_way & GUARD_DO_HEAD && watch->asked.step >= holder->seen_step;
    /* R12.10; what it shows is checked by check_lease */
    bool beside = seen->timeout_ms == 0 && (todo->what & GUARD_DO_HEAD || under_way);
    MUST(holder->seen_step > 0, "R12: of a record that was seen");
    MUST(watch->holds || beside, "R12: while the expectation held");
    if (is_spent(watch))
        return NULL;
    MUST(beside || watch->checked.step >= holder->seen_step, "R12: the HEAD was sent after the record was first seen");
    if (seen->timeout_ms == 0)
        return NULL;
    if (seen->has_fence) {
        MUST(guard_watch_past(watch, watch->checked.date_s, seen),
             "R12: the HEAD was sent after S3 time was past fence + margin");
        return NULL;
    }
    const struct clock_reading *since = holder->aborted ? &holder->aborted_clock : &holder->first_seen;
    MUST(clock_elapsed_min(since, &watch->checked.clock) >
             record_bound_ms(seen->timeout_ms, watch->settings.max_clock_skew_rate),
         "R12: the HEAD was sent after the bound had passed");
    return NULL;
}

static const char *check_takeover(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *seen = &todo->condition.seen;
    const struct guard_watch_holder *holder = &watch->holder;
    MUST(record_same_holder(seen, &holder->seen), "R12: on the condition that the record is as seen");
    const char *wrong = check_dead(watch, todo);
    if (wrong || holder->seen.upload == 0 || holder->seen.timeout_ms == 0)
        return wrong;
    MUST(holder->aborted, "R14: the holder's upload was aborted before");
    MUST(watch->checked.step >= holder->aborted_step, "R14: the HEAD was sent after the abort was answered");
    return NULL;
}

static const char *check_abort(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *seen = &watch->holder.seen;
    MUST(!watch->from_ticket && !watch->attempt.sent, "R14: before anything is sent");
    MUST(todo->upload != 0 && todo->upload == seen->upload, "R14: the upload of the record that was seen");
    MUST(seen->timeout_ms != 0, "R14: not of a record that was released");
    return check_dead(watch, todo);
}

static const char *check_condition(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *seen = &todo->condition.seen;
    if (todo->condition.kind == RECORD_IF_ABSENT) {
        MUST(todo->record.generation >> 48 == 0, "T2: 48 bits");
        return NULL;
    }
    MUST(todo->condition.kind == RECORD_IF_SEEN, "R3, R12: the condition");
    MUST(seen->generation < UINT64_MAX && todo->record.generation == seen->generation + 1, "R12: generation + 1");
    return guard_watch_is_ours(watch, seen) ? NULL : check_takeover(watch, todo);
}

static const char *check_record(const struct guard_watch *watch, const struct record *record)
{
    const struct guard_settings *settings = &watch->settings;
    uint64_t date_s = watch->signature.date_s;
    uint64_t reach_s = watch->signature.length_s + guard_watch_allowance_s(watch);
    MUST(record->upload == watch->upload, "R14: with the upload");
    MUST(guard_watch_is_ours(watch, record), "R3: with our nonce");
    MUST(record->has_fence == (settings->fences && !guard_watch_stalls_for_ever(watch)),
         "E7: a fence only where expiry was seen, and what has begun comes to an end");
    MUST(!record->has_fence || record->fence_s == date_s + reach_s, "fence = D0 + length + allowance");
    MUST(record->timeout_ms >= settings->timeout_ms, "T6: the timeout is never lowered");
    MUST(record->timeout_ms >= (reach_s + settings->margin_s) * 1000, "T6: length + allowance + margin");
    MUST(record->ttl_s >= date_s + settings->ttl_s && record->ttl_s >= date_s + GUARD_EVIDENCE_S, "T5: the ttl");
    return NULL;
}

static const char *check_put(struct guard_watch *watch, const struct guard_actions *todo)
{
    struct guard_watch_own *own = &watch->own;
    MUST(!watch->from_ticket && !watch->settings.native, "native, R17: without a record");
    MUST(watch->signature.good || watch->signature.later, "R2: signed, then locked");
    MUST(!watch->attempt.sent && !own->held, "R3: what is held, or was sent under, is not put again");
    const char *wrong = check_record(watch, &todo->record);
    if (wrong == NULL)
        wrong = check_condition(watch, todo);
    bool same = own->recorded && memcmp(&todo->record, &own->put, sizeof(own->put)) == 0 &&
                memcmp(&todo->condition, &own->condition, sizeof(own->condition)) == 0;
    if (!same)
        own->lease_clock = watch->now;
    record_copy(&own->put, &todo->record);
    own->condition = todo->condition;
    own->recorded = true;
    own->locking = true;
    return wrong;
}

/* ------------------------------------------------------------------------------------------------ the attempt */

/* R3 to R6: under our record, and while the expectation held under it. */
static const char *check_lease(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct guard_watch_own *own = &watch->own;
    uint64_t elapsed_ms = clock_elapsed_max(&own->lease_clock, &watch->now);
    uint64_t age_ms = clock_elapsed_max(&watch->checked.clock, &own->held_clock);
    bool continues = own->condition.kind == RECORD_IF_SEEN && guard_watch_is_ours(watch, &own->condition.seen);
    MUST(own->held && own->recorded, "R6: sent under our record");
    MUST(watch->checked.step > 0 && watch->holds, "R1, R5: sent while the expectation held");
    MUST(elapsed_ms < own->put.timeout_ms, "R6: within the lease, by the clock that advanced most");
    MUST(todo->send_deadline_ms <= own->put.timeout_ms - elapsed_ms, "R6: the deadline is within the lease");
    bool took_over = own->condition.kind == RECORD_IF_SEEN && !continues;
    MUST(!took_over || watch->checked.step >= watch->holder.seen_step || is_spent(watch),
         "R12.10: the HEAD was sent after the release was seen");
    MUST((age_ms <= watch->settings.recheck_after_ms && !continues) || watch->checked.step >= own->held_step,
         "R5: a HEAD under the record");
    return NULL;
}

/* N4.2. */
static bool sends_again(const struct guard_watch *watch)
{
    const struct guard_watch_attempt *attempt = &watch->attempt;
    bool looked = watch->checked.step >= attempt->step && watch->holds && attempt->step > 0;
    return guard_watch_forward(watch) && attempt->uncertain && looked && watch->operation != GUARD_COMPLETE;
}

static const char *check_send(struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct guard_watch_signature *signature = &watch->signature;
    struct guard_watch_attempt *attempt = &watch->attempt;
    uint64_t allowance_ms = guard_watch_allowance_s(watch) * 1000;
    uint64_t length_ms = (uint64_t)signature->length_s * 1000;
    uint64_t delivery_ms = guard_watch_delivery_s(watch, signature->wire_bytes) * 1000;
    MUST(!watch->from_ticket, "R17: a resolution makes no attempt");
    MUST(!watch->settings.forward_only || !watch->same_bytes, "N4.4: other bytes than what is there");
    MUST(signature->good && !signature->takes_longer, "R6: signed, and no slower than the record counts on");
    MUST(sends_again(watch) || (!attempt->out && (!attempt->sent || attempt->again)),
         "R13: no second copy but after an answer that allows it");
    MUST(clock_elapsed_max(&signature->clock, &watch->now) < length_ms, "R6: while the signature lives, by all clocks");
    MUST(todo->send_at_once == signature->at_once, "R6: it is to arrive as the record counts on");
    MUST(todo->send_tail_ms == length_ms + delivery_ms, "R6: its end's time");
    MUST(todo->send_allowance_ms == allowance_ms, "R6: the kernel tries no longer than the allowance");
    MUST(todo->send_deadline_ms > 0, "R6: there is time left");
    attempt->sent = true;
    attempt->out = true;
    watch->own.locking = false;
    if (!watch->settings.native)
        return check_lease(watch, todo);
    MUST(watch->checked.step == 0 || watch->holds, "R1: sent while the expectation held");
    MUST(todo->send_deadline_ms <= length_ms + allowance_ms + watch->settings.margin_s * UINT64_C(1000),
         "native: no longer than it can be applied");
    return NULL;
}

static const char *check_parts(const struct guard_watch *watch, const struct guard_actions *todo)
{
    MUST(watch->operation == GUARD_COMPLETE, "R14: of a Complete");
    MUST(todo->upload != 0 && todo->upload == watch->upload, "R14: of our upload");
    MUST(watch->attempt.sent && guard_watch_past(watch, watch->largest_date_s, &watch->own.put),
         "R14: asked only when the Complete is dead");
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ the verdict */

/* N1, N2: that an attempt which nobody answered was never applied is shown by the version that stood there all the
 * time, or by its upload; nothing else does without a record. */
static bool native_evidence(const struct guard_watch *watch)
{
    const struct object_version *last = &watch->last;
    bool own_kind = last->nonce[0] || strcmp(last->version_id, "v1") == 0;
    int64_t long_ago_s = (int64_t)watch->signature.date_s - (int64_t)watch->settings.margin_s - 300;
    bool old = strlen(last->etag) == 34 && last->last_modified_s != 0 && last->last_modified_s < long_ago_s;
    return watch->attempt.upload_open || watch->attempt.not_in_list ||
           (last->exists && version_same(last, &watch->before) && own_kind) ||
           (last->exists && watch->settings.modified_tells && old);
}

/* N4.2: by what stands there after the attempt was dead; or by another's write over what was expected. */
static bool forward_evidence(const struct guard_watch *watch, enum verdict verdict)
{
    if (!guard_watch_forward(watch))
        return false;
    return verdict == VERDICT_CONFLICT ? watch->attempt.overtaken && !watch->holds
                                       : watch->holds && watch->attempt.dead;
}

/* V5: a record that we hold, and of which no PutItem is unanswered, with fewer than 2^64 - 1 generations behind it. */
static bool owes_release(const struct guard_watch *watch)
{
    return watch->own.held && watch->own.put.generation < UINT64_MAX && !(watch->under_way & GUARD_DO_RECORD_PUT);
}

static const char *check_lost(const struct guard_watch *watch, const struct guard *guard,
                              const struct guard_actions *todo)
{
    const struct guard_watch_attempt *attempt = &watch->attempt;
    bool forward = forward_evidence(watch, watch->verdict);
    MUST(!attempt->out || attempt->dead || forward, "V1: nothing may still be applied");
    MUST(!attempt->out || !watch->settings.native || native_evidence(watch) || forward,
         "N1, N2, N4, R16: by what stood there");
    MUST(!owes_release(watch) || todo->what & GUARD_DO_RELEASE, "V5: released");
    MUST(guard_owns_upload(guard) == watch->owns_upload, "R17: an upload is the ticket's by the stored record");
    return NULL;
}

static bool names_no_other(const struct guard_watch *watch, const struct guard *guard)
{
    const struct object_version *found = &guard->outcome.found;
    return !found->exists || guard->outcome.reason == GUARD_REASON_WRITTEN || strcmp(found->nonce, watch->nonce) == 0;
}

/* After the verdict: an orphan's PutItem, and T3.10's GetItem. */
static void nothing_else_is_under_way(struct guard_watch *watch)
{
    bool clears = watch->clears && watch->attempt.written;
    watch->under_way &= GUARD_DO_RECORD_PUT | (clears ? GUARD_DO_RECORD_GET : 0);
    watch->timer = false;
}

static const char *check_verdict(struct guard_watch *watch, const struct guard *guard, const struct guard_actions *todo)
{
    const struct guard_watch_attempt *attempt = &watch->attempt;
    bool by_list = guard->outcome.rule == RULE_R16;
    bool by_answer = guard->outcome.rule == RULE_R9;
    MUST(watch->verdict == VERDICT_NONE, "one verdict");
    watch->verdict = guard_verdict(guard);
    MUST(watch->verdict >= VERDICT_COMMITTED && watch->verdict <= VERDICT_UNKNOWN, "what is announced is there");
    MUST(guard_rule_name(guard)[0] != '\0' && guard->outcome.reason != GUARD_REASON_NONE, "by a rule, for a reason");
    MUST(!guard_try_again(guard) || watch->verdict == VERDICT_NOT_EXECUTED, "G2: what was not executed is tried again");
    MUST(!by_list || attempt->proven || attempt->not_in_list, "R16: by what is in the list, or a whole list");
    MUST(!attempt->part || !attempt->out || by_answer || watch->verdict == VERDICT_UNKNOWN ||
             (by_list && watch->verdict == VERDICT_COMMITTED),
         "V4.8: a part proves nothing, nor does what comes after it");
    const char *wrong = NULL;
    if (watch->verdict == VERDICT_COMMITTED) {
        MUST(attempt->proven, "V2: committed only on evidence");
        MUST(by_list || names_no_other(watch, guard), "V2: the ETag that is given is that of our version");
    } else if (watch->verdict == VERDICT_UNKNOWN) {
        MUST(attempt->sent, "V3: unknown only when something was sent");
        MUST((guard->outcome.reason == GUARD_REASON_FALSE_TICKET) == watch->contradicted, "R17: a false ticket");
    } else {
        wrong = check_lost(watch, guard, todo);
    }
    nothing_else_is_under_way(watch);
    return wrong;
}

/* A record that a PutItem, answered after the verdict, may have made is released whatever the verdict. */
static bool may_release(const struct guard_watch *watch)
{
    bool orphan = !watch->attempt.sent && watch->answered != 0;
    bool upload = watch->operation == GUARD_COMPLETE;
    return watch->verdict == VERDICT_CONFLICT || watch->verdict == VERDICT_NOT_EXECUTED ||
           (watch->verdict == VERDICT_COMMITTED &&
            (watch->settings.release_always || upload || orphan || (watch->clears && watch->attempt.written)));
}

static const char *check_release(struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *release = &todo->release;
    const struct record *seen = &todo->release_condition.seen;
    bool as_ticket = watch->own.held && memcmp(seen, &watch->own.put, sizeof(*seen)) == 0;
    MUST(watch->releases++ == 0, "T3: once");
    MUST(may_release(watch), "V5, R9: which verdicts release");
    MUST(watch->own.put.nonce[0], "T3: only what was put");
    MUST(guard_watch_is_ours(watch, seen) && guard_watch_is_ours(watch, release), "T3: only what is ours");
    MUST(todo->release_condition.kind == (watch->from_ticket ? RECORD_IF_SAME : RECORD_IF_HELD),
         "T3, R17: if it is still ours");
    MUST(!watch->from_ticket || as_ticket, "R17: what was stored as the ticket says, and is dead");
    MUST(seen->generation < UINT64_MAX && release->generation == seen->generation + 1, "T3: generation + 1");
    MUST(release->timeout_ms == 0, "T3: timeout 0");
    MUST(release->ttl_s >= watch->largest_date_s + GUARD_EVIDENCE_S, "T3, T5: a fresh ttl");
    MUST(release->has_fence == seen->has_fence && release->fence_s == seen->fence_s, "T3: the same fence");
    MUST(strcmp(release->saw, seen->saw) == 0, "T3: the same saw");
    MUST(release->upload == 0 && !watch->settings.native, "T3: without the upload");
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ a step */

static const char *check_about_uploads(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct guard_watch_attempt *attempt = &watch->attempt;
    if (todo->what & GUARD_DO_VERSIONS)
        MUST(attempt->out && attempt->dead && attempt->has_versions,
             "R16: asked only of what is dead, and may be there");
    if (todo->what & GUARD_DO_PARTS)
        return check_parts(watch, todo);
    return todo->what & GUARD_DO_ABORT ? check_abort(watch, todo) : NULL;
}

/* T3.10. */
static bool reads_creation(const struct guard_watch *watch, const struct guard_actions *todo)
{
    unsigned both = GUARD_DO_SEND | GUARD_DO_RECORD_GET;
    return watch->operation == GUARD_DELETE && !watch->settings.native && (todo->what & (unsigned)REQUESTS) == both &&
           todo->get_our_etag;
}

static const char *check_creation(const struct guard_watch *watch, const struct guard_actions *todo)
{
    const struct record *stored = &watch->creation;
    const struct record *release = &todo->creation;
    MUST(watch->clears && watch->creation_found, "T3.10: of what was read for it");
    MUST(watch->attempt.written, "T3.10: of what an answer says is deleted");
    MUST(guard_watch_shows(&watch->before, stored->nonce) && stored->upload == 0, "T3.10: of what was deleted");
    MUST(stored->timeout_ms > 0 && release->timeout_ms == 0 && release->generation == stored->generation + 1,
         "T3.10: released once");
    MUST(todo->creation_condition.kind == RECORD_IF_HELD &&
             todo->creation_condition.seen.generation == stored->generation &&
             strcmp(todo->creation_condition.seen.nonce, stored->nonce) == 0,
         "T3.10: on the condition that it is as read");
    MUST(strcmp(release->nonce, stored->nonce) == 0 && strcmp(release->saw, stored->saw) == 0 &&
             release->has_fence == stored->has_fence && release->fence_s == stored->fence_s,
         "T3.10: and keeps the rest");
    return NULL;
}

static const char *check_requests(struct guard_watch *watch, const struct guard_actions *todo)
{
    const char *wrong = NULL;
    unsigned asked = todo->what & (unsigned)REQUESTS;
    watch->under_way &= ~todo->drop;
    watch->clears = watch->clears || reads_creation(watch, todo);
    MUST((asked == 0 && !todo->has_timer) || watch->verdict == VERDICT_NONE, "nothing is wanted after the verdict");
    MUST((watch->under_way & asked) == 0, "of each kind of request at most one is under way");
    watch->under_way |= asked;
    watch->timer = watch->timer || todo->has_timer;
    MUST(!todo->has_timer || (todo->timer_ms > 0 && todo->timer_ms <= PAUSE_MAX_MS),
         "a pause is neither none nor long");
    if (asked & GUARD_DO_HEAD)
        watch->asked = (struct guard_watch_head){watch->step, watch->now, watch->largest_date_s};
    if (asked & GUARD_DO_RECORD_GET)
        watch->own.reading = !todo->get_our_etag;
    if (asked & GUARD_DO_SIGN)
        wrong = check_sign(watch, todo);
    if (wrong == NULL && asked & GUARD_DO_RECORD_PUT)
        wrong = check_put(watch, todo);
    if (wrong == NULL && asked & GUARD_DO_SEND)
        wrong = check_send(watch, todo);
    return wrong ? wrong : check_about_uploads(watch, todo);
}

const char *guard_watch_step(struct guard_watch *watch, const struct guard *guard, const struct guard_event *event,
                             const struct guard_actions *todo)
{
    const char *wrong = NULL;
    guard_watch_event(watch, event);
    if (todo->what & GUARD_DO_VERDICT)
        wrong = check_verdict(watch, guard, todo);
    MUST(wrong == NULL, wrong);
    MUST(guard_verdict(guard) == watch->verdict, "a verdict stays, and is announced");
    wrong = check_requests(watch, todo);
    if (wrong == NULL && todo->what & GUARD_DO_RELEASE)
        wrong = check_release(watch, todo);
    if (wrong == NULL && todo->what & GUARD_DO_RELEASE_CREATION)
        wrong = check_creation(watch, todo);
    MUST(wrong == NULL, wrong);
    if (todo->what & GUARD_DO_REPORT_LEASE)
        MUST(watch->reports++ == 0, "R12: reported once");
    MUST(!guard_finished(guard) || watch->verdict != VERDICT_NONE, "a guard ends with a verdict");
    MUST(guard_finished(guard) || watch->under_way || watch->timer, "something is waited for");
    return NULL;
}
