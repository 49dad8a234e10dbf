/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/conn.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/random.h"
#include "base/text.h"
#include "sqlite/fork.h"
#include "sqlite/trust.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILE_URI_MAX = 16384, PROGRESS_STEPS = 10000 /* of SQLite's machine: about a millisecond */ };

/* SQLite's own handler sleeps up to 100 ms at a time, which is longer than most transactions: short naps with jitter
 * let waiting writers in sooner and in no fixed order. */
static int conn_busy(void *context, int count)
{
    struct sqlite_conn *conn = context;
    const struct sqlite_patience *patience = &conn->patience;
    if (clock_monotonic_ms() >= patience->until_ms ||
        (patience->cancelled != NULL && atomic_load(patience->cancelled) != 0))
        return 0;
    uint64_t most_ns = UINT64_C(250000) << (count < 5 ? count : 5);
    struct timespec nap = {.tv_nsec = (long)(most_ns / 2 + random_next(&conn->jitter) % most_ns)};
    nanosleep(&nap, NULL);
    return 1;
}

/* Bounds what a file makes us do, such as a list that never ends. Statements of ours take a millisecond: who waits for
 * nobody any more may still work. */
static int work_is_over(void *context)
{
    const struct sqlite_conn *conn = context;
    const struct sqlite_patience *patience = &conn->patience;
    return (patience->cancelled != NULL && atomic_load(patience->cancelled) != 0) ||
           clock_monotonic_ms() >= conn->work_until_ms;
}

void sqlite_conn_set_patience(struct sqlite_conn *conn, const struct sqlite_patience *patience)
{
    uint64_t least_ms = clock_monotonic_ms() + SQLITE_WORK_MS;
    conn->patience = *patience;
    conn->work_until_ms = patience->until_ms > least_ms ? patience->until_ms : least_ms;
}

void sqlite_conn_close(struct sqlite_conn *conn)
{
    if (conn == NULL)
        return;
    for (size_t i = 0; i < SQLITE_STATEMENTS_MAX; i++)
        (void)sqlite3_finalize(conn->statements[i]);
    int rc = sqlite3_close(conn->db);
    assert(rc == SQLITE_OK);
    (void)rc;
    sqlite_fork_leave();
    free(conn);
}

/* No mutex of SQLite's: the pool gives a connection to one thread at a time. `immutable`: SQLite takes no lock and
 * needs no -shm file. */
static int conn_open_file(struct sqlite_conn *conn, const char *file, int flags, bool immutable)
{
    struct buf uri;
    buf_init(&uri, FILE_URI_MAX);
    buf_add_str(&uri, "file:");
    text_percent_encode(&uri, text_from(file), true);
    buf_add_str(&uri, immutable ? "?immutable=1" : "");
    if (!buf_ok(&uri)) {
        buf_free(&uri);
        return SQLITE_NOMEM;
    }
    int rc = sqlite3_open_v2(buf_str(&uri), &conn->db,
                             flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);
    buf_free(&uri);
    if (conn->db == NULL)
        return SQLITE_NOMEM;
    (void)sqlite3_busy_handler(conn->db, conn_busy, conn);
    sqlite3_progress_handler(conn->db, PROGRESS_STEPS, work_is_over, conn);
    sqlite_trust_limit(conn->db);
    if (conn->spec->row_size_max != 0)
        (void)sqlite3_limit(conn->db, SQLITE_LIMIT_LENGTH, conn->spec->row_size_max);
    return rc & 0xff;
}

struct identity {
    int64_t application_id;
    int64_t version;
    int64_t tables; /* and whatever else the schema holds */
};

static int read_identity_in(struct sqlite_conn *conn, struct identity *ret)
{
    int rc = sqlite_read_number(conn, "SELECT count(*) FROM sqlite_schema", &ret->tables);
    if (rc == SQLITE_OK)
        rc = sqlite_read_number(conn, "PRAGMA application_id", &ret->application_id);
    return rc == SQLITE_OK ? sqlite_read_number(conn, "PRAGMA user_version", &ret->version) : rc;
}

/* In one transaction: another process may be making the file, and half of it would look like somebody else's. */
static int read_identity(struct sqlite_conn *conn, struct identity *ret)
{
    bool inside = !sqlite3_get_autocommit(conn->db);
    int rc = inside ? SQLITE_OK : sqlite_exec(conn, "BEGIN");
    if (rc == SQLITE_OK)
        rc = read_identity_in(conn, ret);
    if (!inside) {
        int end = rc == SQLITE_OK ? sqlite_commit(conn) : SQLITE_OK;
        rc = rc == SQLITE_OK ? end : rc;
        sqlite_rollback(conn);
    }
    return rc;
}

static bool identity_is_empty(const struct identity *identity)
{
    return identity->application_id == 0 && identity->version == 0 && identity->tables == 0;
}

static os_code check_identity(struct sqlite_conn *conn, const struct identity *found, os_error *err)
{
    const struct sqlite_spec *spec = conn->spec;
    if (found->application_id != spec->application_id) {
        return error_set(err, spec->broken,
                         "The file %s is a database of another program (application id %lld), not a %s of oscommit. %s",
                         sqlite_conn_file(conn), (long long)found->application_id, spec->what, spec->hint);
    }
    if (found->version < 1 || found->version > spec->version) {
        return error_set(err, spec->broken,
                         "The %s %s has version %lld of its schema, but this release of oscommit only knows version "
                         "%d: use the release that made it, or a later one.",
                         spec->what, sqlite_conn_file(conn), (long long)found->version, (int)spec->version);
    }
    return OS_OK;
}

/* A read-only medium with no -shm file, which SQLite would have to make: read without locks if there is no WAL that
 * belongs to it. */
static int open_immutable(struct sqlite_conn *conn, const char *file, struct identity *ret)
{
    struct buf wal;
    struct stat st;
    buf_init(&wal, FILE_URI_MAX);
    buf_add_f(&wal, "%s-wal", file);
    bool has_wal = !buf_ok(&wal) || (stat(buf_str(&wal), &st) == 0 && st.st_size > 0);
    buf_free(&wal);
    if (has_wal)
        return SQLITE_CANTOPEN;
    (void)sqlite3_close(conn->db);
    conn->db = NULL;
    conn->single_use = true;
    int rc = conn_open_file(conn, file, SQLITE_OPEN_READONLY, true);
    return rc == SQLITE_OK ? read_identity(conn, ret) : rc;
}

/* The switch to WAL needs the file for itself, and SQLite does not call the busy handler for it. */
static int set_wal(struct sqlite_conn *conn)
{
    for (int count = 0;; count++) {
        sqlite3_stmt *statement = NULL;
        int rc = sqlite3_prepare_v2(conn->db, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_step(statement);
        bool is_wal = false;
        if (rc == SQLITE_ROW) {
            const char *mode = (const char *)sqlite3_column_text(statement, 0);
            is_wal = mode != NULL && strcmp(mode, "wal") == 0;
        }
        (void)sqlite3_finalize(statement);
        if (is_wal)
            return SQLITE_OK;
        if (rc == SQLITE_ROW)
            return SQLITE_CANTOPEN; /* it stayed in another mode: a file system without shared memory */
        if ((rc & 0xff) != SQLITE_BUSY || !conn_busy(conn, count))
            return rc & 0xff;
    }
}

static os_code conn_new(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                        struct sqlite_conn **ret, os_error *err)
{
    struct sqlite_conn *conn = calloc(1, sizeof(*conn));
    os_code code = conn != NULL ? sqlite_fork_enter(spec->what, file, err) : error_no_memory(err);
    if (code != OS_OK) {
        free(conn);
        return code;
    }
    conn->spec = spec;
    (void)random_bytes(&conn->jitter, sizeof(conn->jitter)); /* without it: less jitter */
    struct sqlite_patience usual = sqlite_patience_ms(SQLITE_OPEN_MS);
    sqlite_conn_set_patience(conn, patience != NULL ? patience : &usual);
    *ret = conn;
    return OS_OK;
}

/* Files grow columns, and never lose or change one: who opened the file before works on. */
static int upgrade_in(struct sqlite_conn *conn)
{
    const struct sqlite_spec *spec = conn->spec;
    struct identity found = {0};
    int rc = read_identity(conn, &found); /* another process may have been first */
    for (int64_t version = found.version; rc == SQLITE_OK && version < spec->version; version++)
        rc = sqlite_exec(conn, spec->upgrades[version - 1]);
    char pragma[64];
    (void)sqlite3_snprintf(sizeof(pragma), pragma, "PRAGMA user_version=%d", (int)spec->version);
    if (rc == SQLITE_OK && found.version < spec->version)
        rc = sqlite_exec(conn, pragma);
    return rc == SQLITE_OK ? sqlite_commit(conn) : rc;
}

static os_code upgrade(struct sqlite_conn *conn, const struct identity *found, os_error *err)
{
    if (found->version >= conn->spec->version)
        return OS_OK;
    int rc = sqlite_begin(conn);
    if (rc == SQLITE_OK) {
        rc = upgrade_in(conn);
        sqlite_rollback(conn);
    }
    return rc == SQLITE_OK ? OS_OK : sqlite_failed(conn, rc, "make room for what this release writes", err);
}

/* Only a file that is up to date can be read where nothing can be written. */
static os_code check_readable(struct sqlite_conn *conn, const struct identity *found, os_error *err)
{
    const struct sqlite_spec *spec = conn->spec;
    if (found->version == spec->version)
        return OS_OK;
    return error_set(err, spec->broken,
                     "The %s %s has version %lld of its schema, which must be updated, but it is read-only: open it "
                     "once with write permission and this release of oscommit.",
                     spec->what, sqlite_conn_file(conn), (long long)found->version);
}

static os_code make_writable(struct sqlite_conn *conn, const struct identity *found, os_error *err)
{
    int rc = set_wal(conn);
    if (rc == SQLITE_OK)
        rc = sqlite_exec(conn, "PRAGMA synchronous=FULL");
    if (rc == SQLITE_OK)
        rc = sqlite_exec(conn, "PRAGMA cell_size_check=ON");
    return rc == SQLITE_OK ? upgrade(conn, found, err) : sqlite_failed(conn, rc, "use write-ahead logging", err);
}

static os_code conn_prepare(struct sqlite_conn *conn, const char *file, os_error *err)
{
    struct identity found = {0};
    int rc = conn_open_file(conn, file, SQLITE_OPEN_READWRITE, false);
    if (rc == SQLITE_OK)
        rc = read_identity(conn, &found);
    if (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY)
        rc = open_immutable(conn, file, &found);
    if (rc != SQLITE_OK)
        return conn->db == NULL ? error_no_memory(err) : sqlite_failed(conn, rc, "read", err);
    if (identity_is_empty(&found))
        return sqlite_missing(conn->spec, file, err);
    os_code code = check_identity(conn, &found, err);
    if (code != OS_OK)
        return code;
    if (sqlite3_db_readonly(conn->db, "main") == 1)
        code = check_readable(conn, &found, err);
    else
        code = make_writable(conn, &found, err);
    return code == OS_OK ? sqlite_trust_schema(conn, err) : code;
}

os_code sqlite_conn_open(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                         struct sqlite_conn **ret, os_error *err)
{
    char *resolved = NULL;
    os_code code = sqlite_trust_path(spec, file, &resolved, err);
    if (code != OS_OK)
        return code;
    struct sqlite_conn *conn = NULL;
    code = conn_new(spec, resolved, patience, &conn, err);
    if (code == OS_OK)
        code = conn_prepare(conn, resolved, err);
    free(resolved);
    if (code != OS_OK) {
        sqlite_conn_close(conn);
        return code;
    }
    *ret = conn;
    return OS_OK;
}

/* ----------------------------------------------------------------------------------------------- making a file */

static os_code conn_fill(struct sqlite_conn *conn, os_error *err)
{
    struct identity found = {0};
    int rc = sqlite_begin(conn);
    if (rc == SQLITE_OK)
        rc = read_identity(conn, &found);
    if (rc != SQLITE_OK || !identity_is_empty(&found)) /* another process was first */
        return rc == SQLITE_OK ? check_identity(conn, &found, err) : sqlite_failed(conn, rc, "make tables", err);
    char pragmas[128];
    (void)sqlite3_snprintf(sizeof(pragmas), pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                           (int)conn->spec->application_id, (int)conn->spec->version);
    rc = sqlite_exec(conn, conn->spec->ddl);
    if (rc == SQLITE_OK)
        rc = sqlite_exec(conn, pragmas);
    if (rc == SQLITE_OK)
        rc = sqlite_commit(conn);
    return rc == SQLITE_OK ? OS_OK : sqlite_failed(conn, rc, "make tables", err);
}

static os_code create_tables(struct sqlite_conn *conn, const char *file, os_error *err)
{
    struct identity found = {0};
    int rc = conn_open_file(conn, file, SQLITE_OPEN_READWRITE, false);
    if (rc == SQLITE_OK)
        rc = read_identity(conn, &found);
    if (rc != SQLITE_OK)
        return conn->db == NULL ? error_no_memory(err) : sqlite_failed(conn, rc, "read", err);
    if (!identity_is_empty(&found)) /* looked at before anything is changed: it may be somebody else's */
        return check_identity(conn, &found, err);
    rc = set_wal(conn);
    if (rc == SQLITE_OK)
        rc = sqlite_exec(conn, "PRAGMA synchronous=FULL");
    if (rc != SQLITE_OK)
        return sqlite_failed(conn, rc, "use write-ahead logging", err);
    os_code code = conn_fill(conn, err);
    sqlite_rollback(conn);
    return code;
}

static os_code sync_folder_of(const char *file, os_error *err)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(file, slash == file ? 1 : (size_t)(slash - file));
    if (folder == NULL)
        return error_no_memory(err);
    int fd = fd_open(folder, O_RDONLY | O_DIRECTORY, 0);
    bool done = fd >= 0 && fsync(fd) == 0;
    os_code code =
        done ? OS_OK : error_set(err, OS_ERR_IO, "Cannot flush the folder %s to disk: %s.", folder, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    free(folder);
    return code;
}

os_code sqlite_create(const struct sqlite_spec *spec, const char *file, const struct sqlite_patience *patience,
                      os_error *err)
{
    os_code code = sqlite_fork_check(spec->what, file, err);
    if (code != OS_OK)
        return code;
    /* Made here for its mode, which SQLite passes on to -wal and -shm. Only a new file may be opened and closed outside
     * of SQLite: closing one drops every POSIX lock that this process holds on it. */
    int fd = fd_open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd < 0 && errno != EEXIST)
        return sqlite_unusable(spec, file, "make", errno, err);
    if (fd >= 0)
        (void)close(fd);
    char *resolved = NULL;
    code = sqlite_trust_path(spec, file, &resolved, err);
    if (code != OS_OK)
        return code;
    struct sqlite_conn *conn = NULL;
    code = conn_new(spec, resolved, patience, &conn, err);
    if (code == OS_OK)
        code = create_tables(conn, resolved, err);
    sqlite_conn_close(conn);
    free(resolved);
    return code == OS_OK ? sync_folder_of(file, err) : code;
}
