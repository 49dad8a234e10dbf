/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations, each a small world with budgets that keep it finite. */
#ifndef OSCOMMIT_MODEL_CONFIGS_H
#define OSCOMMIT_MODEL_CONFIGS_H

#include "world.h"

#include <stddef.h>

extern const struct config configs[];
extern const size_t configs_count;

const struct config *config_by_name(const char *name);

#endif
