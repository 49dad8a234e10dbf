/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of operations on leases: cancelled at each step, closed with their client, and releases that meet the close. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"
#include "unit/api/table_operations.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 64, ROUNDS = 200 };

static os_lease_info read_lease(os_client *client)
{
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    return info;
}

static os_lease *acquire(os_client *client)
{
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, &lease, &error), OS_OK, &error);
    return lease;
}

static void release(os_lease *lease)
{
    os_error error;
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
}

/* Whose table is there. */
static os_client *looking_client(const struct scratch *scratch)
{
    os_client *client = scratch_table_client(scratch);
    release(acquire(client));
    return client;
}

/* ------------------------------------------------------------------------------------------------ cancelling */

/* Cancels its operation when so many requests have ended; on a worker or on the I/O thread. */
struct at_step {
    os_operation *operation; /* set by its start, before anything is sent */
    atomic_int step;
    atomic_int count;
};

static void cancel_at_step(void *context, const os_metric *metric)
{
    struct at_step *at = context;
    if (metric->kind == OS_METRIC_REQUEST && atomic_fetch_add(&at->count, 1) == at->step)
        os_operation_cancel(at->operation);
}

static void end_lease(os_client *client, os_operation *done)
{
    os_lease *lease = os_operation_lease(done);
    bool held = os_operation_code(done) == OS_OK;
    assert_int_equal(lease != NULL, held);
    assert_int_equal(read_lease(client).held != 0, held);
    if (held)
        release(lease);
    else
        assert_int_equal(os_operation_code(done), OS_ERR_CANCELLED);
}

/* L7.3 */
TEST_WITH(scratch, an_acquisition_that_is_cancelled_at_any_step_leaves_nothing)
{
    os_client *other = looking_client(scratch);
    bool cancelled = true;
    os_lease_options fenced = OS_LEASE_OPTIONS_INIT;
    fenced.fencing = 1;
    for (int step = 0; cancelled; step++) {
        struct at_step at = {.step = step};
        struct completions completions = COMPLETIONS_INIT;
        os_options options = OS_OPTIONS_INIT;
        os_error error;
        options.metric = cancel_at_step;
        options.metric_context = &at;
        os_client *client = table_client_with(scratch, options);
        os_start start = completions_start(&completions);
        table_forget_leases(scratch); /* so that it takes as many requests as the first time */
        CHECK_CODE(os_start_lease_acquire(client, "job", &fenced, &start, &at.operation, &error), OS_OK, &error);
        os_operation *operation = completions_wait(&completions);
        cancelled = atomic_load(&at.count) > step;
        assert_true(cancelled || os_operation_code(operation) == OS_OK);
        atomic_store(&at.step, -1);
        end_lease(client, operation);
        os_operation_free(operation);
        os_client_close(client);
        assert_in_range(step, 0, 20);
    }
    os_client_close(other);
}

/* One that another holds. */
static void start_waiting(os_client *client, const os_start *start, os_operation **ret)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_error error;
    options.wait = 1;
    CHECK_CODE(os_start_lease_acquire(client, "job", &options, start, ret, &error), OS_OK, &error);
}

TEST_WITH(scratch, either_token_and_the_deadline_end_one_that_waits)
{
    os_client *other = scratch_table_client(scratch);
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_call call = OS_CALL_INIT;
    os_operation *operation = NULL;
    os_lease *lease = acquire(other);
    assert_int_equal(os_cancel_new(&call.cancel), OS_OK);
    start_waiting(client, &start, &operation);
    os_operation_cancel(operation);
    assert_int_equal(os_operation_code(completions_wait(&completions)), OS_ERR_CANCELLED);
    os_operation_free(operation);
    start.call = &call;
    for (int i = 0; i < 2; i++) { /* triggered while it is under way, and before */
        start_waiting(client, &start, &operation);
        os_cancel_trigger(call.cancel);
        assert_int_equal(os_operation_code(completions_wait(&completions)), OS_ERR_CANCELLED);
        os_operation_free(operation);
    }
    os_cancel_free(call.cancel);
    call.cancel = NULL;
    call.deadline_ms = 300;
    start_waiting(client, &start, &operation);
    assert_int_equal(os_operation_code(completions_wait(&completions)), OS_ERR_CONFLICT); /* it was seen who has it */
    CHECK_SAYS(os_operation_error(operation), "still at the deadline");
    os_operation_free(operation);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    release(lease);
    os_client_close(client);
    os_client_close(other);
}

/* ------------------------------------------------------------------------------------------------ closing */

struct closing {
    os_client *client;
    atomic_int cancelled;
    atomic_int others;
    atomic_int started; /* from a completion, while the client closes */
};

static void on_closed(void *context, os_operation *operation)
{
    struct closing *closing = context;
    os_start start = OS_START_INIT;
    bool right = os_operation_code(operation) == OS_ERR_CANCELLED && os_operation_lease(operation) == NULL;
    atomic_fetch_add(right ? &closing->cancelled : &closing->others, 1);
    start.complete = on_closed;
    if (os_start_lease_read(closing->client, "job", &start, NULL, NULL) != OS_ERR_CANCELLED)
        atomic_fetch_add(&closing->started, 1);
    os_operation_free(operation);
}

TEST_WITH(scratch, closing_a_client_ends_those_who_wait_once_and_before_it_returns)
{
    os_client *other = scratch_table_client(scratch);
    os_lease *lease = acquire(other);
    for (int round = 0; round < 5; round++) {
        struct closing closing = {.client = scratch_table_client(scratch)};
        os_start start = OS_START_INIT;
        start.complete = on_closed;
        start.context = &closing;
        for (int i = 0; i < MANY; i++)
            start_waiting(closing.client, &start, NULL);
        os_client_close(closing.client);
        assert_int_equal(atomic_load(&closing.cancelled), MANY);
        assert_int_equal(atomic_load(&closing.others), 0);
        assert_int_equal(atomic_load(&closing.started), 0);
    }
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    release(lease);
    assert_int_equal(read_lease(other).held, 0); /* and none of them took it afterwards */
    os_client_close(other);
}

/* L7: an acquisition in the air when its client closes gives back what it may have taken. */
TEST_WITH(scratch, closing_a_client_leaves_no_lease_that_was_on_the_way)
{
    os_client *other = looking_client(scratch);
    for (int round = 0; round < ROUNDS; round++) {
        os_client *client = scratch_table_client(scratch);
        struct completions completions = COMPLETIONS_INIT;
        os_start start = completions_start(&completions);
        os_error error;
        table_forget_leases(scratch);
        CHECK_CODE(os_start_lease_acquire(client, "job", NULL, &start, NULL, &error), OS_OK, &error);
        os_client_close(client);
        assert_int_equal(event_count(&completions.told), 1);
        os_operation *done = completions_wait(&completions);
        os_lease *lease = os_operation_lease(done);
        assert_int_equal(lease != NULL, os_operation_code(done) == OS_OK);
        assert_true(lease != NULL || os_operation_code(done) == OS_ERR_CANCELLED);
        assert_int_equal(read_lease(other).held, lease != NULL);
        os_operation_free(done);
        if (lease != NULL) /* it ends by itself: nobody extends it */
            CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CANCELLED, &error);
    }
    os_client_close(other);
}

/* ------------------------------------------------------------------------------------------------ in the air */

/* Nothing is answered. */
static void stay_silent(void *context, const struct http_server_record *record, struct buf *scratch,
                        struct http_server_step *ret)
{
    (void)context;
    (void)record;
    (void)scratch;
    *ret = (struct http_server_step){.hold = true, .answer = "", .leave = HTTP_SERVER_CLOSE};
}

static os_client *client_of_silent_table(const struct http_server *table)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    char endpoint[64];
    os_error error;
    snprintf(endpoint, sizeof(endpoint), "http://%s", http_server_host(table));
    options.ledger_url = "dynamodb://locks";
    options.dynamodb_endpoint = endpoint;
    options.access_key_id = "AKTESTS";
    options.secret_access_key = "a-secret-of-the-tests";
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

static void check_not_known(os_operation *done, const char *what)
{
    CHECK_SAYS(os_operation_error(done), what);
    os_operation_free(done);
}

TEST(locks_in_the_air_are_told_as_not_known)
{
    static const os_lock lock = {sizeof(lock), "space", "job", "ann", "1"};
    static const os_lock other = {sizeof(other), "space", "other", "ann", "1"};
    const struct http_server_options service = {.respond = stay_silent};
    for (int closes = 0; closes < 2; closes++) {
        struct http_server *table = http_server_start(&service);
        os_client *client = client_of_silent_table(table);
        struct completions acquired = COMPLETIONS_INIT;
        struct completions renewed = COMPLETIONS_INIT;
        os_start start = completions_start(&acquired);
        os_operation *of_acquire = NULL;
        os_operation *of_renew = NULL;
        os_error error;
        CHECK_CODE(os_start_lock_acquire(client, &lock, 600, &start, &of_acquire, &error), OS_OK, &error);
        start = completions_start(&renewed);
        CHECK_CODE(os_start_lock_renew(client, &other, 600, &start, &of_renew, &error), OS_OK, &error);
        assert_true(http_server_wait_held(table, 2));
        if (closes)
            os_client_close(client);
        os_operation_cancel(of_acquire);
        os_operation_cancel(of_renew);
        assert_int_equal(os_operation_code(completions_wait(&acquired)), OS_ERR_CANCELLED);
        assert_int_equal(os_operation_code(completions_wait(&renewed)), OS_ERR_UNDECIDED);
        check_not_known(of_acquire, "was acquired is not known");
        check_not_known(of_renew, "was renewed is not known");
        if (!closes)
            os_client_close(client);
        http_server_release(table, 2);
        http_server_stop(table);
    }
}

/* ------------------------------------------------------------------------------------------------ meeting the close */

struct meeting {
    os_client *client;
    os_lease *lease;
    pthread_barrier_t barrier;
    os_code code;
    os_error error;
    os_code (*end)(struct meeting *meeting);
    struct completions completions;
};

static os_code end_by_release(struct meeting *meeting)
{
    return os_lease_release(meeting->lease, NULL, &meeting->error);
}

static os_code end_by_detach(struct meeting *meeting)
{
    return os_lease_detach(meeting->lease, &meeting->error);
}

static os_code end_by_operation(struct meeting *meeting)
{
    os_start start = completions_start(&meeting->completions);
    os_code code = os_start_lease_release(meeting->lease, &start, NULL, &meeting->error);
    if (code != OS_OK) /* and then it is still to be freed */
        return os_lease_release(meeting->lease, NULL, &meeting->error);
    os_operation *done = completions_wait(&meeting->completions);
    code = os_operation_code(done);
    meeting->error = *os_operation_error(done);
    os_operation_free(done);
    return code;
}

static void *end_it(void *context)
{
    struct meeting *meeting = context;
    pthread_barrier_wait(&meeting->barrier);
    meeting->code = meeting->end(meeting);
    return NULL;
}

static const struct end {
    const char *name;
    os_code (*end)(struct meeting *meeting);
    bool releases;
} ends[] = {{"released", end_by_release, true},
            {"detached", end_by_detach, false},
            {"by an operation", end_by_operation, true}};

/* Each end says what it did: a release that says OK has left nothing. */
TEST_ROWS_WITH(scratch, ends, a_lease_may_end_while_its_client_closes)
{
    os_client *other = looking_client(scratch);
    for (int round = 0; round < ROUNDS; round++) {
        struct meeting meeting = {
            .client = scratch_table_client(scratch), .end = row->end, .completions = COMPLETIONS_INIT};
        pthread_t thread;
        table_forget_leases(scratch);
        meeting.lease = acquire(meeting.client);
        assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, 2), 0);
        assert_int_equal(pthread_create(&thread, NULL, end_it, &meeting), 0);
        pthread_barrier_wait(&meeting.barrier);
        os_client_close(meeting.client);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&meeting.barrier);
        bool gone = read_lease(other).held == 0;
        if (meeting.code == OS_OK)
            assert_int_equal(gone, row->releases);
        else if (meeting.code != OS_ERR_UNDECIDED)
            CHECK_CODE(meeting.code, OS_ERR_CANCELLED, &meeting.error);
    }
    os_client_close(other);
}

/* An operation is freed, and its lease let go, at the same instant. */
static void *free_operation(void *context)
{
    struct meeting *meeting = context;
    pthread_barrier_wait(&meeting->barrier);
    os_operation_free(meeting->completions.last);
    return NULL;
}

TEST_WITH(scratch, one_that_nobody_takes_may_be_let_go_while_its_client_closes)
{
    os_client *other = looking_client(scratch);
    for (int round = 0; round < ROUNDS; round++) {
        struct meeting meeting = {.client = scratch_table_client(scratch), .completions = COMPLETIONS_INIT};
        os_start start = completions_start(&meeting.completions);
        pthread_t thread;
        os_error error;
        table_forget_leases(scratch);
        CHECK_CODE(os_start_lease_acquire(meeting.client, "job", NULL, &start, NULL, &error), OS_OK, &error);
        assert_int_equal(os_operation_code(completions_wait(&meeting.completions)), OS_OK);
        assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, 2), 0);
        assert_int_equal(pthread_create(&thread, NULL, free_operation, &meeting), 0);
        pthread_barrier_wait(&meeting.barrier);
        os_client_close(meeting.client);
        pthread_join(thread, NULL);
        pthread_barrier_destroy(&meeting.barrier);
    }
    assert_false(read_lease(other).foreign); /* the table is whole */
    os_client_close(other);
}

struct listing {
    os_client *client;
    os_lease *lease;
    pthread_t closer;
    os_code code;
    struct event closing;
};

static void *close_client(void *context)
{
    struct listing *listing = context;
    os_client_close(listing->client);
    return NULL;
}

/* Nobody can see the close begin but by what it refuses. */
static int release_within(void *context, const char *name, const os_lease_info *info)
{
    struct listing *listing = context;
    os_start start = OS_START_INIT;
    os_queue *queue = NULL;
    (void)name;
    (void)info;
    assert_int_equal(os_queue_new(&queue), OS_OK);
    start.queue = queue;
    assert_int_equal(pthread_create(&listing->closer, NULL, close_client, listing), 0);
    while (os_start_lease_read(listing->client, "job", &start, NULL, NULL) == OS_OK)
        os_operation_free(os_queue_take(queue, 60000));
    os_queue_free(queue);
    listing->code = os_lease_release(listing->lease, NULL, NULL);
    return 0;
}

/* The close waits for the call that this one is in, so this one must not wait for the close. */
TEST_WITH(scratch, a_release_within_a_call_that_the_close_waits_for_does_not_wait)
{
    struct listing listing = {.client = scratch_table_client(scratch)};
    os_error error;
    listing.lease = acquire(listing.client);
    CHECK_CODE(os_lease_list(listing.client, NULL, release_within, &listing, &error), OS_OK, &error);
    pthread_join(listing.closer, NULL);
    assert_true(listing.code == OS_OK || listing.code == OS_ERR_UNDECIDED);
}

/* The lease is the parent's, and so is the lock that says whose it is. */
TEST_WITH(scratch, a_forked_child_ends_nothing)
{
    os_client *client = scratch_table_client(scratch);
    struct completions completions = COMPLETIONS_INIT;
    os_start start = completions_start(&completions);
    os_lease *lease = acquire(client);
    pid_t child = fork();
    if (child == 0) {
        bool refused = os_start_lease_release(lease, &start, NULL, NULL) == OS_ERR_ARGUMENT &&
                       os_start_lease_detach(lease, &start, NULL, NULL) == OS_ERR_ARGUMENT &&
                       os_start_lease_read(client, "job", &start, NULL, NULL) == OS_ERR_ARGUMENT;
        os_lease_free(lease);
        _exit(refused ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    release(lease);
    os_client_close(client);
}
