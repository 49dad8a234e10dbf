/* SPDX-License-Identifier: Apache-2.0 */
/* DynamoDB and SQLite are asked by the same structs, refuse the same with the same sentence, and answer alike. */
#include "base/error.h"
#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "unit/sqlite/rows_state.h"

#define KEY   "{'p':{'S':'a'},'s':{'N':'1'}}"
#define OTHER "{'p':{'S':'a'},'s':{'N':'2'}}"
#define ITEM  "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'5'}}"

static const struct endpoint endpoint = {.scheme = "http", .host = "127.0.0.1:8000", .region = "us-east-1"};

/* What a builder came to; gives the request up. */
static os_code close_built(os_code code, struct http_request *request, struct buf *body)
{
    http_request_free(request);
    buf_free(body);
    return code;
}

static os_code build_transaction(const struct rows_transaction *transaction, os_error *err)
{
    struct http_request request;
    struct buf body;
    return close_built(rows_build_transact_write(&endpoint, transaction, &request, &body, err), &request, &body);
}

static os_code build_write(const struct rows_write *write, os_error *err)
{
    struct http_request request;
    struct buf body;
    return close_built(rows_build_write(&endpoint, write, &request, &body, err), &request, &body);
}

static os_code build_list(const struct rows_list *list, os_error *err)
{
    struct http_request request;
    struct buf body;
    return close_built(rows_build_list(&endpoint, list, &request, &body, err), &request, &body);
}

static os_code build_gets(const struct rows_get *gets, size_t count, os_error *err)
{
    struct http_request request;
    struct buf body;
    return close_built(rows_build_transact_get(&endpoint, gets, count, &request, &body, err), &request, &body);
}

/* SQLite's is in `error`. */
static void assert_alike(enum table_outcome outcome, os_code code, const os_error *of_dynamo)
{
    assert_int_equal(outcome, TABLE_REFUSED);
    assert_true(code != OS_OK);
    assert_int_equal(error.code, code);
    assert_string_equal(error.message, of_dynamo->message);
}

/* -------------------------------------------------------------------------------------------------------- refused */

static const struct write_row {
    const char *name;
    struct asked asked;
} write_rows[] = {
    {"no sort key", {.kind = ROWS_PUT, .item = "{'p':{'S':'a'}}"}},
    {"an empty key", {.kind = ROWS_DELETE, .item = "{'p':{'S':''},'s':{'N':'1'}}"}},
    {"more than a key", {.kind = ROWS_DELETE, .item = ITEM}},
    {"a value that is none", {.kind = ROWS_PUT, .item = "{'p':{'S':'a'},'s':{'N':'1'},'x':{'N':'y'}}"}},
    {"a key that changes", {.kind = ROWS_UPDATE, .item = KEY, .path = "s", .change = CHANGE_REMOVE}},
    {"a change of a put", {.kind = ROWS_PUT, .item = KEY, .path = "x", .change = CHANGE_REMOVE}},
    {"a change that is none",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "x", .change = CHANGE_ADD, .value = "{'S':'1'}"}},
    {"a condition that is none",
     {.kind = ROWS_PUT, .item = KEY, .if_path = "n", .if_test = CONDITION_IS_BELOW, .if_value = "{'BOOL':true}"}},
    {"a check", {.kind = ROWS_CHECK, .item = KEY, .if_path = "n", .if_test = CONDITION_EXISTS}},
};

TEST_ROWS_WITH(state, write_rows, a_write_is_refused_alike)
{
    os_error err;
    struct asked_room room;
    json_t *item = NULL;
    const struct rows_write write = asked_write(&row->asked, &room);
    os_code code = build_write(&write, &err);
    assert_alike(sqlite_rows_write(state->rows, &write, patient(), NOW_S, &item, &error), code, &err);
    asked_free(&row->asked, &write, &room);
}

TEST_WITH(state, a_transaction_is_refused_alike)
{
    os_error err;
    struct rows_answer answers[2];
    json_t *key = case_json(KEY);
    json_t *same = case_json("{'p':{'S':'a'},'s':{'N':'1.0'}}");
    struct rows_write writes[] = {{.kind = ROWS_DELETE, .table = &things_table, .item = key},
                                  {.kind = ROWS_DELETE, .table = &things_table, .item = same}};
    const struct rows_transaction wrong[] = {{writes, 2, "twice"}, {writes, 0, "none"}, {writes, 1, NULL}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        os_code code = build_transaction(&wrong[i], &err);
        assert_alike(sqlite_rows_transact(state->rows, &wrong[i], patient(), NOW_S, answers, &error), code, &err);
        assert_int_equal(answers[0].verdict, ROWS_NOT_JUDGED);
    }
    writes[0].returns_item = true;
    os_code code = build_transaction(&wrong[0], &err);
    assert_alike(sqlite_rows_transact(state->rows, &wrong[0], patient(), NOW_S, answers, &error), code, &err);
    json_decref(key);
    json_decref(same);
}

TEST_WITH(state, reads_are_refused_alike)
{
    os_error err;
    struct rows_items items;
    struct rows_page page;
    json_t *key = case_json(KEY);
    const struct rows_get gets[] = {{.of = {&things_table, key}}, {.of = {&things_table, key}}};
    const struct rows_list lists[] = {{.table = &things_table, .is_descending = true},
                                      {.table = &things_table, .segment = 2, .segments = 2},
                                      {.table = &things_table, BY_G, .start_key = key}};
    os_code code = build_gets(gets, 2, &err);
    assert_alike(sqlite_rows_get(state->rows, gets, 2, patient(), &items, &error), code, &err);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        code = build_list(&lists[i], &err);
        assert_alike(sqlite_rows_list(state->rows, &lists[i], patient(), &page, &error), code, &err);
    }
    json_decref(key);
}

/* ------------------------------------------------------------------------------------------------------- answered */

static void answer_with(struct http_response *ret, int status, const char *text)
{
    json_t *json = case_json(text);
    char *body = json_dumps(json, JSON_COMPACT);
    assert_non_null(body);
    http_response_init(ret, DYNAMO_ANSWER_MAX);
    ret->status = status;
    assert_true(buf_add_str(&ret->body, body));
    assert_true(http_headers_add(&ret->headers, "x-amzn-requestid", "REQ1"));
    free(body);
    json_decref(json);
}

static void assert_answers_alike(const struct rows_answer *a, const struct rows_answer *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i].verdict, b[i].verdict);
        assert_int_equal(a[i].code, b[i].code);
        assert_true(a[i].item == NULL ? b[i].item == NULL : json_equal(a[i].item, b[i].item));
    }
}

/* As DynamoDB says it of a condition that failed on an item, one that failed on none, and a write without one. */
TEST_WITH(state, a_cancelled_transaction_is_answered_alike)
{
    static const struct path_step p = {.name = "p"};
    static const struct condition_term is_absent = {.path = {&p, 1}, .test = CONDITION_IS_ABSENT};
    static const struct condition_term is_there = {.path = {&p, 1}, .test = CONDITION_EXISTS};
    struct http_response response;
    struct dynamo_error detail;
    struct rows_answer of_dynamo[3];
    struct rows_answer of_sqlite[3];
    json_t *keys[] = {case_json(KEY), case_json(OTHER), case_json("{'id':{'B':'AQI='}}")};
    const struct rows_write writes[] = {
        {.kind = ROWS_DELETE, .table = &things_table, .item = keys[0], .condition = {&is_absent, 1}},
        {.kind = ROWS_CHECK, .table = &things_table, .item = keys[1], .condition = {&is_there, 1}},
        {.kind = ROWS_PUT, .table = &plain_table, .item = keys[2]}};
    const struct rows_transaction transaction = {writes, 3, "token"};
    put_item(state, ITEM);
    answer_with(&response, 400,
                "{'__type':'com.amazonaws.dynamodb.v20120810#TransactionCanceledException','CancellationReasons':[{"
                "'Code':'ConditionalCheckFailed','Item':" ITEM "},{'Code':'ConditionalCheckFailed'},{'Code':'None'}]}");
    CHECK_OUTCOME(rows_read_transact_write(&response, "both", &transaction, of_dynamo, &detail, &error),
                  TABLE_CONFLICT_BLIND);
    CHECK_OUTCOME(sqlite_rows_transact(state->rows, &transaction, patient(), NOW_S, of_sqlite, &error),
                  TABLE_CONFLICT_BLIND);
    assert_int_equal(of_sqlite[0].verdict, ROWS_CONDITION_FAILED);
    assert_int_equal(of_sqlite[2].verdict, ROWS_NOT_IN_THE_WAY);
    assert_answers_alike(of_dynamo, of_sqlite, 3);
    rows_answers_free(of_dynamo, 3);
    rows_answers_free(of_sqlite, 3);
    http_response_free(&response);
    for (size_t i = 0; i < 3; i++)
        json_decref(keys[i]);
}

TEST_WITH(state, a_page_is_answered_alike)
{
    struct http_response response;
    struct dynamo_error detail;
    struct rows_page of_dynamo;
    struct rows_page of_sqlite;
    json_t *partition = case_json("{'S':'a'}");
    const struct rows_list list = {.table = &things_table, .partition = partition, .limit = 1};
    put_item(state, ITEM);
    put_item(state, OTHER);
    assert_int_equal(build_list(&list, &error), OS_OK);
    answer_with(&response, 200, "{'Items':[" ITEM "],'Count':1,'ScannedCount':1,'LastEvaluatedKey':" KEY "}");
    error_clear(&error);
    CHECK_OUTCOME(rows_read_page(&response, "both", &list, &of_dynamo, &detail, &error), TABLE_OK);
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &list, patient(), &of_sqlite, &error), TABLE_OK);
    assert_true(json_equal(of_dynamo.items, of_sqlite.items));
    assert_true(json_equal(of_dynamo.last_key, of_sqlite.last_key));
    assert_int_equal(of_dynamo.scanned, of_sqlite.scanned);
    rows_page_free(&of_dynamo);
    rows_page_free(&of_sqlite);
    http_response_free(&response);
    json_decref(partition);
}
