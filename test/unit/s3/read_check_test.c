/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes an answer to a GET has, and whether they are those that were asked for, all of them, unchanged. */
#include "s3_test.h"

#include "s3/read_check.h"

struct header {
    const char *name;
    const char *value;
};

static void make(int status, const struct header *headers, struct http_response *ret)
{
    http_response_init(ret, 0);
    ret->status = status;
    for (; headers->name; headers++)
        assert_true(http_headers_add(&ret->headers, headers->name, headers->value));
}

static os_code begin(int status, const struct header *headers, uint64_t offset, uint64_t count,
                     struct s3_read_check *ret, os_error *err)
{
    struct http_response response;
    make(status, headers, &response);
    os_code code = s3_read_begin(ret, "k", &response, offset, count, err);
    http_response_free(&response);
    return code;
}

#define HEADERS(...) ((const struct header[]){__VA_ARGS__, {NULL, NULL}})

struct range_case {
    int status;
    const char *length; /* NULL: chunked; "": neither */
    const char *range;
    uint64_t offset, count;
    uint64_t promised; /* UINT64_MAX: refused */
};

static const struct range_case range_cases[] = {
    {200, "10", NULL, 0, 0, 10},
    {200, "0", NULL, 0, 0, 0},
    {206, "3", "bytes 2-4/10", 2, 3, 3},
    {206, "", "bytes 2-4/10", 2, 3, 3}, /* the range says how long it is */
    {206, "8", "bytes 2-9/10", 2, 0, 8},
    {206, "8", "bytes 2-9/10", 2, 100, 8}, /* less than was asked for, and all that there is */
    {206, "3", "bytes 2-4/*", 2, 3, 3},
    {200, "10", NULL, 0, 10, 10}, /* Range was ignored, and the whole is what was wanted */
    {200, "9", NULL, 0, 10, 9},
    /* another range */
    {206, "3", "bytes 3-5/10", 2, 3, UINT64_MAX},
    {206, "3", "bytes 0-2/10", 2, 3, UINT64_MAX},
    {206, "2", "bytes 2-3/10", 2, 3, UINT64_MAX},
    {206, "4", "bytes 2-5/10", 2, 3, UINT64_MAX},
    {206, "7", "bytes 2-8/10", 2, 0, UINT64_MAX},
    {206, "8", "bytes 2-9/*", 2, 0, UINT64_MAX}, /* is it all? */
    {206, "10", "bytes 0-9/10", 0, 0, UINT64_MAX},
    /* no range that can be read */
    {206, "3", NULL, 2, 3, UINT64_MAX},
    {206, "3", "bytes 2-4", 2, 3, UINT64_MAX},
    {206, "3", "bytes */10", 2, 3, UINT64_MAX},
    {206, "3", "bytes 4-2/10", 2, 3, UINT64_MAX},
    {206, "3", "bytes 2-4/4", 2, 3, UINT64_MAX},
    {206, "3", "bytes 2-4/10x", 2, 3, UINT64_MAX},
    {206, "3", "2-4/10", 2, 3, UINT64_MAX},
    {206, "3", "bytes 2-18446744073709551616/10", 2, 3, UINT64_MAX},
    /* the range and the length disagree */
    {206, "4", "bytes 2-4/10", 2, 3, UINT64_MAX},
    /* the whole instead of a part */
    {200, "10", NULL, 2, 3, UINT64_MAX},
    {200, "10", NULL, 0, 9, UINT64_MAX},
    {200, NULL, NULL, 0, 9, UINT64_MAX},
    /* no length, or none that a body can have */
    {200, "", NULL, 0, 0, UINT64_MAX},
    {200, "18446744073709551615", NULL, 0, 0, UINT64_MAX},
    {200, "9223372036854775808", NULL, 0, 0, UINT64_MAX},
    {200, "-1", NULL, 0, 0, UINT64_MAX},
    {200, "10, 10", NULL, 0, 0, UINT64_MAX},
    /* what nobody answers a GET with */
    {203, "10", NULL, 0, 0, UINT64_MAX},
    {204, "0", NULL, 0, 0, UINT64_MAX},
    {201, "10", NULL, 0, 0, UINT64_MAX},
};

TEST(only_the_bytes_that_were_asked_for_are_taken)
{
    for (size_t i = 0; i < sizeof(range_cases) / sizeof(range_cases[0]); i++) {
        const struct range_case *c = &range_cases[i];
        struct s3_read_check check;
        struct http_response response;
        os_error err;
        http_response_init(&response, 0);
        response.status = c->status;
        if (c->length == NULL)
            assert_true(http_headers_add(&response.headers, "transfer-encoding", "chunked"));
        else if (c->length[0])
            assert_true(http_headers_add(&response.headers, "content-length", c->length));
        if (c->range)
            assert_true(http_headers_add(&response.headers, "content-range", c->range));
        os_code code = s3_read_begin(&check, "k", &response, c->offset, c->count, &err);
        if (code != (c->promised == UINT64_MAX ? OS_ERR_PROTOCOL : OS_OK))
            fail_msg("case %zu: %s", i, code == OS_OK ? "taken" : err.message);
        if (code == OS_OK) {
            assert_true(check.has_length);
            assert_int_equal(check.length, c->promised);
        } else {
            assert_non_null(strstr(err.message, "The answer to GET of k is not what was asked for"));
        }
        s3_read_free(&check);
        http_response_free(&response);
    }
}

TEST(less_or_more_than_was_promised_is_refused)
{
    static const char bytes[] = "01234567890";
    for (size_t length = 9; length <= 11; length++) {
        struct s3_read_check check;
        os_error err;
        assert_int_equal(begin(200, HEADERS({"content-length", "10"}), 0, 0, &check, &err), OS_OK);
        s3_read_add(&check, bytes, 4);
        s3_read_add(&check, bytes + 4, length - 4);
        assert_int_equal(s3_read_end(&check, "k", &err), length == 10 ? OS_OK : OS_ERR_PROTOCOL);
        s3_read_free(&check);
    }
}

TEST(a_chunked_body_may_have_any_length)
{
    struct s3_read_check check;
    os_error err;
    assert_int_equal(begin(200, HEADERS({"transfer-encoding", "Chunked"}), 0, 0, &check, &err), OS_OK);
    assert_false(check.has_length);
    s3_read_add(&check, "0123", 4);
    assert_int_equal(s3_read_end(&check, "k", &err), OS_OK);
    assert_int_equal(check.received, 4);
    s3_read_free(&check);
}

/* Of "123456789", by other programs (the check values of the catalogue of CRCs, sha1sum, sha256sum). */
static const struct header sums[] = {
    {"x-amz-checksum-crc32", "y/Q5Jg=="},
    {"x-amz-checksum-crc32c", "4waSgw=="},
    {"x-amz-checksum-crc64nvme", "rosUhgp5mIg="},
    {"x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="},
    {"x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="},
};

static os_code read_nine(const struct header *sum, const char *bytes)
{
    struct s3_read_check check;
    os_error err;
    assert_int_equal(begin(200, HEADERS({"content-length", "9"}, {sum->name, sum->value}), 0, 0, &check, &err), OS_OK);
    s3_read_add(&check, bytes, 5);
    s3_read_add(&check, bytes + 5, 4);
    os_code code = s3_read_end(&check, "k", &err);
    s3_read_free(&check);
    return code;
}

TEST(the_sum_that_the_store_gives_is_checked)
{
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        assert_int_equal(read_nine(&sums[i], "123456789"), OS_OK);
        assert_int_equal(read_nine(&sums[i], "123456780"), OS_ERR_PROTOCOL);
    }
}

TEST(a_sum_of_the_sums_of_parts_is_not)
{
    const struct header composite = {"x-amz-checksum-crc32c", "AAAAAA==-2"};
    assert_int_equal(read_nine(&composite, "123456789"), OS_OK);
}

TEST(a_sum_that_nobody_wants_compared_is_not)
{
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        struct s3_read_check check;
        os_error err;
        const struct header *headers = HEADERS({"content-length", "3"}, {sums[i].name, sums[i].value});
        assert_int_equal(begin(200, headers, 0, 0, &check, &err), OS_OK);
        s3_read_skip_sum(&check);
        s3_read_add(&check, "xy", 2);
        assert_int_equal(s3_read_end(&check, "k", &err), OS_ERR_PROTOCOL); /* the length is */
        s3_read_add(&check, "z", 1);
        assert_int_equal(s3_read_end(&check, "k", &err), OS_OK);
        s3_read_free(&check);
    }
}

TEST(the_sum_of_the_whole_is_not_that_of_a_part)
{
    struct s3_read_check check;
    os_error err;
    const struct header *headers =
        HEADERS({"content-range", "bytes 1-2/9"}, {"content-length", "2"}, {sums[0].name, sums[0].value});
    assert_int_equal(begin(206, headers, 1, 2, &check, &err), OS_OK);
    s3_read_add(&check, "23", 2);
    assert_int_equal(s3_read_end(&check, "k", &err), OS_OK);
    s3_read_free(&check);
}
