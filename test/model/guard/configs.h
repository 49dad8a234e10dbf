/* SPDX-License-Identifier: Apache-2.0 */
/* The configurations, each a small world with budgets that keep it finite. */
#ifndef OSCOMMIT_MODEL_CONFIGS_H
#define OSCOMMIT_MODEL_CONFIGS_H

#include "world.h"

#include <stddef.h>

extern const struct config configs_small[];
extern const size_t configs_small_count;
extern const struct config configs_links[];
extern const size_t configs_links_count;
extern const struct config configs_uploads[];
extern const size_t configs_uploads_count;
extern const struct config configs_versions[];
extern const size_t configs_versions_count;
extern const struct config configs_spent[];
extern const size_t configs_spent_count;
extern const struct config configs_forward[];
extern const size_t configs_forward_count;
extern const struct config configs_mixed[];
extern const size_t configs_mixed_count;
extern const struct config configs_large[];
extern const size_t configs_large_count;

#endif
