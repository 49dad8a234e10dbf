/* SPDX-License-Identifier: Apache-2.0 */
#include "race/record.h"
#include "race/summary.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
    return race_record_message(&record, lane, &message);
}

static bool ends(unsigned lane, uint64_t call, os_verdict verdict, uint64_t at)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_END, .call = call, .verdict = verdict, .end_us = ORIGIN + at, .rule = "R9"};

    return race_record_message(&record, lane, &message);
}

static bool has_ticket(unsigned lane, uint64_t call)
{
    struct race_message message = {.kind = RACE_MESSAGE_TICKET, .call = call, .ticket = "{}"};

    return race_record_message(&record, lane, &message);
}

static bool is_settled(unsigned lane, uint64_t call, os_verdict verdict, uint64_t at)
{
    struct race_message message = {
        .kind = RACE_MESSAGE_SETTLED, .call = call, .verdict = verdict, .end_us = ORIGIN + at, .rule = "R13.D"};

    return race_record_message(&record, lane, &message);
}

TEST_BETWEEN(begin, end, a_call_gets_its_times_from_the_origin)
{
    const struct history_call *call;

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

TEST_BETWEEN(begin, end, calls_are_numbered_without_gaps_whatever_the_workers_called_them)
{
    struct race_message read = {.kind = RACE_MESSAGE_READ,
                                .key = "key-00000",
                                .value = "\"a\"",
                                .start_us = ORIGIN + 40,
                                .end_us = ORIGIN + 50};

    assert_true(starts(2, 514, "key-00000", "\"a\"", 10));
    assert_true(ends(2, 514, OS_COMMITTED, 30));
    read.call = 22787;
    assert_true(race_record_message(&record, 1, &read));
    assert_true(starts(0, 768, "key-00001", "\"b\"", 60));
    assert_true(race_record_finish(&record));
    assert_int_equal(history_call_count(record.history), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(history_call_at(record.history, i)->id, i + 1);
}

TEST_BETWEEN(begin, end, a_call_whose_process_was_killed_never_ends)
{
    const struct history_call *call;

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    race_record_gone(&record, 0);
    assert_true(starts(0, 2, "key-00000", "\"b\"", 20)); /* by the next process of the lane */
    assert_true(ends(0, 2, OS_CONFLICT, 30));
    assert_true(race_record_finish(&record));
    call = history_call_at(record.history, 0);
    assert_true(call->end_us == HISTORY_NEVER);
    assert_int_equal(call->settled, OS_UNKNOWN);
}

TEST_BETWEEN(begin, end, a_ticket_waits_for_whoever_settles_it)
{
    size_t cursor = 0;
    const struct race_entry *entry;

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

TEST_BETWEEN(begin, end, what_contradicts_itself_is_refused)
{
    assert_false(ends(0, 1, OS_COMMITTED, 20));       /* no call */
    assert_false(is_settled(0, 1, OS_COMMITTED, 20)); /* no ticket */
    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    assert_false(starts(0, 2, "key-00001", "\"b\"", 11)); /* two at once in one lane */
    assert_false(ends(0, 2, OS_COMMITTED, 20));           /* another call */
    assert_false(ends(1, 1, OS_COMMITTED, 20));           /* another lane's */
    assert_false(ends(0, 1, OS_COMMITTED, 5));            /* before it began */
}

TEST_BETWEEN(begin, end, events_are_counted_by_kind)
{
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
    progress->judged = true;
    assert_true(race_record_finish(&record));
    assert_true(judge_history(record.history, &judged));
    assert_true(race_summarize(record.history, &judged, 2, &summary));
    return race_conclude(&summary, progress, &judged, count, sentence, size);
}

static const uint64_t one_key[RACE_KINDS] = {1, 0, 0, 0};

TEST_BETWEEN(begin, end, one_winner_and_a_conflict_are_exact)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

TEST_BETWEEN(begin, end, what_was_not_judged_is_never_exact)
{
    static const struct race_summary summary;
    static const struct judge_result judged;
    static const struct race_progress progress = {.read_back = true};
    char sentence[1024];

    assert_int_equal(race_conclude(&summary, &progress, &judged, NULL, sentence, sizeof(sentence)), RACE_INCOMPLETE);
    assert_string_equal(sentence, "The history could not be judged.");
}

TEST_BETWEEN(begin, end, the_summary_has_the_times_of_what_returned)
{
    static struct race_summary summary;
    static struct judge_result judged;

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_CONFLICT, 40));
    assert_true(starts(1, 3, "counter", "\"b\"", 50));
    assert_true(race_record_finish(&record));
    assert_true(judge_history(record.history, &judged));
    assert_true(race_summarize(record.history, &judged, 2, &summary));
    assert_int_equal(summary.kind[RACE_CREATE].latency.count, 2);
    assert_int_equal(summary.kind[RACE_CREATE].latency.p50, 20);
    assert_int_equal(summary.kind[RACE_CREATE].latency.p95, 28);
    assert_int_equal(summary.kind[RACE_CREATE].latency.max, 28);
    assert_int_equal(summary.kind[RACE_UPDATE].latency.count, 0);
    assert_int_equal(summary.takeover_wait.count, 0);
}

TEST_BETWEEN(begin, end, two_winners_are_broken_and_the_key_is_named)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_COMMITTED, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_BROKEN);
    assert_non_null(strstr(sentence, "key-00000"));
}

TEST_BETWEEN(begin, end, foreign_content_is_broken)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    assert_true(starts(1, 2, "key-00000", "\"b\"", 12) && ends(1, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"c\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_BROKEN);
}

TEST_BETWEEN(begin, end, an_unknown_that_nobody_settled_is_unsettled)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && has_ticket(0, 1) && ends(0, 1, OS_UNKNOWN, 30));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_UNSETTLED);
}

TEST_BETWEEN(begin, end, an_unknown_for_good_may_have_happened_or_not)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && has_ticket(0, 1) && ends(0, 1, OS_UNKNOWN, 30));
    assert_true(is_settled(0, 1, OS_UNKNOWN, 90));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

TEST_BETWEEN(begin, end, a_call_killed_in_flight_is_no_unsettled_one)
{
    static struct race_progress progress = {.done = {{1}, {1}}};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10));
    race_record_gone(&record, 0);
    assert_true(starts(0, 2, "key-00000", "\"b\"", 12) && ends(0, 2, OS_CONFLICT, 40));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&progress, one_key, sentence, sizeof(sentence)), RACE_EXACT);
}

TEST_BETWEEN(begin, end, what_was_not_done_makes_it_incomplete)
{
    static struct race_progress lazy = {.done = {{1}, {0}}};
    static struct race_progress lost = {.done = {{1}, {1}}, .lost_writers = 1};
    char sentence[1024];

    assert_true(starts(0, 1, "key-00000", "\"a\"", 10) && ends(0, 1, OS_COMMITTED, 30));
    add_final("key-00000", "\"a\"");
    assert_int_equal(conclude(&lazy, one_key, sentence, sizeof(sentence)), RACE_INCOMPLETE);
    lost.read_back = true;
    record.count = 0; /* handed over already */
    record.event_count = 0;
    assert_int_equal(conclude(&lost, NULL, sentence, sizeof(sentence)), RACE_INCOMPLETE);
    assert_non_null(strstr(sentence, "1 of 2 processes"));
}
