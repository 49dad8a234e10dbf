/* SPDX-License-Identifier: Apache-2.0 */
/* A call on documents, step after step (client/steps.h): what the parts of this folder share. */
#ifndef OSCOMMIT_PERSISTENCE_CALL_H
#define OSCOMMIT_PERSISTENCE_CALL_H

#include "client/row_set.h"
#include "document/document_item.h"
#include "persistence/persistence.h"

/* The caller's os_document_store over the defaults. */
struct persistence_store {
    struct rows_table table; /* its name is borrowed */
    os_document_models models;
    enum document_spelling spelling;
    uint32_t max_read_batch;
    uint32_t parallelism;
    bool keeps_all;
    bool together; /* W4; false also where that would not help */
};

struct persistence {
    struct steps steps;
    persistence_step_fn step; /* the next one */
    os_client *client;
    const struct persistence_arguments *arguments;
    os_code code; /* what came of it */
    os_error error;
    os_call call; /* the caller's */
    uint64_t deadline_monotonic_ms;
    struct persistence_store store;
    struct row_set set;                     /* what is waited for; its calls are own */
    void *work;                             /* of the parts; own */
    void (*drop)(struct persistence *call); /* what `work` has; NULL: nothing */
};

/* The caller's arguments that all functions have; the time of the call begins now. */
os_code persistence_begin(struct persistence *call);

/* The ends of a step: the call is over, with what call->error says unless it is OS_OK ... */
enum steps_next persistence_over(struct persistence *call, os_code code);
/* ... or requests go to the table, `count` of them, which persistence_calls has made; when all are over, `next` comes. */
enum steps_next persistence_ask(struct persistence *call, persistence_step_fn next);
/* Room for requests, in place of those before. NULL: out of memory. */
struct row_call *persistence_calls(struct persistence *call, size_t count, const char *name);

/* Adds to call->error of which document it is, where that is the trouble. Returns `code`. */
os_code persistence_about(struct persistence *call, os_code code, const char *id, const char *name);

/* The kinds of items that a document has, in the order in which they are kept: reported, desired. Returns how many. */
size_t persistence_kinds(const struct persistence_store *store, enum document_kind ret[2]);

#endif
