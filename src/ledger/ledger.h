/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: records in a table. Put one on a condition, read one, list some. Asynchronous by shape, on the loop's
 * thread.
 */
#ifndef OSCOMMIT_LEDGER_LEDGER_H
#define OSCOMMIT_LEDGER_LEDGER_H

#include "commit/record.h"
#include "table/table.h"

enum ledger_verb {
    LEDGER_PUT = 1,
    LEDGER_GET,
    LEDGER_LIST,
    LEDGER_CREATE_TABLE,
    LEDGER_CHECK_TABLE,
    LEDGER_DELETE, /* never by a writer (T3): what TTL would do, on a condition */
    LEDGER_FIX     /* nor this: puts `record` in the place of an item that is no record, as it was found just now. OK;
                      CONFLICT_BLIND when there is none, or it was changed meanwhile; CONFLICT when it is a record */
};

struct ledger_row { /* strings borrowed for the callback */
    const char *path;
    const char *etag;
    bool readable; /* false: an item that is no record; `other` holds it whole */
    struct record record;
    const char *upload; /* the record's upload id, "" if none; record.upload is its number */
    const char *bucket; /* T4.3: "" where it names none, and where only records are asked for */
    const char *other;  /* JSON */
    const char *fault;  /* why it is not readable, a sentence; "" when it is */
};
typedef bool (*ledger_row_fn)(void *context, const struct ledger_row *row); /* false: stop */

/* Everything borrowed until `done` or cancel. Paths are whole (record_prefix included). */
struct ledger_request {
    enum ledger_verb verb;
    const char *path; /* LIST: NULL for the whole table */
    const char *etag;
    const struct record *record;              /* PUT, FIX */
    const char *upload;                       /* PUT: the upload id that record.upload stands for; NULL: none */
    const char *bucket;                       /* PUT: T4.3; NULL: none. Not kept by every ledger */
    const struct record_condition *condition; /* PUT, DELETE */
    ledger_row_fn each;                       /* LIST: every page is read; on the loop's thread, or a worker's */
    void *each_context;
    bool records_only; /* LIST: `other` is of no interest */
    uint64_t deadline_monotonic_ms;
    uint64_t try_ms; /* each of the requests that it takes; 0: until the deadline */
};

struct ledger_answer { /* borrowed for the callback */
    enum ledger_outcome outcome;
    bool found;                      /* GET */
    struct record record;            /* PUT, DELETE with LEDGER_CONFLICT, GET when found */
    char upload[RECORD_UPLOAD_SIZE]; /* the upload id that record.upload stands for; "" if none */
    char bucket[RECORD_BUCKET_SIZE]; /* PUT with LEDGER_CONFLICT: T4.3; "": it names none */
    bool foreign;                    /* something answered that is no such ledger */
    uint32_t requests;               /* how many requests it took */
    os_error error; /* for every outcome but OK and the conflicts; CHECK_TABLE and CREATE_TABLE: OS_OK or why not */
};
typedef void (*ledger_done_fn)(void *context, const struct ledger_answer *answer);

struct ledger_op;

/* `table` is where the records are. NULL when out of memory; `done` is not called then, nor before this returns. What is
 * quietly repeated, and how long LEDGER_CREATE_TABLE asks: as struct table_vtable says. */
struct ledger_op *ledger_start(struct table *table, const struct ledger_request *request, ledger_done_fn done,
                               void *context);
void ledger_cancel(struct ledger_op *op);

#endif
