/* SPDX-License-Identifier: Apache-2.0 */
/* Making and checking a table of items of any attributes at DynamoDB. */
#include "table/row_dynamo_internal.h"

#include "base/container.h"
#include "base/error.h"
#include "dynamo/request.h"
#include "dynamo/rows_request.h"

#include <stdlib.h>
#include <string.h>

static struct row_op *op_of(struct dynamo_preparing *preparing)
{
    return container_of(preparing, struct row_op, preparing);
}

/* ------------------------------------------------------------------------------------------------ requests */

/* A definition that none can be is said before anything is sent. */
static os_code build_describe(struct row_op *op, os_error *err)
{
    const struct dynamo_target target = {.endpoint = &op->call.connection->endpoint, .table = op->request.table};
    os_code code = rows_definition_check(op->request.definition, err);
    return code == OS_OK ? dynamo_build_describe_table(&target, &op->call.http, &op->call.body, err) : code;
}

os_code row_table_build(struct row_op *op, os_error *err)
{
    const struct endpoint *endpoint = &op->call.connection->endpoint;
    const struct rows_definition *definition = op->request.definition;
    const char *table = op->request.table;
    struct http_request *http = &op->call.http;
    struct buf *body = &op->call.body;
    switch (op->preparing.step) {
    case PREPARING_CREATE: return rows_build_create_table(endpoint, table, definition, http, body, err);
    case PREPARING_UPDATE_TTL: return rows_build_update_ttl(endpoint, table, definition->ttl, http, body, err);
    case PREPARING_DESCRIBE_TTL:
        return dynamo_build_describe_ttl(&(struct dynamo_target){.endpoint = endpoint, .table = table}, http, body,
                                         err);
    case PREPARING_DESCRIBE: break;
    }
    return build_describe(op, err);
}

/* ------------------------------------------------------------------------------------------------ answers */

static enum table_outcome read_done(struct dynamo_preparing *preparing, const struct http_response *response,
                                    struct dynamo_error *ret_detail, os_error *err)
{
    const char *operation = preparing->step == PREPARING_CREATE ? "CreateTable" : "UpdateTimeToLive";
    return rows_read_done(response, operation, preparing->where, ret_detail, err);
}

/* A table that is there with another definition is left as it is. */
static bool may_expire(const struct row_op *op)
{
    char difference[512];
    struct rows_definition found = op->described->definition;
    found.ttl = op->request.definition->ttl;
    return found.ttl != NULL && rows_definition_difference(&found, op->request.definition, difference) == NULL;
}

static enum table_outcome read_table(struct dynamo_preparing *preparing, const struct http_response *response,
                                     struct preparing_found *ret, struct dynamo_error *ret_detail, os_error *err)
{
    struct row_op *op = op_of(preparing);
    rows_described_free(op->described);
    enum table_outcome outcome = rows_read_table(response, op->where, op->described, ret_detail, err);
    ret->exists = op->described->table != NULL;
    ret->is_active = ret->exists && strcmp(op->described->status, "ACTIVE") == 0;
    ret->may_expire = outcome == TABLE_OK && ret->exists && may_expire(op);
    return outcome;
}

static enum table_outcome read_ttl(struct dynamo_preparing *preparing, const struct http_response *response,
                                   char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                   os_error *err)
{
    return rows_read_ttl(response, preparing->where, ret_status, ret_attribute, ret_detail, err);
}

static os_code judge(struct dynamo_preparing *preparing, const char *ttl_status, const char *ttl_attribute,
                     os_error *err)
{
    struct row_op *op = op_of(preparing);
    return rows_judge_table(op->where, op->request.definition, op->described, ttl_status, ttl_attribute, err);
}

static os_code say_missing(struct dynamo_preparing *preparing, os_error *err)
{
    return error_set(err, OS_ERR_NO_TABLE,
                     "There is no %s. Create it, or correct its name, the region or the endpoint.", preparing->where);
}

static void finish(struct dynamo_preparing *preparing, enum table_outcome outcome)
{
    struct row_op *op = op_of(preparing);
    op->finish(op, outcome);
}

static const struct dynamo_preparer preparer = {
    .read_done = read_done,
    .read_table = read_table,
    .read_ttl = read_ttl,
    .judge = judge,
    .say_missing = say_missing,
    .finish = finish,
};

/* ------------------------------------------------------------------------------------------------ the whole */

bool row_table_begin(struct row_op *op)
{
    op->preparing =
        (struct dynamo_preparing){.preparer = &preparer, .call = &op->call, .retry = &op->retry, .where = op->where};
    preparing_begin(&op->preparing, op->request.verb == ROW_CREATE);
    op->described = calloc(1, sizeof(*op->described));
    return op->described != NULL;
}

void row_table_end(struct row_op *op)
{
    if (op->described != NULL)
        rows_described_free(op->described);
    free(op->described);
    op->described = NULL;
}
