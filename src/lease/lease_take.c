/* SPDX-License-Identifier: Apache-2.0 */
/* L2, L3: the item is taken. L4, L8: what is taken is announced when it has time and, with fencing, a token. */
#include "lease/lease_internal.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ L2 */

/* Nobody holds what was seen for as long as its own ttl, without being extended. Of a foreign item, which tells no ttl,
 * only the expiry counts. */
static uint64_t until_ripe_ms(const struct lease *l, const struct clock_reading *now)
{
    uint64_t wait_ms = l->seen.item.ttl_ms > LEASE_RIPE_MIN_MS ? l->seen.item.ttl_ms : LEASE_RIPE_MIN_MS;
    uint64_t waited_ms = clock_elapsed_min(&l->seen.since, now);
    return wait_ms > waited_ms ? wait_ms - waited_ms : 0;
}

static bool is_foreign(const struct lease_item *item)
{
    return item->ttl_ms == 0;
}

static bool may_be_taken_on_version(const struct lease *l, const struct clock_reading *now)
{
    const struct lease_item *item = &l->seen.item;
    if (!item->held)
        return false;
    return lease_is_own(l, item) || (!is_foreign(item) && until_ripe_ms(l, now) == 0);
}

/* That condition holds for that item. */
static bool covers(uint64_t now_s, const char *on_version, const struct lease_item *item)
{
    return !item->held || (is_foreign(item) && item->expiry_s < now_s) || strcmp(on_version, item->version) == 0;
}

void lease_take(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    lease_send(l, LEASE_TAKE, now, actions);
    l->flight.now_s = lease_foreign_now_s(l, now);
    if (may_be_taken_on_version(l, now))
        memcpy(l->flight.on_version, l->seen.item.version, sizeof(l->flight.on_version));
    actions->request = l->flight;
}

/* ------------------------------------------------------------------------------------------------ L4, L8 */

bool lease_token_is_good(uint64_t token)
{
    return token >> 32 != 0 && (token & UINT32_MAX) < LEASE_TOKEN_N_MAX;
}

static void forget_token(struct lease *l)
{
    l->token = 0;
    l->token_is_ready = false;
}

/* L8: the time is over, and another may have been announced meanwhile: the token has to be a new one, too. */
static void take_again(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    l->phase = LEASE_PHASE_SEEKING;
    forget_token(l);
    l->seen.item.found = l->seen.item.held = true;
    memcpy(l->seen.item.version, l->current, sizeof(l->seen.item.version));
    l->seen.since = *now;
    lease_take(l, now, actions);
}

/* The next thing that is missing. Time that was, and is there again since REALTIME was set back, is not trusted. */
void lease_complete(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    if (!l->settings.fencing)
        lease_send(l, LEASE_EXTEND, now, actions);
    else if (l->token_is_ready || !lease_has_time(l, now))
        take_again(l, now, actions);
    else if (lease_token_is_good(l->token))
        lease_send(l, LEASE_TOKEN, now, actions);
    else
        lease_send(l, LEASE_EPOCH, now, actions);
}

static void announce_if_complete(struct lease *l, const struct clock_reading *now)
{
    if (!lease_has_time(l, now))
        lease_hurry(l, now);
    else if (l->settings.fencing && !l->token_is_ready)
        lease_wait(l, now, 0);
    else
        lease_hold(l, now);
}

static void taken(struct lease *l, const struct lease_event *event)
{
    l->phase = LEASE_PHASE_TAKEN;
    lease_begin_term(l, event);
    memset(&l->seen, 0, sizeof(l->seen));
    if (!lease_wrote(l, l->flight.on_version)) /* else it may have been taken for the same reason before */
        l->due.pause_ms = 0;
    if (l->settings.fencing) {
        l->token = event->item.token;
        l->token_is_ready = lease_token_is_good(l->token);
    }
    announce_if_complete(l, &event->now);
}

/* ------------------------------------------------------------------------------------------------ L3 */

static void poll(struct lease *l, const struct clock_reading *now)
{
    uint64_t delay_ms = l->settings.poll_ms;
    uint64_t ripe_ms = until_ripe_ms(l, now);
    if (!is_foreign(&l->seen.item) && ripe_ms < delay_ms)
        delay_ms = ripe_ms;
    lease_wait(l, now, delay_ms);
}

/* A live holder would have extended it by now, if that clock is right. It only says that a longer look is worth it. */
static bool looks_dead(const struct lease *l, const struct clock_reading *now)
{
    const struct lease_item *item = &l->seen.item;
    return !is_foreign(item) && item->expiry_s < lease_foreign_now_s(l, now);
}

/* L3.2 */
static bool is_busy(const struct lease *l, const struct lease_seen *before, const struct clock_reading *now)
{
    bool lives = before->item.held && strcmp(before->item.version, l->seen.item.version) != 0;
    return l->settings.once && (lives || !looks_dead(l, now));
}

/* An item that may be taken now, though the last TAKE could not, is taken at once: nobody else holds it. */
static void on_shown(struct lease *l, const struct lease_event *event)
{
    const struct lease_seen before = l->seen;
    lease_learn(l, event);
    const struct lease_item *item = &l->seen.item;
    bool may_be_taken =
        may_be_taken_on_version(l, &event->now) || covers(lease_foreign_now_s(l, &event->now), "", item);
    if (may_be_taken && covers(l->flight.now_s, l->flight.on_version, item)) {
        lease_back_off(l, &event->now);
    } else if (may_be_taken) {
        lease_wait(l, &event->now, 0);
    } else if (is_busy(l, &before, &event->now)) {
        l->end = LEASE_BUSY;
        lease_conclude(l);
    } else {
        l->due.pause_ms = 0;
        poll(l, &event->now);
    }
}

static void on_not_done(struct lease *l, const struct lease_event *event)
{
    if (l->flight.kind == LEASE_TAKE)
        lease_take_failed(l, event);
    if (event->outcome == LEASE_REFUSED)
        lease_fail(l, &event->now);
    else
        lease_back_off(l, &event->now);
}

void lease_on_seeking(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    bool reads = l->flight.kind == LEASE_READ;
    if (event->outcome == LEASE_CONFLICT || (event->outcome == LEASE_OK && reads))
        on_shown(l, event);
    else if (event->outcome == LEASE_OK)
        taken(l, event);
    else if (event->outcome == LEASE_CONFLICT_BLIND)
        lease_read(l, &event->now, actions);
    else
        on_not_done(l, event);
}

/* ------------------------------------------------------------------------------------------------ taken */

/* It was never announced, so it is not lost. */
static void seek_again(struct lease *l, const struct lease_event *event)
{
    l->phase = LEASE_PHASE_SEEKING;
    forget_token(l);
    on_shown(l, event);
}

static void on_taken_shown(struct lease *l, const struct lease_event *event)
{
    if (lease_is_own(l, &event->item)) {
        lease_learn(l, event);
        lease_go_on(l, &event->now);
    } else {
        seek_again(l, event);
    }
}

static void on_epoch(struct lease *l, const struct lease_event *event)
{
    if (event->epoch == 0 || event->epoch > UINT32_MAX) {
        lease_fail(l, &event->now);
        return;
    }
    l->token = event->epoch << 32 | 1;
    lease_wait(l, &event->now, 0);
}

static void on_taken_ok(struct lease *l, const struct lease_event *event)
{
    switch (l->flight.kind) {
    case LEASE_READ: on_taken_shown(l, event); break;
    case LEASE_EPOCH: on_epoch(l, event); break;
    case LEASE_TOKEN:
        l->token_is_ready = true;
        announce_if_complete(l, &event->now);
        break;
    default:
        lease_begin_term(l, event);
        announce_if_complete(l, &event->now);
        break;
    }
}

void lease_on_taken(struct lease *l, const struct lease_event *event, struct lease_actions *actions)
{
    switch (event->outcome) {
    case LEASE_OK: on_taken_ok(l, event); break;
    case LEASE_CONFLICT: on_taken_shown(l, event); break;
    case LEASE_CONFLICT_BLIND: lease_read(l, &event->now, actions); break;
    case LEASE_REFUSED: lease_fail(l, &event->now); break;
    default: lease_back_off(l, &event->now); break;
    }
}
