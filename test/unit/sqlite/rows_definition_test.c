/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of tables: how one is kept, and what differs between two. */
#include "rows_state.h"

#define S_KEY(attribute)                    \
    {                                       \
        .partition = { attribute, VALUE_S } \
    }

TEST_WITH(state, a_table_is_read_as_it_was_made)
{
    struct sqlite_rows_table table;
    char difference[512];
    CHECK_OK(sqlite_rows_describe(state->rows, "things", patient(), &table, &error));
    assert_null(rows_definition_difference(&table.definition, &things, difference));
    assert_string_equal(table.definition.indexes[0].names[0], "x");
    assert_string_equal(table.definition.ttl, "ttl");
    sqlite_rows_table_free(&table);
    CHECK_IS(sqlite_rows_describe(state->rows, "others", patient(), &table, &error), OS_ERR_NO_TABLE);
    sqlite_rows_table_free(&table);
}

TEST_WITH(state, making_a_table_again_is_fine_with_the_same_definition)
{
    const struct rows_index turned[] = {things_indexes[1], things_indexes[0]};
    struct rows_definition same = things;
    same.indexes = turned;
    CHECK_OK(sqlite_rows_create(state->rows, "things", &same, patient(), &error));
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1'}}");
    CHECK_OK(sqlite_rows_create(state->rows, "things", &things, patient(), &error));
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'a'},'s':{'N':'1'}}"), "{'p':{'S':'a'},'s':{'N':'1'}}");
    CHECK_IS(sqlite_rows_create(state->rows, "a", &things, patient(), &error), OS_ERR_ARGUMENT);
}

static void check_differs(struct state *state, const struct rows_definition *definition, const char *words)
{
    CHECK_IS(sqlite_rows_create(state->rows, "things", definition, patient(), &error), OS_ERR_TABLE);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

TEST_WITH(state, what_differs_is_said)
{
    struct rows_index indexes[2] = {things_indexes[0], things_indexes[1]};
    const char *const y[] = {"y"};
    struct rows_definition other = things;
    other.keys.partition.type = VALUE_B;
    check_differs(state, &other, "the partition key is \"p\" (S), not \"p\" (B)");
    other = things;
    other.keys.sort.name = NULL;
    check_differs(state, &other, "the sort key is \"s\" (N), not none");
    other = things;
    other.ttl = NULL;
    check_differs(state, &other, "the TTL attribute is ttl, not none");
    other = things;
    other.index_count = 1;
    check_differs(state, &other, "it has an index \"all_g\"");
    other.indexes = indexes;
    other.index_count = 2;
    indexes[1].name = "new_g";
    check_differs(state, &other, "it has an index \"all_g\"");
    indexes[1] = things_indexes[1];
    indexes[1].projection = ROWS_PROJECT_KEYS_ONLY;
    check_differs(state, &other, "the projection of the index \"all_g\" is ALL, not KEYS_ONLY");
    indexes[1] = things_indexes[1];
    indexes[1].keys.sort = (struct rows_attribute){"h", VALUE_S};
    check_differs(state, &other, "the sort key of the index \"all_g\" is none, not \"h\" (S)");
    indexes[1] = things_indexes[1];
    indexes[0].names = y;
    check_differs(state, &other, "the index \"by_g\" includes \"x\"");
}

TEST_WITH(state, an_index_more_differs)
{
    const struct rows_index more = {.name = "more", .keys = S_KEY("g"), .projection = ROWS_PROJECT_ALL};
    const struct rows_definition other = {.keys = plain.keys, .indexes = &more, .index_count = 1};
    CHECK_IS(sqlite_rows_create(state->rows, "plain", &other, patient(), &error), OS_ERR_TABLE);
    assert_non_null(strstr(error.message, "it has no index \"more\""));
}

TEST(a_file_that_is_not_there_is_no_table)
{
    struct sqlite_rows *rows = NULL;
    CHECK_IS(sqlite_rows_open("/nonexistent/ledger.db", NULL, &rows, &error), OS_ERR_NO_TABLE);
    assert_null(rows);
}

/* Records, leases and locks, and rows: one file. */
TEST_WITH(state, a_file_of_rows_is_a_ledger_still)
{
    struct sqlite_tables *tables = NULL;
    CHECK_OK(sqlite_tables_open(state->file, NULL, &tables, &error));
    CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    sqlite_tables_close(tables);
}
