/* SPDX-License-Identifier: Apache-2.0 */
#include "report/numbers.h"
#include "support/test.h"

static struct history *history;
static struct report_numbers numbers;

static int begin(void **state)
{
    (void)state;
    history = history_new();
    return history != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    history_free(history);
    return 0;
}

static struct history_call *call(uint32_t writer, const char *key, uint64_t start_us, uint64_t end_us,
                                 os_verdict verdict)
{
    static struct history_call made;
    static uint64_t id;

    made = (struct history_call){.id = ++id,
                                 .writer = writer,
                                 .operation = HISTORY_PUT_IF_MATCH,
                                 .key = key,
                                 .expected = "\"a\"",
                                 .value = "\"b\"",
                                 .start_us = start_us,
                                 .end_us = end_us,
                                 .verdict = verdict,
                                 .settled = verdict,
                                 .rule = "",
                                 .message = ""};
    return &made;
}

static void add(const struct history_call *made)
{
    assert_true(history_add_call(history, made));
}

static void happens(enum history_event_kind kind, uint32_t writer, uint64_t start_us, uint64_t end_us)
{
    assert_true(history_add_event(history, &(struct history_event){kind, writer, start_us, end_us, ""}));
}

static void measure(void)
{
    assert_true(report_numbers(history, &numbers));
}

TEST_BETWEEN(begin, end, a_history_without_calls_has_no_figures)
{
    measure();
    assert_int_equal(numbers.guarded, 0);
    assert_int_equal(numbers.writers, 0);
    assert_int_equal(numbers.lanes, 0);
    assert_int_equal(numbers.keys, 0);
    assert_int_equal(numbers.latency[0][0].count, 0);
    assert_int_equal(numbers.latency[0][0].max, 0);
}

TEST_BETWEEN(begin, end, percentiles_are_the_nearest_ranks)
{
    for (uint64_t i = 100; i > 0; i--) /* 1 to 100 milliseconds */
        add(call(0, "key", i * 1000000, i * 1000000 + i * 1000, OS_COMMITTED));
    measure();
    const struct spread *spread = &numbers.latency[HISTORY_PUT_IF_MATCH][OS_COMMITTED];
    assert_int_equal(spread->count, 100);
    assert_int_equal(spread->p50, 50000);
    assert_int_equal(spread->p90, 90000);
    assert_int_equal(spread->p99, 99000);
    assert_int_equal(spread->max, 100000);
    assert_int_equal(numbers.latency[HISTORY_PUT_IF_ABSENT][OS_COMMITTED].count, 0);
    assert_int_equal(numbers.latency[HISTORY_PUT_IF_MATCH][OS_CONFLICT].count, 0);
    assert_int_equal(numbers.duration_us, 100100000);
}

TEST_BETWEEN(begin, end, one_call_is_every_percentile)
{
    add(call(3, "key", 10, 52, OS_CONFLICT));
    measure();
    assert_int_equal(numbers.latency[0][OS_CONFLICT].p50, 42);
    assert_int_equal(numbers.latency[0][OS_CONFLICT].p99, 42);
    assert_int_equal(numbers.writers, 1);
    assert_int_equal(numbers.lanes, 4);
}

TEST_BETWEEN(begin, end, a_verdict_counts_as_it_was_settled)
{
    struct history_call *made = call(0, "key", 0, 100, OS_UNKNOWN);

    made->settled = OS_COMMITTED;
    made->settled_us = 400;
    add(made);
    add(call(0, "key", 500, 600, OS_UNKNOWN));
    made = call(1, "key", 0, HISTORY_NEVER, OS_UNKNOWN);
    made->settled = OS_NOT_EXECUTED;
    made->settled_us = 900;
    add(made);
    measure();
    assert_int_equal(numbers.guarded, 3);
    assert_int_equal(numbers.settled_as[OS_COMMITTED], 1);
    assert_int_equal(numbers.settled_as[OS_NOT_EXECUTED], 1);
    assert_int_equal(numbers.settled_as[OS_UNKNOWN], 1);
    assert_int_equal(numbers.unknown, 2);
    assert_int_equal(numbers.unknown_as[OS_COMMITTED], 1);
    assert_int_equal(numbers.unknown_as[OS_UNKNOWN], 1);
    assert_int_equal(numbers.killed, 1);
    assert_int_equal(numbers.killed_as[OS_NOT_EXECUTED], 1);
    assert_int_equal(numbers.settling.count, 2);
    assert_int_equal(numbers.settling.p50, 0); /* the killed call is over at the end of the run, which is this */
    assert_int_equal(numbers.settling.max, 300);
    assert_int_equal(numbers.latency[0][OS_UNKNOWN].count, 2);
}

TEST_BETWEEN(begin, end, a_read_is_no_write)
{
    struct history_call *made = call(0, "key", 0, 100, OS_COMMITTED);

    made->operation = HISTORY_READ;
    add(made);
    measure();
    assert_int_equal(numbers.reads, 1);
    assert_int_equal(numbers.guarded, 0);
    assert_int_equal(numbers.settled_as[OS_COMMITTED], 0);
    assert_int_equal(numbers.latency[0][0].count, 0);
    assert_int_equal(numbers.latency[HISTORY_READ][OS_COMMITTED].max, 100);
}

TEST_BETWEEN(begin, end, a_killed_call_is_over_when_its_writer_was_killed)
{
    struct report_ends *ends;

    add(call(0, "key", 100, HISTORY_NEVER, OS_UNKNOWN));
    add(call(1, "key", 100, HISTORY_NEVER, OS_UNKNOWN));
    add(call(2, "key", 100, 9000, OS_COMMITTED));
    happens(HISTORY_KILL, 0, 50, 50); /* an earlier process of the lane */
    happens(HISTORY_KILL, 0, 700, 700);
    happens(HISTORY_START, 0, 800, 800);
    ends = report_ends_new(history);
    assert_non_null(ends);
    assert_int_equal(report_end(ends, 0), 700);
    assert_int_equal(report_end(ends, 1), 9000);
    assert_int_equal(report_end(ends, 2), 9000);
    assert_int_equal(report_lost(ends, 0), 700);
    assert_true(report_lost(ends, 2) == HISTORY_NEVER);
    report_ends_free(ends);
}

static void takes_over(uint32_t writer, const char *key, uint64_t start_us, uint64_t end_us)
{
    struct history_call *made = call(writer, key, start_us, end_us, OS_COMMITTED);

    made->took_over = true;
    made->waited_ms = 2;
    add(made);
}

TEST_BETWEEN(begin, end, a_failover_begins_when_the_holder_is_lost)
{
    add(call(0, "killed", 0, HISTORY_NEVER, OS_UNKNOWN));
    happens(HISTORY_KILL, 0, 1000, 1000);
    takes_over(1, "killed", 500, 4000);
    add(call(2, "paused", 0, 90000, OS_COMMITTED));
    happens(HISTORY_PAUSE, 2, 2000, 80000);
    takes_over(3, "paused", 3000, 9000);
    takes_over(4, "nobody was lost", 0, 50000);
    measure();
    assert_int_equal(numbers.takeovers, 3);
    assert_int_equal(numbers.failover.count, 2);
    assert_int_equal(numbers.failover.p50, 3000);
    assert_int_equal(numbers.failover.max, 7000);
    assert_int_equal(numbers.waited.count, 3);
    assert_int_equal(numbers.waited.max, 2000);
}

TEST_BETWEEN(begin, end, faults_are_counted_with_the_calls_they_met)
{
    add(call(0, "key", 0, 100, OS_COMMITTED));
    add(call(0, "key", 200, 300, OS_COMMITTED));
    add(call(0, "key", 400, 500, OS_COMMITTED));
    add(call(1, "key", 0, 900, OS_COMMITTED));
    happens(HISTORY_PAUSE, 0, 250, 450);
    happens(HISTORY_SLOW, 0, 150, 160);
    happens(HISTORY_LOST_REPLY, 1, 50, 50);
    happens(HISTORY_THROTTLE, 0, 50, HISTORY_NEVER);
    measure();
    assert_int_equal(numbers.events[HISTORY_PAUSE].count, 1);
    assert_int_equal(numbers.events[HISTORY_PAUSE].max, 200);
    assert_int_equal(numbers.met[HISTORY_PAUSE], 2);
    assert_int_equal(numbers.met[HISTORY_SLOW], 0);
    assert_int_equal(numbers.met[HISTORY_LOST_REPLY], 1);
    assert_int_equal(numbers.met[HISTORY_THROTTLE], 1);
    assert_int_equal(numbers.events[HISTORY_THROTTLE].max, 0);
    assert_int_equal(numbers.events[HISTORY_5XX].count, 0);
}
