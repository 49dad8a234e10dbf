/* SPDX-License-Identifier: Apache-2.0 */
/* What os_options_from_environment takes, and what it leaves; that it knows every variable of the tool is a test of the
 * tool's (unit/tool/settings_test.c). */
#include "support/forget_variables.h"
#include "unit/api/client_scratch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void set(const char *name, const char *value)
{
    assert_int_equal(setenv(name, value, 1), 0);
}

static int forget(void **state)
{
    (void)state;
    forget_oscommit_variables();
    return 0;
}

TEST_BETWEEN(NULL, forget, what_the_caller_has_set_counts_more)
{
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    set("OSCOMMIT_STORE", "s3://of-the-environment");
    set("OSCOMMIT_LENGTH_S", "9");
    set("OSCOMMIT_GUARD", "both");
    set("OSCOMMIT_CHECK_TABLE", "");
    options.store_url = "s3://of-the-caller";
    options.guard = OS_GUARD_RECORD;
    CHECK_CODE(os_options_from_environment(&options, &err), OS_OK, &err);
    assert_string_equal(options.store_url, "s3://of-the-caller");
    assert_int_equal(options.guard, OS_GUARD_RECORD);
    assert_int_equal(options.length_s, 9);
    assert_int_equal(options.check_table, 0);
    assert_int_equal(options.size, sizeof(options));
}

TEST_BETWEEN(NULL, forget, the_ledger_of_a_fleet_is_none_of_a_store_of_files)
{
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    set("OSCOMMIT_LEDGER", "dynamodb://commits");
    options.store_url = "file:///srv/store";
    CHECK_CODE(os_options_from_environment(&options, &err), OS_OK, &err);
    assert_null(options.ledger_url);
    options.store_url = "s3://bucket";
    CHECK_CODE(os_options_from_environment(&options, &err), OS_OK, &err);
    assert_string_equal(options.ledger_url, "dynamodb://commits");
}

TEST_BETWEEN(NULL, forget, the_endpoint_of_a_service_counts_more_than_that_of_both)
{
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    set("OSCOMMIT_ENDPOINT_URL", "http://both");
    set("OSCOMMIT_S3_ENDPOINT", "http://s3");
    CHECK_CODE(os_options_from_environment(&options, &err), OS_OK, &err);
    assert_string_equal(options.s3_endpoint, "http://s3");
    assert_string_equal(options.dynamodb_endpoint, "http://both");
}

TEST_BETWEEN(NULL, forget, a_value_that_cannot_be_is_named_and_nothing_taken)
{
    static const char *const wrong[][2] = {
        {"OSCOMMIT_LENGTH_S", "5s"},         {"OSCOMMIT_LENGTH_S", "0"},     {"OSCOMMIT_LENGTH_S", "-1"},
        {"OSCOMMIT_LENGTH_S", "4294967296"}, {"OSCOMMIT_GUARD", "bot"},      {"OSCOMMIT_GUARD", "bothh"},
        {"OSCOMMIT_GUARD", "auto|record"},   {"OSCOMMIT_CHECK_TABLE", "on"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        os_options options = OS_OPTIONS_INIT;
        os_options before = OS_OPTIONS_INIT;
        os_error err;
        assert_int_equal(forget(NULL), 0);
        set("OSCOMMIT_STORE", "s3://b");
        set(wrong[i][0], wrong[i][1]);
        CHECK_CODE(os_options_from_environment(&options, &err), OS_ERR_CONFIG, &err);
        CHECK_SAYS(&err, wrong[i][0]);
        CHECK_SAYS(&err, wrong[i][1]);
        assert_memory_equal(&options, &before, sizeof(options));
    }
}

/* A program that was compiled with an earlier header has no room for the last field. */
TEST_BETWEEN(NULL, forget, nothing_is_written_beyond_the_callers_struct)
{
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    set("OSCOMMIT_LATE_SEGMENT_S", "3");
    set("OSCOMMIT_LENGTH_S", "9");
    options.size = offsetof(os_options, late_segment_s);
    CHECK_CODE(os_options_from_environment(&options, &err), OS_OK, &err);
    assert_int_equal(options.length_s, 9);
    assert_int_equal(options.late_segment_s, 0);
    assert_int_equal(options.size, offsetof(os_options, late_segment_s));
}

TEST_BETWEEN(NULL, forget, options_that_are_none_are_refused)
{
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    options.size = 0;
    CHECK_CODE(os_options_from_environment(&options, &err), OS_ERR_ARGUMENT, &err);
    CHECK_CODE(os_options_from_environment(NULL, &err), OS_ERR_ARGUMENT, &err);
}

int main(int argc, char **argv)
{
    forget_oscommit_variables();
    return test_main(argc, argv);
}
