/* SPDX-License-Identifier: Apache-2.0 */
/* What a person sees at once: a value that cannot have been there, and two that replaced one value. */
#include "history/transaction_work.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct history_transaction *transaction_at(const struct txn_work *work, uint32_t index)
{
    return history_transaction_at(work->history, index);
}

static const char *text_of(const struct txn_version *version)
{
    return version->value == NULL ? "nothing" : version->value;
}

/* ----------------------------------------------------------------------------------------- seen, but not in force */

static void find_made_up(struct txn_work *work, uint32_t by, const char *how, const struct txn_version *version)
{
    char one[TXN_DESCRIPTION];

    txn_describe(work, by, one);
    txn_report(work, TRANSACTION_MADE_UP, by, "%s %s the value \"%.60s\" of %.60s, which nobody wrote.", one, how,
               text_of(version), version->key);
}

static void find_aborted(struct txn_work *work, uint32_t by, const char *how, const struct txn_version *version)
{
    char one[TXN_DESCRIPTION];
    char two[TXN_DESCRIPTION];

    txn_describe(work, version->writer, one);
    txn_describe(work, by, two);
    txn_report(work, TRANSACTION_ABORTED_READ, version->writer,
               "%s was told that it was not applied. But %s %s its value \"%.60s\" of %.60s.", one, two, how,
               text_of(version), version->key);
}

static void find_intermediate(struct txn_work *work, uint32_t by, const char *how, const struct txn_version *version)
{
    char one[TXN_DESCRIPTION];
    char two[TXN_DESCRIPTION];

    txn_describe(work, by, one);
    txn_describe(work, version->writer, two);
    txn_report(work, TRANSACTION_INTERMEDIATE_READ, by,
               "%s %s \"%.60s\" of %.60s without \"%.60s\". But %s wrote both, one after the other.", one, how,
               text_of(version), version->key, text_of(&work->version[version->next_own]), two);
}

static bool is_aborted(const struct txn_work *work, const struct txn_version *version)
{
    os_verdict settled = transaction_at(work, version->writer)->settled;

    return settled == OS_CONFLICT || settled == OS_NOT_EXECUTED;
}

static void check_seen(struct txn_work *work, uint32_t by, const char *how, const struct txn_version *version)
{
    if (version->value == NULL)
        return;
    if (version->writer == NONE)
        find_made_up(work, by, how, version);
    else if (is_aborted(work, version))
        find_aborted(work, by, how, version);
    else if (version->next_own != NONE)
        find_intermediate(work, by, how, version);
}

/* ------------------------------------------------------------------------------------------------------- items */

static void check_read(struct txn_work *work, uint32_t by, const struct history_item *item,
                       const struct txn_version *version)
{
    check_seen(work, by, "read", version);
    if (item->has_amount && version->has_amount && item->amount != version->amount) {
        txn_report(work, TRANSACTION_AMOUNT, by,
                   "Transaction %" PRIu64 " read %" PRId64
                   " with the value \"%.60s\" of %.60s; but transaction %" PRIu64 " wrote %" PRId64 " with it.",
                   transaction_at(work, by)->id, item->amount, text_of(version), item->key,
                   transaction_at(work, version->writer)->id, version->amount);
    }
}

static void check_write(struct txn_work *work, uint32_t by, struct txn_version *replaced)
{
    char one[TXN_DESCRIPTION];
    char two[TXN_DESCRIPTION];

    if (replaced->writer == by)
        return;
    check_seen(work, by, "replaced", replaced);
    if (replaced->successor == NONE) {
        replaced->successor = by;
        return;
    }
    txn_describe(work, replaced->successor, one);
    txn_describe(work, by, two);
    txn_report(work, TRANSACTION_LOST_UPDATE, by, "%s and %s both replaced one value of %.60s: %.60s.", one, two,
               replaced->key, text_of(replaced));
}

static void check_list_end(struct txn_work *work, uint32_t by, const struct txn_version *last)
{
    if (last->value != NULL && last->writer != NONE && last->next_own != NONE && !is_aborted(work, last))
        find_intermediate(work, by, "read", last);
}

static void check_item(struct txn_work *work, uint32_t by, uint32_t index)
{
    const struct history_item *item = &transaction_at(work, by)->item[index];
    uint32_t place = work->first_item[by] + index;

    if (item->kind == HISTORY_ITEM_READ)
        check_read(work, by, item, &work->version[work->version_of[place]]);
    else if (item->kind == HISTORY_ITEM_LIST)
        check_list_end(work, by, &work->version[work->version_of[place]]);
    else if (item->kind == HISTORY_ITEM_WRITE && work->in_force[by])
        check_write(work, by, &work->version[work->expected_of[place]]);
}

/* Every other read of the list shows the first of these. The last one is looked at with its read. */
static void check_longest(struct txn_work *work, const struct txn_key *key)
{
    for (size_t i = 0; key->longest != NULL && i < key->longest->element_count; i++) {
        const struct txn_version *version =
            &work->version[txn_version_find(work, key->longest->key, key->longest->element[i])];
        bool is_last = i + 1 == key->longest->element_count;
        bool goes_on = version->next_own != NONE && !is_last &&
                       work->version[version->next_own].value == key->longest->element[i + 1];
        if (version->writer == NONE || is_aborted(work, version) || !(goes_on || is_last))
            check_seen(work, key->longest_by, "read", version);
    }
}

void txn_find_plain(struct txn_work *work)
{
    for (uint32_t i = 0; i < work->transaction_count; i++)
        for (uint32_t j = 0; j < TXN_ITEM_COUNT(work, i); j++)
            check_item(work, i, j);
    for (uint32_t i = 0; i < work->key_count; i++)
        check_longest(work, &work->key[i]);
}
