/* SPDX-License-Identifier: Apache-2.0 */
#include "visited.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ fingerprints */

bool visited_init(struct visited *visited)
{
    visited->size = UINT64_C(1) << 16;
    visited->count = 0;
    visited->slots = calloc(visited->size, sizeof(*visited->slots));
    return visited->slots != NULL;
}

void visited_free(struct visited *visited)
{
    free(visited->slots);
    visited->slots = NULL;
}

static bool is_empty(const struct fingerprint *slot)
{
    return slot->a == 0 && slot->b == 0;
}

static struct fingerprint *place_of(const struct visited *visited, struct fingerprint fingerprint)
{
    uint64_t i = fingerprint.a & (visited->size - 1);
    while (!is_empty(&visited->slots[i])) {
        if (visited->slots[i].a == fingerprint.a && visited->slots[i].b == fingerprint.b)
            break;
        i = (i + 1) & (visited->size - 1);
    }
    return &visited->slots[i];
}

static bool grow(struct visited *visited)
{
    struct visited bigger = {.size = visited->size * 2};
    bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return false;
    for (uint64_t i = 0; i < visited->size; i++)
        if (!is_empty(&visited->slots[i]))
            *place_of(&bigger, visited->slots[i]) = visited->slots[i];
    free(visited->slots);
    visited->slots = bigger.slots;
    visited->size = bigger.size;
    return true;
}

int visited_add(struct visited *visited, struct fingerprint fingerprint)
{
    if (visited->count * 4 >= visited->size * 3 && !grow(visited))
        return -1;
    if (is_empty(&fingerprint))
        fingerprint.b = 1;
    struct fingerprint *place = place_of(visited, fingerprint);
    if (!is_empty(place))
        return 0;
    *place = fingerprint;
    visited->count++;
    return 1;
}

/* ------------------------------------------------------------------------------------------------ the log */

bool step_log_add(struct step_log *log, uint32_t parent, uint32_t choice)
{
    if (log->count == log->capacity) {
        uint64_t capacity = log->capacity ? log->capacity * 2 : 1024;
        struct log_entry *entries = realloc(log->entries, capacity * sizeof(*entries));
        if (entries == NULL)
            return false;
        log->entries = entries;
        log->capacity = capacity;
    }
    log->entries[log->count++] = (struct log_entry){parent, choice};
    return true;
}

void step_log_free(struct step_log *log)
{
    free(log->entries);
    log->entries = NULL;
}

/* ------------------------------------------------------------------------------------------------ the frontier */

enum { BLOCK_BYTES = 1 << 20 };

struct frontier_block {
    struct frontier_block *next;
    size_t used;
    uint8_t bytes[BLOCK_BYTES];
};

struct entry_head {
    uint32_t index;
    uint32_t depth;
    uint64_t size;
};

_Static_assert(sizeof(struct entry_head) + PACKED_MAX < BLOCK_BYTES, "an entry fits into a block");

bool frontier_put(struct frontier *frontier, const struct frontier_entry *entry)
{
    struct entry_head head = {entry->index, entry->depth, entry->size};
    if (frontier->last == NULL || frontier->last->used + sizeof(head) + entry->size > BLOCK_BYTES) {
        struct frontier_block *block = malloc(sizeof(*block));
        if (block == NULL)
            return false;
        block->next = NULL;
        block->used = 0;
        if (frontier->last)
            frontier->last->next = block;
        else
            frontier->first = block;
        frontier->last = block;
        frontier->bytes += sizeof(*block);
    }
    struct frontier_block *last = frontier->last;
    memcpy(last->bytes + last->used, &head, sizeof(head));
    memcpy(last->bytes + last->used + sizeof(head), entry->packed, entry->size);
    last->used += sizeof(head) + entry->size;
    return true;
}

bool frontier_take(struct frontier *frontier, struct frontier_entry *ret)
{
    struct frontier_block *first = frontier->first;
    if (first && frontier->read == first->used && first->next) {
        frontier->first = first->next;
        frontier->read = 0;
        frontier->bytes -= sizeof(*first);
        free(first);
        first = frontier->first;
    }
    if (first == NULL || frontier->read == first->used)
        return false;
    struct entry_head head;
    memcpy(&head, first->bytes + frontier->read, sizeof(head));
    ret->index = head.index;
    ret->depth = head.depth;
    ret->size = (size_t)head.size;
    ret->packed = first->bytes + frontier->read + sizeof(head);
    frontier->read += sizeof(head) + ret->size;
    return true;
}

void frontier_free(struct frontier *frontier)
{
    while (frontier->first) {
        struct frontier_block *next = frontier->first->next;
        free(frontier->first);
        frontier->first = next;
    }
    frontier->last = NULL;
    frontier->read = 0;
    frontier->bytes = 0;
}
