/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NONCE = LEASE_NONCE_SIZE - 1, PER_CENT = 100 };

/* ------------------------------------------------------------------------------------------------ the beginning */

char world_letter(unsigned h)
{
    return (char)(config->adopts >> h & 1 ? 'a' : 'a' + h);
}

static void init_handle(unsigned h, struct lease *ret)
{
    struct lease_settings settings = {.ttl_s = config->ttl_s, .poll_ms = config->poll_ms};
    settings.fencing = config->fencing >> h & 1;
    settings.once = config->once >> h & 1;
    memset(settings.nonce, world_letter(h), NONCE);
    lease_init(ret, &settings);
}

void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    for (unsigned h = 0; h < config->handles; h++)
        init_handle(h, &world->handles[h].lease);
    memcpy(world->budget, config->budget, sizeof(world->budget));
}

/* ------------------------------------------------------------------------------------------------ clocks */

uint64_t world_date_s(const struct world *world)
{
    return (LEASE_START_MS + world->now_ms) / 1000;
}

uint64_t world_foreign_s(const struct world *world)
{
    return (uint64_t)((int64_t)world_date_s(world) + config->foreign_wall_s);
}

static unsigned rate_of(unsigned h)
{
    return config->rate[h] ? config->rate[h] : PER_CENT;
}

struct clock_reading world_clock(const struct world *world, unsigned h)
{
    const struct handle *handle = &world->handles[h];
    uint64_t ran_ms = (world->now_ms - handle->all_stood_ms) * rate_of(h) / PER_CENT;
    uint64_t mono_ms = (world->now_ms - handle->all_stood_ms - handle->mono_stood_ms) * rate_of(h) / PER_CENT;
    int64_t off_ms = (config->wall_s[h] + handle->set_s) * 1000;
    return (struct clock_reading){.monotonic_ms = LEASE_START_MS + mono_ms,
                                  .boottime_ms = LEASE_START_MS + ran_ms,
                                  .realtime_ms = (uint64_t)((int64_t)(LEASE_START_MS + ran_ms) + off_ms)};
}

uint64_t world_time_of(const struct world *world, unsigned h, uint64_t monotonic_ms)
{
    const struct handle *handle = &world->handles[h];
    uint64_t ran_ms = monotonic_ms - LEASE_START_MS;
    return (ran_ms * PER_CENT + rate_of(h) - 1) / rate_of(h) + handle->all_stood_ms + handle->mono_stood_ms;
}

bool world_foreign_believes(const struct world *world)
{
    return world->foreign.holds && world_foreign_s(world) < world->foreign.expiry_s;
}

bool world_believes(const struct world *world, unsigned h)
{
    struct clock_reading now = world_clock(world, h);
    if (world->handles[h].is_dead)
        return false;
    enum lease_status status = lease_status(&world->handles[h].lease, &now);
    return status == LEASE_HELD || status == LEASE_AT_RISK;
}

/* ------------------------------------------------------------------------------------------------ canonical form */

/* What nothing asks for any more: times of what is not due or not held, versions of what is not ours, and what was seen
 * before it was taken (lease_take.c clears it, too). */
static void forget(struct handle *handle)
{
    struct lease *lease = &handle->lease;
    bool acts =
        lease->phase == LEASE_PHASE_SEEKING || lease->phase == LEASE_PHASE_TAKEN || lease->phase == LEASE_PHASE_HOLDING;
    if (!lease->due.set)
        memset(&lease->due.since, 0, sizeof(lease->due.since));
    if (!lease->due.set)
        lease->due.delay_ms = 0;
    if (lease->flight.kind == 0)
        memset(&lease->sent, 0, sizeof(lease->sent));
    if (lease->phase != LEASE_PHASE_TAKEN && lease->phase != LEASE_PHASE_HOLDING)
        memset(&lease->term, 0, sizeof(lease->term));
    if (lease->phase != LEASE_PHASE_SEEKING)
        memset(&lease->seen, 0, sizeof(lease->seen));
    if (lease->phase != LEASE_PHASE_SEEKING)
        memset(&handle->sight, 0, sizeof(handle->sight));
    if (lease->flight.kind != LEASE_TAKE)
        handle->takes_ripe = false;
    if (lease->own == LEASE_OWN_NOTHING)
        memset(lease->current, 0, sizeof(lease->current));
    if (!acts)
        memset(&lease->date, 0, sizeof(lease->date));
    if (!handle->has_timer)
        handle->timer_ms = 0;
}

static void forget_all(struct handle *handle)
{
    struct lease *lease = &handle->lease;
    if (!handle->is_dead && lease->phase != LEASE_PHASE_OVER)
        return;
    enum lease_own own = handle->is_dead ? LEASE_OWN_NOTHING : lease->own;
    enum lease_status end = handle->is_dead ? 0 : lease->end;
    memset(lease, 0, sizeof(*lease));
    lease->phase = LEASE_PHASE_OVER;
    lease->own = own;
    lease->end = end;
    handle->has_timer = handle->was_held = handle->was_lost = false;
    handle->timer_ms = handle->mono_stood_ms = handle->all_stood_ms = 0;
    handle->set_s = 0;
    memset(&handle->sight, 0, sizeof(handle->sight));
}

static bool is_written_by(const struct world *world, const char *version)
{
    if (world->item.held && strcmp(world->item.version, version) == 0)
        return true;
    for (unsigned f = 0; f < FLIGHTS; f++)
        if (world->flights[f].kind && !world->flights[f].served &&
            strcmp(world->flights[f].request.version, version) == 0)
            return true;
    return false;
}

/* One that nobody waits for and that can do nothing any more. A late EPOCH or READ is nobody's. */
static bool is_void(const struct world *world, const struct flight *flight)
{
    if (flight->kind == 0 || flight->awaited)
        return false;
    if (flight->served || flight->kind == LEASE_READ || flight->kind == LEASE_EPOCH)
        return true;
    return flight->kind != LEASE_TAKE && !is_written_by(world, flight->request.on_version);
}

static int compare_flights(const void *a, const void *b)
{
    const struct flight *one = a;
    const struct flight *other = b;
    if ((one->kind == 0) != (other->kind == 0))
        return one->kind == 0 ? 1 : -1;
    return memcmp(one, other, sizeof(*one));
}

static void sort_flights(struct world *world)
{
    for (unsigned f = 0; f < FLIGHTS; f++) {
        struct flight *flight = &world->flights[f];
        if (is_void(world, flight))
            memset(flight, 0, sizeof(*flight));
        if (flight->served)
            memset(&flight->request, 0, sizeof(flight->request));
    }
    qsort(world->flights, FLIGHTS, sizeof(world->flights[0]), compare_flights);
}

/* ------------------------------------------------------------------------------------------------ times */

/* No clock of the configuration ever stands, is set, or is wrong: what has passed by one has passed by all. */
static bool clocks_agree(void)
{
    bool agree = true;
    for (unsigned h = 0; h < config->handles; h++)
        agree = agree && rate_of(h) == PER_CENT && config->wall_s[h] == 0;
    return agree && !config->budget[BUDGET_SUSPEND] && !config->budget[BUDGET_FREEZE] && !config->budget[BUDGET_SET];
}

/* L2c compares with a bound, and looks at two clocks. */
static void forget_beyond(struct clock_reading *since, uint64_t bound_ms, const struct clock_reading *now)
{
    since->realtime_ms = 0;
    if (clock_elapsed_min(since, now) < bound_ms)
        return;
    since->monotonic_ms = now->monotonic_ms - bound_ms;
    since->boottime_ms = now->boottime_ms - bound_ms;
}

static void forget_seen(struct handle *handle, const struct clock_reading *now)
{
    struct lease_seen *seen = &handle->lease.seen;
    uint64_t ripe_ms = seen->item.ttl_ms > LEASE_RIPE_MIN_MS ? seen->item.ttl_ms : LEASE_RIPE_MIN_MS;
    seen->item.token = 0;
    if (seen->item.ttl_ms > 0)
        seen->item.expiry_s = 0;
    if (seen->item.held && seen->item.ttl_ms > 0)
        forget_beyond(&seen->since, ripe_ms, now);
    else
        memset(&seen->since, 0, sizeof(seen->since));
    if (handle->sight.ttl_ms > 0)
        forget_beyond(&handle->sight.since, ripe_ms, now);
    else
        memset(&handle->sight.since, 0, sizeof(handle->sight.since));
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An older Date, and a newer one that is later by what has passed meanwhile, tell the same. */
static void renew_date(struct lease_date *date, const struct clock_reading *now)
{
    if (!date->known)
        return;
    uint64_t age_s = least(clock_elapsed_min(&date->sent, now), clock_elapsed_min(&date->received, now)) / 1000;
    date->sent.realtime_ms = date->received.realtime_ms = 0;
    date->sent.monotonic_ms += age_s * 1000;
    date->sent.boottime_ms += age_s * 1000;
    date->received.monotonic_ms += age_s * 1000;
    date->received.boottime_ms += age_s * 1000;
    date->date_s += age_s;
}

static void renew_due(struct lease_due *due, const struct clock_reading *now)
{
    if (!due->set || !clocks_agree())
        return;
    due->delay_ms -= least(due->delay_ms, clock_elapsed_max(&due->since, now));
    due->since = *now;
}

/* L4: an OK to what was sent a whole ttl ago gives no time, and what began so long ago is over. */
static void forget_terms(struct lease *lease, const struct clock_reading *now)
{
    uint64_t bound_ms = config->ttl_s * 1000;
    struct clock_reading then = {now->monotonic_ms - bound_ms, now->boottime_ms - bound_ms,
                                 now->realtime_ms - bound_ms};
    if (!clocks_agree())
        return;
    if (lease->flight.kind && lease->sent.monotonic_ms < then.monotonic_ms)
        lease->sent = then;
    bool has_term = lease->phase == LEASE_PHASE_TAKEN || lease->phase == LEASE_PHASE_HOLDING;
    if (has_term && lease->term.since.monotonic_ms < then.monotonic_ms)
        lease->term.since = then;
}

static void simplify_times(struct world *world)
{
    for (unsigned h = 0; h < config->handles; h++) {
        struct handle *handle = &world->handles[h];
        struct clock_reading now = world_clock(world, h);
        if (handle->lease.phase == LEASE_PHASE_SEEKING)
            forget_seen(handle, &now);
        renew_date(&handle->lease.date, &now);
        renew_due(&handle->lease.due, &now);
        forget_terms(&handle->lease, &now);
        if (handle->has_timer && handle->timer_ms < now.monotonic_ms)
            handle->timer_ms = now.monotonic_ms; /* it is due, for whatever time */
    }
}

static void at_least(uint64_t *time_s, uint64_t least_s)
{
    if (*time_s != 0 && *time_s < least_s)
        *time_s = least_s;
}

/* What is over by every clock is over, for however long. */
static void simplify_expiries(struct world *world)
{
    uint64_t past_s = least(world_date_s(world), world_foreign_s(world)) - 1;
    bool matter = config->foreign || world->budget[BUDGET_TTL] > 0;
    if (!matter)
        world->item.expiry_s = 0; /* nobody looks at it */
    at_least(&world->item.expiry_s, past_s);
    for (unsigned f = 0; f < FLIGHTS; f++) {
        struct flight *flight = &world->flights[f];
        if (!matter) /* the machine has its own */
            flight->item.expiry_s = flight->request.expiry_s = flight->request.now_s = 0;
        at_least(&flight->item.expiry_s, past_s);
        at_least(&flight->request.expiry_s, past_s);
        at_least(&flight->request.now_s, past_s);
    }
    for (unsigned h = 0; h < config->handles; h++) {
        struct lease_request *request = &world->handles[h].lease.flight;
        if (!config->foreign)
            request->now_s = 0;
        at_least(&request->expiry_s, world_date_s(world));
    }
}

/* ------------------------------------------------------------------------------------------------ whole seconds */

static void earlier_s(uint64_t *time_s, uint64_t by_s)
{
    if (*time_s != 0)
        *time_s -= by_s;
}

static void earlier(struct clock_reading *reading, uint64_t by_ms)
{
    reading->monotonic_ms -= reading->monotonic_ms ? by_ms : 0;
    reading->boottime_ms -= reading->boottime_ms ? by_ms : 0;
    reading->realtime_ms -= reading->realtime_ms ? by_ms : 0;
}

static void begin_handle_earlier(struct handle *handle, uint64_t by_s)
{
    struct lease *lease = &handle->lease;
    struct clock_reading *readings[] = {&lease->sent,        &lease->seen.since,    &lease->term.since,
                                        &lease->date.sent,   &lease->date.received, &lease->due.since,
                                        &handle->sight.since};
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
        earlier(readings[i], by_s * 1000);
    if (handle->has_timer)
        handle->timer_ms -= by_s * 1000;
    earlier_s(&lease->flight.expiry_s, by_s);
    earlier_s(&lease->flight.now_s, by_s);
    earlier_s(&lease->seen.item.expiry_s, by_s);
    earlier_s(&lease->date.date_s, by_s);
}

/* Where no clock is wrong, the same world a whole number of seconds later goes on in the same way. */
static void begin_earlier(struct world *world)
{
    uint64_t by_s = world->now_ms / 1000;
    if (!clocks_agree() || config->horizon_ms > 0)
        return;
    world->now_ms -= by_s * 1000;
    earlier_s(&world->item.expiry_s, by_s);
    earlier_s(&world->foreign.expiry_s, by_s);
    for (unsigned h = 0; h < config->handles; h++)
        begin_handle_earlier(&world->handles[h], by_s);
    for (unsigned f = 0; f < FLIGHTS; f++) {
        struct flight *flight = &world->flights[f];
        earlier_s(&flight->item.expiry_s, by_s);
        earlier_s(&flight->request.expiry_s, by_s);
        earlier_s(&flight->request.now_s, by_s);
        flight->date_s -= flight->date_s ? (int64_t)by_s : 0;
    }
}

/* ------------------------------------------------------------------------------------------------ versions */

enum { PLACES_MAX = HANDLES * 7 + FLIGHTS * 3 + 1 };

struct places {
    char *list[PLACES_MAX];
    unsigned count;
};

static void add_place(struct places *places, char *version, unsigned h)
{
    char nonce[NONCE];
    memset(nonce, world_letter(h), NONCE);
    if (memcmp(version, nonce, NONCE) != 0)
        return;
    assert(places->count < PLACES_MAX);
    places->list[places->count++] = version;
}

static void find_places(struct world *world, unsigned h, struct places *ret)
{
    ret->count = 0;
    add_place(ret, world->item.version, h);
    for (unsigned i = 0; i < config->handles; i++) {
        struct handle *handle = &world->handles[i];
        add_place(ret, handle->lease.settings.adopted, h);
        add_place(ret, handle->lease.current, h);
        add_place(ret, handle->lease.handle, h);
        add_place(ret, handle->lease.flight.version, h);
        add_place(ret, handle->lease.flight.on_version, h);
        add_place(ret, handle->lease.seen.item.version, h);
        add_place(ret, handle->sight.version, h);
    }
    for (unsigned f = 0; f < FLIGHTS; f++) {
        add_place(ret, world->flights[f].request.version, h);
        add_place(ret, world->flights[f].request.on_version, h);
        add_place(ret, world->flights[f].item.version, h);
    }
}

static unsigned long number_of(const char *version)
{
    return strtoul(version + NONCE + 1, NULL, 10);
}

static void write_number(char *version, unsigned number)
{
    memset(version + NONCE + 1, 0, LEASE_VERSION_SIZE - NONCE - 1);
    if (number >= 10)
        version[NONCE + 1] = (char)('0' + number / 10);
    version[NONCE + 1 + (number >= 10)] = (char)('0' + number % 10);
}

/* The bounds of each handle's numbers, as they become. */
struct bounds {
    uint64_t first[HANDLES];
    uint64_t last[HANDLES];
};

static bool counts_under(const struct world *world, unsigned i, unsigned h)
{
    return world_letter(i) == world_letter(h) && world->handles[i].lease.phase != LEASE_PHASE_OVER;
}

/* `found` becomes `number`, and so does every bound that is not before it, until the next one is found. */
static void note_bounds(const struct world *world, unsigned long found, unsigned number, struct bounds *ret)
{
    for (unsigned i = 0; i < config->handles; i++) {
        const struct lease *lease = &world->handles[i].lease;
        if (found <= lease->settings.version_count)
            ret->first[i] = number;
        if (found <= lease->version_count)
            ret->last[i] = number;
    }
}

static void write_bounds(struct world *world, unsigned h, const struct bounds *bounds)
{
    for (unsigned i = 0; i < config->handles; i++) {
        struct lease *lease = &world->handles[i].lease;
        if (!counts_under(world, i, h))
            continue;
        lease->settings.version_count = bounds->first[i];
        lease->version_count = bounds->last[i];
    }
}

/* Versions are compared with each other, and with the first and last number of a handle, and nothing else: those that
 * are somewhere get the numbers from 1 on. */
static void renumber_versions(struct world *world, unsigned h)
{
    struct places places;
    struct bounds bounds = {.first = {0}};
    unsigned long done = 0;
    unsigned number = 0;
    find_places(world, h, &places);
    for (;;) {
        unsigned long next = 0;
        for (unsigned i = 0; i < places.count; i++) {
            unsigned long found = number_of(places.list[i]);
            if (found > done && (next == 0 || found < next))
                next = found;
        }
        if (next == 0)
            break;
        number++; /* never larger than next, so that none is met twice */
        note_bounds(world, next, number, &bounds);
        for (unsigned i = 0; i < places.count; i++)
            if (number_of(places.list[i]) == next)
                write_number(places.list[i], number);
        done = next;
    }
    write_bounds(world, h, &bounds);
}

/* What was detached is nothing any more when its time is over. */
static void bury(struct world *world, unsigned h)
{
    if (world->handles[h].is_detached && !world_believes(world, h))
        world->handles[h].is_dead = true;
}

void world_canonical(struct world *world)
{
    for (unsigned h = 0; h < config->handles; h++) {
        bury(world, h);
        forget(&world->handles[h]);
        forget_all(&world->handles[h]);
    }
    simplify_times(world);
    simplify_expiries(world);
    begin_earlier(world);
    sort_flights(world);
    for (unsigned h = 0; h < config->handles; h++)
        if (!(config->adopts >> h & 1)) /* else it is done with those of A */
            renumber_versions(world, h);
    sort_flights(world);
}
