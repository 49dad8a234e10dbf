/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests about items of any attributes, and what is read of their answers, with DynamoDB Local: the conditions and the
 * changes of the unit tests, and what several items take. SQLite is asked by the same structs, and answers the same.
 */
#include "support/test.h"
#include "unit/sim/real.h"

#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "sqlite/rows.h"
#include "sqlite/tables.h"
#include "support/raw_service.h"
#include "unit/attribute/case_reading.h"
#include "unit/attribute/plain_request.h"
#include "unit/sqlite/scratch.h"
/* clang-format off */
#include "unit/attribute/condition_cases.h"
#include "unit/attribute/change_cases.h"
/* clang-format on */

#include <stdio.h>
#include <string.h>

#define WHERE "the table of this test"

static struct real_service server;
static struct rows_table table = {.keys = {"key", NULL}};
static struct sqlite_rows *embedded;
enum { PATIENT_MS = 60000, NOW_S = 2000000000 };

/* Takes what was built. */
static struct http_response send_built(os_code code, struct http_request *request, struct buf *body)
{
    assert_int_equal(code, OS_OK);
    return real_exchange(&server, request, body);
}

/* {"key": name}, with the attributes of `more`, which it takes and which may be NULL. */
static json_t *item_of(const char *name, json_t *more)
{
    json_t *item = more != NULL ? json_copy(more) : json_object();
    json_decref(more);
    assert_int_equal(json_object_set_new(item, "key", json_pack("{s:s}", "S", name)), 0);
    return item;
}

static bool items_alike(json_t *a, json_t *b)
{
    return a == NULL || b == NULL ? a == b : case_items_equal(a, b);
}

static void assert_sqlite_writes_alike(const struct rows_write *write, enum table_outcome outcome, json_t *item)
{
    os_error err;
    json_t *found = NULL;
    enum table_outcome own = sqlite_rows_write(embedded, write, sqlite_patience_ms(PATIENT_MS), NOW_S, &found, &err);
    if (own != outcome)
        fail_msg("SQLite: outcome %d instead of %d: %s", (int)own, (int)outcome, err.message);
    assert_true(items_alike(found, item));
    json_decref(found);
}

static enum table_outcome outcome_of_write(const struct rows_write *write, json_t **ret_item)
{
    struct http_request request;
    struct buf body;
    struct dynamo_error detail;
    os_error err;
    os_code code = rows_build_write(&server.endpoint, write, &request, &body, NULL);
    struct http_response response = send_built(code, &request, &body);
    enum table_outcome outcome = rows_read_write(&response, WHERE, write, ret_item, &detail, &err);
    http_response_free(&response);
    assert_sqlite_writes_alike(write, outcome, *ret_item);
    return outcome;
}

/* Puts the item of a case, or sees to it that there is none; takes it. */
static void begin_with(json_t *item)
{
    json_t *found = NULL;
    json_t *whole = item_of("k", json_incref(item));
    const struct rows_write write = {.kind = item != NULL ? ROWS_PUT : ROWS_DELETE, .table = &table, .item = whole};
    assert_int_equal(outcome_of_write(&write, &found), TABLE_OK);
    json_decref(found);
    json_decref(whole);
    json_decref(item);
}

static bool is_refused_when_built(const struct rows_write *write)
{
    struct http_request request;
    struct buf body;
    json_t *item = NULL;
    os_code code = rows_build_write(&server.endpoint, write, &request, &body, NULL);
    http_request_free(&request);
    buf_free(&body);
    if (code != OS_OK)
        assert_int_equal(sqlite_rows_write(embedded, write, sqlite_patience_ms(PATIENT_MS), NOW_S, &item, NULL),
                         TABLE_REFUSED);
    return code != OS_OK;
}

/* --------------------------------------------------------------------------------------------------- single writes */

TEST_ROWS(condition_cases, a_condition_holds_where_the_library_says_so)
{
    struct case_condition read;
    json_t *found = NULL;
    json_t *key = item_of("k", NULL);
    case_condition_read(row, &read);
    const struct rows_write write = {.kind = ROWS_DELETE, .table = &table, .item = key, .condition = read.condition};
    assert_int_equal(is_refused_when_built(&write), row->answer == REFUSED);
    if (row->answer != REFUSED) {
        begin_with(case_json(row->item));
        enum table_outcome outcome = outcome_of_write(&write, &found);
        enum table_outcome failed = row->item != NULL ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND;
        assert_int_equal(outcome, row->answer == HOLDS ? TABLE_OK : failed);
        assert_int_equal(found != NULL, outcome == TABLE_CONFLICT);
        json_decref(found);
    }
    case_condition_free(&read);
    json_decref(key);
}

TEST_ROWS(change_cases, an_update_makes_what_the_library_says)
{
    struct case_changes read;
    json_t *found = NULL;
    json_t *key = item_of("k", NULL);
    case_changes_read(row, &read);
    const struct rows_write write = {.kind = ROWS_UPDATE,
                                     .table = &table,
                                     .item = key,
                                     .changes = read.changes,
                                     .change_count = read.count,
                                     .returns_item = true};
    if (!is_refused_when_built(&write)) {
        begin_with(case_json(row->item));
        assert_int_equal(outcome_of_write(&write, &found), row->after != NULL ? TABLE_OK : TABLE_REFUSED);
        if (row->after != NULL) {
            json_t *wanted = item_of("k", case_json(row->after));
            assert_true(case_items_equal(found, wanted));
            json_decref(wanted);
        }
        json_decref(found);
    } else {
        assert_null(row->after);
    }
    case_changes_free(&read);
    json_decref(key);
}

/* --------------------------------------------------------------------------------------------------------- bounds */

enum { TERMS_MAX = 200 };

/* With an alternative of so many terms, which hold of no item. */
static struct rows_write write_of(size_t terms, const struct path *path, const json_t *key)
{
    static struct condition_term all[TERMS_MAX];
    for (size_t i = 0; i < terms; i++)
        all[i] = (struct condition_term){.path = *path, .test = CONDITION_EXISTS, .is_alternative = true};
    return (struct rows_write){.kind = ROWS_UPDATE, .table = &table, .item = key, .condition = {all, terms}};
}

/* SQLite has no such bound. */
static bool is_refused_of(size_t terms, const struct path *path, const json_t *key)
{
    struct http_request request;
    struct buf body;
    const struct rows_write write = write_of(terms, path, key);
    os_code code = rows_build_write(&server.endpoint, &write, &request, &body, NULL);
    http_request_free(&request);
    buf_free(&body);
    return code != OS_OK;
}

/* As many as the library sends; the service answers those. */
static size_t count_terms(const struct path *path)
{
    json_t *found = NULL;
    json_t *key = item_of("k", NULL);
    size_t terms = TERMS_MAX;
    while (terms > 0 && is_refused_of(terms, path, key))
        terms--;
    const struct rows_write write = write_of(terms, path, key);
    enum table_outcome outcome = outcome_of_write(&write, &found);
    assert_true(outcome == TABLE_CONFLICT || outcome == TABLE_CONFLICT_BLIND);
    json_decref(found);
    json_decref(key);
    return terms;
}

/* Whether the service takes as many terms, written without the library. */
static bool takes_terms(size_t terms, const struct path *path)
{
    struct plain_request plain;
    json_t *key = item_of("k", NULL);
    const struct rows_write write = write_of(terms, path, key);
    plain_begin(&plain, json_pack("{s:s,s:o}", "TableName", table.name, "Key", key));
    plain_condition(&plain, "ConditionExpression", &write.condition);
    json_t *answer = NULL;
    (void)raw_dynamo(getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT"), "UpdateItem", plain_end(&plain), &answer);
    const char *type = json_string_value(json_object_get(answer, "__type"));
    bool takes = type != NULL && strstr(type, "ConditionalCheckFailedException") != NULL;
    json_decref(answer);
    return takes;
}

TEST(a_condition_has_as_many_operators_as_the_service_takes)
{
    static const struct path_step step = {.name = "absent"};
    const struct path path = {&step, 1};
    size_t terms = count_terms(&path);
    assert_int_equal(terms, 150);
    assert_true(takes_terms(terms, &path));
    assert_false(takes_terms(terms + 1, &path));
}

TEST(a_condition_is_as_long_as_the_service_takes)
{
    struct path_step steps[PATH_STEPS_MAX];
    for (size_t i = 0; i < PATH_STEPS_MAX; i++)
        steps[i] = (struct path_step){.name = "absent"};
    const struct path path = {steps, PATH_STEPS_MAX};
    size_t terms = count_terms(&path);
    assert_in_range(terms, 20, 149);
}

TEST(a_key_is_as_long_as_the_service_takes)
{
    char text[2050];
    for (size_t len = 2047; len <= 2049; len++) {
        memset(text, 'x', len);
        text[len] = '\0';
        json_t *item = item_of(text, NULL);
        const struct rows_write write = {.kind = ROWS_PUT, .table = &table, .item = item};
        json_t *request = json_pack("{s:s,s:o}", "TableName", table.name, "Item", item);
        bool is_refused = is_refused_when_built(&write);
        int status = raw_dynamo(getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT"), "PutItem", request, NULL);
        assert_int_equal(status, is_refused ? 400 : 200);
        assert_int_equal(is_refused, len > 2048);
    }
}

/* ---------------------------------------------------------------------------------------------------- transactions */

static enum table_outcome outcome_of_transaction(const struct rows_transaction *transaction, struct rows_answer *ret)
{
    struct http_request request;
    struct buf body;
    struct dynamo_error detail;
    os_error err;
    os_code code = rows_build_transact_write(&server.endpoint, transaction, &request, &body, NULL);
    struct http_response response = send_built(code, &request, &body);
    enum table_outcome outcome = rows_read_transact_write(&response, WHERE, transaction, ret, &detail, &err);
    http_response_free(&response);
    struct rows_answer own[2];
    assert_int_equal(sqlite_rows_transact(embedded, transaction, sqlite_patience_ms(PATIENT_MS), NOW_S, own, &err),
                     outcome);
    for (size_t i = 0; i < transaction->count; i++) {
        assert_int_equal(own[i].verdict, ret[i].verdict);
        assert_true(items_alike(own[i].item, ret[i].item));
    }
    rows_answers_free(own, transaction->count);
    return outcome;
}

TEST(a_transaction_is_done_once_under_its_token_or_not_at_all)
{
    char token[37];
    static const struct path_step step = {.name = "key"};
    static const struct condition_term is_new = {.path = {&step, 1}, .test = CONDITION_IS_ABSENT};
    static const struct condition_term is_there = {.path = {&step, 1}, .test = CONDITION_EXISTS};
    struct rows_answer answers[2];
    json_t *first = item_of("t1", case_json("{'n':{'N':'1'}}"));
    json_t *second = item_of("t2", NULL);
    struct rows_write writes[] = {{.kind = ROWS_PUT, .table = &table, .item = first, .condition = {&is_new, 1}},
                                  {.kind = ROWS_PUT, .table = &table, .item = second, .condition = {&is_new, 1}}};
    const struct rows_transaction transaction = {writes, 2, token};
    snprintf(token, sizeof(token), "%s", server.unique);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(outcome_of_transaction(&transaction, answers), TABLE_OK);
        rows_answers_free(answers, 2);
    }
    writes[1].condition.terms = &is_there;
    assert_int_equal(outcome_of_transaction(&transaction, answers), TABLE_REFUSED);
    rows_answers_free(answers, 2);
    token[0] = 'x';
    assert_int_equal(outcome_of_transaction(&transaction, answers), TABLE_CONFLICT);
    assert_int_equal(answers[0].verdict, ROWS_CONDITION_FAILED);
    assert_true(case_items_equal(answers[0].item, first));
    assert_int_equal(answers[1].verdict, ROWS_NOT_IN_THE_WAY);
    rows_answers_free(answers, 2);
    json_decref(first);
    json_decref(second);
}

/* ----------------------------------------------------------------------------------------------------- many items */

enum { ITEMS = 5 };

static void assert_items(const struct rows_items *batch, json_t *const items[ITEMS])
{
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(case_items_equal(batch->items[i], items[i]));
    assert_null(batch->items[ITEMS]);
    assert_int_equal(batch->left_count, 0);
}

static void read_at_once(const struct rows_key *keys, json_t *const items[ITEMS])
{
    struct http_request request;
    struct buf body;
    struct rows_items batch;
    struct dynamo_error detail;
    os_code code = rows_build_batch(&server.endpoint, keys, ITEMS + 1, false, &request, &body, NULL);
    struct http_response response = send_built(code, &request, &body);
    assert_int_equal(rows_read_batch(&response, WHERE, keys, ITEMS + 1, &batch, &detail, NULL), TABLE_OK);
    assert_items(&batch, items);
    rows_items_free(&batch);
    http_response_free(&response);
}

static void read_in_a_transaction(const struct rows_key *keys, json_t *const items[ITEMS])
{
    struct http_request request;
    struct buf body;
    struct rows_items batch;
    struct dynamo_error detail;
    struct rows_get gets[ITEMS + 1];
    for (size_t i = 0; i <= ITEMS; i++)
        gets[i] = (struct rows_get){.of = keys[i]};
    os_code code = rows_build_transact_get(&server.endpoint, gets, ITEMS + 1, &request, &body, NULL);
    struct http_response response = send_built(code, &request, &body);
    assert_int_equal(rows_read_transact_get(&response, WHERE, gets, ITEMS + 1, &batch, &detail, NULL), TABLE_OK);
    assert_items(&batch, items);
    rows_items_free(&batch);
    http_response_free(&response);
    assert_int_equal(sqlite_rows_get(embedded, gets, ITEMS + 1, sqlite_patience_ms(PATIENT_MS), &batch, NULL),
                     TABLE_OK);
    assert_items(&batch, items);
    rows_items_free(&batch);
}

/* The same list, in SQLite. */
static size_t count_pages_of_sqlite(struct rows_list *list)
{
    size_t count = 0;
    json_t *start_key = NULL;
    do {
        struct rows_page page;
        list->start_key = start_key;
        assert_int_equal(sqlite_rows_list(embedded, list, sqlite_patience_ms(PATIENT_MS), &page, NULL), TABLE_OK);
        count += json_array_size(page.items);
        json_decref(start_key);
        start_key = json_incref(page.last_key);
        rows_page_free(&page);
    } while (start_key != NULL);
    return count;
}

/* How many items the pages from here on have; pages of two, of which the filter leaves some empty. */
static size_t count_pages(struct rows_list *list)
{
    size_t count = 0;
    json_t *start_key = NULL;
    do {
        struct http_request request;
        struct buf body;
        struct rows_page page;
        struct dynamo_error detail;
        list->start_key = start_key;
        os_code code = rows_build_list(&server.endpoint, list, &request, &body, NULL);
        struct http_response response = send_built(code, &request, &body);
        assert_int_equal(rows_read_page(&response, WHERE, list, &page, &detail, NULL), TABLE_OK);
        count += json_array_size(page.items);
        json_decref(start_key);
        start_key = json_incref(page.last_key);
        rows_page_free(&page);
        http_response_free(&response);
    } while (start_key != NULL);
    assert_int_equal(count_pages_of_sqlite(list), count);
    return count;
}

TEST(items_are_read_at_once_and_in_pages)
{
    struct rows_key keys[ITEMS + 1];
    json_t *items[ITEMS];
    json_t *found = NULL;
    static const struct path_step step = {.name = "mark"};
    json_t *mark = case_json("{'S':'7'}");
    const struct condition_term marked = {.path = {&step, 1}, .test = CONDITION_EQUALS, .value = mark};
    for (size_t i = 0; i <= ITEMS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "many %zu", i);
        keys[i] = (struct rows_key){&table, item_of(name, NULL)};
        if (i == ITEMS)
            continue;
        items[i] = item_of(name, json_pack("{s:O}", "mark", mark));
        assert_int_equal(
            outcome_of_write(&(struct rows_write){.kind = ROWS_PUT, .table = &table, .item = items[i]}, &found),
            TABLE_OK);
        json_decref(found);
    }
    read_at_once(keys, items);
    read_in_a_transaction(keys, items);
    assert_int_equal(count_pages(&(struct rows_list){.table = &table, .filter = {&marked, 1}, .limit = 2}), ITEMS);
    assert_int_equal(
        count_pages(&(struct rows_list){.table = &table, .partition = json_object_get(keys[3].key, "key")}), 1);
    for (size_t i = 0; i <= ITEMS; i++)
        json_decref((json_t *)keys[i].key);
    for (size_t i = 0; i < ITEMS; i++)
        json_decref(items[i]);
    json_decref(mark);
}

static bool open_embedded(const char *folder)
{
    os_error err;
    char file[256];
    const struct rows_definition definition = {.keys = {.partition = {"key", VALUE_S}}};
    snprintf(file, sizeof(file), "%s/rows.db", folder);
    if (sqlite_tables_create(file, NULL, &err) == OS_OK && sqlite_rows_open(file, NULL, &embedded, &err) == OS_OK &&
        sqlite_rows_create(embedded, table.name, &definition, sqlite_patience_ms(PATIENT_MS), &err) == OS_OK)
        return true;
    fprintf(stderr, "%s\n", err.message);
    return false;
}

int main(int argc, char **argv)
{
    char *folder = scratch_make();
    const char *endpoint = getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT");
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    table.name = server.unique;
    bool is_open = raw_make_table(endpoint, table.name, "key", "S", NULL) && open_embedded(folder);
    int status = is_open ? test_main(argc, argv) : 1;
    sqlite_rows_close(embedded);
    scratch_remove(folder);
    real_close(&server);
    return status;
}
