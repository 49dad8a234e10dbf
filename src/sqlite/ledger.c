/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a record is kept. `generation`, `timeout`, `ttl` and `fence` are unsigned 64-bit numbers (T1) and SQLite's
 * integers are signed: they are stored in two's complement, so that every value survives, equality is equality, and a
 * person with the sqlite3 shell reads all but absurd values as they are. Only the order of values over 2^63 is lost,
 * and order matters to one place alone: a `ttl` that reads as negative lies beyond the end of time and is never
 * expired. An absent fence, nonce, `saw` or `upload` is NULL, as it is an absent attribute in DynamoDB.
 */
#include "sqlite/ledger.h"

#include "base/error.h"
#include "base/text.h"
#include "sqlite/conn.h"
#include "sqlite/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT_GET, STATEMENT_PUT, STATEMENT_EXPIRE, STATEMENT_LIST, STATEMENT_DELETE, STATEMENT_COUNT };

#define COLUMNS "generation, timeout_ms, ttl_s, fence_s, nonce, saw, upload"

static const char *const statements[STATEMENT_COUNT] = {
    [STATEMENT_GET] = "SELECT " COLUMNS " FROM records WHERE path = ?1 AND etag = ?2",
    [STATEMENT_PUT] =
        "INSERT OR REPLACE INTO records (path, etag, " COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    /* Not the record that was just written: what becomes of it is its writer's business. */
    [STATEMENT_EXPIRE] =
        "DELETE FROM records WHERE (path, etag) IN (SELECT path, etag FROM records WHERE ttl_s >= 0 AND "
        "ttl_s < ?1 AND NOT (path = ?2 AND etag = ?3) ORDER BY ttl_s LIMIT 4)",
    [STATEMENT_LIST] = "SELECT " COLUMNS ", path, etag FROM records WHERE ?1 IS NULL OR path = ?1 ORDER BY path, etag",
    [STATEMENT_DELETE] = "DELETE FROM records WHERE path = ?1 AND etag = ?2",
};

static const char *const upgrades[] = {"ALTER TABLE records ADD COLUMN upload TEXT"};

static const struct sqlite_spec spec = {
    .what = "ledger",
    .application_id = 0x6f73634c, /* "oscL" */
    .version = sizeof(upgrades) / sizeof(upgrades[0]) + 1,
    .ddl = "CREATE TABLE records ("
           "path TEXT NOT NULL, etag TEXT NOT NULL, generation INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, "
           "ttl_s INTEGER NOT NULL, fence_s INTEGER, nonce TEXT, saw TEXT, upload TEXT, PRIMARY KEY (path, etag)) "
           "WITHOUT ROWID;"
           "CREATE INDEX records_by_ttl ON records (ttl_s);",
    .upgrades = upgrades,
    .sql = statements,
    .sql_count = STATEMENT_COUNT,
    .missing = OS_ERR_NO_TABLE,
    .broken = OS_ERR_TABLE,
    .hint = "Make a ledger with `oscommit init` or `oscommit table create`, or name another file. If the ledger is "
            "damaged, first stop all its writers, and move it away with its -wal and -shm files.",
};

enum { EXPIRED_GRACE_S = 60 }; /* an expired record stays at least so long: E5 lets the clocks be 30 s apart */

struct sqlite_ledger {
    struct sqlite_pool pool;
};

os_code sqlite_ledger_create(const char *file, const struct sqlite_patience *patience, os_error *err)
{
    error_clear(err);
    return sqlite_create(&spec, file, patience, err);
}

os_code sqlite_ledger_open(const char *file, const struct sqlite_patience *patience, struct sqlite_ledger **ret,
                           os_error *err)
{
    error_clear(err);
    struct sqlite_ledger *ledger = calloc(1, sizeof(*ledger));
    if (ledger == NULL)
        return error_no_memory(err);
    os_code code = sqlite_pool_open(&ledger->pool, &spec, file, patience, err);
    if (code != OS_OK) {
        free(ledger);
        return code;
    }
    *ret = ledger;
    return OS_OK;
}

void sqlite_ledger_close(struct sqlite_ledger *ledger)
{
    if (ledger != NULL) {
        sqlite_pool_close(&ledger->pool);
        free(ledger);
    }
}

/* ------------------------------------------------------------------------------------------------- rows, records */

static bool column_u64(sqlite3_stmt *row, int number, uint64_t *ret)
{
    if (sqlite3_column_type(row, number) != SQLITE_INTEGER)
        return false;
    *ret = (uint64_t)sqlite3_column_int64(row, number);
    return true;
}

static bool row_read(sqlite3_stmt *row, struct record *ret, char *ret_upload)
{
    char upload[RECORD_UPLOAD_SIZE];
    struct record record;
    memset(&record, 0, sizeof(record)); /* records are compared as bytes */
    bool readable = column_u64(row, 0, &record.generation) && column_u64(row, 1, &record.timeout_ms) &&
                    column_u64(row, 2, &record.ttl_s) &&
                    sqlite_column_copy(row, 4, record.nonce, sizeof(record.nonce)) &&
                    sqlite_column_copy(row, 5, record.saw, sizeof(record.saw)) &&
                    sqlite_column_copy(row, 6, upload, sizeof(upload));
    if (readable && sqlite3_column_type(row, 3) != SQLITE_NULL) {
        record.has_fence = true;
        readable = column_u64(row, 3, &record.fence_s);
    }
    if (readable) {
        record.upload = record_upload_number(upload);
        memcpy(ret, &record, sizeof(record));
    }
    if (readable && ret_upload != NULL)
        memcpy(ret_upload, upload, sizeof(upload));
    return readable;
}

static int row_write(sqlite3_stmt *put, const char *path, const char *etag, const struct record *record,
                     const char *upload)
{
    int rc = sqlite3_bind_text(put, 1, path, -1, SQLITE_STATIC); /* SQLITE_OK is 0, so that the codes can be gathered */
    rc |= sqlite3_bind_text(put, 2, etag, -1, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(put, 3, (sqlite3_int64)record->generation);
    rc |= sqlite3_bind_int64(put, 4, (sqlite3_int64)record->timeout_ms);
    rc |= sqlite3_bind_int64(put, 5, (sqlite3_int64)record->ttl_s);
    rc |= record->has_fence ? sqlite3_bind_int64(put, 6, (sqlite3_int64)record->fence_s) : sqlite3_bind_null(put, 6);
    rc |= sqlite_bind_text_or_null(put, 7, record->nonce);
    rc |= sqlite_bind_text_or_null(put, 8, record->saw);
    rc |= sqlite_bind_text_or_null(put, 9, record->upload != 0 ? upload : "");
    return rc == SQLITE_OK ? sqlite_run(put) : SQLITE_NOMEM;
}

enum row_state { ROW_ABSENT, ROW_READ, ROW_UNREADABLE, ROW_FAILED };

static enum row_state row_find(struct sqlite_conn *conn, const char *path, const char *etag, struct record *ret,
                               char *ret_upload)
{
    sqlite3_stmt *get = sqlite_statement(conn, STATEMENT_GET);
    if (get == NULL || sqlite3_bind_text(get, 1, path, -1, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_text(get, 2, etag, -1, SQLITE_STATIC) != SQLITE_OK)
        return ROW_FAILED;
    int rc = sqlite3_step(get);
    enum row_state state = rc == SQLITE_DONE ? ROW_ABSENT : ROW_FAILED;
    if (rc == SQLITE_ROW)
        state = row_read(get, ret, ret_upload) ? ROW_READ : ROW_UNREADABLE;
    (void)sqlite3_reset(get); /* after a failure it gives the same code again */
    return state;
}

/* -------------------------------------------------------------------------------------------------- outcomes */

static enum ledger_outcome outcome_of(os_code code)
{
    return code == OS_ERR_THROTTLED ? LEDGER_THROTTLED : LEDGER_REFUSED;
}

static enum ledger_outcome ledger_failed(struct sqlite_conn *conn, int rc, const char *doing, os_error *err)
{
    return outcome_of(sqlite_failed(conn, rc, doing, err));
}

static enum ledger_outcome ledger_unreadable(const char *path, const char *etag, os_error *err)
{
    error_set(err, OS_ERR_TABLE,
              "The record (etag %.100s) of \"%.300s\" in the ledger has values that the protocol does not "
              "allow. " RECORD_MEND,
              etag, path);
    return LEDGER_UNREADABLE;
}

static bool condition_holds(const struct record_condition *condition, enum row_state state, const struct record *found)
{
    switch (condition->kind) {
    case RECORD_IF_ABSENT: return state == ROW_ABSENT;
    case RECORD_IF_SEEN: return state == ROW_READ && record_same_holder(found, &condition->seen);
    case RECORD_IF_SAME: return state == ROW_READ && found->upload == 0 && record_same(found, &condition->seen);
    case RECORD_IF_HELD:
        return state == ROW_READ && found->generation == condition->seen.generation &&
               strcmp(found->nonce, condition->seen.nonce) == 0;
    }
    return false;
}

/* SQLITE_FULL comes from writing the WAL, whose last frame is the commit: it was not written, nothing is applied. BUSY:
 * the lock was not given. Any other failure may have left the whole transaction in the WAL, for the next process to
 * find. */
static enum ledger_outcome ledger_commit(struct sqlite_conn *conn, os_error *err)
{
    int rc = sqlite_commit(conn);
    if (rc == SQLITE_OK)
        return LEDGER_OK;
    enum ledger_outcome outcome = ledger_failed(conn, rc, "commit a record", err);
    return rc == SQLITE_FULL || rc == SQLITE_BUSY ? outcome : LEDGER_AMBIGUOUS;
}

static int ledger_expire(struct sqlite_conn *conn, const char *path, const char *etag, int64_t now_s)
{
    if (now_s <= EXPIRED_GRACE_S)
        return SQLITE_OK;
    sqlite3_stmt *statement = sqlite_statement(conn, STATEMENT_EXPIRE);
    if (statement == NULL)
        return sqlite_code(conn);
    int rc = sqlite3_bind_int64(statement, 1, now_s - EXPIRED_GRACE_S);
    rc |= sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    rc |= sqlite3_bind_text(statement, 3, etag, -1, SQLITE_STATIC);
    return rc == SQLITE_OK ? sqlite_run(statement) : SQLITE_NOMEM;
}

static int remove_row(struct sqlite_conn *conn, const char *path, const char *etag)
{
    sqlite3_stmt *statement = sqlite_statement(conn, STATEMENT_DELETE);
    if (statement == NULL)
        return sqlite_code(conn);
    int rc = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    rc |= sqlite3_bind_text(statement, 2, etag, -1, SQLITE_STATIC);
    return rc == SQLITE_OK ? sqlite_run(statement) : SQLITE_NOMEM;
}

static int put_row(struct sqlite_conn *conn, const struct sqlite_write *write)
{
    sqlite3_stmt *statement = sqlite_statement(conn, STATEMENT_PUT);
    int rc = statement != NULL ? row_write(statement, write->path, write->etag, write->record, write->upload)
                               : sqlite_code(conn);
    return rc == SQLITE_OK ? ledger_expire(conn, write->path, write->etag, write->now_s) : rc;
}

/* Inside a transaction. Without a record the row is removed; without a condition there must be a row that is no record.
 * Whatever is not LEDGER_OK is rolled back by sqlite_give. */
static enum ledger_outcome write_in(struct sqlite_conn *conn, const struct sqlite_write *write,
                                    struct record *ret_conflict, char *ret_upload, os_error *err)
{
    struct record found;
    char upload[RECORD_UPLOAD_SIZE];
    enum row_state state = row_find(conn, write->path, write->etag, &found, upload);
    if (state == ROW_FAILED)
        return ledger_failed(conn, sqlite_code(conn), "read a record", err);
    bool fixes = write->condition == NULL;
    if (state == ROW_UNREADABLE && !fixes)
        return ledger_unreadable(write->path, write->etag, err);
    if (fixes ? state != ROW_UNREADABLE : !condition_holds(write->condition, state, &found)) {
        if (state == ROW_READ && ret_conflict != NULL)
            memcpy(ret_conflict, &found, sizeof(found));
        if (state == ROW_READ && ret_upload != NULL)
            memcpy(ret_upload, upload, sizeof(upload));
        return state == ROW_READ ? LEDGER_CONFLICT : LEDGER_CONFLICT_BLIND;
    }
    int rc = write->record != NULL ? put_row(conn, write) : remove_row(conn, write->path, write->etag);
    return rc == SQLITE_OK ? ledger_commit(conn, err) : ledger_failed(conn, rc, "write a record", err);
}

static enum ledger_outcome write_to(struct sqlite_ledger *ledger, const struct sqlite_write *write,
                                    struct sqlite_patience patience, struct record *ret_conflict, char *ret_upload,
                                    os_error *err)
{
    error_clear(err);
    struct sqlite_conn *conn = NULL;
    struct sqlite_pool pool = ledger->pool;
    pool.limit = patience;
    os_code code = sqlite_take(&pool, patience, &conn, err);
    if (code != OS_OK)
        return outcome_of(code);
    int rc = sqlite_begin(conn);
    enum ledger_outcome outcome = rc == SQLITE_OK ? write_in(conn, write, ret_conflict, ret_upload, err)
                                                  : ledger_failed(conn, rc, "begin a write", err);
    sqlite_give(&pool, conn);
    return outcome;
}

enum ledger_outcome sqlite_ledger_put(struct sqlite_ledger *ledger, const struct sqlite_write *write,
                                      struct sqlite_patience patience, struct record *ret_conflict, char *ret_upload,
                                      os_error *err)
{
    assert(write->record->upload == 0 || write->record->upload == record_upload_number(write->upload));
    return write_to(ledger, write, patience, ret_conflict, ret_upload, err);
}

enum ledger_outcome sqlite_ledger_delete(struct sqlite_ledger *ledger, const char *path, const char *etag,
                                         const struct record_condition *condition, struct sqlite_patience patience,
                                         struct record *ret_conflict, os_error *err)
{
    struct sqlite_write write = {.path = path, .etag = etag, .condition = condition};
    return write_to(ledger, &write, patience, ret_conflict, NULL, err);
}

enum ledger_outcome sqlite_ledger_fix(struct sqlite_ledger *ledger, const char *path, const char *etag,
                                      const struct record *record, struct sqlite_patience patience, os_error *err)
{
    struct sqlite_write write = {.path = path, .etag = etag, .record = record, .upload = ""};
    return write_to(ledger, &write, patience, NULL, NULL, err);
}

enum ledger_outcome sqlite_ledger_get(struct sqlite_ledger *ledger, const struct sqlite_key *key,
                                      struct sqlite_patience patience, bool *ret_found, struct record *ret,
                                      char *ret_upload, os_error *err)
{
    error_clear(err);
    struct sqlite_conn *conn = NULL;
    struct sqlite_pool pool = ledger->pool;
    pool.limit = patience;
    os_code code = sqlite_take(&pool, patience, &conn, err);
    if (code != OS_OK)
        return outcome_of(code);
    enum ledger_outcome outcome = LEDGER_OK;
    switch (row_find(conn, key->path, key->etag, ret, ret_upload)) {
    case ROW_ABSENT: *ret_found = false; break;
    case ROW_READ: *ret_found = true; break;
    case ROW_UNREADABLE: outcome = ledger_unreadable(key->path, key->etag, err); break;
    case ROW_FAILED: outcome = ledger_failed(conn, sqlite_code(conn), "read a record", err); break;
    }
    sqlite_give(&pool, conn);
    return outcome;
}

/* --------------------------------------------------------------------------------------------------- the list */

static enum ledger_outcome list_in(struct sqlite_conn *conn, const char *path, sqlite_row_fn each, void *context,
                                   os_error *err)
{
    sqlite3_stmt *list = sqlite_statement(conn, STATEMENT_LIST);
    if (list == NULL || (path != NULL && sqlite3_bind_text(list, 1, path, -1, SQLITE_STATIC) != SQLITE_OK))
        return ledger_failed(conn, sqlite_code(conn), "list records", err);
    int rc = sqlite3_step(list);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(list)) {
        struct record record;
        char upload[RECORD_UPLOAD_SIZE];
        const char *row_path = (const char *)sqlite3_column_text(list, 7);
        const char *row_etag = (const char *)sqlite3_column_text(list, 8);
        if (row_path == NULL || row_etag == NULL)
            return ledger_failed(conn, SQLITE_NOMEM, "list records", err);
        bool readable = row_read(list, &record, upload);
        if (!each(context, row_path, row_etag, readable ? &record : NULL, readable ? upload : ""))
            return LEDGER_OK;
    }
    return rc == SQLITE_DONE ? LEDGER_OK : ledger_failed(conn, rc, "list records", err);
}

enum ledger_outcome sqlite_ledger_list(struct sqlite_ledger *ledger, const char *path, struct sqlite_patience patience,
                                       sqlite_row_fn each, void *context, os_error *err)
{
    error_clear(err);
    struct sqlite_conn *conn = NULL;
    struct sqlite_pool pool = ledger->pool;
    pool.limit = patience;
    os_code code = sqlite_take(&pool, patience, &conn, err);
    if (code != OS_OK)
        return outcome_of(code);
    enum ledger_outcome outcome = list_in(conn, path, each, context, err);
    sqlite_give(&pool, conn);
    return outcome;
}
