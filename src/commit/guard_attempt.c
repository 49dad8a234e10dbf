/* SPDX-License-Identifier: Apache-2.0 */
/* The one attempt and its answer: R6 to R10, E2. */
#include "commit/guard_internal.h"

#include "commit/words.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ V4 */

/* Of a Complete there may be several under one nonce, and some stores show its object before it is whole (s3s-fs). */
static bool may_look(const struct guard *g)
{
    return g->write.operation == GUARD_PUT || g->write.operation == GUARD_COPY;
}

static void look_later(struct guard *g, struct guard_actions *actions)
{
    assert(g->state == GUARD_SENDING);
    if (!may_look(g))
        return;
    uint64_t pause_ms = (uint64_t)GUARD_LOOK_MS << g->attempt.looks;
    actions->has_timer = true;
    actions->timer_ms = pause_ms < GUARD_LOOK_MAX_MS ? pause_ms : GUARD_LOOK_MAX_MS;
    if (pause_ms < GUARD_LOOK_MAX_MS)
        g->attempt.looks++;
}

/* V4.2. A timer of an earlier state may come while nothing is to be looked for. */
void guard_on_look_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->awaiting & GUARD_DO_SEND);
    if (may_look(g) && !(g->awaiting & GUARD_DO_HEAD))
        guard_request_head(g, &event->now, actions);
}

/* It does not show our nonce, and so proves nothing of this copy, but by the pair of another (N4.2). */
void guard_on_look(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (guard_is_overtaken(g, event)) {
        guard_conclude_overtaken(g, event, actions);
        return;
    }
    bool broken = event->head == HEAD_ANSWERED && guard_broken(g, &event->version);
    g->attempt.overtaken = g->attempt.overtaken || broken;
    look_later(g, actions);
}

/* ------------------------------------------------------------------------------------------------ R6 */

static uint64_t left_ms(uint64_t whole_ms, uint64_t elapsed_ms)
{
    return elapsed_ms >= whole_ms ? 0 : whole_ms - elapsed_ms;
}

static uint64_t signature_left_ms(const struct guard *g, const struct clock_reading *now)
{
    return left_ms((uint64_t)g->signature.length_s * 1000, clock_elapsed_max(&g->signature.d0_clock, now));
}

static uint64_t lease_left_ms(const struct guard *g, const struct clock_reading *now)
{
    return left_ms(g->own.record.timeout_ms, clock_elapsed_max(&g->own.lease_clock, now));
}

/* All local clocks say that signature and lease have enough left: the attempt can arrive in time. */
static bool in_time(const struct guard *g, const struct clock_reading *now)
{
    uint64_t half_ms = (uint64_t)g->settings.length_s * 500;
    uint64_t reserve_ms = half_ms < GUARD_SEND_RESERVE_MS ? half_ms : GUARD_SEND_RESERVE_MS;
    return signature_left_ms(g, now) > reserve_ms && lease_left_ms(g, now) > reserve_ms;
}

static void send_copy(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->check.stage == GUARD_CHECK_DONE && g->awaiting == 0);
    assert(g->own.hold == GUARD_HOLDS_RECORD || g->settings.native);
    /* Each copy before was answered definitely (R7), or the keys are forward-only (N4). */
    assert(g->attempt.uncertain || g->attempt.send_count == g->attempt.answered_409 + g->signature.renewed);
    g->state = GUARD_SENDING;
    g->attempt.send_count++;
    actions->send_allowance_ms = (uint64_t)guard_allowance_s(g) * 1000;
    actions->send_at_once = g->signature.at_once;
    actions->send_clock = g->signature.d0_clock;
    actions->send_tail_ms =
        ((uint64_t)g->signature.length_s + guard_delivery_s(&g->settings, g->signature.wire_bytes)) * 1000;
    if (g->settings.native)
        actions->send_deadline_ms =
            signature_left_ms(g, now) + actions->send_allowance_ms + (uint64_t)g->settings.margin_s * 1000;
    else
        actions->send_deadline_ms = lease_left_ms(g, now); /* T6: beyond length + allowance + margin */
    guard_request(g, GUARD_DO_SEND, actions);
    guard_read_creation(g, actions);
    g->attempt.looks = 0;
    look_later(g, actions);
}

static void too_late(struct guard *g, enum guard_rule rule, struct guard_actions *actions)
{
    g->attempt.came_too_late = true;
    guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_TOO_LATE, rule, actions);
}

static void sign_again(struct guard *g, struct guard_actions *actions)
{
    g->state = GUARD_SIGNING_AGAIN;
    actions->sign_date_s = g->signature.d0_s; /* R2: date and length never change */
    actions->sign_length_s = g->signature.length_s;
    actions->sign_renewed = g->signature.renewed;
    fixed_str_copy(actions->sign_replaced, guard_replaced_nonce(g), sizeof(actions->sign_replaced));
    guard_request(g, GUARD_DO_SIGN, actions);
}

void guard_send(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->signature.length_s >= g->settings.length_s && !g->attempt.not_applied);
    if (!in_time(g, now))
        too_late(g, RULE_R6, actions);
    else if (g->signature.made)
        send_copy(g, now, actions);
    else
        sign_again(g, actions); /* R3.7 */
}

bool guard_may_send_again(const struct guard *g, const struct clock_reading *now)
{
    return g->write.operation != GUARD_COMPLETE && !g->write.from_ticket && in_time(g, now);
}

void guard_send_again(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(guard_is_forward(g) && g->attempt.uncertain && guard_may_send_again(g, now));
    if (g->attempt.pause_due)
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
    else
        send_copy(g, now, actions);
}

/* ------------------------------------------------------------------------------------------------ R7 */

/* After an ambiguous answer nothing is sent again, but N4. So a definite one always speaks for every copy: those before it were
 * answered definitely too. */
static void definitely_not_applied(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_phase(g) == GUARD_PHASE_ATTEMPT && !(g->awaiting & GUARD_DO_SEND) && !g->attempt.uncertain);
    g->attempt.not_applied = true;
    guard_resolve(g, &event->now, actions);
}

/* All copies were answered so, and nothing but the signature's end is in the way of another. */
static void copies_are_over(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    g->attempt.came_too_late = true;
    definitely_not_applied(g, event, actions);
}

static void on_409(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->settings.answer_409 <= GUARD_409_FINAL);
    if (g->settings.answer_409 == GUARD_409_FINAL) {
        definitely_not_applied(g, event, actions);
    } else if (g->settings.answer_409 == GUARD_409_AMBIGUOUS) {
        guard_resolve(g, &event->now, actions);
    } else {
        g->attempt.answered_409++;
        /* A Complete is not sent again. An earlier guard's, of the same upload, may have been applied after all: V4 and
         * row A first. */
        if (g->write.operation == GUARD_COMPLETE || g->attempt.overtaken)
            definitely_not_applied(g, event, actions);
        else if (in_time(g, &event->now))
            guard_wait(g, GUARD_SEND_WAITING, actions);
        else
            copies_are_over(g, event, actions);
    }
}

void guard_on_send_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->write.operation != GUARD_COMPLETE && g->attempt.answered_409 > 0);
    if (in_time(g, &event->now))
        send_copy(g, &event->now, actions);
    else
        copies_are_over(g, event, actions);
}

/* ------------------------------------------------------------------------------------------------ R8, E2 */

/* An expired signature is refused like one that was never good. By the clock of a front end that is `margin` ahead,
 * and Date being cut to the second, it may have expired this early. */
static bool signature_surely_lives(const struct guard *g, const struct clock_reading *now)
{
    return signature_left_ms(g, now) > ((uint64_t)g->settings.margin_s + 1) * 1000;
}

static void on_token_expired(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (g->signature.renewed) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_REFUSED, RULE_E2, actions);
        return;
    }
    if (g->attempt.overtaken) {
        definitely_not_applied(g, event, actions);
        return;
    }
    if (!in_time(g, &event->now)) { /* R6 */
        too_late(g, RULE_E2, actions);
        return;
    }
    g->signature.renewed = true;
    sign_again(g, actions);
}

/* To arrive, than the record counts on. */
static bool takes_longer(const struct guard *g, const struct guard_event *event)
{
    if (g->signature.at_once || event->at_once)
        return g->signature.at_once && !event->at_once;
    return guard_delivery_s(&g->settings, event->wire_bytes) > guard_delivery_s(&g->settings, g->signature.wire_bytes);
}

void guard_on_signed_again(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->signature.renewed || (g->write.operation == GUARD_COPY && g->attempt.send_count == 0));
    enum guard_rule rule = g->signature.renewed ? RULE_E2 : RULE_R2;
    g->signature.made = true;
    if (!event->signed_ok)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SIGN_FAILED, rule, actions);
    else if (takes_longer(g, event)) /* the new token is longer, and the fence too early for it */
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_NOT_SENT, RULE_R6, actions);
    else
        guard_send(g, &event->now, actions);
}

/* ------------------------------------------------------------------------------------------------ the answer */

static void attempt_written(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    struct object_version made = {.exists = g->write.operation != GUARD_DELETE};
    fixed_str_copy(made.etag, event->attempt_etag, sizeof(made.etag));
    fixed_str_copy(made.version_id, event->attempt_version_id, sizeof(made.version_id));
    version_copy(&g->outcome.found, &made);
    guard_conclude(g, VERDICT_COMMITTED, GUARD_REASON_WRITTEN, RULE_R9, actions);
}

/* R8: this copy says so; E6 makes the next one longer. */
static void may_have_expired(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    g->attempt.came_too_late = true;
    guard_resolve(g, &event->now, actions);
}

/* N4.3: a copy before this one may be applied, whatever became of this one. A 412 mostly says that one was: the HEAD
 * will tell, so it comes at once, and the pause only where the base stands all the same. */
static void after_uncertainty(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_forward(g));
    g->attempt.pause_due = true;
    if (event->attempt == ATTEMPT_PRECONDITION)
        guard_resolve(g, &event->now, actions);
    else
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
}

void guard_on_attempt(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    guard_drop(g, GUARD_DO_HEAD, actions); /* V4.2: the answer is here */
    assert(g->own.hold == GUARD_HOLDS_RECORD || g->settings.native);
    assert(g->attempt.send_count > 0 && !g->attempt.not_applied);
    if (event->attempt != ATTEMPT_OK)
        guard_drop(g, GUARD_DO_RECORD_GET, actions); /* T3.10: asked again beside the next copy */
    if (g->attempt.uncertain && event->attempt != ATTEMPT_OK) {
        after_uncertainty(g, event, actions);
        return;
    }
    switch (event->attempt) {
    case ATTEMPT_OK: attempt_written(g, event, actions); return;
    case ATTEMPT_PRECONDITION: definitely_not_applied(g, event, actions); return;
    case ATTEMPT_409: on_409(g, event, actions); return;
    case ATTEMPT_REFUSED: guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_REFUSED, RULE_R8, actions); return;
    case ATTEMPT_DENIED:
        if (signature_surely_lives(g, &event->now))
            guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_REFUSED, RULE_R8, actions);
        else
            may_have_expired(g, event, actions);
        return;
    case ATTEMPT_TOKEN_EXPIRED: on_token_expired(g, event, actions); return;
    case ATTEMPT_SKEWED: guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_SKEWED, RULE_E2, actions); return;
    case ATTEMPT_NOT_SENT: guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_NOT_SENT, RULE_R6, actions); return;
    case ATTEMPT_EXPIRED: may_have_expired(g, event, actions); return;
    case ATTEMPT_AMBIGUOUS: guard_resolve(g, &event->now, actions); return; /* R10 */
    }
}
