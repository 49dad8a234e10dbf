/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of simulated processes: every block that the library allocates (malloc and its relatives are replaced by
 * the linker's --wrap) belongs to the process that runs; so one that dies can be cleared away, one that ends is asked
 * for what it left behind, and an allocation can be made to fail. What the simulator itself allocates is not touched.
 */
#ifndef OSCOMMIT_TEST_SIM_MEMORY_H
#define OSCOMMIT_TEST_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_owner {
    uint64_t id; /* not 0 */
    size_t blocks;
    uint64_t allocations;                              /* so far */
    bool (*fails)(void *context, uint64_t allocation); /* whether this one does */
    void *context;
};

/* Whose code runs from here on: NULL is the simulator's own. Gives who it was. */
struct memory_owner *memory_switch(struct memory_owner *owner);
/* Frees all that it still has. */
void memory_clear(struct memory_owner *owner);
void memory_end(void); /* the books themselves */

#endif
