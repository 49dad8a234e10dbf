/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uploads in parts to the embedded store. The bytes go to their place in one file at once, in any order; a Complete
 * makes that file the object by a rename, and copies nothing. Blocking, from any number of threads and processes, as
 * file_store.h; how a crash is survived is told in file_staging.h. An upload that nobody completes or aborts stays.
 *
 * OS_ERR_NOT_FOUND from everything that takes an upload id: it is not open (any more), or is another key's.
 */
#ifndef OSCOMMIT_LOCAL_FILE_UPLOAD_H
#define OSCOMMIT_LOCAL_FILE_UPLOAD_H

#include "local/file_index.h"
#include "local/file_store.h"

/* `ret_id` holds FILE_ID_SIZE. `content` (NULL: none) becomes the object's. */
os_code file_upload_create(struct file_store *store, const char *key, const struct file_content *content, char *ret_id,
                           os_error *err);

/* A part of an upload: which, and where its bytes stand in the object. It may be written again, with other bytes and at
 * another place; other parts whose bytes it then overwrites are gone. */
struct file_part_place {
    const char *id;
    uint32_t number; /* 1 to 10,000 */
    uint64_t offset;
};
struct file_part {
    uint32_t number;
    char etag[MD5_ETAG_SIZE]; /* MD5 of its bytes */
    uint64_t length;
    int64_t modified_s;
};
os_code file_upload_part(struct file_store *store, const char *key, const struct file_part_place *place,
                         const struct http_body *body, struct file_part *ret, os_error *err);

/* A range of an object, as `etag` has it (NULL: as it is); `count` 0: from the offset to its end. OS_ERR_SOURCE when it
 * is absent, another version, or shorter. */
struct file_part_source {
    const char *key;
    const char *etag;
    uint64_t offset;
    uint64_t count;
};
os_code file_upload_part_copy(struct file_store *store, const char *key, const struct file_part_place *place,
                              const struct file_part_source *source, struct file_part *ret, os_error *err);

/* A Complete, in two steps so that the key's lock is held only for the second one. The first checks that the parts are
 * there with these ETags and follow each other without a gap (else OS_ERR_ARGUMENT; parts that are not named do not
 * become part of the object), flushes the bytes, and keeps everybody else from the upload. The second is the rename,
 * and answers as file_store_put: every error but OS_ERR_UNDECIDED leaves the upload open. */
struct file_part_name {
    uint32_t number;
    const char *etag;
};
struct file_completion;
os_code file_upload_check(struct file_store *store, const char *key, const char *id, const struct file_part_name *parts,
                          size_t count, struct file_completion **ret, os_error *err);
os_code file_upload_complete(struct file_completion *completion, struct file_object *ret, os_error *err);
void file_completion_free(struct file_completion *completion); /* NULL is fine; lets go of the upload */

os_code file_upload_abort(struct file_store *store, const char *key, const char *id, os_error *err);

/* Parts of one upload with a number above `after`, at most `most`, by rising number. *ret_more: there are more.
 * OS_ERR_STOPPED when `each` returned false. */
typedef bool (*file_part_fn)(void *context, const struct file_part *part);
struct file_part_range {
    const char *key;
    const char *id;
    uint32_t after;
    uint32_t most;
};
os_code file_upload_parts(struct file_store *store, const struct file_part_range *range, file_part_fn each,
                          void *context, bool *ret_more, os_error *err);

/* Open uploads whose key begins with `prefix` (NULL: all), by key and id, behind the pair of `after_key` and `after_id`
 * (NULL: from the first one). As file_upload_parts otherwise. */
typedef bool (*file_upload_fn)(void *context, const char *key, const char *id, int64_t initiated_s);
struct file_upload_range {
    const char *prefix;
    const char *after_key;
    const char *after_id;
    uint32_t most;
};
os_code file_upload_list(struct file_store *store, const struct file_upload_range *range, file_upload_fn each,
                         void *context, bool *ret_more, os_error *err);

#endif
