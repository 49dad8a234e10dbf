/* SPDX-License-Identifier: Apache-2.0 */
/* The choices that led to a world, played again step by step, and as text. */
#ifndef OSCOMMIT_MODEL_SCHEDULE_H
#define OSCOMMIT_MODEL_SCHEDULE_H

#include "model.h"

enum { SCHEDULE_MAX = 512 };

struct schedule {
    uint32_t choices[SCHEDULE_MAX];
    size_t count;
};

/* Plays it from the beginning and prints it when `out` is given. False: a choice was not possible. What was violated is
 * in `finding`. */
bool schedule_play(const struct config *of, const struct schedule *schedule, FILE *out);
void schedule_print(const struct schedule *schedule, FILE *out);
/* The form that the former prints. False: it is not one. */
bool schedule_read(const char *text, struct schedule *ret);

#endif
