/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as file names below the root: which keys are allowed, and how their folders are opened, made, flushed and
 * removed without ever leaving the root. A key that passes through a symbolic link or onto another file system is
 * refused by the kernel (openat2), or step by step where there is no openat2. Knows nothing of metadata or temporary
 * files.
 */
#ifndef OSCOMMIT_LOCAL_FILE_PATH_H
#define OSCOMMIT_LOCAL_FILE_PATH_H

#include "base/text.h"
#include "oscommit.h"

#include <stdbool.h>

#define FILE_PRIVATE_FOLDER ".oscommit"
enum {
    FILE_KEY_MAX = 1024,    /* bytes, as on S3 */
    FILE_SEGMENT_MAX = 255, /* NAME_MAX of nearly every file system */
    FILE_SHOWN_SIZE = 300
};

struct file_root {
    int fd;
    bool stepwise; /* no openat2 here: an old kernel, or a sandbox that forbids it */
};

/* The store's own name, in any case: no segment of a key may be it. At the root it is the private folder; further down
 * it would make another store. */
bool file_name_is_reserved(struct text name);

/* Opens the folder and finds out about openat2. The path may lead through symbolic links: it is the user's own word. */
int file_root_open(struct file_root *root, const char *path); /* 0 or an errno */
void file_root_close(struct file_root *root);

/* As open, below the root, without following any link; `path` is a key, or "" for the root itself. A descriptor, or -1
 * and errno: ELOOP for a link on the way, EXDEV for another file system. */
int file_open_below(const struct file_root *root, const char *path, int flags);

/* The folder that holds `key`, for reading; `ret_name` is the key's last segment. With `make`, missing folders are made
 * (0700). */
int file_open_parent(const struct file_root *root, const char *key, bool make, const char **ret_name);

/* Flushes the folder `parent` of `key` and every folder above it up to the root. Not only those that were made just
 * now: another process may have made one and died before it flushed it. A clean folder costs next to nothing. 0 or an
 * errno. */
int file_sync_folders(int parent, const char *key);

/* Removes the empty folders between the root and `key`, deepest first, up to the first that is not empty. */
void file_prune_above(const struct file_root *root, const char *key);
/* Removes the folder at `path` if there is nothing but empty folders below it; what a killed process left. */
bool file_prune_below(const struct file_root *root, const char *path);

/* The key for a sentence: short, cut at a character. `ret` holds FILE_SHOWN_SIZE; returns it. */
const char *file_shown(const char *key, char *ret);
/* Code and sentence of a failed system call: "Cannot <doing> "KEY": <reason>". */
os_code file_failed(os_error *err, int error, const char *doing, const char *key);
/* The same of the one call that makes a write true, the rename to the key or the removal of its file: OS_ERR_UNDECIDED
 * unless the error says that nothing was begun. */
os_code file_applying_failed(os_error *err, int error, const char *doing, const char *key);

#endif
