/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_file.h"

#include "base/error.h"
#include "rows/check.h"
#include "syntax/json.h"

#include <string.h>

/* `id` stands for the name in the other tables, whose keys are long enough. */
#define ROWS_TABLES                                                                                                    \
    "CREATE TABLE rows_tables (name TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL UNIQUE, definition TEXT NOT NULL) " \
    "WITHOUT ROWID"
/* With a rowid, because an item may be as large as a hundred pages: its key stands apart from it in the index that
 * PRIMARY KEY makes, and is found without reading other items. First by the hash of the partition, so that a segment of a
 * scan is a range. The keys are blobs (rows_key.h), the item is JSON text, which a person can read. */
#define ROWS_ITEMS                                                                                         \
    "CREATE TABLE rows_items (table_id INTEGER NOT NULL, hash INTEGER NOT NULL, partition BLOB NOT NULL, " \
    "sort BLOB NOT NULL, item TEXT NOT NULL, PRIMARY KEY (table_id, hash, partition, sort))"
/* Indexes, whose entries name rows and hold nothing of them: a row is written once, whatever indexes have of it. An item
 * without the keys of an index has no entry. The number is that in the definition, from 1; under number 0 stands when rows
 * expire, the epoch second in place of the hash, and nothing in partition and sort. */
#define ROWS_ENTRIES                                                                                               \
    "CREATE TABLE rows_entries (table_id INTEGER NOT NULL, index_number INTEGER NOT NULL, hash INTEGER NOT NULL, " \
    "partition BLOB NOT NULL, sort BLOB NOT NULL, row_partition BLOB NOT NULL, row_sort BLOB NOT NULL, "           \
    "PRIMARY KEY (table_id, index_number, hash, partition, sort, row_partition, row_sort)) WITHOUT ROWID"
/* What was written under a token, as a digest. UNIQUE is the order in which they expire. */
#define ROWS_TOKENS                                                                                            \
    "CREATE TABLE rows_tokens (token TEXT NOT NULL PRIMARY KEY, at_s INTEGER NOT NULL, writes BLOB NOT NULL, " \
    "UNIQUE (at_s, token)) WITHOUT ROWID"

static const struct ledger_table tables[] = {
    {"rows_tables", ROWS_TABLES},
    {"rows_items", ROWS_ITEMS},
    {"rows_entries", ROWS_ENTRIES},
    {"rows_tokens", ROWS_TOKENS},
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

#define ITEMS_BETWEEN                                                                                               \
    "SELECT partition, sort, item FROM rows_items WHERE table_id = ?1 AND (hash, partition, sort) >= (?2, ?3, ?4) " \
    "AND (hash, partition, sort) < (?5, ?6, ?7) ORDER BY "
#define ENTRIES_BETWEEN                                                                                   \
    "SELECT hash, partition, sort, row_partition, row_sort FROM rows_entries WHERE table_id = ?1 AND "    \
    "index_number = ?2 AND (hash, partition, sort, row_partition, row_sort) >= (?3, ?4, ?5, ?6, ?7) AND " \
    "(hash, partition, sort, row_partition, row_sort) < (?8, ?9, ?10, ?11, ?12) ORDER BY "

static const char *const statements[ROWS_STATEMENT_COUNT] = {
    [ROWS_TABLE_GET] = "SELECT id, definition FROM rows_tables WHERE name = ?1",
    [ROWS_TABLE_PUT] = "INSERT INTO rows_tables (name, id, definition) "
                       "SELECT ?1, coalesce(max(id), 0) + 1, ?2 FROM rows_tables",
    [ROWS_ITEM_GET] = "SELECT item FROM rows_items WHERE table_id = ?1 AND hash = ?2 AND partition = ?3 AND sort = ?4",
    [ROWS_ITEM_PUT] =
        "INSERT OR REPLACE INTO rows_items (table_id, hash, partition, sort, item) VALUES (?1, ?2, ?3, ?4, ?5)",
    [ROWS_ITEM_DELETE] = "DELETE FROM rows_items WHERE table_id = ?1 AND hash = ?2 AND partition = ?3 AND sort = ?4",
    [ROWS_ITEMS_ASCENDING] = ITEMS_BETWEEN "hash, partition, sort",
    [ROWS_ITEMS_DESCENDING] = ITEMS_BETWEEN "hash DESC, partition DESC, sort DESC",
    [ROWS_ENTRY_PUT] = "INSERT OR REPLACE INTO rows_entries (table_id, index_number, hash, partition, sort, "
                       "row_partition, row_sort) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [ROWS_ENTRY_DELETE] = "DELETE FROM rows_entries WHERE table_id = ?1 AND index_number = ?2 AND hash = ?3 AND "
                          "partition = ?4 AND sort = ?5 AND row_partition = ?6 AND row_sort = ?7",
    [ROWS_ENTRIES_ASCENDING] = ENTRIES_BETWEEN "hash, partition, sort, row_partition, row_sort",
    [ROWS_ENTRIES_DESCENDING] =
        ENTRIES_BETWEEN "hash DESC, partition DESC, sort DESC, row_partition DESC, row_sort DESC",
    [ROWS_TOKEN_GET] = "SELECT writes FROM rows_tokens WHERE token = ?1 AND at_s > ?2",
    [ROWS_TOKEN_PUT] = "INSERT OR REPLACE INTO rows_tokens (token, at_s, writes) VALUES (?1, ?2, ?3)",
    [ROWS_TOKENS_EXPIRE] = "DELETE FROM rows_tokens WHERE token IN (SELECT token FROM rows_tokens WHERE at_s <= ?1 "
                           "ORDER BY at_s LIMIT 8)",
};

/* Of rows or documents. The tool makes neither: what a table is like stands in the program. */
#define MAKE_TABLE \
    "Make it with os_model_table_create or os_documents_table_create, in Python with table(..., create=True)"

const struct sqlite_spec rows_spec = {
    LEDGER_SPEC,
    .what = "database",
    .sql = statements,
    .sql_count = ROWS_STATEMENT_COUNT,
    .row_size_max = ROWS_TEXT_MAX + 1024 * 1024,
    .make_hint = MAKE_TABLE ", or name another file.",
    .hint = "Name another file. If this one is damaged, first stop all its writers, and move it away with its -wal and "
            "-shm files.",
    .denied = "Let the user of this process write the file and its folder, where SQLite puts files beside it; or name "
              "another file.",
};

/* ------------------------------------------------------------------------------------------------------- outcomes */

enum table_outcome rows_no_memory(os_error *err)
{
    return ledger_outcome_of(error_no_memory(err));
}

/* --------------------------------------------------------------------------------------------------- transactions */

/* All of them are there, or none: they were made in one transaction. */
static enum table_outcome look_for_tables(struct rows_conn *at, enum rows_use use, os_error *err)
{
    struct sqlite_conn *conn = at->conn;
    for (unsigned i = 0; i < TABLES; i++) {
        enum table_outcome outcome = ledger_table_find(conn, &tables[i], i, "look for tables", err);
        if (outcome == TABLE_CONFLICT_BLIND && use == ROWS_TO_MAKE)
            outcome = ledger_table_make(conn, &tables[i], "make a table", err);
        if (outcome != TABLE_OK)
            return outcome == TABLE_CONFLICT_BLIND ? TABLE_OK : outcome;
    }
    at->has_tables = true;
    return TABLE_OK;
}

enum table_outcome rows_enter(struct sqlite_rows *rows, struct sqlite_patience patience, enum rows_use use,
                              struct rows_conn *ret, os_error *err)
{
    *ret = (struct rows_conn){.conn = NULL};
    enum table_outcome outcome = ledger_take(&rows->pool, patience, &ret->pool, &ret->conn, err);
    if (outcome != TABLE_OK)
        return outcome;
    int rc = use == ROWS_TO_READ ? sqlite_exec(ret->conn, "BEGIN") : sqlite_begin(ret->conn);
    outcome =
        rc == SQLITE_OK ? look_for_tables(ret, use, err) : ledger_failed(ret->conn, rc, "begin to read or write", err);
    if (outcome != TABLE_OK)
        rows_leave(ret);
    return outcome;
}

enum table_outcome rows_commit(struct rows_conn *at, os_error *err)
{
    return ledger_commit(at->conn, "commit items", err);
}

void rows_leave(struct rows_conn *at)
{
    sqlite_give(&at->pool, at->conn);
    at->conn = NULL;
}

/* --------------------------------------------------------------------------------------------------------- tables */

static enum table_outcome is_missing(struct rows_conn *at, const char *name, os_error *err)
{
    return ledger_outcome_of(error_set(
        err, OS_ERR_NO_TABLE, "There is no table \"%.255s\" in the database %s. " MAKE_TABLE ", or name another.", name,
        sqlite_conn_file(at->conn)));
}

static enum table_outcome table_read(struct rows_conn *at, sqlite3_stmt *row, struct sqlite_rows_table *ret,
                                     os_error *err)
{
    ret->id = sqlite3_column_int64(row, 0);
    const char *text = (const char *)sqlite3_column_text(row, 1);
    if (text == NULL && sqlite3_column_type(row, 1) == SQLITE_TEXT)
        return rows_no_memory(err);
    json_t *root = json_read(text, (size_t)sqlite3_column_bytes(row, 1));
    if (sqlite_rows_table_read(root, ret))
        return TABLE_OK;
    error_set(err, OS_ERR_TABLE, "The definition of the table \"%s\" in the database %s is damaged. %s", ret->name,
              sqlite_conn_file(at->conn), at->conn->spec->hint);
    return TABLE_UNREADABLE;
}

enum table_outcome sqlite_rows_table_find(struct rows_conn *at, const char *name, struct sqlite_rows_table *ret,
                                          os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    os_code code = rows_check_name(name, "a table", err);
    if (code != OS_OK)
        return ledger_outcome_of(code);
    ret->name = name;
    if (!at->has_tables)
        return is_missing(at, name, err);
    sqlite3_stmt *get = sqlite_statement(at->conn, ROWS_TABLE_GET);
    int rc = get != NULL ? sqlite3_bind_text(get, 1, ret->name, -1, SQLITE_STATIC) : sqlite_code(at->conn);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(get) & 0xff;
    if (rc == SQLITE_DONE)
        return is_missing(at, name, err);
    enum table_outcome outcome =
        rc == SQLITE_ROW ? table_read(at, get, ret, err) : ledger_failed(at->conn, rc, "read a table", err);
    (void)sqlite3_reset(get);
    return outcome;
}

os_code sqlite_rows_table_fit(const struct sqlite_rows_table *table, const struct rows_table *asked, os_error *err)
{
    char of[ROWS_NAME_MAX + 16];
    (void)text_concat(of, sizeof(of), "the table ", table->name, NULL);
    return rows_key_schema_fit(&table->definition.keys, &asked->keys, of, err);
}
