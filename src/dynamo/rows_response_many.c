/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that have several items, by their keys or by their places. */
#include "base/error.h"
#include "dynamo/rows_response_parts.h"

#include <string.h>

static const char fewer[] = "Ask for fewer items at once.";

/* ---------------------------------------------------------------------------------------------------- BatchGetItem */

struct batch_reading {
    const struct rows_key *keys;
    size_t count;
    struct rows_items *items;
    os_error fault;
};

/* `count`: none that was asked for. */
static size_t find_key(const struct batch_reading *reading, const char *table, const json_t *item)
{
    for (size_t i = 0; i < reading->count; i++) {
        const struct rows_key *key = &reading->keys[i];
        if (strcmp(key->table->name, table) == 0 && rows_same_key(&key->table->keys, key->key, item))
            return i;
    }
    return reading->count;
}

/* An item, or the key of one that is left; each comes once. */
static enum rows_found take_one(struct batch_reading *reading, const char *table, json_t *item, bool is_left)
{
    struct rows_items *items = reading->items;
    enum rows_found found = rows_judge_item(item, &reading->fault);
    if (found != ROWS_FOUND_ITEM)
        return found;
    size_t at = find_key(reading, table, item);
    if (at == reading->count || items->items[at] != NULL || items->left[at])
        return ROWS_FOUND_OTHER_KEY;
    items->items[at] = is_left ? NULL : json_incref(item);
    items->left[at] = is_left;
    items->left_count += is_left ? 1 : 0;
    return ROWS_FOUND_ITEM;
}

static bool is_asked(const struct batch_reading *reading, const char *table)
{
    for (size_t i = 0; i < reading->count; i++)
        if (strcmp(reading->keys[i].table->name, table) == 0)
            return true;
    return false;
}

static enum rows_found take_all(struct batch_reading *reading, const char *table, const json_t *items, bool is_left)
{
    size_t index;
    json_t *item;
    enum rows_found found = is_asked(reading, table) ? ROWS_FOUND_ITEM : ROWS_FOUND_OTHER_KEY;
    if (found != ROWS_FOUND_ITEM)
        return found;
    json_array_foreach(items, index, item)
    {
        found = take_one(reading, table, item, is_left);
        if (found != ROWS_FOUND_ITEM)
            return found;
    }
    return json_is_array(items) ? found : ROWS_FOUND_NONE;
}

/* NONE: it is not in order. */
static enum rows_found take_tables(struct batch_reading *reading, const json_t *tables, bool is_left)
{
    const char *table;
    json_t *value;
    if (!json_is_object(tables))
        return ROWS_FOUND_NONE;
    json_object_foreach((json_t *)tables, table, value)
    {
        const json_t *items = is_left ? json_object_get(value, "Keys") : value;
        enum rows_found found = take_all(reading, table, items, is_left);
        if (found != ROWS_FOUND_ITEM)
            return found;
    }
    return ROWS_FOUND_ITEM;
}

/* Both are always there (API Reference, BatchGetItem): without the second, one that was not looked for would not be
 * there. */
static enum table_outcome read_batch(const struct rows_reply *reply, struct batch_reading *reading)
{
    static const char broken[] = "got an answer without the items, or without the keys that are left. Ask again.";
    enum rows_found found = take_tables(reading, json_object_get(reply->root, "Responses"), false);
    if (found == ROWS_FOUND_ITEM)
        found = take_tables(reading, json_object_get(reply->root, "UnprocessedKeys"), true);
    if (found == ROWS_FOUND_NONE)
        return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, broken);
    return rows_settle_read(reply, found, &reading->fault);
}

/* Nothing of an answer that is not in order counts. */
static enum table_outcome close_reply(struct rows_reply *reply, enum table_outcome outcome, struct rows_items *items)
{
    if (outcome != TABLE_OK)
        rows_items_free(items);
    json_decref(reply->root);
    return outcome;
}

enum table_outcome rows_read_batch(const struct http_response *response, const char *where, const struct rows_key *keys,
                                   size_t count, struct rows_items *ret, struct dynamo_error *ret_detail, os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    struct batch_reading reading = {.keys = keys, .count = count, .items = ret};
    reply.of = rows_answer_of("BatchGetItem", where);
    *ret = (struct rows_items){.left_count = 0};
    enum table_outcome outcome = rows_open_read(&reply, fewer);
    if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, "Responses");
    return close_reply(&reply, outcome == TABLE_OK ? read_batch(&reply, &reading) : outcome, ret);
}

/* ------------------------------------------------------------------------------------------------ TransactGetItems */

static enum table_outcome take_places(const struct rows_reply *reply, const struct rows_get *gets, size_t count,
                                      struct rows_items *ret)
{
    static const char broken[] = "got an answer that does not have as many places as there are items. Ask again.";
    const json_t *places = json_object_get(reply->root, "Responses");
    if (json_array_size(places) != count)
        return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, broken);
    for (size_t i = 0; i < count; i++) {
        os_error fault;
        const struct rows_key *key = &gets[i].of;
        const json_t *place = json_array_get(places, i);
        json_t *item = json_object_get(place, "Item");
        if (!json_is_object(place))
            return rows_finding(reply, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, broken);
        enum rows_found found = rows_judge_item_of(item, &key->table->keys, key->key, gets[i].path_count > 0, &fault);
        enum table_outcome outcome = rows_settle_read(reply, found, &fault);
        if (outcome != TABLE_OK)
            return outcome;
        ret->items[i] = json_incref(item);
    }
    return TABLE_OK;
}

/* A condition is none of a read's reasons. */
static enum table_outcome read_cancelled(const struct rows_reply *reply, const struct rows_get *gets, size_t count)
{
    struct rows_reason reasons[ROWS_AT_ONCE_MAX];
    if (!rows_read_reasons(reply, count, reasons))
        return rows_settle_misfit(reply);
    const size_t at = rows_weigh_reasons(reasons, count);
    return reasons[at].kind == ROWS_REASON_CONDITION ? rows_settle_misfit(reply)
                                                     : rows_settle_reason(reply, &gets[at].of, &reasons[at]);
}

enum table_outcome rows_read_transact_get(const struct http_response *response, const char *where,
                                          const struct rows_get *gets, size_t count, struct rows_items *ret,
                                          struct dynamo_error *ret_detail, os_error *err)
{
    struct rows_reply reply = {.response = response, .detail = ret_detail, .err = err};
    reply.of = rows_answer_of_transaction("TransactGetItems", where, false);
    *ret = (struct rows_items){.left_count = 0};
    enum table_outcome outcome = rows_open_transact_read(&reply, fewer);
    if (outcome == TABLE_CONFLICT)
        outcome = read_cancelled(&reply, gets, count);
    else if (outcome == TABLE_OK)
        outcome = rows_check_members(&reply, "Responses");
    if (outcome == TABLE_OK)
        outcome = take_places(&reply, gets, count, ret);
    return close_reply(&reply, outcome, ret);
}
