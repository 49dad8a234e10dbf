/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is due next: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) of nodes that stand in what they belong
 * to. Nothing is allocated, so putting something in cannot fail.
 */
#ifndef OSCOMMIT_BASE_HEAP_H
#define OSCOMMIT_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Embedded; a zeroed one is in no heap. */
struct heap_node {
    uint64_t key;
    uint64_t order; /* of those with the same key */
    struct heap_node *child;
    struct heap_node *next; /* of the same parent */
    struct heap_node *back; /* the one before it; of a first child, the parent */
    bool inside;
};

/* A zeroed one is empty. */
struct heap {
    struct heap_node *root;
    uint64_t put_count;
};

/* Puts it in, or changes the key of one that is in this heap. */
void heap_put(struct heap *heap, struct heap_node *node, uint64_t key);
void heap_remove(struct heap *heap, struct heap_node *node); /* does nothing to one that is in none */

/* The one with the smallest key; of several, the one that was put in first. NULL: it is empty. */
static inline struct heap_node *heap_first(const struct heap *heap)
{
    return heap->root;
}

/* Its key; UINT64_MAX of an empty heap. */
static inline uint64_t heap_first_key(const struct heap *heap)
{
    return heap->root ? heap->root->key : UINT64_MAX;
}

#endif
