/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to a multipart upload's own requests, as stores give them and as none should. */
#include "s3_test.h"

#include "s3/multipart_response.h"

#define XML            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define NS             " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""
#define DONE(inside)   "<CompleteMultipartUploadResult" NS ">" inside "</CompleteMultipartUploadResult>"
#define COPIED(inside) "<CopyPartResult" NS ">" inside "</CopyPartResult>"
#define BEGUN(inside)  "<InitiateMultipartUploadResult" NS ">" inside "</InitiateMultipartUploadResult>"
#define FAILED         "<Error><Code>InternalError</Code><Message>Try again</Message><RequestId>17A</RequestId></Error>"

static const char long_text[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/* Each reader for itself, so that one table of what cannot be used serves all. */
enum reader { CREATE, PART_COPY, COMPLETE, READERS };

static union result {
    struct s3_upload_id id;
    struct s3_part part;
    struct s3_completed completed;
} result;
static struct s3_error error;
static os_error err;

static os_code read_bytes(enum reader reader, const char *headers, const char *body, size_t length)
{
    struct http_response response;
    os_code code = OS_OK;
    union result untouched;
    answer_bytes(&response, 200, headers, body, length);
    memset(&result, 0x55, sizeof(result));
    memset(&untouched, 0x55, sizeof(untouched));
    memset(&error, 0x55, sizeof(error));
    switch (reader) {
    case CREATE: code = s3_parse_create_upload(&response, &result.id, &error, &err); break;
    case PART_COPY: code = s3_parse_part_copy(&response, &result.part, &error, &err); break;
    default: code = s3_parse_completed(&response, &result.completed, &error, &err); break;
    }
    if (code != OS_OK)
        assert_memory_equal(&result, &untouched, sizeof(result));
    http_response_free(&response);
    return code;
}

static os_code read_text(enum reader reader, const char *body)
{
    return read_bytes(reader, "x-amz-request-id: R\n", body, strlen(body));
}

static void refuse(enum reader reader, const char *body)
{
    if (read_text(reader, body) != OS_ERR_PROTOCOL)
        fail_msg("reader %d took this: %s", (int)reader, body);
}

/* ------------------------------------------------------------------------------------------------ all three */

TEST(an_error_inside_a_200_is_an_error)
{
    for (int reader = 0; reader < READERS; reader++) {
        assert_int_equal(read_text((enum reader)reader, XML FAILED), OS_ERR_SERVICE);
        assert_string_equal(error.code, "InternalError");
        assert_string_equal(error.message, "Try again");
        assert_string_equal(error.request_id, "R");
        assert_false(error.unreadable);
        assert_non_null(strstr(err.message, "InternalError inside: Try again"));
    }
}

TEST(an_answer_cut_short_anywhere_says_nothing)
{
    static const char *const bodies[READERS] = {
        [CREATE] = XML BEGUN("<UploadId>u</UploadId>"),
        [PART_COPY] = XML COPIED("<ETag>&quot;e&quot;</ETag>"),
        [COMPLETE] = XML DONE("<ETag>&quot;e&quot;</ETag>"),
    };
    for (int reader = 0; reader < READERS; reader++) {
        const char *body = bodies[reader];
        assert_int_equal(read_text((enum reader)reader, body), OS_OK);
        for (size_t len = 0; len < strlen(body); len++) {
            assert_int_equal(read_bytes((enum reader)reader, "", body, len), OS_ERR_PROTOCOL);
            assert_true(error.unreadable);
            assert_string_equal(error.code, "");
        }
        for (size_t len = 0; len < strlen(FAILED); len++)
            assert_int_equal(read_bytes((enum reader)reader, "", FAILED, len), OS_ERR_PROTOCOL);
    }
}

TEST(what_is_another_document_says_nothing)
{
    static const char *const bodies[] = {
        "",
        "   \r\n",
        "OK",
        "{\"UploadId\":\"u\"}",
        "<html><body>busy</body></html>",
        "<CompleteMultipartUploadResults/>",
        "<CompleteMultipartUploadResult",
        "<CompleteMultipartUpload/>",
        "<InitiateMultipartUpload/>",
        "<CopyPart/>",
        "<CopyObjectResult/>",
        "<Errors><Code>x</Code></Errors>",
        "<!DOCTYPE a [<!ENTITY e \"x\">]>" DONE("<ETag>&e;</ETag>"),
        "<a>" DONE("<ETag>e</ETag>") "</a>",
        DONE("<ETag>e</ETag>") DONE(""),
        DONE("<ETag>e</ETag>") "<Error/>",
        "<a><a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a></a>",
    };
    for (int reader = 0; reader < READERS; reader++)
        for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
            refuse((enum reader)reader, bodies[i]);
    refuse(CREATE, "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>");
    refuse(COMPLETE, "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>");
    assert_int_equal(read_bytes(COMPLETE, "", "<a>\0</a>", 8), OS_ERR_PROTOCOL);
}

/* ------------------------------------------------------------------------------------------------ create */

TEST(a_new_upload_has_an_id)
{
    assert_int_equal(read_text(CREATE, XML BEGUN("<Bucket>b</Bucket><Key>k</Key><UploadId> 2~a/b+c== </UploadId>")),
                     OS_OK);
    assert_string_equal(result.id.text, "2~a/b+c==");
}

TEST(a_new_upload_may_be_named_as_rclone_does)
{
    assert_int_equal(read_text(CREATE, "<InitiateMultipartUpload><UploadId>a5-8</UploadId></InitiateMultipartUpload>"),
                     OS_OK);
    assert_string_equal(result.id.text, "a5-8");
    refuse(CREATE, "<InitiateMultipart><UploadId>a5-8</UploadId></InitiateMultipart>");
}

TEST(an_id_that_cannot_be_sent_is_none)
{
    char body[S3_UPLOAD_ID_MAX + 200] = BEGUN("<UploadId>");
    refuse(CREATE, BEGUN(""));
    assert_non_null(strstr(err.message, "upload id"));
    refuse(CREATE, BEGUN("<UploadId/>"));
    refuse(CREATE, BEGUN("<UploadId>a b</UploadId>"));
    refuse(CREATE, BEGUN("<UploadId>\xc3\xbc</UploadId>"));
    refuse(CREATE, BEGUN("<Upload><UploadId>u</UploadId></Upload>"));
    size_t begin = strlen("<InitiateMultipartUploadResult" NS "><UploadId>");
    memset(body + begin, 'x', S3_UPLOAD_ID_MAX + 1);
    strcpy(body + begin + S3_UPLOAD_ID_MAX, "</UploadId></InitiateMultipartUploadResult>");
    assert_int_equal(read_text(CREATE, body), OS_OK);
    assert_int_equal(strlen(result.id.text), S3_UPLOAD_ID_MAX);
    memset(body + begin, 'x', S3_UPLOAD_ID_MAX + 1);
    strcpy(body + begin + S3_UPLOAD_ID_MAX + 1, "</UploadId></InitiateMultipartUploadResult>");
    refuse(CREATE, body);
}

/* ------------------------------------------------------------------------------------------------ parts */

static os_code read_part(const char *headers)
{
    struct http_response response;
    answer_text(&response, 200, headers, "");
    memset(&result, 0x55, sizeof(result));
    os_code code = s3_parse_part(&response, &result.part, &err);
    http_response_free(&response);
    return code;
}

TEST(a_part_has_an_etag_and_may_have_a_sum)
{
    assert_int_equal(read_part("etag: \"e\"\n"), OS_OK);
    assert_string_equal(result.part.etag, "\"e\"");
    assert_int_equal(result.part.sum.checksum, S3_CHECKSUM_NONE);
    assert_string_equal(result.part.sum.text, "");
    static const struct {
        const char *header;
        enum s3_checksum checksum;
    } sums[] = {{"crc32", S3_CHECKSUM_CRC32},
                {"crc32c", S3_CHECKSUM_CRC32C},
                {"crc64nvme", S3_CHECKSUM_CRC64NVME},
                {"sha1", S3_CHECKSUM_SHA1},
                {"sha256", S3_CHECKSUM_SHA256}};
    for (size_t i = 0; i < 5; i++) {
        char headers[100];
        snprintf(headers, sizeof(headers), "etag: e\nx-amz-checksum-%s: c=\nx-amz-checksum-xxh: d\n", sums[i].header);
        assert_int_equal(read_part(headers), OS_OK);
        assert_int_equal(result.part.sum.checksum, sums[i].checksum);
        assert_string_equal(result.part.sum.text, "c=");
    }
    assert_int_equal(read_part("etag: e\nx-amz-checksum-crc32: 1\nx-amz-checksum-sha256: 2\n"), OS_OK);
    assert_int_equal(result.part.sum.checksum, S3_CHECKSUM_CRC32);
    assert_string_equal(result.part.sum.text, "1");
}

TEST(a_part_that_no_complete_could_name_is_unreadable)
{
    char headers[300];
    assert_int_equal(read_part(""), OS_ERR_PROTOCOL);
    assert_int_equal(read_part("etag: \n"), OS_ERR_PROTOCOL);
    assert_int_equal(read_part("etag: \xff\n"), OS_ERR_PROTOCOL);
    snprintf(headers, sizeof(headers), "etag: %.127s\n", long_text);
    assert_int_equal(read_part(headers), OS_OK);
    snprintf(headers, sizeof(headers), "etag: %.128s\n", long_text);
    assert_int_equal(read_part(headers), OS_ERR_PROTOCOL);
    assert_non_null(strstr(err.message, "127"));
    snprintf(headers, sizeof(headers), "etag: e\nx-amz-checksum-sha256: %.55s\n", long_text);
    assert_int_equal(read_part(headers), OS_OK);
    snprintf(headers, sizeof(headers), "etag: e\nx-amz-checksum-sha256: %.56s\n", long_text);
    assert_int_equal(read_part(headers), OS_ERR_PROTOCOL);
}

TEST(a_copied_part_is_read_from_its_document)
{
    assert_int_equal(read_text(PART_COPY, "  \n" XML COPIED("<LastModified>2006-02-03T16:45:09.000Z</LastModified>"
                                                            "<ETag> &quot;e&quot;\n</ETag><ChecksumCRC64NVME>c=<!-- -->"
                                                            "</ChecksumCRC64NVME>")),
                     OS_OK);
    assert_string_equal(result.part.etag, "\"e\"");
    assert_int_equal(result.part.last_modified_s, 1138985109);
    assert_int_equal(result.part.sum.checksum, S3_CHECKSUM_CRC64NVME);
    assert_string_equal(result.part.sum.text, "c=");
    assert_int_equal(read_text(PART_COPY, "<CopyObjectResult><ETag>e</ETag></CopyObjectResult>"), OS_OK); /* s3proxy */
    assert_int_equal(read_text(PART_COPY, COPIED("<ETag>e</ETag><LastModified>yesterday</LastModified>")), OS_OK);
    assert_int_equal(result.part.last_modified_s, 0);
    char body[400];
    snprintf(body, sizeof(body), COPIED("<ETag>%s</ETag>"), long_text);
    refuse(PART_COPY, body);
    snprintf(body, sizeof(body), COPIED("<ETag>e</ETag><ChecksumSHA1>%s</ChecksumSHA1>"), long_text);
    refuse(PART_COPY, body);
    refuse(PART_COPY, COPIED("<LastModified>2006-02-03T16:45:09.000Z</LastModified>"));
    assert_non_null(strstr(err.message, "ETag"));
    refuse(PART_COPY, COPIED("<ETag/>"));
}

/* ------------------------------------------------------------------------------------------------ complete */

TEST(blanks_keep_a_connection_alive_until_the_document_comes)
{
    static const char *const bodies[] = {
        DONE("<ETag>&quot;e-2&quot;</ETag>"),
        "\n \t\r\n" XML DONE("<ETag>\"e-2\"</ETag>") "\n",
        XML "          \n     " DONE("<Location>l</Location><ETag>&#34;e-2&#34;</ETag>"),
    };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_text(COMPLETE, bodies[i]), OS_OK);
        assert_string_equal(result.completed.etag, "\"e-2\"");
        assert_string_equal(result.completed.version_id, "");
        assert_int_equal(result.completed.sum.checksum, S3_CHECKSUM_NONE);
    }
    assert_int_equal(read_text(COMPLETE, "        " XML "   " FAILED), OS_ERR_SERVICE);
    static char blanks[100000];
    memset(blanks, ' ', sizeof(blanks));
    assert_int_equal(read_bytes(COMPLETE, "", blanks, sizeof(blanks)), OS_ERR_PROTOCOL);
    memcpy(blanks + sizeof(blanks) - strlen(FAILED), FAILED, strlen(FAILED));
    assert_int_equal(read_bytes(COMPLETE, "", blanks, sizeof(blanks)), OS_ERR_SERVICE);
}

TEST(a_completed_upload_has_version_and_sum)
{
    static const char body[] = DONE("<ETag>e</ETag><ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME>"
                                    "<ChecksumType>FULL_OBJECT</ChecksumType><ChecksumSHA1>x</ChecksumSHA1>");
    assert_int_equal(read_bytes(COMPLETE, "x-amz-version-id: v1\n", body, strlen(body)), OS_OK);
    assert_string_equal(result.completed.version_id, "v1");
    assert_int_equal(result.completed.sum.checksum, S3_CHECKSUM_CRC64NVME);
    assert_string_equal(result.completed.sum.text, "rosUhgp5mIg=");
    assert_int_equal(read_text(COMPLETE, DONE("")), OS_OK);
    assert_string_equal(result.completed.etag, "");
    char large[400];
    snprintf(large, sizeof(large), DONE("<ETag>%s</ETag>"), long_text);
    refuse(COMPLETE, large);
    snprintf(large, sizeof(large), DONE("<ChecksumSHA256>%s</ChecksumSHA256>"), long_text);
    refuse(COMPLETE, large);
}
