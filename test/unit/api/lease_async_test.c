/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases and locks by operations: who gets the lease, what becomes of one that nobody takes, ends of every kind. What each
 * call says: its own tests, which are built with operations, too.
 */
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"
#include "unit/api/table_operations.h"
#include "unit/loop/on_loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 16, SHORT_TTL_S = 2, PATIENCE_MS = 60000 };

static os_operation *start_acquiring(struct completions *completions, os_client *client,
                                     const os_lease_options *options)
{
    os_start start = completions_start(completions);
    os_operation *operation = NULL;
    os_error error;
    CHECK_CODE(os_start_lease_acquire(client, "job", options, &start, &operation, &error), OS_OK, &error);
    return operation;
}

static void release(os_lease *lease)
{
    os_error error;
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
}

static bool is_held(os_client *client)
{
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    return info.held != 0;
}

/* ------------------------------------------------------------------------------------------------ who has it */

TEST_WITH(scratch, a_completion_gives_the_lease_once)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_operation *operation = start_acquiring(&completions, client, NULL);
    assert_ptr_equal(completions_wait(&completions), operation);
    assert_int_equal(os_operation_code(operation), OS_OK);
    assert_int_equal(os_operation_verdict(operation), 0);
    assert_null(os_operation_result(operation));
    assert_null(os_operation_object(operation));
    assert_int_equal(os_operation_lease_info(operation)->size, 0);
    assert_int_equal(os_operation_lock_info(operation)->size, 0);
    os_lease *lease = os_operation_lease(operation);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    assert_null(os_operation_lease(operation));
    os_operation_free(operation);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD); /* it does not go with the operation */
    release(lease);
    os_client_close(client);
}

TEST_WITH(scratch, other_operations_have_no_lease)
{
    os_client *client = scratch_client(scratch, NULL);
    struct completions completions = COMPLETIONS_INIT;
    os_operation *operation = completions_create(&completions, client, "key");
    completions_wait(&completions);
    assert_null(os_operation_lease(operation));
    assert_null(os_operation_lease_info(operation));
    assert_null(os_operation_lock_info(operation));
    os_operation_free(operation);
    os_client_close(client);
}

TEST_WITH(scratch, before_it_completes_there_is_nothing_to_have)
{
    os_client *client = scratch_table_client(scratch);
    os_client *other = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_error error;
    os_lease *lease = NULL;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.wait = 1;
    CHECK_CODE(os_lease_acquire(other, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    os_operation *operation = start_acquiring(&completions, client, &options);
    assert_int_equal(os_operation_code(operation), OS_ERR_UNDECIDED);
    assert_null(os_operation_lease(operation));
    assert_null(os_operation_lease_info(operation));
    assert_null(os_operation_lock_info(operation));
    os_operation_cancel(operation);
    completions_wait(&completions);
    assert_int_equal(os_operation_code(operation), OS_ERR_CANCELLED);
    assert_null(os_operation_lease(operation));
    os_operation_free(operation);
    release(lease);
    os_client_close(other);
    os_client_close(client);
}

static void wait_until_it_is_had(os_client *client)
{
    os_lease *lease = NULL;
    os_call call = OS_CALL_INIT;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_error error;
    options.wait = 1;
    call.deadline_ms = PATIENCE_MS;
    CHECK_CODE(os_lease_acquire(client, "job", &options, &call, &lease, &error), OS_OK, &error);
    release(lease);
}

static void no_change(void *context, os_lease *lease, os_lease_status status)
{
    (void)context;
    (void)lease;
    (void)status;
    abort(); /* nobody has it */
}

/* Its time to live is an hour, so that nobody gets it in any other way. */
static os_lease_options hour_long(void)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = 3600;
    options.changed = no_change;
    return options;
}

TEST_WITH(scratch, one_that_nobody_takes_is_released_when_its_operation_is_freed)
{
    os_client *client = scratch_table_client(scratch);
    os_client *other = scratch_table_client(scratch);
    const os_lease_options options = hour_long();
    struct completions completions = COMPLETIONS_INIT;
    start_acquiring(&completions, client, &options);
    os_operation *operation = completions_wait(&completions);
    assert_true(is_held(other));
    os_operation_free(operation);
    wait_until_it_is_had(other);
    os_client_close(client);
    os_client_close(other);
}

TEST_WITH(scratch, one_that_nobody_takes_is_released_before_its_client_has_closed)
{
    os_client *other = scratch_table_client(scratch);
    const os_lease_options options = hour_long();
    for (int round = 0; round < MANY; round++) {
        os_client *client = scratch_table_client(scratch);
        os_queue *queue = NULL;
        os_start start = OS_START_INIT;
        os_error error;
        assert_int_equal(os_queue_new(&queue), OS_OK);
        start.queue = queue;
        CHECK_CODE(os_start_lease_acquire(client, "job", &options, &start, NULL, &error), OS_OK, &error);
        os_operation *done = os_queue_take(queue, PATIENCE_MS);
        assert_int_equal(os_operation_code(done), OS_OK);
        os_operation_free(done);
        os_client_close(client);
        os_queue_free(queue);
        wait_until_it_is_had(other);
    }
    os_client_close(other);
}

static void note_request(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST)
        event_set(context);
}

/* Its completion is in the queue: what the loop does next comes behind it. */
static void acquire_into(os_queue *queue, os_client *client, struct event *answered)
{
    const os_lease_options options = hour_long();
    os_start start = OS_START_INIT;
    os_error error;
    start.queue = queue;
    CHECK_CODE(os_start_lease_acquire(client, "job", &options, &start, NULL, &error), OS_OK, &error);
    event_wait(answered);
    assert_true(is_held(client));
    event_wait(answered);
}

TEST_WITH(scratch, one_whose_queue_is_freed_is_released)
{
    struct event answered = EVENT_INIT;
    os_options options = OS_OPTIONS_INIT;
    options.metric = note_request;
    options.metric_context = &answered;
    os_client *client = table_client_with(scratch, options);
    os_client *other = scratch_table_client(scratch);
    os_queue *queue = NULL;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    acquire_into(queue, client, &answered);
    os_queue_free(queue);
    wait_until_it_is_had(other);
    event_wait(&answered); /* the release */
    assert_int_equal(os_queue_new(&queue), OS_OK);
    acquire_into(queue, client, &answered);
    os_client_close(client);
    os_queue_free(queue); /* nobody can release it any more: it ends by itself */
    assert_true(is_held(other));
    os_client_close(other);
}

/* L5: nothing extends it any more. */
TEST_WITH(scratch, one_that_nobody_takes_ends_by_itself_when_its_client_was_closed)
{
    os_client *client = scratch_table_client(scratch);
    os_client *other = scratch_table_client(scratch);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = SHORT_TTL_S;
    struct completions completions = COMPLETIONS_INIT;
    start_acquiring(&completions, client, &options);
    os_operation *operation = completions_wait(&completions);
    os_client_close(client);
    assert_true(is_held(other));
    os_operation_free(operation);
    wait_until_it_is_had(other);
    os_client_close(other);
}

/* ------------------------------------------------------------------------------------------------ within completions */

struct chain {
    os_client *client;
    struct completions released;
    os_code code;
    os_code blocking;
    uint64_t token;
};

/* On the I/O thread: the lease is taken, used and given back without a thread that waits. */
static void use_it_and_release(void *context, os_operation *operation)
{
    struct chain *chain = context;
    os_start start = completions_start(&chain->released);
    os_lease *lease = os_operation_lease(operation);
    os_operation_free(operation);
    chain->token = os_lease_token(lease);
    chain->blocking = os_lease_release(lease, NULL, NULL);
    chain->code = os_start_lease_release(lease, &start, NULL, NULL);
}

TEST_WITH(scratch, a_completion_may_take_the_lease_and_start_its_release)
{
    struct chain chain = {.client = scratch_table_client(scratch), .released = COMPLETIONS_INIT};
    os_start start = OS_START_INIT;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_error error;
    options.fencing = 1;
    start.complete = use_it_and_release;
    start.context = &chain;
    CHECK_CODE(os_start_lease_acquire(chain.client, "job", &options, &start, NULL, &error), OS_OK, &error);
    os_operation *released = completions_wait(&chain.released);
    assert_int_equal(os_operation_code(released), OS_OK);
    assert_null(os_operation_lease(released));
    assert_int_equal(chain.code, OS_OK);
    assert_int_equal(chain.blocking, OS_ERR_ARGUMENT); /* it would wait for itself */
    assert_int_not_equal(chain.token, 0);
    os_operation_free(released);
    assert_false(is_held(chain.client));
    os_client_close(chain.client);
}

static void release_what_is_lost(void *context, os_lease *lease, os_lease_status status)
{
    struct chain *chain = context;
    os_start start = completions_start(&chain->released);
    if (status == OS_LEASE_LOST)
        chain->code = os_start_lease_release(lease, &start, NULL, NULL);
}

/* L5: the item is gone, so another may have had it. */
TEST_WITH(scratch, a_loss_that_is_told_may_start_the_release)
{
    struct chain chain = {.client = scratch_table_client(scratch), .released = COMPLETIONS_INIT};
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_lease *lease = NULL;
    os_error error;
    options.ttl_s = SHORT_TTL_S;
    options.changed = release_what_is_lost;
    options.context = &chain;
    CHECK_CODE(os_lease_acquire(chain.client, "job", &options, NULL, &lease, &error), OS_OK, &error);
    table_forget_leases(scratch);
    os_operation *released = completions_wait(&chain.released);
    assert_int_equal(chain.code, OS_OK);
    assert_int_equal(os_operation_code(released), OS_ERR_CONFLICT);
    os_operation_free(released);
    os_client_close(chain.client);
}

TEST_WITH(scratch, one_that_is_freed_is_released_also_before_its_client_has_closed)
{
    os_client *other = scratch_table_client(scratch);
    const os_lease_options options = hour_long();
    os_error error;
    for (int round = 0; round < MANY; round++) {
        os_client *client = scratch_table_client(scratch);
        os_lease *lease = NULL;
        CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_OK, &error);
        os_lease_free(lease);
        if (round % 2 == 0)
            os_client_close(client);
        wait_until_it_is_had(other);
        if (round % 2 != 0)
            os_client_close(client);
    }
    os_lease_free(NULL);
    os_client_close(other);
}

/* It is freed within its own function, by the thread that would have to release it. */
static void free_what_is_lost(void *context, os_lease *lease, os_lease_status status)
{
    if (status != OS_LEASE_LOST)
        return;
    os_lease_free(lease);
    event_set(context);
}

TEST_WITH(scratch, one_may_be_freed_within_its_own_function)
{
    os_client *client = scratch_table_client(scratch);
    struct event freed = EVENT_INIT;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_lease *lease = NULL;
    os_error error;
    options.ttl_s = SHORT_TTL_S;
    options.changed = free_what_is_lost;
    options.context = &freed;
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_OK, &error);
    table_forget_leases(scratch);
    event_wait(&freed);
    assert_false(is_held(client));
    os_client_close(client);
}

/* The context is gone when the lease is: nothing may call with it afterwards. */
struct watched {
    struct event begun;
    struct event go_on;
    atomic_bool over;
};

static void take_long(void *context, os_lease *lease, os_lease_status status)
{
    struct watched *watched = context;
    (void)lease;
    if (status != OS_LEASE_LOST)
        return;
    event_set(&watched->begun);
    event_wait(&watched->go_on);
    atomic_store(&watched->over, true);
}

static void *free_lease(void *context)
{
    os_lease_free(context);
    return NULL;
}

TEST_WITH(scratch, who_frees_it_waits_for_its_function_on_another_thread)
{
    os_client *client = scratch_table_client(scratch);
    struct watched watched = {EVENT_INIT, EVENT_INIT, false};
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_lease *lease = NULL;
    pthread_t thread;
    os_error error;
    options.ttl_s = SHORT_TTL_S;
    options.changed = take_long;
    options.context = &watched;
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_OK, &error);
    table_forget_leases(scratch);
    event_wait(&watched.begun);
    assert_int_equal(pthread_create(&thread, NULL, free_lease, lease), 0);
    event_set(&watched.go_on);
    pthread_join(thread, NULL);
    assert_true(atomic_load(&watched.over));
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ refusals */

TEST_WITH(scratch, what_is_refused_at_once_leaves_the_lease_as_it_is)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_start neither = OS_START_INIT;
    os_start mistaken = start;
    os_call bad = {.size = 1};
    os_lease *lease = NULL;
    os_error error;
    mistaken.call = &bad;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_start_lease_release(NULL, &start, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_start_lease_detach(NULL, &start, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_start_lease_release(lease, &neither, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_start_lease_release(lease, &mistaken, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_start_lease_detach(lease, &mistaken, NULL, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    CHECK_CODE(os_start_lease_release(lease, &start, NULL, &error), OS_OK, &error);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_code(done), OS_OK);
    os_operation_free(done);
    assert_false(is_held(client));
    os_client_close(client);
}

TEST_WITH(scratch, after_the_close_a_start_is_refused_and_the_call_frees)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    os_client_close(client);
    CHECK_CODE(os_start_lease_release(lease, &start, NULL, &error), OS_ERR_CANCELLED, &error);
    CHECK_SAYS(&error, "was closed before");
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CANCELLED, &error);
}

TEST_WITH(scratch, bad_arguments_come_with_the_completion)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_error error;
    CHECK_CODE(os_start_lease_acquire(client, "", NULL, &start, NULL, &error), OS_OK, &error);
    os_operation *done = completions_wait(&completions);
    CHECK_CODE(os_operation_code(done), OS_ERR_ARGUMENT, os_operation_error(done));
    os_operation_free(done);
    CHECK_CODE(os_start_lease_adopt(client, "job", NULL, NULL, &start, NULL, &error), OS_OK, &error);
    done = completions_wait(&completions);
    CHECK_CODE(os_operation_code(done), OS_ERR_ARGUMENT, os_operation_error(done));
    os_operation_free(done);
    CHECK_CODE(os_start_lock_acquire(client, NULL, 10, &start, NULL, &error), OS_OK, &error);
    done = completions_wait(&completions);
    CHECK_CODE(os_operation_code(done), OS_ERR_ARGUMENT, os_operation_error(done));
    assert_int_equal(os_operation_lock_info(done)->size, 0);
    os_operation_free(done);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ passing it on */

TEST_WITH(scratch, one_that_is_detached_can_be_adopted)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    char handle[OS_LEASE_HANDLE_SIZE];
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    CHECK_CODE(os_lease_handle(lease, handle, &error), OS_OK, &error);
    CHECK_CODE(os_start_lease_detach(lease, &start, NULL, &error), OS_OK, &error);
    os_operation *done = completions_wait(&completions);
    assert_int_equal(os_operation_code(done), OS_OK);
    os_operation_free(done);
    assert_true(is_held(client));
    CHECK_CODE(os_start_lease_adopt(client, "job", handle, NULL, &start, NULL, &error), OS_OK, &error);
    done = completions_wait(&completions);
    CHECK_CODE(os_operation_code(done), OS_OK, os_operation_error(done));
    lease = os_operation_lease(done);
    os_operation_free(done);
    release(lease);
    os_client_close(client);
}
