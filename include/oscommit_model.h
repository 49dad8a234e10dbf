/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed rows, and transactions over them: all that a function reads and writes happens at one instant, or nothing does.
 *
 * Where. Rows are items of tables: of DynamoDB, or of a SQLite file, as ledger_url of the client says (dynamodb://ANY or
 *   sqlite:///FILE). Each model names its table. The items are those of the JavaScript package @pocketgems/dynamodb, so that
 *   both can share a table (docs/models.md). A client that does nothing else needs no store_url.
 *
 * A transaction is a function. It reads rows, changes them, and returns. Then all its writes are sent as one request, on
 *   the condition that every field that it has read is still the same. If another was faster, the function runs again, with
 *   fresh rows, after a random pause. So it must do nothing that cannot be done twice, but through its transaction.
 *
 * What is promised. os_transact ends in a verdict:
 *     OS_COMMITTED     all writes of the last run are applied, once; no run before it was
 *     OS_CONFLICT      others were faster in every run, or a row that was to be created is there: nothing was applied
 *     OS_NOT_EXECUTED  nothing was applied, for another reason, or because the function said so
 *     OS_UNKNOWN       the last run may have been applied, or may be yet: os_txn_resolve tells from the ticket
 *   Transactions of this library are serializable in the order in which they seem to happen, also with unknown ones.
 *
 * What is not. Who writes to the table without these conditions is not held back. The JavaScript package keeps none of the
 *   two attributes _txn and _txn_before, by which a row tells who wrote it: in a fleet with it, an answer that is lost may
 *   have to stay unknown.
 *
 * Threads. A transaction is used by one thread at a time: the one that runs its function.
 */
#ifndef OSCOMMIT_MODEL_H
#define OSCOMMIT_MODEL_H

#include "oscommit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- models */

/* What the rows of a table are like. Never changes; may be used by any number of threads and clients. */
typedef struct os_model os_model;

/* Reads a model from a JSON Schema of an object (docs/models.md, "A model"), with the members KEY, SORT_KEY, INDEXES and
 * EXPIRE_EPOCH_FIELD beside it. `table` is the name of its table; NULL: the schema's title. Several models may have one
 * table. *ret is the caller's, for os_model_free; NULL on failure.
 *   OS_ERR_ARGUMENT  it is no model: the message says where and why
 *   OS_ERR_NO_MEMORY */
OS_API os_code os_model_parse(const char *schema, const char *table, os_model **ret, os_error *err);
OS_API void os_model_free(os_model *model); /* no transaction that uses it is under way. NULL is fine */

/* Creates the table of a model (on-demand billing; its keys, its indexes, and the attribute by which its rows expire), and
 * waits until it can be used; for sqlite the file, too. OS_OK also if a fit one exists. A table of several models that differ
 * in these has to be made with other means. Blocks.
 *   OS_ERR_TABLE  there is another one: the message says in what it differs */
OS_API os_code os_model_table_create(os_client *client, const os_model *model, const os_call *call, os_error *err);

/* Checks that it is as os_model_table_create makes it. OS_OK, OS_ERR_NO_TABLE, OS_ERR_TABLE ... Blocks. */
OS_API os_code os_model_table_check(os_client *client, const os_model *model, const os_call *call, os_error *err);

/* ---------------------------------------------------------------------------------------------------- transactions */

/* One run of a transaction's function, until that returns. */
typedef struct os_txn os_txn;

/* The function. Returns OS_OK to commit. OS_ERR_CONFLICT: run it again, as if another had been faster. Any other code, for
 * which it fills *err, ends the transaction: nothing is applied. What a function below has returned may be passed on. Of what
 * was refused with OS_ERR_ARGUMENT nothing is left, and the function may go on; after any other failure of a read or a write
 * the transaction does not commit, even if the function returns OS_OK. */
typedef os_code (*os_txn_fn)(void *context, os_txn *txn, os_error *err);

/* A row within its transaction (below). */
typedef struct os_row os_row;

/* Called before the commit with each row of which all fields are known, and that is made or changed: it may set fields, as
 * the function may. What it returns counts as if the function did. Rows that it makes are given to it, too. */
typedef os_code (*os_txn_row_fn)(void *context, os_txn *txn, os_row *row, os_error *err);

/* Brackets name the defaults. */
typedef struct os_txn_options {
    size_t size;
    int no_retries;              /* [0] non-zero: one run, whatever `retries` says */
    uint32_t retries;            /* [3] runs after the first, where another was faster */
    uint32_t initial_backoff_ms; /* [500] before the second run; doubles, and is random by a fifth */
    uint32_t max_backoff_ms;     /* [10,000] */
    int read_only;               /* [0] non-zero: a write is refused */
    int cache_rows; /* [0] non-zero: a row that is read again is the one that was read before. 0: that is refused */
    os_txn_row_fn finalize; /* [NULL] */
    void *finalize_context;
} os_txn_options;
#define OS_TXN_OPTIONS_INIT OS_SIZED_(os_txn_options)

/* What came of it. */
typedef struct os_txn_result {
    size_t size;
    os_verdict verdict;
    uint32_t runs;     /* of the function */
    uint32_t requests; /* that were sent to commit, of all runs */
    char *ticket;      /* UNKNOWN: for os_txn_resolve; one line of JSON, no secrets. Else NULL */
} os_txn_result;
#define OS_TXN_RESULT_INIT OS_SIZED_(os_txn_result)
OS_API void os_txn_result_clear(os_txn_result *result); /* frees the ticket */

/* Runs a transaction. `options`, `call` and `ret` may be NULL. The deadline is that of all runs together. Blocks.
 *   CONFLICT      OS_ERR_CONFLICT: too often in contention; OS_ERR_BUSY: a row that was to be created, and was not read, is
 *                 there
 *   NOT_EXECUTED  what the function returned; OS_ERR_ARGUMENT, OS_ERR_DENIED, OS_ERR_NO_TABLE, OS_ERR_DEADLINE ...
 *   UNKNOWN       OS_ERR_UNDECIDED, OS_ERR_DEADLINE ... */
OS_API os_verdict os_transact(os_client *client, const os_txn_options *options, os_txn_fn function, void *context,
                              const os_call *call, os_txn_result *ret, os_error *err);

/* What came of an UNKNOWN, by its ticket (docs/transactions.md, X10). It reads the rows that were written, and ends what may
 * be applied yet: then the transaction was never executed. Needs the settings of the client that wrote the ticket, but for
 * those of the store. Blocks. A ticket is believed in nothing but where to look: docs/transactions.md has what a false one can
 * do.
 *   COMMITTED     it was applied, once
 *   NOT_EXECUTED  OS_ERR_CONFLICT: it was not applied, and never will be
 *   UNKNOWN       OS_ERR_UNDECIDED: others have hidden it, or may be yet: keep the ticket, and ask again; OS_ERR_ARGUMENT: this
 *                 is no ticket, or one of another place; OS_ERR_DEADLINE, OS_ERR_DENIED ... */
OS_API os_verdict os_txn_resolve(os_client *client, const char *ticket, const os_call *call, os_error *err);

/* ------------------------------------------------------------------------------------------------------------ rows */

/* A row is its transaction's, which frees it when the function has returned. Its fields are read and set; what was changed
 * is written at the end. */

/* How rows are read. */
typedef struct os_get_options {
    size_t size;
    int create_if_missing; /* the key has the other fields of a new row beside its parts; os_row_is_new tells */
    int inconsistent;      /* may be older than the last write, and several rows of different instants */
} os_get_options;
#define OS_GET_OPTIONS_INIT OS_SIZED_(os_get_options)

/* Reads one row. `key` is a JSON object of the parts of the key. *ret is NULL where there is none: that, too, must still be
 * so at the commit. One request. Blocks.
 *   OS_ERR_ARGUMENT  also a row that this transaction has read before, or has deleted */
OS_API os_code os_txn_get(os_txn *txn, const os_model *model, const char *key, const os_get_options *options,
                          os_row **ret, os_error *err);

/* A row by its model and key. */
typedef struct os_row_key {
    const os_model *model;
    const char *key;
} os_row_key;
/* Reads 1 to 100 rows, none twice, at one instant, unless `inconsistent`. `ret` has room for them. One request. Blocks. */
OS_API os_code os_txn_get_many(os_txn *txn, const os_row_key *keys, size_t count, const os_get_options *options,
                               os_row **ret, os_error *err);

/* Makes a new row of `fields`, a JSON object with the parts of the key and the fields. It must not be there at the commit.
 * Sends nothing. `ret` may be NULL. */
OS_API os_code os_txn_create(os_txn *txn, const os_model *model, const char *fields, os_row **ret, os_error *err);
/* Writes a row whatever is there: the parts of the key and all the fields that it is to have. With `expected` (a JSON object
 * of fields; NULL: none) only if there is no row, or one with these values. Sends nothing. */
OS_API os_code os_txn_create_or_put(os_txn *txn, const os_model *model, const char *fields, const char *expected,
                                    os_error *err);
/* Changes fields of a row that is not read before: `original` has the parts of the key and the values that it must have,
 * `updated` the new ones (null removes an optional field). Sends nothing. */
OS_API os_code os_txn_update(os_txn *txn, const os_model *model, const char *original, const char *updated,
                             os_error *err);
/* Deletes a row of this transaction, which must still be there at the commit if it was read ... */
OS_API os_code os_txn_delete(os_txn *txn, os_row *row, os_error *err);
/* ... or one that was not read, whether there is one or not. Both send nothing. */
OS_API os_code os_txn_delete_key(os_txn *txn, const os_model *model, const char *key, os_error *err);

/* From here on this run of the transaction only reads, as with the option `read_only`. OS_ERR_ARGUMENT: something of it is to
 * be written already. */
OS_API os_code os_txn_make_read_only(os_txn *txn, os_error *err);
/* From here on a row that is read again is the one that was read before, as with the option `cache_rows`. */
OS_API void os_txn_cache_rows(os_txn *txn);

/* Whose row it is. */
OS_API const os_model *os_row_model(const os_row *row);
/* Whether the row is not in the table yet. */
OS_API int os_row_is_new(const os_row *row);

/* A field as JSON, borrowed until it has another value or the function returns; *ret is NULL where it has no value. Its value becomes a
 * condition of the commit. OS_ERR_ARGUMENT: the model has no such field. */
OS_API os_code os_row_get(os_row *row, const char *field, const char **ret, os_error *err);
/* The same of a value of this type. OS_ERR_NOT_FOUND: it has none. OS_ERR_ARGUMENT: the field is of another type. */
OS_API os_code os_row_get_int(os_row *row, const char *field, int64_t *ret, os_error *err);
/* The same of a number; an integer is one, too. */
OS_API os_code os_row_get_double(os_row *row, const char *field, double *ret, os_error *err);
/* The same: 0 or 1. */
OS_API os_code os_row_get_bool(os_row *row, const char *field, int *ret, os_error *err);
/* The same: borrowed until the field is set or the transaction ends. OS_ERR_ARGUMENT: it has a NUL inside. */
OS_API os_code os_row_get_string(os_row *row, const char *field, const char **ret, os_error *err);

/* Sets a field to a JSON value, which is checked at once; NULL or "null" removes an optional one. The old value becomes a
 * condition of the commit. OS_ERR_ARGUMENT: there is no such field, it is read-only, or the value is not by its rules. */
OS_API os_code os_row_set(os_row *row, const char *field, const char *json, os_error *err);
/* The same of a value of this type ... */
OS_API os_code os_row_set_int(os_row *row, const char *field, int64_t value, os_error *err);
/* ... which is finite ... */
OS_API os_code os_row_set_double(os_row *row, const char *field, double value, os_error *err);
/* ... 0, or anything else for true ... */
OS_API os_code os_row_set_bool(os_row *row, const char *field, int value, os_error *err);
/* ... UTF-8. */
OS_API os_code os_row_set_string(os_row *row, const char *field, const char *value, os_error *err);
/* Adds to a number without reading it: others may add at the same time. OS_ERR_ARGUMENT: it is no number, or has no value. */
OS_API os_code os_row_increment(os_row *row, const char *field, int64_t value, os_error *err);
/* The same of a number that may have a fraction, and is finite. */
OS_API os_code os_row_increment_double(os_row *row, const char *field, double value, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
