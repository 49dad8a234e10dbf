/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/ledger_file.h"

#include "base/error.h"

#include <string.h>

const char *const ledger_upgrades[LEDGER_UPGRADES] = {"ALTER TABLE records ADD COLUMN upload TEXT"};

/* Only the very table that we make is used: another may do more than keep rows. */
enum table_outcome ledger_table_find(struct sqlite_conn *conn, const struct ledger_table *table, unsigned number,
                                     const char *doing, os_error *err)
{
    sqlite3_stmt *look = NULL;
    if ((conn->tables_seen & (1U << number)) != 0)
        return TABLE_OK;
    int rc = sqlite3_prepare_v2(conn->db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", -1, &look,
                                NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(look, 1, table->name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(look);
    const char *sql = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(look, 0) : NULL;
    bool is_there = sql != NULL;
    bool is_ours = is_there && strcmp(sql, table->ddl) == 0;
    (void)sqlite3_finalize(look);
    if (is_ours) {
        conn->tables_seen |= 1U << number;
        return TABLE_OK;
    }
    if (!is_there)
        return rc == SQLITE_DONE ? TABLE_CONFLICT_BLIND : ledger_failed(conn, sqlite_code(conn), doing, err);
    error_set(err, OS_ERR_TABLE,
              "The %s %s has a table \"%s\" that oscommit did not make. Rename it, or use another file.",
              conn->spec->what, sqlite_conn_file(conn), table->name);
    return TABLE_REFUSED;
}

enum table_outcome ledger_table_make(struct sqlite_conn *conn, const struct ledger_table *table, const char *doing,
                                     os_error *err)
{
    int rc = sqlite_exec(conn, table->ddl);
    return rc == SQLITE_OK ? TABLE_OK : ledger_failed(conn, rc, doing, err);
}

enum table_outcome ledger_take(const struct sqlite_pool *pool, struct sqlite_patience limit,
                               struct sqlite_pool *ret_pool, struct sqlite_conn **ret, os_error *err)
{
    *ret_pool = *pool;
    ret_pool->limit = limit;
    os_code code = sqlite_take(ret_pool, limit, ret, err);
    return code == OS_OK ? TABLE_OK : ledger_outcome_of(code);
}

enum table_outcome ledger_outcome_of(os_code code)
{
    return code == OS_ERR_THROTTLED ? TABLE_THROTTLED : TABLE_REFUSED;
}

enum table_outcome ledger_failed(struct sqlite_conn *conn, int rc, const char *doing, os_error *err)
{
    return ledger_outcome_of(sqlite_failed(conn, rc, doing, err));
}

/* SQLITE_FULL comes from writing the WAL, whose last frame is the commit: it was not written, nothing is applied. BUSY:
 * the lock was not given. Any other failure may have left the whole transaction in the WAL, for the next process to
 * find. */
enum table_outcome ledger_commit(struct sqlite_conn *conn, const char *doing, os_error *err)
{
    int rc = sqlite_commit(conn);
    if (rc == SQLITE_OK)
        return TABLE_OK;
    enum table_outcome outcome = ledger_failed(conn, rc, doing, err);
    return rc == SQLITE_FULL || rc == SQLITE_BUSY ? outcome : TABLE_AMBIGUOUS;
}
