/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests: each builder's whole request as text. */
#include "s3_test.h"

#include "s3/request.h"

static struct endpoint aws = {.scheme = "https", .host = "s3.eu-west-1.amazonaws.com", .region = "eu-west-1"};
static struct endpoint local = {.scheme = "http", .host = "127.0.0.1:9000", .region = "us-east-1"};
static const struct s3_target by_path = {.endpoint = &local, .bucket = "bucket"};
static const struct s3_target by_host = {.endpoint = &aws, .bucket = "bucket", .virtual_host = true};

static const struct http_body no_body = {.kind = HTTP_BODY_NONE};

/* ------------------------------------------------------------------------------------------------ addressing */

TEST(a_bucket_stands_in_the_path)
{
    BUILDS(s3_build_head(&by_path, "dir/key", &request, NULL), "HEAD http://127.0.0.1:9000/bucket/dir/key\n");
    BUILDS(s3_build_head_bucket(&by_path, &request, NULL), "HEAD http://127.0.0.1:9000/bucket\n");
}

TEST(a_bucket_stands_in_the_host_name)
{
    BUILDS(s3_build_head(&by_host, "dir/key", &request, NULL),
           "HEAD https://bucket.s3.eu-west-1.amazonaws.com/dir/key\n");
    BUILDS(s3_build_head_bucket(&by_host, &request, NULL), "HEAD https://bucket.s3.eu-west-1.amazonaws.com/\n");
}

TEST(keys_are_sent_byte_for_byte)
{
    static const char *const keys[][2] = {
        {"a b+c%d", "a%20b%2Bc%25d"},
        {"/leading", "/leading"},
        {"a//b/./c/../d", "a//b/./c/../d"},
        {"trailing/", "trailing/"},
        {"..", ".."},
        {"\xc3\xbc/\xe2\x82\xac/\xf0\x9f\x98\x80", "%C3%BC/%E2%82%AC/%F0%9F%98%80"},
        {"-._~!*'()", "-._~%21%2A%27%28%29"},
        {"q?x=1&y#z\"<>\\^`{|}", "q%3Fx%3D1%26y%23z%22%3C%3E%5C%5E%60%7B%7C%7D"},
        {"tab\tline\n", "tab%09line%0A"},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char expected[256];
        snprintf(expected, sizeof(expected), "HEAD http://127.0.0.1:9000/bucket/%s\n", keys[i][1]);
        BUILDS(s3_build_head(&by_path, keys[i][0], &request, NULL), expected);
    }
}

TEST(a_key_of_1024_bytes_fits_however_it_is_escaped)
{
    char key[S3_KEY_MAX + 2];
    struct http_request request;
    os_error err;
    memset(key, '%', sizeof(key));
    key[S3_KEY_MAX] = '\0';
    assert_int_equal(s3_build_copy(&by_path, key, &(struct s3_source){.key = key}, NULL, NULL, &request, &err), OS_OK);
    assert_int_equal(request.path.len, 8 + 3 * S3_KEY_MAX);
    http_request_free(&request);
    key[S3_KEY_MAX] = '%';
    key[S3_KEY_MAX + 1] = '\0';
    assert_int_equal(s3_build_head(&by_path, key, &request, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "1025 bytes"));
    http_request_free(&request);
}

/* A DELETE of the key "" would be a DELETE of the bucket. */
TEST(a_key_that_is_none_is_refused_by_every_builder)
{
    static const char *const keys[] = {NULL, "", "\xff", "\x01", "a\x1f", "\xed\xa0\x80", "\xc0\xaf"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *key = keys[i];
        os_error err;
        assert_int_equal(s3_check_key(key, &err), OS_ERR_ARGUMENT);
        REFUSES(s3_build_head(&by_path, key, &request, &err));
        REFUSES(s3_build_get(&by_path, key, 0, 0, &request, &err));
        REFUSES(s3_build_put(&by_path, key, &no_body, NULL, NULL, &request, &err));
        REFUSES(s3_build_delete(&by_path, key, NULL, &request, &err));
        REFUSES(s3_build_copy(&by_path, key, &(struct s3_source){.key = "source"}, NULL, NULL, &request, &err));
        REFUSES(s3_build_copy(&by_path, "target", &(struct s3_source){.key = key}, NULL, NULL, &request, &err));
    }
}

/* ------------------------------------------------------------------------------------------------ GET, DELETE */

TEST(a_store_is_not_asked_for_a_sum_that_nobody_wants)
{
    const struct s3_target target = {.endpoint = &local, .bucket = "bucket", .no_sums_of_gets = true};
    BUILDS(s3_build_get(&target, "k", 0, 0, &request, NULL), "GET http://127.0.0.1:9000/bucket/k\n");
}

TEST(a_range_is_asked_for_by_first_and_last_byte)
{
    static const struct {
        uint64_t offset, count;
        const char *range;
    } cases[] = {
        {0, 0, "x-amz-checksum-mode: ENABLED\n"}, /* the sum is of the whole */
        {0, 1, "range: bytes=0-0\n"},
        {10, 0, "range: bytes=10-\n"},
        {10, 5, "range: bytes=10-14\n"},
        {1, UINT64_MAX, "range: bytes=1-\n"},
        {0, UINT64_MAX, "range: bytes=0-18446744073709551614\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char expected[256];
        snprintf(expected, sizeof(expected), "GET http://127.0.0.1:9000/bucket/k\n%s", cases[i].range);
        BUILDS(s3_build_get(&by_path, "k", cases[i].offset, cases[i].count, &request, NULL), expected);
    }
}

TEST(a_delete_carries_its_condition)
{
    struct s3_condition condition = {.if_match = "\"e\""};
    BUILDS(s3_build_delete(&by_path, "k", NULL, &request, NULL), "DELETE http://127.0.0.1:9000/bucket/k\n");
    BUILDS(s3_build_delete(&by_path, "k", &condition, &request, NULL),
           "DELETE http://127.0.0.1:9000/bucket/k\nif-match: \"e\"\n");
}

/* ------------------------------------------------------------------------------------------------ PUT */

TEST(a_put_has_a_content_type_in_any_case)
{
    struct http_request request;
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "x", .length = 1};
    assert_int_equal(s3_build_put(&by_path, "k", &body, NULL, NULL, &request, NULL), OS_OK);
    assert_int_equal(request.body.length, 1);
    check_request(&request, "PUT http://127.0.0.1:9000/bucket/k\ncontent-type: application/octet-stream\n");
}

TEST(a_put_carries_content_metadata_nonces_and_condition)
{
    struct os_metadata metadata[] = {{"Colour", " blue "}, {"empty", ""}};
    struct s3_content content = {.content_type = "text/plain",
                                 .content_encoding = "gzip",
                                 .content_language = "de",
                                 .content_disposition = "inline",
                                 .cache_control = "no-store",
                                 .expires = "Sun, 06 Nov 1994 08:49:37 GMT",
                                 .metadata = metadata,
                                 .metadata_count = 2,
                                 .fencing = "18446744073709551615",
                                 .nonce = "00ff",
                                 .replaced = "ee11"};
    struct s3_condition absent = {.if_none_match_any = true};
    BUILDS(s3_build_put(&by_path, "k", &no_body, &content, &absent, &request, NULL),
           "PUT http://127.0.0.1:9000/bucket/k\n"
           "content-type: text/plain\ncontent-encoding: gzip\ncontent-language: de\n"
           "content-disposition: inline\ncache-control: no-store\n"
           "expires: Sun, 06 Nov 1994 08:49:37 GMT\n"
           "x-amz-meta-colour: blue\nx-amz-meta-empty: \nx-amz-meta-oscommit-fencing: 18446744073709551615\n"
           "x-amz-meta-oscommit-nonce: 00ff\n"
           "x-amz-meta-oscommit-replaced: ee11\n"
           "if-none-match: *\n");
}

static void refuse_content(const struct s3_content *content, const char *part)
{
    struct http_request request;
    os_error err;
    assert_int_equal(s3_build_put(&by_path, "k", &no_body, content, NULL, &request, &err), OS_ERR_ARGUMENT);
    if (strstr(err.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    http_request_free(&request);
}

TEST(no_header_can_be_smuggled_in)
{
    refuse_content(&(struct s3_content){.content_type = "a\r\nx-evil: 1"}, "content-type");
    refuse_content(&(struct s3_content){.cache_control = "a\x7f"}, "cache-control");
    static const char *const names[] = {"", "a b", "a:b", "a\r\nb", "\xc3\xbc", NULL};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct os_metadata entry = {names[i], "v"};
        refuse_content(&(struct s3_content){.metadata = &entry, .metadata_count = 1}, "cannot be sent");
    }
    struct os_metadata value = {"name", "a\nb"};
    refuse_content(&(struct s3_content){.metadata = &value, .metadata_count = 1}, "x-amz-meta-name");
}

TEST(the_entries_of_a_guard_cannot_be_given_as_metadata)
{
    static const char *const names[] = {"OSCommit-Nonce", "oscommit-REPLACED"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct os_metadata entry = {names[i], "v"};
        refuse_content(&(struct s3_content){.metadata = &entry, .metadata_count = 1}, "reserved");
    }
}

TEST(headers_that_do_not_fit_are_refused)
{
    char *large = malloc(HTTP_HEADERS_BYTES_MAX + 1);
    assert_non_null(large);
    memset(large, 'x', HTTP_HEADERS_BYTES_MAX);
    large[HTTP_HEADERS_BYTES_MAX] = '\0';
    refuse_content(&(struct s3_content){.content_type = large}, "does not fit");
    struct os_metadata long_name = {large, "v"};
    refuse_content(&(struct s3_content){.metadata = &long_name, .metadata_count = 1}, "too long");
    free(large);
    struct os_metadata many[HTTP_HEADERS_MAX];
    for (size_t i = 0; i < HTTP_HEADERS_MAX; i++)
        many[i] = (struct os_metadata){"n", "v"};
    refuse_content(&(struct s3_content){.metadata = many, .metadata_count = HTTP_HEADERS_MAX}, "does not fit");
}

/* ------------------------------------------------------------------------------------------------ COPY */

TEST(a_copy_names_its_source_escaped)
{
    BUILDS(s3_build_copy(&by_host, "t", &(struct s3_source){.key = "/a b//../\xc3\xbc?"}, NULL, NULL, &request, NULL),
           "PUT https://bucket.s3.eu-west-1.amazonaws.com/t\n"
           "x-amz-copy-source: /bucket//a%20b//../%C3%BC%3F\nx-amz-metadata-directive: COPY\n");
}

TEST(a_copy_pins_version_and_etag_and_replaces_metadata)
{
    struct os_metadata metadata[] = {{"colour", "blue"}};
    struct s3_content content = {
        .content_type = "text/plain", .metadata = metadata, .metadata_count = 1, .nonce = "00ff", .replaced = "ee11"};
    struct s3_condition condition = {.if_match = "\"old\""};
    BUILDS(s3_build_copy(&by_path, "t", &(struct s3_source){.key = "s", .etag = "\"e-2\"", .version_id = "v+/1"},
                         &content, &condition, &request, NULL),
           "PUT http://127.0.0.1:9000/bucket/t\n"
           "x-amz-copy-source: /bucket/s?versionId=v%2B%2F1\n"
           "x-amz-copy-source-if-match: \"e-2\"\nx-amz-metadata-directive: REPLACE\n"
           "content-type: text/plain\nx-amz-meta-colour: blue\n"
           "x-amz-meta-oscommit-nonce: 00ff\nx-amz-meta-oscommit-replaced: ee11\nif-match: \"old\"\n");
}

/* ------------------------------------------------------------------------------------------------ LIST */

TEST(a_list_has_its_parameters_in_the_order_of_the_signature)
{
    struct s3_list_options options = {.prefix = "a b/+", .delimiter = "/", .start_after = "a b/x", .max_keys = 7};
    BUILDS(s3_build_list(&by_path, &options, &request, NULL),
           "GET http://127.0.0.1:9000/bucket?delimiter=%2F&encoding-type=url&list-type=2&max-keys=7"
           "&prefix=a%20b%2F%2B&start-after=a%20b%2Fx\n");
    options = (struct s3_list_options){0};
    BUILDS(s3_build_list(&by_host, &options, &request, NULL),
           "GET https://bucket.s3.eu-west-1.amazonaws.com/?encoding-type=url&list-type=2\n");
}

TEST(a_token_takes_the_place_of_the_first_key)
{
    struct s3_list_options options = {.continuation_token = "1/a==", .start_after = "x", .prefix = "p"};
    BUILDS(s3_build_list(&by_path, &options, &request, NULL),
           "GET http://127.0.0.1:9000/bucket?continuation-token=1%2Fa%3D%3D&encoding-type=url"
           "&list-type=2&prefix=p\n");
}

TEST(a_prefix_that_does_not_fit_is_named)
{
    struct http_request request;
    os_error err;
    char *prefix = malloc(HTTP_TARGET_MAX);
    assert_non_null(prefix);
    memset(prefix, '/', HTTP_TARGET_MAX - 1);
    prefix[HTTP_TARGET_MAX - 1] = '\0';
    struct s3_list_options options = {.prefix = prefix};
    assert_int_equal(s3_build_list(&by_path, &options, &request, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "prefix"));
    http_request_free(&request);
    free(prefix);
}
