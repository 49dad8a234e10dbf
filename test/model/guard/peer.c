/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include "oracle.h"

#include <string.h>

const char *peer_state_name(const struct writer *writer)
{
    switch ((enum writer_state)writer->state) {
    case WRITER_IDLE: return "not begun";
    case PEER_CHECKED: return "expectation good, about to put its record";
    case PEER_WAITING: return "waits for somebody's record";
    case PEER_POLLED: return "waits, expectation still good";
    case PEER_LEASED: return "holds its record, about to write";
    case PEER_SENT: return "its write is on its way";
    default: return "done";
    }
}

bool peer_is_urgent(const struct world *world)
{
    if (config->peer_slow)
        return false;
    for (unsigned w = 0; w < WRITERS; w++) {
        bool between = world->writers[w].state == PEER_CHECKED || world->writers[w].state == PEER_POLLED;
        if (config->calls[w].kind == CALL_PEER && between)
            return true;
    }
    return false;
}

static void check(struct world *world, unsigned w, enum writer_state good)
{
    struct writer *writer = &world->writers[w];
    if (world_holds(config->calls[w].expected, &world->object)) {
        writer->state = (uint8_t)good;
        return;
    }
    writer->verdict[0] = VERDICT_CONFLICT;
    writer->state = WRITER_DONE;
}

static void lock(struct world *world, unsigned w, uint64_t generation)
{
    struct writer *writer = &world->writers[w];
    struct row *row = &world->rows[config->calls[w].expected];
    memset(row, 0, sizeof(*row));
    row->present = 1;
    row->record.generation = generation;
    row->record.timeout_ms = PEER_TIMEOUT_MS;
    row->record.ttl_s = world_date(world) + (config->early_ttl ? PEER_EARLY_TTL_S : PEER_TTL_S);
    writer->peer_clock_ms = world_clocks(world, w).monotonic_ms;
    memset(&writer->peer_seen, 0, sizeof(writer->peer_seen));
    writer->state = PEER_LEASED;
}

static void meet(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    record_copy(&writer->peer_seen, &world->rows[config->calls[w].expected].record);
    writer->peer_clock_ms = world_clocks(world, w).monotonic_ms;
    writer->state = PEER_WAITING;
}

static void take_over(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    const struct row *row = &world->rows[config->calls[w].expected];
    uint64_t elapsed_ms = world_clocks(world, w).monotonic_ms - writer->peer_clock_ms;
    if (elapsed_ms < writer->peer_seen.timeout_ms * PEER_RATE)
        writer->state = PEER_WAITING;
    else if (row->present && row->record.generation == writer->peer_seen.generation)
        lock(world, w, writer->peer_seen.generation + 1);
    else if (row->present)
        meet(world, w);
    else
        writer->state = WRITER_DONE; /* a generic error: the record is gone */
}

static void write(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    const struct call_plan *plan = &config->calls[w];
    uint64_t elapsed_ms = world_clocks(world, w).monotonic_ms - writer->peer_clock_ms;
    if (elapsed_ms > PEER_TIMEOUT_MS && !config->peer_late) {
        writer->state = WRITER_DONE; /* its own deadline came first */
        return;
    }
    oracle_peer_applies(world, w);
    world->outsider_last = 0;
    memset(&world->object, 0, sizeof(world->object));
    if (plan->operation != GUARD_DELETE) {
        world->object.exists = 1;
        world->object.etag = plan->ours;
        world->object.maker = (uint8_t)(w + 1);
        world->object.modified_s = world_date(world);
    }
    world_keep_version(world);
    oracle_object_changed(world);
    writer->applied[0] = 1;
    writer->verdict[0] = VERDICT_COMMITTED;
    writer->state = WRITER_DONE;
}

void peer_step(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    const struct row *row = &world->rows[config->calls[w].expected];
    switch ((enum writer_state)writer->state) {
    case WRITER_IDLE:
        writer->started = 1;
        check(world, w, PEER_CHECKED);
        return;
    case PEER_CHECKED:
        if (row->present)
            meet(world, w);
        else
            lock(world, w, 0);
        return;
    case PEER_WAITING: check(world, w, PEER_POLLED); return;
    case PEER_POLLED: take_over(world, w); return;
    case PEER_LEASED: writer->state = PEER_SENT; return;
    default: write(world, w); return;
    }
}
