/* SPDX-License-Identifier: Apache-2.0 */
#include "base/named_file.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Linux, Documentation/admin-guide/devices.txt: character device 1, 3. */
static int is_null_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* NULL for what can be read without waiting. */
static const char *what_else(const struct stat *status)
{
    if (S_ISREG(status->st_mode) || is_null_device(status))
        return NULL;
    if (S_ISDIR(status->st_mode))
        return "it is a folder";
    return S_ISFIFO(status->st_mode) ? "it is a FIFO or a pipe, not a regular file"
                                     : "it is a device, not a regular file";
}

int named_file_open(const char *path, const char **ret_why)
{
    struct stat status;
    int fd = fd_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0 || fstat(fd, &status) != 0) {
        int error = errno;
        if (fd >= 0)
            (void)close(fd);
        errno = error;
        *ret_why = strerror(error);
        return -1;
    }
    *ret_why = what_else(&status);
    if (*ret_why != NULL) {
        (void)close(fd);
        errno = 0;
        return -1;
    }
    return fd;
}

/* NULL for a text of at most `max` bytes. */
static const char *what_is_wrong(const char *data, int64_t len, size_t max)
{
    if (len < 0)
        return strerror(errno);
    if ((size_t)len > max)
        return max >= 1 << 20 ? "it is over 1 MiB long" : "it is too long";
    return memchr(data, '\0', (size_t)len) != NULL ? "it is not a text file (it contains a NUL byte)" : NULL;
}

char *named_file_read(const char *path, size_t max, size_t *ret_len, const char **ret_why)
{
    int fd = named_file_open(path, ret_why);
    if (fd < 0)
        return NULL;
    char *data = malloc(max + 2);
    int64_t len = data != NULL ? fd_read(fd, data, max + 1) : 0;
    *ret_why = data != NULL ? what_is_wrong(data, len, max) : strerror(ENOMEM);
    (void)close(fd);
    if (*ret_why == NULL) {
        data[len] = '\0';
        *ret_len = (size_t)len;
        return data;
    }
    if (data != NULL)
        explicit_bzero(data, max + 2); /* it may be a file of keys */
    errno = data != NULL ? 0 : ENOMEM;
    free(data);
    return NULL;
}
