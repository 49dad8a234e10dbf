/* SPDX-License-Identifier: Apache-2.0 */
/* Items of any attributes at DynamoDB: built and read by dynamo/rows_*.h, sent by dynamo_call.c. */
#include "table/row_dynamo_internal.h"

#include "attribute/projection.h"
#include "base/container.h"
#include "base/error.h"
#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "rows/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row_dynamo {
    struct row_service service;
    struct dynamo_connection connection;
};

static struct row_op *op_of(struct dynamo_call *call)
{
    return container_of(call, struct row_op, call);
}

/* ------------------------------------------------------------------------------------------------ the end */

static void row_op_free(struct row_op *op)
{
    retry_stop(&op->retry);
    dynamo_call_free(&op->call);
    row_table_end(op);
    row_answer_free(&op->answer);
    free(op);
}

static void row_op_finish(struct row_op *op, enum table_outcome outcome)
{
    struct row_answer *answer = &op->answer;
    if (outcome != TABLE_OK)
        rows_items_free(&answer->items); /* of a batch that was not read to its end */
    answer->outcome = outcome;
    answer->requests = op->call.requests;
    answer->has_date = op->call.has_date;
    answer->date_s = op->call.date_s;
    op->done(op->context, answer);
    row_op_free(op);
}

static void row_op_cancelled(struct dynamo_call *call)
{
    row_op_free(op_of(call));
}

static void row_op_failed(struct dynamo_call *call, const os_error *why)
{
    bool may_be_sent = call->is_stale || why->code == OS_ERR_NO_MEMORY;
    op_of(call)->answer.error = *why;
    row_op_finish(op_of(call), may_be_sent ? TABLE_THROTTLED : TABLE_REFUSED);
}

/* ------------------------------------------------------------------------------------------------ batches */

static bool is_about_table(const struct row_request *request)
{
    return request->verb == ROW_CREATE || request->verb == ROW_CHECK;
}

/* Whole items, each at its own instant. */
static bool is_batch(const struct row_request *request)
{
    return request->verb == ROW_READ && request->get_count > 1 && !request->is_snapshot;
}

/* Q3: what is asked for next of what was left, in order. Returns how many. */
static size_t keys_left(const struct row_op *op, struct rows_key *ret_keys, size_t *ret_numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < op->request.get_count && count < op->batch_most; i++) {
        if (!op->answer.items.left[i])
            continue;
        ret_keys[count] = op->request.gets[i].of;
        ret_numbers[count++] = i;
    }
    return count;
}

/* Q2. One answer for all: it may be older where each of them may. */
static bool is_eventual(const struct row_request *request)
{
    size_t count = 0;
    while (count < request->get_count && request->gets[count].is_eventual)
        count++;
    return count == request->get_count;
}

static os_code build_batch(struct row_op *op, os_error *err)
{
    os_code code = rows_check_gets(op->request.gets, op->request.get_count, err);
    if (code != OS_OK)
        return code;
    struct rows_key keys[ROWS_AT_ONCE_MAX];
    size_t numbers[ROWS_AT_ONCE_MAX];
    size_t count = keys_left(op, keys, numbers);
    return rows_build_batch(&op->call.connection->endpoint, keys, count, is_eventual(&op->request), &op->call.http,
                            &op->call.body, err);
}

/* BatchGetItem gives whole items: of each, what was wanted. False: out of memory. */
static bool take_batch(struct row_op *op, struct rows_items *part, const size_t *numbers, size_t count)
{
    struct rows_items *items = &op->answer.items;
    for (size_t i = 0; i < count; i++) {
        const struct rows_get *get = &op->request.gets[numbers[i]];
        json_t *item = part->items[i];
        if (item != NULL)
            items->items[numbers[i]] = projection_of(item, get->paths, get->path_count);
        if (item != NULL && items->items[numbers[i]] == NULL)
            return false;
        items->left[numbers[i]] = part->left[i];
        items->left_count -= part->left[i] ? 0 : 1;
    }
    return true;
}

static void ask_for_the_rest(struct retry *retry)
{
    dynamo_call_send(&container_of(retry, struct row_op, retry)->call);
}

/* After a pause, where that is not beyond the deadline. */
static enum table_outcome ask_again_later(struct row_op *op)
{
    if (retry_before(&op->retry, op->request.deadline_monotonic_ms))
        return TABLE_OK;
    error_set(
        &op->answer.error, OS_ERR_THROTTLED,
        "BatchGetItem of the %s has left %zu of %zu items until the deadline. Ask for fewer at once, or again; if it "
        "goes on, give the table more capacity or on-demand billing.",
        op->where, op->answer.items.left_count, op->request.get_count);
    return TABLE_THROTTLED;
}

/* `asked` of the keys that are left were asked for, and of these `count` are left. */
static enum table_outcome go_on_with_batch(struct row_op *op, size_t asked, size_t count)
{
    if (count < asked)
        backoff_restart(&op->retry.backoff);
    if (count > 0)
        return ask_again_later(op);
    dynamo_call_send(&op->call);
    return TABLE_OK;
}

/* Half of it, where it was too much to be read of one answer. */
static bool asks_for_less(struct row_op *op, size_t asked)
{
    if (op->answer.error.code != OS_ERR_TOO_LARGE || asked < 2)
        return false;
    op->batch_most = asked / 2;
    dynamo_call_send(&op->call);
    return true;
}

/* True: some are left, and asked for again. */
static bool read_batch(struct row_op *op, const struct http_response *response, enum table_outcome *ret_outcome,
                       struct dynamo_error *ret_detail)
{
    struct rows_key keys[ROWS_AT_ONCE_MAX];
    size_t numbers[ROWS_AT_ONCE_MAX];
    size_t count = keys_left(op, keys, numbers);
    struct rows_items part;
    *ret_outcome = rows_read_batch(response, op->where, keys, count, &part, ret_detail, &op->answer.error);
    if (*ret_outcome == TABLE_OK && !take_batch(op, &part, numbers, count)) {
        (void)error_no_memory(&op->answer.error);
        *ret_outcome = TABLE_AMBIGUOUS;
    }
    size_t left = part.left_count;
    rows_items_free(&part);
    if (*ret_outcome == TABLE_UNREADABLE)
        return asks_for_less(op, count);
    if (*ret_outcome != TABLE_OK || op->answer.items.left_count == 0)
        return false;
    *ret_outcome = go_on_with_batch(op, count, left);
    return *ret_outcome == TABLE_OK;
}

/* ------------------------------------------------------------------------------------------------ pages */

enum { PAGE_PARTS = 4 };

/* A page may always have fewer items than were asked for. */
static struct rows_list list_of(const struct row_op *op)
{
    struct rows_list list = *op->request.list;
    list.limit = op->page_most;
    return list;
}

static bool asks_for_fewer(struct row_op *op, enum table_outcome outcome)
{
    if (op->request.verb != ROW_LIST || outcome != TABLE_UNREADABLE || op->answer.error.code != OS_ERR_TOO_LARGE ||
        op->page_most == 1)
        return false;
    op->page_most = op->page_most > PAGE_PARTS ? op->page_most / PAGE_PARTS : 1;
    dynamo_call_send(&op->call);
    return true;
}

/* ------------------------------------------------------------------------------------------------ requests */

static os_code build_list(struct row_op *op, os_error *err)
{
    const struct rows_list list = list_of(op);
    return rows_build_list(&op->call.connection->endpoint, &list, &op->call.http, &op->call.body, err);
}

static os_code row_op_build(struct dynamo_call *call, os_error *err)
{
    struct row_op *op = op_of(call);
    const struct row_request *request = &op->request;
    const struct endpoint *endpoint = &call->connection->endpoint;
    switch (request->verb) {
    case ROW_WRITE: return rows_build_write(endpoint, request->write, &call->http, &call->body, err);
    case ROW_TRANSACT: return rows_build_transact_write(endpoint, request->transaction, &call->http, &call->body, err);
    case ROW_LIST: return build_list(op, err);
    case ROW_CREATE:
    case ROW_CHECK: return row_table_build(op, err);
    case ROW_READ: break;
    }
    if (is_batch(request))
        return build_batch(op, err);
    if (request->get_count == 1)
        return rows_build_get(endpoint, request->gets, &call->http, &call->body, err);
    return rows_build_transact_get(endpoint, request->gets, request->get_count, &call->http, &call->body, err);
}

static enum table_outcome read_transaction(struct row_op *op, const struct http_response *response,
                                           struct dynamo_error *ret_detail)
{
    const struct rows_transaction *transaction = op->request.transaction;
    return rows_read_transact_write(response, op->where, transaction, op->answer.answers, ret_detail,
                                    &op->answer.error);
}

static enum table_outcome read_page(struct row_op *op, const struct http_response *response,
                                    struct dynamo_error *ret_detail)
{
    const struct rows_list list = list_of(op);
    return rows_read_page(response, op->where, &list, &op->answer.page, ret_detail, &op->answer.error);
}

static enum table_outcome read_one_answer(struct row_op *op, const struct http_response *response,
                                          struct dynamo_error *ret_detail)
{
    const struct row_request *request = &op->request;
    struct row_answer *answer = &op->answer;
    os_error *err = &answer->error;
    switch (request->verb) {
    case ROW_WRITE: return rows_read_write(response, op->where, request->write, &answer->item, ret_detail, err);
    case ROW_TRANSACT: return read_transaction(op, response, ret_detail);
    case ROW_LIST: return read_page(op, response, ret_detail);
    case ROW_CREATE:
    case ROW_CHECK: /* row_dynamo_table.c */
    case ROW_READ: break;
    }
    if (request->get_count == 1)
        return rows_read_get(response, op->where, request->gets, &answer->items.items[0], ret_detail, err);
    return rows_read_transact_get(response, op->where, request->gets, request->get_count, &answer->items, ret_detail,
                                  err);
}

static void row_op_answered(struct dynamo_call *call, const struct http_response *response)
{
    struct row_op *op = op_of(call);
    struct dynamo_error detail;
    enum table_outcome outcome = TABLE_OK;
    if (is_about_table(&op->request)) {
        preparing_answered(&op->preparing, response, &op->answer.foreign, &op->answer.error);
        return;
    }
    if (is_batch(&op->request)) {
        if (read_batch(op, response, &outcome, &detail))
            return;
    } else {
        outcome = read_one_answer(op, response, &detail);
        if (asks_for_fewer(op, outcome))
            return;
    }
    op->answer.foreign = detail.foreign;
    if (!dynamo_call_repeats(call, &detail))
        row_op_finish(op, outcome);
}

static void add_what_to_do(struct row_op *op)
{
    if (op->request.verb == ROW_WRITE)
        error_add(&op->answer.error, "It may have been applied: read what is there.");
    else if (op->request.verb == ROW_TRANSACT)
        error_add(&op->answer.error, "It may have been applied: send it again under its token.");
}

/* Of an answer that is too long there is what its head says. */
static void row_op_unanswered(struct dynamo_call *call, const struct http_result *result, enum table_outcome outcome)
{
    struct row_op *op = op_of(call);
    if (result->answered_in_part && !buf_ok(&result->response->body)) {
        row_op_answered(call, result->response);
        return;
    }
    error_set(&op->answer.error, result->code, "The %s could not be asked: %s", op->where, result->message);
    if (outcome == TABLE_AMBIGUOUS)
        add_what_to_do(op);
    row_op_finish(op, outcome);
}

static const struct dynamo_caller row_caller = {
    .build = row_op_build,
    .answered = row_op_answered,
    .unanswered = row_op_unanswered,
    .failed = row_op_failed,
    .cancelled = row_op_cancelled,
};

/* ------------------------------------------------------------------------------------------------ the interface */

static const char *table_of(const struct row_request *request, size_t i)
{
    switch (request->verb) {
    case ROW_WRITE: return request->write->table->name;
    case ROW_TRANSACT: return request->transaction->writes[i].table->name;
    case ROW_LIST: return request->list->table->name;
    case ROW_CREATE:
    case ROW_CHECK: return request->table;
    case ROW_READ: break;
    }
    return request->gets[i].of.table->name;
}

static size_t count_of(const struct row_request *request)
{
    if (request->verb == ROW_READ)
        return request->get_count;
    return request->verb == ROW_TRANSACT ? request->transaction->count : 1;
}

/* What is asked, for sentences: a table, or several. */
static void say_where(const struct row_request *request, const char *region, char *ret, size_t ret_size)
{
    size_t count = count_of(request);
    const char *first = count > 0 ? table_of(request, 0) : "";
    bool are_several = false;
    for (size_t i = 1; i < count && !are_several; i++)
        are_several = strcmp(table_of(request, i), first) != 0;
    snprintf(ret, ret_size, "%s %.255s%s in %s", are_several ? "tables" : "table", first,
             are_several ? " and others" : "", region);
}

static struct row_dynamo *row_dynamo_of(struct row_service *service)
{
    return container_of(service, struct row_dynamo, service);
}

/* X5: for how long the service remembers a token is reckoned from the time when the request was asked for. */
enum { TRANSACT_FRESH_MS = 30 * 1000 };

static bool row_op_init(struct row_op *op, struct row_dynamo *dynamo, const struct row_request *request)
{
    op->request = *request;
    op->finish = row_op_finish;
    retry_init(&op->retry, dynamo->connection.loop, ask_for_the_rest);
    dynamo_call_init(&op->call, &row_caller, &dynamo->connection);
    op->call.deadline_monotonic_ms = request->deadline_monotonic_ms;
    op->call.try_ms = request->try_ms;
    op->call.once = request->once || request->verb == ROW_WRITE;
    op->call.fresh_ms = request->verb == ROW_TRANSACT ? TRANSACT_FRESH_MS : 0;
    op->batch_most = ROWS_AT_ONCE_MAX;
    op->page_most = request->verb == ROW_LIST ? rows_page_limit(request->list->limit) : 0;
    say_where(request, dynamo->connection.endpoint.region, op->where, sizeof(op->where));
    for (size_t i = 0; is_batch(request) && i < request->get_count && i < ROWS_AT_ONCE_MAX; i++) {
        op->answer.items.left[i] = true;
        op->answer.items.left_count++;
    }
    return row_answer_make_room(&op->answer, request) && (!is_about_table(request) || row_table_begin(op));
}

static struct row_op *row_dynamo_start(struct row_service *service, const struct row_request *request, row_done_fn done,
                                       void *context)
{
    struct row_op *op = calloc(1, sizeof(*op));
    if (op == NULL)
        return NULL;
    op->done = done;
    op->context = context;
    if (row_op_init(op, row_dynamo_of(service), request)) {
        dynamo_call_send(&op->call);
        return op;
    }
    row_op_free(op);
    return NULL;
}

static bool row_dynamo_cancel(struct row_service *service, struct row_op *op, os_error *err)
{
    (void)service;
    (void)err;
    bool was_sent = op->call.requests > 0;
    dynamo_call_cancel(&op->call);
    return !was_sent;
}

static void row_dynamo_free(struct row_service *service)
{
    struct row_dynamo *dynamo = row_dynamo_of(service);
    dynamo_connection_close(&dynamo->connection);
    free(dynamo);
}

static const struct row_service_vtable row_dynamo_vtable = {
    .start = row_dynamo_start,
    .cancel = row_dynamo_cancel,
    .free = row_dynamo_free,
};

os_code row_dynamo_new(const struct table_config *config, struct row_service **ret, os_error *err)
{
    struct row_dynamo *dynamo = calloc(1, sizeof(*dynamo));
    if (dynamo == NULL)
        return error_no_memory(err);
    if (!dynamo_connection_open(&dynamo->connection, config->loop, config->endpoint, config->credentials,
                                config->stall_ms)) {
        dynamo_connection_close(&dynamo->connection);
        free(dynamo);
        return error_no_memory(err);
    }
    dynamo->service.vtable = &row_dynamo_vtable;
    *ret = &dynamo->service;
    return OS_OK;
}
