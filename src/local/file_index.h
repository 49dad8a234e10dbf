/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file cannot carry (ETag, nonces, content headers, metadata), in rows of SQLite. A file and its row cannot
 * change in one step, so a row does not say "this is what stands at the key", but "this is what belongs to the file
 * with this stamp at this key": it is written *before* the file is renamed to its place, and becomes true by the
 * rename. Until then, and after the file has been replaced, it matches nothing that a reader finds. Knows stamps, but
 * opens no object and removes no file: which rows are stale is decided in file_temp.c.
 *
 * THE STAMP travels with a file through a rename: its modification time, to whose nanoseconds the writer gives a random
 * value within the last second, its size, its inode number and its time of birth. Inode numbers are used again, sizes
 * repeat, but no two writes of a key draw the same time (30 random bits in each second), and whoever edits or replaces
 * the file by hand gives it a time of its own. Then no row matches, the ETag is computed from the bytes, and the nonce
 * is empty. Time and size alone are a hint (FILE_LIKELY): a tree that was copied or restored with its times (cp -a,
 * rsync -a) keeps them but not its inodes. The hint becomes a match when the MD5 of the bytes is the row's ETag, and so
 * headers and nonces survive a backup; they are never shown for other bytes. An ETag computed for a file without a row
 * is kept in a row of its own (`cached`, one per key). Such a row counts only with the same change time (ctime) too,
 * which nobody can set, and is written only when the file has rested for FILE_REST_NS, so that a second edit within the
 * clock's tick is not missed. Not noticed: an edit in place, of the same size, after which the old time is set again to
 * the nanosecond; and on a file system with whole-second times an edit in place of the same size within the second of
 * the write.
 */
#ifndef OSCOMMIT_LOCAL_FILE_INDEX_H
#define OSCOMMIT_LOCAL_FILE_INDEX_H

#include "base/buf.h"
#include "base/digest.h"
#include "base/text.h"
#include "sqlite/pool.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    FILE_ID_SIZE = 33,        /* 128 random bits in hex: the name of the temporary file, and of its row */
    FILE_NONCE_SIZE = 65,     /* as in struct file_object */
    FILE_ETAG_SIZE = 48,      /* "MD5-10000" in quotes, of an upload of parts, and a NUL */
    FILE_HEADERS_MAX = 8192,  /* packed */
    FILE_OWN_HEADERS_MAX = 64 /* of these: the fencing token */
};
#define FILE_REST_NS INT64_C(2000000000)

struct file_stamp {
    int64_t mtime_ns;
    uint64_t size;
    uint64_t inode;
    int64_t btime_ns; /* 0 where the file system keeps none */
    int64_t ctime_ns; /* changed by the rename itself: not part of the identity of a file that was put */
};

int file_stamp_read(int fd, struct file_stamp *ret); /* 0 or an errno */
bool file_stamp_same_bytes(const struct file_stamp *a,
                           const struct file_stamp *b); /* the same file, not written in between */

struct file_row {
    char id[FILE_ID_SIZE]; /* "": cached */
    struct file_stamp stamp;
    char etag[FILE_ETAG_SIZE];
    int64_t modified_s;
    char nonce[FILE_NONCE_SIZE];
    char replaced[FILE_NONCE_SIZE];
    char fencing[TEXT_NUMBER_SIZE];
    struct buf headers; /* "name NUL value NUL" repeated; names as in HTTP, metadata as "x-amz-meta-NAME" */
};
void file_row_init(struct file_row *row);
void file_row_free(struct file_row *row);
/* All headers in one, before them the fencing token and what was replaced; and back. False: no memory. */
void file_row_pack(const struct file_row *row, struct buf *ret);
bool file_row_unpack(struct text packed, struct file_row *ret);

enum file_match { FILE_NONE, FILE_LIKELY, FILE_EXACT };
enum file_match file_row_match(const struct file_row *row, const struct file_stamp *stamp);

os_code file_index_create(const char *file, os_error *err);
os_code file_index_open(struct sqlite_pool *index, const char *file, os_error *err);
void file_index_close(struct sqlite_pool *index);

/* The row of `key` that matches best. `ret` was initialised, and is untouched when nothing matches. */
os_code file_index_find(struct sqlite_pool *index, const char *key, const struct file_stamp *stamp,
                        struct file_row *ret, enum file_match *ret_match, os_error *err);

/* Writes a row, replacing the one of the same key and id. On disk when it returns (synchronous=FULL), so that the
 * rename may follow. */
os_code file_index_add(struct sqlite_pool *index, const char *key, const struct file_row *row, os_error *err);
/* The same for what can be found out again: not flushed, given up at once when the database is busy, full or read-only.
 */
void file_index_add_lightly(struct sqlite_pool *index, const char *key, const struct file_row *row);

/* Calls `each` with every row of `key`, without its headers and `replaced`, until it returns false. */
typedef bool (*file_row_fn)(void *context, const struct file_row *row);
os_code file_index_rows(struct sqlite_pool *index, const char *key, file_row_fn each, void *context, os_error *err);

/* Housekeeping, not flushed; what fails is left for the next time. `wait_ms`: how long a busy database is waited for.
 */
void file_index_remove(struct sqlite_pool *index, const char *key, const char (*ids)[FILE_ID_SIZE], size_t count,
                       uint32_t wait_ms);
/* Rows of any key, by id: a scan of the whole table. */
void file_index_forget(struct sqlite_pool *index, const char (*ids)[FILE_ID_SIZE], size_t count);

#endif
