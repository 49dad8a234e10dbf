/* SPDX-License-Identifier: Apache-2.0 */
/* Writes, HEADs and multipart uploads through the store's interface, against a server that says what it is told to. */
#include "base/clock.h"
#include "base/digest.h"
#include "store/answer.h"
#include "store/s3_http.h"
#include "support/http_server.h"
#include "support/socket_watch.h"
#include "unit/api/client_scratch.h"
#include "unit/store/store_call.h"

#include <stdio.h>
#include <string.h>

struct fixture {
    struct http_server *server;
    struct on_store on;
};

static void fixture_set_up(struct fixture *f)
{
    f->server = on_store_serve(&f->on, STORE_MARKS_NONE);
}

static void fixture_tear_down(struct fixture *f)
{
    on_store_stop(&f->on, f->server);
}

static void answer_with(struct fixture *f, const char *status, const char *headers, const char *body)
{
    char text[2048];
    snprintf(text, sizeof(text),
             "HTTP/1.1 %s\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: %zu\r\n%s\r\n%s", status,
             strlen(body), headers, body);
    http_server_push(f->server, &(struct http_server_step){.answer = text});
}

static const struct http_server_record *only_request(struct fixture *f)
{
    assert_int_equal(http_server_count(f->server), 1);
    return http_server_record(f->server, 0);
}

static const struct s3_part_name parts[] = {{1, "\"a\"", NULL}, {3, "\"b\"", "AAAAAA=="}};
#define COMPLETED(inside) "<CompleteMultipartUploadResult>" inside "</CompleteMultipartUploadResult>"
#define FAILED(code)      "<Error><Code>" code "</Code><Message>told so</Message></Error>"

static struct store_request complete_of(const char *id)
{
    return (struct store_request){.verb = STORE_COMPLETE,
                                  .key = "k",
                                  .condition.if_none_match_any = true,
                                  .upload = {.id = id, .parts = parts, .part_count = 2}};
}

TEST_WITH(fixture, a_guarded_complete_is_signed_in_the_query_with_its_parts_and_its_condition)
{
    static const struct s3_completion completion = {.length = 77, .checksum = S3_CHECKSUM_CRC32C};
    struct store_request request = complete_of("an-id");
    request.upload.completion = &completion;
    answer_with(fixture, "200 OK", "x-amz-version-id: v7\r\n", "  \n" COMPLETED("<ETag>\"e-2\"</ETag>"));
    struct store_answer answer = store_call_guarded(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_true(answer.result_document && answer.sent && answer.complete && answer.has_date);
    assert_string_equal(answer.object.etag, "\"e-2\"");
    assert_string_equal(answer.object.version_id, "v7");
    const struct http_server_record *record = only_request(fixture);
    assert_string_equal(record->method, "POST");
    assert_non_null(strstr(record->target, "/bucket/k?"));
    assert_non_null(strstr(record->target, "X-Amz-Expires=60"));
    assert_non_null(strstr(record->target, "uploadId=an-id"));
    assert_non_null(strstr(record->target, "if-none-match"));
    assert_non_null(strstr(record->target, "x-amz-mp-object-size"));
    assert_string_equal(http_headers_get(&record->headers, "if-none-match"), "*");
    assert_string_equal(http_headers_get(&record->headers, "x-amz-mp-object-size"), "77");
    assert_string_equal(record->body, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                                      "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>"
                                      "<Part><PartNumber>3</PartNumber><ETag>&quot;b&quot;</ETag>"
                                      "<ChecksumCRC32C>AAAAAA==</ChecksumCRC32C></Part></CompleteMultipartUpload>");
}

/* F3: a Complete whose list of parts does not arrive at once with its headers may be stalled, too. */
TEST_WITH(fixture, the_body_of_a_complete_is_its_list_of_parts)
{
    enum { MANY = 2000 };
    static struct s3_part_name many[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (struct s3_part_name){.number = i + 1, .etag = "\"0123456789abcdef0123456789abcdef\""};
    struct store_request request = complete_of("an-id");
    assert_true(store_call_delivery(&fixture->on, &request).at_once);
    request.upload.parts = many;
    request.upload.part_count = MANY / 10;
    assert_true(store_call_delivery(&fixture->on, &request).at_once);
    request.upload.part_count = MANY;
    assert_false(store_call_delivery(&fixture->on, &request).at_once);
}

TEST_WITH(fixture, an_error_inside_the_200_of_a_complete_is_no_success)
{
    struct store_request request = complete_of("an-id");
    answer_with(fixture, "200 OK", "", FAILED("InternalError"));
    struct store_answer answer = store_call_guarded(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_ERR_SERVICE);
    assert_false(answer.result_document);
    assert_true(answer.complete);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.service.code, "InternalError");
    CHECK_SAYS(&answer.error, "CompleteMultipartUpload of s3://bucket/k failed: InternalError: told so");
}

TEST_WITH(fixture, a_complete_without_its_document_is_no_success)
{
    static const char *const bodies[] = {"", "   ", "<CompleteMultipartUploadResult><ETag>\"e\"</ETag>",
                                         "<html></html>"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct store_request request = complete_of("an-id");
        answer_with(fixture, "200 OK", "", bodies[i]);
        struct store_answer answer = store_call_guarded(&fixture->on, &request);
        CHECK_ANSWER(answer, OS_ERR_PROTOCOL);
        assert_false(answer.result_document);
        assert_string_equal(answer.object.etag, "");
    }
}

static const struct http_body two_bytes = {.kind = HTTP_BODY_MEMORY, .data = "by", .fd = -1, .length = 2};

/* NULL: it is not there. */
static void check_header(const struct http_headers *headers, const char *name, const char *value)
{
    const char *found = http_headers_get(headers, name);
    assert_string_equal(found ? found : "none", value ? value : "none");
}

/* A copy replaces the metadata for them alone. */
TEST_WITH(fixture, a_put_and_a_copy_have_the_nonces_of_the_guard_and_a_copy_its_token)
{
    const struct store_request requests[] = {
        {.verb = STORE_PUT, .key = "k", .body = two_bytes, .nonce = "00ff", .replaced = "ee11", .history = "dd22"},
        {.verb = STORE_COPY, .key = "k", .source_key = "from", .nonce = "00ff", .replaced = "ee11", .history = "dd22"},
        {.verb = STORE_COPY,
         .key = "k",
         .source_key = "from",
         .nonce = "00ff",
         .replaced = "ee11",
         .history = "dd22",
         .fencing = "7"},
        {.verb = STORE_COPY, .key = "k", .source_key = "from", .fencing = "7"},
    };
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        struct store_request request = requests[i];
        answer_with(fixture, "200 OK", "", "<CopyObjectResult><ETag>\"e\"</ETag></CopyObjectResult>");
        CHECK_ANSWER(store_call_guarded(&fixture->on, &request), OS_OK);
        const struct http_headers *headers = &http_server_record(fixture->server, i)->headers;
        check_header(headers, S3_NONCE_HEADER, request.nonce);
        check_header(headers, S3_REPLACED_HEADER, request.replaced);
        check_header(headers, S3_HISTORY_HEADER, request.history);
        check_header(headers, S3_FENCING_HEADER, request.fencing);
        check_header(headers, "x-amz-metadata-directive", request.verb == STORE_COPY ? "REPLACE" : NULL);
    }
}

TEST_WITH(fixture, a_head_shows_the_nonces)
{
    struct store_request head = {.verb = STORE_HEAD, .key = "k"};
    answer_with(fixture, "200 OK", S3_NONCE_HEADER ": 00ff\r\n" S3_REPLACED_HEADER ": ee11\r\n", "");
    struct store_answer answer = store_call(&fixture->on, &head);
    CHECK_ANSWER(answer, OS_OK);
    assert_string_equal(answer.object.nonce, "00ff");
    assert_string_equal(answer.object.replaced, "ee11");
}

TEST(a_store_that_cannot_be_reached_names_the_setting)
{
    struct on_store on;
    struct store_request head = {.verb = STORE_HEAD, .key = "k"};
    on_store_open(&on, "http://127.0.0.1:1", "bucket");
    struct store_answer answer = store_call(&on, &head);
    CHECK_ANSWER(answer, OS_ERR_NETWORK);
    CHECK_SAYS(&answer.error, "refused. Check s3_endpoint, which is http://127.0.0.1:1 (--s3-endpoint, AWS_ENDPOINT");
    on_store_close(&on);
}

/* The connection dies before the first byte of an answer, where libcurl would send again. */
static void check_once(struct fixture *f, struct store_request request, bool guarded)
{
    struct store_request head = {.verb = STORE_HEAD, .key = "k"};
    size_t before = http_server_count(f->server);
    CHECK_ANSWER(store_call(&f->on, &head), OS_OK); /* the connection to reuse */
    http_server_push(f->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
    struct store_answer answer = guarded ? store_call_guarded(&f->on, &request) : store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_NETWORK);
    assert_true(answer.sent);
    assert_false(answer.complete);
    assert_int_equal(http_server_count(f->server), before + 2);
}

TEST_WITH(fixture, R6_what_may_be_an_attempt_leaves_once)
{
    static const struct s3_part_source source = {.key = "from", .etag = "\"s\"", .offset = 5, .count = 10};
    const struct store_request requests[] = {
        complete_of("an-id"),
        {.verb = STORE_PUT, .key = "k", .body = two_bytes},
        {.verb = STORE_COPY, .key = "k", .source_key = "from"},
        {.verb = STORE_DELETE, .key = "k"},
        {.verb = STORE_RENAME, .key = "k", .source_key = "from"},
        {.verb = STORE_UPLOAD_PART, .key = "k", .body = two_bytes, .upload = {.id = "an-id", .part_number = 1}},
        {.verb = STORE_UPLOAD_PART_COPY,
         .key = "k",
         .upload = {.id = "an-id", .part_number = 1, .part_source = &source}},
    };
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        check_once(fixture, requests[i], false);
        if (i < 4)
            check_once(fixture, requests[i], true);
    }
}

/* R10: what broke off may have said anything. */
TEST_WITH(fixture, an_answer_that_breaks_off_is_not_whole)
{
    static const char *const cut[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" COMPLETED("<ETag>\"e\"</ETag>"),
        "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 1000\r\n\r\n" FAILED("PreconditionFailed"),
        "HTTP/1.1 403 Forbidden\r\nContent-Le",
    };
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
        struct store_request request = complete_of("an-id");
        http_server_push(fixture->server, &(struct http_server_step){.answer = cut[i], .leave = HTTP_SERVER_CLOSE});
        struct store_answer answer = store_call_guarded(&fixture->on, &request);
        assert_int_not_equal(answer.code, OS_OK);
        assert_true(answer.sent);
        assert_false(answer.complete);
        assert_false(answer.result_document);
    }
}

/* A second signature would be a second attempt, of which the guard knows nothing. */
TEST_WITH(fixture, R6_an_attempt_that_is_refused_for_its_date_is_not_sent_again)
{
    struct store_request request = {.verb = STORE_PUT, .key = "k", .body = two_bytes};
    answer_with(fixture, "403 Forbidden", "", FAILED("RequestTimeTooSkewed"));
    struct store_answer answer = store_call_guarded(&fixture->on, &request);
    assert_int_equal(answer.status, 403);
    assert_string_equal(answer.service.code, "RequestTimeTooSkewed");
    assert_int_equal(http_server_count(fixture->server), 1);
    answer_with(fixture, "403 Forbidden", "", FAILED("RequestTimeTooSkewed"));
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK); /* E2 */
    assert_int_equal(http_server_count(fixture->server), 3);
}

static void begin_watch(void *context)
{
    (void)context;
    socket_watch_begin();
}

static void end_watch(void *context)
{
    socket_watch_end();
    memcpy(context, socket_watch(), sizeof(struct socket_watch));
}

static struct socket_watch watched_put(struct fixture *f, uint64_t length, const struct store_sending *sending)
{
    struct store_request request = {.verb = STORE_PUT, .key = "k", .body = two_bytes};
    struct socket_watch seen;
    char *bytes = calloc(1, length);
    assert_non_null(bytes);
    request.body.data = bytes;
    request.body.length = length;
    on_loop_call(&f->on.on, begin_watch, NULL);
    CHECK_ANSWER(store_call_sending(&f->on, &request, sending), OS_OK);
    on_loop_call(&f->on.on, end_watch, &seen);
    free(bytes);
    return seen;
}

/* How it is sent is what its record counts on. */
TEST_WITH(fixture, R6_an_attempt_is_sent_as_the_guard_says)
{
    struct store_sending sending = {.user_timeout_ms = 7654};
    struct socket_watch seen = watched_put(fixture, 2000, &sending);
    assert_int_equal(seen.sends, 1);
    assert_int_equal(seen.user_timeout_ms, 7654);
    assert_int_equal(seen.resets, 0);
    sending = (struct store_sending){
        .user_timeout_ms = 7654, .tail = HTTP_TAIL_HELD_BACK, .tail_before_ms = 60000, .late_segment_ms = 1111};
    clock_read(&sending.tail_clock);
    seen = watched_put(fixture, 2000, &sending);
    assert_true(seen.sends > 1);
    assert_int_equal(seen.sent[seen.sends - 1], 512);
    assert_true(seen.user_timeout_calls >= 1); /* for the last segment */
    assert_int_equal(seen.resets, 1);
    assert_int_equal(seen.sends_before_reset, 0);
}

TEST_WITH(fixture, a_body_goes_with_the_sum_that_tells_whether_it_arrived)
{
    struct store_request request = {.verb = STORE_PUT, .key = "k", .body = two_bytes};
    unsigned char digest[MD5_SIZE];
    char wanted[32];
    assert_true(md5_digest("by", 2, digest));
    text_base64(digest, sizeof(digest), wanted);
    CHECK_ANSWER(store_call_guarded(&fixture->on, &request), OS_OK);
    const struct http_server_record *record = only_request(fixture);
    assert_string_equal(http_headers_get(&record->headers, "content-md5"), wanted);
    assert_non_null(strstr(record->target, "content-md5")); /* signed */
}

static void check_crc32(const struct s3_target *target, enum http_body_kind kind, const char *wanted)
{
    struct store_request request = {.verb = STORE_PUT, .key = "k"};
    struct s3_store_http http;
    request.body = (struct http_body){.kind = kind, .data = "123456789", .length = 9};
    s3_store_http_init(&http);
    assert_int_equal(s3_store_build(target, &request, &http, NULL), OS_OK);
    const char *found = http_headers_get(&http.request.headers, "x-amz-checksum-crc32");
    assert_string_equal(found != NULL ? found : "none", wanted);
    s3_store_http_free(&http);
}

/* The check value of the catalogue of CRCs. */
TEST(a_body_in_memory_gets_a_crc32_where_the_surroundings_want_one)
{
    struct endpoint endpoint;
    assert_int_equal(endpoint_parse("s3", "http://h", "r", &endpoint, NULL), OS_OK);
    const struct s3_target usual = {.endpoint = &endpoint, .bucket = "bucket"};
    const struct s3_target summed = {.endpoint = &endpoint, .bucket = "bucket", .sums_puts = true};
    check_crc32(&usual, HTTP_BODY_MEMORY, "none");
    check_crc32(&summed, HTTP_BODY_MEMORY, "y/Q5Jg==");
    check_crc32(&summed, HTTP_BODY_NONE, "none");
}

/* What stands between the client and the store may answer from what it remembers, or with less than was asked for. */
TEST_WITH(fixture, R1_a_head_is_answered_with_200_or_404_or_not_at_all)
{
    static const char *const others[] = {"201 Created",
                                         "202 Accepted",
                                         "203 Non-Authoritative Information",
                                         "204 No Content",
                                         "206 Partial Content",
                                         "300 Multiple Choices",
                                         "304 Not Modified",
                                         "410 Gone"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct store_request head = {.verb = STORE_HEAD, .key = "k"};
        answer_with(fixture, others[i], "ETag: \"e\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "");
        struct store_answer answer = store_call(&fixture->on, &head);
        if (answer.code == OS_OK || answer.code == OS_ERR_NOT_FOUND)
            fail_msg("%s: %s", others[i], os_code_name(answer.code));
    }
}

TEST_WITH(fixture, V2_a_copy_without_its_document_is_no_success)
{
    static const char *const bodies[] = {"", "<CopyObjectResult><ETag>\"e\"</ETag>", FAILED("InternalError")};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct store_request request = {.verb = STORE_COPY, .key = "k", .source_key = "from"};
        answer_with(fixture, "200 OK", "", bodies[i]);
        struct store_answer answer = store_call_guarded(&fixture->on, &request);
        assert_int_not_equal(answer.code, OS_OK);
        assert_false(answer.result_document);
    }
}

TEST_WITH(fixture, parts_that_cannot_be_named_are_never_sent)
{
    static const struct s3_part_name wrong[] = {{2, "\"a\"", NULL}, {1, "\"b\"", NULL}};
    struct store_request request = complete_of("an-id");
    request.upload.parts = wrong;
    struct store_answer answer = store_call_guarded(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    request = complete_of("");
    answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    assert_false(answer.sent);
    assert_int_equal(http_server_count(fixture->server), 0);
}

TEST_WITH(fixture, an_upload_and_its_parts_are_told_with_their_names)
{
    static const struct s3_creation creation = {.storage_class = "STANDARD_IA"};
    static const struct s3_body_sums sums = {"AAAAAAAAAAAAAAAAAAAAAA==", S3_CHECKSUM_CRC32C, "AAAAAA=="};
    static const struct s3_part_source source = {.key = "from", .etag = "\"s\"", .offset = 5, .count = 10};
    struct store_request request = {.verb = STORE_CREATE_UPLOAD, .key = "k", .upload.creation = &creation};
    answer_with(fixture, "200 OK", "",
                "<InitiateMultipartUploadResult><UploadId>an-id</UploadId></InitiateMultipartUploadResult>");
    struct store_answer answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_string_equal(answer.upload_id.text, "an-id");
    request = (struct store_request){.verb = STORE_UPLOAD_PART,
                                     .key = "k",
                                     .body = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5},
                                     .upload = {.id = "an-id", .part_number = 7, .sums = &sums}};
    answer_with(fixture, "200 OK", "ETag: \"p\"\r\n", "");
    answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.part.number, 7);
    assert_string_equal(answer.part.etag, "\"p\"");
    request = (struct store_request){.verb = STORE_UPLOAD_PART_COPY,
                                     .key = "k",
                                     .upload = {.id = "an-id", .part_number = 8, .part_source = &source}};
    answer_with(fixture, "200 OK", "", "<CopyPartResult><ETag>\"q\"</ETag></CopyPartResult>");
    answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.part.number, 8);
    assert_string_equal(answer.part.etag, "\"q\"");
    assert_int_equal(http_server_count(fixture->server), 3);
    const struct http_server_record *part = http_server_record(fixture->server, 1);
    assert_string_equal(part->body, "bytes");
    assert_string_equal(http_headers_get(&part->headers, "x-amz-checksum-crc32c"), "AAAAAA==");
    const struct http_server_record *copied = http_server_record(fixture->server, 2);
    assert_string_equal(http_headers_get(&copied->headers, "x-amz-copy-source-range"), "bytes=5-14");
}

TEST_WITH(fixture, an_upload_that_is_gone_is_said_to_be)
{
    static const enum store_verb verbs[] = {STORE_LIST_PARTS, STORE_ABORT_UPLOAD, STORE_COMPLETE};
    for (size_t i = 0; i < 3; i++) {
        struct store_request request = complete_of("an-id");
        request.verb = verbs[i];
        answer_with(fixture, "404 Not Found", "", FAILED("NoSuchUpload"));
        struct store_answer answer = store_call(&fixture->on, &request);
        CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
        CHECK_SAYS(&answer.error, "no such upload");
        assert_string_equal(answer.service.code, "NoSuchUpload");
    }
}

static bool count_part(void *context, const struct s3_part *part)
{
    *(uint32_t *)context += part->number;
    return true;
}

static bool count_upload(void *context, const struct s3_listed_upload *upload)
{
    *(uint32_t *)context += (uint32_t)strlen(upload->key);
    return true;
}

TEST_WITH(fixture, lists_of_parts_and_uploads_come_by_pages)
{
    static const struct s3_list_uploads_options listed = {.prefix = "k"};
    struct s3_parts_page parts_page = {0};
    struct s3_uploads_page uploads_page = {0};
    uint32_t sum = 0;
    struct store_request request = {
        .verb = STORE_LIST_PARTS,
        .key = "k",
        .upload = {
            .id = "an-id", .after_part = 2, .each_part = count_part, .each_context = &sum, .parts_page = &parts_page}};
    answer_with(fixture, "200 OK", "",
                "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>4</NextPartNumberMarker>"
                "<Part><PartNumber>4</PartNumber><ETag>\"p\"</ETag><Size>1</Size></Part></ListPartsResult>");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(sum, 4);
    assert_true(parts_page.truncated);
    assert_int_equal(parts_page.next_after, 4);
    request = (struct store_request){
        .verb = STORE_LIST_UPLOADS,
        .upload = {
            .listed = &listed, .each_upload = count_upload, .each_context = &sum, .uploads_page = &uploads_page}};
    answer_with(fixture, "200 OK", "",
                "<ListMultipartUploadsResult><Upload><Key>key</Key><UploadId>i</UploadId></Upload>"
                "</ListMultipartUploadsResult>");
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(sum, 7);
    assert_false(uploads_page.truncated);
    answer_with(fixture, "200 OK", "", FAILED("SlowDown"));
    struct store_answer answer = store_call(&fixture->on, &request);
    CHECK_ANSWER(answer, OS_ERR_THROTTLED);
    CHECK_SAYS(&answer.error, "ListMultipartUploads of s3://bucket failed: SlowDown");
    uploads_page.truncated = true;
    answer_with(fixture, "404 Not Found", "", FAILED("NoSuchUpload")); /* gofakes3, of a bucket without uploads */
    CHECK_ANSWER(store_call(&fixture->on, &request), OS_OK);
    assert_int_equal(sum, 7);
    assert_false(uploads_page.truncated);
}

/* R16: what shows that the bucket has versions, although there is no object. */
TEST_WITH(fixture, the_404_of_a_delete_marker_names_it)
{
    struct store_request head = {.verb = STORE_HEAD, .key = "k"};
    answer_with(fixture, "404 Not Found", "x-amz-delete-marker: true\r\nx-amz-version-id: v7\r\n", "");
    struct store_answer answer = store_call(&fixture->on, &head);
    CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
    assert_true(answer.object.delete_marker && store_answer_names_version(&answer));
    assert_string_equal(answer.object.version_id, "v7");
    answer_with(fixture, "404 Not Found", "", "");
    answer = store_call(&fixture->on, &head);
    CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
    assert_false(store_answer_names_version(&answer));
    answer_with(fixture, "200 OK", "x-amz-version-id: null\r\n", "");
    answer = store_call(&fixture->on, &head);
    assert_false(store_answer_names_version(&answer));
}
