/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and reading the embedded store, and deleting from it. What happens in which order, so that SIGKILL or a power
 * failure at any instant leaves each object whole with its own ETag and nonce: put, copy   the bytes go to a temporary
 * file, and with a time of their own to disk; the row that belongs to exactly this file goes to the index, and to disk;
 * the file is renamed to the key; the folders are flushed; rows that are superseded by now are removed. delete      the
 * file is removed; the folders are flushed; then its rows and the folders that became empty go. head, get   the file is
 * opened, then its row looked up (file_view.c). Why a row can be trusted is told in file_index.h, why it is not removed
 * too early in file_temp.h.
 */
#include "local/file_store.h"

#include "base/error.h"
#include "base/fd.h"
#include "local/file_internal.h"
#include "local/file_nesting.h"
#include "local/file_staging.h"
#include "sqlite/fork.h"
#include "sqlite/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP_FOLDER   "tmp"
#define UPLOAD_FOLDER "uploads"
#define INDEX_FILE    "objects.db"
#define LEDGER_FILE   "ledger.db"

/* ---------------------------------------------------------------------------------------------------- init, open */

static os_code root_failed(os_error *err, int error, const char *doing, const char *root)
{
    if (error == ENOMEM)
        return error_no_memory(err);
    os_code code = error_code_of(error);
    return error_set(err, code, "Cannot %s the root of the store, %.500s: %s.", doing, root, strerror(error));
}

static os_code no_store(os_error *err, const char *root)
{
    return error_set(err, OS_ERR_CONFIG, "There is no embedded store at %.500s; make one with `oscommit init %.300s`.",
                     root, root);
}

/* ROOT/.oscommit/NAME, for SQLite, without links. The caller frees it. */
static char *private_file(const char *root, const char *name)
{
    char resolved[PATH_MAX];
    if (realpath(root, resolved) == NULL)
        return NULL;
    size_t size = strlen(resolved) + strlen(name) + sizeof("/" FILE_PRIVATE_FOLDER "/");
    char *file = malloc(size);
    if (file != NULL)
        (void)snprintf(file, size, "%s/" FILE_PRIVATE_FOLDER "/%s", resolved, name);
    return file;
}

static int sync_parent_of(const struct file_root *root)
{
    int above = fd_openat(root->fd, "..", O_RDONLY | O_DIRECTORY, 0);
    if (above < 0)
        return errno == EACCES ? 0 : errno; /* not ours to flush */
    int error = fsync(above) == 0 ? 0 : errno;
    (void)close(above);
    return error;
}

/* The private folders below a root that is there. 0 or an errno; *ret_made: the first was not there. */
static int make_private_folders(const struct file_root *root, bool *ret_made)
{
    static const char *const folders[] = {FILE_PRIVATE_FOLDER, FILE_PRIVATE_FOLDER "/" TEMP_FOLDER};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *name = NULL;
        int parent = file_open_parent(root, folders[i], false, &name);
        bool fresh = parent >= 0 && mkdirat(parent, name, 0700) == 0;
        bool made = fresh || (parent >= 0 && errno == EEXIST);
        int error = made && fsync(parent) == 0 ? 0 : errno;
        *ret_made = *ret_made || (fresh && i == 0);
        if (parent >= 0)
            (void)close(parent);
        if (error != 0)
            return error;
    }
    int check = file_open_below(root, folders[1], O_RDONLY | O_DIRECTORY);
    if (check < 0)
        return errno;
    (void)close(check);
    return 0;
}

/* What was made in vain. */
static void remove_private_folders(const struct file_root *root)
{
    static const char *const folders[] = {FILE_PRIVATE_FOLDER "/" TEMP_FOLDER, FILE_PRIVATE_FOLDER};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *name = NULL;
        int parent = file_open_parent(root, folders[i], false, &name);
        if (parent >= 0) {
            (void)unlinkat(parent, name, AT_REMOVEDIR);
            (void)close(parent);
        }
    }
}

static os_code make_databases(const char *root, os_error *err)
{
    char *index = private_file(root, INDEX_FILE);
    char *ledger = private_file(root, LEDGER_FILE);
    os_code code =
        index == NULL || ledger == NULL ? root_failed(err, errno, "open", root) : file_index_create(index, err);
    if (code == OS_OK)
        code = sqlite_tables_create(ledger, NULL, err);
    free(index);
    free(ledger);
    return code;
}

/* A store that is there already keeps what is below it: its keys, whatever they look like. */
static os_code check_place(const char *path, bool is_new, os_error *err)
{
    os_code code = nesting_check_above(path, NESTING_ANY_MARK, err);
    return code == OS_OK && is_new ? nesting_check_below(path, err) : code;
}

static bool has_private_folder(const struct file_root *root)
{
    int fd = file_open_below(root, FILE_PRIVATE_FOLDER, O_PATH | O_DIRECTORY);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

/* The place is looked at again behind the making: who makes a store above or below it meanwhile, sees ours. */
static os_code make_store(const struct file_root *root, const char *path, os_error *err)
{
    bool made = false;
    os_code code = check_place(path, !has_private_folder(root), err);
    if (code != OS_OK)
        return code;
    int error = make_private_folders(root, &made);
    if (error == 0)
        error = sync_parent_of(root);
    if (error != 0)
        return root_failed(err, error, "prepare", path);
    code = check_place(path, made, err);
    if (code == OS_OK)
        code = nesting_check_names(root, FILE_PRIVATE_FOLDER, err);
    if (code != OS_OK && made)
        remove_private_folders(root);
    return code;
}

static os_code make_all(const char *root, os_error *err)
{
    struct file_root opened;
    int error = file_root_open(&opened, root);
    if (error != 0)
        return root_failed(err, error, "open", root);
    os_code code = make_store(&opened, root, err);
    file_root_close(&opened);
    return code == OS_OK ? make_databases(root, err) : code;
}

os_code file_store_init(const char *root, os_error *err)
{
    error_clear(err);
    if (root == NULL || root[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The root of the store is empty; name a folder.");
    os_code forked = sqlite_fork_check("embedded store", root, err);
    if (forked != OS_OK)
        return forked;
    bool made = mkdir(root, 0700) == 0;
    if (!made && errno != EEXIST)
        return root_failed(err, errno, "make", root);
    os_code code = make_all(root, err);
    if (code != OS_OK && made)
        (void)rmdir(root);
    return code;
}

/* Made here: the store may be older than uploads. */
static int open_uploads(const struct file_root *root)
{
    const char *name = NULL;
    int parent = file_open_parent(root, FILE_PRIVATE_FOLDER "/" UPLOAD_FOLDER, false, &name);
    if (parent < 0)
        return -1;
    if (mkdirat(parent, name, 0700) == 0)
        (void)fsync(parent);
    (void)close(parent);
    return file_open_below(root, FILE_PRIVATE_FOLDER "/" UPLOAD_FOLDER, O_RDONLY | O_DIRECTORY);
}

static os_code open_index(struct file_place *place, const char *root, os_error *err)
{
    char *index = private_file(root, INDEX_FILE);
    os_code code = index == NULL ? root_failed(err, errno, "open", root) : file_index_open(&place->index, index, err);
    free(index);
    return code;
}

static os_code open_place(const char *root, struct file_place *place, os_error *err)
{
    os_code code = nesting_check_above(root, NESTING_TRUSTED_MARK, err);
    if (code != OS_OK)
        return code;
    int error = file_root_open(&place->root, root);
    if (error != 0)
        return error == ENOENT || error == ENOTDIR ? no_store(err, root) : root_failed(err, error, "open", root);
    place->temp_folder = file_open_below(&place->root, FILE_PRIVATE_FOLDER "/" TEMP_FOLDER, O_RDONLY | O_DIRECTORY);
    if (place->temp_folder < 0) {
        error = errno;
        file_root_close(&place->root);
        return error == ENOENT || error == ENOTDIR ? no_store(err, root) : root_failed(err, error, "open", root);
    }
    code = nesting_check_names(&place->root, FILE_PRIVATE_FOLDER, err);
    if (code == OS_OK)
        code = open_index(place, root, err);
    place->upload_folder = code == OS_OK ? open_uploads(&place->root) : -1;
    if (code != OS_OK) {
        (void)close(place->temp_folder);
        file_root_close(&place->root);
    }
    return code;
}

/* An installation may forbid it. */
static os_code check_md5(os_error *err)
{
    unsigned char digest[MD5_SIZE];
    return md5_digest("", 0, digest)
               ? OS_OK
               : error_set(err, OS_ERR_UNSUPPORTED,
                           "OpenSSL offers no MD5 here, which the embedded store needs for its ETags.");
}

os_code file_store_open(const char *root, struct file_store **ret, os_error *err)
{
    error_clear(err);
    struct file_store *store = calloc(1, sizeof(*store));
    if (store == NULL)
        return error_no_memory(err);
    os_code code = check_md5(err);
    if (code == OS_OK)
        code = open_place(root, &store->place, err);
    if (code != OS_OK) {
        free(store);
        return code;
    }
    file_temp_sweep(&store->place, file_now_ns() / INT64_C(1000000000));
    staging_sweep(&store->place, file_now_ns() / INT64_C(1000000000));
    *ret = store;
    return OS_OK;
}

struct file_store *file_store_lend(const struct file_store *store, const struct sqlite_patience *limit)
{
    struct file_store *lent = malloc(sizeof(*lent));
    if (lent != NULL) {
        *lent = *store;
        lent->place.index.limit = *limit;
    }
    return lent;
}

void file_store_return(struct file_store *lent)
{
    free(lent);
}

void file_store_close(struct file_store *store)
{
    if (store == NULL)
        return;
    file_index_close(&store->place.index);
    (void)close(store->place.temp_folder);
    if (store->place.upload_folder >= 0)
        (void)close(store->place.upload_folder);
    file_root_close(&store->place.root);
    free(store);
}

/* ------------------------------------------------------------------------------------------------------ head, get */

os_code file_store_head(struct file_store *store, const char *key, struct file_object *ret, os_error *err)
{
    struct file_view view;
    os_code code = file_store_check_key(key, err);
    if (code == OS_OK)
        code = file_view_open(store, key, &view, err);
    if (code == OS_OK) {
        file_view_describe(&view, ret);
        file_view_close(&view);
    }
    return code;
}

static os_code changed_while_read(const char *key, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_IO,
                     "The file of \"%s\" was overwritten in place while it was read, so the bytes are a mix of two "
                     "versions. Read it again.",
                     file_shown(key, shown));
}

static os_code send_range(const struct file_view *view, const char *key, uint64_t offset, uint64_t end,
                          file_sink_fn sink, void *context, os_error *err)
{
    char *block = malloc(FILE_BLOCK);
    os_code code = block == NULL ? error_no_memory(err) : OS_OK;
    while (code == OS_OK && offset < end) {
        uint64_t left = end - offset;
        int64_t got = fd_read_at(view->fd, block, left < FILE_BLOCK ? (size_t)left : FILE_BLOCK, offset);
        if (got < 0)
            code = file_failed(err, errno, "read", key);
        else if (got == 0 || !file_view_is_intact(view))
            code = changed_while_read(key, err);
        else if (sink(context, block, (size_t)got) != 0)
            code = error_set(err, OS_ERR_STOPPED, "The receiver of the bytes stopped the call.");
        offset += got > 0 ? (uint64_t)got : 0;
    }
    free(block);
    return code;
}

os_code file_store_get(struct file_store *store, const char *key, const struct file_range *range, file_sink_fn sink,
                       void *context, struct file_object *ret, os_error *err)
{
    uint64_t offset = range != NULL ? range->offset : 0;
    uint64_t count = range != NULL ? range->count : 0;
    struct file_view view;
    os_code code = file_store_check_key(key, err);
    if (code == OS_OK)
        code = file_view_open(store, key, &view, err);
    if (code != OS_OK)
        return code;
    uint64_t size = view.stamp.size;
    if (offset > 0 && offset >= size) { /* S3: InvalidRange */
        char shown[FILE_SHOWN_SIZE];
        code = error_set(err, OS_ERR_ARGUMENT, "The range starts at byte %llu, and \"%s\" has %llu bytes.",
                         (unsigned long long)offset, file_shown(key, shown), (unsigned long long)size);
    } else {
        uint64_t end = count == 0 || count > size - offset ? size : offset + count;
        code = send_range(&view, key, offset, end, sink, context, err);
    }
    if (code == OS_OK)
        file_view_describe(&view, ret);
    file_view_close(&view);
    return code;
}

/* --------------------------------------------------------------------------------------------------------- delete */

/* Removes the file, if there is one. OS_OK also when there is none. */
static os_code unlink_file(int parent, const char *name, const char *key, os_error *err)
{
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? OS_OK : file_failed(err, errno, "look at", key);
    if (S_ISDIR(st.st_mode))
        return OS_OK;
    if (!S_ISREG(st.st_mode)) {
        char shown[FILE_SHOWN_SIZE];
        return error_set(err, OS_ERR_ARGUMENT,
                         "Cannot delete \"%s\": it is not an object but a link or a special file.",
                         file_shown(key, shown));
    }
    if (faccessat(parent, ".", W_OK, AT_EACCESS) != 0 && errno == EROFS)
        return file_failed(err, EROFS, "delete", key); /* asked first: of unlinkat it would not be definite */
    if (unlinkat(parent, name, 0) != 0 && errno != ENOENT)
        return file_applying_failed(err, errno, "delete", key);
    return OS_OK;
}

os_code file_store_delete(struct file_store *store, const char *key, os_error *err)
{
    os_code code = file_store_check_key(key, err);
    if (code != OS_OK)
        return code;
    const char *name = NULL;
    int parent = file_open_parent(&store->place.root, key, false, &name);
    if (parent < 0 && errno != ENOENT && errno != ENOTDIR)
        return file_failed(err, errno, "open the folder of", key);
    struct file_stale stale = {.count = 0};
    if (parent >= 0)
        code = unlink_file(parent, name, key, err);
    if (code == OS_OK)
        file_stale_find(&store->place, key, &stale);
    if (code == OS_OK && parent >= 0) { /* also when it was gone: whoever removed it may have died before this */
        int error = file_sync_folders(parent, key);
        code = error == 0 ? OS_OK : file_undecided(err, error, "deleted", key);
    }
    if (parent >= 0)
        (void)close(parent);
    if (code == OS_OK) {
        file_stale_remove(&store->place, key, &stale);
        file_prune_above(&store->place.root, key);
    }
    return code;
}
