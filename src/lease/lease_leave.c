/* SPDX-License-Identifier: Apache-2.0 */
/* L7: what is ours is dropped, on its version. So ends a release, and a handle that gives up acquiring. */
#include "lease/lease_internal.h"

#include <string.h>

/* Nothing that a release asked for is given up before the caller does; the others have one try. */
static bool has_one_try(const struct lease *l)
{
    return l->end != LEASE_RELEASED;
}

static void drop_if_ours(struct lease *l, const struct clock_reading *now)
{
    if (l->own == LEASE_OWN_NOTHING)
        lease_conclude(l);
    else
        lease_wait(l, now, 0);
}

void lease_leave(struct lease *l, enum lease_status end, const struct clock_reading *now)
{
    l->phase = LEASE_PHASE_LEAVING;
    l->end = end;
    l->due.pause_ms = 0;
    l->due.set = false;
    if (l->flight.kind == 0) /* else its answer, or that it was given up, comes first */
        drop_if_ours(l, now);
}

void lease_fail(struct lease *l, const struct clock_reading *now)
{
    memset(&l->flight, 0, sizeof(l->flight));
    lease_leave(l, LEASE_FAILED, now);
}

void lease_give_up(struct lease *l)
{
    if (l->flight.kind == LEASE_TAKE && l->own == LEASE_OWN_NOTHING)
        l->own = LEASE_OWN_MAYBE;
    memset(&l->flight, 0, sizeof(l->flight));
    lease_conclude(l);
}

static void on_done(struct lease *l, const struct lease_event *event)
{
    if (l->flight.kind == LEASE_TAKE || l->flight.kind == LEASE_EXTEND)
        lease_begin_term(l, event); /* only what it has, as nobody holds any more */
    if (l->flight.kind == LEASE_DROP)
        l->own = LEASE_OWN_NOTHING;
    drop_if_ours(l, &event->now);
}

static void on_shown(struct lease *l, const struct lease_event *event)
{
    if (lease_learn(l, event))
        lease_go_on(l, &event->now);
    else
        lease_conclude(l);
}

static void on_not_done(struct lease *l, const struct lease_event *event)
{
    bool tried = l->flight.kind == LEASE_DROP || l->flight.kind == LEASE_READ;
    if (l->flight.kind == LEASE_TAKE)
        lease_take_failed(l, event);
    if (tried && (event->outcome == LEASE_REFUSED || has_one_try(l) || l->own == LEASE_OWN_NOTHING))
        lease_conclude(l);
    else if (tried)
        lease_back_off(l, &event->now);
    else
        drop_if_ours(l, &event->now);
}

void lease_on_leaving(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    bool is_shown = event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && l->flight.kind == LEASE_READ);
    if (is_shown)
        on_shown(l, event);
    else if (event->outcome == LEASE_OK)
        on_done(l, event);
    else if (event->outcome == LEASE_CONFLICT_BLIND)
        lease_read(l, &event->now, actions);
    else
        on_not_done(l, event);
}
