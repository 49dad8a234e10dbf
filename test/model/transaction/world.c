/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { START_MS = 1000000 };

void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    for (unsigned r = 0; r < ROWS; r++) {
        if (!(config->there >> r & 1))
            continue;
        world->rows[r].there = 1;
        world->rows[r].token = config->bare >> r & 1 ? 0 : (uint8_t)(TOKEN_FIRST + r);
    }
    memcpy(world->budget, config->budget, sizeof(world->budget));
}

struct clock_reading world_clock(const struct world *world, unsigned c)
{
    const struct call *call = &world->calls[c];
    uint64_t ran_ms = START_MS + (uint64_t)(world->tick - call->all_stood) * config->tick_ms;
    return (struct clock_reading){
        .monotonic_ms = ran_ms - call->mono_stood * config->tick_ms, .boottime_ms = ran_ms, .realtime_ms = ran_ms};
}

bool world_is_alive(const struct world *world, const struct flight *flight)
{
    uint64_t age_ms = (uint64_t)(world->tick - flight->sent) * config->tick_ms;
    return config->life_ms == 0 || age_ms < config->life_ms;
}

bool term_writes(const struct term *term)
{
    return term->part != 0 && term->part != TRANSACTION_CHECK;
}

unsigned row_of_part(const struct term terms[ROWS], unsigned part)
{
    unsigned r = 0;
    while (terms[r].part == 0 || part-- > 0)
        r++;
    return r;
}

/* ------------------------------------------------------------------------------------------------ canonical form */

/* A timer may fire at any time, so no pause decides anything. */
static void forget(struct call *call)
{
    struct transaction *machine = &call->machine;
    machine->pause_ms = 0;
    machine->delay_ms = 0;
    memset(&machine->due_since, 0, sizeof(machine->due_since));
    if (machine->phase != TRANSACTION_PHASE_FENCING)
        machine->fenced = 0;
    if (!machine->is_lost && machine->flight.kind == 0)
        memset(&machine->first_sent, 0, sizeof(machine->first_sent));
    if (call->phase == CALL_RUNS)
        return;
    memset(machine, 0, sizeof(*machine));
    call->has_timer = call->is_lost = 0;
    if (call->phase != CALL_HAS_TICKET)
        memset(call->terms, 0, sizeof(call->terms));
}

/* X2: the row has another token. One that comes back is found before: an attempt was applied twice. */
static bool has_moved(const struct world *world, const struct flight *flight)
{
    bool moved = false;
    for (unsigned r = 0; r < ROWS; r++) {
        bool matters = flight->kind != TRANSACTION_SEND_FENCE || r == flight->fenced;
        moved = moved || (matters && flight->terms[r].part == TRANSACTION_WRITE &&
                          flight->terms[r].read.token != world->rows[r].token);
    }
    return moved;
}

/* One that nobody waits for and that can do nothing any more. */
static bool is_void(const struct world *world, const struct flight *flight)
{
    if (flight->kind == 0 || flight->awaited)
        return false;
    if (flight->served || flight->kind == TRANSACTION_LOOK || !world_is_alive(world, flight))
        return true;
    return !config->remembers_failure && has_moved(world, flight);
}

static int compare_flights(const void *a, const void *b)
{
    const struct flight *one = a;
    const struct flight *other = b;
    if ((one->kind == 0) != (other->kind == 0))
        return one->kind == 0 ? 1 : -1;
    return memcmp(one, other, sizeof(*one));
}

void world_canonical(struct world *world)
{
    for (unsigned c = 0; c < CALLS; c++)
        forget(&world->calls[c]);
    for (unsigned f = 0; f < FLIGHTS; f++) {
        struct flight *flight = &world->flights[f];
        if (is_void(world, flight))
            memset(flight, 0, sizeof(*flight));
        if (config->life_ms == 0)
            flight->sent = 0;
    }
    qsort(world->flights, FLIGHTS, sizeof(world->flights[0]), compare_flights);
}
