/* SPDX-License-Identifier: Apache-2.0 */
/* A get: into memory, into a file, or to the caller's function. */
#include "client/arguments.h"
#include "client/store_call.h"
#include "plain/get_file.h"
#include "plain/plain.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define GET_MEMORY_MOST (UINT64_C(64) << 20)

struct get {
    struct store_call store_call;
    os_sink sink;
    struct buf memory;
    struct get_file file;
    os_call call;   /* with `file`: what of it is left */
    os_error local; /* what went wrong on this side */
};

/* ------------------------------------------------------------------------------------------------ sinks */

static int to_memory(void *context, const void *data, size_t length)
{
    struct get *get = context;
    get->store_call.delivered = true;
    if (buf_add(&get->memory, data, length))
        return 0;
    error_set(&get->local, OS_ERR_TOO_LARGE,
              "%.300s does not fit into the %llu bytes of memory that the caller allows.", get->store_call.request.key,
              (unsigned long long)get->memory.max);
    return 1;
}

static int to_file(void *context, const void *data, size_t length)
{
    struct get *get = context;
    get->store_call.delivered = true;
    return get_file_write(&get->file, data, length, &get->local) ? 0 : 1;
}

static int to_caller(void *context, const void *data, size_t length)
{
    struct get *get = context;
    get->store_call.delivered = true;
    return get->sink.write(get->sink.write_context, data, length);
}

/* Waiting for the reader of a FIFO takes from the call's time. */
static os_code get_open_file(struct get *get, os_client *client, const os_call *call, os_error *err)
{
    struct clock_reading start;
    struct clock_reading now;
    os_code code = arguments_take_call(call, &get->call, err);
    if (code != OS_OK)
        return code;
    clock_read(&start);
    get->file.name = get->sink.file;
    get->file.cancel = get->call.cancel;
    get->file.closing = client->closing;
    get->file.deadline_ms = start.monotonic_ms + get->call.deadline_ms;
    code = get_file_open(&get->file, err);
    clock_read(&now);
    uint64_t end_ms = get->file.deadline_ms;
    get->call.deadline_ms = now.monotonic_ms < end_ms ? end_ms - now.monotonic_ms : 1;
    return code;
}

static os_code choose_sink(struct get *get, os_client *client, const os_call *call, os_error *err)
{
    struct store_request *request = &get->store_call.request;
    int given = (get->sink.ret_data != NULL) + (get->sink.file != NULL) + (get->sink.write != NULL);
    if (given != 1)
        return error_set(err, OS_ERR_ARGUMENT, "os_sink needs exactly one of ret_data, file and write; it has %d.",
                         given);
    request->sink_context = get;
    if (get->sink.file) {
        request->sink = to_file;
        return get_open_file(get, client, call, err);
    }
    request->sink = get->sink.write ? to_caller : to_memory;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the end */

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

static os_code get_bytes(struct get *get, os_client *client, const os_call *call, os_error *err)
{
    os_code code = store_call_run(&get->store_call, client, get->sink.file ? &get->call : call, err);
    if (code == OS_ERR_STOPPED && get->local.code != OS_OK) {
        if (err)
            *err = get->local;
        return get->local.code;
    }
    if (code != OS_OK)
        return code;
    if (get->sink.file)
        return get_file_keep(&get->file, err);
    return get->sink.ret_data ? keep_memory(get, err) : OS_OK;
}

static os_code get_take(struct get *get, os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    struct store_request *request = &get->store_call.request;
    const os_sink *sink = &get->sink;
    char *whole = NULL;
    os_code code = versioned_copy(arguments->sink, &get->sink, sizeof(get->sink), "os_sink", err);
    buf_init(&get->memory, sink->max_length ? (size_t)sink->max_length : (size_t)GET_MEMORY_MOST);
    if (code == OS_OK)
        code = client_object_key(client, arguments->key, &whole, err);
    request->key = whole;
    request->offset = sink->offset;
    request->count = sink->count;
    if (code == OS_OK)
        code = arguments_version_id(sink->version_id, &request->version_id, err);
    return code == OS_OK ? choose_sink(get, client, arguments->call, err) : code;
}

static os_code get_perform(os_client *client, const void *context, os_error *err)
{
    const struct plain_arguments *arguments = context;
    struct get get = {.store_call = {.request = {.verb = STORE_GET}, .may_repeat = true}, .file = {.fd = -1}};
    os_code code = get_take(&get, client, arguments, err);
    if (code == OS_OK)
        code = get_bytes(&get, client, arguments->call, err);
    if (code == OS_OK)
        store_call_export_object(&get.store_call, arguments->ret);
    get_file_close(&get.file);
    buf_free(&get.memory);
    free((char *)get.store_call.request.key);
    return code;
}

os_code plain_get(os_client *client, const struct plain_arguments *arguments, os_error *err)
{
    return client_perform(client, get_perform, arguments, err);
}
