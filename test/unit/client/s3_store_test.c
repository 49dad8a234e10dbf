/* SPDX-License-Identifier: Apache-2.0 */
/* Staged uploads through the store's interface, against a server that says what it is told to. */
#include "client/store_answer.h"
#include "support/http_server.h"
#include "unit/client/client_scratch.h"
#include "unit/client/store_call.h"

#include <stdio.h>
#include <string.h>

struct fixture {
    struct http_server *server;
    struct on_store on;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    char url[64];
    assert_non_null(f);
    f->server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(f->server));
    on_store_open(&f->on, url, "bucket");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    on_store_close(&f->on);
    http_server_stop(f->server);
    free(f);
    return 0;
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

static void a_guarded_complete_is_signed_in_the_query_with_its_parts_and_its_condition(void **state)
{
    struct fixture *f = *state;
    static const struct s3_completion completion = {.length = 77, .checksum = S3_CHECKSUM_CRC32C};
    struct store_request request = complete_of("an-id");
    request.upload.completion = &completion;
    answer_with(f, "200 OK", "x-amz-version-id: v7\r\n", "  \n" COMPLETED("<ETag>\"e-2\"</ETag>"));
    struct store_answer answer = store_call_guarded(&f->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_true(answer.result_document && answer.sent && answer.complete && answer.has_date);
    assert_string_equal(answer.object.etag, "\"e-2\"");
    assert_string_equal(answer.object.version_id, "v7");
    const struct http_server_record *record = only_request(f);
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

/* Section 3: a Complete whose list of parts does not leave in one write with its headers may be stalled, too. */
static void the_body_of_a_complete_is_its_list_of_parts(void **state)
{
    struct fixture *f = *state;
    enum { MANY = 2000 };
    static struct s3_part_name many[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (struct s3_part_name){.number = i + 1, .etag = "\"0123456789abcdef0123456789abcdef\""};
    struct store_request request = complete_of("an-id");
    assert_true(store_call_one_write(&f->on, &request));
    request.upload.parts = many;
    request.upload.part_count = MANY / 4;
    assert_true(store_call_one_write(&f->on, &request));
    request.upload.part_count = MANY;
    assert_false(store_call_one_write(&f->on, &request));
}

static void an_error_inside_the_200_of_a_complete_is_no_success(void **state)
{
    struct fixture *f = *state;
    struct store_request request = complete_of("an-id");
    answer_with(f, "200 OK", "", FAILED("InternalError"));
    struct store_answer answer = store_call_guarded(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_SERVICE);
    assert_false(answer.result_document);
    assert_true(answer.complete);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.service.code, "InternalError");
    CHECK_SAYS(&answer.error, "CompleteMultipartUpload of s3://bucket/k failed: InternalError: told so");
}

static void a_complete_without_its_document_is_no_success(void **state)
{
    struct fixture *f = *state;
    static const char *const bodies[] = {"", "   ", "<CompleteMultipartUploadResult><ETag>\"e\"</ETag>",
                                         "<html></html>"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct store_request request = complete_of("an-id");
        answer_with(f, "200 OK", "", bodies[i]);
        struct store_answer answer = store_call_guarded(&f->on, &request);
        CHECK_ANSWER(answer, OS_ERR_PROTOCOL);
        assert_false(answer.result_document);
        assert_string_equal(answer.object.etag, "");
    }
}

/* R6: the connection dies before the first byte of an answer, where libcurl would send again. */
static void a_complete_leaves_once(void **state)
{
    struct fixture *f = *state;
    for (int guarded = 0; guarded < 2; guarded++) {
        struct store_request head = {.verb = STORE_HEAD, .key = "k"};
        struct store_request request = complete_of("an-id");
        CHECK_ANSWER(store_call(&f->on, &head), OS_OK); /* the connection to reuse */
        http_server_push(f->server, &(struct http_server_step){.leave = HTTP_SERVER_CLOSE});
        struct store_answer answer = guarded ? store_call_guarded(&f->on, &request) : store_call(&f->on, &request);
        CHECK_ANSWER(answer, OS_ERR_NETWORK);
        assert_true(answer.sent);
        assert_false(answer.complete);
        assert_int_equal(http_server_count(f->server), 2 * (size_t)guarded + 2);
    }
}

static void parts_that_cannot_be_named_are_never_sent(void **state)
{
    struct fixture *f = *state;
    static const struct s3_part_name wrong[] = {{2, "\"a\"", NULL}, {1, "\"b\"", NULL}};
    struct store_request request = complete_of("an-id");
    request.upload.parts = wrong;
    struct store_answer answer = store_call_guarded(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    request = complete_of("");
    answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_ARGUMENT);
    assert_false(answer.sent);
    assert_int_equal(http_server_count(f->server), 0);
}

static void an_upload_and_its_parts_are_told_with_their_names(void **state)
{
    struct fixture *f = *state;
    static const struct s3_creation creation = {.storage_class = "STANDARD_IA"};
    static const struct s3_body_sums sums = {"AAAAAAAAAAAAAAAAAAAAAA==", S3_CHECKSUM_CRC32C, "AAAAAA=="};
    static const struct s3_part_source source = {.key = "from", .etag = "\"s\"", .offset = 5, .count = 10};
    struct store_request request = {.verb = STORE_CREATE_UPLOAD, .key = "k", .upload.creation = &creation};
    answer_with(f, "200 OK", "",
                "<InitiateMultipartUploadResult><UploadId>an-id</UploadId></InitiateMultipartUploadResult>");
    struct store_answer answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_string_equal(answer.upload_id.text, "an-id");
    request = (struct store_request){.verb = STORE_UPLOAD_PART,
                                     .key = "k",
                                     .body = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5},
                                     .upload = {.id = "an-id", .part_number = 7, .sums = &sums}};
    answer_with(f, "200 OK", "ETag: \"p\"\r\n", "");
    answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.part.number, 7);
    assert_string_equal(answer.part.etag, "\"p\"");
    request = (struct store_request){.verb = STORE_UPLOAD_PART_COPY,
                                     .key = "k",
                                     .upload = {.id = "an-id", .part_number = 8, .part_source = &source}};
    answer_with(f, "200 OK", "", "<CopyPartResult><ETag>\"q\"</ETag></CopyPartResult>");
    answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_OK);
    assert_int_equal(answer.part.number, 8);
    assert_string_equal(answer.part.etag, "\"q\"");
    assert_int_equal(http_server_count(f->server), 3);
    const struct http_server_record *part = http_server_record(f->server, 1);
    assert_string_equal(part->body, "bytes");
    assert_string_equal(http_headers_get(&part->headers, "x-amz-checksum-crc32c"), "AAAAAA==");
    const struct http_server_record *copied = http_server_record(f->server, 2);
    assert_string_equal(http_headers_get(&copied->headers, "x-amz-copy-source-range"), "bytes=5-14");
}

static void an_upload_that_is_gone_is_said_to_be(void **state)
{
    struct fixture *f = *state;
    static const enum store_verb verbs[] = {STORE_LIST_PARTS, STORE_ABORT_UPLOAD, STORE_COMPLETE};
    for (size_t i = 0; i < 3; i++) {
        struct store_request request = complete_of("an-id");
        request.verb = verbs[i];
        answer_with(f, "404 Not Found", "", FAILED("NoSuchUpload"));
        struct store_answer answer = store_call(&f->on, &request);
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

static void lists_of_parts_and_uploads_come_by_pages(void **state)
{
    struct fixture *f = *state;
    static const struct s3_list_uploads_options listed = {.prefix = "k"};
    struct s3_parts_page parts_page = {0};
    struct s3_uploads_page uploads_page = {0};
    uint32_t sum = 0;
    struct store_request request = {
        .verb = STORE_LIST_PARTS,
        .key = "k",
        .upload = {
            .id = "an-id", .after_part = 2, .each_part = count_part, .each_context = &sum, .parts_page = &parts_page}};
    answer_with(f, "200 OK", "",
                "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>4</NextPartNumberMarker>"
                "<Part><PartNumber>4</PartNumber><ETag>\"p\"</ETag><Size>1</Size></Part></ListPartsResult>");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(sum, 4);
    assert_true(parts_page.truncated);
    assert_int_equal(parts_page.next_after, 4);
    request = (struct store_request){
        .verb = STORE_LIST_UPLOADS,
        .upload = {
            .listed = &listed, .each_upload = count_upload, .each_context = &sum, .uploads_page = &uploads_page}};
    answer_with(f, "200 OK", "",
                "<ListMultipartUploadsResult><Upload><Key>key</Key><UploadId>i</UploadId></Upload>"
                "</ListMultipartUploadsResult>");
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(sum, 7);
    assert_false(uploads_page.truncated);
    answer_with(f, "200 OK", "", FAILED("SlowDown"));
    struct store_answer answer = store_call(&f->on, &request);
    CHECK_ANSWER(answer, OS_ERR_THROTTLED);
    CHECK_SAYS(&answer.error, "ListMultipartUploads of s3://bucket failed: SlowDown");
    uploads_page.truncated = true;
    answer_with(f, "404 Not Found", "", FAILED("NoSuchUpload")); /* gofakes3, of a bucket without uploads */
    CHECK_ANSWER(store_call(&f->on, &request), OS_OK);
    assert_int_equal(sum, 7);
    assert_false(uploads_page.truncated);
}

/* R16: what shows that the bucket has versions, although there is no object. */
static void the_404_of_a_delete_marker_names_it(void **state)
{
    struct fixture *f = *state;
    struct store_request head = {.verb = STORE_HEAD, .key = "k"};
    answer_with(f, "404 Not Found", "x-amz-delete-marker: true\r\nx-amz-version-id: v7\r\n", "");
    struct store_answer answer = store_call(&f->on, &head);
    CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
    assert_true(answer.object.delete_marker && store_answer_names_version(&answer));
    assert_string_equal(answer.object.version_id, "v7");
    answer_with(f, "404 Not Found", "", "");
    answer = store_call(&f->on, &head);
    CHECK_ANSWER(answer, OS_ERR_NOT_FOUND);
    assert_false(store_answer_names_version(&answer));
    answer_with(f, "200 OK", "x-amz-version-id: null\r\n", "");
    answer = store_call(&f->on, &head);
    assert_false(store_answer_names_version(&answer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_404_of_a_delete_marker_names_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_guarded_complete_is_signed_in_the_query_with_its_parts_and_its_condition,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(the_body_of_a_complete_is_its_list_of_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(an_error_inside_the_200_of_a_complete_is_no_success, setup, teardown),
        cmocka_unit_test_setup_teardown(a_complete_without_its_document_is_no_success, setup, teardown),
        cmocka_unit_test_setup_teardown(a_complete_leaves_once, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_that_cannot_be_named_are_never_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(an_upload_and_its_parts_are_told_with_their_names, setup, teardown),
        cmocka_unit_test_setup_teardown(an_upload_that_is_gone_is_said_to_be, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_of_parts_and_uploads_come_by_pages, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
