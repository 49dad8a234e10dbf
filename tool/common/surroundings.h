/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a program that the tool runs: the tool's own, with some variables more. */
#ifndef OSCOMMIT_TOOL_SURROUNDINGS_H
#define OSCOMMIT_TOOL_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>

enum { SURROUNDINGS_MORE = 4 };

struct surrounding {
    const char *name;
    const char *value;
};

struct surroundings {
    char *own[SURROUNDINGS_MORE];
    char **all; /* the caller's and those; ends with NULL */
};

/* The caller's variables of the same names are left out. At most SURROUNDINGS_MORE; false: no memory, and nothing to
 * clear. */
bool surroundings_fill(struct surroundings *ret, const struct surrounding *more, size_t count);
void surroundings_clear(struct surroundings *surroundings);

#endif
