/* SPDX-License-Identifier: Apache-2.0 */
/* Events, and what is due. */
#include "transaction/transaction.h"

#include "transaction/transaction_internal.h"

#include <assert.h>
#include <string.h>

void transaction_init(struct transaction *t, const struct transaction_settings *settings)
{
    assert(settings->count > 0 && settings->count <= TRANSACTION_PARTS);
    memset(t, 0, sizeof(*t));
    t->settings.count = settings->count;
    t->settings.together = settings->together;
    t->settings.remembers = settings->remembers;
    memcpy(t->settings.parts, settings->parts, settings->count);
}

enum transaction_verdict transaction_verdict(const struct transaction *t)
{
    return t->verdict;
}

/* ------------------------------------------------------------------------------------------------ events */

/* What one row was at one instant needs nobody to say so again. */
static void on_start(struct transaction *t, const struct clock_reading *now)
{
    if (t->phase != TRANSACTION_PHASE_NEW)
        return;
    if (t->settings.count == 1 && transaction_only_checks(&t->settings)) {
        transaction_conclude(t, TRANSACTION_COMMITTED);
        return;
    }
    t->phase = TRANSACTION_PHASE_WRITING;
    t->is_due = true;
    t->due_since = *now;
}

/* X9: a write that is under way is as good as lost. */
static void on_stop(struct transaction *t)
{
    bool writes = t->flight.kind == TRANSACTION_PLAIN || t->flight.kind == TRANSACTION_TOGETHER;
    bool is_lost = t->is_lost || (writes && !transaction_only_checks(&t->settings));
    transaction_conclude(t, is_lost ? TRANSACTION_UNKNOWN : TRANSACTION_NOT_EXECUTED);
    memset(&t->flight, 0, sizeof(t->flight));
}

static void on_event(struct transaction *t, const struct transaction_event *event)
{
    switch (event->kind) {
    case TRANSACTION_EVENT_START: on_start(t, &event->now); break;
    case TRANSACTION_EVENT_ANSWER:
        if (t->flight.kind != 0)
            transaction_on_answer(t, event);
        break;
    case TRANSACTION_EVENT_STOP: on_stop(t); break;
    default: break; /* TIMER: what is due follows */
    }
}

/* ------------------------------------------------------------------------------------------------ what is due */

static uint64_t left_ms(const struct transaction *t, const struct clock_reading *now)
{
    uint64_t elapsed_ms = clock_elapsed_max(&t->due_since, now);
    return t->delay_ms > elapsed_ms ? t->delay_ms - elapsed_ms : 0;
}

static enum transaction_request_kind next_request(struct transaction *t, const struct clock_reading *now)
{
    if (t->phase == TRANSACTION_PHASE_WRITING && !transaction_may_send(t, now))
        t->phase = TRANSACTION_PHASE_LOOKING; /* X5 */
    switch (t->phase) {
    case TRANSACTION_PHASE_LOOKING: return TRANSACTION_LOOK;
    case TRANSACTION_PHASE_FENCING: return TRANSACTION_SEND_FENCE;
    default: return transaction_is_plain(&t->settings) ? TRANSACTION_PLAIN : TRANSACTION_TOGETHER;
    }
}

static void do_what_is_due(struct transaction *t, const struct clock_reading *now, struct transaction_actions *actions)
{
    if (!t->is_due || left_ms(t, now) > 0)
        return;
    t->is_due = false;
    t->flight.kind = next_request(t, now);
    t->flight.part = t->flight.kind == TRANSACTION_SEND_FENCE ? t->fenced : 0;
    if (!t->is_lost)
        t->first_sent = *now; /* X7: what was throttled is not what the service remembers */
    actions->send = true;
    actions->request = t->flight;
}

void transaction_step(struct transaction *t, const struct transaction_event *event,
                      struct transaction_actions *ret_actions)
{
    memset(ret_actions, 0, sizeof(*ret_actions));
    if (t->phase == TRANSACTION_PHASE_OVER)
        return;
    on_event(t, event);
    do_what_is_due(t, &event->now, ret_actions);
    ret_actions->has_timer = t->is_due;
    ret_actions->timer_ms = t->is_due ? left_ms(t, &event->now) : 0;
}
