/* SPDX-License-Identifier: Apache-2.0 */
/* The table over DynamoDB (or what speaks its protocol): builds with dynamo/, signs with aws/, sends with http/, reads
 * with dynamo/. */
#include "table/dynamo_internal.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dynamo_service *dynamo_of(struct table *table)
{
    return (struct dynamo_service *)table;
}

/* ------------------------------------------------------------------------------------------------ one item */

static os_code build_one(struct table_op *op, const struct dynamo_target *target, os_error *err)
{
    const struct table_request *request = &op->request;
    struct dynamo_write write = {.item = request->item,
                                 .condition = request->condition,
                                 .changes = request->changes,
                                 .change_count = request->change_count};
    switch (request->verb) {
    case TABLE_PUT: return dynamo_build_put(target, &write, &op->call.http, &op->call.body, err);
    case TABLE_UPDATE: return dynamo_build_update(target, &write, &op->call.http, &op->call.body, err);
    case TABLE_DELETE: return dynamo_build_delete(target, &write, &op->call.http, &op->call.body, err);
    default: return dynamo_build_get(target, request->item, &op->call.http, &op->call.body, err);
    }
}

static enum table_outcome read_answer(const struct table_op *op, const struct http_response *response,
                                      struct dynamo_reading *ret)
{
    struct dynamo_about about = dynamo_about_of(op);
    os_error *err = &op->answer->error;
    switch (op->request.verb) {
    case TABLE_PUT: return dynamo_read_write(response, &about, DYNAMO_PUT, ret, err);
    case TABLE_UPDATE: return dynamo_read_write(response, &about, DYNAMO_UPDATE, ret, err);
    case TABLE_DELETE: return dynamo_read_write(response, &about, DYNAMO_DELETE, ret, err);
    default: return dynamo_read_get(response, &about, ret, err);
    }
}

static void read_one(struct table_op *op, const struct http_response *response)
{
    struct dynamo_reading reading;
    enum table_outcome outcome = read_answer(op, response, &reading);
    op->answer->foreign = reading.detail.foreign;
    op->answer->found = reading.found;
    op->answer->item = reading.found ? &reading.item : NULL;
    if (!dynamo_call_repeats(&op->call, &reading.detail))
        dynamo_op_finish(op, outcome);
    dynamo_reading_free(&reading);
}

static const struct dynamo_chain one_chain = {.build = build_one, .answered = read_one};

/* ------------------------------------------------------------------------------------------------ the interface */

static const struct dynamo_chain *chain_of(enum table_verb verb)
{
    switch (verb) {
    case TABLE_PUT:
    case TABLE_UPDATE:
    case TABLE_DELETE:
    case TABLE_GET: return &one_chain;
    case TABLE_LIST: return &dynamo_list_chain;
    case TABLE_REPLACE: return &dynamo_replace_chain;
    case TABLE_CREATE:
    case TABLE_CHECK: break;
    }
    return &dynamo_table_chain;
}

static struct table_op *dynamo_start(struct table *table, const struct table_request *request, table_done_fn done,
                                     void *context)
{
    return dynamo_op_start(dynamo_of(table), chain_of(request->verb), request, done, context);
}

static void dynamo_cancel(struct table *table, struct table_op *op)
{
    (void)table;
    dynamo_call_cancel(&op->call);
}

static void dynamo_free(struct table *table)
{
    struct dynamo_service *dynamo = dynamo_of(table);
    dynamo_connection_close(&dynamo->connection);
    free(dynamo->name);
    free(dynamo->reach);
    free(dynamo);
}

static const struct table_vtable dynamo_vtable = {
    .start = dynamo_start,
    .cancel = dynamo_cancel,
    .free = dynamo_free,
};

os_code dynamo_table_new(const struct table_config *config, struct table **ret, os_error *err)
{
    struct dynamo_service *service = calloc(1, sizeof(*service));
    if (service == NULL)
        return error_no_memory(err);
    service->name = strdup(config->name);
    service->reach = strdup(config->reach != NULL ? config->reach : "");
    bool is_open = dynamo_connection_open(&service->connection, config->loop, config->endpoint, config->credentials,
                                          config->stall_ms);
    if (service->name == NULL || service->reach == NULL || !is_open) {
        dynamo_connection_close(&service->connection);
        free(service->reach);
        free(service->name);
        free(service);
        return error_no_memory(err);
    }
    service->table.vtable = &dynamo_vtable;
    endpoint_hint("dynamodb", config->endpoint, service->hint);
    service->table.hint = service->hint;
    snprintf(service->where, sizeof(service->where), "table %.255s in %s", config->name, config->endpoint->region);
    *ret = &service->table;
    return OS_OK;
}
