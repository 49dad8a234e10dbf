/* SPDX-License-Identifier: Apache-2.0 */
/* Where nothing goes wrong, nobody waits for a record whose writer is done. */
#ifndef OSCOMMIT_TEST_SIM_PROMPT_H
#define OSCOMMIT_TEST_SIM_PROMPT_H

#include "sim/world.h"

/* Of a run at its end: fails it for a write that took too long, in a world in which no fault has struck. */
void prompt_judge(struct world *world);

#endif
