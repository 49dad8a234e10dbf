/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward-only keys (N4): the caller promises that the key is never deleted and never takes earlier bytes again. Then an
 * ETag names one version for ever, and under the store's own condition of two copies of one attempt at most one is
 * applied. So what was not answered for certain may be sent again, and one HEAD decides: by the ETag that stands there,
 * or by the pairs of nonce and replaced ETag that the object carries.
 */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

void guard_classify_pair(const struct guard *g, const char *nonce, bool over_base, struct guard_history *history)
{
    if (!guard_is_forward(g))
        return;
    if (strcmp(nonce, g->write.nonce) == 0)
        history->shows_ours = true;
    else if (over_base)
        history->overtaken = true;
}

/* N4.2. The base is judged by its ETag: a nonce may be missing where a version has one. */
void guard_on_forward_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_forward(g) && g->write.operation != GUARD_DELETE);
    bool judges = event->head == HEAD_ANSWERED && event->has_date && !g->attempt.not_applied;
    bool broken = judges && guard_broken(g, &event->version);
    if (broken && event->history.overtaken) {
        version_copy(&g->outcome.found, &event->version);
        guard_conclude(g, VERDICT_CONFLICT, GUARD_REASON_OVERTAKEN, RULE_N4, actions);
    } else if (judges && !broken && guard_may_send_again(g, &event->now)) {
        guard_send_again(g, &event->now, actions);
    } else if (judges && !broken && guard_is_dead(g) && g->write.operation != GUARD_COMPLETE) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_EXPIRED, RULE_N4, actions);
    } else {
        guard_on_resolve_again(g, event, actions);
    }
}
