/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lance tables: what writers have left of one that keeps its versions in rows of DynamoDB, and how it is completed.
 *
 * A table is a prefix of the store: `table` names it as a key, without a slash at its end. Its versions are objects of
 * `_versions/` below that. Writers that name the table s3+ddb://BUCKET/TABLE?ddbTableName=T reserve a version by a row of T,
 * which names a staged manifest, copy that to its final name, and then write the final name into the row. docs/lance.md says
 * how versions are committed by this library itself, through its Python package.
 *
 * These functions block, and make several calls on the client: os_call.deadline_ms is for all of them.
 */
#ifndef OSCOMMIT_LANCE_H
#define OSCOMMIT_LANCE_H

#include "oscommit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct os_lance_options {
    size_t size;
    /* A client whose ledger_url is the table of rows (dynamodb://T); it needs no store_url. The store must be in S3 then.
     * Borrowed for the call [NULL: the table has no rows] */
    os_client *manifest_store;
} os_lance_options;
#define OS_LANCE_OPTIONS_INIT OS_SIZED_(os_lance_options)

/* What os_lance_check finds. */
typedef enum os_lance_finding_kind {
    OS_LANCE_STAGED_LEFT = 1,    /* a staged manifest that no row needs */
    OS_LANCE_FIRST_SCHEME = 2,   /* a manifest with a name of the first scheme, such as 1.manifest */
    OS_LANCE_ROW_INCOMPLETE = 3, /* a row whose writer did not finish: the next reader, or os_lance_resolve, does */
    OS_LANCE_ROW_WITHOUT_VERSION = 4, /* a row whose version is lost */
    OS_LANCE_ROW_MISSING = 5,         /* a version that has no row, and older ones have */
    OS_LANCE_SIZE_DIFFERS = 6         /* a version that is not the one of its row: another writer has overwritten it */
} os_lance_finding_kind;

/* Borrowed for the callback. */
typedef struct os_lance_finding {
    size_t size;
    os_lance_finding_kind kind;
    uint64_t version;     /* 0: of none */
    const char *name;     /* the object that it is about, relative to `_versions/`; "": none */
    const char *sentence; /* what it means, and what to do */
} os_lance_finding;
/* Runs on the calling thread. Returns 0 to go on; any other value ends the call with OS_ERR_STOPPED. */
typedef int (*os_lance_finding_fn)(void *context, const os_lance_finding *finding);

/* Looks for what writers may have left of a table; changes nothing. Lists its `_versions/`, and with a manifest store all its
 * rows of the table. What commits that are under way have written so far is found, too. `options` and `call` may be NULL.
 * Blocks.
 *   OS_OK             everything was looked at, whatever was found
 *   OS_ERR_NOT_FOUND  there is no table
 *   OS_ERR_STOPPED, OS_ERR_DENIED, OS_ERR_NETWORK, OS_ERR_DEADLINE ...   `each` may have run for some */
OS_API os_code os_lance_check(os_client *client, const char *table, const os_lance_options *options,
                              const os_call *call, os_lance_finding_fn each, void *context, os_error *err);

/* Completes every row that is incomplete, as any reader would: writes the version that the row is for, unless it is there,
 * and then its final name into the row. Such a row is a commit that was decided already, so this is safe beside writers, and
 * may be done again, and by several at once. *ret_completed (may be NULL) is how many there were. Needs a manifest store.
 * Blocks.
 *   OS_OK             no row is incomplete now, but of commits that have come meanwhile
 *   OS_ERR_PROTOCOL   a row cannot be completed: its staged manifest is lost, or another writer's version is there. The
 *                     message says which; the rows before it are completed. os_lance_check says more
 *   OS_ERR_NOT_FOUND  there is no table
 *   others            some rows may be completed: call again when the cause is gone */
OS_API os_code os_lance_resolve(os_client *client, const char *table, const os_lance_options *options,
                                const os_call *call, uint64_t *ret_completed, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
