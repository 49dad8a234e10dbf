/* SPDX-License-Identifier: Apache-2.0 */
/* Versioned documents: calls that block. */
#include "native.h"

/* --------------------------------------------------------------------------------------------- what Python gives */

static bool store_of(PyObject *tuple, os_document_store *ret)
{
    int combined, fields;

    *ret = (os_document_store)OS_DOCUMENT_STORE_INIT;
    if (!PyArg_ParseTuple(tuple, "zppO&O&pp:store", &ret->table, &combined, &fields, count_of, &ret->max_read_batch,
                          count_of, &ret->parallelism, &ret->keeps_all, &ret->together))
        return false;
    ret->models = combined ? OS_DOCUMENT_COMBINED : OS_DOCUMENT_SEPARATE;
    ret->spelling = fields ? OS_DOCUMENT_FIELDS : OS_DOCUMENT_TAGS;
    return true;
}

static bool key_of(PyObject *tuple, void *ret)
{
    os_document_key *key = ret;
    *key = (os_document_key)OS_DOCUMENT_KEY_INIT;
    return PyArg_ParseTuple(tuple, "ss:key", &key->id, &key->name);
}

static bool write_of(PyObject *tuple, void *ret)
{
    os_document_write *write = ret;
    long long reported, desired;

    *write = (os_document_write)OS_DOCUMENT_WRITE_INIT;
    if (!PyArg_ParseTuple(tuple, "sszLzLz:write", &write->id, &write->name, &write->reported, &reported,
                          &write->desired, &desired, &write->client_token))
        return false;
    write->reported_version = reported;
    write->desired_version = desired;
    return true;
}

static bool deletion_of(PyObject *tuple, void *ret)
{
    os_document_deletion *deletion = ret;
    long long reported, desired;

    *deletion = (os_document_deletion)OS_DOCUMENT_DELETION_INIT;
    if (!PyArg_ParseTuple(tuple, "sspLpL:deletion", &deletion->id, &deletion->name, &deletion->reported, &reported,
                          &deletion->desired, &desired))
        return false;
    deletion->reported_version = reported;
    deletion->desired_version = desired;
    return true;
}

/* An array of what the tuples of a list say, for PyMem_Free. Strings are those of the list. NULL, with an exception. */
static void *array_of(PyObject *list, size_t size, bool (*take)(PyObject *tuple, void *ret))
{
    Py_ssize_t count = PyList_Size(list);
    char *array = PyMem_Calloc((size_t)count + 1, size);

    if (array == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        if (!take(PyList_GetItem(list, i), array + (size_t)i * size)) {
            PyMem_Free(array);
            return NULL;
        }
    return array;
}

/* What all calls have: deadline, store, and one object of their own. */
struct asked {
    struct blocking blocking;
    os_document_store store;
    PyObject *of;
    PyObject *into; /* of changes: a list that gets the results, which outlive a signal that comes meanwhile */
};

static bool begin(PyObject *self, PyObject *args, struct asked *ret)
{
    struct limits limits;
    PyObject *store;

    ret->into = NULL;
    return PyArg_ParseTuple(args, "O&O!O|O!:documents", limits_of, &limits, &PyTuple_Type, &store, &ret->of,
                            &PyList_Type, &ret->into) &&
           store_of(store, &ret->store) && blocking_begin(&ret->blocking, (struct client *)self, &limits);
}

static bool begin_with_list(PyObject *self, PyObject *args, bool changes, struct asked *ret)
{
    if (!begin(self, args, ret))
        return false;
    if (PyList_Check(ret->of) && changes == (ret->into != NULL))
        return true;
    blocking_end(&ret->blocking);
    PyErr_SetString(PyExc_TypeError, "A list is needed, and of a change one for its results.");
    return false;
}

static PyObject *raise_of(const struct asked *asked, const os_error *err)
{
    return raise_failure(asked->blocking.client->state, err);
}

/* ---------------------------------------------------------------------------------------------------- reads */

static PyObject *model_object(const os_document_model *model)
{
    return Py_BuildValue("(LLNN)", (long long)model->version, (long long)model->timestamp_ns,
                         text_object(model->client_token), text_object(model->json));
}

static PyObject *documents_object(const os_documents *documents)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < documents->count; i++) {
        const os_document *document = &documents->list[i];
        PyObject *pair = Py_BuildValue("(NN)", model_object(&document->reported), model_object(&document->desired));
        if (pair == NULL || PyList_Append(list, pair) != 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *read_documents(struct asked *asked, const os_document_key *keys)
{
    size_t count = (size_t)PyList_Size(asked->of);
    os_documents documents;
    os_error err;

    blocking_let_go(&asked->blocking);
    os_code code =
        os_documents_read(asked->blocking.handle, &asked->store, keys, count, &asked->blocking.call, &documents, &err);
    blocking_take_back(&asked->blocking);
    PyObject *made = code == OS_OK ? documents_object(&documents) : raise_of(asked, &err);
    os_documents_free(&documents);
    return made;
}

PyObject *client_documents_read(PyObject *self, PyObject *args)
{
    struct asked asked;
    PyObject *made = NULL;

    if (!begin_with_list(self, args, false, &asked))
        return NULL;
    os_document_key *keys = array_of(asked.of, sizeof(*keys), key_of);
    if (keys != NULL)
        made = read_documents(&asked, keys);
    PyMem_Free(keys);
    blocking_end(&asked.blocking);
    return made;
}

/* ------------------------------------------------------------------------------------------- writes and deletes */

static PyObject *result_of(const os_document_result *result)
{
    return Py_BuildValue(
        "(iNLLN)", (int)result->verdict, result->error.code == OS_OK ? text_object(NULL) : error_object(&result->error),
        (long long)result->reported_version, (long long)result->desired_version, text_object(result->ticket));
}

static PyObject *append_results(PyObject *list, const os_document_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *result = result_of(&results[i]);
        bool appended = result != NULL && PyList_Append(list, result) == 0;
        Py_XDECREF(result);
        if (!appended)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *change_documents(struct asked *asked, const void *array, bool deletes)
{
    size_t count = (size_t)PyList_Size(asked->of);
    const os_call *call = &asked->blocking.call;
    os_document_result *results = PyMem_Calloc(count + 1, sizeof(*results));

    if (results == NULL)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++)
        results[i].size = sizeof(*results);
    blocking_let_go(&asked->blocking);
    if (deletes)
        (void)os_documents_delete(asked->blocking.handle, &asked->store, array, count, call, results, NULL);
    else
        (void)os_documents_write(asked->blocking.handle, &asked->store, array, count, call, results, NULL);
    blocking_take_back(&asked->blocking);
    PyObject *made = append_results(asked->into, results, count);
    for (size_t i = 0; i < count; i++)
        os_free(results[i].ticket);
    PyMem_Free(results);
    return made;
}

PyObject *client_documents_write(PyObject *self, PyObject *args)
{
    struct asked asked;
    PyObject *made = NULL;

    if (!begin_with_list(self, args, true, &asked))
        return NULL;
    os_document_write *writes = array_of(asked.of, sizeof(*writes), write_of);
    if (writes != NULL)
        made = change_documents(&asked, writes, false);
    PyMem_Free(writes);
    blocking_end(&asked.blocking);
    return made;
}

PyObject *client_documents_delete(PyObject *self, PyObject *args)
{
    struct asked asked;
    PyObject *made = NULL;

    if (!begin_with_list(self, args, true, &asked))
        return NULL;
    os_document_deletion *deletions = array_of(asked.of, sizeof(*deletions), deletion_of);
    if (deletions != NULL)
        made = change_documents(&asked, deletions, true);
    PyMem_Free(deletions);
    blocking_end(&asked.blocking);
    return made;
}

PyObject *client_documents_resolve(PyObject *self, PyObject *args)
{
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    struct asked asked;
    const char *ticket;

    if (!begin(self, args, &asked))
        return NULL;
    if (!text_of(asked.of, &ticket)) {
        blocking_end(&asked.blocking);
        return NULL;
    }
    blocking_let_go(&asked.blocking);
    (void)os_document_resolve(asked.blocking.handle, &asked.store, ticket, &asked.blocking.call, &result, NULL);
    blocking_take_back(&asked.blocking);
    blocking_end(&asked.blocking);
    PyObject *made = result_of(&result);
    os_free(result.ticket);
    return made;
}

/* ------------------------------------------------------------------------------------------ lists and tables */

struct listing {
    struct blocking *blocking;
    PyObject *list;
};

static int on_entry(void *context, const os_document_entry *entry)
{
    struct listing *listing = context;

    blocking_take_back(listing->blocking);
    PyObject *made =
        Py_BuildValue("(NNiLLN)", text_object(entry->id), text_object(entry->name), (int)entry->kind,
                      (long long)entry->version, (long long)entry->timestamp_ns, text_object(entry->client_token));
    int failed = made == NULL || PyList_Append(listing->list, made) != 0 || PyErr_CheckSignals() != 0;
    Py_XDECREF(made);
    blocking_let_go(listing->blocking);
    return failed;
}

PyObject *client_documents_list(PyObject *self, PyObject *args)
{
    struct asked asked;
    const char *id;
    os_error err;

    if (!begin(self, args, &asked))
        return NULL;
    struct listing listing = {.blocking = &asked.blocking, .list = text_of(asked.of, &id) ? PyList_New(0) : NULL};
    if (listing.list != NULL) {
        blocking_let_go(&asked.blocking);
        os_code code =
            os_documents_list(asked.blocking.handle, &asked.store, id, &asked.blocking.call, on_entry, &listing, &err);
        blocking_take_back(&asked.blocking);
        if (code != OS_OK && PyErr_Occurred() == NULL)
            raise_of(&asked, &err);
        if (code != OS_OK)
            Py_CLEAR(listing.list);
    }
    blocking_end(&asked.blocking);
    return listing.list;
}

PyObject *client_documents_table(PyObject *self, PyObject *args)
{
    struct asked asked;
    os_error err;

    if (!begin(self, args, &asked))
        return NULL;
    bool creates = PyObject_IsTrue(asked.of) == 1;
    blocking_let_go(&asked.blocking);
    os_code code = (creates ? os_documents_table_create : os_documents_table_check)(asked.blocking.handle, &asked.store,
                                                                                    &asked.blocking.call, &err);
    blocking_take_back(&asked.blocking);
    blocking_end(&asked.blocking);
    if (code != OS_OK)
        return raise_of(&asked, &err);
    Py_RETURN_NONE;
}
