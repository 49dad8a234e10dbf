/* SPDX-License-Identifier: Apache-2.0 */
/* L11: a lease that another process acquired is gone on with. Nothing is dropped when that fails: the process that has the
 * nonce may try again, or another may. */
#include "lease/lease_internal.h"

#include <string.h>

/* What stands there may be later than what is known: a release drops it. */
void lease_begin_adopting(struct lease *l)
{
    l->phase = LEASE_PHASE_ADOPTING;
    l->own = LEASE_OWN_MAYBE;
    memcpy(l->current, l->settings.adopted, sizeof(l->current));
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

void lease_stop_adopting(struct lease *l)
{
    memset(&l->flight, 0, sizeof(l->flight));
    end(l, LEASE_STOPPED);
}

/* Both are of one nonce: numbers without leading zeros. */
static bool is_older(const char *version, const char *than)
{
    size_t length = strnlen(version, LEASE_VERSION_SIZE);
    size_t than_length = strnlen(than, LEASE_VERSION_SIZE);
    return length != than_length ? length < than_length : strcmp(version, than) < 0;
}

/* L11.2: an older version is of a TAKE that came late, when somebody else may have had it. */
static bool is_adoptable(const struct lease *l)
{
    return l->own == LEASE_OWN_ITEM && !is_older(l->current, l->settings.adopted);
}

/* The token stands beside a version, and changes only with it. */
static void on_shown(struct lease *l, const struct lease_event *event)
{
    (void)lease_learn(l, event);
    if (!is_adoptable(l)) {
        end(l, LEASE_LOST);
        return;
    }
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
