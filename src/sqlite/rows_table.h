/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of a table of rows as the file keeps it. */
#ifndef OSCOMMIT_SQLITE_ROWS_TABLE_H
#define OSCOMMIT_SQLITE_ROWS_TABLE_H

#include "rows/definition.h"

json_t *rows_definition_write(const struct rows_definition *definition); /* NULL: out of memory */

/* A table that was read, with the texts that its definition points to. It points into itself: it is not copied. */
struct sqlite_rows_table {
    const char *name; /* borrowed from who asked */
    int64_t id;
    struct rows_definition definition;
    struct rows_index indexes[ROWS_INDEXES_MAX];
    const char *names[ROWS_NAMES_MAX];
    json_t *root; /* owns the texts */
};
/* False: it is no definition. Takes `root`, which is given up with sqlite_rows_table_free in any case. */
bool sqlite_rows_table_read(json_t *root, struct sqlite_rows_table *ret);
void sqlite_rows_table_free(struct sqlite_rows_table *table); /* one that is all zero is fine */

#endif
