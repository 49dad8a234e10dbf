/* SPDX-License-Identifier: Apache-2.0 */
/* What a process may say of its transactions, and how they end. */
#include "race/race.h"
#include "race/telling.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { ORIGIN = 1000, LANE = 2, FIRST = 2 * RACE_WRITERS_MAX + LANE };

static struct race race;
static uint64_t serial;

static int begin(void **state)
{
    (void)state;
    memset(&race, 0, sizeof(race));
    serial = RACE_FIRST_SERIAL;
    return race_record_init(&race.record, ORIGIN) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    race_record_free(&race.record);
    return 0;
}

static void tell(struct telling *telling, uint64_t id)
{
    static const int64_t amount = 7;
    telling_begin(telling, id, LANE, ORIGIN + 5);
    telling_clear(telling);
    telling_read(telling, "a", "", NULL);
    telling_write(telling, "a", "", "770 after 0", &amount);
}

static void says(uint64_t id)
{
    struct telling telling;
    char line[RACE_LINE_MAX];
    tell(&telling, id);
    size_t len = telling_format(&telling, line);
    assert_int_equal(line[len - 1], '\n');
    line[len - 1] = '\0';
    assert_true(race_transaction_line_is(line));
    assert_true(race_transaction_line_take(&race, LANE, line, &serial));
}

static void hears(enum race_message_kind kind, uint64_t id, os_verdict verdict, uint64_t at_us)
{
    const struct race_message message = {
        .kind = kind, .call = id, .verdict = verdict, .end_us = ORIGIN + at_us, .ticket = "{}", .text = "why"};
    assert_true(race_record_message(&race.record, LANE, &message));
}

static const struct history_transaction *only_one(void)
{
    assert_true(race_record_finish(&race.record));
    assert_int_equal(history_transaction_count(race.record.history), 1);
    assert_int_equal(history_call_count(race.record.history), 0);
    return history_transaction_at(race.record.history, 0);
}

TEST_BETWEEN(begin, end, it_has_its_items_and_its_times_count_from_the_begin_of_the_race)
{
    says(FIRST);
    assert_int_equal(serial, 2);
    hears(RACE_MESSAGE_END, FIRST, OS_COMMITTED, 9);
    const struct history_transaction *one = only_one();
    assert_int_equal(one->id, FIRST);
    assert_int_equal(one->writer, LANE);
    assert_int_equal(one->start_us, 5);
    assert_int_equal(one->end_us, 9);
    assert_int_equal(one->verdict, OS_COMMITTED);
    assert_int_equal(one->settled, OS_COMMITTED);
    assert_string_equal(one->message, "why");
    assert_int_equal(one->item_count, 2);
    assert_int_equal(one->item[0].kind, HISTORY_ITEM_READ);
    assert_string_equal(one->item[1].value, "770 after 0");
    assert_true(one->item[1].has_amount);
    assert_int_equal(one->item[1].amount, 7);
}

TEST_BETWEEN(begin, end, what_a_killed_process_had_under_way_is_unknown)
{
    says(FIRST);
    race_record_gone(&race.record, LANE);
    says(FIRST + RACE_WRITERS_MAX);
    assert_true(race_record_finish(&race.record));
    const struct history_transaction *one = history_transaction_at(race.record.history, 0);
    assert_int_equal(one->end_us, HISTORY_NEVER);
    assert_int_equal(one->verdict, OS_UNKNOWN);
    assert_int_equal(one->settled, OS_UNKNOWN);
    assert_int_equal(history_transaction_count(race.record.history), 2);
}

TEST_BETWEEN(begin, end, the_ticket_of_a_killed_process_is_for_the_next_one)
{
    size_t cursor = 0;
    says(FIRST);
    hears(RACE_MESSAGE_TICKET, FIRST, OS_UNKNOWN, 8);
    hears(RACE_MESSAGE_END, FIRST, OS_UNKNOWN, 9);
    race_record_gone(&race.record, LANE);
    assert_int_equal(race_record_next_ticket(&race.record, LANE, &cursor)->call.id, FIRST);
    hears(RACE_MESSAGE_SETTLED, FIRST, OS_COMMITTED, 30);
    cursor = 0;
    assert_null(race_record_next_ticket(&race.record, LANE, &cursor));
    const struct history_transaction *one = only_one();
    assert_int_equal(one->verdict, OS_UNKNOWN);
    assert_int_equal(one->settled, OS_COMMITTED);
    assert_int_equal(one->settled_us, 30);
}

#define LINE(id, writer, start, rest)                                   \
    "{\"transaction\":" id ",\"writer\":" writer ",\"start_us\":" start \
    ",\"end_us\":null,\"verdict\":\"unknown\"" rest "}"

/* A process speaks for its own lane, of what is new and not over. */
TEST_BETWEEN(begin, end, what_a_process_may_not_say_is_refused)
{
    static const char *const bad[] = {
        LINE("514", "1", "1005", ""),
        LINE("513", "2", "1005", ""),
        LINE("258", "2", "1005", ""),
        LINE("-254", "2", "1005", ""),
        LINE("514", "2", "5", ""),
        LINE("514", "2", "1005", ",\"settled\":\"committed\",\"settled_us\":2000"),
        LINE("514", "2", "1005", ",\"writes\":[{\"key\":\"a\"}]"),
        "{\"transaction\":514,\"writer\":2,\"start_us\":1005,\"end_us\":1007,\"verdict\":\"unknown\"}",
        "{\"transaction\":514,\"writer\":2,\"start_us\":1005,\"end_us\":null,\"verdict\":\"committed\"}",
        "{\"transaction\":514,\"writer\":2,\"start_us\":1005,\"end_us\":null",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        serial = RACE_FIRST_SERIAL;
        assert_true(race_transaction_line_is(bad[i]));
        assert_false(race_transaction_line_take(&race, LANE, bad[i], &serial));
    }
    serial = RACE_FIRST_SERIAL;
    assert_false(race_transaction_line_is("{\"race\":\"ready\"}"));
    assert_int_equal(history_transaction_count(race.record.history), 0);
    assert_false(race.record.no_memory);
    assert_true(race_transaction_line_take(&race, LANE, LINE("514", "2", "1005", ""), &serial));
    assert_false(race_transaction_line_take(&race, LANE, LINE("770", "2", "1005", ""), &serial)); /* in 514 yet */
}

TEST(more_items_than_there_is_room_for_are_left_out)
{
    struct telling telling;
    telling_begin(&telling, FIRST, LANE, ORIGIN);
    for (size_t i = 0; i < TELLING_ITEMS_MAX + 1; i++)
        telling_read(&telling, "a", "1", NULL);
    assert_int_equal(telling.transaction.item_count, TELLING_ITEMS_MAX);
}
