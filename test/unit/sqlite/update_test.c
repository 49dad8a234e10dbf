/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of rows: read, changed and written in one transaction. */
#include "ledger_state.h"

static enum table_outcome update(struct state *state, const struct item_condition *condition,
                                 const struct item_change *changes, size_t count, struct sqlite_reading *ret)
{
    static struct item key;
    record_key_item("k", "*", &key);
    struct sqlite_write write = {.kind = SQLITE_UPDATE_ITEM,
                                 .schema = &record_schema,
                                 .item = &key,
                                 .condition = condition,
                                 .changes = changes,
                                 .change_count = count,
                                 .now_s = 1000};
    return sqlite_tables_write(state->ledger, &write, sqlite_patience_ms(PATIENT_MS), ret, &error);
}

static void put_seven(struct state *state)
{
    struct record record = make_record(7, "n");
    assert_int_equal(put_if(state, "k", &record, RECORD_IF_ABSENT, NULL, NULL), TABLE_OK);
}

TEST_WITH(state, an_update_gives_the_row_as_it_is_now_and_keeps_it)
{
    put_seven(state);
    struct item_condition condition = {.count = 0};
    struct sqlite_reading reading;
    item_require_below(&condition, RECORD_AT_GENERATION, 8);
    const struct item_change changes[] = {{RECORD_AT_GENERATION, ITEM_ADD, {ITEM_NUMBER, NULL, 2}},
                                          {RECORD_AT_NONCE, ITEM_REMOVE, {.type = ITEM_NONE}},
                                          {RECORD_AT_SAW, ITEM_SET, {ITEM_STRING, "seen", 0}}};
    assert_int_equal(update(state, &condition, changes, 3, &reading), TABLE_OK);
    assert_true(reading.found);
    assert_int_equal(reading.item.values[RECORD_AT_GENERATION].number, 9);
    assert_string_equal(item_text_of(&reading.item, RECORD_AT_PATH), "k");
    sqlite_reading_free(&reading);
    struct record expected = make_record(9, "");
    memcpy(expected.saw, "seen", sizeof("seen"));
    check_stored(state, "k", &expected);
    assert_int_equal(update(state, &condition, changes, 3, &reading), TABLE_CONFLICT);
    assert_int_equal(reading.item.values[RECORD_AT_GENERATION].number, 9);
    sqlite_reading_free(&reading);
    check_stored(state, "k", &expected);
}

TEST_WITH(state, an_update_of_a_row_that_is_not_there_makes_it)
{
    struct item_condition condition = {.count = 0};
    struct sqlite_reading reading;
    item_require_absent(&condition, RECORD_AT_PATH);
    const struct item_change changes[] = {{RECORD_AT_GENERATION, ITEM_ADD, {ITEM_NUMBER, NULL, 1}},
                                          {RECORD_AT_TIMEOUT, ITEM_SET, {ITEM_NUMBER, NULL, 20000}},
                                          {RECORD_AT_TTL, ITEM_SET, {ITEM_NUMBER, NULL, 4000000000}}};
    assert_int_equal(update(state, &condition, changes, 3, &reading), TABLE_OK);
    sqlite_reading_free(&reading);
    struct record expected = make_record(1, "");
    check_stored(state, "k", &expected);
    assert_int_equal(update(state, &condition, changes, 3, &reading), TABLE_CONFLICT);
    sqlite_reading_free(&reading);
}

TEST_WITH(state, a_sum_that_no_number_can_be_changes_nothing)
{
    put_seven(state);
    struct item_condition condition = {.count = 0};
    struct sqlite_reading reading;
    const struct item_change change = {RECORD_AT_GENERATION, ITEM_ADD, {ITEM_NUMBER, NULL, UINT64_MAX}};
    assert_int_equal(update(state, &condition, &change, 1, &reading), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_TABLE);
    sqlite_reading_free(&reading);
    struct record expected = make_record(7, "n");
    check_stored(state, "k", &expected);
}
