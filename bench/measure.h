/* SPDX-License-Identifier: Apache-2.0 */
/* Time, processor time of the whole process, latencies; and the line of JSON that says them. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

struct samples {
    uint64_t *us;
    size_t count;
    size_t size;
};

struct measure {
    uint64_t wall_us;
    uint64_t cpu_us; /* user and system */
};

uint64_t measure_now_us(void);
/* Says that the program is warm, and waits for a line on standard input. */
void measure_wait_for_go(void);
struct measure measure_begin(void);
void measure_end(struct measure *measure); /* what has passed since */

void samples_add(struct samples *samples, uint64_t us);
/* Frees `from`. */
void samples_merge(struct samples *to, struct samples *from);

/* Sorts the samples. */
void measure_report(const struct measure *measure, struct samples *samples, unsigned failed, const char *error);

#endif
