/* SPDX-License-Identifier: Apache-2.0 */
#include "common/manifest.h"

#include "cli/clean.h"
#include "common/manifest_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static bool manifest_no_memory(struct usage *usage)
{
    return usage_refuse(usage, "There is not enough memory for the manifest.");
}

static const char *distrust(const struct stat *info)
{
    if (!S_ISREG(info->st_mode))
        return "is no regular file";
    if (info->st_uid != geteuid())
        return "belongs to another user";
    if ((info->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "may be written by others, who could claim that a write was committed: chmod go-w it";
    return NULL;
}

/* A name that is new must not be lost with the machine either. */
static void sync_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(name, slash == name ? 1 : (size_t)(slash - name));
    int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

static int open_file(const char *name, struct usage *usage)
{
    int fd = open(name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    struct stat info;
    const char *why;

    if (fd < 0) {
        (void)(errno == ELOOP
                   ? usage_refuse(usage, "The manifest %.300s cannot be opened: it is a symbolic link.", name)
                   : usage_refuse_file(usage, errno, "The manifest %.300s cannot be opened", name));
        return -1;
    }
    why = fstat(fd, &info) != 0 ? strerror(errno) : distrust(&info);
    if (why != NULL)
        (void)usage_refuse(usage, "The manifest %.300s %s.", name, why);
    else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        (void)usage_refuse(usage, "The manifest %.300s is in use by another process.", name);
    else
        return fd;
    (void)close(fd);
    return -1;
}

static bool write_whole(int fd, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        length -= (size_t)written;
    }
    return true;
}

/* The line with its end, at once, so that a torn one has none. */
static bool append_line(struct manifest *manifest, struct json_line *line)
{
    char *text = line->failed ? NULL : json_dumps(line->object, JSON_COMPACT);
    size_t length = text == NULL ? 0 : strlen(text);
    bool good;

    json_line_free(line);
    if (text == NULL) {
        manifest->failure = ENOMEM;
        return false;
    }
    text[length] = '\n'; /* over the NUL */
    good = write_whole(manifest->fd, text, length + 1) && fsync(manifest->fd) == 0;
    if (!good)
        manifest->failure = errno == 0 ? EIO : errno;
    free(text);
    return good;
}

static void add_now(struct json_line *line)
{
    json_line_time(line, "time", (int64_t)time(NULL));
}

static bool begin_run(struct manifest *manifest, const char *target, const struct options *options)
{
    struct json_line line;

    json_line_begin(&line);
    json_line_number(&line, "manifest", 1);
    json_line_text(&line, "target", target);
    json_line_text(&line, "command", options->command->name);
    json_line_text(&line, "owner", manifest->owner);
    add_now(&line);
    return append_line(manifest, &line);
}

static void name_owner(struct manifest *manifest)
{
    char host[HOST_NAME_MAX + 1] = "";

    if (gethostname(host, sizeof(host)) != 0)
        host[0] = '\0';
    (void)snprintf(manifest->owner, sizeof(manifest->owner), "%.255s:%ld", host, (long)getpid());
}

bool manifest_open(const char *name, const char *target, const struct options *options, struct manifest *ret,
                   struct usage *usage)
{
    struct manifest manifest = {.fd = -1, .name = strdup(name)};
    bool good;

    *ret = (struct manifest){.fd = -1};
    if (manifest.name == NULL)
        return manifest_no_memory(usage);
    name_owner(&manifest);
    manifest.fd = open_file(name, usage);
    good = manifest.fd >= 0 && manifest_read(&manifest, target, usage);
    if (good && !begin_run(&manifest, target, options))
        good = usage_refuse_file(usage, manifest.failure, "The manifest %.300s cannot be written", name);
    if (good && !manifest.is_resumed)
        sync_folder(name);
    if (!good) {
        manifest_close(&manifest);
        return false;
    }
    *ret = manifest;
    return true;
}

void manifest_close(struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->count; i++)
        manifest_entry_clear(&manifest->entries[i]);
    free(manifest->entries);
    free(manifest->name);
    if (manifest->fd >= 0)
        (void)close(manifest->fd);
    *manifest = (struct manifest){.fd = -1};
}

const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *key)
{
    size_t low = 0;
    size_t high = manifest->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(manifest->entries[middle].key, key);
        if (order == 0)
            return &manifest->entries[middle];
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

bool manifest_write(struct manifest *manifest, const struct manifest_note *note)
{
    struct json_line line;

    if (manifest->fd < 0)
        return true;
    if (manifest->failure != 0)
        return false;
    json_line_begin(&line);
    json_line_text(&line, "key", note->key);
    json_line_text(&line, "verdict", note->verdict);
    json_line_text(&line, "etag", note->etag);
    json_line_text(&line, "version_id", note->version_id);
    json_line_text(&line, "source_etag", note->source_etag);
    json_line_number(&line, "length", note->length);
    if (note->mtime_ns != 0)
        json_line_signed(&line, "mtime_ns", note->mtime_ns);
    json_line_text(&line, "owner", manifest->owner);
    add_now(&line);
    json_line_text(&line, "ticket", note->ticket);
    if (note->error != NULL)
        json_line_error(&line, note->error);
    return append_line(manifest, &line);
}
