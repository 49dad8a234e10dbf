/* SPDX-License-Identifier: Apache-2.0 */
/* System calls on files, by the linker's --wrap: those of the library, not those inside libc, SQLite or OpenSSL. A call
 * that fails has had no effect; close alone is made for real (Linux frees the descriptor whatever it says). renameat
 * and unlinkat fail in a second way too, after they have done their work: with EIO as ext4 does when the inode behind
 * the name cannot be written, with ENOENT as NFS does when it asks again because an answer was lost. The names in _chk
 * and _2 are what glibc makes of the same calls with _FORTIFY_SOURCE. */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { VARIANT_SHORT = 7 };

static bool fails(const char *call)
{
    static const int numbers[] = {EIO, ENOSPC, EMFILE, EINTR, EDQUOT, ENOMEM, EACCES, EIO};
    if (!inject_hits(INJECT_FILE, call))
        return false;
    errno = numbers[inject_variant()];
    return true;
}

static int end(const char *call, int rc)
{
    static const int numbers[] = {EIO, ENOENT};
    if (rc != 0 || !inject_hits(INJECT_DONE, call))
        return rc;
    errno = numbers[inject_variant()];
    return -1;
}

/* RESULT __real_NAME PARAMETERS, and a wrapper that fails with FAILED. */
#define WRAP(result, name, parameters, arguments, failed) \
    result __real_##name parameters;                      \
    result __wrap_##name parameters;                      \
    result __wrap_##name parameters                       \
    {                                                     \
        if (fails(#name))                                 \
            return failed;                                \
        return __real_##name arguments;                   \
    }

/* The same, and one that fails when all is done. */
#define WRAP_APPLYING(name, parameters, arguments)                      \
    int __real_##name parameters;                                       \
    int __wrap_##name parameters;                                       \
    int __wrap_##name parameters                                        \
    {                                                                   \
        return fails(#name) ? -1 : end(#name, __real_##name arguments); \
    }

WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, fdatasync, (int fd), (fd), -1)
WRAP(int, ftruncate, (int fd, off_t length), (fd, length), -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), -1)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), -1)
WRAP(int, fstatat, (int fd, const char *path, struct stat *st, int flags), (fd, path, st, flags), -1)
WRAP(int, statx, (int fd, const char *path, int flags, unsigned mask, struct statx *st), (fd, path, flags, mask, st),
     -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1)
WRAP_APPLYING(renameat, (int from, const char *old, int to, const char *name), (from, old, to, name))
WRAP(int, unlink, (const char *path), (path), -1)
WRAP_APPLYING(unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), -1)
WRAP(int, flock, (int fd, int operation), (fd, operation), -1)
WRAP(int, futimens, (int fd, const struct timespec *times), (fd, times), -1)
WRAP(int, access, (const char *path, int mode), (path, mode), -1)
WRAP(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags), -1)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent *, readdir, (DIR * folder), (folder), NULL)
WRAP(char *, realpath, (const char *path, char *ret), (path, ret), NULL)
WRAP(char *, __realpath_chk, (const char *path, char *ret, size_t size), (path, ret, size), NULL)
WRAP(ssize_t, getrandom, (void *data, size_t length, unsigned flags), (data, length, flags), -1)

/* A transfer that is cut short moves the first byte of several. */
#define WRAP_TRANSFER(name, parameters, arguments)               \
    ssize_t __real_##name parameters;                            \
    ssize_t __wrap_##name parameters;                            \
    ssize_t __wrap_##name parameters                             \
    {                                                            \
        if (fails(#name)) {                                      \
            if (inject_variant() != VARIANT_SHORT || length < 2) \
                return -1;                                       \
            length = 1;                                          \
        }                                                        \
        return __real_##name arguments;                          \
    }

WRAP_TRANSFER(read, (int fd, void *data, size_t length), (fd, data, length))
WRAP_TRANSFER(__read_chk, (int fd, void *data, size_t length, size_t size), (fd, data, length, size))
WRAP_TRANSFER(pread, (int fd, void *data, size_t length, off_t offset), (fd, data, length, offset))
WRAP_TRANSFER(__pread_chk, (int fd, void *data, size_t length, off_t offset, size_t size),
              (fd, data, length, offset, size))
WRAP_TRANSFER(write, (int fd, const void *data, size_t length), (fd, data, length))
WRAP_TRANSFER(pwrite, (int fd, const void *data, size_t length, off_t offset), (fd, data, length, offset))
WRAP_TRANSFER(copy_file_range, (int from, off_t *at, int to, off_t *to_at, size_t length, unsigned flags),
              (from, at, to, to_at, length, flags))

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int rc = __real_close(fd);
    return fails("close") ? -1 : rc;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return fails("openat") ? -1 : __real_openat(fd, path, flags, mode);
}

WRAP(int, __open_2, (const char *path, int flags), (path, flags), -1)
WRAP(int, __openat_2, (int fd, const char *path, int flags), (fd, path, flags), -1)

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    return fails("ioctl") ? -1 : __real_ioctl(fd, request, argument);
}

/* Locks of ranges, the only use there is of it. */
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return fails("fcntl") ? -1 : __real_fcntl(fd, command, argument);
}

/* openat2, which libc has no function for, and what test/support calls in this way. No more arguments may be read than
 * were given. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    long arguments[6] = {0};
    int count = number == SYS_openat2 ? 4 : number == SYS_setsockopt ? 5 : 6;
    va_list more;
    va_start(more, number);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_openat2 && fails("openat2"))
        return -1;
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
