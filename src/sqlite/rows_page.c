/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a page of a query or a scan. */
#include "attribute/projection.h"
#include "attribute/value.h"
#include "base/error.h"
#include "rows/check.h"
#include "sqlite/rows_query.h"

#include <string.h>

struct reading {
    struct rows_conn *at;
    struct rows_plan plan;
    struct rows_page *page;
    size_t size;  /* of what was looked at */
    size_t whole; /* of the items that it is of: an index may have little of them */
    bool is_over;
    os_error *err;
};

/* The item of the row that the statement is at; *ret_item is NULL in another outcome than TABLE_OK. */
static enum table_outcome read_row(struct reading *reading, sqlite3_stmt *statement, json_t **ret_item)
{
    const struct rows_plan *plan = &reading->plan;
    struct encoded_key key;
    struct encoded_key row;
    struct encoded_key own;
    bool is_entry = plan->index != NULL;
    memset(&key, 0, sizeof(key));
    *ret_item = NULL;
    if (!encoded_key_column(statement, is_entry ? 1 : 0, &key))
        return rows_item_damaged(reading->at, plan->table, &key, "has a key that is none", reading->err);
    if (!is_entry)
        return rows_item_column(reading->at, plan->table, &key, statement, 2, ret_item, reading->err);
    if (!encoded_key_column(statement, 3, &row))
        return rows_item_damaged(reading->at, plan->table, &key, "has a key that is none", reading->err);
    json_t *item = NULL;
    enum table_outcome outcome = rows_item_find(reading->at, plan->table, &row, &item, reading->err);
    if (outcome != TABLE_OK)
        return outcome;
    if (item == NULL || !encoded_key_of_index(&plan->index->keys, item, &own) || !encoded_keys_equal(&own, &key)) {
        json_decref(item);
        return rows_item_damaged(reading->at, plan->table, &key, "is not as its entry in an index says", reading->err);
    }
    *ret_item = item;
    return TABLE_OK;
}

/* What an index has of an item, for json_decref. */
static json_t *projected(const struct rows_plan *plan, json_t *item)
{
    const char *name;
    json_t *value;
    if (plan->index == NULL || plan->index->projection == ROWS_PROJECT_ALL)
        return json_incref(item);
    json_t *part = json_object();
    json_object_foreach(item, name, value)
    {
        if (part != NULL && rows_index_projects(&plan->table->definition, plan->index, name) &&
            json_object_set(part, name, value) != 0) {
            json_decref(part);
            part = NULL;
        }
    }
    return part;
}

static bool keep_item(const struct rows_list *list, json_t *item, json_t *items)
{
    if (!condition_holds(&list->filter, item))
        return true;
    return json_array_append_new(items, projection_of(item, list->paths, list->path_count)) == 0;
}

/* Looks at an item, or at what an index has of it; `is_over` when it belongs to the next page, or is the last of this
 * one. */
static bool take_item(struct reading *reading, json_t *item, size_t whole)
{
    const struct rows_list *list = reading->plan.list;
    struct rows_page *page = reading->page;
    size_t size = item_size(item);
    if (page->scanned > 0 && (reading->size + size > ROWS_PAGE_MAX || reading->whole + whole > ROWS_PAGE_WHOLE_MAX)) {
        reading->is_over = true;
        return true;
    }
    reading->whole += whole;
    json_t *next = rows_key_attributes(&reading->plan.table->definition.keys, reading->plan.index, item);
    json_decref(page->last_key);
    page->last_key = next;
    page->scanned++;
    reading->size += size;
    reading->is_over = page->scanned == rows_page_limit(list->limit);
    return next != NULL && keep_item(list, item, page->items);
}

static enum table_outcome take_row(struct reading *reading, sqlite3_stmt *statement)
{
    json_t *item = NULL;
    enum table_outcome outcome = read_row(reading, statement, &item);
    if (outcome != TABLE_OK)
        return outcome;
    json_t *part = projected(&reading->plan, item);
    bool taken = part != NULL && take_item(reading, part, item_size(item));
    json_decref(part);
    json_decref(item);
    return taken ? TABLE_OK : rows_no_memory(reading->err);
}

static enum table_outcome read_page(struct reading *reading)
{
    const struct rows_plan *plan = &reading->plan;
    sqlite3_stmt *statement =
        position_range_begin(reading->at, plan->table, plan->index_number, &plan->range, plan->list->is_descending);
    int rc = statement != NULL ? SQLITE_ROW : sqlite_code(reading->at->conn);
    while (rc == SQLITE_ROW && !reading->is_over) {
        rc = sqlite3_step(statement) & 0xff;
        enum table_outcome outcome = rc == SQLITE_ROW ? take_row(reading, statement) : TABLE_OK;
        if (outcome != TABLE_OK)
            return outcome;
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return ledger_failed(reading->at->conn, rc, "read a page of items", reading->err);
    if (!reading->is_over) {
        json_decref(reading->page->last_key);
        reading->page->last_key = NULL;
    }
    return TABLE_OK;
}

static enum table_outcome list_in(struct reading *reading, const struct rows_list *list)
{
    struct sqlite_rows_table table;
    enum table_outcome outcome = sqlite_rows_table_find(reading->at, list->table->name, &table, reading->err);
    if (outcome == TABLE_OK && rows_plan(list, &table, &reading->plan, reading->err) != OS_OK)
        outcome = TABLE_REFUSED;
    if (outcome == TABLE_OK)
        outcome = read_page(reading);
    sqlite_rows_table_free(&table);
    return outcome;
}

enum table_outcome sqlite_rows_list(struct sqlite_rows *rows, const struct rows_list *list,
                                    struct sqlite_patience patience, struct rows_page *ret, os_error *err)
{
    struct rows_conn at;
    struct reading reading = {.at = &at, .page = ret, .err = err};
    error_clear(err);
    *ret = (struct rows_page){.items = NULL};
    if (rows_check_list(list, err) != OS_OK)
        return TABLE_REFUSED;
    ret->items = json_array();
    if (ret->items == NULL)
        return rows_no_memory(err);
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_READ, &at, err);
    if (outcome == TABLE_OK) {
        outcome = list_in(&reading, list);
        rows_leave(&at);
    }
    if (outcome != TABLE_OK)
        rows_page_free(ret);
    return outcome;
}
