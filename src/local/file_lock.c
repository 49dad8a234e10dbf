/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_lock.h"

#include "base/clock.h"
#include "base/error.h"

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

enum { LOCK_STRIPES = 256, LOCK_FIRST_WAIT_US = 500, LOCK_MAX_WAIT_US = 20000 };

struct file_locks {
    int folder_fd; /* ROOT/.oscommit/locks */
};

os_code file_locks_open(const char *root, struct file_locks **ret, os_error *err)
{
    char path[4352];
    int length = snprintf(path, sizeof(path), "%s/.oscommit/locks", root);
    if (length < 0 || (size_t)length >= sizeof(path))
        return error_set(err, OS_ERR_CONFIG, "The root of the store is over 4,096 bytes long.");
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_set(err, OS_ERR_IO, "The folder %.500s could not be made: %s.", path, strerror(errno));
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return error_set(err, OS_ERR_IO, "The folder %.500s could not be opened: %s.", path, strerror(errno));
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

/* FNV-1a (Fowler, Noll, Vo): spreads keys over the stripes. */
static unsigned stripe_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (const unsigned char *c = (const unsigned char *)key; *c; c++)
        hash = (hash ^ *c) * 16777619u;
    return hash % LOCK_STRIPES;
}

struct attempt {
    int fd;
    int operation;             /* of flock */
    const struct flock *range; /* NULL: the whole file, by flock */
};

static bool try_lock(const struct attempt *attempt)
{
    if (attempt->range == NULL)
        return flock(attempt->fd, attempt->operation | LOCK_NB) == 0;
    return fcntl(attempt->fd, F_OFD_SETLK, attempt->range) == 0;
}

/* Neither kind of lock has a form that waits for a limited time, so this polls. */
static os_code wait_for(const struct attempt *attempt, const char *key, uint64_t deadline_ms,
                        const _Atomic int *cancelled, os_error *err)
{
    long wait_us = LOCK_FIRST_WAIT_US;
    while (!try_lock(attempt)) {
        if (errno != EWOULDBLOCK && errno != EAGAIN && errno != EACCES && errno != EINTR)
            return error_set(err, OS_ERR_IO, "The lock of %.300s could not be taken: %s.", key, strerror(errno));
        struct clock_reading now;
        clock_read(&now);
        if (cancelled && atomic_load(cancelled))
            return error_set(err, OS_ERR_CANCELLED, "The call was cancelled while %.300s was locked.", key);
        if (now.monotonic_ms >= deadline_ms)
            return error_set(err, OS_ERR_DEADLINE,
                             "%.300s was locked by another process for too long; is one of them stopped?", key);
        struct timespec pause = {.tv_nsec = wait_us * 1000};
        nanosleep(&pause, NULL);
        wait_us = wait_us * 2 < LOCK_MAX_WAIT_US ? wait_us * 2 : LOCK_MAX_WAIT_US;
    }
    return OS_OK;
}

os_code file_lock_take(struct file_locks *locks, const char *key, bool exclusive, uint64_t deadline_monotonic_ms,
                       const _Atomic int *cancelled, int *ret_fd, os_error *err)
{
    char name[8];
    snprintf(name, sizeof(name), "%02x", stripe_of(key));
    int fd = openat(locks->folder_fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set(err, OS_ERR_IO, "The lock file of %.300s could not be opened: %s.", key, strerror(errno));
    struct attempt attempt = {.fd = fd, .operation = exclusive ? LOCK_EX : LOCK_SH};
    os_code code = wait_for(&attempt, key, deadline_monotonic_ms, cancelled, err);
    if (code != OS_OK) {
        close(fd);
        return code;
    }
    *ret_fd = fd;
    return OS_OK;
}

os_code file_lock_range(int fd, uint64_t offset, uint64_t length, const char *key, uint64_t deadline_monotonic_ms,
                        const _Atomic int *cancelled, os_error *err)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)offset, .l_len = (off_t)length};
    struct attempt attempt = {.fd = fd, .range = &range};
    return wait_for(&attempt, key, deadline_monotonic_ms, cancelled, err);
}

void file_lock_drop(int fd)
{
    close(fd);
}
