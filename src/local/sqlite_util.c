/* SPDX-License-Identifier: Apache-2.0 */
#include "local/sqlite_util.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "local/sqlite_conn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *sqlite_conn_file(const struct sqlite_conn *conn)
{
    const char *name = conn->db != NULL ? sqlite3_db_filename(conn->db, "main") : NULL;
    return name != NULL ? name : "";
}

/* What was found before SQLite was asked has left no message there. */
static const char *reason_of(const struct sqlite_conn *conn, int rc)
{
    return sqlite3_errcode(conn->db) == SQLITE_OK ? sqlite3_errstr(rc) : sqlite3_errmsg(conn->db);
}

os_code sqlite_failed(struct sqlite_conn *conn, int rc, const char *doing, os_error *err)
{
    const char *what = conn->spec->what;
    const char *file = sqlite_conn_file(conn);
    switch (rc & 0xff) {
    case SQLITE_NOMEM: return error_no_memory(err);
    case SQLITE_FULL:
        return error_set(err, OS_ERR_NO_SPACE,
                         "Cannot %s in the %s %s: no space left on the device; free some and try again.", doing, what,
                         file);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return error_set(err, OS_ERR_THROTTLED, "Cannot %s in the %s %s: other processes keep it busy; try again.",
                         doing, what, file);
    case SQLITE_INTERRUPT:
        return error_set(err, OS_ERR_DEADLINE,
                         "Cannot %s in the %s %s: it took longer than it may, or was cancelled. Moments are usual; was "
                         "the file tampered with?",
                         doing, what, file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(err, OS_ERR_DENIED, "Cannot %s in the %s %s: it is read-only here (%s).", doing, what, file,
                         reason_of(conn, rc));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        return error_set(err, conn->spec->broken,
                         "Cannot %s in the %s %s: the file is damaged, or something else (%s). %s", doing, what, file,
                         reason_of(conn, rc), conn->spec->mend);
    default:
        return error_set(err, OS_ERR_IO, "Cannot %s in the %s %s: %s (SQLite code %d).", doing, what, file,
                         reason_of(conn, rc), sqlite3_extended_errcode(conn->db));
    }
}

int sqlite_code(struct sqlite_conn *conn)
{
    return sqlite3_errcode(conn->db) & 0xff;
}

int sqlite_exec(struct sqlite_conn *conn, const char *sql)
{
    return sqlite3_exec(conn->db, sql, NULL, NULL, NULL) & 0xff;
}

int sqlite_begin(struct sqlite_conn *conn)
{
    return sqlite_exec(conn, "BEGIN IMMEDIATE");
}

int sqlite_commit(struct sqlite_conn *conn)
{
    return sqlite_exec(conn, "COMMIT");
}

void sqlite_rollback(struct sqlite_conn *conn)
{
    if (!sqlite3_get_autocommit(conn->db)) {
        (void)sqlite_exec(conn, "ROLLBACK");
    }
}

sqlite3_stmt *sqlite_statement(struct sqlite_conn *conn, size_t number)
{
    assert(number < conn->spec->sql_count);
    sqlite3_stmt **statement = &conn->statements[number];
    if (*statement == NULL) {
        const char *sql = conn->spec->sql[number];
        (void)sqlite3_prepare_v3(conn->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
        return *statement;
    }
    (void)sqlite3_reset(*statement);
    (void)sqlite3_clear_bindings(*statement);
    return *statement;
}

int sqlite_run(sqlite3_stmt *statement)
{
    (void)sqlite3_step(statement);
    return sqlite3_reset(statement) & 0xff; /* gives step's code again when it failed */
}

int sqlite_bind_text_or_null(sqlite3_stmt *statement, int number, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        return sqlite3_bind_null(statement, number);
    }
    return sqlite3_bind_text(statement, number, text, -1, SQLITE_STATIC);
}

bool sqlite_column_copy(sqlite3_stmt *statement, int number, char *ret, size_t ret_size)
{
    if (sqlite3_column_type(statement, number) == SQLITE_NULL) {
        ret[0] = '\0';
        return true;
    }
    if (sqlite3_column_type(statement, number) != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(statement, number);
    if (text == NULL) {
        return false;
    }
    return text_copy(text_of(text, (size_t)sqlite3_column_bytes(statement, number)), ret, ret_size);
}

/* ---------------------------------------------------------------------------------------------------- the pool */

os_code sqlite_pool_open(struct sqlite_pool *pool, const struct sqlite_spec *spec, const char *file,
                         const struct sqlite_patience *patience, os_error *err)
{
    assert(spec->sql_count <= SQLITE_STATEMENTS_MAX);
    struct sqlite_conn *first = NULL;
    os_code code = sqlite_conn_open(spec, file, patience, &first, err);
    if (code != OS_OK) {
        return code;
    }
    *pool = (struct sqlite_pool){.spec = spec, .file = strdup(file), .shelf = calloc(1, sizeof(*pool->shelf))};
    if (pool->file == NULL || pool->shelf == NULL || pthread_mutex_init(&pool->shelf->mutex, NULL) != 0) {
        free(pool->file);
        free(pool->shelf);
        sqlite_conn_close(first);
        return error_no_memory(err);
    }
    sqlite_give(pool, first);
    return OS_OK;
}

void sqlite_pool_close(struct sqlite_pool *pool)
{
    struct sqlite_shelf *shelf = pool->shelf;
    while (shelf->idle != NULL) {
        struct sqlite_conn *conn = shelf->idle;
        shelf->idle = conn->next;
        sqlite_conn_close(conn);
    }
    (void)pthread_mutex_destroy(&shelf->mutex);
    free(shelf);
    free(pool->file);
    pool->shelf = NULL;
    pool->file = NULL;
}

static struct sqlite_conn *take_idle(struct sqlite_shelf *shelf)
{
    (void)pthread_mutex_lock(&shelf->mutex);
    struct sqlite_conn *conn = shelf->idle;
    if (conn != NULL) {
        shelf->idle = conn->next;
        shelf->idle_count--;
    }
    (void)pthread_mutex_unlock(&shelf->mutex);
    return conn;
}

struct sqlite_patience sqlite_patience_ms(uint32_t ms)
{
    struct clock_reading now;
    clock_read(&now);
    return (struct sqlite_patience){.until_ms = now.monotonic_ms + ms};
}

/* What both allow. */
static struct sqlite_patience lesser(struct sqlite_patience a, const struct sqlite_patience *limit)
{
    return (struct sqlite_patience){
        .until_ms = limit->until_ms != 0 && limit->until_ms < a.until_ms ? limit->until_ms : a.until_ms,
        .cancelled = a.cancelled != NULL ? a.cancelled : limit->cancelled,
    };
}

os_code sqlite_take(struct sqlite_pool *pool, struct sqlite_patience patience, struct sqlite_conn **ret, os_error *err)
{
    struct sqlite_patience opening = lesser(sqlite_patience_ms(SQLITE_OPEN_MS), &pool->limit);
    struct sqlite_conn *conn = take_idle(pool->shelf);
    int moved = 0;
    while (conn != NULL &&
           (sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0)) {
        sqlite_conn_close(conn);
        conn = take_idle(pool->shelf);
    }
    if (conn == NULL) {
        os_code code = sqlite_conn_open(pool->spec, pool->file, &opening, &conn, err);
        if (code != OS_OK) {
            return code;
        }
    }
    struct sqlite_patience both = lesser(patience, &pool->limit);
    sqlite_conn_set_patience(conn, &both);
    *ret = conn;
    return OS_OK;
}

void sqlite_give(struct sqlite_pool *pool, struct sqlite_conn *conn)
{
    for (size_t i = 0; i < pool->spec->sql_count; i++) {
        (void)sqlite3_reset(conn->statements[i]);
    }
    sqlite_rollback(conn);
    conn->patience = (struct sqlite_patience){.until_ms = 0}; /* what it points at is gone with the call */
    struct sqlite_shelf *shelf = pool->shelf;
    (void)pthread_mutex_lock(&shelf->mutex);
    bool keep = !conn->single_use && shelf->idle_count < SQLITE_IDLE_MAX && sqlite3_get_autocommit(conn->db);
    if (keep) {
        conn->next = shelf->idle;
        shelf->idle = conn;
        shelf->idle_count++;
    }
    (void)pthread_mutex_unlock(&shelf->mutex);
    if (!keep) {
        sqlite_conn_close(conn);
    }
}
