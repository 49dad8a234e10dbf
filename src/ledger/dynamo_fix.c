/* SPDX-License-Identifier: Apache-2.0 */
/* An item that is no record is read, and replaced by a record on the condition that it is still the same. */
#include "ledger/dynamo_internal.h"

static os_code dynamo_fix_build(struct ledger_op *op, const struct dynamo_target *target, os_error *err)
{
    struct dynamo_key key = dynamo_key_of(op);
    if (op->step == STEP_FIX)
        return dynamo_build_fix(target, &key, op->request.record, op->seen, &op->http, &op->body, err);
    return dynamo_build_get(target, &key, &op->http, &op->body, err);
}

static void item_read(struct ledger_op *op, const struct http_response *response)
{
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_error detail;
    bool found = false;
    enum ledger_outcome outcome =
        dynamo_read_unreadable(response, &about, &found, &op->seen, &detail, &op->answer->error);
    op->answer->foreign = detail.foreign;
    if (outcome == LEDGER_UNREADABLE)
        dynamo_op_next(op, STEP_FIX);
    else if (outcome == LEDGER_OK)
        dynamo_op_finish(op, found ? LEDGER_CONFLICT : LEDGER_CONFLICT_BLIND);
    else if (!dynamo_op_repeats(op, &detail, response))
        dynamo_op_finish(op, outcome);
}

static void dynamo_fix_answered(struct ledger_op *op, const struct http_response *response)
{
    struct dynamo_error detail;
    if (op->step != STEP_FIX) {
        item_read(op, response);
        return;
    }
    struct dynamo_about about = dynamo_about_of(op);
    enum ledger_outcome outcome =
        dynamo_read_put(response, &about, &op->answer->record, op->answer->upload, &detail, &op->answer->error);
    if (!dynamo_op_repeats(op, &detail, response))
        dynamo_op_finish(op, outcome);
}

const struct dynamo_chain dynamo_fix_chain = {.build = dynamo_fix_build, .answered = dynamo_fix_answered};
