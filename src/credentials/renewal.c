/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/renewal.h"

#include "base/random.h"

enum { LONG_LIVED_S = 2 * (RENEWAL_BEFORE_S + RENEWAL_EARLIER_S) };

/* From the upper half, so that all come some time, and none at the same. */
static uint64_t spread(uint64_t most_ms, uint64_t *random)
{
    uint64_t half_ms = most_ms / 2;
    return most_ms - random_next(random) % (half_ms + 1);
}

uint64_t renewal_after_ms(int64_t left_s, uint64_t *random)
{
    const int64_t longest_s = INT64_C(1) << 32;
    int64_t bounded_s = left_s < longest_s ? left_s : longest_s;
    if (bounded_s <= 0)
        return spread(RENEWAL_AGAIN_MOST_MS, random);
    if (bounded_s >= LONG_LIVED_S) {
        uint64_t last_ms = (uint64_t)(bounded_s - RENEWAL_BEFORE_S) * 1000;
        return last_ms - random_next(random) % ((uint64_t)RENEWAL_EARLIER_S * 1000 + 1);
    }
    uint64_t half_ms = spread((uint64_t)bounded_s * 500, random);
    return half_ms > RENEWAL_LEAST_MS ? half_ms : RENEWAL_LEAST_MS;
}

uint64_t renewal_again_ms(uint32_t failures, uint64_t *random)
{
    uint64_t most_ms = RENEWAL_AGAIN_MS;
    for (uint32_t i = 1; i < failures && most_ms < RENEWAL_AGAIN_MOST_MS; i++)
        most_ms *= 2;
    return spread(most_ms < RENEWAL_AGAIN_MOST_MS ? most_ms : RENEWAL_AGAIN_MOST_MS, random);
}
