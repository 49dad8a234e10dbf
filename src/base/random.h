/* SPDX-License-Identifier: Apache-2.0 */
/* Randomness: from the system once, then as a seeded state that a step can carry. */
#ifndef OSCOMMIT_BASE_RANDOM_H
#define OSCOMMIT_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool random_bytes(void *ret, size_t len); /* from the system's generator (getrandom); false if it fails */

/* splitmix64 (Steele, Lea, Flood 2014): good for jitter, not for secrets. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
