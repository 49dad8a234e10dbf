/* SPDX-License-Identifier: Apache-2.0 */
/* L11: a lease that another process acquired is gone on with. Nothing is dropped when that fails: the process that has the
 * nonce may try again, or another may. */
#include "lease/lease_internal.h"

#include <string.h>

/* Until an answer says more, it may be there. */
void lease_begin_adopting(struct lease *l)
{
    l->phase = LEASE_PHASE_ADOPTING;
    l->own = LEASE_OWN_MAYBE;
}

void lease_adopt(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    lease_send(l, l->own == LEASE_OWN_ITEM ? LEASE_EXTEND : LEASE_READ, now, actions);
}

static void end(struct lease *l, enum lease_status status)
{
    l->end = status;
    lease_conclude(l);
}

void lease_stop_adopting(struct lease *l, enum lease_status status)
{
    memset(&l->flight, 0, sizeof(l->flight));
    end(l, status);
}

/* What the process before may believe rests on the ttl in the item: that does not become shorter. */
static void keep_ttl(struct lease *l)
{
    uint64_t ttl_s = (l->seen.item.ttl_ms + 999) / 1000;
    if (ttl_s > LEASE_TTL_MOST_S)
        ttl_s = LEASE_TTL_MOST_S;
    if (ttl_s > l->settings.ttl_s)
        l->settings.ttl_s = ttl_s;
}

/* The token stands beside a version, and changes only with it. */
static void on_shown(struct lease *l, const struct lease_event *event)
{
    if (!lease_learn(l, event)) {
        end(l, LEASE_LOST);
        return;
    }
    keep_ttl(l);
    l->token = l->settings.fencing ? event->item.token : 0;
    if (l->settings.fencing && !lease_token_is_good(l->token))
        end(l, LEASE_FAILED);
    else
        lease_go_on(l, &event->now);
}

static void extended(struct lease *l, const struct lease_event *event)
{
    lease_begin_term(l, event);
    if (lease_has_time(l, &event->now))
        lease_hold(l, &event->now);
    else
        lease_hurry(l, &event->now);
}

void lease_on_adopting(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    bool reads = l->flight.kind == LEASE_READ;
    if (event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && reads))
        on_shown(l, event);
    else if (event->outcome == LEASE_OK)
        extended(l, event);
    else if (event->outcome == LEASE_CONFLICT_BLIND)
        lease_read(l, &event->now, actions);
    else if (event->outcome == LEASE_REFUSED)
        end(l, LEASE_FAILED);
    else
        lease_back_off(l, &event->now);
}
