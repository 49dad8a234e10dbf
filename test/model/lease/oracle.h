/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of leases in every world. The first violation is kept in `finding`. */
#ifndef OSCOMMIT_MODEL_LEASE_ORACLE_H
#define OSCOMMIT_MODEL_LEASE_ORACLE_H

#include "world.h"

/* After a step of this handle: what it announces, asks for, and how it ends. */
void oracle_step(struct world *world, unsigned h, const struct lease_actions *actions);
/* A TAKE whose condition has failed on the item: it should have held where the item was ripe when it was asked. */
void oracle_conflict(const struct world *world, const struct flight *take);
void oracle_asks(struct world *world, unsigned h, const struct lease_request *request);
/* An answer shows the item to this handle. */
void oracle_shown(struct world *world, unsigned h, const struct lease_item *item);
void oracle_time(struct world *world);        /* after time has passed */
void oracle_world(const struct world *world); /* in every world */

#endif
