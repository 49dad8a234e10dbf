/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

PyObject *client_head(PyObject *self, PyObject *args)
{
    PyObject *port;
    const char *key, *version;
    unsigned long long deadline_ms;
    int forward_only;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKisz:head", &port, &deadline_ms, &forward_only, &key, &version))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = os_start_head(operation->client->handle, key, version, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_get(PyObject *self, PyObject *args)
{
    PyObject *port;
    const char *key;
    unsigned long long deadline_ms, offset, count;
    int forward_only;
    os_sink sink = OS_SINK_INIT;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKiszzKK:get", &port, &deadline_ms, &forward_only, &key, &sink.version_id, &sink.file,
                          &offset, &count))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    sink.offset = offset;
    sink.count = count;
    if (sink.file == NULL) {
        operation->reads = true;
        sink.write = pieces_add;
        sink.write_context = operation;
    }
    operation_begin(operation);
    os_code code = os_start_get(operation->client->handle, key, &sink, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

/* ---------------------------------------------------------------------------------------------------- lists */

static PyObject *listed_object(const struct entry *entry)
{
    return meta_object(&entry->of.object, entry->key);
}

static int on_object(void *context, const os_object *object)
{
    struct entry *entry = entries_add(context, object->key, NULL);

    if (entry != NULL)
        entry->of.object = *object;
    return entry == NULL;
}

PyObject *client_list(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms, max_keys;
    int forward_only;
    os_list_options options = OS_LIST_OPTIONS_INIT;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKizzzKp:list", &port, &deadline_ms, &forward_only, &options.prefix,
                          &options.delimiter, &options.start_after, &max_keys, &options.versions))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    options.max_keys = max_keys;
    operation->entry_object = listed_object;
    operation_begin(operation);
    os_code code = os_start_list(operation->client->handle, &options, on_object, operation, &operation->start,
                                 &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

/* ------------------------------------------------------------------------------------------ client and table */

PyObject *client_warm(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms;
    int forward_only;
    unsigned int connections;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKiI:warm", &port, &deadline_ms, &forward_only, &connections))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code =
        os_start_client_warm(operation->client->handle, connections, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_table(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms;
    int forward_only, creates;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKip:table", &port, &deadline_ms, &forward_only, &creates))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, forward_only);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = (creates ? os_start_table_create : os_start_table_check)(
        operation->client->handle, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}
