/* SPDX-License-Identifier: Apache-2.0 */
/* Leases and locks of a client without an I/O thread: the test's own loop extends them, or does not. */
#include "support/clock_jump.h"
#include "unit/api/table_operations.h"

#include "oscommit_async.h"
#include "oscommit_lease.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_TTL_S = 2 };

struct seen {
    os_client *client;
    os_operation *done;
    unsigned requests;
    unsigned names;
    os_lease_status told;
};

static void note_request(void *context, const os_metric *metric)
{
    struct seen *seen = context;
    seen->requests += metric->kind == OS_METRIC_REQUEST;
}

static void note_completion(void *context, os_operation *operation)
{
    struct seen *seen = context;
    seen->done = operation;
}

static void note_change(void *context, os_lease *lease, os_lease_status status)
{
    struct seen *seen = context;
    (void)lease;
    seen->told = status;
}

static void open_foreign(const struct scratch *scratch, struct seen *ret)
{
    os_options options = OS_OPTIONS_INIT;
    options.foreign_loop = 1;
    options.metric = note_request;
    options.metric_context = ret;
    *ret = (struct seen){.client = table_client_with(scratch, options)};
}

static os_start start_of(struct seen *seen)
{
    os_start start = OS_START_INIT;
    start.complete = note_completion;
    start.context = seen;
    return start;
}

static void step_once(const struct seen *seen)
{
    struct pollfd watched = {.fd = os_client_fd(seen->client), .events = POLLIN};
    os_error error;
    int64_t timeout_ms = os_client_timeout_ms(seen->client);
    bool is_short = timeout_ms >= 0 && timeout_ms < 60000;
    assert_true(poll(&watched, 1, is_short ? (int)timeout_ms : 60000) >= 0);
    CHECK_CODE(os_client_step(seen->client, &error), OS_OK, &error);
}

/* The code of the operation that was started. */
static os_code step_until_done(struct seen *seen, os_lease **ret_lease)
{
    while (seen->done == NULL)
        step_once(seen);
    os_code code = os_operation_code(seen->done);
    if (ret_lease)
        *ret_lease = os_operation_lease(seen->done);
    os_operation_free(seen->done);
    seen->done = NULL;
    return code;
}

static os_lease *acquire(struct seen *seen, const os_lease_options *options)
{
    os_start start = start_of(seen);
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_start_lease_acquire(seen->client, "job", options, &start, NULL, &error), OS_OK, &error);
    assert_null(seen->done); /* nothing happens but within a step */
    assert_int_equal(step_until_done(seen, &lease), OS_OK);
    assert_non_null(lease);
    return lease;
}

static os_code release(struct seen *seen, os_lease *lease)
{
    os_start start = start_of(seen);
    os_error error;
    CHECK_CODE(os_start_lease_release(lease, &start, NULL, &error), OS_OK, &error);
    return step_until_done(seen, NULL);
}

static bool is_held(const struct scratch *scratch)
{
    os_client *client = scratch_table_client(scratch);
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    os_client_close(client);
    return info.held != 0;
}

/* L5: for longer than its time to live. */
TEST_WITH(scratch, steps_keep_a_lease_extended)
{
    struct seen seen;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = SHORT_TTL_S;
    options.changed = note_change;
    options.context = &seen;
    open_foreign(scratch, &seen);
    os_lease *lease = acquire(&seen, &options);
    assert_in_range(os_client_timeout_ms(seen.client), 0, SHORT_TTL_S * 1000 / 3);
    while (seen.requests < 6) /* a third of the time to live lies between two */
        step_once(&seen);
    assert_int_equal(seen.told, 0);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    assert_int_equal(release(&seen, lease), OS_OK);
    assert_false(is_held(scratch));
    os_client_close(seen.client);
}

/* L6 */
TEST_WITH(scratch, a_loop_that_does_not_step_has_lost_it_in_time)
{
    struct seen seen;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.changed = note_change;
    options.context = &seen;
    options.ttl_s = SHORT_TTL_S;
    open_foreign(scratch, &seen);
    os_lease *lease = acquire(&seen, &options);
    clock_jump(HOUR_MS);
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST); /* by the clocks alone */
    assert_int_equal(os_lease_remaining_ms(lease), 0);
    assert_int_equal(seen.told, 0);
    while (seen.told != OS_LEASE_LOST)
        step_once(&seen);
    assert_int_equal(release(&seen, lease), OS_ERR_CONFLICT);
    os_client_close(seen.client);
}

TEST_WITH(scratch, calls_that_block_are_refused_and_leave_the_lease)
{
    struct seen seen;
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_lease *none = NULL;
    os_error error;
    open_foreign(scratch, &seen);
    os_lease *lease = acquire(&seen, NULL);
    CHECK_CODE(os_lease_acquire(seen.client, "other", NULL, NULL, &none, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "foreign_loop");
    CHECK_CODE(os_lease_read(seen.client, "job", NULL, &info, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_detach(lease, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    assert_int_equal(release(&seen, lease), OS_OK);
    os_client_close(seen.client);
}

TEST_WITH(scratch, its_close_extends_no_lease_and_gives_back_what_nobody_took)
{
    struct seen seen;
    os_start start;
    os_error error;
    open_foreign(scratch, &seen);
    start = start_of(&seen);
    os_lease *lease = acquire(&seen, NULL);
    os_client_close(seen.client);
    assert_true(is_held(scratch));
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CANCELLED, &error); /* which does not block then */
    open_foreign(scratch, &seen);
    table_forget_leases(scratch);
    CHECK_CODE(os_start_lease_acquire(seen.client, "job", NULL, &start, NULL, &error), OS_OK, &error);
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    os_client_close(seen.client);
    assert_false(is_held(scratch));
}

TEST_WITH(scratch, its_close_ends_what_is_under_way)
{
    struct seen seen;
    os_client *other = scratch_table_client(scratch);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(other, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    open_foreign(scratch, &seen);
    os_start start = start_of(&seen);
    options.wait = 1;
    CHECK_CODE(os_start_lease_acquire(seen.client, "job", &options, &start, NULL, &error), OS_OK, &error);
    while (seen.requests == 0)
        step_once(&seen);
    assert_null(seen.done);
    os_client_close(seen.client);
    assert_int_equal(os_operation_code(seen.done), OS_ERR_CANCELLED);
    os_operation_free(seen.done);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    os_client_close(other);
}

static int count_lease(void *context, const char *name, const os_lease_info *info)
{
    struct seen *seen = context;
    (void)info;
    seen->names += strcmp(name, "job") == 0;
    return 0;
}

static int count_lock(void *context, const char *name_space, const char *name, const os_lock_info *info)
{
    struct seen *seen = context;
    (void)info;
    seen->names += strcmp(name_space, "space") == 0 && strcmp(name, "job") == 0;
    return 0;
}

TEST_WITH(scratch, locks_lists_and_tables_are_moved_on_by_the_loop)
{
    static const os_lock ann = {sizeof(ann), "space", "job", "ann", "1"};
    struct seen seen;
    os_error error;
    open_foreign(scratch, &seen);
    os_start start = start_of(&seen);
    CHECK_CODE(os_start_lock_table_create(seen.client, &start, NULL, &error), OS_OK, &error);
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    CHECK_CODE(os_start_lock_acquire(seen.client, &ann, 600, &start, NULL, &error), OS_OK, &error);
    while (seen.done == NULL)
        step_once(&seen);
    assert_int_equal(os_operation_lock_info(seen.done)->duration_s, 600);
    assert_string_equal(os_operation_lock_info(seen.done)->owner, "ann");
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    CHECK_CODE(os_start_lock_list(seen.client, NULL, count_lock, &seen, &start, NULL, &error), OS_OK, &error);
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    assert_int_equal(seen.names, 1);
    os_lease *lease = acquire(&seen, NULL);
    CHECK_CODE(os_start_lease_list(seen.client, count_lease, &seen, &start, NULL, &error), OS_OK, &error);
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    assert_int_equal(seen.names, 2);
    assert_int_equal(release(&seen, lease), OS_OK);
    CHECK_CODE(os_start_lock_release(seen.client, &ann, &start, NULL, &error), OS_OK, &error);
    assert_int_equal(step_until_done(&seen, NULL), OS_OK);
    os_client_close(seen.client);
}
