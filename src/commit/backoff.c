/* SPDX-License-Identifier: Apache-2.0 */
#include "commit/backoff.h"

#include "base/random.h"

void backoff_restart(struct backoff *backoff)
{
    backoff->step_ms = 0;
}

uint32_t backoff_next_ms(struct backoff *backoff)
{
    uint32_t step = backoff->step_ms == 0 ? BACKOFF_FIRST_MS : backoff->step_ms * 2;
    if (step > BACKOFF_MAX_MS)
        step = BACKOFF_MAX_MS;
    backoff->step_ms = step;
    uint32_t half = step / 2;
    return half + (uint32_t)(random_next(&backoff->random) % (step - half + 1));
}
