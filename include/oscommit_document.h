/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versioned documents: what a device reports, and what is desired of it. Each write states the version that it replaces
 * and makes the next one, so nobody overwrites what he has not seen.
 *
 * Where. A document is an item of a table that the client's ledger_url names: dynamodb://TABLE, with the keys `PK` and `SK`
 *   (S), or sqlite:///FILE. The items are those of the Go package godeviceshadow, so that both can share a table
 *   (docs/documents.md). A client that does nothing else needs no store_url.
 *
 * What is promised. A write is applied if the document is at the version that the caller has seen, and not at all
 *   otherwise; versions count up by one. Each write ends in a verdict:
 *     OS_COMMITTED     applied, exactly once; the new version is told
 *     OS_CONFLICT      not applied, now or later: the document is at another version, which is told where the table tells it
 *     OS_NOT_EXECUTED  not applied, now or later, for another reason
 *     OS_UNKNOWN       it may have been applied, or may still be. Pass the ticket to os_document_resolve
 *   An answer that is lost is no conflict with oneself: the token in the document says whose it is.
 *
 * What is not. A document that is deleted forgets its versions: they begin at 1 again. So a write that is sent twice could be
 *   applied twice. It is therefore sent once, and after a lost answer it is looked for until the deadline: it is committed if
 *   it is found, else unknown. It is sent again where the caller promises that no document is ever deleted (`keeps_all`), and
 *   for a while as a transaction, where the service remembers those: both models, or one with `together`. The rules are in
 *   docs/documents.md.
 *
 * Threads. The functions may be called from any thread, and block. A client with foreign_loop refuses them (OS_ERR_ARGUMENT).
 *   docs/async.md says what a program with an event loop does.
 */
#ifndef OSCOMMIT_DOCUMENT_H
#define OSCOMMIT_DOCUMENT_H

#include "oscommit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a table keeps the two models of a document. */
typedef enum os_document_models {
    OS_DOCUMENT_SEPARATE =
        0, /* each in an item of its own, with a version of its own: sort keys DSR#NAME and DSD#NAME */
    OS_DOCUMENT_COMBINED = 1 /* both in one item, with one version: DSC#NAME. Each write has both */
} os_document_models;

/* How the attributes of an item are spelled. A table has one spelling: an item of the other one is refused, and never
 * written over. */
typedef enum os_document_spelling {
    OS_DOCUMENT_TAGS = 0, /* version, timestamp, clientToken, desired, reported: by Go's json tags */
    OS_DOCUMENT_FIELDS =
        1 /* Version, TimeStamp, ClientToken, Desired, Reported: what Go's encoder writes unless told */
} os_document_spelling;

/* A table of documents; brackets name the defaults. NULL in a call stands for all of them. */
typedef struct os_document_store {
    size_t size;
    const char *table;             /* of the same region, or in the same file [that of ledger_url; "documents"] */
    os_document_models models;     /* [SEPARATE] */
    os_document_spelling spelling; /* [TAGS] */
    uint32_t max_read_batch;       /* keys of one request, 1 to 100 [100] */
    uint32_t parallelism;          /* requests that are under way at once, 1 to 100 [1] */
    /* Non-zero: the caller promises that no document of this table is ever deleted. Then a write is sent again after a lost
     * answer, and fewer end unknown. A promise that is broken can make a conflict of a write that was applied, and can have
     * one applied twice. [0] */
    int keeps_all;
    /* Non-zero: one model that is written or deleted alone goes as a transaction, for twice the price, where the service is
     * known to remember transactions by their tokens (AWS does). Then it is sent again after a lost answer, and fewer end
     * unknown. [0] */
    int together;
} os_document_store;
#define OS_DOCUMENT_STORE_INIT OS_SIZED_(os_document_store)

/* Creates the table of documents (on-demand billing, keys `PK` and `SK`) and waits until it can be used; for sqlite the file,
 * too. OS_OK also if a fit one exists. Blocks. */
OS_API os_code os_documents_table_create(os_client *client, const os_document_store *store, const os_call *call,
                                         os_error *err);

/* Checks that it is fit for documents. OS_OK, OS_ERR_NO_TABLE, OS_ERR_TABLE (the message says what is wrong) ... Blocks. */
OS_API os_code os_documents_table_check(os_client *client, const os_document_store *store, const os_call *call,
                                        os_error *err);

/* ---------------------------------------------------------------------------------------------------------- reads */

/* Which document. Borrowed. */
typedef struct os_document_key {
    size_t size;
    const char *id;   /* 1 to 2,045 bytes of UTF-8 */
    const char *name; /* 1 to 1,020 bytes of UTF-8 */
} os_document_key;
#define OS_DOCUMENT_KEY_INIT OS_SIZED_(os_document_key)

/* One model of a document. */
typedef struct os_document_model {
    int64_t version;          /* 0: there is none, and the rest is 0 or NULL. Combined models have the same one */
    int64_t timestamp_ns;     /* since 1970, UTC, by the clock of who wrote it */
    const char *client_token; /* of who wrote it, with the random bits of the write behind it; NULL: none */
    const char *json;         /* compact; NULL: none, also at a version, where other programs have left it so */
} os_document_model;

/* A document as it was found. The strings live until os_documents_free. */
typedef struct os_document {
    size_t size;
    const char *id;
    const char *name;
    os_document_model reported;
    os_document_model desired;
} os_document;

/* Documents that a call has found; the caller's, who frees them. */
typedef struct os_documents {
    size_t count;
    os_document *list; /* in the order in which they were asked for */
} os_documents;
/* Frees the list and what is in it, and empties the struct. NULL is fine. */
OS_API void os_documents_free(os_documents *documents);

/* Reads documents by their keys, none twice, consistently: each model as it is at some instant of the call. Two models of
 * one document that are stored apart may be of different instants. `store` and `call` may be NULL. Blocks.
 *   OS_OK             a document that is not there has version 0
 *   OS_ERR_ARGUMENT, OS_ERR_CONFIG (no ledger_url), OS_ERR_NO_TABLE, OS_ERR_DENIED, OS_ERR_CREDENTIALS ...
 *   OS_ERR_PROTOCOL   an item is no document of this spelling; the message says what is wrong with it
 *   OS_ERR_DEADLINE, OS_ERR_NETWORK, OS_ERR_CANCELLED
 * After a failure *ret is empty. */
OS_API os_code os_documents_read(os_client *client, const os_document_store *store, const os_document_key *keys,
                                 size_t count, const os_call *call, os_documents *ret, os_error *err);

/* --------------------------------------------------------------------------------------------------------- writes */

/* What one document is to be. Borrowed. */
typedef struct os_document_write {
    size_t size;
    const char *id;
    const char *name;
    const char *reported; /* JSON of an object; NULL: this model is not written. Combined: both are */
    const char *desired;
    int64_t reported_version; /* that was read; 0: there is none. Combined: both are the same */
    int64_t desired_version;
    const char *client_token; /* who writes, at most 128 bytes of UTF-8; NULL: nobody in particular */
} os_document_write;
#define OS_DOCUMENT_WRITE_INIT OS_SIZED_(os_document_write)

/* What came of one write, or one deletion. */
typedef struct os_document_result {
    size_t size;
    os_verdict verdict;
    /* COMMITTED: the new ones. CONFLICT: those found, as far as they are known; 0: there is no such model, or it was not
     * looked at. Else 0. */
    int64_t reported_version;
    int64_t desired_version;
    /* UNKNOWN of a write: for os_document_resolve; one line of JSON, no secrets. Freed with os_free. Else NULL, and where the
     * sentence says so */
    char *ticket;
    os_error error; /* OS_OK with COMMITTED */
} os_document_result;
#define OS_DOCUMENT_RESULT_INIT OS_SIZED_(os_document_result)

/* Writes documents, no model of one twice. Each is a write of its own with its own verdict: one model, or two combined, is
 * one conditional write; two models that are stored apart are written together, both or none, in one transaction. All have
 * ended when it returns; at most `parallelism` are under way at once. `ret` has room for `count` results, whose `size` is
 * set. Blocks.
 *   OS_OK             all are committed
 *   otherwise         the code of the first that is not; each result has its own verdict and sentence:
 *     CONFLICT        OS_ERR_CONFLICT: read the document, and decide again
 *     NOT_EXECUTED    as os_documents_read
 *     UNKNOWN         OS_ERR_UNDECIDED, OS_ERR_DEADLINE ...: resolve the ticket before you write again */
OS_API os_code os_documents_write(os_client *client, const os_document_store *store, const os_document_write *writes,
                                  size_t count, const os_call *call, os_document_result *ret, os_error *err);

/* ------------------------------------------------------------------------------------------------------- deletes */

/* What of a document is to go. Borrowed. */
typedef struct os_document_deletion {
    size_t size;
    const char *id;
    const char *name;
    int reported;             /* non-zero: this model. Combined: both are */
    int desired;              /* non-zero: this model */
    int64_t reported_version; /* that was read; 0: whatever is there, or nothing. Combined: both are the same */
    int64_t desired_version;
} os_document_deletion;
#define OS_DOCUMENT_DELETION_INIT OS_SIZED_(os_document_deletion)

/* Deletes documents, no model of one twice; two models that are stored apart together, both or none, in one transaction.
 * Refused under `keeps_all`. The rest is as of os_documents_write. Blocks.
 *   OS_OK             all are committed
 *   otherwise         the code of the first that is not; each result has its own verdict and sentence:
 *     COMMITTED       the versions are 0. With version 0 also where nothing was there
 *     CONFLICT        it is at another version, or (its version is 0) not there
 *     NOT_EXECUTED    as os_documents_read
 *     UNKNOWN         has no ticket, for a deletion leaves nothing that shows whose it was: read what is there. It is sent
 *                     again after a lost answer only as a transaction that the service remembers: else it could delete what
 *                     others have made meanwhile */
OS_API os_code os_documents_delete(os_client *client, const os_document_store *store,
                                   const os_document_deletion *deletions, size_t count, const os_call *call,
                                   os_document_result *ret, os_error *err);

/* ---------------------------------------------------------------------------------------------------------- lists */

/* What an item of a table is. */
typedef enum os_document_kind {
    OS_DOCUMENT_REPORTED = 1,
    OS_DOCUMENT_DESIRED = 2,
    OS_DOCUMENT_BOTH = 3 /* combined */
} os_document_kind;

/* One item: a model that is stored apart, or both combined. Borrowed for the call of the function. */
typedef struct os_document_entry {
    size_t size;
    const char *id;
    const char *name;
    os_document_kind kind;
    int64_t version;
    int64_t timestamp_ns;
    const char *client_token; /* NULL: none */
} os_document_entry;

/* Takes one. Not 0: stop. */
typedef int (*os_document_fn)(void *context, const os_document_entry *entry);

/* Gives what is stored of an id, or with NULL of all, without the models, on the calling thread; calls on the same client are
 * allowed there. Both ways of keeping models are listed. Pages are read one after the other, each as it is then: what is
 * written meanwhile may come or not. All costs as much as a Scan. Blocks.
 *   OS_OK, or as os_documents_read; OS_ERR_STOPPED: `each` did
 *   OS_ERR_PROTOCOL   after all were given: some items are no documents of this spelling */
OS_API os_code os_documents_list(os_client *client, const os_document_store *store, const char *id, const os_call *call,
                                 os_document_fn each, void *context, os_error *err);

/* -------------------------------------------------------------------------------------------------------- tickets */

/* Decides an UNKNOWN of a write from its ticket, in any process with the same table: reads what is there. Writes nothing. Blocks.
 *   COMMITTED, CONFLICT   as above
 *   UNKNOWN               other writers, or a deletion, have hidden it; or it may still be applied: ret->ticket, for later */
OS_API os_verdict os_document_resolve(os_client *client, const os_document_store *store, const char *ticket,
                                      const os_call *call, os_document_result *ret, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
