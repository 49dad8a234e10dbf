/* SPDX-License-Identifier: Apache-2.0 */
/* Put and copy: the bytes into a temporary file, its row into the index, its name to the key, in this order
 * (file_store.c). */
#include "local/file_internal.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COPY_AT_ONCE_MAX = 16 * 1024 * 1024, /* by the kernel, which hears of no cancellation meanwhile */
    HEADER_MAX = 1024,
    CONTENT_TYPE_MAX = 255, /* struct file_object */
    METADATA_MAX = 2048     /* S3, "Working with object metadata": names and values together */
};

/* ---------------------------------------------------------------------------------------------- nonces, headers */

static os_code set_nonce(char ret[FILE_NONCE_SIZE], const char *nonce, os_error *err)
{
    size_t len = nonce == NULL ? 0 : strlen(nonce);
    if (len >= FILE_NONCE_SIZE)
        return error_set(err, OS_ERR_ARGUMENT, "A nonce of %zu bytes is too long for the store.", len);
    memcpy(ret, nonce == NULL ? "" : nonce, len + 1);
    return OS_OK;
}

static os_code set_nonces(struct file_row *row, const char *nonce, const char *replaced, os_error *err)
{
    os_code code = set_nonce(row->nonce, nonce, err);
    return code == OS_OK ? set_nonce(row->replaced, replaced, err) : code;
}

static os_code check_metadata(const struct file_content *content, os_error *err)
{
    size_t total = 0;
    for (size_t i = 0; i < content->metadata_count && total <= METADATA_MAX; i++) {
        const os_metadata *entry = &content->metadata[i];
        if (entry->name == NULL || entry->name[0] == '\0')
            return error_set(err, OS_ERR_ARGUMENT, "An entry of the object's metadata has no name.");
        total += strlen(entry->name) + (entry->value == NULL ? 0 : strlen(entry->value));
    }
    if (total > METADATA_MAX) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The object's metadata is longer than the 2,048 bytes that a store takes; shorten it.");
    }
    return OS_OK;
}

static void pack(struct buf *headers, const char *prefix, const char *name, const char *value)
{
    buf_add_str(headers, prefix);
    buf_add(headers, name, strlen(name) + 1);
    buf_add(headers, value == NULL ? "" : value, value == NULL ? 1 : strlen(value) + 1);
}

static os_code set_headers(struct file_row *row, const struct file_content *content, os_error *err)
{
    const struct {
        const char *name, *value;
        size_t max;
    } headers[] = {
        {"content-type", content->content_type, CONTENT_TYPE_MAX},
        {"content-encoding", content->content_encoding, HEADER_MAX},
        {"content-language", content->content_language, HEADER_MAX},
        {"content-disposition", content->content_disposition, HEADER_MAX},
        {"cache-control", content->cache_control, HEADER_MAX},
    };
    os_code code = check_metadata(content, err);
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]) && code == OS_OK; i++) {
        const char *value = headers[i].value;
        if (value == NULL || value[0] == '\0')
            continue;
        if (strlen(value) > headers[i].max) {
            return error_set(err, OS_ERR_ARGUMENT, "The object's %s is longer than %zu bytes; shorten it.",
                             headers[i].name, headers[i].max);
        }
        pack(&row->headers, "", headers[i].name, value);
    }
    for (size_t i = 0; i < content->metadata_count && code == OS_OK; i++)
        pack(&row->headers, "x-amz-meta-", content->metadata[i].name, content->metadata[i].value);
    return code != OS_OK || buf_ok(&row->headers) ? code : error_no_memory(err);
}

/* After the headers, with which it shares the room. */
static os_code set_fencing(struct file_row *row, const char *fencing, os_error *err)
{
    if (!TEXT_COPY_STR(fencing, row->fencing))
        return error_set(err, OS_ERR_ARGUMENT, "A fencing token is a number of at most 20 digits.");
    if (row->fencing[0] != '\0' && row->headers.len > FILE_HEADERS_MAX - FILE_OWN_HEADERS_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The object's headers leave no room for its fencing token; shorten them.");
    return OS_OK;
}

os_code file_row_set_content(struct file_row *row, const struct file_content *content, os_error *err)
{
    os_code code = set_nonces(row, content->nonce, content->replaced, err);
    if (code == OS_OK)
        code = set_headers(row, content, err);
    return code == OS_OK ? set_fencing(row, content->fencing, err) : code;
}

/* ----------------------------------------------------------------------------------------------------- the bytes */

static int write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, data, len);
        if (done < 0 && errno != EINTR)
            return errno;
        data += done > 0 ? done : 0;
        len -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

os_code file_write_block(const struct file_store *store, int fd, struct digest_stream *md5, const char *data,
                         size_t len, const char *key, os_error *err)
{
    os_code code = file_go_on(store, key, err);
    if (code != OS_OK)
        return code;
    digest_stream_add(md5, data, len);
    int error = write_all(fd, data, len);
    return error == 0 ? OS_OK : file_failed(err, error, "write", key);
}

static os_code write_memory(const struct file_store *store, int fd, struct digest_stream *md5,
                            const struct http_body *body, const char *key, os_error *err)
{
    const char *data = body->data;
    os_code code = OS_OK;
    for (uint64_t done = 0; code == OS_OK && done < body->length;) {
        uint64_t left = body->length - done;
        size_t len = left < FILE_BLOCK ? (size_t)left : FILE_BLOCK; /* digested and written while it is in the cache */
        code = file_write_block(store, fd, md5, data + done, len, key, err);
        done += len;
    }
    return code;
}

static os_code body_changed(const char *key, const char *how, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_BODY,
                     "The file that was to become \"%s\" %s while it was read; nothing was written. Try again when "
                     "nobody writes to it.",
                     file_shown(key, shown), how);
}

static os_code write_file(const struct file_store *store, int fd, struct digest_stream *md5,
                          const struct http_body *body, const char *key, os_error *err)
{
    char *block = malloc(FILE_BLOCK);
    os_code code = block == NULL ? error_no_memory(err) : OS_OK;
    uint64_t done = 0;
    while (code == OS_OK && done <= body->length) { /* one read more than there is: has it grown? */
        uint64_t left = body->length - done;
        size_t want = left == 0 ? 1 : left < FILE_BLOCK ? (size_t)left : FILE_BLOCK;
        int64_t got = fd_read_at(body->fd, block, want, done);
        if (got < 0) {
            code = file_failed(err, errno, "read the body of", key);
        } else if (left == 0) {
            code = got == 0 ? OS_OK : body_changed(key, "grew", err);
            break;
        } else if (got == 0) {
            code = body_changed(key, "shrank", err);
        } else {
            code = file_write_block(store, fd, md5, block, (size_t)got, key, err);
            done += (uint64_t)got;
        }
    }
    free(block);
    return code;
}

os_code file_write_body(struct file_store *store, int fd, const struct http_body *body, const char *key, char *ret_etag,
                        os_error *err)
{
    struct digest_stream md5;
    os_code code = digest_stream_begin(&md5, "MD5") ? OS_OK : error_no_memory(err);
    if (code == OS_OK && body != NULL && body->kind == HTTP_BODY_MEMORY)
        code = write_memory(store, fd, &md5, body, key, err);
    else if (code == OS_OK && body != NULL && body->kind == HTTP_BODY_FILE)
        code = write_file(store, fd, &md5, body, key, err);
    if (code == OS_OK && !digest_stream_etag(&md5, ret_etag))
        code = error_no_memory(err);
    digest_stream_free(&md5);
    return code;
}

/* ---------------------------------------------------------------------------------------------------- publishing */

os_code file_undecided(os_error *err, int error, const char *done, const char *key)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(
        err, OS_ERR_UNDECIDED,
        "The object \"%s\" is %s, but its folder could not be flushed to disk (%s): a power failure may undo it.",
        file_shown(key, shown), done, strerror(error));
}

/* Gives the file the time that tells it from every other file of this key, and flushes it. 0 or an errno. */
static int seal(int fd, struct file_row *row)
{
    const int64_t second = INT64_C(1000000000);
    uint64_t random;
    if (!random_bytes(&random, sizeof(random)))
        return EIO;
    int64_t now = file_now_ns();
    int64_t mtime =
        now - (int64_t)(random % (uint64_t)second); /* never in the future, which would worry make(1) and backups */
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime / second, .tv_nsec = mtime % second}};
    if (futimens(fd, times) != 0 || fsync(fd) != 0)
        return errno;
    row->modified_s = now / second;
    return file_stamp_read(fd, &row->stamp);
}

/* The file may stand at the key: then a HEAD that shows its nonce is taken for the proof of it (V4), so its row stays,
 * and what can be flushed is. If it does not, the row matches nothing, and goes with the next write of the key. */
static void leave_undecided(struct file_place *place, const char *key, int parent)
{
    if (parent >= 0) {
        (void)file_sync_folders(parent, key);
        (void)close(parent);
    }
    file_prune_above(&place->root, key);
}

os_code file_publish(struct file_store *store, const char *key, struct file_temp *temp, struct file_row *row,
                     os_error *err)
{
    struct file_place *place = &store->place;
    os_code code = file_go_on(store, key, err);
    int error = code == OS_OK ? seal(temp->fd, row) : 0;
    if (error != 0)
        return file_failed(err, error, "flush to disk", key);
    memcpy(row->id, temp->id, sizeof(row->id));
    if (code == OS_OK)
        code = file_go_on(store, key, err); /* the flush cannot be ended, and may have taken long */
    if (code == OS_OK)
        code = file_index_add(&place->index, key, row, err);
    if (code != OS_OK)
        return code;
    int parent = -1;
    code = file_temp_rename(place, temp, key, &parent, err);
    if (code == OS_ERR_UNDECIDED) {
        leave_undecided(place, key, parent);
        return code;
    }
    if (code != OS_OK) {
        file_prune_above(&place->root, key);
        file_temp_close(temp);
        file_index_remove(&place->index, key, (const char(*)[FILE_ID_SIZE]) & row->id, 1, 0);
        return code;
    }
    struct file_stale stale;
    file_stale_find(place, key, &stale);
    error = file_sync_folders(parent, key);
    (void)close(parent);
    if (error != 0)
        return file_undecided(err, error, "written", key);
    file_stale_remove(place, key, &stale);
    return OS_OK;
}

static os_code write_finish(struct file_store *store, const char *key, struct file_temp *temp, struct file_row *row,
                            os_code code, struct file_object *ret, os_error *err)
{
    if (code == OS_OK)
        code = file_publish(store, key, temp, row, err);
    if (code == OS_OK)
        file_row_describe(row, ret);
    file_temp_close(temp);
    return code;
}

os_code file_store_put(struct file_store *store, const char *key, const struct http_body *body,
                       const struct file_content *content, struct file_object *ret, os_error *err)
{
    struct file_row row;
    struct file_temp temp = {.fd = -1};
    file_row_init(&row);
    os_code code = file_store_check_key(key, err);
    if (code == OS_OK && content != NULL)
        code = file_row_set_content(&row, content, err);
    if (code == OS_OK)
        code = file_temp_create(&store->place, key, &temp, err);
    if (code == OS_OK)
        code = file_write_body(store, temp.fd, body, key, row.etag, err);
    code = write_finish(store, key, &temp, &row, code, ret, err);
    file_row_free(&row);
    return code;
}

/* -------------------------------------------------------------------------------------------------------------- copy
 */

os_code file_source_changed(const char *key, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_SOURCE,
                     "The source \"%s\" was changed before or during the copy; nothing was written. Look at it again.",
                     file_shown(key, shown));
}

struct copying {
    const struct file_store *store;
    const struct file_view *source;
    int to;
    const char *source_key, *key;
};

static os_code copy_by_reading(const struct copying *copying, uint64_t done, os_error *err)
{
    const struct file_view *source = copying->source;
    char *block = malloc(FILE_BLOCK);
    os_code code = block == NULL ? error_no_memory(err) : OS_OK;
    while (code == OS_OK && done < source->stamp.size) {
        code = file_go_on(copying->store, copying->key, err);
        if (code != OS_OK)
            break;
        uint64_t left = source->stamp.size - done;
        int64_t got = fd_read_at(source->fd, block, left < FILE_BLOCK ? (size_t)left : FILE_BLOCK, done);
        if (got < 0) {
            code = file_failed(err, errno, "read", copying->source_key);
        } else if (got == 0) {
            code = file_source_changed(copying->source_key, err);
        } else {
            int error = write_all(copying->to, block, (size_t)got);
            code = error == 0 ? OS_OK : file_failed(err, error, "write", copying->key);
            done += (uint64_t)got;
        }
    }
    free(block);
    return code;
}

/* Shares the blocks where the file system can (btrfs, XFS), lets the kernel copy where it can, and copies the rest by
 * hand. */
static os_code copy_bytes(const struct copying *copying, os_error *err)
{
    const struct file_view *source = copying->source;
    struct stat st;
    if (ioctl(copying->to, FICLONE, source->fd) == 0) {
        bool whole = fstat(copying->to, &st) == 0 && (uint64_t)st.st_size == source->stamp.size;
        return whole ? OS_OK : file_source_changed(copying->source_key, err);
    }
    off_t from = 0;
    while ((uint64_t)from < source->stamp.size) {
        os_code code = file_go_on(copying->store, copying->key, err);
        if (code != OS_OK)
            return code;
        uint64_t left = source->stamp.size - (uint64_t)from;
        size_t piece = left < COPY_AT_ONCE_MAX ? (size_t)left : COPY_AT_ONCE_MAX;
        ssize_t done = copy_file_range(source->fd, &from, copying->to, NULL, piece, 0);
        if (done < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
            return file_failed(err, errno, "write", copying->key);
        if (done <= 0 && !(done < 0 && errno == EINTR))
            break; /* not possible here, or at its end: the reader finds out which */
    }
    return copy_by_reading(copying, (uint64_t)from, err);
}

os_code file_open_source(struct file_store *store, const char *key, const char *etag, struct file_view *ret,
                         os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    os_code code = file_view_open(store, key, ret, err);
    if (code == OS_ERR_NOT_FOUND)
        return error_set(err, OS_ERR_SOURCE, "There is no object \"%s\" to copy.", file_shown(key, shown));
    if (code == OS_OK && etag != NULL && strcmp(etag, ret->row.etag) != 0) {
        code = error_set(err, OS_ERR_SOURCE,
                         "The source \"%s\" now has the ETag %s, not %.40s; look at it again before it is copied.",
                         file_shown(key, shown), ret->row.etag, etag);
        file_view_close(ret);
    }
    return code;
}

os_code file_store_copy(struct file_store *store, const struct file_copy_request *wanted, struct file_object *ret,
                        os_error *err)
{
    struct file_view source;
    struct file_temp temp = {.fd = -1};
    os_code code = file_store_check_key(wanted->source_key, err);
    if (code == OS_OK)
        code = file_store_check_key(wanted->key, err);
    if (code == OS_OK)
        code = file_open_source(store, wanted->source_key, wanted->source_etag, &source, err);
    if (code != OS_OK)
        return code;
    struct file_row row = source.row; /* ETag and headers go along */
    code = set_nonces(&row, wanted->nonce, wanted->replaced, err);
    if (code == OS_OK)
        code = set_fencing(&row, wanted->fencing, err);
    if (code == OS_OK)
        code = file_temp_create(&store->place, wanted->key, &temp, err);
    if (code == OS_OK) {
        struct copying copying = {store, &source, temp.fd, wanted->source_key, wanted->key};
        code = copy_bytes(&copying, err);
    }
    if (code == OS_OK && !file_view_is_intact(&source))
        code = file_source_changed(wanted->source_key, err);
    code = write_finish(store, wanted->key, &temp, &row, code, ret, err);
    file_view_close(&source); /* frees the headers, which are the row's too */
    return code;
}
