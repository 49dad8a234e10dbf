/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger.h"

#include "ledger/record_item.h"

#include <stdlib.h>
#include <string.h>

struct ledger_op {
    struct table *table;
    enum ledger_verb verb;
    struct item item;
    struct item_condition condition;
    ledger_row_fn each;
    void *each_context;
    ledger_done_fn done;
    void *context;
    struct table_op *under_way;
};

/* ------------------------------------------------------------------------------------------------------- answers */

static enum ledger_outcome ledger_outcome_of(enum table_outcome outcome)
{
    switch (outcome) {
    case TABLE_OK: return LEDGER_OK;
    case TABLE_CONFLICT: return LEDGER_CONFLICT;
    case TABLE_CONFLICT_BLIND: return LEDGER_CONFLICT_BLIND;
    case TABLE_THROTTLED: return LEDGER_THROTTLED;
    case TABLE_REFUSED: return LEDGER_REFUSED;
    case TABLE_UNREADABLE: return LEDGER_UNREADABLE;
    case TABLE_AMBIGUOUS: break;
    }
    return LEDGER_AMBIGUOUS;
}

static void ledger_done(void *context, const struct table_answer *given)
{
    struct ledger_op *op = context;
    struct ledger_answer answer = {.outcome = ledger_outcome_of(given->outcome),
                                   .found = given->found && op->verb == LEDGER_GET,
                                   .foreign = given->foreign,
                                   .requests = given->requests,
                                   .error = given->error};
    if (given->found)
        record_from_item(given->item, &answer.record, answer.upload, answer.bucket);
    op->done(op->context, &answer);
    free(op);
}

static bool ledger_give_row(void *context, const struct table_row *row)
{
    struct ledger_op *op = context;
    char upload[RECORD_UPLOAD_SIZE] = "";
    char bucket[RECORD_BUCKET_SIZE] = "";
    struct ledger_row given = {.path = item_text_of(row->item, RECORD_AT_PATH),
                               .etag = item_text_of(row->item, RECORD_AT_ETAG),
                               .readable = row->readable,
                               .upload = upload,
                               .bucket = bucket,
                               .other = row->other,
                               .fault = row->fault};
    if (row->readable)
        record_from_item(row->item, &given.record, upload, bucket);
    return op->each(op->each_context, &given);
}

/* ------------------------------------------------------------------------------------------------------ requests */

static enum table_verb table_verb_of(enum ledger_verb verb)
{
    switch (verb) {
    case LEDGER_PUT: return TABLE_PUT;
    case LEDGER_GET: return TABLE_GET;
    case LEDGER_LIST: return TABLE_LIST;
    case LEDGER_DELETE: return TABLE_DELETE;
    case LEDGER_FIX: return TABLE_REPLACE;
    case LEDGER_CREATE_TABLE: return TABLE_CREATE;
    case LEDGER_CHECK_TABLE: break;
    }
    return TABLE_CHECK;
}

static bool is_about_one(enum ledger_verb verb)
{
    return verb == LEDGER_PUT || verb == LEDGER_GET || verb == LEDGER_DELETE || verb == LEDGER_FIX;
}

/* Makes the item and the condition, which last as long as the operation. */
static void fill(struct ledger_op *op, const struct ledger_request *request, struct table_request *ret)
{
    bool writes = request->verb == LEDGER_PUT || request->verb == LEDGER_FIX;
    *ret = (struct table_request){.verb = table_verb_of(request->verb),
                                  .schema = &record_schema,
                                  .item = is_about_one(request->verb) ? &op->item : NULL,
                                  .partition = request->verb == LEDGER_LIST ? request->path : NULL,
                                  .each = ledger_give_row,
                                  .each_context = op,
                                  .known_only = request->records_only,
                                  .deadline_monotonic_ms = request->deadline_monotonic_ms,
                                  .try_ms = request->try_ms};
    if (writes)
        record_to_item(request->path, request->etag, request->record, request->upload, request->bucket, &op->item);
    else
        record_key_item(request->path, request->etag, &op->item);
    if (request->verb == LEDGER_PUT || request->verb == LEDGER_DELETE) {
        record_condition_item(request->condition, &op->condition);
        ret->condition = &op->condition;
    }
}

struct ledger_op *ledger_start(struct table *table, const struct ledger_request *request, ledger_done_fn done,
                               void *context)
{
    struct ledger_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->table = table;
    op->verb = request->verb;
    op->each = request->each;
    op->each_context = request->each_context;
    op->done = done;
    op->context = context;
    struct table_request wanted;
    fill(op, request, &wanted);
    op->under_way = table->vtable->start(table, &wanted, ledger_done, op);
    if (op->under_way == NULL) {
        free(op);
        return NULL;
    }
    return op;
}

void ledger_cancel(struct ledger_op *op)
{
    op->table->vtable->cancel(op->table, op->under_way);
    free(op);
}
