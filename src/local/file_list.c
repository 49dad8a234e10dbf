/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of keys, in the order of their bytes: folder after folder, each read whole, sorted and closed before its
 * entries are looked at, so that the depth of a tree costs no descriptors. A folder sorts as its name with a '/',
 * because that is how its keys go on ("a-b" stands before "a/b"). Folders that can hold no wanted key are not opened;
 * files whose names are no keys, links and special files are passed over.
 */
#include "local/file_internal.h"

#include "base/error.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLDER_BYTES_MAX = 1 << 30, /* names of one folder */
    FOLDER_COUNT_MIN = 64
};

struct folder {
    struct folder *above;
    size_t path_len;  /* of its path in struct lister, with the '/' */
    struct buf names; /* each with its NUL, folders with a '/' before it */
    size_t *entries;  /* offsets into names, sorted by what stands there */
    size_t count;
    size_t cap;
    size_t next;
};

struct lister {
    struct file_store *store;
    const char *prefix, *delimiter, *start_after; /* never NULL */
    uint64_t left;
    file_list_fn each;
    void *context;
    struct folder *folder; /* where it is at the moment */
    char path[FILE_KEY_MAX + FILE_SEGMENT_MAX + 3];
    char common[FILE_KEY_MAX + 1]; /* the common prefix that was given last, or "" */
    bool done;
};

/* -------------------------------------------------------------------------------------------- reading a folder */

static bool folder_add(struct folder *folder, const char *name, bool is_folder)
{
    if (folder->count == folder->cap) {
        size_t cap = folder->cap == 0 ? FOLDER_COUNT_MIN : 2 * folder->cap;
        size_t *entries = realloc(folder->entries, cap * sizeof(*entries));
        if (entries == NULL)
            return false;
        folder->entries = entries;
        folder->cap = cap;
    }
    folder->entries[folder->count++] = folder->names.len;
    return buf_add_str(&folder->names, name) && (!is_folder || buf_add_char(&folder->names, '/')) &&
           buf_add_char(&folder->names, '\0');
}

static int compare_entries(const void *a, const void *b, void *names)
{
    const char *base = names;
    return strcmp(base + *(const size_t *)a, base + *(const size_t *)b);
}

static void folder_free(struct folder *folder)
{
    buf_free(&folder->names);
    free(folder->entries);
    free(folder);
}

static unsigned char type_of(DIR *folder, const struct dirent *entry)
{
    struct stat st;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type;
    if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return DT_UNKNOWN;
    return S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_UNKNOWN;
}

/* 0 or an errno. */
static int folder_read(DIR *from, struct folder *folder)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(from);
        if (entry == NULL)
            return errno;
        unsigned char type = type_of(from, entry);
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        bool wanted = !dots && (type == DT_DIR || type == DT_REG);
        if (wanted && !folder_add(folder, entry->d_name, type == DT_DIR))
            return ENOMEM;
    }
}

/* Enters the folder at lister->path, `len` bytes of it with the '/' at its end; 0: the root. One that is gone is passed
 * over. */
static os_code list_enter(struct lister *lister, size_t len, os_error *err)
{
    struct folder *folder = calloc(1, sizeof(*folder));
    if (folder == NULL)
        return error_no_memory(err);
    buf_init(&folder->names, FOLDER_BYTES_MAX);
    folder->path_len = len;
    lister->path[len == 0 ? 0 : len - 1] = '\0';
    int fd = file_open_below(&lister->store->place.root, lister->path, O_RDONLY | O_DIRECTORY);
    int error = fd < 0 ? errno : 0;
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL && fd >= 0) {
        error = errno;
        (void)close(fd);
    }
    if (stream != NULL) {
        error = folder_read(stream, folder);
        (void)closedir(stream);
    }
    if (error != 0) {
        folder_free(folder);
        bool gone = error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV;
        return gone ? OS_OK : file_failed(err, error, "list the folder", lister->path);
    }
    if (len > 0)
        lister->path[len - 1] = '/';
    if (folder->count > 0)
        qsort_r(folder->entries, folder->count, sizeof(*folder->entries), compare_entries, folder->names.data);
    folder->above = lister->folder;
    lister->folder = folder;
    return OS_OK;
}

static void leave(struct lister *lister)
{
    struct folder *folder = lister->folder;
    lister->folder = folder->above;
    folder_free(folder);
}

/* -------------------------------------------------------------------------------------------------- what is wanted */

static bool starts_with(const char *str, const char *prefix)
{
    return strncmp(str, prefix, strlen(prefix)) == 0;
}

/* Whether a key below the folder `path` (it ends in '/'), `name` for short, can be wanted. */
static bool folder_is_wanted(const struct lister *lister, const char *path, const char *name)
{
    size_t len = strlen(path);
    if (len >= FILE_KEY_MAX || file_name_is_reserved(text_of(name, strlen(name) - 1)))
        return false;
    bool on_the_way = starts_with(path, lister->prefix) || starts_with(lister->prefix, path);
    bool behind = strncmp(path, lister->start_after, len) >= 0;
    bool given = lister->common[0] != '\0' && starts_with(path, lister->common);
    return on_the_way && behind && !given;
}

static os_code list_give(struct lister *lister, const char *key, const struct file_object *object, os_error *err)
{
    if (!lister->each(lister->context, key, object == NULL, object))
        return error_set(err, OS_ERR_STOPPED, "The receiver of the list stopped the call.");
    lister->left--;
    lister->done = lister->left == 0;
    return OS_OK;
}

/* The common prefix that swallows `key`, into lister->common. False: none does. *ret_new: it was not there before. */
static bool roll_up(struct lister *lister, const char *key, bool *ret_new)
{
    const char *rest = key + strlen(lister->prefix);
    const char *delimiter = lister->delimiter[0] != '\0' ? strstr(rest, lister->delimiter) : NULL;
    if (delimiter == NULL)
        return false;
    size_t len = (size_t)(delimiter - key) + strlen(lister->delimiter);
    bool same = strlen(lister->common) == len && strncmp(lister->common, key, len) == 0;
    memcpy(lister->common, key, len);
    lister->common[len] = '\0';
    *ret_new = !same && strcmp(lister->common, lister->start_after) != 0;
    return true;
}

static os_code visit_file(struct lister *lister, const char *key, os_error *err)
{
    struct file_view view;
    struct file_object object;
    bool is_new = false;
    if (!starts_with(key, lister->prefix) || strcmp(key, lister->start_after) <= 0 ||
        file_store_check_key(key, NULL) != OS_OK)
        return OS_OK;
    if (roll_up(lister, key, &is_new))
        return is_new ? list_give(lister, lister->common, NULL, err) : OS_OK;
    os_code code = file_view_open(lister->store, key, &view, err);
    if (code == OS_ERR_NOT_FOUND || code == OS_ERR_ARGUMENT) { /* replaced by a folder or a link meanwhile */
        error_clear(err);
        return OS_OK;
    }
    if (code == OS_OK) {
        file_view_describe(&view, &object);
        file_view_close(&view);
        code = list_give(lister, key, &object, err);
    }
    return code;
}

static os_code visit_next(struct lister *lister, os_error *err)
{
    struct folder *folder = lister->folder;
    if (folder->next == folder->count) {
        leave(lister);
        return OS_OK;
    }
    const char *name = folder->names.data + folder->entries[folder->next++];
    size_t len = folder->path_len + strlen(name);
    if (len >= sizeof(lister->path))
        return OS_OK;
    memcpy(lister->path + folder->path_len, name, len - folder->path_len + 1);
    if (lister->path[len - 1] != '/')
        return visit_file(lister, lister->path, err);
    return folder_is_wanted(lister, lister->path, name) ? list_enter(lister, len, err) : OS_OK;
}

os_code file_store_list(struct file_store *store, const struct file_list_range *range, file_list_fn each, void *context,
                        os_error *err)
{
    error_clear(err);
    struct lister lister = {
        .store = store,
        .prefix = range->prefix == NULL ? "" : range->prefix,
        .delimiter = range->delimiter == NULL ? "" : range->delimiter,
        .start_after = range->start_after == NULL ? "" : range->start_after,
        .left = range->max_keys == 0 ? UINT64_MAX : range->max_keys,
        .each = each,
        .context = context,
    };
    os_code code = list_enter(&lister, 0, err);
    while (code == OS_OK && lister.folder != NULL && !lister.done)
        code = visit_next(&lister, err);
    while (lister.folder != NULL)
        leave(&lister);
    return code;
}
