/* SPDX-License-Identifier: Apache-2.0 */
/* A file of a folder becomes an object; an object of a prefix one of another prefix. */
#include "common/beneath.h"
#include "common/many.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status refuse_file(struct batch *batch, const struct batch_item *item, const char *url, os_code code,
                               const char *why)
{
    const struct many *many = batch->context;
    os_error error = {.code = code};

    (void)snprintf(error.message, sizeof(error.message), "%.300s/%.300s %s.", many->folder_name, item->name, why);
    return many_refuse(batch, url, status_of_read(&error), &error);
}

static enum status not_opened(const struct many_write *write, int failure)
{
    return refuse_file(write->batch, write->item, write->url, code_of_errno(failure),
                       failure == EINVAL  ? "is no regular file any more"
                       : failure == ELOOP ? "is a symbolic link, which is not followed"
                                          : strerror(failure));
}

static enum status no_room(struct batch *batch)
{
    const os_error error = {.code = OS_ERR_NO_MEMORY, .message = "There is not enough memory for a key."};
    return many_refuse(batch, NULL, STATUS_NOT_EXECUTED, &error);
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* The library notices another length. Of the same length it may have read some bytes before and some behind a change. */
static enum status look_again(struct many_write *write, const struct stat *before, enum status status)
{
    struct stat after;
    bool changed = fstat(write->fd, &after) != 0 || after.st_size != before->st_size ||
                   nanoseconds(&after.st_mtim) != nanoseconds(&before->st_mtim);

    if (!changed || status != STATUS_DONE)
        return status;
    char sentence[700];
    (void)snprintf(sentence, sizeof(sentence),
                   "%.300s/%.300s was changed while it was read: the object that was committed may have bytes of both.",
                   ((const struct many *)write->batch->context)->folder_name, write->item->name);
    batch_lock(write->batch);
    output_message(&write->batch->session->output, sentence);
    batch_unlock(write->batch);
    return STATUS_NOT_EXECUTED;
}

static enum status put_file(struct many_write *write)
{
    struct many *many = write->batch->context;
    struct stat before;
    enum status status;

    write->fd = beneath_open(many->folder, write->item->name);
    if (write->fd < 0)
        return not_opened(write, errno);
    if (fstat(write->fd, &before) != 0) {
        status = not_opened(write, errno);
    } else {
        write->file_length = write->length = (uint64_t)before.st_size;
        write->mtime_ns = nanoseconds(&before.st_mtim);
        status = look_again(write, &before, many_write(write));
    }
    (void)close(write->fd);
    return status;
}

enum status many_up(struct batch *batch, const struct batch_item *item)
{
    struct many *many = batch->context;
    struct many_write write = {.batch = batch, .item = item, .fd = -1, .key = many_key(&many->to, item)};
    enum status status;

    if (write.key != NULL)
        write.url = location_url_of(&many->to, write.key);
    if (write.url == NULL)
        status = no_room(batch);
    else if (item->refusal != NULL)
        status = refuse_file(batch, item, write.url, OS_ERR_IO, item->refusal);
    else
        status = put_file(&write);
    free(write.key);
    free(write.url);
    return status;
}

enum status many_inside(struct batch *batch, const struct batch_item *item)
{
    struct many *many = batch->context;
    char *source = many_key(&many->from, item);
    struct many_write write = {.batch = batch,
                               .item = item,
                               .fd = -1,
                               .key = many_key(&many->to, item),
                               .source = source,
                               .length = item->length};
    enum status status = STATUS_DONE;

    if (write.key != NULL)
        write.url = location_url_of(&many->to, write.key);
    if (write.url == NULL || source == NULL)
        status = no_room(batch);
    else if (!item->is_marker)
        status = many_write(&write);
    free(write.key);
    free(write.url);
    free(source);
    return status;
}
