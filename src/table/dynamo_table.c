/* SPDX-License-Identifier: Apache-2.0 */
/* Making and checking the table (E3): a chain of requests, and waiting until it is ACTIVE. */
#include "table/dynamo_internal.h"

#include "base/error.h"
#include "dynamo/command.h"

#include <string.h>

static os_code dynamo_table_build(struct table_op *op, const struct dynamo_target *target, os_error *err)
{
    switch (op->step) {
    case STEP_CREATE: return dynamo_build_create_table(target, &op->call.http, &op->call.body, err);
    case STEP_UPDATE_TTL: return dynamo_build_update_ttl(target, &op->call.http, &op->call.body, err);
    case STEP_DESCRIBE_TTL: return dynamo_build_describe_ttl(target, &op->call.http, &op->call.body, err);
    default: return dynamo_build_describe_table(target, &op->call.http, &op->call.body, err);
    }
}

static void wait_and_ask_again(struct table_op *op, enum dynamo_step step)
{
    struct clock_reading now;
    clock_read(&now);
    op->step = step;
    if (now.monotonic_ms >= op->request.deadline_monotonic_ms) {
        error_set(&op->answer->error, OS_ERR_DEADLINE,
                  "The %s did not become ACTIVE before the deadline; check it again later.", op->service->where);
        dynamo_op_finish(op, TABLE_REFUSED);
        return;
    }
    retry_later(&op->retry);
}

static void described(struct table_op *op, bool exists)
{
    bool creating = op->request.verb == TABLE_CREATE;
    bool active = exists && strcmp(op->found.status, "ACTIVE") == 0;
    if (creating && !active) {
        wait_and_ask_again(op, STEP_DESCRIBE);
    } else if (!exists) {
        const struct dynamo_about of = dynamo_about_of(op);
        const struct dynamo_command_about about = dynamo_command_of(&of);
        char command[DYNAMO_COMMAND_SIZE];
        dynamo_command(&about, "create", command);
        error_set(&op->answer->error, OS_ERR_NO_TABLE, "There is no %s; create it with %s.", op->service->where,
                  command);
        dynamo_op_finish(op, TABLE_REFUSED);
    } else {
        dynamo_op_next(op, creating && op->found.keys_ok ? STEP_UPDATE_TTL : STEP_DESCRIBE_TTL);
    }
}

static void read_ttl(struct table_op *op, const struct http_response *response)
{
    char status[DYNAMO_TTL_STATUS_SIZE] = "";
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE] = "";
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_error detail;
    os_error *err = &op->answer->error;
    enum table_outcome outcome = dynamo_read_ttl(response, &about, status, attribute, &detail, err);
    op->answer->foreign = detail.foreign;
    bool no_api = outcome == TABLE_REFUSED && err->code == OS_ERR_UNSUPPORTED;
    if (outcome != TABLE_OK && !no_api) {
        if (!dynamo_call_repeats(&op->call, &detail))
            dynamo_op_finish(op, outcome);
        return;
    }
    os_code code = dynamo_judge_table(&about, &op->found, no_api ? NULL : status, attribute, err);
    dynamo_op_finish(op, code == OS_OK ? TABLE_OK : TABLE_REFUSED);
}

static void read_done(struct table_op *op, const struct http_response *response, enum dynamo_step next)
{
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_error detail;
    enum table_outcome outcome = dynamo_read_done(response, &about, &detail, &op->answer->error);
    op->answer->foreign = detail.foreign;
    bool no_ttl_api = op->step == STEP_UPDATE_TTL && op->answer->error.code == OS_ERR_UNSUPPORTED;
    if (outcome == TABLE_OK || no_ttl_api)
        dynamo_op_next(op, next);
    else if (outcome == TABLE_THROTTLED)
        wait_and_ask_again(op, op->step);
    else if (!dynamo_call_repeats(&op->call, &detail))
        dynamo_op_finish(op, outcome);
}

static void dynamo_table_answered(struct table_op *op, const struct http_response *response)
{
    switch (op->step) {
    case STEP_CREATE: read_done(op, response, STEP_DESCRIBE); return;
    case STEP_UPDATE_TTL: read_done(op, response, STEP_DESCRIBE_TTL); return;
    case STEP_DESCRIBE_TTL: read_ttl(op, response); return;
    default: break;
    }
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_error detail;
    bool exists = false;
    enum table_outcome outcome = dynamo_read_table(response, &about, &exists, &op->found, &detail, &op->answer->error);
    op->answer->foreign = detail.foreign;
    if (outcome == TABLE_OK)
        described(op, exists);
    else if (!dynamo_call_repeats(&op->call, &detail))
        dynamo_op_finish(op, outcome);
}

const struct dynamo_chain dynamo_create_chain = {
    .build = dynamo_table_build,
    .answered = dynamo_table_answered,
    .first = STEP_CREATE,
};

const struct dynamo_chain dynamo_check_chain = {
    .build = dynamo_table_build,
    .answered = dynamo_table_answered,
    .first = STEP_DESCRIBE,
};
