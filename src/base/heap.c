/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"

#include <assert.h>
#include <stddef.h>

static bool is_before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

/* Both are roots, or NULL. */
static struct heap_node *meld(struct heap_node *a, struct heap_node *b)
{
    if (a == NULL || b == NULL)
        return a ? a : b;
    struct heap_node *parent = is_before(a, b) ? a : b;
    struct heap_node *child = parent == a ? b : a;
    child->next = parent->child;
    if (child->next)
        child->next->back = child;
    child->back = parent;
    parent->child = child;
    return parent;
}

static struct heap_node *detach_first(struct heap_node **list)
{
    struct heap_node *node = *list;
    if (node == NULL)
        return NULL;
    *list = node->next;
    node->next = NULL;
    node->back = NULL;
    return node;
}

/* In two passes, pairs first: that is what keeps the cost of removing logarithmic. */
static struct heap_node *meld_siblings(struct heap_node *first)
{
    struct heap_node *pairs = NULL;
    struct heap_node *root = NULL;
    while (first) {
        struct heap_node *a = detach_first(&first);
        struct heap_node *pair = meld(a, detach_first(&first));
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs)
        root = meld(root, detach_first(&pairs));
    return root;
}

static void cut(struct heap_node *node)
{
    if (node->back->child == node)
        node->back->child = node->next;
    else
        node->back->next = node->next;
    if (node->next)
        node->next->back = node->back;
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    if (!node->inside)
        return;
    assert(heap->root != NULL);
    struct heap_node *children = meld_siblings(node->child);
    if (node == heap->root) {
        heap->root = children;
    } else {
        cut(node);
        heap->root = meld(heap->root, children);
    }
    *node = (struct heap_node){.key = node->key};
}

void heap_put(struct heap *heap, struct heap_node *node, uint64_t key)
{
    heap_remove(heap, node);
    *node = (struct heap_node){.key = key, .order = heap->put_count++, .inside = true};
    heap->root = meld(heap->root, node);
}
