/* SPDX-License-Identifier: Apache-2.0 */
/* What the amounts of several registers add up to. A key that one did not find there is not yet one of them. */
#include "history/transaction_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct adding {
    bool *wanted;      /* each key */
    uint32_t *read_by; /* each key: the last transaction that was looked at and read it, plus one */
    size_t key_count;  /* wanted */
};

/* False: it is no amount. */
static bool amount_of(const struct txn_work *work, const struct history_item *item, uint32_t version, uint64_t *ret)
{
    const struct txn_version *read = &work->version[version];

    if (read->value == NULL || !(item->has_amount || read->has_amount))
        return false;
    *ret = (uint64_t)(item->has_amount ? item->amount : read->amount);
    return true;
}

/* False: it did not read them all. Adds as two's complement does, so that nothing overflows. */
static bool add_reads(const struct txn_work *work, struct adding *adding, uint32_t transaction, uint64_t *ret)
{
    const struct history_transaction *whole = history_transaction_at(work->history, transaction);
    size_t read = 0;

    *ret = 0;
    for (uint32_t i = 0; i < whole->item_count; i++) {
        uint32_t version = work->version_of[work->first_item[transaction] + i];
        uint32_t key = work->version[version].key_index;
        uint64_t amount;
        if (whole->item[i].kind != HISTORY_ITEM_READ || !adding->wanted[key] || adding->read_by[key] == transaction + 1)
            continue;
        if (!amount_of(work, &whole->item[i], version, &amount))
            return false;
        adding->read_by[key] = transaction + 1;
        *ret += amount;
        read++;
    }
    return read == adding->key_count;
}

static void check_sum(struct txn_work *work, struct adding *adding, const struct history_sum *sum)
{
    char one[TXN_DESCRIPTION];
    uint64_t found;

    for (uint32_t i = 0; i < work->transaction_count; i++) {
        if (!work->in_force[i] || !add_reads(work, adding, i, &found) || found == (uint64_t)sum->sum)
            continue;
        txn_describe(work, i, one);
        txn_report(work, TRANSACTION_SUM, i,
                   "%s read %zu amounts, of %.60s and others. Their sum is %" PRId64 ", not %" PRId64 ".", one,
                   adding->key_count, sum->key[0], (int64_t)found, sum->sum);
    }
}

/* False: a key of it is in no transaction, so nobody read all of them. */
static bool want_keys(const struct txn_work *work, struct adding *adding, const struct history_sum *sum)
{
    memset(adding->wanted, 0, work->key_count * sizeof(*adding->wanted));
    memset(adding->read_by, 0, work->key_count * sizeof(*adding->read_by));
    adding->key_count = 0;
    for (size_t i = 0; i < sum->key_count; i++) {
        uint32_t nothing = txn_version_find(work, sum->key[i], "");
        if (nothing == NONE)
            return false;
        adding->key_count += adding->wanted[work->version[nothing].key_index] ? 0 : 1;
        adding->wanted[work->version[nothing].key_index] = true;
    }
    return adding->key_count > 0;
}

bool txn_find_sums(struct txn_work *work)
{
    struct adding adding = {.wanted = calloc((size_t)work->key_count + 1, sizeof(*adding.wanted)),
                            .read_by = calloc((size_t)work->key_count + 1, sizeof(*adding.read_by))};
    bool good = adding.wanted != NULL && adding.read_by != NULL;

    for (size_t i = 0; good && i < history_sum_count(work->history); i++)
        if (want_keys(work, &adding, history_sum_at(work->history, i)))
            check_sum(work, &adding, history_sum_at(work->history, i));
    free(adding.wanted);
    free(adding.read_by);
    return good;
}
