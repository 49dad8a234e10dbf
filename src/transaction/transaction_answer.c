/* SPDX-License-Identifier: Apache-2.0 */
/* What an answer means, and what follows it. */
#include "transaction/transaction_internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ what follows */

void transaction_conclude(struct transaction *t, enum transaction_verdict verdict)
{
    t->phase = TRANSACTION_PHASE_OVER;
    t->verdict = verdict;
    t->is_due = false;
}

static void go_on(struct transaction *t, enum transaction_phase phase, const struct clock_reading *now)
{
    t->phase = phase;
    t->is_due = true;
    t->due_since = *now;
    t->delay_ms = 0;
}

static void back_off(struct transaction *t, enum transaction_phase phase, const struct clock_reading *now)
{
    uint32_t longer_ms = t->pause_ms == 0 ? TRANSACTION_PAUSE_MS : t->pause_ms * 2;
    t->pause_ms = longer_ms < TRANSACTION_PAUSE_MAX_MS ? longer_ms : TRANSACTION_PAUSE_MAX_MS;
    go_on(t, phase, now);
    t->delay_ms = t->pause_ms;
}

/* By the clock that advanced most: one that stands must not make the memory longer. */
static bool is_within(const struct transaction *t, const struct clock_reading *now, uint64_t limit_ms)
{
    return clock_elapsed_max(&t->first_sent, now) < limit_ms;
}

/* X5. With a WRITE the first copy that is applied ends all others (X2). Without one, what comes late finds the row gone,
 * say, and is applied once more: only the service's memory prevents that, and a plain write has none. */
bool transaction_may_send(const struct transaction *t, const struct clock_reading *now)
{
    const struct transaction_settings *settings = &t->settings;
    if (!t->is_lost)
        return true;
    if (transaction_has(settings, TRANSACTION_WRITE))
        return transaction_is_plain(settings) || is_within(t, now, TRANSACTION_MEMORY_MS);
    return !transaction_is_plain(settings) && settings->remembers && is_within(t, now, TRANSACTION_TWICE_MS);
}

/* ------------------------------------------------------------------------------------------------ X4 */

static bool only_creates_failed(const struct transaction *t, const struct transaction_row *rows)
{
    uint32_t creates = 0;
    for (uint32_t i = 0; i < t->settings.count; i++) {
        if (rows[i].failed && t->settings.parts[i] != TRANSACTION_CREATE)
            return false;
        creates += rows[i].failed;
    }
    return creates > 0;
}

/* ------------------------------------------------------------------------------------------------ X5 to X8 */

/* X7: the answer must be there, and not only the request be gone, while the service still remembers. */
static bool is_remembered(const struct transaction *t, const struct clock_reading *now)
{
    return !transaction_is_plain(&t->settings) && t->settings.remembers && is_within(t, now, TRANSACTION_MEMORY_MS);
}

static bool is_proven(const struct transaction *t, const struct transaction_event *event)
{
    return t->flight.kind == TRANSACTION_TOGETHER && is_remembered(t, &event->now) &&
           (t->has_moved || transaction_has_moved(&t->settings, event->rows));
}

/* It will not be applied any more. Where the service remembers, the same request tells whether it was, also when it does
 * not show the row: one that is gone has no item. */
static void on_moved(struct transaction *t, const struct transaction_event *event)
{
    t->has_moved = true;
    if (is_remembered(t, &event->now))
        back_off(t, TRANSACTION_PHASE_WRITING, &event->now);
    else
        transaction_conclude(t, TRANSACTION_UNKNOWN);
}

/* A fence that has failed tells of its own row only: the others are looked at. */
static void on_open(struct transaction *t, const struct transaction_event *event, uint32_t part)
{
    if (t->phase == TRANSACTION_PHASE_FENCING) {
        back_off(t, TRANSACTION_PHASE_LOOKING, &event->now);
        return;
    }
    t->fenced = part;
    go_on(t, TRANSACTION_PHASE_FENCING, &event->now);
}

static void on_rows(struct transaction *t, const struct transaction_event *event)
{
    uint32_t part = 0;
    switch (transaction_judge(&t->settings, event->rows, &part)) {
    case TRANSACTION_APPLIED: transaction_conclude(t, TRANSACTION_COMMITTED); break;
    case TRANSACTION_NEVER: transaction_conclude(t, TRANSACTION_CONFLICT); break;
    case TRANSACTION_OPEN: on_open(t, event, part); break;
    case TRANSACTION_MOVED: on_moved(t, event); break;
    default: back_off(t, TRANSACTION_PHASE_WRITING, &event->now); break;
    }
}

/* A service that tells no item with a condition that failed is asked for the rows. */
static bool is_blind(const struct transaction *t, const struct transaction_row *rows)
{
    for (uint32_t i = 0; i < t->settings.count; i++)
        if (rows[i].failed && rows[i].seen == TRANSACTION_UNSEEN && t->settings.parts[i] == TRANSACTION_WRITE)
            return true;
    return false;
}

static void on_failed(struct transaction *t, const struct transaction_event *event)
{
    uint32_t part = 0;
    enum transaction_finding finding = transaction_judge(&t->settings, event->rows, &part);
    if (finding == TRANSACTION_APPLIED)
        transaction_conclude(t, TRANSACTION_COMMITTED);
    else if (!t->is_lost)
        transaction_conclude(t, only_creates_failed(t, event->rows) ? TRANSACTION_EXISTS : TRANSACTION_CONFLICT);
    else if (is_proven(t, event))
        transaction_conclude(t, TRANSACTION_CONFLICT);
    else if (finding != TRANSACTION_NEVER && is_blind(t, event->rows))
        go_on(t, TRANSACTION_PHASE_LOOKING, &event->now);
    else
        on_rows(t, event);
}

/* ------------------------------------------------------------------------------------------------ answers */

/* A copy of CHECKs alone changes nothing, whenever it comes. */
static void on_writing(struct transaction *t, const struct transaction_event *event)
{
    switch (event->outcome) {
    case TRANSACTION_OK: transaction_conclude(t, TRANSACTION_COMMITTED); break; /* X3 */
    case TRANSACTION_FAILED: on_failed(t, event); break;
    case TRANSACTION_THROTTLED: back_off(t, TRANSACTION_PHASE_WRITING, &event->now); break;
    case TRANSACTION_REFUSED:
        if (t->is_lost)
            go_on(t, TRANSACTION_PHASE_LOOKING, &event->now);
        else
            transaction_conclude(t, TRANSACTION_NOT_EXECUTED);
        break;
    default:
        t->is_lost = !transaction_only_checks(&t->settings);
        back_off(t, TRANSACTION_PHASE_WRITING, &event->now);
        break;
    }
}

/* X5, X8: something was lost before. */
static void on_resolving(struct transaction *t, const struct transaction_event *event)
{
    bool fences = t->phase == TRANSACTION_PHASE_FENCING;
    switch (event->outcome) {
    case TRANSACTION_OK:
        if (fences)
            transaction_conclude(t, TRANSACTION_CONFLICT); /* X8: what was read was still there, and is no more */
        else
            on_rows(t, event);
        break;
    case TRANSACTION_FAILED:
        if (is_blind(t, event->rows))
            back_off(t, TRANSACTION_PHASE_LOOKING, &event->now);
        else
            on_rows(t, event);
        break;
    case TRANSACTION_REFUSED: transaction_conclude(t, TRANSACTION_UNKNOWN); break;
    default: back_off(t, t->phase, &event->now); break;
    }
}

void transaction_on_answer(struct transaction *t, const struct transaction_event *event)
{
    if (t->phase == TRANSACTION_PHASE_WRITING)
        on_writing(t, event);
    else
        on_resolving(t, event);
    memset(&t->flight, 0, sizeof(t->flight));
}
