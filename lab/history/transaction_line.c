/* SPDX-License-Identifier: Apache-2.0 */
#include "history/transaction_line.h"

#include "history/json_string.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- writing */

static bool put(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static bool put_value(json_t *object, const char *name, const char *value)
{
    return put(object, name, *value == '\0' ? json_null() : json_string_of(value));
}

/* HISTORY_NEVER is null. */
static bool put_us(json_t *object, const char *name, uint64_t us)
{
    return put(object, name, us == HISTORY_NEVER ? json_null() : json_integer((json_int_t)us));
}

static json_t *texts_written(const char *const *texts, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; array != NULL && i < count; i++) {
        if (json_array_append_new(array, json_string_of(texts[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static bool put_content(json_t *object, const struct history_item *item)
{
    switch (item->kind) {
    case HISTORY_ITEM_READ: return put_value(object, "value", item->value);
    case HISTORY_ITEM_LIST: return put(object, "list", texts_written(item->element, item->element_count));
    case HISTORY_ITEM_WRITE:
        return put_value(object, "expected", item->expected) && put_value(object, "value", item->value);
    case HISTORY_ITEM_APPEND: return put_value(object, "append", item->value);
    }
    return false;
}

static json_t *item_written(const struct history_item *item)
{
    json_t *object = json_object();
    bool good = object != NULL && put(object, "key", json_string_of(item->key)) && put_content(object, item) &&
                (!item->has_amount || put(object, "amount", json_integer((json_int_t)item->amount)));

    if (good)
        return object;
    json_decref(object);
    return NULL;
}

static bool is_write(const struct history_item *item)
{
    return item->kind == HISTORY_ITEM_WRITE || item->kind == HISTORY_ITEM_APPEND;
}

static bool put_items(json_t *object, const char *name, const struct history_transaction *transaction, bool writes)
{
    json_t *array = json_array();
    bool good = array != NULL;

    for (size_t i = 0; good && i < transaction->item_count; i++)
        if (is_write(&transaction->item[i]) == writes)
            good = json_array_append_new(array, item_written(&transaction->item[i])) == 0;
    if (good)
        return json_array_size(array) == 0 ? (json_decref(array), true) : put(object, name, array);
    json_decref(array);
    return false;
}

static bool put_verdicts(json_t *object, const struct history_transaction *transaction)
{
    if (!put(object, "verdict", json_string(history_verdict_name(transaction->verdict))))
        return false;
    if (transaction->settled_us == 0 && transaction->settled == transaction->verdict)
        return true;
    return put(object, "settled", json_string(history_verdict_name(transaction->settled))) &&
           put_us(object, "settled_us", transaction->settled_us);
}

json_t *transaction_line_written(const struct history_transaction *transaction)
{
    json_t *object = json_object();
    bool good = object != NULL && put(object, "transaction", json_integer((json_int_t)transaction->id)) &&
                put(object, "writer", json_integer((json_int_t)transaction->writer)) &&
                put_us(object, "start_us", transaction->start_us) && put_us(object, "end_us", transaction->end_us) &&
                put_verdicts(object, transaction) && put_items(object, "reads", transaction, false) &&
                put_items(object, "writes", transaction, true) &&
                (*transaction->message == '\0' || put(object, "message", json_string_of(transaction->message)));

    if (good)
        return object;
    json_decref(object);
    return NULL;
}

json_t *sum_line_written(const struct history_sum *sum)
{
    json_t *object = json_object();

    if (object != NULL && put(object, "sum", json_integer((json_int_t)sum->sum)) &&
        put(object, "keys", texts_written(sum->key, sum->key_count)))
        return object;
    json_decref(object);
    return NULL;
}

/* ----------------------------------------------------------------------------------------------------- reading */

/* A whole number from 0; `otherwise` where it is not there or null. */
static bool number_field(const json_t *object, const char *name, uint64_t otherwise, uint64_t *ret)
{
    const json_t *value = json_object_get(object, name);

    *ret = otherwise;
    if (value == NULL || json_is_null(value))
        return true;
    *ret = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool needed_number(const json_t *object, const char *name, uint64_t *ret)
{
    return json_is_integer(json_object_get(object, name)) && number_field(object, name, 0, ret);
}

/* A text that is not empty, or null, which is "". One that is not given is taken for an oversight. */
static bool value_field(const json_t *object, const char *name, const char **ret)
{
    if (json_is_null(json_object_get(object, name))) {
        *ret = "";
        return true;
    }
    return json_string_field(object, name, ret) && **ret != '\0';
}

static bool verdict_field(const json_t *object, const char *name, os_verdict *ret)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL && history_verdict_of(text, ret);
}

/* Freed by the caller; NULL: no memory, or, with *ret_wrong, not texts. */
static const char **texts_of(const json_t *array, const char *wrong, const char **ret_wrong)
{
    size_t count = json_array_size(array);
    const char **texts = calloc(count + 1, sizeof(*texts));

    for (size_t i = 0; texts != NULL && i < count; i++) {
        texts[i] = json_string_value(json_array_get(array, i));
        if (texts[i] == NULL || texts[i][0] == '\0' ||
            strlen(texts[i]) != json_string_length(json_array_get(array, i))) {
            free(texts);
            *ret_wrong = wrong;
            return NULL;
        }
    }
    return texts;
}

static bool read_amount(const json_t *object, struct history_item *ret, const char **ret_wrong)
{
    const json_t *amount = json_object_get(object, "amount");

    ret->has_amount = amount != NULL;
    ret->amount = (int64_t)json_integer_value(amount);
    if (amount != NULL && !json_is_integer(amount))
        *ret_wrong = "\"amount\" is not a whole number.";
    return *ret_wrong == NULL;
}

static bool read_read(const json_t *object, struct history_item *ret, const char **ret_wrong)
{
    const json_t *list = json_object_get(object, "list");

    ret->kind = list != NULL ? HISTORY_ITEM_LIST : HISTORY_ITEM_READ;
    if (list == NULL) {
        if (!value_field(object, "value", &ret->value))
            *ret_wrong = "a read needs a \"value\", or a \"list\"; write null if nothing was there.";
        return *ret_wrong == NULL;
    }
    if (!json_is_array(list)) {
        *ret_wrong = "\"list\" is not an array of texts.";
        return false;
    }
    ret->element_count = json_array_size(list);
    ret->element = texts_of(list, "\"list\" is not an array of texts.", ret_wrong);
    return ret->element != NULL;
}

static bool read_write(const json_t *object, struct history_item *ret, const char **ret_wrong)
{
    if (json_object_get(object, "append") != NULL) {
        ret->kind = HISTORY_ITEM_APPEND;
        if (!value_field(object, "append", &ret->value) || *ret->value == '\0')
            *ret_wrong = "\"append\" is not a text.";
        return *ret_wrong == NULL;
    }
    ret->kind = HISTORY_ITEM_WRITE;
    if (!value_field(object, "value", &ret->value) || *ret->value == '\0')
        *ret_wrong = "a write needs a \"value\" that is a text, or an \"append\".";
    else if (!value_field(object, "expected", &ret->expected))
        *ret_wrong = "a write needs \"expected\"; write null if nothing must be there.";
    return *ret_wrong == NULL;
}

static bool read_item(const json_t *object, bool writes, struct history_item *ret, const char **ret_wrong)
{
    *ret = (struct history_item){.expected = "", .value = ""};
    if (!json_is_object(object) || !json_string_field(object, "key", &ret->key) || ret->key[0] == '\0') {
        *ret_wrong = "a read or a write has no \"key\".";
        return false;
    }
    return (writes ? read_write : read_read)(object, ret, ret_wrong) && read_amount(object, ret, ret_wrong);
}

/* The reads and then the writes, into `items`. Counts also the one that is wrong: it may own its elements. */
static bool read_items(const json_t *object, struct history_item *items, size_t *count, const char **ret_wrong)
{
    static const char *const names[] = {"reads", "writes"};

    for (size_t which = 0; which < 2; which++) {
        const json_t *array = json_object_get(object, names[which]);
        for (size_t i = 0; i < json_array_size(array); i++)
            if (!read_item(json_array_get(array, i), which == 1, &items[(*count)++], ret_wrong))
                return false;
    }
    return true;
}

static const char *read_head(const json_t *object, struct history_transaction *ret)
{
    uint64_t writer;

    if (!needed_number(object, "transaction", &ret->id))
        return "\"transaction\" is not a whole number.";
    if (!number_field(object, "writer", 0, &writer) || writer > UINT32_MAX)
        return "\"writer\" is not a small whole number.";
    ret->writer = (uint32_t)writer;
    if (!needed_number(object, "start_us", &ret->start_us))
        return "\"start_us\" is missing, or is not a whole number.";
    if (!number_field(object, "end_us", HISTORY_NEVER, &ret->end_us) ||
        !number_field(object, "settled_us", 0, &ret->settled_us))
        return "\"end_us\" or \"settled_us\" is not a whole number.";
    if (!verdict_field(object, "verdict", &ret->verdict))
        return "\"verdict\" is not committed, conflict, not executed or unknown.";
    ret->settled = ret->verdict;
    if (json_object_get(object, "settled") != NULL && !verdict_field(object, "settled", &ret->settled))
        return "\"settled\" is not committed, conflict, not executed or unknown.";
    return json_string_field(object, "message", &ret->message) ? NULL : "\"message\" is not a text.";
}

static bool is_array_or_none(const json_t *object, const char *name)
{
    const json_t *array = json_object_get(object, name);

    return array == NULL || json_is_array(array);
}

bool transaction_line_take(const json_t *object, struct history *history, const char **ret_wrong)
{
    struct history_transaction transaction = {0};
    bool good = false;

    *ret_wrong = read_head(object, &transaction);
    if (*ret_wrong == NULL && (!is_array_or_none(object, "reads") || !is_array_or_none(object, "writes")))
        *ret_wrong = "\"reads\" or \"writes\" is not an array.";
    if (*ret_wrong != NULL)
        return false;
    size_t count =
        json_array_size(json_object_get(object, "reads")) + json_array_size(json_object_get(object, "writes"));
    struct history_item *items = calloc(count + 1, sizeof(*items));
    if (items == NULL)
        return false;
    transaction.item = items;
    if (read_items(object, items, &transaction.item_count, ret_wrong))
        good = history_add_transaction(history, &transaction);
    for (size_t i = 0; i < transaction.item_count; i++)
        free((void *)(uintptr_t)items[i].element);
    free(items);
    return good;
}

bool sum_line_take(const json_t *object, struct history *history, const char **ret_wrong)
{
    const json_t *sum = json_object_get(object, "sum");
    const json_t *keys = json_object_get(object, "keys");
    bool good;

    *ret_wrong = NULL;
    if (!json_is_integer(sum) || json_array_size(keys) == 0) {
        *ret_wrong = "a sum needs a whole number as \"sum\", and an array of \"keys\".";
        return false;
    }
    const char **texts = texts_of(keys, "\"keys\" is not an array of texts.", ret_wrong);
    struct history_sum own = {
        .sum = (int64_t)json_integer_value(sum), .key = texts, .key_count = json_array_size(keys)};
    good = texts != NULL && history_add_sum(history, &own);
    free(texts);
    return good;
}
