/* SPDX-License-Identifier: Apache-2.0 */
#include "client/row_call.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

os_code row_call_check(const os_client *client, os_error *err)
{
    if (client->rows != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "The client has no table: set ledger_url (--ledger) to dynamodb://TABLE or sqlite:///FILE.");
}

/* DynamoDB keeps tokens, and so does the file; whatever else answers as DynamoDB does may not. */
bool row_call_remembers(const os_client *client)
{
    const struct settings *settings = &client->settings;
    return settings->ledger_scheme == SETTINGS_SQLITE ||
           (settings->ledger_scheme == SETTINGS_DYNAMODB && settings->dynamodb_endpoint.is_aws);
}

bool row_call_is_mismatch(const struct row_answer *answer)
{
    return answer->outcome == TABLE_REFUSED &&
           strcmp(answer->error.service_code, "IdempotentParameterMismatchException") == 0;
}

void row_call_free(struct row_call *call)
{
    row_answer_free(&call->answer);
}

static void row_call_over(struct row_call *call)
{
    op_end(&call->op);
    call->done(call);
}

static bool is_write(const struct row_request *request)
{
    return request->verb == ROW_WRITE || request->verb == ROW_TRANSACT;
}

/* ------------------------------------------------------------------------------------------------ answers */

static void note_absence(struct row_call *call, const struct row_answer *answer)
{
    const struct table_answer seen = {
        .outcome = answer->outcome, .foreign = answer->foreign, .requests = answer->requests, .error = answer->error};
    absence_note_answer(&call->absence, &call->sent, &seen);
}

static bool asks_again(const struct row_call *call, enum table_outcome outcome)
{
    return outcome == TABLE_THROTTLED ||
           (outcome == TABLE_AMBIGUOUS && (call->repeats_unclear_ms > 0 || !is_write(&call->request)));
}

/* Whatever is in it is ours from now on. */
static void take_answer(struct row_call *call, struct row_answer *answer)
{
    row_answer_free(&call->answer);
    call->answer = *answer;
    if (row_call_is_mismatch(answer))
        call->answer.outcome = TABLE_AMBIGUOUS;
    call->error = answer->error;
    *answer = (struct row_answer){.outcome = call->answer.outcome};
    call->is_lost = call->is_lost || (is_write(&call->request) && call->answer.outcome == TABLE_AMBIGUOUS);
}

static bool gives_up(struct row_call *call)
{
    char what[128];
    if (!absence_gives_up(&call->absence, call->client))
        return false;
    (void)text_concat(what, sizeof(what), "The ", call->name, " was given up", NULL);
    (void)absence_refuse(&call->absence, call->client, what, &call->error, &call->error);
    return true;
}

static void row_call_answered(void *context, struct row_answer *answer)
{
    struct row_call *call = context;
    call->under_way = NULL;
    take_answer(call, answer);
    client_note_request(call->client, row_request_name(&call->request), "", &call->sent, call->error.http_status,
                        call->error.code);
    note_absence(call, &call->answer);
    bool again = asks_again(call, call->answer.outcome);
    if (!again && absence_is_elsewhere(call->answer.foreign, &call->error))
        table_add_hint(call->client->ledger, &call->error);
    if (!again || gives_up(call)) {
        row_call_over(call);
        return;
    }
    client_note_retry(call->client, &call->error);
    op_pause(&call->op);
}

/* ------------------------------------------------------------------------------------------------ asking */

static bool may_send(const struct row_call *call, const struct clock_reading *now)
{
    return !call->is_lost || clock_elapsed_max(&call->first, now) < call->repeats_unclear_ms;
}

static void say_first_is_old(struct row_call *call)
{
    const os_error last = call->error;
    (void)error_set(&call->error, last.code,
                    "The %s was not sent again: its first request is older than %u minutes, and what is sent now could "
                    "come when the service has forgotten that. Last trouble: %.600s",
                    call->name, (unsigned)(call->repeats_unclear_ms / 60000), last.message);
    error_service(&call->error, last.http_status, last.service_code, last.request_id);
}

static void ask_for_rows(struct op *op)
{
    struct row_call *call = container_of(op, struct row_call, op);
    struct row_service *rows = call->client->rows;
    call->request.deadline_monotonic_ms = op->deadline_monotonic_ms;
    call->request.once = is_write(&call->request);
    clock_read(&call->sent);
    if (!may_send(call, &call->sent)) {
        say_first_is_old(call);
        row_call_over(call);
        return;
    }
    if (!call->was_sent)
        call->first = call->sent;
    call->was_sent = true;
    call->under_way = rows->vtable->start(rows, &call->request, row_call_answered, call);
    if (call->under_way == NULL) {
        (void)error_no_memory(&call->error);
        row_call_over(call);
    }
}

static void row_call_interrupted(struct op *op, enum op_reason reason)
{
    struct row_call *call = container_of(op, struct row_call, op);
    struct row_service *rows = call->client->rows;
    if (call->under_way != NULL) {
        bool is_untouched = rows->vtable->cancel(rows, call->under_way, &call->error);
        call->under_way = NULL;
        call->is_lost = call->is_lost || (is_write(&call->request) && !is_untouched);
    }
    os_error last = call->error;
    (void)error_set(&call->error, op_reason_code(reason), "The %s was ended: %s.%s%.500s", call->name,
                    op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "", last.message);
    row_call_over(call);
}

enum op_reason row_call_why_not(const os_client *client, const os_call *limits)
{
    if (cancel_triggered(client->closing))
        return OP_CLOSING;
    if (cancel_triggered(limits->cancel))
        return OP_CANCELLED;
    return limits->deadline_ms == 0 ? OP_DEADLINE : 0;
}

void row_call_start(struct row_call *call, const os_call *limits)
{
    struct op_limits of_op = client_limits(call->client, limits);
    enum op_reason reason = row_call_why_not(call->client, limits);
    error_clear(&call->error);
    if (reason != 0) {
        (void)error_set(&call->error, op_reason_code(reason), "The %s was not begun: %s.", call->name,
                        op_reason_clause(reason));
        call->done(call);
        return;
    }
    if (op_begin(&call->op, &of_op, ask_for_rows, row_call_interrupted)) {
        ask_for_rows(&call->op);
        return;
    }
    (void)error_no_memory(&call->error);
    row_call_over(call);
}
