/* SPDX-License-Identifier: Apache-2.0 */
/* Making and checking the table of a schema (E3). */
#include "table/dynamo_internal.h"

#include "base/container.h"
#include "base/error.h"
#include "dynamo/command.h"

#include <string.h>

static struct table_op *op_of(struct dynamo_preparing *preparing)
{
    return container_of(preparing, struct table_op, preparing);
}

static os_code dynamo_table_build(struct table_op *op, const struct dynamo_target *target, os_error *err)
{
    struct http_request *http = &op->call.http;
    struct buf *body = &op->call.body;
    switch (op->preparing.step) {
    case PREPARING_CREATE: return dynamo_build_create_table(target, http, body, err);
    case PREPARING_UPDATE_TTL: return dynamo_build_update_ttl(target, http, body, err);
    case PREPARING_DESCRIBE_TTL: return dynamo_build_describe_ttl(target, http, body, err);
    case PREPARING_DESCRIBE: break;
    }
    return dynamo_build_describe_table(target, http, body, err);
}

static enum table_outcome read_done(struct dynamo_preparing *preparing, const struct http_response *response,
                                    struct dynamo_error *ret_detail, os_error *err)
{
    const struct dynamo_about about = dynamo_about_of(op_of(preparing));
    return dynamo_read_done(response, &about, ret_detail, err);
}

static enum table_outcome read_table(struct dynamo_preparing *preparing, const struct http_response *response,
                                     struct preparing_found *ret, struct dynamo_error *ret_detail, os_error *err)
{
    struct table_op *op = op_of(preparing);
    const struct dynamo_about about = dynamo_about_of(op);
    enum table_outcome outcome = dynamo_read_table(response, &about, &ret->exists, &op->found, ret_detail, err);
    ret->is_active = ret->exists && strcmp(op->found.status, "ACTIVE") == 0;
    ret->may_expire = op->found.keys_ok;
    return outcome;
}

static enum table_outcome read_ttl(struct dynamo_preparing *preparing, const struct http_response *response,
                                   char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                   os_error *err)
{
    const struct dynamo_about about = dynamo_about_of(op_of(preparing));
    return dynamo_read_ttl(response, &about, ret_status, ret_attribute, ret_detail, err);
}

static os_code judge(struct dynamo_preparing *preparing, const char *ttl_status, const char *ttl_attribute,
                     os_error *err)
{
    struct table_op *op = op_of(preparing);
    const struct dynamo_about about = dynamo_about_of(op);
    return dynamo_judge_table(&about, &op->found, ttl_status, ttl_attribute, err);
}

static os_code say_missing(struct dynamo_preparing *preparing, os_error *err)
{
    const struct dynamo_about of = dynamo_about_of(op_of(preparing));
    const struct dynamo_command_about about = dynamo_command_of(&of);
    char command[DYNAMO_COMMAND_SIZE];
    dynamo_command(&about, "create", command);
    return error_set(err, OS_ERR_NO_TABLE, "There is no %s; create it with %s.", preparing->where, command);
}

static void finish(struct dynamo_preparing *preparing, enum table_outcome outcome)
{
    dynamo_op_finish(op_of(preparing), outcome);
}

static const struct dynamo_preparer preparer = {
    .read_done = read_done,
    .read_table = read_table,
    .read_ttl = read_ttl,
    .judge = judge,
    .say_missing = say_missing,
    .finish = finish,
};

static void dynamo_table_begin(struct table_op *op)
{
    op->preparing = (struct dynamo_preparing){
        .preparer = &preparer, .call = &op->call, .retry = &op->retry, .where = op->service->where};
    preparing_begin(&op->preparing, op->request.verb == TABLE_CREATE);
}

static void dynamo_table_answered(struct table_op *op, const struct http_response *response)
{
    preparing_answered(&op->preparing, response, &op->answer->foreign, &op->answer->error);
}

const struct dynamo_chain dynamo_table_chain = {
    .begin = dynamo_table_begin,
    .build = dynamo_table_build,
    .answered = dynamo_table_answered,
};
