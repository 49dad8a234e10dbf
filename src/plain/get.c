/* SPDX-License-Identifier: Apache-2.0 */
/* A get: into memory, into a file, or to the caller's function. */
#include "client/arguments.h"
#include "plain/call.h"

#include "base/error.h"

#define GET_MEMORY_MOST (UINT64_C(64) << 20)

/* ------------------------------------------------------------------------------------------------ sinks */

static int to_memory(void *context, const void *data, size_t length)
{
    struct plain *plain = context;
    struct plain_get *get = &plain->get;
    plain->store_call.delivered = true;
    bool fits = length <= get->memory.max - get->memory.len;
    if (buf_add(&get->memory, data, length))
        return 0;
    if (fits)
        error_no_memory(&get->local);
    else
        error_set(&get->local, OS_ERR_TOO_LARGE,
                  "%.300s does not fit into the %llu bytes of memory that the caller allows.", plain->key,
                  (unsigned long long)get->memory.max);
    return 1;
}

static int to_file(void *context, const void *data, size_t length)
{
    struct plain *plain = context;
    struct plain_get *get = &plain->get;
    plain->store_call.delivered = true;
    return get_file_write(&get->file, data, length, &get->local) ? 0 : 1;
}

static int to_caller(void *context, const void *data, size_t length)
{
    struct plain *plain = context;
    struct plain_get *get = &plain->get;
    plain->store_call.delivered = true;
    return get->sink.write(get->sink.write_context, data, length);
}

/* ------------------------------------------------------------------------------------------------ the end */

static os_code keep_memory(struct plain_get *get, os_error *err)
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

static enum steps_next get_end(struct plain *plain, os_code code)
{
    if (code == OS_OK)
        plain_give_object(plain);
    return plain_over(plain, code);
}

static enum steps_next get_keep_file(struct plain *plain)
{
    return get_end(plain, get_file_keep(&plain->get.file, &plain->error));
}

static enum steps_next get_answered(struct plain *plain)
{
    struct plain_get *get = &plain->get;
    os_code code = plain_answer(plain);
    if (plain->arguments->ret_requests != NULL)
        *plain->arguments->ret_requests = plain->store_call.requests;
    if (code == OS_ERR_STOPPED && get->local.code != OS_OK) {
        plain->error = get->local;
        return plain_over(plain, get->local.code);
    }
    if (code == OS_OK && get->sink.file)
        return plain_block(plain, get_keep_file);
    if (code == OS_OK && get->sink.ret_data)
        code = keep_memory(get, &plain->error);
    return get_end(plain, code);
}

/* ------------------------------------------------------------------------------------------------ the beginning */

/* Waiting for the reader of a FIFO takes from the call's time. */
static enum steps_next get_open_file(struct plain *plain)
{
    os_code code = get_file_open(&plain->get.file, &plain->error);
    plain_take_time(plain);
    return code == OS_OK ? plain_ask(plain, &plain->call, get_answered) : plain_over(plain, code);
}

static enum steps_next get_into_file(struct plain *plain)
{
    struct get_file *file = &plain->get.file;
    os_code code = plain_take_call(plain);
    if (code != OS_OK)
        return plain_over(plain, code);
    file->name = plain->get.sink.file;
    file->cancel = plain->call.cancel;
    file->closing = plain->client->closing;
    file->deadline_ms = plain->deadline_monotonic_ms;
    return plain_block(plain, get_open_file);
}

static enum steps_next get_into_sink(struct plain *plain)
{
    const os_sink *sink = &plain->get.sink;
    struct store_request *request = &plain->store_call.request;
    int given = (sink->ret_data != NULL) + (sink->file != NULL) + (sink->write != NULL);
    if (given != 1)
        return plain_over(plain, error_set(&plain->error, OS_ERR_ARGUMENT,
                                           "os_sink needs exactly one of ret_data, file and write; it has %d.", given));
    request->sink_context = plain;
    if (sink->file) {
        request->sink = to_file;
        return get_into_file(plain);
    }
    request->sink = sink->write ? to_caller : to_memory;
    return plain_ask(plain, plain->arguments->call, get_answered);
}

enum steps_next plain_get(struct plain *plain)
{
    const struct plain_arguments *arguments = plain->arguments;
    struct plain_get *get = &plain->get;
    struct store_request *request = &plain->store_call.request;
    os_code code = versioned_copy(arguments->sink, &get->sink, sizeof(get->sink), "os_sink", &plain->error);
    buf_init(&get->memory, get->sink.max_length ? (size_t)get->sink.max_length : (size_t)GET_MEMORY_MOST);
    request->verb = STORE_GET;
    plain->store_call.may_repeat = true;
    if (code == OS_OK)
        code = plain_take_key(plain);
    request->offset = get->sink.offset;
    request->count = get->sink.count;
    if (code == OS_OK)
        code = arguments_version_id(get->sink.version_id, &request->version_id, &plain->error);
    return code == OS_OK ? get_into_sink(plain) : plain_over(plain, code);
}
