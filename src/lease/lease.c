/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a lease an event goes to, by the phase; and the clocks of a step: what is due, and the next timer. */
#include "lease/lease.h"

#include "lease/lease_internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ events */

static void on_answer(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    if (l->flight.kind == 0)
        return; /* it was given up */
    lease_learn_date(l, event);
    switch (l->phase) {
    case LEASE_PHASE_SEEKING: lease_on_seeking(l, event, actions); break;
    case LEASE_PHASE_TAKEN: lease_on_taken(l, event, actions); break;
    case LEASE_PHASE_ADOPTING: lease_on_adopting(l, event, actions); break;
    case LEASE_PHASE_HOLDING: lease_on_holding(l, event, actions); break;
    case LEASE_PHASE_LOST: lease_on_lost(l, event); break;
    default: lease_on_leaving(l, event, actions); break;
    }
    if (!actions->send)
        memset(&l->flight, 0, sizeof(l->flight));
}

static void on_start(struct lease *l, const struct lease_event *event)
{
    if (l->phase != LEASE_PHASE_NEW)
        return; /* it was given up before */
    if (l->settings.adopted[0] != '\0')
        lease_begin_adopting(l);
    else
        l->phase = LEASE_PHASE_SEEKING;
    lease_wait(l, &event->now, 0);
}

static void on_release(struct lease *l, const struct lease_event *event)
{
    if (l->phase == LEASE_PHASE_OVER)
        l->end = LEASE_RELEASED;
    else if (l->phase == LEASE_PHASE_ADOPTING) /* L11.5 */
        lease_stop_adopting(l, LEASE_RELEASED);
    else if (l->phase != LEASE_PHASE_LEAVING)
        lease_leave(l, LEASE_RELEASED, &event->now);
}

static void on_stop(struct lease *l, const struct lease_event *event)
{
    switch (l->phase) {
    case LEASE_PHASE_NEW:
    case LEASE_PHASE_SEEKING:
    case LEASE_PHASE_TAKEN: lease_leave(l, LEASE_STOPPED, &event->now); break;
    case LEASE_PHASE_ADOPTING: lease_stop_adopting(l, LEASE_STOPPED); break;
    case LEASE_PHASE_LEAVING: lease_give_up(l); break;
    default: break;
    }
}

static void on_event(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    switch (event->kind) {
    case LEASE_EVENT_START: on_start(l, event); break;
    case LEASE_EVENT_ANSWER: on_answer(l, event, actions); break;
    case LEASE_EVENT_RELEASE: on_release(l, event); break;
    case LEASE_EVENT_STOP: on_stop(l, event); break;
    default: break; /* TIMER: what is due follows */
    }
}

/* ------------------------------------------------------------------------------------------------ time */

static uint64_t left_ms(const struct clock_reading *since, uint64_t delay_ms, const struct clock_reading *now)
{
    uint64_t elapsed_ms = clock_elapsed_max(since, now);
    return delay_ms > elapsed_ms ? delay_ms - elapsed_ms : 0;
}

static void do_what_is_due(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    if (!l->due.set || left_ms(&l->due.since, l->due.delay_ms, now) > 0)
        return;
    switch (l->phase) {
    case LEASE_PHASE_SEEKING: lease_take(l, now, actions); break;
    case LEASE_PHASE_TAKEN: lease_complete(l, now, actions); break;
    case LEASE_PHASE_ADOPTING: lease_adopt(l, now, actions); break;
    case LEASE_PHASE_HOLDING: lease_send(l, LEASE_EXTEND, now, actions); break;
    default: lease_send(l, LEASE_DROP, now, actions); break;
    }
}

static void set_timer(uint64_t timer_ms, struct lease_actions *actions)
{
    if (!actions->has_timer || timer_ms < actions->timer_ms)
        actions->timer_ms = timer_ms;
    actions->has_timer = true;
}

/* The next request, or the next status. */
static void arm(const struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    if (l->due.set)
        set_timer(left_ms(&l->due.since, l->due.delay_ms, now), actions);
    if (l->phase != LEASE_PHASE_HOLDING)
        return;
    set_timer(lease_remaining_ms(l, now), actions);
    uint64_t until_risk_ms = left_ms(&l->term.since, lease_ttl_ms(l) / 2 + 1, now);
    if (until_risk_ms > 0)
        set_timer(until_risk_ms, actions);
}

void lease_step(struct lease *l, const struct lease_event *event, struct lease_actions *ret_actions)
{
    memset(ret_actions, 0, sizeof(*ret_actions));
    lease_note_time(l, &event->now);
    on_event(l, event, ret_actions);
    lease_note_time(l, &event->now);
    do_what_is_due(l, &event->now, ret_actions);
    arm(l, &event->now, ret_actions);
    enum lease_status status = lease_status(l, &event->now);
    ret_actions->changed = status != l->shown;
    l->shown = status;
}
