/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a transaction puts, which become visible together with its rows. */
#include "native.h"

#include <string.h>

/* A body that a function gives, which is asked for so many bytes: b"" is the end. */
struct stream {
    struct txn *txn;
    PyObject *read;
    PyThreadState *state;
};

static int64_t take(PyObject *given, void *ret_data, size_t size)
{
    char *bytes;
    Py_ssize_t length;

    if (given == NULL || PyBytes_AsStringAndSize(given, &bytes, &length) != 0)
        return -1;
    if ((size_t)length > size) {
        PyErr_SetString(PyExc_ValueError, "The stream gave more bytes than it was asked for.");
        return -1;
    }
    memcpy(ret_data, bytes, (size_t)length);
    return length;
}

static int64_t on_read(void *context, void *ret_data, size_t size)
{
    struct stream *stream = context;

    PyEval_RestoreThread(stream->state);
    stream->txn->is_reading = true;
    PyObject *given = PyObject_CallFunction(stream->read, "n", (Py_ssize_t)size);
    stream->txn->is_reading = false;
    int64_t count = take(given, ret_data, size);
    Py_XDECREF(given);
    stream->state = PyEval_SaveThread();
    return count;
}

static PyObject *put(struct stream *stream, const os_stage *stage)
{
    const char *key = NULL;
    os_error err;

    stream->state = PyEval_SaveThread();
    os_code code = os_txn_stage(stream->txn->handle, stage, &key, &err);
    PyEval_RestoreThread(stream->state);
    if (PyErr_Occurred() != NULL)
        return NULL;
    return code == OS_OK ? text_object(key) : raise_failure(stream->txn->state, &err);
}

PyObject *txn_stage(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    os_stage stage = OS_STAGE_INIT;
    PyObject *intents, *source, *options, *key = NULL;
    struct written written;
    os_body body = {.size = sizeof(body), .read = on_read};
    bool is_stream;

    if (!PyArg_ParseTuple(args, "OOssO!:stage", &intents, &source, &stage.prefix, &stage.suffix, &PyDict_Type,
                          &options) ||
        !txn_may_be_used(txn))
        return NULL;
    stage.intents = txn_take_model(txn, intents);
    if (stage.intents == NULL)
        return NULL;
    is_stream = PyCallable_Check(source) != 0;
    struct stream stream = {.txn = txn, .read = source};
    body.read_context = &stream;
    if (written_of(options, &written) && (is_stream || body_of(source, &body))) {
        stage.body = &body;
        stage.put = &written.options;
        key = put(&stream, &stage);
    }
    written_clear(&written);
    return key;
}

/* ---------------------------------------------------------------------------------------------------------- gc */

struct sweep {
    struct blocking blocking;
    PyObject *list;
};

static int on_garbage(void *context, const os_txn_garbage *garbage)
{
    struct sweep *sweep = context;

    blocking_take_back(&sweep->blocking);
    PyObject *made = Py_BuildValue("(iNLN)", (int)garbage->fate, text_object(garbage->key), (long long)garbage->since_s,
                                   text_object(garbage->reason));
    int failed = made == NULL || PyList_Append(sweep->list, made) != 0 || PyErr_CheckSignals() != 0;
    Py_XDECREF(made);
    blocking_let_go(&sweep->blocking);
    return failed;
}

static PyObject *collect(struct sweep *sweep, const os_txn_gc_options *options)
{
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    os_error err;

    blocking_let_go(&sweep->blocking);
    os_code code = os_txn_gc(sweep->blocking.handle, options, &sweep->blocking.call, on_garbage, sweep, &result, &err);
    blocking_take_back(&sweep->blocking);
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (code != OS_OK)
        return raise_failure(sweep->blocking.client->state, &err);
    return Py_BuildValue("(KKKKKO)", (unsigned long long)result.seen, (unsigned long long)result.found,
                         (unsigned long long)result.removed, (unsigned long long)result.spared,
                         (unsigned long long)result.failed, sweep->list);
}

PyObject *client_txn_gc(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    unsigned int older_than_s;
    struct sweep sweep;
    struct limits limits;
    PyObject *intents, *result = NULL;

    if (!PyArg_ParseTuple(args, "O&OzO&pp:txn_gc", limits_of, &limits, &intents, &options.prefix, count_of,
                          &older_than_s, &options.of_any_age, &options.remove))
        return NULL;
    options.older_than_s = older_than_s;
    options.intents = model_of(intents, client->state);
    if (options.intents == NULL || !blocking_begin(&sweep.blocking, client, &limits))
        return NULL;
    sweep.list = PyList_New(0);
    if (sweep.list != NULL)
        result = collect(&sweep, &options);
    blocking_end(&sweep.blocking);
    Py_XDECREF(sweep.list);
    return result;
}
