/* SPDX-License-Identifier: Apache-2.0 */
/* R17: somebody who can read the table writes a ticket for another's record, and has it resolved by who can write. */
#ifndef OSCOMMIT_MODEL_FORGER_H
#define OSCOMMIT_MODEL_FORGER_H

#include "world.h"

enum { FORGERIES = 8 };

void forger_start(struct world *world, unsigned w, unsigned lie);
/* The guard of the ticket has ended: what its client does then. */
void forger_finish(struct world *world, unsigned w);
const char *forger_lie(unsigned lie);

#endif
