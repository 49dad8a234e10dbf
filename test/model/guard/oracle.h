/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold. Of the world: an attempt is applied only on the version that it expected, once, and not after a
 * verdict that denies it; every verdict is true when it is given (and later, by the former). Of each guard, told from
 * what goes in and what comes out: the invariants of R2 to R7, R12, T2, T3, T5, T6, V1, V3, V5, and that a record
 * blocks nobody longer than R12's bound.
 */
#ifndef OSCOMMIT_MODEL_ORACLE_H
#define OSCOMMIT_MODEL_ORACLE_H

#include "world.h"

/* Names of violations; a configuration's `expects` is one of these. */
#define LOST_UPDATE        "lost-update"     /* a guard's write was applied on a version that it did not expect */
#define PEER_OVERWROTE     "peer-overwrote"  /* a peer's write was */
#define APPLIED_TWICE      "applied-twice"   /* one attempt, two versions */
#define APPLIED_LATE       "applied-late"    /* after `conflict` or `not executed` (V1) */
#define FALSE_COMMITTED    "false-committed" /* V2 */
#define FALSE_CONFLICT     "false-conflict"  /* V1: it was applied, or the expectation was never broken */
#define FALSE_NOT_EXECUTED "false-not-executed"
#define FALSE_UNKNOWN      "false-unknown" /* V3 */
#define BLOCKED            "blocked"       /* R12: longer than the bound */
#define RULE_BROKEN        "rule-broken"
#define STUCK              "stuck" /* a guard that waits for nothing */

/* Before the write of flight `send` changes the object. */
void oracle_applies(struct world *world, const struct flight *send);
/* The same of a peer. */
void oracle_peer_applies(const struct world *world, unsigned w);
/* After every change of the object, and at the beginning of every call. */
/* R3.7: of a COPY that starts with a Date at hand. */
void oracle_copy_is_signed_later(struct world *world, unsigned w);
/* R12.11: of a guard that begins with a record that was released. */
void oracle_told(struct world *world, unsigned w, const struct record *released);
void oracle_object_changed(struct world *world);

/* Around one step of writer w's guard. `answered` is the request that the event answers, or NULL. */
void oracle_before(struct world *world, unsigned w, const struct guard_event *event, const struct flight *answered);
void oracle_after(struct world *world, unsigned w, const struct guard_event *event, const struct guard_actions *todo,
                  enum guard_state was);

/* oracle_creation.c */
void oracle_creation_read(struct world *world, unsigned w, const struct guard_event *event, enum guard_state was);
void oracle_creation_released(const struct world *world, unsigned w, const struct guard_actions *todo);

#endif
