/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the config file, and reads it whole. */
#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *config_distrust(mode_t mode, uid_t owner, uid_t user)
{
    if (!S_ISREG(mode))
        return "is no regular file";
    if (owner != user && owner != 0)
        return "belongs to another user: make a copy of your own";
    if ((mode & (S_IWGRP | S_IWOTH)) != 0)
        return "may be written by others, who could lead your writes elsewhere: chmod go-w it";
    return NULL;
}

char *config_usual_path(bool *ret_unknown)
{
    static const char ending[] = "/oscommit/config.toml";
    const char *folder = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    bool in_home = folder == NULL || folder[0] != '/';
    const char *start = in_home ? home : folder;
    size_t size;
    char *path;

    *ret_unknown = start == NULL || start[0] != '/';
    if (*ret_unknown)
        return NULL;
    size = strlen(start) + sizeof("/.config") + sizeof(ending);
    path = malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%s%s%s", start, in_home ? "/.config" : "", ending);
    return path;
}

static bool read_whole(int fd, char *data, size_t max, size_t *ret_length)
{
    size_t length = 0;

    while (length < max) {
        ssize_t got = read(fd, data + length, max - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    *ret_length = length;
    return true;
}

/* The text in new memory; NULL, with a sentence. */
static char *read_trusted(int fd, const char *path, size_t *ret_length, struct usage *usage)
{
    struct stat info;
    const char *why = fstat(fd, &info) != 0 ? strerror(errno) : config_distrust(info.st_mode, info.st_uid, geteuid());
    char *data;

    if (why != NULL) {
        (void)usage_refuse(usage, "The config file %.300s %s.", path, why);
        return NULL;
    }
    data = malloc(CONFIG_SIZE_MAX + 2);
    if (data == NULL || !read_whole(fd, data, CONFIG_SIZE_MAX + 1, ret_length))
        (void)usage_refuse_file(usage, errno, "The config file %.300s cannot be read", path);
    else if (*ret_length > CONFIG_SIZE_MAX)
        (void)usage_refuse(usage, "The config file %.300s has more than %d bytes.", path, CONFIG_SIZE_MAX);
    else
        return data;
    free(data);
    return NULL;
}

/* Takes the path over. */
static bool load_from(char *path, bool is_usual, struct config *ret, struct usage *usage)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    size_t length = 0;
    char *data;

    if (fd < 0 && is_usual && (errno == ENOENT || errno == ENOTDIR)) {
        free(path);
        return true;
    }
    if (fd < 0) {
        (void)usage_refuse_file(usage, errno, "The config file %.300s cannot be read", path);
        free(path);
        return false;
    }
    data = read_trusted(fd, path, &length, usage);
    (void)close(fd);
    if (data == NULL) {
        free(path);
        return false;
    }
    data[length] = '\0';
    return config_read(path, data, length, ret, usage);
}

bool config_load(const char *named, struct config *ret, struct usage *usage)
{
    bool is_unknown = false;
    char *path;

    *ret = (struct config){.path = NULL};
    if (named != NULL && strcmp(named, "/dev/null") == 0)
        return true;
    path = named != NULL ? strdup(named) : config_usual_path(&is_unknown);
    if (path == NULL)
        return is_unknown || usage_refuse(usage, "There is not enough memory.");
    return load_from(path, named == NULL, ret, usage);
}
