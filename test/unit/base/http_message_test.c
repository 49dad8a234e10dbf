/* SPDX-License-Identifier: Apache-2.0 */
#include "base/http_message.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of_length(size_t len)
{
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, 'v', len);
    text[len] = '\0';
    return text;
}

/* ------------------------------------------------------------------------------------------------------- headers */

TEST(names_are_kept_in_lower_case_and_values_trimmed)
{
    struct http_headers headers = {0};
    assert_true(http_headers_add(&headers, "X-Amz-Date", " \tv a l\t "));
    assert_true(http_headers_add(&headers, "empty", "  "));
    assert_string_equal(headers.list[0].name, "x-amz-date");
    assert_string_equal(headers.list[0].value, "v a l");
    assert_string_equal(http_headers_get(&headers, "X-AMZ-DATE"), "v a l");
    assert_string_equal(http_headers_get(&headers, "Empty"), "");
    assert_null(http_headers_get(&headers, "x-amz"));
    assert_int_equal(headers.bytes, strlen("x-amz-date") + strlen("v a l") + strlen("empty"));
    http_headers_free(&headers);
    assert_int_equal(headers.count, 0);
    assert_null(headers.list);
}

TEST(slices_need_no_end)
{
    struct http_headers headers = {0};
    assert_true(http_headers_add_text(&headers, text_of("ETagXX", 4), text_of("\"abc\"rest", 5)));
    assert_string_equal(http_headers_get(&headers, "etag"), "\"abc\"");
    http_headers_free(&headers);
}

TEST(no_header_can_be_smuggled_in)
{
    static const char *const names[] = {"", "a b", "a:", "a\r\nb", "a\n", "a\x7f", "\xc3\xa4", "a\t", "(a)", "a/b"};
    static const char *const values[] = {"v\r\nx: y", "v\n", "\rv", "v\x01", "v\x7f", "v\x1bz"};
    struct http_headers headers = {0};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_false(http_headers_add(&headers, names[i], "v"));
    assert_true(http_headers_add(&headers, "a", "old"));
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_false(http_headers_add(&headers, "b", values[i]));
        assert_false(http_headers_set(&headers, "a", values[i]));
        assert_false(http_headers_set(&headers, "b", values[i]));
    }
    assert_false(http_headers_add_text(&headers, text_from("b"), text_of("a\0b", 3)));
    assert_false(http_headers_add_text(&headers, text_of("a\0b", 3), text_from("v")));
    assert_int_equal(headers.count, 1);
    assert_string_equal(headers.list[0].value, "old");
    assert_true(http_headers_add(&headers, "x-amz-meta-a", "tab\tand \xc3\xa4"));
    http_headers_free(&headers);
}

TEST(set_replaces_the_first_and_remove_takes_all)
{
    struct http_headers headers = {0};
    assert_true(http_headers_set(&headers, "a", "1"));
    assert_true(http_headers_add(&headers, "b", "2"));
    assert_true(http_headers_add(&headers, "A", "3"));
    assert_true(http_headers_set(&headers, "A", " four "));
    assert_int_equal(headers.count, 3);
    assert_string_equal(headers.list[0].value, "four");
    assert_string_equal(headers.list[2].value, "3");
    assert_int_equal(headers.bytes, 5 + 2 + 2);
    http_headers_remove(&headers, "a");
    assert_int_equal(headers.count, 1);
    assert_int_equal(headers.bytes, 2);
    assert_null(http_headers_get(&headers, "a"));
    assert_string_equal(http_headers_get(&headers, "b"), "2");
    http_headers_remove(&headers, "none");
    assert_int_equal(headers.count, 1);
    http_headers_free(&headers);
}

TEST(there_are_at_most_128_headers)
{
    struct http_headers headers = {0};
    for (int i = 0; i < HTTP_HEADERS_MAX; i++)
        assert_true(http_headers_add(&headers, "n", "v"));
    assert_false(http_headers_add(&headers, "n", "v"));
    assert_true(http_headers_set(&headers, "n", "w"));
    assert_int_equal(headers.count, HTTP_HEADERS_MAX);
    http_headers_free(&headers);
}

TEST(headers_have_at_most_64_kib)
{
    struct http_headers headers = {0};
    char *most = text_of_length(HTTP_HEADERS_BYTES_MAX - 2);
    char *more = text_of_length(HTTP_HEADERS_BYTES_MAX - 1);
    char *much = text_of_length((size_t)HTTP_HEADERS_BYTES_MAX * 2);
    assert_false(http_headers_add(&headers, "nn", more));
    assert_false(http_headers_add(&headers, "n", much));
    assert_false(http_headers_add(&headers, much, "v"));
    assert_true(http_headers_add(&headers, "nn", most));
    assert_int_equal(headers.bytes, HTTP_HEADERS_BYTES_MAX);
    assert_false(http_headers_add(&headers, "n", ""));
    assert_false(http_headers_set(&headers, "nn", more));
    assert_true(http_headers_set(&headers, "nn", "short"));
    assert_true(http_headers_set(&headers, "nn", most));
    http_headers_free(&headers);
    free(most);
    free(more);
    free(much);
}

/* ------------------------------------------------------------------------------------------------------ requests */

TEST(a_request_starts_with_nothing)
{
    struct http_request request;
    http_request_init(&request);
    assert_string_equal(request.method, "GET");
    assert_int_equal(request.body.kind, HTTP_BODY_NONE);
    assert_int_equal(request.body.fd, -1);
    assert_null(request.host);
    http_request_free(&request);
    http_request_free(&request);
}

TEST(its_url_is_origin_path_and_query)
{
    struct http_request request;
    struct buf url;
    buf_init(&url, 1000);
    http_request_init(&request);
    assert_true(http_request_set_origin(&request, "http", "old"));
    assert_true(http_request_set_origin(&request, "https", "h:9000"));
    assert_true(buf_add_str(&request.path, "/b/"));
    assert_true(text_percent_encode(&request.path, text_from("a//../b c"), true));
    assert_true(http_request_url(&request, &url));
    assert_string_equal(buf_str(&url), "https://h:9000/b/a//../b%20c");
    buf_reset(&url);
    assert_true(http_request_add_query(&request, "list-type", "2"));
    assert_true(http_request_add_query(&request, "prefix", "a/b c&d=e"));
    assert_true(http_request_add_query(&request, "x", ""));
    assert_true(http_request_url(&request, &url));
    assert_string_equal(buf_str(&url), "https://h:9000/b/a//../b%20c?list-type=2&prefix=a%2Fb%20c%26d%3De&x=");
    buf_free(&url);
    http_request_free(&request);
    assert_null(request.host);
}

TEST(a_url_that_does_not_fit_or_was_not_built_is_none)
{
    struct http_request request;
    struct buf url;
    char *much = text_of_length(HTTP_TARGET_MAX);
    buf_init(&url, 10);
    http_request_init(&request);
    assert_true(http_request_set_origin(&request, "https", "example"));
    assert_false(http_request_url(&request, &url));
    buf_free(&url);
    buf_init(&url, 100000);
    assert_false(http_request_add_query(&request, "n", much));
    assert_false(http_request_add_query(&request, "n", "v"));
    assert_false(http_request_url(&request, &url));
    http_request_free(&request);
    assert_true(http_request_set_origin(&request, "https", "example"));
    assert_true(buf_add_str(&request.path, much));
    assert_true(http_request_url(&request, &url));
    assert_false(buf_add_char(&request.path, 'x'));
    assert_false(http_request_url(&request, &url));
    buf_free(&url);
    http_request_free(&request);
    free(much);
}

TEST(a_response_keeps_a_body_of_its_size_and_no_more)
{
    struct http_response response;
    http_response_init(&response, 4);
    assert_int_equal(response.status, 0);
    assert_true(buf_add_str(&response.body, "1234"));
    assert_false(buf_add_str(&response.body, "5"));
    response.status = 200;
    assert_true(http_headers_add(&response.headers, "etag", "x"));
    http_response_free(&response);
    assert_int_equal(response.status, 0);
    assert_int_equal(response.headers.count, 0);
    assert_true(buf_add_str(&response.body, "1234"));
    http_response_free(&response);
}

TEST(a_response_is_copied_with_and_without_a_body)
{
    for (int full = 0; full < 2; full++) {
        struct http_response from;
        struct http_response to;
        http_response_init(&from, 8);
        http_response_init(&to, 3);
        from.status = 404;
        assert_true(http_headers_add(&from.headers, "date", "today"));
        assert_true(full == 0 || buf_add_str(&from.body, "abc"));
        assert_true(http_response_copy(&from, &to));
        assert_int_equal(to.status, 404);
        assert_string_equal(http_headers_get(&to.headers, "date"), "today");
        assert_int_equal(to.body.len, from.body.len);
        assert_true(buf_add_str(&from.body, "more"));
        assert_false(http_response_copy(&from, &to)); /* the other has no room */
        http_response_free(&from);
        http_response_free(&to);
    }
}
