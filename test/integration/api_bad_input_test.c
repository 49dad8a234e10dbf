/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What callers and surroundings can get wrong, in the arguments and settings: each ends with its code and a sentence
 * that names the object and the mend. Trouble with servers and files stands in api_bad_surroundings_test.c.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ keys, ETags */

static void check_key_refused(os_client *client, const char *key, const char *part)
{
    struct outcome outcome = create(client, key, "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_ARGUMENT);
    CHECK_SAYS(&outcome.error, part);
    assert_int_equal(outcome.result.requests, 0);
    outcome_clear(&outcome);
    os_error error;
    assert_int_equal(os_head(client, key, NULL, NULL, &error), OS_ERR_ARGUMENT);
    CHECK_SAYS(&error, part);
}

SUITE_TEST(keys_that_no_store_takes_are_refused, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    char *long_key = malloc(1026);
    assert_non_null(long_key);
    memset(long_key, 'k', 1025);
    for (size_t i = 99; i < 1025; i += 100)
        long_key[i] = '/';
    long_key[1025] = '\0';
    check_key_refused(client, NULL, "key");
    check_key_refused(client, "", "key");
    check_key_refused(client, long_key, "1,024");
    check_key_refused(client, "not \xff utf-8", "UTF-8");
    if (f->store_endpoint[0] != '\0')
        check_key_refused(client, "control\x01character", "control"); /* XML 1.0 cannot list it */
    free(long_key);
}

/* No two of them are one file for a store that resolves them. */
static const char *const odd_keys[] = {"../up",     "a/../b", "c/./d", "/absolute", "e//f",
                                       "trailing/", ".",      "..",    "./here",    "double//trailing//"};

SUITE_TEST(relative_looking_keys_are_no_file_names, 0)
{
    if (f->store_endpoint[0] != '\0')
        skip(); /* the embedded store's rule */
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    for (size_t i = 0; i < sizeof(odd_keys) / sizeof(odd_keys[0]); i++)
        check_key_refused(client, odd_keys[i], odd_keys[i]);
    check_key_refused(client, ".oscommit/ledger.db", ".oscommit");
}

/* A store that does not take such a key refuses it; one that does keeps it under exactly that name. */
SUITE_TEST(relative_looking_keys_go_to_other_stores_verbatim, 0)
{
    if (f->store_endpoint[0] == '\0')
        skip();
    assert_true(fixture_proxies(f));
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 15000;
    for (size_t i = 0; i < sizeof(odd_keys) / sizeof(odd_keys[0]); i++) {
        fault_proxy_forget(f->store_proxy);
        CLEARED struct outcome outcome = create(client, odd_keys[i], "x", &call);
        char path[128];
        snprintf(path, sizeof(path), "/%s/%s", f->bucket, odd_keys[i]);
        struct fault_match verbatim = {.method = "HEAD", .path_contains = path};
        assert_true(fault_proxy_count(f->store_proxy, &verbatim) >= 1);
        if (outcome.verdict == OS_COMMITTED) {
            CHECK_OBJECT(client, odd_keys[i], "x");
        } else if (outcome.verdict == OS_UNKNOWN) { /* versitygw may hang up on such a PUT without a word: no answer */
            CHECK_SAYS(&outcome.error, "closed a kept connection before it answered");
            CHECK_SAYS(&outcome.error, odd_keys[i]);
        } else {
            CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
            CHECK_SAYS(&outcome.error, odd_keys[i]);
        }
    }
}

SUITE_TEST(weak_and_broken_etags_are_refused, 0)
{
    static const struct {
        const char *etag;
        const char *part;
    } bad[] = {{"W/\"5d41402abc4b2a76b9719d911017c592\"", "weak"},
               {"w/5d41402abc4b2a76b9719d911017c592", "weak"},
               {"", "missing"},
               {NULL, "missing"},
               {"\"half", "ETag"},
               {"two words", "ETag"},
               {"a\"b", "ETag"}};
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    put_plain(client, "etag-source", "x", NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct outcome outcomes[] = {replace(client, "some-key", bad[i].etag, "x", NULL),
                                     copy_over(client, "etag-source", "some-key", bad[i].etag, NULL),
                                     delete_version(client, "some-key", bad[i].etag, NULL)};
        for (size_t k = 0; k < 3; k++) {
            CHECK_VERDICT(outcomes[k], OS_NOT_EXECUTED);
            CHECK_ERROR(outcomes[k], OS_ERR_ARGUMENT);
            CHECK_SAYS(&outcomes[k].error, bad[i].part);
            assert_int_equal(outcomes[k].result.requests, 0);
            outcome_clear(&outcomes[k]);
        }
    }
}

SUITE_TEST(a_body_must_be_one, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_error error;
    assert_int_equal(os_put_if_absent(client, "no-body", NULL, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&error, "body");
    os_body no_data = OS_BODY_MEMORY(NULL, 5);
    assert_int_equal(os_put_if_absent(client, "no-body", &no_data, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    os_body folder = OS_BODY_FILE("/");
    assert_int_equal(os_put_if_absent(client, "no-body", &folder, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&error, "folder");
    os_body device = OS_BODY_FILE("/dev/null");
    assert_int_equal(os_put_if_absent(client, "no-body", &device, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    CHECK_SAYS(&error, "give it as a stream");
    os_body missing = OS_BODY_FILE("/nonexistent/body");
    assert_int_equal(os_put_if_absent(client, "no-body", &missing, NULL, NULL, NULL, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_IO);
    CHECK_SAYS(&error, "/nonexistent/body");
    CLEARED struct outcome same = copy(client, "one-key", "one-key", NULL);
    CHECK_VERDICT(same, OS_NOT_EXECUTED);
    CHECK_ERROR(same, OS_ERR_ARGUMENT);
    CHECK_SAYS(&same.error, "same key");
    CHECK_ABSENT(client, "no-body");
}

SUITE_TEST(a_sink_must_be_exactly_one, 0)
{
    os_options options = fixture_options(f);
    CLOSED os_client *client = fixture_client(&options);
    os_error error;
    os_sink none = OS_SINK_INIT;
    assert_int_equal(os_get(client, "key", &none, NULL, NULL, &error), OS_ERR_ARGUMENT);
    assert_int_equal(os_get(client, "key", NULL, NULL, NULL, &error), OS_ERR_ARGUMENT);
    void *data = NULL;
    size_t length = 0;
    os_sink two = OS_SINK_INIT;
    two.ret_data = &data;
    two.ret_length = &length;
    two.file = "/tmp/never-written";
    assert_int_equal(os_get(client, "key", &two, NULL, NULL, &error), OS_ERR_ARGUMENT);
}

/* ---------------------------------------------------------------------------------------------- settings */

static void check_open_refused(const os_options *options, os_code code, const char *part)
{
    os_client *client = NULL;
    os_error error;
    CHECK_CODE(os_client_open(options, &client, &error), code, &error);
    CHECK_SAYS(&error, part);
    assert_null(client);
}

SUITE_TEST(unknown_urls_are_refused, 0)
{
    static const struct {
        const char *store;
        const char *ledger;
        const char *part;
    } bad[] = {{"http://bucket", NULL, "unknown scheme"},
               {"bucket", NULL, "unknown scheme"},
               {"gs://bucket", NULL, "gs://bucket"},
               {"", NULL, "store_url"},
               {NULL, NULL, "store_url"},
               {"s3://", NULL, "bucket"},
               {"s3://x", NULL, "bucket"},
               {"s3://Has Space/prefix", NULL, "bucket"},
               {"file://relative", NULL, "the whole path from the root folder"},
               {"file:///bad%zzescape", NULL, "escape"},
               {"s3://bucket", "mysql://table", "unknown scheme"},
               {"s3://bucket", "dynamodb://", "table name"},
               {"s3://bucket", "dynamodb://t!", "table name"},
               {"s3://bucket", "dynamo:table:soon", "milliseconds"},
               {"s3://bucket", "dynamo:table:0", "milliseconds"},
               {"s3://bucket", "sqlite://relative", "the whole path from the root folder"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        os_options options = fixture_options(f);
        options.store_url = bad[i].store;
        options.ledger_url = bad[i].ledger;
        check_open_refused(&options, OS_ERR_CONFIG, bad[i].part);
    }
}

SUITE_TEST(settings_that_break_the_protocol_are_refused, 0)
{
    os_options options = fixture_options(f);
    options.ttl_s = 599;
    options.timeout_ms = 5000;
    options.max_clock_skew_rate = 2;
    check_open_refused(&options, OS_ERR_CONFIG, "ttl_s"); /* T5: never under 600 */
    options = fixture_options(f);
    options.timeout_ms = 60000;
    options.ttl_s = 1700; /* below 10 x 60 s x 3 */
    check_open_refused(&options, OS_ERR_CONFIG, "1800");
    options = fixture_options(f);
    options.max_clock_skew_rate = 1;
    check_open_refused(&options, OS_ERR_CONFIG, "max_clock_skew_rate");
    options = fixture_options(f);
    options.length_s = 61;
    check_open_refused(&options, OS_ERR_CONFIG, "length_s");
}

SUITE_TEST(unknown_options_are_refused, 0)
{
    os_options options = fixture_options(f);
    options.signature = (os_signature)7;
    check_open_refused(&options, OS_ERR_CONFIG, "signature");
    options = fixture_options(f);
    options.size = 3;
    check_open_refused(&options, OS_ERR_ARGUMENT, "size");

    struct {
        os_options known;
        uint64_t later[4];
    } newer;
    memset(&newer, 0, sizeof(newer));
    newer.known = fixture_options(f);
    newer.known.size = sizeof(newer);
    os_client *client = fixture_client(&newer.known); /* an unknown tail of zeros asks for nothing */
    os_client_close(client);
    newer.later[3] = 1;
    check_open_refused(&newer.known, OS_ERR_ARGUMENT, "does not know");
}

SUITE_TEST(endpoints_and_regions_that_are_none_are_refused, 0)
{
    static const struct {
        const char *endpoint;
        const char *region;
    } bad[] = {{"ftp://127.0.0.1", "us-east-1"},
               {"http://127.0.0.1:99999", "us-east-1"},
               {"http://user:pw@127.0.0.1", "us-east-1"},
               {"http://127.0.0.1/path", "us-east-1"},
               {"http://", "us-east-1"},
               {"http://127.0.0.1", "not a region"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        os_options options = fixture_options(f);
        options.store_url = "s3://bucket";
        options.s3_endpoint = bad[i].endpoint;
        options.s3_region = bad[i].region;
        os_client *client = NULL;
        os_error error;
        CHECK_CODE(os_client_open(&options, &client, &error), OS_ERR_CONFIG, &error);
        assert_true(strlen(error.message) > 20);
    }
}

SUITE_TEST(credentials_must_be_there_and_whole, 0)
{
    if (f->store_endpoint[0] == '\0')
        skip();
    os_options options = fixture_options(f);
    options.secret_access_key = NULL;
    check_open_refused(&options, OS_ERR_CONFIG, "secret");
    options.access_key_id = NULL;
    CLOSED os_client *client = fixture_client(&options); /* resolved lazily */
    CLEARED struct outcome outcome = create(client, "no-credentials", "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_CREDENTIALS);
    assert_int_equal(outcome.result.attempts, 0);
    os_error error;
    CHECK_CODE(os_head(client, "no-credentials", NULL, NULL, &error), OS_ERR_CREDENTIALS, &error);
}

static int no_keys(void *context, os_credentials *ret)
{
    (void)context;
    (void)ret;
    return 1;
}

SUITE_TEST(a_callback_without_keys_is_no_credentials, 0)
{
    if (f->store_endpoint[0] == '\0')
        skip();
    os_options options = fixture_options(f);
    options.credentials = no_keys;
    CLOSED os_client *client = fixture_client(&options);
    CLEARED struct outcome outcome = create(client, "no-keys", "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_CREDENTIALS);
}

SUITE_TEST(a_guarded_call_without_a_ledger_is_a_bad_configuration, 0)
{
    if (f->store_endpoint[0] == '\0')
        skip();
    os_options options = fixture_options(f);
    options.ledger_url = NULL;
    CLOSED os_client *client = fixture_client(&options);
    put_plain(client, "plain-calls-need-none", "x", NULL);
    CLEARED struct outcome outcome = create(client, "no-ledger", "x", NULL);
    CHECK_VERDICT(outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(outcome, OS_ERR_CONFIG);
    CHECK_SAYS(&outcome.error, "ledger_url");
}

SUITE_TEST(an_embedded_root_that_was_never_made_is_a_bad_configuration, 0)
{
    os_options options = OS_OPTIONS_INIT;
    char url[400];
    snprintf(url, sizeof(url), "file://%s/never-made", f->root);
    options.store_url = url;
    options.no_environment = 1;
    os_client *client = NULL;
    os_error error;
    os_code code = os_client_open(&options, &client, &error);
    assert_true(code == OS_ERR_CONFIG || code == OS_ERR_IO);
    CHECK_SAYS(&error, "oscommit init");
    CHECK_SAYS(&error, "never-made");
    assert_int_not_equal(os_init("/dev/null/nothing", &error), OS_OK);
    CHECK_SAYS(&error, "/dev/null/nothing");
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "bad input", .only = "minio,versitygw,gofakes3,embedded"};
    return suite_main(&suite, argc, argv);
}
