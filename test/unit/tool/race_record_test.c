/* SPDX-License-Identifier: Apache-2.0 */
#include "race_record.h"
#include "race_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ORIGIN = 1000 };

static struct race_record record;

static int begin(void **state)
{
    (void)state;
    return race_record_init(&record, ORIGIN) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    race_record_free(&record);
    return 0;
}

static bool starts(unsigned lane, uint64_t call, const char *key, const char *value, uint64_t at)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_CALL, .call = call, .operation = HISTORY_PUT_IF_ABSENT, .start_us = ORIGIN + at};

    (void)snprintf(message.key, sizeof(message.key), "%s", key);
    (void)snprintf(message.value, sizeof(message.value), "%s", value);
    return race_record_hear(&record, lane, &message);
}

static bool ends(unsigned lane, uint64_t call, os_verdict verdict, uint64_t at)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_END, .call = call, .verdict = verdict, .end_us = ORIGIN + at, .rule = "R9"};

    return race_record_hear(&record, lane, &message);
}

static bool has_ticket(unsigned lane, uint64_t call)
{
    struct race_message message = {.kind = RACE_MESSAGE_TICKET, .call = call, .ticket = "{}"};

    return race_record_hear(&record, lane, &message);
}

static bool is_settled(unsigned lane, uint64_t call, os_verdict verdict, uint64_t at)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_SETTLED, .call = call, .verdict = verdict, .end_us = ORIGIN + at, .rule = "R13.D"};

    return race_record_hear(&record, lane, &message);
}

static void a_call_gets_its_times_from_the_origin(void **state)
{
    const struct history_call *call;

    (void)state;
    assert_true(starts(2, 7, "key-00000", "\"a\"", 10));
    assert_true(ends(2, 7, OS_COMMITTED, 30));
    assert_true(race_record_finish(&record));
    assert_int_equal(history_call_count(record.history), 1);
    call = history_call_at(record.history, 0);
    assert_int_equal(call->writer, 2);
    assert_int_equal(call->start_us, 10);
    assert_int_equal(call->end_us, 30);
    assert_int_equal(call->verdict, OS_COMMITTED);
    assert_int_equal(call->settled, OS_COMMITTED);
    assert_string_equal(call->rule, "R9");
}

static void calls_are_numbered_without_gaps_whatever_the_workers_called_them(void **state)
{
    struct race_message read = {.kind = RACE_MESSAGE_READ,
                                .key = "key-00000",
                                .value = "\"a\"",
                                .start_us = ORIGIN + 40,
                                .end_us = ORIGIN + 50};

    (void)state;
    assert_true(starts(2, 514, "key-00000", "\"a\"", 10));
    assert_true(ends(2, 514, OS_COMMITTED, 30));
    read.call = 22787;
    assert_true(race_record_hear(&record, 1, &read));
    assert_true(starts(0, 768, "key-00001", "\"b\"", 60));
    assert_true(race_record_finish(&record));
    assert_int_equal(history_call_count(record.history), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(history_call_at(record.history, i)->id, i + 1);
    }
}

static void a_call_whose_process_was_killed_never_ends(void **state)
{
    const struct history_call *call;

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    race_record_gone(&record, 0);
    assert_true(starts(0, 2, "key-00000", "\"b\"", 20)); /* by the next process of the lane */
    assert_true(ends(0, 2, OS_CONFLICT, 30));
    assert_true(race_record_finish(&record));
    call = history_call_at(record.history, 0);
    assert_true(call->end_us == HISTORY_NEVER);
    assert_int_equal(call->settled, OS_UNKNOWN);
}

static void a_ticket_waits_for_whoever_settles_it(void **state)
{
    size_t cursor = 0;
    const struct race_entry *entry;

    (void)state;
    assert_true(starts(3, 1, "key-00000", "\"a\"", 10));
    assert_true(has_ticket(3, 1));
    assert_true(ends(3, 1, OS_UNKNOWN, 20));
    race_record_gone(&record, 3);
    entry = race_record_next_ticket(&record, 3, &cursor);
    assert_non_null(entry);
    assert_int_equal(entry->call.id, 1);
    assert_null(race_record_next_ticket(&record, 3, &cursor));
    cursor = 0;
    assert_null(race_record_next_ticket(&record, 2, &cursor));
    assert_true(is_settled(3, 1, OS_NOT_EXECUTED, 90));
    cursor = 0;
    assert_null(race_record_next_ticket(&record, 3, &cursor));
    assert_true(race_record_finish(&record));
    assert_int_equal(history_call_at(record.history, 0)->verdict, OS_UNKNOWN);
    assert_int_equal(history_call_at(record.history, 0)->settled, OS_NOT_EXECUTED);
    assert_int_equal(history_call_at(record.history, 0)->settled_us, 90);
}

static void what_contradicts_itself_is_refused(void **state)
{
    (void)state;
    assert_false(ends(0, 1, OS_COMMITTED, 20));       /* no call */
    assert_false(is_settled(0, 1, OS_COMMITTED, 20)); /* no ticket */
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    assert_false(starts(0, 2, "key-00001", "\"b\"", 11)); /* two at once in one lane */
    assert_false(ends(0, 2, OS_COMMITTED, 20));           /* another call */
    assert_false(ends(1, 1, OS_COMMITTED, 20));           /* another lane's */
    assert_false(ends(0, 1, OS_COMMITTED, 5));            /* before it began */
}

static void events_are_counted_by_kind(void **state)
{
    (void)state;
    race_record_event(&record, HISTORY_KILL, 1, ORIGIN + 5, ORIGIN + 5, "PUT key-00001");
    race_record_event(&record, HISTORY_PAUSE, 1, ORIGIN + 6, ORIGIN + 9, "");
    race_record_event(&record, HISTORY_KILL, 0, ORIGIN + 7, ORIGIN + 7, "");
    assert_int_equal(record.met[HISTORY_KILL], 2);
    assert_true(race_record_finish(&record));
    assert_int_equal(history_event_count(record.history), 3);
    assert_string_equal(history_event_at(record.history, 0)->what, "PUT key-00001");
    assert_int_equal(history_event_at(record.history, 1)->end_us, 9);
}

/* ------------------------------------------------------------------------------------------------ the summary */

static void add_final(const char *key, const char *value)
{
    struct history_final final = {.key = key, .value = value, .at_us = 1000, .versions = -1};

    assert_true(history_add_final(record.history, &final));
}

static enum race_judgement conclude(struct race_progress *progress, const uint64_t *count, char *sentence, size_t size)
{
    static struct race_summary summary;
    static struct judge_result judged;

    progress->read_back = true;
    assert_true(race_record_finish(&record));
    assert_true(judge_history(record.history, &judged));
    race_summarize(record.history, &judged, 2, &summary);
    return race_conclude(&summary, progress, &judged, count, sentence, size);
}

static const uint64_t one_key[RACE_KINDS] = {1, 0, 0, 0};

static void one_winner_and_a_conflict_are_exact(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

static void two_winners_are_broken_and_the_key_is_named(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_COMMITTED, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_BROKEN);
    assert_non_null(strstr(sentence, "key-00000"));
}

static void foreign_content_is_broken(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"c\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_BROKEN);
}

static void an_unknown_that_nobody_settled_is_unsettled(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && has_ticket(0, 1) && ends(0, 1, OS_UNKNOWN, 30));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_UNSETTLED);
}

static void an_unknown_for_good_may_have_happened_or_not(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && has_ticket(0, 1) && ends(0, 1, OS_UNKNOWN, 30));
    assert_true(is_settled(0, 1, OS_UNKNOWN, 90));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

static void a_call_killed_in_flight_is_no_unsettled_one(void **state)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    race_record_gone(&record, 0);
    assert_true(starts(0, 2, "key-00000", "\"b\"", 12) && ends(0, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

static void what_was_not_done_makes_it_incomplete(void **state)
{
    static struct race_progress lazy = {.done = {{1}, {0}}};
    static struct race_progress lost = {.done = {{1}, {1}}, .lost_writers = 1};
    char sentence[1024];

    (void)state;
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&lazy, one_key, sentence, sizeof(sentence)), RACE_INCOMPLETE);
    lost.read_back = true;
    record.count = 0; /* handed over already */
    record.event_count = 0;
    assert_int_equal(conclude(&lost, NULL, sentence, sizeof(sentence)), RACE_INCOMPLETE);
    assert_non_null(strstr(sentence, "1 of 2 processes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_call_gets_its_times_from_the_origin, begin, end),
        cmocka_unit_test_setup_teardown(calls_are_numbered_without_gaps_whatever_the_workers_called_them, begin, end),
        cmocka_unit_test_setup_teardown(a_call_whose_process_was_killed_never_ends, begin, end),
        cmocka_unit_test_setup_teardown(a_ticket_waits_for_whoever_settles_it, begin, end),
        cmocka_unit_test_setup_teardown(what_contradicts_itself_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(events_are_counted_by_kind, begin, end),
        cmocka_unit_test_setup_teardown(one_winner_and_a_conflict_are_exact, begin, end),
        cmocka_unit_test_setup_teardown(two_winners_are_broken_and_the_key_is_named, begin, end),
        cmocka_unit_test_setup_teardown(foreign_content_is_broken, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_that_nobody_settled_is_unsettled, begin, end),
        cmocka_unit_test_setup_teardown(an_unknown_for_good_may_have_happened_or_not, begin, end),
        cmocka_unit_test_setup_teardown(a_call_killed_in_flight_is_no_unsettled_one, begin, end),
        cmocka_unit_test_setup_teardown(what_was_not_done_makes_it_incomplete, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
