/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that somebody else has written, or that are damaged: a sentence, never a crash, and never another answer. */
#include "rows_state.h"

#define KEY  "{'p':{'S':'a'},'s':{'N':'1'}}"
#define ITEM "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'h':{'S':'H'}}"

static void tamper(struct state *state, const char *sql)
{
    put_item(state, ITEM);
    execute(state->file, sql);
}

static void check_get_is_unreadable(struct state *state, const char *words)
{
    struct rows_items found;
    json_t *key = case_json(KEY);
    const struct rows_get get = {.of = {&things_table, key}};
    CHECK_OUTCOME(sqlite_rows_get(state->rows, &get, 1, patient(), &found, &error), TABLE_UNREADABLE);
    assert_int_equal(error.code, OS_ERR_TABLE);
    if (strstr(error.message, words) == NULL || strstr(error.message, state->file) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
    assert_null(found.items[0]);
    json_decref(key);
}

static enum table_outcome query_outcome(struct state *state, struct rows_list query)
{
    struct rows_page page;
    query.table = &things_table;
    enum table_outcome outcome = sqlite_rows_list(state->rows, &query, patient(), &page, &error);
    rows_page_free(&page);
    return outcome;
}

static const struct damage {
    const char *name;
    const char *sql;
    const char *words;
} damages[] = {
    {"no JSON", "UPDATE rows_items SET item = '{\"p\":'", "is no JSON object"},
    {"nothing", "UPDATE rows_items SET item = ''", "is no JSON object"},
    {"bytes", "UPDATE rows_items SET item = x'00ff00'", "is no JSON object"},
    {"a number", "UPDATE rows_items SET item = 17", "is no JSON object"},
    {"a list", "UPDATE rows_items SET item = '[1]'", "is no JSON object"},
    {"no values", "UPDATE rows_items SET item = '{\"p\":\"a\"}'", "values that no item can have"},
    {"a value of two types",
     "UPDATE rows_items SET item = '{\"p\":{\"S\":\"a\"},\"s\":{\"N\":\"1\"},\"x\":{\"S\":\"y\",\"N\":\"1\"}}'",
     "values that no item can have"},
    {"no key", "UPDATE rows_items SET item = '{\"p\":{\"S\":\"a\"}}'", "another key"},
    {"another key", "UPDATE rows_items SET item = '{\"p\":{\"S\":\"b\"},\"s\":{\"N\":\"1\"}}'", "another key"},
    {"deep", "UPDATE rows_items SET item = replace(hex(zeroblob(5000)), '00', '[')", "is no JSON object"},
    {"large",
     "UPDATE rows_items SET item = '{\"p\":{\"S\":\"a\"},\"s\":{\"N\":\"1\"},\"x\":{\"S\":\"' || "
     "hex(zeroblob(1000000)) || '\"}}'",
     "values that no item can have"},
};

TEST_ROWS_WITH(state, damages, an_item_that_is_none_is_said_to_be_damaged)
{
    tamper(state, row->sql);
    check_get_is_unreadable(state, row->words);
    CHECK_OUTCOME(query_outcome(state, (struct rows_list){.table = NULL}), TABLE_UNREADABLE);
    CHECK_OUTCOME(query_outcome(state, (struct rows_list){BY_G}), TABLE_UNREADABLE);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = ITEM}), TABLE_UNREADABLE);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = "{'p':{'S':'b'},'s':{'N':'1'}}"},
                            {.kind = ROWS_CHECK, .item = KEY, .if_path = "p", .if_test = CONDITION_IS_ABSENT}),
                  TABLE_UNREADABLE);
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'b'},'s':{'N':'1'}}"), NULL);
}

TEST_WITH(state, a_row_that_is_too_large_is_an_error)
{
    struct rows_items found;
    json_t *key = case_json(KEY);
    const struct rows_get get = {.of = {&things_table, key}};
    tamper(state, "UPDATE rows_items SET item = hex(zeroblob(20000000))");
    CHECK_OUTCOME(sqlite_rows_get(state->rows, &get, 1, patient(), &found, &error), TABLE_REFUSED);
    assert_non_null(strstr(error.message, "too big"));
    json_decref(key);
}

static const struct damage index_damages[] = {
    {"an entry without an item", "UPDATE rows_entries SET row_partition = x'7a7a'", "as its entry in an index says"},
    {"an entry of another key", "UPDATE rows_entries SET partition = x'7a7a'", "as its entry in an index says"},
    {"an entry that is text", "UPDATE rows_entries SET row_sort = 'x'", "has a key that is none"},
    {"an entry that is long", "UPDATE rows_entries SET sort = zeroblob(3000)", "has a key that is none"},
};

TEST_ROWS_WITH(state, index_damages, an_entry_that_says_what_is_not_so_is_said_to_be_damaged)
{
    tamper(state, row->sql);
    CHECK_OUTCOME(query_outcome(state, (struct rows_list){BY_G}), TABLE_UNREADABLE);
    if (strstr(error.message, row->words) == NULL)
        fail_msg("\"%s\" is not in: %s", row->words, error.message);
    CHECK_ITEM(get_item(state, &things_table, KEY), ITEM);
}

TEST_WITH(state, keys_of_another_type_are_said_to_be_damaged)
{
    tamper(state, "UPDATE rows_items SET sort = zeroblob(2000)");
    CHECK_OUTCOME(query_outcome(state, (struct rows_list){.table = NULL}), TABLE_UNREADABLE);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

static const struct damage definitions[] = {
    {"no JSON", "UPDATE rows_tables SET definition = 'x'", "is damaged"},
    {"no keys", "UPDATE rows_tables SET definition = '{}'", "is damaged"},
    {"no types", "UPDATE rows_tables SET definition = '{\"partition\":[\"p\"],\"indexes\":[]}'", "is damaged"},
    {"another type", "UPDATE rows_tables SET definition = '{\"partition\":[\"p\",\"SS\"],\"indexes\":[]}'",
     "is damaged"},
    {"no indexes", "UPDATE rows_tables SET definition = '{\"partition\":[\"p\",\"S\"]}'", "is damaged"},
    {"an index that is none", "UPDATE rows_tables SET definition = '{\"partition\":[\"p\",\"S\"],\"indexes\":[7]}'",
     "is damaged"},
    {"bytes", "UPDATE rows_tables SET definition = x'00'", "is damaged"},
};

TEST_ROWS_WITH(state, definitions, a_definition_that_is_none_is_said_to_be_damaged)
{
    struct sqlite_rows_table table;
    tamper(state, row->sql);
    check_get_is_unreadable(state, row->words);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = ITEM}), TABLE_UNREADABLE);
    CHECK_OUTCOME(query_outcome(state, (struct rows_list){.table = NULL}), TABLE_UNREADABLE);
    CHECK_IS(sqlite_rows_describe(state->rows, "things", patient(), &table, &error), OS_ERR_TABLE);
    sqlite_rows_table_free(&table);
    CHECK_IS(sqlite_rows_create(state->rows, "things", &things, patient(), &error), OS_ERR_TABLE);
}

/* Another table of that name may do more than keep rows. */
TEST_WITH(state, a_table_of_another_making_is_not_used)
{
    static const char *const names[] = {"rows_tables", "rows_items", "rows_entries", "rows_tokens"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char sql[256];
        char file[1100];
        struct sqlite_rows *rows = NULL;
        (void)snprintf(file, sizeof(file), "%s/%s.db", state->folder, names[i]);
        CHECK_OK(sqlite_tables_create(file, NULL, &error));
        (void)snprintf(sql, sizeof(sql), "CREATE TABLE %s (x, CHECK (length(hex(zeroblob(400000000))) > 0))", names[i]);
        execute(file, sql);
        CHECK_OK(sqlite_rows_open(file, NULL, &rows, &error));
        CHECK_IS(sqlite_rows_create(rows, "things", &things, patient(), &error), OS_ERR_TABLE);
        assert_non_null(strstr(error.message, names[i]));
        sqlite_rows_close(rows);
    }
}

/* What expires must not wait behind an entry that leads nowhere, nor behind an item that cannot be read. */
TEST_WITH(state, what_is_damaged_does_not_keep_others_from_expiring)
{
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1'},'ttl':{'N':'2000000001'}}");
    put_item(state, "{'p':{'S':'a'},'s':{'N':'2'},'ttl':{'N':'2000000003'}}");
    for (int i = 3; i < 8; i++) {
        char item[128];
        (void)snprintf(item, sizeof(item), "{'p':{'S':'b'},'s':{'N':'%d'},'ttl':{'N':'2000000002'}}", i);
        put_item(state, item);
    }
    execute(state->file, "UPDATE rows_items SET item = 'x' WHERE partition = x'62'; "
                         "UPDATE rows_entries SET hash = hash - 1 WHERE row_partition = x'61' AND hash = 2000000001");
    for (int i = 0; i < 2; i++) {
        json_t *before = NULL;
        const struct asked put = {.kind = ROWS_PUT, .item = "{'p':{'S':'c'},'s':{'N':'1'}}"};
        CHECK_OUTCOME(write_alone(state, &put, NOW_S + 1000, &before), TABLE_OK);
    }
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'a'},'s':{'N':'2'}}"), NULL);
    CHECK_ITEM(get_item(state, &things_table, KEY), "{'p':{'S':'a'},'s':{'N':'1'},'ttl':{'N':'2000000001'}}");
}
