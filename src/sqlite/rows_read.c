/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items by their keys. */
#include "attribute/check.h"
#include "attribute/projection.h"
#include "base/error.h"
#include "sqlite/rows.h"
#include "sqlite/rows_item.h"

#include <stdlib.h>
#include <string.h>

static enum table_outcome refused(os_code code)
{
    return code == OS_OK ? TABLE_OK : TABLE_REFUSED;
}

static os_code check_gets(const struct rows_get *gets, size_t count, os_error *err)
{
    os_code code = OS_OK;
    if (count < 1 || count > ROWS_AT_ONCE_MAX)
        code = error_set(err, OS_ERR_ARGUMENT, "A get has 1 to %d keys; this one has %zu.", ROWS_AT_ONCE_MAX, count);
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        code = item_check(gets[i].key, err);
        if (code == OS_OK)
            code = projection_check(gets[i].paths, gets[i].path_count, err);
    }
    return code;
}

/* BatchGetItem takes no key twice (API Reference). */
static os_code check_twins(const struct rows_get *gets, const struct encoded_key *keys, size_t number, os_error *err)
{
    for (size_t i = 0; i < number; i++)
        if (strcmp(gets[i].table, gets[number].table) == 0 && encoded_keys_equal(&keys[i], &keys[number])) {
            return error_set(err, OS_ERR_ARGUMENT,
                             "Keys %zu and %zu of the get are one key of the table %s. Ask for it once.", i + 1,
                             number + 1, gets[i].table);
        }
    return OS_OK;
}

/* The items of a get are mostly of one table: `table` is that of the one before. */
static enum table_outcome take_table(struct rows_conn *at, const char *name, struct sqlite_rows_table *table,
                                     os_error *err)
{
    if (table->root != NULL && strcmp(table->name, name) == 0)
        return TABLE_OK;
    sqlite_rows_table_free(table);
    return sqlite_rows_table_find(at, name, table, err);
}

static enum table_outcome get_one(struct rows_conn *at, const struct sqlite_rows_table *table,
                                  const struct encoded_key *key, const struct rows_get *get, json_t **ret_item,
                                  os_error *err)
{
    json_t *item = NULL;
    enum table_outcome outcome = rows_item_find(at, table, key, &item, err);
    if (item == NULL)
        return outcome;
    *ret_item = projection_of(item, get->paths, get->path_count);
    json_decref(item);
    return *ret_item != NULL ? TABLE_OK : rows_no_memory(err);
}

static enum table_outcome get_in(struct rows_conn *at, const struct rows_get *gets, size_t count,
                                 struct encoded_key *keys, json_t **ret_items, os_error *err)
{
    struct sqlite_rows_table table = {.name = NULL};
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < count && outcome == TABLE_OK; i++) {
        outcome = take_table(at, gets[i].table, &table, err);
        if (outcome == TABLE_OK)
            outcome = refused(encoded_key_only(table.name, &table.definition.keys, gets[i].key, &keys[i], err));
        if (outcome == TABLE_OK)
            outcome = refused(check_twins(gets, keys, i, err));
        if (outcome == TABLE_OK)
            outcome = get_one(at, &table, &keys[i], &gets[i], &ret_items[i], err);
    }
    sqlite_rows_table_free(&table);
    return outcome;
}

static void forget(json_t **items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_decref(items[i]);
        items[i] = NULL;
    }
}

enum table_outcome sqlite_rows_get(struct sqlite_rows *rows, const struct rows_get *gets, size_t count,
                                   struct sqlite_patience patience, json_t **ret_items, os_error *err)
{
    struct rows_conn at;
    error_clear(err);
    for (size_t i = 0; i < count; i++)
        ret_items[i] = NULL;
    if (check_gets(gets, count, err) != OS_OK)
        return TABLE_REFUSED;
    struct encoded_key *keys = calloc(count, sizeof(*keys));
    if (keys == NULL)
        return rows_no_memory(err);
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_READ, &at, err);
    if (outcome == TABLE_OK) {
        outcome = get_in(&at, gets, count, keys, ret_items, err);
        rows_leave(&at);
    }
    if (outcome != TABLE_OK)
        forget(ret_items, count);
    free(keys);
    return outcome;
}
