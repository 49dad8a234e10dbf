/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the fake DynamoDB, by table and key. */
#include "sim/fake_rows.h"

#include "attribute/canonical.h"

#include <stdlib.h>
#include <string.h>

struct fake_rows *fake_rows_new(void)
{
    struct fake_rows *rows = calloc(1, sizeof(*rows));
    if (rows == NULL)
        return NULL;
    rows->remembered = json_object();
    if (rows->remembered != NULL)
        return rows;
    free(rows);
    return NULL;
}

static void free_table(struct fake_rows_table *table)
{
    free((char *)table->of.name);
    free((char *)table->of.keys.partition);
    free((char *)table->of.keys.sort);
    json_decref(table->items);
    *table = (struct fake_rows_table){.items = NULL};
}

void fake_rows_free(struct fake_rows *rows)
{
    if (rows == NULL)
        return;
    for (size_t i = 0; i < rows->table_count; i++)
        free_table(&rows->tables[i]);
    json_decref(rows->remembered);
    free(rows);
}

bool fake_rows_make_table(struct fake_rows *rows, const char *name, const char *partition, const char *sort)
{
    if (rows->table_count == FAKE_ROWS_TABLES_MAX)
        return false;
    struct fake_rows_table *table = &rows->tables[rows->table_count];
    table->of.name = strdup(name);
    table->of.keys.partition = strdup(partition);
    table->of.keys.sort = sort != NULL ? strdup(sort) : NULL;
    table->items = json_object();
    if (table->of.name != NULL && table->of.keys.partition != NULL && (sort == NULL || table->of.keys.sort != NULL) &&
        table->items != NULL) {
        rows->table_count++;
        return true;
    }
    free_table(table);
    return false;
}

struct fake_rows_table *fake_rows_table_named(struct fake_rows *rows, const char *name)
{
    for (size_t i = 0; name != NULL && i < rows->table_count; i++)
        if (strcmp(rows->tables[i].of.name, name) == 0)
            return &rows->tables[i];
    return NULL;
}

/* Of values as they are kept, so that two texts of one number are one key. NULL: no memory. */
static char *text_of_key(const struct fake_rows_table *table, const json_t *item)
{
    const char *const names[] = {table->of.keys.partition, table->of.keys.sort};
    json_t *parts = json_array();
    for (size_t i = 0; i < 2 && parts != NULL && names[i] != NULL; i++) {
        if (json_array_append_new(parts, value_canonical(json_object_get(item, names[i]))) != 0) {
            json_decref(parts);
            parts = NULL;
        }
    }
    char *text = parts != NULL ? json_dumps(parts, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(parts);
    return text;
}

json_t *fake_rows_find(const struct fake_rows_table *table, const json_t *key)
{
    char *text = text_of_key(table, key);
    json_t *item = text != NULL ? json_object_get(table->items, text) : NULL;
    free(text);
    return item;
}

bool fake_rows_store(struct fake_rows_table *table, const json_t *key, json_t *item)
{
    char *text = text_of_key(table, key);
    bool stored = text != NULL;
    if (stored && item != NULL)
        stored = json_object_set(table->items, text, item) == 0;
    else if (stored)
        (void)json_object_del(table->items, text);
    free(text);
    return stored;
}

/* ----------------------------------------------------------------------------------------------------- the oracle */

static json_t *row_of(const struct fake_dynamo *dynamo, const char *table_name, const char *partition)
{
    const struct fake_rows_table *table = fake_rows_table_named(dynamo->rows, table_name);
    json_t *key = table != NULL ? json_pack("{s:{s:s}}", table->of.keys.partition, "S", partition) : NULL;
    json_t *item = key != NULL ? fake_rows_find(table, key) : NULL;
    json_decref(key);
    return item;
}

const char *fake_dynamo_row_text(const struct fake_dynamo *dynamo, const char *table, const char *partition,
                                 const char *attribute)
{
    const json_t *value = json_object_get(row_of(dynamo, table, partition), attribute);
    const char *text = json_string_value(json_object_get(value, "S"));
    return text != NULL ? text : json_string_value(json_object_get(value, "N"));
}

bool fake_dynamo_make_table(struct fake_dynamo *dynamo, const char *name, const char *partition, const char *sort)
{
    return fake_rows_make_table(dynamo->rows, name, partition, sort);
}

enum fake_dynamo_effect fake_dynamo_effect_of(const struct fake_dynamo *dynamo)
{
    return dynamo->rows->effect;
}

char *fake_dynamo_read_whole(const struct fake_dynamo *dynamo, const char *table, const char *partition)
{
    const json_t *item = row_of(dynamo, table, partition);
    return item != NULL ? json_dumps(item, JSON_COMPACT) : NULL;
}

bool fake_dynamo_write_whole(struct fake_dynamo *dynamo, const char *table, const char *text,
                             const char *const *unknown)
{
    json_t *item = json_loads(text, JSON_ALLOW_NUL, NULL);
    for (; item != NULL && *unknown != NULL; unknown++)
        (void)json_object_del(item, *unknown);
    bool written = item != NULL && fake_rows_store(fake_rows_table_named(dynamo->rows, table), item, item);
    json_decref(item);
    return written;
}
