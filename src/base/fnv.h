/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, 64 bits: a number for a text where a collision costs time at most, or is seen. Pure, so that src/commit may use
 * it. */
#ifndef OSCOMMIT_BASE_FNV_H
#define OSCOMMIT_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t fnv_of_bytes(const void *data, size_t len)
{
    const unsigned char *bytes = data;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static inline uint64_t fnv_of(const char *text)
{
    return fnv_of_bytes(text, strlen(text));
}

#endif
