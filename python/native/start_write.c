/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <string.h>

/* What decides whether a write is made; as _store.py has it. */
enum mode { MODE_OVERWRITE = 0, MODE_CREATE = 1, MODE_MATCH = 2 };

static int64_t on_read(void *context, void *ret_data, size_t size)
{
    struct operation *operation = context;

    operation->question.buffer = ret_data;
    operation->question.size = size;
    bool answered = operation_ask(operation, EVENT_READ);
    return answered ? operation->question.read : -1;
}

static int on_transform(void *context, const os_current *current, os_body *ret)
{
    struct operation *operation = context;

    operation->question.current = current;
    if (!operation_ask(operation, EVENT_TRANSFORM))
        return 1;
    ret->data = operation->question.data;
    ret->length = operation->question.length;
    return 0;
}

/* None: a stream that the operation asks for. */
static bool keep_body(struct operation *operation, PyObject *source, os_body *ret)
{
    if (source == Py_None) {
        *ret = (os_body){.size = sizeof(*ret), .read = on_read, .read_context = operation};
        return true;
    }
    if (!body_of(source, ret))
        return false;
    Py_INCREF(source);
    operation->body = source;
    return true;
}

struct put {
    const char *key, *etag;
    int mode;
    os_body body;
    struct written written;
};

static PyObject *start_put(struct operation *operation, const struct put *put)
{
    os_client *client = operation->client->handle;
    const os_put_options *options = &put->written.options;
    os_error err = {.code = OS_OK};
    os_code code;

    operation_begin(operation);
    if (put->mode == MODE_CREATE)
        code =
            os_start_put_if_absent(client, put->key, &put->body, options, &operation->start, &operation->handle, &err);
    else if (put->mode == MODE_MATCH)
        code = os_start_put_if_match(client, put->key, put->etag, &put->body, options, &operation->start,
                                     &operation->handle, &err);
    else
        code = os_start_put(client, put->key, &put->body, options, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_put(PyObject *self, PyObject *args)
{
    PyObject *port, *source, *options, *started = NULL;
    struct put put;
    unsigned long long deadline_ms;
    int forward_only;

    if (!PyArg_ParseTuple(args, "OKisizOO:put", &port, &deadline_ms, &forward_only, &put.key, &put.mode, &put.etag,
                          &source, &options))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    if (written_of(options, &put.written) && keep_body(operation, source, &put.body))
        started = start_put(operation, &put);
    else
        Py_DECREF(operation);
    written_clear(&put.written);
    return started;
}

struct copy {
    const char *source, *key, *etag;
    int mode, renames;
    os_copy_options options;
};

static PyObject *start_copy(struct operation *operation, const struct copy *copy)
{
    os_client *client = operation->client->handle;
    os_error err = {.code = OS_OK};
    os_code code;

    operation_begin(operation);
    if (copy->renames)
        code = os_start_rename_if_not_exists(client, copy->source, copy->key, &copy->options, &operation->start,
                                             &operation->handle, &err);
    else if (copy->mode == MODE_MATCH)
        code = os_start_copy_if_match(client, copy->source, copy->key, copy->etag, &copy->options, &operation->start,
                                      &operation->handle, &err);
    else
        code = os_start_copy_if_not_exists(client, copy->source, copy->key, &copy->options, &operation->start,
                                           &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_copy(PyObject *self, PyObject *args)
{
    PyObject *port;
    struct copy copy = {.options = OS_COPY_OPTIONS_INIT};
    unsigned long long deadline_ms, fencing;
    int forward_only;

    if (!PyArg_ParseTuple(args, "OKissiizzzK:copy", &port, &deadline_ms, &forward_only, &copy.source, &copy.key,
                          &copy.renames, &copy.mode, &copy.etag, &copy.options.source_etag,
                          &copy.options.source_version_id, &fencing))
        return NULL;
    copy.options.fencing = fencing;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    return operation == NULL ? NULL : start_copy(operation, &copy);
}

PyObject *client_delete(PyObject *self, PyObject *args)
{
    PyObject *port;
    const char *key, *etag;
    unsigned long long deadline_ms;
    int forward_only;
    os_error err = {.code = OS_OK};
    os_code code;

    if (!PyArg_ParseTuple(args, "OKisz:delete", &port, &deadline_ms, &forward_only, &key, &etag))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    os_client *client = operation->client->handle;
    operation_begin(operation);
    if (etag != NULL)
        code = os_start_delete_if_match(client, key, etag, &operation->start, &operation->handle, &err);
    else
        code = os_start_delete(client, key, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_resolve(PyObject *self, PyObject *args)
{
    PyObject *port;
    const char *ticket;
    unsigned long long deadline_ms;
    int forward_only, settles;
    os_resolve_options options = OS_RESOLVE_OPTIONS_INIT;
    os_error err = {.code = OS_OK};
    os_code code;

    if (!PyArg_ParseTuple(args, "OKisizppp:resolve", &port, &deadline_ms, &forward_only, &ticket, &settles,
                          &options.key, &options.same_store, &options.abort_upload, &options.give_up))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    os_client *client = operation->client->handle;
    operation_begin(operation);
    if (settles)
        code = os_start_settle(client, ticket, &options, &operation->start, &operation->handle, &err);
    else
        code = os_start_resolve(client, ticket, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_update(PyObject *self, PyObject *args)
{
    PyObject *port, *written_options, *started = NULL;
    const char *key;
    unsigned long long deadline_ms, max_length;
    int forward_only;
    struct written written;
    os_update_options options = OS_UPDATE_OPTIONS_INIT;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKisOKp:update", &port, &deadline_ms, &forward_only, &key, &written_options,
                          &max_length, &options.always_write))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    if (written_of(written_options, &written)) {
        options.put = &written.options;
        options.max_length = max_length;
        operation_begin(operation);
        os_code code = os_start_update(operation->client->handle, key, on_transform, operation, &options,
                                       &operation->start, &operation->handle, &err);
        started = operation_begun(operation, code, &err);
    } else {
        Py_DECREF(operation);
    }
    written_clear(&written);
    return started;
}
