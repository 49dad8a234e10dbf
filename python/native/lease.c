/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: the calls that start something of one, and the object that has one. */
#include "native.h"

struct lease {
    PyObject_HEAD os_lease *handle; /* NULL: released or detached */
    struct client *client;          /* kept, and its module's state */
};

/* ------------------------------------------------------------------------------------------ of the client */

PyObject *client_lease_acquire(PyObject *self, PyObject *args)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    PyObject *port;
    unsigned long long deadline_ms, ttl_s;
    const char *name;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKsKppz:lease_acquire", &port, &deadline_ms, &name, &ttl_s, &options.wait,
                          &options.fencing, &options.owner))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    options.ttl_s = ttl_s;
    operation_begin(operation);
    os_code code =
        os_start_lease_acquire(operation->client->handle, name, &options, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_lease_adopt(PyObject *self, PyObject *args)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    PyObject *port;
    unsigned long long deadline_ms, ttl_s;
    const char *name, *text;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKssKp:lease_adopt", &port, &deadline_ms, &name, &text, &ttl_s, &options.fencing))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    options.ttl_s = ttl_s;
    operation_begin(operation);
    os_code code = os_start_lease_adopt(operation->client->handle, name, text, &options, &operation->start,
                                        &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

PyObject *client_lease_read(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms;
    const char *name;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OKs:lease_read", &port, &deadline_ms, &name))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = os_start_lease_read(operation->client->handle, name, &operation->start, &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

static PyObject *info_object(const os_lease_info *info)
{
    return Py_BuildValue("(NNLKKN)", PyBool_FromLong(info->held), text_object(info->owner), (long long)info->expiry_s,
                         (unsigned long long)info->ttl_ms, (unsigned long long)info->token,
                         PyBool_FromLong(info->foreign));
}

static PyObject *listed_object(const struct entry *entry)
{
    return Py_BuildValue("(NN)", text_object(entry->key), info_object(&entry->of.lease));
}

static int on_lease(void *context, const char *name, const os_lease_info *info)
{
    struct entry *entry = entries_add(context, name, NULL);

    if (entry != NULL)
        entry->of.lease = *info;
    return entry == NULL;
}

PyObject *client_lease_list(PyObject *self, PyObject *args)
{
    PyObject *port;
    unsigned long long deadline_ms;
    os_error err = {.code = OS_OK};

    if (!PyArg_ParseTuple(args, "OK:lease_list", &port, &deadline_ms))
        return NULL;
    struct operation *operation = operation_new((struct client *)self, port, deadline_ms, OS_AUTO);
    if (operation == NULL)
        return NULL;
    operation->entry_object = listed_object;
    operation_begin(operation);
    os_code code = os_start_lease_list(operation->client->handle, on_lease, operation, &operation->start,
                                       &operation->handle, &err);
    return operation_begun(operation, code, &err);
}

/* ----------------------------------------------------------------------------------------------- of an operation */

static struct lease *lease_new(struct client *client)
{
    PyTypeObject *type = client->state->lease;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct lease *lease = (struct lease *)alloc(type, 0);

    if (lease == NULL)
        return NULL;
    lease->client = client;
    Py_INCREF(client);
    return lease;
}

/* Without memory for the object, the lease stays the operation's, which lets go of it. */
PyObject *operation_lease(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    struct lease *lease = operation_has_ended(operation) ? lease_new(operation->client) : NULL;

    if (lease == NULL)
        return NULL;
    lease->handle = os_operation_lease(operation->handle);
    if (lease->handle != NULL)
        return (PyObject *)lease;
    Py_DECREF(lease);
    PyErr_SetString(PyExc_RuntimeError, "The operation has no lease, or had one that was taken.");
    return NULL;
}

PyObject *operation_lease_info(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    const os_lease_info *info = operation_has_ended(operation) ? os_operation_lease_info(operation->handle) : NULL;

    if (PyErr_Occurred() != NULL)
        return NULL;
    return info == NULL || info->size == 0 ? text_object(NULL) : info_object(info);
}

/* ----------------------------------------------------------------------------------------------- of a lease */

static PyObject *lease_state(PyObject *self, PyObject *Py_UNUSED(args))
{
    return PyLong_FromLong(os_lease_state(((struct lease *)self)->handle));
}

static PyObject *lease_remaining_ms(PyObject *self, PyObject *Py_UNUSED(args))
{
    os_lease *handle = ((struct lease *)self)->handle;
    return PyLong_FromUnsignedLongLong(handle == NULL ? 0 : os_lease_remaining_ms(handle));
}

static PyObject *lease_token(PyObject *self, PyObject *Py_UNUSED(args))
{
    os_lease *handle = ((struct lease *)self)->handle;
    return PyLong_FromUnsignedLongLong(handle == NULL ? 0 : os_lease_token(handle));
}

static PyObject *lease_handle(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct lease *lease = (struct lease *)self;
    char text[OS_LEASE_HANDLE_SIZE];
    os_error err;

    if (os_lease_handle(lease->handle, text, &err) != OS_OK)
        return raise_failure(lease->client->state, &err);
    return PyUnicode_FromString(text);
}

static PyObject *raise_ended(void)
{
    PyErr_SetString(PyExc_ReferenceError, "The lease has ended.");
    return NULL;
}

/* Its client is closed, or is being closed: frees the lease, and says what came of it. */
static PyObject *end_after_close(struct lease *lease, bool releases)
{
    os_lease *handle = lease->handle;
    os_error err;
    os_code code;

    lease->handle = NULL;
    Py_BEGIN_ALLOW_THREADS;
    code = releases ? os_lease_release(handle, NULL, &err) : os_lease_detach(handle, &err);
    Py_END_ALLOW_THREADS;
    if (code == OS_ERR_ARGUMENT || code == OS_ERR_NO_MEMORY) /* refused: it is still the caller's */
        lease->handle = handle;
    return code == OS_OK ? raise_ended() : raise_failure(lease->client->state, &err);
}

static PyObject *start_end(struct lease *lease, bool releases, PyObject *port, uint64_t deadline_ms)
{
    struct operation *operation = operation_new(lease->client, port, deadline_ms, OS_AUTO);
    os_error err = {.code = OS_OK};

    if (operation == NULL)
        return NULL;
    operation_begin(operation);
    os_code code = (releases ? os_start_lease_release : os_start_lease_detach)(lease->handle, &operation->start,
                                                                               &operation->handle, &err);
    if (code == OS_OK)
        lease->handle = NULL;
    return operation_begun(operation, code, &err);
}

static PyObject *lease_end(PyObject *self, PyObject *args)
{
    struct lease *lease = (struct lease *)self;
    PyObject *port;
    unsigned long long deadline_ms;
    int releases;

    if (!PyArg_ParseTuple(args, "OKp:end", &port, &deadline_ms, &releases))
        return NULL;
    if (lease->handle == NULL)
        return raise_ended();
    if (lease->client->handle == NULL)
        return end_after_close(lease, releases);
    return start_end(lease, releases, port, deadline_ms);
}

/* A lease that was forgotten is not released behind its holder's back: it ends by itself, after its time to live. */
static void lease_dealloc(PyObject *self)
{
    struct lease *lease = (struct lease *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (lease->handle != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        (void)os_lease_detach(lease->handle, NULL);
        Py_END_ALLOW_THREADS;
    }
    Py_XDECREF(lease->client);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef lease_methods[] = {
    {"state", lease_state, METH_NOARGS, "1 held, 2 at risk, 3 lost."},
    {"remaining_ms", lease_remaining_ms, METH_NOARGS, "For how long that is certain."},
    {"token", lease_token, METH_NOARGS, "The fencing token; 0: none."},
    {"handle", lease_handle, METH_NOARGS, "What another process needs to go on with it."},
    {"end", lease_end, METH_VARARGS,
     "(port | None, deadline_ms, releases) -> Operation: releases or detaches it. ReferenceError: it has ended."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot lease_slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)lease_dealloc},
    {Py_tp_methods, lease_methods},
    {0, NULL},
};
PyType_Spec lease_spec = {
    .name = "oscommit._oscommit.Lease",
    .basicsize = sizeof(struct lease),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = lease_slots,
};
