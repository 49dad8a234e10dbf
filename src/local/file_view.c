/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading one version: the file is opened first, and stays open; then the row that belongs to it is looked up. A row is
 * in the index before its file is at the key, and goes only when the file has been superseded: so a file without a row
 * is either no longer what stands at the key (then look again), or was put there by hand.
 */
#include "local/file_internal.h"

#include "base/error.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { VIEW_TRIES_MAX = 200 }; /* each lost to two other writes of the key, or an edit, meanwhile */

int64_t file_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

os_code file_go_on(const struct file_store *store, const char *key, os_error *err)
{
    const _Atomic int *cancelled = store->place.index.limit.cancelled;
    if (cancelled == NULL || atomic_load(cancelled) == 0)
        return OS_OK;
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_CANCELLED, "The call was cancelled while the bytes of \"%s\" were read or written.",
                     file_shown(key, shown));
}

/* ------------------------------------------------------------------------------------------------ the open file */

static os_code not_found(const char *key, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_NOT_FOUND, "There is no object \"%s\".", file_shown(key, shown));
}

static os_code not_opened(const char *key, int error, os_error *err)
{
    bool absent = error == ENOENT || error == ENOTDIR;
    return absent ? not_found(key, err) : file_failed(err, error, "open", key);
}

/* What was opened is no file: a folder is no object, anything else may not stand there. */
static os_code no_file(const char *key, bool is_folder, os_error *err)
{
    if (is_folder)
        return not_found(key, err);
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_ARGUMENT, "Cannot open \"%s\": something that is not a file has this name.",
                     file_shown(key, shown));
}

static os_code open_file(struct file_store *store, const char *key, struct file_view *view, os_error *err)
{
    struct stat st;
    int fd = file_open_below(&store->place.root, key, O_RDONLY | O_NONBLOCK); /* a FIFO would block */
    if (fd < 0 && errno != ENXIO)                                             /* ENXIO: a socket */
        return not_opened(key, errno, err);
    int error = fd >= 0 && fstat(fd, &st) != 0 ? errno : 0;
    bool is_file = fd >= 0 && error == 0 && S_ISREG(st.st_mode);
    if (is_file)
        error = file_stamp_read(fd, &view->stamp);
    if (is_file && error == 0) {
        view->fd = fd;
        return OS_OK;
    }
    if (fd >= 0)
        (void)close(fd);
    return error != 0 ? file_failed(err, error, "look at", key) : no_file(key, fd >= 0 && S_ISDIR(st.st_mode), err);
}

static void close_file(struct file_view *view)
{
    if (view->fd >= 0) {
        (void)close(view->fd);
        view->fd = -1;
    }
}

bool file_view_is_intact(const struct file_view *view)
{
    struct file_stamp now;
    return file_stamp_read(view->fd, &now) == 0 && file_stamp_same_bytes(&now, &view->stamp);
}

/* Whether the open file is what stands at the key now. */
static bool is_current(struct file_store *store, const char *key, const struct file_view *view)
{
    struct file_stamp now;
    int fd = file_open_below(&store->place.root, key, O_PATH);
    if (fd < 0)
        return false;
    bool same = file_stamp_read(fd, &now) == 0 && file_stamp_same_bytes(&now, &view->stamp);
    (void)close(fd);
    return same;
}

/* -------------------------------------------------------------------------------------------- files without a row */

enum digest_state { DIGEST_DONE, DIGEST_CHANGED, DIGEST_FAILED, DIGEST_CANCELLED };

static enum digest_state digest_blocks(const struct file_store *store, const struct file_view *view,
                                       struct digest_stream *md5, char *block)
{
    uint64_t offset = 0;
    while (offset < view->stamp.size) {
        if (file_go_on(store, "", NULL) != OS_OK)
            return DIGEST_CANCELLED;
        int64_t got = fd_read_at(view->fd, block, FILE_BLOCK, offset);
        if (got <= 0)
            return got < 0 ? DIGEST_FAILED : DIGEST_CHANGED;
        digest_stream_add(md5, block, (size_t)got);
        offset += (uint64_t)got;
    }
    return DIGEST_DONE;
}

/* The ETag of the bytes, if they were not written while they were read. */
static enum digest_state file_view_digest(struct file_store *store, const struct file_view *view, char *ret_etag)
{
    struct file_stamp after;
    struct digest_stream md5;
    char *block = malloc(FILE_BLOCK);
    errno = ENOMEM; /* for what OpenSSL does not say */
    enum digest_state state =
        digest_stream_begin(&md5, "MD5") && block != NULL ? digest_blocks(store, view, &md5, block) : DIGEST_FAILED;
    if (state == DIGEST_DONE && !digest_stream_etag(&md5, ret_etag)) {
        errno = ENOMEM;
        state = DIGEST_FAILED;
    }
    int error = errno;
    digest_stream_free(&md5);
    free(block);
    errno = error;
    if (state == DIGEST_DONE && file_stamp_read(view->fd, &after) != 0)
        state = DIGEST_FAILED;
    bool same =
        state != DIGEST_DONE || (file_stamp_same_bytes(&after, &view->stamp) && after.ctime_ns == view->stamp.ctime_ns);
    return same ? state : DIGEST_CHANGED;
}

/* Whether so much time has passed since the last change that another one would give the file another time. */
static bool has_rested(const struct file_stamp *stamp)
{
    int64_t now = file_now_ns();
    return stamp->mtime_ns <= now - FILE_REST_NS && stamp->ctime_ns <= now - FILE_REST_NS;
}

/* The row of a file that has none of its own, or has one that belongs to the same bytes at the same time. Kept for the
 * next reader. */
static enum digest_state view_settle(struct file_store *store, const char *key, struct file_view *view,
                                     enum file_match match)
{
    char etag[MD5_ETAG_SIZE];
    enum digest_state state = file_view_digest(store, view, etag);
    if (state != DIGEST_DONE)
        return state;
    if (match != FILE_LIKELY || strcmp(etag, view->row.etag) != 0) {
        file_row_free(&view->row);
        file_row_init(&view->row);
        memcpy(view->row.etag, etag, sizeof(etag));
        int64_t second = INT64_C(1000000000);
        view->row.modified_s =
            view->stamp.mtime_ns / second - (view->stamp.mtime_ns % second < 0); /* before 1970 too */
    }
    view->row.stamp = view->stamp;
    if (has_rested(&view->stamp))
        file_index_add_lightly(&store->place.index, key, &view->row);
    return DIGEST_DONE;
}

/* ---------------------------------------------------------------------------------------------------- the view */

/* OS_OK with *ret_done false: the file was replaced or changed meanwhile, look again. */
static os_code try_view(struct file_store *store, const char *key, struct file_view *view, bool *ret_done,
                        os_error *err)
{
    enum file_match match = FILE_NONE;
    os_code code = open_file(store, key, view, err);
    if (code == OS_OK)
        code = file_index_find(&store->place.index, key, &view->stamp, &view->row, &match, err);
    if (code != OS_OK || match == FILE_EXACT) {
        *ret_done = true;
        return code;
    }
    if (!is_current(store, key, view)) {
        *ret_done = false;
        return OS_OK;
    }
    enum digest_state state = view_settle(store, key, view, match);
    if (state == DIGEST_CANCELLED)
        return file_go_on(store, key, err);
    *ret_done = state == DIGEST_DONE;
    return state == DIGEST_FAILED ? file_failed(err, errno, "read", key) : OS_OK;
}

os_code file_view_open(struct file_store *store, const char *key, struct file_view *ret, os_error *err)
{
    struct file_view view = {.fd = -1};
    file_row_init(&view.row);
    bool done = false;
    os_code code = OS_OK;
    for (int tries = 0; code == OS_OK && !done && tries < VIEW_TRIES_MAX; tries++) {
        file_view_close(&view);
        file_row_init(&view.row);
        code = try_view(store, key, &view, &done, err);
    }
    if (code == OS_OK && !done) {
        char shown[FILE_SHOWN_SIZE];
        code = error_set(err, OS_ERR_IO,
                         "Cannot read \"%s\": the file is overwritten all the time; try again when that has ended.",
                         file_shown(key, shown));
    }
    if (code != OS_OK) {
        file_view_close(&view);
        return code;
    }
    *ret = view;
    return OS_OK;
}

void file_view_close(struct file_view *view)
{
    close_file(view);
    file_row_free(&view->row);
}

void file_row_describe(const struct file_row *row, struct file_object *ret)
{
    static const char content_type[] = "content-type";
    *ret = (struct file_object){.length = row->stamp.size, .last_modified_s = row->modified_s};
    memcpy(ret->etag, row->etag, sizeof(row->etag));
    memcpy(ret->nonce, row->nonce, sizeof(row->nonce));
    memcpy(ret->replaced, row->replaced, sizeof(row->replaced));
    (void)text_parse_u64(text_from(row->fencing), &ret->fencing);
    const char *header = buf_str(&row->headers);
    const char *end = header + row->headers.len;
    while (header < end) { /* the block ends in a NUL, whatever it holds */
        const char *value = header + strlen(header) + 1;
        if (value < end && strcmp(header, content_type) == 0)
            (void)strncpy(ret->content_type, value, sizeof(ret->content_type) - 1);
        header = value < end ? value + strlen(value) + 1 : end;
    }
}

void file_view_describe(const struct file_view *view, struct file_object *ret)
{
    file_row_describe(&view->row, ret);
}
