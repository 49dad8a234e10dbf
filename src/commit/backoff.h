/* SPDX-License-Identifier: Apache-2.0 */
/* Polling intervals (R11): 25 ms doubling to 1 s, each drawn from the upper half of its step so that contenders spread
 * out. */
#ifndef OSCOMMIT_COMMIT_BACKOFF_H
#define OSCOMMIT_COMMIT_BACKOFF_H

#include <stdint.h>

enum { BACKOFF_FIRST_MS = 25, BACKOFF_MAX_MS = 1000 };

struct backoff {
    uint64_t random;  /* state of random_next */
    uint32_t step_ms; /* 0: not begun */
    uint32_t reserved;
};

void backoff_restart(struct backoff *backoff); /* keeps the random state */
uint32_t backoff_next_ms(struct backoff *backoff);

#endif
