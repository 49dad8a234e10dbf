/* SPDX-License-Identifier: Apache-2.0 */
/* What file_store.c, file_view.c, file_write.c, file_list.c, file_upload.c and file_complete.c share, and nobody else
 * sees. */
#ifndef OSCOMMIT_LOCAL_FILE_INTERNAL_H
#define OSCOMMIT_LOCAL_FILE_INTERNAL_H

#include "base/digest.h"
#include "local/file_store.h"
#include "local/file_temp.h"

enum {
    FILE_BLOCK = 256 * 1024 /* bytes read or written at once */
};

struct file_store {
    struct file_place place;
};

/* One version of one object, pinned: the open file, its stamp, and its own row (computed when the index has none). */
struct file_view {
    int fd;
    struct file_stamp stamp;
    struct file_row row;
};

/* Asked before each block of what may take long, and before anything is published: OS_ERR_CANCELLED when the call that
 * the store is lent for was cancelled. Its `until_ms` is how long it may wait for others, not how long its own work may
 * take: guards ask with a few seconds, and the bytes of a file that was put by hand take as long as they take. */
os_code file_go_on(const struct file_store *store, const char *key, os_error *err);

/* OS_ERR_NOT_FOUND, OS_ERR_ARGUMENT for a link or a thing that is no file, ... The key was checked. */
os_code file_view_open(struct file_store *store, const char *key, struct file_view *ret, os_error *err);
void file_view_close(struct file_view *view);
void file_view_describe(const struct file_view *view, struct file_object *ret);
void file_row_describe(const struct file_row *row, struct file_object *ret);
/* Still the bytes of its stamp. If not, they were written over in place. */
bool file_view_is_intact(const struct file_view *view);

/* OS_ERR_UNDECIDED of the flush: the change is seen by everybody, but the flush of the folder failed. `done` is
 * "written" or "deleted". The change itself: file_applying_failed. */
os_code file_undecided(os_error *err, int error, const char *done, const char *key);

/* Nonces and headers, packed; the row was initialised. OS_ERR_ARGUMENT for what is too long. */
os_code file_row_set_content(struct file_row *row, const struct file_content *content, os_error *err);

/* Writes from where `fd` stands. `ret_etag` holds MD5_ETAG_SIZE. */
os_code file_write_body(struct file_store *store, int fd, const struct http_body *body, const char *key, char *ret_etag,
                        os_error *err);
os_code file_write_block(const struct file_store *store, int fd, struct digest_stream *md5, const char *data,
                         size_t len, const char *key, os_error *err);

/* As file_view_open, of what is copied: OS_ERR_SOURCE when it is absent or not that version. */
os_code file_open_source(struct file_store *store, const char *key, const char *etag, struct file_view *ret,
                         os_error *err);
os_code file_source_changed(const char *key, os_error *err); /* OS_ERR_SOURCE */

/* The temporary file becomes the object. `row` has ETag, nonce and headers. OS_ERR_CANCELLED: only before
 * its row is entered, and nothing was done. */
os_code file_publish(struct file_store *store, const char *key, struct file_temp *temp, struct file_row *row,
                     os_error *err);

int64_t file_now_ns(void); /* CLOCK_REALTIME */

#endif
