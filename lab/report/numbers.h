/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a history that stand on top of its page. Guarded calls are all but the reads; a verdict counts as it
 * was settled. Percentiles are exact (nearest rank). Pure.
 */
#ifndef OSCOMMIT_LAB_REPORT_NUMBERS_H
#define OSCOMMIT_LAB_REPORT_NUMBERS_H

#include "history/history.h"
#include "history/spread.h"

/* Indexed by enum history_operation, os_verdict and enum history_event_kind as they are; 0 stands for all of them. */
enum { REPORT_OPERATIONS = HISTORY_READ + 1, REPORT_VERDICTS = OS_UNKNOWN + 1, REPORT_KINDS = HISTORY_THROTTLE + 1 };

struct report_numbers {
    uint64_t duration_us; /* from 0 to the last end of anything */
    uint32_t writers;     /* with a call */
    uint32_t lanes;       /* the highest one in use, and one more */
    size_t keys;
    size_t guarded;
    size_t reads;
    size_t settled_as[REPORT_VERDICTS]; /* guarded calls */
    size_t unknown;                     /* first told as unknown, but for `killed` */
    size_t killed;                      /* never returned */
    size_t unknown_as[REPORT_VERDICTS]; /* what became of them */
    size_t killed_as[REPORT_VERDICTS];
    uint64_t attempts;
    uint64_t requests;
    /* From start to return, by first verdict; a call that never returned has none. */
    struct spread latency[REPORT_OPERATIONS][REPORT_VERDICTS];
    struct spread settling; /* from the return as unknown to the return of os_resolve */
    size_t takeovers;
    struct spread waited; /* by calls that took over, for other writers' records */
    /* From the instant at which the record's last holder was killed, paused or gave up, to the return of the call that
     * took its record over; of the takeovers for which the history shows that holder. */
    struct spread failover;
    struct spread events[REPORT_KINDS]; /* how many, how long */
    size_t met[REPORT_KINDS];           /* calls during which one of that kind began or lasted */
};

/* False: no memory. */
bool report_numbers(const struct history *history, struct report_numbers *ret);

/* When a call was over as far as the history tells: its end, or when its writer was killed or began anew. */
struct report_ends;                                                 /* by the index of the call */
struct report_ends *report_ends_new(const struct history *history); /* NULL: no memory */
void report_ends_free(struct report_ends *ends);
uint64_t report_end(const struct report_ends *ends, size_t call);
/* When it stopped to act for its writer: paused in it, killed in it, or returned as unknown; HISTORY_NEVER: never. */
uint64_t report_lost(const struct report_ends *ends, size_t call);
uint64_t report_last_instant(const struct report_ends *ends);

#endif
