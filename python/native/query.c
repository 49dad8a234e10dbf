/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans of a transaction. */
#include "native.h"

struct query {
    PyObject_HEAD os_query *handle; /* the transaction's */
    struct txn *txn;                /* kept */
};

static PyObject *query_new(struct txn *txn, os_query *handle)
{
    PyTypeObject *type = txn->state->query;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct query *query = (struct query *)alloc(type, 0);

    if (query == NULL)
        return NULL;
    query->handle = handle;
    query->txn = txn;
    Py_INCREF((PyObject *)txn);
    return (PyObject *)query;
}

static PyObject *made_of(struct txn *txn, os_code code, os_query *handle, const os_error *err)
{
    return code == OS_OK ? query_new(txn, handle) : raise_failure(txn->state, err);
}

PyObject *txn_query(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    os_query *query = NULL;
    PyObject *object;
    os_error err;

    if (!PyArg_ParseTuple(args, "Ozppp:query", &object, &options.index, &options.inconsistent, &options.descending,
                          &options.allow_lazy_filter) ||
        !txn_may_be_used(txn))
        return NULL;
    const os_model *model = txn_take_model(txn, object);
    if (model == NULL)
        return NULL;
    os_code code = os_txn_query(txn->handle, model, &options, &query, &err);
    return made_of(txn, code, query, &err);
}

PyObject *txn_scan(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    os_query *query = NULL;
    PyObject *object;
    os_error err;

    if (!PyArg_ParseTuple(args, "OzpO&O&:scan", &object, &options.index, &options.inconsistent, count_of,
                          &options.shard_index, count_of, &options.shard_count) ||
        !txn_may_be_used(txn))
        return NULL;
    const os_model *model = txn_take_model(txn, object);
    if (model == NULL)
        return NULL;
    os_code code = os_txn_scan(txn->handle, model, &options, &query, &err);
    return made_of(txn, code, query, &err);
}

static PyObject *query_filter(PyObject *self, PyObject *args)
{
    struct query *query = (struct query *)self;
    const char *field, *operation, *json;
    os_error err;

    if (!PyArg_ParseTuple(args, "sss:filter", &field, &operation, &json) || !txn_may_be_used(query->txn))
        return NULL;
    if (os_query_filter(query->handle, field, operation, json, &err) != OS_OK)
        return raise_failure(query->txn->state, &err);
    Py_RETURN_NONE;
}

static PyObject *fetch(const struct query *query, size_t count, const char *token, os_row **rows)
{
    struct txn *txn = query->txn;
    const char *next = NULL;
    size_t found = 0;
    os_error err;
    os_code code;

    Py_BEGIN_ALLOW_THREADS;
    code = os_query_fetch(query->handle, count, token, rows, &found, &next, &err);
    Py_END_ALLOW_THREADS;
    if (code != OS_OK)
        return raise_failure(txn->state, &err);
    PyObject *list = rows_object(txn, rows, found);
    return list == NULL ? NULL : Py_BuildValue("(NN)", list, text_object(next));
}

static PyObject *query_fetch(PyObject *self, PyObject *args)
{
    struct query *query = (struct query *)self;
    const char *token;
    unsigned int count;

    if (!PyArg_ParseTuple(args, "O&z:fetch", count_of, &count, &token) || !txn_may_be_used(query->txn))
        return NULL;
    os_row **rows = PyMem_Calloc((size_t)count + 1, sizeof(os_row *));
    if (rows == NULL)
        return PyErr_NoMemory();
    PyObject *page = fetch(query, count, token, rows);
    PyMem_Free(rows);
    return page;
}

static void query_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF((PyObject *)((struct query *)self)->txn);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"filter", query_filter, METH_VARARGS, "(field, operation, JSON)"},
    {"fetch", query_fetch, METH_VARARGS, "(count, token | None) -> ([Row], token | None)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)query_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec query_spec = {
    .name = "oscommit._oscommit.Query",
    .basicsize = sizeof(struct query),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
