/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_index.h"

#include "base/error.h"
#include "base/text.h"
#include "sqlite/conn.h"
#include "sqlite/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_TIMEOUT_MS = 30000 }; /* at most: the call that the pool is limited to has a deadline of its own */

enum { STATEMENT_FIND, STATEMENT_ADD, STATEMENT_REMOVE, STATEMENT_FORGET, STATEMENT_COUNT };

#define COLUMNS "id, mtime_ns, size, inode, btime_ns, ctime_ns, etag, modified_s, nonce, headers"

static const char *const statements[STATEMENT_COUNT] = {
    [STATEMENT_FIND] = "SELECT " COLUMNS " FROM objects WHERE key = ?1",
    [STATEMENT_ADD] =
        "INSERT OR REPLACE INTO objects (key, " COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [STATEMENT_REMOVE] = "DELETE FROM objects WHERE key = ?1 AND id = ?2",
    [STATEMENT_FORGET] = "DELETE FROM objects WHERE id <> '' AND instr(?1, id) > 0",
};

static const struct sqlite_spec spec = {
    .what = "index of objects",
    .application_id = 0x6f73634f, /* "oscO" */
    .version = 1,
    .ddl = "CREATE TABLE objects ("
           "key TEXT NOT NULL, id TEXT NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT "
           "NULL, "
           "btime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, etag TEXT NOT NULL, modified_s INTEGER NOT NULL, "
           "nonce TEXT, "
           "headers BLOB, PRIMARY KEY (key, id)) WITHOUT ROWID;",
    .sql = statements,
    .sql_count = STATEMENT_COUNT,
    .missing = OS_ERR_CONFIG,
    .broken = OS_ERR_CONFIG,
    .hint = "Run `oscommit init` on the root. If the index is damaged, first stop every process that uses the store, "
            "and move the index away with its -wal and -shm files. The objects stay, with new ETags of the same bytes, "
            "but without nonces, metadata and content headers.",
    .denied = "Let the user of this process write the root of the store and its folder .oscommit.",
};

/* ---------------------------------------------------------------------------------------------------- stamps, rows */

static int64_t ns_of(const struct statx_timestamp *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

int file_stamp_read(int fd, struct file_stamp *ret)
{
    struct statx st;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
        return errno;
    *ret = (struct file_stamp){
        .mtime_ns = ns_of(&st.stx_mtime),
        .size = st.stx_size,
        .inode = st.stx_ino,
        .btime_ns = (st.stx_mask & STATX_BTIME) != 0 ? ns_of(&st.stx_btime) : 0,
        .ctime_ns = ns_of(&st.stx_ctime),
    };
    return 0;
}

bool file_stamp_same_bytes(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->mtime_ns == b->mtime_ns && a->size == b->size && a->inode == b->inode && a->btime_ns == b->btime_ns;
}

void file_row_init(struct file_row *row)
{
    *row = (struct file_row){.modified_s = 0};
    buf_init(&row->headers, FILE_HEADERS_MAX);
}

void file_row_free(struct file_row *row)
{
    buf_free(&row->headers);
}

enum file_match file_row_match(const struct file_row *row, const struct file_stamp *stamp)
{
    bool same = file_stamp_same_bytes(&row->stamp, stamp);
    if (row->id[0] == '\0')
        return same && row->stamp.ctime_ns == stamp->ctime_ns ? FILE_EXACT : FILE_NONE;
    if (same)
        return FILE_EXACT;
    return row->stamp.mtime_ns == stamp->mtime_ns && row->stamp.size == stamp->size ? FILE_LIKELY : FILE_NONE;
}

/* Everything but the headers. */
static bool row_read(sqlite3_stmt *statement, struct file_row *ret)
{
    ret->stamp = (struct file_stamp){
        .mtime_ns = sqlite3_column_int64(statement, 1),
        .size = (uint64_t)sqlite3_column_int64(statement, 2),
        .inode = (uint64_t)sqlite3_column_int64(statement, 3),
        .btime_ns = sqlite3_column_int64(statement, 4),
        .ctime_ns = sqlite3_column_int64(statement, 5),
    };
    ret->modified_s = sqlite3_column_int64(statement, 7);
    return sqlite_column_copy(statement, 0, ret->id, sizeof(ret->id)) &&
           sqlite_column_copy(statement, 6, ret->etag, sizeof(ret->etag)) &&
           sqlite_column_copy(statement, 8, ret->nonce, sizeof(ret->nonce));
}

/*
 * The nonce of what was replaced and the fencing token stand before the headers, in the form of some of them. So the
 * table is as it was, and releases that do not know these entries share the store with those that do: to them they are
 * more headers, which their copies carry along.
 */
static const char replaced_header[] = "x-amz-meta-oscommit-replaced";
static const char fencing_header[] = "x-amz-meta-oscommit-fencing";

/* Takes the entry `name` off `headers`, if they begin with it. One without a value is not ours: none is written. */
static void entry_read(struct text *headers, const char *name, char *ret, size_t ret_size)
{
    struct text rest = *headers;
    struct text value;
    if (text_take_str(&rest, name) && text_take_char(&rest, '\0') && text_take_until(&rest, '\0', &value) &&
        value.len > 0 && text_copy(value, ret, ret_size))
        *headers = rest;
}

bool file_row_unpack(struct text packed, struct file_row *ret)
{
    entry_read(&packed, replaced_header, ret->replaced, sizeof(ret->replaced));
    entry_read(&packed, fencing_header, ret->fencing, sizeof(ret->fencing));
    buf_reset(&ret->headers);
    return packed.len == 0 || buf_add(&ret->headers, packed.p, packed.len);
}

static bool headers_read(sqlite3_stmt *statement, struct file_row *ret)
{
    const void *blob = sqlite3_column_blob(statement, 9);
    int len = sqlite3_column_bytes(statement, 9);
    return (len == 0 || blob != NULL) && file_row_unpack(text_of(blob, blob != NULL ? (size_t)len : 0), ret);
}

/* ------------------------------------------------------------------------------------------------ open, find */

os_code file_index_create(const char *file, os_error *err)
{
    return sqlite_create(&spec, file, NULL, err);
}

os_code file_index_open(struct sqlite_pool *index, const char *file, os_error *err)
{
    return sqlite_pool_open(index, &spec, file, NULL, err);
}

void file_index_close(struct sqlite_pool *index)
{
    sqlite_pool_close(index);
}

/* Gives each row of a key to `each`, with the statement for what it did not copy. */
typedef bool (*row_statement_fn)(void *context, sqlite3_stmt *statement, const struct file_row *row);

static int rows_in(struct sqlite_conn *conn, const char *key, row_statement_fn each, void *context)
{
    sqlite3_stmt *find = sqlite_statement(conn, STATEMENT_FIND);
    if (find == NULL || sqlite3_bind_text(find, 1, key, -1, SQLITE_STATIC) != SQLITE_OK)
        return sqlite_code(conn);
    int rc = sqlite3_step(find);
    bool more = true;
    for (; rc == SQLITE_ROW && more; rc = more ? sqlite3_step(find) : SQLITE_DONE) {
        struct file_row row;
        file_row_init(&row);
        if (row_read(find, &row)) {
            more = each(context, find, &row);
        } else if (sqlite_code(conn) == SQLITE_NOMEM) { /* else it is not as we write it, and belongs to no file */
            (void)sqlite3_reset(find);
            return SQLITE_NOMEM;
        }
    }
    (void)sqlite3_reset(find);
    return rc == SQLITE_DONE ? SQLITE_OK : rc & 0xff;
}

static os_code rows_of(struct sqlite_pool *index, const char *key, row_statement_fn each, void *context, os_error *err)
{
    struct sqlite_conn *conn = NULL;
    os_code code = sqlite_take(index, sqlite_patience_ms(BUSY_TIMEOUT_MS), &conn, err);
    if (code != OS_OK)
        return code;
    int rc = rows_in(conn, key, each, context);
    if (rc != SQLITE_OK)
        code = sqlite_failed(conn, rc, "look up an object", err);
    sqlite_give(index, conn);
    return code;
}

struct search {
    const struct file_stamp *stamp;
    struct file_row *best;
    enum file_match match;
    bool failed;
};

static bool search_row(void *context, sqlite3_stmt *statement, const struct file_row *row)
{
    struct search *search = context;
    enum file_match match = file_row_match(row, search->stamp);
    if (match > search->match) {
        struct buf headers = search->best->headers;
        *search->best = *row;
        search->best->headers = headers;
        search->match = match;
        search->failed = !headers_read(statement, search->best);
    }
    return search->match != FILE_EXACT && !search->failed;
}

os_code file_index_find(struct sqlite_pool *index, const char *key, const struct file_stamp *stamp,
                        struct file_row *ret, enum file_match *ret_match, os_error *err)
{
    struct search search = {.stamp = stamp, .best = ret, .match = FILE_NONE};
    os_code code = rows_of(index, key, search_row, &search, err);
    if (code == OS_OK && search.failed)
        return error_no_memory(err);
    if (code == OS_OK)
        *ret_match = search.match;
    return code;
}

struct plain_rows {
    file_row_fn each;
    void *context;
};

static bool plain_row(void *context, sqlite3_stmt *statement, const struct file_row *row)
{
    (void)statement;
    const struct plain_rows *rows = context;
    return rows->each(rows->context, row);
}

os_code file_index_rows(struct sqlite_pool *index, const char *key, file_row_fn each, void *context, os_error *err)
{
    struct plain_rows rows = {each, context};
    return rows_of(index, key, plain_row, &rows, err);
}

/* -------------------------------------------------------------------------------------------------- add, remove */

/* All headers; before them the token, and before that what was replaced, if it fits (nobody needs to know it). */
void file_row_pack(const struct file_row *row, struct buf *ret)
{
    size_t replaced_size = strlen(row->replaced) + 1;
    size_t fencing_size = row->fencing[0] != '\0' ? sizeof(fencing_header) + strlen(row->fencing) + 1 : 0;
    if (replaced_size > 1 &&
        sizeof(replaced_header) + replaced_size + fencing_size + row->headers.len <= FILE_HEADERS_MAX) {
        buf_add(ret, replaced_header, sizeof(replaced_header));
        buf_add(ret, row->replaced, replaced_size);
    }
    if (fencing_size > 0) {
        buf_add(ret, fencing_header, sizeof(fencing_header));
        buf_add(ret, row->fencing, strlen(row->fencing) + 1);
    }
    buf_add(ret, buf_str(&row->headers), row->headers.len);
}

/* `headers` is packed, and borrowed. */
static int bind_row(sqlite3_stmt *add, const char *key, const struct file_row *row, const struct buf *headers)
{
    int rc = sqlite3_bind_text(add, 1, key, -1, SQLITE_STATIC); /* SQLITE_OK is 0, so that the codes can be gathered */
    rc |= sqlite3_bind_text(add, 2, row->id, -1, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(add, 3, row->stamp.mtime_ns);
    rc |= sqlite3_bind_int64(add, 4, (sqlite3_int64)row->stamp.size);
    rc |= sqlite3_bind_int64(add, 5, (sqlite3_int64)row->stamp.inode);
    rc |= sqlite3_bind_int64(add, 6, row->stamp.btime_ns);
    rc |= sqlite3_bind_int64(add, 7, row->stamp.ctime_ns);
    rc |= sqlite3_bind_text(add, 8, row->etag, -1, SQLITE_STATIC);
    rc |= sqlite3_bind_int64(add, 9, row->modified_s);
    rc |= sqlite_bind_text_or_null(add, 10, row->nonce);
    rc |= headers->len > 0 ? sqlite3_bind_blob(add, 11, headers->data, (int)headers->len, SQLITE_STATIC)
                           : sqlite3_bind_null(add, 11);
    return rc;
}

static int add_in(struct sqlite_conn *conn, const char *key, const struct file_row *row)
{
    sqlite3_stmt *add = sqlite_statement(conn, STATEMENT_ADD);
    if (add == NULL)
        return sqlite_code(conn);
    struct buf headers;
    buf_init(&headers, FILE_HEADERS_MAX);
    file_row_pack(row, &headers);
    bool bound = buf_ok(&headers) && bind_row(add, key, row, &headers) == SQLITE_OK;
    int rc = bound ? sqlite_run(add) : SQLITE_NOMEM;
    buf_free(&headers);
    return rc;
}

os_code file_index_add(struct sqlite_pool *index, const char *key, const struct file_row *row, os_error *err)
{
    struct sqlite_conn *conn = NULL;
    os_code code = sqlite_take(index, sqlite_patience_ms(BUSY_TIMEOUT_MS), &conn, err);
    if (code != OS_OK)
        return code;
    int rc = sqlite_begin(conn);
    if (rc == SQLITE_OK)
        rc = add_in(conn, key, row);
    if (rc == SQLITE_OK)
        rc = sqlite_commit(conn);
    if (rc != SQLITE_OK)
        code = sqlite_failed(conn, rc, "enter an object", err);
    sqlite_give(index, conn);
    return code;
}

/* A transaction that is not worth a flush. In WAL mode NORMAL never damages the file; the next FULL commit flushes it
 * along. */
static struct sqlite_conn *begin_lightly(struct sqlite_pool *index, uint32_t wait_ms)
{
    struct sqlite_conn *conn = NULL;
    if (sqlite_take(index, sqlite_patience_ms(wait_ms), &conn, NULL) != OS_OK)
        return NULL;
    if (sqlite_exec(conn, "PRAGMA synchronous=NORMAL") == SQLITE_OK && sqlite_begin(conn) == SQLITE_OK)
        return conn;
    conn->single_use = true;
    sqlite_give(index, conn);
    return NULL;
}

static void end_lightly(struct sqlite_pool *index, struct sqlite_conn *conn, int rc)
{
    if (rc == SQLITE_OK)
        (void)sqlite_commit(conn);
    sqlite_rollback(conn);
    conn->single_use = conn->single_use || sqlite_exec(conn, "PRAGMA synchronous=FULL") != SQLITE_OK;
    sqlite_give(index, conn);
}

void file_index_add_lightly(struct sqlite_pool *index, const char *key, const struct file_row *row)
{
    struct sqlite_conn *conn = begin_lightly(index, 0);
    if (conn != NULL)
        end_lightly(index, conn, add_in(conn, key, row));
}

void file_index_remove(struct sqlite_pool *index, const char *key, const char (*ids)[FILE_ID_SIZE], size_t count,
                       uint32_t wait_ms)
{
    struct sqlite_conn *conn = count > 0 ? begin_lightly(index, wait_ms) : NULL;
    if (conn == NULL)
        return;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < count && rc == SQLITE_OK; i++) {
        sqlite3_stmt *statement = sqlite_statement(conn, STATEMENT_REMOVE);
        rc = statement == NULL ? SQLITE_NOMEM : sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        rc |= statement == NULL ? 0 : sqlite3_bind_text(statement, 2, ids[i], -1, SQLITE_STATIC);
        rc = rc == SQLITE_OK ? sqlite_run(statement) : rc;
    }
    end_lightly(index, conn, rc);
}

void file_index_forget(struct sqlite_pool *index, const char (*ids)[FILE_ID_SIZE], size_t count)
{
    struct buf all; /* one text of all ids, so that one scan does it */
    buf_init(&all, (size_t)FILE_ID_SIZE * 1024);
    for (size_t i = 0; i < count; i++) {
        buf_add_str(&all, ids[i]);
        buf_add_char(&all, ' ');
    }
    struct sqlite_conn *conn = count > 0 && buf_ok(&all) ? begin_lightly(index, 0) : NULL;
    if (conn != NULL) {
        sqlite3_stmt *statement = sqlite_statement(conn, STATEMENT_FORGET);
        int rc = statement == NULL ? SQLITE_NOMEM : sqlite3_bind_text(statement, 1, buf_str(&all), -1, SQLITE_STATIC);
        end_lightly(index, conn, rc == SQLITE_OK ? sqlite_run(statement) : rc);
    }
    buf_free(&all);
}
