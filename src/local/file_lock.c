/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_lock.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_FIRST_WAIT_US = 500, LOCK_MAX_WAIT_US = 20000 };

struct file_locks {
    int folder_fd; /* ROOT/.oscommit/locks */
};

static os_code lock_failed(os_error *err, int error, const char *what, const char *name, const char *not_done)
{
    bool denied = error == EACCES || error == EPERM || error == EROFS;
    return error_set(err, denied ? OS_ERR_DENIED : OS_ERR_IO, "%s %.500s could not be %s: %s.%s", what, name, not_done,
                     strerror(error),
                     error == EACCES ? " All processes of a store must run as one user. If another one, such as root, "
                                       "has used it, give its files back (chown -R)."
                                     : "");
}

os_code file_locks_open(const char *root, struct file_locks **ret, os_error *err)
{
    char path[4352];
    int length = snprintf(path, sizeof(path), "%s/.oscommit/locks", root);
    if (length < 0 || (size_t)length >= sizeof(path))
        return error_set(err, OS_ERR_CONFIG, "The root of the store is over 4,096 bytes long.");
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return lock_failed(err, errno, "The folder", path, "made");
    int fd = fd_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return lock_failed(err, errno, "The folder", path, "opened");
    struct file_locks *locks = malloc(sizeof(*locks));
    if (locks == NULL) {
        close(fd);
        return error_no_memory(err);
    }
    locks->folder_fd = fd;
    *ret = locks;
    return OS_OK;
}

void file_locks_close(struct file_locks *locks)
{
    if (locks == NULL)
        return;
    close(locks->folder_fd);
    free(locks);
}

/* FNV-1a (Fowler, Noll, Vo): spreads keys over the locks. */
size_t file_lock_number(const char *key)
{
    uint32_t hash = 2166136261u;
    for (const unsigned char *c = (const unsigned char *)key; *c; c++)
        hash = (hash ^ *c) * 16777619u;
    return hash % FILE_LOCK_COUNT;
}

/* errno of an attempt that failed. */
static bool others_have_it(void)
{
    return errno == EWOULDBLOCK || errno == EAGAIN || errno == EACCES || errno == EINTR;
}

static os_code not_taken(const char *key, os_error *err)
{
    return error_set(err, OS_ERR_IO, "The lock of %.300s could not be taken: %s.", key, strerror(errno));
}

os_code file_lock_late(const char *key, os_error *err)
{
    return error_set(err, OS_ERR_DEADLINE,
                     "%.300s was locked by another process for too long; check whether one of them is stopped.", key);
}

os_code file_lock_try(struct file_locks *locks, const char *key, bool exclusive, struct file_lock *ret, bool *ret_taken,
                      os_error *err)
{
    char name[8];
    snprintf(name, sizeof(name), "%02zx", file_lock_number(key));
    if (!unshared_open(&ret->file, locks->folder_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600))
        return lock_failed(err, errno, "The lock file of", key, "opened");
    *ret_taken = flock(ret->file.fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
    os_code code = *ret_taken || others_have_it() ? OS_OK : not_taken(key, err);
    if (!*ret_taken)
        unshared_close(&ret->file);
    return code;
}

/* This kind of lock has no form that waits for a limited time, so this polls. */
static os_code lock_wait_for(int fd, const struct flock *range, const char *key, uint64_t deadline_ms,
                             const _Atomic int *cancelled, os_error *err)
{
    long wait_us = LOCK_FIRST_WAIT_US;
    while (fcntl(fd, F_OFD_SETLK, range) != 0) {
        if (!others_have_it())
            return not_taken(key, err);
        struct clock_reading now;
        clock_read(&now);
        if (cancelled && atomic_load(cancelled))
            return error_set(err, OS_ERR_CANCELLED, "The call was cancelled while %.300s was locked.", key);
        if (now.monotonic_ms >= deadline_ms)
            return file_lock_late(key, err);
        struct timespec pause = {.tv_nsec = wait_us * 1000};
        nanosleep(&pause, NULL);
        wait_us = wait_us * 2 < LOCK_MAX_WAIT_US ? wait_us * 2 : LOCK_MAX_WAIT_US;
    }
    return OS_OK;
}

os_code file_lock_range(int fd, uint64_t offset, uint64_t length, const char *key, uint64_t deadline_monotonic_ms,
                        const _Atomic int *cancelled, os_error *err)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = (off_t)length};
    return lock_wait_for(fd, &range, key, deadline_monotonic_ms, cancelled, err);
}

void file_lock_range_drop(int fd)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    (void)fcntl(fd, F_OFD_SETLK, &all);
}

/* Closing alone would let go only of this process's copy of the descriptor. */
void file_lock_drop(struct file_lock *lock)
{
    (void)flock(lock->file.fd, LOCK_UN);
    unshared_close(&lock->file);
}
