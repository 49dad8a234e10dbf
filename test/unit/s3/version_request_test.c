/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests about versions, tags and renames; and the conditions and attributes of writes. */
#include "s3_test.h"

#include "s3/multipart_request.h"

static struct endpoint local = {.scheme = "http", .host = "127.0.0.1:9000", .region = "us-east-1"};
static const struct s3_target by_path = {.endpoint = &local, .bucket = "bucket"};
static const struct http_body bytes = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5};
static os_error err;

#define BUCKET "http://127.0.0.1:9000/bucket"
#define KEY    BUCKET "/dir/a%20b"

/* ------------------------------------------------------------------------------------------------ versions */

TEST(one_version_is_asked_for_by_its_id)
{
    struct http_request request;
    assert_int_equal(s3_build_head(&by_path, "dir/a b", &request, NULL), OS_OK);
    assert_int_equal(s3_request_version(&request, "v/1+", NULL), OS_OK);
    check_request(&request, "HEAD " KEY "?versionId=v%2F1%2B\n");
    assert_int_equal(s3_build_get(&by_path, "dir/a b", 1, 2, &request, NULL), OS_OK);
    assert_int_equal(s3_request_version(&request, "null", NULL), OS_OK);
    check_request(&request, "GET " KEY "?versionId=null\nrange: bytes=1-2\n");
    assert_int_equal(s3_build_delete(&by_path, "dir/a b", NULL, &request, NULL), OS_OK);
    assert_int_equal(s3_request_version(&request, NULL, NULL), OS_OK);
    assert_int_equal(s3_request_version(&request, "", NULL), OS_OK);
    check_request(&request, "DELETE " KEY "\n");
    assert_int_equal(s3_build_get_tags(&by_path, "dir/a b", "v1", &request, NULL), OS_OK);
    check_request(&request, "GET " KEY "?tagging=&versionId=v1\n");
    assert_int_equal(s3_build_get_tags(&by_path, "dir/a b", NULL, &request, NULL), OS_OK);
    check_request(&request, "GET " KEY "?tagging=\n");
}

TEST(a_hash_that_stands_for_a_version_id_is_never_sent)
{
    static const char hash[] = "sha256:00ff";
    struct http_request request;
    assert_int_equal(s3_build_delete(&by_path, "k", NULL, &request, NULL), OS_OK);
    assert_int_equal(s3_request_version(&request, hash, &err), OS_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "hash"));
    http_request_free(&request);
    assert_int_equal(s3_build_get_tags(&by_path, "k", hash, &request, &err), OS_ERR_UNSUPPORTED);
    http_request_free(&request);
    assert_int_equal(
        s3_build_copy(&by_path, "k", &(struct s3_source){.key = "s", .version_id = hash}, NULL, NULL, &request, &err),
        OS_ERR_UNSUPPORTED);
    http_request_free(&request);
    assert_false(s3_is_version_id(hash));
    assert_false(s3_is_version_id(NULL));
    assert_true(s3_is_version_id("null"));
}

TEST(versions_are_listed_from_where_a_page_ended)
{
    struct s3_list_versions_options options = {"p/", "p/ k", "v1", 7};
    BUILDS(s3_build_list_versions(&by_path, &options, &request, NULL),
           "GET " BUCKET "?encoding-type=url&key-marker=p%2F%20k&max-keys=7&prefix=p%2F&"
           "version-id-marker=v1&versions=\n");
    options = (struct s3_list_versions_options){.version_id_marker = "alone"};
    BUILDS(s3_build_list_versions(&by_path, &options, &request, NULL), "GET " BUCKET "?encoding-type=url&versions=\n");
    BUILDS(s3_build_get_versioning(&by_path, &request, NULL), "GET " BUCKET "?versioning=\n");
}

/* ------------------------------------------------------------------------------------------------ rename */

TEST(a_rename_names_its_source_and_both_conditions)
{
    struct http_request request;
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_condition expected = {.if_match = "\"e\""};
    assert_int_equal(s3_build_rename(&by_path, "dir/a b", &(struct s3_source){.key = "from/a +", .etag = "\"s\""},
                                     "token", &absent, &request, NULL),
                     OS_OK);
    check_request(&request, "PUT " KEY "?renameObject=\nx-amz-rename-source: from/a%20%2B\n"
                            "x-amz-rename-source-if-match: \"s\"\nx-amz-client-token: token\nif-none-match: *\n");
    assert_int_equal(
        s3_build_rename(&by_path, "dir/a b", &(struct s3_source){.key = "s"}, NULL, &expected, &request, NULL), OS_OK);
    check_request(&request, "PUT " KEY "?renameObject=\nx-amz-rename-source: s\nif-match: \"e\"\n");
    assert_int_equal(s3_build_rename(&by_path, "k", &(struct s3_source){.key = ""}, NULL, &absent, &request, &err),
                     OS_ERR_ARGUMENT);
    http_request_free(&request);
    assert_int_equal(s3_build_rename(&by_path, "", &(struct s3_source){.key = "s"}, NULL, &absent, &request, &err),
                     OS_ERR_ARGUMENT);
    http_request_free(&request);
}

/* ------------------------------------------------------------------------------------------------ conditions */

struct vendor {
    enum s3_vendor_condition vendor;
    const char *header;
    const char *value;
    bool is_for_put;
};

static const struct vendor vendors[] = {
    {S3_VENDOR_CLOUDFLARE, "cf-copy-destination-if-none-match", "*", false},
    {S3_VENDOR_GOOGLE, "x-goog-if-generation-match", "0", true},
    {S3_VENDOR_ALIBABA, "x-oss-forbid-overwrite", "true", true},
    {S3_VENDOR_TENCENT, "x-cos-forbid-overwrite", "true", true},
};

static void check_condition(struct http_request *request, os_code built, const struct vendor *vendor, bool sent)
{
    assert_int_equal(built, sent ? OS_OK : OS_ERR_ARGUMENT);
    const char *value = http_headers_get(&request->headers, vendor->header);
    if (sent)
        assert_string_equal(value, vendor->value);
    else
        assert_null(value);
    http_request_free(request);
}

TEST(R7_a_vendors_header_goes_with_the_writes_that_know_it)
{
    struct http_request request;
    struct buf body;
    const struct s3_part_name part = {1, "\"a\"", NULL};
    assert_int_equal(s3_write_completion(&part, 1, S3_CHECKSUM_NONE, &body, NULL), OS_OK);
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
        const struct vendor *v = &vendors[i];
        const struct s3_condition alone = {.vendor = v->vendor};
        const struct s3_condition beside = {.vendor = v->vendor, .if_none_match_any = true};
        const struct s3_completion completion = {.condition = alone};
        check_condition(&request, s3_build_put(&by_path, "k", &bytes, NULL, &alone, &request, &err), v, v->is_for_put);
        check_condition(&request,
                        s3_build_copy(&by_path, "k", &(struct s3_source){.key = "s"}, NULL, &alone, &request, &err), v,
                        true);
        check_condition(&request, s3_build_complete_upload(&by_path, "k", "u", &body, &completion, &request, &err), v,
                        v->is_for_put);
        check_condition(&request, s3_build_delete(&by_path, "k", &alone, &request, &err), v, false);
        check_condition(&request,
                        s3_build_rename(&by_path, "k", &(struct s3_source){.key = "s"}, NULL, &alone, &request, &err),
                        v, false);
        assert_int_equal(s3_build_copy(&by_path, "k", &(struct s3_source){.key = "s"}, NULL, &beside, &request, &err),
                         OS_OK);
        assert_string_equal(http_headers_get(&request.headers, "if-none-match"), "*");
        assert_string_equal(http_headers_get(&request.headers, v->header), v->value);
        http_request_free(&request);
    }
    buf_free(&body);
}

TEST(R7_a_vendors_header_means_absent_and_never_replaces)
{
    struct http_request request;
    struct s3_condition condition = {.vendor = S3_VENDOR_ALIBABA, .if_match = "\"e\""};
    assert_int_equal(s3_build_put(&by_path, "k", &bytes, NULL, &condition, &request, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "absent"));
    http_request_free(&request);
    condition = (struct s3_condition){.vendor = S3_VENDOR_END};
    assert_int_equal(s3_build_put(&by_path, "k", &bytes, NULL, &condition, &request, &err), OS_ERR_ARGUMENT);
    http_request_free(&request);
}

/* ------------------------------------------------------------------------------------------------ attributes */

TEST(a_put_and_a_copy_carry_their_attributes)
{
    struct http_request request;
    const os_metadata tags[] = {{"a b", "c&d"}};
    const struct s3_attributes all = {tags, 1, "STANDARD_IA", "aws:kms", "key-1"};
    const struct s3_attributes some = {.storage_class = "STANDARD_IA"};
    assert_int_equal(s3_build_put(&by_path, "dir/a b", &bytes, NULL, NULL, &request, NULL), OS_OK);
    assert_int_equal(s3_request_attributes(&request, &all, NULL), OS_OK);
    check_request(&request, "PUT " KEY "\ncontent-type: application/octet-stream\nx-amz-tagging: a%20b=c%26d\n"
                            "x-amz-storage-class: STANDARD_IA\nx-amz-server-side-encryption: aws:kms\n"
                            "x-amz-server-side-encryption-aws-kms-key-id: key-1\n");
    assert_int_equal(s3_build_copy(&by_path, "dir/a b", &(struct s3_source){.key = "s", .version_id = "v1"}, NULL, NULL,
                                   &request, NULL),
                     OS_OK);
    assert_int_equal(s3_request_attributes(&request, &all, NULL), OS_OK);
    check_request(&request, "PUT " KEY "\nx-amz-copy-source: /bucket/s?versionId=v1\nx-amz-metadata-directive: COPY\n"
                            "x-amz-tagging: a%20b=c%26d\nx-amz-storage-class: STANDARD_IA\n"
                            "x-amz-server-side-encryption: aws:kms\n"
                            "x-amz-server-side-encryption-aws-kms-key-id: key-1\nx-amz-tagging-directive: REPLACE\n");
    assert_int_equal(s3_build_copy(&by_path, "dir/a b", &(struct s3_source){.key = "s"}, NULL, NULL, &request, NULL),
                     OS_OK);
    assert_int_equal(s3_request_attributes(&request, &some, NULL), OS_OK);
    assert_null(http_headers_get(&request.headers, "x-amz-tagging-directive")); /* those of the source stay */
    assert_int_equal(s3_request_attributes(&request, NULL, NULL), OS_OK);
    http_request_free(&request);
}

TEST(attributes_that_cannot_be_sent_are_refused)
{
    struct http_request request;
    os_metadata many[S3_TAGS_MAX + 1];
    for (size_t i = 0; i <= S3_TAGS_MAX; i++)
        many[i] = (os_metadata){"n", "v"};
    const struct s3_attributes too_many = {.tags = many, .tag_count = S3_TAGS_MAX + 1};
    const struct s3_attributes two_lines = {.storage_class = "A\nB"};
    assert_int_equal(s3_build_put(&by_path, "k", &bytes, NULL, NULL, &request, NULL), OS_OK);
    assert_int_equal(s3_request_attributes(&request, &too_many, &err), OS_ERR_ARGUMENT);
    assert_int_equal(s3_request_attributes(&request, &two_lines, &err), OS_ERR_ARGUMENT);
    http_request_free(&request);
}
