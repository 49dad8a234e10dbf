/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/pool.h"

#include "base/error.h"
#include "sqlite/conn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

os_code sqlite_pool_open(struct sqlite_pool *pool, const struct sqlite_spec *spec, const char *file,
                         const struct sqlite_patience *patience, os_error *err)
{
    assert(spec->sql_count <= SQLITE_STATEMENTS_MAX);
    struct sqlite_conn *first = NULL;
    os_code code = sqlite_conn_open(spec, file, patience, &first, err);
    if (code != OS_OK)
        return code;
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
        if (code != OS_OK)
            return code;
    }
    struct sqlite_patience both = lesser(patience, &pool->limit);
    sqlite_conn_set_patience(conn, &both);
    *ret = conn;
    return OS_OK;
}

void sqlite_give(struct sqlite_pool *pool, struct sqlite_conn *conn)
{
    for (size_t i = 0; i < pool->spec->sql_count; i++)
        (void)sqlite3_reset(conn->statements[i]);
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
    if (!keep)
        sqlite_conn_close(conn);
}
