/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* One write wakes the loop for all that come until it looks. */
void port_push(struct port *port, struct operation *operation, enum event event)
{
    static const uint64_t one = 1;
    bool wake;

    pthread_mutex_lock(&port->lock);
    wake = port->first == NULL;
    operation->event = event;
    if (!operation->queued) {
        operation->queued = true;
        operation->next = NULL;
        if (port->first == NULL)
            port->first = operation;
        else
            port->last->next = operation;
        port->last = operation;
    }
    /* Under the lock: the port may go as soon as the operation was taken from it. */
    if (wake && write(port->fd, &one, sizeof(one)) < 0) {
        /* It can only be full, and is readable then. */
    }
    pthread_mutex_unlock(&port->lock);
}

static struct operation *pop(struct port *port, enum event *ret_event)
{
    struct operation *operation;

    pthread_mutex_lock(&port->lock);
    operation = port->first;
    if (operation != NULL) {
        port->first = operation->next;
        operation->queued = false;
        *ret_event = operation->event;
    }
    pthread_mutex_unlock(&port->lock);
    return operation;
}

/* Appends (operation, event); an operation that has completed gives up its reference to itself. */
static bool append(PyObject *list, struct operation *operation, enum event event)
{
    PyObject *pair = Py_BuildValue("(Oi)", operation, (int)event);
    bool appended = pair != NULL && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
    if (event == EVENT_DONE)
        operation_landed(operation);
    return appended;
}

static PyObject *port_drain(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct port *port = (struct port *)self;
    struct operation *operation;
    enum event event = EVENT_NONE;
    uint64_t count;
    PyObject *list = PyList_New(0);

    if (list == NULL)
        return NULL;
    /* First: what is pushed from now on makes it readable again. */
    if (read(port->fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
        return Py_DECREF(list), PyErr_SetFromErrno(PyExc_OSError);
    while ((operation = pop(port, &event)) != NULL)
        if (!append(list, operation, event))
            return Py_DECREF(list), NULL;
    return list;
}

static PyObject *port_fileno(PyObject *self, PyObject *Py_UNUSED(args))
{
    return PyLong_FromLong(((struct port *)self)->fd);
}

static PyObject *port_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct port *port = (struct port *)alloc(type, 0);

    if (port == NULL)
        return NULL;
    pthread_mutex_init(&port->lock, NULL);
    port->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (port->fd < 0) {
        Py_DECREF(port);
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return (PyObject *)port;
}

static void port_dealloc(PyObject *self)
{
    struct port *port = (struct port *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (port->fd >= 0)
        close(port->fd);
    pthread_mutex_destroy(&port->lock);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"drain", port_drain, METH_NOARGS, "The operations that want something: a list of (operation, event)."},
    {"fileno", port_fileno, METH_NOARGS, "A descriptor that is readable when there is something to drain."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)port_new},
    {Py_tp_dealloc, (void *)port_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec port_spec = {
    .name = "oscommit._oscommit.Port",
    .basicsize = sizeof(struct port),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
