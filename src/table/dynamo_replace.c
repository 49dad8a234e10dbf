/* SPDX-License-Identifier: Apache-2.0 */
/* An item that does not fit the schema is read, and replaced on the condition that it is still the same. */
#include "table/dynamo_internal.h"

static os_code dynamo_replace_build(struct table_op *op, const struct dynamo_target *target, os_error *err)
{
    if (op->step == STEP_REPLACE)
        return dynamo_build_replace(target, op->request.item, op->seen, &op->call.http, &op->call.body, err);
    return dynamo_build_get(target, op->request.item, &op->call.http, &op->call.body, err);
}

static void item_read(struct table_op *op, const struct http_response *response)
{
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_reading reading;
    enum table_outcome outcome = dynamo_read_unreadable(response, &about, &reading, &op->seen, &op->answer->error);
    op->answer->foreign = reading.detail.foreign;
    if (outcome == TABLE_UNREADABLE)
        dynamo_op_next(op, STEP_REPLACE);
    else if (outcome == TABLE_OK)
        dynamo_op_finish(op, reading.found ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND);
    else if (!dynamo_call_repeats(&op->call, &reading.detail))
        dynamo_op_finish(op, outcome);
    dynamo_reading_free(&reading);
}

static void dynamo_replace_answered(struct table_op *op, const struct http_response *response)
{
    if (op->step != STEP_REPLACE) {
        item_read(op, response);
        return;
    }
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_reading reading;
    enum table_outcome outcome = dynamo_read_write(response, &about, DYNAMO_PUT, &reading, &op->answer->error);
    if (!dynamo_call_repeats(&op->call, &reading.detail))
        dynamo_op_finish(op, outcome);
    dynamo_reading_free(&reading);
}

const struct dynamo_chain dynamo_replace_chain = {.build = dynamo_replace_build, .answered = dynamo_replace_answered};
