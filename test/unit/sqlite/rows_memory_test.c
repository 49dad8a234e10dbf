/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory runs out, SQLite's and that of JSON: each allocation of each call fails in turn, once, or from there on. A call
 * then fails, or does without; it never reports what is not so, and a transaction is written whole or not at all.
 */
#include "rows_state.h"

#define KEY    "{'p':{'S':'a'},'s':{'N':'1'}}"
#define OTHER  "{'p':{'S':'a'},'s':{'N':'2'}}"
#define BEFORE "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'n':{'N':'1'},'ttl':{'N':'2000000100'}}"
#define AFTER  "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'n':{'N':'3'},'ttl':{'N':'2000000100'}}"

enum { STEPS_MIN = 20, STEPS_MAX = 5000 };

static sqlite3_mem_methods real;
static long countdown = -1; /* allocations until one fails; below 0: none does */
static bool for_good;

static bool fails_now(void)
{
    if (countdown < 0)
        return false;
    if (countdown == 0) {
        countdown = for_good ? 0 : -1;
        return true;
    }
    countdown--;
    return false;
}

static void *failing_malloc(int size)
{
    return fails_now() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *block, int size)
{
    return fails_now() ? NULL : real.xRealloc(block, size);
}

static void *failing_json_malloc(size_t size)
{
    return fails_now() ? NULL : malloc(size);
}

typedef void (*prepare_fn)(struct state *state);
typedef enum table_outcome (*call_fn)(struct state *state);
typedef void (*check_fn)(struct state *state, enum table_outcome outcome);

static long failing_step; /* of the call that comes */
static bool has_failed;   /* an allocation of it */

static void begin_failing(void)
{
    countdown = failing_step;
    json_set_alloc_funcs(failing_json_malloc, free);
}

static void end_failing(void)
{
    has_failed = for_good ? countdown == 0 : countdown < 0;
    json_set_alloc_funcs(malloc, free);
    countdown = -1;
}

/* Each step on a connection that is as new as it can be. */
static void fail_each(struct state *state, prepare_fn prepare, call_fn call, check_fn check)
{
    for (int good = 0; good < 2; good++) {
        for_good = good == 1;
        has_failed = true;
        for (failing_step = 0; failing_step < STEPS_MAX && has_failed; failing_step++) {
            prepare(state);
            sqlite_rows_close(state->rows);
            CHECK_OK(sqlite_rows_open(state->file, NULL, &state->rows, &error));
            enum table_outcome outcome = call(state);
            assert_true(has_failed || outcome == TABLE_OK);
            check(state, outcome);
        }
        assert_false(has_failed);
        assert_true(failing_step > STEPS_MIN);
    }
}

static void prepare_nothing(struct state *state)
{
    (void)state;
}

static void put_before(struct state *state)
{
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_DELETE, .item = OTHER}, {.kind = ROWS_PUT, .item = BEFORE}), TABLE_OK);
}

static enum table_outcome transact(struct state *state)
{
    static const struct asked asked[] = {
        {.kind = ROWS_UPDATE,
         .item = KEY,
         .path = "n",
         .change = CHANGE_ADD,
         .value = "{'N':'2'}",
         .if_path = "n",
         .if_test = CONDITION_EQUALS,
         .if_value = "{'N':'1'}"},
        {.kind = ROWS_PUT, .item = OTHER, .if_path = "p", .if_test = CONDITION_IS_ABSENT},
    };
    struct asked_room rooms[2];
    struct rows_answer answers[2];
    char token[32];
    static unsigned serial;
    (void)snprintf(token, sizeof(token), "t%u", serial++);
    struct rows_write writes[] = {asked_write(&asked[0], &rooms[0]), asked_write(&asked[1], &rooms[1])};
    const struct rows_transaction transaction = {.writes = writes, .count = 2, .token = token};
    begin_failing();
    enum table_outcome outcome = sqlite_rows_transact(state->rows, &transaction, patient(), NOW_S, answers, &error);
    end_failing();
    rows_answers_free(answers, 2);
    json_decref((json_t *)writes[0].item);
    json_decref((json_t *)writes[1].item);
    json_decref((json_t *)rooms[0].term.value);
    json_decref((json_t *)rooms[0].change.value);
    return outcome;
}

static void check_whole(struct state *state, enum table_outcome outcome)
{
    json_t *g = case_json("{'S':'G'}");
    json_t *other = get_item(state, &things_table, OTHER);
    bool is_done = other != NULL;
    assert_true(outcome == TABLE_OK || outcome == TABLE_REFUSED || outcome == TABLE_AMBIGUOUS ||
                outcome == TABLE_UNREADABLE);
    assert_true(outcome == TABLE_AMBIGUOUS || is_done == (outcome == TABLE_OK));
    CHECK_ITEM(get_item(state, &things_table, KEY), is_done ? AFTER : BEFORE);
    CHECK_ITEM(query_all(state, (struct rows_list){ALL_G, .partition = g}, NULL),
               is_done ? "[" AFTER "]" : "[" BEFORE "]");
    json_decref(other);
    json_decref(g);
}

TEST_WITH(state, a_transaction_is_written_whole_or_not_at_all_without_memory)
{
    fail_each(state, put_before, transact, check_whole);
}

static enum table_outcome read_item(struct state *state)
{
    struct rows_items found;
    json_t *key = case_json(KEY);
    const struct rows_get get = {.of = {&things_table, key}};
    begin_failing();
    enum table_outcome outcome = sqlite_rows_get(state->rows, &get, 1, patient(), &found, &error);
    end_failing();
    CHECK_ITEM(json_incref(found.items[0]), outcome == TABLE_OK ? BEFORE : NULL);
    rows_items_free(&found);
    json_decref(key);
    return outcome;
}

static void check_nothing(struct state *state, enum table_outcome outcome)
{
    (void)state;
    (void)outcome;
}

TEST_WITH(state, an_item_is_never_said_to_be_absent_for_want_of_memory)
{
    put_before(state);
    fail_each(state, prepare_nothing, read_item, check_nothing);
}

static enum table_outcome read_page(struct state *state)
{
    struct rows_page page;
    json_t *g = case_json("{'S':'G'}");
    const struct rows_list query = {.table = &things_table, ALL_G, .partition = g};
    begin_failing();
    enum table_outcome outcome = sqlite_rows_list(state->rows, &query, patient(), &page, &error);
    end_failing();
    CHECK_ITEM(json_incref(page.items), outcome == TABLE_OK ? "[" BEFORE "]" : NULL);
    assert_null(page.last_key);
    rows_page_free(&page);
    json_decref(g);
    return outcome;
}

TEST_WITH(state, a_page_is_never_shorter_for_want_of_memory)
{
    put_before(state);
    fail_each(state, prepare_nothing, read_page, check_nothing);
}

static void put_nothing(struct state *state)
{
    execute(state->file, "DELETE FROM rows_tables WHERE name = 'more'");
}

static enum table_outcome make_table(struct state *state)
{
    begin_failing();
    os_code code = sqlite_rows_create(state->rows, "more", &things, patient(), &error);
    end_failing();
    return code == OS_OK ? TABLE_OK : code == OS_ERR_UNDECIDED ? TABLE_AMBIGUOUS : TABLE_REFUSED;
}

static void check_made(struct state *state, enum table_outcome outcome)
{
    struct sqlite_rows_table table;
    char difference[512];
    os_code code = sqlite_rows_describe(state->rows, "more", patient(), &table, &error);
    assert_true(outcome == TABLE_AMBIGUOUS || code == (outcome == TABLE_OK ? OS_OK : OS_ERR_NO_TABLE));
    assert_true(code != OS_OK || rows_definition_difference(&table.definition, &things, difference) == NULL);
    sqlite_rows_table_free(&table);
}

TEST_WITH(state, a_table_is_made_whole_or_not_at_all_without_memory)
{
    fail_each(state, put_nothing, make_table, check_made);
}

int main(int argc, char **argv)
{
    sqlite3_mem_methods methods;
    (void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* so that small blocks are counted too */
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK)
        return 1;
    methods = real;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        return 1;
    return test_main(argc, argv);
}
