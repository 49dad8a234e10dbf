/* SPDX-License-Identifier: Apache-2.0 */
/* One item of a table of rows, and its entries in the indexes. Inside a transaction. */
#ifndef OSCOMMIT_SQLITE_ROWS_ITEM_H
#define OSCOMMIT_SQLITE_ROWS_ITEM_H

#include "base/buf.h"
#include "sqlite/rows_file.h"
#include "sqlite/rows_key.h"

/* A place in a table or in an index, where items with equal keys stand in the order of their own. */
struct rows_position {
    struct encoded_key key;
    struct encoded_key row; /* in an index: whose entry; `hash` says nothing */
};

struct position_range {
    struct rows_position from;  /* the first that is in it */
    struct rows_position until; /* the first behind it */
};

/* The entries of this number say when items expire. */
enum { ROWS_EXPIRY = 0, ROWS_NO_INDEX = -1 };

/* Steps through items (ROWS_NO_INDEX: partition, sort, item) or entries (hash, partition, sort, row_partition, row_sort).
 * NULL: sqlite_code says why. `range` lasts as long. */
sqlite3_stmt *position_range_begin(struct rows_conn *at, const struct sqlite_rows_table *table, int index_number,
                                   const struct position_range *range, bool is_descending);
/* False: the columns from `first` on are no partition and sort of ours. Sets the hash. */
bool encoded_key_column(sqlite3_stmt *row, int first, struct encoded_key *ret);

/* NULL in *ret_item: there is none. TABLE_UNREADABLE: a row that is no item, or not the one of its key. */
enum table_outcome rows_item_find(struct rows_conn *at, const struct sqlite_rows_table *table,
                                  const struct encoded_key *key, json_t **ret_item, os_error *err);
enum table_outcome rows_item_column(struct rows_conn *at, const struct sqlite_rows_table *table,
                                    const struct encoded_key *key, sqlite3_stmt *row, int column, json_t **ret_item,
                                    os_error *err);
enum table_outcome rows_item_damaged(struct rows_conn *at, const struct sqlite_rows_table *table,
                                     const struct encoded_key *key, const char *fault, os_error *err);

/* OS_ERR_TOO_LARGE: the item has more values than can be read. */
os_code rows_item_text(const json_t *item, struct buf *ret, os_error *err);
/* What is there becomes `after`, whose text is given, and its entries with it; NULL: it is removed. `before`: what was
 * found there. Codes of SQLite. */
struct rows_item_change {
    const struct sqlite_rows_table *table;
    const struct encoded_key *key;
    const json_t *before;
    const json_t *after;
    const struct buf *text;
};
int rows_item_change(struct rows_conn *at, const struct rows_item_change *change);

/* Whether the key is one that this transaction has to do with. */
typedef bool (*rows_is_kept_fn)(const void *context, const struct sqlite_rows_table *table,
                                const struct encoded_key *key);
struct rows_expiry {
    const struct sqlite_rows_table *table;
    int64_t now_s;
    rows_is_kept_fn is_kept;
    const void *context;
};
/* Removes some items of the table that have expired a while ago. */
enum table_outcome rows_expire(struct rows_conn *at, const struct rows_expiry *expiry, os_error *err);

#endif
