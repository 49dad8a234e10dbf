/* SPDX-License-Identifier: Apache-2.0 */
/* os_get: into memory, into a file, or to the caller's function. */
#include "client/call.h"
#include "client/plain.h"

#include "base/error.h"
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GET_MEMORY_MOST (UINT64_C(64) << 20)

struct get {
    struct plain plain;
    os_sink sink;
    struct buf memory;
    int fd;
    char *temporary; /* beside sink.file */
    os_error local;  /* what went wrong on this side */
};

/* ------------------------------------------------------------------------------------------------ sinks */

static int to_memory(void *context, const void *data, size_t length)
{
    struct get *get = context;
    get->plain.delivered = true;
    if (buf_add(&get->memory, data, length))
        return 0;
    error_set(&get->local, OS_ERR_TOO_LARGE,
              "%.300s does not fit into the %llu bytes of memory that the caller allows.", get->plain.request.key,
              (unsigned long long)get->memory.max);
    return 1;
}

static int to_file(void *context, const void *data, size_t length)
{
    struct get *get = context;
    const char *at = data;
    get->plain.delivered = true;
    while (length > 0) {
        ssize_t written = write(get->fd, at, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            error_set(&get->local, errno == ENOSPC ? OS_ERR_NO_SPACE : OS_ERR_IO, "%.300s could not be written: %s.",
                      get->sink.file, strerror(errno));
            return 1;
        }
        at += written;
        length -= (size_t)written;
    }
    return 0;
}

static int to_caller(void *context, const void *data, size_t length)
{
    struct get *get = context;
    get->plain.delivered = true;
    return get->sink.write(get->sink.write_context, data, length);
}

static os_code open_temporary(struct get *get, os_error *err)
{
    uint64_t random;
    size_t size = strlen(get->sink.file) + 32;
    get->temporary = malloc(size);
    if (get->temporary == NULL || !random_bytes(&random, sizeof(random)))
        return error_no_memory(err);
    snprintf(get->temporary, size, "%s.%016llx.tmp", get->sink.file, (unsigned long long)random);
    get->fd = open(get->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); /* the usual mode of a new file */
    if (get->fd < 0)
        return error_set(err, OS_ERR_IO, "%.300s could not be created: %s.", get->temporary, strerror(errno));
    return OS_OK;
}

static os_code choose_sink(struct get *get, os_error *err)
{
    struct store_request *request = &get->plain.request;
    int given = (get->sink.ret_data != NULL) + (get->sink.file != NULL) + (get->sink.write != NULL);
    if (given != 1)
        return error_set(err, OS_ERR_ARGUMENT, "os_sink needs exactly one of ret_data, file and write; it has %d.",
                         given);
    request->sink_context = get;
    if (get->sink.file) {
        request->sink = to_file;
        return open_temporary(get, err);
    }
    request->sink = get->sink.write ? to_caller : to_memory;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the end */

static os_code keep_file(struct get *get, os_error *err)
{
    if (fsync(get->fd) != 0 || rename(get->temporary, get->sink.file) != 0)
        return error_set(err, errno == ENOSPC ? OS_ERR_NO_SPACE : OS_ERR_IO, "%.300s could not be completed: %s.",
                         get->sink.file, strerror(errno));
    free(get->temporary);
    get->temporary = NULL;
    return OS_OK;
}

static os_code keep_memory(struct get *get, os_error *err)
{
    size_t length = get->memory.len;
    char *data = buf_take(&get->memory);
    if (data == NULL)
        return error_no_memory(err);
    *get->sink.ret_data = data;
    if (get->sink.ret_length)
        *get->sink.ret_length = length;
    return OS_OK;
}

static os_code run(struct get *get, os_client *client, const os_call *call, os_error *err)
{
    os_code code = plain_run(&get->plain, client, call, err);
    if (code == OS_ERR_STOPPED && get->local.code != OS_OK) {
        if (err)
            *err = get->local;
        return get->local.code;
    }
    if (code != OS_OK)
        return code;
    if (get->sink.file)
        return keep_file(get, err);
    return get->sink.ret_data ? keep_memory(get, err) : OS_OK;
}

os_code os_get(os_client *client, const char *key, const os_sink *sink, const os_call *call, os_object *ret,
               os_error *err)
{
    struct get get = {.plain = {.request = {.verb = STORE_GET}, .may_repeat = true}, .fd = -1};
    char *whole = NULL;
    error_clear(err);
    client_enter(client);
    os_code code = versioned_copy(sink, &get.sink, sizeof(get.sink), "os_sink", err);
    buf_init(&get.memory, get.sink.max_length ? (size_t)get.sink.max_length : (size_t)GET_MEMORY_MOST);
    if (code == OS_OK)
        code = client_object_key(client, key, &whole, err);
    get.plain.request.key = whole;
    get.plain.request.offset = get.sink.offset;
    get.plain.request.count = get.sink.count;
    if (code == OS_OK)
        code = call_version_id(get.sink.version_id, &get.plain.request.version_id, err);
    if (code == OS_OK)
        code = choose_sink(&get, err);
    if (code == OS_OK)
        code = run(&get, client, call, err);
    if (code == OS_OK)
        plain_give_object(&get.plain, ret);
    if (get.fd >= 0)
        close(get.fd);
    if (get.temporary && get.fd >= 0)
        unlink(get.temporary);
    free(get.temporary);
    buf_free(&get.memory);
    free(whole);
    client_leave(client);
    return code;
}

void os_free(void *data)
{
    free(data);
}
