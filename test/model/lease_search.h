/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth first through all worlds of one configuration; remembers how each was reached. */
#ifndef OSCOMMIT_MODEL_LEASE_SEARCH_H
#define OSCOMMIT_MODEL_LEASE_SEARCH_H

#include "lease_world.h"

#include <stddef.h>
#include <stdio.h>

enum { SCHEDULE_MAX = 256 };

struct schedule {
    uint32_t choices[SCHEDULE_MAX];
    size_t count;
};

struct search_result {
    uint64_t states;
    uint64_t transitions;
    uint64_t held; /* worlds in which somebody holds */
    uint32_t depth;
    bool finished; /* everything reachable was seen */
    bool out_of_memory;
    double seconds;
    struct finding finding;
    struct schedule schedule; /* to the finding */
};

/* `states_max`: 0: none. */
void search(const struct config *of, uint64_t states_max, struct search_result *ret);
double seconds_now(void);

/* lease_trace.c: plays the schedule from the beginning and prints it when `out` is given. False: a choice was not
 * possible. What was violated is in `finding`. */
bool trace_play(const struct config *of, const struct schedule *schedule, FILE *out);
void trace_print_schedule(const struct schedule *schedule, FILE *out);
bool trace_read_schedule(const char *text, struct schedule *ret);

#endif
