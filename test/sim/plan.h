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
    PLAN_READ,
    PLAN_COUNT /* os_update of a counter */
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
    uint64_t token;           /* of the lease that it is made under; 0: none */
};

struct plan_lease { /* around one call */
    bool acquires;  /* where none is held */
    uint32_t name;
    uint64_t ttl_s;
    bool waits;
    bool fencing;
    uint64_t deadline_ms;
    uint64_t cancel_after_us;
    bool careful;      /* looks at the state before the call */
    bool releases;     /* behind it */
    bool keeps_token;  /* writes with it also when the lease is released */
    bool closes_first; /* the client, at the end, and releases then */
};

/* The fleet's settings and the world's size; before anything else. */
void plan_world(struct world *world);
uint32_t plan_count(const struct world *world, uint32_t lane);
void plan_call(const struct world *world, uint32_t lane, uint32_t index, struct plan_call *ret);
bool plan_is_staged(const struct world *world); /* some bodies are said to be large */
/* Only ever created, never replaced or deleted. */
bool plan_is_create_once(const struct world *world, uint32_t key);
/* Written by os_update alone, which adds one. */
bool plan_is_counter(const struct world *world, uint32_t key);
/* Never deleted, and takes no bytes again that it had. */
bool plan_is_forward_only(const struct world *world, uint32_t key);
/* What is written there when anything may be: no copy, and what nobody needs to have seen before. */
enum plan_kind plan_any_write(const struct world *world, uint32_t key);

/* Whether the world has leases; how many names, and which of them stands for a key. */
bool plan_has_leases(const struct world *world);
uint32_t plan_lease_names(const struct world *world);
bool plan_asks_stopped(const struct world *world); /* holds.h */
uint32_t plan_lease_name(const struct world *world, uint32_t key);
void plan_lease(const struct world *world, uint32_t lane, uint64_t call, uint32_t key, struct plan_lease *ret);

/* How a lane says that keys are forward-only, if it does: of one key by its prefix, of the others by call. */
bool plan_promised_prefix(const struct world *world, uint32_t lane, char ret[16]);
bool plan_promises_by_call(const struct world *world, uint32_t lane, uint32_t key);

#endif
