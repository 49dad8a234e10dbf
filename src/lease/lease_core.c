/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part of a lease rests on: its versions (L1), the service's time, the time that it has (L4, L6), and the
 * requests that it asks for. Knows none of the parts above it.
 */
#include "lease/lease_internal.h"

#include <assert.h>
#include <string.h>

enum { MS_PER_S = 1000 };

static void copy_version(char *ret, const char *from)
{
    size_t length = strnlen(from, LEASE_VERSION_SIZE);
    assert(length < LEASE_VERSION_SIZE);
    memset(ret, 0, LEASE_VERSION_SIZE);
    memcpy(ret, from, length);
}

void lease_init(struct lease *l, const struct lease_settings *settings)
{
    assert(settings->ttl_s > 0 && settings->poll_ms > 0 && strlen(settings->nonce) == LEASE_NONCE_SIZE - 1);
    memset(l, 0, sizeof(*l));
    l->settings.ttl_s = settings->ttl_s;
    l->settings.poll_ms = settings->poll_ms;
    l->settings.once = settings->once;
    l->settings.fencing = settings->fencing;
    copy_version(l->settings.adopted, settings->adopted);
    l->settings.version_count = settings->version_count;
    l->version_count = settings->version_count;
    memcpy(l->settings.nonce, settings->nonce, LEASE_NONCE_SIZE);
    l->shown = LEASE_ACQUIRING;
}

/* ------------------------------------------------------------------------------------------------ L1 */

/* "<nonce>-<number>" */
static void make_version(const struct lease *l, char *ret)
{
    char digits[20];
    size_t count = 0;
    for (uint64_t rest = l->version_count; rest > 0; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    memset(ret, 0, LEASE_VERSION_SIZE);
    memcpy(ret, l->settings.nonce, LEASE_NONCE_SIZE - 1);
    ret[LEASE_NONCE_SIZE - 1] = '-';
    for (size_t i = 0; i < count; i++)
        ret[LEASE_NONCE_SIZE + i] = digits[count - 1 - i];
}

bool lease_has_nonce(const struct lease *l, const char *version)
{
    return strncmp(version, l->settings.nonce, LEASE_NONCE_SIZE - 1) == 0 && version[LEASE_NONCE_SIZE - 1] == '-';
}

/* 0: it is none that is written here. */
static uint64_t number_of(const char *version)
{
    uint64_t number = 0;
    for (const char *digit = version + LEASE_NONCE_SIZE; *digit != '\0'; digit++)
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*digit - '0'), &number))
            return 0;
    return number;
}

/* Another number of the nonce is of a process that the lease was passed on to (L11). */
bool lease_wrote(const struct lease *l, const char *version)
{
    uint64_t number = lease_has_nonce(l, version) ? number_of(version) : 0;
    return number > l->settings.version_count && number <= l->version_count;
}

bool lease_may_adopt(const struct lease *l, const struct lease_item *item)
{
    return item->found && item->held && lease_has_nonce(l, item->version) &&
           number_of(item->version) >= number_of(l->settings.adopted);
}

bool lease_is_own(const struct lease *l, const struct lease_item *item)
{
    return item->found && item->held && lease_wrote(l, item->version);
}

/* ------------------------------------------------------------------------------------------------ what is seen */

/* L2: a version that changed begins anew, when the answer that shows it is there. */
static void note_seen(struct lease *l, const struct lease_event *event)
{
    const struct lease_item *item = &event->item;
    struct lease_seen *seen = &l->seen;
    bool held = item->found && item->held;
    if (!held || !seen->item.held || strcmp(seen->item.version, item->version) != 0)
        seen->since = event->now;
    memset(&seen->item, 0, sizeof(seen->item));
    seen->item.found = item->found;
    seen->item.held = held;
    if (held)
        copy_version(seen->item.version, item->version);
    seen->item.expiry_s = held ? item->expiry_s : 0;
    seen->item.ttl_ms = held ? item->ttl_ms : 0;
    seen->item.token = item->found ? item->token : 0;
}

bool lease_learn(struct lease *l, const struct lease_event *event)
{
    note_seen(l, event);
    bool adopts = l->phase == LEASE_PHASE_ADOPTING;
    bool own = adopts ? lease_may_adopt(l, &l->seen.item) : lease_is_own(l, &l->seen.item);
    l->own = own ? LEASE_OWN_ITEM : LEASE_OWN_NOTHING;
    if (own)
        copy_version(l->current, l->seen.item.version);
    return own;
}

/* L7: the version that was sent last is what a release begins with. */
void lease_take_failed(struct lease *l, const struct lease_event *event)
{
    if (event->outcome != LEASE_AMBIGUOUS)
        return;
    l->own = LEASE_OWN_MAYBE;
    copy_version(l->current, l->flight.version);
}

/* ------------------------------------------------------------------------------------------------ the service's time */

static bool has_date(const struct lease_event *event)
{
    return event->has_date && event->date_s > 0;
}

void lease_learn_date(struct lease *l, const struct lease_event *event)
{
    bool is_clear = event->outcome == LEASE_OK || event->outcome == LEASE_CONFLICT;
    if (!has_date(event)) {
        l->date.absent = l->date.absent || is_clear;
        return;
    }
    l->date.known = true;
    l->date.date_s = (uint64_t)event->date_s;
    l->date.sent = l->sent;
    l->date.received = event->now;
}

/* Since `start`, by the faster of MONOTONIC and BOOTTIME: nobody sets them. */
static uint64_t elapsed_steady(const struct clock_reading *start, const struct clock_reading *now)
{
    struct clock_reading steady = *now;
    steady.realtime_ms = start->realtime_ms;
    return clock_elapsed_max(start, &steady);
}

/* At least: from the send on, as the Date is of a later instant. */
static uint64_t service_ms(const struct lease *l, const struct clock_reading *now)
{
    if (!l->date.known)
        return now->realtime_ms;
    return l->date.date_s * MS_PER_S + elapsed_steady(&l->date.sent, now);
}

/* L2: at most, so that no clock of ours that runs ahead takes a foreign lease that lives: by the service's time, and by
 * the wall clock, as the foreign implementation itself does. Before the service has told its time, nothing is taken so. */
uint64_t lease_foreign_now_s(const struct lease *l, const struct clock_reading *now)
{
    uint64_t wall_s = now->realtime_ms / MS_PER_S;
    if (!l->date.known)
        return l->date.absent ? wall_s : 0;
    uint64_t service_s = l->date.date_s + clock_elapsed_min(&l->date.received, now) / MS_PER_S;
    return service_s < wall_s ? service_s : wall_s;
}

/* ------------------------------------------------------------------------------------------------ L4, L6 */

uint64_t lease_ttl_ms(const struct lease *l)
{
    return l->settings.ttl_s * MS_PER_S;
}

uint64_t lease_margin_ms(const struct lease *l)
{
    uint64_t margin_ms = lease_ttl_ms(l) / LEASE_MARGIN_DIVISOR;
    return margin_ms > LEASE_MARGIN_MIN_MS ? margin_ms : LEASE_MARGIN_MIN_MS;
}

/* By the Date of the answer the second of the expiry is that far away at least: the service deletes the item then, and
 * a foreign implementation takes it. */
static uint64_t until_expiry_ms(const struct lease *l, const struct lease_event *event)
{
    uint64_t expiry_s = l->flight.expiry_s;
    if (!has_date(event))
        return UINT64_MAX;
    uint64_t over_s = (uint64_t)event->date_s + 1; /* the second of the Date is over by then */
    return expiry_s > over_s ? (expiry_s - over_s) * MS_PER_S : 0;
}

void lease_begin_term(struct lease *l, const struct lease_event *event)
{
    uint64_t time_ms = until_expiry_ms(l, event);
    if (time_ms > lease_ttl_ms(l))
        time_ms = lease_ttl_ms(l);
    uint64_t margin_ms = lease_margin_ms(l);
    l->term.since = l->sent;
    l->term.usable_ms = time_ms > margin_ms ? time_ms - margin_ms : 0;
    l->own = LEASE_OWN_ITEM;
    copy_version(l->current, l->flight.version);
}

static uint64_t term_left_ms(const struct lease *l, const struct clock_reading *now)
{
    uint64_t elapsed_ms = clock_elapsed_max(&l->term.since, now);
    return l->term.usable_ms > elapsed_ms ? l->term.usable_ms - elapsed_ms : 0;
}

bool lease_has_time(const struct lease *l, const struct clock_reading *now)
{
    return term_left_ms(l, now) > 0;
}

uint64_t lease_remaining_ms(const struct lease *l, const struct clock_reading *now)
{
    return l->phase == LEASE_PHASE_HOLDING ? term_left_ms(l, now) : 0;
}

enum lease_status lease_status(const struct lease *l, const struct clock_reading *now)
{
    switch (l->phase) {
    case LEASE_PHASE_LOST: return LEASE_LOST;
    case LEASE_PHASE_LEAVING: return LEASE_RELEASING;
    case LEASE_PHASE_OVER: return l->end;
    case LEASE_PHASE_HOLDING: break;
    default: return LEASE_ACQUIRING;
    }
    if (!lease_has_time(l, now))
        return LEASE_LOST;
    return clock_elapsed_max(&l->term.since, now) > lease_ttl_ms(l) / 2 ? LEASE_AT_RISK : LEASE_HELD;
}

uint64_t lease_token(const struct lease *l)
{
    return l->is_announced ? l->token : 0;
}

bool lease_finished(const struct lease *l)
{
    return l->phase == LEASE_PHASE_OVER;
}

bool lease_left_behind(const struct lease *l)
{
    return l->phase == LEASE_PHASE_OVER && l->own != LEASE_OWN_NOTHING;
}

/* ------------------------------------------------------------------------------------------------ what is due */

void lease_wait(struct lease *l, const struct clock_reading *now, uint64_t delay_ms)
{
    l->due.since = *now;
    l->due.delay_ms = delay_ms;
    l->due.set = true;
}

static void grow_pause(struct lease *l)
{
    uint32_t longer_ms = l->due.pause_ms == 0 ? LEASE_PAUSE_MS : l->due.pause_ms * 2;
    l->due.pause_ms = longer_ms < l->settings.poll_ms ? longer_ms : l->settings.poll_ms;
}

void lease_back_off(struct lease *l, const struct clock_reading *now)
{
    grow_pause(l);
    lease_wait(l, now, l->due.pause_ms);
}

void lease_hurry(struct lease *l, const struct clock_reading *now)
{
    lease_wait(l, now, l->due.pause_ms);
    grow_pause(l);
}

void lease_go_on(struct lease *l, const struct clock_reading *now)
{
    if (strcmp(l->flight.on_version, l->current) == 0)
        lease_back_off(l, now);
    else
        lease_wait(l, now, 0);
}

/* ------------------------------------------------------------------------------------------------ requests */

/* An adopted lease's ttl is not known before its item was read: then it is more each time. */
static uint64_t try_ms(const struct lease *l)
{
    bool is_first_look = l->phase == LEASE_PHASE_ADOPTING && l->flight.kind == LEASE_READ;
    uint64_t sixth_ms = is_first_look ? 8 * (uint64_t)l->due.pause_ms : lease_ttl_ms(l) / 6;
    if (sixth_ms < LEASE_TRY_MIN_MS)
        return LEASE_TRY_MIN_MS;
    return sixth_ms < LEASE_TRY_MAX_MS ? sixth_ms : LEASE_TRY_MAX_MS;
}

static void send(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    l->flight.try_ms = try_ms(l);
    l->sent = *now;
    memset(&l->due.since, 0, sizeof(l->due.since));
    l->due.delay_ms = 0;
    l->due.set = false;
    actions->send = true;
    actions->request = l->flight;
}

/* A TAKE has what it needs beyond that from lease_take. */
void lease_send(struct lease *l, enum lease_request_kind kind, const struct clock_reading *now,
                struct lease_actions *actions)
{
    struct lease_request *request = &l->flight;
    memset(request, 0, sizeof(*request));
    request->kind = kind;
    if (kind == LEASE_EXTEND || kind == LEASE_DROP || kind == LEASE_TOKEN)
        copy_version(request->on_version, l->current);
    if (kind == LEASE_TAKE || kind == LEASE_EXTEND) {
        l->version_count++;
        make_version(l, request->version);
        request->expiry_s = (service_ms(l, now) + MS_PER_S - 1) / MS_PER_S + l->settings.ttl_s + 1;
        request->ttl_ms = lease_ttl_ms(l);
    }
    if (kind == LEASE_TOKEN)
        request->token = l->token;
    send(l, now, actions);
}

/* It keeps the condition of the request that has failed: what it shows is judged by that. */
void lease_read(struct lease *l, const struct clock_reading *now, struct lease_actions *actions)
{
    l->flight.kind = LEASE_READ;
    memset(l->flight.version, 0, sizeof(l->flight.version));
    l->flight.expiry_s = 0;
    l->flight.ttl_ms = 0;
    l->flight.token = 0;
    send(l, now, actions);
}

void lease_conclude(struct lease *l)
{
    l->phase = LEASE_PHASE_OVER;
    l->due.set = false;
}
