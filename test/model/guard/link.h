/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How attempts travel, and how long the store is at them: what F2 to F4 allow for, played. An attempt
 * that arrives at once is admitted while its signature lives, and applied when the store comes to it. Any other arrives
 * piece by piece: its headers are admitted, the rest follows as slowly as the link likes, its tail is held back until
 * all before it is acknowledged, and handed over only in time; whoever is stopped between the look at the clock and the
 * write hands it over later, to a store that waits for a stalled body as long as it does.
 */
#ifndef OSCOMMIT_MODEL_LINK_H
#define OSCOMMIT_MODEL_LINK_H

#include "choice.h"
#include "world.h"

enum send_phase {
    SEND_AT_ONCE = 0,
    SEND_HEADERS, /* on their way */
    SEND_BODY,    /* the store has admitted the headers; what comes before the tail is on its way */
    SEND_TAIL,    /* the clock was looked at; the tail is about to be written, or on its way */
    SEND_WHOLE    /* the store has all of it */
};

/* Choices of an attempt that is not whole yet, and what they do. */
void link_choices(const struct world *world, unsigned f, struct choices *ret);
void link_apply(struct world *world, unsigned f, enum choice_kind kind);

/* The store has all of it, and may still apply it. */
bool link_store_takes(const struct world *world, const struct flight *send);
/* Nobody waits for it, and it will never be taken. */
bool link_is_over(const struct world *world, const struct flight *send);
/* All clocks of writer w stood for so long, and with them what it was sending. */
void link_frozen(struct world *world, unsigned w, uint32_t seconds);

#endif
