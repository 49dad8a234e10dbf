/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, 64 bits: a number for a text where a collision costs time at most, or is seen. Pure, so that src/commit may use
 * it. */
#ifndef OSCOMMIT_BASE_FNV_H
#define OSCOMMIT_BASE_FNV_H

#include <stdint.h>

static inline uint64_t fnv_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
        hash = (hash ^ *byte) * UINT64_C(1099511628211);
    return hash;
}

#endif
