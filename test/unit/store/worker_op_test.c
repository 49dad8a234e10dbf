/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that block: done once on the loop's thread, cancelled at every moment, and the gate that both kinds share.
 */
#include "store/worker_op.h"
#include "unit/loop/on_loop.h"

TEST(the_gate_refuses_a_worker_that_comes_after_the_cancellation)
{
    struct borrow borrow;
    assert_true(borrow_init(&borrow));
    borrow_cancel(&borrow); /* nobody is inside: it does not wait */
    assert_true(borrow_is_cancelled(&borrow));
    assert_false(borrow_enter(&borrow));
    borrow_destroy(&borrow);
}

struct visitor {
    struct borrow borrow;
    struct event inside;
    atomic_bool left;
};

static void *visit(void *argument)
{
    struct visitor *visitor = argument;
    assert_true(borrow_enter(&visitor->borrow));
    event_set(&visitor->inside);
    while (!borrow_is_cancelled(&visitor->borrow)) /* a worker asks now and then: a borrow tells nobody */
        sched_yield();
    atomic_store(&visitor->left, true);
    borrow_leave(&visitor->borrow);
    return NULL;
}

TEST(cancelling_waits_for_the_worker_inside)
{
    struct visitor visitor = {.inside = EVENT_INIT};
    pthread_t thread;
    assert_true(borrow_init(&visitor.borrow));
    assert_int_equal(pthread_create(&thread, NULL, visit, &visitor), 0);
    event_wait(&visitor.inside);
    borrow_cancel(&visitor.borrow);
    assert_true(atomic_load(&visitor.left));
    pthread_join(thread, NULL);
    borrow_destroy(&visitor.borrow);
}

/* ------------------------------------------------------------------------------------------------ operations */

struct borrowed { /* what a request borrows: freed as soon as it has been cancelled */
    struct event entered;
    int uses;
};

static void use_until_cancelled(struct store_op *op)
{
    struct borrowed *borrowed = op->request.each_context;
    event_set(&borrowed->entered);
    while (!borrow_is_cancelled(&op->borrow))
        borrowed->uses++;
}

static void use_once(struct store_op *op)
{
    struct borrowed *borrowed = op->request.each_context;
    borrowed->uses++;
    op->answer.code = OS_OK;
    op->answer.status = 200;
}

static const struct blocking_kind until_cancelled = {.execute = use_until_cancelled};
static const struct blocking_kind once = {.execute = use_once};

struct counting {
    struct on_loop *on;
    struct store_request request;
    const struct blocking_kind *kind;
    struct store_op *op;
    int done;
    int status;
    struct event finished;
};

static void count_done(void *context, const struct store_answer *answer)
{
    struct counting *counting = context;
    counting->done++;
    counting->status = answer->status;
    event_set(&counting->finished);
}

static void start_op(void *context)
{
    struct counting *counting = context;
    counting->op =
        blocking_op_start(counting->on->loop, NULL, &counting->request, counting->kind, NULL, count_done, counting);
    assert_non_null(counting->op);
}

static void cancel_op(void *context)
{
    struct counting *counting = context;
    blocking_op_cancel(counting->op);
}

TEST_WITH(on_loop, an_operation_is_done_once)
{
    struct borrowed borrowed = {.entered = EVENT_INIT};
    struct counting counting = {
        .on = on_loop, .request = {.each_context = &borrowed}, .kind = &once, .finished = EVENT_INIT};
    on_loop_call(on_loop, start_op, &counting);
    event_wait(&counting.finished);
    assert_int_equal(counting.done, 1);
    assert_int_equal(counting.status, 200);
    assert_int_equal(borrowed.uses, 1);
}

TEST_WITH(on_loop, a_cancelled_operation_lets_go_of_what_it_borrowed)
{
    struct borrowed *borrowed = calloc(1, sizeof(*borrowed));
    assert_non_null(borrowed);
    borrowed->entered = (struct event)EVENT_INIT;
    struct counting counting = {
        .on = on_loop, .request = {.each_context = borrowed}, .kind = &until_cancelled, .finished = EVENT_INIT};
    on_loop_call(on_loop, start_op, &counting);
    event_wait(&borrowed->entered);
    on_loop_call(on_loop, cancel_op, &counting);
    free(borrowed); /* a worker that still used it would be found by the sanitizers */
    on_loop_settle(on_loop);
    assert_int_equal(counting.done, 0);
}

enum { CROWD = 16 }; /* as many as there are workers of a lane (WORKERS_LANE) */

TEST_WITH(on_loop, an_operation_that_no_worker_has_reached_is_cancelled_at_once)
{
    struct borrowed borrowed[CROWD] = {{.uses = 0}};
    struct counting crowd[CROWD];
    for (size_t i = 0; i < CROWD; i++) {
        borrowed[i].entered = (struct event)EVENT_INIT;
        crowd[i] = (struct counting){
            .on = on_loop, .request = {.each_context = &borrowed[i]}, .kind = &until_cancelled, .finished = EVENT_INIT};
        on_loop_call(on_loop, start_op, &crowd[i]);
        event_wait(&borrowed[i].entered);
    }
    struct borrowed *late = calloc(1, sizeof(*late));
    assert_non_null(late);
    struct counting queued = {.on = on_loop, .request = {.each_context = late}, .kind = &once, .finished = EVENT_INIT};
    on_loop_call(on_loop, start_op, &queued);
    on_loop_call(on_loop, cancel_op, &queued); /* would wait for ever if it waited for a worker */
    assert_int_equal(late->uses, 0);
    free(late);
    for (size_t i = 0; i < CROWD; i++)
        on_loop_call(on_loop, cancel_op, &crowd[i]);
    on_loop_settle(on_loop);
    assert_int_equal(queued.done, 0);
}

TEST_WITH(on_loop, a_thousand_operations_cancelled_at_any_moment_are_done_at_most_once)
{
    for (int i = 0; i < 1000; i++) {
        struct borrowed borrowed = {.entered = EVENT_INIT};
        struct counting counting = {
            .on = on_loop, .request = {.each_context = &borrowed}, .kind = &once, .finished = EVENT_INIT};
        on_loop_call(on_loop, start_op, &counting);
        if (i % 3 == 0)
            sched_yield();
        if (i % 2 == 0) {
            event_wait(&counting.finished);
            assert_int_equal(counting.done, 1);
        } else {
            on_loop_cancel_unless_done(on_loop, cancel_op, &counting, &counting.done);
        }
        assert_true(counting.done <= 1);
    }
}

/* ------------------------------------------------------------------------------------------------ waiting */

struct parking { /* what a request that waits borrows */
    atomic_int executed;
    int waits; /* so often, before it is done */
    int parked;
    int ended;
    struct event is_parked;
};

static void wait_some_times(struct store_op *op)
{
    struct parking *parking = op->request.each_context;
    op->answer.status = 200;
    op->waits = atomic_fetch_add(&parking->executed, 1) < parking->waits;
}

static void note_parked(struct store_op *op)
{
    struct parking *parking = op->request.each_context;
    parking->parked++;
    event_set(&parking->is_parked);
}

static void note_ended(struct store_op *op)
{
    struct parking *parking = op->request.each_context;
    parking->ended++;
}

static bool never(struct store_op *op)
{
    (void)op;
    return false;
}

static bool always(struct store_op *op)
{
    (void)op;
    return true;
}

static const struct blocking_kind parks = {
    .execute = wait_some_times, .must_wait = never, .wait = note_parked, .ended = note_ended};
static const struct blocking_kind parks_first = {
    .execute = wait_some_times, .must_wait = always, .wait = note_parked, .ended = note_ended};

static void resume_op(void *context)
{
    blocking_op_resume(((struct counting *)context)->op);
}

static void end_op(void *context)
{
    struct counting *counting = context;
    counting->op->answer.status = 408;
    blocking_op_end(counting->op);
}

TEST_WITH(on_loop, one_that_waits_keeps_no_worker_and_is_executed_again)
{
    static struct parking parking[3 * CROWD];
    static struct counting crowd[3 * CROWD];
    for (size_t i = 0; i < 3 * CROWD; i++) { /* more than there are workers */
        parking[i] = (struct parking){.waits = 2, .is_parked = EVENT_INIT};
        crowd[i] = (struct counting){
            .on = on_loop, .request = {.each_context = &parking[i]}, .kind = &parks, .finished = EVENT_INIT};
        on_loop_call(on_loop, start_op, &crowd[i]);
        event_wait(&parking[i].is_parked);
    }
    for (size_t i = 0; i < 3 * CROWD; i++) {
        assert_int_equal(crowd[i].done, 0);
        on_loop_call(on_loop, resume_op, &crowd[i]);
        event_wait(&parking[i].is_parked);
        on_loop_call(on_loop, resume_op, &crowd[i]);
        event_wait(&crowd[i].finished);
        assert_int_equal(crowd[i].status, 200);
        assert_int_equal(atomic_load(&parking[i].executed), 3);
        assert_int_equal(parking[i].parked, 2);
        assert_int_equal(parking[i].ended, 1);
    }
}

TEST_WITH(on_loop, one_that_waits_is_ended_at_once_when_it_is_cancelled)
{
    struct parking parking = {.waits = 1, .is_parked = EVENT_INIT};
    struct counting counting = {
        .on = on_loop, .request = {.each_context = &parking}, .kind = &parks, .finished = EVENT_INIT};
    on_loop_call(on_loop, start_op, &counting);
    event_wait(&parking.is_parked);
    on_loop_call(on_loop, cancel_op, &counting);
    assert_int_equal(parking.ended, 1);
    assert_int_equal(counting.done, 0);
}

TEST_WITH(on_loop, one_that_had_to_wait_from_the_first_ends_without_having_been_executed)
{
    struct parking parking = {.is_parked = EVENT_INIT};
    struct counting counting = {
        .on = on_loop, .request = {.each_context = &parking}, .kind = &parks_first, .finished = EVENT_INIT};
    on_loop_call(on_loop, start_op, &counting);
    event_wait(&parking.is_parked);
    on_loop_call(on_loop, end_op, &counting);
    assert_int_equal(counting.done, 1);
    assert_int_equal(counting.status, 408);
    assert_int_equal(parking.ended, 1);
    assert_int_equal(atomic_load(&parking.executed), 0);
}

TEST(an_attempt_keeps_the_request_and_its_last_moment)
{
    struct store_request request = {.verb = STORE_PUT, .key = "k"};
    struct store_attempt *attempt = NULL;
    assert_int_equal(blocking_attempt_new(&request, 42, &attempt, NULL), OS_OK);
    assert_string_equal(attempt->request.key, "k");
    assert_int_equal(attempt->not_after_s, 42);
    free(attempt);
}
