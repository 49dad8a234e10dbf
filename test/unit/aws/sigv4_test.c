/* SPDX-License-Identifier: Apache-2.0 */
/* Signing for S3: the examples of its documentation, the rules of its two forms, and the limits. */
#include "aws/sigv4.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW_S = 1369353600 /* 2013-05-24T00:00:00Z */ };

static const struct sigv4_keys keys = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", NULL};

static void make(struct http_request *ret, const char *method, const char *path)
{
    http_request_init(ret);
    ret->method = method;
    assert_true(http_request_set_origin(ret, "https", "examplebucket.s3.amazonaws.com"));
    assert_true(buf_add_str(&ret->path, path));
}

static struct sigv4_signer *signer_for(const char *service)
{
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", service);
    assert_non_null(signer);
    return signer;
}

/* A request, and its stages. */
struct signing {
    struct sigv4_signer *signer; /* for S3 */
    struct http_request request;
    struct buf canonical;
    struct buf names;
    struct buf to_sign;
};

static void signing_set_up(struct signing *ret)
{
    ret->signer = signer_for("s3");
    http_request_init(&ret->request);
    buf_init(&ret->canonical, 4096);
    buf_init(&ret->names, 4096);
    buf_init(&ret->to_sign, 4096);
}

static void signing_tear_down(struct signing *signing)
{
    sigv4_signer_free(signing->signer);
    http_request_free(&signing->request);
    buf_free(&signing->canonical);
    buf_free(&signing->names);
    buf_free(&signing->to_sign);
}

static void expect_signature(const struct http_request *request, const char *wanted)
{
    const char *value = http_headers_get(&request->headers, "authorization");
    assert_non_null(value);
    const char *at = strstr(value, "Signature=");
    assert_non_null(at);
    assert_string_equal(at + strlen("Signature="), wanted);
}

static void sign_and_expect(struct http_request *request, const char *payload, const char *wanted)
{
    struct sigv4_signer *signer = signer_for("s3");
    assert_true(sigv4_sign_header(signer, &keys, NOW_S, payload, request));
    expect_signature(request, wanted);
    sigv4_signer_free(signer);
    http_request_free(request);
}

/* ------------------- Amazon S3 API Reference, "Signature Calculations for the Authorization Header" */

TEST(the_documented_get_of_a_range_is_signed_as_documented)
{
    struct http_request request;
    make(&request, "GET", "/test.txt");
    assert_true(http_headers_add(&request.headers, "Range", "bytes=0-9"));
    sign_and_expect(&request, SIGV4_EMPTY_SHA256, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(the_documented_put_is_signed_as_documented)
{
    struct http_request request;
    char payload[65];
    const char body[] = "Welcome to Amazon S3.";
    assert_true(sha256_hex(body, strlen(body), payload));
    make(&request, "PUT", "/test%24file.text");
    assert_true(http_headers_add(&request.headers, "Date", "Fri, 24 May 2013 00:00:00 GMT"));
    assert_true(http_headers_add(&request.headers, "x-amz-storage-class", "REDUCED_REDUNDANCY"));
    sign_and_expect(&request, payload, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(the_documented_get_of_a_subresource_is_signed_as_documented)
{
    struct http_request request;
    make(&request, "GET", "/");
    assert_true(buf_add_str(&request.query, "lifecycle"));
    sign_and_expect(&request, SIGV4_EMPTY_SHA256, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(the_documented_listing_is_signed_as_documented)
{
    struct http_request request;
    make(&request, "GET", "/");
    assert_true(http_request_add_query(&request, "max-keys", "2") && http_request_add_query(&request, "prefix", "J"));
    sign_and_expect(&request, SIGV4_EMPTY_SHA256, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST_WITH(signing, the_stages_of_the_documented_get_are_as_documented)
{
    make(&signing->request, "GET", "/test.txt");
    assert_true(http_headers_add(&signing->request.headers, "x-amz-date", "20130524T000000Z"));
    assert_true(http_headers_add(&signing->request.headers, "x-amz-content-sha256", SIGV4_EMPTY_SHA256));
    assert_true(http_headers_add(&signing->request.headers, "Range", "bytes=0-9"));
    assert_true(sigv4_canonical_request(&signing->request, SIGV4_EMPTY_SHA256, &signing->canonical, &signing->names));
    assert_string_equal(buf_str(&signing->canonical),
                        "GET\n/test.txt\n\nhost:examplebucket.s3.amazonaws.com\nrange:bytes=0-9\n"
                        "x-amz-content-sha256:" SIGV4_EMPTY_SHA256 "\n"
                        "x-amz-date:20130524T000000Z\n\n"
                        "host;range;x-amz-content-sha256;x-amz-date\n" SIGV4_EMPTY_SHA256);
    assert_string_equal(buf_str(&signing->names), "host;range;x-amz-content-sha256;x-amz-date");
    assert_true(sigv4_string_to_sign("us-east-1", "s3", NOW_S, buf_str(&signing->canonical), &signing->to_sign));
    assert_string_equal(buf_str(&signing->to_sign),
                        "AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n"
                        "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972");
}

/* Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters". */
TEST_WITH(signing, the_documented_query_signature_comes_out)
{
    make(&signing->request, "GET", "/test.txt");
    assert_true(sigv4_sign_query(signing->signer, &keys, NOW_S, 86400, &signing->request));
    assert_string_equal(
        buf_str(&signing->request.query),
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2F"
        "s3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    assert_int_equal(signing->request.headers.count, 0);
}

/* ------------------------------------------------------------------------------------ what is in a signed request */

TEST_WITH(signing, a_token_goes_into_a_signed_header)
{
    struct sigv4_keys temporary = keys;
    temporary.session_token = "AQoDYX/+==";
    make(&signing->request, "GET", "/k");
    assert_true(sigv4_sign_header(signing->signer, &temporary, NOW_S, SIGV4_EMPTY_SHA256, &signing->request));
    assert_string_equal(http_headers_get(&signing->request.headers, "x-amz-security-token"), "AQoDYX/+==");
    assert_non_null(strstr(http_headers_get(&signing->request.headers, "authorization"),
                           "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"));
}

TEST_WITH(signing, a_token_goes_into_the_signed_query_and_into_no_header)
{
    struct sigv4_keys temporary = keys;
    temporary.session_token = "AQoDYX/+==";
    make(&signing->request, "PUT", "/k");
    assert_true(sigv4_sign_query(signing->signer, &temporary, NOW_S, 5, &signing->request));
    assert_non_null(strstr(buf_str(&signing->request.query),
                           "&X-Amz-Expires=5&X-Amz-Security-Token=AQoDYX%2F%2B%3D%3D&X-Amz-"
                           "SignedHeaders=host&X-Amz-Signature="));
    assert_null(http_headers_get(&signing->request.headers, "x-amz-security-token"));
}

TEST_WITH(signing, the_query_is_sorted_around_what_signing_adds)
{
    make(&signing->request, "PUT", "/k");
    assert_true(buf_add_str(&signing->request.query, "uploadId=u&partNumber=1&Z=z&A&A-=&A=1"));
    assert_true(sigv4_sign_query(signing->signer, &keys, NOW_S, 5, &signing->request));
    assert_true(text_starts(text_from(buf_str(&signing->request.query)), "A=&A=1&A-=&X-Amz-Algorithm="));
    assert_non_null(strstr(buf_str(&signing->request.query),
                           "&X-Amz-SignedHeaders=host&Z=z&partNumber=1&uploadId=u&X-Amz-Signature="));
}

TEST_WITH(signing, every_header_of_a_query_signed_request_is_signed)
{
    make(&signing->request, "PUT", "/k");
    assert_true(http_headers_add(&signing->request.headers, "X-Amz-Meta-Nonce", "n"));
    assert_true(http_headers_add(&signing->request.headers, "If-None-Match", "*"));
    assert_true(sigv4_sign_query(signing->signer, &keys, NOW_S, 5, &signing->request));
    assert_non_null(strstr(buf_str(&signing->request.query),
                           "X-Amz-SignedHeaders=host%3Bif-none-match%3Bx-amz-meta-nonce&X-Amz-Signature="));
}

TEST(a_request_to_dynamodb_has_no_content_hash_header)
{
    struct http_request request;
    struct sigv4_signer *signer = signer_for("dynamodb");
    make(&request, "POST", "/");
    assert_true(http_headers_add(&request.headers, "X-Amz-Target", "DynamoDB_20120810.GetItem"));
    assert_true(sigv4_sign_header(signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &request));
    assert_null(http_headers_get(&request.headers, "x-amz-content-sha256"));
    assert_string_equal(http_headers_get(&request.headers, "x-amz-date"), "20130524T000000Z");
    assert_non_null(strstr(http_headers_get(&request.headers, "authorization"),
                           "/20130524/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, "));
    sigv4_signer_free(signer);
    http_request_free(&request);
}

TEST_WITH(signing, slashes_dots_and_escapes_of_a_key_are_signed_as_they_are_sent)
{
    make(&signing->request, "GET", "/b//a/../%20%2B%25/./%C3%A9");
    assert_true(sigv4_canonical_request(&signing->request, SIGV4_EMPTY_SHA256, &signing->canonical, &signing->names));
    assert_true(text_starts(text_from(buf_str(&signing->canonical)), "GET\n/b//a/../%20%2B%25/./%C3%A9\n\nhost:"));
}

TEST_WITH(signing, blanks_inside_a_header_count_as_one)
{
    make(&signing->request, "GET", "/");
    assert_true(http_headers_add(&signing->request.headers, "x-amz-meta-a", " \t one \t  two\tthree  "));
    assert_true(http_headers_add(&signing->request.headers, "x-amz-meta-b", ""));
    assert_true(sigv4_canonical_request(&signing->request, SIGV4_EMPTY_SHA256, &signing->canonical, &signing->names));
    assert_non_null(strstr(buf_str(&signing->canonical), "\nx-amz-meta-a:one two three\nx-amz-meta-b:\n\n"));
}

/* --------------------------------------------------------------------------------------------------- signers */

static void sign_once(struct sigv4_signer *signer, const struct sigv4_keys *with, int64_t now_s, char *ret)
{
    struct http_request request;
    make(&request, "GET", "/k");
    assert_true(sigv4_sign_header(signer, with, now_s, SIGV4_EMPTY_SHA256, &request));
    const char *at = strstr(http_headers_get(&request.headers, "authorization"), "Signature=");
    assert_non_null(at);
    snprintf(ret, 80, "%s", at);
    http_request_free(&request);
}

/* The key of the day is kept: so another day, another secret, and the way back must each give what a new signer gives.
 */
TEST(a_kept_key_serves_its_own_day_and_secret_only)
{
    struct sigv4_keys other = keys;
    other.secret_access_key = "another/secret";
    const struct {
        const struct sigv4_keys *keys;
        int64_t now_s;
    } steps[] = {{&keys, NOW_S}, {&keys, NOW_S + 86399}, {&keys, NOW_S + 86400}, {&other, NOW_S + 86400},
                 {&keys, NOW_S}, {&other, NOW_S},        {&keys, NOW_S}};
    struct sigv4_signer *old = signer_for("s3");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char kept[80];
        char fresh[80];
        struct sigv4_signer *new = signer_for("s3");
        sign_once(old, steps[i].keys, steps[i].now_s, kept);
        sign_once(new, steps[i].keys, steps[i].now_s, fresh);
        assert_string_equal(kept, fresh);
        sigv4_signer_free(new);
    }
    sigv4_signer_free(old);
}

TEST_WITH(signing, a_request_signed_again_gets_a_signature_in_place_of_the_old_one)
{
    struct sigv4_keys temporary = keys;
    temporary.session_token = "t";
    make(&signing->request, "GET", "/test.txt");
    assert_true(http_headers_add(&signing->request.headers, "Range", "bytes=0-9"));
    assert_true(sigv4_sign_header(signing->signer, &temporary, NOW_S + 5, SIGV4_UNSIGNED_PAYLOAD, &signing->request));
    assert_true(sigv4_sign_header(signing->signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &signing->request));
    expect_signature(&signing->request, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    assert_int_equal(signing->request.headers.count, 4);
}

TEST_WITH(signing, no_secret_is_left_in_a_signed_request)
{
    make(&signing->request, "GET", "/k");
    assert_true(sigv4_sign_header(signing->signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &signing->request));
    for (size_t i = 0; i < signing->request.headers.count; i++)
        assert_null(strstr(signing->request.headers.list[i].value, keys.secret_access_key));
}

/* ---------------------------------------------------------------------------------------------------- limits */

static bool signs_for(uint32_t expires_s)
{
    struct http_request request;
    struct sigv4_signer *signer = signer_for("s3");
    make(&request, "PUT", "/k");
    bool ok = sigv4_sign_query(signer, &keys, NOW_S, expires_s, &request);
    sigv4_signer_free(signer);
    http_request_free(&request);
    return ok;
}

TEST(a_query_signature_is_valid_for_a_second_to_a_week)
{
    assert_false(signs_for(0));
    assert_true(signs_for(1));
    assert_true(signs_for(604800));
    assert_false(signs_for(604801));
    assert_false(signs_for(UINT32_MAX));
}

static bool signs_parameters(size_t count)
{
    struct http_request request;
    struct sigv4_signer *signer = signer_for("s3");
    make(&request, "GET", "/k");
    for (size_t i = 0; i < count; i++)
        assert_true(http_request_add_query(&request, "p", "v"));
    bool ok = sigv4_sign_header(signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &request);
    sigv4_signer_free(signer);
    http_request_free(&request);
    return ok;
}

TEST(a_query_has_at_most_64_parameters)
{
    assert_true(signs_parameters(64));
    assert_false(signs_parameters(65));
}

static bool signs_with(const char *id, const char *secret, const char *token)
{
    struct sigv4_keys with = {id, secret, token};
    struct http_request request;
    struct sigv4_signer *signer = signer_for("s3");
    make(&request, "GET", "/k");
    bool ok = sigv4_sign_header(signer, &with, NOW_S, SIGV4_EMPTY_SHA256, &request);
    sigv4_signer_free(signer);
    http_request_free(&request);
    return ok;
}

static char *text_of_length(size_t len)
{
    char *text = malloc(len + 1);
    assert_non_null(text);
    memset(text, 'k', len);
    text[len] = '\0';
    return text;
}

TEST(keys_that_are_too_long_are_refused)
{
    char *fits = text_of_length(511);
    char *over = text_of_length(512);
    assert_true(signs_with("id", fits, NULL));
    assert_false(signs_with("id", over, NULL));
    assert_false(signs_with(over, "secret", NULL));
    free(fits);
    free(over);
    char *token = text_of_length(70000);
    assert_false(signs_with("id", "secret", token));
    free(token);
}

TEST(keys_that_would_forge_a_header_are_refused)
{
    assert_false(signs_with("id\r\nx-evil: 1", "secret", NULL));
    assert_false(signs_with("id", "secret", "token\nx-evil: 1"));
    assert_true(signs_with("id", "secret", ""));
}

TEST(names_that_are_too_long_make_no_signer)
{
    char *region = text_of_length(63);
    struct sigv4_signer *signer = sigv4_signer_new(region, "s3");
    assert_non_null(signer);
    sigv4_signer_free(signer);
    free(region);
    region = text_of_length(64);
    assert_null(sigv4_signer_new(region, "s3"));
    assert_null(sigv4_signer_new("us-east-1", region));
    free(region);
    sigv4_signer_free(NULL);
}

TEST(a_request_that_failed_to_be_built_is_not_signed)
{
    struct http_request request;
    struct sigv4_signer *signer = signer_for("s3");
    char *path = text_of_length(HTTP_TARGET_MAX + 1);
    http_request_init(&request);
    assert_true(http_request_set_origin(&request, "https", "h"));
    assert_false(buf_add_str(&request.path, path));
    assert_false(sigv4_sign_header(signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, &request));
    assert_false(sigv4_sign_query(signer, &keys, NOW_S, 5, &request));
    http_request_free(&request);
    assert_false(sigv4_sign_query(signer, &keys, NOW_S, 5, &request)); /* no host */
    http_request_free(&request);
    free(path);
    sigv4_signer_free(signer);
}
