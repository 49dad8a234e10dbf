/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_work.h"

#include "attribute/canonical.h"
#include "attribute/check.h"
#include "base/error.h"

void rows_work_free(struct rows_work *work)
{
    json_decref(work->item);
    json_decref(work->before);
    json_decref(work->after);
    buf_free(&work->text);
}

/* ---------------------------------------------------------------------------------------------------------- check */

static const char *fault_of(const struct rows_write *write)
{
    switch (write->kind) {
    case ROWS_PUT:
    case ROWS_UPDATE:
    case ROWS_DELETE: break;
    case ROWS_CHECK:
        return write->condition == NULL || write->condition->count == 0
                   ? "A CHECK without a condition says nothing. Give it one, or leave it out."
                   : NULL;
    default: return "The kind of a write is PUT, UPDATE, DELETE or CHECK.";
    }
    return write->kind != ROWS_UPDATE && write->change_count > 0 ? "Only an UPDATE has changes." : NULL;
}

os_code rows_work_check(struct rows_work *work, os_error *err)
{
    const struct rows_write *write = work->write;
    const char *fault = fault_of(write);
    if (fault != NULL)
        return error_set(err, OS_ERR_ARGUMENT, "%s", fault);
    os_code code = rows_name_check(write->table, "a table", err);
    if (code == OS_OK)
        code = item_check(write->item, err);
    if (code == OS_OK && write->condition != NULL)
        code = condition_check(write->condition, err);
    if (code == OS_OK)
        code = changes_check(write->changes, write->change_count, err);
    if (code != OS_OK)
        return code;
    work->item = item_canonical(write->item);
    return work->item != NULL ? OS_OK : error_no_memory(err);
}

/* ---------------------------------------------------------------------------------------------------------- place */

static os_code check_changes(const struct rows_work *work, os_error *err)
{
    const struct rows_write *write = work->write;
    for (size_t i = 0; i < write->change_count; i++) {
        const char *name = write->changes[i].path.steps[0].name;
        if (rows_key_schema_has(&work->table->definition.keys, name)) {
            return error_set(err, OS_ERR_ARGUMENT,
                             "\"%.255s\" is a key attribute of the table %.255s, which no UPDATE changes. PUT another "
                             "item, and DELETE this one.",
                             name, work->table->name);
        }
    }
    return OS_OK;
}

os_code rows_work_place(struct rows_work *work, os_error *err)
{
    const struct sqlite_rows_table *table = work->table;
    const struct rows_key_schema *keys = &table->definition.keys;
    if (work->write->kind != ROWS_PUT) {
        os_code code = encoded_key_only(table->name, keys, work->item, &work->key, err);
        return code == OS_OK ? check_changes(work, err) : code;
    }
    os_code code = encoded_key_of(table->name, keys, work->item, &work->key, err);
    return code == OS_OK ? rows_index_keys_check(&table->definition, work->item, err) : code;
}

/* ------------------------------------------------------------------------------------------------------- evaluate */

/* Of an item that is not there the changes see its key: it is made with that. */
static os_code change(struct rows_work *work, os_error *err)
{
    json_t *changed = NULL;
    const json_t *item = work->before != NULL ? work->before : work->item;
    os_code code = change_apply(item, work->write->changes, work->write->change_count, &changed, err);
    if (code != OS_OK)
        return code;
    work->after = item_canonical(changed);
    json_decref(changed);
    if (work->after == NULL)
        return error_no_memory(err);
    return rows_index_keys_check(&work->table->definition, work->after, err);
}

os_code rows_work_evaluate(struct rows_work *work, bool *ret_holds, os_error *err)
{
    const struct rows_write *write = work->write;
    os_code code = OS_OK;
    *ret_holds = write->condition == NULL || condition_holds(write->condition, work->before);
    if (!*ret_holds)
        return OS_OK;
    if (write->kind == ROWS_PUT)
        work->after = json_incref(work->item);
    else if (write->kind == ROWS_UPDATE)
        code = change(work, err);
    else if (write->kind == ROWS_CHECK)
        work->after = json_incref(work->before);
    bool is_written = write->kind == ROWS_PUT || write->kind == ROWS_UPDATE;
    return code == OS_OK && is_written ? rows_item_text(work->after, &work->text, err) : code;
}
