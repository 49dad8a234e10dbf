/* SPDX-License-Identifier: Apache-2.0 */
/* What a transaction's function is given: it reads and writes rows. */
#include "native.h"

struct txn *txn_new(struct client *client, os_txn *handle, PyObject *models)
{
    PyTypeObject *type = client->state->txn;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct txn *txn = (struct txn *)alloc(type, 0);

    if (txn == NULL)
        return NULL;
    txn->handle = handle;
    txn->state = client->state;
    txn->module = client->module;
    Py_INCREF(txn->module);
    txn->models = models;
    Py_INCREF(models);
    txn->thread = pthread_self();
    return txn;
}

void txn_revive(struct txn *txn, os_txn *handle)
{
    txn->handle = handle;
    txn->thread = pthread_self();
}

bool txn_may_be_used(const struct txn *txn)
{
    bool may_be_used = pthread_equal(txn->thread, pthread_self()) && !txn->is_reading;

    if (txn->handle == NULL)
        PyErr_SetString(PyExc_RuntimeError, "The transaction has ended: a row lives until its function returns.");
    else if (!may_be_used)
        PyErr_SetString(PyExc_RuntimeError,
                        "A transaction is used by the thread that runs its function, and by no other; in a coroutine, "
                        "by one step after the other: await each.");
    return txn->handle != NULL && may_be_used;
}

/* pthread_t is an integer on Linux, and threading.get_ident() is that one. */
static PyObject *txn_lend(PyObject *self, PyObject *args)
{
    unsigned long thread;

    if (!PyArg_ParseTuple(args, "k:lend", &thread))
        return NULL;
    ((struct txn *)self)->thread = (pthread_t)thread;
    Py_RETURN_NONE;
}

const os_model *txn_take_model(struct txn *txn, PyObject *model)
{
    const os_model *handle = model_of(model, txn->state);

    if (handle == NULL || PySet_Add(txn->models, model) != 0)
        return NULL;
    txn->finalizes = txn->finalizes || ((struct model *)model)->finalizes;
    return handle;
}

/* ------------------------------------------------------------------------------------------------------- reads */

/* The strings are those of the list. */
static bool keys_of(PyObject *list, struct txn *txn, os_row_key *ret)
{
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *model;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "Os:key", &model, &ret[i].key))
            return false;
        ret[i].model = txn_take_model(txn, model);
        if (ret[i].model == NULL)
            return false;
    }
    return true;
}

PyObject *rows_object(struct txn *txn, os_row *const *rows, size_t count)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *row = row_new(txn, rows[i]);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *get_rows(struct txn *txn, PyObject *list, const os_get_options *options)
{
    size_t count = (size_t)PyList_Size(list);
    os_row_key *keys = PyMem_Calloc(count + 1, sizeof(*keys));
    os_row **rows = PyMem_Calloc(count + 1, sizeof(os_row *));
    PyObject *got = NULL;
    os_error err;
    os_code code;

    if (keys == NULL || rows == NULL) {
        PyErr_NoMemory();
    } else if (keys_of(list, txn, keys)) {
        Py_BEGIN_ALLOW_THREADS;
        code = os_txn_get_many(txn->handle, keys, count, options, rows, &err);
        Py_END_ALLOW_THREADS;
        got = code == OS_OK ? rows_object(txn, rows, count) : raise_failure(txn->state, &err);
    }
    PyMem_Free(keys);
    PyMem_Free(rows);
    return got;
}

static PyObject *txn_get(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    os_get_options options = OS_GET_OPTIONS_INIT;
    PyObject *list;

    if (!PyArg_ParseTuple(args, "O!pp:get", &PyList_Type, &list, &options.create_if_missing, &options.inconsistent) ||
        !txn_may_be_used(txn))
        return NULL;
    return get_rows(txn, list, &options);
}

/* ------------------------------------------------------------------------------------------------------ writes */

static PyObject *said(const struct txn *txn, os_code code, const os_error *err)
{
    if (code != OS_OK)
        return raise_failure(txn->state, err);
    Py_RETURN_NONE;
}

/* A model and up to two objects of JSON. */
struct written_row {
    const os_model *model;
    const char *first, *second;
};

static bool written_row_of(struct txn *txn, PyObject *args, const char *format, struct written_row *ret)
{
    PyObject *model;

    ret->second = NULL;
    if (!PyArg_ParseTuple(args, format, &model, &ret->first, &ret->second) || !txn_may_be_used(txn))
        return false;
    ret->model = txn_take_model(txn, model);
    return ret->model != NULL;
}

static PyObject *txn_create(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    struct written_row of;
    os_row *row = NULL;
    os_error err;

    if (!written_row_of(txn, args, "Os:create", &of))
        return NULL;
    if (os_txn_create(txn->handle, of.model, of.first, &row, &err) != OS_OK)
        return raise_failure(txn->state, &err);
    return row_new(txn, row);
}

static PyObject *txn_put(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    struct written_row of;
    os_error err;

    if (!written_row_of(txn, args, "Osz:put", &of))
        return NULL;
    return said(txn, os_txn_create_or_put(txn->handle, of.model, of.first, of.second, &err), &err);
}

static PyObject *txn_update(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    struct written_row of;
    os_error err;

    if (!written_row_of(txn, args, "Oss:update", &of))
        return NULL;
    return said(txn, os_txn_update(txn->handle, of.model, of.first, of.second, &err), &err);
}

static PyObject *txn_delete(PyObject *self, PyObject *object)
{
    struct txn *txn = (struct txn *)self;
    os_row *row = txn_may_be_used(txn) ? row_handle(object, txn) : NULL;
    os_error err;

    return row == NULL ? NULL : said(txn, os_txn_delete(txn->handle, row, &err), &err);
}

static PyObject *txn_delete_key(PyObject *self, PyObject *args)
{
    struct txn *txn = (struct txn *)self;
    struct written_row of;
    os_error err;

    if (!written_row_of(txn, args, "Os:delete_key", &of))
        return NULL;
    return said(txn, os_txn_delete_key(txn->handle, of.model, of.first, &err), &err);
}

static PyObject *txn_make_read_only(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct txn *txn = (struct txn *)self;
    os_error err;

    if (!txn_may_be_used(txn))
        return NULL;
    return said(txn, os_txn_make_read_only(txn->handle, &err), &err);
}

static PyObject *txn_cache_rows(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct txn *txn = (struct txn *)self;

    if (!txn_may_be_used(txn))
        return NULL;
    os_txn_cache_rows(txn->handle);
    Py_RETURN_NONE;
}

static void txn_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(((struct txn *)self)->models);
    Py_XDECREF(((struct txn *)self)->module);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"lend", txn_lend, METH_VARARGS, "(thread): it uses the transaction from now on."},
    {"get", txn_get, METH_VARARGS, "([(Model, key)], create_if_missing, inconsistent) -> [Row | None]"},
    {"create", txn_create, METH_VARARGS, "(Model, fields) -> Row"},
    {"put", txn_put, METH_VARARGS, "(Model, fields, expected | None)"},
    {"update", txn_update, METH_VARARGS, "(Model, original, updated)"},
    {"delete", txn_delete, METH_O, "A Row."},
    {"delete_key", txn_delete_key, METH_VARARGS, "(Model, key)"},
    {"query", txn_query, METH_VARARGS, "(Model, index | None, inconsistent, descending, allow_lazy_filter) -> Query"},
    {"scan", txn_scan, METH_VARARGS, "(Model, index | None, inconsistent, shard_index, shard_count) -> Query"},
    {"stage", txn_stage, METH_VARARGS,
     "(Model of intents, bytes, path, or function of a size, prefix, suffix, options) -> key"},
    {"make_read_only", txn_make_read_only, METH_NOARGS, "From here on this run only reads."},
    {"cache_rows", txn_cache_rows, METH_NOARGS,
     "From here on a row that is read again is the one that was read before."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)txn_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec txn_spec = {
    .name = "oscommit._oscommit.Txn",
    .basicsize = sizeof(struct txn),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
