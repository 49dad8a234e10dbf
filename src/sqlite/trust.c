/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/trust.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOURNAL_PATH_MAX = 2 * PATH_MAX, JOURNAL_TAIL = 8 };

/* ------------------------------------------------------------------------------------------------------ the path */

static os_code cannot_open(const struct sqlite_spec *spec, const char *file, os_error *err)
{
    if (errno == ENOENT || errno == ENOTDIR)
        return sqlite_missing(spec, file, err);
    return sqlite_unusable(spec, file, "open", errno, err);
}

/* Folder and name of `file`, the folder without links. NULL with errno. */
static char *resolve_folder(const char *file)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    char *copy = slash == NULL ? strdup(".") : strndup(file, slash == file ? 1 : (size_t)(slash - file));
    bool found = copy != NULL && realpath(copy, folder) != NULL;
    free(copy);
    if (!found)
        return NULL;
    size_t folder_len = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    char *whole = malloc(folder_len + strlen(name) + 2);
    if (whole != NULL) {
        memcpy(whole, folder, folder_len);
        whole[folder_len] = '/';
        memcpy(whole + folder_len + 1, name, strlen(name) + 1);
    }
    return whole;
}

/*
 * "Atomic Commit In SQLite", 5.6: a journal may name a super-journal, a file that SQLite deletes when it has played the
 * journal back. We never write to two databases at once, so that ours name none; one that does would delete a file of
 * its maker's choice. 3.3 of the file format: such a journal ends with these bytes.
 */
static bool names_another_file(const char *journal)
{
    static const unsigned char magic[JOURNAL_TAIL] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char tail[JOURNAL_TAIL];
    struct stat status;
    int fd = fd_open(journal, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return errno != ENOENT;
    bool known = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    bool longer = known && status.st_size >= JOURNAL_TAIL;
    if (longer)
        known = pread(fd, tail, sizeof(tail), status.st_size - JOURNAL_TAIL) == JOURNAL_TAIL;
    (void)close(fd);
    return !known || (longer && memcmp(tail, magic, sizeof(tail)) == 0);
}

static os_code check_journal(const struct sqlite_spec *spec, const char *file, os_error *err)
{
    struct buf journal;
    buf_init(&journal, JOURNAL_PATH_MAX);
    buf_add_f(&journal, "%s-journal", file);
    bool fits = buf_ok(&journal);
    bool refused = fits && names_another_file(buf_str(&journal));
    buf_free(&journal);
    if (!fits)
        return error_no_memory(err);
    if (refused) {
        return error_set(err, spec->broken,
                         "The %s %.500s has a journal (-journal) that belongs to another file too, or cannot be read, "
                         "so it is not oscommit's. %s",
                         spec->what, file, spec->hint);
    }
    return OS_OK;
}

static os_code check_kind(const struct sqlite_spec *spec, const char *file, const struct stat *status, os_error *err)
{
    if (S_ISLNK(status->st_mode)) {
        return error_set(err, spec->broken, "The %s %.500s is a symbolic link: name the file itself.", spec->what,
                         file);
    }
    if (S_ISDIR(status->st_mode))
        return error_set(err, OS_ERR_IO, "Cannot open the %s %.500s: it is a folder.", spec->what, file);
    if (!S_ISREG(status->st_mode))
        return error_set(err, spec->broken, "The %s %.500s is not a regular file. %s", spec->what, file, spec->hint);
    return OS_OK;
}

os_code sqlite_trust_path(const struct sqlite_spec *spec, const char *file, char **ret, os_error *err)
{
    struct stat status;
    char *resolved = resolve_folder(file);
    if (resolved == NULL && errno == ENOMEM)
        return error_no_memory(err);
    if (resolved == NULL || lstat(resolved, &status) != 0) {
        os_code code = cannot_open(spec, file, err);
        free(resolved);
        return code;
    }
    os_code code = check_kind(spec, file, &status, err);
    if (code == OS_OK && faccessat(AT_FDCWD, resolved, R_OK, AT_EACCESS) != 0)
        code = cannot_open(spec, file, err);
    if (code == OS_OK)
        code = check_journal(spec, resolved, err);
    if (code != OS_OK) {
        free(resolved);
        return code;
    }
    *ret = resolved;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------------ the limits */

void sqlite_trust_limit(sqlite3 *db)
{
    static const int settings[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},   {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0}, {SQLITE_DBCONFIG_DQS_DDL, 0},        {SQLITE_DBCONFIG_DQS_DML, 0},
    };
    /* Rows of ours take 10 KB at most, where a spec does not say more, and our statements less than that. */
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, 1 << 20},  {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},     {SQLITE_LIMIT_COLUMN, 100},
        {SQLITE_LIMIT_EXPR_DEPTH, 100},  {SQLITE_LIMIT_COMPOUND_SELECT, 10},     {SQLITE_LIMIT_FUNCTION_ARG, 16},
        {SQLITE_LIMIT_ATTACHED, 0},      {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64}, {SQLITE_LIMIT_VARIABLE_NUMBER, 32},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1}, {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        (void)sqlite3_db_config(db, settings[i][0], settings[i][1], NULL);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        (void)sqlite3_limit(db, limits[i][0], limits[i][1]);
}

/* ------------------------------------------------------------------------------------------------------ the schema */

/* A file that was made just now has nothing but these. */
static int open_model(const struct sqlite_spec *spec, sqlite3 **ret)
{
    int rc = sqlite3_open_v2(":memory:", ret, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    return rc == SQLITE_OK ? sqlite3_exec(*ret, spec->ddl, NULL, NULL, NULL) : rc;
}

struct comparison {
    struct sqlite_conn *conn;
    sqlite3_stmt *same;
    int64_t indexes; /* of ours */
    bool equal;
};

/* One row of the model: is it in the file? */
static int compare_row(struct comparison *comparison, sqlite3_stmt *row)
{
    sqlite3_stmt *same = comparison->same;
    (void)sqlite3_reset(same);
    int rc = SQLITE_OK;
    for (int column = 0; column < 3 && rc == SQLITE_OK; column++)
        rc = sqlite3_bind_value(same, column + 1, sqlite3_column_value(row, column));
    if (rc == SQLITE_OK)
        rc = sqlite3_step(same);
    if (rc != SQLITE_ROW)
        return rc;
    comparison->equal = comparison->equal && sqlite3_column_int64(same, 0) == 1;
    comparison->indexes += strcmp((const char *)sqlite3_column_text(row, 0), "index") == 0;
    return SQLITE_OK;
}

static int compare_model(struct comparison *comparison, sqlite3 *model)
{
    static const char every_row[] = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL";
    sqlite3_stmt *rows = NULL;
    int rc = sqlite3_prepare_v2(model, every_row, -1, &rows, NULL);
    int step = SQLITE_DONE;
    while (rc == SQLITE_OK && (step = sqlite3_step(rows)) == SQLITE_ROW)
        rc = compare_row(comparison, rows);
    (void)sqlite3_finalize(rows);
    return rc == SQLITE_OK && step != SQLITE_DONE ? step : rc;
}

/* What a stranger adds can do something only as another kind of thing than a table or a view of its own: the text is
 * what SQLite goes by, whatever stands beside it. */
static int count_others(struct sqlite_conn *conn, int64_t *ret)
{
    return sqlite_read_number(conn,
                              "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL AND "
                              "sql NOT LIKE 'CREATE TABLE %' AND sql NOT LIKE 'CREATE VIEW %'",
                              ret);
}

static int compare_all(struct comparison *comparison)
{
    static const char same_row[] = "SELECT count(*) FROM sqlite_schema WHERE type = ?1 AND name = ?2 AND sql = ?3";
    sqlite3 *model = NULL;
    int64_t others = 0;
    int rc = open_model(comparison->conn->spec, &model);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(comparison->conn->db, same_row, -1, &comparison->same, NULL);
    if (rc == SQLITE_OK)
        rc = compare_model(comparison, model);
    (void)sqlite3_finalize(comparison->same);
    (void)sqlite3_close(model);
    if (rc == SQLITE_OK)
        rc = count_others(comparison->conn, &others);
    comparison->equal = comparison->equal && others == comparison->indexes;
    return rc & 0xff;
}

os_code sqlite_trust_schema(struct sqlite_conn *conn, os_error *err)
{
    struct comparison comparison = {.conn = conn, .equal = true};
    int rc = compare_all(&comparison);
    if (rc == SQLITE_NOMEM)
        return error_no_memory(err);
    if (rc != SQLITE_OK)
        return sqlite_failed(conn, rc, "read the schema", err);
    if (!comparison.equal) {
        return error_set(
            err, conn->spec->broken,
            "The %s %.500s has other tables, indexes or triggers than those that oscommit makes: undo what "
            "was changed, or drop what was added. %s",
            conn->spec->what, sqlite_conn_file(conn), conn->spec->hint);
    }
    return OS_OK;
}
