/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"
#include "verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void nothing_given_leaves_every_default(void **state)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;
    os_options plain = OS_OPTIONS_INIT;

    (void)state;
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_memory_equal(&filled, &plain, sizeof(plain));
}

static void every_setting_reaches_the_library(void **state)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

    (void)state;
    options.value[OPTION_LEDGER] = "dynamodb://t";
    options.value[OPTION_REGION] = "r1";
    options.value[OPTION_DYNAMODB_REGION] = "r2";
    options.value[OPTION_PROFILE] = "p1";
    options.value[OPTION_DYNAMODB_PROFILE] = "p2";
    options.value[OPTION_CA_FILE] = "ca.pem";
    options.value[OPTION_ADDRESSING] = "virtual";
    options.value[OPTION_SIGNATURE] = "v2";
    options.value[OPTION_TIMEOUT_MS] = "1";
    options.value[OPTION_MAX_CLOCK_SKEW_RATE] = "2";
    options.value[OPTION_TTL_S] = "3";
    options.value[OPTION_LENGTH_S] = "4";
    options.value[OPTION_ALLOWANCE_S] = "5";
    options.value[OPTION_MARGIN_S] = "6";
    options.value[OPTION_RECHECK_AFTER_MS] = "7";
    options.value[OPTION_CONNECT_TIMEOUT_MS] = "8";
    options.value[OPTION_REQUEST_TIMEOUT_MS] = "9";
    options.value[OPTION_RELEASE] = "always";
    options.value[OPTION_FENCES] = "off";
    options.value[OPTION_CONDITION_HEADERS] = "on";
    options.value[OPTION_RECORD_PREFIX] = "x/";
    options.given[OPTION_CHECK_TABLE] = 1;
    assert_true(settings_fill(&options, "s3://b", &filled, &usage));
    assert_string_equal(filled.store_url, "s3://b");
    assert_string_equal(filled.ledger_url, "dynamodb://t");
    assert_string_equal(filled.s3_region, "r1");
    assert_string_equal(filled.dynamodb_region, "r2");
    assert_string_equal(filled.profile, "p1");
    assert_string_equal(filled.dynamodb_profile, "p2");
    assert_string_equal(filled.ca_file, "ca.pem");
    assert_int_equal(filled.s3_addressing, OS_ADDRESSING_VIRTUAL);
    assert_int_equal(filled.signature, OS_SIGNATURE_V2);
    assert_int_equal(filled.timeout_ms, 1);
    assert_int_equal(filled.max_clock_skew_rate, 2);
    assert_int_equal(filled.ttl_s, 3);
    assert_int_equal(filled.length_s, 4);
    assert_int_equal(filled.allowance_s, 5);
    assert_int_equal(filled.margin_s, 6);
    assert_int_equal(filled.recheck_after_ms, 7);
    assert_int_equal(filled.connect_timeout_ms, 8);
    assert_int_equal(filled.request_timeout_ms, 9);
    assert_int_equal(filled.release, OS_RELEASE_ALWAYS);
    assert_int_equal(filled.fences, OS_OFF);
    assert_int_equal(filled.condition_headers, OS_ON);
    assert_string_equal(filled.record_prefix, "x/");
    assert_int_equal(filled.check_table, 1);
}

static void what_was_said_closer_to_the_command_is_the_endpoint(void **state)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

    (void)state;
    options.value[OPTION_ENDPOINT_URL] = "http://both";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.s3_endpoint, "http://both");
    assert_string_equal(filled.dynamodb_endpoint, "http://both");
    options.value[OPTION_DYNAMODB_ENDPOINT] = "http://ddb";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.s3_endpoint, "http://both");
    assert_string_equal(filled.dynamodb_endpoint, "http://ddb");
    options.from_environment[OPTION_DYNAMODB_ENDPOINT] = true; /* OSCOMMIT_DYNAMODB_ENDPOINT against --endpoint-url */
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.dynamodb_endpoint, "http://both");
    options.from_environment[OPTION_ENDPOINT_URL] = true; /* both from the environment: the one for the service */
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.dynamodb_endpoint, "http://ddb");
}

static void credentials_in_a_url_are_refused_and_not_repeated(void **state)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

    (void)state;
    options.value[OPTION_S3_ENDPOINT] = "https://user:hunter2@host:9000";
    assert_false(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(usage.message,
                        "--s3-endpoint must not carry credentials: use --profile or the AWS_* variables.");
    options.value[OPTION_S3_ENDPOINT] = "https://host:9000/a@b";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
}

static void verdicts_have_their_exit_status(void **state)
{
    (void)state;
    assert_int_equal(status_of_verdict(OS_COMMITTED), 0);
    assert_int_equal(status_of_verdict(OS_NOT_EXECUTED), 1);
    assert_int_equal(status_of_verdict(OS_CONFLICT), 3);
    assert_int_equal(status_of_verdict(OS_UNKNOWN), 4);
    assert_int_equal(status_of_read(OS_OK), 0);
    assert_int_equal(status_of_read(OS_ERR_NOT_FOUND), 1);
    assert_int_equal(status_of_read(OS_ERR_NETWORK), 1);
    assert_int_equal(status_of_read(OS_ERR_CONFIG), 2);
}

static void a_plain_write_that_may_have_happened_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(status_of_write(OS_OK), 0);
    assert_int_equal(status_of_write(OS_ERR_DENIED), 1);
    assert_int_equal(status_of_write(OS_ERR_UNDECIDED), 4);
    assert_int_equal(status_of_write(OS_ERR_DEADLINE), 1); /* the library says UNDECIDED where it may have happened */
    assert_int_equal(status_of_write(OS_ERR_CANCELLED), 1);
    assert_int_equal(status_of_write(OS_ERR_NETWORK), 1);
    assert_int_equal(status_of_write(OS_ERR_SERVICE), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_leaves_every_default),
        cmocka_unit_test(every_setting_reaches_the_library),
        cmocka_unit_test(what_was_said_closer_to_the_command_is_the_endpoint),
        cmocka_unit_test(credentials_in_a_url_are_refused_and_not_repeated),
        cmocka_unit_test(verdicts_have_their_exit_status),
        cmocka_unit_test(a_plain_write_that_may_have_happened_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
