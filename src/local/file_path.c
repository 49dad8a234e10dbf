/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_path.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/text.h"
#include "local/file_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PRUNE_STEPS_MAX = 4096,
    TRIES_MAX = 1000 /* for a folder that other processes remove while it is made */
};

/* --------------------------------------------------------------------------------------------- errors, keys */

const char *file_shown(const char *key, char *ret)
{
    struct text text = text_from(key);
    size_t len = text_utf8_cut(text, FILE_SHOWN_SIZE - 4);
    (void)snprintf(ret, FILE_SHOWN_SIZE, "%.*s%s", (int)len, key, len < text.len ? "..." : "");
    return ret;
}

static os_code code_of_errno(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT: return OS_ERR_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS: return OS_ERR_DENIED;
    case ENOMEM: return OS_ERR_NO_MEMORY;
    case EFBIG: return OS_ERR_TOO_LARGE;
    case ELOOP:
    case EXDEV:
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case ENAMETOOLONG: return OS_ERR_ARGUMENT;
    default: return OS_ERR_IO;
    }
}

static const char *reason_of_errno(int error)
{
    switch (error) {
    case ENOSPC: return "no space left on the device; free some and try again";
    case EDQUOT: return "the disk quota is used up; free some and try again";
    case EROFS: return "the file system is read-only";
    case ELOOP: return "a symbolic link is in its path, and the store follows none";
    case EXDEV:
        return "it lies on another file system than the root of the store, and a file cannot be moved there in one "
               "step";
    case ENOTDIR: return "an object has the name of a folder that it needs";
    case EISDIR:
    case ENOTEMPTY: return "a folder with other objects has its name";
    default: return strerror(error);
    }
}

os_code file_failed(os_error *err, int error, const char *doing, const char *key)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, code_of_errno(error), "Cannot %s \"%s\": %s.", doing, file_shown(key, shown),
                     reason_of_errno(error));
}

/*
 * What the kernel says of names, permissions and mounts before it asks the file system to change anything. Every other
 * error may come when the change is made: EIO and ENOMEM from the inode that is written after its folder (ext4), EROFS
 * from a journal that was given up meanwhile (jbd2), ENOSPC and EDQUOT from what must be noted of a file without a name
 * (btrfs), ENOENT, ESTALE, ETIMEDOUT and EINTR where an answer was lost on the network (NFS).
 */
static bool is_refusal(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
    case EXDEV:
    case EBUSY:
    case ELOOP:
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case EEXIST:
    case ENAMETOOLONG: return true;
    default: return false;
    }
}

os_code file_applying_failed(os_error *err, int error, const char *doing, const char *key)
{
    char shown[FILE_SHOWN_SIZE];
    if (is_refusal(error))
        return file_failed(err, error, doing, key);
    return error_set(err, OS_ERR_UNDECIDED,
                     "The attempt to %s \"%s\" failed, but may nevertheless have taken effect: %s.", doing,
                     file_shown(key, shown), reason_of_errno(error));
}

bool file_name_is_reserved(struct text name)
{
    return text_is_nocase(name, FILE_PRIVATE_FOLDER);
}

static const char *segment_fault(struct text segment)
{
    if (segment.len == 0)
        return "it begins or ends with '/', or has an empty segment";
    if (text_is(segment, ".") || text_is(segment, ".."))
        return "it has a segment \".\" or \"..\"";
    if (file_name_is_reserved(segment))
        return "the name \".oscommit\" is the store's own, in every folder";
    return segment.len > FILE_SEGMENT_MAX ? "one of its segments is longer than 255 bytes" : NULL;
}

static const char *key_fault(const char *key)
{
    if (key == NULL || key[0] == '\0')
        return "it is empty";
    struct text rest = text_of(key, strnlen(key, FILE_KEY_MAX + 1));
    if (rest.len > FILE_KEY_MAX)
        return "it is longer than 1,024 bytes";
    if (!text_is_utf8(rest))
        return "it is not UTF-8";
    struct text segment;
    while (text_take_until(&rest, '/', &segment)) {
        const char *fault = segment_fault(segment);
        if (fault != NULL)
            return fault;
    }
    return segment_fault(rest);
}

os_code file_store_check_key(const char *key, os_error *err)
{
    const char *fault = key_fault(key);
    if (fault == NULL) {
        error_clear(err);
        return OS_OK;
    }
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_ARGUMENT,
                     "The key \"%s\" cannot be a file below the root of the store: %s. Choose another key.",
                     file_shown(key == NULL ? "" : key, shown), fault);
}

/* ---------------------------------------------------------------------------------------------------- opening */

static int open_resolved(int fd, const char *path, int flags)
{
    struct open_how how = {
        .flags = (__u64)(unsigned int)flags | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    return fd_above_standard((int)syscall(SYS_openat2, fd, path, &how, sizeof(how)));
}

int file_root_open(struct file_root *root, const char *path)
{
    int fd = fd_open(path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno;
    int probe = open_resolved(fd, ".", O_PATH | O_DIRECTORY);
    *root = (struct file_root){.fd = fd, .stepwise = probe < 0};
    if (probe >= 0)
        (void)close(probe);
    return 0;
}

void file_root_close(struct file_root *root)
{
    (void)close(root->fd);
    root->fd = -1;
}

/* Closing must not disturb the errno that is about to be reported. */
static void close_quietly(int fd)
{
    int kept = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = kept;
}

/* One step, links not followed. For a link in a folder's place the kernel says ENOTDIR; here it is ELOOP. */
static int open_step(int folder, const char *name, int flags)
{
    int fd = fd_openat(folder, name, flags | O_NOFOLLOW, 0);
    if (fd < 0 && errno == ENOTDIR) {
        struct stat st;
        bool link = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
        errno = link ? ELOOP : ENOTDIR;
    }
    if (fd >= 0) {
        struct stat above;
        struct stat here;
        int error = fstat(folder, &above) != 0 || fstat(fd, &here) != 0 ? errno : 0;
        if (error == 0 && above.st_dev != here.st_dev)
            error = EXDEV;
        if (error == 0 && S_ISLNK(here.st_mode)) /* O_PATH opens the link itself */
            error = ELOOP;
        if (error != 0) {
            (void)close(fd);
            errno = error;
            return -1;
        }
    }
    return fd;
}

static bool take_segment(const char **path, char *ret)
{
    size_t len = strcspn(*path, "/");
    if (len > FILE_SEGMENT_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(ret, *path, len);
    ret[len] = '\0';
    *path += len;
    *path += **path == '/';
    return true;
}

/* One folder further; with `make`, it is made if it is missing. */
static int step_down(int folder, const char *name, bool make)
{
    int next = open_step(folder, name, O_PATH | O_DIRECTORY);
    if (next < 0 && errno == ENOENT && make) {
        if (mkdirat(folder, name, 0700) != 0 && errno != EEXIST)
            return -1; /* ENOENT: `folder` itself was removed meanwhile */
        next = open_step(folder, name, O_PATH | O_DIRECTORY);
    }
    return next;
}

static int open_stepwise(int root, const char *path, int flags, bool make)
{
    char segment[FILE_SEGMENT_MAX + 1];
    int folder = root;
    while (path[0] != '\0' && (make || strchr(path, '/') != NULL)) {
        int next = take_segment(&path, segment) ? step_down(folder, segment, make) : -1;
        close_quietly(folder == root ? -1 : folder);
        if (next < 0)
            return -1;
        folder = next;
    }
    int fd = open_step(folder, path[0] == '\0' ? "." : path, flags);
    close_quietly(folder == root ? -1 : folder);
    return fd;
}

int file_open_below(const struct file_root *root, const char *path, int flags)
{
    if (root->stepwise)
        return open_stepwise(root->fd, path, flags, false);
    int fd = open_resolved(root->fd, path[0] == '\0' ? "." : path, flags);
    for (int tries = 0; fd < 0 && (errno == EAGAIN || errno == EINTR) && tries < TRIES_MAX; tries++)
        fd = open_resolved(root->fd, path[0] == '\0' ? "." : path, flags); /* EAGAIN: something on the way was moved */
    return fd;
}

int file_open_parent(const struct file_root *root, const char *key, bool make, const char **ret_name)
{
    char folder[FILE_KEY_MAX + 1];
    const char *slash = strrchr(key, '/');
    size_t len = slash == NULL ? 0 : (size_t)(slash - key);
    memcpy(folder, key, len);
    folder[len] = '\0';
    *ret_name = slash == NULL ? key : slash + 1;
    int fd = file_open_below(root, folder, O_RDONLY | O_DIRECTORY);
    for (int tries = 0; make && fd < 0 && errno == ENOENT && tries < TRIES_MAX; tries++) {
        fd =
            open_stepwise(root->fd, folder, O_RDONLY | O_DIRECTORY, true); /* others may remove, empty, what it makes */
    }
    return fd;
}

/* ------------------------------------------------------------------------------------------- flushing, removing */

int file_sync_folders(int parent, const char *key)
{
    int error = fsync(parent) == 0 ? 0 : errno;
    int folder = parent;
    for (const char *slash = strchr(key, '/'); error == 0 && slash != NULL; slash = strchr(slash + 1, '/')) {
        int above = fd_openat(folder, "..", O_RDONLY | O_DIRECTORY, 0);
        if (above < 0 && errno == ENOENT)
            break; /* deleted with all that was in it, by somebody who flushes that */
        error = above >= 0 && fsync(above) == 0 ? 0 : errno;
        close_quietly(folder == parent ? -1 : folder);
        folder = above >= 0 ? above : parent;
    }
    close_quietly(folder == parent ? -1 : folder);
    return error;
}

void file_prune_above(const struct file_root *root, const char *key)
{
    char path[FILE_KEY_MAX + 1];
    size_t len = strlen(key);
    memcpy(path, key, len + 1);
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        *slash = '\0';
        const char *name = NULL;
        int parent = file_open_parent(root, path, false, &name);
        bool gone = parent >= 0 ? unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT : errno == ENOENT;
        close_quietly(parent);
        if (!gone)
            return;
    }
}

/* The first entry of a folder: 1 and its name, 0 if the folder is empty, -1 if it cannot be read. */
static int first_entry(const struct file_root *root, const char *path, char *ret_name)
{
    int fd = file_open_below(root, path, O_RDONLY | O_DIRECTORY);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        close_quietly(fd);
        return -1;
    }
    int found = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL && found == 0; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)snprintf(ret_name, FILE_SEGMENT_MAX + 1, "%s", entry->d_name);
            found = 1;
        }
    }
    (void)closedir(folder);
    return found;
}

/* Goes down by first entries; each way down ends at an empty folder, which is removed, or at a file, which ends it all.
 */
bool file_prune_below(const struct file_root *root, const char *path)
{
    char at[FILE_KEY_MAX + 1];
    char name[FILE_SEGMENT_MAX + 1];
    size_t top = strlen(path);
    size_t len = top;
    memcpy(at, path, top + 1);
    for (int steps = 0; steps < PRUNE_STEPS_MAX; steps++) {
        int found = first_entry(root, at, name);
        if (found < 0 || (found == 1 && len + 1 + strlen(name) > FILE_KEY_MAX))
            return false;
        if (found == 1) {
            len += (size_t)snprintf(at + len, sizeof(at) - len, "/%s", name);
            continue;
        }
        const char *last = NULL;
        int parent = file_open_parent(root, at, false, &last);
        bool removed = parent >= 0 && unlinkat(parent, last, AT_REMOVEDIR) == 0;
        close_quietly(parent);
        if (!removed || len == top)
            return removed;
        len = (size_t)(strrchr(at, '/') - at);
        at[len] = '\0';
    }
    return false;
}
