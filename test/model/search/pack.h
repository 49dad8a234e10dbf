/* SPDX-License-Identifier: Apache-2.0 */
/* A world as a short string of bytes and back, without loss, and its fingerprint. */
#ifndef OSCOMMIT_MODEL_PACK_H
#define OSCOMMIT_MODEL_PACK_H

#include "world.h"

#include <stddef.h>

enum { PACKED_MAX = sizeof(struct world) + sizeof(struct world) / 8 + sizeof(struct world) / 64 + 64 };

struct fingerprint {
    uint64_t a;
    uint64_t b;
};

size_t pack(const struct world *world, uint8_t ret[PACKED_MAX]);
void unpack(const uint8_t *packed, struct world *ret);
/* Equal worlds have equal ones; different worlds have equal ones with probability 2^-128. */
struct fingerprint fingerprint_of(const struct world *world);

#endif
