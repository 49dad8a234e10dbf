/* SPDX-License-Identifier: Apache-2.0 */
/* Tarjan's algorithm (1972), with a stack of its own instead of the machine's. */
#include "history/transaction_work.h"

#include <stdlib.h>

struct walk {
    const struct txn_work *work;
    uint32_t kinds;
    uint32_t *number; /* in the order of discovery, from 1; 0: not yet */
    uint32_t *lowest; /* that can be reached */
    uint32_t *open;   /* nodes whose component is not known */
    uint32_t open_count;
    uint32_t *path; /* from the root of the walk */
    uint32_t path_count;
    size_t *next; /* edge to follow, of each node */
    uint32_t found;
    uint32_t *component;
    uint32_t component_count;
};

static void enter(struct walk *walk, uint32_t node)
{
    walk->number[node] = walk->lowest[node] = ++walk->found;
    walk->open[walk->open_count++] = node;
    walk->path[walk->path_count++] = node;
    walk->next[node] = walk->work->first_edge[node];
}

static void close_component(struct walk *walk, uint32_t node)
{
    uint32_t member;

    do {
        member = walk->open[--walk->open_count];
        walk->component[member] = walk->component_count;
    } while (member != node);
    walk->component_count++;
}

static void lower(struct walk *walk, uint32_t node, uint32_t value)
{
    if (walk->lowest[node] > value)
        walk->lowest[node] = value;
}

/* Follows one edge of the last node of the path, or leaves it. */
static void step(struct walk *walk)
{
    uint32_t node = walk->path[walk->path_count - 1];

    if (walk->next[node] < walk->work->first_edge[node + 1]) {
        const struct txn_edge *edge = &walk->work->edge[walk->next[node]++];
        if ((edge->kind & walk->kinds) == 0)
            return;
        if (walk->number[edge->to] == 0)
            enter(walk, edge->to);
        else if (walk->component[edge->to] == NONE)
            lower(walk, node, walk->number[edge->to]);
        return;
    }
    walk->path_count--;
    if (walk->lowest[node] == walk->number[node])
        close_component(walk, node);
    if (walk->path_count > 0)
        lower(walk, walk->path[walk->path_count - 1], walk->lowest[node]);
}

bool txn_components(const struct txn_work *work, uint32_t kinds, uint32_t *component)
{
    size_t count = (size_t)work->node_count + 1;
    struct walk walk = {.work = work,
                        .kinds = kinds,
                        .number = calloc(count, sizeof(uint32_t)),
                        .lowest = calloc(count, sizeof(uint32_t)),
                        .open = calloc(count, sizeof(uint32_t)),
                        .path = calloc(count, sizeof(uint32_t)),
                        .next = calloc(count, sizeof(size_t)),
                        .component = component};
    bool good =
        walk.number != NULL && walk.lowest != NULL && walk.open != NULL && walk.path != NULL && walk.next != NULL;

    for (uint32_t i = 0; good && i < work->node_count; i++)
        component[i] = NONE;
    for (uint32_t i = 0; good && i < work->node_count; i++) {
        if (walk.number[i] == 0)
            enter(&walk, i);
        while (walk.path_count > 0)
            step(&walk);
    }
    free(walk.number);
    free(walk.lowest);
    free(walk.open);
    free(walk.path);
    free(walk.next);
    return good;
}
