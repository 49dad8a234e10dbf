/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run did, in a text file as Prometheus reads it (docs/pipelines.md): for the textfile collector of node_exporter,
 * which wants a file that appears as a whole. Counters go on from run to run, so what stands in the file is added to.
 */
#ifndef OSCOMMIT_TOOL_METRICS_H
#define OSCOMMIT_TOOL_METRICS_H

#include "cli/options.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Begins where the options name a file; then it looks whether that can be written. False, with a sentence. */
bool metrics_begin(const struct options *options, struct usage *usage);
bool metrics_on(void);

/* An os_metric_fn without a context. */
void metrics_take(void *context, const os_metric *metric);

/* Adds this run to the file. What goes wrong is said on stderr and changes no status. */
void metrics_finish(int status);

/* -------------------------------------------------------------------------------------- the parts, for metrics_file.c */

enum { METRICS_BUCKETS = 13, METRICS_LABELS_SIZE = 192, METRICS_SERIES_MAX = 2048, METRICS_SIZE_MAX = 1024 * 1024 };

enum metrics_family {
    METRICS_RUNS,
    METRICS_LAST_SUCCESS,
    METRICS_GUARDED,
    METRICS_RETRIES,
    METRICS_GUARDED_TIME,
    METRICS_REQUESTS,
    METRICS_REQUEST_TIME,
    METRICS_FAMILIES
};

struct metrics_series {
    enum metrics_family family;
    char labels[METRICS_LABELS_SIZE]; /* `operation="HEAD",service="store"` */
    uint64_t value;                   /* of a histogram how many were observed */
    uint64_t buckets[METRICS_BUCKETS];
    uint64_t sum_us;
};

struct metrics {
    struct metrics_series *list;
    size_t count;
};

/* The series, which is made where there is none. NULL: no memory, or too many. */
struct metrics_series *metrics_series(struct metrics *metrics, enum metrics_family family, const char *labels);
void metrics_observe(struct metrics_series *histogram, uint64_t duration_us);
bool metrics_merge(struct metrics *into, const struct metrics *from); /* false: as of metrics_series */
void metrics_clear(struct metrics *metrics);

/* The text of such a file. False: it is none, or no memory; then `ret` is as it was. `text` is changed. */
bool metrics_read(char *text, struct metrics *ret);
void metrics_write(FILE *out, const struct metrics *metrics);

/* Locks the file, reads it, adds to it, and gives the new one its name. False: *err says why. */
bool metrics_add_to_file(const char *name, const struct metrics *metrics, os_error *err);
/* Could it? Changes nothing. False, with a sentence. */
bool metrics_check_file(const char *name, struct usage *usage);

#endif
