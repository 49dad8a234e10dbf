/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store: objects are plain files below a root; what a file cannot carry (ETag, nonce, metadata, content
 * headers) stands in SQLite below ROOT/.oscommit/. Blocking; every function may be called from several threads and
 * processes at once. Survives SIGKILL at any instant: a reader sees the old object whole or the new one whole, with its
 * own ETag and nonce, never a mixture. The clock of this store is the local CLOCK_REALTIME.
 *
 * Errors of put, copy and delete are definite: nothing was changed, and nothing will be. The one exception is
 * OS_ERR_UNDECIDED (R10: HEAD tells): the very call that changes the name at the key failed, which may have taken
 * effect all the same; or the change is made and seen by everybody, but could not be flushed to disk, so that a power
 * failure may undo it.
 *
 * Files that were put, edited, moved or restored by hand are objects too: their ETag is computed from the bytes, and
 * they have no nonce.
 */
#ifndef OSCOMMIT_LOCAL_FILE_STORE_H
#define OSCOMMIT_LOCAL_FILE_STORE_H

#include "base/http_message.h"
#include "oscommit.h"
#include "sqlite/sqlite.h"

#include <stdbool.h>
#include <stdint.h>

struct file_store;

os_code file_store_init(
    const char *root,
    os_error *err); /* os_init; also makes the ledger ROOT/.oscommit/ledger.db. Doing it twice is fine */
os_code file_store_open(const char *root, struct file_store **ret,
                        os_error *err); /* OS_ERR_CONFIG if os_init has not been there */
void file_store_close(struct file_store *store);

/* The same store for one call, which waits no longer than `limit` for a busy index: OS_ERR_THROTTLED then, and nothing
 * was changed. Work that takes long in itself ends when `limit->cancelled` says so, at its next block:
 * OS_ERR_CANCELLED, and nothing was changed; the flush of what was written is waited for once it has begun. Returned
 * before the store is closed; NULL when out of memory. */
struct file_store *file_store_lend(const struct file_store *store, const struct sqlite_patience *limit);
void file_store_return(struct file_store *lent);

struct file_content { /* NULL: not given */
    const char *content_type, *content_encoding, *content_language, *content_disposition, *cache_control;
    const os_metadata *metadata;
    size_t metadata_count;
    const char *fencing; /* a number */
    const char *nonce;
    const char *replaced; /* nonce of the version that is replaced; not of an upload */
};
struct file_object { /* filled by value; as os_object */
    char etag[128];
    uint64_t length;
    int64_t last_modified_s;
    uint64_t fencing; /* 0: none */
    char content_type[256];
    char nonce[65];
    char replaced[65];
};

/* Keys are refused with OS_ERR_ARGUMENT when they cannot be file names below the root: leading or trailing '/', empty,
 * "." or ".." segments, a first segment
 * ".oscommit", NUL, over 1,024 bytes, a segment over 255 bytes; also a key that needs a folder where an object stands,
 * or the reverse. */
os_code file_store_check_key(const char *key, os_error *err);
os_code file_store_head(struct file_store *store, const char *key, struct file_object *ret, os_error *err);
/* [offset, offset + count), cut at the end of the object; count 0: to the end. */
struct file_range {
    uint64_t offset;
    uint64_t count;
};
/* `range` NULL: the whole object. One that starts behind the last byte is OS_ERR_ARGUMENT. A sink that returns non-zero
 * ends the call with OS_ERR_STOPPED. */
typedef int (*file_sink_fn)(void *context, const void *data, size_t length);
os_code file_store_get(struct file_store *store, const char *key, const struct file_range *range, file_sink_fn sink,
                       void *context, struct file_object *ret, os_error *err);
/* Conditions are not looked at here: the guard alone decides, as on a store that has none. A body file of another
 * length than `body->length` is OS_ERR_BODY. Metadata (names and values) is limited to 2 KiB as on S3, each content
 * header to 1 KiB (content type: 255 bytes), nonces to 64 bytes: more is OS_ERR_ARGUMENT. */
os_code file_store_put(struct file_store *store, const char *key, const struct http_body *body,
                       const struct file_content *content, struct file_object *ret, os_error *err);
/* Metadata and content headers of the source are carried over, its nonces and its fencing token are not. */
struct file_copy_request {
    const char *source_key;
    const char *source_etag; /* the version that must be copied (else OS_ERR_SOURCE); NULL: any */
    const char *key;
    const char *nonce;    /* NULL: none */
    const char *fencing;  /* a number; NULL: none */
    const char *replaced; /* NULL: not known */
};
os_code file_store_copy(struct file_store *store, const struct file_copy_request *wanted, struct file_object *ret,
                        os_error *err);
os_code file_store_delete(struct file_store *store, const char *key,
                          os_error *err); /* an absent key is OS_OK, as on S3 */
/* `each` returns false to stop: OS_ERR_STOPPED. `object` is NULL for a common prefix. With a delimiter, a common prefix
 * that equals `start_after` is not given again. */
typedef bool (*file_list_fn)(void *context, const char *key, bool is_prefix, const struct file_object *object);
struct file_list_range { /* NULL, 0: not bounded by it */
    const char *prefix;
    const char *delimiter;
    const char *start_after;
    uint64_t max_keys;
};
os_code file_store_list(struct file_store *store, const struct file_list_range *range, file_list_fn each, void *context,
                        os_error *err); /* key order: UTF-8 bytes */

#endif
