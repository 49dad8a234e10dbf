/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of records, page after page. A page that failed is asked for again: a partition may have so many that reading
 * it from the beginning would never end. One that is too large to be read is asked for item by item, and such an item
 * without what others have put into it.
 */
#include "table/dynamo_internal.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE_FAILURES_MOST = 5 /* in a row; throttling is not counted (E1) */ };

static os_code dynamo_list_build(struct table_op *op, const struct dynamo_target *target, os_error *err)
{
    struct dynamo_page page = {

        .partition = op->request.partition, .start_key = op->start_key, .limit = op->width == LIST_PAGES ? 0 : 1};
    if (op->width == LIST_ONE_KEY)
        page.attributes = DYNAMO_KEY_ATTRIBUTES;
    else if (op->width == LIST_ONE_KNOWN || op->request.known_only)
        page.attributes = DYNAMO_KNOWN_ATTRIBUTES;
    return dynamo_build_list(target, &page, &op->call.http, &op->call.body, err);
}

static bool dynamo_list_give_row(void *context, const struct dynamo_row *row)
{
    struct table_op *op = context;
    struct table_row given = {.readable = row->readable, .item = &row->item, .other = row->other, .fault = row->fault};
    char too_large[64];
    if (op->width >= LIST_ONE_KNOWN)
        given.other = "\"too large to be shown\"";
    if (op->width == LIST_ONE_KEY) {
        snprintf(too_large, sizeof(too_large), "It is too large to be a %.32s.", op->request.schema->words.what);
        given.fault = too_large;
    }
    return op->request.each(op->request.each_context, &given);
}

static bool asks_for_less(struct table_op *op, bool too_large)
{
    if (!too_large || op->width == LIST_ONE_KEY)
        return false;
    op->width++;
    dynamo_op_next(op, STEP_ONLY);
    return true;
}

/* The first page's failure is told: whoever asks has a better view of a table that cannot be reached. */
static void page_failed(struct table_op *op, enum table_outcome outcome)
{
    bool throttled = op->answer->error.code == OS_ERR_THROTTLED;
    bool passing = outcome == TABLE_AMBIGUOUS || outcome == TABLE_THROTTLED;
    op->page_failures += throttled ? 0 : 1;
    if (op->start_key != NULL && passing && op->page_failures < PAGE_FAILURES_MOST)
        retry_later(&op->retry);
    else
        dynamo_op_finish(op, outcome);
}

static void dynamo_list_unanswered(struct table_op *op, const struct http_result *result, enum table_outcome outcome)
{
    bool too_large = result->code == OS_ERR_PROTOCOL && result->answered_in_part;
    if (!asks_for_less(op, too_large))
        page_failed(op, outcome);
}

static void page_read(struct table_op *op, char *last_key)
{
    op->page_failures = 0;
    op->width = LIST_PAGES;
    backoff_restart(&op->retry.backoff);
    free(op->start_key);
    op->start_key = last_key;
    if (last_key)
        dynamo_op_next(op, STEP_ONLY);
    else
        dynamo_op_finish(op, TABLE_OK);
}

static void dynamo_list_answered(struct table_op *op, const struct http_response *response)
{
    struct dynamo_about about = dynamo_about_of(op);
    struct dynamo_error detail;
    char *last_key = NULL;
    enum table_outcome outcome =
        dynamo_read_list(response, &about, dynamo_list_give_row, op, &last_key, &detail, &op->answer->error);
    if (outcome == TABLE_OK) {
        page_read(op, last_key);
        return;
    }
    op->answer->foreign = detail.foreign;
    if (!asks_for_less(op, detail.too_large) && !dynamo_call_repeats(&op->call, &detail))
        page_failed(op, outcome);
}

const struct dynamo_chain dynamo_list_chain = {
    .build = dynamo_list_build,
    .answered = dynamo_list_answered,
    .unanswered = dynamo_list_unanswered,
};
