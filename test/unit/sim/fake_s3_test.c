/* SPDX-License-Identifier: Apache-2.0 */
/* The fake S3, asked by the library's own requests and read by its own parsers. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "s3/version_response.h"

#include <stdlib.h>
#include <string.h>

TEST(what_was_put_is_given_back)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct http_request request;
    struct s3_object object;
    int64_t date;
    wire_put_is(s3, "a/b c", NULL, 200, "");
    struct http_response response = wire_head(s3, "a/b c");
    assert_int_equal(response.status, 200);
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_string_equal(object.etag, WIRE_BYTES_ETAG);
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

static void expect(struct http_response response, int status, const char *code)
{
    assert_int_equal(response.status, status);
    assert_string_equal(status < 300 ? "" : wire_s3_code(&response), code);
    http_response_free(&response);
}

static void late_put_is(struct fake_s3 *s3, uint64_t admitted_ms, uint64_t applied_ms, int status)
{
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "late", .fd = -1, .length = 4};
    struct http_request request;
    struct http_response response;
    struct buf bytes;
    struct buf answer;
    assert_int_equal(s3_build_put(&wire_s3_target, "late", &body, NULL, NULL, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    wire_bytes(&request, &bytes);
    buf_init(&answer, 65536);
    assert_true(fake_s3_handle(s3, bytes.data, bytes.len, admitted_ms, applied_ms, false, &answer));
    wire_answer(&answer, false, &response);
    if (status == 403)
        assert_non_null(strstr(buf_str(&response.body), "<Message>Request has expired</Message>"));
    expect(response, status, status == 200 ? "" : "AccessDenied");
    buf_free(&bytes);
    buf_free(&answer);
    http_request_free(&request);
}

static void ignore_expiry(struct fake_s3_options *options)
{
    options->ignores_expiry = true;
}

static void check_expiry_at_end(struct fake_s3_options *options)
{
    options->checks_expiry_at_end = true;
}

TEST(an_expired_query_signature_is_refused)
{
    const uint64_t end = WIRE_MS + 1000 * WIRE_DYING;
    struct fake_s3 *s3 = wire_s3_with(NULL);
    late_put_is(s3, end + 1, end + 1, 403);
    assert_int_equal(fake_s3_version_count(s3, "late"), 0);
    late_put_is(s3, end, end + 60000, 200); /* admitted in time: it lands, however late */
    assert_int_equal(fake_s3_version_at(s3, "late", 0).applied_ms, end + 60000);
    fake_s3_free(s3);

    s3 = wire_s3_with(check_expiry_at_end);
    late_put_is(s3, end, end + 1, 403);
    late_put_is(s3, end, end, 200);
    fake_s3_free(s3);

    s3 = wire_s3_with(ignore_expiry);
    late_put_is(s3, end + 86400000, end + 86400000, 200);
    fake_s3_free(s3);
}

static struct http_response delete_of(struct fake_s3 *s3, const char *key, const struct s3_condition *condition)
{
    struct http_request request;
    assert_int_equal(s3_build_delete(&wire_s3_target, key, condition, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    return wire_s3(s3, &request, WIRE_MS);
}

TEST(the_history_of_a_key_has_its_deletions)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    const struct s3_condition right = {.if_match = WIRE_BYTES_ETAG};
    const struct s3_condition stale = {.if_match = "\"00000000000000000000000000000000\""};
    expect(delete_of(s3, "key", NULL), 204, "");
    expect(delete_of(s3, "key", &right), 404, "NoSuchKey");
    wire_put_is(s3, "key", NULL, 200, "");
    expect(delete_of(s3, "key", &stale), 412, "PreconditionFailed");
    expect(delete_of(s3, "key", &right), 204, "");
    wire_put_is(s3, "key", NULL, 200, "");
    assert_int_equal(fake_s3_version_count(s3, "key"), 3);
    assert_string_equal(fake_s3_version_at(s3, "key", 0).etag, WIRE_BYTES_ETAG);
    assert_null(fake_s3_version_at(s3, "key", 1).etag);
    assert_string_equal(fake_s3_version_at(s3, "key", 2).nonce, "0123456789abcdef0123456789abcdef");
    fake_s3_free(s3);
}

/* Copies "from" to `key`; with `content` REPLACE. */
static struct http_response copy_to(struct fake_s3 *s3, const char *key, const char *source_etag, const char *version,
                                    const struct s3_content *content, const struct s3_condition *condition)
{
    struct http_request request;
    assert_int_equal(s3_build_copy(&wire_s3_target, key,
                                   &(struct s3_source){.key = "from", .etag = source_etag, .version_id = version},
                                   content, condition, &request, NULL),
                     OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    return wire_s3(s3, &request, WIRE_MS);
}

static void nonce_is(struct fake_s3 *s3, const char *key, const char *nonce)
{
    struct s3_object object;
    struct http_response response = wire_head(s3, key);
    assert_int_equal(response.status, 200);
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_string_equal(object.nonce, nonce);
    http_response_free(&response);
}

TEST(a_copy_has_the_bytes_of_its_source_and_the_metadata_that_were_asked_for)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    const struct s3_content content = {.nonce = "another"};
    const struct s3_condition absent = {.if_none_match_any = true};
    struct s3_object object;
    struct s3_error error;
    expect(copy_to(s3, "to", WIRE_BYTES_ETAG, NULL, &content, NULL), 404, "NoSuchKey");
    wire_put_is(s3, "from", NULL, 200, "");
    expect(copy_to(s3, "to", "\"00000000000000000000000000000000\"", NULL, &content, NULL), 412, "PreconditionFailed");
    struct http_response response = copy_to(s3, "to", WIRE_BYTES_ETAG, NULL, &content, &absent);
    assert_int_equal(response.status, 200);
    assert_int_equal(s3_parse_copy(&response, &object, &error, NULL), OS_OK);
    assert_string_equal(object.etag, WIRE_BYTES_ETAG);
    assert_int_equal(object.last_modified_s, WIRE_S);
    http_response_free(&response);
    nonce_is(s3, "to", "another");
    expect(copy_to(s3, "to", WIRE_BYTES_ETAG, NULL, &content, &absent), 412, "PreconditionFailed");
    expect(copy_to(s3, "to", NULL, NULL, NULL, NULL), 200, "");
    nonce_is(s3, "to", "0123456789abcdef0123456789abcdef");
    expect(copy_to(s3, "from", NULL, NULL, NULL, NULL), 400, "InvalidRequest");
    expect(copy_to(s3, "from", NULL, NULL, &content, NULL), 200, "");
    nonce_is(s3, "from", "another");
    fake_s3_free(s3);
}

static void make_strange(struct fake_s3_options *options)
{
    options->conditions[FAKE_S3_PUT] = FAKE_S3_IGNORED;
    options->random_etag = true;
}

TEST(a_store_may_ignore_conditions_and_invent_etags)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    struct fake_s3 *s3 = wire_s3_with(make_strange);
    wire_put_is(s3, "key", &absent, 200, "");
    wire_put_is(s3, "key", &absent, 200, "");
    struct fake_s3_version first = fake_s3_version_at(s3, "key", 0);
    struct fake_s3_version second = fake_s3_version_at(s3, "key", 1);
    assert_int_equal(strlen(first.etag), 34);
    assert_string_not_equal(first.etag, second.etag);
    assert_string_not_equal(first.etag, WIRE_BYTES_ETAG);
    fake_s3_free(s3);
}

static void keep_versions(struct fake_s3_options *options)
{
    options->versioned = true;
}

TEST(a_versioned_bucket_names_its_versions)
{
    struct fake_s3 *s3 = wire_s3_with(keep_versions);
    const struct s3_content content = {.nonce = "copied"};
    struct s3_object object;
    wire_put_is(s3, "from", NULL, 200, "");
    struct http_response response = wire_head(s3, "from");
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_string_equal(object.version_id, "v1");
    http_response_free(&response);
    expect(delete_of(s3, "from", NULL), 204, "");
    response = wire_head(s3, "from");
    assert_int_equal(response.status, 404);
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_true(object.delete_marker);
    http_response_free(&response);
    expect(copy_to(s3, "to", WIRE_BYTES_ETAG, NULL, &content, NULL), 404, "NoSuchKey");
    expect(copy_to(s3, "to", WIRE_BYTES_ETAG, "v1", &content, NULL), 200, "");
    expect(copy_to(s3, "to", WIRE_BYTES_ETAG, "v9", &content, NULL), 404, "NoSuchVersion");
    fake_s3_free(s3);
}

static bool note_version(void *context, const struct s3_listed_version *version)
{
    struct buf *out = context;
    buf_add_f(out, "%s:%s%s%s ", version->key, version->version_id, version->is_delete_marker ? "-" : "",
              version->is_latest ? "!" : "");
    assert_true(version->is_delete_marker || strcmp(version->etag, WIRE_BYTES_ETAG) == 0);
    assert_true(version->last_modified_s > 0);
    return true;
}

static void versions_are(struct fake_s3 *s3, const char *prefix, uint32_t max, unsigned pages, const char *wanted)
{
    struct s3_versions_page page = {.truncated = false};
    struct s3_list_versions_options options = {.prefix = prefix, .max_keys = max};
    struct buf out;
    buf_init(&out, 65536);
    do {
        struct http_request request;
        assert_int_equal(s3_build_list_versions(&wire_s3_target, &options, &request, NULL), OS_OK);
        wire_sign("s3", &wire_keys, WIRE_S, false, &request);
        struct http_response response = wire_s3(s3, &request, WIRE_MS);
        assert_int_equal(response.status, 200);
        char *key = page.next_key_marker;
        char *id = page.next_version_id_marker;
        page = (struct s3_versions_page){.truncated = false};
        assert_int_equal(s3_parse_versions(&response, &options, note_version, &out, &page, NULL), OS_OK);
        http_response_free(&response);
        free(key);
        free(id);
        options.key_marker = page.next_key_marker;
        options.version_id_marker = page.next_version_id_marker;
        pages--;
    } while (page.truncated);
    assert_int_equal(pages, 0);
    assert_string_equal(buf_str(&out), wanted);
    buf_free(&out);
}

TEST(versions_are_listed_newest_first_and_in_pages)
{
    struct fake_s3 *s3 = wire_s3_with(keep_versions);
    wire_put_is(s3, "a b", NULL, 200, "");
    wire_put_is(s3, "a b/c", NULL, 200, "");
    expect(delete_of(s3, "a b", NULL), 204, "");
    wire_put_is(s3, "a b", NULL, 200, "");
    versions_are(s3, "a b", 0, 1, "a b:v4! a b:v3- a b:v1 a b/c:v2! ");
    versions_are(s3, "a b", 1, 4, "a b:v4! a b:v3- a b:v1 a b/c:v2! ");
    versions_are(s3, "a b", 3, 2, "a b:v4! a b:v3- a b:v1 a b/c:v2! ");
    versions_are(s3, "a b/", 0, 1, "a b/c:v2! ");
    versions_are(s3, "c", 0, 1, "");
    fake_s3_free(s3);
}

TEST(a_body_that_was_cut_or_changed_is_not_stored)
{
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5};
    struct fake_s3 *s3 = wire_s3_with(NULL);
    for (int changed = 0; changed < 2; changed++) {
        struct http_request request;
        struct http_response response;
        struct buf bytes;
        struct buf answer;
        assert_int_equal(s3_build_put(&wire_s3_target, "key", &body, NULL, NULL, &request, NULL), OS_OK);
        assert_true(http_headers_add(&request.headers, "content-md5", "Szpiw+W+FkKbLcAl4xMsPg=="));
        wire_sign("s3", &wire_keys, WIRE_S, true, &request);
        wire_bytes(&request, &bytes);
        buf_init(&answer, 65536);
        size_t len = changed ? bytes.len : bytes.len - 1;
        assert_true(fake_s3_handle(s3, bytes.data, len, WIRE_MS, WIRE_MS, false, &answer));
        wire_answer(&answer, false, &response);
        expect(response, 400, changed ? "BadDigest" : "IncompleteBody");
        buf_free(&bytes);
        buf_free(&answer);
        http_request_free(&request);
    }
    assert_int_equal(fake_s3_version_count(s3, "key"), 0);
    fake_s3_free(s3);
}

TEST(wrong_and_old_credentials_are_told_apart)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    const struct sigv4_keys wrong = {WIRE_ACCESS, "wrong", NULL};
    const struct sigv4_keys unknown = {"AKIDOTHER", WIRE_SECRET, NULL};
    const struct sigv4_keys *const keys[] = {&wrong, &unknown, &wire_keys};
    const char *const codes[] = {"SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken"};
    const int statuses[] = {403, 403, 400};
    assert_true(fake_s3_rotate(s3, "AKIDNEW", "new", "token"));
    assert_true(fake_s3_rotate(s3, WIRE_ACCESS, WIRE_SECRET, NULL));
    for (size_t i = 0; i < 3; i++) {
        struct http_request request;
        if (i == 2)
            assert_true(fake_s3_rotate(s3, "AKIDNEW", "new", "token"));
        assert_int_equal(s3_build_get(&wire_s3_target, "key", 0, 0, &request, NULL), OS_OK);
        wire_sign("s3", keys[i], WIRE_S, false, &request);
        expect(wire_s3(s3, &request, WIRE_MS), statuses[i], codes[i]);
    }
    struct http_request request;
    assert_true(fake_s3_rotate(s3, WIRE_ACCESS, WIRE_SECRET, NULL));
    assert_int_equal(s3_build_get(&wire_s3_target, "key", 0, 0, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    expect(wire_s3(s3, &request, WIRE_MS + 900001), 403, "RequestTimeTooSkewed");
    fake_s3_free(s3);
}

static bool note_entry(void *context, const struct s3_list_entry *entry)
{
    struct buf *out = context;
    buf_add_f(out, "%s%s ", entry->key, entry->is_prefix ? "*" : "");
    assert_true(entry->is_prefix || (entry->length == 5 && strcmp(entry->etag, WIRE_BYTES_ETAG) == 0));
    return true;
}

static void list_is(struct fake_s3 *s3, const char *prefix, const char *delimiter, uint32_t max, const char *wanted)
{
    char *token = NULL;
    struct buf out;
    buf_init(&out, 65536);
    do {
        const struct s3_list_options options = {
            .prefix = prefix, .delimiter = delimiter, .max_keys = max, .continuation_token = token};
        struct http_request request;
        struct s3_list_page page;
        assert_int_equal(s3_build_list(&wire_s3_target, &options, &request, NULL), OS_OK);
        wire_sign("s3", &wire_keys, WIRE_S, false, &request);
        struct http_response response = wire_s3(s3, &request, WIRE_MS);
        assert_int_equal(response.status, 200);
        assert_int_equal(s3_parse_list(&response, note_entry, &out, &page, NULL), OS_OK);
        http_response_free(&response);
        free(token);
        token = page.next_token;
    } while (token != NULL);
    assert_string_equal(buf_str(&out), wanted);
    buf_free(&out);
}

TEST(lists_come_in_pages_and_with_common_prefixes)
{
    static const char *const keys[] = {"b/2", "a", "b/1", "b/1/x", "c d+e&<", "b", "gone", "\xc3\xa4"};
    struct fake_s3 *s3 = wire_s3_with(NULL);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        wire_put_is(s3, keys[i], NULL, 200, "");
    expect(delete_of(s3, "gone", NULL), 204, "");
    for (uint32_t max = 0; max < 9; max++) {
        list_is(s3, NULL, NULL, max, "a b b/1 b/1/x b/2 c d+e&< \xc3\xa4 ");
        list_is(s3, "nothing", NULL, max, "");
    }
    /* keys before common prefixes on each page */
    list_is(s3, NULL, "/", 0, "a b c d+e&< \xc3\xa4 b/* ");
    list_is(s3, NULL, "/", 1, "a b b/* c d+e&< \xc3\xa4 ");
    list_is(s3, NULL, "/", 3, "a b b/* c d+e&< \xc3\xa4 ");
    list_is(s3, "b/", "/", 0, "b/1 b/2 b/1/* ");
    list_is(s3, "b/", "/", 2, "b/1 b/1/* b/2 ");
    fake_s3_free(s3);
}

TEST(another_bucket_is_not_there)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_target target = wire_s3_target;
    struct http_request request;
    assert_int_equal(s3_build_head_bucket(&target, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    struct http_response response = wire_s3(s3, &request, WIRE_MS);
    assert_int_equal(response.status, 200);
    assert_string_equal(http_headers_get(&response.headers, "x-amz-bucket-region"), WIRE_REGION);
    http_response_free(&response);
    target.bucket = "other";
    assert_int_equal(s3_build_get(&target, "key", 0, 0, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    expect(wire_s3(s3, &request, WIRE_MS), 404, "NoSuchBucket");
    target.bucket = WIRE_BUCKET;
    target.virtual_host = true;
    assert_int_equal(s3_build_get(&target, "key", 0, 0, &request, NULL), OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, false, &request);
    expect(wire_s3(s3, &request, WIRE_MS), 404, "NoSuchKey");
    fake_s3_free(s3);
}

TEST(equal_histories_have_equal_digests)
{
    struct fake_s3 *one = wire_s3_with(NULL);
    struct fake_s3 *other = wire_s3_with(NULL);
    wire_put_is(one, "b", NULL, 200, "");
    wire_put_is(other, "b", NULL, 200, "");
    assert_true(fake_s3_digest(one) == fake_s3_digest(other));
    wire_put_is(other, "a", NULL, 200, "");
    assert_true(fake_s3_digest(one) != fake_s3_digest(other));
    wire_put_is(one, "a", NULL, 200, "");
    assert_true(fake_s3_digest(one) == fake_s3_digest(other));
    fake_s3_free(one);
    fake_s3_free(other);
}

TEST(bytes_that_are_no_request_get_400)
{
    static const char *const texts[] = {"",
                                        "GET",
                                        "GET / HTTP/1.1\r\n",
                                        "GET / HTTP/1.0\r\n\r\n",
                                        "GET /a b HTTP/1.1\r\n\r\n",
                                        "GET bucket HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/1.1\nHost: a\n\n",
                                        "GET / HTTP/1.1\r\nHost\r\n\r\n",
                                        "GET / HTTP/1.1\r\nHost: a\r\n\r\nbody",
                                        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"};
    struct fake_s3 *s3 = wire_s3_with(NULL);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct buf answer;
        struct http_response response;
        buf_init(&answer, 65536);
        assert_true(fake_s3_handle(s3, texts[i], strlen(texts[i]), WIRE_MS, WIRE_MS, false, &answer));
        wire_answer(&answer, false, &response);
        expect(response, 400, "BadRequest");
        buf_free(&answer);
    }
    fake_s3_free(s3);
}
