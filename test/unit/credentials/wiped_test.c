/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with keys, and tokens of requests, are wiped before their memory is given back. What libcurl and the parsers
 * copy is theirs. */
#include "aws/sigv4.h"
#include "unit/credentials/sources.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ANSWER_BEGIN "{\"Code\":\"Success\""

static atomic_bool looks;
static atomic_uint given_back; /* blocks that still begin as an answer does, or have a token */

/* As a header, and as a line for libcurl, whose own have no NUL behind them. */
static const char token_header[] = "authorization\0Basic HUSH=";
static const char token_line[] = "authorization: Basic HUSH=";
static const char session_token[] = "HUSH-session";

/* glibc's own. */
extern void __libc_free(void *block);
extern void *__libc_malloc(size_t size);

static bool has_secret(void *block)
{
    size_t size = malloc_usable_size(block);
    return (size > strlen(ANSWER_BEGIN) && memcmp(block, ANSWER_BEGIN, strlen(ANSWER_BEGIN)) == 0) ||
           memmem(block, size, token_header, sizeof(token_header)) != NULL ||
           memmem(block, size, token_line, sizeof(token_line)) != NULL ||
           memmem(block, size, session_token, strlen(session_token)) != NULL;
}

__attribute__((visibility("default"))) void free(void *block)
{
    if (looks && block != NULL)
        given_back += has_secret(block);
    __libc_free(block);
}

/* Always at another place, so that what was there is seen. */
__attribute__((visibility("default"))) void *realloc(void *block, size_t size)
{
    size_t old = block != NULL ? malloc_usable_size(block) : 0;
    void *grown = __libc_malloc(size);
    if (grown == NULL)
        return NULL;
    if (old > 0)
        memcpy(grown, block, old < size ? old : size);
    free(block);
    return grown;
}

static void fill(bool secret)
{
    struct buf buf;
    buf_init(&buf, 1 << 16);
    buf.secret = secret;
    for (int i = 0; i < 100; i++)
        buf_add_str(&buf, ANSWER_BEGIN);
    buf_reset(&buf);
    buf_add_str(&buf, ANSWER_BEGIN);
    assert_true(buf_ok(&buf));
    looks = true;
    for (int i = 0; i < 1000; i++)
        buf_add_str(&buf, ANSWER_BEGIN);
    buf_free(&buf);
    buf_add_str(&buf, ANSWER_BEGIN);
    buf_free(&buf);
    looks = false;
}

TEST(a_secret_buffer_is_wiped_when_it_grows_and_ends)
{
    given_back = 0;
    fill(false);
    assert_true(given_back >= 3); /* so it is seen where it is not */
    given_back = 0;
    fill(true);
    assert_int_equal(given_back, 0);
}

TEST_WITH(sources, an_answer_with_keys_is_wiped)
{
    char json[400];
    sources_name_server(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/role");
    sources_json("id", json);
    assert_memory_equal(json, ANSWER_BEGIN, strlen(ANSWER_BEGIN));
    sources_answer(sources, "200 OK", json);
    given_back = 0;
    looks = true;
    sources_expect(sources, NULL, "container", "id", "t");
    looks = false;
    assert_int_equal(given_back, 0);
}

TEST_WITH(sources, a_request_with_a_token_is_wiped)
{
    sources_name_server(sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "/role");
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic HUSH=", 1);
    sources_give_keys(sources, "id", 3600, false);
    given_back = 0;
    looks = true;
    sources_expect(sources, NULL, "container", "id", "t");
    looks = false;
    sources_check_header(sources_request(sources, 0), "authorization", "Basic HUSH=");
    assert_int_equal(given_back, 0);
}

TEST(a_header_is_wiped_when_it_is_replaced_or_removed)
{
    struct http_headers headers = {0};
    given_back = 0;
    looks = true;
    assert_true(http_headers_add(&headers, "Authorization", "Basic HUSH="));
    assert_true(http_headers_set(&headers, "authorization", "Basic HUSH="));
    http_headers_remove(&headers, "authorization");
    looks = false;
    http_headers_free(&headers);
    assert_int_equal(given_back, 0);
}

static void sign(bool in_query)
{
    const struct sigv4_keys keys = {"id", "secret", session_token};
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", "s3");
    struct http_request request;
    http_request_init(&request);
    assert_true(http_request_set_origin(&request, "https", "host"));
    buf_add_str(&request.path, "/k");
    looks = true;
    bool is_signed = in_query ? sigv4_sign_query(signer, &keys, 1000000000, 60, &request)
                              : sigv4_sign_header(signer, &keys, 1000000000, SIGV4_UNSIGNED_PAYLOAD, &request);
    http_request_free(&request);
    looks = false;
    assert_true(is_signed);
    sigv4_signer_free(signer);
}

TEST(a_session_token_is_wiped_that_a_request_was_signed_with)
{
    given_back = 0;
    sign(false);
    assert_int_equal(given_back, 0);
    sign(true);
    assert_int_equal(given_back, 0);
}
