/* SPDX-License-Identifier: Apache-2.0 */
/* What must be true when a seed is over. Every breach becomes a failure of the world. */
#ifndef OSCOMMIT_TEST_SIM_ORACLE_H
#define OSCOMMIT_TEST_SIM_ORACLE_H

#include "sim/world.h"

void oracle_judge(struct world *world);

/* Whether the code tells the caller to mend something of his; and whether faults were such that it may. */
bool oracle_blames(os_code code);
bool oracle_may_blame(const struct world *world);

#endif
