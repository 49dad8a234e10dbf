/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/sigv4.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW_S = 1700000000, SLACK_BYTES = 1200 /* a request that is refused has at most so much room left */ };

static char *text_of_length(size_t len, char c)
{
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, c, len);
    text[len] = '\0';
    return text;
}

/* A request with `header_count` headers of short names, whose values have `header_bytes` together. */
static void build(struct http_request *ret, size_t header_count, size_t header_bytes)
{
    http_request_init(ret);
    ret->method = "PUT";
    assert_true(http_request_set_origin(ret, "https", "bucket.example"));
    assert_true(buf_add_str(&ret->path, "/key"));
    for (size_t i = 0; i < header_count; i++) {
        char name[32];
        size_t share = header_bytes / header_count + (i == 0 ? header_bytes % header_count : 0);
        char *value = text_of_length(share, 'v');
        snprintf(name, sizeof(name), "x-amz-meta-%zu", i);
        assert_true(http_headers_add(&ret->headers, name, value));
        free(value);
    }
}

struct outcome {
    os_code checked;
    bool is_signed;
};

static struct outcome sign(struct sigv4_signer *signer, const char *token, size_t header_count, size_t header_bytes,
                           bool in_query)
{
    const struct sigv4_keys keys = {"AKIDEXAMPLE", "secret", token};
    struct http_request request;
    struct outcome outcome;
    os_error err = {.code = OS_OK};
    build(&request, header_count, header_bytes);
    outcome.checked = sigv4_check_size(&keys, &request, in_query, &err);
    outcome.is_signed = in_query ? sigv4_sign_query(signer, &keys, NOW_S, 5, &request)
                                 : sigv4_sign_header(signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &request);
    if (outcome.checked != OS_OK) {
        assert_int_equal(outcome.checked, OS_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, in_query ? "16384" : "65536"));
        assert_null(strstr(err.message, "vvv"));
    }
    http_request_free(&request);
    return outcome;
}

TEST(headers_that_leave_no_room_are_told_from_want_of_memory)
{
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", "s3");
    size_t refused_from = 0;
    for (size_t bytes = 62000; bytes < 65000; bytes += 7) {
        struct outcome outcome = sign(signer, "token", 10, bytes, false);
        assert_true(outcome.checked != OS_OK || outcome.is_signed);
        if (outcome.checked != OS_OK && refused_from == 0)
            refused_from = bytes;
    }
    assert_true(refused_from > 0);
    assert_true(sign(signer, "token", 10, refused_from - SLACK_BYTES, false).checked == OS_OK);
    assert_false(sign(signer, "token", 10, 65000, false).is_signed);
    sigv4_signer_free(signer);
}

TEST(a_header_too_many_is_refused)
{
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", "s3");
    for (size_t count = 100; count <= HTTP_HEADERS_MAX; count++) {
        struct outcome outcome = sign(signer, "token", count, count, false);
        assert_true(outcome.checked != OS_OK || outcome.is_signed);
    }
    assert_int_equal(sign(signer, "token", HTTP_HEADERS_MAX, 200, false).checked, OS_ERR_ARGUMENT);
    assert_int_equal(sign(signer, "token", 100, 200, false).checked, OS_OK);
    sigv4_signer_free(signer);
}

TEST(a_token_counts_as_it_stands_in_a_query)
{
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", "s3");
    const char letters[] = "a/";
    for (size_t i = 0; i < 2; i++) {
        for (size_t bytes = 4000; bytes <= SIGV4_SESSION_TOKEN_MAX; bytes += 13) {
            char *token = text_of_length(bytes, letters[i]);
            struct outcome outcome = sign(signer, token, 5, 100, true);
            assert_true(outcome.checked != OS_OK || outcome.is_signed);
            assert_true(letters[i] == '/' || outcome.checked == OS_OK);
            free(token);
        }
    }
    char *token = text_of_length(SIGV4_SESSION_TOKEN_MAX, '/');
    assert_int_equal(sign(signer, token, 5, 100, true).checked, OS_ERR_ARGUMENT);
    free(token);
    sigv4_signer_free(signer);
}
