/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary files below ROOT/.oscommit/tmp (those of uploads: below uploads), the rename that makes one an object, and
 * which rows of the index are stale. A temporary file is locked (flock) while its writer lives; its name is the id of
 * its row. Knows nothing of bodies, headers or readers.
 *
 * WHICH ROWS MAY GO. A row that is written but whose rename is still to come must stay, and its writer may be anyone.
 * Its temporary file tells: as long as it is there, the row is pending. Once it is gone, the file was renamed, and will
 * never be renamed again. So (1) the rows of a key are read and those with a temporary file are left alone, *then* (2)
 * the file at the key is looked at: what it does not match has been superseded for good. (3) The folder is flushed, so
 * that after a power failure too nothing older than that file stands there, and only then (4) the others are removed.
 * No lock is needed, and a process that is stopped or killed anywhere in between leaves at most a row too many.
 */
#ifndef OSCOMMIT_LOCAL_FILE_TEMP_H
#define OSCOMMIT_LOCAL_FILE_TEMP_H

#include "local/file_index.h"
#include "local/file_path.h"

enum {
    FILE_STALE_MAX = 64,           /* rows removed at once */
    FILE_TEMP_AGE_S = 24 * 60 * 60 /* a left-over file is removed when it is older */
};

struct file_place { /* of one open store */
    struct file_root root;
    int temp_folder;
    int upload_folder; /* -1: there is none, and none could be made (a read-only medium) */
    struct sqlite_pool index;
};

struct file_temp {
    int fd;     /* -1: none */
    int folder; /* that it stands in; borrowed */
    bool kept;  /* an upload's: it is borrowed, and closing it does nothing */
    char id[FILE_ID_SIZE];
};

/* A new id: random. */
os_code file_temp_draw_id(char *ret /* FILE_ID_SIZE */, os_error *err);
bool file_temp_is_id(const char *name);

os_code file_temp_create(struct file_place *place, const char *key, struct file_temp *ret, os_error *err);
/* Closes it and removes what is left of it: nothing after a rename. */
void file_temp_close(struct file_temp *temp);

/* Renames it to `key`, making folders as needed; *ret_parent is the folder, for file_sync_folders. OS_ERR_UNDECIDED: it
 * may be there all the same, and *ret_parent is the folder, or -1. Any other error: nothing was changed. */
os_code file_temp_rename(struct file_place *place, const struct file_temp *temp, const char *key, int *ret_parent,
                         os_error *err);

/* Removes files older than FILE_TEMP_AGE_S at `now_s` that nobody has locked, and their rows. What fails is left for
 * the next time. */
void file_temp_sweep(struct file_place *place, int64_t now_s);

/* Steps 1 and 2 above, then, after the flush, step 4. */
struct file_stale {
    size_t count;
    char ids[FILE_STALE_MAX][FILE_ID_SIZE];
};
void file_stale_find(struct file_place *place, const char *key, struct file_stale *ret);
void file_stale_remove(struct file_place *place, const char *key, const struct file_stale *stale);

#endif
