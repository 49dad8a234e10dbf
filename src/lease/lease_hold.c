/* SPDX-License-Identifier: Apache-2.0 */
/* L5: what is held is extended; and L6: what is lost is only looked after. */
#include "lease/lease_internal.h"

#include <string.h>

/* A ttl is a second at least, of which half is the margin. */
static uint64_t full_ms(const struct lease *l)
{
    return lease_ttl_ms(l) - lease_margin_ms(l);
}

/* L4: the expiry was written by a time that was wrong, and cost more than a third. */
static bool is_cut_short(const struct lease *l)
{
    return full_ms(l) - l->term.usable_ms > full_ms(l) / 3;
}

void lease_hold(struct lease *l, const struct clock_reading *now)
{
    l->phase = LEASE_PHASE_HOLDING;
    if (!l->is_announced)
        memcpy(l->handle, l->settings.adopted[0] != '\0' ? l->settings.adopted : l->current, sizeof(l->handle));
    l->is_announced = true;
    if (is_cut_short(l)) {
        lease_hurry(l, now);
        return;
    }
    l->due.pause_ms = 0;
    lease_wait(l, &l->term.since, lease_ttl_ms(l) / 3);
}

static void lose(struct lease *l)
{
    l->phase = LEASE_PHASE_LOST;
    l->due.set = false;
}

void lease_note_time(struct lease *l, const struct clock_reading *now)
{
    if (l->phase == LEASE_PHASE_HOLDING && !lease_has_time(l, now))
        lose(l);
}

static void on_shown(struct lease *l, const struct lease_event *event)
{
    if (lease_learn(l, event))
        lease_go_on(l, &event->now);
    else
        lose(l);
}

void lease_on_holding(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    bool reads = l->flight.kind == LEASE_READ;
    switch (event->outcome) {
    case LEASE_CONFLICT: on_shown(l, event); break;
    case LEASE_CONFLICT_BLIND: lease_read(l, &event->now, actions); break;
    case LEASE_REFUSED: lease_wait(l, &event->now, l->settings.poll_ms); break;
    case LEASE_OK:
        if (reads) {
            on_shown(l, event);
        } else {
            lease_begin_term(l, event);
            lease_hold(l, &event->now);
        }
        break;
    default: lease_back_off(l, &event->now); break;
    }
}

/* No answer brings it back; but what it tells of the item is what a release drops. */
void lease_on_lost(struct lease *l, const struct lease_event *event)
{
    bool is_shown = event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && l->flight.kind == LEASE_READ);
    if (is_shown)
        lease_learn(l, event);
    else if (event->outcome == LEASE_OK)
        lease_begin_term(l, event);
}
