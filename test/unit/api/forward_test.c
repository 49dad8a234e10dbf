/* SPDX-License-Identifier: Apache-2.0 */
/* The promise of forward-only keys in the arguments: of a call, of a client, and what it forbids (N4.4, N4.5). */
#include "unit/api/client_scratch.h"

#include <string.h>

static os_call promise(os_toggle forward_only)
{
    os_call call = OS_CALL_INIT;
    call.forward_only = forward_only;
    return call;
}

static os_verdict put_new(os_client *client, const char *key, const os_call *call, os_result *ret, os_error *err)
{
    os_body body = OS_BODY_MEMORY("text", 4);
    return os_put_if_absent(client, key, &body, NULL, call, ret, err);
}

static void check_refused(os_verdict verdict, const os_error *error, const char *words)
{
    assert_int_equal(verdict, OS_NOT_EXECUTED);
    assert_int_equal(error->code, OS_ERR_ARGUMENT);
    CHECK_SAYS(error, words);
}

static void check_what_deletes(os_client *client, const os_call *call)
{
    os_result result = OS_RESULT_INIT;
    os_error error;
    os_object object = OS_OBJECT_INIT;
    assert_int_equal(put_new(client, "entry", call, &result, &error), OS_COMMITTED);
    check_refused(os_delete_if_match(client, "entry", result.etag, call, NULL, &error), &error,
                  "delete_if_match of entry is refused");
    check_refused(os_rename_if_not_exists(client, "entry", "other", NULL, call, NULL, &error), &error,
                  "rename_if_not_exists of entry is refused");
    CHECK_CODE(os_delete(client, "entry", call, &error), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "delete of entry is refused");
    CHECK_CODE(os_head(client, "entry", NULL, &object, &error), OS_OK, &error);
}

TEST_WITH(scratch, N4_5_what_deletes_is_refused)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = scratch_client(scratch, NULL);
    const os_call call = promise(OS_ON);
    check_what_deletes(client, &call);
    os_client_close(client);
    scratch_tear_down(scratch);
    scratch_set_up(scratch);
    options.forward_only = OS_ON;
    client = scratch_client(scratch, &options);
    check_what_deletes(client, NULL);
    os_client_close(client);
}

TEST_WITH(scratch, a_prefix_promises_it_of_the_keys_that_begin_so)
{
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    options.forward_only_prefix = "log/";
    os_client *client = scratch_client(scratch, &options);
    const os_call off = promise(OS_OFF);
    assert_int_equal(put_new(client, "log/1", NULL, &result, &error), OS_COMMITTED);
    check_refused(os_delete_if_match(client, "log/1", result.etag, NULL, NULL, &error), &error, "of log/1 is refused");
    check_refused(os_rename_if_not_exists(client, "log/1", "other", NULL, NULL, NULL, &error), &error,
                  "of log/1 is refused");
    CHECK_CODE(os_delete(client, "log/1", NULL, &error), OS_ERR_ARGUMENT, &error);
    assert_int_equal(put_new(client, "lo", NULL, &result, &error), OS_COMMITTED);
    assert_int_equal(os_rename_if_not_exists(client, "lo", "other", NULL, NULL, NULL, &error), OS_COMMITTED);
    CHECK_CODE(os_delete(client, "other", NULL, &error), OS_OK, &error);
    CHECK_CODE(os_delete(client, "log/1", &off, &error), OS_OK, &error);
    os_client_close(client);
}

/* As a writer of a log does, whose draft has a name of its own. */
TEST_WITH(scratch, N4_5_a_rename_goes_by_the_key_that_it_takes_away)
{
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    os_object object = OS_OBJECT_INIT;
    options.forward_only_prefix = "log/";
    os_client *client = scratch_client(scratch, &options);
    assert_int_equal(put_new(client, "draft", NULL, NULL, &error), OS_COMMITTED);
    assert_int_equal(os_rename_if_not_exists(client, "draft", "log/1", NULL, NULL, NULL, &error), OS_COMMITTED);
    CHECK_CODE(error.code, OS_OK, &error);
    CHECK_CODE(os_head(client, "draft", NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
    check_refused(os_rename_if_not_exists(client, "log/1", "draft", NULL, NULL, NULL, &error), &error,
                  "rename_if_not_exists of log/1 is refused");
    CHECK_CODE(os_head(client, "log/1", NULL, &object, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, a_prefix_promises_it_of_writes)
{
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_body body = OS_BODY_MEMORY("text", 4);
    os_error error;
    options.forward_only_prefix = "log/";
    os_client *client = scratch_client(scratch, &options);
    assert_int_equal(put_new(client, "log/1", NULL, &result, &error), OS_COMMITTED);
    check_refused(os_put_if_match(client, "log/1", result.etag, &body, NULL, NULL, NULL, &error), &error,
                  "the bytes that are there");
    assert_int_equal(put_new(client, "lo", NULL, &result, &error), OS_COMMITTED);
    assert_int_equal(os_put_if_match(client, "lo", result.etag, &body, NULL, NULL, NULL, &error), OS_COMMITTED);
    os_client_close(client);
}

static void check_bad_prefix(const struct scratch *scratch, const char *prefix)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    options.store_url = scratch->url;
    options.forward_only_prefix = prefix;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "forward_only_prefix");
}

TEST_WITH(scratch, a_prefix_of_no_key_is_refused)
{
    char prefix[1026];
    memset(prefix, 'a', sizeof(prefix) - 1);
    prefix[sizeof(prefix) - 1] = '\0';
    check_bad_prefix(scratch, prefix);
    check_bad_prefix(scratch, "log\xff");
}

TEST_WITH(scratch, a_call_may_take_the_promise_of_its_client_back)
{
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    options.forward_only = OS_ON;
    os_client *client = scratch_client(scratch, &options);
    const os_call call = promise(OS_OFF);
    assert_int_equal(put_new(client, "key", NULL, &result, &error), OS_COMMITTED);
    assert_int_equal(os_delete_if_match(client, "key", result.etag, &call, NULL, &error), OS_COMMITTED);
    assert_int_equal(put_new(client, "key", NULL, &result, &error), OS_COMMITTED);
    CHECK_CODE(os_delete(client, "key", &call, &error), OS_OK, &error);
    os_client_close(client);
}

TEST_WITH(scratch, N4_4_the_same_bytes_are_refused)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_body body = OS_BODY_MEMORY("text", 4);
    os_error error;
    char etag[sizeof(result.etag)];
    const os_call call = promise(OS_ON);
    assert_int_equal(put_new(client, "key", &call, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    check_refused(os_put_if_match(client, "key", etag, &body, NULL, &call, &result, &error), &error,
                  "the bytes that are there");
    assert_string_equal(result.rule, "N4");
    assert_int_equal(os_put_if_match(client, "key", etag, &body, NULL, NULL, NULL, &error), OS_COMMITTED);
    os_client_close(client);
}

TEST_WITH(scratch, N4_4_a_source_with_the_same_bytes_is_refused)
{
    os_client *client = scratch_client(scratch, NULL);
    os_result result = OS_RESULT_INIT;
    os_error error;
    char etag[sizeof(result.etag)];
    const os_call call = promise(OS_ON);
    assert_int_equal(put_new(client, "source", NULL, &result, &error), OS_COMMITTED);
    assert_int_equal(os_copy_if_not_exists(client, "source", "key", NULL, &call, &result, &error), OS_COMMITTED);
    memcpy(etag, result.etag, sizeof(etag));
    check_refused(os_copy_if_match(client, "source", "key", etag, NULL, &call, &result, &error), &error,
                  "the bytes that are there");
    assert_string_equal(result.rule, "N4");
    os_client_close(client);
}

TEST_WITH(scratch, a_value_that_is_none_is_refused)
{
    os_client *client = scratch_client(scratch, NULL);
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    const os_call call = promise((os_toggle)3);
    check_refused(put_new(client, "key", &call, NULL, &error), &error, "forward_only");
    os_client_close(client);
    options.store_url = scratch->url;
    options.forward_only = (os_toggle)3;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_ERR_CONFIG, &error);
    CHECK_SAYS(&error, "forward_only");
}
