/* SPDX-License-Identifier: Apache-2.0 */
#include "transaction_random.h"

#include "support/checks.h"

#include <stdio.h>
#include <string.h>

static const char *const register_names[PLAY_REGISTERS] = {"a", "b", "c"};
static const char *const list_names[PLAY_LISTS] = {"l", "m"};

static uint64_t below(struct play *play, uint64_t bound)
{
    return random_below(&play->random, bound);
}

static bool percent(struct play *play, uint32_t chance)
{
    return below(play, 100) < chance;
}

/* ------------------------------------------------------------------------------------------------------- store */

static const char *next_name(struct play *play)
{
    assert_true(play->names < sizeof(play->name) / sizeof(play->name[0]));
    (void)snprintf(play->name[play->names], sizeof(play->name[0]), "v%zu", play->names + 1);
    return play->name[play->names++];
}

static size_t index_of(const char *const *names, const char *key)
{
    size_t i = 0;

    while (strcmp(names[i], key) != 0)
        i++;
    return i;
}

static const char *current(const struct play *play, size_t which)
{
    size_t count = play->version_count[which];

    return count == 0 ? "" : play->version[which][count - 1].value;
}

static bool is_write(const struct history_item *item)
{
    return item->kind == HISTORY_ITEM_WRITE || item->kind == HISTORY_ITEM_APPEND;
}

/* The end of whoever replaced it says when everybody could know. */
static void apply(struct play *play, const struct history_item *item, uint64_t end_us)
{
    if (item->kind == HISTORY_ITEM_WRITE) {
        size_t which = index_of(register_names, item->key);
        size_t count = play->version_count[which]++;
        if (count > 0)
            play->version[which][count - 1].replaced_us = end_us;
        play->version[which][count] = (struct play_version){item->value, HISTORY_NEVER};
    } else if (item->kind == HISTORY_ITEM_APPEND) {
        size_t which = index_of(list_names, item->key);
        play->list[which][play->list_count[which]++] = item->value;
    }
}

/* -------------------------------------------------------------------------------------------------------- draw */

static struct history_item *add_item(struct play *play, enum history_item_kind kind, const char *key)
{
    struct history_transaction *transaction = &play->transaction[play->count];
    struct history_item *item = &play->item[play->count][transaction->item_count++];

    assert_true(transaction->item_count <= PLAY_ITEMS_MAX);
    *item = (struct history_item){.kind = kind, .key = key, .expected = "", .value = ""};
    return item;
}

static void draw_register(struct play *play, size_t which, bool reads, bool writes)
{
    if (reads)
        add_item(play, HISTORY_ITEM_READ, register_names[which])->value = current(play, which);
    if (!writes)
        return;
    struct history_item *item = add_item(play, HISTORY_ITEM_WRITE, register_names[which]);
    item->expected = current(play, which);
    item->value = next_name(play);
    if (below(play, 8) == 0) { /* and once more */
        struct history_item *again = add_item(play, HISTORY_ITEM_WRITE, register_names[which]);
        again->expected = item->value;
        again->value = next_name(play);
    }
}

static void draw_list(struct play *play, size_t which, bool reads, bool writes)
{
    if (reads) {
        struct history_item *item = add_item(play, HISTORY_ITEM_LIST, list_names[which]);
        memcpy(play->element[play->count][which], play->list[which], sizeof(play->list[which]));
        item->element = play->element[play->count][which];
        item->element_count = play->list_count[which];
    }
    if (writes)
        add_item(play, HISTORY_ITEM_APPEND, list_names[which])->value = next_name(play);
    if (writes && below(play, 6) == 0)
        add_item(play, HISTORY_ITEM_APPEND, list_names[which])->value = next_name(play);
}

/* One key or two, read or written or both. */
static void draw_items(struct play *play, bool may_read)
{
    size_t first = below(play, PLAY_REGISTERS + PLAY_LISTS);
    size_t keys = 1 + below(play, 2);

    for (size_t i = 0; i < keys; i++) {
        size_t which = (first + i) % (PLAY_REGISTERS + PLAY_LISTS);
        bool reads = may_read && below(play, 3) > 0;
        bool writes = !reads || below(play, 2) == 0;
        if (which < PLAY_REGISTERS)
            draw_register(play, which, reads, writes);
        else
            draw_list(play, which - PLAY_REGISTERS, reads, writes);
    }
}

/* An unknown one may be applied long after it returned. It has read nothing then, because what it read was there when
 * it did. */
static bool draw_times(struct play *play, const struct play_options *options, struct history_transaction *transaction)
{
    uint64_t instant = 100 * (play->count + 20);

    transaction->start_us = instant - below(play, options->spread_us + 1);
    transaction->end_us = instant + below(play, options->spread_us + 1);
    if (transaction->verdict != OS_UNKNOWN || below(play, 3) > 0)
        return true;
    transaction->start_us = instant - 200 - below(play, 1000);
    transaction->end_us = transaction->start_us + below(play, 150);
    return false;
}

static void draw_settlement(struct play *play, struct history_transaction *transaction, bool applied)
{
    transaction->settled = transaction->verdict;
    if (transaction->verdict != OS_UNKNOWN)
        return;
    if (below(play, 4) == 0)
        transaction->end_us = HISTORY_NEVER;
    if (below(play, 3) > 0)
        return;
    transaction->settled = applied ? OS_COMMITTED : below(play, 2) == 0 ? OS_CONFLICT : OS_NOT_EXECUTED;
    transaction->settled_us = 100 * (play->count + 20) + below(play, 400);
    if (transaction->end_us != HISTORY_NEVER && transaction->settled_us < transaction->end_us)
        transaction->settled_us = transaction->end_us;
}

static void draw_verdict(struct play *play, const struct play_options *options, bool *ret_applied)
{
    struct history_transaction *transaction = &play->transaction[play->count];

    transaction->verdict = OS_COMMITTED;
    *ret_applied = true;
    if (percent(play, options->unknown)) {
        transaction->verdict = OS_UNKNOWN;
        *ret_applied = below(play, 2) == 0;
    } else if (percent(play, options->aborted)) {
        transaction->verdict = below(play, 2) == 0 ? OS_CONFLICT : OS_NOT_EXECUTED;
        *ret_applied = false;
    }
}

/* ------------------------------------------------------------------------------------------------------- faults */

static size_t count_writes(const struct history_transaction *transaction)
{
    size_t count = 0;

    for (size_t i = 0; i < transaction->item_count; i++)
        count += is_write(&transaction->item[i]) ? 1 : 0;
    return count;
}

/* A value of the register that was replaced before that time, by one that was told so; NULL: none. */
static const char *find_stale(const struct play *play, const char *key, uint64_t start_us)
{
    size_t which = index_of(register_names, key);

    for (size_t i = play->version_count[which]; i-- > 0;)
        if (play->version[which][i].replaced_us < start_us)
            return play->version[which][i].value;
    return NULL;
}

static bool make_stale(struct play *play, struct history_transaction *transaction, enum history_item_kind kind)
{
    for (size_t i = 0; i < transaction->item_count; i++) {
        struct history_item *item = &play->item[play->count][i];
        const char *stale = item->kind == kind ? find_stale(play, item->key, transaction->start_us) : NULL;
        if (stale == NULL)
            continue;
        if (kind == HISTORY_ITEM_READ)
            item->value = stale;
        else
            item->expected = stale;
        return true;
    }
    return false;
}

static bool apply_from(struct play *play, size_t first, size_t count)
{
    struct history_transaction *transaction = &play->transaction[play->count];

    for (size_t i = first; i < transaction->item_count && count > 0; i++)
        if (is_write(&transaction->item[i])) {
            apply(play, &transaction->item[i],
                  transaction->verdict == OS_COMMITTED ? transaction->end_us : HISTORY_NEVER - 1);
            count--;
        }
    return true;
}

static bool apply_append_twice(struct play *play, const struct history_transaction *transaction)
{
    for (size_t i = 0; i < transaction->item_count; i++)
        if (transaction->item[i].kind == HISTORY_ITEM_APPEND) {
            apply(play, &transaction->item[i], 0);
            return apply_from(play, 0, SIZE_MAX);
        }
    return false;
}

/* A reader of everything in the midst of the commit. */
static void read_everything(struct play *play, uint64_t start_us, uint64_t end_us)
{
    struct history_transaction *transaction = &play->transaction[play->count];

    *transaction = (struct history_transaction){.id = play->count + 1,
                                                .writer = 9,
                                                .start_us = start_us,
                                                .end_us = end_us,
                                                .verdict = OS_COMMITTED,
                                                .settled = OS_COMMITTED,
                                                .message = "",
                                                .item = play->item[play->count]};
    for (size_t i = 0; i < PLAY_REGISTERS; i++)
        draw_register(play, i, true, false);
    for (size_t i = 0; i < PLAY_LISTS; i++)
        draw_list(play, i, true, false);
    play->count++;
}

static bool is_of_two_keys(const struct history_transaction *transaction)
{
    const char *first = NULL;

    for (size_t i = 0; i < transaction->item_count; i++) {
        if (!is_write(&transaction->item[i]))
            continue;
        if (first != NULL && strcmp(first, transaction->item[i].key) != 0)
            return true;
        first = transaction->item[i].key;
    }
    return false;
}

static bool show_half(struct play *play, struct history_transaction *transaction)
{
    size_t writes = count_writes(transaction);
    size_t reader = play->count + 1;
    size_t item = 0;

    if (!is_of_two_keys(transaction))
        return false;
    while (!is_write(&transaction->item[item]))
        item++;
    apply(play, &transaction->item[item], transaction->end_us);
    play->count = reader;
    read_everything(play, transaction->start_us, transaction->end_us);
    play->count = reader - 1;
    (void)apply_from(play, item + 1, writes - 1);
    play->count = reader; /* the caller counts one more */
    return true;
}

/* The store's fault in a transaction that it says is committed. False: there is no occasion. */
static bool commit_wrongly(struct play *play, enum play_fault fault)
{
    struct history_transaction *transaction = &play->transaction[play->count];
    size_t writes = count_writes(transaction);

    switch (fault) {
    case PLAY_STALE_READ: return make_stale(play, transaction, HISTORY_ITEM_READ) && apply_from(play, 0, writes);
    case PLAY_LOST_UPDATE: return make_stale(play, transaction, HISTORY_ITEM_WRITE) && apply_from(play, 0, writes);
    case PLAY_HALF_COMMIT: return writes > 1 && apply_from(play, 0, 1);
    case PLAY_LOST_COMMIT: return writes > 0;
    case PLAY_APPLIED_TWICE: return apply_append_twice(play, transaction);
    case PLAY_SHOWS_HALF: return show_half(play, transaction);
    case PLAY_FALSE_CONFLICT:
        if (writes == 0)
            return false;
        transaction->verdict = transaction->settled = below(play, 2) == 0 ? OS_CONFLICT : OS_NOT_EXECUTED;
        return apply_from(play, 0, writes);
    default: return false;
    }
}

/* -------------------------------------------------------------------------------------------------------- play */

static void play_one(struct play *play, const struct play_options *options)
{
    struct history_transaction *transaction = &play->transaction[play->count];
    bool applied;

    *transaction = (struct history_transaction){
        .id = play->count + 1, .writer = (uint32_t)(play->count % 4), .message = "", .item = play->item[play->count]};
    draw_verdict(play, options, &applied);
    draw_items(play, draw_times(play, options, transaction));
    draw_settlement(play, transaction, applied);
    bool wants_fault = !play->fault_done && options->fault != PLAY_TRUE && transaction->verdict == OS_COMMITTED &&
                       play->count > 2 && below(play, 3) == 0;
    if (wants_fault)
        play->fault_done = commit_wrongly(play, options->fault);
    if (applied && !(wants_fault && play->fault_done))
        (void)apply_from(play, 0, SIZE_MAX);
    play->count++;
}

bool play_make(struct play *play, uint64_t seed, const struct play_options *options)
{
    memset(play, 0, sizeof(*play));
    random_start(&play->random, seed);
    while (play->count < options->transactions)
        play_one(play, options);
    if (options->read_at_the_end)
        read_everything(play, 100 * (PLAY_TRANSACTIONS_MAX + 200), 100 * (PLAY_TRANSACTIONS_MAX + 201));
    return options->fault == PLAY_TRUE || play->fault_done;
}

void play_add_to(const struct play *play, const char *prefix, uint64_t first_id, struct history *history)
{
    for (size_t i = 0; i < play->count; i++) {
        struct history_transaction transaction = play->transaction[i];
        struct history_item items[PLAY_ITEMS_MAX];
        char key[PLAY_ITEMS_MAX][32];
        for (size_t j = 0; j < transaction.item_count; j++) {
            (void)snprintf(key[j], sizeof(key[j]), "%s%s", prefix, play->item[i][j].key);
            items[j] = play->item[i][j];
            items[j].key = key[j];
        }
        transaction.item = items;
        transaction.id = first_id + i;
        assert_true(history_add_transaction(history, &transaction));
    }
}

/* ------------------------------------------------------------------------------------------------------ changes */

/* One of these items, of any transaction; NULL: none was met. */
static struct history_item *pick_item(struct play *play, enum history_item_kind kind)
{
    for (unsigned attempts = 0; attempts < 50; attempts++) {
        size_t which = below(play, play->count);
        size_t count = play->transaction[which].item_count;
        struct history_item *item = &play->item[which][count == 0 ? 0 : below(play, count)];
        if (count > 0 && item->kind == kind)
            return item;
    }
    return NULL;
}

/* Something that somebody writes to that key, or nothing at all, or what nobody wrote. */
static const char *pick_value(struct play *play, const char *key)
{
    for (unsigned attempts = 0; attempts < 10; attempts++) {
        struct history_item *item = pick_item(play, HISTORY_ITEM_WRITE);
        if (item != NULL && strcmp(item->key, key) == 0)
            return item->value;
    }
    return below(play, 10) == 0 ? "nobody's" : "";
}

static bool change_verdict(struct play *play)
{
    struct history_transaction *transaction = &play->transaction[below(play, play->count)];

    transaction->verdict = (os_verdict)(OS_COMMITTED + below(play, OS_UNKNOWN - OS_COMMITTED + 1));
    transaction->settled = transaction->verdict;
    transaction->settled_us = 0;
    if (transaction->end_us == HISTORY_NEVER)
        transaction->end_us = transaction->start_us + below(play, 300);
    return true;
}

static bool change_list(struct play *play)
{
    struct history_item *item = pick_item(play, HISTORY_ITEM_LIST);

    if (item == NULL || item->element_count == 0)
        return false;
    const char **element = (const char **)(uintptr_t)item->element;
    size_t one = below(play, item->element_count);
    size_t two = below(play, item->element_count);
    const char *swapped = element[one];
    switch (below(play, 3)) {
    case 0: item->element_count--; break;
    case 1:
        element[one] = element[two];
        element[two] = swapped;
        break;
    default: element[one] = element[two]; break;
    }
    return true;
}

static bool swap_times(struct play *play)
{
    struct history_transaction *one = &play->transaction[below(play, play->count)];
    struct history_transaction *two = &play->transaction[below(play, play->count)];
    struct history_transaction kept = *one;

    if (one->verdict != OS_COMMITTED || two->verdict != OS_COMMITTED)
        return false;
    one->start_us = two->start_us;
    one->end_us = two->end_us;
    two->start_us = kept.start_us;
    two->end_us = kept.end_us;
    return true;
}

bool play_change(struct play *play, enum play_change change)
{
    struct history_item *item = NULL;
    struct history_transaction *transaction = &play->transaction[below(play, play->count)];

    switch (change) {
    case PLAY_CHANGE_VERDICT: return change_verdict(play);
    case PLAY_CHANGE_LIST: return change_list(play);
    case PLAY_SWAP_TIMES: return swap_times(play);
    case PLAY_CHANGE_READ:
        item = pick_item(play, HISTORY_ITEM_READ);
        if (item != NULL)
            item->value = pick_value(play, item->key);
        return item != NULL;
    case PLAY_CHANGE_EXPECTED:
        item = pick_item(play, HISTORY_ITEM_WRITE);
        if (item != NULL)
            item->expected = pick_value(play, item->key);
        return item != NULL;
    default:
        if (transaction->verdict != OS_COMMITTED)
            return false;
        transaction->start_us = 1000 + below(play, 2000);
        transaction->end_us = transaction->start_us + below(play, 300);
        return true;
    }
}
