/* SPDX-License-Identifier: Apache-2.0 */
/* What a query or a scan asks for, checked, and as the range in which it reads. Pure. */
#ifndef OSCOMMIT_SQLITE_ROWS_QUERY_H
#define OSCOMMIT_SQLITE_ROWS_QUERY_H

#include "sqlite/rows.h"
#include "sqlite/rows_item.h"

struct rows_plan {
    const struct rows_list *list; /* checked */
    const struct sqlite_rows_table *table;
    const struct rows_index *index; /* NULL: the table itself */
    int index_number;
    struct position_range range;
};

/* `table`: its definition. OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
os_code rows_plan(const struct rows_list *list, const struct sqlite_rows_table *table, struct rows_plan *ret,
                  os_error *err);

#endif
