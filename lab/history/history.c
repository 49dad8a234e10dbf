/* SPDX-License-Identifier: Apache-2.0 */
#include "history/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Each text in a block of its own, found again by its hash: open addressing, never more than half full. */
struct texts {
    char **slot;
    size_t slots; /* a power of two, or 0 */
    size_t count;
};

struct list {
    void *items;
    size_t count;
    size_t capacity;
};

struct fact {
    const char *name;
    const char *value;
};

struct history {
    struct texts texts;
    struct list calls;
    struct list events;
    struct list finals;
    struct list leases;
    struct list transactions;
    struct list sums;
    struct list facts;
};

/* ---------------------------------------------------------------------------------------------------- texts */

/* FNV-1a, 64 bits. */
static size_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 32));
}

/* Where `text` is, or where it goes. */
static char **find_slot(const struct texts *texts, const char *text)
{
    size_t i = hash_of(text) & (texts->slots - 1);

    while (texts->slot[i] != NULL && strcmp(texts->slot[i], text) != 0)
        i = (i + 1) & (texts->slots - 1);
    return &texts->slot[i];
}

static bool make_room(struct texts *texts)
{
    struct texts more = {.slots = texts->slots == 0 ? 64 : texts->slots * 2, .count = texts->count};

    if (texts->slots != 0 && texts->count < texts->slots / 2)
        return true;
    more.slot = calloc(more.slots, sizeof(*more.slot));
    if (more.slot == NULL)
        return false;
    for (size_t i = 0; i < texts->slots; i++)
        if (texts->slot[i] != NULL)
            *find_slot(&more, texts->slot[i]) = texts->slot[i];
    free(texts->slot);
    *texts = more;
    return true;
}

const char *history_text(struct history *history, const char *text)
{
    struct texts *texts = &history->texts;

    if (text == NULL)
        text = "";
    if (!make_room(texts))
        return NULL;
    char **slot = find_slot(texts, text);
    if (*slot == NULL) {
        *slot = strdup(text);
        texts->count += *slot != NULL ? 1 : 0;
    }
    return *slot;
}

static bool take_over(struct history *history, const char **text)
{
    *text = history_text(history, *text);
    return *text != NULL;
}

/* ---------------------------------------------------------------------------------------------------- lists */

/* Room for one more item of `size` bytes at the end; NULL: no memory. */
static void *list_add(struct list *list, size_t size)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        void *items = capacity > SIZE_MAX / size ? NULL : realloc(list->items, capacity * size);
        if (items == NULL)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + size * list->count++;
}

static void free_texts(const char *const *texts)
{
    free((void *)(uintptr_t)texts);
}

static void free_items(const struct history_transaction *transaction)
{
    for (size_t i = 0; i < transaction->item_count; i++)
        free_texts(transaction->item[i].element);
    free((void *)(uintptr_t)transaction->item);
}

struct history *history_new(void)
{
    return calloc(1, sizeof(struct history));
}

void history_free(struct history *history)
{
    if (history == NULL)
        return;
    for (size_t i = 0; i < history->texts.slots; i++)
        free(history->texts.slot[i]);
    free(history->texts.slot);
    free(history->calls.items);
    free(history->events.items);
    free(history->finals.items);
    free(history->leases.items);
    for (size_t i = 0; i < history->transactions.count; i++)
        free_items(history_transaction_at(history, i));
    free(history->transactions.items);
    for (size_t i = 0; i < history->sums.count; i++)
        free_texts(history_sum_at(history, i)->key);
    free(history->sums.items);
    free(history->facts.items);
    free(history);
}

bool history_add_call(struct history *history, const struct history_call *call)
{
    struct history_call own = *call;

    if (!take_over(history, &own.key) || !take_over(history, &own.expected) || !take_over(history, &own.value) ||
        !take_over(history, &own.rule) || !take_over(history, &own.message) || !take_over(history, &own.guard))
        return false;
    struct history_call *place = list_add(&history->calls, sizeof(*place));
    if (place != NULL)
        *place = own;
    return place != NULL;
}

bool history_add_event(struct history *history, const struct history_event *event)
{
    struct history_event own = *event;

    if (!take_over(history, &own.what))
        return false;
    struct history_event *place = list_add(&history->events, sizeof(*place));
    if (place != NULL)
        *place = own;
    return place != NULL;
}

bool history_add_final(struct history *history, const struct history_final *final)
{
    struct history_final own = *final;

    if (!take_over(history, &own.key) || !take_over(history, &own.value))
        return false;
    struct history_final *place = list_add(&history->finals, sizeof(*place));
    if (place != NULL)
        *place = own;
    return place != NULL;
}

bool history_add_lease(struct history *history, const struct history_lease *lease)
{
    struct history_lease own = *lease;

    if (!take_over(history, &own.who) || !take_over(history, &own.key))
        return false;
    struct history_lease *place = list_add(&history->leases, sizeof(*place));
    if (place != NULL)
        *place = own;
    return place != NULL;
}

/* In a block of its own; NULL: no memory. */
static const char **own_texts(struct history *history, const char *const *texts, size_t count)
{
    const char **own = calloc(count + 1, sizeof(*own));

    for (size_t i = 0; own != NULL && i < count; i++) {
        own[i] = history_text(history, texts[i]);
        if (own[i] == NULL) {
            free(own);
            own = NULL;
        }
    }
    return own;
}

static bool own_item(struct history *history, struct history_item *item)
{
    if (!take_over(history, &item->key) || !take_over(history, &item->expected) || !take_over(history, &item->value))
        return false;
    item->element = item->element_count > 0 ? own_texts(history, item->element, item->element_count) : NULL;
    return item->element != NULL || item->element_count == 0;
}

bool history_add_transaction(struct history *history, const struct history_transaction *transaction)
{
    struct history_transaction own = *transaction;
    struct history_item *items = calloc(own.item_count + 1, sizeof(*items));
    struct history_transaction *place = NULL;

    own.item = items;
    own.item_count = 0;
    bool good = items != NULL && take_over(history, &own.message);
    for (size_t i = 0; good && i < transaction->item_count; i++) {
        items[i] = transaction->item[i];
        good = own_item(history, &items[i]);
        own.item_count += good ? 1 : 0;
    }
    if (good)
        place = list_add(&history->transactions, sizeof(*place));
    if (place != NULL)
        *place = own;
    else
        free_items(&own);
    return place != NULL;
}

bool history_add_sum(struct history *history, const struct history_sum *sum)
{
    struct history_sum own = *sum;
    struct history_sum *place = NULL;

    own.key = own_texts(history, sum->key, sum->key_count);
    if (own.key != NULL)
        place = list_add(&history->sums, sizeof(*place));
    if (place != NULL)
        *place = own;
    else
        free_texts(own.key);
    return place != NULL;
}

bool history_add_fact(struct history *history, const char *name, const char *value)
{
    struct fact own = {.name = name, .value = value};

    if (!take_over(history, &own.name) || !take_over(history, &own.value))
        return false;
    struct fact *place = list_add(&history->facts, sizeof(*place));
    if (place != NULL)
        *place = own;
    return place != NULL;
}

size_t history_call_count(const struct history *history)
{
    return history->calls.count;
}

const struct history_call *history_call_at(const struct history *history, size_t index)
{
    assert(index < history->calls.count);
    return (const struct history_call *)history->calls.items + index;
}

size_t history_event_count(const struct history *history)
{
    return history->events.count;
}

const struct history_event *history_event_at(const struct history *history, size_t index)
{
    assert(index < history->events.count);
    return (const struct history_event *)history->events.items + index;
}

size_t history_final_count(const struct history *history)
{
    return history->finals.count;
}

const struct history_final *history_final_at(const struct history *history, size_t index)
{
    assert(index < history->finals.count);
    return (const struct history_final *)history->finals.items + index;
}

size_t history_lease_count(const struct history *history)
{
    return history->leases.count;
}

const struct history_lease *history_lease_at(const struct history *history, size_t index)
{
    assert(index < history->leases.count);
    return (const struct history_lease *)history->leases.items + index;
}

size_t history_transaction_count(const struct history *history)
{
    return history->transactions.count;
}

const struct history_transaction *history_transaction_at(const struct history *history, size_t index)
{
    assert(index < history->transactions.count);
    return (const struct history_transaction *)history->transactions.items + index;
}

size_t history_sum_count(const struct history *history)
{
    return history->sums.count;
}

const struct history_sum *history_sum_at(const struct history *history, size_t index)
{
    assert(index < history->sums.count);
    return (const struct history_sum *)history->sums.items + index;
}

size_t history_fact_count(const struct history *history)
{
    return history->facts.count;
}

void history_fact_at(const struct history *history, size_t index, const char **ret_name, const char **ret_value)
{
    assert(index < history->facts.count);
    const struct fact *fact = (const struct fact *)history->facts.items + index;

    *ret_name = fact->name;
    *ret_value = fact->value;
}
