/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the guard an event goes to: by the state, and what kind of event it is. */
#include "commit/guard.h"

#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

typedef void handler_fn(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

static void guard_on_round(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    guard_resolve(g, &event->now, actions);
}

static void guard_on_start(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (g->write.from_ticket)
        guard_on_round(g, event, actions);
    else
        guard_check(g, event, actions);
}

static void guard_on_again(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (guard_is_forward(g))
        guard_on_forward_head(g, event, actions);
    else
        guard_on_resolve_again(g, event, actions);
}

/* A timer for which nothing stands here is one of an earlier state. */
static handler_fn *const handlers[GUARD_FINISHED + 1][GUARD_EVENT_STOP] = {
    [GUARD_NEW] = {[GUARD_EVENT_START] = guard_on_start},
    [GUARD_CHECKING] = {[GUARD_EVENT_HEAD] = guard_on_check_head,
                        [GUARD_EVENT_SOURCE] = guard_on_source,
                        [GUARD_EVENT_TIMER] = guard_on_acquire_timer},
    [GUARD_SIGNING] = {[GUARD_EVENT_SIGNED] = guard_on_signed},
    [GUARD_ACQUIRING] = {[GUARD_EVENT_HEAD] = guard_on_check_head,
                         [GUARD_EVENT_SOURCE] = guard_on_source,
                         [GUARD_EVENT_RECORD_PUT] = guard_on_record_put,
                         [GUARD_EVENT_TIMER] = guard_on_acquire_timer},
    [GUARD_ACQUIRE_READING] = {[GUARD_EVENT_HEAD] = guard_on_check_head,
                               [GUARD_EVENT_SOURCE] = guard_on_source,
                               [GUARD_EVENT_RECORD_GET] = guard_on_acquire_get,
                               [GUARD_EVENT_TIMER] = guard_on_acquire_timer},
    [GUARD_RECHECKING] = {[GUARD_EVENT_HEAD] = guard_on_recheck_head, [GUARD_EVENT_TIMER] = guard_on_acquire_timer},
    [GUARD_SENDING] = {[GUARD_EVENT_ATTEMPT] = guard_on_attempt,
                       [GUARD_EVENT_RECORD_GET] = guard_on_creation,
                       [GUARD_EVENT_HEAD] = guard_on_look,
                       [GUARD_EVENT_TIMER] = guard_on_look_timer},
    [GUARD_SEND_WAITING] = {[GUARD_EVENT_TIMER] = guard_on_send_timer},
    [GUARD_SIGNING_AGAIN] = {[GUARD_EVENT_SIGNED] = guard_on_signed_again},
    [GUARD_CONTEND_FIRST] = {[GUARD_EVENT_HEAD] = guard_on_check_head,
                             [GUARD_EVENT_SOURCE] = guard_on_source,
                             [GUARD_EVENT_TIMER] = guard_on_acquire_timer},
    [GUARD_CONTEND_WAITING] = {[GUARD_EVENT_TIMER] = guard_on_contend_timer},
    [GUARD_CONTEND_READING] = {[GUARD_EVENT_RECORD_GET] = guard_on_contend_get},
    [GUARD_CONTEND_CHECKING] = {[GUARD_EVENT_HEAD] = guard_on_contend_head},
    [GUARD_CONTEND_ABORTING] = {[GUARD_EVENT_ABORTED] = guard_on_aborted},
    [GUARD_RESOLVE_HEAD] = {[GUARD_EVENT_HEAD] = guard_on_resolve_head},
    [GUARD_RESOLVE_OWN] = {[GUARD_EVENT_RECORD_GET] = guard_on_resolve_own},
    [GUARD_RESOLVE_OTHERS] =
        {[GUARD_EVENT_RECORD_GET] = guard_on_resolve_get, [GUARD_EVENT_RECORD_QUERY] = guard_on_resolve_query},
    [GUARD_RESOLVE_PARTS] = {[GUARD_EVENT_PARTS] = guard_on_parts},
    [GUARD_RESOLVE_AGAIN] = {[GUARD_EVENT_HEAD] = guard_on_again},
    [GUARD_RESOLVE_VERSIONS] = {[GUARD_EVENT_VERSIONS] = guard_on_versions},
    [GUARD_RESOLVE_WAITING] = {[GUARD_EVENT_TIMER] = guard_on_round},
    [GUARD_ORPHANED] = {[GUARD_EVENT_RECORD_PUT] = guard_orphan_answered},
    [GUARD_CLEARING] = {[GUARD_EVENT_RECORD_GET] = guard_on_creation},
};

/* The request that an event answers. */
static const unsigned answered_by[] = {
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
};

static void guard_dispatch(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    handler_fn *handler = handlers[g->state][event->kind];
    assert(handler != NULL || event->kind == GUARD_EVENT_TIMER);
    if (handler != NULL)
        handler(g, event, actions);
}

bool guard_shows_torn(const struct guard *g, const struct object_version *version)
{
    return g->write.operation == GUARD_COMPLETE &&
           version_is_torn(version, g->write.nonce, &g->check.base, g->write.expected_etag);
}

/* V4. */
static bool shows_our_nonce(const struct guard *g, const struct guard_event *event)
{
    return event->kind == GUARD_EVENT_HEAD && event->head == HEAD_ANSWERED &&
           (version_shows_nonce(&event->version, g->write.nonce) || event->history.shows_ours) &&
           !guard_shows_torn(g, &event->version);
}

/* Where the version is another's, which replaced ours, nothing tells our ETag. */
static void seen_applied(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    memset(&g->outcome.found, 0, sizeof(g->outcome.found));
    if (strcmp(event->version.nonce, g->write.nonce) == 0)
        version_copy(&g->outcome.found, &event->version);
    guard_conclude(g, VERDICT_COMMITTED, GUARD_REASON_PROVEN, RULE_V4, actions);
}

static void guard_on_answer(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->outcome.verdict == VERDICT_NONE || g->state == GUARD_ORPHANED || g->state == GUARD_CLEARING);
    g->awaiting &= ~answered_by[event->kind];
    if (event->kind == GUARD_EVENT_HEAD)
        guard_note_versions(g, event);
    if (shows_our_nonce(g, event)) {
        seen_applied(g, event, actions);
        return;
    }
    guard_dispatch(g, event, actions);
}

/* The caller's deadline or cancellation (V3): an attempt that may be applied makes it `unknown`, anything else `not
 * executed`; between two copies (R7, E2) every one so far was answered definitely, and none will follow. */
static void guard_on_stop(struct guard *g, struct guard_actions *actions)
{
    if (g->outcome.verdict != VERDICT_NONE)
        return;
    assert(!guard_finished(g));
    bool may_be_out = g->write.from_ticket || g->state == GUARD_SENDING || guard_phase(g) == GUARD_PHASE_RESOLVE;
    if (may_be_out)
        guard_conclude(g, VERDICT_UNKNOWN, GUARD_REASON_STOPPED, RULE_V3, actions);
    else if (guard_phase(g) == GUARD_PHASE_CONTEND)
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_BUSY, RULE_R11, actions);
    else
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_STOPPED, RULE_V3, actions);
}

void guard_step(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    memset(actions, 0, sizeof(*actions));
    if (event->has_date && event->date_s > g->time.largest_date_s)
        g->time.largest_date_s = event->date_s;
    if (event->kind == GUARD_EVENT_STOP)
        guard_on_stop(g, actions);
    else if (event->kind == GUARD_EVENT_TIMER || event->kind == GUARD_EVENT_START)
        guard_dispatch(g, event, actions);
    else if (g->awaiting & answered_by[event->kind])
        guard_on_answer(g, event, actions);
    assert(!guard_finished(g) || (g->awaiting == 0 && !actions->has_timer));
}
