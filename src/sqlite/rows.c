/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows.h"

#include "base/error.h"
#include "rows/check.h"
#include "sqlite/rows_file.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

os_code sqlite_rows_open(const char *file, const struct sqlite_patience *patience, struct sqlite_rows **ret,
                         os_error *err)
{
    error_clear(err);
    struct sqlite_rows *rows = calloc(1, sizeof(*rows));
    if (rows == NULL)
        return error_no_memory(err);
    os_code code = sqlite_pool_open(&rows->pool, &rows_spec, file, patience, err);
    if (code != OS_OK) {
        free(rows);
        return code;
    }
    *ret = rows;
    return OS_OK;
}

void sqlite_rows_close(struct sqlite_rows *rows)
{
    if (rows != NULL) {
        sqlite_pool_close(&rows->pool);
        free(rows);
    }
}

/* The code behind an outcome of a call that has no outcome of its own. */
static os_code code_of(enum table_outcome outcome, const os_error *error)
{
    if (outcome == TABLE_OK)
        return OS_OK;
    return outcome == TABLE_AMBIGUOUS ? OS_ERR_UNDECIDED : error->code;
}

enum { DEFINITION_TEXT_MAX = 256 * 1024 };

static enum table_outcome put_table(struct rows_conn *at, const char *table, const struct rows_definition *definition,
                                    os_error *err)
{
    struct buf text;
    json_t *root = rows_definition_write(definition);
    buf_init(&text, DEFINITION_TEXT_MAX);
    bool written = root != NULL && json_write(&text, root);
    json_decref(root);
    sqlite3_stmt *put = written ? sqlite_statement(at->conn, ROWS_TABLE_PUT) : NULL;
    int rc = put != NULL ? sqlite3_bind_text(put, 1, table, -1, SQLITE_STATIC) : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(put, 2, text.data, (int)text.len, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite_run(put);
    buf_free(&text);
    return rc == SQLITE_OK ? rows_commit(at, err) : ledger_failed(at->conn, rc, "make a table", err);
}

static os_code compare_table(const char *table, const struct rows_definition *there,
                             const struct rows_definition *wanted, os_error *err)
{
    char of[ROWS_NAME_MAX + 16];
    (void)text_concat(of, sizeof(of), "table \"", table, "\"", NULL);
    return rows_definition_fit(there, wanted, of, err);
}

static enum table_outcome create_in(struct rows_conn *at, const char *table, const struct rows_definition *definition,
                                    os_error *err)
{
    struct sqlite_rows_table found;
    enum table_outcome outcome = sqlite_rows_table_find(at, table, &found, err);
    if (outcome == TABLE_OK)
        outcome = compare_table(table, &found.definition, definition, err) == OS_OK ? TABLE_OK : TABLE_REFUSED;
    else if (err->code == OS_ERR_NO_TABLE) {
        error_clear(err);
        outcome = put_table(at, table, definition, err);
    }
    sqlite_rows_table_free(&found);
    return outcome;
}

static enum table_outcome create(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                                 struct sqlite_patience patience, os_error *err)
{
    struct rows_conn at;
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_MAKE, &at, err);
    if (outcome != TABLE_OK)
        return outcome;
    outcome = create_in(&at, table, definition, err);
    rows_leave(&at);
    return outcome;
}

os_code sqlite_rows_create(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                           struct sqlite_patience patience, os_error *err)
{
    os_error local;
    error_clear(&local);
    os_code code = rows_check_name(table, "a table", &local);
    if (code == OS_OK)
        code = rows_definition_check(definition, &local);
    if (code == OS_OK)
        code = code_of(create(rows, table, definition, patience, &local), &local);
    local.code = code;
    if (err != NULL)
        *err = local;
    return code;
}

os_code sqlite_rows_describe(struct sqlite_rows *rows, const char *table, struct sqlite_patience patience,
                             struct sqlite_rows_table *ret, os_error *err)
{
    struct rows_conn at;
    os_error local;
    memset(ret, 0, sizeof(*ret));
    error_clear(&local);
    enum table_outcome outcome = rows_enter(rows, patience, ROWS_TO_READ, &at, &local);
    if (outcome == TABLE_OK) {
        outcome = sqlite_rows_table_find(&at, table, ret, &local);
        rows_leave(&at);
    }
    if (err != NULL)
        *err = local;
    return code_of(outcome, &local);
}

os_code sqlite_rows_check(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                          struct sqlite_patience patience, os_error *err)
{
    struct sqlite_rows_table found;
    os_code code = rows_definition_check(definition, err);
    if (code != OS_OK)
        return code;
    code = sqlite_rows_describe(rows, table, patience, &found, err);
    if (code == OS_OK)
        code = compare_table(table, &found.definition, definition, err);
    sqlite_rows_table_free(&found);
    return code;
}
