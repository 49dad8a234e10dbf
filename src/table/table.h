/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table: the other small interface. Read or change one item on a condition, list some; implemented by DynamoDB over
 * the HTTP engine (dynamo.c) and by SQLite (sqlite.c). Asynchronous by shape, on the loop's thread. Knows nothing of what
 * items mean.
 */
#ifndef OSCOMMIT_TABLE_TABLE_H
#define OSCOMMIT_TABLE_TABLE_H

#include "item/item.h"
#include "loop/loop.h"

enum table_verb {
    TABLE_PUT = 1,
    TABLE_UPDATE,
    TABLE_DELETE,
    TABLE_GET,
    TABLE_REPLACE, /* puts `item` in the place of one that does not fit the schema, as it was found just now. OK;
                      CONFLICT_BLIND when there is none, or it was changed meanwhile; CONFLICT when it does fit */
    TABLE_LIST,
    TABLE_CREATE,
    TABLE_CHECK
};

struct table_row {           /* strings borrowed for the callback */
    bool readable;           /* false: an item that does not fit the schema; `other` holds it whole */
    const struct item *item; /* of one that is not readable: its key, as far as that can be read */
    const char *other;       /* JSON of what `item` has no place for */
    const char *fault;       /* why it is not readable, a sentence; "" when it is */
};
typedef bool (*table_row_fn)(void *context, const struct table_row *row); /* false: stop */

/* Everything borrowed until `done` or cancel. */
struct table_request {
    enum table_verb verb;
    const struct item_schema *schema;
    const struct item *item;                /* PUT, REPLACE: all of it; UPDATE, DELETE, GET: its key */
    const struct item_condition *condition; /* PUT, UPDATE, DELETE; NULL: none */
    const struct item_change *changes;      /* UPDATE */
    size_t change_count;
    const char *partition; /* LIST: NULL for the whole table */
    table_row_fn each;     /* LIST: every page is read; on the loop's thread, or a worker's */
    void *each_context;
    bool known_only; /* LIST: `other` is of no interest */
    bool once;       /* no layer below sends it a second time (L9) */
    uint64_t deadline_monotonic_ms;
    uint64_t try_ms; /* each of the requests that it takes; 0: until the deadline */
};

struct table_answer { /* borrowed for the callback */
    enum table_outcome outcome;
    bool found;              /* GET, UPDATE with OK; and CONFLICT */
    const struct item *item; /* when found */
    bool foreign;            /* something answered that is no such table */
    uint32_t requests;       /* how many requests it took */
    bool has_date;           /* of the answer: when the service made it, by its own clock */
    int64_t date_s;
    os_error error; /* for every outcome but OK and the conflicts; CHECK and CREATE: OS_OK or why not */
};
typedef void (*table_done_fn)(void *context, const struct table_answer *answer);

struct table_op;

struct holding_asking;
struct table {
    const struct table_vtable *vtable;
    bool is_local;    /* a file */
    const char *hint; /* what to look at where it cannot be reached: a sentence that names the setting */
    struct holding_asking *asked_in_turn; /* holding/asking.h: the first of those that do not overtake each other */
};

struct table_vtable {
    /* NULL when out of memory. One quiet repetition after ExpiredToken and after a refused time of signing (definite
     * answers), nothing else. CREATE polls until ACTIVE or the deadline. */
    struct table_op *(*start)(struct table *table, const struct table_request *request, table_done_fn done,
                              void *context);
    void (*cancel)(struct table *table, struct table_op *op);
    void (*free)(struct table *table);
};

struct table_config { /* borrowed during ..._new only, but for loop */
    struct loop *loop;
    const struct endpoint *endpoint;
    const char *name;                /* or the SQLite file */
    const char *reach;               /* flags of the tool that lead to it, beside its name; or "" */
    struct credentials *credentials; /* borrowed until the table is freed */
    uint64_t stall_ms;
};
/* When a request that is sent now is not waited for any longer. */
uint64_t table_try_deadline(uint64_t deadline_monotonic_ms, uint64_t try_ms);
/* As DynamoDB names the request, the first of several; for log and metrics. */
const char *table_verb_name(enum table_verb verb);
/* Puts the table's hint behind the message of a failure. */
void table_add_hint(const struct table *table, os_error *err);
os_code dynamo_table_new(const struct table_config *config, struct table **ret, os_error *err);
os_code sqlite_table_new(const struct table_config *config, struct table **ret, os_error *err);

#endif
