/* SPDX-License-Identifier: Apache-2.0 */
/* The fake S3, asked by the library's own requests and read by its own parsers. */
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "s3/response.h"

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct fake_s3 *open_with(void (*change)(struct fake_s3_options *))
{
    struct fake_s3_options options = wire_s3_options();
    if (change != NULL) {
        change(&options);
    }
    struct fake_s3 *s3 = fake_s3_new(&options);
    assert_non_null(s3);
    return s3;
}

static void put_is(struct fake_s3 *s3, const char *key, const struct s3_condition *condition, int status,
                   const char *code)
{
    struct http_response response = wire_put(s3, key, "bytes", "0123456789abcdef0123456789abcdef", condition);
    assert_int_equal(response.status, status);
    assert_string_equal(status == 200 ? "" : wire_s3_code(&response), code);
    http_response_free(&response);
}

static void what_was_put_is_given_back(void **state)
{
    (void)state;
    struct fake_s3 *s3 = open_with(NULL);
    struct http_request request;
    struct s3_object object;
    int64_t date;
    put_is(s3, "a/b c", NULL, 200, "");
    struct http_response response = wire_head(s3, "a/b c");
    assert_int_equal(response.status, 200);
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_string_equal(object.etag, "\"4b3a6218bb3e3a7303e8a171a60fcf92\"");
    assert_string_equal(object.nonce, "0123456789abcdef0123456789abcdef");
    assert_int_equal(object.length, 5);
    assert_int_equal(object.last_modified_s, WIRE_S);
    assert_true(http_response_date(&response, &date));
    assert_int_equal(date, WIRE_S);
    http_response_free(&response);

    assert_int_equal(s3_build_get(&wire_s3_target, "a/b c", 1, 3, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    response = wire_s3(s3, &request, WIRE_MS);
    assert_int_equal(response.status, 206);
    assert_string_equal(buf_str(&response.body), "yte");
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_int_equal(object.length, 5);
    http_response_free(&response);
    fake_s3_free(s3);
}

static void conditions_of_puts_are_held(void **state)
{
    (void)state;
    struct fake_s3 *s3 = open_with(NULL);
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_condition right = {.if_match = "\"4b3a6218bb3e3a7303e8a171a60fcf92\""};
    const struct s3_condition stale = {.if_match = "\"00000000000000000000000000000000\""};
    put_is(s3, "key", &right, 404, "NoSuchKey");
    put_is(s3, "key", &absent, 200, "");
    put_is(s3, "key", &absent, 412, "PreconditionFailed");
    put_is(s3, "key", &stale, 412, "PreconditionFailed");
    put_is(s3, "key", &right, 200, "");
    assert_int_equal(fake_s3_version_count(s3, "key"), 2);
    assert_int_equal(fake_s3_version_at(s3, "key", 0).serial, 1);
    assert_int_equal(fake_s3_version_at(s3, "key", 1).serial, 2);
    assert_int_equal(fake_s3_version_at(s3, "key", 1).applied_ms, WIRE_MS);
    fake_s3_free(s3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_given_back),
        cmocka_unit_test(conditions_of_puts_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
