/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls a lane makes, from the seed alone. What a call expects is found out when it is made. */
#ifndef OSCOMMIT_TEST_SIM_PLAN_H
#define OSCOMMIT_TEST_SIM_PLAN_H

#include "sim/world.h"

enum plan_kind {
    PLAN_CREATE, /* put if absent */
    PLAN_UPDATE, /* look, then put if match (or if absent) */
    PLAN_STALE,  /* put if match what was last seen, perhaps long ago */
    PLAN_COPY,   /* look, then copy over what is there, or where nothing is */
    PLAN_RENAME, /* look at the source, rename where nothing is */
    PLAN_DELETE, /* look, then delete if match */
    PLAN_READ
};

enum { PLAN_CALLS_MAX = 8 }; /* of one lane */

struct plan_call {
    enum plan_kind kind;
    uint32_t key;
    uint32_t source;
    uint64_t think_us;
    uint64_t deadline_ms;
    uint64_t cancel_after_us; /* where CANCEL strikes */
    uint32_t content;         /* 0: bytes of its own; else the same as every other one of this number */
    bool stream;              /* the body is of unknown length */
    bool large;               /* of more than one part */
    bool resolve_after;       /* settles a ticket when it is done, if there is one */
};

/* The fleet's settings and the world's size; before anything else. */
void plan_world(struct world *world);
uint32_t plan_count(const struct world *world, uint32_t lane);
void plan_call(const struct world *world, uint32_t lane, uint32_t index, struct plan_call *ret);
/* N4: never deleted, and never of earlier bytes again. */
bool plan_is_forward_only(const struct world *world, uint32_t key);
bool plan_is_staged(const struct world *world); /* some bodies are said to be large */
/* Only ever created, never replaced or deleted. */
bool plan_is_create_once(const struct world *world, uint32_t key);

#endif
