/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who comes before whom. Times need few edges: each end of a transaction is a node of its own, these stand in a row, and
 * a transaction is behind the last end before its start.
 */
#include "history/transaction_work.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- nodes */

static const struct history_transaction *transaction_at(const struct txn_work *work, uint32_t index)
{
    return history_transaction_at(work->history, index);
}

static bool is_read(const struct history_item *item)
{
    return item->kind == HISTORY_ITEM_READ || item->kind == HISTORY_ITEM_LIST;
}

static void add_node(struct txn_work *work, uint32_t transaction, uint32_t item, uint64_t end_us)
{
    work->node[work->real_count++] = (struct txn_node){.transaction = transaction,
                                                       .item = item,
                                                       .start_us = transaction_at(work, transaction)->start_us,
                                                       .end_us = end_us};
}

/* An unknown one may have taken effect long after it returned. */
static void add_whole(struct txn_work *work, uint32_t transaction)
{
    const struct history_transaction *whole = transaction_at(work, transaction);
    uint64_t end_us = whole->settled_us != 0 ? whole->settled_us : whole->end_us;

    work->node_of[transaction] = work->real_count;
    add_node(work, transaction, NONE, whole->settled == OS_COMMITTED ? end_us : HISTORY_NEVER);
}

bool txn_nodes_make(struct txn_work *work)
{
    size_t most = (size_t)work->transaction_count + work->first_item[work->transaction_count];

    work->node = calloc(most + 1, sizeof(*work->node));
    if (work->node == NULL)
        return false;
    for (uint32_t i = 0; i < work->transaction_count; i++) {
        const struct history_transaction *whole = transaction_at(work, i);
        work->node_of[i] = NONE;
        if (work->in_force[i])
            add_whole(work, i);
        for (uint32_t j = 0; whole->verdict != OS_COMMITTED && j < whole->item_count; j++)
            if (is_read(&whole->item[j]))
                add_node(work, i, j, whole->end_us);
    }
    work->node_count = work->real_count;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- edges */

/* One from or to NONE is none. False: no memory. */
static bool add_edge(struct txn_work *work, uint32_t from, uint32_t to, uint32_t version, uint32_t kind)
{
    if (from == NONE || to == NONE || from == to)
        return true;
    if (work->edge_count == work->edge_capacity) {
        size_t capacity = work->edge_capacity == 0 ? 1024 : work->edge_capacity * 2;
        struct txn_edge *edge = realloc(work->edge, capacity * sizeof(*edge));
        if (edge == NULL)
            return false;
        work->edge = edge;
        work->edge_capacity = capacity;
    }
    work->edge[work->edge_count++] = (struct txn_edge){.from = from, .to = to, .version = version, .kind = kind};
    return true;
}

static uint32_t writer_node(const struct txn_work *work, uint32_t version)
{
    uint32_t writer = work->version[version].writer;

    return writer == NONE ? NONE : work->node_of[writer];
}

static bool add_register_read(struct txn_work *work, uint32_t node, uint32_t version)
{
    uint32_t successor = work->version[version].successor;

    return add_edge(work, writer_node(work, version), node, version, TXN_WR) &&
           add_edge(work, node, successor == NONE ? NONE : work->node_of[successor], version, TXN_RW);
}

/* A read that shows the elements in another order than the longest has a finding, and no edges. */
static bool add_list_read(struct txn_work *work, uint32_t node, const struct history_item *item, uint32_t last)
{
    const struct txn_key *key = &work->key[work->version[last].key_index];
    size_t length = item->element_count;
    uint32_t next;

    if (length > 0 && work->version[last].position != length - 1)
        return true;
    if (length < key->longest->element_count)
        next = writer_node(work, txn_version_find(work, item->key, key->longest->element[length]));
    else
        next = key->head != NONE ? key->head : key->behind;
    if (next == writer_node(work, last)) /* half of what one appended, which has a finding */
        next = NONE;
    return add_edge(work, writer_node(work, last), node, last, TXN_WR) && add_edge(work, node, next, last, TXN_RW);
}

/* Behind all that a read shows. The head is the first there, if there is one, and has read what all others have not. */
static bool add_append(struct txn_work *work, uint32_t node, uint32_t version)
{
    const struct txn_key *key = &work->key[work->version[version].key_index];

    if (work->version[version].position != NONE)
        return true;
    if (key->head == node)
        return add_edge(work, node, key->behind, version, TXN_RW);
    return add_edge(work, key->behind, node, version, TXN_PASS);
}

static bool add_item(struct txn_work *work, uint32_t node, uint32_t index)
{
    uint32_t transaction = work->node[node].transaction;
    const struct history_item *item = &transaction_at(work, transaction)->item[index];
    uint32_t place = work->first_item[transaction] + index;

    switch (item->kind) {
    case HISTORY_ITEM_READ: return add_register_read(work, node, work->version_of[place]);
    case HISTORY_ITEM_LIST: return add_list_read(work, node, item, work->version_of[place]);
    case HISTORY_ITEM_WRITE:
        return add_edge(work, writer_node(work, work->expected_of[place]), node, work->expected_of[place], TXN_WW);
    case HISTORY_ITEM_APPEND: return add_append(work, node, work->version_of[place]);
    }
    return true;
}

static bool add_node_edges(struct txn_work *work, uint32_t node)
{
    const struct txn_node *of = &work->node[node];

    if (of->item != NONE)
        return add_item(work, node, of->item);
    for (uint32_t i = 0; i < TXN_ITEM_COUNT(work, of->transaction); i++)
        if (!add_item(work, node, i))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------------------------- lists */

/* Did the transaction read all of the longest, and append something that no read shows? */
static bool is_head(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_transaction *whole = transaction_at(work, transaction);
    const struct txn_version *version = &work->version[work->version_of[work->first_item[transaction] + index]];
    const struct txn_key *key = &work->key[version->key_index];

    if (whole->item[index].kind != HISTORY_ITEM_APPEND || version->position != NONE || key->head != NONE)
        return false;
    for (uint32_t i = 0; i < whole->item_count; i++) {
        const struct history_item *item = &whole->item[i];
        if (item->kind == HISTORY_ITEM_LIST && item->key == version->key &&
            item->element_count == key->longest->element_count)
            return true;
    }
    return false;
}

static void find_heads(struct txn_work *work)
{
    for (uint32_t i = 0; i < work->transaction_count; i++)
        for (uint32_t j = 0; work->in_force[i] && j < TXN_ITEM_COUNT(work, i); j++)
            if (is_head(work, i, j))
                work->key[work->version[work->version_of[work->first_item[i] + j]].key_index].head = work->node_of[i];
}

static bool add_list_order(struct txn_work *work, const struct txn_key *key)
{
    uint32_t before = NONE;

    for (size_t i = 0; key->longest != NULL && i < key->longest->element_count; i++) {
        uint32_t version = txn_version_find(work, key->longest->key, key->longest->element[i]);
        if (before != NONE && !add_edge(work, writer_node(work, before), writer_node(work, version), before, TXN_WW))
            return false;
        before = version;
    }
    return true;
}

static bool add_lists(struct txn_work *work)
{
    for (uint32_t i = 0; i < work->key_count; i++) {
        if (work->key[i].is_list)
            work->key[i].behind = work->node_count++;
        if (!add_list_order(work, &work->key[i]))
            return false;
    }
    find_heads(work);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- times */

struct ends {
    uint64_t *us; /* each once, in order */
    uint32_t count;
};

static int compare_times(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static bool collect_ends(const struct txn_work *work, struct ends *ret)
{
    uint32_t count = 0;

    ret->us = calloc((size_t)work->real_count + 1, sizeof(*ret->us));
    ret->count = 0;
    if (ret->us == NULL)
        return false;
    for (uint32_t i = 0; i < work->real_count; i++)
        if (work->node[i].end_us != HISTORY_NEVER)
            ret->us[count++] = work->node[i].end_us;
    qsort(ret->us, count, sizeof(*ret->us), compare_times);
    for (uint32_t i = 0; i < count; i++)
        if (ret->count == 0 || ret->us[ret->count - 1] != ret->us[i])
            ret->us[ret->count++] = ret->us[i];
    return true;
}

/* How many ends lie before that time. */
static uint32_t ends_before(const struct ends *ends, uint64_t us)
{
    uint32_t low = 0;

    for (uint32_t high = ends->count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (ends->us[middle] < us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_times(struct txn_work *work)
{
    struct ends ends;
    uint32_t first = work->node_count;
    bool good = collect_ends(work, &ends);

    for (uint32_t i = 1; good && i < ends.count; i++)
        good = add_edge(work, first + i - 1, first + i, NONE, TXN_PASS);
    for (uint32_t i = 0; good && i < work->real_count; i++) {
        const struct txn_node *node = &work->node[i];
        uint32_t before = ends_before(&ends, node->start_us);
        if (node->end_us != HISTORY_NEVER)
            good = add_edge(work, i, first + ends_before(&ends, node->end_us), NONE, TXN_TIME);
        if (good && before > 0)
            good = add_edge(work, first + before - 1, i, NONE, TXN_PASS);
    }
    work->node_count += ends.count;
    free(ends.us);
    return good;
}

/* ------------------------------------------------------------------------------------------------------- order */

static bool order_edges(struct txn_work *work)
{
    struct txn_edge *ordered = calloc(work->edge_count + 1, sizeof(*ordered));
    size_t *next = calloc((size_t)work->node_count + 2, sizeof(*next));

    if (ordered == NULL || next == NULL) {
        free(ordered);
        free(next);
        return false;
    }
    for (size_t i = 0; i < work->edge_count; i++)
        next[work->edge[i].from + 2]++;
    for (uint32_t i = 2; i < work->node_count + 2; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < work->edge_count; i++)
        ordered[next[work->edge[i].from + 1]++] = work->edge[i];
    free(work->edge);
    work->edge = ordered;
    work->first_edge = next;
    return true;
}

bool txn_edges_make(struct txn_work *work)
{
    if (!add_lists(work))
        return false;
    for (uint32_t i = 0; i < work->real_count; i++)
        if (!add_node_edges(work, i))
            return false;
    return add_times(work) && order_edges(work);
}
