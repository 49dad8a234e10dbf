/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of transactions in every world. The first violation is kept in `finding`. */
#ifndef OSCOMMIT_MODEL_TRANSACTION_ORACLE_H
#define OSCOMMIT_MODEL_TRANSACTION_ORACLE_H

#include "world.h"

void oracle_applied(struct world *world, unsigned attempt);
void oracle_fenced(const struct row *before, const struct row *after);
/* After a step of this call. */
void oracle_step(const struct world *world, unsigned c, const struct transaction_actions *actions);
void oracle_verdict(struct world *world, unsigned c, enum transaction_verdict verdict);
void oracle_resolved(struct world *world, unsigned attempt, enum transaction_verdict verdict);

#endif
