/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of HTTP answers out of raw bytes. */
#include "s3_test.h"

#include "s3/answer_head.h"

static enum answer_head_outcome read_bytes(const char *bytes, size_t length, struct http_response *ret, size_t *offset)
{
    http_response_init(ret, 0);
    return answer_head_read(text_of(bytes, length), ret, offset);
}

static void check_outcome(const char *bytes, enum answer_head_outcome expected)
{
    struct http_response response;
    size_t offset = 0;
    enum answer_head_outcome outcome = read_bytes(bytes, strlen(bytes), &response, &offset);
    http_response_free(&response);
    if (outcome != expected)
        fail_msg("%d instead of %d for: %s", (int)outcome, (int)expected, bytes);
}

TEST(status_and_headers_are_read)
{
    static const char bytes[] = "HTTP/1.1 412 Precondition Failed\r\nETag: \"e\"\r\nX-Amz-Request-Id:  R \r\n\r\nbody";
    struct http_response response;
    size_t offset = 0;
    assert_int_equal(read_bytes(bytes, sizeof(bytes) - 1, &response, &offset), ANSWER_HEAD_WHOLE);
    assert_int_equal(response.status, 412);
    assert_string_equal(http_headers_get(&response.headers, "etag"), "\"e\"");
    assert_string_equal(http_headers_get(&response.headers, "x-amz-request-id"), "R");
    assert_string_equal(bytes + offset, "body");
    http_response_free(&response);
    assert_int_equal(read_bytes("HTTP/1.0 200\n\n", 14, &response, &offset), ANSWER_HEAD_WHOLE);
    assert_int_equal(response.status, 200);
    assert_int_equal(offset, 14);
    http_response_free(&response);
}

TEST(interim_answers_are_skipped)
{
    static const char bytes[] =
        "HTTP/1.1 100 Continue\r\nX: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nY: 2\r\n\r\n";
    struct http_response response;
    size_t offset = 0;
    assert_int_equal(read_bytes(bytes, sizeof(bytes) - 1, &response, &offset), ANSWER_HEAD_WHOLE);
    assert_int_equal(response.status, 200);
    assert_int_equal(response.headers.count, 1);
    assert_int_equal(offset, sizeof(bytes) - 1);
    http_response_free(&response);
    check_outcome("", ANSWER_HEAD_NONE);
    check_outcome("HTTP/1.1 100 Continue\r\n\r\n", ANSWER_HEAD_NONE);
}

TEST(a_head_cut_at_any_byte_is_cut)
{
    static const char bytes[] = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"e\"\r\n\r\n";
    for (size_t len = 1; len < sizeof(bytes) - 1; len++) {
        struct http_response response;
        size_t offset = 77;
        enum answer_head_outcome expected = len == 25 ? ANSWER_HEAD_NONE : ANSWER_HEAD_CUT;
        assert_int_equal(read_bytes(bytes, len, &response, &offset), expected);
        assert_int_equal(response.status, 0);
        assert_int_equal(response.headers.count, 0);
        assert_int_equal(offset, 77);
        http_response_free(&response);
    }
}

TEST(what_is_no_http_1_answer_is_foreign)
{
    static const char *const answers[] = {
        "SSH-2.0-OpenSSH\r\n",         "<html>",
        "HTTP/2 200\r\n\r\n",          "HTTP/1.2 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",      "HTTP/1.1 700 OK\r\n\r\n",
        "HTTP/1.1 -1 OK\r\n\r\n",      "HTTP/1.1 200OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n",    "HTTP/1.1 99999999999999999999 OK\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nrubbish",
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        check_outcome(answers[i], ANSWER_HEAD_FOREIGN);
}

TEST(lines_that_are_no_headers_are_left_out)
{
    static const char bytes[] = "HTTP/1.1 200 OK\r\nno colon\r\n: nameless\r\na b: 1\r\n folded: 1\r\nctl: \x01\r\n"
                                "good: 1\r\n\r\n";
    struct http_response response;
    size_t offset = 0;
    assert_int_equal(read_bytes(bytes, sizeof(bytes) - 1, &response, &offset), ANSWER_HEAD_WHOLE);
    assert_int_equal(response.headers.count, 1);
    assert_string_equal(http_headers_get(&response.headers, "good"), "1");
    http_response_free(&response);
}

TEST(more_headers_than_can_be_kept_are_foreign)
{
    for (int count = HTTP_HEADERS_MAX; count <= HTTP_HEADERS_MAX + 1; count++) {
        struct buf bytes;
        buf_init(&bytes, 65536);
        buf_add_str(&bytes, "HTTP/1.1 200 OK\r\n");
        for (int i = 0; i < count; i++)
            buf_add_f(&bytes, "x-%d: v\r\n", i);
        buf_add_str(&bytes, "\r\n");
        check_outcome(buf_str(&bytes), count <= HTTP_HEADERS_MAX ? ANSWER_HEAD_WHOLE : ANSWER_HEAD_FOREIGN);
        buf_free(&bytes);
    }
}

TEST(a_control_character_in_a_value_leaves_the_line_out)
{
    static const char bytes[] = "HTTP/1.1 200 OK\r\na: x\x7fy\r\nb: x\ty\r\nc: x\x01y\r\nd\0: v\r\n\r\n";
    struct http_response response;
    size_t offset = 0;
    assert_int_equal(read_bytes(bytes, sizeof(bytes) - 1, &response, &offset), ANSWER_HEAD_WHOLE);
    assert_int_equal(response.headers.count, 1);
    assert_string_equal(http_headers_get(&response.headers, "b"), "x\ty");
    http_response_free(&response);
    check_outcome("HTTP/1.2 200 OK\r\n\r\n", ANSWER_HEAD_FOREIGN);
    check_outcome("HTTP/1.1200 OK\r\n\r\n", ANSWER_HEAD_FOREIGN);
    check_outcome("HTTP/1.1 600 OK\r\n\r\n", ANSWER_HEAD_FOREIGN);
}

TEST(headers_of_more_bytes_than_can_be_kept_are_foreign)
{
    struct buf bytes;
    buf_init(&bytes, 4 * HTTP_HEADERS_BYTES_MAX);
    buf_add_str(&bytes, "HTTP/1.1 200 OK\r\nx: ");
    for (size_t i = 0; i < HTTP_HEADERS_BYTES_MAX; i++)
        buf_add_char(&bytes, 'v');
    buf_add_str(&bytes, "\r\n\r\n");
    check_outcome(buf_str(&bytes), ANSWER_HEAD_FOREIGN);
    buf_free(&bytes);
}

TEST(a_version_of_http_without_a_blank_behind_it_is_foreign)
{
    check_outcome("HTTP/1.0", ANSWER_HEAD_CUT);
    check_outcome("HTTP/1.0x200 OK\r\n\r\n", ANSWER_HEAD_FOREIGN);
    check_outcome("HTTP/2 200 OK\r\n\r\n", ANSWER_HEAD_FOREIGN);
}
