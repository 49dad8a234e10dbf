/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded tables: items as rows of one SQLite file (WAL, synchronous=FULL), with the same conditions as DynamoDB's.
 * Blocking; several threads and processes at once. Expired records are removed by writes, a few at a time, as
 * DynamoDB's TTL would.
 */
#ifndef OSCOMMIT_SQLITE_TABLES_H
#define OSCOMMIT_SQLITE_TABLES_H

#include "item/item.h"
#include "oscommit.h"
#include "sqlite/sqlite.h"

struct sqlite_tables;

/* `patience` with a busy file; NULL: ten seconds. */
os_code sqlite_tables_create(const char *file, const struct sqlite_patience *patience,
                             os_error *err); /* mode 0600; doing it twice is fine */
os_code sqlite_tables_open(
    const char *file, const struct sqlite_patience *patience, struct sqlite_tables **ret,
    os_error *err); /* OS_ERR_NO_TABLE when the file is not there, OS_ERR_TABLE when it is something else */
void sqlite_tables_close(struct sqlite_tables *tables);

/* An item that was read. */
struct sqlite_reading {
    bool found;
    struct item item; /* its strings live as long as the reading */
    char *texts;      /* owns them */
};
void sqlite_reading_free(struct sqlite_reading *reading); /* one that is all zero is fine */

enum sqlite_write_kind {
    SQLITE_PUT_ITEM = 1,
    SQLITE_UPDATE_ITEM,
    SQLITE_DELETE_ITEM,
    SQLITE_REPLACE_ITEM /* puts an item in the place of a row that does not fit the schema. A row that does is
                           TABLE_CONFLICT, none TABLE_CONFLICT_BLIND */
};
struct sqlite_write {
    enum sqlite_write_kind kind;
    const struct item_schema *schema;
    const struct item *item;                /* PUT and REPLACE: all of it; the others: its key */
    const struct item_condition *condition; /* NULL: none; not of REPLACE */
    const struct item_change *changes;      /* UPDATE */
    size_t change_count;
    int64_t now_s; /* for TTL only */
};
/* TABLE_CONFLICT gives the item that is in the way, TABLE_OK of an update the item as it is now; TABLE_CONFLICT_BLIND
 * says that there is none. *ret is set in any case. A database that stays busy beyond `patience` is THROTTLED; an I/O
 * error or full disk is REFUSED with a sentence (definitely not applied: the transaction was rolled back), or AMBIGUOUS
 * where the commit itself failed. */
enum table_outcome sqlite_tables_write(struct sqlite_tables *tables, const struct sqlite_write *write,
                                       struct sqlite_patience patience, struct sqlite_reading *ret, os_error *err);
/* *ret is set in any case. */
enum table_outcome sqlite_tables_get(struct sqlite_tables *tables, const struct item_schema *schema,
                                     const struct item *key, struct sqlite_patience patience,
                                     struct sqlite_reading *ret, os_error *err);
/* `readable` false: the row does not fit the schema, and `item` has its key. Strings are borrowed for the call. */
typedef bool (*sqlite_row_fn)(void *context, const struct item *item, bool readable);
/* Of one partition, or all when it is NULL, in the order of the key. `each` returns false to stop. */
enum table_outcome sqlite_tables_list(struct sqlite_tables *tables, const struct item_schema *schema,
                                      const char *partition, struct sqlite_patience patience, sqlite_row_fn each,
                                      void *context, os_error *err);

#endif
