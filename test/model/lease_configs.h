/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations of leases, each a small world with budgets that keep it finite. */
#ifndef OSCOMMIT_MODEL_LEASE_CONFIGS_H
#define OSCOMMIT_MODEL_LEASE_CONFIGS_H

#include "lease_world.h"

#include <stddef.h>

extern const struct config lease_configs[];
extern const size_t lease_configs_count;

const struct config *config_by_name(const char *name);

#endif
