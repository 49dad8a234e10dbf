/* SPDX-License-Identifier: Apache-2.0 */
#include "client/ledger_call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/absence.h"
#include "client/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ledger_call_finish(struct ledger_call *call)
{
    op_end(&call->op);
    sync_finish(&call->sync);
}

static void ledger_call_done(void *context, const struct ledger_answer *answer)
{
    struct ledger_call *call = context;
    call->under_way = NULL;
    call->answer = *answer;
    if (answer->outcome == LEDGER_THROTTLED && answer->error.code == OS_ERR_THROTTLED && !call->given) { /* E1 */
        op_pause(&call->op);
        return;
    }
    client_note_request(call->client, "table", "", &call->sent, answer->error.http_status, answer->error.code);
    ledger_call_finish(call);
}

static void ledger_call_refuse(struct ledger_call *call)
{
    call->answer.outcome = LEDGER_REFUSED;
    error_no_memory(&call->answer.error);
    ledger_call_finish(call);
}

static void ledger_call_attempt(struct op *op)
{
    struct ledger_call *call = container_of(op, struct ledger_call, op);
    struct table *ledger = call->client->ledger;
    call->request.deadline_monotonic_ms = op->deadline_monotonic_ms;
    clock_read(&call->sent);
    call->under_way = ledger_start(ledger, &call->request, ledger_call_done, call);
    if (call->under_way == NULL)
        ledger_call_refuse(call);
}

static void ledger_call_interrupted(struct op *op, enum op_reason reason)
{
    struct ledger_call *call = container_of(op, struct ledger_call, op);
    if (call->under_way)
        ledger_cancel(call->under_way);
    call->under_way = NULL;
    call->answer.outcome = LEDGER_AMBIGUOUS;
    os_error last = call->answer.error;
    bool trouble = last.code != OS_OK;
    error_set(&call->answer.error, op_reason_code(reason), "The request to the table was ended: %s.%s%.500s",
              op_reason_clause(reason), trouble ? " Last trouble: " : "", trouble ? last.message : "");
    ledger_call_finish(call);
}

static void ledger_call_start(struct sync *sync)
{
    struct ledger_call *call = container_of(sync, struct ledger_call, sync);
    struct op_limits limits = client_limits(call->client, &call->call);
    error_clear(&call->answer.error);
    if (op_begin(&call->op, &limits, ledger_call_attempt, ledger_call_interrupted))
        ledger_call_attempt(&call->op);
    else
        ledger_call_refuse(call);
}

os_code ledger_call_prepare(struct ledger_call *ledger_call, os_client *client, const os_call *call, os_error *err)
{
    if (client->ledger == NULL)
        return error_set(err, OS_ERR_CONFIG,
                         "The client has no ledger: set ledger_url (--ledger) to dynamodb://TABLE or sqlite:///FILE.");
    os_code code = arguments_take_call(call, &ledger_call->call, err);
    if (code != OS_OK)
        return code;
    ledger_call->client = client;
    ledger_call->sync.start = ledger_call_start;
    ledger_call->answer.outcome = LEDGER_REFUSED;
    (void)error_no_memory(&ledger_call->answer.error);
    return OS_OK;
}

enum ledger_outcome ledger_call_outcome(const struct ledger_call *ledger_call, os_error *err)
{
    if (ledger_call->answer.outcome != LEDGER_OK && err)
        *err = ledger_call->answer.error;
    if (err && absence_is_elsewhere(ledger_call->answer.foreign, &ledger_call->answer.error))
        table_add_hint(ledger_call->client->ledger, err);
    return ledger_call->answer.outcome;
}

enum ledger_outcome ledger_call_run(struct ledger_call *ledger_call, os_client *client, const os_call *call,
                                    os_error *err)
{
    if (ledger_call_prepare(ledger_call, client, call, err) != OS_OK ||
        sync_run(client, &ledger_call->sync, err) != OS_OK)
        return LEDGER_REFUSED;
    return ledger_call_outcome(ledger_call, err);
}

os_code ledger_code_of(enum ledger_outcome outcome, const os_error *err)
{
    if (outcome == LEDGER_OK)
        return OS_OK;
    return err->code != OS_OK ? err->code : OS_ERR_SERVICE;
}

/* -------------------------------------------------------------------------------------------------------- rows */

static bool grow(struct kept_rows *rows)
{
    if (rows->count < rows->cap)
        return true;
    size_t cap = rows->cap ? rows->cap * 2 : 64;
    struct kept_row *list = realloc(rows->list, cap * sizeof(*list));
    if (list == NULL)
        return false;
    rows->list = list;
    rows->cap = cap;
    return true;
}

static bool keep_row(void *context, const struct ledger_row *row)
{
    struct kept_rows *rows = context;
    rows->call->given = true;
    rows->failed = rows->failed || !grow(rows);
    if (rows->failed)
        return false;
    struct kept_row *kept = &rows->list[rows->count++];
    kept->path = strdup(row->path);
    kept->etag = strdup(row->etag);
    kept->other = strdup(row->other ? row->other : "{}");
    kept->upload = strdup(row->upload);
    kept->bucket = strdup(row->bucket);
    kept->fault = strdup(row->fault);
    kept->readable = row->readable;
    kept->record = row->record;
    rows->failed = kept->path == NULL || kept->etag == NULL || kept->other == NULL || kept->upload == NULL ||
                   kept->bucket == NULL || kept->fault == NULL;
    return !rows->failed;
}

void ledger_rows_free(struct kept_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->list[i].path);
        free(rows->list[i].etag);
        free(rows->list[i].other);
        free(rows->list[i].upload);
        free(rows->list[i].bucket);
        free(rows->list[i].fault);
    }
    free(rows->list);
}

os_code ledger_rows_read(os_client *client, const char *path, const os_call *call, struct kept_rows *ret, os_error *err)
{
    struct ledger_call ledger_call = {
        .request = {.verb = LEDGER_LIST, .path = path, .each = keep_row, .each_context = ret}};
    ret->call = &ledger_call;
    os_code code = ledger_code_of(ledger_call_run(&ledger_call, client, call, err), err);
    ret->call = NULL;
    return ret->failed ? error_no_memory(err) : code;
}
