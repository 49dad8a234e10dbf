/* SPDX-License-Identifier: Apache-2.0 */
#include "forger.h"

#include "writer.h"

#include <string.h>

enum lie { LIE_NONE, LIE_REFUSED, LIE_DEAD, LIE_DEAD_BEFORE, LIE_DEAD_AFTER, LIE_DEAD_REFUSED, LIE_NATIVE, LIE_MARGIN };

const char *forger_lie(unsigned lie)
{
    static const char *const names[FORGERIES] = {
        [LIE_NONE] = "is as stored",
        [LIE_REFUSED] = "says it was refused",
        [LIE_DEAD] = "says it is dead",
        [LIE_DEAD_BEFORE] = "says it is dead, of the generation before",
        [LIE_DEAD_AFTER] = "says it is dead, of the next generation",
        [LIE_DEAD_REFUSED] = "says it is dead and was refused",
        [LIE_NATIVE] = "says there was no record",
        [LIE_MARGIN] = "says that there is no margin, and a late date",
    };
    return names[lie];
}

/* As the row says it, but for the lie. What stands now is called what the writer saw: rows B and D are nearest then. */
static void forge(const struct world *world, const struct row *row, unsigned lie, struct guard_ticket *ret)
{
    struct guard_settings settings;
    bool dead = lie == LIE_DEAD || lie == LIE_DEAD_BEFORE || lie == LIE_DEAD_AFTER || lie == LIE_DEAD_REFUSED ||
                lie == LIE_NATIVE;
    settings_of(0, &settings);
    memset(ret, 0, sizeof(*ret));
    ret->operation = row->record.upload ? GUARD_COMPLETE : GUARD_PUT;
    memcpy(ret->expected_etag, etag_text((uint8_t)(row - world->rows)), 2);
    record_copy(&ret->record, &row->record);
    ret->margin_s = lie == LIE_MARGIN ? 0 : settings.margin_s;
    ret->d0_s = row->record.has_fence ? row->record.fence_s - 1 : START_S;
    object_version_of(&world->object, &ret->base);
    ret->not_applied = lie == LIE_REFUSED || lie == LIE_DEAD_REFUSED;
    ret->native = lie == LIE_NATIVE;
    if (dead) {
        ret->d0_s = 1;
        ret->record.has_fence = true;
        ret->record.fence_s = 2;
    }
    if (lie == LIE_DEAD_BEFORE)
        ret->record.generation--;
    if (lie == LIE_DEAD_AFTER)
        ret->record.generation++;
    if (lie == LIE_MARGIN)
        ret->d0_s = row->record.fence_s + 100;
}

void forger_start(struct world *world, unsigned w, unsigned lie)
{
    struct guard_ticket ticket;
    forge(world, &world->rows[config->calls[w].expected], lie, &ticket);
    writer_resolve(world, w, &ticket);
}

void forger_finish(struct world *world, unsigned w)
{
    struct writer *writer = &world->writers[w];
    const struct guard *guard = &writer->guard;
    enum verdict verdict = guard_verdict(guard);
    bool lost = verdict == VERDICT_CONFLICT || verdict == VERDICT_NOT_EXECUTED;
    if (lost && guard_owns_upload(guard))
        world_new_flight(world, FLIGHT_ABORT, w)->row = (uint8_t)(guard->own.record.upload - 1);
    writer->state = WRITER_DONE;
}
