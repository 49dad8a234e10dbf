/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random items, conditions, changes, projections, pages and transactions: what DynamoDB Local says of them, and what the
 * library computes. The same ones in every run; OSCOMMIT_TEST_SEED begins elsewhere. What the library refuses to send is
 * sent without it, and has to be refused.
 */
#include "support/test.h"
#include "unit/sim/real.h"

#include "attribute/check.h"
#include "attribute/projection.h"
#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "rows/check.h"
#include "support/raw_service.h"
#include "unit/attribute/case_reading.h"
#include "unit/attribute/plain_request.h"
#include "unit/attribute/random_items.h"
#include "unit/attribute/random_report.h"

#include <stdio.h>
#include <string.h>

#define WHERE "the table of this test"

enum { ROUNDS = 200, QUESTIONS = 6 /* about each item */ };

static struct real_service server;
static struct rows_table table = {.keys = {"key", NULL}};
static uint64_t first_seed = 1;

/* ----------------------------------------------------------------------------------------------- without the library */

/* Whether it is refused for what it is. Takes `request`. */
static bool is_refused(const char *action, json_t *request)
{
    json_t *answer = NULL;
    json_object_set_new(request, "TableName", json_string(table.name));
    int status = raw_dynamo(getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT"), action, request, &answer);
    const char *type = json_string_value(json_object_get(answer, "__type"));
    bool refused = status == 400 && type != NULL && strstr(type, "ValidationException") != NULL;
    json_decref(answer);
    return refused;
}

static void begin(struct plain_request *plain, const json_t *key)
{
    plain_begin(plain, json_pack("{s:O}", "Key", key));
}

/* ------------------------------------------------------------------------------------------------------- requests */

static enum table_outcome outcome_of_write(const struct rows_write *write, json_t **ret, os_error *err)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_write(&server.endpoint, write, &request, &body, err);
    struct dynamo_error detail;
    *ret = NULL;
    if (code != OS_OK)
        return TABLE_UNREADABLE;
    struct http_response response = real_exchange(&server, &request, &body);
    enum table_outcome outcome = rows_read_write(&response, WHERE, write, ret, &detail, err);
    http_response_free(&response);
    return outcome;
}

static bool builds(const struct rows_write *write)
{
    struct http_request request;
    struct buf body;
    os_code code = rows_build_write(&server.endpoint, write, &request, &body, NULL);
    http_request_free(&request);
    buf_free(&body);
    return code == OS_OK;
}

/* A random item that is there now; one that the library does not take is not taken. */
static json_t *put_item(uint64_t *state, uint64_t seed)
{
    for (;;) {
        json_t *found = NULL;
        os_error err;
        json_t *item = random_item(state);
        json_object_set_new(item, "key", json_pack("{s:s}", "S", "k"));
        const struct rows_write write = {.kind = ROWS_PUT, .table = &table, .item = item};
        if (builds(&write)) {
            enum table_outcome outcome = outcome_of_write(&write, &found, &err);
            json_decref(found);
            if (outcome == TABLE_OK)
                return item;
            report_difference(seed, "the service does not take an item", item, NULL, NULL, NULL, err.message);
        } else if (!is_refused("PutItem", json_pack("{s:O}", "Item", item))) {
            (void)rows_check_write(&write, &err);
            report_difference(seed, "the library does not take an item", item, NULL, NULL, NULL, err.message);
        }
        json_decref(item);
    }
}

/* What is asked of an item; it may put another in its place. */
typedef void (*question_fn)(uint64_t *random, uint64_t seed, json_t **item, const json_t *key);

static void ask_of_many(question_fn ask)
{
    json_t *key = json_pack("{s:{s:s}}", "key", "S", "k");
    for (uint64_t seed = first_seed; seed < first_seed + ROUNDS; seed++) {
        uint64_t random = seed;
        json_t *item = put_item(&random, seed);
        for (size_t i = 0; i < QUESTIONS; i++)
            ask(&random, seed, &item, key);
        json_decref(item);
    }
    json_decref(key);
    assert_no_differences();
}

/* ---------------------------------------------------------------------------------------------------- conditions */

static void ask_condition(uint64_t *state, uint64_t seed, json_t **of, const json_t *key)
{
    const json_t *item = *of;
    struct random_condition made;
    json_t *found = NULL;
    os_error err = {.code = OS_OK};
    random_condition(state, item, &made);
    const struct rows_write write = {.kind = ROWS_UPDATE, .table = &table, .item = key, .condition = made.condition};
    if (condition_check(&made.condition, &err) != OS_OK || !builds(&write)) {
        struct plain_request plain;
        begin(&plain, key);
        plain_condition(&plain, "ConditionExpression", &made.condition);
        if (!is_refused("UpdateItem", plain_end(&plain)))
            report_difference(seed, "only the library refuses a condition", item, report_condition(&made.condition),
                              NULL, NULL, err.message);
    } else {
        bool holds = condition_holds(&made.condition, item);
        enum table_outcome outcome = outcome_of_write(&write, &found, &err);
        json_t *ours = json_boolean(holds);
        if (outcome != (holds ? TABLE_OK : TABLE_CONFLICT))
            report_difference(seed, "a condition", item, report_condition(&made.condition), ours, NULL, err.message);
        else if (!holds && !case_items_equal(found, (json_t *)item))
            report_difference(seed, "the item in the way", item, report_condition(&made.condition), item, found, "");
        json_decref(ours);
        json_decref(found);
    }
    random_condition_free(&made);
}

TEST(conditions_hold_where_the_library_says_so)
{
    ask_of_many(ask_condition);
}

/* ------------------------------------------------------------------------------------------------------- changes */

/* The item is then what has been made of it, by the service. */
static void make_changes(uint64_t *state, uint64_t seed, json_t **of, const json_t *key)
{
    const json_t *item = *of;
    struct random_changes made;
    json_t *found = NULL;
    json_t *after = NULL;
    os_error err = {.code = OS_OK};
    random_changes(state, item, &made);
    const struct rows_write write = {.kind = ROWS_UPDATE,
                                     .table = &table,
                                     .item = key,
                                     .changes = made.changes,
                                     .change_count = made.count,
                                     .returns_item = true};
    os_code code = changes_check(made.changes, made.count, &err);
    if (code != OS_OK || !builds(&write)) {
        struct plain_request plain;
        begin(&plain, key);
        plain_changes(&plain, made.changes, made.count);
        if (!is_refused("UpdateItem", plain_end(&plain)))
            report_difference(seed, "only the library refuses changes", item, report_changes(made.changes, made.count),
                              NULL, NULL, err.message);
    } else {
        code = change_apply(item, made.changes, made.count, &after, &err);
        enum table_outcome outcome = outcome_of_write(&write, &found, &err);
        if (outcome != (code == OS_OK ? TABLE_OK : TABLE_REFUSED))
            report_difference(seed, "changes", item, report_changes(made.changes, made.count), after, found,
                              err.message);
        else if (code == OS_OK && !case_items_equal(after, found))
            report_difference(seed, "changes", item, report_changes(made.changes, made.count), after, found, "");
        if (outcome == TABLE_OK) {
            json_t *made_of_it = json_incref(found);
            json_decref(*of);
            *of = made_of_it;
        }
        json_decref(found);
    }
    json_decref(after);
    random_changes_free(&made);
}

TEST(updates_make_what_the_library_says)
{
    ask_of_many(make_changes);
}

/* --------------------------------------------------------------------------------------------------- projections */

static void ask_parts(uint64_t *state, uint64_t seed, json_t **of, const json_t *key)
{
    const json_t *item = *of;
    struct random_paths made;
    struct dynamo_error detail;
    struct http_request request;
    json_t *found = NULL;
    struct buf body;
    os_error err = {.code = OS_OK};
    random_paths(state, item, &made);
    json_t *asked = report_paths(made.paths, made.count);
    const struct rows_get get = {.of = {&table, key}, .paths = made.paths, .path_count = made.count};
    if (rows_build_get(&server.endpoint, &get, &request, &body, &err) != OS_OK) {
        struct plain_request plain;
        begin(&plain, key);
        plain_paths(&plain, made.paths, made.count);
        if (!is_refused("GetItem", plain_end(&plain)))
            report_difference(seed, "only the library refuses paths", item, asked, NULL, NULL, err.message);
        else
            json_decref(asked);
        return;
    }
    struct http_response response = real_exchange(&server, &request, &body);
    json_t *parts = projection_of(item, made.paths, made.count);
    enum table_outcome outcome = rows_read_get(&response, WHERE, &get, &found, &detail, &err);
    if (outcome != TABLE_OK || found == NULL || !case_items_equal(parts, found))
        report_difference(seed, "parts", item, asked, parts, found, err.message);
    else
        json_decref(asked);
    json_decref(parts);
    json_decref(found);
    http_response_free(&response);
}

TEST(parts_are_those_that_the_library_says)
{
    ask_of_many(ask_parts);
}

int main(int argc, char **argv)
{
    const char *endpoint = getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT");
    const char *seed = getenv("OSCOMMIT_TEST_SEED");
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    table.name = server.unique;
    first_seed = seed != NULL ? strtoull(seed, NULL, 10) : first_seed;
    int status = raw_make_table(endpoint, table.name, "key", "S", NULL) ? test_main(argc, argv) : 1;
    real_close(&server);
    return status;
}
