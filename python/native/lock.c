/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, and the tables of locks and leases. */
#include "native.h"

enum which { ACQUIRE = 0, RENEW = 1, RELEASE = 2, READ = 3, BREAK = 4 };

static os_code begin(struct operation *operation, enum which which, const os_lock *lock, uint64_t duration_s,
                     os_error *err)
{
    os_client *client = operation->client->handle;
    const os_start *start = &operation->start;
    os_operation **ret = &operation->handle;

    switch (which) {
    case ACQUIRE: return os_start_lock_acquire(client, lock, duration_s, start, ret, err);
    case RENEW: return os_start_lock_renew(client, lock, duration_s, start, ret, err);
    case RELEASE: return os_start_lock_release(client, lock, start, ret, err);
    case BREAK: return os_start_lock_break(client, lock, start, ret, err);
    default: return os_start_lock_read(client, lock, start, ret, err);
    }
}

PyObject *client_lock(PyObject *self, PyObject *args)
{
    os_lock lock = OS_LOCK_INIT;
    PyObject *port;
    unsigned long long deadline_ms, duration_s;
    int which;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKisszzK:lock", &port, &deadline_ms, &which, &lock.name_space, &lock.name, &lock.owner,
                          &lock.instance, &duration_s))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = begin(operation, (enum which)which, &lock, duration_s, &err);
    return operation_begun(operation, code, &err);
}

static PyObject *info_object(const os_lock_info *info)
{
    return Py_BuildValue("(NNNKL)", PyBool_FromLong(info->held), text_object(info->owner), text_object(info->instance),
                         (unsigned long long)info->duration_s, (long long)info->expiry_s);
}

PyObject *operation_lock_info(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    const os_lock_info *info = operation_has_ended(operation) ? os_operation_lock_info(operation->handle) : NULL;

    if (PyErr_Occurred() != NULL)
        return NULL;
    return info == NULL || info->size == 0 ? text_object(NULL) : info_object(info);
}

static PyObject *listed_object(const struct entry *entry)
{
    return Py_BuildValue("(NNN)", text_object(entry->key), text_object(entry->name), info_object(&entry->of.lock));
}

static int on_lock(void *context, const char *name_space, const char *name, const os_lock_info *info)
{
    struct entry *entry = entries_add(context, name_space, name);

    if (entry != NULL)
        entry->of.lock = *info;
    return entry == NULL;
}

PyObject *client_lock_list(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms;
    const char *name_space;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKz:lock_list", &port, &deadline_ms, &name_space))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    operation->entry_object = listed_object;
    operation_begin(operation);
    os_code code = os_start_lock_list(operation->client->handle, name_space, on_lock, operation, &operation->start,
                                      &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_table_of(PyObject *self, PyObject *args)
{
    static os_code (*const calls[])(os_client *, const os_start *, os_operation **, os_error *) = {
        os_start_lease_table_check, os_start_lease_table_create, os_start_lock_table_check, os_start_lock_table_create};
    PyObject *port;
    unsigned long long deadline_ms;
    int locks, creates;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKpp:table_of", &port, &deadline_ms, &locks, &creates))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = calls[2 * locks + creates](operation->client->handle, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}
