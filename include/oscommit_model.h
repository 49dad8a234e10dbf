/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed rows, and transactions over them: all that a function reads and writes happens at one instant, or nothing does.
 *
 * Where. Rows are items of tables: of DynamoDB, or of a SQLite file, as ledger_url of the client says (dynamodb://ANY or
 *   sqlite:///FILE). Each model names its table. The items are those of the JavaScript package dynamodb of Pocket Gems, so that
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
 *   Transactions of this library are serializable in the order in which they seem to happen, also with unknown ones; but for
 *   what queries and scans find (os_query_fetch).
 *
 * What is not. Who writes to the table without these conditions is not held back. The JavaScript package keeps none of the
 *   two attributes _txn and _txn_before, by which a row tells who wrote it: in a fleet with it, an answer that is lost may
 *   have to stay unknown.
 *
 * Threads. Any number may share a client and a model. A transaction, its rows and its queries are used by one thread: the one
 *   that runs its function. A client with foreign_loop refuses calls that block (OS_ERR_ARGUMENT). docs/async.md says what a
 *   program with an event loop does.
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

/* Reads a model from a JSON Schema of an object (docs/models.md, "A model"), with the members KEY [id, a UUID], SORT_KEY,
 * INDEXES, INDEX_INCLUDE_KEYS and EXPIRE_EPOCH_FIELD beside it. `table` is the name of its table; NULL: the schema's title.
 * Several models may have one table. *ret is the caller's, for os_model_free; NULL on failure.
 *   OS_ERR_ARGUMENT  it is no model: the message says where and why
 *   OS_ERR_NO_MEMORY */
OS_API os_code os_model_parse(const char *schema, const char *table, os_model **ret, os_error *err);
OS_API void os_model_free(os_model *model); /* no transaction that uses it is under way. NULL is fine */

/* Creates the table of a model (on-demand billing; its keys, its indexes, and the attribute by which its rows expire), and
 * waits until it can be used; for sqlite the file, too. OS_OK also if a fit one exists. A table of several models that differ
 * in these has to be made with other means. Blocks.
 *   OS_ERR_TABLE  there is another one: the message says in what it differs */
OS_API os_code os_model_table_create(os_client *client, const os_model *model, const os_call *call, os_error *err);

/* The same table as a resource of a CloudFormation template, for who makes tables by infrastructure as code: an object of JSON
 * of the type AWS::DynamoDB::Table, which is kept when the template lets go of it, or replaces it. Sends nothing. *ret is for
 * os_free; NULL on failure.
 *   OS_ERR_ARGUMENT  also a table whose name DynamoDB does not take; OS_ERR_NO_MEMORY */
OS_API os_code os_model_table_resource(const os_model *model, char **ret, os_error *err);

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
    int create_if_missing; /* the key has the other fields of a new row beside its parts, which are checked in any case;
                              os_row_is_new tells */
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

/* Makes a new row of `fields`, a JSON object with the parts of the key and the fields. It must not be there at the commit; if
 * this transaction has read that it is not there, a row that another makes first is contention. Sends nothing. `ret` may be
 * NULL. */
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

/* What is called when the transaction is over, with what os_transact is about to return. */
typedef void (*os_txn_end_fn)(void *context, os_verdict verdict);
/* Asks for such a call: one, on the thread of os_transact, after its last request; several in the order in which they were
 * asked for. A run that is followed by another takes what it asked for with it. The function may run transactions of its own.
 * `context` is the caller's, and lives until os_transact has returned. Sends nothing.
 *   OS_ERR_ARGUMENT  the function is NULL; OS_ERR_NO_MEMORY */
OS_API os_code os_txn_on_end(os_txn *txn, os_txn_end_fn function, void *context, os_error *err);

/* Whose row it is. */
OS_API const os_model *os_row_model(const os_row *row);
/* Whether the row is not in the table yet. */
OS_API int os_row_is_new(const os_row *row);

/* A field as JSON, borrowed until it has another value or the function returns; *ret is NULL where it has no value. Its
 * value becomes a condition of the commit. OS_ERR_ARGUMENT: the model has no such field. */
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
/* Adds to a number without reading it: others may add at the same time, as long as the sum of all is between its minimum and its
 * maximum. OS_ERR_ARGUMENT: it is no number, or has no value, or the sum is not by its rules. As this tells of it, what it was
 * becomes a condition of the commit then. */
OS_API os_code os_row_increment(os_row *row, const char *field, int64_t value, os_error *err);
/* The same of a number that may have a fraction, and is finite. */
OS_API os_code os_row_increment_double(os_row *row, const char *field, double value, os_error *err);

/* --------------------------------------------------------------------------------------------- queries and scans */

/* A query: the rows of one partition, of the table or of an index, in the order of their sort key. Or a scan: all rows. Belongs
 * to its transaction, which frees it. */
typedef struct os_query os_query;

/* Brackets name the defaults. */
typedef struct os_query_options {
    size_t size;
    const char *index; /* [NULL: the table] what it gives may be older than the last write, as an index is */
    int inconsistent;  /* [0] non-zero: so may what the table gives; costs half */
    int descending;    /* [0] of a query: non-zero turns its order */
    int allow_lazy_filter; /* [0] of a query: non-zero lets it filter by fields that are not of its key: it reads all rows of
                              the partition for that */
    uint32_t shard_index; /* of a scan: the shard, from 0 ... */
    uint32_t shard_count; /* ... of so many, which together are the table. [0: all in one] */
} os_query_options;
#define OS_QUERY_OPTIONS_INIT OS_SIZED_(os_query_options)

/* `options` may be NULL. Sends nothing. OS_ERR_ARGUMENT: the model has no such index, or an option is not for it. */
OS_API os_code os_txn_query(os_txn *txn, const os_model *model, const os_query_options *options, os_query **ret,
                            os_error *err);
/* The same of a scan. */
OS_API os_code os_txn_scan(os_txn *txn, const os_model *model, const os_query_options *options, os_query **ret,
                           os_error *err);

/* Adds a condition on a field, which has none yet. `json` is a value of the field; of "between" an array of both bounds, which
 * are in it.
 *   a part of the partition key   "==", and every part wants one
 *   a part of the sort key        "==" ">" ">=" "<" "<=" "between" "prefix". If it has several parts: all of them the same, as
 *                                 they are compared as one, part after part; or none
 *   another field                 all but "prefix", and "!=" and "contains" (a part of a string, an element of an array), if
 *                                 allow_lazy_filter is set
 * Sends nothing. OS_ERR_ARGUMENT, also once rows were fetched, and for a scan. */
OS_API os_code os_query_filter(os_query *query, const char *field, const char *operation, const char *json,
                               os_error *err);

/* Fetches the next `count` rows, which `ret` has room for, in as many requests as it takes, and without those that have expired.
 * *ret_count is smaller only at the end. `token` is where the page before has ended, of a query or a scan that asks for the same;
 * NULL: the beginning. *ret_token, which may be NULL, is where the next begins, until the transaction ends; it is NULL at the
 * end, and not before, so that behind it there may be no row.
 *
 * The rows are the transaction's, as if they had been read: they are changed and written at its end. In four things they differ:
 *   - a row takes part in the commit only if a field of it was read or set. Then its conditions are those fields, and the fields
 *     that the query has named. That the query finds no other row is no condition.
 *   - a transaction that writes nothing does not look again at the rows that a query or a scan gave: each was so when it came.
 *     One that os_txn_get gives again, where rows are cached, is from then on a row that was read by its key.
 *   - a transaction can have any number of them, of which at most 100 take part in a commit.
 *   - a row of an index with INCLUDE_ONLY is not changed, and has only the fields of the index. If the time when rows expire is
 *     none of them, the row may have expired: os_txn_get tells, by NULL.
 * A row that is in the transaction already is that row if it was read and cache_rows is set.
 *
 * Blocks. OS_ERR_CONFLICT: rows have changed since they were read here. OS_ERR_ARGUMENT: also a token of another query;
 * OS_ERR_PROTOCOL: an item is no row of the model. */
OS_API os_code os_query_fetch(os_query *query, size_t count, const char *token, os_row **ret, size_t *ret_count,
                              const char **ret_token, os_error *err);

/* Is called with each row. Another code than OS_OK, for which it fills *err, ends the run, and is returned by it: to the function
 * of the transaction, which may pass it on, or not. */
typedef os_code (*os_row_fn)(void *context, os_row *row, os_error *err);
/* The first `count` rows, or all, one after the other. They are fetched a hundred at a time. Blocks. Fails as os_query_fetch. */
OS_API os_code os_query_run(os_query *query, size_t count, os_row_fn each, void *context, os_error *err);

/* ------------------------------------------------------------------------------------------------ objects with rows
 *
 * Objects that become visible together with rows, or not at all: a run stages each under a key that nobody else has, and
 * writes the keys into rows. Who follows the keys that rows have never meets an object that is not whole, nor one without
 * the others. docs/catalog.md has the rules, and examples/catalog.c a catalog of tables.
 *
 * Before an object is put, a row says that it will be: an intent. The commit deletes it, on the condition that it is
 * unchanged. So an intent is there as long as its object is not committed, and os_txn_gc, which changes the intent before it
 * deletes the object, and a commit exclude each other. What a run has put that is certainly not committed is removed when
 * the run ends; what stays behind, because a process was killed or an answer lost, by os_txn_gc. */

/* The model of intents, whose rows are in a table of their own: its key is `_id` (S), as of other models with a string for
 * a key. One table may be for many buckets of one endpoint; of embedded stores each wants its own. *ret is for os_model_free.
 * OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY. */
OS_API os_code os_stage_model(const char *table, os_model **ret, os_error *err);

/* What is staged. Brackets name the defaults. */
typedef struct os_stage {
    size_t size;
    const os_model *intents;   /* of os_stage_model; required */
    const char *prefix;        /* the key is this, 32 hex digits, and `suffix` [""] */
    const char *suffix;        /* [""] */
    const os_body *body;       /* required. A run that follows stages anew: a stream must be there again */
    const os_put_options *put; /* [nothing] */
} os_stage;
#define OS_STAGE_INIT OS_SIZED_(os_stage)

/* Puts an object under a new key, which is the transaction's unless it commits: then the object is the caller's, and no gc
 * touches it. Objects that lose their row, such as those that a key in a row named before, are the caller's affair, too.
 * *ret_key is borrowed until the function returns. Takes one of the 100 rows of the transaction. Three requests. Blocks.
 *   OS_ERR_CONFLICT     a gc was faster
 *   OS_ERR_ARGUMENT     also under forward_only: what does not commit must be deleted
 *   OS_ERR_NETWORK, OS_ERR_SERVICE ...   the object is not staged; it may be there, for os_txn_gc */
OS_API os_code os_txn_stage(os_txn *txn, const os_stage *stage, const char **ret_key, os_error *err);

/* One intent that os_txn_gc has looked at. */
typedef struct os_txn_garbage {
    size_t size;
    os_garbage_fate fate;
    const char *key;    /* of the object, as this client names it; the strings are borrowed for the callback */
    int64_t since_s;    /* when it was staged, by the clock of who did */
    const char *reason; /* a sentence, or "" */
} os_txn_garbage;
/* Runs on the calling thread. Returns 0 to go on; any other value ends the call with OS_ERR_STOPPED. */
typedef int (*os_txn_garbage_fn)(void *context, const os_txn_garbage *garbage);

/* What os_txn_gc looks at. */
typedef struct os_txn_gc_options {
    size_t size;
    const os_model *intents; /* required */
    const char *prefix;      /* only keys that start with it [all of the store] */
    /* Only what was staged longer ago than this, by this machine's clock [86,400]. It must be longer than any transaction
     * may take, and by more than a quarter of an hour: so long a store takes a request that was sent before. */
    uint64_t older_than_s;
    /* Non-zero: of any age. Only while nobody stages: a transaction that is under way does not commit then, and an object
     * that a process puts before it is killed may stay for ever. */
    int of_any_age;
    int remove; /* non-zero: remove what is found. 0: a dry run */
} os_txn_gc_options;
#define OS_TXN_GC_OPTIONS_INIT OS_SIZED_(os_txn_gc_options)

/* What os_txn_gc has seen and done. */
typedef struct os_txn_gc_result {
    size_t size;
    uint64_t seen;  /* intents of this store, of any age */
    uint64_t found; /* dry run: would be removed */
    uint64_t removed;
    uint64_t spared; /* its transaction committed meanwhile, or another gc has removed it */
    uint64_t failed;
} os_txn_gc_result;
#define OS_TXN_GC_RESULT_INIT OS_SIZED_(os_txn_gc_result)

/* Removes objects that were staged and whose transactions ended without a commit, were killed, or are still unknown: those
 * never commit afterwards. Several at once, and one that is killed at any point, are fine: the next goes on. Parts of
 * uploads that were not completed are for os_gc. In a bucket with versions a removed object stays as a version.
 * OS_OK: everything was looked at; ret->failed counts what could not be removed, or not certainly. `call`, `each` and `ret`
 * may be NULL. `ret` is filled on failure too. Blocks. */
OS_API os_code os_txn_gc(os_client *client, const os_txn_gc_options *options, const os_call *call,
                         os_txn_garbage_fn each, void *context, os_txn_gc_result *ret, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
