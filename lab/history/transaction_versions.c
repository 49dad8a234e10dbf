/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions there are, who wrote each, and who saw it. */
#include "history/transaction_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- table */

/* The history has one copy of each text. NULL is the value of "nothing yet". */
static size_t hash_of(const char *key, const char *value)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);

    hash = (hash ^ (hash >> 29) ^ (uint64_t)(uintptr_t)value) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(hash ^ (hash >> 32));
}

static uint32_t *find_slot(const struct txn_work *work, const char *key, const char *value)
{
    size_t i = hash_of(key, value) & (work->slot_count - 1);

    while (work->slot[i] != NONE &&
           (work->version[work->slot[i]].key != key || work->version[work->slot[i]].value != value))
        i = (i + 1) & (work->slot_count - 1);
    return &work->slot[i];
}

uint32_t txn_version_find(const struct txn_work *work, const char *key, const char *value)
{
    return *find_slot(work, key, *value == '\0' ? NULL : value);
}

static bool make_slots(struct txn_work *work)
{
    size_t count = work->slot_count == 0 ? 64 : work->slot_count * 2;

    if (work->slot_count != 0 && work->version_count < work->slot_count / 2)
        return true;
    uint32_t *slot = malloc(count * sizeof(*slot));
    if (slot == NULL)
        return false;
    memset(slot, 0xff, count * sizeof(*slot));
    free(work->slot);
    work->slot = slot;
    work->slot_count = count;
    for (uint32_t i = 0; i < work->version_count; i++)
        *find_slot(work, work->version[i].key, work->version[i].value) = i;
    return true;
}

/* Room for one more behind `count`; false: no memory. */
static bool make_room(void **items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    uint32_t more = *capacity == 0 ? 64 : *capacity * 2;
    void *grown = more <= *capacity ? NULL : realloc(*items, more * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = more;
    return true;
}

static uint32_t add_version(struct txn_work *work, const char *key, const char *value, uint32_t key_index)
{
    void *versions = work->version;
    bool good =
        make_slots(work) && make_room(&versions, work->version_count, &work->version_capacity, sizeof(*work->version));

    work->version = versions;
    if (!good)
        return NONE;
    *find_slot(work, key, value) = work->version_count;
    work->version[work->version_count] = (struct txn_version){.key = key,
                                                              .value = value,
                                                              .key_index = key_index,
                                                              .writer = NONE,
                                                              .next_own = NONE,
                                                              .successor = NONE,
                                                              .position = NONE};
    return work->version_count++;
}

/* The key's first version; NONE: no memory. */
static uint32_t take_key(struct txn_work *work, const char *key)
{
    uint32_t found = work->slot_count == 0 ? NONE : *find_slot(work, key, NULL);
    void *keys = work->key;

    if (found != NONE)
        return found;
    bool good = make_room(&keys, work->key_count, &work->key_capacity, sizeof(*work->key));
    work->key = keys;
    if (good)
        found = add_version(work, key, NULL, work->key_count);
    if (found != NONE) {
        work->key[work->key_count++] =
            (struct txn_key){.nothing = found, .longest_by = NONE, .head = NONE, .behind = NONE};
    }
    return found;
}

/* NONE: no memory. */
static uint32_t take_version(struct txn_work *work, const char *key, const char *value, uint32_t nothing)
{
    uint32_t found = txn_version_find(work, key, value);

    return found != NONE ? found : add_version(work, key, value, work->version[nothing].key_index);
}

/* ------------------------------------------------------------------------------------------------------- items */

static bool is_of_list(const struct history_item *item)
{
    return item->kind == HISTORY_ITEM_LIST || item->kind == HISTORY_ITEM_APPEND;
}

static bool is_write(const struct history_item *item)
{
    return item->kind == HISTORY_ITEM_WRITE || item->kind == HISTORY_ITEM_APPEND;
}

/* The transaction's last write to that key before item `end`; NONE: none. */
static uint32_t find_earlier(const struct history_transaction *transaction, uint32_t end)
{
    for (uint32_t i = end; i-- > 0;)
        if (is_write(&transaction->item[i]) && transaction->item[i].key == transaction->item[end].key)
            return i;
    return NONE;
}

/* The last element, or that there is none; NONE: no memory. */
static uint32_t take_elements(struct txn_work *work, const struct history_item *item, uint32_t nothing)
{
    uint32_t last = nothing;

    for (size_t i = 0; last != NONE && i < item->element_count; i++)
        last = take_version(work, item->key, item->element[i], nothing);
    return last;
}

/* A value has one writer, and within a transaction one write replaces the other. */
static void take_writer(struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_transaction *whole = history_transaction_at(work->history, transaction);
    const struct history_item *item = &whole->item[index];
    const uint32_t *version_of = work->version_of + work->first_item[transaction];
    struct txn_version *version = &work->version[version_of[index]];
    uint32_t earlier = find_earlier(whole, index);

    if (version->writer != NONE) {
        txn_report(work, TRANSACTION_BAD_HISTORY, transaction,
                   "Transactions %" PRIu64 " and %" PRIu64
                   " write the same value \"%.60s\" to %.60s. A value must name "
                   "its write.",
                   history_transaction_at(work->history, version->writer)->id, whole->id, item->value, item->key);
        return;
    }
    version->writer = transaction;
    version->has_amount = item->has_amount;
    version->amount = item->amount;
    if (earlier == NONE)
        return;
    work->version[version_of[earlier]].next_own = version_of[index];
    if (item->kind == HISTORY_ITEM_WRITE && item->expected != whole->item[earlier].value) {
        txn_report(work, TRANSACTION_BAD_HISTORY, transaction,
                   "Transaction %" PRIu64 " writes %.60s twice, and its second write does not expect the first.",
                   whole->id, item->key);
    }
}

/* False: no memory. */
static bool take_item(struct txn_work *work, uint32_t transaction, uint32_t index)
{
    const struct history_transaction *whole = history_transaction_at(work->history, transaction);
    const struct history_item *item = &whole->item[index];
    uint32_t nothing = take_key(work, item->key);
    uint32_t place = work->first_item[transaction] + index;

    if (nothing == NONE)
        return false;
    struct txn_key *key = &work->key[work->version[nothing].key_index];
    if (key->used && key->is_list != is_of_list(item)) {
        txn_report(work, TRANSACTION_BAD_HISTORY, transaction,
                   "Transaction %" PRIu64 " uses %.60s as a %s, but another one does not.", whole->id, item->key,
                   is_of_list(item) ? "list" : "register");
    }
    key->used = true;
    key->is_list = is_of_list(item);
    work->version_of[place] = item->kind == HISTORY_ITEM_LIST ? take_elements(work, item, nothing)
                                                              : take_version(work, item->key, item->value, nothing);
    if (item->kind == HISTORY_ITEM_WRITE)
        work->expected_of[place] = take_version(work, item->key, item->expected, nothing);
    if (work->version_of[place] == NONE || (item->kind == HISTORY_ITEM_WRITE && work->expected_of[place] == NONE))
        return false;
    if (is_write(item) && *item->value != '\0')
        take_writer(work, transaction, index);
    return true;
}

/* False: no memory, or more than can be numbered. */
static bool count_items(struct txn_work *work)
{
    size_t count = history_transaction_count(work->history);
    size_t items = 0;

    work->first_item = calloc(count + 1, sizeof(*work->first_item));
    if (work->first_item == NULL || count >= NONE / 4)
        return false;
    for (size_t i = 0; i < count; i++) {
        work->first_item[i] = (uint32_t)items;
        items += history_transaction_at(work->history, i)->item_count;
        if (items >= NONE / 4)
            return false;
    }
    work->first_item[count] = (uint32_t)items;
    work->transaction_count = (uint32_t)count;
    work->version_of = calloc(items + 1, sizeof(*work->version_of));
    work->expected_of = calloc(items + 1, sizeof(*work->expected_of));
    work->in_force = calloc(count + 1, sizeof(*work->in_force));
    work->node_of = calloc(count + 1, sizeof(*work->node_of));
    return work->version_of != NULL && work->expected_of != NULL && work->in_force != NULL && work->node_of != NULL;
}

bool txn_versions_take(struct txn_work *work)
{
    if (!count_items(work) || !make_slots(work))
        return false;
    for (uint32_t i = 0; i < work->transaction_count; i++)
        for (uint32_t j = 0; j < TXN_ITEM_COUNT(work, i); j++)
            if (!take_item(work, i, j))
                return false;
    return true;
}

void txn_work_free(struct txn_work *work)
{
    free(work->first_item);
    free(work->version_of);
    free(work->expected_of);
    free(work->in_force);
    free(work->node_of);
    free(work->version);
    free(work->slot);
    free(work->key);
    free(work->node);
    free(work->edge);
    free(work->first_edge);
}

/* ------------------------------------------------------------------------------------------------- who is in force */

struct waiting {
    uint32_t *transaction;
    size_t count;
};

static void see(struct txn_work *work, uint32_t version, struct waiting *waiting)
{
    uint32_t writer = work->version[version].writer;

    if (work->version[version].seen)
        return;
    work->version[version].seen = true;
    if (writer == NONE || work->in_force[writer] ||
        history_transaction_at(work->history, writer)->settled != OS_UNKNOWN)
        return;
    work->in_force[writer] = true;
    waiting->transaction[waiting->count++] = writer;
}

static void see_read(struct txn_work *work, uint32_t transaction, uint32_t index, struct waiting *waiting)
{
    const struct history_item *item = &history_transaction_at(work->history, transaction)->item[index];

    if (item->kind == HISTORY_ITEM_READ)
        see(work, work->version_of[work->first_item[transaction] + index], waiting);
    for (size_t i = 0; item->kind == HISTORY_ITEM_LIST && i < item->element_count; i++)
        see(work, txn_version_find(work, item->key, item->element[i]), waiting);
}

static void see_expected(struct txn_work *work, uint32_t transaction, struct waiting *waiting)
{
    const struct history_transaction *whole = history_transaction_at(work->history, transaction);

    for (uint32_t i = 0; i < whole->item_count; i++)
        if (whole->item[i].kind == HISTORY_ITEM_WRITE)
            see(work, work->expected_of[work->first_item[transaction] + i], waiting);
}

bool txn_versions_see(struct txn_work *work)
{
    struct waiting waiting = {.transaction = calloc((size_t)work->transaction_count + 1, sizeof(uint32_t))};

    if (waiting.transaction == NULL)
        return false;
    for (uint32_t i = 0; i < work->transaction_count; i++) {
        work->in_force[i] = work->in_force[i] || history_transaction_at(work->history, i)->settled == OS_COMMITTED;
        for (uint32_t j = 0; j < TXN_ITEM_COUNT(work, i); j++)
            see_read(work, i, j, &waiting);
    }
    for (uint32_t i = 0; i < work->transaction_count; i++)
        if (history_transaction_at(work->history, i)->settled == OS_COMMITTED)
            see_expected(work, i, &waiting);
    while (waiting.count > 0)
        see_expected(work, waiting.transaction[--waiting.count], &waiting);
    free(waiting.transaction);
    return true;
}
