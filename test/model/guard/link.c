/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include "writer.h"

#include <string.h>

static uint32_t work_s(const struct flight *send)
{
    if (config->by_operation && config->calls[send->writer].operation != GUARD_COPY)
        return 5; /* F2.2 */
    uint32_t told_s = config->allowance_s ? config->allowance_s : 1;
    return config->store_work_s ? config->store_work_s : told_s;
}

/* What the store really does, not what the guards are told. */
static bool waits_still(const struct world *world, const struct flight *send)
{
    uint32_t stalled_s = config->store_stalled_s ? config->store_stalled_s : config->stalled_s;
    uint32_t late_s = config->link_late_s ? config->link_late_s : config->late_segment_s;
    uint32_t most_s = stalled_s > late_s ? stalled_s : late_s;
    return config->store_stalled_s == STALLED_FOR_EVER || world_date(world) <= send->moved_s + most_s;
}

static bool signature_lives(const struct world *world, const struct flight *send)
{
    return world_date(world) <= send->date_s + send->length_s;
}

/* By the clock that advanced most since the Date was asked for. */
static bool tail_is_in_time(const struct world *world, const struct flight *send)
{
    struct clock_reading now = world_clocks(world, send->writer);
    return clock_elapsed_max(&send->sent, &now) < send->tail_ms;
}

void link_choices(const struct world *world, unsigned f, struct choices *ret)
{
    const struct flight *send = &world->flights[f];
    bool in_time = tail_is_in_time(world, send);
    switch ((enum send_phase)send->phase) {
    case SEND_HEADERS:
        if (signature_lives(world, send))
            choices_add(ret, CHOICE_ADMIT, f, 0, 0);
        return;
    case SEND_BODY:
        if (config->kernel_drains)
            choices_add(ret, CHOICE_ARRIVE, f, 0, 0);
        else if (send->awaited)
            choices_add(ret, in_time ? CHOICE_TAIL : CHOICE_KEEP, f, 0, 0);
        return;
    case SEND_TAIL:
        if (waits_still(world, send))
            choices_add(ret, CHOICE_ARRIVE, f, 0, 0);
        return;
    default: return;
    }
}

void link_apply(struct world *world, unsigned f, enum choice_kind kind)
{
    struct flight *send = &world->flights[f];
    send->moved_s = world_date(world);
    if (kind == CHOICE_ADMIT) {
        send->phase = SEND_BODY;
    } else if (kind == CHOICE_TAIL) {
        send->phase = SEND_TAIL;
    } else if (kind == CHOICE_ARRIVE) {
        send->phase = SEND_WHOLE;
    } else { /* the connection is reset: it will never be whole */
        send->served = 1;
        send->outcome = ATTEMPT_EXPIRED;
        writer_deliver(world, f);
    }
}

bool link_store_takes(const struct world *world, const struct flight *send)
{
    if (send->phase == SEND_WHOLE)
        return world_date(world) <= send->moved_s + work_s(send);
    return send->phase == SEND_AT_ONCE && send->sent_s <= send->date_s + send->length_s &&
           world_date(world) <= send->date_s + send->length_s + work_s(send);
}

bool link_is_over(const struct world *world, const struct flight *send)
{
    switch ((enum send_phase)send->phase) {
    case SEND_AT_ONCE: return world_date(world) > send->date_s + send->length_s + work_s(send);
    case SEND_HEADERS: return !config->kernel_drains || !signature_lives(world, send);
    case SEND_BODY: return !config->kernel_drains; /* who gave it up, or died, has reset the connection */
    case SEND_TAIL: return !waits_still(world, send);
    default: return !link_store_takes(world, send);
    }
}

void link_frozen(struct world *world, unsigned w, uint32_t seconds)
{
    for (unsigned f = 0; f < FLIGHTS; f++) {
        struct flight *send = &world->flights[f];
        bool stalls = send->kind == FLIGHT_SEND && send->writer == w && send->phase == SEND_BODY;
        bool closed = seconds > config->stalled_s && config->store_stalled_s != STALLED_FOR_EVER;
        if (stalls && closed)
            send->phase = SEND_HEADERS; /* whose signature is over: never admitted again */
    }
}
