/* SPDX-License-Identifier: Apache-2.0 */
#include "guard_fuzz_model.h"

#include <string.h>

enum {
    REQUESTS = GUARD_DO_HEAD | GUARD_DO_SOURCE | GUARD_DO_SIGN | GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET |
               GUARD_DO_RECORD_QUERY | GUARD_DO_SEND | GUARD_DO_PARTS | GUARD_DO_ABORT | GUARD_DO_VERSIONS
};

unsigned model_request_of(enum guard_event_kind kind)
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

void model_init(struct model *model)
{
    memset(model, 0, sizeof(*model));
    model->s3_ms = UINT64_C(1793496400000);
    model->now.monotonic_ms = 5000000;
    model->now.boottime_ms = 6000000;
    model->now.realtime_ms = model->s3_ms + 300;
}

void model_begin(struct model *model, const struct guard_settings *settings, const struct guard_start *start)
{
    model->settings = *settings;
    model->margin_s = settings->margin_s;
    model->operation = start->operation;
    model->expected_etag = start->expected_etag;
    model->dated_sent_clock = start->recent_clock;
    model->amount = start->part_count;
    model->upload = start->upload;
    model->versioned = settings->versioned;
    model->has_versions = settings->versioned || settings->versions_likely;
    if (start->has_recent_date && (start->operation != GUARD_COPY || settings->native))
        model->largest_date_s = start->recent_date_s;
}

/* ------------------------------------------------------------------------------------------------ events */

static bool is_ours(const struct record *record)
{
    return strcmp(record->nonce, MODEL_NONCE) == 0;
}

static void head_answered(struct model *model, const struct guard_event *event)
{
    const struct object_version *version = &event->version;

    if (event->head != HEAD_ANSWERED)
        return;
    if (version->exists && strcmp(version->nonce, MODEL_NONCE) == 0)
        model->proof = true; /* V4 */
    model->expectation_held =
        model->expected_etag ? version->exists && strcmp(version->etag, model->expected_etag) == 0 : !version->exists;
    model->head_answered_step = model->head_sent_step;
    model->head_answered_sent_clock = model->head_sent_clock;
    model->head_known_date_s = model->head_sent_date_s;
    model->last = *version;
    model->has_versions = model->has_versions || event->versioned;
    if (model->sends == 0 && !model->resolving) {
        model->before = *version;
        model->versioned = model->versioned || event->versioned;
    }
    if (event->has_date)
        model->dated_sent_clock = model->head_sent_clock;
}

static bool same_fence(const struct record *a, const struct record *b)
{
    return a->has_fence == b->has_fence && (!a->has_fence || a->fence_s == b->fence_s);
}

/* R4: the record just sent is ours in all that it says. */
static void saw_own(struct model *model, const struct record *record, const struct clock_reading *now)
{
    if (!record_same_holder(record, &model->sent) || record->timeout_ms != model->sent.timeout_ms ||
        !same_fence(record, &model->sent))
        return;
    if (model->held || model->contending)
        return;
    model->held = true;
    model->held_step = model->step;
    model->held_clock = *now;
}

static void saw_record(struct model *model, const struct record *record, const struct clock_reading *now)
{
    const struct record *seen = &model->seen;

    if (strcmp(record->saw, MODEL_NONCE) == 0)
        model->proof = true; /* R13, row A */
    if (is_ours(record)) {
        if (!model->resolving)
            saw_own(model, record, now);
        return;
    }
    if (model->sends > 0 || model->resolving)
        return;
    model->held = false;
    model->contending = true;
    bool known = model->seen_step > 0 && record_same_holder(record, seen) && same_fence(record, seen) &&
                 record->timeout_ms == seen->timeout_ms && record->upload == seen->upload;
    if (!known) {
        model->aborted = false;
        model->seen = *record;
        model->seen_step = model->step;
        model->seen_clock = *now;
    }
}

static void record_answered(struct model *model, const struct guard_event *event)
{
    model_own_read(model, event);
    bool is_put = event->kind == GUARD_EVENT_RECORD_PUT;
    bool own_read = !is_put && !model->get_our_etag;

    if (own_read && (model->sends > 0 || model->resolving))
        model->overtaken = false;
    if (is_put && event->ledger == LEDGER_OK) {
        model->held = true;
        model->held_step = model->step;
        model->held_clock = event->now;
    } else if (is_put ? event->ledger == LEDGER_CONFLICT : event->ledger == LEDGER_OK && event->found) {
        saw_record(model, &event->record, &event->now);
        if (own_read && (model->sends > 0 || model->resolving))
            model->overtaken = event->record.nonce[0] && !is_ours(&event->record);
    }
}

/* R8: a refusal that an expired signature would get as well is definite only while the signature surely lives. */
static bool denied_early(const struct model *model, const struct clock_reading *now)
{
    uint64_t length_ms = (uint64_t)model->sign_length_s * 1000;
    uint64_t reserve_ms = ((uint64_t)model->settings.margin_s + 1) * 1000;
    return clock_elapsed_max(&model->sign_clock, now) + reserve_ms < length_ms;
}

static void attempt_answered(struct model *model, const struct guard_event *event)
{
    model->may_send_again = false;
    switch (event->attempt) {
    case ATTEMPT_OK: model->proof = true; return;
    case ATTEMPT_PRECONDITION:
    case ATTEMPT_REFUSED:
    case ATTEMPT_SKEWED:
    case ATTEMPT_NOT_SENT: return;
    case ATTEMPT_TOKEN_EXPIRED: model->may_send_again = true; return;
    case ATTEMPT_409:
        model->may_send_again = model->settings.answer_409 == GUARD_409_SEND_AGAIN;
        model->undecided = model->undecided || model->settings.answer_409 == GUARD_409_AMBIGUOUS;
        return;
    case ATTEMPT_DENIED: model->undecided = model->undecided || !denied_early(model, &event->now); return;
    case ATTEMPT_EXPIRED:
    case ATTEMPT_AMBIGUOUS: model->undecided = true; return;
    }
}

static void upload_answered(struct model *model, const struct guard_event *event)
{
    if (event->kind == GUARD_EVENT_PARTS) {
        model->upload_open = event->upload == UPLOAD_OPEN;
        return;
    }
    model->aborted = event->upload == UPLOAD_ABORTED || event->upload == UPLOAD_GONE;
    model->aborted_step = model->step;
    model->aborted_clock = event->now;
}

static void versions_answered(struct model *model, const struct guard_event *event)
{
    bool in_time = event->has_date && event->date_s <= model->sign_date_s + GUARD_VERSIONS_S;

    model->proof = model->proof || event->versions == VERSIONS_OURS;
    model->not_in_list = event->versions == VERSIONS_OTHERS && in_time && model->versioned;
}

void model_before(struct model *model, const struct guard_event *event)
{
    unsigned request = model_request_of(event->kind);

    model->step++;
    if (event->has_date && event->date_s > model->largest_date_s)
        model->largest_date_s = event->date_s;
    if (event->kind == GUARD_EVENT_TIMER)
        model->has_timer = false;
    model->answered = request & model->awaiting;
    model->awaiting &= ~request;
    if (!model->answered)
        return;
    switch (event->kind) {
    case GUARD_EVENT_HEAD: head_answered(model, event); return;
    case GUARD_EVENT_SOURCE:
        if (event->head == HEAD_ANSWERED)
            model->amount = event->source_bytes;
        return;
    case GUARD_EVENT_SIGNED: /* the allowance rests on the first one; a second may not need more */
        model_signed(model, event);
        return;
    case GUARD_EVENT_RECORD_PUT:
    case GUARD_EVENT_RECORD_GET: record_answered(model, event); return;
    case GUARD_EVENT_RECORD_QUERY: model->proof = model->proof || event->evidence.saw_ours; return;
    case GUARD_EVENT_ATTEMPT: attempt_answered(model, event); return;
    case GUARD_EVENT_PARTS:
    case GUARD_EVENT_ABORTED: upload_answered(model, event); return;
    case GUARD_EVENT_VERSIONS: versions_answered(model, event); return;
    default: return;
    }
}

/* ------------------------------------------------------------------------------------------------ requests */

/* R2: once the record is written, date and length never change. */
static void check_sign(struct model *model, const struct guard_actions *todo)
{
    FUZZ_CHECK(!model->resolving);
    FUZZ_CHECK(todo->sign_length_s == model->settings.length_s || model->settings.native);
    FUZZ_CHECK(todo->sign_length_s >= model->settings.length_s);
    FUZZ_CHECK(todo->sign_length_s <= model->settings.length_s + GUARD_NATIVE_DATE_MS / 1000);
    if (todo->sign_renewed) {
        FUZZ_CHECK(todo->sign_date_s == model->sign_date_s && todo->sign_length_s == model->sign_length_s);
    } else {
        FUZZ_CHECK(model->sends == 0 && !model->held);
        model->sign_date_s = todo->sign_date_s;
        model->sign_length_s = todo->sign_length_s;
        model->sign_clock = model->dated_sent_clock;
    }
    model->signed_ok = false;
}

/* R12, as far as it can be told from outside: the holder is dead, and a HEAD was sent after it was first seen. */
static void check_dead_holder(const struct model *model)
{
    const struct record *seen = &model->seen;
    uint64_t bound_ms = record_bound_ms(seen->timeout_ms, model->settings.max_clock_skew_rate);

    FUZZ_CHECK(model->seen_step > 0);
    FUZZ_CHECK(model->head_answered_step >= model->seen_step);
    if (seen->timeout_ms == 0)
        return;
    if (seen->has_fence)
        FUZZ_CHECK(model->head_known_date_s > seen->fence_s &&
                   model->head_known_date_s - seen->fence_s > model->margin_s);
    else
        FUZZ_CHECK(clock_elapsed_min(&model->seen_clock, &model->now) > bound_ms);
}

static void check_takeover(const struct model *model, const struct record_condition *condition)
{
    const struct record *seen = &model->seen;

    FUZZ_CHECK(record_same_holder(seen, &condition->seen));
    check_dead_holder(model);
    if (seen->upload == 0 || seen->timeout_ms == 0)
        return;
    FUZZ_CHECK(model->aborted && model->head_answered_step >= model->aborted_step); /* R14 */
    FUZZ_CHECK(seen->has_fence || clock_elapsed_min(&model->aborted_clock, &model->now) > seen->timeout_ms);
}

static void check_record_put(struct model *model, const struct guard_actions *todo)
{
    const struct record *record = &todo->record;
    const struct record_condition *condition = &todo->condition;

    FUZZ_CHECK(!model->resolving && model->sends == 0 && !model->settings.native);
    FUZZ_CHECK(record->upload == model->upload);
    FUZZ_CHECK(model->signed_ok); /* R2: signed, then locked */
    FUZZ_CHECK(is_ours(record));
    FUZZ_CHECK(record->ttl_s >= model->sign_date_s + GUARD_EVIDENCE_S); /* T5 */
    FUZZ_CHECK(record->timeout_ms >= model->settings.timeout_ms);
    FUZZ_CHECK(record->has_fence == (model->settings.fences && !model_stalls_for_ever(model)));
    if (record->has_fence) { /* T6 */
        FUZZ_CHECK(record->fence_s > model->sign_date_s + model->settings.length_s);
        FUZZ_CHECK(record->timeout_ms >= (record->fence_s - model->sign_date_s + model->margin_s) * 1000);
    }
    if (condition->kind == RECORD_IF_ABSENT) {
        FUZZ_CHECK(record->generation >> 48 == 0); /* T2 */
    } else {
        FUZZ_CHECK(condition->kind == RECORD_IF_SEEN);
        FUZZ_CHECK(condition->seen.generation < UINT64_MAX);
        FUZZ_CHECK(record->generation == condition->seen.generation + 1);
        if (!is_ours(&condition->seen))
            check_takeover(model, condition);
    }
    bool same = model->record_puts > 0 && memcmp(record, &model->sent, sizeof(*record)) == 0 &&
                memcmp(condition, &model->sent_on, sizeof(*condition)) == 0;
    if (!same)
        model->lease_clock = model->now;
    model->contending = false;
    model->sent = *record;
    model->sent_on = *condition;
    model->record_puts++;
}

/* R5, R6, R7. */
static void check_send(struct model *model, const struct guard_actions *todo)
{
    uint64_t length_ms = (uint64_t)model->sign_length_s * 1000;

    FUZZ_CHECK(!model->resolving && model->verdict == VERDICT_NONE && model->signed_ok);
    FUZZ_CHECK(!model->undecided && (model->sends == 0 || model->may_send_again));
    FUZZ_CHECK(clock_elapsed_max(&model->sign_clock, &model->now) < length_ms);
    FUZZ_CHECK(todo->send_at_once == model->at_once);
    if (model->settings.native) {
        FUZZ_CHECK(model->head_answered_step == 0 || model->expectation_held);
        FUZZ_CHECK(todo->send_deadline_ms <= length_ms + (model_allowance_s(model) + model->margin_s) * 1000);
        model->sends++;
        model->has_fence = model->settings.fences && !model_stalls_for_ever(model);
        model->fence_s = model->sign_date_s + model->sign_length_s + model_allowance_s(model);
        return;
    }
    FUZZ_CHECK(model->held);
    FUZZ_CHECK(model->head_answered_step > 0 && model->expectation_held);
    FUZZ_CHECK(clock_elapsed_max(&model->lease_clock, &model->now) < model->sent.timeout_ms);
    FUZZ_CHECK(todo->send_deadline_ms > 0 && todo->send_deadline_ms <= model->sent.timeout_ms);
    if (clock_elapsed_max(&model->head_answered_sent_clock, &model->held_clock) > model->settings.recheck_after_ms)
        FUZZ_CHECK(model->head_answered_step >= model->held_step);
    model->sends++;
    model->has_fence = model->sent.has_fence;
    model->fence_s = model->sent.fence_s;
}

/* T3. */
static void check_release(struct model *model, const struct guard_actions *todo)
{
    const struct record *release = &todo->release;
    const struct record *held = &todo->release_condition.seen;

    FUZZ_CHECK(model->releases++ == 0);
    FUZZ_CHECK(model->record_puts > 0 || model->resolving);
    FUZZ_CHECK(model->verdict == VERDICT_CONFLICT || model->verdict == VERDICT_NOT_EXECUTED ||
               (model->verdict == VERDICT_COMMITTED && (model->settings.release_always || model->answered)));
    FUZZ_CHECK(todo->release_condition.kind == (model->resolving ? RECORD_IF_SAME : RECORD_IF_HELD));
    FUZZ_CHECK(!model->resolving || (model->held && memcmp(held, &model->sent, sizeof(*held)) == 0)); /* R17 */
    FUZZ_CHECK(is_ours(release) && is_ours(held));
    FUZZ_CHECK(release->upload == 0 && !model->settings.native);
    FUZZ_CHECK(release->timeout_ms == 0);
    FUZZ_CHECK(held->generation < UINT64_MAX && release->generation == held->generation + 1);
    FUZZ_CHECK(release->has_fence == held->has_fence && release->fence_s == held->fence_s);
    FUZZ_CHECK(release->ttl_s >= model->largest_date_s + GUARD_EVIDENCE_S);
}

/* ------------------------------------------------------------------------------------------------ the verdict */

/* S3 time past fence + margin. */
static bool is_dead(const struct model *model)
{
    return model->has_fence && model->largest_date_s > model->fence_s &&
           model->largest_date_s - model->fence_s > model->margin_s;
}

/* R14: ListParts only of our own dead Complete; an abort only of a dead holder's. */
static void check_upload(const struct model *model, unsigned wanted, const struct guard_actions *todo)
{
    FUZZ_CHECK(todo->upload != 0);
    if (wanted & GUARD_DO_PARTS) {
        FUZZ_CHECK(model->operation == GUARD_COMPLETE && todo->upload == model->upload);
        FUZZ_CHECK((model->sends > 0 || model->resolving) && is_dead(model));
        return;
    }
    FUZZ_CHECK(!model->resolving && model->sends == 0 && model->expectation_held);
    FUZZ_CHECK(todo->upload == model->seen.upload && model->seen.timeout_ms != 0);
    check_dead_holder(model);
}

/* N1, N2, R16: without a record only the upload, or the version that stood there all the time. */
static bool native_evidence(const struct model *model)
{
    const struct object_version *last = &model->last;
    bool one_of_a_kind = last->nonce[0] || strcmp(last->version_id, "v1") == 0;
    int64_t settled_s = (int64_t)model->sign_date_s - (int64_t)model->margin_s - GUARD_NATIVE_SETTLED_S;

    if (model->upload_open || model->not_in_list)
        return true;
    if (!last->exists)
        return false;
    if (version_same(last, &model->before) && one_of_a_kind)
        return true;
    return model->settings.modified_tells && strlen(last->etag) == 34 && last->last_modified_s != 0 &&
           last->last_modified_s < settled_s;
}

/* V5: a record that we hold, that nobody took over, and of which no PutItem is unanswered. */
static bool owes_release(const struct model *model)
{
    return model->held && !model->overtaken && model->sent.generation < UINT64_MAX &&
           !(model->awaiting & GUARD_DO_RECORD_PUT);
}

static void check_verdict(const struct model *model, const struct guard *guard, const struct guard_actions *todo)
{
    bool unanswered = (model->awaiting & GUARD_DO_SEND) != 0;

    FUZZ_CHECK((todo->what & REQUESTS) == 0 && !todo->has_timer);
    FUZZ_CHECK(guard_rule_name(guard)[0] != '\0' && guard->outcome.reason != GUARD_REASON_NONE);
    FUZZ_CHECK(!guard_try_again(guard) || model->verdict == VERDICT_NOT_EXECUTED);
    FUZZ_CHECK(guard->outcome.rule != RULE_R16 || model->proof || model->not_in_list);
    switch (model->verdict) {
    case VERDICT_COMMITTED: FUZZ_CHECK(model->proof); return; /* V2 */
    case VERDICT_UNKNOWN:
        FUZZ_CHECK(model->resolving || model->sends > 0);                                        /* V3 */
        FUZZ_CHECK((guard->outcome.reason == GUARD_REASON_FALSE_TICKET) == model->contradicted); /* R17 */
        return;
    case VERDICT_CONFLICT:
    case VERDICT_NOT_EXECUTED:
        if (unanswered || model->undecided) {
            FUZZ_CHECK(is_dead(model)); /* V1 */
            FUZZ_CHECK(!model->settings.native || native_evidence(model));
        }
        FUZZ_CHECK(!owes_release(model) || todo->what & GUARD_DO_RELEASE);
        FUZZ_CHECK(guard_owns_upload(guard) == model->owns_upload);
        return;
    case VERDICT_NONE: FUZZ_CHECK(model->verdict != VERDICT_NONE);
    }
}

static void follow_requests(struct model *model, const struct guard_actions *todo)
{
    unsigned wanted = todo->what & REQUESTS;

    FUZZ_CHECK((model->awaiting & wanted) == 0); /* never two of one kind */
    if (wanted & GUARD_DO_HEAD) {
        model->head_sent_step = model->step;
        model->head_sent_clock = model->now;
        model->head_sent_date_s = model->largest_date_s;
    }
    if (wanted & GUARD_DO_SIGN)
        check_sign(model, todo);
    if (wanted & GUARD_DO_RECORD_PUT)
        check_record_put(model, todo);
    if (wanted & GUARD_DO_RECORD_GET)
        model->get_our_etag = todo->get_our_etag;
    if (wanted & GUARD_DO_SEND)
        check_send(model, todo);
    if (wanted & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        check_upload(model, wanted, todo);
    if (wanted & GUARD_DO_VERSIONS) /* R16: of what is dead, where there are versions */
        FUZZ_CHECK(model->undecided && is_dead(model) && model->has_versions);
    model->awaiting |= wanted;
    model->has_timer = model->has_timer || todo->has_timer;
}

void model_after(struct model *model, const struct guard_event *event, const struct guard *guard,
                 const struct guard_actions *todo)
{
    (void)event;
    if (todo->what & GUARD_DO_VERDICT) {
        FUZZ_CHECK(model->verdict == VERDICT_NONE); /* one verdict */
        model->verdict = guard_verdict(guard);
        FUZZ_CHECK(model->verdict >= VERDICT_COMMITTED && model->verdict <= VERDICT_UNKNOWN);
        check_verdict(model, guard, todo);
        model->awaiting &= (unsigned)GUARD_DO_RECORD_PUT;
        model->has_timer = false;
    }
    FUZZ_CHECK(guard_verdict(guard) == model->verdict);
    if (todo->what & GUARD_DO_RELEASE)
        check_release(model, todo);
    if (todo->what & GUARD_DO_REPORT_LEASE)
        FUZZ_CHECK(model->reports++ == 0);
    if (model->verdict == VERDICT_NONE)
        follow_requests(model, todo);
    else
        FUZZ_CHECK((todo->what & REQUESTS) == 0);
    /* Whoever has not finished waits for something. */
    FUZZ_CHECK(guard_finished(guard) || model->awaiting != 0 || model->has_timer);
    FUZZ_CHECK(!guard_finished(guard) || model->verdict != VERDICT_NONE);
}
