/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of SQLite in which rows are kept, and a connection to them. */
#ifndef OSCOMMIT_SQLITE_ROWS_FILE_H
#define OSCOMMIT_SQLITE_ROWS_FILE_H

#include "sqlite/ledger_file.h"
#include "sqlite/rows_table.h"

/* The most that the text of an item takes: zeros of numbers such as 1E-130, which has two bytes in the service's count. */
enum { ROWS_TEXT_MAX = 24 * 1024 * 1024 };

enum rows_statement {
    ROWS_TABLE_GET,
    ROWS_TABLE_PUT,
    ROWS_ITEM_GET,
    ROWS_ITEM_PUT,
    ROWS_ITEM_DELETE,
    ROWS_ITEMS_ASCENDING,
    ROWS_ITEMS_DESCENDING,
    ROWS_ENTRY_PUT,
    ROWS_ENTRY_DELETE,
    ROWS_ENTRIES_ASCENDING,
    ROWS_ENTRIES_DESCENDING,
    ROWS_TOKEN_GET,
    ROWS_TOKEN_PUT,
    ROWS_TOKENS_EXPIRE,
    ROWS_STATEMENT_COUNT
};

extern const struct sqlite_spec rows_spec;

struct sqlite_rows {
    struct sqlite_pool pool;
};

/* A connection in a transaction, which rows_leave rolls back unless rows_commit has ended it. */
struct rows_conn {
    struct sqlite_pool pool; /* a copy, with the limit of the call */
    struct sqlite_conn *conn;
    bool has_tables; /* of SQLite: else there is no row, and no table of rows */
};
enum rows_use { ROWS_TO_READ, ROWS_TO_WRITE, ROWS_TO_MAKE /* makes the tables of SQLite, too */ };
enum table_outcome rows_enter(struct sqlite_rows *rows, struct sqlite_patience patience, enum rows_use use,
                              struct rows_conn *ret, os_error *err); /* TABLE_OK: for rows_leave */
enum table_outcome rows_commit(struct rows_conn *at, os_error *err);
void rows_leave(struct rows_conn *at);

enum table_outcome rows_no_memory(os_error *err);

/* OS_ERR_ARGUMENT: its keys have other names than who asks gives. */
os_code sqlite_rows_table_fit(const struct sqlite_rows_table *table, const struct rows_table *asked, os_error *err);
/* *ret is set in any case, for sqlite_rows_table_free. `name` is borrowed. */
enum table_outcome sqlite_rows_table_find(struct rows_conn *at, const char *name, struct sqlite_rows_table *ret,
                                          os_error *err);

#endif
