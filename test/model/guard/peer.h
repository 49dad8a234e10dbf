/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that follows the peer's rules (P1, P2): HEAD, a PutItem of generation 0 on an absent record, the write. In
 * front of somebody's record it polls by HEAD, and after timeout x rate by its own MONOTONIC it puts generation + 1 on
 * the generation alone. No nonce, no fence, no release, the clock read after the HEAD.
 */
#ifndef OSCOMMIT_MODEL_PEER_H
#define OSCOMMIT_MODEL_PEER_H

#include "world.h"

/* Its timeout, and what it multiplies timeouts by. */
enum { PEER_TIMEOUT_MS = 1000, PEER_RATE = 2 };
/* The early one is two seconds after the lease by a table's clock that is 30 s ahead (E5). */
#define PEER_TTL_S       3600U
#define PEER_EARLY_TTL_S 33U

void peer_step(struct world *world, unsigned w);
/* A good peer is stopped only between its requests: no time passes between its HEAD and its PutItem. */
bool peer_is_urgent(const struct world *world);
const char *peer_state_name(const struct writer *writer);

#endif
