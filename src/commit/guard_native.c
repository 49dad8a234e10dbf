/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native mode (M5): one request under the store's own condition, no record. Before it: a HEAD only where there is no
 * recent Date to sign at. After an ambiguous answer: rounds of one HEAD, which N1 to N3 judge. The way in between
 * (signing, sending, what the answer means) is that of every guard.
 */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ after it */

void guard_native_round(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->settings.native && g->own.hold == GUARD_HOLDS_NOTHING);
    /* Received before anything of this round is sent. */
    g->round.life = guard_dead_by(g, g->time.largest_date_s) ? GUARD_LIFE_OVER : GUARD_LIFE_LEFT;
    if (g->write.operation == GUARD_COMPLETE && guard_is_dead(g) && !g->attempt.not_applied) {
        guard_read_parts(g, actions);
        return;
    }
    g->state = GUARD_RESOLVE_AGAIN;
    guard_request_head(g, now, actions);
}

/* "Not executed" and may be tried again; a Complete whose upload is not known to be open needs a new one. */
void guard_native_not_executed(struct guard *g, enum guard_rule rule, struct guard_actions *actions)
{
    bool again = g->write.operation != GUARD_COMPLETE || g->round.life == GUARD_LIFE_OVER_OPEN;
    guard_conclude(g, VERDICT_NOT_EXECUTED, again ? GUARD_REASON_EXPIRED : GUARD_REASON_UPLOAD_AGAIN, rule, actions);
}

static void native_conflict(struct guard *g, const struct object_version *found, enum guard_rule rule,
                            struct guard_actions *actions)
{
    assert(guard_broken(g, found));
    version_copy(&g->outcome.found, found);
    guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_OVERTAKEN, rule, actions);
}

static bool is_one_of_a_kind(const struct object_version *version)
{
    return version->nonce[0] || version_is_own_id(version->version_id);
}

/*
 * The version that is there now was there before our attempt was signed, so it was there all the time, and our attempt
 * was never applied. A HEAD before the attempt shows it; or Last-Modified, but only where it is older by more than any
 * request takes, and of an object that one request made: it may be the time at which a request began, of an upload the
 * time at which it was created (AWS), days before its object was there.
 */
static bool stood_there(const struct guard *g, const struct object_version *version)
{
    if (!version->exists)
        return false;
    if (version_same(version, &g->check.base) && is_one_of_a_kind(version))
        return true;
    int64_t settled_s = (int64_t)g->signature.d0_s - (int64_t)g->settings.margin_s - GUARD_NATIVE_SETTLED_S;
    bool settled = version->last_modified_s != 0 && version->last_modified_s < settled_s; /* unreadable: assume new */
    return g->settings.modified_tells && version_is_of_one_part(version->etag) && settled;
}

/* A definite 412, or 409s until the signature was over (R7). */
static void native_judge_refused(struct guard *g, const struct object_version *version, struct guard_actions *actions)
{
    assert(g->round.life != GUARD_LIFE_OVER_OPEN); /* it is asked of what was not refused */
    if (guard_broken(g, version))
        native_conflict(g, version, RULE_R7, actions);
    else if (g->attempt.answered_409 > 0)
        guard_native_not_executed(g, RULE_R7, actions);
    else
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNMET, RULE_R7, actions);
}

static void native_no_evidence(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (!guard_ask_versions(g, event, actions))
        guard_conclude(g, VERDICT_UNKNOWN, GUARD_REASON_NO_EVIDENCE, RULE_N3, actions);
}

static void native_judge_dead(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_dead(g) && (!g->attempt.not_applied || g->round.part));
    const struct object_version *version = &event->version;
    if (g->round.part) /* V4.8 */
        native_no_evidence(g, event, actions);
    else if (g->round.life == GUARD_LIFE_OVER_OPEN)
        guard_native_not_executed(g, RULE_N2, actions);
    else if (!stood_there(g, version))
        native_no_evidence(g, event, actions);
    else if (guard_broken(g, version))
        native_conflict(g, version, RULE_N1, actions);
    else
        guard_native_not_executed(g, RULE_N1, actions);
}

void guard_on_native_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->settings.native);
    bool sees = guard_round_sees(g, event);
    if (g->attempt.not_applied && event->head == HEAD_REFUSED && !g->round.part)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_HEAD_REFUSED, RULE_R7, actions);
    else if (!sees || guard_part_stands(g, &event->version))
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
    else if (g->attempt.not_applied && !g->round.part)
        native_judge_refused(g, &event->version, actions);
    else if (g->round.life == GUARD_LIFE_OVER_UNCLEAR)
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
    else if (guard_is_dead(g))
        native_judge_dead(g, event, actions);
    else if (guard_dead_by(g, event->date_s))
        guard_native_round(g, &event->now, actions); /* what a HEAD shows may be older than its Date */
    else
        guard_wait(g, GUARD_RESOLVE_WAITING, actions);
}
