/* SPDX-License-Identifier: Apache-2.0 */
/* Leases by the public functions, on the embedded tables: held by one at a time, released, lost, taken over. */
#include "support/clock_jump.h"
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

#include "oscommit_lease.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT_TTL_S = 2, PATIENCE_MS = 60000 };

static os_lease *acquire(os_client *client, const char *name, const os_lease_options *options)
{
    os_lease *lease = NULL;
    os_error error;
    CHECK_CODE(os_lease_acquire(client, name, options, NULL, &lease, &error), OS_OK, &error);
    assert_non_null(lease);
    return lease;
}

static void release(os_lease *lease)
{
    os_error error;
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
}

static os_code try_once(os_client *client, const char *name, os_error *error)
{
    os_lease *lease = NULL;
    os_code code = os_lease_acquire(client, name, NULL, NULL, &lease, error);
    assert_int_equal(lease != NULL, code == OS_OK);
    if (lease != NULL)
        release(lease);
    return code;
}

/* L2, L7 */
TEST_WITH(scratch, one_holds_it_and_the_next_can_when_it_is_released)
{
    os_client *client = scratch_table_client(scratch);
    os_client *other = scratch_table_client(scratch);
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.owner = "the first";
    os_lease *lease = acquire(client, "job", &options);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    assert_in_range(os_lease_remaining_ms(lease), 1, 57000); /* 60 s without the margin of a twentieth */
    assert_int_equal(os_lease_token(lease), 0);
    CHECK_CODE(try_once(other, "job", &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "held by the first");
    CHECK_CODE(try_once(client, "job", &error), OS_ERR_CONFLICT, &error); /* by whoever asks */
    CHECK_CODE(try_once(other, "another job", &error), OS_OK, &error);
    release(lease);
    CHECK_CODE(try_once(other, "job", &error), OS_OK, &error);
    os_client_close(other);
    os_client_close(client);
}

TEST_WITH(scratch, what_stands_there_can_be_read)
{
    os_client *client = scratch_table_client(scratch);
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    os_lease *lease = acquire(client, "job", &options);
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 1);
    assert_int_equal(info.foreign, 0);
    assert_int_equal(info.ttl_ms, 60000);
    assert_int_equal(info.token, os_lease_token(lease));
    char own[300];
    snprintf(own, sizeof(own), ":%ld", (long)getpid());
    assert_non_null(strstr(info.owner, own));
    assert_true(strlen(info.version) > 32);
    release(lease);
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    assert_string_equal(info.owner, "");
    assert_int_not_equal(info.token, 0); /* L8: the number stays */
    os_client_close(client);
}

struct counted {
    atomic_int requests;
};

static void count_requests(void *context, const os_metric *metric)
{
    struct counted *counted = context;
    if (metric->kind == OS_METRIC_REQUEST)
        atomic_fetch_add(&counted->requests, 1);
}

TEST_WITH(scratch, uncontended_each_takes_one_request)
{
    struct counted counted = {0};
    char url[160];
    os_error error;
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    snprintf(url, sizeof(url), "sqlite://%s/.oscommit/ledger.db", scratch->root);
    options.ledger_url = url;
    options.metric = count_requests;
    options.metric_context = &counted;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    os_lease_options fenced = OS_LEASE_OPTIONS_INIT;
    fenced.fencing = 1;
    const struct {
        const os_lease_options *options;
        int acquire;
    } turns[] = {{NULL, 1}, {NULL, 1}, {&fenced, 3}, {&fenced, 1}, {&fenced, 1}};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        atomic_store(&counted.requests, 0);
        os_lease *lease = acquire(client, "job", turns[i].options);
        assert_int_equal(atomic_load(&counted.requests), turns[i].acquire);
        release(lease);
        assert_int_equal(atomic_load(&counted.requests), turns[i].acquire + 1);
    }
    os_client_close(client);
}

/* L8 */
TEST_WITH(scratch, tokens_grow_with_each_holder_also_when_the_item_was_deleted)
{
    os_client *client = scratch_table_client(scratch);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    uint64_t last = 0;
    for (int i = 0; i < 6; i++) {
        os_lease *lease = acquire(client, "job", &options);
        assert_true(os_lease_token(lease) > last);
        last = os_lease_token(lease);
        release(lease);
        if (i % 2 == 0)
            continue;
        char file[128];
        sqlite3 *db = NULL;
        snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
        assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "DELETE FROM leases WHERE key = 'job'", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
    }
    os_client_close(client);
}

struct waiter {
    os_client *client;
    os_lease *lease;
    os_code code;
    os_error error;
    uint64_t deadline_ms;
    os_cancel *cancel;
    struct event held;
};

static void *wait_for_it(void *context)
{
    struct waiter *waiter = context;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    options.wait = 1;
    options.ttl_s = SHORT_TTL_S;
    call.deadline_ms = waiter->deadline_ms;
    call.cancel = waiter->cancel;
    waiter->code = os_lease_acquire(waiter->client, "job", &options, &call, &waiter->lease, &waiter->error);
    event_set(&waiter->held);
    return NULL;
}

/* L3: within a poll of a second. */
TEST_WITH(scratch, who_waits_has_it_within_a_poll_of_its_release)
{
    struct waiter waiter = {.client = scratch_table_client(scratch), .deadline_ms = PATIENCE_MS, .held = EVENT_INIT};
    os_client *client = scratch_table_client(scratch);
    pthread_t thread;
    os_lease *lease = acquire(client, "job", NULL);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &waiter), 0);
    uint64_t start_ms = now_ms();
    release(lease);
    event_wait(&waiter.held);
    assert_in_range(now_ms() - start_ms, 0, 10000); /* a second, on a machine that keeps up */
    pthread_join(thread, NULL);
    CHECK_CODE(waiter.code, OS_OK, &waiter.error);
    release(waiter.lease);
    os_client_close(waiter.client);
    os_client_close(client);
}

/* L2c: its item is taken when it was seen unchanged for its own time to live. */
TEST_WITH(scratch, who_died_is_waited_out)
{
    struct waiter waiter = {.client = scratch_table_client(scratch), .deadline_ms = PATIENCE_MS, .held = EVENT_INIT};
    os_client *client = scratch_table_client(scratch);
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.ttl_s = SHORT_TTL_S;
    os_lease *lease = acquire(client, "job", &options);
    os_client_close(client); /* as if it was killed: the item stays */
    uint64_t start_ms = now_ms();
    (void)wait_for_it(&waiter);
    CHECK_CODE(waiter.code, OS_OK, &waiter.error);
    assert_in_range(now_ms() - start_ms, SHORT_TTL_S * 1000, PATIENCE_MS);
    assert_int_equal(os_lease_state(waiter.lease), OS_LEASE_HELD);
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST); /* before the other had it */
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CANCELLED, &error);
    release(waiter.lease);
    os_client_close(waiter.client);
}

TEST_WITH(scratch, who_waits_can_be_called_off_and_has_a_deadline)
{
    os_client *client = scratch_table_client(scratch);
    struct waiter waiter = {.client = scratch_table_client(scratch), .deadline_ms = 300, .held = EVENT_INIT};
    os_lease *lease = acquire(client, "job", NULL);
    (void)wait_for_it(&waiter);
    CHECK_CODE(waiter.code, OS_ERR_CONFLICT, &waiter.error);
    CHECK_SAYS(&waiter.error, "still at the deadline");
    assert_null(waiter.lease);
    waiter.deadline_ms = PATIENCE_MS;
    assert_int_equal(os_cancel_new(&waiter.cancel), OS_OK);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &waiter), 0);
    os_cancel_trigger(waiter.cancel);
    pthread_join(thread, NULL);
    CHECK_CODE(waiter.code, OS_ERR_CANCELLED, &waiter.error);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    release(lease);
    os_cancel_free(waiter.cancel);
    os_client_close(waiter.client);
    os_client_close(client);
}

struct told {
    struct event lost;
    _Atomic(os_lease_status) last;
    os_code inside;
};

static void note_change(void *context, os_lease *lease, os_lease_status status)
{
    struct told *told = context;
    atomic_store(&told->last, status);
    assert_int_equal(os_lease_state(lease), status);
    if (status != OS_LEASE_LOST)
        return;
    told->inside = os_lease_detach(lease, NULL); /* refused: it would wait for itself */
    event_set(&told->lost);
}

/* L6: the machine stood, or its clock was set: nobody knows what happened meanwhile. */
TEST_WITH(scratch, a_clock_that_jumps_over_the_end_loses_it_for_good)
{
    os_client *client = scratch_table_client(scratch);
    struct told told = {.lost = EVENT_INIT};
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.changed = note_change;
    options.context = &told;
    options.ttl_s = SHORT_TTL_S; /* the kernel's timers do not jump along */
    os_lease *lease = acquire(client, "job", &options);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    clock_jump(HOUR_MS);
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST); /* at once, whatever the loop does */
    assert_int_equal(os_lease_remaining_ms(lease), 0);
    event_wait(&told.lost);
    assert_int_equal(told.inside, OS_ERR_ARGUMENT);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "had been lost before");
    CHECK_CODE(try_once(client, "job", &error), OS_OK, &error); /* its item was dropped */
    os_client_close(client);
}

/* L6: it is final for whoever was told so, though nothing has looked after the lease in between. */
TEST_WITH(scratch, what_was_said_to_be_lost_stays_so_when_the_clock_is_set_back)
{
    os_client *client = scratch_table_client(scratch);
    struct told told = {.lost = EVENT_INIT};
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.changed = note_change;
    options.context = &told;
    options.ttl_s = 6;
    os_lease *lease = acquire(client, "job", &options);
    clock_jump(HOUR_MS);
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST);
    clock_jump(UINT64_C(0) - HOUR_MS);
    assert_int_equal(os_lease_state(lease), OS_LEASE_LOST);
    assert_int_equal(os_lease_remaining_ms(lease), 0);
    event_wait(&told.lost);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    lease = acquire(client, "job", NULL); /* its item was dropped */
    clock_jump(HOUR_MS);
    assert_int_equal(os_lease_remaining_ms(lease), 0);
    clock_jump(UINT64_C(0) - HOUR_MS);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    os_client_close(client);
}

/* L5: somebody deleted the item, so another may have held it meanwhile. */
TEST_WITH(scratch, a_lease_whose_item_is_gone_is_lost)
{
    os_client *client = scratch_table_client(scratch);
    struct told told = {.lost = EVENT_INIT};
    os_error error;
    char file[128];
    sqlite3 *db = NULL;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.changed = note_change;
    options.context = &told;
    options.ttl_s = SHORT_TTL_S;
    os_lease *lease = acquire(client, "job", &options);
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM leases", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    event_wait(&told.lost);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    os_client_close(client);
}

/* L7: somebody deleted it, and nothing has told so before the release. */
TEST_WITH(scratch, a_release_that_finds_nothing_says_so)
{
    os_client *client = scratch_table_client(scratch);
    os_error error;
    char file[128];
    sqlite3 *db = NULL;
    os_lease *lease = acquire(client, "job", NULL);
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM leases", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    CHECK_CODE(os_lease_release(lease, NULL, &error), OS_ERR_CONFLICT, &error);
    os_client_close(client);
}

TEST_WITH(scratch, bad_arguments_are_refused_before_anything_is_sent)
{
    os_client *client = scratch_table_client(scratch);
    os_lease *lease = NULL;
    os_error error;
    char longest[1030];
    memset(longest, 'n', sizeof(longest));
    longest[1024] = '\0';
    CHECK_CODE(try_once(client, longest, &error), OS_OK, &error);
    longest[1024] = 'n';
    longest[1025] = '\0';
    const char *const names[] = {NULL, "", longest, "\xff", "job#fencing-epoch"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        os_lease_info info = OS_LEASE_INFO_INIT;
        CHECK_CODE(try_once(client, names[i], &error), OS_ERR_ARGUMENT, &error);
        CHECK_CODE(os_lease_read(client, names[i], NULL, &info, &error), OS_ERR_ARGUMENT, &error);
    }
    const uint64_t times_s[] = {1, 86401};
    for (size_t i = 0; i < 2; i++) {
        os_lease_options options = OS_LEASE_OPTIONS_INIT;
        options.ttl_s = times_s[i];
        CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_ERR_ARGUMENT, &error);
    }
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.owner = longest;
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_ERR_ARGUMENT, &error);
    options.size = 1;
    CHECK_CODE(os_lease_acquire(client, "job", &options, NULL, &lease, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_acquire(client, "job", NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_read(client, "job", NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_lease_release(NULL, NULL, &error), OS_OK, &error);
    os_call bad = {.size = 1};
    lease = acquire(client, "job", NULL);
    CHECK_CODE(os_lease_release(lease, &bad, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD); /* refused: it is the caller's still */
    release(lease);
    assert_int_equal(os_lease_state(NULL), OS_LEASE_LOST);
    assert_int_equal(os_lease_remaining_ms(NULL), 0);
    assert_int_equal(os_lease_token(NULL), 0);
    os_client_close(client);
}

static void execute(const struct scratch *scratch, const char *sql)
{
    char file[128];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The file is of the version that it was, so that earlier releases go on with it; and what is there is not used blindly. */
TEST_WITH(scratch, a_table_of_leases_that_is_anothers_is_refused)
{
    os_client *client = scratch_table_client(scratch);
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error;
    execute(scratch, "CREATE TABLE leases (key TEXT PRIMARY KEY, version TEXT CHECK (version = 'x'))");
    CHECK_CODE(try_once(client, "job", &error), OS_ERR_TABLE, &error);
    CHECK_SAYS(&error, "a table \"leases\" that oscommit did not make");
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_ERR_TABLE, &error);
    execute(scratch, "DROP TABLE leases");
    CHECK_CODE(os_lease_read(client, "job", NULL, &info, &error), OS_OK, &error);
    assert_int_equal(info.held, 0);
    CHECK_CODE(try_once(client, "job", &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, a_forked_child_holds_nothing)
{
    os_client *client = scratch_table_client(scratch);
    os_error error;
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    options.fencing = 1;
    os_lease *lease = acquire(client, "job", &options);
    pid_t child = fork();
    if (child == 0) {
        bool nothing = os_lease_state(lease) == OS_LEASE_LOST && os_lease_remaining_ms(lease) == 0 &&
                       os_lease_token(lease) == 0 && os_lease_release(lease, NULL, &error) == OS_ERR_ARGUMENT;
        _exit(nothing ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(os_lease_state(lease), OS_LEASE_HELD);
    release(lease);
    os_client_close(client);
}

/* It is for leases alone. */
TEST_WITH(scratch, a_client_without_a_store_says_so)
{
    os_client *client = scratch_table_client(scratch);
    os_error error;
    os_object object = OS_OBJECT_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    CHECK_CODE(os_head(client, "key", NULL, &object, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "store_url is missing");
    assert_int_equal(os_put_if_absent(client, "key", &body, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_CONFIG, &error);
    CHECK_CODE(os_client_warm(client, 0, NULL, &error), OS_ERR_CONFIG, &error);
    os_client_close(client);
}

/* In a file it is the same as that of the records. */
TEST_WITH(scratch, the_table_is_made_and_checked)
{
    char file[128];
    os_error error;
    snprintf(file, sizeof(file), "%s/leases.db", scratch->folder);
    os_client *client = scratch_table_client_of(file);
    CHECK_CODE(os_lease_table_check(client, NULL, &error), OS_ERR_NO_TABLE, &error);
    CHECK_CODE(try_once(client, "job", &error), OS_ERR_NO_TABLE, &error);
    CHECK_CODE(os_lease_table_create(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lease_table_create(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(os_lease_table_check(client, NULL, &error), OS_OK, &error);
    CHECK_CODE(try_once(client, "job", &error), OS_OK, &error);
    os_call call = OS_CALL_INIT;
    assert_int_equal(os_cancel_new(&call.cancel), OS_OK);
    os_cancel_trigger(call.cancel);
    CHECK_CODE(os_lease_table_check(client, &call, &error), OS_ERR_CANCELLED, &error);
    os_cancel_free(call.cancel);
    os_client_close(client);
}
