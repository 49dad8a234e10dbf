/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/sqlite.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
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

const char *sqlite_root_note(const char *file)
{
    return strrchr(file, '/') != file
               ? ""
               : " That is in the root folder: a sqlite:// URL has the whole path from there, with "
                 "three slashes and with four.";
}

enum { PLACE_MAX = 3 * 4096 };

os_code sqlite_missing(const struct sqlite_spec *spec, const char *file, os_error *err)
{
    struct buf place; /* safe in a URL, and for a shell */
    if (spec->make == NULL)
        return error_set(err, spec->missing, "There is no %s at %s.%s %s", spec->what, file, sqlite_root_note(file),
                         spec->make_hint != NULL ? spec->make_hint : spec->hint);
    buf_init(&place, PLACE_MAX);
    (void)text_percent_encode(&place, text_from(file), true);
    os_code code = error_set(err, spec->missing, "There is no %s at %s.%s Make it with `%s%s`, or name another file.",
                             spec->what, file, sqlite_root_note(file), spec->make, buf_str(&place));
    buf_free(&place);
    return code;
}

os_code sqlite_unusable(const struct sqlite_spec *spec, const char *file, const char *doing, int number, os_error *err)
{
    os_code code = error_code_of(number);
    const char *advice = code == OS_ERR_DENIED                   ? spec->denied
                         : number == ENOENT || number == ENOTDIR ? "Make its folder first, or name another."
                                                                 : "";
    return error_set(err, code, "Cannot %s the %s %.500s: %s.%s%s%s", doing, spec->what, file, strerror(number),
                     sqlite_root_note(file), advice[0] != '\0' ? " " : "", advice);
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
                         "Cannot %s in the %s %s: it took longer than it may, or was cancelled. This usually takes a "
                         "moment; check whether the file was tampered with.",
                         doing, what, file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(err, OS_ERR_DENIED, "Cannot %s in the %s %s: it is read-only here (%s). %s", doing, what, file,
                         reason_of(conn, rc), conn->spec->denied);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        return error_set(err, conn->spec->broken,
                         "Cannot %s in the %s %s: the file is damaged, or something else (%s). %s", doing, what, file,
                         reason_of(conn, rc), conn->spec->hint);
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

int sqlite_read_number(struct sqlite_conn *conn, const char *sql, int64_t *ret)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(conn->db, sql, -1, &statement, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(statement);
        if (rc == SQLITE_ROW)
            *ret = sqlite3_column_int64(statement, 0);
    }
    int end = sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? SQLITE_OK : (rc == SQLITE_OK ? end : rc) & 0xff;
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
    if (!sqlite3_get_autocommit(conn->db))
        (void)sqlite_exec(conn, "ROLLBACK");
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
    if (text == NULL || text[0] == '\0')
        return sqlite3_bind_null(statement, number);
    return sqlite3_bind_text(statement, number, text, -1, SQLITE_STATIC);
}

bool sqlite_column_copy(sqlite3_stmt *statement, int number, char *ret, size_t ret_size)
{
    if (sqlite3_column_type(statement, number) == SQLITE_NULL) {
        ret[0] = '\0';
        return true;
    }
    if (sqlite3_column_type(statement, number) != SQLITE_TEXT)
        return false;
    const char *text = (const char *)sqlite3_column_text(statement, number);
    if (text == NULL)
        return false;
    return text_copy(text_of(text, (size_t)sqlite3_column_bytes(statement, number)), ret, ret_size);
}

struct sqlite_patience sqlite_patience_ms(uint32_t ms)
{
    struct clock_reading now;
    clock_read(&now);
    return (struct sqlite_patience){.until_ms = now.monotonic_ms + ms};
}

struct library_version sqlite_library_version(void)
{
    return (struct library_version){SQLITE_VERSION, sqlite3_libversion()};
}
