/* SPDX-License-Identifier: Apache-2.0 */
#include "client/body.h"

#include "base/error.h"
#include "client/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static os_code too_large(uint64_t length, uint64_t most, os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The body has %llu bytes; this release writes at most %llu in one such call.",
                     (unsigned long long)length, (unsigned long long)most);
}

static os_code changed(const char *file, os_error *err)
{
    return error_set(
        err, OS_ERR_BODY,
        "The file %.300s changed its size while it was read; nothing was sent. Try again when nobody writes to it.",
        file);
}

/* Reads exactly `length` bytes, and makes sure that no more follow. */
static os_code load(int fd, const char *file, uint64_t length, void **ret, os_error *err)
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
        return changed(file, err);
    }
    *ret = data;
    return OS_OK;
}

static os_code open_file(const char *file, uint64_t load_most, uint64_t most, struct body *ret, os_error *err)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would wait for its writer */
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) != 0) {
        os_code code = error_set(err, OS_ERR_IO, "The file %.300s could not be opened: %s.", file, strerror(errno));
        if (fd >= 0)
            close(fd);
        return code;
    }
    uint64_t length = (uint64_t)stat.st_size;
    os_code code = OS_OK;
    if (!S_ISREG(stat.st_mode))
        code = error_set(err, OS_ERR_ARGUMENT, "%.300s is no regular file, so its length is not known.", file);
    else if (length > most)
        code = too_large(length, most, err);
    else if (length <= load_most)
        code = load(fd, file, length, &ret->loaded, err);
    if (code != OS_OK || length <= load_most) {
        close(fd);
        fd = -1;
    }
    ret->fd = fd;
    ret->http.kind = fd < 0 ? HTTP_BODY_MEMORY : HTTP_BODY_FILE;
    ret->http.data = ret->loaded;
    ret->http.fd = fd;
    ret->http.length = length;
    return code;
}

os_code body_open(const os_body *from, uint64_t load_most, uint64_t most, struct body *ret, os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->fd = -1;
    os_body own;
    os_code code = versioned_copy(from, &own, sizeof(own), "os_body", err);
    if (code != OS_OK)
        return code;
    if (from == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "There is no body; for an empty object give one of length 0.");
    if (own.file)
        return open_file(own.file, load_most, most, ret, err);
    if (own.data == NULL && own.length > 0)
        return error_set(err, OS_ERR_ARGUMENT, "The body has a length of %llu and no data.",
                         (unsigned long long)own.length);
    if (own.length > most)
        return too_large(own.length, most, err);
    ret->http.kind = HTTP_BODY_MEMORY;
    ret->http.data = own.data ? own.data : "";
    ret->http.length = own.length;
    return OS_OK;
}

void body_close(struct body *body)
{
    free(body->loaded);
    if (body->fd >= 0)
        close(body->fd);
    body->loaded = NULL;
    body->fd = -1;
}
