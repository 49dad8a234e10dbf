/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "support/test.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/text.h"

#include <stdio.h>
#include <string.h>

TEST(a_failure_is_one_line_with_its_code_and_sentence)
{
    os_error err = {.http_status = 500, .service_code = "Old", .request_id = "old", .message = "old"};
    assert_int_equal(error_set(&err, OS_ERR_DENIED, "No right to read %s.", "k"), OS_ERR_DENIED);
    assert_int_equal(err.code, OS_ERR_DENIED);
    assert_string_equal(err.message, "No right to read k.");
    assert_int_equal(err.http_status, 0);
    assert_string_equal(err.service_code, "");
    assert_string_equal(err.request_id, "");
}

TEST(what_the_service_said_is_added_to_it)
{
    os_error err;
    error_set(&err, OS_ERR_DENIED, "No.");
    error_service(&err, 403, "AccessDenied", "R1");
    assert_int_equal(err.code, OS_ERR_DENIED);
    assert_string_equal(err.message, "No.");
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.service_code, "AccessDenied");
    assert_string_equal(err.request_id, "R1");
    error_service(&err, 0, NULL, NULL);
    assert_int_equal(err.http_status, 0);
    assert_string_equal(err.service_code, "");
    error_clear(&err);
    assert_int_equal(err.code, OS_OK);
    assert_string_equal(err.message, "");
}

TEST(an_error_that_nobody_wants_is_still_a_code)
{
    assert_int_equal(error_set(NULL, OS_ERR_IO, "%s", "x"), OS_ERR_IO);
    assert_int_equal(error_no_memory(NULL), OS_ERR_NO_MEMORY);
    error_clear(NULL);
    error_service(NULL, 1, "a", "b");
}

TEST(a_message_that_is_too_long_is_cut_between_characters)
{
    os_error err;
    char text[2048];
    for (size_t blanks = 0; blanks < 3; blanks++) {
        memset(text, ' ', blanks);
        for (size_t i = blanks; i + 3 < sizeof(text); i += 3)
            memcpy(text + i, "\xe2\x82\xac", 4);
        error_set(&err, OS_ERR_IO, "%s", text);
        assert_in_range(strlen(err.message), sizeof(err.message) - 3, sizeof(err.message) - 1);
        assert_true(text_is_utf8(text_from(err.message)));
        error_service(&err, 500, text, text);
        assert_in_range(strlen(err.service_code), sizeof(err.service_code) - 3, sizeof(err.service_code) - 1);
        assert_true(text_is_utf8(text_from(err.service_code)));
        assert_true(text_is_utf8(text_from(err.request_id)));
    }
    memset(text, 'x', sizeof(err.message));
    text[sizeof(err.message) - 1] = '\0';
    error_set(&err, OS_ERR_IO, "%s", text);
    assert_string_equal(err.message, text);
}

TEST(what_a_service_says_stays_on_one_line)
{
    os_error err;
    error_set(&err, OS_ERR_SERVICE, "It said: %s", "a\r\nb\x1b[31m");
    assert_string_equal(err.message, "It said: a\\x0d\\x0ab\\x1b[31m");
    error_service(&err, 500, "A\nB", "1\t2");
    assert_string_equal(err.service_code, "A\\x0aB");
    assert_string_equal(err.request_id, "1\\x092");
    error_set(&err, OS_ERR_SERVICE, "%s", "C1 \xc2\x9b, raw \x9b, turned \xe2\x80\xaetxt.exe");
    assert_string_equal(err.message, "C1 \\u009b, raw \\x9b, turned \\u202etxt.exe");
}

TEST(the_old_message_may_be_part_of_the_new_one)
{
    os_error err;
    error_set(&err, OS_ERR_IO, "inner");
    error_set(&err, OS_ERR_IO, "outer: %s", err.message);
    assert_string_equal(err.message, "outer: inner");
}

TEST(every_code_has_its_name_and_text)
{
    assert_string_equal(os_code_name(OS_OK), "OS_OK");
    assert_string_equal(os_code_text(OS_OK), "no error");
    assert_string_equal(os_code_name(OS_ERR_DENIED), "OS_ERR_DENIED");
    assert_string_equal(os_code_text(OS_ERR_DENIED), "access denied");
    for (int code = OS_OK; code <= OS_ERR_STOPPED; code++) {
        assert_string_not_equal(os_code_name((os_code)code), "OS_ERR_?");
        assert_string_not_equal(os_code_text((os_code)code), "unknown code");
    }
    assert_string_equal(os_code_name((os_code)99), "OS_ERR_?");
    assert_string_equal(os_code_text((os_code)99), "unknown code");
}

TEST(every_verdict_has_its_name)
{
    assert_string_equal(os_verdict_name(OS_COMMITTED), "committed");
    assert_string_equal(os_verdict_name(OS_CONFLICT), "conflict");
    assert_string_equal(os_verdict_name(OS_NOT_EXECUTED), "not executed");
    assert_string_equal(os_verdict_name(OS_UNKNOWN), "unknown");
    assert_string_equal(os_verdict_name((os_verdict)0), "unknown"); /* what was never filled is not known */
}

TEST(the_version_is_that_of_the_header)
{
    char wanted[32];
    snprintf(wanted, sizeof(wanted), "%d.%d.%d", OS_VERSION_MAJOR, OS_VERSION_MINOR, OS_VERSION_PATCH);
    assert_string_equal(os_version(), wanted);
}
