/* SPDX-License-Identifier: Apache-2.0 */
/* A client of an embedded store that is used by many threads and closed at any moment. */
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

#include "unit/sqlite/records.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8 };

/* ------------------------------------------------------------------------------------------------ in peace */

struct worker {
    os_client *client;
    int number;
    int committed;
    int conflicts;
    int others;
};

static void *create_keys(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < 10; i++) {
        char key[32];
        os_body body = OS_BODY_MEMORY(&worker->number, sizeof(worker->number));
        snprintf(key, sizeof(key), "race/%d", i);
        os_verdict verdict = os_put_if_absent(worker->client, key, &body, NULL, NULL, NULL, NULL);
        worker->committed += verdict == OS_COMMITTED;
        worker->conflicts += verdict == OS_CONFLICT;
        worker->others += verdict != OS_COMMITTED && verdict != OS_CONFLICT;
        os_object object = OS_OBJECT_INIT;
        worker->others += os_head(worker->client, key, NULL, &object, NULL) != OS_OK;
    }
    return NULL;
}

TEST_WITH(scratch, eight_threads_on_one_client_have_one_winner_for_each_key)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    os_client *client = scratch_client(scratch, NULL);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.client = client, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, create_keys, &workers[i]), 0);
    }
    int committed = 0;
    int conflicts = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        committed += workers[i].committed;
        conflicts += workers[i].conflicts;
        assert_int_equal(workers[i].others, 0);
    }
    assert_int_equal(committed, 10);
    assert_int_equal(conflicts, 10 * (THREADS - 1));
    os_client_close(client);
}

TEST_WITH(scratch, a_client_that_does_nothing_closes_at_once)
{
    for (int i = 0; i < 20; i++)
        os_client_close(scratch_client(scratch, NULL));
    os_client_close(NULL);
}

/* ------------------------------------------------------------------------------------------------ closed meanwhile */

/* Counts what the client has begun, so that a test closes it when all its calls are under way. */
static void count_request(void *context, const os_metric *metric)
{
    if (metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "GetItem") == 0)
        event_set(context);
}

/* A holder that never ends: its record has no fence and a lease of an hour. */
static void hold(const struct scratch *scratch, const char *key)
{
    char file[160];
    struct sqlite_tables *ledger = NULL;
    struct record record = {.generation = 1, .timeout_ms = 3600000, .ttl_s = UINT32_MAX};
    struct record_condition condition = {.kind = RECORD_IF_ABSENT};
    struct record conflict;
    os_error error = {0};
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    CHECK_CODE(sqlite_tables_open(file, NULL, &ledger, &error), OS_OK, &error);
    assert_int_equal(
        records_put(
            ledger,
            &(struct record_row){
                .path = key, .etag = "*", .record = &record, .condition = &condition, .now_s = (int64_t)time(NULL)},
            sqlite_patience_ms(60000), &conflict, NULL, &error),
        TABLE_OK);
    sqlite_tables_close(ledger);
}

struct caller {
    os_client *client;
    os_cancel *cancel;
    char key[32];
    os_verdict verdict;
    os_error error;
};

static void *wait_for_holder(void *argument)
{
    struct caller *caller = argument;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = UINT64_MAX; /* as good as none */
    call.cancel = caller->cancel;
    caller->verdict = os_put_if_absent(caller->client, caller->key, &body, NULL, &call, NULL, &caller->error);
    return NULL;
}

struct contest {
    struct event begun;
    os_client *client;
    struct caller callers[THREADS];
    pthread_t threads[THREADS];
};

/* All threads wait for the record of one holder, polling. */
static void contest_start(struct contest *contest, const struct scratch *scratch, os_cancel *cancel)
{
    *contest = (struct contest){.begun = EVENT_INIT};
    os_options options = OS_OPTIONS_INIT;
    options.metric = count_request;
    options.metric_context = &contest->begun;
    contest->client = scratch_client(scratch, &options);
    for (int i = 0; i < THREADS; i++) {
        struct caller *caller = &contest->callers[i];
        *caller = (struct caller){.client = contest->client, .cancel = cancel};
        snprintf(caller->key, sizeof(caller->key), "held/%d", i % 2);
        assert_int_equal(pthread_create(&contest->threads[i], NULL, wait_for_holder, caller), 0);
    }
    assert_true(event_reaches(&contest->begun, 2 * THREADS));
}

static void contest_check_cancelled(struct contest *contest)
{
    for (int i = 0; i < THREADS; i++) {
        struct caller *caller = &contest->callers[i];
        pthread_join(contest->threads[i], NULL);
        assert_int_equal(caller->verdict, OS_NOT_EXECUTED);
        assert_int_equal(caller->error.code, OS_ERR_CANCELLED);
        CHECK_SAYS(&caller->error, caller->key);
    }
}

TEST_WITH(scratch, closing_a_client_ends_the_calls_that_wait_and_frees_it_after_them)
{
    hold(scratch, "held/0");
    hold(scratch, "held/1");
    for (int round = 0; round < 5; round++) {
        struct contest contest;
        contest_start(&contest, scratch, NULL);
        os_client_close(contest.client);
        contest_check_cancelled(&contest);
    }
}

TEST_WITH(scratch, one_token_ends_calls_of_eight_threads)
{
    hold(scratch, "held/0");
    hold(scratch, "held/1");
    os_cancel *cancel = NULL;
    struct contest contest;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    contest_start(&contest, scratch, cancel);
    os_cancel_trigger(cancel);
    contest_check_cancelled(&contest);
    os_client_close(contest.client);
    os_cancel_free(cancel);
}

/* ------------------------------------------------------------------------------------------------ plain calls */

enum { LARGE = 8 << 20 };

struct reader {
    os_client *client;
    struct event inside;
    os_cancel *cancel;
    int pieces;
    os_code code;
    os_error error;
};

static int hold_reader(void *context, const void *data, size_t length)
{
    struct reader *reader = context;
    (void)data;
    (void)length;
    if (reader->pieces++ == 0)
        event_set(&reader->inside);
    usleep(200000); /* a slow taker: the whole object would keep it for half a minute */
    return 0;
}

static void *read_large(void *argument)
{
    struct reader *reader = argument;
    os_sink sink = OS_SINK_INIT;
    os_call call = OS_CALL_INIT;
    sink.write = hold_reader;
    sink.write_context = reader;
    call.cancel = reader->cancel;
    reader->code = os_get(reader->client, "large", &sink, &call, NULL, &reader->error);
    return NULL;
}

static void put_large(os_client *client)
{
    os_error error = {0};
    char *data = calloc(1, LARGE);
    os_body body = OS_BODY_MEMORY(data, LARGE);
    assert_non_null(data);
    CHECK_CODE(os_put(client, "large", &body, NULL, NULL, NULL, &error), OS_OK, &error);
    free(data);
}

static void *close_it(void *argument)
{
    os_client_close(argument);
    return NULL;
}

/* Without having had to take the rest. */
static void check_read_ends(struct reader *reader, pthread_t thread)
{
    pthread_join(thread, NULL);
    CHECK_CODE(reader->code, OS_ERR_CANCELLED, &reader->error);
}

TEST_WITH(scratch, a_read_of_a_large_object_stops_between_two_pieces_when_it_is_cancelled)
{
    struct reader reader = {.inside = EVENT_INIT};
    pthread_t thread;
    reader.client = scratch_client(scratch, NULL);
    put_large(reader.client);
    assert_int_equal(os_cancel_new(&reader.cancel), OS_OK);
    assert_int_equal(pthread_create(&thread, NULL, read_large, &reader), 0);
    event_wait(&reader.inside);
    os_cancel_trigger(reader.cancel);
    check_read_ends(&reader, thread);
    os_client_close(reader.client);
    os_cancel_free(reader.cancel);
}

TEST_WITH(scratch, closing_a_client_ends_a_plain_call)
{
    struct reader reader = {.inside = EVENT_INIT};
    pthread_t thread;
    pthread_t closer;
    reader.client = scratch_client(scratch, NULL);
    put_large(reader.client);
    assert_int_equal(pthread_create(&thread, NULL, read_large, &reader), 0);
    event_wait(&reader.inside);
    assert_int_equal(pthread_create(&closer, NULL, close_it, reader.client), 0);
    check_read_ends(&reader, thread);
    pthread_join(closer, NULL);
}
