/* SPDX-License-Identifier: Apache-2.0 */
/* What contradicts itself: whoever wrote such a history has a defect, so nothing follows from it. */
#include "history/transaction_work.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *bad_verdict(const struct history_transaction *transaction)
{
    if (transaction->verdict < OS_COMMITTED || transaction->verdict > OS_UNKNOWN ||
        transaction->settled < OS_COMMITTED || transaction->settled > OS_UNKNOWN)
        return "has no verdict";
    if (transaction->verdict != OS_UNKNOWN && transaction->settled != transaction->verdict)
        return "was settled although it was not unknown";
    if (transaction->settled != transaction->verdict && transaction->settled_us == 0)
        return "was settled, but has no time of it";
    return NULL;
}

static const char *bad_times(const struct history_transaction *transaction)
{
    uint64_t ended_us = transaction->end_us == HISTORY_NEVER ? transaction->start_us : transaction->end_us;

    if (transaction->end_us < transaction->start_us)
        return "ends before it starts";
    if (transaction->settled_us != 0 && transaction->settled_us < ended_us)
        return "was settled before it ended";
    if (transaction->end_us == HISTORY_NEVER && transaction->verdict != OS_UNKNOWN)
        return "never ended but has a verdict";
    return NULL;
}

static bool sees_itself(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = &history_transaction_at(work->history, transaction)->item[index];

    if (item->kind == HISTORY_ITEM_READ)
        return work->version[work->version_of[work->first_item[transaction] + index]].writer == transaction;
    for (size_t i = 0; item->kind == HISTORY_ITEM_LIST && i < item->element_count; i++)
        if (work->version[txn_version_find(work, item->key, item->element[i])].writer == transaction)
            return true;
    return false;
}

/* Its first write to the key has nothing of its own before it. A later one has been looked at. */
static bool expects_itself(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = history_transaction_at(work->history, transaction)->item;

    if (item[index].kind != HISTORY_ITEM_WRITE)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (item[i].kind == HISTORY_ITEM_WRITE && item[i].key == item[index].key)
            return false;
    return work->version[work->expected_of[work->first_item[transaction] + index]].writer == transaction;
}

static const char *bad_item(const struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_item *item = &history_transaction_at(work->history, transaction)->item[index];

    if (item->kind < HISTORY_ITEM_READ || item->kind > HISTORY_ITEM_APPEND)
        return "has something that is neither a read nor a write";
    if ((item->kind == HISTORY_ITEM_WRITE || item->kind == HISTORY_ITEM_APPEND) && *item->value == '\0')
        return "writes nothing";
    if (expects_itself(work, transaction, index))
        return "expects what it is only about to write";
    if (sees_itself(work, transaction, index))
        return "reads what it writes itself; such reads are left out";
    return NULL;
}

void txn_find_bad(struct txn_work *work)
{
    char one[TXN_DESCRIPTION];

    for (uint32_t i = 0; i < work->transaction_count; i++) {
        const struct history_transaction *transaction = history_transaction_at(work->history, i);
        const char *wrong = bad_verdict(transaction);
        wrong = wrong != NULL ? wrong : bad_times(transaction);
        for (uint32_t j = 0; wrong == NULL && j < transaction->item_count; j++)
            wrong = bad_item(work, i, j);
        if (wrong != NULL) {
            txn_describe(work, i, one);
            txn_report(work, TRANSACTION_BAD_HISTORY, i, "%s %s.", one, wrong);
        }
    }
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

bool txn_find_same_ids(struct txn_work *work)
{
    uint64_t *id = calloc((size_t)work->transaction_count + 1, sizeof(*id));

    if (id == NULL)
        return false;
    for (uint32_t i = 0; i < work->transaction_count; i++)
        id[i] = history_transaction_at(work->history, i)->id;
    qsort(id, work->transaction_count, sizeof(*id), compare_ids);
    for (uint32_t i = 1; i < work->transaction_count; i++)
        if (id[i] == id[i - 1])
            txn_report(work, TRANSACTION_BAD_HISTORY, NONE, "Two transactions have the number %" PRIu64 ".", id[i]);
    free(id);
    return true;
}
