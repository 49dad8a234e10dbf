/* SPDX-License-Identifier: Apache-2.0 */
/* Locks, and the tables of locks and leases. The calls block, without the GIL. */
#include "native.h"

enum which { ACQUIRE = 0, RENEW = 1, RELEASE = 2, READ = 3, BREAK = 4 };

static os_code run(os_client *client, enum which which, const os_lock *lock, uint64_t duration_s, const os_call *call,
                   os_lock_info *ret, os_error *err)
{
    switch (which) {
    case ACQUIRE: return os_lock_acquire(client, lock, duration_s, call, ret, err);
    case RENEW: return os_lock_renew(client, lock, duration_s, call, ret, err);
    case RELEASE: return os_lock_release(client, lock, call, ret, err);
    case BREAK: return os_lock_break(client, lock, call, ret, err);
    default: return os_lock_read(client, lock, call, ret, err);
    }
}

static PyObject *info_object(const os_lock_info *info)
{
    return Py_BuildValue("(NNNKL)", PyBool_FromLong(info->held), text_object(info->owner), text_object(info->instance),
                         (unsigned long long)info->duration_s, (long long)info->expiry_s);
}

/* (error or None, info): of a conflict both have a meaning. */
PyObject *client_lock(PyObject *self, PyObject *args)
{
    os_client *handle = ((struct client *)self)->handle;
    os_lock lock = OS_LOCK_INIT;
    os_call call = OS_CALL_INIT;
    os_lock_info info = OS_LOCK_INFO_INIT;
    PyObject *cancel;
    unsigned long long deadline_ms, duration_s;
    int which;
    os_error err;
    os_code code;

    if (!PyArg_ParseTuple(args, "OKisszzK:lock", &cancel, &deadline_ms, &which, &lock.name_space, &lock.name,
                          &lock.owner, &lock.instance, &duration_s))
        return NULL;
    if (handle == NULL)
        return PyErr_SetString(PyExc_ValueError, "The store is closed."), NULL;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel_of(cancel);
    Py_BEGIN_ALLOW_THREADS;
    code = run(handle, (enum which)which, &lock, duration_s, &call, &info, &err);
    Py_END_ALLOW_THREADS;
    return Py_BuildValue("(NN)", code == OS_OK ? text_object(NULL) : error_object(&err), info_object(&info));
}

PyObject *client_table_of(PyObject *self, PyObject *args)
{
    static os_code (*const calls[])(os_client *, const os_call *, os_error *) = {
        os_lease_table_check, os_lease_table_create, os_lock_table_check, os_lock_table_create};
    struct client *client = (struct client *)self;
    os_client *handle = client->handle;
    os_call call = OS_CALL_INIT;
    PyObject *cancel;
    unsigned long long deadline_ms;
    int locks, creates;
    os_error err;
    os_code code;

    if (!PyArg_ParseTuple(args, "OKpp:table_of", &cancel, &deadline_ms, &locks, &creates))
        return NULL;
    if (handle == NULL)
        return PyErr_SetString(PyExc_ValueError, "The store is closed."), NULL;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel_of(cancel);
    Py_BEGIN_ALLOW_THREADS;
    code = calls[2 * locks + creates](handle, &call, &err);
    Py_END_ALLOW_THREADS;
    if (code != OS_OK)
        return raise_failure(client->state, &err);
    Py_RETURN_NONE;
}
