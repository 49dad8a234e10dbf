/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_BASE_MIN_H
#define OSCOMMIT_BASE_MIN_H

#include <stdint.h>

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
