/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

/* What still waits for Python's answer would keep os_client_close waiting. */
static PyObject *client_close(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct client *client = (struct client *)self;
    os_client *handle = client->handle;

    client->handle = NULL;
    if (handle == NULL)
        Py_RETURN_NONE;
    for (struct operation *operation = client->in_flight; operation != NULL; operation = operation->following)
        operation_stop(operation);
    blockings_stop(&client->blockings); /* before their threads can go on */
    Py_BEGIN_ALLOW_THREADS;
    blockings_wait(&client->blockings);
    os_client_close(handle);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static PyObject *client_has_thread(PyObject *self, PyObject *Py_UNUSED(args))
{
    return PyBool_FromLong(blockings_have_thread(&((struct client *)self)->blockings));
}

static PyObject *client_in_flight(PyObject *self, PyObject *Py_UNUSED(args))
{
    size_t count = 0;

    for (struct operation *each = ((struct client *)self)->in_flight; each != NULL; each = each->following)
        count++;
    return PyLong_FromSize_t(count);
}

static void client_dealloc(PyObject *self)
{
    struct client *client = (struct client *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    /* No operation is in flight: each holds the client. */
    if (client->handle != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        os_client_close(client->handle);
        Py_END_ALLOW_THREADS;
    }
    pthread_mutex_destroy(&client->metrics.lock);
    blockings_destroy(&client->blockings);
    Py_XDECREF(client->lines);
    Py_XDECREF(client->keys);
    Py_XDECREF(client->module);
    release(self);
    Py_DECREF(type);
}

#define STORE_ "(limits, (table | None, combined, fields_spelling, max_read_batch, parallelism, keeps_all)"
#define START_ "(port | None, deadline_ms, forward_only, "
#define ASK_   "(port | None, deadline_ms, "
static PyMethodDef methods[] = {
    {"close", client_close, METH_NOARGS, "Cancels what is under way, and waits for it."},
    {"metrics", client_metrics, METH_NOARGS,
     "[(kind, operation, count, duration_s, guards, requests, {verdict or status: count})]"},
    {"in_flight", client_in_flight, METH_NOARGS, "How many operations are under way."},
    {"put", client_put, METH_VARARGS, START_ "key, mode, etag, body, options) -> Operation"},
    {"copy", client_copy, METH_VARARGS,
     START_ "source, key, renames, mode, etag, source_etag, source_version, fencing) -> Operation"},
    {"delete", client_delete, METH_VARARGS, START_ "key, etag) -> Operation"},
    {"resolve", client_resolve, METH_VARARGS,
     START_ "ticket, settles, key, same_store, abort_upload, give_up) -> Operation"},
    {"update", client_update, METH_VARARGS, START_ "key, options, max_length, always_write) -> Operation"},
    {"head", client_head, METH_VARARGS, START_ "key, version) -> Operation"},
    {"get", client_get, METH_VARARGS, START_ "key, version, file, offset, count) -> Operation"},
    {"list", client_list, METH_VARARGS, START_ "prefix, delimiter, start_after, max_keys, versions) -> Operation"},
    {"warm", client_warm, METH_VARARGS, START_ "connections) -> Operation"},
    {"table", client_table, METH_VARARGS, START_ "creates) -> Operation"},
    {"lease_acquire", client_lease_acquire, METH_VARARGS,
     ASK_ "name, ttl_s, wait, fencing, owner) -> Operation with a lease"},
    {"lease_adopt", client_lease_adopt, METH_VARARGS, ASK_ "name, handle, ttl_s, fencing) -> Operation with a lease"},
    {"lease_read", client_lease_read, METH_VARARGS, ASK_ "name) -> Operation with a lease_info"},
    {"lease_list", client_lease_list, METH_VARARGS, ASK_ ") -> Operation with entries"},
    {"lock", client_lock, METH_VARARGS,
     ASK_ "which, namespace, name, owner, instance, duration_s) -> Operation with a lock_info"},
    {"lock_list", client_lock_list, METH_VARARGS, ASK_ "namespace) -> Operation with entries"},
    {"has_thread", client_has_thread, METH_NOARGS, "Whether this thread is in a call that blocks."},
    {"transact", client_transact, METH_VARARGS,
     "(limits, function, no_retries, retries, initial_backoff_ms, max_backoff_ms, read_only, cache_rows) -> (verdict, "
     "error, runs, requests, ticket), which also is the function's attribute `outcome` then. The function gets a Txn, "
     "and returns whether to commit; else it is run again. Then its method finalize gets each Row that is written, and "
     "says the same."},
    {"txn_resolve", client_txn_resolve, METH_VARARGS, "(limits, ticket) -> (verdict, error)"},
    {"txn_gc", client_txn_gc, METH_VARARGS,
     "(limits, Model, prefix | None, older_than_s, of_any_age, remove) -> (seen, found, removed, spared, failed, "
     "[(fate, "
     "key, since_s, reason)])"},
    {"model_table", client_model_table, METH_VARARGS, "(limits, Model, creates)"},
    {"documents_read", client_documents_read, METH_VARARGS,
     STORE_ ", [(id, name)]) -> [(reported, desired)], each (version, timestamp_ns, client_token, json)"},
    {"documents_write", client_documents_write, METH_VARARGS,
     STORE_ ", [(id, name, reported, reported_version, desired, desired_version, client_token)], list), which gets "
            "(verdict, error, reported_version, desired_version, ticket) of each"},
    {"documents_delete", client_documents_delete, METH_VARARGS,
     STORE_ ", [(id, name, reported, reported_version, desired, desired_version)], list), as documents_write"},
    {"documents_list", client_documents_list, METH_VARARGS,
     STORE_ ", id | None) -> [(id, name, kind, version, timestamp_ns, client_token)]"},
    {"documents_resolve", client_documents_resolve, METH_VARARGS,
     STORE_ ", ticket) -> what documents_write gives of one"},
    {"documents_table", client_documents_table, METH_VARARGS, STORE_ ", creates)"},
    {"table_of", client_table_of, METH_VARARGS, ASK_ "locks, creates) -> Operation"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)refuse_new},
    {Py_tp_dealloc, (void *)client_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec client_spec = {
    .name = "oscommit._oscommit.Client",
    .basicsize = sizeof(struct client),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
