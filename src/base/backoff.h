/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Polling intervals (R11): 25 ms doubling to 1 s, each drawn from the upper half of its step so that contenders spread
 * out. Pure, so that src/commit may use it.
 */
#ifndef OSCOMMIT_BASE_BACKOFF_H
#define OSCOMMIT_BASE_BACKOFF_H

#include "base/random.h"

#include <stdint.h>

enum { BACKOFF_FIRST_MS = 25, BACKOFF_MAX_MS = 1000 };

struct backoff {
    uint64_t random;  /* state of random_next */
    uint32_t step_ms; /* 0: not begun */
    uint32_t reserved;
};

/* Keeps the random state. */
static inline void backoff_restart(struct backoff *backoff)
{
    backoff->step_ms = 0;
}

static inline uint32_t backoff_next_ms(struct backoff *backoff)
{
    uint32_t step = backoff->step_ms == 0 ? BACKOFF_FIRST_MS : backoff->step_ms * 2;
    if (step > BACKOFF_MAX_MS)
        step = BACKOFF_MAX_MS;
    backoff->step_ms = step;
    uint32_t half = step / 2;
    return half + (uint32_t)(random_next(&backoff->random) % (step - half + 1));
}

#endif
