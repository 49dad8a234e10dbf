/* SPDX-License-Identifier: Apache-2.0 */
#include "plain/get_file.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/random.h"
#include "loop/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40, /* as the kernel follows */
    SLICE_MS = 50   /* between two looks at the cancellation */
};

static os_code get_file_failed(const char *name, const char *what, os_error *err)
{
    os_code code = error_code_of(errno);
    return error_set(err, code, "%.300s could not be %s: %s.", name, what, strerror(errno));
}

/* ---------------------------------------------------------------------------------------------------- waiting */

/* OS_OK while it may be waited on. */
static os_code get_file_go_on(const struct get_file *file, const char *what, os_error *err)
{
    if (cancel_triggered(file->cancel) || cancel_triggered(file->closing))
        return error_set(err, OS_ERR_CANCELLED, "The call was cancelled while %.300s had %s.", file->name, what);
    if (clock_left_ms(file->deadline_ms) == 0)
        return error_set(err, OS_ERR_DEADLINE, "The deadline passed while %.300s had %s.", file->name, what);
    return OS_OK;
}

static bool wait_for_room(const struct get_file *file, os_error *err)
{
    struct pollfd fd = {.fd = file->fd, .events = POLLOUT};
    while (poll(&fd, 1, SLICE_MS) == 0)
        if (get_file_go_on(file, "no room for more, because its reader does not read", err) != OS_OK)
            return false;
    return true;
}

/* Nothing tells of a FIFO's first reader but open(), which then waits for it whatever happens. */
static os_code open_in_place(struct get_file *file, int flags, os_error *err)
{
    file->fd = fd_open(file->name, O_WRONLY | O_NOCTTY | O_NONBLOCK | flags, 0);
    while (file->fd < 0 && errno == ENXIO) {
        struct stat status;
        if (stat(file->name, &status) != 0 || !S_ISFIFO(status.st_mode)) {
            errno = ENXIO;
            break;
        }
        os_code code = get_file_go_on(file, "no reader", err);
        if (code != OS_OK)
            return code;
        (void)poll(NULL, 0, SLICE_MS);
        file->fd = fd_open(file->name, O_WRONLY | O_NOCTTY | O_NONBLOCK | flags, 0);
    }
    return file->fd >= 0 ? OS_OK : get_file_failed(file->name, "opened", err);
}

/* ---------------------------------------------------------------------------------------------------- the place */

/* What a link says, as seen from where the link is. False: it is none. */
static bool follow(char path[PATH_MAX])
{
    char link[PATH_MAX];
    ssize_t length = readlink(path, link, sizeof(link) - 1);
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL || link[0] == '/' ? 0 : (size_t)(slash - path) + 1;
    if (length < 0 || folder + (size_t)length >= PATH_MAX)
        return false;
    memcpy(path + folder, link, (size_t)length);
    path[folder + (size_t)length] = '\0';
    return true;
}

/* /dev/stdout, /dev/fd/3: not the name of a file but the open file itself, whatever name that has. */
static bool is_open_file(const char *name)
{
    char path[PATH_MAX];
    bool is_link = strlen(name) < sizeof(path);
    if (is_link)
        memcpy(path, name, strlen(name) + 1);
    for (int links = 0; is_link && links < LINKS_MAX; links++) {
        struct stat status;
        struct statfs system;
        int fd = fd_open(path, O_PATH | O_NOFOLLOW, 0);
        bool known = fd >= 0 && fstat(fd, &status) == 0 && fstatfs(fd, &system) == 0;
        if (fd >= 0)
            (void)close(fd);
        if (!known || !S_ISLNK(status.st_mode))
            return false;
        if (system.f_type == PROC_SUPER_MAGIC)
            return true;
        is_link = follow(path);
    }
    return false;
}

/* `mode`: of the file that is replaced, which keeps it; 0: the usual one of a new file. */
static os_code get_file_open_beside(struct get_file *file, char *target, mode_t mode, os_error *err)
{
    uint64_t random;
    size_t size = target ? strlen(target) + 32 : 0;
    file->target = target;
    file->temporary = target ? malloc(size) : NULL;
    if (file->temporary == NULL || !random_bytes(&random, sizeof(random)))
        return error_no_memory(err);
    snprintf(file->temporary, size, "%s.%016llx.tmp", target, (unsigned long long)random);
    file->fd = fd_open(file->temporary, O_WRONLY | O_CREAT | O_EXCL, mode != 0 ? 0600 : 0666);
    if (file->fd < 0)
        return get_file_failed(file->name, "created", err);
    return mode == 0 || fchmod(file->fd, mode & 0777) == 0 ? OS_OK : get_file_failed(file->name, "created", err);
}

static os_code open_absent(struct get_file *file, os_error *err)
{
    struct stat status;
    if (lstat(file->name, &status) == 0 && S_ISLNK(status.st_mode))
        return error_set(
            err, OS_ERR_ARGUMENT,
            "%.300s is a symbolic link to a file that does not exist; remove the link, or create the file.",
            file->name);
    return get_file_open_beside(file, strdup(file->name), 0, err);
}

os_code get_file_open(struct get_file *file, os_error *err)
{
    struct stat status;
    file->fd = -1;
    if (stat(file->name, &status) != 0)
        return open_absent(file, err);
    if (S_ISDIR(status.st_mode))
        return error_set(err, OS_ERR_ARGUMENT, "%.300s is a folder; name a file.", file->name);
    if (!S_ISREG(status.st_mode))
        return open_in_place(file, 0, err);
    if (is_open_file(file->name))
        return open_in_place(file, O_TRUNC, err);
    return get_file_open_beside(file, realpath(file->name, NULL), status.st_mode, err);
}

/* ---------------------------------------------------------------------------------------------------- the bytes */

bool get_file_write(struct get_file *file, const void *data, size_t length, os_error *err)
{
    const char *at = data;
    while (length > 0) {
        ssize_t written = write(file->fd, at, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) {
            if (!wait_for_room(file, err))
                return false;
            continue;
        }
        if (written < 0) {
            (void)get_file_failed(file->name, "written", err);
            return false;
        }
        at += written;
        length -= (size_t)written;
    }
    return true;
}

/* EINVAL, ENOTSUP: there is no disk below it. */
static bool flush(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

os_code get_file_keep(struct get_file *file, os_error *err)
{
    if (!flush(file->fd) || (file->temporary && rename(file->temporary, file->target) != 0))
        return get_file_failed(file->name, "completed", err);
    free(file->temporary);
    file->temporary = NULL;
    return OS_OK;
}

void get_file_close(struct get_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    if (file->temporary && file->fd >= 0)
        (void)unlink(file->temporary);
    free(file->temporary);
    free(file->target);
}
