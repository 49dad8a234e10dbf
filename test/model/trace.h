/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule as text: who does what at which S3 time, and which rule each guard then is in. */
#ifndef OSCOMMIT_MODEL_TRACE_H
#define OSCOMMIT_MODEL_TRACE_H

#include "search.h"

#include <stdio.h>

/* Plays the schedule from the beginning and prints it when `out` is given. False: a choice was not possible. What was
 * violated is in `finding`. */
bool trace_play(const struct config *of, const struct schedule *schedule, FILE *out, struct world *ret);
void trace_print_schedule(const struct schedule *schedule, FILE *out);
/* The form that the former prints. False: it is not one. */
bool trace_read_schedule(const char *text, struct schedule *ret);

#endif
