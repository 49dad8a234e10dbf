/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, objects and copies as stores really answer, and as they should not. */
#include "s3_test.h"

#include "s3/request.h"
#include "s3/response.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

/* ------------------------------------------------------------------------------------------------ errors */

static struct s3_error error_of(int status, const char *headers, const char *body)
{
    struct http_response response;
    struct s3_error error;
    answer_text(&response, status, headers, body);
    s3_parse_error(&response, &error);
    http_response_free(&response);
    return error;
}

TEST(an_error_document_is_read)
{
    struct s3_error error =
        error_of(412, "x-amz-request-id: HEADER\n",
                 XML "<Error><Code>PreconditionFailed</Code><Message>At least one did not hold</Message>"
                     "<Condition>If-None-Match</Condition><RequestId>BODY</RequestId><HostId>h</HostId></Error>");
    assert_string_equal(error.code, "PreconditionFailed");
    assert_string_equal(error.message, "At least one did not hold");
    assert_string_equal(error.condition, "If-None-Match");
    assert_string_equal(error.request_id, "HEADER");
    assert_false(error.unreadable);
    error = error_of(500, "", "<Error><Code> InternalError\n</Code><RequestId>BODY</RequestId></Error>");
    assert_string_equal(error.code, "InternalError");
    assert_string_equal(error.request_id, "BODY");
}

TEST(the_stores_time_is_read_from_a_skewed_request)
{
    struct s3_error error = error_of(403, "",
                                     XML "<Error><Code>RequestTimeTooSkewed</Code><Message>m</Message>"
                                         "<RequestTime>20261121T000000Z</RequestTime>"
                                         "<ServerTime>2026-11-21T12:00:00Z</ServerTime></Error>");
    assert_string_equal(error.server_time, "2026-11-21T12:00:00Z");
}

TEST(an_answer_without_a_body_leaves_the_code_empty)
{
    struct s3_error error = error_of(404, "x-amz-request-id: R\n", "");
    assert_string_equal(error.code, "");
    assert_string_equal(error.request_id, "R");
    assert_false(error.unreadable);
    assert_false(error_of(404, "", " \r\n").unreadable);
}

TEST(what_is_no_error_document_is_unreadable)
{
    static const char *const bodies[] = {
        "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
        "{\"Code\": \"NoSuchKey\"}",
        "Service Unavailable",
        "<Error><Code>NoSuchKey</Code>",
        "<Errors><Code>NoSuchKey</Code></Errors>",
        "<Answer><Error><Code>NoSuchKey</Code></Error></Answer>",
        "<!DOCTYPE Error><Error><Code>NoSuchKey</Code></Error>",
        "<Error><Code>NoSuchKey</Code></Error><Error/>",
        "<Error><Code>No<a><b><c><d><e><f><g/></f></e></d></c></b></a>SuchKey</Code></Error>",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct s3_error error = error_of(503, "x-amz-request-id: R\n", bodies[i]);
        assert_true(error.unreadable);
        assert_string_equal(error.code, "");
        assert_string_equal(error.request_id, "R");
    }
}

TEST(an_error_document_cut_at_any_byte_says_nothing)
{
    static const char body[] = "<Error><Code>AccessDenied</Code><Message>m</Message><Region>eu-west-1</Region></Error>";
    for (size_t len = 1; len < sizeof(body) - 1; len++) {
        struct http_response response;
        struct s3_error error;
        answer_bytes(&response, 403, "", body, len);
        s3_parse_error(&response, &error);
        http_response_free(&response);
        assert_true(error.unreadable);
        assert_string_equal(error.code, "");
        assert_string_equal(error.region, "");
    }
}

TEST(the_right_region_is_found_wherever_it_stands)
{
    struct s3_error error = error_of(301, "x-amz-bucket-region: eu-west-1\n",
                                     XML "<Error><Code>PermanentRedirect</Code><Message>m</Message>"
                                         "<Endpoint>bucket.s3.eu-west-1.amazonaws.com</Endpoint></Error>");
    assert_string_equal(error.region, "eu-west-1");
    assert_string_equal(error.endpoint, "bucket.s3.eu-west-1.amazonaws.com");
    assert_string_equal(error_of(301, "x-amz-bucket-region: eu-west-1\n", "").region, "eu-west-1");
    error = error_of(400, "",
                     XML "<Error><Code>AuthorizationHeaderMalformed</Code><Message>The region 'us-east-1' is wrong; "
                         "expecting 'ap-south-1'</Message><Region>ap-south-1</Region></Error>");
    assert_string_equal(error.region, "ap-south-1");
    error = error_of(400, "",
                     XML "<Error><Code>AuthorizationHeaderMalformed</Code><Message>The region 'us-east-1' is wrong; "
                         "expecting 'garage'</Message></Error>");
    assert_string_equal(error.region, "garage");
    error = error_of(400, "", XML "<Error><Code>Other</Code><Message>expecting 'garage'</Message></Error>");
    assert_string_equal(error.region, "");
}

/* It becomes part of a host name. */
TEST(a_region_that_could_not_be_one_is_dropped)
{
    static const char *const bodies[] = {
        "<Error><Code>PermanentRedirect</Code><Region>evil.example/</Region></Error>",
        "<Error><Code>PermanentRedirect</Code><Region>a b</Region></Error>",
        "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'a.b'</Message></Error>",
        "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'a</Message></Error>",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        assert_string_equal(error_of(301, "", bodies[i]).region, "");
    assert_string_equal(error_of(301, "x-amz-bucket-region: a@b\n", "").region, "");
}

TEST(long_and_wild_texts_are_cut_and_tamed)
{
    struct buf body;
    buf_init(&body, 65536);
    buf_add_str(&body, "<Error><Code>Wild</Code><Message>a\n\tb&#127;");
    for (int i = 0; i < 400; i++)
        buf_add_str(&body, "\xc3\xa4");
    buf_add_str(&body, "</Message></Error>");
    struct s3_error error = error_of(500, "", buf_str(&body));
    buf_free(&body);
    assert_memory_equal(error.message, "a  b \xc3\xa4", 7);
    assert_true(strlen(error.message) >= sizeof(error.message) - 2);
    assert_true(text_is_utf8(text_from(error.message)));
}

/* ------------------------------------------------------------------------------------------------ objects */

static os_code object_of(const char *headers, struct s3_object *ret)
{
    struct http_response response;
    os_error err;
    answer_text(&response, 200, headers, "");
    os_code code = s3_parse_object(&response, ret, &err);
    http_response_free(&response);
    return code;
}

TEST(an_object_is_read_from_the_headers)
{
    struct s3_object object;
    assert_int_equal(object_of("ETag: \"abc-2\"\nContent-Length: 12\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\n"
                               "X-Amz-Version-Id: null\nX-Amz-Meta-OSCommit-Nonce: 00ff\n"
                               "X-Amz-Meta-OSCommit-Replaced: ee11\nX-Amz-Meta-OSCommit-Fencing: 7\n",
                               &object),
                     OS_OK);
    assert_int_equal(object.fencing, 7);
    assert_string_equal(object.etag, "\"abc-2\"");
    assert_string_equal(object.version_id, "null");
    assert_string_equal(object.nonce, "00ff");
    assert_string_equal(object.replaced, "ee11");
    assert_int_equal(object.length, 12);
    assert_int_equal(object.last_modified_s, 784111777);
    assert_false(object.delete_marker);
}

TEST(odd_headers_are_taken_as_they_are)
{
    struct s3_object object;
    assert_int_equal(object_of("", &object), OS_OK);
    assert_string_equal(object.etag, "");
    assert_int_equal(object.length, 0);
    assert_int_equal(object_of("etag: W/\"weak\"\nlast-modified: yesterday\n", &object), OS_OK);
    assert_string_equal(object.etag, "W/\"weak\"");
    assert_int_equal(object.last_modified_s, 0);
    assert_int_equal(object_of("etag: unquoted\nx-amz-meta-oscommit-fencing: -1\n", &object), OS_OK);
    assert_int_equal(object.fencing, 0);
    assert_string_equal(object.etag, "unquoted");
    assert_int_equal(object_of("x-amz-delete-marker: true\nx-amz-version-id: v1\n", &object), OS_OK);
    assert_true(object.delete_marker);
}

TEST(a_range_says_the_length_of_the_whole)
{
    struct s3_object object;
    assert_int_equal(object_of("content-length: 10\ncontent-range: bytes 0-9/1000\n", &object), OS_OK);
    assert_int_equal(object.length, 1000);
    assert_int_equal(object_of("content-length: 10\ncontent-range: bytes 0-9/*\n", &object), OS_OK);
    assert_int_equal(object.length, 10);
}

TEST(a_length_that_is_no_number_is_a_broken_answer)
{
    struct s3_object object = {.length = 77};
    static const char *const headers[] = {"content-length: -1\n", "content-length: ten\n", "content-length: 1e3\n",
                                          "content-length: 99999999999999999999\n", "content-length: 1,1\n"};
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        assert_int_equal(object_of(headers[i], &object), OS_ERR_PROTOCOL);
    assert_int_equal(object.length, 77);
}

static char *header_of(const char *name, size_t length)
{
    struct buf text;
    buf_init(&text, 4096);
    buf_add_f(&text, "%s: ", name);
    for (size_t i = 0; i < length; i++)
        buf_add_char(&text, 'v');
    buf_add_char(&text, '\n');
    return buf_take(&text);
}

TEST(an_etag_that_does_not_fit_is_a_broken_answer)
{
    struct s3_object object;
    for (size_t len = 126; len < 130; len++) {
        char *header = header_of("etag", len);
        assert_int_equal(object_of(header, &object), len < sizeof(object.etag) ? OS_OK : OS_ERR_PROTOCOL);
        free(header);
    }
}

TEST(a_version_id_that_does_not_fit_keeps_its_identity)
{
    struct s3_object object;
    struct s3_object other;
    char *header = header_of("x-amz-version-id", 255);
    assert_int_equal(object_of(header, &object), OS_OK);
    assert_int_equal(strlen(object.version_id), 255);
    free(header);
    header = header_of("x-amz-version-id", 1024);
    assert_int_equal(object_of(header, &object), OS_OK);
    free(header);
    header = header_of("x-amz-version-id", 1023);
    assert_int_equal(object_of(header, &other), OS_OK);
    free(header);
    assert_true(text_starts(text_from(object.version_id), "sha256:"));
    assert_int_equal(strlen(object.version_id), 7 + 64);
    assert_string_not_equal(object.version_id, other.version_id);
}

TEST(the_stores_time_is_its_date_header)
{
    struct http_response response;
    int64_t date_s = 5;
    answer_text(&response, 403, "Date: Sun, 06 Nov 1994 08:49:37 GMT\n", "");
    assert_true(http_response_date(&response, &date_s));
    assert_int_equal(date_s, 784111777);
    http_response_free(&response);
    answer_text(&response, 403, "Date: 1994-11-06\n", "");
    assert_false(http_response_date(&response, &date_s));
    http_response_free(&response);
    answer_text(&response, 403, "", "");
    assert_false(http_response_date(&response, &date_s));
    http_response_free(&response);
    assert_int_equal(date_s, 784111777);
}

TEST(what_a_copy_carries_over_is_found)
{
    struct http_response response;
    struct s3_content content;
    os_metadata list[2];
    answer_text(&response, 200,
                "content-type: text/plain\ncache-control: no-store\nx-amz-meta-b: 2\nx-amz-meta-oscommit-nonce: 00\n"
                "x-amz-meta-oscommit-replaced: 11\n"
                "x-amz-meta-A: 1\nserver: S3\nexpires: never\n",
                "");
    assert_true(s3_content_of(&response, list, 2, &content));
    assert_string_equal(content.content_type, "text/plain");
    assert_string_equal(content.cache_control, "no-store");
    assert_string_equal(content.expires, "never");
    assert_null(content.content_encoding);
    assert_null(content.nonce);
    assert_null(content.replaced);
    assert_int_equal(content.metadata_count, 2);
    assert_string_equal(content.metadata[0].name, "b");
    assert_string_equal(content.metadata[1].name, "a");
    assert_string_equal(content.metadata[1].value, "1");
    assert_false(s3_content_of(&response, list, 1, &content));
    http_response_free(&response);
}

/* ------------------------------------------------------------------------------------------------ copies */

static os_code copy_of(const char *headers, const char *body, struct s3_object *ret, struct s3_error *error)
{
    struct http_response response;
    os_error err;
    answer_text(&response, 200, headers, body);
    os_code code = s3_parse_copy(&response, ret, error, &err);
    http_response_free(&response);
    return code;
}

#define RESULT                                                             \
    "<CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" \
    "<LastModified>2006-02-03T16:45:09.000Z</LastModified><ETag>&quot;abc&quot;</ETag></CopyObjectResult>"

TEST(a_copy_has_succeeded_when_its_result_came)
{
    struct s3_object object;
    struct s3_error error;
    assert_int_equal(copy_of("x-amz-version-id: v\nx-amz-request-id: R\n", XML RESULT, &object, &error), OS_OK);
    assert_string_equal(object.etag, "\"abc\"");
    assert_string_equal(object.version_id, "v");
    assert_int_equal(object.last_modified_s, 1138985109);
    assert_string_equal(error.request_id, "R");
    assert_int_equal(copy_of("", "\n  \n \r\n" XML "\n\n   " RESULT "\n", &object, &error), OS_OK);
    assert_string_equal(object.etag, "\"abc\"");
    assert_string_equal(object.version_id, "");
    assert_int_equal(copy_of("", "<CopyObjectResult/>", &object, &error), OS_OK);
    assert_string_equal(object.etag, "");
}

TEST(an_error_inside_a_200_is_an_error)
{
    struct s3_object object = {.etag = "kept"};
    struct s3_error error;
    static const char body[] =
        "   \n" XML "<Error><Code>InternalError</Code><Message>We encountered an internal error</Message></Error>";
    assert_int_equal(copy_of("", body, &object, &error), OS_ERR_SERVICE);
    assert_string_equal(error.code, "InternalError");
    assert_string_equal(error.message, "We encountered an internal error");
    assert_string_equal(object.etag, "kept");
}

TEST(a_200_with_anything_else_is_no_success)
{
    static const char *const bodies[] = {
        "",
        "   \n",
        "<html/>",
        "OK",
        "<CopyPartResult><ETag>e</ETag></CopyPartResult>",
        "<CopyObjectResults/>",
        "<Answer>" RESULT "</Answer>",
        "<!DOCTYPE x>" RESULT,
        RESULT "<Error><Code>InternalError</Code></Error>",
        "<Error><Code>InternalError</Code>",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct s3_object object;
        struct s3_error error;
        assert_int_equal(copy_of("x-amz-request-id: R\n", bodies[i], &object, &error), OS_ERR_PROTOCOL);
        assert_true(error.unreadable);
        assert_string_equal(error.code, "");
        assert_string_equal(error.request_id, "R");
    }
}

TEST(a_result_cut_at_any_byte_is_no_success)
{
    static const char body[] = XML RESULT;
    for (size_t len = 0; len < sizeof(body) - 1; len++) {
        struct http_response response;
        struct s3_object object = {.etag = "kept"};
        struct s3_error error;
        os_error err;
        answer_bytes(&response, 200, "", body, len);
        assert_int_equal(s3_parse_copy(&response, &object, &error, &err), OS_ERR_PROTOCOL);
        assert_string_equal(object.etag, "kept");
        http_response_free(&response);
    }
}

TEST(an_etag_of_a_copy_that_does_not_fit_is_no_success)
{
    struct buf body;
    struct s3_object object;
    struct s3_error error;
    buf_init(&body, 4096);
    buf_add_str(&body, "<CopyObjectResult><ETag>");
    for (int i = 0; i < 128; i++)
        buf_add_char(&body, 'e');
    buf_add_str(&body, "</ETag><ETag>short</ETag></CopyObjectResult>");
    assert_int_equal(copy_of("", buf_str(&body), &object, &error), OS_ERR_PROTOCOL);
    buf_free(&body);
}

TEST(what_a_store_adds_needlessly_changes_nothing)
{
    struct s3_error error =
        error_of(400, "x-amz-bucket-region: eu-west-1\n",
                 "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'us-west-2'</Message></Error>");
    assert_string_equal(error.region, "eu-west-1"); /* the header is surer than the sentence */
    error =
        error_of(400, "", "<Error><Code>AuthorizationHeaderMalformed</Code><Message>expecting 'us</Message></Error>");
    assert_string_equal(error.region, "");
    error = error_of(400, "", "<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong</Message></Error>");
    assert_string_equal(error.region, "");
    error = error_of(400, "", "<Wrong><Code>x</Code></Wrong>");
    assert_true(error.unreadable);

    struct http_response response;
    struct s3_object object;
    os_error err;
    answer_text(&response, 200, "x-amz-delete-marker: false\n", "");
    assert_int_equal(s3_parse_object(&response, &object, &err), OS_OK);
    assert_false(object.delete_marker);
    http_response_free(&response);
    answer_text(&response, 200, "",
                "<CopyObjectResult><LastModified>yesterday</LastModified><ETag>\"e\"</ETag><ChecksumType>FULL_OBJECT</"
                "ChecksumType></CopyObjectResult>");
    assert_int_equal(s3_parse_copy(&response, &object, &error, &err), OS_OK);
    assert_int_equal(object.last_modified_s, 0);
    http_response_free(&response);
}

TEST(a_request_id_without_a_beginning_of_a_character_is_cut_to_nothing)
{
    char headers[600] = "x-amz-request-id: ";
    size_t begin = strlen(headers);
    memset(headers + begin, 0x80, 500);
    strcpy(headers + begin + 500, "\n");
    assert_string_equal(error_of(500, headers, "").request_id, "");
}
