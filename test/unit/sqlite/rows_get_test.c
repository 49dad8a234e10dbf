/* SPDX-License-Identifier: Apache-2.0 */
/* Reading items by their keys; and items that expire. */
#include "rows_state.h"

#define KEY(sort) "{'p':{'S':'a'},'s':{'N':'" sort "'}}"

enum { GRACE_S = 60, FIVE_YEARS_S = 5 * 365 * 86400 };

TEST_WITH(state, items_of_several_tables_are_read_at_once)
{
    struct case_path read;
    const struct path path = *case_path("x.k", &read);
    json_t *keys[] = {case_json(KEY("1")), case_json(KEY("2")), case_json("{'id':{'B':'AQI='}}")};
    const struct rows_get gets[] = {{.of = {&things_table, keys[0]}, .paths = &path, .path_count = 1},
                                    {.of = {&plain_table, keys[2]}},
                                    {.of = {&things_table, keys[1]}}};
    struct rows_items found;
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1'},'x':{'M':{'k':{'S':'v'},'l':{'S':'w'}}}}");
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = "{'id':{'B':'AQI='}}", .table = &plain_table}), TABLE_OK);
    CHECK_OUTCOME(sqlite_rows_get(state->rows, gets, 3, patient(), &found, &error), TABLE_OK);
    CHECK_ITEM(json_incref(found.items[0]), "{'x':{'M':{'k':{'S':'v'}}}}");
    CHECK_ITEM(json_incref(found.items[1]), "{'id':{'B':'AQI='}}");
    assert_null(found.items[2]);
    assert_int_equal(found.left_count, 0);
    rows_items_free(&found);
    for (size_t i = 0; i < 3; i++)
        json_decref(keys[i]);
}

static void check_refused(struct state *state, const struct rows_get *gets, size_t count, os_code code)
{
    struct rows_items found;
    CHECK_OUTCOME(sqlite_rows_get(state->rows, gets, count, patient(), &found, &error), TABLE_REFUSED);
    assert_int_equal(error.code, code);
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        assert_null(found.items[i]);
}

TEST_WITH(state, what_cannot_be_read_is_refused)
{
    static const struct rows_table others = {"others", {"p", "s"}};
    static const struct rows_table renamed = {"plain", {"p", "s"}};
    struct case_path read;
    const struct path overlapping[] = {*case_path("x", &read), *case_path("x", &read)};
    json_t *key = case_json(KEY("1"));
    json_t *same = case_json(KEY("1.0"));
    json_t *part = case_json("{'p':{'S':'a'}}");
    const struct rows_get twice[] = {{.of = {&things_table, key}}, {.of = {&things_table, same}}};
    struct rows_get many[ROWS_AT_ONCE_MAX + 1];
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
        many[i] = twice[0];
    put_item(state, KEY("1"));
    check_refused(state, twice, 0, OS_ERR_ARGUMENT);
    check_refused(state, many, ROWS_AT_ONCE_MAX + 1, OS_ERR_ARGUMENT);
    check_refused(state, twice, 2, OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "names the item p \"a\", s \"1.0\" of table \"things\" twice"));
    check_refused(state, &(struct rows_get){.of = {&things_table, part}}, 1, OS_ERR_ARGUMENT);
    check_refused(state, &(struct rows_get){.of = {&others, key}}, 1, OS_ERR_NO_TABLE);
    check_refused(state, &(struct rows_get){.of = {&things_table, key}, .paths = overlapping, .path_count = 2}, 1,
                  OS_ERR_ARGUMENT);
    check_refused(state, &(struct rows_get){.of = {&renamed, key}}, 1, OS_ERR_ARGUMENT);
    assert_non_null(
        strstr(error.message, "The key of the table plain is \"id\", and it was asked for by \"p\" and \"s\""));
    json_decref(key);
    json_decref(same);
    json_decref(part);
}

TEST_WITH(state, a_file_without_rows_has_no_tables)
{
    struct sqlite_rows *rows = NULL;
    struct rows_items found;
    json_t *key = case_json(KEY("1"));
    const struct rows_get get = {.of = {&things_table, key}};
    const struct rows_write write = {.kind = ROWS_PUT, .table = &things_table, .item = key};
    const struct rows_transaction transaction = {.writes = &write, .count = 1, .token = "t"};
    struct rows_answer answer;
    char file[1100];
    (void)snprintf(file, sizeof(file), "%s", below(state->folder, "empty.db"));
    CHECK_OK(sqlite_tables_create(file, NULL, &error));
    CHECK_OK(sqlite_rows_open(file, NULL, &rows, &error));
    CHECK_OUTCOME(sqlite_rows_get(rows, &get, 1, patient(), &found, &error), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_TABLE);
    CHECK_OUTCOME(sqlite_rows_transact(rows, &transaction, patient(), NOW_S, &answer, &error), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_TABLE);
    sqlite_rows_close(rows);
    json_decref(key);
}

/* ------------------------------------------------------------------------------------------------------------- TTL */

static void put_expiring(struct state *state, const char *sort, const char *ttl, int64_t now_s)
{
    char item[256];
    json_t *before = NULL;
    (void)snprintf(item, sizeof(item), "{'p':{'S':'a'},'s':{'N':'%s'},'ttl':%s}", sort, ttl);
    CHECK_OUTCOME(write_alone(state, &(struct asked){.kind = ROWS_PUT, .item = item}, now_s, &before), TABLE_OK);
}

static void write_elsewhere(struct state *state, int64_t now_s)
{
    json_t *before = NULL;
    const struct asked put = {.kind = ROWS_PUT, .item = "{'p':{'S':'other'},'s':{'N':'1'}}"};
    CHECK_OUTCOME(write_alone(state, &put, now_s, &before), TABLE_OK);
}

static void check_there(struct state *state, const char *key, bool wanted)
{
    json_t *item = get_item(state, &things_table, key);
    assert_int_equal(item != NULL, wanted);
    json_decref(item);
}

TEST_WITH(state, an_item_is_removed_a_minute_after_it_has_expired)
{
    put_expiring(state, "1", "{'N':'2000000000'}", NOW_S - 1);
    write_elsewhere(state, NOW_S + GRACE_S);
    check_there(state, KEY("1"), true);
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    check_there(state, KEY("1"), false);
}

TEST_WITH(state, what_expires_leaves_the_indexes_as_well)
{
    json_t *g = case_json("{'S':'G'}");
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'ttl':{'N':'2000000000'}}");
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    CHECK_ITEM(query_all(state, (struct rows_list){ALL_G, .partition = g}, NULL), "[]");
    json_decref(g);
}

TEST_WITH(state, an_item_expires_by_what_it_says_now)
{
    put_expiring(state, "1", "{'N':'2000000000'}", NOW_S);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_UPDATE,
                                    .item = KEY("1"),
                                    .path = "ttl",
                                    .change = CHANGE_SET,
                                    .value = "{'N':'2000001000'}"}),
                  TABLE_OK);
    write_elsewhere(state, NOW_S + 1000);
    check_there(state, KEY("1"), true);
    write_elsewhere(state, NOW_S + 1000 + GRACE_S + 1);
    check_there(state, KEY("1"), false);
}

TEST_WITH(state, what_is_no_epoch_second_of_the_last_five_years_removes_nothing)
{
    char old[64];
    static const char *const others[] = {"{'S':'1000000000'}", "{'N':'-5'}", "{'N':'1E100'}", "{'NULL':true}",
                                         "{'N':'0'}"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        char sort[8];
        (void)snprintf(sort, sizeof(sort), "%zu", i);
        put_expiring(state, sort, others[i], NOW_S);
    }
    (void)snprintf(old, sizeof(old), "{'N':'%d'}", NOW_S - FIVE_YEARS_S - 1);
    put_expiring(state, "10", old, NOW_S);
    (void)snprintf(old, sizeof(old), "{'N':'%d'}", NOW_S - FIVE_YEARS_S);
    put_expiring(state, "11", old, NOW_S);
    write_elsewhere(state, NOW_S);
    check_there(state, KEY("0"), true);
    check_there(state, KEY("1"), true);
    check_there(state, KEY("2"), true);
    check_there(state, KEY("3"), true);
    check_there(state, KEY("4"), true);
    check_there(state, KEY("10"), true);
    check_there(state, KEY("11"), false);
}

/* A part of a second is rounded up. */
TEST_WITH(state, a_fraction_expires_with_the_second_that_it_is_in)
{
    put_expiring(state, "1", "{'N':'2000000000.5'}", NOW_S);
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    check_there(state, KEY("1"), true);
    write_elsewhere(state, NOW_S + GRACE_S + 2);
    check_there(state, KEY("1"), false);
}

/* What becomes of an item that is written is its writer's business. */
TEST_WITH(state, an_item_that_is_written_is_not_removed_by_the_same_write)
{
    put_expiring(state, "1", "{'N':'1999999000'}", NOW_S);
    check_there(state, KEY("1"), true);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_CHECK, .item = KEY("1"), .if_path = "p", .if_test = CONDITION_EXISTS}),
                  TABLE_OK);
    check_there(state, KEY("1"), true);
}

TEST_WITH(state, some_are_removed_at_a_time)
{
    for (int i = 0; i < 10; i++) {
        char sort[8];
        (void)snprintf(sort, sizeof(sort), "%d", i);
        put_expiring(state, sort, "{'N':'2000000000'}", NOW_S);
    }
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    assert_int_equal(count_all(state, (struct rows_list){.table = &things_table}), 7);
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    write_elsewhere(state, NOW_S + GRACE_S + 1);
    assert_int_equal(count_all(state, (struct rows_list){.table = &things_table}), 1);
}

TEST_WITH(state, a_write_that_fails_removes_nothing)
{
    json_t *before = NULL;
    const struct asked put = {
        .kind = ROWS_PUT, .item = "{'p':{'S':'other'},'s':{'N':'1'}}", .if_path = "p", .if_test = CONDITION_EXISTS};
    put_expiring(state, "1", "{'N':'2000000000'}", NOW_S);
    CHECK_OUTCOME(write_alone(state, &put, NOW_S + 1000, &before), TABLE_CONFLICT_BLIND);
    check_there(state, KEY("1"), true);
}
