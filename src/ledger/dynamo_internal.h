/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the DynamoDB ledger share. Nobody but dynamo*.c includes this. */
#ifndef OSCOMMIT_LEDGER_DYNAMO_INTERNAL_H
#define OSCOMMIT_LEDGER_DYNAMO_INTERNAL_H

#include "aws/credentials.h"
#include "aws/sigv4.h"
#include "dynamo/request.h"
#include "dynamo/response.h"
#include "dynamo/table.h"
#include "ledger/ledger.h"
#include "loop/retry.h"

struct dynamo_ledger {
    struct ledger ledger;
    struct loop *loop;
    struct endpoint endpoint;
    char *table;
    char hint[ENDPOINT_HINT_SIZE];
    char where[400]; /* "table NAME in REGION", for sentences */
    struct credentials *credentials;
    struct sigv4_signer *signer;
    int64_t skew_s; /* the service's clock minus ours (E2) */
    uint64_t stall_ms;
};

/* Which request of an operation is under way. */
enum dynamo_step { STEP_ONLY = 0, STEP_CREATE, STEP_DESCRIBE, STEP_UPDATE_TTL, STEP_DESCRIBE_TTL, STEP_FIX };

/* How much of a list one request asks for: less where the answer was too large to be read. */
enum list_width { LIST_PAGES = 0, LIST_ONE, LIST_ONE_RECORD, LIST_ONE_KEY };

struct ledger_op;

/* What the requests of one verb are, and who reads their answers. */
struct dynamo_chain {
    os_code (*build)(struct ledger_op *op, const struct dynamo_target *target, os_error *err);
    void (*answered)(struct ledger_op *op, const struct http_response *response);
    /* No whole answer. NULL: `outcome` ends the operation. */
    void (*unanswered)(struct ledger_op *op, const struct http_result *result, enum ledger_outcome outcome);
    enum dynamo_step first;
};

struct ledger_op {
    struct dynamo_ledger *ledger;
    const struct dynamo_chain *chain;
    struct ledger_request request;
    ledger_done_fn done;
    void *context;
    struct http_request http;
    struct buf body;
    uint64_t http_id;
    enum dynamo_step step;
    bool repeated;
    bool posted; /* failed_job is on its way */
    bool cancelled;
    char *seen;             /* MEND: the item, as JSON */
    char *start_key;        /* LIST: of the page under way */
    uint32_t page_failures; /* LIST: in a row */
    enum list_width width;  /* LIST: of the page under way */
    struct dynamo_table found;
    struct retry retry;
    struct loop_job failed_job;
    os_error *failed;             /* why nothing was sent; NULL: no memory */
    uint32_t requests;            /* sent */
    struct ledger_answer *answer; /* of the one that was answered last, while that is looked at */
};

/* Its record, for a request; and for the sentences about an answer. */
static inline struct dynamo_key dynamo_key_of(const struct ledger_op *op)
{
    return (struct dynamo_key){.path = op->request.path, .etag = op->request.etag};
}

static inline struct dynamo_about dynamo_about_of(const struct ledger_op *op)
{
    return (struct dynamo_about){.where = op->ledger->where, .path = op->request.path, .etag = op->request.etag};
}

/* dynamo_op.c */
struct ledger_op *dynamo_op_start(struct dynamo_ledger *ledger, const struct dynamo_chain *chain,
                                  const struct ledger_request *request, ledger_done_fn done, void *context);
void dynamo_op_cancel(struct ledger_op *op);
void dynamo_op_finish(struct ledger_op *op, enum ledger_outcome outcome); /* op is gone then */
void dynamo_op_next(struct ledger_op *op, enum dynamo_step step);         /* the next request of the same operation */
/* A definite answer that asks for exactly one repetition (E2), which is under way then. */
bool dynamo_op_repeats(struct ledger_op *op, const struct dynamo_error *detail, const struct http_response *response);

extern const struct dynamo_chain dynamo_list_chain;   /* dynamo_list.c */
extern const struct dynamo_chain dynamo_fix_chain;    /* dynamo_fix.c */
extern const struct dynamo_chain dynamo_create_chain; /* dynamo_table.c */
extern const struct dynamo_chain dynamo_check_chain;

#endif
