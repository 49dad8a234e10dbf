/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": which known word a mistyped one is near to. */
#ifndef OSCOMMIT_TOOL_SUGGEST_H
#define OSCOMMIT_TOOL_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters must be put in, left out, changed, or swapped with their neighbour to make one of the other. Only
 * the first 63 bytes of each count. */
size_t suggest_distance(const char *a, const char *b);

/* Looks at one known word after the other; `best` stays NULL as long as none is near. */
struct suggestion {
    const char *word; /* as it was typed */
    const char *best;
    size_t distance;
};
void suggest_begin(struct suggestion *suggestion, const char *word);
void suggest_consider(struct suggestion *suggestion, const char *known);

#endif
