/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <errno.h>
#include <string.h>

/* --------------------------------------------------------------------------------- on the client's threads */

void operation_tell(struct operation *operation, enum event event)
{
    if (operation->port != NULL) {
        port_push(operation->port, operation, event);
        return;
    }
    pthread_mutex_lock(&operation->lock);
    operation->event = event;
    sem_post(&operation->told);
    pthread_mutex_unlock(&operation->lock);
}

static void on_complete(void *context, os_operation *Py_UNUSED(handle))
{
    operation_tell(context, EVENT_DONE);
}

static bool ask(struct operation *operation)
{
    pthread_mutex_lock(&operation->lock);
    bool asks = !operation->stopped;
    operation->question.asked = asks;
    operation->question.refused = false;
    pthread_mutex_unlock(&operation->lock);
    return asks;
}

bool operation_ask(struct operation *operation, enum event event)
{
    if (!ask(operation))
        return false;
    operation_tell(operation, event);
    while (sem_wait(&operation->answered) != 0) {
        /* EINTR: a signal is not an answer. */
    }
    pthread_mutex_lock(&operation->lock);
    bool goes_on = !operation->stopped && !operation->question.refused;
    pthread_mutex_unlock(&operation->lock);
    return goes_on;
}

/* ------------------------------------------------------------------------------------- on Python's threads */

void operation_stop(struct operation *operation)
{
    pthread_mutex_lock(&operation->lock);
    operation->stopped = true;
    if (operation->question.asked) {
        operation->question.asked = false;
        sem_post(&operation->answered);
    }
    pthread_mutex_unlock(&operation->lock);
}

static bool init(struct operation *operation, struct client *client, PyObject *port)
{
    pthread_mutex_init(&operation->lock, NULL);
    sem_init(&operation->told, 0, 0);
    sem_init(&operation->answered, 0, 0);
    operation->client = client;
    Py_INCREF(client);
    if (port == Py_None)
        return true;
    if (Py_TYPE(port) != client->state->port) {
        PyErr_SetString(PyExc_TypeError, "A port or None is needed.");
        return false;
    }
    operation->port = (struct port *)port;
    Py_INCREF(port);
    return true;
}

struct operation *operation_new(struct client *client, PyObject *port, uint64_t deadline_ms, int forward_only)
{
    PyTypeObject *type = client->state->operation;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);

    if (client->handle == NULL) {
        PyErr_SetString(PyExc_ValueError, "The store is closed.");
        return NULL;
    }
    struct operation *operation = (struct operation *)alloc(type, 0);
    if (operation == NULL)
        return NULL;
    if (!init(operation, client, port)) {
        Py_DECREF(operation);
        return NULL;
    }
    operation->call = (os_call)OS_CALL_INIT;
    operation->call.deadline_ms = deadline_ms;
    operation->call.forward_only = (os_toggle)forward_only;
    operation->start = (os_start)OS_START_INIT;
    operation->start.call = &operation->call;
    operation->start.complete = on_complete;
    operation->start.context = operation;
    return operation;
}

void operation_begin(struct operation *operation)
{
    struct client *client = operation->client;

    Py_INCREF(operation);
    operation->in_flight = true;
    operation->following = client->in_flight;
    if (client->in_flight != NULL)
        client->in_flight->previous = operation;
    client->in_flight = operation;
}

/* Nothing will be told of it any more. */
void operation_landed(struct operation *operation)
{
    if (!operation->in_flight)
        return;
    operation->in_flight = false;
    if (operation->previous != NULL)
        operation->previous->following = operation->following;
    else
        operation->client->in_flight = operation->following;
    if (operation->following != NULL)
        operation->following->previous = operation->previous;
    operation->previous = operation->following = NULL;
    Py_DECREF(operation);
}

PyObject *operation_begun(struct operation *operation, os_code code, const os_error *err)
{
    if (code == OS_OK)
        return (PyObject *)operation;
    raise_failure(operation->client->state, err);
    operation_landed(operation);
    Py_DECREF(operation);
    return NULL;
}

/* Waits for the next event, without the GIL; signals are looked at. */
static PyObject *operation_wait(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    enum event event;
    int failed;

    if (operation->port != NULL || !operation->in_flight) {
        PyErr_SetString(PyExc_RuntimeError, "Nobody tells this operation anything.");
        return NULL;
    }
    do {
        Py_BEGIN_ALLOW_THREADS;
        failed = sem_wait(&operation->told);
        Py_END_ALLOW_THREADS;
        if (failed != 0 && PyErr_CheckSignals() != 0)
            return NULL;
    } while (failed != 0);
    pthread_mutex_lock(&operation->lock);
    event = operation->event;
    pthread_mutex_unlock(&operation->lock);
    if (event == EVENT_DONE)
        operation_landed(operation);
    return PyLong_FromLong(event);
}

/* Takes the bytes of `data` for an answer; they stay until the next one, as the library may read them until then. */
static void take(struct operation *operation, PyObject *data, const char *bytes, size_t length)
{
    struct question *question = &operation->question;

    if (question->buffer != NULL) {
        question->read = (int64_t)(length < question->size ? length : question->size);
        memcpy(question->buffer, bytes, (size_t)question->read);
        return;
    }
    Py_XINCREF(data);
    PyObject *old = operation->body;
    operation->body = data;
    question->data = bytes;
    question->length = length;
    Py_XDECREF(old);
}

/* Answers what was asked; None refuses. Without a question, nothing happens: the operation was stopped meanwhile. */
static PyObject *operation_answer(PyObject *self, PyObject *data)
{
    struct operation *operation = (struct operation *)self;
    char *bytes = NULL;
    Py_ssize_t length = 0;

    if (data != Py_None && PyBytes_AsStringAndSize(data, &bytes, &length) != 0)
        return NULL;
    pthread_mutex_lock(&operation->lock);
    if (operation->question.asked) {
        operation->question.asked = false;
        operation->question.refused = data == Py_None;
        if (data != Py_None)
            take(operation, data, bytes, (size_t)length);
        sem_post(&operation->answered);
    }
    pthread_mutex_unlock(&operation->lock);
    Py_RETURN_NONE;
}

static PyObject *operation_wanted(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    return PyLong_FromSize_t(operation->question.asked ? operation->question.size : 0);
}

/* (exists, data, etag, round), or None when it is not asked any more. */
static PyObject *operation_current(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    const os_current *current = operation->question.current;

    if (!operation->question.asked || current == NULL)
        Py_RETURN_NONE;
    return Py_BuildValue("(NNNI)", PyBool_FromLong(current->exists),
                         PyBytes_FromStringAndSize(current->data, (Py_ssize_t)current->length),
                         text_object(current->etag), current->round);
}

static PyObject *operation_cancel(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;

    operation_stop(operation);
    if (operation->handle != NULL)
        os_operation_cancel(operation->handle);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------------- what came of it */

bool operation_has_ended(const struct operation *operation)
{
    bool ended = !operation->in_flight && operation->handle != NULL;

    if (!ended)
        PyErr_SetString(PyExc_RuntimeError, "The operation has not completed.");
    return ended;
}

/* (verdict, error, result, meta, data): result of a guarded call, meta and data of a plain one; else None. Once. */
static PyObject *operation_outcome(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;

    if (!operation_has_ended(operation))
        return NULL;
    const os_error *err = os_operation_error(operation->handle);
    const os_result *result = os_operation_result(operation->handle);
    const os_object *object = os_operation_object(operation->handle);
    bool has_object = object != NULL && object->size != 0;

    return Py_BuildValue("(iNNNN)", (int)os_operation_verdict(operation->handle),
                         err->code == OS_OK ? text_object(NULL) : error_object(err),
                         result == NULL ? text_object(NULL) : result_object(result),
                         has_object ? meta_object(object, object->key) : text_object(NULL), pieces_take(operation));
}

/* Whoever keeps the exception of a cancelled call keeps this object; what is in it must not be held as long. */
static PyObject *operation_let_go(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;

    if (!operation_has_ended(operation))
        return NULL;
    os_operation_free(operation->handle);
    operation->handle = NULL;
    Py_RETURN_NONE;
}

static void operation_dealloc(PyObject *self)
{
    struct operation *operation = (struct operation *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    os_operation_free(operation->handle);
    pieces_free(operation);
    entries_free(operation);
    sem_destroy(&operation->told);
    sem_destroy(&operation->answered);
    pthread_mutex_destroy(&operation->lock);
    Py_XDECREF(operation->body);
    Py_XDECREF(operation->port);
    Py_XDECREF(operation->client);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"wait", operation_wait, METH_NOARGS, "Blocks until it wants something; returns which event that is."},
    {"answer", operation_answer, METH_O, "Gives what it asked for: bytes; None refuses."},
    {"wanted", operation_wanted, METH_NOARGS, "READ: how many bytes it can take."},
    {"current", operation_current, METH_NOARGS, "TRANSFORM: (exists, data, etag, round)."},
    {"entries", operation_entries, METH_NOARGS, "DONE: what was listed."},
    {"cancel", operation_cancel, METH_NOARGS, "Asks for an early end; it completes nevertheless."},
    {"outcome", operation_outcome, METH_NOARGS, "DONE: (verdict, error, result, meta, data). Once."},
    {"let_go", operation_let_go, METH_NOARGS,
     "DONE: frees it. A lease that nobody took is released in the background."},
    {"lease", operation_lease, METH_NOARGS, "DONE: the lease that was acquired or adopted. Once."},
    {"lease_info", operation_lease_info, METH_NOARGS, "DONE: what was read of a lease."},
    {"lock_info", operation_lock_info, METH_NOARGS, "DONE: what was said of a lock."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)operation_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec operation_spec = {
    .name = "oscommit._oscommit.Operation",
    .basicsize = sizeof(struct operation),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
