/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of store that a seed has, and the profile that tells the truth about it. */
#ifndef OSCOMMIT_TEST_SIM_KIND_H
#define OSCOMMIT_TEST_SIM_KIND_H

#include "sim/world.h"

/* All but names and keys. After plan_world: a fleet that has no other guard needs a store that enforces conditions. */
void kind_of_store(const struct world *world, struct fake_s3_options *ret);
/* A file in memory with the profile of such a store; -1: it could not be made. */
int kind_write_profile(const struct fake_s3_options *options, bool unmarked);

#endif
