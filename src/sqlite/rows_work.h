/* SPDX-License-Identifier: Apache-2.0 */
/* One write of a transaction: checked, and evaluated against what is there. Nothing is written here. */
#ifndef OSCOMMIT_SQLITE_ROWS_WORK_H
#define OSCOMMIT_SQLITE_ROWS_WORK_H

#include "sqlite/rows.h"
#include "sqlite/rows_item.h"

struct rows_work {
    const struct rows_write *write;
    const struct sqlite_rows_table *table;
    struct encoded_key key;
    json_t *item;   /* as the write has it, as it is kept */
    json_t *before; /* NULL: there is no item */
    json_t *after;  /* NULL: there is none then */
    struct buf text;
};
void rows_work_free(struct rows_work *work);

/* OS_OK, or why the service would refuse the write: whatever the table, in a transaction or alone; by its definition, once `table` is known; the
 * item as it is, once `before` has been read. `work->after` is what becomes of it. */
os_code rows_work_check(struct rows_work *work, os_error *err);
os_code rows_work_check_alone(struct rows_work *work, os_error *err);
os_code rows_work_place(struct rows_work *work, os_error *err);
os_code rows_work_evaluate(struct rows_work *work, bool *ret_holds, os_error *err);

#endif
