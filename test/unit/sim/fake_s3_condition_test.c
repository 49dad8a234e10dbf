/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of writes to the fake S3, and what its kinds make of them. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "s3/response.h"

#include <stdlib.h>
#include <string.h>

static void expect(struct http_response response, int status, const char *code)
{
    assert_int_equal(response.status, status);
    assert_string_equal(status < 300 ? "" : wire_s3_code(&response), code);
    http_response_free(&response);
}

static struct http_response delete_of(struct fake_s3 *s3, const char *key, const struct s3_condition *condition)
{
    struct http_request request;
    assert_int_equal(s3_build_delete(&wire_s3_target, key, condition, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    return wire_s3(s3, &request, WIRE_MS);
}

TEST(conditions_of_puts_are_held)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_condition right = {.if_match = WIRE_BYTES_ETAG};
    const struct s3_condition stale = {.if_match = "\"00000000000000000000000000000000\""};
    wire_put_is(s3, "key", &right, 404, "NoSuchKey");
    wire_put_is(s3, "key", &absent, 200, "");
    wire_put_is(s3, "key", &absent, 412, "PreconditionFailed");
    wire_put_is(s3, "key", &stale, 412, "PreconditionFailed");
    wire_put_is(s3, "key", &right, 200, "");
    assert_int_equal(fake_s3_version_count(s3, "key"), 2);
    assert_int_equal(fake_s3_version_at(s3, "key", 0).serial, 1);
    assert_int_equal(fake_s3_version_at(s3, "key", 1).serial, 2);
    assert_int_equal(fake_s3_version_at(s3, "key", 1).applied_ms, WIRE_MS);
    fake_s3_free(s3);
}

static void answer_409_undecided(struct fake_s3_options *options)
{
    options->answer_409 = FAKE_S3_409_UNDECIDED;
}

static void answer_409_final(struct fake_s3_options *options)
{
    options->answer_409 = FAKE_S3_409_FINAL;
}

static void contended_put_is(struct fake_s3 *s3, const char *key, int status, const char *code)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "x", .fd = -1, .length = 1};
    struct http_request request;
    assert_int_equal(s3_build_put(&wire_s3_target, key, &body, NULL, &absent, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    expect(wire_s3_contended(s3, &request, WIRE_MS), status, code);
}

TEST(a_condition_may_be_undecided_while_the_key_is_contended)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    struct fake_s3 *s3 = wire_s3_with(answer_409_undecided);
    wire_put_is(s3, "key", &absent, 200, "");
    wire_put_is(s3, "key", &absent, 412, "PreconditionFailed");
    contended_put_is(s3, "key", 409, "ConditionalRequestConflict");
    contended_put_is(s3, "other", 409, "ConditionalRequestConflict");
    assert_int_equal(fake_s3_version_count(s3, "other"), 0);
    fake_s3_free(s3);

    s3 = wire_s3_with(answer_409_final);
    wire_put_is(s3, "key", &absent, 200, "");
    wire_put_is(s3, "key", &absent, 412, "PreconditionFailed");
    contended_put_is(s3, "key", 409, "FileAlreadyExists");
    contended_put_is(s3, "other", 200, "");
    fake_s3_free(s3);
}

static void refuse_conditions(struct fake_s3_options *options)
{
    options->conditions[FAKE_S3_PUT] = FAKE_S3_REFUSED;
    options->missing_is_412 = true;
}

TEST(a_store_may_refuse_conditions_of_one_request)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_condition right = {.if_match = WIRE_BYTES_ETAG};
    struct fake_s3 *s3 = wire_s3_with(refuse_conditions);
    wire_put_is(s3, "key", &absent, 501, "NotImplemented");
    expect(delete_of(s3, "key", &right), 412, "PreconditionFailed");
    wire_put_is(s3, "key", NULL, 200, "");
    expect(delete_of(s3, "key", &right), 204, "");
    fake_s3_free(s3);
}
