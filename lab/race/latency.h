/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of any number of latencies in a fixed space: a histogram whose buckets are at most 1/32 wide of their
 * value. Pure. */
#ifndef OSCOMMIT_LAB_LATENCY_H
#define OSCOMMIT_LAB_LATENCY_H

#include <stdint.h>

enum { LATENCY_SUBS = 32, LATENCY_BUCKETS = LATENCY_SUBS * 60 };

struct latency { /* all zero: empty */
    uint64_t count;
    uint64_t max_us;
    uint64_t bucket[LATENCY_BUCKETS];
};

void latency_add(struct latency *latency, uint64_t us);

/* The upper end of the bucket where the share `percent` of all lies, never more than the largest; 0 when empty. */
uint64_t latency_quantile(const struct latency *latency, unsigned percent);

#endif
