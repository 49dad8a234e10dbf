/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice does: the machines step, the service decides, time passes. */
#include "choice.h"
#include "oracle.h"

#include <assert.h>
#include <string.h>

enum { AN_HOUR_S = 3600 };

/* ------------------------------------------------------------------------------------------------ machines */

static void ask(struct world *world, unsigned h, const struct lease_request *request)
{
    unsigned f = 0;
    while (f < FLIGHTS && world->flights[f].kind != 0)
        f++;
    assert(f < FLIGHTS);
    struct flight *flight = &world->flights[f];
    flight->kind = (uint8_t)request->kind;
    flight->who = (uint8_t)h;
    flight->awaited = 1;
    flight->request = *request;
    oracle_asks(world, h, request);
}

static void step(struct world *world, unsigned h, struct lease_event *event)
{
    struct handle *handle = &world->handles[h];
    struct lease_actions actions;
    event->now = world_clock(world, h);
    lease_step(&handle->lease, event, &actions);
    if (actions.send)
        ask(world, h, &actions.request);
    handle->has_timer = actions.has_timer;
    handle->timer_ms = event->now.monotonic_ms + actions.timer_ms;
    oracle_step(world, h, &actions);
}

static void tell(struct world *world, unsigned h, enum lease_event_kind kind)
{
    step(world, h, &(struct lease_event){.kind = kind});
}

/* Nobody waits for its requests any more. */
static void forsake(struct world *world, unsigned h)
{
    for (unsigned f = 0; f < FLIGHTS; f++)
        if (world->flights[f].kind && world->flights[f].who == h)
            world->flights[f].awaited = 0;
}

static void stop(struct world *world, unsigned h)
{
    if (world->handles[h].lease.phase == LEASE_PHASE_LEAVING)
        forsake(world, h); /* the caller gives up */
    tell(world, h, LEASE_EVENT_STOP);
}

/* ------------------------------------------------------------------------------------------------ the service */

bool condition_holds(const struct world *world, const struct lease_request *request)
{
    const struct lease_item *item = &world->item;
    bool on_version = item->held && request->on_version[0] && strcmp(request->on_version, item->version) == 0;
    switch (request->kind) {
    case LEASE_TAKE: return on_version || !item->held || (item->ttl_ms == 0 && item->expiry_s < request->now_s);
    case LEASE_READ:
    case LEASE_EPOCH: return true;
    case LEASE_TOKEN: return on_version && item->token <= request->token;
    default: return on_version;
    }
}

static void write_item(struct lease_item *item, const struct lease_request *request)
{
    item->found = item->held = true;
    memcpy(item->version, request->version, sizeof(item->version));
    item->expiry_s = request->expiry_s;
    item->ttl_ms = request->ttl_ms;
}

static void drop_item(struct lease_item *item, bool fencing)
{
    struct lease_item free = {.found = true, .token = item->token};
    struct lease_item none = {.found = false};
    *item = fencing ? free : none;
}

static void apply(struct world *world, struct flight *flight)
{
    bool fencing = config->fencing >> flight->who & 1;
    switch (flight->request.kind) {
    case LEASE_TAKE:
        write_item(&world->item, &flight->request);
        world->item.token += fencing;
        break;
    case LEASE_EXTEND: write_item(&world->item, &flight->request); break;
    case LEASE_DROP: drop_item(&world->item, fencing); break;
    case LEASE_TOKEN: world->item.token = flight->request.token; break;
    case LEASE_EPOCH: flight->epoch = ++world->epoch; break;
    default: break;
    }
}

static void deliver(struct world *world, unsigned f, bool blind)
{
    struct flight flight = world->flights[f];
    struct lease_event event = {.kind = LEASE_EVENT_ANSWER, .outcome = (enum lease_outcome)flight.outcome};
    event.item = flight.item;
    event.epoch = flight.epoch;
    event.has_date = flight.date_s != 0;
    event.date_s = flight.date_s;
    if (blind) {
        event.outcome = LEASE_CONFLICT_BLIND;
        memset(&event.item, 0, sizeof(event.item));
        world->budget[BUDGET_BLIND]--;
    }
    memset(&world->flights[f], 0, sizeof(world->flights[f]));
    if (event.outcome == LEASE_CONFLICT || (event.outcome == LEASE_OK && flight.kind == LEASE_READ))
        oracle_shown(world, flight.who, &event.item);
    step(world, flight.who, &event);
}

static void serve(struct world *world, unsigned f)
{
    struct flight *flight = &world->flights[f];
    bool holds = condition_holds(world, &flight->request);
    flight->outcome = holds ? LEASE_OK : LEASE_CONFLICT;
    if (holds)
        apply(world, flight);
    else if (flight->kind == LEASE_TAKE)
        oracle_conflict(world, flight);
    bool shows = !holds || flight->kind == LEASE_TAKE || flight->kind == LEASE_READ;
    if (shows)
        flight->item = world->item;
    flight->date_s = config->no_dates ? 0 : (int64_t)world_date_s(world);
    flight->served = 1;
    if (config->whole)
        deliver(world, f, false);
}

static void land(struct world *world, unsigned f)
{
    struct flight *flight = &world->flights[f];
    apply(world, flight);
    if (flight->kind == LEASE_TAKE)
        world->handles[flight->who].has_late_take = true;
    memset(flight, 0, sizeof(*flight));
}

static void copy(struct world *world, unsigned f)
{
    struct flight *twin = &world->flights[FLIGHTS - 1];
    *twin = world->flights[f];
    twin->awaited = 0;
}

static void lose(struct world *world, unsigned f)
{
    struct flight *flight = &world->flights[f];
    flight->awaited = 0;
    step(world, flight->who, &(struct lease_event){.kind = LEASE_EVENT_ANSWER, .outcome = LEASE_AMBIGUOUS});
}

static void reject(struct world *world, unsigned f, enum lease_outcome outcome)
{
    unsigned h = world->flights[f].who;
    memset(&world->flights[f], 0, sizeof(world->flights[f]));
    step(world, h, &(struct lease_event){.kind = LEASE_EVENT_ANSWER, .outcome = outcome});
}

/* ------------------------------------------------------------------------------------------------ the foreign one */

static bool is_foreigns(const struct world *world)
{
    return world->item.held && world->item.version[0] == 'F' &&
           world->item.version[1] == (char)('0' + world->foreign.count);
}

bool foreign_may(const struct world *world, enum foreign_step what)
{
    bool free = !world->item.held || world->item.expiry_s < world_foreign_s(world);
    switch (what) {
    case FOREIGN_TAKE: return !world->foreign.holds && free;
    case FOREIGN_EXTEND: return world->foreign.holds && is_foreigns(world) && world->item.expiry_s != 0;
    default: return world->foreign.holds;
    }
}

/* Dynamodb-lease: a PutItem takes, an UpdateItem extends, a DeleteItem on the version drops. */
static void foreign(struct world *world, enum foreign_step what)
{
    struct lease_item *item = &world->item;
    bool keeps = what == FOREIGN_EXTEND;
    world->budget[BUDGET_FOREIGN]--;
    if (what == FOREIGN_DROP) {
        if (is_foreigns(world))
            drop_item(item, false);
        world->foreign.holds = false;
        world->foreign.expiry_s = 0;
        return;
    }
    uint64_t token = keeps ? item->token : 0;
    world->foreign.holds = true;
    world->foreign.count++;
    world->foreign.expiry_s = world_foreign_s(world) + config->foreign_ttl_s;
    memset(item, 0, sizeof(*item));
    item->found = item->held = true;
    item->version[0] = 'F';
    item->version[1] = (char)('0' + world->foreign.count);
    item->expiry_s = world->foreign.expiry_s;
    item->token = token;
}

/* ------------------------------------------------------------------------------------------------ time */

static void pass_time(struct world *world, uint32_t choice)
{
    enum budget budget = (enum budget)choice_arg(choice, 0);
    enum clock_mode mode = (enum clock_mode)choice_arg(choice, 1);
    struct handle *handle = &world->handles[choice_arg(choice, 2)];
    uint64_t step_ms = time_step_ms(world, budget);
    world->now_ms += step_ms;
    if (world->budget[budget] != UNLIMITED)
        world->budget[budget]--;
    if (mode == CLOCKS_SUSPENDED) {
        handle->mono_stood_ms += step_ms;
        world->budget[BUDGET_SUSPEND]--;
    } else if (mode == CLOCKS_FROZEN) {
        handle->all_stood_ms += step_ms;
        world->budget[BUDGET_FREEZE]--;
    }
    oracle_time(world);
}

static void set_clock(struct world *world, unsigned h, bool back)
{
    world->handles[h].set_s += back ? -AN_HOUR_S : AN_HOUR_S;
    world->budget[BUDGET_SET]--;
}

/* ------------------------------------------------------------------------------------------------ choices */

/* Whoever adopts it has its handle. In the place of a random number he begins behind all that it wrote. */
static void pass_on(struct world *world, unsigned h)
{
    const struct lease *from = &world->handles[h].lease;
    for (unsigned i = 0; i < config->handles && from->handle[0] != '\0'; i++) {
        struct lease *lease = &world->handles[i].lease;
        if (i == h || world_letter(i) != world_letter(h))
            continue;
        memcpy(lease->settings.adopted, from->handle, LEASE_VERSION_SIZE);
        lease->settings.version_count = lease->version_count = from->version_count;
    }
}

static void detach(struct world *world, unsigned h)
{
    struct handle *handle = &world->handles[h];
    handle->is_detached = true;
    handle->has_timer = false;
    forsake(world, h);
    pass_on(world, h);
}

/* Whoever releases what was adopted believes nothing of it any more. */
static void end_detached(struct world *world, unsigned h)
{
    for (unsigned i = 0; i < config->handles; i++)
        if (world->handles[i].is_detached && world_letter(i) == world_letter(h))
            world->handles[i].is_dead = true;
}

static void apply_to_handle(struct world *world, enum choice_kind kind, unsigned h)
{
    switch (kind) {
    case CHOICE_START:
        if (config->adopts >> h & 1 && !world->handles[0].is_detached)
            pass_on(world, 0);
        world->handles[h].is_started = true;
        tell(world, h, LEASE_EVENT_START);
        break;
    case CHOICE_TIMER: tell(world, h, LEASE_EVENT_TIMER); break;
    case CHOICE_RELEASE:
        world->budget[BUDGET_RELEASE]--;
        if (world->handles[h].lease.phase == LEASE_PHASE_HOLDING || world->handles[h].lease.phase == LEASE_PHASE_LOST)
            end_detached(world, h);
        tell(world, h, LEASE_EVENT_RELEASE);
        break;
    case CHOICE_STOP:
        world->budget[BUDGET_STOP]--;
        stop(world, h);
        break;
    case CHOICE_DETACH:
        world->budget[BUDGET_DETACH]--;
        detach(world, h);
        break;
    default:
        world->budget[BUDGET_CRASH]--;
        world->handles[h].is_dead = true;
        forsake(world, h);
        break;
    }
}

static void apply_to_flight(struct world *world, enum choice_kind kind, unsigned f, unsigned b)
{
    switch (kind) {
    case CHOICE_SERVE: serve(world, f); break;
    case CHOICE_DELIVER: deliver(world, f, b); break;
    case CHOICE_LAND: land(world, f); break;
    case CHOICE_LOSE:
        world->budget[BUDGET_LOSE]--;
        lose(world, f);
        break;
    case CHOICE_COPY:
        world->budget[BUDGET_DUP]--;
        copy(world, f);
        break;
    default:
        world->budget[b == LEASE_THROTTLED ? BUDGET_THROTTLE : BUDGET_REFUSE]--;
        reject(world, f, (enum lease_outcome)b);
        break;
    }
}

void choice_apply(struct world *world, uint32_t choice)
{
    enum choice_kind kind = (enum choice_kind)choice_kind_of(choice);
    unsigned a = choice_arg(choice, 0);
    unsigned b = choice_arg(choice, 1);
    if (kind <= CHOICE_CRASH)
        apply_to_handle(world, kind, a);
    else if (kind <= CHOICE_REJECT)
        apply_to_flight(world, kind, a, b);
    else if (kind == CHOICE_TIME)
        pass_time(world, choice);
    else if (kind == CHOICE_SET)
        set_clock(world, a, b);
    else if (kind == CHOICE_FOREIGN)
        foreign(world, (enum foreign_step)a);
    else {
        world->budget[kind == CHOICE_TTL ? BUDGET_TTL : BUDGET_BREAK]--;
        drop_item(&world->item, false);
    }
    oracle_world(world);
    world_canonical(world);
}
