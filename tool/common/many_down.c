/* SPDX-License-Identifier: Apache-2.0 */
/* An object becomes a file below a folder, and never one elsewhere. It has its name when it is complete. */
#include "common/beneath.h"
#include "common/many.h"
#include "common/same.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEMPORARY_SIZE = 48 };

struct down {
    struct batch *batch;
    const struct batch_item *item;
    char *key;
    char *url;
    int folder; /* that the file is in */
    const char *name;
    char temporary[TEMPORARY_SIZE];
    int fd; /* of it */
};

/* ELOOP and ENOTDIR are what a link gives that is not followed. */
static const char *reason_of(int failure)
{
    switch (failure) {
    case EEXIST: return "something that is no file has its name";
    case ELOOP:
    case ENOTDIR: return "a part of its name is a symbolic link, which is not followed, or no folder";
    default: return strerror(failure);
    }
}

static enum status fail(const struct down *down, int failure)
{
    const struct many *many = down->batch->context;
    os_error error = {.code = code_of_errno(failure)};

    (void)snprintf(error.message, sizeof(error.message), "The file %.300s/%.300s cannot be written: %s.",
                   many->folder_name, down->item->name, reason_of(failure));
    return many_refuse(down->batch, down->url, status_of_read(&error), &error);
}

static bool open_temporary(struct down *down)
{
    for (int tries = 0; tries < 16; tries++) {
        uint64_t number;
        if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
            return false;
        (void)snprintf(down->temporary, sizeof(down->temporary), ".oscommit-get-%016" PRIx64, number);
        down->fd = openat(down->folder, down->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (down->fd >= 0 || errno != EEXIST)
            return down->fd >= 0;
    }
    return false;
}

/* 0, or errno. A link gives its own name away, not what it leads to. */
static int give_name(const struct down *down, bool replace)
{
    struct stat there;

    if (!replace) {
        if (linkat(down->folder, down->temporary, down->folder, down->name, 0) != 0)
            return errno;
        (void)unlinkat(down->folder, down->temporary, 0);
        return 0;
    }
    if (fstatat(down->folder, down->name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
            return S_ISDIR(there.st_mode) ? EISDIR : EEXIST;
        if (S_ISREG(there.st_mode))
            (void)fchmod(down->fd, there.st_mode & 0777);
    }
    return renameat(down->folder, down->temporary, down->folder, down->name) == 0 ? 0 : errno;
}

static enum status conflict(const struct down *down)
{
    const struct many *many = down->batch->context;
    os_error error = {.code = OS_ERR_CONFLICT};

    (void)snprintf(error.message, sizeof(error.message),
                   "%.300s/%.300s is there, and is not known to have the object's bytes: it stays.", many->folder_name,
                   down->item->name);
    return many_refuse(down->batch, down->url, STATUS_CONFLICT, &error);
}

/* With sync: STATUS_DONE and *ret_there, or a conflict. What is there and is no file is another thing. */
static enum status compare(const struct down *down, bool *ret_there)
{
    uint64_t part_size = options_number(down->batch->session->options, OPTION_PART_SIZE);
    struct stat info;
    int fd;
    enum same same = SAME_UNKNOWN;

    *ret_there = fstatat(down->folder, down->name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*ret_there)
        return STATUS_DONE;
    fd = beneath_open(down->folder, down->name);
    if (fd >= 0) {
        if ((uint64_t)info.st_size == down->item->length)
            same = same_as_etag(fd, down->item->length, down->item->etag, part_size);
        (void)close(fd);
    }
    return same == SAME_BYTES ? many_unchanged(down->batch, down->url, down->item->etag) : conflict(down);
}

static enum status report_done(const struct down *down, const os_object *found)
{
    enum status status;

    batch_lock(down->batch);
    down->batch->counts.done++;
    status = output_object(&down->batch->session->output, down->url, found, true);
    batch_unlock(down->batch);
    return status;
}

static enum status fetch(struct down *down, bool replace)
{
    struct session *session = down->batch->session;
    os_object found = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;
    os_error error = {0};
    char path[64];
    os_code code;
    int failure;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", down->fd);
    sink.file = path;
    code = os_get(session->client, down->key, &sink, &session->call, &found, &error);
    if (code != OS_OK)
        return many_refuse(down->batch, down->url, status_of_read(&error), &error);
    failure = give_name(down, replace);
    if (failure == EEXIST && !replace)
        return conflict(down);
    if (failure != 0)
        return fail(down, failure);
    down->temporary[0] = '\0';
    return report_done(down, &found);
}

static enum status get_file(struct down *down)
{
    const struct many *many = down->batch->context;
    bool is_there = false;
    enum status status;

    if (many->same_is_done) {
        status = compare(down, &is_there);
        if (is_there)
            return status;
    }
    if (!open_temporary(down)) {
        down->temporary[0] = '\0';
        return fail(down, errno);
    }
    status = fetch(down, !many->same_is_done);
    (void)close(down->fd);
    if (down->temporary[0] != '\0')
        (void)unlinkat(down->folder, down->temporary, 0);
    return status;
}

static enum status refuse_name(const struct down *down)
{
    os_error error = {.code = OS_ERR_ARGUMENT};

    (void)snprintf(error.message, sizeof(error.message),
                   "The object %.500s cannot become a file below a folder: its name %s.", down->url,
                   down->item->refusal);
    return many_refuse(down->batch, down->url, STATUS_NOT_EXECUTED, &error);
}

enum status many_down(struct batch *batch, const struct batch_item *item)
{
    const struct many *many = batch->context;
    struct down down = {.batch = batch, .item = item, .key = many_key(&many->from, item), .folder = -1, .fd = -1};
    enum status status = STATUS_DONE;

    if (down.key != NULL)
        down.url = location_url_of(&many->from, down.key);
    if (down.url == NULL) {
        status = fail(&down, ENOMEM);
    } else if (item->refusal != NULL) {
        status = refuse_name(&down);
    } else if (!item->is_marker) {
        down.folder = beneath_folder(many->folder, item->name, true, &down.name);
        status = down.folder < 0 ? fail(&down, errno) : get_file(&down);
        if (down.folder >= 0)
            (void)close(down.folder);
    }
    free(down.key);
    free(down.url);
    return status;
}
