/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the library that block: their thread runs no Python meanwhile, and the close of the client waits for them. */
#include "native.h"

bool blockings_init(struct blockings *blockings)
{
    pthread_mutex_init(&blockings->lock, NULL);
    pthread_cond_init(&blockings->ended, NULL);
    if (os_cancel_new(&blockings->cancel) == OS_OK)
        return true;
    PyErr_NoMemory();
    return false;
}

void blockings_destroy(struct blockings *blockings)
{
    if (blockings->cancel != NULL)
        os_cancel_free(blockings->cancel);
    pthread_cond_destroy(&blockings->ended);
    pthread_mutex_destroy(&blockings->lock);
}

bool blockings_have_thread(const struct blockings *blockings)
{
    for (const struct blocking *each = blockings->first; each != NULL; each = each->next)
        if (pthread_equal(each->thread, pthread_self()))
            return true;
    return false;
}

void blockings_wait(struct blockings *blockings)
{
    pthread_mutex_lock(&blockings->lock);
    while (blockings->first != NULL)
        pthread_cond_wait(&blockings->ended, &blockings->lock);
    pthread_mutex_unlock(&blockings->lock);
}

void blockings_stop(struct blockings *blockings)
{
    os_cancel_trigger(blockings->cancel);
    pthread_mutex_lock(&blockings->lock);
    for (struct blocking *each = blockings->first; each != NULL; each = each->next)
        if (each->stop != NULL)
            os_cancel_trigger(each->stop->cancel);
    pthread_mutex_unlock(&blockings->lock);
}

int limits_of(PyObject *object, void *ret)
{
    struct limits *limits = ret;

    limits->stop = NULL;
    if (!PyTuple_Check(object)) {
        limits->deadline_ms = PyLong_AsUnsignedLongLong(object);
        return PyErr_Occurred() == NULL;
    }
    return PyArg_ParseTuple(object, "KO:limits", &limits->deadline_ms, &limits->stop);
}

bool blocking_begin(struct blocking *blocking, struct client *client, const struct limits *limits)
{
    if (client->handle == NULL) {
        PyErr_SetString(PyExc_ValueError, "The client is closed.");
        return false;
    }
    if (limits->stop != NULL && Py_TYPE((PyObject *)limits->stop) != client->state->stop) {
        PyErr_SetString(PyExc_TypeError, "A Stop is needed.");
        return false;
    }
    *blocking = (struct blocking){.client = client,
                                  .handle = client->handle,
                                  .stop = limits->stop,
                                  .thread = pthread_self(),
                                  .call = OS_CALL_INIT};
    Py_XINCREF((PyObject *)limits->stop);
    blocking->call.deadline_ms = limits->deadline_ms;
    blocking->call.cancel = limits->stop == NULL ? client->blockings.cancel : limits->stop->cancel;
    pthread_mutex_lock(&client->blockings.lock);
    blocking->next = client->blockings.first;
    client->blockings.first = blocking;
    pthread_mutex_unlock(&client->blockings.lock);
    return true;
}

void blocking_end(struct blocking *blocking)
{
    struct blockings *blockings = &blocking->client->blockings;

    pthread_mutex_lock(&blockings->lock);
    struct blocking **at = &blockings->first;
    while (*at != blocking)
        at = &(*at)->next;
    *at = blocking->next;
    pthread_cond_broadcast(&blockings->ended);
    pthread_mutex_unlock(&blockings->lock);
    Py_XDECREF((PyObject *)blocking->stop);
}

void blocking_let_go(struct blocking *blocking)
{
    blocking->state = PyEval_SaveThread();
}

void blocking_take_back(struct blocking *blocking)
{
    PyEval_RestoreThread(blocking->state);
}

/* -------------------------------------------------------------------------------------------------------- stops */

static PyObject *stop_cancel(PyObject *self, PyObject *Py_UNUSED(args))
{
    os_cancel_trigger(((struct stop *)self)->cancel);
    Py_RETURN_NONE;
}

static PyObject *stop_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct stop *stop = (struct stop *)alloc(type, 0);

    if (stop == NULL || os_cancel_new(&stop->cancel) == OS_OK)
        return (PyObject *)stop;
    Py_DECREF((PyObject *)stop);
    return PyErr_NoMemory();
}

static void stop_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (((struct stop *)self)->cancel != NULL)
        os_cancel_free(((struct stop *)self)->cancel);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef stop_methods[] = {
    {"cancel", stop_cancel, METH_NOARGS, "The call that it was given to, or is given to, ends soon."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot stop_slots[] = {
    {Py_tp_new, (void *)stop_new},
    {Py_tp_dealloc, (void *)stop_dealloc},
    {Py_tp_methods, stop_methods},
    {0, NULL},
};

PyType_Spec stop_spec = {
    .name = "oscommit._oscommit.Stop",
    .basicsize = sizeof(struct stop),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = stop_slots,
};
