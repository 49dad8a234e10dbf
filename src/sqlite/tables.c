/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/tables.h"

#include "base/error.h"
#include "base/text.h"
#include "sqlite/conn.h"
#include "sqlite/ledger_file.h"
#include "sqlite/row.h"

#include <stdlib.h>
#include <string.h>

enum statement { STATEMENT_GET, STATEMENT_PUT, STATEMENT_DELETE, STATEMENT_LIST, STATEMENT_EXPIRE, STATEMENT_COUNT };
#define STATEMENT(kind, statement) ((size_t)(kind)*STATEMENT_COUNT + (statement))

#define RECORD_COLUMNS "path, etag, generation, timeout_ms, ttl_s, nonce, fence_s, saw, upload"
#define LEASE_COLUMNS  "key, expiry_s, version, ttl_ms, owner, token"
/* A lease that has expired is taken over by who waits for it, by its version: no clock removes it. */
#define LEASES                                                                                                         \
    "CREATE TABLE leases (key TEXT NOT NULL PRIMARY KEY, expiry_s INTEGER, version TEXT, ttl_ms INTEGER, owner TEXT, " \
    "token INTEGER) WITHOUT ROWID"
#define LOCK_COLUMNS "lock_id, namespace, lock_name, owner, instance_id, lease_duration_s, expiry_s"
#define LOCKS                                                                                                   \
    "CREATE TABLE locks (lock_id TEXT NOT NULL PRIMARY KEY, namespace TEXT NOT NULL, lock_name TEXT NOT NULL, " \
    "owner TEXT NOT NULL, instance_id TEXT NOT NULL, lease_duration_s INTEGER NOT NULL, "                       \
    "expiry_s INTEGER NOT NULL) WITHOUT ROWID"

static const char *const statements[ITEM_KINDS * STATEMENT_COUNT] = {
    [STATEMENT(ITEM_RECORDS, STATEMENT_GET)] = "SELECT " RECORD_COLUMNS " FROM records WHERE path = ?1 AND etag = ?2",
    [STATEMENT(ITEM_RECORDS, STATEMENT_PUT)] =
        "INSERT OR REPLACE INTO records (" RECORD_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [STATEMENT(ITEM_RECORDS, STATEMENT_DELETE)] = "DELETE FROM records WHERE path = ?1 AND etag = ?2",
    [STATEMENT(ITEM_RECORDS, STATEMENT_LIST)] =
        "SELECT " RECORD_COLUMNS " FROM records WHERE ?1 IS NULL OR path = ?1 ORDER BY path, etag",
    /* Not the record that was just written: what becomes of it is its writer's business. */
    [STATEMENT(ITEM_RECORDS, STATEMENT_EXPIRE)] =
        "DELETE FROM records WHERE (path, etag) IN (SELECT path, etag FROM records WHERE ttl_s >= 0 AND "
        "ttl_s < ?3 AND NOT (path = ?1 AND etag = ?2) ORDER BY ttl_s LIMIT 4)",
    [STATEMENT(ITEM_LEASES, STATEMENT_GET)] = "SELECT " LEASE_COLUMNS " FROM leases WHERE key = ?1",
    [STATEMENT(ITEM_LEASES, STATEMENT_PUT)] =
        "INSERT OR REPLACE INTO leases (" LEASE_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [STATEMENT(ITEM_LEASES, STATEMENT_DELETE)] = "DELETE FROM leases WHERE key = ?1",
    [STATEMENT(ITEM_LEASES, STATEMENT_LIST)] =
        "SELECT " LEASE_COLUMNS " FROM leases WHERE ?1 IS NULL OR key = ?1 ORDER BY key",
    [STATEMENT(ITEM_LOCKS, STATEMENT_GET)] = "SELECT " LOCK_COLUMNS " FROM locks WHERE lock_id = ?1",
    [STATEMENT(ITEM_LOCKS, STATEMENT_PUT)] =
        "INSERT OR REPLACE INTO locks (" LOCK_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [STATEMENT(ITEM_LOCKS, STATEMENT_DELETE)] = "DELETE FROM locks WHERE lock_id = ?1",
    [STATEMENT(ITEM_LOCKS, STATEMENT_LIST)] =
        "SELECT " LOCK_COLUMNS " FROM locks WHERE ?1 IS NULL OR lock_id = ?1 ORDER BY lock_id",
    [STATEMENT(ITEM_LOCKS, STATEMENT_EXPIRE)] =
        "DELETE FROM locks WHERE lock_id IN (SELECT lock_id FROM locks WHERE expiry_s >= 0 AND expiry_s < ?2 AND "
        "lock_id <> ?1 LIMIT 4)",
};

static const struct sqlite_spec spec = {
    LEDGER_SPEC,
    .what = "ledger",
    .make = "oscommit table create --ledger sqlite://",
    .sql = statements,
    .sql_count = ITEM_KINDS * STATEMENT_COUNT,
    .hint = "Name another file with --ledger. If the ledger is damaged, first stop all its writers, and move it away "
            "with its -wal and -shm files.",
    .denied =
        "Let the user of this process write the file and its folder, where SQLite puts files beside it; or name a "
        "ledger in another folder with --ledger.",
};

static const struct ledger_table later_tables[ITEM_KINDS] = {
    [ITEM_LEASES] = {"leases", LEASES}, [ITEM_LOCKS] = {"locks", LOCKS}};

struct sqlite_tables {
    struct sqlite_pool pool;
};

os_code sqlite_tables_create(const char *file, const struct sqlite_patience *patience, os_error *err)
{
    error_clear(err);
    return sqlite_create(&spec, file, patience, err);
}

os_code sqlite_tables_open(const char *file, const struct sqlite_patience *patience, struct sqlite_tables **ret,
                           os_error *err)
{
    error_clear(err);
    struct sqlite_tables *tables = calloc(1, sizeof(*tables));
    if (tables == NULL)
        return error_no_memory(err);
    os_code code = sqlite_pool_open(&tables->pool, &spec, file, patience, err);
    if (code != OS_OK) {
        free(tables);
        return code;
    }
    *ret = tables;
    return OS_OK;
}

void sqlite_tables_close(struct sqlite_tables *tables)
{
    if (tables != NULL) {
        sqlite_pool_close(&tables->pool);
        free(tables);
    }
}

void sqlite_reading_free(struct sqlite_reading *reading)
{
    free(reading->texts);
    reading->texts = NULL;
}

/* --------------------------------------------------------------------------------------------------- rows, items */

static sqlite3_stmt *statement_of(struct sqlite_conn *conn, const struct item_schema *schema, enum statement statement)
{
    return sqlite_statement(conn, STATEMENT(schema->kind, statement));
}

/* False: no memory. */
static bool keep_texts(const struct item_schema *schema, struct sqlite_reading *reading)
{
    size_t size = 1;
    for (size_t i = 0; i < schema->count; i++)
        size += strlen(item_text_of(&reading->item, i)) + 1;
    char *at = reading->texts = malloc(size);
    if (at == NULL)
        return false;
    for (size_t i = 0; i < schema->count; i++) {
        struct item_value *value = &reading->item.values[i];
        if (value->type != ITEM_STRING)
            continue;
        size_t len = strlen(value->text) + 1;
        value->text = memcpy(at, value->text, len);
        at += len;
    }
    return true;
}

enum row_state { ROW_ABSENT, ROW_READ, ROW_UNREADABLE, ROW_FAILED, ROW_NO_MEMORY };

static enum row_state row_find(struct sqlite_conn *conn, const struct item_schema *schema, const struct item *key,
                               struct sqlite_reading *ret)
{
    sqlite3_stmt *get = statement_of(conn, schema, STATEMENT_GET);
    if (get == NULL || row_bind_key(get, schema, key) != SQLITE_OK)
        return ROW_FAILED;
    int rc = sqlite3_step(get);
    enum row_state state = rc == SQLITE_DONE ? ROW_ABSENT : ROW_FAILED;
    if (rc == SQLITE_ROW)
        state = row_read(get, schema, &ret->item) ? ROW_READ : ROW_UNREADABLE;
    if (state == ROW_READ && !keep_texts(schema, ret))
        state = ROW_NO_MEMORY;
    ret->found = state == ROW_READ;
    (void)sqlite3_reset(get); /* after a failure it gives the same code again */
    return state;
}

/* -------------------------------------------------------------------------------------------------- outcomes */

enum { DOING_SIZE = 96 };

/* `doing` "read a", "write a": the schema says what. */
static const char *doing_with(const struct item_schema *schema, const char *doing, char ret[DOING_SIZE])
{
    return text_concat(ret, DOING_SIZE, doing, " ", schema->words.what, NULL) ? ret : doing;
}

static enum table_outcome tables_failed(struct sqlite_conn *conn, const struct item_schema *schema, int rc,
                                        const char *doing, os_error *err)
{
    char sentence[DOING_SIZE];
    return ledger_failed(conn, rc, doing_with(schema, doing, sentence), err);
}

static enum table_outcome tables_unreadable(const struct item_schema *schema, const struct item *key, os_error *err)
{
    char sort[160] = "";
    if (schema->keys > 1)
        (void)sqlite3_snprintf((int)sizeof(sort), sort, " (%s %.100s)", schema->attributes[1].name,
                               item_text_of(key, 1));
    error_set(err, OS_ERR_TABLE,
              "The %s \"%.300s\"%s in the ledger has values that the protocol does not "
              "allow. %s",
              schema->words.subject, item_text_of(key, 0), sort, schema->words.mend);
    return TABLE_UNREADABLE;
}

/* What was found in place of an item, for whoever cannot go on. */
static enum table_outcome not_read(struct sqlite_conn *conn, const struct item_schema *schema, const struct item *key,
                                   enum row_state state, os_error *err)
{
    if (state == ROW_UNREADABLE)
        return tables_unreadable(schema, key, err);
    return tables_failed(conn, schema, state == ROW_NO_MEMORY ? SQLITE_NOMEM : sqlite_code(conn), "read a", err);
}

/* TABLE_CONFLICT_BLIND: there is no such table yet, and so nothing in it. */
static enum table_outcome find_kind(struct sqlite_conn *conn, const struct item_schema *schema, os_error *err)
{
    char doing[DOING_SIZE];
    const struct ledger_table *table = &later_tables[schema->kind];
    if (table->ddl == NULL)
        return TABLE_OK;
    return ledger_table_find(conn, table, schema->kind, doing_with(schema, "look for every", doing), err);
}

/* ---------------------------------------------------------------------------------------------------- writing */

static int expire_rows(struct sqlite_conn *conn, const struct sqlite_write *write)
{
    if (write->now_s <= LEDGER_EXPIRED_GRACE_S || statements[STATEMENT(write->schema->kind, STATEMENT_EXPIRE)] == NULL)
        return SQLITE_OK;
    sqlite3_stmt *statement = statement_of(conn, write->schema, STATEMENT_EXPIRE);
    if (statement == NULL)
        return sqlite_code(conn);
    int rc = row_bind_key(statement, write->schema, write->item);
    rc |= sqlite3_bind_int64(statement, (int)write->schema->keys + 1, write->now_s - LEDGER_EXPIRED_GRACE_S);
    return rc == SQLITE_OK ? sqlite_run(statement) : SQLITE_NOMEM;
}

static int remove_row(struct sqlite_conn *conn, const struct sqlite_write *write)
{
    sqlite3_stmt *statement = statement_of(conn, write->schema, STATEMENT_DELETE);
    if (statement == NULL)
        return sqlite_code(conn);
    return row_bind_key(statement, write->schema, write->item) == SQLITE_OK ? sqlite_run(statement) : SQLITE_NOMEM;
}

static int put_row(struct sqlite_conn *conn, const struct sqlite_write *write, const struct item *item)
{
    sqlite3_stmt *statement = statement_of(conn, write->schema, STATEMENT_PUT);
    if (statement == NULL)
        return sqlite_code(conn);
    int rc = row_bind(statement, write->schema, item) == SQLITE_OK ? sqlite_run(statement) : SQLITE_NOMEM;
    return rc == SQLITE_OK ? expire_rows(conn, write) : rc;
}

/* What was found becomes what it is after the changes. */
static enum table_outcome change_row(struct sqlite_conn *conn, const struct sqlite_write *write,
                                     struct sqlite_reading *found, int *ret_rc, os_error *err)
{
    for (size_t i = 0; i < write->schema->keys; i++)
        found->item.values[i] = write->item->values[i];
    if (!item_change(&found->item, write->changes, write->change_count)) {
        error_set(err, OS_ERR_TABLE, "The %s \"%.300s\" in the ledger has a number that cannot be raised any more. %s",
                  write->schema->words.subject, item_text_of(write->item, 0), write->schema->words.mend);
        return TABLE_REFUSED;
    }
    found->found = true;
    *ret_rc = put_row(conn, write, &found->item);
    return TABLE_OK;
}

static bool may_write(const struct sqlite_write *write, enum row_state state, const struct sqlite_reading *found)
{
    if (write->kind == SQLITE_REPLACE_ITEM)
        return state == ROW_UNREADABLE;
    return write->condition == NULL || item_condition_holds(write->condition, state == ROW_READ ? &found->item : NULL);
}

/* Inside the transaction, so that a table which is made goes with the write for which it was made. */
static enum table_outcome prepare_kind(struct sqlite_conn *conn, const struct item_schema *schema, os_error *err)
{
    char doing[DOING_SIZE];
    enum table_outcome outcome = find_kind(conn, schema, err);
    if (outcome != TABLE_CONFLICT_BLIND)
        return outcome;
    return ledger_table_make(conn, &later_tables[schema->kind], doing_with(schema, "make room for a", doing), err);
}

/* Inside a transaction. Whatever is not TABLE_OK is rolled back by sqlite_give. */
static enum table_outcome write_in(struct sqlite_conn *conn, const struct sqlite_write *write,
                                   struct sqlite_reading *ret, os_error *err)
{
    char doing[DOING_SIZE];
    enum table_outcome prepared = prepare_kind(conn, write->schema, err);
    if (prepared != TABLE_OK)
        return prepared;
    enum row_state state = row_find(conn, write->schema, write->item, ret);
    bool replaces = write->kind == SQLITE_REPLACE_ITEM;
    if (state == ROW_FAILED || state == ROW_NO_MEMORY || (state == ROW_UNREADABLE && !replaces))
        return not_read(conn, write->schema, write->item, state, err);
    if (!may_write(write, state, ret))
        return state == ROW_READ ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND;
    int rc = SQLITE_OK;
    enum table_outcome outcome = TABLE_OK;
    if (write->kind == SQLITE_DELETE_ITEM)
        rc = remove_row(conn, write);
    else if (write->kind == SQLITE_UPDATE_ITEM)
        outcome = change_row(conn, write, ret, &rc, err);
    else
        rc = put_row(conn, write, write->item);
    if (rc != SQLITE_OK)
        return tables_failed(conn, write->schema, rc, "write a", err);
    return outcome == TABLE_OK ? ledger_commit(conn, doing_with(write->schema, "commit a", doing), err) : outcome;
}

/* What was read for the condition is of interest where that failed, and what an update has made. */
static bool shows_item(const struct sqlite_write *write, enum table_outcome outcome)
{
    return outcome == TABLE_CONFLICT || (outcome == TABLE_OK && write->kind == SQLITE_UPDATE_ITEM);
}

enum table_outcome sqlite_tables_write(struct sqlite_tables *tables, const struct sqlite_write *write,
                                       struct sqlite_patience patience, struct sqlite_reading *ret, os_error *err)
{
    error_clear(err);
    memset(ret, 0, sizeof(*ret));
    struct sqlite_pool pool;
    struct sqlite_conn *conn = NULL;
    enum table_outcome outcome = ledger_take(&tables->pool, patience, &pool, &conn, err);
    if (outcome != TABLE_OK)
        return outcome;
    int rc = sqlite_begin(conn);
    outcome = rc == SQLITE_OK ? write_in(conn, write, ret, err)
                              : tables_failed(conn, write->schema, rc, "begin to write a", err);
    ret->found = ret->found && shows_item(write, outcome);
    sqlite_give(&pool, conn);
    return outcome;
}

/* ---------------------------------------------------------------------------------------------------- reading */

/* TABLE_OK: *ret is to be given back. TABLE_CONFLICT_BLIND: nothing can be in the table. */
static enum table_outcome take_to_read(struct sqlite_tables *tables, const struct item_schema *schema,
                                       struct sqlite_patience patience, struct sqlite_pool *ret_pool,
                                       struct sqlite_conn **ret, os_error *err)
{
    enum table_outcome outcome = ledger_take(&tables->pool, patience, ret_pool, ret, err);
    if (outcome != TABLE_OK)
        return outcome;
    outcome = find_kind(*ret, schema, err);
    if (outcome != TABLE_OK)
        sqlite_give(ret_pool, *ret);
    return outcome;
}

enum table_outcome sqlite_tables_get(struct sqlite_tables *tables, const struct item_schema *schema,
                                     const struct item *key, struct sqlite_patience patience,
                                     struct sqlite_reading *ret, os_error *err)
{
    error_clear(err);
    memset(ret, 0, sizeof(*ret));
    struct sqlite_pool pool;
    struct sqlite_conn *conn = NULL;
    enum table_outcome outcome = take_to_read(tables, schema, patience, &pool, &conn, err);
    if (outcome != TABLE_OK)
        return outcome == TABLE_CONFLICT_BLIND ? TABLE_OK : outcome;
    enum row_state state = row_find(conn, schema, key, ret);
    bool answered = state == ROW_ABSENT || state == ROW_READ;
    outcome = answered ? TABLE_OK : not_read(conn, schema, key, state, err);
    sqlite_give(&pool, conn);
    return outcome;
}

/* Of a row that does not fit. */
static void key_read(sqlite3_stmt *row, const struct item_schema *schema, struct item *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < schema->keys; i++)
        ret->values[i] = item_text((const char *)sqlite3_column_text(row, (int)i));
}

static enum table_outcome list_in(struct sqlite_conn *conn, const struct item_schema *schema, const char *partition,
                                  sqlite_row_fn each, void *context, os_error *err)
{
    sqlite3_stmt *list = statement_of(conn, schema, STATEMENT_LIST);
    if (list == NULL || (partition != NULL && sqlite3_bind_text(list, 1, partition, -1, SQLITE_STATIC) != SQLITE_OK))
        return tables_failed(conn, schema, sqlite_code(conn), "list every", err);
    int rc = sqlite3_step(list);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(list)) {
        struct item item;
        for (size_t i = 0; i < schema->keys; i++)
            if (sqlite3_column_text(list, (int)i) == NULL)
                return tables_failed(conn, schema, SQLITE_NOMEM, "list every", err);
        bool readable = row_read(list, schema, &item);
        if (!readable)
            key_read(list, schema, &item);
        if (!each(context, &item, readable))
            return TABLE_OK;
    }
    return rc == SQLITE_DONE ? TABLE_OK : tables_failed(conn, schema, rc, "list every", err);
}

enum table_outcome sqlite_tables_list(struct sqlite_tables *tables, const struct item_schema *schema,
                                      const char *partition, struct sqlite_patience patience, sqlite_row_fn each,
                                      void *context, os_error *err)
{
    error_clear(err);
    struct sqlite_pool pool;
    struct sqlite_conn *conn = NULL;
    enum table_outcome outcome = take_to_read(tables, schema, patience, &pool, &conn, err);
    if (outcome != TABLE_OK)
        return outcome == TABLE_CONFLICT_BLIND ? TABLE_OK : outcome;
    outcome = list_in(conn, schema, partition, each, context, err);
    sqlite_give(&pool, conn);
    return outcome;
}
