/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_work.h"

#include "attribute/canonical.h"
#include "base/error.h"
#include "rows/check.h"

void rows_work_free(struct rows_work *work)
{
    json_decref(work->item);
    json_decref(work->before);
    json_decref(work->after);
    buf_free(&work->text);
}

/* ---------------------------------------------------------------------------------------------------------- check */

typedef os_code (*check_fn)(const struct rows_write *write, os_error *err);

static os_code check_by(struct rows_work *work, check_fn check, os_error *err)
{
    const struct rows_write *write = work->write;
    os_code code = rows_check_name(write->table->name, "a table", err);
    if (code == OS_OK)
        code = check(write, err);
    if (code != OS_OK)
        return code;
    work->item = item_canonical(write->item);
    return work->item != NULL ? OS_OK : error_no_memory(err);
}

os_code rows_work_check(struct rows_work *work, os_error *err)
{
    return check_by(work, rows_check_write, err);
}

os_code rows_work_check_alone(struct rows_work *work, os_error *err)
{
    return check_by(work, rows_check_write_alone, err);
}

/* ---------------------------------------------------------------------------------------------------------- place */

os_code rows_work_place(struct rows_work *work, os_error *err)
{
    const struct sqlite_rows_table *table = work->table;
    os_code code = sqlite_rows_table_fit(table, work->write->table, err);
    if (code == OS_OK)
        code = encoded_key_of(table->name, &table->definition.keys, work->item, &work->key, err);
    if (code != OS_OK || work->write->kind != ROWS_PUT)
        return code;
    return rows_index_keys_check(&table->definition, work->item, err);
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
    *ret_holds = condition_holds(&write->condition, work->before);
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
