/* SPDX-License-Identifier: Apache-2.0 */
/* How an item is kept. Its numbers are unsigned 64-bit (T1) and SQLite's integers are signed: they are stored in two's
 * complement, so that every value survives, equality is equality, and a person with the sqlite3 shell reads all but
 * absurd values as they are. Only the order of values over 2^63 is lost in SQL, and order matters to one statement
 * alone: a `ttl` that reads as negative lies beyond the end of time and is never expired. An absent attribute is NULL.
 * The columns of a statement stand in the order of the schema's attributes; remarks are not kept. */
#ifndef OSCOMMIT_SQLITE_ROW_H
#define OSCOMMIT_SQLITE_ROW_H

#include "item/item.h"

#include <sqlite3.h>
#include <stdbool.h>

/* False: it is none of the schema's. Strings are the row's, which lasts until the statement is stepped again. */
bool row_read(sqlite3_stmt *row, const struct item_schema *schema, struct item *ret);

/* Codes of SQLite, SQLITE_OK or others. Strings must last until the statement has run. The key is bound from 1 on, as the
 * whole row is. */
int row_bind_key(sqlite3_stmt *statement, const struct item_schema *schema, const struct item *item);
int row_bind(sqlite3_stmt *statement, const struct item_schema *schema, const struct item *item);

#endif
