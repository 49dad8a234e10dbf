/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delta tables: Parquet files are appended to the log of a table exactly once, beside any other writer of Delta.
 *
 * A table is a prefix of the store: `table` names it as a key, without a slash at its end ("" is the whole store). Its log
 * is `_delta_log/` below that. Each commit is a numbered object of the log, and whoever creates the next number has
 * committed. docs/delta.md says which tables can be appended to, and what other writers must do.
 *
 * Without a log store, a commit is os_put_if_absent of the next number, under the promise of forward_only: the client's guard
 *   excludes other writers (os_options.guard). All writers of the table must be excluded by the same means: on a store
 *   with conditional writes, writers such as delta-rs use those, so the guard must be OS_GUARD_NATIVE or OS_GUARD_BOTH.
 * With a log store, entries of the table of Delta's S3DynamoDBLogStore exclude other writers, as delta-rs up to 1.6.0 and
 *   Delta's Java writers have them. The store needs no conditions, and the client no ledger. The log store is another
 *   client, whose ledger_url is that table (dynamodb://TABLE); it needs no store_url. Either every writer of a table
 *   uses the log store, or none does.
 *
 * These functions block, and make several calls on the client: os_call.deadline_ms is for all of them.
 */
#ifndef OSCOMMIT_DELTA_H
#define OSCOMMIT_DELTA_H

#include "oscommit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data file that a commit adds. It must be there already, and never change. */
typedef struct os_delta_add {
    const char *path;    /* relative to the table: "part-1.parquet" */
    uint64_t length;     /* bytes */
    int64_t modified_ms; /* epoch milliseconds */
    uint64_t records;    /* rows */
} os_delta_add;

/* A column whose value is the same in all files of a partition. It stands in the log, and not in the files. */
typedef struct os_delta_partition {
    const char *column;
    /* As the log has it: "7", "1.5", "true", "2026-11-28", "2026-11-28T06:00:00.000000Z". NULL and "" are null */
    const char *value;
    /* Delta's name of its type: "string", "byte", "short", "integer", "long", "float", "double", "boolean", "date",
     * "timestamp", "decimal(10,2)". A table where it has another one refuses the commit [that of the table; of a new table
     * "string"] */
    const char *type;
} os_delta_partition;

/* What goes with a commit, and who excludes other writers. */
typedef struct os_delta_options {
    size_t size;
    os_client *log_store; /* see above [NULL: none] */
    /* Makes a call that is made again harmless, also by another process: the commit carries version `app_version` of the
     * application `app_id`, and is a CONFLICT if the table has that version of it, or a later one. An application gives
     * each of its commits a larger number [NULL: none] */
    const char *app_id;
    int64_t app_version;
    /* The partition of the files: each column that the table is partitioned by, in any order, 32 at most. A new table is
     * partitioned by these, in this order [none] */
    const os_delta_partition *partitions;
    size_t partition_count;
} os_delta_options;
#define OS_DELTA_OPTIONS_INIT OS_SIZED_(os_delta_options)

/* How a commit went. os_delta_result_clear frees what it holds. */
typedef struct os_delta_result {
    size_t size;
    int64_t version;    /* COMMITTED: of the commit. UNKNOWN: that it may have. Else -1 */
    int created;        /* COMMITTED: non-zero: it made the table */
    uint32_t conflicts; /* so many versions were lost to other writers */
    uint64_t files;     /* data files of the call; os_delta_append: that were uploaded */
    uint64_t records;   /* their rows */
    /* UNKNOWN: for os_delta_resolve; one line of JSON, no secrets. Else NULL */
    char *ticket;
} os_delta_result;
#define OS_DELTA_RESULT_INIT OS_SIZED_(os_delta_result)

/* Frees the ticket and empties the result for the next call. */
OS_API void os_delta_result_clear(os_delta_result *result);

/* The data files of a commit: 1 to 10,000. `schema` is theirs, as Delta writes it: a struct type, in JSON. */
typedef struct os_delta_files {
    size_t size;
    const char *schema;
    const os_delta_add *adds;
    size_t count;
    /* Of files of several partitions: `partition_count` values for each of `adds`, one file after the other, in the order of
     * os_delta_options.partitions, whose own values do not count then [NULL: all are in the partition of the options] */
    const char *const *partition_values;
} os_delta_files;
#define OS_DELTA_FILES_INIT OS_SIZED_(os_delta_files)

/* Adds data files that are in the store already, in one commit. Where there is no table, their schema becomes the table's,
 * which is made with minReaderVersion 1 and minWriterVersion 2. Else it must fit: the same columns of the same types, and
 * no nulls where the table has none. Partition columns are none of the files'. `options`, `call`, `ret` and `err` may be NULL, but who passes NULL for `ret` loses the
 * ticket of an UNKNOWN. Blocks.
 *   COMMITTED     The files are in the table, as version ret->version, once.
 *   CONFLICT      Nothing was added and nothing will be: the table's schema or protocol was changed meanwhile (call again), or
 *                 the table has app_version of app_id, or a later one (the work is done), or every version was another
 *                 writer's until the deadline (call again).
 *   NOT_EXECUTED  Nothing was added and nothing will be. OS_ERR_UNSUPPORTED: the files do not fit the table, or the table
 *                 uses a feature that is not written here; the message names it. OS_ERR_PROTOCOL: the log is damaged. Else as
 *                 os_put_if_absent.
 *   UNKNOWN       They may be in the table as version ret->version, or may still come in. Do not call again, and delete no
 *                 data file: pass ret->ticket to os_delta_resolve. */
OS_API os_verdict os_delta_commit(os_client *client, const char *table, const os_delta_files *files,
                                  const os_delta_options *options, const os_call *call, os_delta_result *ret,
                                  os_error *err);

/* Uploads Parquet files of this machine under new names, and adds them in one commit. `files` are 1 to 1,000 paths, and
 * NULL behind them. Their footers are read first: the schema and the number of rows come from there. What Delta cannot
 * express (unsigned integers, times of day, timestamps without a time zone ...) is refused before anything is sent; the
 * message names the column. Verdicts are those of os_delta_commit, and NOT_EXECUTED with OS_ERR_ARGUMENT also for a file
 * that is no Parquet, OS_ERR_BODY for one that was changed meanwhile. After CONFLICT and NOT_EXECUTED the uploaded files are
 * deleted again, as far as that succeeds. Blocks. */
OS_API os_verdict os_delta_append(os_client *client, const char *table, const char *const *files,
                                  const os_delta_options *options, const os_call *call, os_delta_result *ret,
                                  os_error *err);

/* Decides an UNKNOWN of the two above from its ticket, in any process with the same store, and ledger or log store. Asks
 * until the evidence decides, or until the deadline. An entry that stands in a log store is made the version that it is
 * for. `ret`: version. Blocks.
 *   COMMITTED, CONFLICT, NOT_EXECUTED   of that commit. After CONFLICT nothing of it is in the table: it may be made again
 *   UNKNOWN       keep ret->ticket in place of this one, and ask again later */
OS_API os_verdict os_delta_resolve(os_client *client, const char *table, const char *ticket,
                                   const os_delta_options *options, const os_call *call, os_delta_result *ret,
                                   os_error *err);

/* What os_delta_check finds. */
typedef enum os_delta_finding_kind {
    OS_DELTA_VERSION_MISSING = 1,       /* versions that are not in the log, from this one on, and later ones are */
    OS_DELTA_VERSION_UNREADABLE = 2,    /* a version that is no log entry */
    OS_DELTA_FILE_TWICE = 3,            /* a data file that two versions add */
    OS_DELTA_FILE_MISSING = 4,          /* a data file of the table that is not there */
    OS_DELTA_TEMP_LEFT = 5,             /* a temp file of the log that no entry needs */
    OS_DELTA_ENTRY_INCOMPLETE = 6,      /* an entry whose writer did not finish: the next one does */
    OS_DELTA_ENTRY_WITHOUT_VERSION = 7, /* an entry of a version that is not in the log */
    OS_DELTA_ENTRY_MISSING = 8          /* a version that has no entry, and its neighbours have */
} os_delta_finding_kind;

/* One thing that os_delta_check has found. Borrowed for the callback. */
typedef struct os_delta_finding {
    size_t size;
    os_delta_finding_kind kind;
    int64_t version;  /* -1: of none */
    const char *name; /* the file that it is about, relative to the table, or to its log for a temp file; "": none */
    const char *sentence; /* what it means, and what to do */
} os_delta_finding;
/* Receives a finding. Runs on the calling thread. Returns 0 to go on; any other value ends the call with OS_ERR_STOPPED. */
typedef int (*os_delta_finding_fn)(void *context, const os_delta_finding *finding);

/* Looks for what a fleet of writers may have left of a table; changes nothing. Lists all objects of the table, reads every
 * version that is in its log, and with a log store all its entries of the table. What commits that are under way have
 * written so far is found, too. `options` and `call` may be NULL. Blocks.
 *   OS_OK             everything was looked at, whatever was found
 *   OS_ERR_NOT_FOUND  there is no table
 *   OS_ERR_STOPPED, OS_ERR_DENIED, OS_ERR_NETWORK, OS_ERR_DEADLINE ...   `each` may have run for some */
OS_API os_code os_delta_check(os_client *client, const char *table, const os_delta_options *options,
                              const os_call *call, os_delta_finding_fn each, void *context, os_error *err);

/* Creates the table of a log store (on-demand billing, keys `tablePath` and `fileName`, TTL on `expireTime`) that ledger_url
 * of `log_store` names, and waits until it is ACTIVE. OS_OK also if a fit table exists. One table serves many Delta tables.
 * OS_ERR_CONFIG for sqlite: where files are, nobody needs a log store. Blocks. */
OS_API os_code os_delta_log_store_create(os_client *log_store, const os_call *call, os_error *err);

/* Checks that the table of a log store is fit: key schema, attribute types, TTL, ACTIVE, replication. OS_OK, OS_ERR_NO_TABLE, OS_ERR_TABLE (the
 * message says what is wrong and what to do). Blocks. */
OS_API os_code os_delta_log_store_check(os_client *log_store, const os_call *call, os_error *err);

#ifdef __cplusplus
}
#endif

#endif
