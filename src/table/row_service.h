/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of items of any attributes (rows/), as table.h is for those of a schema: asked at DynamoDB over the HTTP engine
 * (row_dynamo.c), or in the embedded file (row_sqlite.c). Asynchronous by shape, on the loop's thread. Knows nothing of
 * what the items mean.
 */
#ifndef OSCOMMIT_TABLE_ROW_SERVICE_H
#define OSCOMMIT_TABLE_ROW_SERVICE_H

#include "rows/answer.h"
#include "rows/definition.h"
#include "table/table.h"

enum row_verb {
    ROW_READ = 1, /* some items by their keys */
    ROW_WRITE,    /* one, alone */
    ROW_TRANSACT, /* several, or none */
    ROW_LIST,     /* one page */
    ROW_CREATE,   /* makes a table, and waits until it can be used; the same again with the same definition is fine */
    ROW_CHECK     /* whether it is there with this definition, and can be used */
};

/* Everything borrowed until `done` or cancel. */
struct row_request {
    enum row_verb verb;
    const struct rows_get *gets; /* READ */
    size_t get_count;
    bool is_snapshot; /* READ: all of them at one instant; else each at its own */
    const struct rows_write *write;
    const struct rows_transaction *transaction;
    const struct rows_list *list;
    const char *table; /* CREATE, CHECK */
    const struct rows_definition *definition;
    /* No layer below sends it a second time (L9). So it is with WRITE anyway: what comes twice would find itself in its way,
     * or count twice. */
    bool once;
    uint64_t deadline_monotonic_ms; /* UINT64_MAX: none */
    uint64_t try_ms;                /* each of the requests that it takes; 0: until the deadline */
};

struct row_answer { /* borrowed for the callback; what is in it may be taken away, and replaced by NULL */
    enum table_outcome outcome;
    struct rows_items items;     /* READ: none is left */
    struct rows_page page;       /* LIST */
    json_t *item;                /* WRITE: what was to be returned; with CONFLICT: what is in the way. Or NULL */
    struct rows_answer *answers; /* TRANSACT: one for each write; or NULL */
    size_t answer_count;
    bool foreign;      /* something answered that is no DynamoDB */
    uint32_t requests; /* how many requests it took */
    bool has_date;     /* of the answer: when the service made it, by its own clock */
    int64_t date_s;
    os_error error; /* for every outcome but OK and the conflicts; CREATE, CHECK: with OK a remark, or "" */
};
void row_answer_free(struct row_answer *answer);
/* For what TRANSACT is answered with, however many writes it has: that they are too many is said in a sentence. False: out of
 * memory. */
bool row_answer_make_room(struct row_answer *answer, const struct row_request *request);

typedef void (*row_done_fn)(void *context, struct row_answer *answer);

struct row_op;
struct row_service {
    const struct row_service_vtable *vtable;
};
struct row_service_vtable {
    /* NULL when out of memory. One quiet repetition as table.h has it, and what a read left is asked for again, in parts
     * where it is too much for one answer, as is a page, which has fewer items then; nothing else. */
    struct row_op *(*start)(struct row_service *service, const struct row_request *request, row_done_fn done,
                            void *context);
    /* True: the operation has changed nothing, and will not. `err` says what it waited for, where that is known; else it
     * stays as it is. */
    bool (*cancel)(struct row_service *service, struct row_op *op, os_error *err);
    void (*free)(struct row_service *service);
};

/* As the service names the request: "TransactWriteItems". */
const char *row_request_name(const struct row_request *request);

/* Of `config`, the name is that of the file for SQLite, and nothing else for DynamoDB: each request names its tables. */
os_code row_dynamo_new(const struct table_config *config, struct row_service **ret, os_error *err);
os_code row_sqlite_new(const struct table_config *config, struct row_service **ret, os_error *err);

#endif
