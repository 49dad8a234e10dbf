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

static struct client *client_new(PyObject *module)
{
    struct module_state *state = state_of(module);
    allocfunc alloc = (allocfunc)PyType_GetSlot(state->client, Py_tp_alloc);
    struct client *client = (struct client *)alloc(state->client, 0);

    if (client == NULL)
        return NULL;
    pthread_mutex_init(&client->metrics.lock, NULL);
    client->state = state;
    client->module = module;
    Py_INCREF(module);
    if (blockings_init(&client->blockings))
        return client;
    Py_DECREF(client);
    return NULL;
}

/* Takes a reference where there is an object of the type; false, with an exception, where there is another. */
static bool keep(PyObject *object, PyTypeObject *type, PyObject **ret)
{
    if (object == Py_None)
        return true;
    if (Py_TYPE(object) != type) {
        PyErr_SetString(PyExc_TypeError, "An object of another type is needed.");
        return false;
    }
    Py_INCREF(object);
    *ret = object;
    return true;
}

/* Keys of a function are also those of the ledger, unless that has others. */
static void set_functions(struct client *client, int log_level, os_options *options)
{
    bool ledger_has_keys = options->dynamodb_access_key_id != NULL || options->dynamodb_profile != NULL;

    options->metric = metrics_add;
    options->metric_context = &client->metrics;
    if (client->lines != NULL) {
        options->log = lines_add;
        options->log_context = client->lines;
        options->log_level = (os_log_level)log_level;
    }
    if (client->keys == NULL)
        return;
    options->credentials = keys_take;
    options->credentials_context = keys_taker(client->keys, false);
    if (ledger_has_keys)
        return;
    options->dynamodb_credentials = keys_take;
    options->dynamodb_credentials_context = keys_taker(client->keys, true);
}

static PyObject *client_open(struct client *client, const os_options *options)
{
    os_error err;
    os_code code;

    Py_BEGIN_ALLOW_THREADS;
    code = os_client_open(options, &client->handle, &err);
    Py_END_ALLOW_THREADS;
    if (code == OS_OK)
        return (PyObject *)client;
    raise_failure(client->state, &err);
    Py_DECREF(client);
    return NULL;
}

/* The strings of `options` are those of the dict, which the caller keeps. */
static PyObject *module_open(PyObject *module, PyObject *args)
{
    struct module_state *state = state_of(module);
    os_options options = OS_OPTIONS_INIT;
    PyObject *dict, *lines, *keys;
    int environment, log_level;
    os_error err;

    if (!PyArg_ParseTuple(args, "O!pOiO:open", &PyDict_Type, &dict, &environment, &lines, &log_level, &keys) ||
        !options_of(dict, &options))
        return NULL;
    if (environment && os_options_from_environment(&options, &err) != OS_OK)
        return raise_failure(state, &err);
    struct client *client = client_new(module);
    if (client == NULL)
        return NULL;
    if (!keep(lines, state->lines, &client->lines) || !keep(keys, state->keys, &client->keys)) {
        Py_DECREF(client);
        return NULL;
    }
    set_functions(client, log_level, &options);
    return client_open(client, &options);
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

static PyObject *module_model(PyObject *module, PyObject *args)
{
    const char *schema, *table;
    int finalizes;

    if (!PyArg_ParseTuple(args, "szp:model", &schema, &table, &finalizes))
        return NULL;
    return model_new(state_of(module), schema, table, finalizes);
}

static PyObject *module_stage_model(PyObject *module, PyObject *args)
{
    const char *table;

    return PyArg_ParseTuple(args, "s:stage_model", &table) ? stage_model_new(state_of(module), table) : NULL;
}

static PyObject *module_table_resource(PyObject *module, PyObject *model)
{
    return table_resource(state_of(module), model);
}

static const struct {
    PyType_Spec *spec;
    const char *name;
    size_t offset;
} types[] = {
    {&client_spec, "Client", offsetof(struct module_state, client)},
    {&operation_spec, "Operation", offsetof(struct module_state, operation)},
    {&port_spec, "Port", offsetof(struct module_state, port)},
    {&lease_spec, "Lease", offsetof(struct module_state, lease)},
    {&lines_spec, "Lines", offsetof(struct module_state, lines)},
    {&keys_spec, "Keys", offsetof(struct module_state, keys)},
    {&stop_spec, "Stop", offsetof(struct module_state, stop)},
    {&model_spec, "Model", offsetof(struct module_state, model)},
    {&txn_spec, "Txn", offsetof(struct module_state, txn)},
    {&row_spec, "Row", offsetof(struct module_state, row)},
    {&query_spec, "Query", offsetof(struct module_state, query)},
};
enum { TYPE_COUNT = sizeof(types) / sizeof(types[0]) };

static PyTypeObject **type_of(struct module_state *state, size_t number)
{
    return (PyTypeObject **)((char *)state + types[number].offset);
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
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (!add_type(module, types[i].spec, types[i].name, type_of(state, i)))
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
    for (size_t i = 0; i < TYPE_COUNT; i++)
        Py_VISIT(*type_of(state, i));
    return 0;
}

static int clear(PyObject *module)
{
    struct module_state *state = state_of(module);

    Py_CLEAR(state->failure);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        Py_CLEAR(*type_of(state, i));
    return 0;
}

static void release(void *module)
{
    (void)clear(module);
}

static PyMethodDef functions[] = {
    {"open", module_open, METH_VARARGS, "(options, environment, Lines | None, log_level, Keys | None) -> Client"},
    {"model", module_model, METH_VARARGS, "(schema, table | None, finalizes) -> Model"},
    {"stage_model", module_stage_model, METH_VARARGS, "(table) -> Model"},
    {"table_resource", module_table_resource, METH_O, "The table of a Model for a template of CloudFormation: JSON."},
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
