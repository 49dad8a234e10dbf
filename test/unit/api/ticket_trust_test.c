/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R17 at work: what a ticket says of a write in parts, and what is stored of it. The store of the test ages by more
 * than any attempt lives when the first Complete comes; what was not answered is dead at once.
 */
#include "commit/record.h"
#include "unit/api/client_scratch.h"
#include "unit/api/upload_store.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct doubt {
    const struct scratch *scratch;
    struct upload_store store;
    os_client *client;
    os_cancel *cancel;
    char *ticket;
    os_result result;
    os_error error;
};

/* A create in parts that was cancelled when its Complete had been sent. */
static void doubt_open(struct doubt *ret, const struct scratch *scratch, const struct upload_script *script)
{
    char profile[SCRATCH_PATH_SIZE];
    os_options options = OS_OPTIONS_INIT;
    os_body body = OS_BODY_MEMORY("two", 3);
    os_call call = OS_CALL_INIT;
    memset(ret, 0, sizeof(*ret));
    ret->scratch = scratch;
    ret->result = (os_result)OS_RESULT_INIT;
    assert_int_equal(os_cancel_new(&ret->cancel), OS_OK);
    upload_store_start(&ret->store, script, ret->cancel);
    options.fences = OS_ON;
    options.stage_above = 1;
    scratch_write_profile(scratch, SCRATCH_NATIVE_COMPLETE, profile);
    options.store_profile = script->native ? profile : NULL;
    ret->client = scratch_s3_client(scratch, http_server_host(ret->store.server), &options);
    call.cancel = ret->cancel;
    os_verdict verdict = os_put_if_absent(ret->client, "key", &body, NULL, &call, &ret->result, &ret->error);
    if (verdict != OS_UNKNOWN)
        fail_msg("%s: %s", os_verdict_name(verdict), ret->error.message);
    assert_int_equal(ret->result.guard, script->native ? OS_GUARD_NATIVE : OS_GUARD_RECORD);
    ret->ticket = strdup(ret->result.ticket);
    assert_non_null(ret->ticket);
    os_result_clear(&ret->result);
}

static void sql(const struct scratch *scratch, const char *statement)
{
    char path[160];
    sqlite3 *db;
    snprintf(path, sizeof(path), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    assert_int_equal(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void doubt_close(struct doubt *doubt)
{
    os_result_clear(&doubt->result);
    os_client_close(doubt->client);
    upload_store_stop(&doubt->store);
    os_cancel_free(doubt->cancel);
    free(doubt->ticket);
    sql(doubt->scratch, "DELETE FROM records");
}

static os_verdict settle(struct doubt *doubt, const char *ticket, bool vouched)
{
    os_call call = OS_CALL_INIT;
    os_resolve_options options = OS_RESOLVE_OPTIONS_INIT;
    call.deadline_ms = 20000;
    options.abort_upload = vouched;
    os_result_clear(&doubt->result);
    return os_settle(doubt->client, ticket, &options, &call, &doubt->result, &doubt->error);
}

/* Another ticket, in which some values are JSON that is given by name and value. */
static char *changed(const char *ticket, const char *const *names_and_values)
{
    json_t *object = json_loads(ticket, 0, NULL);
    assert_non_null(object);
    for (size_t i = 0; names_and_values[i]; i += 2)
        json_object_set_new(object, names_and_values[i], json_loads(names_and_values[i + 1], JSON_DECODE_ANY, NULL));
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    assert_non_null(text);
    return text;
}

static void check_left_alone(struct doubt *doubt, os_verdict verdict)
{
    struct upload_store_seen seen = upload_store_seen(&doubt->store);
    assert_int_equal(verdict, OS_UNKNOWN);
    assert_true(seen.open);
    assert_int_equal(seen.aborts, 0);
    assert_false(doubt->result.final);
    assert_int_equal(doubt->result.ask_again_ms, 0); /* by waiting it does not become certain */
    assert_string_equal(doubt->result.found_etag, "");
}

static void check_settled(struct doubt *doubt, os_verdict verdict, unsigned aborts)
{
    struct upload_store_seen seen = upload_store_seen(&doubt->store);
    if (verdict != OS_NOT_EXECUTED)
        fail_msg("%s: %s", os_verdict_name(verdict), doubt->error.message);
    assert_false(seen.open);
    assert_int_equal(seen.aborts, aborts);
    assert_true(doubt->result.final);
}

/* ------------------------------------------------------------------------------------------------ without a record */

TEST_WITH(scratch, the_upload_of_a_native_ticket_is_left_alone_until_its_owner_vouches)
{
    const struct upload_script script = {.native = true};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    check_left_alone(&doubt, settle(&doubt, doubt.ticket, false));
    CHECK_SAYS(&doubt.error, "--abort-upload");
    assert_non_null(doubt.result.ticket);
    check_settled(&doubt, settle(&doubt, doubt.ticket, true), 1);
    doubt_close(&doubt);
}

/* Nothing is left to be aborted. */
TEST_WITH(scratch, an_upload_that_is_gone_needs_nobody_to_vouch)
{
    const struct upload_script script = {.closed = true};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    sql(scratch, "DELETE FROM records");
    check_settled(&doubt, settle(&doubt, doubt.ticket, false), 0);
    doubt_close(&doubt);
}

TEST_WITH(scratch, a_record_that_is_gone_speaks_for_no_upload)
{
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    sql(scratch, "DELETE FROM records");
    check_left_alone(&doubt, settle(&doubt, doubt.ticket, false));
    check_settled(&doubt, settle(&doubt, doubt.ticket, true), 1);
    doubt_close(&doubt);
}

/* ------------------------------------------------------------------------------------------------ by a record */

TEST_WITH(scratch, a_record_that_is_the_tickets_speaks_for_its_upload)
{
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    check_settled(&doubt, settle(&doubt, doubt.ticket, false), 1);
    doubt_close(&doubt);
}

/* The holder that is stored is alive; the ticket was written for its upload by somebody who read the table. */
TEST_WITH(scratch, a_live_upload_is_left_alone_whatever_the_ticket_says)
{
    static const char *const forged[][9] = {
        {"not_applied", "true"},
        {"native", "true"},
        {"generation", "\"1\""},
        {"generation", "\"1\"", "not_applied", "true"},
    };
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    sql(scratch, "UPDATE records SET fence_s = fence_s + 100000000");
    for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
        char *ticket = changed(doubt.ticket, forged[i]);
        os_verdict verdict = settle(&doubt, ticket, false);
        struct upload_store_seen seen = upload_store_seen(&doubt.store);
        assert_int_not_equal(verdict, OS_COMMITTED);
        assert_true(seen.open);
        assert_int_equal(seen.aborts, 0);
        free(ticket);
    }
    check_left_alone(&doubt, settle(&doubt, doubt.ticket, false)); /* its own fence is not the stored one */
    assert_int_equal(doubt.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&doubt.error, "contradicts the record of key");
    assert_null(doubt.result.ticket);
    doubt_close(&doubt);
}

/* The protocol knows uploads by number, and these two have one number. */
TEST_WITH(scratch, an_upload_that_has_only_the_stored_ones_number_is_left_alone)
{
    static const char *const forged[] = {"upload", "\"R5E41WUeYPD\"", NULL};
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    assert_true(record_upload_number("R5E41WUeYPD") == record_upload_number("Y5ufd5ks-mB"));
    doubt_open(&doubt, scratch, &script);
    sql(scratch, "UPDATE records SET upload = 'Y5ufd5ks-mB'");
    char *ticket = changed(doubt.ticket, forged);
    settle(&doubt, ticket, false);
    assert_int_not_equal(doubt.error.code, OS_ERR_ARGUMENT);
    assert_int_equal(upload_store_seen(&doubt.store).aborts, 0);
    free(ticket);
    doubt_close(&doubt);
}

TEST_WITH(scratch, the_upload_must_be_the_stored_one)
{
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    doubt_open(&doubt, scratch, &script);
    sql(scratch, "UPDATE records SET upload = 'another-upload'");
    check_left_alone(&doubt, settle(&doubt, doubt.ticket, false));
    assert_int_equal(doubt.error.code, OS_ERR_ARGUMENT);
    doubt_close(&doubt);
}

/* ------------------------------------------------------------------------------------------------ options */

TEST_WITH(scratch, what_the_options_ask_for_is_checked)
{
    const struct upload_script script = {.native = false};
    struct doubt doubt;
    os_resolve_options options = OS_RESOLVE_OPTIONS_INIT;
    doubt_open(&doubt, scratch, &script);
    options.key = "other";
    assert_int_equal(os_settle(doubt.client, doubt.ticket, &options, NULL, &doubt.result, &doubt.error), OS_UNKNOWN);
    assert_int_equal(doubt.error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&doubt.error, "for the object key, not for other");
    assert_int_equal(doubt.result.requests, 0);
    options.size = 4;
    assert_int_equal(os_settle(doubt.client, doubt.ticket, &options, NULL, &doubt.result, &doubt.error), OS_UNKNOWN);
    assert_int_equal(doubt.error.code, OS_ERR_ARGUMENT);
    options = (os_resolve_options)OS_RESOLVE_OPTIONS_INIT;
    options.key = "key";
    assert_int_equal(os_settle(doubt.client, doubt.ticket, &options, NULL, &doubt.result, &doubt.error),
                     OS_NOT_EXECUTED);
    doubt_close(&doubt);
}
