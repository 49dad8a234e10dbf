/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items by their keys. */
#include "attribute/projection.h"
#include "base/error.h"
#include "rows/check.h"
#include "sqlite/rows.h"
#include "sqlite/rows_item.h"

#include <string.h>

static enum table_outcome refused(os_code code)
{
    return code == OS_OK ? TABLE_OK : TABLE_REFUSED;
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

static os_code encode(const struct sqlite_rows_table *table, const struct rows_key *of, struct encoded_key *ret,
                      os_error *err)
{
    os_code code = sqlite_rows_table_fit(table, of->table, err);
    return code == OS_OK ? encoded_key_of(table->name, &table->definition.keys, of->key, ret, err) : code;
}

static enum table_outcome get_in(struct rows_conn *at, const struct rows_get *gets, size_t count,
                                 struct rows_items *ret, os_error *err)
{
    struct sqlite_rows_table table = {.name = NULL};
    struct encoded_key key;
    enum table_outcome outcome = TABLE_OK;
    for (size_t i = 0; i < count && outcome == TABLE_OK; i++) {
        outcome = take_table(at, gets[i].of.table->name, &table, err);
        if (outcome == TABLE_OK)
            outcome = refused(encode(&table, &gets[i].of, &key, err));
        if (outcome == TABLE_OK)
            outcome = get_one(at, &table, &key, &gets[i], &ret->items[i], err);
    }
    sqlite_rows_table_free(&table);
    return outcome;
}

enum table_outcome sqlite_rows_get(struct sqlite_rows *rows, const struct rows_get *gets, size_t count,
                                   struct sqlite_patience patience, struct rows_items *ret, os_error *err)
{
    struct rows_conn at;
    error_clear(err);
    *ret = (struct rows_items){.left_count = 0};
    if (rows_check_gets(gets, count, err) != OS_OK)
        return TABLE_REFUSED;
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_READ, &at, err);
    if (outcome == TABLE_OK) {
        outcome = get_in(&at, gets, count, ret, err);
        rows_leave(&at);
    }
    if (outcome != TABLE_OK)
        rows_items_free(ret);
    return outcome;
}
