/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of random items, in DynamoDB Local and in SQLite, and the same items here: for comparisons of what each makes of
 * them. */
#ifndef OSCOMMIT_TEST_INTEGRATION_RANDOM_TABLES_H
#define OSCOMMIT_TEST_INTEGRATION_RANDOM_TABLES_H

#include "support/test.h"
#include "unit/sim/real.h"

#include "attribute/value.h"
#include "dynamo/rows_request.h"
#include "dynamo/rows_response.h"
#include "rows/check.h"
#include "sqlite/rows.h"
#include "sqlite/tables.h"
#include "support/raw_service.h"
#include "unit/attribute/case_reading.h"
#include "unit/attribute/plain_request.h"
#include "unit/attribute/random_items.h"
#include "unit/attribute/random_report.h"
#include "unit/sqlite/scratch.h"

#include <stdio.h>
#include <string.h>

#define WHERE "the table of this test"

enum { PARTITIONS = 3, ITEMS = 40 /* at first */ };

static const enum value_type sort_types[] = {VALUE_S, VALUE_N, VALUE_B};
enum { TABLES = sizeof(sort_types) / sizeof(sort_types[0]) };

/* A table of a sort key of each type, with an index of its items by "g" and "h". */
struct many {
    char name[48];
    enum value_type sort_type;
    struct rows_table table;
    json_t *items; /* that are in it */
};

static struct real_service server;
static struct many tables[TABLES];
static struct sqlite_rows *embedded;
enum { PATIENT_MS = 60000, NOW_S = 2000000000 };
static uint64_t seed = 1; /* OSCOMMIT_TEST_SEED */

static inline json_t *attribute_of(const char *name, const char *type)
{
    return json_pack("{s:s,s:s}", "AttributeName", name, "AttributeType", type);
}

static inline json_t *keys_of(const char *partition, const char *sort)
{
    return json_pack("[{s:s,s:s},{s:s,s:s}]", "AttributeName", partition, "KeyType", "HASH", "AttributeName", sort,
                     "KeyType", "RANGE");
}

static inline int ask(const char *action, json_t *request, char ret_code[64])
{
    json_t *answer = NULL;
    int status = raw_dynamo(getenv("OSCOMMIT_TEST_DYNAMODB_ENDPOINT"), action, request, &answer);
    const char *type = json_string_value(json_object_get(answer, "__type"));
    const char *code = type != NULL ? strchr(type, '#') : NULL;
    snprintf(ret_code, 64, "%s", code != NULL ? code + 1 : "");
    json_decref(answer);
    return status;
}

static inline void make_table(struct many *many, enum value_type sort_type)
{
    char code[64];
    many->sort_type = sort_type;
    snprintf(many->name, sizeof(many->name), "%s-%s", server.unique, value_type_name(sort_type));
    many->table = (struct rows_table){many->name, {"pk", "sk"}};
    json_t *index = json_pack("{s:s,s:o,s:{s:s}}", "IndexName", "by-g", "KeySchema", keys_of("g", "h"), "Projection",
                              "ProjectionType", "ALL");
    json_t *request = json_pack("{s:s,s:s,s:o,s:[o,o,o,o],s:[o]}", "TableName", many->name, "BillingMode",
                                "PAY_PER_REQUEST", "KeySchema", keys_of("pk", "sk"), "AttributeDefinitions",
                                attribute_of("pk", "S"), attribute_of("sk", value_type_name(sort_type)),
                                attribute_of("g", "S"), attribute_of("h", "N"), "GlobalSecondaryIndexes", index);
    assert_int_equal(ask("CreateTable", request, code), 200);
    const struct rows_index by_g = {"by-g", {{"g", VALUE_S}, {"h", VALUE_N}}, ROWS_PROJECT_ALL, NULL, 0};
    const struct rows_definition definition = {
        .keys = {{"pk", VALUE_S}, {"sk", sort_type}}, .indexes = &by_g, .index_count = 1};
    assert_int_equal(sqlite_rows_create(embedded, many->name, &definition, sqlite_patience_ms(PATIENT_MS), NULL),
                     OS_OK);
}

static inline bool is_taken(const json_t *value)
{
    return value_size(value) > 0;
}

/* The service takes no item whose index would have a key of another type. */
static inline bool is_taken_by_index(const json_t *item)
{
    const json_t *partition = json_object_get(item, "g");
    const json_t *sort = json_object_get(item, "h");
    return (partition == NULL || (value_type(partition) == VALUE_S && is_taken(partition))) &&
           (sort == NULL || value_type(sort) == VALUE_N);
}

static inline json_t *random_key(uint64_t *random, const struct many *many)
{
    const char *const partitions[PARTITIONS] = {"p", "q", "\xc3\xbc"};
    json_t *sort = random_scalar(random, many->sort_type);
    while (!is_taken(sort)) {
        json_decref(sort);
        sort = random_scalar(random, many->sort_type);
    }
    return json_pack("{s:{s:s},s:o}", "pk", "S", partitions[random_below(random, PARTITIONS)], "sk", sort);
}

static inline bool is_row(const struct many *many, const json_t *item)
{
    const struct rows_write write = {.kind = ROWS_PUT, .table = &many->table, .item = item};
    return rows_check_write(&write, NULL) == OS_OK;
}

/* Whole, and such as the library takes. */
static inline json_t *random_row(uint64_t *random, const struct many *many)
{
    for (;;) {
        json_t *item = random_item(random);
        json_t *key = random_key(random, many);
        assert_int_equal(json_object_update(item, key), 0);
        json_decref(key);
        if (random_below(random, 3) > 0)
            json_object_set_new(item, "g", json_pack("{s:s}", "S", random_below(random, 2) == 0 ? "x" : "y"));
        if (random_below(random, 3) > 0)
            json_object_set_new(item, "h", random_scalar(random, VALUE_N));
        if (is_row(many, item))
            return item;
        json_decref(item);
    }
}

static inline size_t place_of(const struct many *many, const json_t *key)
{
    size_t at = 0;
    while (at < json_array_size(many->items) && !rows_same_key(&many->table.keys, json_array_get(many->items, at), key))
        at++;
    return at;
}

static inline void remember(struct many *many, const json_t *key, json_t *item)
{
    size_t at = place_of(many, key);
    if (at < json_array_size(many->items))
        json_array_remove(many->items, at);
    if (item != NULL)
        json_array_append(many->items, item);
}

static inline enum table_outcome send_write(const struct rows_write *write)
{
    struct http_request request;
    struct buf body;
    struct dynamo_error detail;
    json_t *found = NULL;
    assert_int_equal(rows_build_write(&server.endpoint, write, &request, &body, NULL), OS_OK);
    struct http_response response = real_exchange(&server, &request, &body);
    enum table_outcome outcome = rows_read_write(&response, WHERE, write, &found, &detail, NULL);
    json_decref(found);
    http_response_free(&response);
    return outcome;
}

static inline void fill_table(uint64_t *random, struct many *many)
{
    many->items = json_array();
    for (size_t i = 0; i < ITEMS; i++) {
        json_t *item = random_row(random, many);
        const struct rows_write write = {.kind = ROWS_PUT, .table = &many->table, .item = item};
        json_t *found = NULL;
        assert_int_equal(send_write(&write), TABLE_OK);
        assert_int_equal(sqlite_rows_write(embedded, &write, sqlite_patience_ms(PATIENT_MS), NOW_S, &found, NULL),
                         TABLE_OK);
        remember(many, item, item);
        json_decref(item);
    }
}

static inline json_t *list_there(struct rows_list list, os_error *err)
{
    json_t *found = json_array();
    json_t *start_key = NULL;
    for (bool goes_on = true; goes_on;) {
        struct http_request request;
        struct rows_page page;
        struct dynamo_error detail;
        struct buf body;
        list.start_key = start_key;
        assert_int_equal(rows_build_list(&server.endpoint, &list, &request, &body, NULL), OS_OK);
        struct http_response response = real_exchange(&server, &request, &body);
        enum table_outcome outcome = rows_read_page(&response, WHERE, &list, &page, &detail, err);
        json_decref(start_key);
        start_key = json_incref((json_t *)page.last_key);
        json_array_extend(found, (json_t *)page.items);
        goes_on = page.last_key != NULL;
        rows_page_free(&page);
        http_response_free(&response);
        if (outcome != TABLE_OK) {
            json_decref(found);
            found = NULL;
            break;
        }
    }
    json_decref(start_key);
    return found;
}

static inline json_t *list_in_sqlite(struct rows_list list, os_error *err)
{
    json_t *found = json_array();
    json_t *start_key = NULL;
    enum table_outcome outcome = TABLE_OK;
    for (bool goes_on = true; goes_on && outcome == TABLE_OK;) {
        struct rows_page page;
        list.start_key = start_key;
        outcome = sqlite_rows_list(embedded, &list, sqlite_patience_ms(PATIENT_MS), &page, err);
        json_decref(start_key);
        start_key = json_incref(page.last_key);
        json_array_extend(found, page.items);
        goes_on = page.last_key != NULL;
        rows_page_free(&page);
    }
    json_decref(start_key);
    if (outcome != TABLE_OK)
        json_decref(found);
    return outcome == TABLE_OK ? found : NULL;
}

/* As sets: items of one key of an index, and those of a Scan, come in any order. */
static inline bool same_items(const json_t *a, const json_t *b, bool is_ordered)
{
    json_t *rest = json_copy((json_t *)b);
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++) {
        size_t at = 0;
        while (at < json_array_size(rest) && !case_items_equal(json_array_get(a, i), json_array_get(rest, at)))
            at++;
        same = at < json_array_size(rest) && (!is_ordered || at == 0);
        json_array_remove(rest, at);
    }
    json_decref(rest);
    return same;
}

static inline void open_embedded(const char *folder)
{
    char file[256];
    snprintf(file, sizeof(file), "%s/rows.db", folder);
    assert_int_equal(sqlite_tables_create(file, NULL, NULL), OS_OK);
    assert_int_equal(sqlite_rows_open(file, NULL, &embedded, NULL), OS_OK);
}

static inline int run_with_tables(int argc, char **argv)
{
    uint64_t random;
    const char *first = getenv("OSCOMMIT_TEST_SEED");
    char *folder = scratch_make();
    real_open(&server, "OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "dynamodb");
    open_embedded(folder);
    seed = first != NULL ? strtoull(first, NULL, 10) : seed;
    random = seed;
    for (size_t i = 0; i < TABLES; i++) {
        make_table(&tables[i], sort_types[i]);
        fill_table(&random, &tables[i]);
    }
    int status = test_main(argc, argv);
    for (size_t i = 0; i < TABLES; i++)
        json_decref(tables[i].items);
    sqlite_rows_close(embedded);
    scratch_remove(folder);
    real_close(&server);
    return status;
}

#endif
