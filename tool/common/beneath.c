/* SPDX-License-Identifier: Apache-2.0 */
#include "common/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *beneath_refuse(const char *name)
{
    const char *at = name;

    while (true) {
        size_t length = strcspn(at, "/");
        if (length == 0)
            return "has an empty part, or begins or ends with a slash";
        if ((length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.'))
            return "has a part that is . or ..";
        if (length == strlen(".oscommit") && strncasecmp(at, ".oscommit", length) == 0)
            return "has a part that is .oscommit, which is the mark of a store";
        if (length > NAME_MAX)
            return "has a part of more than 255 bytes";
        if (at[length] == '\0')
            return NULL;
        at += length + 1;
    }
}

/* The next folder on the way; closes the one that it is in, unless that is the first. */
static int step(int at, bool is_first, const char *part, size_t length, bool make)
{
    char name[NAME_MAX + 1];
    int next;
    int failure;

    memcpy(name, part, length);
    name[length] = '\0';
    if (make && mkdirat(at, name, 0777) != 0 && errno != EEXIST)
        next = -1;
    else
        next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    failure = errno;
    if (!is_first)
        (void)close(at);
    errno = failure;
    return next;
}

int beneath_folder(int folder, const char *name, bool make, const char **ret_last)
{
    int at = folder;

    if (beneath_refuse(name) != NULL) {
        errno = EINVAL;
        return -1;
    }
    for (size_t length = strcspn(name, "/"); name[length] == '/'; length = strcspn(name, "/")) {
        at = step(at, at == folder, name, length, make);
        if (at < 0)
            return -1;
        name += length + 1;
    }
    *ret_last = name;
    return at == folder ? fcntl(folder, F_DUPFD_CLOEXEC, 0) : at;
}

int beneath_open(int folder, const char *name)
{
    const char *last;
    int at = beneath_folder(folder, name, false, &last);
    struct stat info;
    int failure;
    int fd;

    if (at < 0)
        return -1;
    fd = openat(at, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    failure = errno;
    (void)close(at);
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        (void)close(fd);
        fd = -1;
        failure = EINVAL;
    }
    errno = failure;
    return fd;
}
