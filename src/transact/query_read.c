/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of items, and the rows that are made of them. */
#include "attribute/value.h"
#include "base/error.h"
#include "transact/query.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ rows of the transaction */

static const struct model *model_of(const struct query_reading *reading)
{
    return reading->query->plan.model->model;
}

static os_code say_changed(const struct os_row *there, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    return error_set(err, OS_ERR_CONFLICT, "The row %s has changed since it was read here, or found to be missing.",
                     row_text(there, text));
}

/* Whether it is where it was when it was read: one that moves in an index may be given twice. */
static bool is_in_place(const struct query_plan *plan, const struct os_row *there, const json_t *item)
{
    const struct model_index *index = plan->index;
    return index == NULL || (row_was_read_with(there, index->key.name, item) &&
                             (index->sort_key.name == NULL || row_was_read_with(there, index->sort_key.name, item)));
}

static os_code refuse_there(const struct query_reading *reading, const struct os_row *there, os_error *err)
{
    char text[ROW_TEXT_SIZE];
    return error_set(err, OS_ERR_ARGUMENT,
                     "The %s finds the row %s, which is in this transaction already: use the row that you have, or set "
                     "`cache_rows`, and find no row that was made or deleted here.",
                     reading->query->plan.is_scan ? "scan" : "query", row_text(there, text));
}

/* What an index with some of the fields has only inside its key, as the table has it: conditions ask the table. */
static os_code complete_item(const struct model *model, const json_t *fields, json_t *item, os_error *err)
{
    for (size_t i = 0; i < model->extra_count; i++) {
        const struct model_attribute *extra = &model->extras[i];
        for (size_t k = 0; json_object_get(item, extra->name) != NULL && k < extra->count; k++) {
            const struct model_field *part = extra->parts[k];
            json_t *value = NULL;
            if (part->role != MODEL_PLAIN || json_object_get(item, part->name) != NULL)
                continue;
            os_code code = model_value_to_attribute(model, part, json_object_get(fields, part->name), &value, err);
            if (code != OS_OK)
                return code;
            if (json_object_set_new(item, part->name, value) != 0)
                return error_no_memory(err);
        }
    }
    return OS_OK;
}

/* What the query has asked of the row is known of it: conditions, once the row takes part. */
static os_code note_asked(const struct query_plan *plan, struct os_row *row, os_error *err)
{
    const struct model *model = plan->model->model;
    const bool is_untouched = row->is_untouched;
    os_code code = OS_OK;
    for (size_t i = 0; i < model->field_count && code == OS_OK; i++) {
        const json_t *value = NULL;
        if (plan->conditions[i].test != 0)
            code = row_access(row, &model->fields[i], &value, err);
    }
    row->is_untouched = is_untouched;
    return code;
}

/* It is given as it was read, so what was asked must have been true of that. */
static bool is_as_asked(const struct query_plan *plan, const struct os_row *there, const json_t *item)
{
    const struct model *model = plan->model->model;
    for (size_t i = 0; i < model->field_count; i++)
        if (plan->conditions[i].test != 0 && model->fields[i].role == MODEL_PLAIN &&
            !row_was_read_with(there, model->fields[i].name, item))
            return false;
    return is_in_place(plan, there, item);
}

/* One that the transaction has. */
static os_code take_there(const struct query_reading *reading, const json_t *item, struct os_row *there,
                          struct os_row **ret, os_error *err)
{
    const struct query_plan *plan = &reading->query->plan;
    bool has_all = there->index == NULL || there->index == plan->index;
    bool has_moved = there->from != NULL && there->from == plan->index && !is_in_place(plan, there, item);
    if (there->origin == ORIGIN_MISSING || has_moved)
        return say_changed(there, err);
    if (!txn_may_read_again(reading->query->txn, plan->model, there) || !has_all)
        return refuse_there(reading, there, err);
    *ret = there;
    if (there->origin != ORIGIN_READ)
        return OS_OK;
    return is_as_asked(plan, there, item) ? note_asked(plan, there, err) : say_changed(there, err);
}

/* ------------------------------------------------------------------------------------------------ new rows */

static json_t *part_of(const json_t *item, const struct rows_keys *keys)
{
    json_t *key = json_object();
    bool is_made = key != NULL && json_object_set(key, keys->partition, json_object_get(item, keys->partition)) == 0 &&
                   (keys->sort == NULL || json_object_set(key, keys->sort, json_object_get(item, keys->sort)) == 0);
    if (is_made)
        return key;
    json_decref(key);
    return NULL;
}

/* Takes `fields`, which are those of the item. */
static os_code make_row(const struct query_reading *reading, json_t *item, json_t *fields, struct os_row **ret,
                        os_error *err)
{
    const struct query_plan *plan = &reading->query->plan;
    struct os_row *row = row_new(plan->model, ORIGIN_READ, part_of(item, &plan->model->table.keys));
    if (row == NULL) {
        json_decref(fields);
        return error_no_memory(err);
    }
    row->fields = fields;
    row->item = json_incref(item);
    row->is_listed = true;
    row->from = plan->index;
    row->is_untouched = true;
    if (plan->index != NULL && plan->index->only != NULL)
        row->index = plan->index;
    os_code code = note_asked(plan, row, err);
    if (code != OS_OK) {
        row_free(row);
        return code;
    }
    txn_add(reading->query->txn, row);
    *ret = row;
    return OS_OK;
}

/* *ret is NULL when it has expired. */
static os_code take_item(const struct query_reading *reading, json_t *item, struct os_row **ret, os_error *err)
{
    const struct query_plan *plan = &reading->query->plan;
    json_t *fields = NULL;
    *ret = NULL;
    os_code code = row_fields_of(plan->model, plan->index, item, &fields, err);
    if (code == OS_OK && plan->index != NULL && plan->index->only != NULL)
        code = complete_item(model_of(reading), fields, item, err);
    if (code != OS_OK) {
        json_decref(fields);
        return code;
    }
    bool is_gone = model_row_has_expired(model_of(reading), fields, row_now_s());
    struct os_row *there = is_gone ? NULL : txn_find(reading->query->txn, plan->model, item);
    if (!is_gone && there == NULL)
        return make_row(reading, item, fields, ret, err);
    json_decref(fields);
    return there != NULL ? take_there(reading, item, there, ret, err) : OS_OK;
}

/* ------------------------------------------------------------------------------------------------ pages */

static os_code ask(const struct query_reading *reading, struct rows_page *ret, os_error *err)
{
    struct os_txn *txn = reading->query->txn;
    struct rows_list list = reading->query->plan.list;
    size_t missing = reading->wanted - reading->count;
    size_t limit =
        missing > reading->scanned ? missing : reading->scanned; /* twice as far, each time that few are found */
    list.start_key = reading->start;
    list.limit = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    struct row_call call = {.client = txn->client,
                            .request = {.verb = ROW_LIST, .list = &list},
                            .name = reading->query->plan.is_scan ? "scan" : "query"};
    os_code code = row_set_ask_one(&call, txn->call, txn->deadline_monotonic_ms, err);
    if (code == OS_OK) {
        *ret = call.answer.page;
        call.answer.page = (struct rows_page){.items = NULL};
    }
    row_call_free(&call);
    return code;
}

/* The key with which a page would have ended at this item. */
static os_code end_at(const struct query_reading *reading, const json_t *item, json_t **ret, os_error *err)
{
    const struct query_plan *plan = &reading->query->plan;
    json_t *key = part_of(item, &plan->model->table.keys);
    json_t *entry = plan->index != NULL ? part_of(item, &plan->list.index_keys) : NULL;
    bool is_made = key != NULL && (plan->index == NULL || (entry != NULL && json_object_update(key, entry) == 0));
    json_decref(entry);
    if (!is_made) {
        json_decref(key);
        return error_no_memory(err);
    }
    *ret = key;
    return OS_OK;
}

/* *ret_end is where to go on; NULL: this is the last page. */
static os_code take_page(struct query_reading *reading, struct rows_page *page, json_t **ret_end, os_error *err)
{
    size_t i;
    json_t *item;
    json_array_foreach(page->items, i, item)
    {
        struct os_row *row = NULL;
        os_code code = take_item(reading, item, &row, err);
        if (code != OS_OK)
            return code;
        if (row != NULL)
            reading->rows[reading->count++] = row;
        if (reading->count == reading->wanted && i + 1 < json_array_size(page->items))
            return end_at(reading, item, ret_end, err);
    }
    *ret_end = page->last_key;
    page->last_key = NULL;
    return OS_OK;
}

os_code query_read(struct query_reading *reading, os_error *err)
{
    while (reading->count < reading->wanted && !reading->is_over) {
        struct rows_page page = {.items = NULL};
        json_t *end = NULL;
        os_code code = ask(reading, &page, err);
        if (code == OS_OK)
            code = take_page(reading, &page, &end, err);
        reading->scanned += page.scanned;
        rows_page_free(&page);
        if (code != OS_OK)
            return code;
        json_decref(reading->start);
        reading->start = end;
        reading->is_over = end == NULL;
    }
    return OS_OK;
}
