/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libc that change a file system, by their own names: this program's come before libc's for every
 * library that it has loaded. Each does its work by the system call, and notes it when it has succeeded. */
#include "disk_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ places, nodes */

struct place {
    int folder; /* -1: not below the folder that is watched */
    char name[DISK_NAME_SIZE];
};

static int node_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 ? disk_log_find(st.st_dev, st.st_ino) : -1;
}

static struct place place_of(int fd, const char *path)
{
    struct place place = {.folder = -1};
    struct stat st;
    char above[4096];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (length >= sizeof(above) || strlen(name) >= DISK_NAME_SIZE)
        return place;
    memcpy(above, path, length);
    above[length] = '\0';
    const char *folder = slash == NULL ? "." : length == 0 ? "/" : above;
    bool found = slash == NULL && fd != AT_FDCWD ? fstat(fd, &st) == 0 : fstatat(fd, folder, &st, 0) == 0;
    if (found) {
        place.folder = disk_log_find(st.st_dev, st.st_ino);
        memcpy(place.name, name, strlen(name) + 1);
    }
    return place;
}

static int node_at(int fd, const char *path)
{
    struct stat st;
    return fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 ? disk_log_find(st.st_dev, st.st_ino) : -1;
}

static void note_entry(enum disk_kind kind, const struct place *place, int node)
{
    struct disk_op op = {.kind = kind, .folder = place->folder, .node = node};
    memcpy(op.name, place->name, sizeof(op.name));
    disk_log_add(&op);
}

/* Between a successful call and its caller, who may look at errno nevertheless. */
static bool enter(void)
{
    disk_log_enter();
    if (disk_log_is_on())
        return true;
    disk_log_leave();
    return false;
}

static long leave(long result)
{
    int kept = errno;
    disk_log_leave();
    errno = kept;
    return result;
}

/* ------------------------------------------------------------------------------------------------------ opening */

static int open_noted(int at, const char *path, int flags, unsigned mode)
{
    if ((flags & (O_CREAT | O_TRUNC)) == 0 || !enter())
        return (int)syscall(SYS_openat, at, path, flags, mode);
    struct place place = place_of(at, path);
    struct stat st;
    bool was_there = fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
    int fd = (int)syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && place.folder >= 0 && fstat(fd, &st) == 0) {
        if (!was_there)
            note_entry(DISK_CREATE, &place, disk_log_born(st.st_ino, false));
        else if (flags & O_TRUNC)
            disk_log_add(&(struct disk_op){.kind = DISK_TRUNCATE, .node = disk_log_find(st.st_dev, st.st_ino)});
    }
    return (int)leave(fd);
}

#define READ_MODE(flags, mode)             \
    unsigned mode = 0;                     \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list more;                      \
        va_start(more, flags);             \
        mode = va_arg(more, unsigned);     \
        va_end(more);                      \
    }

int open(const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return open_noted(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return open_noted(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return open_noted(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    READ_MODE(flags, mode)
    return open_noted(at, path, flags, mode);
}

/* ------------------------------------------------------------------------------------------------------ bytes */

static void note_write(int node, uint64_t offset, const void *data, size_t size)
{
    struct disk_op op = {.kind = DISK_WRITE, .node = node, .offset = offset, .size = size, .data = malloc(size + 1)};
    if (op.data == NULL)
        abort();
    memcpy(op.data, data, size);
    disk_log_add(&op);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    if (!enter())
        return syscall(SYS_pwrite64, fd, data, size, offset);
    int node = node_of(fd);
    ssize_t done = syscall(SYS_pwrite64, fd, data, size, offset);
    if (node >= 0 && done > 0)
        note_write(node, (uint64_t)offset, data, (size_t)done);
    return leave(done);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return pwrite64(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (!enter())
        return syscall(SYS_write, fd, data, size);
    int node = node_of(fd);
    off_t offset = node >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, fd, data, size);
    if (node >= 0 && done > 0)
        note_write(node, (uint64_t)offset, data, (size_t)done);
    return leave(done);
}

/* Looks at what has come, where it has come to. */
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags)
{
    if (!enter())
        return syscall(SYS_copy_file_range, from, at, to, to_at, size, flags);
    int node = node_of(to);
    off_t offset = to_at != NULL ? *to_at : lseek(to, 0, SEEK_CUR);
    ssize_t done = syscall(SYS_copy_file_range, from, at, to, to_at, size, flags);
    char *data = node >= 0 && done > 0 ? malloc((size_t)done) : NULL;
    if (data != NULL && pread(to, data, (size_t)done, offset) == done)
        note_write(node, (uint64_t)offset, data, (size_t)done);
    free(data);
    return leave(done);
}

int ftruncate64(int fd, off64_t size)
{
    if (!enter())
        return (int)syscall(SYS_ftruncate, fd, size);
    int node = node_of(fd);
    int rc = (int)syscall(SYS_ftruncate, fd, size);
    if (node >= 0 && rc == 0)
        disk_log_add(&(struct disk_op){.kind = DISK_TRUNCATE, .node = node, .size = (uint64_t)size});
    return (int)leave(rc);
}

int ftruncate(int fd, off_t size)
{
    return ftruncate64(fd, size);
}

int futimens(int fd, const struct timespec times[2])
{
    if (!enter())
        return (int)syscall(SYS_utimensat, fd, NULL, times, 0);
    int node = node_of(fd);
    int rc = (int)syscall(SYS_utimensat, fd, NULL, times, 0);
    if (node >= 0 && rc == 0 && times != NULL)
        disk_log_add(&(struct disk_op){.kind = DISK_TIMES, .node = node, .mtime = times[1]});
    return (int)leave(rc);
}

static int sync_noted(int fd, bool data_only)
{
    long number = data_only ? SYS_fdatasync : SYS_fsync;
    if (!enter())
        return (int)syscall(number, fd);
    int node = node_of(fd);
    int rc = (int)syscall(number, fd);
    if (node >= 0 && rc == 0)
        disk_log_add(&(struct disk_op){.kind = DISK_SYNC, .node = node, .data_only = data_only});
    return (int)leave(rc);
}

int fsync(int fd)
{
    return sync_noted(fd, false);
}

int fdatasync(int fd)
{
    return sync_noted(fd, true);
}

/* ------------------------------------------------------------------------------------------------------ entries */

int mkdirat(int at, const char *path, mode_t mode)
{
    if (!enter())
        return (int)syscall(SYS_mkdirat, at, path, mode);
    struct place place = place_of(at, path);
    int rc = (int)syscall(SYS_mkdirat, at, path, mode);
    struct stat st;
    if (place.folder >= 0 && rc == 0 && fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
        note_entry(DISK_MKDIR, &place, disk_log_born(st.st_ino, true));
    return (int)leave(rc);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int unlinkat(int at, const char *path, int flags)
{
    if (!enter())
        return (int)syscall(SYS_unlinkat, at, path, flags);
    struct place place = place_of(at, path);
    int node = node_at(at, path);
    int rc = (int)syscall(SYS_unlinkat, at, path, flags);
    if (place.folder >= 0 && rc == 0)
        note_entry(DISK_REMOVE, &place, node);
    return (int)leave(rc);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int renameat(int from, const char *old, int to, const char *name)
{
    if (!enter())
        return (int)syscall(SYS_renameat, from, old, to, name);
    struct place source = place_of(from, old);
    struct place place = place_of(to, name);
    int node = node_at(from, old);
    int rc = (int)syscall(SYS_renameat, from, old, to, name);
    if (source.folder >= 0 && place.folder >= 0 && rc == 0) {
        struct disk_op op = {.kind = DISK_RENAME, .node = node, .folder = place.folder, .from = source.folder};
        memcpy(op.name, place.name, sizeof(op.name));
        memcpy(op.from_name, source.name, sizeof(op.from_name));
        disk_log_add(&op);
    }
    return (int)leave(rc);
}

int rename(const char *old, const char *name)
{
    return renameat(AT_FDCWD, old, AT_FDCWD, name);
}

/* ------------------------------------------------------------------------------------------------------ looking */

int statx(int at, const char *path, int flags, unsigned mask, struct statx *ret)
{
    int rc = (int)syscall(SYS_statx, at, path, flags, mask, ret);
    if (rc == 0) {
        ret->stx_ino = disk_alias_of(ret->stx_ino);
        ret->stx_mask &= ~(unsigned)STATX_BTIME; /* as on a file system that keeps none: a rebuilt file has another */
    }
    return rc;
}
