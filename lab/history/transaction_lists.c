/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the appends of each list: its longest read shows them, and every other read shows the first of them.
 * Elements that no read shows come behind all that one shows, in any order.
 */
#include "history/transaction_work.h"

#include <inttypes.h>

static const struct history_item *list_of(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = &history_transaction_at(work->history, transaction)->item[index];

    return item->kind == HISTORY_ITEM_LIST ? item : NULL;
}

static struct txn_key *key_of(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    return &work->key[work->version[work->version_of[work->first_item[transaction] + index]].key_index];
}

static void take_longest(struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = list_of(work, transaction, index);

    if (item == NULL)
        return;
    struct txn_key *key = key_of(work, transaction, index);
    if (key->longest == NULL || item->element_count > key->longest->element_count) {
        key->longest = item;
        key->longest_by = transaction;
    }
}

/* A list that shows an element twice has it at its first position. */
static void place_elements(struct txn_work *work, const struct txn_key *key)
{
    for (size_t i = 0; key->longest != NULL && i < key->longest->element_count; i++) {
        struct txn_version *version =
            &work->version[txn_version_find(work, key->longest->key, key->longest->element[i])];
        if (version->position == NONE) {
            version->position = (uint32_t)i;
        } else {
            txn_report(work, TRANSACTION_APPLIED_TWICE, key->longest_by,
                       "Transaction %" PRIu64 " read the list %.60s with the element \"%.60s\" at two places, %" PRIu32
                       " and %zu. It was appended once.",
                       history_transaction_at(work->history, key->longest_by)->id, key->longest->key, version->value,
                       version->position + 1, i + 1);
        }
    }
}

/* Texts of a history are one if they are equal. */
static void compare_with_longest(struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = list_of(work, transaction, index);
    const struct txn_key *key = item != NULL ? key_of(work, transaction, index) : NULL;

    for (size_t i = 0; item != NULL && i < item->element_count; i++) {
        if (item->element[i] == key->longest->element[i])
            continue;
        txn_report(work, TRANSACTION_ORDERS, transaction,
                   "Transaction %" PRIu64 " read the list %.60s with \"%.60s\" as element %zu, and transaction %" PRIu64
                   " with \"%.60s\" there.",
                   history_transaction_at(work->history, transaction)->id, item->key, item->element[i], i + 1,
                   history_transaction_at(work->history, key->longest_by)->id, key->longest->element[i]);
        return;
    }
}

static void for_each_item(struct txn_work *work, void (*take)(struct txn_work *, uint32_t, uint32_t))
{
    for (uint32_t i = 0; i < work->transaction_count; i++)
        for (uint32_t j = 0; j < TXN_ITEM_COUNT(work, i); j++)
            take(work, i, j);
}

void txn_lists_order(struct txn_work *work)
{
    for_each_item(work, take_longest);
    for (uint32_t i = 0; i < work->key_count; i++)
        place_elements(work, &work->key[i]);
    for_each_item(work, compare_with_longest);
}
