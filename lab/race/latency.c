/* SPDX-License-Identifier: Apache-2.0 */
#include "race/latency.h"

#include <stddef.h>

/* Values below 32 have a bucket each; each doubling above is cut in 32. */
static size_t bucket_of(uint64_t us)
{
    unsigned shift = 0;

    while ((us >> shift) >= 2 * LATENCY_SUBS)
        shift++;
    if (us < LATENCY_SUBS)
        return (size_t)us;
    return (size_t)(shift + 1) * LATENCY_SUBS + (size_t)((us >> shift) - LATENCY_SUBS);
}

static uint64_t upper_end(size_t bucket)
{
    size_t shift;

    if (bucket < LATENCY_SUBS)
        return bucket;
    shift = bucket / LATENCY_SUBS - 1;
    return (((uint64_t)(bucket % LATENCY_SUBS) + LATENCY_SUBS + 1) << shift) - 1;
}

void latency_add(struct latency *latency, uint64_t us)
{
    latency->count++;
    latency->bucket[bucket_of(us)]++;
    if (us > latency->max_us)
        latency->max_us = us;
}

uint64_t latency_quantile(const struct latency *latency, unsigned percent)
{
    uint64_t wanted = latency->count / 100 * percent + (latency->count % 100 * percent + 99) / 100;
    uint64_t seen = 0;

    if (latency->count == 0)
        return 0;
    for (size_t i = 0; i < LATENCY_BUCKETS; i++) {
        seen += latency->bucket[i];
        if (seen >= wanted && seen > 0) {
            uint64_t end = upper_end(i);
            return end < latency->max_us ? end : latency->max_us;
        }
    }
    return latency->max_us;
}
