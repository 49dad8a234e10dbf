/* SPDX-License-Identifier: Apache-2.0 */
/* L10 by the public functions, on the embedded store: who was overtaken by another holder cannot write any more. */
#include "unit/api/client_scratch.h"

#include "oscommit_lease.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static os_verdict write_with(os_client *client, const char *etag, uint64_t token, os_result *result, os_error *error)
{
    os_body body = OS_BODY_MEMORY(&token, sizeof(token));
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.fencing = token;
    os_result_clear(result);
    return etag == NULL ? os_put_if_absent(client, "manifest", &body, &options, NULL, result, error)
                        : os_put_if_match(client, "manifest", etag, &body, &options, NULL, result, error);
}

TEST_WITH(scratch, an_older_holder_cannot_write_over_a_newer_one)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    char etag[128];
    assert_int_equal(write_with(client, NULL, 5, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 7, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 6, &result, &error), OS_CONFLICT); /* it read what the other wrote */
    CHECK_CODE(error.code, OS_ERR_CONFLICT, &error);
    CHECK_SAYS(&error, "the fencing token 7, which is newer than 6");
    assert_int_equal(result.found_fencing, 7);
    assert_string_equal(result.found_etag, etag);
    assert_int_equal(write_with(client, etag, 7, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, UINT64_MAX, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, UINT64_MAX - 1, &result, &error), OS_CONFLICT);
    assert_int_equal(write_with(client, NULL, UINT64_MAX, &result, &error), OS_CONFLICT);
    CHECK_SAYS(&error, "expected nothing there");
    os_result_clear(&result);
    os_client_close(client);
}

static uint64_t shown_token(os_client *client)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, "manifest", NULL, &object, &error), OS_OK, &error);
    return object.fencing;
}

/* An older caller's struct ends before it. */
TEST_WITH(scratch, what_stands_there_shows_its_token)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_object object = OS_OBJECT_INIT;
    os_object older = {.size = offsetof(os_object, fencing), .fencing = 99};
    os_sink sink = OS_SINK_INIT;
    os_error error;
    void *data = NULL;
    size_t length = 0;
    sink.ret_data = &data;
    sink.ret_length = &length;
    assert_int_equal(write_with(client, NULL, UINT64_MAX, &result, &error), OS_COMMITTED);
    assert_true(shown_token(client) == UINT64_MAX);
    CHECK_CODE(os_get(client, "manifest", &sink, NULL, &object, &error), OS_OK, &error);
    assert_true(object.fencing == UINT64_MAX);
    os_free(data);
    CHECK_CODE(os_head(client, "manifest", NULL, &older, &error), OS_OK, &error);
    assert_string_equal(older.etag, object.etag);
    assert_int_equal(older.fencing, 99);
    os_result_clear(&result);
    os_client_close(client);
}

/* A write without one forgets it, and a copy does not take it along. */
TEST_WITH(scratch, only_who_gives_a_token_is_held_back_by_one)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    os_body body = OS_BODY_MEMORY("x", 1);
    char etag[128];
    assert_int_equal(write_with(client, NULL, 7, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    os_result_clear(&result);
    assert_int_equal(os_copy_if_not_exists(client, "manifest", "copy", NULL, NULL, &result, &error), OS_COMMITTED);
    assert_int_equal(os_delete(client, "manifest", NULL, &error), OS_OK);
    os_result_clear(&result);
    assert_int_equal(os_copy_if_not_exists(client, "copy", "manifest", NULL, NULL, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 6, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    os_result_clear(&result);
    assert_int_equal(os_put_if_match(client, "manifest", etag, &body, NULL, NULL, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(shown_token(client), 0);
    assert_int_equal(write_with(client, etag, 1, &result, &error), OS_COMMITTED);
    os_result_clear(&result);
    os_client_close(client);
}

static os_verdict copy_with(os_client *client, const char *source, const char *etag, uint64_t token, os_result *result,
                            os_error *error)
{
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.fencing = token;
    os_result_clear(result);
    return etag == NULL ? os_copy_if_not_exists(client, source, "manifest", &options, NULL, result, error)
                        : os_copy_if_match(client, source, "manifest", etag, &options, NULL, result, error);
}

/* "source" has the token 99, which counts for nothing. */
static void make_source(os_client *client, const char *text)
{
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_error error;
    options.fencing = 99;
    assert_int_equal(os_put_if_absent(client, "source", &body, &options, NULL, NULL, &error), OS_COMMITTED);
}

TEST_WITH(scratch, a_copy_is_held_back_by_a_token_and_writes_its_own)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    char etag[128];
    make_source(client, "copied");
    assert_int_equal(write_with(client, NULL, 7, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(copy_with(client, "source", etag, 6, &result, &error), OS_CONFLICT);
    CHECK_SAYS(&error, "the fencing token 7, which is newer than 6");
    assert_int_equal(result.found_fencing, 7);
    assert_string_equal(result.found_etag, etag);
    assert_int_equal(copy_with(client, "source", NULL, 6, &result, &error), OS_CONFLICT);
    assert_int_equal(copy_with(client, "source", etag, 8, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 7, &result, &error), OS_CONFLICT);
    assert_int_equal(result.found_fencing, 8);
    assert_int_equal(write_with(client, etag, 8, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(copy_with(client, "source", etag, 0, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 1, &result, &error), OS_COMMITTED); /* L10.3 */
    os_result_clear(&result);
    os_client_close(client);
}

static void check_token_of_manifest(os_client *client, const char *etag, uint64_t token)
{
    os_result result = OS_RESULT_INIT;
    os_error error;
    assert_int_equal(write_with(client, etag, token - 1, &result, &error), OS_CONFLICT);
    assert_int_equal(result.found_fencing, token);
    assert_int_equal(write_with(client, etag, token, &result, &error), OS_COMMITTED);
    os_result_clear(&result);
}

TEST_WITH(scratch, what_a_copy_creates_has_its_token)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    make_source(client, "copied");
    assert_int_equal(copy_with(client, "source", NULL, 5, &result, &error), OS_COMMITTED);
    check_token_of_manifest(client, result.etag, 5);
    os_result_clear(&result);
    os_client_close(client);
}

/* The source goes, whatever its own token is. */
TEST_WITH(scratch, what_a_rename_creates_has_its_token)
{
    os_client *client = scratch_client(scratch, NULL);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error error;
    options.fencing = 5;
    make_source(client, "renamed");
    assert_int_equal(os_rename_if_not_exists(client, "source", "manifest", &options, NULL, &result, &error),
                     OS_COMMITTED);
    CHECK_CODE(error.code, OS_OK, &error);
    check_token_of_manifest(client, result.etag, 5);
    CHECK_CODE(os_head(client, "source", NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
    os_result_clear(&result);
    os_client_close(client);
}

/* It goes in parts, and its token with it. */
TEST_WITH(scratch, a_large_object_keeps_its_token)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    enum { LENGTH = 9 << 20 };
    char *bytes = calloc(1, LENGTH);
    assert_non_null(bytes);
    os_body body = OS_BODY_MEMORY(bytes, LENGTH);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.fencing = 7;
    assert_int_equal(os_put_if_absent(client, "manifest", &body, &options, NULL, &result, &error), OS_COMMITTED);
    char etag[128];
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, 6, &result, &error), OS_CONFLICT);
    assert_int_equal(result.found_fencing, 7);
    assert_int_equal(write_with(client, etag, 7, &result, &error), OS_COMMITTED);
    os_result_clear(&result);
    free(bytes);
    os_client_close(client);
}

static int count_up(void *context, const os_current *current, os_body *ret)
{
    int *rounds = context;
    (void)current;
    ++*rounds;
    *ret = (os_body)OS_BODY_MEMORY("updated", 7);
    return 0;
}

TEST_WITH(scratch, an_update_ends_where_a_newer_holder_has_written)
{
    os_client *client = scratch_client(scratch, NULL);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_update_options update = OS_UPDATE_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    int rounds = 0;
    assert_int_equal(write_with(client, NULL, 7, &result, &error), OS_COMMITTED);
    os_result_clear(&result);
    update.put = &options;
    options.fencing = 6;
    assert_int_equal(os_update(client, "manifest", count_up, &rounds, &update, NULL, &result, &error), OS_CONFLICT);
    CHECK_SAYS(&error, "the fencing token 7");
    assert_int_equal(rounds, 1);
    os_result_clear(&result);
    options.fencing = 8;
    assert_int_equal(os_update(client, "manifest", count_up, &rounds, &update, NULL, &result, &error), OS_COMMITTED);
    os_result_clear(&result);
    os_client_close(client);
}

TEST_WITH(scratch, a_put_without_a_condition_takes_no_token)
{
    os_client *client = scratch_client(scratch, NULL);
    os_error error;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.fencing = 5;
    CHECK_CODE(os_put(client, "key", &body, &options, NULL, NULL, &error), OS_ERR_ARGUMENT, &error);
    const os_metadata own = {"oscommit-fencing", "99"};
    options = (os_put_options)OS_PUT_OPTIONS_INIT;
    options.metadata = &own;
    options.metadata_count = 1;
    os_result result = OS_RESULT_INIT;
    assert_int_equal(os_put_if_absent(client, "key", &body, &options, NULL, &result, &error), OS_NOT_EXECUTED);
    CHECK_SAYS(&error, "reserved");
    os_result_clear(&result);
    os_client_close(client);
}

/* The pipeline: two holders of a lease, one after the other, and the first wakes up late. */
TEST_WITH(scratch, the_tokens_of_a_lease_hold_a_late_holder_back)
{
    os_client *client = scratch_client(scratch, NULL);
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    uint64_t tokens[2];
    options.fencing = 1;
    for (int i = 0; i < 2; i++) {
        os_lease *lease = NULL;
        CHECK_CODE(os_lease_acquire(client, "compaction", &options, NULL, &lease, &error), OS_OK, &error);
        tokens[i] = os_lease_token(lease);
        CHECK_CODE(os_lease_release(lease, NULL, &error), OS_OK, &error);
    }
    assert_int_equal(write_with(client, NULL, tokens[1], &result, &error), OS_COMMITTED);
    char etag[128];
    memcpy(etag, result.etag, sizeof(etag));
    assert_int_equal(write_with(client, etag, tokens[0], &result, &error), OS_CONFLICT);
    os_result_clear(&result);
    os_client_close(client);
}
