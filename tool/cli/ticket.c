/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool folder_is_writable(const char *file)
{
    const char *slash = strrchr(file, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(file, slash == file ? 1 : (size_t)(slash - file));
    bool good = folder != NULL && access(folder, W_OK | X_OK) == 0;
    int failure = folder == NULL ? ENOMEM : errno;

    free(folder);
    errno = failure;
    return good;
}

bool ticket_check(const char *file, struct usage *usage)
{
    struct stat info;

    if (lstat(file, &info) == 0) {
        return usage_refuse(usage,
                            "The ticket file \"%.200s\" exists already, and may be needed to decide an earlier write: "
                            "run `oscommit resolve URL --ticket-file \"%.200s\"` and remove it, or name another file.",
                            file, file);
    }
    if (errno != ENOENT || !folder_is_writable(file))
        return usage_refuse_file(usage, errno, "The ticket file \"%.200s\" could not be made", file);
    return true;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, data, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        len -= (size_t)written;
    }
    return true;
}

bool ticket_save(const char *file, const char *ticket)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good;
    int failure;

    if (fd < 0)
        return false;
    good = write_all(fd, ticket, strlen(ticket)) && write_all(fd, "\n", 1) && fsync(fd) == 0;
    failure = errno;
    if (close(fd) != 0 && good) {
        good = false;
        failure = errno;
    }
    if (!good)
        (void)unlink(file); /* half a ticket is none, and would be in the way */
    errno = failure;
    return good;
}

/* Reads up to `max` bytes; -1 on failure, max + 1 when there is more. */
static ssize_t read_bounded(int fd, char *data, size_t max)
{
    size_t len = 0;

    while (len <= max) {
        ssize_t got = read(fd, data + len, max + 1 - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}

static char *cut_ticket(char *data, size_t len, const char *file, struct usage *usage)
{
    while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
        len--;
    data[len] = '\0';
    if (len == 0 || strlen(data) != len) {
        free(data);
        (void)usage_refuse(usage, "\"%.200s\" contains no ticket.", file);
        return NULL;
    }
    return data;
}

char *ticket_load(const char *file, struct usage *usage)
{
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    char *data = malloc(TICKET_MAX + 2);
    ssize_t len = fd < 0 || data == NULL ? -1 : read_bounded(fd, data, TICKET_MAX);

    if (len < 0)
        (void)usage_refuse_file(usage, errno, "The ticket file \"%.200s\" could not be read", file);
    else if (len > TICKET_MAX)
        (void)usage_refuse(usage, "\"%.200s\" is too long to be a ticket (over %d bytes).", file, TICKET_MAX);
    if (fd >= 0 && !is_stdin)
        (void)close(fd);
    if (len < 0 || len > TICKET_MAX) {
        free(data);
        return NULL;
    }
    return cut_ticket(data, (size_t)len, file, usage);
}
