/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"
#include "support/test.h"

#include <string.h>

enum { NODES = 500, ROUNDS = 20000, KEYS = 64 };

TEST(an_empty_one_has_no_first)
{
    struct heap heap = {0};
    assert_null(heap_first(&heap));
    assert_true(heap_first_key(&heap) == UINT64_MAX);
}

TEST(of_the_same_key_the_first_put_comes_first)
{
    struct heap heap = {0};
    struct heap_node nodes[NODES] = {{0}};
    for (size_t i = 0; i < NODES; i++)
        heap_put(&heap, &nodes[i], 7);
    for (size_t i = 0; i < NODES; i++) {
        assert_ptr_equal(heap_first(&heap), &nodes[i]);
        heap_remove(&heap, &nodes[i]);
    }
    assert_null(heap_first(&heap));
}

TEST(one_that_is_in_none_may_be_removed)
{
    struct heap heap = {0};
    struct heap_node node = {0};
    heap_remove(&heap, &node);
    heap_put(&heap, &node, 1);
    heap_remove(&heap, &node);
    heap_remove(&heap, &node);
    assert_null(heap_first(&heap));
}

TEST(putting_it_again_changes_its_key)
{
    struct heap heap = {0};
    struct heap_node a = {0};
    struct heap_node b = {0};
    heap_put(&heap, &a, 1);
    heap_put(&heap, &b, 2);
    heap_put(&heap, &a, 3);
    assert_ptr_equal(heap_first(&heap), &b);
    heap_put(&heap, &a, 0);
    assert_ptr_equal(heap_first(&heap), &a);
    assert_true(heap_first_key(&heap) == 0);
}

/* A list that is searched is the measure. */
struct listed {
    struct heap_node node;
    uint64_t key;
    uint64_t order;
    bool inside;
};

static const struct listed *first_listed(const struct listed *all)
{
    const struct listed *first = NULL;
    for (size_t i = 0; i < NODES; i++) {
        const struct listed *each = &all[i];
        bool before =
            first == NULL || each->key < first->key || (each->key == first->key && each->order < first->order);
        if (each->inside && before)
            first = each;
    }
    return first;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

TEST(it_agrees_with_a_list_that_is_searched)
{
    static struct listed all[NODES];
    struct heap heap = {0};
    uint32_t random = 1;
    memset(all, 0, sizeof(all));
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct listed *each = &all[next_random(&random) % NODES];
        each->inside = next_random(&random) % 3 != 0;
        each->key = next_random(&random) % KEYS;
        each->order = round;
        if (each->inside)
            heap_put(&heap, &each->node, each->key);
        else
            heap_remove(&heap, &each->node);
        const struct listed *first = first_listed(all);
        assert_ptr_equal(heap_first(&heap), first ? &first->node : NULL);
    }
}
