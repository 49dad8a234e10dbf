/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the DynamoDB table share. Nobody but dynamo*.c includes this. */
#ifndef OSCOMMIT_TABLE_DYNAMO_INTERNAL_H
#define OSCOMMIT_TABLE_DYNAMO_INTERNAL_H

#include "dynamo/request.h"
#include "dynamo/table.h"
#include "loop/retry.h"
#include "table/dynamo_call.h"
#include "table/dynamo_preparing.h"
#include "table/table.h"

struct dynamo_service {
    struct table table;
    struct dynamo_connection connection;
    char *name;
    char *reach; /* table_config */
    char hint[ENDPOINT_HINT_SIZE];
    char where[400]; /* "table NAME in REGION", for sentences */
};

/* Which request of an operation is under way. */
enum dynamo_step { STEP_ONLY = 0, STEP_REPLACE };

/* How much of a list one request asks for: less where the answer was too large to be read. */
enum list_width { LIST_PAGES = 0, LIST_ONE, LIST_ONE_KNOWN, LIST_ONE_KEY };

struct table_op;

/* What the requests of one verb are, and who reads their answers. */
struct dynamo_chain {
    void (*begin)(struct table_op *op); /* before the first request; NULL: nothing is to be done */
    os_code (*build)(struct table_op *op, const struct dynamo_target *target, os_error *err);
    void (*answered)(struct table_op *op, const struct http_response *response);
    /* No whole answer. NULL: `outcome` ends the operation. */
    void (*unanswered)(struct table_op *op, const struct http_result *result, enum table_outcome outcome);
};

struct table_op {
    struct dynamo_service *service;
    const struct dynamo_chain *chain;
    struct table_request request;
    table_done_fn done;
    void *context;
    struct dynamo_call call;
    enum dynamo_step step;
    char *seen;                        /* REPLACE: the item, as JSON */
    char *start_key;                   /* LIST: of the page under way */
    uint32_t page_failures;            /* LIST: in a row */
    enum list_width width;             /* LIST: of the page under way */
    struct dynamo_preparing preparing; /* CREATE, CHECK */
    struct dynamo_table found;
    struct retry retry;
    struct table_answer *answer; /* of the one that was answered last, while that is looked at */
};

/* For the sentences about an answer. */
static inline struct dynamo_about dynamo_about_of(const struct table_op *op)
{
    return (struct dynamo_about){.where = op->service->where,
                                 .schema = op->request.schema,
                                 .key = op->request.item,
                                 .table = op->service->name,
                                 .reach = op->service->reach};
}

/* dynamo_op.c */
struct table_op *dynamo_op_start(struct dynamo_service *service, const struct dynamo_chain *chain,
                                 const struct table_request *request, table_done_fn done, void *context);
void dynamo_op_finish(struct table_op *op, enum table_outcome outcome); /* op is gone then */
void dynamo_op_next(struct table_op *op, enum dynamo_step step);        /* the next request of the same operation */

extern const struct dynamo_chain dynamo_list_chain;    /* dynamo_list.c */
extern const struct dynamo_chain dynamo_replace_chain; /* dynamo_replace.c */
extern const struct dynamo_chain dynamo_table_chain;   /* dynamo_table.c */

#endif
