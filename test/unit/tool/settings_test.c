/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"
#include "cli/verdict.h"
#include "support/forget_variables.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(nothing_given_leaves_every_default)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;
    os_options plain = OS_OPTIONS_INIT;

    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_memory_equal(&filled, &plain, sizeof(plain));
}

/* A value that each kind of setting takes. */
static const char *a_value_of(const struct option_spec *spec, char *ret, size_t ret_size)
{
    if (spec->kind == OPTION_KIND_CHOICE) {
        (void)snprintf(ret, ret_size, "%s", strchr(spec->operand, '|') + 1);
        ret[strcspn(ret, "|")] = '\0';
        return ret;
    }
    return spec->kind == OPTION_KIND_TEXT ? "text" : spec->kind == OPTION_KIND_SWITCH ? "1" : "7";
}

/* os_options_from_environment: the same table in the library, for programs of others. */
TEST(each_variable_means_the_same_to_the_library)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        char variable[64];
        char value[64];
        struct options options = {0};
        struct usage usage = {0};
        os_options by_tool;
        os_options by_library = OS_OPTIONS_INIT;
        os_error err;
        if (option_table[id].scope != OPTION_SCOPE_SETTING || option_table[id].of_tool)
            continue;
        option_variable((enum option_id)id, variable, sizeof(variable));
        assert_int_equal(setenv(variable, a_value_of(&option_table[id], value, sizeof(value)), 1), 0);
        assert_true(options_take_environment(&options, &usage));
        assert_true(settings_fill(&options, options_text(&options, OPTION_STORE), &by_tool, &usage));
        assert_int_equal(os_options_from_environment(&by_library, &err), OS_OK);
        assert_memory_equal(&by_library, &by_tool, sizeof(by_tool));
        by_tool = (os_options)OS_OPTIONS_INIT;
        if (memcmp(&by_library, &by_tool, sizeof(by_tool)) == 0)
            fail_msg("%s changes nothing", variable);
        assert_int_equal(unsetenv(variable), 0);
    }
}

TEST(every_setting_reaches_the_library)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

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
    options.given[OPTION_RECORDS_BY_BUCKET] = 1;
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
    assert_int_equal(filled.records_by_bucket, 1);
    assert_int_equal(filled.check_table, 1);
}

TEST(what_was_said_closer_to_the_command_is_the_endpoint)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

    options.value[OPTION_ENDPOINT_URL] = "http://both";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.s3_endpoint, "http://both");
    assert_string_equal(filled.dynamodb_endpoint, "http://both");
    options.value[OPTION_DYNAMODB_ENDPOINT] = "http://ddb";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.s3_endpoint, "http://both");
    assert_string_equal(filled.dynamodb_endpoint, "http://ddb");
    options.distance[OPTION_DYNAMODB_ENDPOINT] =
        DISTANCE_VARIABLE; /* OSCOMMIT_DYNAMODB_ENDPOINT against --endpoint-url */
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.dynamodb_endpoint, "http://both");
    options.distance[OPTION_ENDPOINT_URL] = DISTANCE_VARIABLE; /* both from the environment: the one for the service */
    assert_true(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(filled.dynamodb_endpoint, "http://ddb");
}

TEST(credentials_in_a_url_are_refused_and_not_repeated)
{
    struct options options = {0};
    struct usage usage = {0};
    os_options filled;

    options.value[OPTION_S3_ENDPOINT] = "https://user:hunter2@host:9000";
    assert_false(settings_fill(&options, NULL, &filled, &usage));
    assert_string_equal(usage.message,
                        "--s3-endpoint must not carry credentials: use --profile or the AWS_* variables.");
    options.value[OPTION_S3_ENDPOINT] = "https://host:9000/a@b";
    assert_true(settings_fill(&options, NULL, &filled, &usage));
}

static enum status guarded(os_verdict verdict, int final, os_code code)
{
    const os_result result = {.size = sizeof(result), .final = final};
    const os_error error = {.code = code};
    return status_of_guarded(verdict, &result, &error);
}

TEST(verdicts_have_their_exit_status)
{
    assert_int_equal(guarded(OS_COMMITTED, 1, OS_OK), 0);
    assert_int_equal(guarded(OS_COMMITTED, 1, OS_ERR_DENIED), 0); /* a rename that could not delete its source */
    assert_int_equal(guarded(OS_CONFLICT, 1, OS_ERR_CONFLICT), 3);
    assert_int_equal(guarded(OS_UNKNOWN, 0, OS_ERR_UNDECIDED), 4);
    assert_int_equal(guarded(OS_UNKNOWN, 0, OS_ERR_ARGUMENT), 4);
    assert_int_equal(guarded(OS_UNKNOWN, 1, OS_ERR_UNDECIDED), 5);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_BUSY), 1);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_CONFIG), 2);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_DENIED), 77);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_CREDENTIALS), 77);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_NETWORK), 69);
    assert_int_equal(guarded(OS_NOT_EXECUTED, 1, OS_ERR_TLS), 69);
}

static enum status read_of(os_code code)
{
    const os_error error = {.code = code};
    return status_of_read(&error);
}

static enum status write_of(os_code code)
{
    const os_error error = {.code = code};
    return status_of_write(&error);
}

/* The one thing that 2 says: nothing was sent. */
TEST(bad_settings_are_bad_usage_until_something_is_sent)
{
    const os_error unsent = {.code = OS_ERR_CONFIG};
    const os_error answered = {.code = OS_ERR_CONFIG, .http_status = 400};
    os_result result = OS_RESULT_INIT;
    assert_int_equal(status_of_guarded(OS_NOT_EXECUTED, &result, &unsent), 2);
    assert_int_equal(status_of_guarded(OS_NOT_EXECUTED, &result, &answered), 1);
    assert_int_equal(status_of_read(&unsent), 2);
    assert_int_equal(status_of_read(&answered), 1);
    assert_int_equal(status_of_lease(&answered), 1);
    result.requests = 1;
    assert_int_equal(status_of_guarded(OS_NOT_EXECUTED, &result, &unsent), 1);
}

TEST(reads_have_their_exit_status)
{
    static const os_code others[] = {OS_ERR_NO_TABLE, OS_ERR_DEADLINE, OS_ERR_SERVICE, OS_ERR_IO};
    assert_int_equal(read_of(OS_OK), 0);
    assert_int_equal(read_of(OS_ERR_CONFIG), 2);
    assert_int_equal(read_of(OS_ERR_NOT_FOUND), 66);
    assert_int_equal(read_of(OS_ERR_NO_BUCKET), 66);
    assert_int_equal(read_of(OS_ERR_NETWORK), 69);
    assert_int_equal(read_of(OS_ERR_DENIED), 77);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(read_of(others[i]), 1);
        assert_string_equal(status_name(read_of(others[i])), "not executed");
    }
    assert_string_equal(status_name(STATUS_ABSENT), "not executed");
    assert_string_equal(status_name(STATUS_UNREACHABLE), "not executed");
    assert_string_equal(status_name(STATUS_DENIED), "not executed");
    assert_string_equal(status_name(STATUS_UNDECIDABLE), "unknown");
}

TEST(a_plain_write_that_may_have_happened_is_unknown)
{
    assert_int_equal(write_of(OS_OK), 0);
    assert_int_equal(write_of(OS_ERR_DENIED), 77);
    assert_int_equal(write_of(OS_ERR_UNDECIDED), 4);
    assert_int_equal(write_of(OS_ERR_DEADLINE), 1); /* the library says UNDECIDED where it may have happened */
    assert_int_equal(write_of(OS_ERR_CANCELLED), 1);
    assert_int_equal(write_of(OS_ERR_NETWORK), 69);
    assert_int_equal(write_of(OS_ERR_SERVICE), 1);
}

int main(int argc, char **argv)
{
    forget_oscommit_variables();
    return test_main(argc, argv);
}
