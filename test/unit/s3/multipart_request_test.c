/* SPDX-License-Identifier: Apache-2.0 */
/* Golden requests of a multipart upload: each builder's whole request as text. */
#include "s3_test.h"

#include "s3/multipart_request.h"
#include "syntax/xml.h"

static struct endpoint aws = {.scheme = "https", .host = "s3.eu-west-1.amazonaws.com", .region = "eu-west-1"};
static struct endpoint local = {.scheme = "http", .host = "127.0.0.1:9000", .region = "us-east-1"};
static const struct s3_target by_path = {.endpoint = &local, .bucket = "bucket"};
static const struct s3_target by_host = {.endpoint = &aws, .bucket = "bucket", .virtual_host = true};

static const struct http_body bytes = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5};

#define KEY "http://127.0.0.1:9000/bucket/dir/a%20b"

/* ------------------------------------------------------------------------------------------------ create */

TEST(an_upload_begins_with_all_that_the_object_will_carry)
{
    const os_metadata metadata[] = {{"colour", "blue"}};
    const os_metadata tags[] = {{"project", "a&b=c"}, {"\xc3\xbc +", ""}, {"third", NULL}};
    const struct s3_content content = {.content_type = "text/plain",
                                       .content_encoding = "gzip",
                                       .content_language = "de",
                                       .content_disposition = "inline",
                                       .cache_control = "no-store",
                                       .expires = "Sun, 06 Nov 1994 08:49:37 GMT",
                                       .metadata = metadata,
                                       .metadata_count = 1,
                                       .nonce = "00ff"};
    const struct s3_creation creation = {.content = &content,
                                         .tags = tags,
                                         .tag_count = 3,
                                         .storage_class = "STANDARD_IA",
                                         .encryption = "aws:kms",
                                         .kms_key_id = "arn:aws:kms:eu-west-1:1:key/2",
                                         .checksum = S3_CHECKSUM_CRC64NVME,
                                         .sum_type = S3_CHECKSUM_TYPE_WHOLE};
    BUILDS(s3_build_create_upload(&by_path, "dir/a b", &creation, &request, NULL),
           "POST " KEY "?uploads=\n"
           "content-type: text/plain\ncontent-encoding: gzip\ncontent-language: de\n"
           "content-disposition: inline\ncache-control: no-store\n"
           "expires: Sun, 06 Nov 1994 08:49:37 GMT\n"
           "x-amz-meta-colour: blue\nx-amz-meta-oscommit-nonce: 00ff\n"
           "x-amz-tagging: project=a%26b%3Dc&%C3%BC%20%2B=&third=\n"
           "x-amz-storage-class: STANDARD_IA\n"
           "x-amz-server-side-encryption: aws:kms\n"
           "x-amz-server-side-encryption-aws-kms-key-id: arn:aws:kms:eu-west-1:1:key/2\n"
           "x-amz-checksum-algorithm: CRC64NVME\nx-amz-checksum-type: FULL_OBJECT\n");
}

TEST(an_upload_may_begin_with_nothing_but_a_type)
{
    const struct s3_creation creation = {.checksum = S3_CHECKSUM_NONE};
    BUILDS(s3_build_create_upload(&by_host, "k", &creation, &request, NULL),
           "POST https://bucket.s3.eu-west-1.amazonaws.com/k?uploads=\n"
           "content-type: application/octet-stream\n");
}

TEST(a_checksum_is_named_with_the_types_that_it_has)
{
    static const struct {
        enum s3_checksum checksum;
        enum s3_checksum_type type;
        const char *headers; /* NULL: there is no such sum */
    } cases[] = {
        {S3_CHECKSUM_CRC32, S3_CHECKSUM_TYPE_ANY, "x-amz-checksum-algorithm: CRC32\n"},
        {S3_CHECKSUM_CRC32C, S3_CHECKSUM_TYPE_COMPOSITE,
         "x-amz-checksum-algorithm: CRC32C\nx-amz-checksum-type: COMPOSITE\n"},
        {S3_CHECKSUM_CRC32C, S3_CHECKSUM_TYPE_WHOLE,
         "x-amz-checksum-algorithm: CRC32C\nx-amz-checksum-type: FULL_OBJECT\n"},
        {S3_CHECKSUM_SHA1, S3_CHECKSUM_TYPE_COMPOSITE,
         "x-amz-checksum-algorithm: SHA1\nx-amz-checksum-type: COMPOSITE\n"},
        {S3_CHECKSUM_SHA256, S3_CHECKSUM_TYPE_WHOLE, NULL},
        {S3_CHECKSUM_SHA1, S3_CHECKSUM_TYPE_WHOLE, NULL},
        {S3_CHECKSUM_CRC64NVME, S3_CHECKSUM_TYPE_COMPOSITE, NULL},
        {S3_CHECKSUM_NONE, S3_CHECKSUM_TYPE_WHOLE, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct http_request request;
        const struct s3_creation creation = {.checksum = cases[i].checksum, .sum_type = cases[i].type};
        char expected[256];
        os_error err;
        os_code code = s3_build_create_upload(&by_path, "k", &creation, &request, &err);
        snprintf(expected, sizeof(expected), "POST http://127.0.0.1:9000/bucket/k?uploads=\n%s%s",
                 "content-type: application/octet-stream\n", cases[i].headers ? cases[i].headers : "");
        assert_int_equal(code, cases[i].headers ? OS_OK : OS_ERR_ARGUMENT);
        if (code == OS_OK) {
            check_request(&request, expected);
        } else {
            assert_non_null(strstr(err.message, "choose another type"));
            http_request_free(&request);
        }
    }
}

static void refuse_tags(const os_metadata *tags, size_t count, const char *part)
{
    struct http_request request;
    os_error err;
    const struct s3_creation creation = {.tags = tags, .tag_count = count};
    assert_int_equal(s3_build_create_upload(&by_path, "k", &creation, &request, &err), OS_ERR_ARGUMENT);
    if (strstr(err.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    http_request_free(&request);
}

TEST(tags_that_s3_does_not_take_are_refused)
{
    char name[128 * 4 + 2];
    char value[256 * 4 + 2];
    os_metadata many[11];
    memset(name, '%', sizeof(name));
    memset(value, '%', sizeof(value));
    name[sizeof(name) - 1] = value[sizeof(value) - 1] = '\0';
    refuse_tags(&(os_metadata){NULL, "v"}, 1, "cannot be stored");
    refuse_tags(&(os_metadata){"", "v"}, 1, "cannot be stored");
    refuse_tags(&(os_metadata){"a\xff", "v"}, 1, "cannot be stored");
    refuse_tags(&(os_metadata){"a", "\xff"}, 1, "\"a\"");
    refuse_tags(&(os_metadata){name, "v"}, 1, "cannot be stored");
    refuse_tags(&(os_metadata){"a", value}, 1, "cannot be stored");
    name[sizeof(name) - 2] = value[sizeof(value) - 2] = '\0';
    for (size_t i = 0; i < 11; i++)
        many[i] = (os_metadata){name, value};
    refuse_tags(many, 11, "at most 10");
    struct http_request request;
    const struct s3_creation creation = {.tags = many, .tag_count = 10};
    assert_int_equal(s3_build_create_upload(&by_path, "k", &creation, &request, NULL), OS_OK);
    assert_int_equal(strlen(http_headers_get(&request.headers, "x-amz-tagging")), 10 * (3 * (512 + 1024) + 2) - 1);
    http_request_free(&request);
}

/* ------------------------------------------------------------------------------------------------ parts */

TEST(a_part_is_named_by_upload_and_number_and_checked_by_its_sums)
{
    struct http_request request;
    const struct s3_part_place place = {.upload_id = "2~a+b/c==", .number = 10000};
    const struct s3_body_sums sums = {
        .content_md5 = "Szpiw+W+FkKbLcAl4xMsPg==", .checksum = S3_CHECKSUM_CRC32C, .checksum_text = "4waSgw=="};
    assert_int_equal(s3_build_upload_part(&by_path, "dir/a b", &place, &bytes, &sums, &request, NULL), OS_OK);
    assert_int_equal(request.body.length, 5);
    check_request(&request, "PUT " KEY "?partNumber=10000&uploadId=2~a%2Bb%2Fc%3D%3D\n"
                            "content-md5: Szpiw+W+FkKbLcAl4xMsPg==\nx-amz-checksum-crc32c: 4waSgw==\n");
    assert_int_equal(s3_build_upload_part(&by_path, "dir/a b", &place, &bytes, NULL, &request, NULL), OS_OK);
    check_request(&request, "PUT " KEY "?partNumber=10000&uploadId=2~a%2Bb%2Fc%3D%3D\n");
    const struct s3_body_sums none = {.checksum_text = "of no kind"};
    assert_int_equal(s3_build_upload_part(&by_path, "dir/a b", &place, &bytes, &none, &request, NULL), OS_OK);
    check_request(&request, "PUT " KEY "?partNumber=10000&uploadId=2~a%2Bb%2Fc%3D%3D\n");
}

TEST(a_part_is_copied_from_a_range_of_a_pinned_version)
{
    const struct s3_part_place place = {.upload_id = "u", .number = 2};
    struct s3_part_source source = {.key = "/s \xc3\xbc?",
                                    .version_id = "v+/1",
                                    .etag = "\"e-2\"",
                                    .offset = UINT64_C(5) << 30,
                                    .count = UINT64_C(5) << 30};
    BUILDS(s3_build_upload_part_copy(&by_host, "t", &place, &source, &request, NULL),
           "PUT https://bucket.s3.eu-west-1.amazonaws.com/t?partNumber=2&uploadId=u\n"
           "x-amz-copy-source: /bucket//s%20%C3%BC%3F?versionId=v%2B%2F1\n"
           "x-amz-copy-source-if-match: \"e-2\"\n"
           "x-amz-copy-source-range: bytes=5368709120-10737418239\n");
    source = (struct s3_part_source){.key = "s"};
    BUILDS(s3_build_upload_part_copy(&by_path, "t", &place, &source, &request, NULL),
           "PUT http://127.0.0.1:9000/bucket/t?partNumber=2&uploadId=u\n"
           "x-amz-copy-source: /bucket/s\n");
}

TEST(a_range_without_an_end_is_no_source_of_a_part)
{
    static const uint64_t ranges[][2] = {{1, 0}, {UINT64_MAX, 1}, {2, UINT64_MAX}};
    const struct s3_part_place place = {.upload_id = "u", .number = 1};
    for (size_t i = 0; i < 3; i++) {
        struct http_request request;
        os_error err;
        struct s3_part_source source = {.key = "s", .offset = ranges[i][0], .count = ranges[i][1]};
        assert_int_equal(s3_build_upload_part_copy(&by_path, "t", &place, &source, &request, &err), OS_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "cannot be copied"));
        http_request_free(&request);
    }
}

TEST(a_number_that_no_part_has_is_refused)
{
    static const uint32_t numbers[] = {0, 10001, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct http_request request;
        os_error err;
        const struct s3_part_place place = {.upload_id = "u", .number = numbers[i]};
        const struct s3_part_source source = {.key = "s"};
        assert_int_equal(s3_build_upload_part(&by_path, "k", &place, &bytes, NULL, &request, &err), OS_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "between 1 and 10000"));
        http_request_free(&request);
        assert_int_equal(s3_build_upload_part_copy(&by_path, "k", &place, &source, &request, &err), OS_ERR_ARGUMENT);
        http_request_free(&request);
    }
}

/* ------------------------------------------------------------------------------------------------ complete, abort */

TEST(a_completion_names_its_parts_in_order)
{
    const struct s3_part_name parts[] = {{1, "\"a-&<>'\"", "4waSgw=="}, {3, "plain", NULL}, {10000, "\"c\"", "<>"}};
    struct buf body;
    assert_int_equal(s3_write_completion(parts, 3, S3_CHECKSUM_CRC32C, &body, NULL), OS_OK);
    assert_string_equal(buf_str(&body), "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                                        "<Part><PartNumber>1</PartNumber><ETag>&quot;a-&amp;&lt;&gt;&apos;&quot;</ETag>"
                                        "<ChecksumCRC32C>4waSgw==</ChecksumCRC32C></Part>"
                                        "<Part><PartNumber>3</PartNumber><ETag>plain</ETag></Part>"
                                        "<Part><PartNumber>10000</PartNumber><ETag>&quot;c&quot;</ETag>"
                                        "<ChecksumCRC32C>&lt;&gt;</ChecksumCRC32C></Part></CompleteMultipartUpload>");
    buf_free(&body);
    assert_int_equal(s3_write_completion(parts, 1, S3_CHECKSUM_NONE, &body, NULL), OS_OK);
    assert_null(strstr(buf_str(&body), "Checksum"));
    buf_free(&body);
}

TEST(ten_thousand_parts_with_the_longest_names_fit)
{
    static struct s3_part_name parts[S3_PART_NUMBER_MAX + 1];
    char etag[S3_ETAG_SIZE];
    char sum[S3_CHECKSUM_TEXT_SIZE];
    struct buf body;
    os_error err;
    memset(etag, '"', sizeof(etag) - 1);
    memset(sum, '\'', sizeof(sum) - 1);
    etag[sizeof(etag) - 1] = sum[sizeof(sum) - 1] = '\0';
    for (uint32_t i = 0; i <= S3_PART_NUMBER_MAX; i++)
        parts[i] = (struct s3_part_name){i + 1, etag, sum};
    assert_int_equal(s3_write_completion(parts, S3_PART_NUMBER_MAX, S3_CHECKSUM_CRC64NVME, &body, NULL), OS_OK);
    assert_in_range(body.len, 10000 * 127 * 6, S3_COMPLETION_BODY_MAX);
    buf_free(&body);
    assert_int_equal(s3_write_completion(parts, S3_PART_NUMBER_MAX + 1, S3_CHECKSUM_NONE, &body, &err),
                     OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "up to 10000"));
    buf_free(&body);
}

TEST(a_completion_that_no_store_could_read_is_refused)
{
    char long_etag[S3_ETAG_SIZE + 1];
    char long_sum[S3_CHECKSUM_TEXT_SIZE + 1];
    memset(long_etag, 'x', sizeof(long_etag) - 1);
    memset(long_sum, 'x', sizeof(long_sum) - 1);
    long_etag[sizeof(long_etag) - 1] = long_sum[sizeof(long_sum) - 1] = '\0';
    const struct s3_part_name cases[][2] = {
        {{0, "e", NULL}, {1, "e", NULL}},     {{2, "e", NULL}, {2, "e", NULL}},
        {{2, "e", NULL}, {1, "e", NULL}},     {{1, NULL, NULL}, {2, "e", NULL}},
        {{1, "", NULL}, {2, "e", NULL}},      {{1, "e\x01", NULL}, {2, "e", NULL}},
        {{1, "e\xff", NULL}, {2, "e", NULL}}, {{1, "e", "\x1f"}, {2, "e", NULL}},
        {{1, "e", ""}, {2, "e", NULL}},       {{1, "e", NULL}, {2, long_etag, NULL}},
        {{1, "e", NULL}, {2, "e", long_sum}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf body;
        os_error err;
        assert_int_equal(s3_write_completion(cases[i], 2, S3_CHECKSUM_SHA256, &body, &err), OS_ERR_ARGUMENT);
        assert_int_equal(body.len, 0);
        assert_true(err.message[0] != '\0');
        buf_free(&body);
    }
    struct buf body;
    assert_int_equal(s3_write_completion(NULL, 0, S3_CHECKSUM_NONE, &body, NULL), OS_ERR_ARGUMENT);
    buf_free(&body);
}

TEST(a_complete_carries_its_condition_length_and_sum)
{
    struct http_request request;
    struct buf body;
    buf_init(&body, 64);
    assert_true(buf_add_str(&body, "<x/>"));
    assert_int_equal(s3_build_complete_upload(&by_path, "dir/a b", "u", &body, NULL, &request, NULL), OS_OK);
    assert_int_equal(request.body.kind, HTTP_BODY_MEMORY);
    assert_int_equal(request.body.length, 4);
    assert_ptr_equal(request.body.data, body.data);
    check_request(&request, "POST " KEY "?uploadId=u\ncontent-type: application/xml\n");
    struct s3_completion completion = {.condition = {.if_none_match_any = true},
                                       .length = UINT64_C(5) << 40,
                                       .checksum = S3_CHECKSUM_CRC64NVME,
                                       .sum_type = S3_CHECKSUM_TYPE_WHOLE,
                                       .checksum_text = "rosUhgp5mIg="};
    assert_int_equal(s3_build_complete_upload(&by_path, "dir/a b", "u", &body, &completion, &request, NULL), OS_OK);
    check_request(&request, "POST " KEY "?uploadId=u\ncontent-type: application/xml\nif-none-match: *\n"
                            "x-amz-mp-object-size: 5497558138880\nx-amz-checksum-crc64nvme: rosUhgp5mIg=\n"
                            "x-amz-checksum-type: FULL_OBJECT\n");
    completion = (struct s3_completion){.condition = {.if_match = "\"e\""}, .checksum = S3_CHECKSUM_SHA256};
    assert_int_equal(s3_build_complete_upload(&by_path, "dir/a b", "u", &body, &completion, &request, NULL), OS_OK);
    check_request(&request, "POST " KEY "?uploadId=u\ncontent-type: application/xml\nif-match: \"e\"\n");
    completion.sum_type = S3_CHECKSUM_TYPE_WHOLE;
    assert_int_equal(s3_build_complete_upload(&by_path, "k", "u", &body, &completion, &request, NULL), OS_ERR_ARGUMENT);
    http_request_free(&request);
    buf_free(&body);
}

TEST(an_abort_deletes_an_upload)
{
    BUILDS(s3_build_abort_upload(&by_path, "dir/a b", "u", &request, NULL), "DELETE " KEY "?uploadId=u\n");
}

/* ------------------------------------------------------------------------------------------------ lists */

TEST(lists_have_their_parameters_in_the_order_of_the_signature)
{
    BUILDS(s3_build_list_parts(&by_path, "dir/a b", "u", 0, 0, &request, NULL), "GET " KEY "?uploadId=u\n");
    BUILDS(s3_build_list_parts(&by_path, "dir/a b", "u", 1000, 7, &request, NULL),
           "GET " KEY "?max-parts=7&part-number-marker=1000&uploadId=u\n");
    struct s3_list_uploads_options options = {
        .prefix = "a b/+", .key_marker = "a b/x", .upload_id_marker = "u=", .max_uploads = 9};
    BUILDS(s3_build_list_uploads(&by_path, &options, &request, NULL),
           "GET http://127.0.0.1:9000/bucket?encoding-type=url&key-marker=a%20b%2Fx&max-uploads=9"
           "&prefix=a%20b%2F%2B&upload-id-marker=u%3D&uploads=\n");
    options = (struct s3_list_uploads_options){.upload_id_marker = "u"};
    BUILDS(s3_build_list_uploads(&by_host, &options, &request, NULL),
           "GET https://bucket.s3.eu-west-1.amazonaws.com/?encoding-type=url&uploads=\n");
    options.key_marker = "";
    BUILDS(s3_build_list_uploads(&by_host, &options, &request, NULL),
           "GET https://bucket.s3.eu-west-1.amazonaws.com/?encoding-type=url&uploads=\n");
}

TEST(a_marker_that_does_not_fit_is_named)
{
    struct http_request request;
    os_error err;
    char *marker = malloc(HTTP_TARGET_MAX);
    assert_non_null(marker);
    memset(marker, '/', HTTP_TARGET_MAX - 1);
    marker[HTTP_TARGET_MAX - 1] = '\0';
    const struct s3_list_uploads_options options = {.key_marker = marker};
    assert_int_equal(s3_build_list_uploads(&by_path, &options, &request, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "key-marker"));
    http_request_free(&request);
    free(marker);
}

/* ------------------------------------------------------------------------------------------------ ids and keys */

/* An abort without its upload id would delete the object, and a part would overwrite it. */
static void refuse_place(const char *key, const char *id, const char *part)
{
    struct http_request r;
    os_error err;
    struct buf body;
    const struct s3_part_place place = {.upload_id = id, .number = 1};
    const struct s3_part_source source = {.key = "s"};
    buf_init(&body, 1);
    assert_int_equal(s3_build_upload_part(&by_path, key, &place, &bytes, NULL, &r, &err), OS_ERR_ARGUMENT);
    http_request_free(&r);
    assert_int_equal(s3_build_upload_part_copy(&by_path, key, &place, &source, &r, &err), OS_ERR_ARGUMENT);
    http_request_free(&r);
    assert_int_equal(s3_build_complete_upload(&by_path, key, id, &body, NULL, &r, &err), OS_ERR_ARGUMENT);
    http_request_free(&r);
    assert_int_equal(s3_build_list_parts(&by_path, key, id, 0, 0, &r, &err), OS_ERR_ARGUMENT);
    http_request_free(&r);
    assert_int_equal(s3_build_abort_upload(&by_path, key, id, &r, &err), OS_ERR_ARGUMENT);
    assert_int_equal(r.query.len, 0);
    assert_non_null(strstr(err.message, part));
    http_request_free(&r);
}

TEST(what_is_no_upload_id_is_refused_by_every_builder)
{
    char id[S3_UPLOAD_ID_MAX + 2];
    static const char *const ids[] = {NULL, "", " ", "a b", "a\n", "a\x7f", "\xc3\xbc", "\x01"};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        assert_false(s3_is_upload_id(ids[i]));
        refuse_place("k", ids[i], "upload id");
    }
    memset(id, 'x', sizeof(id));
    id[S3_UPLOAD_ID_MAX + 1] = '\0';
    refuse_place("k", id, "upload id");
    id[S3_UPLOAD_ID_MAX] = '\0';
    assert_true(s3_is_upload_id(id));
    assert_true(s3_is_upload_id("!~"));
}

TEST(what_is_no_key_is_refused_by_every_builder)
{
    static const char *const keys[] = {NULL, "", "\xff", "a\x1f"};
    const struct s3_creation creation = {.checksum = S3_CHECKSUM_NONE};
    const struct s3_part_place place = {.upload_id = "u", .number = 1};
    for (size_t i = 0; i < 4; i++) {
        const struct s3_part_source source = {.key = keys[i]};
        refuse_place(keys[i], "u", "key");
        REFUSES(s3_build_create_upload(&by_path, keys[i], &creation, &request, NULL));
        REFUSES(s3_build_upload_part_copy(&by_path, "t", &place, &source, &request, NULL));
    }
}
