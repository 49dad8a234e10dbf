/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_temp.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/random.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RENAME_TRIES_MAX = 1000, /* a folder may be removed, empty, by others between its making and the rename */
    STALE_PRESSING = 16,     /* from so many rows on, removing them is worth a wait */
    STALE_WAIT_MS = 200,
    ROWS_MAX = 256 /* looked at in one go */
};

/* ------------------------------------------------------------------------------------------------ make, rename */

os_code file_temp_draw_id(char *ret, os_error *err)
{
    unsigned char random[(FILE_ID_SIZE - 1) / 2];
    if (!random_bytes(random, sizeof(random)))
        return error_set(err, OS_ERR_IO, "The system gives no random bytes (%s).", strerror(errno));
    text_hex(random, sizeof(random), ret);
    return OS_OK;
}

bool file_temp_is_id(const char *name)
{
    return strlen(name) == FILE_ID_SIZE - 1 && strspn(name, "0123456789abcdef") == FILE_ID_SIZE - 1;
}

os_code file_temp_create(struct file_place *place, const char *key, struct file_temp *ret, os_error *err)
{
    struct file_temp temp = {.folder = place->temp_folder};
    os_code code = file_temp_draw_id(temp.id, err);
    if (code != OS_OK)
        return code;
    temp.fd = fd_openat(place->temp_folder, temp.id, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (temp.fd < 0)
        return file_failed(err, errno, "make a temporary file for", key);
    (void)flock(temp.fd, LOCK_EX | LOCK_NB); /* fails only where there are no locks: then age alone counts */
    *ret = temp;
    return OS_OK;
}

void file_temp_close(struct file_temp *temp)
{
    if (temp->fd >= 0 && !temp->kept) {
        (void)unlinkat(temp->folder, temp->id, 0);
        (void)close(temp->fd);
        temp->fd = -1;
    }
}

/* What stands at the key must be a file, nothing, or a folder without any object in it, which is removed. 0 or an
 * errno. */
static int clear_place(struct file_place *place, int parent, const char *name, const char *key)
{
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    if (S_ISREG(st.st_mode))
        return 0;
    if (S_ISDIR(st.st_mode))
        return file_prune_below(&place->root, key) ? 0 : EISDIR;
    return S_ISLNK(st.st_mode) ? ELOOP : EEXIST;
}

static void close_folder(int *folder)
{
    if (*folder >= 0) {
        (void)close(*folder);
        *folder = -1;
    }
}

/* 0 or an errno. *ret_parent: -1 unless the rename was asked for. */
static int rename_once(struct file_place *place, const struct file_temp *temp, const char *key, int *ret_parent)
{
    const char *name = NULL;
    int parent = file_open_parent(&place->root, key, true, &name);
    if (parent < 0)
        return errno;
    int error = clear_place(place, parent, name, key);
    if (error != 0) {
        (void)close(parent);
        return error;
    }
    *ret_parent = parent;
    return renameat(temp->folder, temp->id, parent, name) == 0 ? 0 : errno;
}

/* A rename whose answer is lost is asked for again by the network file system, and then finds no file. */
static os_code vanished(const struct file_temp *temp, const char *key, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_UNDECIDED,
                     "The temporary file %s below the root of the store is gone: it has become \"%s\", or somebody "
                     "removed it while it was written.",
                     temp->id, file_shown(key, shown));
}

os_code file_temp_rename(struct file_place *place, const struct file_temp *temp, const char *key, int *ret_parent,
                         os_error *err)
{
    int parent = -1;
    bool there = true;
    int error = rename_once(place, temp, key, &parent);
    for (int tries = 0; error == ENOENT && tries < RENAME_TRIES_MAX; tries++) {
        there = faccessat(temp->folder, temp->id, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        if (!there)
            break;
        close_folder(&parent);
        error = rename_once(place, temp, key, &parent);
    }
    char shown[FILE_SHOWN_SIZE];
    os_code code = OS_OK;
    if (!there) {
        code = vanished(temp, key, err);
    } else if (error == EEXIST) {
        code = error_set(err, OS_ERR_ARGUMENT, "Cannot write \"%s\": something that is not a file has this name.",
                         file_shown(key, shown));
    } else if (error != 0) {
        code = parent >= 0 ? file_applying_failed(err, error, "write", key) : file_failed(err, error, "write", key);
    }
    if (code != OS_OK && code != OS_ERR_UNDECIDED)
        close_folder(&parent);
    *ret_parent = parent;
    return code;
}

/* ------------------------------------------------------------------------------------------------ left-overs */

static bool sweep_one(struct file_place *place, const char *id, int64_t now_s)
{
    struct stat st;
    if (fstatat(place->temp_folder, id, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
        st.st_mtim.tv_sec > now_s - FILE_TEMP_AGE_S)
        return false;
    int fd = fd_openat(place->temp_folder, id, O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0)
        return false;
    bool removed = flock(fd, LOCK_EX | LOCK_NB) == 0 && unlinkat(place->temp_folder, id, 0) == 0;
    (void)close(fd);
    return removed;
}

void file_temp_sweep(struct file_place *place, int64_t now_s)
{
    int fd = fd_openat(place->temp_folder, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    struct file_stale swept = {.count = 0};
    for (struct dirent *entry = readdir(folder); entry != NULL && swept.count < FILE_STALE_MAX; entry = readdir(folder))
        if (file_temp_is_id(entry->d_name) && sweep_one(place, entry->d_name, now_s))
            memcpy(swept.ids[swept.count++], entry->d_name, FILE_ID_SIZE);
    (void)closedir(folder);
    file_index_forget(&place->index, (const char(*)[FILE_ID_SIZE])swept.ids, swept.count);
}

/* ------------------------------------------------------------------------------------------------- stale rows */

struct row_stamps {
    struct file_place *place;
    size_t count;
    struct {
        char id[FILE_ID_SIZE];
        struct file_stamp stamp;
    } list[ROWS_MAX];
};

static bool may_stand_in(int folder, const char *id)
{
    return folder >= 0 && (faccessat(folder, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT);
}

static bool note_row(void *context, const struct file_row *row)
{
    struct row_stamps *rows = context;
    bool pending = row->id[0] != '\0' && (may_stand_in(rows->place->temp_folder, row->id) ||
                                          may_stand_in(rows->place->upload_folder, row->id));
    if (!pending) {
        memcpy(rows->list[rows->count].id, row->id, FILE_ID_SIZE);
        rows->list[rows->count++].stamp = row->stamp;
    }
    return rows->count < ROWS_MAX;
}

/* The stamp of what stands at the key. False: it cannot be told, and nothing may be removed; *ret_found: something
 * does. */
static bool stamp_of_key(struct file_place *place, const char *key, struct file_stamp *ret, bool *ret_found)
{
    int fd = file_open_below(&place->root, key, O_PATH);
    if (fd < 0) {
        *ret_found = false;
        return errno == ENOENT || errno == ENOTDIR;
    }
    int error = file_stamp_read(fd, ret);
    (void)close(fd);
    *ret_found = true;
    return error == 0;
}

void file_stale_find(struct file_place *place, const char *key, struct file_stale *ret)
{
    struct row_stamps rows = {.place = place, .count = 0};
    struct file_stamp current;
    bool found = false;
    ret->count = 0;
    if (file_index_rows(&place->index, key, note_row, &rows, NULL) != OS_OK ||
        !stamp_of_key(place, key, &current, &found))
        return;
    for (size_t i = 0; i < rows.count && ret->count < FILE_STALE_MAX; i++) {
        struct file_row row = {.stamp = rows.list[i].stamp};
        memcpy(row.id, rows.list[i].id, FILE_ID_SIZE);
        if (!found || file_row_match(&row, &current) == FILE_NONE)
            memcpy(ret->ids[ret->count++], row.id, FILE_ID_SIZE);
    }
}

void file_stale_remove(struct file_place *place, const char *key, const struct file_stale *stale)
{
    file_index_remove(&place->index, key, (const char(*)[FILE_ID_SIZE])stale->ids, stale->count,
                      stale->count >= STALE_PRESSING ? STALE_WAIT_MS : 0);
}
