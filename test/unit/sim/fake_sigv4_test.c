/* SPDX-License-Identifier: Apache-2.0 */
/* The fakes' judge of signatures: on the published vectors, and on what the library's signer makes. */
#include "sim/fake_sigv4.h"
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "support/data_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR_MS 1440938160000u /* 2015-08-30T12:36:00Z */

enum { SKEW_S = 900, SKEW_MS = 1000 * SKEW_S };

static enum fake_sigv4_verdict judge(struct fake_sigv4 *sigv4, const struct buf *bytes, uint64_t now_ms)
{
    struct fake_request request;
    if (!fake_request_parse(bytes->data, bytes->len, &request))
        return 0; /* refused before anything is judged */
    return fake_sigv4_judge(sigv4, &request, now_ms, false, NULL);
}

static struct fake_sigv4 *judge_of(const char *region, const char *service, const char *token)
{
    struct fake_sigv4 *sigv4 = fake_sigv4_new(region, service, SKEW_S);
    assert_non_null(sigv4);
    assert_true(fake_sigv4_rotate(sigv4, WIRE_ACCESS, WIRE_SECRET, token));
    return sigv4;
}

/* ------------------------------------------------------------------------------------------------------- vectors */

static const char vector_token[] = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267";

static struct text next_line(struct text *rest)
{
    struct text line;
    if (!text_take_until(rest, '\n', &line)) {
        line = *rest;
        rest->len = 0;
    }
    return line;
}

/* What HTTP does not let into a request line is encoded. */
static void add_request_line(struct buf *out, struct text line)
{
    static const char end[] = " HTTP/1.1";
    struct text method;
    assert_true(text_take_until(&line, ' ', &method) && line.len > sizeof(end) - 1);
    line.len -= sizeof(end) - 1;
    buf_add(out, method.p, method.len);
    buf_add_char(out, ' ');
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.p[i];
        if (c <= ' ' || c >= 0x7f)
            buf_add_f(out, "%%%02X", c);
        else
            buf_add_char(out, (char)c);
    }
    buf_add_str(out, " HTTP/1.1\r\n");
}

/* A file of the suite as the bytes of a request. `in_query`: its X-Amz-Date header, which is not signed, is left out.
 */
static void vector_bytes(const char *text, const char *authorization, bool in_query, struct buf *ret, char *ret_token)
{
    struct text rest = text_from(text);
    bool has_length = false;
    buf_init(ret, 65536);
    ret_token[0] = '\0';
    add_request_line(ret, next_line(&rest));
    while (rest.len > 0) {
        struct text line = next_line(&rest);
        struct text value = line;
        struct text name;
        if (line.len == 0)
            break;
        assert_true(text_take_until(&value, ':', &name));
        if (in_query && text_is_nocase(name, "x-amz-date"))
            continue;
        has_length = has_length || text_is_nocase(name, "content-length");
        if (text_is_nocase(name, "x-amz-security-token"))
            assert_true(text_copy(value, ret_token, 512));
        buf_add(ret, line.p, line.len);
        buf_add_str(ret, "\r\n");
    }
    if (authorization != NULL)
        buf_add_f(ret, "Authorization: %s\r\n", authorization);
    if (rest.len > 0 && !has_length)
        buf_add_f(ret, "Content-Length: %zu\r\n", rest.len);
    if (authorization != NULL && strstr(authorization, "x-amz-security-token") != NULL && ret_token[0] == '\0') {
        buf_add_f(ret, "X-Amz-Security-Token: %s\r\n", vector_token);
        memcpy(ret_token, vector_token, sizeof(vector_token));
    }
    buf_add_str(ret, "\r\n");
    buf_add(ret, rest.p, rest.len);
    assert_true(buf_ok(ret));
}

/* Good as it is, and bad with another signature. */
static void check_vector(const char *name, struct buf *bytes, const char *token, const char *before)
{
    struct fake_sigv4 *sigv4 = judge_of("us-east-1", "service", token);
    enum fake_sigv4_verdict verdict = judge(sigv4, bytes, VECTOR_MS);
    if (verdict != FAKE_SIGV4_OK)
        fail_msg("%s was refused: %d\n%s", name, (int)verdict, bytes->data);
    char *signature = strstr(bytes->data, before);
    assert_non_null(signature);
    signature += strlen(before);
    *signature = *signature == '0' ? '1' : '0';
    assert_int_equal(judge(sigv4, bytes, VECTOR_MS), FAKE_SIGV4_MISMATCH);
    fake_sigv4_free(sigv4);
}

static char *stripped_file(const char *path)
{
    char *text = data_file(path);
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n' && (len < 2 || text[len - 2] != '\n'))
        text[--len] = '\0';
    return text;
}

TEST(each_published_request_signed_in_its_header_is_taken)
{
    char **names = data_names("sigv4/header");
    size_t count = 0;
    for (; names[count] != NULL; count++) {
        char path[256];
        char token[512];
        struct buf bytes;
        snprintf(path, sizeof(path), "sigv4/header/%s/request.txt", names[count]);
        char *text = stripped_file(path);
        snprintf(path, sizeof(path), "sigv4/header/%s/authorization.txt", names[count]);
        char *authorization = stripped_file(path);
        vector_bytes(text, authorization, false, &bytes, token);
        check_vector(names[count], &bytes, token, "Signature=");
        buf_free(&bytes);
        free(authorization);
        free(text);
    }
    data_names_free(names);
    assert_int_equal(count, 27);
}

TEST(published_requests_whose_path_is_not_normalised_are_taken)
{
    char **names = data_names("sigv4/unnormalized");
    for (size_t i = 0; names[i] != NULL; i++) {
        char path[256];
        char token[512];
        struct buf bytes;
        snprintf(path, sizeof(path), "sigv4/unnormalized/%s", names[i]);
        char *text = data_file(path);
        vector_bytes(text, NULL, false, &bytes, token);
        check_vector(names[i], &bytes, token, "Signature=");
        buf_free(&bytes);
        free(text);
    }
    data_names_free(names);
}

TEST(each_published_request_signed_in_its_query_is_taken)
{
    static const char again[] = "&X-Amz-Security-Token=";
    char **names = data_names("sigv4/query");
    size_t count = 0;
    for (; names[count] != NULL; count++) {
        char path[256];
        char token[512];
        struct buf bytes;
        snprintf(path, sizeof(path), "sigv4/query/%s", names[count]);
        char *text = data_file(path);
        char *first = strstr(text, again);
        char *second = first != NULL ? strstr(first + 1, again) : NULL;
        if (second != NULL) { /* the published file repeats the token behind the signature */
            char *end = strstr(second, " HTTP/1.1");
            memmove(second, end, strlen(end) + 1);
        }
        vector_bytes(text, NULL, true, &bytes, token);
        check_vector(names[count], &bytes, first != NULL ? vector_token : NULL, "X-Amz-Signature=");
        buf_free(&bytes);
        free(text);
    }
    data_names_free(names);
    assert_int_equal(count, 17);
}

/* ----------------------------------------------------------------------------------------- the library's requests */

/* A PUT with all that may be in one, signed at WIRE_S. */
static void signed_put(bool in_query, struct buf *ret)
{
    static const os_metadata metadata[] = {{"colour", "deep  blue"}, {"empty", ""}};
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "content", .fd = -1, .length = 7};
    const struct s3_content content = {
        .content_type = "text/plain", .metadata = metadata, .metadata_count = 2, .nonce = "0123456789abcdef"};
    const struct s3_condition condition = {.if_match = "\"abc\""};
    struct http_request request;
    assert_int_equal(s3_build_put(&wire_s3_target, "a b/\xc3\xa4+?&=%", &body, &content, &condition, &request, NULL),
                     OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, in_query, &request);
    wire_bytes(&request, ret);
    http_request_free(&request);
}

static bool is_in_line(const struct buf *bytes, size_t at, const char *name)
{
    const char *line = strstr(bytes->data, name);
    const char *end = line != NULL ? strstr(line, "\r\n") : NULL;
    return end != NULL && bytes->data + at >= line && bytes->data + at < end;
}

static void check_changes(bool in_query)
{
    static const char masks[] = {1, 2, 4};
    struct buf bytes;
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    signed_put(in_query, &bytes);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_OK);
    size_t head = (size_t)(strstr(bytes.data, "\r\n\r\n") - bytes.data) + 4;
    for (size_t at = 0; at < (in_query ? head : bytes.len); at++) { /* S3 signs no body in the query form */
        for (size_t i = 0; i < sizeof(masks) && !is_in_line(&bytes, at, "Content-Length:"); i++) {
            bytes.data[at] = (char)(bytes.data[at] ^ masks[i]);
            if (judge(sigv4, &bytes, WIRE_MS) == FAKE_SIGV4_OK)
                fail_msg("byte %zu may be changed:\n%s", at, bytes.data);
            bytes.data[at] = (char)(bytes.data[at] ^ masks[i]);
        }
    }
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_OK);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

TEST(no_byte_of_a_request_signed_in_its_query_may_change)
{
    check_changes(true);
}

TEST(no_byte_of_a_request_signed_in_its_header_may_change)
{
    check_changes(false);
}

/* The bytes with `line` in place of the header line that starts with `name`; NULL: without it. */
static void replace_line(struct buf *bytes, const char *name, const char *line)
{
    struct buf changed;
    buf_init(&changed, bytes->max);
    const char *at = strstr(bytes->data, name);
    assert_non_null(at);
    const char *end = strstr(at, "\r\n") + 2;
    buf_add(&changed, bytes->data, (size_t)(at - bytes->data));
    buf_add_str(&changed, line != NULL ? line : "");
    buf_add(&changed, end, bytes->len - (size_t)(end - bytes->data));
    assert_true(buf_ok(&changed));
    buf_free(bytes);
    *bytes = changed;
}

TEST(a_signed_header_must_be_there_and_an_amz_header_must_be_signed)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    struct buf bytes;
    signed_put(true, &bytes);
    replace_line(&bytes, "if-match:", NULL);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_UNSIGNED);
    buf_free(&bytes);

    signed_put(true, &bytes);
    replace_line(&bytes, "Content-Length:", "Content-Length: 7\r\nx-amz-meta-more: 1\r\n");
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_UNSIGNED);
    buf_free(&bytes);

    signed_put(true, &bytes);
    replace_line(&bytes, "Content-Length:", "Content-Length: 7\r\nVia: a proxy\r\n");
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_OK);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

TEST(a_query_signature_ends_to_the_second)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    struct buf bytes;
    signed_put(true, &bytes);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS + 1000 * WIRE_DYING), FAKE_SIGV4_OK);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS + 1000 * WIRE_DYING + 1), FAKE_SIGV4_EXPIRED);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS - SKEW_MS), FAKE_SIGV4_OK);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS - SKEW_MS - 1), FAKE_SIGV4_NOT_YET);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

TEST(a_header_signature_may_be_as_far_off_as_the_service_says)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    struct buf bytes;
    signed_put(false, &bytes);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS + SKEW_MS), FAKE_SIGV4_OK);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS + SKEW_MS + 1), FAKE_SIGV4_SKEWED);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS - SKEW_MS), FAKE_SIGV4_OK);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS - SKEW_MS - 1), FAKE_SIGV4_SKEWED);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

static enum fake_sigv4_verdict verdict_on(struct fake_sigv4 *sigv4, const char *access, const char *secret,
                                          const char *token)
{
    const struct sigv4_keys keys = {access, secret, token};
    enum fake_sigv4_verdict verdicts[2];
    for (int in_query = 0; in_query < 2; in_query++) {
        struct http_request request;
        struct buf bytes;
        assert_int_equal(s3_build_head(&wire_s3_target, "key", &request, NULL), OS_OK);
        wire_sign("s3", &keys, WIRE_S, in_query == 1, &request);
        wire_bytes(&request, &bytes);
        verdicts[in_query] = judge(sigv4, &bytes, WIRE_MS);
        http_request_free(&request);
        buf_free(&bytes);
    }
    assert_int_equal(verdicts[0], verdicts[1]);
    return verdicts[0];
}

TEST(credentials_that_were_replaced_have_expired)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", "token/1==");
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, WIRE_SECRET, "token/1=="), FAKE_SIGV4_OK);
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, WIRE_SECRET, "token/2=="), FAKE_SIGV4_INVALID_TOKEN);
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, WIRE_SECRET, NULL), FAKE_SIGV4_INVALID_TOKEN);
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, "wrong", "token/1=="), FAKE_SIGV4_MISMATCH);
    assert_int_equal(verdict_on(sigv4, "AKIDOTHER", WIRE_SECRET, NULL), FAKE_SIGV4_UNKNOWN_KEY);

    assert_true(fake_sigv4_rotate(sigv4, WIRE_ACCESS, "new secret", "token/2=="));
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, "new secret", "token/2=="), FAKE_SIGV4_OK);
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, WIRE_SECRET, "token/1=="), FAKE_SIGV4_EXPIRED_TOKEN);
    assert_int_equal(verdict_on(sigv4, WIRE_ACCESS, WIRE_SECRET, "token/2=="), FAKE_SIGV4_MISMATCH);
    fake_sigv4_free(sigv4);
}

TEST(a_request_for_another_region_or_service_is_refused)
{
    struct fake_sigv4 *region = judge_of("us-east-1", "s3", NULL);
    struct fake_sigv4 *service = judge_of(WIRE_REGION, "dynamodb", NULL);
    assert_int_equal(verdict_on(region, WIRE_ACCESS, WIRE_SECRET, NULL), FAKE_SIGV4_MALFORMED);
    assert_int_equal(verdict_on(service, WIRE_ACCESS, WIRE_SECRET, NULL), FAKE_SIGV4_MALFORMED);
    fake_sigv4_free(region);
    fake_sigv4_free(service);
}

TEST(a_request_without_signature_or_with_two_is_refused)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    struct buf bytes;
    signed_put(true, &bytes);
    replace_line(&bytes, "Content-Length:", "Content-Length: 7\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a\r\n");
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_MALFORMED);
    buf_free(&bytes);
    signed_put(false, &bytes);
    replace_line(&bytes, "authorization:", NULL);
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_MISSING);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

TEST(a_changed_body_is_found_by_the_hash_that_was_signed)
{
    struct fake_sigv4 *sigv4 = judge_of(WIRE_REGION, "s3", NULL);
    struct buf bytes;
    signed_put(false, &bytes);
    bytes.data[bytes.len - 1] = 'T';
    assert_int_equal(judge(sigv4, &bytes, WIRE_MS), FAKE_SIGV4_PAYLOAD);
    buf_free(&bytes);
    fake_sigv4_free(sigv4);
}

TEST(dates_are_formatted_as_the_library_formats_them)
{
    for (int64_t day = 0; day < 60000; day++) {
        char mine[32];
        char theirs[32];
        int64_t at = day * 86400 + day % 86400;
        fake_format_http_date(at, mine);
        text_format_http_date(at, theirs);
        assert_string_equal(mine, theirs);
        fake_format_amz_date(at, mine);
        text_format_amz_date(at, theirs);
        assert_string_equal(mine, theirs);
        int64_t back = -1;
        assert_true(fake_parse_amz_date(text_from(mine), &back));
        assert_int_equal(back, at);
        fake_format_iso_date((uint64_t)at * 1000 + 7, mine);
        assert_true(text_parse_iso8601(text_from(mine), &back));
        assert_int_equal(back, at);
    }
}
