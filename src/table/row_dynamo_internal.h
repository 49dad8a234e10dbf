/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the rows at DynamoDB share. Nobody but row_dynamo*.c includes this. */
#ifndef OSCOMMIT_TABLE_ROW_DYNAMO_INTERNAL_H
#define OSCOMMIT_TABLE_ROW_DYNAMO_INTERNAL_H

#include "dynamo/rows_table.h"
#include "loop/retry.h"
#include "table/dynamo_call.h"
#include "table/dynamo_preparing.h"
#include "table/row_service.h"

struct row_op {
    struct dynamo_call call;
    struct row_request request;
    row_done_fn done;
    void *context;
    struct row_answer answer;
    struct retry retry; /* of what a batch has left, and of a table that is not ACTIVE yet */
    size_t batch_most;  /* keys of one request: fewer where the answer was too much to be read */
    uint32_t page_most; /* items of a page, in the same way */
    char where[400];    /* "table NAME in REGION", for sentences */
    struct dynamo_preparing preparing;
    struct rows_described *described;                              /* CREATE, CHECK */
    void (*finish)(struct row_op *op, enum table_outcome outcome); /* of both; op is gone then */
};

/* row_dynamo_table.c: CREATE and CHECK. */
bool row_table_begin(struct row_op *op); /* false: out of memory */
void row_table_end(struct row_op *op);   /* also of an operation that is another */
os_code row_table_build(struct row_op *op, os_error *err);

#endif
