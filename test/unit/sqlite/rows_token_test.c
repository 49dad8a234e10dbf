/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: what was written under one is answered again, and written once. */
#include "rows_state.h"

#define KEY           "{'p':{'S':'a'},'s':{'N':'1'}}"
#define TEN_MINUTES_S 600

static const struct asked add = {
    .kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_ADD, .value = "{'NS':['1','2']}"};

static enum table_outcome write_token(struct state *state, const struct asked *asked, const char *token, int64_t now_s)
{
    struct rows_answer answer;
    json_t *item = NULL;
    if (token == NULL)
        return write_alone(state, asked, now_s, &item);
    enum table_outcome outcome = transact_at(state, asked, 1, token, now_s, &answer);
    assert_true(outcome != TABLE_OK || answer.verdict == ROWS_NOT_IN_THE_WAY);
    rows_answers_free(&answer, 1);
    return outcome;
}

static struct asked count_up(const char *value)
{
    return (struct asked){.kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_ADD, .value = value};
}

static void check_count(struct state *state, const char *number)
{
    char item[128];
    (void)snprintf(item, sizeof(item), "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'%s'}}", number);
    CHECK_ITEM(get_item(state, &things_table, KEY), item);
}

TEST_WITH(state, the_same_writes_under_a_token_are_done_once)
{
    const struct asked up = count_up("{'N':'1'}");
    for (int i = 0; i < 3; i++)
        CHECK_OUTCOME(write_token(state, &up, "t", NOW_S + i), TABLE_OK);
    check_count(state, "1");
    CHECK_OUTCOME(write_token(state, &up, "u", NOW_S), TABLE_OK);
    check_count(state, "2");
    CHECK_OUTCOME(write_token(state, &up, NULL, NOW_S), TABLE_OK);
    check_count(state, "3");
}

TEST_WITH(state, a_token_lives_for_ten_minutes)
{
    const struct asked up = count_up("{'N':'1'}");
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S), TABLE_OK);
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S + TEN_MINUTES_S - 1), TABLE_OK);
    check_count(state, "1");
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S + TEN_MINUTES_S), TABLE_OK);
    check_count(state, "2");
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S + 2 * TEN_MINUTES_S - 1), TABLE_OK);
    check_count(state, "2");
}

/* A clock that was set back makes nobody write twice. */
TEST_WITH(state, a_token_of_the_future_counts)
{
    const struct asked up = count_up("{'N':'1'}");
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S), TABLE_OK);
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S - 3600), TABLE_OK);
    check_count(state, "1");
}

TEST_WITH(state, a_token_of_other_writes_is_refused)
{
    const struct asked up = count_up("{'N':'1'}");
    const struct asked others[] = {
        {.kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_ADD, .value = "{'N':'2'}"},
        {.kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_SET, .value = "{'N':'1'}"},
        {.kind = ROWS_UPDATE, .item = KEY, .path = "m", .change = CHANGE_ADD, .value = "{'N':'1'}"},
        {.kind = ROWS_UPDATE,
         .item = "{'p':{'S':'a'},'s':{'N':'2'}}",
         .path = "n",
         .change = CHANGE_ADD,
         .value = "{'N':'1'}"},
        {.kind = ROWS_UPDATE,
         .item = KEY,
         .path = "n",
         .change = CHANGE_ADD,
         .value = "{'N':'1'}",
         .if_path = "n",
         .if_test = CONDITION_EXISTS},
        {.kind = ROWS_DELETE, .item = KEY},
        {.kind = ROWS_PUT, .item = "{'id':{'B':'AQI='}}", .table = &plain_table},
    };
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S), TABLE_OK);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CHECK_OUTCOME(write_token(state, &others[i], "t", NOW_S), TABLE_REFUSED);
        assert_string_equal(error.service_code, "IdempotentParameterMismatchException");
        assert_int_equal(error.code, OS_ERR_REFUSED);
    }
    check_count(state, "1");
}

/* Sets have no order and numbers no spelling. */
TEST_WITH(state, the_same_writes_in_another_spelling_are_the_same)
{
    struct asked again = add;
    again.value = "{'NS':['2.0','1']}";
    again.item = "{'s':{'N':'1.0'},'p':{'S':'a'}}";
    CHECK_OUTCOME(write_token(state, &add, "t", NOW_S), TABLE_OK);
    CHECK_OUTCOME(write_token(state, &again, "t", NOW_S), TABLE_OK);
}

TEST_WITH(state, a_transaction_that_failed_leaves_no_token)
{
    struct asked on_condition = count_up("{'N':'1'}");
    on_condition.if_path = "go";
    on_condition.if_test = CONDITION_EXISTS;
    CHECK_OUTCOME(write_token(state, &on_condition, "t", NOW_S), TABLE_CONFLICT_BLIND);
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1'},'go':{'BOOL':true}}");
    CHECK_OUTCOME(write_token(state, &on_condition, "t", NOW_S), TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY), "{'p':{'S':'a'},'s':{'N':'1'},'go':{'BOOL':true},'n':{'N':'1'}}");
}

TEST_WITH(state, a_token_has_1_to_36_characters_and_returns_no_item)
{
    struct asked up = count_up("{'N':'1'}");
    CHECK_OUTCOME(write_token(state, &up, "", NOW_S), TABLE_REFUSED);
    CHECK_OUTCOME(write_token(state, &up, "1234567890123456789012345678901234567", NOW_S), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_OUTCOME(write_token(state, &up, "123456789012345678901234567890123456", NOW_S), TABLE_OK);
    up.returns_item = true;
    CHECK_OUTCOME(write_token(state, &up, "t", NOW_S), TABLE_REFUSED);
    check_count(state, "1");
}

static int count_tokens(const char *file)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM rows_tokens", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return count;
}

TEST_WITH(state, tokens_are_removed_on_the_way_when_they_are_old)
{
    const struct asked up = count_up("{'N':'1'}");
    char token[16];
    for (int i = 0; i < 10; i++) {
        (void)snprintf(token, sizeof(token), "t%d", i);
        CHECK_OUTCOME(write_token(state, &up, token, NOW_S), TABLE_OK);
    }
    assert_int_equal(count_tokens(state->file), 10);
    CHECK_OUTCOME(write_token(state, &up, "late", NOW_S + TEN_MINUTES_S), TABLE_OK);
    assert_int_equal(count_tokens(state->file), 3);
    CHECK_OUTCOME(write_token(state, &up, "later", NOW_S + TEN_MINUTES_S), TABLE_OK);
    assert_int_equal(count_tokens(state->file), 2);
}
