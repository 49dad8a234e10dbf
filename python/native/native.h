/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C files of the Python module share.
 *
 * No thread but Python's own ever runs Python code. The client's threads tell an operation that something is to be done
 * (operation_tell), and wait where they need an answer (operation_ask). The Python thread that waits for the operation, or
 * the event loop that its port belongs to, does it. So the module needs no PyGILState_Ensure: it cannot hang when the
 * interpreter ends. What the library calls on the thread of the caller (a transaction's function) takes back the GIL that
 * this thread has let go.
 *
 * Lock order: GIL, then operation.lock, then port.lock. The client's threads never take the GIL.
 */
#ifndef NATIVE_H
#define NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <oscommit_async.h>
#include <oscommit_document.h>
#include <oscommit_lease.h>
#include <oscommit_model.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

/* Of one interpreter. */
struct module_state {
    PyObject *failure; /* the exception: (code, http_status, service_code, request_id, message) */
    PyTypeObject *client;
    PyTypeObject *operation;
    PyTypeObject *port;
    PyTypeObject *lease;
    PyTypeObject *lines;
    PyTypeObject *keys;
    PyTypeObject *stop;
    PyTypeObject *model;
    PyTypeObject *txn;
    PyTypeObject *row;
    PyTypeObject *query;
};

enum { METRIC_ROWS = 64, METRIC_ENDS = 16 };

/* How something ended: a status of HTTP, or a verdict. */
struct metric_end {
    int value;
    uint64_t count;
};

struct metric_row {
    os_metric_kind kind;
    const char *operation;
    uint64_t count, duration_us, guards, requests;
    size_t end_count;
    struct metric_end ends[METRIC_ENDS];
};

struct metrics {
    pthread_mutex_t lock;
    size_t count;
    struct metric_row rows[METRIC_ROWS];
};

/* Calls of a client that block, each with its thread, until they have returned. */
struct blockings {
    os_cancel *cancel; /* ends them all when the client is closed */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct blocking *first;
};

struct client {
    PyObject_HEAD os_client *handle; /* NULL: closed */
    struct module_state *state;
    PyObject *module;       /* keeps the state */
    PyObject *lines, *keys; /* where the library's functions are; NULL: none */
    struct metrics metrics;
    struct operation *in_flight;
    struct blockings blockings;
};

/* Ends a call that blocks in another thread. */
struct stop {
    PyObject_HEAD os_cancel *cancel;
};

/* What each call that blocks is given: milliseconds [0: the library's default], or a pair of them and a Stop. */
struct limits {
    unsigned long long deadline_ms;
    struct stop *stop; /* of the arguments; NULL: none */
};

/* A call that blocks, on the stack of its thread. */
struct blocking {
    struct client *client;
    os_client *handle;    /* the client's, which a close takes away, and keeps until this has ended */
    struct stop *stop;    /* kept; NULL: none */
    PyThreadState *state; /* while the GIL is free */
    pthread_t thread;
    os_call call;
    struct blocking *next; /* of the client */
};

struct model {
    PyObject_HEAD os_model *handle;
    int finalizes; /* its rows are given to Python before the commit */
};

/* One run of a transaction's function. */
struct txn {
    PyObject_HEAD os_txn *handle; /* NULL: it has returned */
    struct module_state *state;
    PyObject *module; /* keeps the state */
    PyObject *models; /* a set that keeps those of its rows until the commit is over */
    bool finalizes;   /* one of these does */
    bool is_reading;  /* a stream that is staged: the caller's code runs within a step */
    pthread_t thread;
};

/* What an operation wants from Python. */
enum event { EVENT_NONE = 0, EVENT_READ = 1, EVENT_TRANSFORM = 2, EVENT_DONE = 3 };

/* Where operations that want something wait until an event loop takes them. */
struct port {
    PyObject_HEAD int fd; /* an eventfd that is readable while the list is not empty */
    pthread_mutex_t lock;
    struct operation *first, *last;
};

/* An object, a lease or a lock of a list. */
struct entry {
    char *key;  /* of a lock its namespace */
    char *name; /* of a lock */
    union {
        os_object object;
        os_lease_info lease;
        os_lock_info lock;
    } of;
};

/* Bytes that were read. They become one object at the end, piece by piece, so that they are never there twice. */
struct piece {
    struct piece *next;
    size_t length, capacity;
    char bytes[];
};

/* A part of a body, or new bytes: what crosses between the threads. `lock` of the operation guards it. */
struct question {
    bool asked; /* a thread of the client waits for the answer */
    bool refused;
    void *buffer; /* READ: where the next bytes go */
    size_t size;
    int64_t read;
    const os_current *current; /* TRANSFORM */
    const void *data;          /* the answer to it */
    size_t length;
};

struct operation {
    PyObject_HEAD struct client *client;
    struct port *port; /* NULL: one thread waits for it */
    PyObject *body;    /* bytes that the library reads */
    os_operation *handle;
    os_start start;
    os_call call;
    struct operation *next;                 /* in the port */
    struct operation *previous, *following; /* in flight, of the client */
    bool queued;                            /* in the port; under its lock */
    bool in_flight;                         /* holds a reference to itself; under the GIL */
    pthread_mutex_t lock;
    sem_t told, answered;
    enum event event;
    bool stopped;
    struct question question;
    struct entry *entries;
    size_t entry_count, entry_capacity;
    PyObject *(*entry_object)(const struct entry *entry);
    struct piece *first_piece, *last_piece; /* of what a get has read so far */
    size_t length;
    bool reads;
};

/* args.c: what Python gives. Strings are borrowed from it. */
bool text_of(PyObject *value, const char **ret); /* None: NULL */
bool body_of(PyObject *source, os_body *ret);    /* bytes, or a path (str), which stay its own */
bool options_of(PyObject *dict, os_options *ret);
int count_of(PyObject *object, void *ret); /* a converter for "O&", whose `ret` is an unsigned int; "I" drops bits */
PyObject *option_names(void);
struct written {
    os_put_options options;
    os_metadata *metadata, *tags;
};
bool written_of(PyObject *dict, struct written *ret); /* written_clear frees it, also after a failure */
void written_clear(struct written *written);

/* values.c: what Python gets. New references. */
PyObject *text_object(const char *text); /* NULL: None */
PyObject *error_object(const os_error *err);
PyObject *result_object(const os_result *result);
PyObject *meta_object(const os_object *object, const char *key);
PyObject *raise_failure(const struct module_state *state, const os_error *err); /* NULL */

/* operation.c */
struct operation *operation_new(struct client *client, PyObject *port, uint64_t deadline_ms, int forward_only);
/* Counts it as under way before the library knows of it, as it may complete at once. */
void operation_begin(struct operation *operation);
/* The operation, or NULL with an exception if `code` says that it was not started. Takes over the reference. */
PyObject *operation_begun(struct operation *operation, os_code code, const os_error *err);
void operation_tell(struct operation *operation, enum event event);
bool operation_ask(struct operation *operation, enum event event); /* false: give up */
void operation_stop(struct operation *operation);
void operation_landed(struct operation *operation);
bool operation_has_ended(const struct operation *operation); /* else RuntimeError */

/* blocking.c: under the GIL. Between the two, the thread lets it go by blocking_let_go. */
bool blockings_init(struct blockings *blockings); /* false, with an exception */
void blockings_destroy(struct blockings *blockings);
bool blockings_have_thread(const struct blockings *blockings); /* this one is in a call */
void blockings_wait(struct blockings *blockings); /* until none is left, without the GIL; no other begins */
void blockings_stop(struct blockings *blockings); /* all that are under way */
bool blocking_begin(struct blocking *blocking, struct client *client,
                    const struct limits *limits); /* false, with an exception */
int limits_of(PyObject *object, void *ret);       /* a converter for "O&", whose `ret` are limits */
void blocking_end(struct blocking *blocking);
void blocking_let_go(struct blocking *blocking); /* of the GIL */
void blocking_take_back(struct blocking *blocking);

/* The module's types. Of those with this `new`, only the module makes objects. */
PyObject *refuse_new(PyTypeObject *type, PyObject *args, PyObject *names);
extern PyType_Spec client_spec, operation_spec, port_spec, lease_spec, lines_spec, keys_spec, stop_spec, model_spec,
    txn_spec, row_spec, query_spec;

/* entries.c */
struct entry *entries_add(struct operation *operation, const char *key, const char *name); /* NULL: no memory */
PyObject *operation_entries(PyObject *self, PyObject *args);                               /* DONE: what was listed */
void entries_free(struct operation *operation);

/* pieces.c */
int pieces_add(void *context, const void *data, size_t length); /* an os_sink_fn; the context is the operation */
PyObject *pieces_take(struct operation *operation);             /* bytes; None of an operation that does not read */
void pieces_free(struct operation *operation);

/* metrics.c, lines.c, keys.c: functions that the library calls on its threads */
void metrics_add(void *context, const os_metric *metric); /* the context is the metrics of a client */
PyObject *client_metrics(PyObject *self, PyObject *args);
void lines_add(void *context, os_log_level level, const char *text); /* the context is the object */
int keys_take(void *context, os_credentials *ret);
void *keys_taker(PyObject *self, bool of_ledger); /* the context of keys_take */

/* port.c */
void port_push(struct port *port, struct operation *operation, enum event event);

/* start_write.c, start_read.c: methods of the client that start operations */
PyObject *client_put(PyObject *self, PyObject *args);
PyObject *client_copy(PyObject *self, PyObject *args);
PyObject *client_delete(PyObject *self, PyObject *args);
PyObject *client_resolve(PyObject *self, PyObject *args);
PyObject *client_update(PyObject *self, PyObject *args);
PyObject *client_get(PyObject *self, PyObject *args);
PyObject *client_head(PyObject *self, PyObject *args);
PyObject *client_list(PyObject *self, PyObject *args);
PyObject *client_warm(PyObject *self, PyObject *args);
PyObject *client_table(PyObject *self, PyObject *args);

/* lease.c, lock.c: the same for leases and locks */
PyObject *client_lease_acquire(PyObject *self, PyObject *args);
PyObject *client_lease_adopt(PyObject *self, PyObject *args);
PyObject *client_lease_read(PyObject *self, PyObject *args);
PyObject *client_lease_list(PyObject *self, PyObject *args);
PyObject *operation_lease(PyObject *self, PyObject *args);
PyObject *operation_lease_info(PyObject *self, PyObject *args);
PyObject *client_lock(PyObject *self, PyObject *args);
PyObject *client_lock_list(PyObject *self, PyObject *args);
PyObject *operation_lock_info(PyObject *self, PyObject *args);
PyObject *client_table_of(PyObject *self, PyObject *args);

/* transact.c, txn.c, row.c, query.c, stage.c: transactions over typed rows */
PyObject *client_transact(PyObject *self, PyObject *args);
PyObject *client_txn_resolve(PyObject *self, PyObject *args);
struct txn *txn_new(struct client *client, os_txn *handle, PyObject *models);
void txn_revive(struct txn *txn, os_txn *handle);                          /* for this thread */
bool txn_may_be_used(const struct txn *txn);                               /* else an exception */
const os_model *txn_take_model(struct txn *txn, PyObject *model);          /* keeps it; NULL, with an exception */
PyObject *rows_object(struct txn *txn, os_row *const *rows, size_t count); /* a list */
PyObject *row_new(struct txn *txn, os_row *handle);                        /* NULL: None */
os_row *row_handle(PyObject *self, struct txn *txn);                       /* NULL, with an exception */
PyObject *model_new(struct module_state *state, const char *schema, const char *table, int finalizes);
const os_model *model_of(PyObject *self, const struct module_state *state); /* NULL, with an exception */
PyObject *stage_model_new(struct module_state *state, const char *table);
PyObject *table_resource(const struct module_state *state, PyObject *model); /* JSON */
PyObject *client_model_table(PyObject *self, PyObject *args);
PyObject *txn_query(PyObject *self, PyObject *args);
PyObject *txn_scan(PyObject *self, PyObject *args);
PyObject *txn_stage(PyObject *self, PyObject *args);
PyObject *client_txn_gc(PyObject *self, PyObject *args);

/* document.c */
PyObject *client_documents_read(PyObject *self, PyObject *args);
PyObject *client_documents_write(PyObject *self, PyObject *args);
PyObject *client_documents_delete(PyObject *self, PyObject *args);
PyObject *client_documents_list(PyObject *self, PyObject *args);
PyObject *client_documents_resolve(PyObject *self, PyObject *args);
PyObject *client_documents_table(PyObject *self, PyObject *args);

#endif
