/* SPDX-License-Identifier: Apache-2.0 */
#include "client/body.h"

#include "base/error.h"
#include "base/fd.h"
#include "client/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static os_code body_has_changed(const char *file, os_error *err)
{
    return error_set(
        err, OS_ERR_BODY,
        "The file %.300s changed its size while it was read; nothing was sent. Try again when nobody writes to it.",
        file);
}

/* Reads exactly `length` bytes, and makes sure that no more follow. */
static os_code body_load(int fd, const char *file, uint64_t length, void **ret, os_error *err)
{
    char *data = malloc((size_t)length + 1);
    if (data == NULL)
        return error_no_memory(err);
    size_t done = 0;
    while (done <= length) {
        ssize_t got = read(fd, data + done, (size_t)length + 1 - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(data);
            return error_set(err, OS_ERR_IO, "The file %.300s could not be read: %s.", file, strerror(errno));
        }
        if (got == 0)
            break;
        done += (size_t)got;
    }
    if (done != length) {
        free(data);
        return body_has_changed(file, err);
    }
    *ret = data;
    return OS_OK;
}

static os_code body_open_file(const char *file, uint64_t load_most, struct body *ret, os_error *err)
{
    int fd = fd_open(file, O_RDONLY | O_NONBLOCK, 0); /* a FIFO would wait for its writer */
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) != 0) {
        os_code code =
            error_set(err, error_code_of(errno), "The file %.300s could not be opened: %s.", file, strerror(errno));
        if (fd >= 0)
            close(fd);
        return code;
    }
    uint64_t length = (uint64_t)stat.st_size;
    os_code code = OS_OK;
    if (!S_ISREG(stat.st_mode))
        code = error_set(err, OS_ERR_ARGUMENT,
                         S_ISDIR(stat.st_mode) ? "%.300s is a folder; name a file."
                                               : "%.300s is no regular file, so its length is not known: give it as a "
                                                 "stream (os_body.read).",
                         file);
    else if (length <= load_most)
        code = body_load(fd, file, length, &ret->loaded, err);
    if (code != OS_OK || length <= load_most) {
        close(fd);
        fd = -1;
    }
    ret->fd = fd;
    ret->file = file;
    ret->http.kind = fd < 0 ? HTTP_BODY_MEMORY : HTTP_BODY_FILE;
    ret->http.data = ret->loaded;
    ret->http.fd = fd;
    ret->http.length = length;
    return code;
}

os_code body_read_on(const struct body *body, void *data, uint64_t size, uint64_t *ret_length, os_error *err)
{
    uint64_t done = 0;
    while (done < size) {
        int64_t got = body->read(body->read_context, (char *)data + done, (size_t)(size - done));
        if (got < 0 || (uint64_t)got > size - done)
            return error_set(err, OS_ERR_BODY,
                             "The stream of the body failed while it was read; call again with a new stream.");
        if (got == 0)
            break;
        done += (uint64_t)got;
    }
    *ret_length = done;
    return OS_OK;
}

/* One byte more than `stream_most` shows that there is more. */
static os_code body_open_stream(uint64_t stream_most, struct body *ret, os_error *err)
{
    char *data = malloc((size_t)stream_most + 1);
    uint64_t length = 0;
    if (data == NULL)
        return error_no_memory(err);
    os_code code = body_read_on(ret, data, stream_most + 1, &length, err);
    if (code != OS_OK) {
        free(data);
        return code;
    }
    ret->loaded = data;
    ret->http.kind = HTTP_BODY_MEMORY;
    ret->http.data = data;
    ret->http.length = length;
    ret->goes_on = length > stream_most;
    return OS_OK;
}

os_code body_open(const os_body *from, uint64_t load_most, uint64_t stream_most, struct body *ret, os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->fd = -1;
    os_body own;
    os_code code = versioned_copy(from, &own, sizeof(own), "os_body", err);
    if (code != OS_OK)
        return code;
    if (from == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The body is missing; for an empty object give a body of length 0.");
    ret->read = own.read;
    ret->read_context = own.read_context;
    if (own.read)
        return body_open_stream(stream_most, ret, err);
    if (own.file)
        return body_open_file(own.file, load_most, ret, err);
    if (own.data == NULL && own.length > 0)
        return error_set(err, OS_ERR_ARGUMENT, "The body has a length of %llu and no data.",
                         (unsigned long long)own.length);
    ret->http.kind = HTTP_BODY_MEMORY;
    ret->http.data = own.data ? own.data : "";
    ret->http.length = own.length;
    return OS_OK;
}

bool body_opens_at_once(const os_body *from)
{
    os_body own;
    return versioned_copy(from, &own, sizeof(own), "os_body", NULL) != OS_OK || (own.read == NULL && own.file == NULL);
}

void body_close(struct body *body)
{
    free(body->loaded);
    if (body->fd >= 0)
        close(body->fd);
    body->loaded = NULL;
    body->fd = -1;
}
