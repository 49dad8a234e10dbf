/* SPDX-License-Identifier: Apache-2.0 */
/* What a search remembers: fingerprints of all worlds, how each was reached, and the worlds still to be expanded. */
#ifndef OSCOMMIT_MODEL_VISITED_H
#define OSCOMMIT_MODEL_VISITED_H

#include "pack.h"

/* Open addressing, doubled before it is three quarters full. */
struct visited {
    struct fingerprint *slots;
    uint64_t size; /* a power of two */
    uint64_t count;
};

bool visited_init(struct visited *visited);
void visited_free(struct visited *visited);
/* 1: new; 0: known; -1: no memory. */
int visited_add(struct visited *visited, struct fingerprint fingerprint);

/* World i was reached from world `parent` by `choice`. */
struct step_log {
    struct log_entry {
        uint32_t parent;
        uint32_t choice;
    } * entries;
    uint64_t capacity;
    uint64_t count;
};

bool step_log_add(struct step_log *log, uint32_t parent, uint32_t choice);
void step_log_free(struct step_log *log);

/* First in, first out; in blocks that are given back when they are through. */
struct frontier {
    struct frontier_block *first;
    struct frontier_block *last;
    size_t read;  /* in `first` */
    size_t bytes; /* of all blocks */
};

struct frontier_entry {
    uint32_t index;
    uint32_t depth;
    const uint8_t *packed; /* until the next take */
    size_t size;
};

bool frontier_put(struct frontier *frontier, const struct frontier_entry *entry);
bool frontier_take(struct frontier *frontier, struct frontier_entry *ret);
void frontier_free(struct frontier *frontier);

#endif
