/* SPDX-License-Identifier: Apache-2.0 */
/* An operation: its attempts, the pauses between them, and what interrupts it. */
#include "support/failing_alloc.h"

#include "base/container.h"
#include "loop/cancel.c"
#include "loop/op.h"
#include "unit/loop/on_loop.h"

enum { HOUR_MS = 3600000, REASONS_MAX = 8 };

struct opened {
    struct on_loop on;
    struct op op;
    struct op_limits limits;
    bool begun;        /* what op_begin gave */
    bool keeps_on;     /* an interruption does not end it */
    int last_attempt;  /* ends itself in this one */
    uint64_t pause_ms; /* before the first attempt; UINT64_MAX: none is asked for */
    int attempts;
    uint32_t steps_ms[REASONS_MAX]; /* of the back-off, at each attempt */
    enum op_reason reasons[REASONS_MAX];
    int reason_count;
    struct event ended;
    struct event interrupted;
    struct event *freed; /* set by the attempt that frees it */
};

static void opened_attempt(struct op *op)
{
    struct opened *opened = container_of(op, struct opened, op);
    assert_true(pthread_equal(pthread_self(), opened->on.thread));
    if (opened->attempts < REASONS_MAX)
        opened->steps_ms[opened->attempts] = op->retry.backoff.step_ms;
    opened->attempts++;
    if (opened->attempts < opened->last_attempt) {
        op_pause(op);
        return;
    }
    op_end(op);
    event_set(&opened->ended);
}

static void opened_interrupted(struct op *op, enum op_reason reason)
{
    struct opened *opened = container_of(op, struct opened, op);
    assert_true(pthread_equal(pthread_self(), opened->on.thread));
    assert_true(opened->reason_count < REASONS_MAX);
    opened->reasons[opened->reason_count++] = reason;
    if (!opened->keeps_on)
        op_end(op);
    event_set(&opened->interrupted);
}

static void opened_set_up(struct opened *opened)
{
    on_loop_set_up(&opened->on);
    opened->ended = (struct event)EVENT_INIT;
    opened->interrupted = (struct event)EVENT_INIT;
    opened->limits.loop = opened->on.loop;
    opened->limits.deadline_ms = HOUR_MS;
    opened->pause_ms = UINT64_MAX;
    assert_int_equal(os_cancel_new(&opened->limits.cancel), OS_OK);
    assert_int_equal(os_cancel_new(&opened->limits.closing), OS_OK);
}

static void opened_tear_down(struct opened *opened)
{
    alloc_fail_none();
    on_loop_tear_down(&opened->on);
    os_cancel_free(opened->limits.cancel);
    os_cancel_free(opened->limits.closing);
}

static void begin(void *context)
{
    struct opened *opened = context;
    opened->begun = op_begin(&opened->op, &opened->limits, opened_attempt, opened_interrupted);
    if (opened->begun && opened->pause_ms != UINT64_MAX)
        op_pause_ms(&opened->op, opened->pause_ms);
}

static void end(void *context)
{
    op_end(&((struct opened *)context)->op);
}

static void opened_begin(struct opened *opened)
{
    on_loop_call(&opened->on, begin, opened);
    assert_true(opened->begun);
}

/* Every notice that is on its way has been heard by then. */
static void opened_end(struct opened *opened)
{
    on_loop_call(&opened->on, end, opened);
    on_loop_settle(&opened->on);
}

/* ------------------------------------------------------------------------------------------------ interruptions */

TEST_WITH(opened, its_deadline_interrupts_it_once)
{
    opened->limits.deadline_ms = 1;
    opened->keeps_on = true;
    opened_begin(opened);
    event_wait(&opened->interrupted);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 1);
    assert_int_equal(opened->reasons[0], OP_DEADLINE);
    assert_int_equal(opened->attempts, 0);
}

TEST_WITH(opened, without_a_deadline_none_comes)
{
    opened->limits.deadline_ms = OP_NO_DEADLINE;
    opened_begin(opened);
    assert_true(opened->op.deadline_monotonic_ms == UINT64_MAX);
    assert_false(opened->op.deadline_timer.node.inside);
    opened_end(opened);
}

TEST_WITH(opened, the_deadline_is_counted_from_the_beginning)
{
    opened_begin(opened);
    assert_true(opened->op.deadline_monotonic_ms == opened->op.retry.started.monotonic_ms + HOUR_MS);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 0);
}

TEST_WITH(opened, a_cancellation_before_it_begins_interrupts_it)
{
    os_cancel_trigger(opened->limits.cancel);
    opened_begin(opened);
    event_wait(&opened->interrupted);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 1);
    assert_int_equal(opened->reasons[0], OP_CANCELLED);
}

TEST_WITH(opened, a_cancellation_during_a_pause_takes_the_attempt_with_it)
{
    opened->pause_ms = HOUR_MS;
    opened_begin(opened);
    os_cancel_trigger(opened->limits.cancel);
    event_wait(&opened->interrupted);
    assert_false(opened->op.retry.timer.node.inside);
    assert_false(opened->op.deadline_timer.node.inside);
    opened_end(opened);
    assert_int_equal(opened->reasons[0], OP_CANCELLED);
    assert_int_equal(opened->attempts, 0);
}

TEST_WITH(opened, closing_its_client_interrupts_it)
{
    opened_begin(opened);
    os_cancel_trigger(opened->limits.closing);
    event_wait(&opened->interrupted);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 1);
    assert_int_equal(opened->reasons[0], OP_CLOSING);
}

TEST_WITH(opened, one_that_goes_on_hears_each_reason_once)
{
    opened->keeps_on = true;
    opened_begin(opened);
    os_cancel_trigger(opened->limits.cancel);
    event_wait(&opened->interrupted);
    os_cancel_trigger(opened->limits.closing);
    event_wait(&opened->interrupted);
    os_cancel_trigger(opened->limits.cancel);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 2);
    assert_int_equal(opened->reasons[0], OP_CANCELLED);
    assert_int_equal(opened->reasons[1], OP_CLOSING);
}

static void trigger_both(void *context)
{
    struct opened *opened = context;
    os_cancel_trigger(opened->limits.cancel);
    os_cancel_trigger(opened->limits.closing);
}

TEST_WITH(opened, one_that_ended_when_it_heard_of_it_hears_no_more)
{
    opened_begin(opened);
    on_loop_call(&opened->on, trigger_both, opened);
    event_wait(&opened->interrupted);
    on_loop_settle(&opened->on);
    assert_int_equal(opened->reason_count, 1);
}

static void trigger_and_end(void *context)
{
    trigger_both(context);
    op_end(&((struct opened *)context)->op);
}

TEST_WITH(opened, one_that_ended_with_the_notice_on_the_way_is_not_called)
{
    opened->pause_ms = 0;
    opened_begin(opened);
    event_wait(&opened->ended);
    opened->pause_ms = UINT64_MAX;
    opened_begin(opened);
    on_loop_call(&opened->on, trigger_and_end, opened);
    on_loop_settle(&opened->on);
    assert_int_equal(opened->reason_count, 0);
    assert_int_equal(opened->attempts, 1);
}

/* ------------------------------------------------------------------------------------------------ grace */

TEST_WITH(opened, with_grace_a_cancellation_only_makes_the_deadline_come_sooner)
{
    opened->limits.grace_ms = 1;
    opened_begin(opened);
    os_cancel_trigger(opened->limits.cancel);
    event_wait(&opened->interrupted);
    assert_true(opened->op.deadline_monotonic_ms < opened->op.retry.started.monotonic_ms + HOUR_MS);
    opened_end(opened);
    assert_int_equal(opened->reason_count, 1);
    assert_int_equal(opened->reasons[0], OP_DEADLINE);
}

static void shorten(void *context)
{
    struct opened *opened = context;
    op_shorten(&opened->op, 2 * (uint64_t)HOUR_MS);
    assert_true(opened->op.deadline_monotonic_ms == opened->op.retry.started.monotonic_ms + HOUR_MS);
    op_shorten(&opened->op, 1);
}

TEST_WITH(opened, a_deadline_that_is_shortened_never_comes_later)
{
    opened_begin(opened);
    on_loop_call(&opened->on, shorten, opened);
    event_wait(&opened->interrupted);
    opened_end(opened);
    assert_int_equal(opened->reasons[0], OP_DEADLINE);
}

/* ------------------------------------------------------------------------------------------------ attempts */

TEST_WITH(opened, pauses_are_those_of_the_back_off)
{
    opened->pause_ms = 0;
    opened->last_attempt = 4;
    opened_begin(opened);
    event_wait(&opened->ended);
    const uint32_t steps_ms[] = {0, BACKOFF_FIRST_MS, 2 * BACKOFF_FIRST_MS, 4 * BACKOFF_FIRST_MS};
    assert_int_equal(opened->attempts, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(opened->steps_ms[i], steps_ms[i]);
}

static void pause_twice(void *context)
{
    struct opened *opened = context;
    op_pause_ms(&opened->op, HOUR_MS);
    op_pause_ms(&opened->op, 0);
}

TEST_WITH(opened, of_two_pauses_the_later_one_counts)
{
    opened_begin(opened);
    on_loop_call(&opened->on, pause_twice, opened);
    event_wait(&opened->ended);
    assert_int_equal(opened->attempts, 1);
}

static void attempt_and_free(struct op *op)
{
    struct opened *own = container_of(op, struct opened, op);
    struct event *freed = own->freed;
    op_end(op);
    free(own);
    event_set(freed);
}

static void begin_own(void *context)
{
    struct opened *opened = context;
    struct opened *own = calloc(1, sizeof(*own));
    assert_non_null(own);
    assert_true(op_begin(&own->op, &opened->limits, attempt_and_free, opened_interrupted));
    own->freed = &opened->ended;
    op_pause_ms(&own->op, 0);
}

TEST_WITH(opened, an_attempt_may_free_what_it_is_of)
{
    on_loop_call(&opened->on, begin_own, opened);
    event_wait(&opened->ended);
    on_loop_call(&opened->on, trigger_both, opened);
}

TEST_WITH(opened, one_that_has_not_begun_or_has_ended_may_be_ended)
{
    on_loop_call(&opened->on, end, opened);
    opened_begin(opened);
    on_loop_call(&opened->on, end, opened);
    opened_end(opened);
    assert_false(opened->op.begun);
}

/* ------------------------------------------------------------------------------------------------ memory */

TEST_WITH(opened, without_memory_it_has_not_begun)
{
    for (size_t i = 0; i < 2; i++) { /* one notice for each token */
        alloc_fail_at(i);
        on_loop_call(&opened->on, begin, opened);
        assert_true(alloc_failed);
        assert_false(opened->begun);
        assert_false(opened->op.begun);
        assert_false(opened->op.deadline_timer.node.inside);
    }
    alloc_fail_none();
    on_loop_call(&opened->on, trigger_both, opened);
    on_loop_settle(&opened->on);
    assert_int_equal(opened->reason_count, 0);
}

TEST_WITH(opened, without_tokens_it_needs_no_memory)
{
    struct op_limits limits = opened->limits;
    opened->limits.cancel = NULL;
    opened->limits.closing = NULL;
    opened->limits.deadline_ms = 1;
    alloc_fail_at(0);
    opened_begin(opened);
    event_wait(&opened->interrupted);
    assert_false(alloc_failed);
    opened->limits = limits;
}

TEST(reasons_have_a_code_and_a_clause)
{
    assert_int_equal(op_reason_code(OP_DEADLINE), OS_ERR_DEADLINE);
    assert_int_equal(op_reason_code(OP_CANCELLED), OS_ERR_CANCELLED);
    assert_int_equal(op_reason_code(OP_CLOSING), OS_ERR_CANCELLED);
    assert_string_equal(op_reason_clause(OP_DEADLINE), "its deadline passed");
    assert_string_equal(op_reason_clause(OP_CANCELLED), "it was cancelled");
    assert_string_equal(op_reason_clause(OP_CLOSING), "its client was closed");
}
