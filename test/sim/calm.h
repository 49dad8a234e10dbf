/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which no fault strikes: there no call may wait for anything but the calls that are under way. */
#ifndef OSCOMMIT_TEST_SIM_CALM_H
#define OSCOMMIT_TEST_SIM_CALM_H

#include "sim/world.h"

enum { CALM_DEADLINE_MS = 900000 }; /* of every call: what ends in the middle of its write leaves a record */

/* Takes away all faults that strike, and the drift of clocks. What else the world is like stays. */
void calm_faults(struct faults *faults);
/* No call took longer than it may, in time or in requests. */
void calm_judge(struct world *world);

#endif
