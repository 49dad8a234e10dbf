/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite runs out of memory: each allocation of each call fails in turn, once, or from there on. A call then fails with
 * a code, or does without; it never reports what is not so: an object without its nonce, a record that was not written.
 */
#include "local/file_store.h"
#include "unit/sqlite/records.h"

#include "scratch.h"

#include <sqlite3.h>

enum { STEPS_MAX = 5000 };

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

static os_error error;
static const char old_nonce[] = "p000000000000000000000000000000a";
static const char new_nonce[] = "p000000000000000000000000000000c";

struct state {
    char *root;
    char *ledger_file;
    struct file_store *store;
    struct sqlite_tables *ledger;
};

static os_code open_both(struct state *state)
{
    os_code code = file_store_open(state->root, &state->store, &error);
    return code == OS_OK ? sqlite_tables_open(state->ledger_file, NULL, &state->ledger, &error) : code;
}

static void close_both(struct state *state)
{
    file_store_close(state->store);
    sqlite_tables_close(state->ledger);
    state->store = NULL;
    state->ledger = NULL;
}

static void state_set_up(struct state *state)
{
    state->root = scratch_make();
    state->ledger_file = strdup(below(state->root, ".oscommit/ledger.db"));
    CHECK_OK(file_store_init(state->root, &error));
}

static void state_tear_down(struct state *state)
{
    close_both(state);
    scratch_remove(state->root);
    free(state->ledger_file);
}

typedef os_code (*call_fn)(struct state *state);

/* Runs `call` with each allocation failing, on connections that are as new as they can be, until nothing failed any
 * more. */
static void fail_each(struct state *state, call_fn prepare, call_fn call,
                      void (*check)(struct state *state, os_code code))
{
    for (int good = 0; good < 2; good++) {
        bool reached_end = false;
        for (long step = 0; step < STEPS_MAX && !reached_end; step++) {
            CHECK_OK(open_both(state));
            CHECK_OK(prepare(state));
            for_good = good == 1;
            countdown = step;
            os_code code = call(state);
            reached_end = for_good ? countdown > 0 : countdown >= 0;
            countdown = -1;
            assert_true(!reached_end || code == OS_OK);
            check(state, code);
            close_both(state);
        }
        assert_true(reached_end);
    }
}

static void check_nonce(struct state *state, const char *nonce)
{
    struct file_object object;
    assert_string_equal(telling_check(state->store, "k", &error), "");
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.nonce, nonce);
}

static os_code put_old(struct state *state)
{
    return put_telling(state->store, "k", old_nonce, &error);
}

static os_code put_new(struct state *state)
{
    return put_telling(state->store, "k", new_nonce, &error);
}

static void check_put(struct state *state, os_code code)
{
    assert_int_equal(error.code, code);
    check_nonce(state, code == OS_OK ? new_nonce : old_nonce);
    assert_int_equal(entries_of(below(state->root, ".oscommit/tmp")), 0);
}

static os_code look(struct state *state)
{
    struct file_object object;
    os_code code = file_store_head(state->store, "k", &object, &error);
    assert_true(code != OS_OK || strcmp(object.nonce, old_nonce) == 0);
    return code;
}

static void check_look(struct state *state, os_code code)
{
    (void)code;
    check_nonce(state, old_nonce);
}

static os_code delete_one(struct state *state)
{
    return file_store_delete(state->store, "k", &error);
}

static void check_delete(struct state *state, os_code code)
{
    struct file_object object;
    CHECK_IS(code, OS_OK); /* rows that could not be removed are nobody's trouble */
    CHECK_IS(file_store_head(state->store, "k", &object, &error), OS_ERR_NOT_FOUND);
}

static const struct record record = {
    .generation = 7, .timeout_ms = 20000, .ttl_s = 4000000000, .nonce = "new", .saw = "saw"};

static os_code put_record(struct state *state)
{
    struct record_condition absent = {.kind = RECORD_IF_ABSENT};
    enum table_outcome outcome = records_put(
        state->ledger,
        &(struct record_row){.path = "k", .etag = "*", .record = &record, .condition = &absent, .now_s = 1000},
        sqlite_patience_ms(60000), NULL, NULL, &error);
    assert_true(outcome == TABLE_OK || outcome == TABLE_REFUSED || outcome == TABLE_AMBIGUOUS);
    return outcome == TABLE_OK ? OS_OK : outcome == TABLE_REFUSED ? OS_ERR_REFUSED : OS_ERR_UNDECIDED;
}

static os_code clear_ledger(struct state *state)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(state->ledger_file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM records", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return OS_OK;
}

static void check_record(struct state *state, os_code code)
{
    struct record found;
    bool is_there = false;
    assert_int_equal(records_get(state->ledger, &(struct record_row_key){"k", "*"}, sqlite_patience_ms(60000),
                                 &is_there, &found, NULL, &error),
                     TABLE_OK);
    assert_true(code == OS_ERR_UNDECIDED || is_there == (code == OS_OK));
    assert_true(!is_there ||
                (found.generation == 7 && strcmp(found.nonce, "new") == 0 && strcmp(found.saw, "saw") == 0));
}

static os_code read_record(struct state *state)
{
    struct record found;
    bool is_there = false;
    enum table_outcome outcome = records_get(state->ledger, &(struct record_row_key){"k", "*"},
                                             sqlite_patience_ms(60000), &is_there, &found, NULL, &error);
    assert_true(outcome == TABLE_REFUSED || (outcome == TABLE_OK && is_there && strcmp(found.nonce, "new") == 0));
    return outcome == TABLE_OK ? OS_OK : OS_ERR_REFUSED;
}

static os_code clear_and_put(struct state *state)
{
    clear_ledger(state);
    return put_record(state);
}

static void check_nothing(struct state *state, os_code code)
{
    (void)state;
    (void)code;
}

static os_code close_first(struct state *state)
{
    close_both(state);
    return OS_OK;
}

static os_code reopen(struct state *state)
{
    os_code code = open_both(state);
    assert_true(code == OS_OK || error.message[0] != '\0');
    return code;
}

static os_code init_again(struct state *state)
{
    return file_store_init(state->root, &error);
}

TEST_WITH(state, a_put_without_memory_leaves_the_old_object_or_the_new)
{
    fail_each(state, put_old, put_new, check_put);
}

TEST_WITH(state, a_head_without_memory_never_leaves_out_the_nonce)
{
    fail_each(state, put_old, look, check_look);
}

TEST_WITH(state, a_delete_does_without_memory)
{
    fail_each(state, put_old, delete_one, check_delete);
}

TEST_WITH(state, a_record_is_written_or_the_outcome_says_that_it_was_not)
{
    fail_each(state, clear_ledger, put_record, check_record);
}

TEST_WITH(state, a_record_is_never_said_to_be_absent_for_want_of_memory)
{
    fail_each(state, clear_and_put, read_record, check_nothing);
}

TEST_WITH(state, opening_and_making_without_memory_are_errors)
{
    fail_each(state, close_first, reopen, check_nothing);
    fail_each(state, close_first, init_again, check_nothing);
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
