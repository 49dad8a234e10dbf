/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded tables of items of any attributes: rows of the ledger's file, with the keys, conditions, changes, indexes
 * and all-or-nothing writes of DynamoDB. Items, keys and values are JSON trees of src/attribute. Blocking; several
 * threads and processes at once. The file is made by sqlite_tables_create.
 *
 * What is asked for (rows/rows.h) is refused by TABLE_REFUSED with OS_ERR_ARGUMENT where the service would refuse it
 * (rows/check.h), or where the keys that are given are not those of the table; by OS_ERR_NO_TABLE where the table is not there, and a file that others keep busy is TABLE_THROTTLED, as tables.h has it.
 */
#ifndef OSCOMMIT_SQLITE_ROWS_H
#define OSCOMMIT_SQLITE_ROWS_H

#include "item/item.h"
#include "rows/answer.h"
#include "sqlite/rows_table.h"
#include "sqlite/sqlite.h"

struct sqlite_rows;

/* As sqlite_tables_open. */
os_code sqlite_rows_open(const char *file, const struct sqlite_patience *patience, struct sqlite_rows **ret,
                         os_error *err);
void sqlite_rows_close(struct sqlite_rows *rows);

/* Makes a table; doing it again with the same definition is fine. OS_ERR_TABLE: it is there with another one, and the
 * sentence says what differs. */
os_code sqlite_rows_create(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                           struct sqlite_patience patience, os_error *err);
/* Whether it is there with this definition. OS_ERR_NO_TABLE; OS_ERR_TABLE as of create. */
os_code sqlite_rows_check(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                          struct sqlite_patience patience, os_error *err);
/* *ret is set in any case, for sqlite_rows_table_free; it borrows `table`. OS_ERR_NO_TABLE. */
os_code sqlite_rows_describe(struct sqlite_rows *rows, const char *table, struct sqlite_patience patience,
                             struct sqlite_rows_table *ret, os_error *err);

/* ---------------------------------------------------------------------------------------------------------- reads */

/* Of 1 to 100 keys, none twice, at one instant; none is left. *ret is set in any case. */
enum table_outcome sqlite_rows_get(struct sqlite_rows *rows, const struct rows_get *gets, size_t count,
                                   struct sqlite_patience patience, struct rows_items *ret, os_error *err);

enum {
    ROWS_PAGE_MAX = 1024 * 1024,          /* bytes of items, or of what an index has of them */
    ROWS_PAGE_WHOLE_MAX = 8 * 1024 * 1024 /* bytes of the items that are read for that, which takes time */
};

/* One page, read at one instant. A page that ends at its limit has a last key, whether more follows or not, as the
 * service's has. *ret is set in any case. */
enum table_outcome sqlite_rows_list(struct sqlite_rows *rows, const struct rows_list *list,
                                    struct sqlite_patience patience, struct rows_page *ret, os_error *err);

/* --------------------------------------------------------------------------------------------------------- writes */

/*
 * `now_s`: epoch seconds, for what expires and for tokens.
 *   TABLE_OK              all is done
 *   TABLE_CONFLICT        conditions failed, and for each of them an item is there
 *   TABLE_CONFLICT_BLIND  conditions failed; for one of them there is no item
 *   TABLE_REFUSED         one of them at least was refused, or all together, and no condition failed; *err is about the first
 *   TABLE_UNREADABLE      an item that is there is damaged
 *   TABLE_THROTTLED, TABLE_AMBIGUOUS   as sqlite_tables_write
 */

/* *ret_item, for json_decref, is set in any case. TABLE_OK: what was to be returned; TABLE_CONFLICT: what is in the way. */
enum table_outcome sqlite_rows_write(struct sqlite_rows *rows, const struct rows_write *write,
                                     struct sqlite_patience patience, int64_t now_s, json_t **ret_item, os_error *err);

/* All of them, or none. The same token and writes again within ten minutes are answered as before, and nothing is done;
 * with other writes they are refused. ret_answers has one for each write, for rows_answers_free, set in any case. */
enum table_outcome sqlite_rows_transact(struct sqlite_rows *rows, const struct rows_transaction *transaction,
                                        struct sqlite_patience patience, int64_t now_s, struct rows_answer *ret_answers,
                                        os_error *err);

#endif
