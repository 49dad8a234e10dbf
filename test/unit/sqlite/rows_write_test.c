/* SPDX-License-Identifier: Apache-2.0 */
/* Writes of rows: each verb, its condition and its answer, and all or nothing. */
#include "rows_state.h"

#define KEY  "{'p':{'S':'a'},'s':{'N':'1'}}"
#define KEY2 "{'p':{'S':'a'},'s':{'N':'2'}}"
#define KEY3 "{'p':{'S':'b'},'s':{'N':'1'}}"
#define ITEM "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'5'}}"

static enum table_outcome write_one(struct state *state, const struct asked *asked, json_t **ret_item)
{
    return write_alone(state, asked, NOW_S, ret_item);
}

static void check_refused(struct state *state, const struct asked *asked, os_code code, const char *words)
{
    struct rows_answer answer;
    json_t *item = NULL;
    CHECK_OUTCOME(write_one(state, asked, &item), TABLE_REFUSED);
    assert_null(item);
    assert_int_equal(error.code, code);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
    if (asked->kind == ROWS_CHECK)
        return;
    CHECK_OUTCOME(transact_at(state, asked, 1, "token", NOW_S, &answer), TABLE_REFUSED);
    assert_int_equal(answer.verdict, ROWS_REFUSED);
    assert_int_equal(answer.code, code);
    assert_string_equal(answer.why, error.message);
    rows_answers_free(&answer, 1);
}

/* ------------------------------------------------------------------------------------------------------------ verbs */

TEST_WITH(state, what_is_put_is_there_in_the_canonical_form)
{
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
    put_item(state, "{'p':{'S':'a'},'s':{'N':'1.0'},'n':{'N':'05e1'},'ns':{'NS':['3','2.0']}}");
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'a'},'s':{'N':'1e0'}}"),
               "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'50'},'ns':{'NS':['2','3']}}");
    put_item(state, ITEM);
    CHECK_ITEM(get_item(state, &things_table, KEY), ITEM);
}

TEST_WITH(state, a_put_on_a_condition_gives_what_is_in_the_way)
{
    const struct asked absent = {.kind = ROWS_PUT, .item = ITEM, .if_path = "p", .if_test = CONDITION_IS_ABSENT};
    json_t *item = NULL;
    CHECK_OUTCOME(write_one(state, &absent, &item), TABLE_OK);
    assert_null(item);
    CHECK_OUTCOME(write_one(state, &absent, &item), TABLE_CONFLICT);
    CHECK_ITEM(item, ITEM);
}

TEST_WITH(state, a_condition_that_fails_on_nothing_gives_nothing)
{
    const struct asked there = {.kind = ROWS_DELETE, .item = KEY, .if_path = "p", .if_test = CONDITION_EXISTS};
    json_t *item = NULL;
    CHECK_OUTCOME(write_one(state, &there, &item), TABLE_CONFLICT_BLIND);
    assert_null(item);
    assert_int_equal(error.code, OS_OK);
}

TEST_WITH(state, an_update_changes_or_makes_an_item)
{
    struct asked add = {.kind = ROWS_UPDATE,
                        .item = KEY,
                        .path = "n",
                        .change = CHANGE_ADD,
                        .value = "{'N':'1.50'}",
                        .returns_item = true};
    json_t *item = NULL;
    CHECK_OUTCOME(write_one(state, &add, &item), TABLE_OK);
    CHECK_ITEM(item, "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'1.5'}}");
    add.returns_item = false;
    CHECK_OUTCOME(write_one(state, &add, &item), TABLE_OK);
    assert_null(item);
    CHECK_ITEM(get_item(state, &things_table, KEY), "{'p':{'S':'a'},'s':{'N':'1'},'n':{'N':'3'}}");
}

/* DynamoDB Local makes the item in these cases. */
TEST_WITH(state, an_update_of_nothing_makes_an_item_of_the_key)
{
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_UPDATE, .item = KEY, .path = "x", .change = CHANGE_REMOVE}), TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY), KEY);
    CHECK_OUTCOME(
        WRITE_ALL(state,
                  {.kind = ROWS_UPDATE, .item = KEY2, .path = "x", .change = CHANGE_DELETE, .value = "{'SS':['a']}"}),
        TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY2), KEY2);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_UPDATE, .item = KEY3}), TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY3), KEY3);
}

/* The condition sees no item, though the update would make one of the key. */
TEST_WITH(state, a_condition_of_an_update_does_not_see_the_item_that_it_makes)
{
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_UPDATE, .item = KEY, .if_path = "p", .if_test = CONDITION_EXISTS}),
                  TABLE_CONFLICT_BLIND);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

TEST_WITH(state, a_delete_removes_and_returns_what_was_there)
{
    const struct asked remove = {.kind = ROWS_DELETE, .item = KEY, .returns_item = true};
    json_t *item = NULL;
    put_item(state, ITEM);
    CHECK_OUTCOME(write_one(state, &remove, &item), TABLE_OK);
    CHECK_ITEM(item, ITEM);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
    CHECK_OUTCOME(write_one(state, &remove, &item), TABLE_OK);
    assert_null(item);
}

TEST_WITH(state, a_put_returns_what_it_replaces)
{
    const struct asked put = {.kind = ROWS_PUT, .item = KEY, .returns_item = true};
    json_t *item = NULL;
    put_item(state, ITEM);
    CHECK_OUTCOME(write_one(state, &put, &item), TABLE_OK);
    CHECK_ITEM(item, ITEM);
    CHECK_ITEM(get_item(state, &things_table, KEY), KEY);
}

TEST_WITH(state, a_check_writes_nothing)
{
    const struct asked check = {
        .kind = ROWS_CHECK, .item = KEY, .if_path = "n", .if_test = CONDITION_EQUALS, .if_value = "{'N':'5.0'}"};
    CHECK_OUTCOME(write_some(state, &check, 1), TABLE_CONFLICT_BLIND);
    put_item(state, ITEM);
    CHECK_OUTCOME(write_some(state, &check, 1), TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY), ITEM);
}

/* ------------------------------------------------------------------------------------------------------- refusals */

#define ITEM_OF_X "{'x':{'S':'a'},'p':{'S':'a'},'s':{'N':'1'}}"

static const struct rows_table misnamed = {"a b", {"p", "s"}};
static const struct rows_table other_partition = {"things", {"x", "s"}};
static const struct rows_table without_sort = {"things", {"p", NULL}};
static const struct rows_table turned = {"things", {"s", "p"}};
static const struct rows_table plain_with_sort = {"plain", {"id", "s"}};

static const struct refusal {
    const char *name;
    struct asked asked;
    os_code code;
    const char *words;
} refusals[] = {
    {"no partition key", {.kind = ROWS_PUT, .item = "{'s':{'N':'1'}}"}, OS_ERR_ARGUMENT, "p: the value is not"},
    {"no sort key", {.kind = ROWS_PUT, .item = "{'p':{'S':'a'}}"}, OS_ERR_ARGUMENT, "s: the value is not"},
    {"another type", {.kind = ROWS_PUT, .item = "{'p':{'N':'1'},'s':{'N':'1'}}"}, OS_ERR_ARGUMENT, "another type"},
    {"an empty key",
     {.kind = ROWS_DELETE, .item = "{'p':{'S':''},'s':{'N':'1'}}"},
     OS_ERR_ARGUMENT,
     "of 1 to 2048 bytes"},
    {"more than a key",
     {.kind = ROWS_DELETE, .item = ITEM},
     OS_ERR_ARGUMENT,
     "\"p\", the attribute \"s\" and no other"},
    {"no item", {.kind = ROWS_PUT, .item = "['a']"}, OS_ERR_ARGUMENT, "not a JSON object"},
    {"no value", {.kind = ROWS_PUT, .item = "{'p':'a','s':{'N':'1'}}"}, OS_ERR_ARGUMENT, "p: the value"},
    {"an index key of another type",
     {.kind = ROWS_PUT, .item = "{'p':{'S':'a'},'s':{'N':'1'},'g':{'N':'1'}}"},
     OS_ERR_ARGUMENT,
     "\"g\", the partition key of the index by_g"},
    {"an index key that is empty",
     {.kind = ROWS_PUT, .item = "{'p':{'S':'a'},'s':{'N':'1'},'h':{'S':''}}"},
     OS_ERR_ARGUMENT,
     "\"h\", the sort key of the index by_g"},
    {"an index key of another type by an update",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "g", .change = CHANGE_SET, .value = "{'N':'1'}"},
     OS_ERR_ARGUMENT,
     "\"g\", the partition key of the index by_g"},
    {"a key changed",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "s", .change = CHANGE_ADD, .value = "{'N':'1'}"},
     OS_ERR_ARGUMENT,
     "s: the attributes of an item's key do not change"},
    {"a part of a key changed",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "p.a", .change = CHANGE_REMOVE},
     OS_ERR_ARGUMENT,
     "p.a: the attributes of an item's key do not change"},
    {"a name that is no text",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "x\xff", .change = CHANGE_SET, .value = "{'N':'1'}"},
     OS_ERR_ARGUMENT,
     "the name of an attribute is UTF-8"},
    {"a condition on a name that is no text",
     {.kind = ROWS_DELETE, .item = KEY, .if_path = "x\xff", .if_test = CONDITION_IS_ABSENT},
     OS_ERR_ARGUMENT,
     "the name of an attribute is UTF-8"},
    {"no place for a change",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "x.y", .change = CHANGE_REMOVE},
     OS_ERR_REFUSED,
     "The item p \"a\", s \"1\" of table \"things\" was not written: x.y: the item has no map"},
    {"no number to add to",
     {.kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_INCREMENT, .value = "{'N':'1'}"},
     OS_ERR_REFUSED,
     "no number there"},
    {"a condition that is none",
     {.kind = ROWS_PUT, .item = ITEM, .if_path = "n", .if_test = CONDITION_IS_BELOW, .if_value = "{'BOOL':true}"},
     OS_ERR_ARGUMENT,
     "asks for an order"},
    {"a check of nothing", {.kind = ROWS_CHECK, .item = KEY}, OS_ERR_ARGUMENT, "only in a transaction"},
    {"a change of a put",
     {.kind = ROWS_PUT, .item = ITEM, .path = "x", .change = CHANGE_REMOVE},
     OS_ERR_ARGUMENT,
     "Only an UPDATE has changes"},
    {"another kind", {.kind = (enum rows_write_kind)9, .item = ITEM}, OS_ERR_ARGUMENT, "PUT, UPDATE, DELETE or CHECK"},
    {"no name of a table", {.kind = ROWS_PUT, .item = ITEM, .table = &misnamed}, OS_ERR_ARGUMENT, "not the name"},
    {"keys of another name",
     {.kind = ROWS_PUT, .item = ITEM_OF_X, .table = &other_partition},
     OS_ERR_ARGUMENT,
     "The key of the table things is \"p\" and \"s\", and it was asked for by \"x\" and \"s\". Give the names that it "
     "has."},
    {"keys of which one is left out",
     {.kind = ROWS_DELETE, .item = "{'p':{'S':'a'}}", .table = &without_sort},
     OS_ERR_ARGUMENT,
     "it was asked for by \"p\"."},
    {"keys turned round",
     {.kind = ROWS_DELETE, .item = KEY, .table = &turned},
     OS_ERR_ARGUMENT,
     "it was asked for by \"s\" and \"p\"."},
    {"a sort key that the table does not have",
     {.kind = ROWS_DELETE, .item = "{'id':{'B':'AQI='},'s':{'N':'1'}}", .table = &plain_with_sort},
     OS_ERR_ARGUMENT,
     "The key of the table plain is \"id\", and it was asked for by \"id\" and \"s\"."},
};

TEST_ROWS_WITH(state, refusals, what_the_service_refuses_is_refused_with_a_sentence)
{
    check_refused(state, &row->asked, row->code, row->words);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

static char *item_with_text(const char *name, size_t len)
{
    char *item = NULL;
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, 'x', len);
    text[len] = '\0';
    assert_true(asprintf(&item, "{'p':{'S':'a'},'s':{'N':'1'},'%s':{'S':'%s'}}", name, text) > 0);
    free(text);
    return item;
}

TEST_WITH(state, an_item_of_400_kb_is_kept_and_a_larger_one_refused)
{
    enum { REST = 2 + 1 + 2 + 1 };
    char *item = item_with_text("v", ITEM_SIZE_MAX - REST);
    put_item(state, item);
    check_refused(
        state,
        &(struct asked){.kind = ROWS_UPDATE, .item = KEY, .path = "w", .change = CHANGE_SET, .value = "{'NULL':true}"},
        OS_ERR_TOO_LARGE, "409602 bytes");
    CHECK_ITEM(get_item(state, &things_table, KEY), item);
    free(item);
    item = item_with_text("v", ITEM_SIZE_MAX - REST + 1);
    check_refused(state, &(struct asked){.kind = ROWS_PUT, .item = item}, OS_ERR_TOO_LARGE, "409601 bytes");
    free(item);
}

TEST_WITH(state, keys_have_the_services_lengths)
{
    static const struct {
        const char *name;
        size_t max;
    } keys[] = {{"g", 2048}, {"h", 1024}};
    for (size_t i = 0; i < 2; i++) {
        char *item = item_with_text(keys[i].name, keys[i].max);
        put_item(state, item);
        free(item);
        item = item_with_text(keys[i].name, keys[i].max + 1);
        check_refused(state, &(struct asked){.kind = ROWS_PUT, .item = item}, OS_ERR_ARGUMENT, "too long");
        free(item);
    }
}

/* The text of this item is a hundred times its size. */
TEST_WITH(state, an_item_of_tiny_numbers_is_kept)
{
    json_t *set = json_array();
    char text[32];
    for (int i = 0; i < 40000; i++) {
        (void)snprintf(text, sizeof(text), "1.%05dE-129", i);
        assert_int_equal(json_array_append_new(set, json_string(text)), 0);
    }
    json_t *item = json_pack("{s{ss}s{ss}s{so}}", "p", "S", "a", "s", "N", "1", "v", "NS", set);
    const struct rows_write write = {.kind = ROWS_PUT, .table = &things_table, .item = item};
    json_t *before = NULL;
    CHECK_OUTCOME(sqlite_rows_write(state->rows, &write, patient(), NOW_S, &before, &error), TABLE_OK);
    json_t *found = get_item(state, &things_table, KEY);
    assert_true(case_items_equal(found, item));
    json_decref(found);
    json_decref(item);
}

TEST_WITH(state, an_item_of_more_values_than_can_be_read_is_refused)
{
    json_t *list = json_array();
    json_t *before = NULL;
    for (int i = 0; i < 70000; i++)
        assert_int_equal(json_array_append_new(list, json_pack("{sb}", "NULL", 1)), 0);
    json_t *item = json_pack("{s{ss}s{ss}s{so}}", "p", "S", "a", "s", "N", "1", "v", "L", list);
    const struct rows_write write = {.kind = ROWS_PUT, .table = &things_table, .item = item};
    CHECK_OUTCOME(sqlite_rows_write(state->rows, &write, patient(), NOW_S, &before, &error), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_TOO_LARGE);
    json_decref(item);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

/* ----------------------------------------------------------------------------------------------------- transactions */

TEST_WITH(state, all_of_a_transaction_are_written)
{
    put_item(state, ITEM);
    CHECK_OUTCOME(
        WRITE_ALL(state, {.kind = ROWS_DELETE, .item = KEY}, {.kind = ROWS_PUT, .item = KEY2},
                  {.kind = ROWS_UPDATE, .item = KEY3, .path = "x", .change = CHANGE_SET, .value = "{'S':'y'}"},
                  {.kind = ROWS_PUT, .item = "{'id':{'B':'AQI='}}", .table = &plain_table}),
        TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
    CHECK_ITEM(get_item(state, &things_table, KEY2), KEY2);
    CHECK_ITEM(get_item(state, &things_table, KEY3), "{'p':{'S':'b'},'s':{'N':'1'},'x':{'S':'y'}}");
    CHECK_ITEM(get_item(state, &plain_table, "{'id':{'B':'AQI='}}"), "{'id':{'B':'AQI='}}");
}

TEST_WITH(state, nothing_is_written_where_a_condition_fails)
{
    struct rows_answer answers[4];
    const struct asked writes[] = {
        {.kind = ROWS_PUT, .item = KEY2},
        {.kind = ROWS_DELETE, .item = KEY, .if_path = "n", .if_test = CONDITION_IS_ABOVE, .if_value = "{'N':'5'}"},
        {.kind = ROWS_PUT, .item = "{'id':{'B':'AQI='}}", .table = &plain_table},
        {.kind = ROWS_CHECK, .item = KEY3, .if_path = "p", .if_test = CONDITION_EXISTS},
    };
    put_item(state, ITEM);
    CHECK_OUTCOME(transact_at(state, writes, 4, "token", NOW_S, answers), TABLE_CONFLICT_BLIND);
    assert_int_equal(answers[0].verdict, ROWS_NOT_IN_THE_WAY);
    assert_int_equal(answers[1].verdict, ROWS_CONDITION_FAILED);
    CHECK_ITEM(json_incref(answers[1].item), ITEM);
    assert_int_equal(answers[2].verdict, ROWS_NOT_IN_THE_WAY);
    assert_null(answers[2].item);
    assert_int_equal(answers[3].verdict, ROWS_CONDITION_FAILED);
    assert_null(answers[3].item);
    rows_answers_free(answers, 4);
    CHECK_ITEM(get_item(state, &things_table, KEY2), NULL);
    CHECK_ITEM(get_item(state, &things_table, KEY), ITEM);
    CHECK_ITEM(get_item(state, &plain_table, "{'id':{'B':'AQI='}}"), NULL);
}

TEST_WITH(state, nothing_is_written_where_one_is_refused)
{
    struct rows_answer answers[3];
    const struct asked writes[] = {
        {.kind = ROWS_PUT, .item = KEY},
        {.kind = ROWS_UPDATE, .item = KEY2, .path = "n", .change = CHANGE_INCREMENT, .value = "{'N':'1'}"},
        {.kind = ROWS_DELETE, .item = KEY3},
    };
    CHECK_OUTCOME(transact_at(state, writes, 3, "token", NOW_S, answers), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_REFUSED);
    assert_non_null(
        strstr(error.message, "Write 2 of 3: The item p \"a\", s \"2\" of table \"things\" was not written: n: "));
    assert_int_equal(answers[0].verdict, ROWS_NOT_IN_THE_WAY);
    assert_int_equal(answers[1].verdict, ROWS_REFUSED);
    assert_int_equal(answers[1].code, OS_ERR_REFUSED);
    assert_int_equal(answers[2].verdict, ROWS_NOT_IN_THE_WAY);
    rows_answers_free(answers, 3);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

/* As of DynamoDB's reasons: to read again and to begin anew may help against both. */
TEST_WITH(state, a_condition_that_failed_counts_more_than_what_was_refused)
{
    struct rows_answer answers[2];
    const struct asked writes[] = {
        {.kind = ROWS_UPDATE, .item = KEY, .path = "n", .change = CHANGE_INCREMENT, .value = "{'N':'1'}"},
        {.kind = ROWS_DELETE, .item = KEY2, .if_path = "n", .if_test = CONDITION_EXISTS},
    };
    put_item(state, KEY2);
    CHECK_OUTCOME(transact_at(state, writes, 2, "token", NOW_S, answers), TABLE_CONFLICT);
    assert_int_equal(error.code, OS_OK);
    assert_int_equal(answers[0].verdict, ROWS_REFUSED);
    assert_int_equal(answers[0].code, OS_ERR_REFUSED);
    assert_int_equal(answers[1].verdict, ROWS_CONDITION_FAILED);
    CHECK_ITEM(json_incref(answers[1].item), KEY2);
    rows_answers_free(answers, 2);
    CHECK_ITEM(get_item(state, &things_table, KEY2), KEY2);
}

TEST_WITH(state, each_write_of_a_transaction_sees_what_was_there_before)
{
    put_item(state, ITEM);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_DELETE, .item = KEY},
                            {.kind = ROWS_PUT, .item = KEY2, .if_path = "p", .if_test = CONDITION_IS_ABSENT},
                            {.kind = ROWS_CHECK, .item = KEY3, .if_path = "p", .if_test = CONDITION_IS_ABSENT}),
                  TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}

TEST_WITH(state, no_item_is_written_twice_in_one_transaction)
{
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = KEY}, {.kind = ROWS_PUT, .item = KEY2},
                            {.kind = ROWS_DELETE, .item = "{'p':{'S':'a'},'s':{'N':'1.00'}}"}),
                  TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "names the item p \"a\", s \"1.00\" of table \"things\" twice"));
    CHECK_ITEM(get_item(state, &things_table, KEY2), NULL);
}

static enum table_outcome write_many(struct state *state, size_t count, size_t size)
{
    struct rows_write writes[ROWS_AT_ONCE_MAX + 1];
    char token[ROWS_TOKEN_MAX + 1];
    struct rows_answer answers[ROWS_AT_ONCE_MAX + 1];
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    for (size_t i = 0; i < count; i++) {
        char number[24];
        (void)snprintf(number, sizeof(number), "%zu", i);
        writes[i] = (struct rows_write){
            .kind = ROWS_PUT,
            .table = &things_table,
            .item = json_pack("{s{ss}s{ss}s{ss}}", "p", "S", "many", "s", "N", number, "v", "S", text)};
    }
    const struct rows_transaction transaction = {.writes = writes, .count = count, .token = new_token(token)};
    enum table_outcome outcome = sqlite_rows_transact(state->rows, &transaction, patient(), NOW_S, answers, &error);
    rows_answers_free(answers, count);
    for (size_t i = 0; i < count; i++)
        json_decref((json_t *)writes[i].item);
    free(text);
    return outcome;
}

TEST_WITH(state, a_transaction_has_1_to_100_writes_and_4_mb)
{
    CHECK_OUTCOME(write_many(state, 0, 1), TABLE_REFUSED);
    CHECK_OUTCOME(write_many(state, 101, 1), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_OUTCOME(write_many(state, 11, 390000), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_TOO_LARGE);
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'many'},'s':{'N':'0'}}"), NULL);
    CHECK_OUTCOME(write_many(state, 10, 390000), TABLE_OK);
    CHECK_OUTCOME(write_many(state, 100, 1), TABLE_OK);
    CHECK_ITEM(get_item(state, &things_table, "{'p':{'S':'many'},'s':{'N':'99'}}"),
               "{'p':{'S':'many'},'s':{'N':'99'},'v':{'S':'x'}}");
}

TEST_WITH(state, a_table_that_is_not_there_is_said_so)
{
    static const struct rows_table others = {"others", {"p", "s"}};
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = KEY}, {.kind = ROWS_PUT, .item = KEY, .table = &others}),
                  TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_TABLE);
    assert_non_null(strstr(error.message, "\"others\""));
    CHECK_ITEM(get_item(state, &things_table, KEY), NULL);
}
