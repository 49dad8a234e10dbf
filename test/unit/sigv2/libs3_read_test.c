/* SPDX-License-Identifier: Apache-2.0 */
/* The libs3 driver: HEAD, GET, COPY, LIST, and what it refuses to send. */
#include "libs3_release.h"

enum { FLOOD_BYTES = 24 << 20 };

/* ------------------------------------------------------------------------------------------------ HEAD, GET */

TEST_BETWEEN(start_server, stop_server, a_head_is_read_in_any_spelling)
{
    struct libs3_result result;
    push("HTTP/1.1 200 OK\r\netag: \"e\"\r\nX-AMZ-META-OSCOMMIT-NONCE: 00ff\r\nlast-modified: Sun, 06 Nov 1994 "
         "08:49:37 GMT\r\ncontent-length: 12\r\ncontent-type: text/plain\r\nx-amz-version-id: v\r\n\r\n",
         HTTP_SERVER_KEEP);
    check_code(head_of("k", &result), OS_OK);
    assert_string_equal(result.object.etag, "\"e\"");
    assert_string_equal(result.object.nonce, "00ff");
    assert_string_equal(result.object.version_id, "v");
    assert_int_equal(result.object.length, 12);
    assert_int_equal(result.object.last_modified_s, 784111777);
    assert_string_equal(result.content_type, "text/plain");
    push("HTTP/1.1 404 Not Found\r\nx-amz-delete-marker: true\r\nx-amz-version-id: m\r\n\r\n", HTTP_SERVER_DRAIN);
    check_code(head_of("k", &result), OS_OK);
    assert_int_equal(result.status, 404);
    assert_true(result.object.delete_marker);
}

TEST_BETWEEN(start_server, stop_server, an_answer_in_many_pieces_is_put_together)
{
    struct libs3_result result;
    http_server_push(server,
                     &(struct http_server_step){.answer = "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 5\r\n\r\n",
                                                .drip_bytes = 1,
                                                .drip_ms = 1});
    check_code(head_of("k", &result), OS_OK);
    assert_int_equal(result.object.length, 5);
    char *text = answer("404 Not Found", "", ERROR("NoSuchBucket"));
    http_server_push(server, &(struct http_server_step){.answer = text, .drip_bytes = 7, .drip_ms = 1});
    struct libs3_call call = within(60000);
    check_code(libs3_delete(&config, &call, "k", &result, &err), OS_OK);
    assert_string_equal(result.error.code, "NoSuchBucket");
    free(text);
}

static int collect(void *context, const void *data, size_t length)
{
    return buf_add(context, data, length) ? 0 : 1;
}

static os_code get_text(size_t max, struct buf *ret, struct libs3_result *result)
{
    struct libs3_call call = within(60000);
    buf_init(ret, max);
    return libs3_get(&config, &call, "k", &(struct libs3_reading){0, 0, collect, ret}, result, &err);
}

TEST_BETWEEN(start_server, stop_server, bytes_without_the_mark_of_a_store_that_marks_are_given_to_nobody)
{
    struct libs3_call call = within(60000);
    call.marks = true;
    for (int marked = 0; marked < 2; marked++) {
        struct libs3_result result;
        struct buf bytes;
        push(marked ? "HTTP/1.1 200 OK\r\nx-amz-request-id: 1\r\nContent-Length: 5\r\n\r\n12345"
                    : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345",
             HTTP_SERVER_DRAIN);
        buf_init(&bytes, 100);
        check_code(libs3_get(&config, &call, "k", &(struct libs3_reading){0, 0, collect, &bytes}, &result, &err),
                   marked ? OS_OK : OS_ERR_NETWORK);
        assert_int_equal(result.marked, marked);
        assert_int_equal(bytes.len, marked ? 5 : 0);
        buf_free(&bytes);
    }
}

TEST_BETWEEN(start_server, stop_server, a_get_cut_short_is_no_success)
{
    struct libs3_result result;
    struct buf bytes;
    http_server_push(server, &(struct http_server_step){.answer = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
                                                        .drip_bytes = 42,
                                                        .drip_ms = 1,
                                                        .leave = HTTP_SERVER_CLOSE});
    check_code(get_text(100, &bytes, &result), OS_ERR_NETWORK);
    assert_int_equal(result.status, 200);
    assert_non_null(strstr(err.message, "cut short"));
    buf_free(&bytes);
}

TEST_BETWEEN(start_server, stop_server, bytes_that_were_not_asked_for_are_not_given)
{
    static const struct {
        const char *answer;
        uint64_t offset, count;
    } cases[] = {
        {"HTTP/1.1 206 OK\r\nContent-Length: 2\r\nContent-Range: bytes 0-1/5\r\n\r\n01", 1, 2},
        {"HTTP/1.1 206 OK\r\nContent-Length: 2\r\n\r\n01", 1, 2},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n01234", 1, 2},
        {"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n01234", 0, 0},
        {"HTTP/1.0 200 OK\r\n\r\n01234", 0, 0}, /* cut anywhere */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct libs3_result result;
        struct buf bytes;
        struct libs3_call call = within(60000);
        http_server_push(
            server, &(struct http_server_step){.hold = true, .answer = cases[i].answer, .leave = HTTP_SERVER_CLOSE});
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, release_one, NULL), 0);
        buf_init(&bytes, 100);
        struct libs3_reading reading = {cases[i].offset, cases[i].count, collect, &bytes};
        check_code(libs3_get(&config, &call, "k", &reading, &result, &err), OS_ERR_PROTOCOL);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(bytes.len, 0);
        buf_free(&bytes);
    }
}

/* What follows the last chunk, or frames one, could go on for ever. */
static void expect_flood(const char *head, const char *line, os_code code)
{
    struct libs3_result result;
    struct buf bytes;
    struct buf flood;
    buf_init(&flood, 32 << 20);
    assert_true(buf_add_str(&flood, head));
    while (flood.len < FLOOD_BYTES)
        assert_true(buf_add_str(&flood, line));
    http_server_push(
        server, &(struct http_server_step){
                    .hold = true, .answer = buf_str(&flood), .answer_length = flood.len, .leave = HTTP_SERVER_DRAIN});
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, release_one, NULL), 0);
    check_code(get_text(100, &bytes, &result), code);
    assert_int_equal(pthread_join(thread, NULL), 0);
    buf_free(&flood);
    buf_free(&bytes);
}

TEST_BETWEEN(start_server, stop_server, endless_trailers_are_given_up)
{
    static const char chunked[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    char head[128];
    snprintf(head, sizeof(head), "%s0\r\n", chunked);
    expect_flood(head, "x-trailer: 0123456789012345678901234567890123456789\r\n", OS_ERR_PROTOCOL);
    snprintf(head, sizeof(head), "%s3", chunked);
    expect_flood(head, ";an-extension-of-a-chunk", OS_ERR_PROTOCOL);
}

/* libs3 gives up by itself after fifteen seconds, and called that a success where nothing of the body had come. */
TEST_BETWEEN(start_server, stop_server, a_body_that_never_begins_is_no_empty_one)
{
    struct libs3_result result;
    struct buf bytes;
    struct libs3_call call = within(60000);
    push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;an-extension", HTTP_SERVER_KEEP);
    buf_init(&bytes, 100);
    check_code(libs3_get(&config, &call, "k", &(struct libs3_reading){0, 0, collect, &bytes}, &result, &err),
               OS_ERR_NETWORK);
    assert_int_equal(bytes.len, 0);
    buf_free(&bytes);
}

TEST_BETWEEN(start_server, stop_server, a_receiver_can_stop_a_get)
{
    struct libs3_result result;
    struct buf bytes;
    push("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234567890", HTTP_SERVER_KEEP);
    check_code(get_text(5, &bytes, &result), OS_ERR_STOPPED);
    buf_free(&bytes);
}

TEST_BETWEEN(start_server, stop_server, an_error_document_is_not_given_to_the_receiver)
{
    struct libs3_result result;
    struct buf bytes;
    push("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"
         "49\r\n<Error><Code>AccessDenied</Code><Message>No.</Message><A>AAAA</A></Error>\r\n0\r\n\r\n",
         HTTP_SERVER_KEEP);
    check_code(get_text(100, &bytes, &result), OS_OK);
    assert_int_equal(result.status, 403);
    assert_string_equal(result.error.code, "AccessDenied");
    assert_int_equal(bytes.len, 0);
    buf_free(&bytes);
}

/* ------------------------------------------------------------------------------------------------ COPY */

static void push_source(void)
{
    push("HTTP/1.1 200 OK\r\nETag: \"s\"\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\n"
         "Content-Encoding: gzip\r\nx-amz-meta-colour: blue\r\nx-amz-meta-oscommit-nonce: old\r\n"
         "x-amz-meta-oscommit-replaced: older\r\nx-amz-meta-oscommit-fencing: 99\r\n"
         "Content-Length: 3\r\n\r\n",
         HTTP_SERVER_DRAIN);
}

static os_code copy_to(const char *source_etag, struct libs3_result *ret)
{
    struct libs3_call call = within(60000);
    const struct libs3_copy_request wanted = {.source_key = "s+%\xc3\xbc",
                                              .source_etag = source_etag,
                                              .key = "t",
                                              .nonce = "new",
                                              .fencing = "8",
                                              .replaced = "old"};
    return libs3_copy(&config, &call, &wanted, ret, &err);
}

#define RESULT "<CopyObjectResult><ETag>\"s\"</ETag></CopyObjectResult>"

TEST_BETWEEN(start_server, stop_server, a_copy_carries_what_the_source_has)
{
    struct libs3_result result;
    char *text = answer("200 OK", "x-amz-version-id: v\r\n", RESULT);
    push_source();
    push(text, HTTP_SERVER_KEEP);
    check_code(copy_to("\"s\"", &result), OS_OK);
    free(text);
    assert_int_equal(result.status, 200);
    assert_string_equal(result.object.etag, "\"s\"");
    assert_string_equal(result.object.version_id, "v");
    /* The record of the HEAD before it is kept when its connection has ended, at any time. */
    size_t put = strcmp(http_server_record(server, 0)->method, "PUT") == 0 ? 0 : 1;
    const struct http_headers *headers = &http_server_record(server, put)->headers;
    assert_string_equal(http_headers_get(headers, "x-amz-copy-source"), "/bucket/s%2B%25%C3%BC");
    assert_string_equal(http_headers_get(headers, "x-amz-metadata-directive"), "REPLACE");
    assert_string_equal(http_headers_get(headers, "content-type"), "text/plain");
    assert_string_equal(http_headers_get(headers, "content-encoding"), "gzip");
    assert_string_equal(http_headers_get(headers, "cache-control"), "no-store");
    assert_string_equal(http_headers_get(headers, "x-amz-meta-colour"), "blue");
    assert_string_equal(http_headers_get(headers, "x-amz-meta-oscommit-nonce"), "new");
    assert_string_equal(http_headers_get(headers, "x-amz-meta-oscommit-replaced"), "old");
    assert_string_equal(http_headers_get(headers, "x-amz-meta-oscommit-fencing"), "8");
}

/* Of the metadata's 2 KB, `left` bytes are left by the source. */
static void check_own_entries(size_t left, bool has_nonce, bool has_replaced)
{
    struct libs3_result result;
    char header[S3_METADATA_MAX + 64];
    size_t prefix = (size_t)snprintf(header, sizeof(header), "ETag: \"s\"\r\nx-amz-meta-m: ");
    memset(header + prefix, 'v', S3_METADATA_MAX - 1 - left);
    memcpy(header + prefix + S3_METADATA_MAX - 1 - left, "\r\n", 3);
    char *source = answer("200 OK", header, "");
    char *copied = answer("200 OK", "", RESULT);
    size_t before = http_server_count(server);
    push(source, HTTP_SERVER_DRAIN);
    push(copied, HTTP_SERVER_KEEP);
    check_code(copy_to("\"s\"", &result), OS_OK);
    assert_int_equal(result.status, 200);
    bool found = false;
    for (size_t i = before; i < http_server_count(server); i++) {
        const struct http_server_record *record = http_server_record(server, i);
        if (strcmp(record->method, "PUT") != 0)
            continue;
        found = true;
        assert_string_equal(http_headers_get(&record->headers, S3_FENCING_HEADER), "8");
        assert_int_equal(http_headers_get(&record->headers, S3_NONCE_HEADER) != NULL, has_nonce);
        assert_int_equal(http_headers_get(&record->headers, S3_REPLACED_HEADER) != NULL, has_replaced);
    }
    assert_true(found);
    free(source);
    free(copied);
}

TEST_BETWEEN(start_server, stop_server, a_copy_has_the_entries_of_a_guard_as_far_as_they_fit)
{
    size_t nonce = strlen(S3_FENCING_METADATA "8" S3_NONCE_METADATA "new");
    size_t both = nonce + strlen(S3_REPLACED_METADATA "old");
    check_own_entries(both, true, true);
    check_own_entries(both - 1, true, false);
    check_own_entries(nonce, true, false);
    check_own_entries(nonce - 1, false, false);
}

/* libs3 2.0 calls every one of these a success. */
TEST_BETWEEN(start_server, stop_server, a_copy_without_its_result_is_no_success)
{
    static const char *const bodies[] = {ERROR("InternalError"), "", "<html/>", "<CopyObjectResult><ETag>\"s\"</ETag>"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct libs3_result result;
        char *text = answer("200 OK", "", bodies[i]);
        push_source();
        push(text, HTTP_SERVER_KEEP);
        check_code(copy_to(NULL, &result), i == 0 ? OS_ERR_SERVICE : OS_ERR_PROTOCOL);
        assert_true(result.sent);
        free(text);
    }
}

TEST_BETWEEN(start_server, stop_server, a_result_of_unknown_length_is_read)
{
    struct libs3_result result;
    push_source();
    push("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
         "35\r\n" RESULT "\r\n0\r\n\r\n",
         HTTP_SERVER_KEEP);
    check_code(copy_to(NULL, &result), OS_OK);
    assert_int_equal(result.status, 200);
    assert_string_equal(result.object.etag, "\"s\"");
}

TEST_BETWEEN(start_server, stop_server, a_copy_of_another_version_is_not_sent)
{
    struct libs3_result result;
    push("HTTP/1.1 200 OK\r\nETag: \"s\"\r\nx-amz-request-id: 1\r\nContent-Length: 3\r\n\r\n", HTTP_SERVER_DRAIN);
    check_code(copy_to("\"other\"", &result), OS_OK);
    assert_int_equal(result.status, 412);
    assert_false(result.sent);
    assert_true(result.marked); /* E9: else it would be told for an ingress's */
    assert_int_equal(http_server_connections(server), 1);
}

TEST_BETWEEN(start_server, stop_server, a_source_with_headers_that_libs3_cannot_send_is_not_copied)
{
    static const char *const headers[] = {"Content-Language: de\r\n", "Content-Disposition: inline\r\n",
                                          "Expires: tomorrow\r\n"};
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        struct libs3_result result;
        char *text = answer("200 OK", headers[i], "");
        push(text, HTTP_SERVER_DRAIN);
        check_code(copy_to(NULL, &result), OS_ERR_UNSUPPORTED);
        assert_false(result.sent);
        assert_int_equal(http_server_connections(server), i + 1);
        free(text);
    }
}

/* ------------------------------------------------------------------------------------------------ LIST */

static bool add_key(void *context, const struct s3_list_entry *entry)
{
    return buf_add_f(context, "%s,", entry->key);
}

static os_code list_keys(const char *delimiter, struct buf *ret, struct s3_list_page *page, struct libs3_result *result)
{
    struct libs3_call call = within(60000);
    buf_init(ret, 4096);
    struct libs3_list_request wanted = {.prefix = "p q/",
                                        .delimiter = delimiter,
                                        .marker = "p q/m",
                                        .max_keys = 2,
                                        .each = add_key,
                                        .each_context = ret};
    return libs3_list(&config, &call, &wanted, page, result, &err);
}

TEST_BETWEEN(start_server, stop_server, the_next_page_begins_after_the_last_key)
{
    struct libs3_result result;
    struct s3_list_page page;
    struct buf keys;
    char *text = answer("200 OK", "Content-Type: application/xml\r\n",
                        "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key></Contents>"
                        "<Contents><Key>c</Key></Contents></ListBucketResult>");
    push(text, HTTP_SERVER_KEEP);
    check_code(list_keys(NULL, &keys, &page, &result), OS_OK);
    assert_string_equal(buf_str(&keys), "a&b,c,");
    assert_string_equal(page.next_token, "c");
    assert_string_equal(http_server_record(server, 0)->target, "/bucket/?prefix=p+q/&marker=p+q/m&max-keys=2");
    free(page.next_token);
    buf_free(&keys);
    free(text);
    text = answer("200 OK", "Content-Type: application/xml\r\n",
                  "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>x/</NextMarker>"
                  "<CommonPrefixes><Prefix>x/</Prefix></CommonPrefixes></ListBucketResult>");
    push(text, HTTP_SERVER_KEEP);
    check_code(list_keys("/", &keys, &page, &result), OS_OK);
    assert_string_equal(buf_str(&keys), "x/,");
    assert_string_equal(page.next_token, "x/");
    free(page.next_token);
    buf_free(&keys);
    free(text);
}

/* libs3 2.0 calls these whole lists. */
TEST_BETWEEN(start_server, stop_server, a_list_cut_short_is_refused)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 90\r\n\r\n"
        "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>",
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n"
        "53\r\n<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>\r\n",
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct libs3_result result;
        struct s3_list_page page;
        struct buf keys;
        http_server_push(server, &(struct http_server_step){.answer = answers[i],
                                                            .drip_bytes = strlen(answers[i]) - 4,
                                                            .drip_ms = 1,
                                                            .leave = HTTP_SERVER_CLOSE});
        check_code(list_keys(NULL, &keys, &page, &result), OS_ERR_NETWORK);
        assert_int_equal(keys.len, 0);
        buf_free(&keys);
    }
}

/* libs3 2.0 calls every one of these an empty list. */
TEST_BETWEEN(start_server, stop_server, what_is_no_list_is_refused)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>",
        ("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 42\r\n\r\n"
         "<Error><Code>InternalError</Code> </Error>"),
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct libs3_result result;
        struct s3_list_page page;
        struct buf keys;
        push(answers[i], HTTP_SERVER_KEEP);
        check_code(list_keys(NULL, &keys, &page, &result), OS_ERR_PROTOCOL);
        buf_free(&keys);
    }
}

TEST_BETWEEN(start_server, stop_server, an_empty_bucket_has_an_empty_list)
{
    struct libs3_result result;
    struct s3_list_page page;
    struct buf keys;
    push("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 19\r\n\r\n<ListBucketResult/>",
         HTTP_SERVER_KEEP);
    check_code(list_keys(NULL, &keys, &page, &result), OS_OK);
    assert_int_equal(keys.len, 0);
    assert_false(page.truncated);
    buf_free(&keys);
}

TEST_BETWEEN(start_server, stop_server, a_bucket_that_is_not_there_is_said)
{
    struct libs3_result result;
    struct libs3_call call = within(60000);
    char *text = answer("404 Not Found", "", ERROR("NoSuchBucket"));
    push(text, HTTP_SERVER_KEEP);
    check_code(libs3_head_bucket(&config, &call, &result, &err), OS_OK);
    assert_int_equal(result.status, 404);
    assert_string_equal(result.error.code, "NoSuchBucket");
    free(text);
}

/* ------------------------------------------------------------------------------------------------ what is refused */

TEST_BETWEEN(start_server, stop_server, what_libs3_would_send_wrongly_is_not_sent)
{
    static const char *const keys[] = {"a b", ".", "..", "a/../b", "a/.", "./a", "../a", "a/b/.."};
    struct libs3_result result;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        check_code(put_text(keys[i], "body", &result), OS_ERR_UNSUPPORTED);
        assert_false(result.sent);
    }
    check_code(put_text("", "body", &result), OS_ERR_ARGUMENT);
    check_code(put_text(NULL, "body", &result), OS_ERR_ARGUMENT);
    struct libs3_call call = within(60000);
    struct http_body body = {.kind = HTTP_BODY_NONE};
    struct s3_content long_type = {.content_type = "text/plain; x=11111111111111111111111111111111111111111111111111111"
                                                   "1111111111111111111111111111111111111111111111111111111111111111"};
    check_code(libs3_put(&config, &call, "k", &body, &long_type, &result, &err), OS_ERR_ARGUMENT);
    assert_false(result.sent);
    struct s3_content smuggled = {.cache_control = "a\r\nb: c"};
    check_code(libs3_put(&config, &call, "k", &body, &smuggled, &result, &err), OS_ERR_ARGUMENT);
    assert_int_equal(http_server_connections(server), 0);
}

TEST_BETWEEN(start_server, stop_server, dots_and_slashes_inside_a_key_are_sent)
{
    static const char *const keys[][2] = {{"a//b", "/bucket/a//b"},
                                          {"/a", "/bucket//a"},
                                          {"...", "/bucket/..."},
                                          {"a/.b/c.", "/bucket/a/.b/c."},
                                          {"a/", "/bucket/a/"}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct libs3_result result;
        check_code(head_of(keys[i][0], &result), OS_OK);
        assert_string_equal(http_server_record(server, i)->target, keys[i][1]);
    }
}

/* libs3 2.0 does not verify certificates. */
TEST_BETWEEN(start_server, stop_server, https_is_refused)
{
    struct libs3_result result;
    memcpy(endpoint.scheme, "https", sizeof("https"));
    os_code code = head_of("k", &result);
    memcpy(endpoint.scheme, "http", sizeof("http"));
    check_code(code, OS_ERR_TLS);
    assert_non_null(strstr(err.message, "certificates"));
    assert_int_equal(http_server_connections(server), 0);
}
