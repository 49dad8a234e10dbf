/* SPDX-License-Identifier: Apache-2.0 */
/* What a request truly did to the store: found by looking at its versions before and after. */
#ifndef OSCOMMIT_TEST_SIM_EFFECT_H
#define OSCOMMIT_TEST_SIM_EFFECT_H

#include "sim/world.h"

struct effect {
    char key[16]; /* "": no request of a key */
    size_t versions;
    char etag[WORLD_ETAG_SIZE]; /* before; "": absent */
    uint64_t token;             /* before: that of its writer's lease; 0: none */
};

/* `request`: bytes for the store; "" if they are for somebody else. */
void effect_begin(const struct world *world, const char *request, struct effect *ret);
void effect_end(struct world *world, uint64_t call, const struct effect *effect);

/* What stands there; "": nothing. ret holds WORLD_ETAG_SIZE. */
void effect_current(const struct world *world, const char *key, char *ret);

/* The token that stands there; 0: none. */
uint64_t effect_token(const struct world *world, uint32_t key);

#endif
