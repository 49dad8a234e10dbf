/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while buffers, headers and requests are made: each step says so, and nothing leaks. */

/* In this order: the two files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
#include "support/test.h"
/* clang-format off */
#include "base/buf.c"
#include "base/http_message.c"
/* clang-format on */

enum { ALLOCATIONS_MAX = 100 };

static bool fill_buf(struct buf *buf)
{
    for (int i = 0; i < 100; i++) {
        buf_add_f(buf, "%d;", i);
        buf_add_str(buf, "some text");
    }
    return buf_ok(buf);
}

TEST(a_buffer_without_memory_fails_and_can_be_used_again)
{
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        struct buf buf;
        buf_init(&buf, 10000);
        alloc_fail_at(number);
        ok = fill_buf(&buf);
        alloc_fail_none();
        assert_int_equal(ok, !alloc_failed);
        if (!ok) {
            assert_null(buf.data);
            assert_string_equal(buf_str(&buf), "");
            buf_free(&buf);
            assert_true(fill_buf(&buf));
        }
        buf_free(&buf);
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 3, ALLOCATIONS_MAX);
}

TEST(an_empty_block_that_cannot_be_had_is_null)
{
    struct buf buf;
    buf_init(&buf, 10);
    alloc_fail_at(0);
    assert_null(buf_take(&buf));
    char *taken = buf_take(&buf);
    assert_string_equal(taken, "");
    free(taken);
}

static bool add_headers(struct http_headers *headers)
{
    for (int i = 0; i < 20; i++)
        if (!http_headers_add(headers, "name", "value"))
            return false;
    return http_headers_set(headers, "name", "another") && http_headers_set(headers, "new", "value");
}

TEST(headers_without_memory_stay_whole)
{
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        struct http_headers headers = {0};
        alloc_fail_at(number);
        ok = add_headers(&headers);
        alloc_fail_none();
        assert_int_equal(ok, !alloc_failed);
        size_t bytes = 0;
        for (size_t i = 0; i < headers.count; i++)
            bytes += strlen(headers.list[i].name) + strlen(headers.list[i].value);
        assert_int_equal(headers.bytes, bytes);
        http_headers_free(&headers);
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 20, ALLOCATIONS_MAX);
}

static bool build(struct http_request *request, struct buf *url)
{
    return http_request_set_origin(request, "https", "host") && buf_add_str(&request->path, "/path") &&
           http_request_add_query(request, "name", "value") && http_request_url(request, url);
}

TEST(a_request_without_memory_is_not_built)
{
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        struct http_request request;
        struct buf url;
        buf_init(&url, 1000);
        http_request_init(&request);
        alloc_fail_at(number);
        ok = build(&request, &url);
        alloc_fail_none();
        assert_int_equal(ok, !alloc_failed);
        http_request_free(&request);
        buf_free(&url);
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 5, ALLOCATIONS_MAX);
}
