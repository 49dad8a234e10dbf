/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module oscommit._oscommit. Everything in it is of one interpreter; it has no global state. */
#include "native.h"

static struct module_state *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* An object without what it stands for would be one that every method falls over. */
PyObject *refuse_new(PyTypeObject *Py_UNUSED(type), PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    PyErr_SetString(PyExc_TypeError, "Only a store makes such objects.");
    return NULL;
}

static PyObject *client_object(PyObject *module, os_client *handle)
{
    struct module_state *state = state_of(module);
    allocfunc alloc = (allocfunc)PyType_GetSlot(state->client, Py_tp_alloc);
    struct client *client = (struct client *)alloc(state->client, 0);

    if (client == NULL) {
        os_client_close(handle);
        return NULL;
    }
    client->handle = handle;
    client->state = state;
    client->module = module;
    Py_INCREF(module);
    return (PyObject *)client;
}

/* The strings of `options` are those of the dict, which the caller keeps. */
static PyObject *module_open(PyObject *module, PyObject *args)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *handle = NULL;
    PyObject *dict;
    int environment;
    os_error err;
    os_code code;

    if (!PyArg_ParseTuple(args, "O!p:open", &PyDict_Type, &dict, &environment) || !options_of(dict, &options))
        return NULL;
    if (environment && os_options_from_environment(&options, &err) != OS_OK)
        return raise_failure(state_of(module), &err);
    Py_BEGIN_ALLOW_THREADS;
    code = os_client_open(&options, &handle, &err);
    Py_END_ALLOW_THREADS;
    return code == OS_OK ? client_object(module, handle) : raise_failure(state_of(module), &err);
}

static PyObject *module_init_store(PyObject *module, PyObject *args)
{
    const char *root;
    os_error err;
    os_code code;

    if (!PyArg_ParseTuple(args, "s:init", &root))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    code = os_init(root, &err);
    Py_END_ALLOW_THREADS;
    if (code != OS_OK)
        return raise_failure(state_of(module), &err);
    Py_RETURN_NONE;
}

static bool add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **ret)
{
    *ret = (PyTypeObject *)PyType_FromSpec(spec);
    if (*ret == NULL)
        return false;
    Py_INCREF(*ret);
    if (PyModule_AddObject(module, name, (PyObject *)*ret) == 0)
        return true;
    Py_DECREF(*ret);
    return false;
}

static int exec_module(PyObject *module)
{
    struct module_state *state = state_of(module);

    state->failure = PyErr_NewException("oscommit._oscommit.Failure", NULL, NULL);
    if (state->failure == NULL)
        return -1;
    Py_INCREF(state->failure);
    if (PyModule_AddObject(module, "Failure", state->failure) != 0)
        return Py_DECREF(state->failure), -1;
    if (!add_type(module, &client_spec, "Client", &state->client) ||
        !add_type(module, &operation_spec, "Operation", &state->operation) ||
        !add_type(module, &port_spec, "Port", &state->port) || !add_type(module, &lease_spec, "Lease", &state->lease))
        return -1;
    PyObject *names = option_names();
    if (names == NULL)
        return -1;
    if (PyModule_AddObject(module, "OPTIONS", names) != 0)
        return Py_DECREF(names), -1;
    return PyModule_AddStringConstant(module, "VERSION", os_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    struct module_state *state = state_of(module);

    Py_VISIT(state->failure);
    Py_VISIT(state->client);
    Py_VISIT(state->operation);
    Py_VISIT(state->port);
    Py_VISIT(state->lease);
    return 0;
}

static int clear(PyObject *module)
{
    struct module_state *state = state_of(module);

    Py_CLEAR(state->failure);
    Py_CLEAR(state->client);
    Py_CLEAR(state->operation);
    Py_CLEAR(state->port);
    Py_CLEAR(state->lease);
    return 0;
}

static void release(void *module)
{
    (void)clear(module);
}

static PyMethodDef functions[] = {
    {"open", module_open, METH_VARARGS, "(options, environment) -> Client"},
    {"init", module_init_store, METH_VARARGS, "(root): makes an embedded store."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)exec_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "oscommit._oscommit",
    .m_size = sizeof(struct module_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

PyMODINIT_FUNC PyInit__oscommit(void);
PyMODINIT_FUNC PyInit__oscommit(void)
{
    return PyModuleDef_Init(&definition);
}
