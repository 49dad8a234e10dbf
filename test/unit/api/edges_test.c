/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions of an embedded client at the edges of their arguments and of their time. */
#include "client/ticket.h"
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

TEST_WITH(scratch, a_ticket_does_not_lead_out_of_the_store)
{
    static const char *const keys[] = {"", "../ledger", "/etc/passwd", ".oscommit/ledger.db", "a//b"};
    os_client *client = scratch_client(scratch, NULL);
    char ledger[300];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", scratch->root);
    const struct ticket_place place = {.part = {"file", scratch->root, "", "", "sqlite", ledger, "", "", ""}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct guard_ticket ticket = {
            .operation = GUARD_PUT,
            .expected_etag = "*",
            .record = {.generation = 1, .ttl_s = 601, .nonce = "0123456789abcdef0123456789abcdef"},
            .d0_s = 1};
        char *text = ticket_write(&place, keys[i], NULL, &ticket);
        os_error error = {0};
        assert_int_equal(os_resolve(client, text, NULL, NULL, &error), OS_UNKNOWN);
        assert_int_equal(error.code, OS_ERR_ARGUMENT);
        assert_null(strstr(error.message, "icket")); /* it is the key that is wrong */
        free(text);
    }
    os_client_close(client);
}

static int take_none(void *context, const os_object *object)
{
    (void)context;
    (void)object;
    return 1;
}

static int count_object(void *context, const os_object *object)
{
    (void)object;
    ++*(int *)context;
    return 0;
}

TEST_WITH(scratch, a_list_needs_a_function_and_stops_when_it_says_so)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error = {0};
    int count = 0;
    CHECK_CODE(os_list(client, NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    CHECK_CODE(os_table_list(client, NULL, NULL, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    for (int i = 0; i < 3; i++) {
        char key[16];
        os_body body = OS_BODY_MEMORY("x", 1);
        snprintf(key, sizeof(key), "k%d", i);
        CHECK_CODE(os_put(client, key, &body, NULL, NULL, NULL, &error), OS_OK, &error);
    }
    CHECK_CODE(os_list(client, NULL, NULL, take_none, NULL, &error), OS_ERR_STOPPED, &error);
    os_list_options options = OS_LIST_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    options.max_keys = 2;
    call.deadline_ms = UINT64_MAX;
    CHECK_CODE(os_list(client, &options, &call, count_object, &count, &error), OS_OK, &error);
    assert_int_equal(count, 2);
    os_client_close(client);
}

TEST_WITH(scratch, a_rename_deletes_the_version_that_it_copied)
{
    os_client *client = scratch_client(scratch, NULL);
    os_body body = OS_BODY_MEMORY("moved", 5);
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    CHECK_CODE(os_put(client, "from", &body, NULL, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(os_rename_if_not_exists(client, "from", "to", NULL, NULL, &result, &error), OS_COMMITTED);
    CHECK_CODE(error.code, OS_OK, &error);
    CHECK_CODE(os_head(client, "from", NULL, NULL, &error), OS_ERR_NOT_FOUND, &error);
    CHECK_CODE(os_head(client, "to", NULL, NULL, &error), OS_OK, &error);
    os_result_clear(&result);
    assert_int_equal(os_rename_if_not_exists(client, "from", "else", NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_SOURCE, &error);
    os_client_close(client);
}

TEST_WITH(scratch, a_file_that_was_fetched_has_the_mode_that_the_program_gives_new_files)
{
    os_client *client = scratch_client(scratch, NULL);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_sink sink = OS_SINK_INIT;
    os_error error = {0};
    char path[128];
    struct stat st;
    snprintf(path, sizeof(path), "%s/fetched", scratch->folder);
    sink.file = path;
    CHECK_CODE(os_put(client, "k", &body, NULL, NULL, NULL, &error), OS_OK, &error);
    mode_t before = umask(027);
    os_code code = os_get(client, "k", &sink, NULL, NULL, &error);
    umask(before);
    CHECK_CODE(code, OS_OK, &error);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ a busy ledger */

struct writer {
    os_client *client;
    os_cancel *cancel;
    os_verdict verdict;
    os_error error;
};

static void *put(void *argument)
{
    struct writer *writer = argument;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.cancel = writer->cancel;
    writer->verdict = os_put_if_absent(writer->client, "busy", &body, NULL, &call, NULL, &writer->error);
    return NULL;
}

TEST_WITH(scratch, a_call_waits_for_a_busy_ledger)
{
    struct writer writer = {.client = scratch_client(scratch, NULL)};
    pthread_t thread;
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    assert_int_equal(pthread_create(&thread, NULL, put, &writer), 0);
    struct timespec pause = {.tv_nsec = 600000000}; /* two slices of SQLite's wait */
    nanosleep(&pause, NULL);
    scratch_unlock_file(db);
    pthread_join(thread, NULL);
    assert_int_equal(writer.verdict, OS_COMMITTED);
    os_client_close(writer.client);
}

TEST_WITH(scratch, a_call_that_waits_for_a_busy_ledger_is_ended_when_it_is_cancelled)
{
    struct writer writer = {.client = scratch_client(scratch, NULL)};
    pthread_t thread;
    struct clock_reading before;
    struct clock_reading after;
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    assert_int_equal(os_cancel_new(&writer.cancel), OS_OK);
    assert_int_equal(pthread_create(&thread, NULL, put, &writer), 0);
    struct timespec pause = {.tv_nsec = 300000000}; /* so that it waits for the ledger */
    nanosleep(&pause, NULL);
    clock_read(&before);
    os_cancel_trigger(writer.cancel);
    pthread_join(thread, NULL);
    clock_read(&after);
    assert_true(clock_elapsed_max(&before, &after) < 60000); /* its deadline comes after two minutes */
    assert_int_equal(writer.verdict, OS_NOT_EXECUTED);
    CHECK_CODE(writer.error.code, OS_ERR_CANCELLED, &writer.error);
    scratch_unlock_file(db);
    os_client_close(writer.client);
    os_cancel_free(writer.cancel);
}
