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
    if (strcmp(nonce, g->write.nonce) == 0)
        history->shows_ours = true; /* V4, in any mode */
    else if (over_base && guard_is_forward(g))
        history->overtaken = true;
}

/*
 * What we expect stands there after the attempt was dead. Whether an upload is open has been asked, so that the same one
 * is completed again where it is. With our nonce beside it a Complete may be half done (V4.6).
 */
static bool was_never_applied(const struct guard *g, const struct object_version *version)
{
    return guard_is_dead(g) && g->round.life != GUARD_LIFE_OVER_UNCLEAR &&
           !version_shows_nonce(version, g->write.nonce);
}

/* N4.2. The base is judged by its ETag: a nonce may be missing where a version has one. */
void guard_on_forward_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(guard_is_forward(g) && g->write.operation != GUARD_DELETE);
    bool dated = event->head == HEAD_ANSWERED && event->has_date;
    bool stands = dated && !g->attempt.not_applied && !guard_broken(g, &event->version);
    if (!g->attempt.not_applied && guard_is_overtaken(g, event))
        guard_conclude_overtaken(g, event, actions);
    else if (stands && was_never_applied(g, &event->version))
        guard_native_not_executed(g, RULE_N4, actions);
    else if (stands && guard_may_send_again(g, &event->now))
        guard_send_again(g, &event->now, actions);
    else
        guard_on_resolve_again(g, event, actions);
}
