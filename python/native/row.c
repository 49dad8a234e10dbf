/* SPDX-License-Identifier: Apache-2.0 */
/* Models, and the rows of a transaction. */
#include "native.h"

/* ------------------------------------------------------------------------------------------------------ models */

static struct model *model_alloc(const struct module_state *state)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(state->model, Py_tp_alloc);

    return (struct model *)alloc(state->model, 0);
}

static PyObject *model_made(const struct module_state *state, struct model *model, os_code code, const os_error *err)
{
    if (code == OS_OK)
        return (PyObject *)model;
    Py_DECREF((PyObject *)model);
    return raise_failure(state, err);
}

PyObject *model_new(struct module_state *state, const char *schema, const char *table, int finalizes)
{
    struct model *model = model_alloc(state);
    os_error err;

    if (model == NULL)
        return NULL;
    model->finalizes = finalizes;
    return model_made(state, model, os_model_parse(schema, table, &model->handle, &err), &err);
}

PyObject *stage_model_new(struct module_state *state, const char *table)
{
    struct model *model = model_alloc(state);
    os_error err;

    return model == NULL ? NULL : model_made(state, model, os_stage_model(table, &model->handle, &err), &err);
}

const os_model *model_of(PyObject *self, const struct module_state *state)
{
    if (Py_TYPE(self) == state->model)
        return ((struct model *)self)->handle;
    PyErr_SetString(PyExc_TypeError, "A model is needed.");
    return NULL;
}

PyObject *table_resource(const struct module_state *state, PyObject *model)
{
    const os_model *handle = model_of(model, state);
    char *text = NULL;
    os_error err;

    if (handle == NULL)
        return NULL;
    if (os_model_table_resource(handle, &text, &err) != OS_OK)
        return raise_failure(state, &err);
    PyObject *made = text_object(text);
    os_free(text);
    return made;
}

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    os_model_free(((struct model *)self)->handle);
    release(self);
    Py_DECREF(type);
}

static PyType_Slot model_slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)model_dealloc},
    {0, NULL},
};
PyType_Spec model_spec = {
    .name = "oscommit._oscommit.Model",
    .basicsize = sizeof(struct model),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = model_slots,
};

/* -------------------------------------------------------------------------------------------------------- rows */

struct row {
    PyObject_HEAD os_row *handle; /* the transaction's */
    struct txn *txn;              /* kept */
};

PyObject *row_new(struct txn *txn, os_row *handle)
{
    PyTypeObject *type = txn->state->row;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);

    if (handle == NULL)
        Py_RETURN_NONE;
    struct row *row = (struct row *)alloc(type, 0);
    if (row == NULL)
        return NULL;
    row->handle = handle;
    row->txn = txn;
    Py_INCREF(txn);
    return (PyObject *)row;
}

os_row *row_handle(PyObject *self, struct txn *txn)
{
    struct row *row = (struct row *)self;

    if (Py_TYPE(self) == txn->state->row && row->txn == txn)
        return row->handle;
    PyErr_SetString(PyExc_TypeError, "A row of this transaction is needed.");
    return NULL;
}

static PyObject *said(const struct row *row, os_code code, const os_error *err)
{
    if (code != OS_OK)
        return raise_failure(row->txn->state, err);
    Py_RETURN_NONE;
}

static PyObject *row_get(PyObject *self, PyObject *args)
{
    struct row *row = (struct row *)self;
    const char *field, *json = NULL;
    os_error err;

    if (!PyArg_ParseTuple(args, "s:get", &field) || !txn_may_be_used(row->txn))
        return NULL;
    if (os_row_get(row->handle, field, &json, &err) != OS_OK)
        return raise_failure(row->txn->state, &err);
    return text_object(json);
}

static PyObject *row_set(PyObject *self, PyObject *args)
{
    struct row *row = (struct row *)self;
    const char *field, *json;
    os_error err;

    if (!PyArg_ParseTuple(args, "sz:set", &field, &json) || !txn_may_be_used(row->txn))
        return NULL;
    return said(row, os_row_set(row->handle, field, json, &err), &err);
}

static PyObject *row_add(PyObject *self, PyObject *args)
{
    struct row *row = (struct row *)self;
    const char *field;
    long long value;
    os_error err;

    if (!PyArg_ParseTuple(args, "sL:add", &field, &value) || !txn_may_be_used(row->txn))
        return NULL;
    return said(row, os_row_increment(row->handle, field, value, &err), &err);
}

static PyObject *row_add_double(PyObject *self, PyObject *args)
{
    struct row *row = (struct row *)self;
    const char *field;
    double value;
    os_error err;

    if (!PyArg_ParseTuple(args, "sd:add_double", &field, &value) || !txn_may_be_used(row->txn))
        return NULL;
    return said(row, os_row_increment_double(row->handle, field, value, &err), &err);
}

static PyObject *row_is_new(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct row *row = (struct row *)self;
    return txn_may_be_used(row->txn) ? PyBool_FromLong(os_row_is_new(row->handle)) : NULL;
}

/* It is one of the set, which keeps the models of all rows. */
static PyObject *row_model(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct row *row = (struct row *)self;
    PyObject *models = txn_may_be_used(row->txn) ? PyObject_GetIter(row->txn->models) : NULL;
    PyObject *model = NULL;

    if (models == NULL)
        return NULL;
    while ((model = PyIter_Next(models)) != NULL && ((struct model *)model)->handle != os_row_model(row->handle))
        Py_DECREF(model);
    Py_DECREF(models);
    if (model == NULL && PyErr_Occurred() == NULL)
        PyErr_SetString(PyExc_SystemError, "The model of a row is none of its transaction's.");
    return model;
}

static void row_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(((struct row *)self)->txn);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef row_methods[] = {
    {"get", row_get, METH_VARARGS, "(field) -> JSON | None"},
    {"set", row_set, METH_VARARGS, "(field, JSON | None)"},
    {"add", row_add, METH_VARARGS, "(field, int)"},
    {"add_double", row_add_double, METH_VARARGS, "(field, float)"},
    {"is_new", row_is_new, METH_NOARGS, "Whether it is not in the table yet."},
    {"model", row_model, METH_NOARGS, "Its Model."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot row_slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)row_dealloc},
    {Py_tp_methods, row_methods},
    {0, NULL},
};
PyType_Spec row_spec = {
    .name = "oscommit._oscommit.Row",
    .basicsize = sizeof(struct row),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = row_slots,
};
