/* SPDX-License-Identifier: Apache-2.0 */
#include "history/spread.h"

#include <stdlib.h>

static int compare_samples(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left == right ? 0 : left < right ? -1 : 1;
}

static uint64_t nearest_rank(const uint64_t *sorted, size_t count, unsigned percent)
{
    size_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;

    return sorted[rank > 0 ? rank - 1 : 0];
}

struct spread spread_of(uint64_t *samples, size_t count)
{
    struct spread spread = {.count = count};

    if (count > 0) {
        qsort(samples, count, sizeof(*samples), compare_samples);
        spread.p50 = nearest_rank(samples, count, 50);
        spread.p90 = nearest_rank(samples, count, 90);
        spread.p95 = nearest_rank(samples, count, 95);
        spread.p99 = nearest_rank(samples, count, 99);
        spread.max = samples[count - 1];
    }
    return spread;
}
