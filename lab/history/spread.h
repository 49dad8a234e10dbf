/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles of times, exact (nearest rank). Pure. */
#ifndef OSCOMMIT_LAB_HISTORY_SPREAD_H
#define OSCOMMIT_LAB_HISTORY_SPREAD_H

#include <stddef.h>
#include <stdint.h>

struct spread {
    size_t count;
    uint64_t p50;
    uint64_t p90;
    uint64_t p95;
    uint64_t p99;
    uint64_t max;
};

/* Sorts the samples. All zero where there are none. */
struct spread spread_of(uint64_t *samples, size_t count);

#endif
