/* SPDX-License-Identifier: Apache-2.0 */
/* Leases. The calls block, without the GIL; whoever makes one sees to it that the client is not closed meanwhile. */
#include "native.h"

struct lease {
    PyObject_HEAD os_lease *handle; /* NULL: released or detached */
    struct client *client;          /* kept, and its module's state */
};

struct cancel {
    PyObject_HEAD os_cancel *handle;
};

os_cancel *cancel_of(PyObject *cancel)
{
    return cancel == Py_None ? NULL : ((struct cancel *)cancel)->handle;
}

static PyObject *cancel_trigger(PyObject *self, PyObject *Py_UNUSED(args))
{
    os_cancel_trigger(((struct cancel *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *cancel_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct cancel *cancel = (struct cancel *)alloc(type, 0);

    if (cancel == NULL)
        return NULL;
    if (os_cancel_new(&cancel->handle) != OS_OK) {
        Py_DECREF(cancel);
        return PyErr_NoMemory();
    }
    return (PyObject *)cancel;
}

static void cancel_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    os_cancel_free(((struct cancel *)self)->handle);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef cancel_methods[] = {
    {"trigger", cancel_trigger, METH_NOARGS, "Ends the calls that were given it; any thread."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot cancel_slots[] = {
    {Py_tp_new, (void *)cancel_new},
    {Py_tp_dealloc, (void *)cancel_dealloc},
    {Py_tp_methods, cancel_methods},
    {0, NULL},
};
PyType_Spec cancel_spec = {
    .name = "oscommit._oscommit.Cancel",
    .basicsize = sizeof(struct cancel),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = cancel_slots,
};

/* ------------------------------------------------------------------------------------------ of the client */

static PyObject *lease_object(struct client *client, os_lease *handle)
{
    PyTypeObject *type = client->state->lease;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct lease *lease = (struct lease *)alloc(type, 0);

    if (lease == NULL) {
        os_lease_release(handle, NULL, NULL);
        return NULL;
    }
    lease->handle = handle;
    lease->client = client;
    Py_INCREF(client);
    return (PyObject *)lease;
}

static os_client *open_handle(struct client *client)
{
    if (client->handle == NULL)
        PyErr_SetString(PyExc_ValueError, "The store is closed.");
    return client->handle;
}

PyObject *client_lease_acquire(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    os_client *handle = open_handle(client);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    PyObject *cancel;
    unsigned long long deadline_ms, ttl_s;
    const char *name;
    os_lease *lease = NULL;
    os_error err;
    os_code code;

    if (handle == NULL || !PyArg_ParseTuple(args, "OKsKppz:lease_acquire", &cancel, &deadline_ms, &name, &ttl_s,
                                            &options.wait, &options.fencing, &options.owner))
        return NULL;
    options.ttl_s = ttl_s;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel_of(cancel);
    Py_BEGIN_ALLOW_THREADS;
    code = os_lease_acquire(handle, name, &options, &call, &lease, &err);
    Py_END_ALLOW_THREADS;
    return code == OS_OK ? lease_object(client, lease) : raise_failure(client->state, &err);
}

PyObject *client_lease_adopt(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    os_client *handle = open_handle(client);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    PyObject *cancel;
    unsigned long long deadline_ms, ttl_s;
    const char *name, *text;
    os_lease *lease = NULL;
    os_error err;
    os_code code;

    if (handle == NULL ||
        !PyArg_ParseTuple(args, "OKssKp:lease_adopt", &cancel, &deadline_ms, &name, &text, &ttl_s, &options.fencing))
        return NULL;
    options.ttl_s = ttl_s;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel_of(cancel);
    Py_BEGIN_ALLOW_THREADS;
    code = os_lease_adopt(handle, name, text, &options, &call, &lease, &err);
    Py_END_ALLOW_THREADS;
    return code == OS_OK ? lease_object(client, lease) : raise_failure(client->state, &err);
}

PyObject *client_lease_read(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    os_client *handle = open_handle(client);
    os_call call = OS_CALL_INIT;
    os_lease_info info = OS_LEASE_INFO_INIT;
    PyObject *cancel;
    unsigned long long deadline_ms;
    const char *name;
    os_error err;
    os_code code;

    if (handle == NULL || !PyArg_ParseTuple(args, "OKs:lease_read", &cancel, &deadline_ms, &name))
        return NULL;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel_of(cancel);
    Py_BEGIN_ALLOW_THREADS;
    code = os_lease_read(handle, name, &call, &info, &err);
    Py_END_ALLOW_THREADS;
    if (code != OS_OK)
        return raise_failure(client->state, &err);
    return Py_BuildValue("(NNLKKN)", PyBool_FromLong(info.held), text_object(info.owner), (long long)info.expiry_s,
                         (unsigned long long)info.ttl_ms, (unsigned long long)info.token,
                         PyBool_FromLong(info.foreign));
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

/* Refused: the lease is still the caller's. */
static bool was_refused(os_code code)
{
    return code == OS_ERR_ARGUMENT || code == OS_ERR_NO_MEMORY;
}

/* The handle is taken away first: no other thread may ask the lease anything any more. */
static PyObject *lease_end(struct lease *lease, bool releases, uint64_t deadline_ms)
{
    os_lease *handle = lease->handle;
    os_call call = OS_CALL_INIT;
    os_error err;
    os_code code;

    if (handle == NULL)
        Py_RETURN_NONE;
    lease->handle = NULL;
    call.deadline_ms = deadline_ms;
    Py_BEGIN_ALLOW_THREADS;
    code = releases ? os_lease_release(handle, &call, &err) : os_lease_detach(handle, &err);
    Py_END_ALLOW_THREADS;
    if (was_refused(code))
        lease->handle = handle;
    if (code != OS_OK)
        return raise_failure(lease->client->state, &err);
    Py_RETURN_NONE;
}

static PyObject *lease_release(PyObject *self, PyObject *args)
{
    unsigned long long deadline_ms;
    if (!PyArg_ParseTuple(args, "K:release", &deadline_ms))
        return NULL;
    return lease_end((struct lease *)self, true, deadline_ms);
}

static PyObject *lease_detach(PyObject *self, PyObject *Py_UNUSED(args))
{
    return lease_end((struct lease *)self, false, 0);
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
    {"release", lease_release, METH_VARARGS, "(deadline_ms): ends it; blocks."},
    {"detach", lease_detach, METH_NOARGS, "Stops extending it."},
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
