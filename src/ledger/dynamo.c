/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger over DynamoDB (or what speaks its protocol): builds with dynamo/, signs with aws/, sends with http/, reads
 * with dynamo/. */
#include "ledger/dynamo_internal.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dynamo_ledger *dynamo_of(struct ledger *ledger)
{
    return (struct dynamo_ledger *)ledger;
}

/* ------------------------------------------------------------------------------------------------ one record */

static os_code build_record(struct ledger_op *op, const struct dynamo_target *target, os_error *err)
{
    const struct ledger_request *request = &op->request;
    struct dynamo_key key = dynamo_key_of(op);
    struct dynamo_write write = {.record = request->record,
                                 .upload = request->upload,
                                 .bucket = request->bucket,
                                 .condition = request->condition};
    switch (request->verb) {
    case LEDGER_PUT: return dynamo_build_put(target, &key, &write, &op->http, &op->body, err);
    case LEDGER_DELETE: return dynamo_build_delete(target, &key, request->condition, &op->http, &op->body, err);
    default: return dynamo_build_get(target, &key, &op->http, &op->body, err);
    }
}

static void read_record(struct ledger_op *op, const struct http_response *response)
{
    struct dynamo_about about = dynamo_about_of(op);
    struct ledger_answer *answer = op->answer;
    struct dynamo_error detail;
    enum ledger_outcome outcome;
    if (op->request.verb == LEDGER_PUT)
        outcome = dynamo_read_put(response, &about, &answer->record, answer->upload, &detail, &answer->error);
    else if (op->request.verb == LEDGER_DELETE)
        outcome = dynamo_read_delete(response, &about, &answer->record, answer->upload, &detail, &answer->error);
    else
        outcome =
            dynamo_read_get(response, &about, &answer->found, &answer->record, answer->upload, &detail, &answer->error);
    answer->foreign = detail.foreign;
    if (outcome == LEDGER_CONFLICT)
        dynamo_read_bucket(response, answer->bucket);
    if (!dynamo_op_repeats(op, &detail, response))
        dynamo_op_finish(op, outcome);
}

static const struct dynamo_chain record_chain = {.build = build_record, .answered = read_record};

/* ------------------------------------------------------------------------------------------------ the interface */

static const struct dynamo_chain *chain_of(enum ledger_verb verb)
{
    switch (verb) {
    case LEDGER_PUT:
    case LEDGER_GET:
    case LEDGER_DELETE: return &record_chain;
    case LEDGER_LIST: return &dynamo_list_chain;
    case LEDGER_FIX: return &dynamo_fix_chain;
    case LEDGER_CREATE_TABLE: return &dynamo_create_chain;
    case LEDGER_CHECK_TABLE: break;
    }
    return &dynamo_check_chain;
}

static struct ledger_op *dynamo_start(struct ledger *ledger, const struct ledger_request *request, ledger_done_fn done,
                                      void *context)
{
    return dynamo_op_start(dynamo_of(ledger), chain_of(request->verb), request, done, context);
}

static void dynamo_cancel(struct ledger *ledger, struct ledger_op *op)
{
    (void)ledger;
    dynamo_op_cancel(op);
}

static void dynamo_free(struct ledger *ledger)
{
    struct dynamo_ledger *dynamo = dynamo_of(ledger);
    credentials_free(dynamo->credentials);
    sigv4_signer_free(dynamo->signer);
    free(dynamo->table);
    free(dynamo);
}

static const struct ledger_vtable dynamo_vtable = {
    .start = dynamo_start,
    .cancel = dynamo_cancel,
    .free = dynamo_free,
};

os_code dynamo_ledger_new(const struct ledger_config *config, struct ledger **ret, os_error *err)
{
    struct dynamo_ledger *ledger = calloc(1, sizeof(*ledger));
    if (ledger == NULL)
        return error_no_memory(err);
    ledger->table = strdup(config->table);
    ledger->signer = sigv4_signer_new(config->endpoint->region, "dynamodb");
    if (ledger->table == NULL || ledger->signer == NULL) {
        sigv4_signer_free(ledger->signer);
        free(ledger->table);
        free(ledger);
        return error_no_memory(err);
    }
    ledger->ledger.vtable = &dynamo_vtable;
    ledger->loop = config->loop;
    ledger->endpoint = *config->endpoint;
    ledger->credentials = config->credentials;
    ledger->stall_ms = config->stall_ms;
    endpoint_hint("dynamodb", config->endpoint, ledger->hint);
    ledger->ledger.hint = ledger->hint;
    snprintf(ledger->where, sizeof(ledger->where), "table %.255s in %s", config->table, config->endpoint->region);
    *ret = &ledger->ledger;
    return OS_OK;
}
