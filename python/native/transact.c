/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions: a function of Python's, on the thread that called, which the library may call several times. */
#include "native.h"

#include <stdio.h>

struct running {
    struct blocking blocking;
    PyObject *function;
    PyObject *models; /* a set */
    struct txn *txn;  /* of the present run; NULL: none yet */
};

static os_code say_again(os_error *err)
{
    *err = (os_error){.code = OS_ERR_CONFLICT};
    (void)snprintf(
        err->message, sizeof(err->message),
        "The function of the transaction asked for another run, and there is none left: nothing was applied.");
    return OS_ERR_CONFLICT;
}

/* An exception stays where it is until the library has returned: it calls nothing more. */
static os_code say_raised(os_error *err)
{
    *err = (os_error){.code = OS_ERR_STOPPED};
    return OS_ERR_STOPPED;
}

static void drop_txn(struct running *running)
{
    struct txn *txn = running->txn;

    running->txn = NULL;
    Py_XDECREF((PyObject *)txn);
}

/* What Python has said, in a new reference, which is taken over; NULL: an exception. Lets go of the GIL. */
static os_code end_answer(struct running *running, PyObject *answer, os_error *err)
{
    int commits = answer == NULL ? -1 : PyObject_IsTrue(answer);

    Py_XDECREF(answer);
    blocking_let_go(&running->blocking);
    if (commits < 0)
        return say_raised(err);
    return commits ? OS_OK : say_again(err);
}

static os_code run_function(void *context, os_txn *handle, os_error *err)
{
    struct running *running = context;
    PyObject *answer = NULL;

    blocking_take_back(&running->blocking);
    drop_txn(running);
    running->txn = txn_new(running->blocking.client, handle, running->models);
    if (running->txn != NULL) {
        answer = PyObject_CallFunctionObjArgs(running->function, (PyObject *)running->txn, NULL);
        running->txn->handle = NULL;
    }
    return end_answer(running, answer, err);
}

static os_code finalize(void *context, os_txn *handle, os_row *row, os_error *err)
{
    struct running *running = context;
    PyObject *answer = NULL;

    if (!running->txn->finalizes)
        return OS_OK;
    blocking_take_back(&running->blocking);
    txn_revive(running->txn, handle);
    PyObject *given = row_new(running->txn, row);
    if (given != NULL)
        answer = PyObject_CallMethod(running->function, "finalize", "O", given);
    Py_XDECREF(given);
    running->txn->handle = NULL;
    return end_answer(running, answer, err);
}

static PyObject *outcome(const os_txn_result *result, const os_error *err)
{
    return Py_BuildValue("(iNIIN)", (int)result->verdict, err->code == OS_OK ? text_object(NULL) : error_object(err),
                         result->runs, result->requests, text_object(result->ticket));
}

/* Of one that may have been applied. */
static void lose_outcome(PyObject *function)
{
    PyObject *type;
    PyObject *value;
    PyObject *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    if (PyObject_SetAttrString(function, "outcome_is_lost", Py_True) != 0)
        PyErr_Clear();
    PyErr_Restore(type, value, traceback);
}

static PyObject *transact(struct running *running, const os_txn_options *options)
{
    struct blocking *blocking = &running->blocking;
    os_txn_result result = OS_TXN_RESULT_INIT;
    os_error err;

    blocking_let_go(blocking);
    (void)os_transact(blocking->handle, options, run_function, running, &blocking->call, &result, &err);
    blocking_take_back(blocking);
    bool has_returned = PyErr_Occurred() == NULL;
    PyObject *made = has_returned ? outcome(&result, &err) : NULL;
    os_txn_result_clear(&result);
    /* A signal that came meanwhile is handled before the caller has what is returned. */
    if (made != NULL && PyObject_SetAttrString(running->function, "outcome", made) != 0)
        Py_CLEAR(made);
    if (has_returned && made == NULL)
        lose_outcome(running->function);
    return made;
}

PyObject *client_transact(PyObject *self, PyObject *args)
{
    struct running running;
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    struct limits limits;
    PyObject *ended = NULL;

    if (!PyArg_ParseTuple(args, "O&OpO&O&O&pp:transact", limits_of, &limits, &running.function, &options.no_retries,
                          count_of, &options.retries, count_of, &options.initial_backoff_ms, count_of,
                          &options.max_backoff_ms, &options.read_only, &options.cache_rows) ||
        !blocking_begin(&running.blocking, (struct client *)self, &limits))
        return NULL;
    options.finalize = finalize;
    options.finalize_context = &running;
    running.txn = NULL;
    running.models = PySet_New(NULL);
    if (running.models != NULL)
        ended = transact(&running, &options);
    drop_txn(&running);
    blocking_end(&running.blocking);
    Py_XDECREF(running.models);
    return ended;
}

/* (verdict, error) */
PyObject *client_txn_resolve(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    struct blocking blocking;
    struct limits limits;
    const char *ticket;
    os_error err;

    if (!PyArg_ParseTuple(args, "O&s:txn_resolve", limits_of, &limits, &ticket) ||
        !blocking_begin(&blocking, client, &limits))
        return NULL;
    blocking_let_go(&blocking);
    os_verdict verdict = os_txn_resolve(blocking.handle, ticket, &blocking.call, &err);
    blocking_take_back(&blocking);
    blocking_end(&blocking);
    return Py_BuildValue("(iN)", (int)verdict, err.code == OS_OK ? text_object(NULL) : error_object(&err));
}

PyObject *client_model_table(PyObject *self, PyObject *args)
{
    struct client *client = (struct client *)self;
    struct blocking blocking;
    struct limits limits;
    PyObject *object;
    int creates;
    os_error err;

    if (!PyArg_ParseTuple(args, "O&Op:model_table", limits_of, &limits, &object, &creates))
        return NULL;
    const os_model *model = model_of(object, client->state);
    if (model == NULL || !blocking_begin(&blocking, client, &limits))
        return NULL;
    blocking_let_go(&blocking);
    os_code code =
        (creates ? os_model_table_create : os_model_table_check)(blocking.handle, model, &blocking.call, &err);
    blocking_take_back(&blocking);
    blocking_end(&blocking);
    if (code != OS_OK)
        return raise_failure(client->state, &err);
    Py_RETURN_NONE;
}
