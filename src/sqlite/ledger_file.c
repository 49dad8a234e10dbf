/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/ledger_file.h"

#include "base/error.h"

#include <string.h>

const char *const ledger_upgrades[LEDGER_UPGRADES] = {"ALTER TABLE records ADD COLUMN upload TEXT"};

/* Only the very table that we make is used: another may do more than keep rows. */
enum ledger_table_state ledger_table_look(struct sqlite_conn *conn, const struct ledger_table *table, unsigned number)
{
    sqlite3_stmt *look = NULL;
    if ((conn->tables_seen & (1U << number)) != 0)
        return LEDGER_TABLE_THERE;
    int rc = sqlite3_prepare_v2(conn->db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", -1, &look,
                                NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(look, 1, table->name, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(look);
    const char *sql = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(look, 0) : NULL;
    enum ledger_table_state state = rc == SQLITE_DONE ? LEDGER_TABLE_MISSING : LEDGER_TABLE_FAILED;
    if (sql != NULL)
        state = strcmp(sql, table->ddl) == 0 ? LEDGER_TABLE_THERE : LEDGER_TABLE_ANOTHER;
    (void)sqlite3_finalize(look);
    if (state == LEDGER_TABLE_THERE)
        conn->tables_seen |= 1U << number;
    return state;
}

os_code ledger_table_is_anothers(struct sqlite_conn *conn, const struct ledger_table *table, os_error *err)
{
    return error_set(err, OS_ERR_TABLE,
                     "The %s %s has a table \"%s\" that oscommit did not make. Rename it, or use another file.",
                     conn->spec->what, sqlite_conn_file(conn), table->name);
}

enum table_outcome ledger_outcome_of(os_code code)
{
    return code == OS_ERR_THROTTLED ? TABLE_THROTTLED : TABLE_REFUSED;
}

/* SQLITE_FULL comes from writing the WAL, whose last frame is the commit: it was not written, nothing is applied. BUSY:
 * the lock was not given. Any other failure may have left the whole transaction in the WAL, for the next process to
 * find. */
bool ledger_commit_is_undone(int rc)
{
    return rc == SQLITE_FULL || rc == SQLITE_BUSY;
}
