/* SPDX-License-Identifier: Apache-2.0 */
/* An embedded store whose databases another program keeps locked: a call ends at its deadline, or when it is cancelled,
 * with what is true, and goes through when the lock is let go. The same of what keeps the store itself busy for long.
 */
#include "support/event.h"
#include "unit/api/client_scratch.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEADLINE_MS = 300, AT_MOST_MS = 30000, LONG_MS = 90000 };

/* Signatures are short, so that what is unknown is settled soon. */
static os_client *client_of(const struct scratch *scratch, struct event *looked, os_metric_fn metric)
{
    os_options options = OS_OPTIONS_INIT;
    options.length_s = 1;
    options.timeout_ms = 500;
    options.max_clock_skew_rate = 2;
    options.metric = metric;
    options.metric_context = looked;
    return scratch_client(scratch, &options);
}

/* Also those who only read: nobody else may have the file open. */
static const char alone[] = "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE";
static const char against_writers[] = SCRATCH_AGAINST_WRITERS;

struct guarded_put {
    os_client *client;
    os_call call;
    os_verdict verdict;
    os_result result;
    os_error error;
    uint64_t took_ms;
    atomic_bool done;
};

static void *run_guarded_put(void *argument)
{
    struct guarded_put *put = argument;
    os_body body = OS_BODY_MEMORY("new", 3);
    uint64_t start_ms = now_ms();
    put->verdict = os_put_if_absent(put->client, "k", &body, NULL, &put->call, &put->result, &put->error);
    put->took_ms = now_ms() - start_ms;
    atomic_store(&put->done, true);
    return NULL;
}

static void prepare_put(struct guarded_put *put, os_client *client, uint64_t deadline_ms)
{
    memset(put, 0, sizeof(*put));
    put->client = client;
    put->call = (os_call)OS_CALL_INIT;
    put->call.deadline_ms = deadline_ms;
    put->result = (os_result)OS_RESULT_INIT;
}

static void check_absent(os_client *client)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, "k", NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
}

/* What was unknown while the lock was held is known when it is not. */
static void check_nothing_was_written(struct guarded_put *put)
{
    os_error error;
    check_absent(put->client);
    if (put->verdict == OS_UNKNOWN) {
        os_verdict verdict = os_resolve(put->client, put->result.ticket, NULL, NULL, &error);
        assert_int_equal(verdict, OS_NOT_EXECUTED);
    } else {
        assert_int_equal(put->verdict, OS_NOT_EXECUTED);
    }
    assert_int_not_equal(put->error.code, OS_OK);
    assert_true(put->error.message[0] != '\0');
    check_absent(put->client);
    os_result_clear(&put->result);
}

static void check_deadline(const struct scratch *scratch, const char *name, const char *sql)
{
    struct guarded_put put;
    os_client *client = client_of(scratch, NULL, NULL);
    sqlite3 *db = scratch_lock_file(scratch, name, sql);
    prepare_put(&put, client, DEADLINE_MS);
    run_guarded_put(&put);
    assert_in_range(put.took_ms, 0, AT_MOST_MS);
    scratch_unlock_file(db);
    check_nothing_was_written(&put);
    os_client_close(client);
}

TEST_WITH(scratch, a_locked_ledger_ends_a_guarded_call_at_its_deadline)
{
    check_deadline(scratch, "ledger.db", against_writers);
}

/* The client opens it with the first call. */
TEST_WITH(scratch, a_ledger_that_cannot_be_opened_ends_a_guarded_call_at_its_deadline)
{
    check_deadline(scratch, "ledger.db", alone);
}

TEST_WITH(scratch, a_locked_index_ends_a_guarded_call_at_its_deadline)
{
    check_deadline(scratch, "objects.db", against_writers);
}

TEST_WITH(scratch, a_locked_index_ends_a_plain_put_at_its_deadline_and_nothing_is_written)
{
    os_client *client = client_of(scratch, NULL, NULL);
    sqlite3 *db = scratch_lock_file(scratch, "objects.db", against_writers);
    os_body body = OS_BODY_MEMORY("new", 3);
    os_call call = OS_CALL_INIT;
    os_error error;
    call.deadline_ms = DEADLINE_MS;
    uint64_t start_ms = now_ms();
    os_code code = os_put(client, "k", &body, NULL, &call, NULL, &error);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    assert_int_not_equal(code, OS_OK);
    assert_int_equal(error.code, code);
    scratch_unlock_file(db);
    check_absent(client);
    os_client_close(client);
}

TEST_WITH(scratch, a_locked_ledger_ends_the_making_of_a_table_at_its_deadline)
{
    os_client *client = client_of(scratch, NULL, NULL);
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", alone);
    os_call call = OS_CALL_INIT;
    os_error error;
    call.deadline_ms = DEADLINE_MS;
    uint64_t start_ms = now_ms();
    assert_int_not_equal(os_table_create(client, &call, &error), OS_OK);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    assert_true(error.message[0] != '\0');
    scratch_unlock_file(db);
    call.deadline_ms = LONG_MS;
    CHECK_CODE(os_table_create(client, &call, &error), OS_OK, &error);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ meanwhile */

static const char *temporary_files(const struct scratch *scratch, char ret[160])
{
    snprintf(ret, 160, "%s/.oscommit/tmp", scratch->root);
    return ret;
}

/* A write of the index comes after the temporary file, whose name stands in it. */
static void wait_for_temporary_file(const struct scratch *scratch)
{
    char path[160];
    assert_true(folder_gets_a_file(temporary_files(scratch, path)));
}

TEST_WITH(scratch, a_call_goes_through_when_the_index_is_let_go_in_time)
{
    struct guarded_put put;
    pthread_t thread;
    os_client *client = client_of(scratch, NULL, NULL);
    sqlite3 *db = scratch_lock_file(scratch, "objects.db", against_writers);
    prepare_put(&put, client, LONG_MS);
    assert_int_equal(pthread_create(&thread, NULL, run_guarded_put, &put), 0);
    wait_for_temporary_file(scratch);
    assert_false(atomic_load(&put.done));
    scratch_unlock_file(db);
    pthread_join(thread, NULL);
    assert_int_equal(put.verdict, OS_COMMITTED);
    assert_in_range(put.took_ms, 0, LONG_MS / 2);
    os_result_clear(&put.result);
    os_client_close(client);
}

static void note_head(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "HEAD") == 0)
        event_set(context);
}

TEST_WITH(scratch, a_call_goes_through_when_the_ledger_is_let_go_in_time)
{
    struct guarded_put put;
    pthread_t thread;
    struct event looked = EVENT_INIT; /* the record is asked for at the same time (R3) */
    os_client *client = client_of(scratch, &looked, note_head);
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", against_writers);
    prepare_put(&put, client, LONG_MS);
    assert_int_equal(pthread_create(&thread, NULL, run_guarded_put, &put), 0);
    assert_true(event_reaches(&looked, 1));
    assert_false(atomic_load(&put.done));
    scratch_unlock_file(db);
    pthread_join(thread, NULL);
    assert_int_equal(put.verdict, OS_COMMITTED);
    assert_in_range(put.took_ms, 0, LONG_MS / 2);
    os_result_clear(&put.result);
    os_client_close(client);
}

TEST_WITH(scratch, a_cancelled_call_does_not_wait_for_the_index)
{
    struct guarded_put put;
    pthread_t thread;
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    os_client *client = client_of(scratch, NULL, NULL);
    sqlite3 *db = scratch_lock_file(scratch, "objects.db", against_writers);
    prepare_put(&put, client, LONG_MS);
    put.call.cancel = cancel;
    assert_int_equal(pthread_create(&thread, NULL, run_guarded_put, &put), 0);
    wait_for_temporary_file(scratch);
    uint64_t start_ms = now_ms();
    os_cancel_trigger(cancel);
    pthread_join(thread, NULL);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    scratch_unlock_file(db);
    check_nothing_was_written(&put);
    os_client_close(client);
    os_cancel_free(cancel);
}

/* ------------------------------------------------------------------------------------------------ its own work */

/* Holes, which take no room, but minutes to be read and digested. */
static void make_huge_file(const char *path, off_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, length), 0);
    assert_int_equal(close(fd), 0);
}

TEST_WITH(scratch, a_huge_file_without_an_etag_does_not_keep_a_head_beyond_its_deadline)
{
    os_client *client = client_of(scratch, NULL, NULL);
    os_object object = OS_OBJECT_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    char path[160];
    snprintf(path, sizeof(path), "%s/k", scratch->root);
    make_huge_file(path, (off_t)64 << 30);
    call.deadline_ms = DEADLINE_MS;
    uint64_t start_ms = now_ms();
    CHECK_CODE(os_head(client, "k", &call, &object, &error), OS_ERR_DEADLINE, &error);
    os_client_close(client);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
}

TEST_WITH(scratch, a_huge_body_does_not_keep_a_put_beyond_its_deadline_and_nothing_is_written)
{
    os_client *client = client_of(scratch, NULL, NULL);
    os_call call = OS_CALL_INIT;
    os_error error;
    char path[160];
    snprintf(path, sizeof(path), "%s/body", scratch->folder);
    make_huge_file(path, (off_t)64 << 30);
    os_body body = OS_BODY_FILE(path);
    call.deadline_ms = DEADLINE_MS;
    uint64_t start_ms = now_ms();
    CHECK_CODE(os_put(client, "k", &body, NULL, &call, NULL, &error), OS_ERR_DEADLINE, &error);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    check_absent(client);
    char tmp[160];
    assert_false(folder_has_a_file(temporary_files(scratch, tmp)));
    os_client_close(client);
}
