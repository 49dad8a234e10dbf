/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/metrics.h"

#include <stdlib.h>
#include <string.h>

struct metrics_series *metrics_series(struct metrics *metrics, enum metrics_family family, const char *labels)
{
    struct metrics_series *list;

    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->list[i].family == family && strcmp(metrics->list[i].labels, labels) == 0)
            return &metrics->list[i];
    if (metrics->count == METRICS_SERIES_MAX || strlen(labels) >= METRICS_LABELS_SIZE)
        return NULL;
    list = reallocarray(metrics->list, metrics->count + 1, sizeof(*list));
    if (list == NULL)
        return NULL;
    metrics->list = list;
    list += metrics->count++;
    *list = (struct metrics_series){.family = family};
    memcpy(list->labels, labels, strlen(labels) + 1);
    return list;
}

void metrics_observe(struct metrics_series *histogram, uint64_t duration_us)
{
    static const uint64_t bounds_ms[METRICS_BUCKETS] = {5,    10,   25,   50,    100,   250,  500,
                                                        1000, 2500, 5000, 10000, 30000, 60000};

    histogram->value++;
    histogram->sum_us += duration_us;
    for (size_t i = 0; i < METRICS_BUCKETS; i++)
        if (duration_us <= bounds_ms[i] * 1000)
            histogram->buckets[i]++;
}

bool metrics_merge(struct metrics *into, const struct metrics *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct metrics_series *one = &from->list[i];
        struct metrics_series *sum = metrics_series(into, one->family, one->labels);
        if (sum == NULL)
            return false;
        sum->value = one->family == METRICS_LAST_SUCCESS ? one->value : sum->value + one->value;
        sum->sum_us += one->sum_us;
        for (size_t j = 0; j < METRICS_BUCKETS; j++)
            sum->buckets[j] += one->buckets[j];
    }
    return true;
}

void metrics_clear(struct metrics *metrics)
{
    free(metrics->list);
    *metrics = (struct metrics){.list = NULL};
}
