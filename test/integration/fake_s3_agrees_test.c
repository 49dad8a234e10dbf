/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's fake S3 against MinIO: the same requests, built and signed by the library, go to both, and the
 * answers must say the same: status, error code, and what the library's parsers read in them. What real servers are
 * known to do differently among themselves is left out.
 */
#include "support/test.h"
#include "unit/sim/real.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "s3/multipart_response.h"
#include "support/raw_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct real_service server;

struct s3_pair {
    struct fake_s3 *fake;
    struct s3_target target;
};

static void open_pair(struct s3_pair *ret)
{
    char url[300];
    snprintf(url, sizeof(url), "http://%s", server.endpoint.host);
    assert_true(raw_make_bucket(url, server.unique));
    const struct fake_s3_options options = {.bucket = server.unique,
                                            .region = raw_region(),
                                            .access_key = server.keys.access_key_id,
                                            .secret_key = server.keys.secret_access_key,
                                            .aborts_gone = true};
    ret->fake = fake_s3_new(&options);
    assert_non_null(ret->fake);
    ret->target = (struct s3_target){.endpoint = &server.endpoint, .bucket = server.unique};
}

/* The headers that both must give back alike. */
static void same_header(const char *what, const char *name, const struct http_response *real,
                        const struct http_response *fake)
{
    const char *left = http_headers_get(&real->headers, name);
    const char *right = http_headers_get(&fake->headers, name);
    if ((left == NULL) != (right == NULL) || (left != NULL && strcmp(left, right) != 0)) {
        fail_msg("%s: %s is %s of the server, %s of the fake", what, name, left ? left : "none",
                 right ? right : "none");
    }
}

enum { ANY_REFUSAL = 499 /* the same code, and a status of its own */ };

static void compare_s3(const char *what, const struct http_response *real, const struct http_response *fake, int status)
{
    static const char *const headers[] = {
        "etag",           "content-type", "x-amz-meta-oscommit-nonce", "x-amz-meta-oscommit-replaced", "content-range",
        "x-amz-meta-one", "cache-control"};
    struct s3_error left;
    struct s3_error right;
    int64_t date;
    s3_parse_error(real, &left);
    s3_parse_error(fake, &right);
    bool same_status = status == ANY_REFUSAL ? real->status / 100 == 4 && fake->status / 100 == 4
                                             : real->status == status && fake->status == status;
    if (!same_status || (status >= 300 && strcmp(left.code, right.code) != 0)) {
        fail_msg("%s, %d expected: the server said %d %s (%s), the fake %d %s (%s)", what, status, real->status,
                 left.code, left.message, fake->status, right.code, right.message);
    }
    assert_true(http_response_date(real, &date) && http_response_date(fake, &date));
    assert_true(real->status < 300 || fake->body.len == 0 || right.request_id[0] != '\0');
    for (size_t i = 0; status < 300 && i < sizeof(headers) / sizeof(headers[0]); i++) {
        /* a document has its own type, and the ETag of what was made stands in it */
        bool is_xml = i <= 1 && fake->body.len > 0 && fake->body.data[0] == '<';
        if (!is_xml)
            same_header(what, headers[i], real, fake);
    }
}

/* Takes the request. */
static void both_say(struct s3_pair *pair, const char *what, struct http_request *request, int status)
{
    struct http_response real = real_answer(&server, request);
    struct http_response fake = wire_s3(pair->fake, request, real_now_ms());
    compare_s3(what, &real, &fake, status);
    http_response_free(&real);
    http_response_free(&fake);
}

static void put_of(struct s3_pair *pair, const char *key, const struct s3_condition *condition,
                   struct http_request *ret)
{
    static const os_metadata metadata[] = {{"one", "two  three"}};
    static const struct s3_content content = {.content_type = "text/plain",
                                              .cache_control = "no-store",
                                              .metadata = metadata,
                                              .metadata_count = 1,
                                              .nonce = "0123456789abcdef",
                                              .replaced = "fedcba9876543210"};
    static const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5};
    assert_int_equal(s3_build_put(&pair->target, key, &body, &content, condition, ret, NULL), OS_OK);
}

static void both_put(struct s3_pair *pair, const char *what, const char *key, const struct s3_condition *condition,
                     int status)
{
    struct http_request request;
    put_of(pair, key, condition, &request);
    real_sign(&server, &server.keys, 0, true, &request);
    both_say(pair, what, &request, status);
}

static void both_read(struct s3_pair *pair, const char *what, const char *key, uint64_t offset, int status)
{
    struct http_request request;
    assert_int_equal(s3_build_head(&pair->target, key, &request, NULL), OS_OK);
    real_sign(&server, &server.keys, 0, false, &request);
    both_say(pair, what, &request, status == 404 ? 404 : 200);
    assert_int_equal(s3_build_get(&pair->target, key, offset, 0, &request, NULL), OS_OK);
    real_sign(&server, &server.keys, 0, false, &request);
    both_say(pair, what, &request, status);
}

static const struct s3_condition absent = {.if_none_match_any = true};
static const struct s3_condition right = {.if_match = "\"4b3a6218bb3e3a7303e8a171a60fcf92\""};
static const struct s3_condition stale = {.if_match = "\"00000000000000000000000000000000\""};

TEST(reads_and_writes_of_minio_and_of_the_fake_agree)
{
    struct s3_pair pair;
    struct http_request request;
    open_pair(&pair);
    both_read(&pair, "nothing there", "a b/\xc3\xa4+?&=%", 0, 404);
    both_put(&pair, "If-Match on nothing", "a b/\xc3\xa4+?&=%", &right, 404);
    both_put(&pair, "If-None-Match on nothing", "a b/\xc3\xa4+?&=%", &absent, 200);
    both_put(&pair, "If-None-Match on an object", "a b/\xc3\xa4+?&=%", &absent, 412);
    both_put(&pair, "If-Match, stale", "a b/\xc3\xa4+?&=%", &stale, 412);
    both_put(&pair, "If-Match, right", "a b/\xc3\xa4+?&=%", &right, 200);
    both_put(&pair, "no condition", "a b/\xc3\xa4+?&=%", NULL, 200);
    both_read(&pair, "an object", "a b/\xc3\xa4+?&=%", 0, 200);
    both_read(&pair, "a part", "a b/\xc3\xa4+?&=%", 2, 206);
    both_read(&pair, "a part behind the end", "a b/\xc3\xa4+?&=%", 5, 416);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s3_build_delete(&pair.target, "a b/\xc3\xa4+?&=%", NULL, &request, NULL), OS_OK);
        real_sign(&server, &server.keys, 0, true, &request);
        both_say(&pair, "DELETE", &request, 204);
    }
    both_read(&pair, "deleted", "a b/\xc3\xa4+?&=%", 0, 404);
    assert_int_equal(s3_build_head_bucket(&pair.target, &request, NULL), OS_OK);
    real_sign(&server, &server.keys, 0, false, &request);
    both_say(&pair, "HEAD of the bucket", &request, 200);
    pair.target.bucket = "there-is-no-such-bucket";
    assert_int_equal(s3_build_get(&pair.target, "key", 0, 0, &request, NULL), OS_OK);
    real_sign(&server, &server.keys, 0, false, &request);
    both_say(&pair, "GET in another bucket", &request, 404);
    fake_s3_free(pair.fake);
}

static void both_copy(struct s3_pair *pair, const char *what, const char *source, const char *etag, const char *key,
                      const struct s3_content *content, int status)
{
    struct http_request request;
    assert_int_equal(s3_build_copy(&pair->target, key, &(struct s3_source){.key = source, .etag = etag}, content, NULL,
                                   &request, NULL),
                     OS_OK);
    real_sign(&server, &server.keys, 0, true, &request);
    struct http_response real = real_answer(&server, &request);
    struct http_response fake = wire_s3(pair->fake, &request, real_now_ms());
    if (status == 200) {
        struct s3_object left;
        struct s3_object made;
        struct s3_error error;
        assert_int_equal(real.status, 200);
        assert_int_equal(fake.status, 200);
        assert_int_equal(s3_parse_copy(&real, &left, &error, NULL), OS_OK);
        assert_int_equal(s3_parse_copy(&fake, &made, &error, NULL), OS_OK);
        assert_string_equal(left.etag, made.etag);
    } else {
        compare_s3(what, &real, &fake, status);
    }
    http_response_free(&real);
    http_response_free(&fake);
}

TEST(copies_of_minio_and_of_the_fake_agree)
{
    struct s3_pair pair;
    const struct s3_content content = {.content_type = "text/html", .nonce = "fedcba", .replaced = "abcdef"};
    open_pair(&pair);
    both_put(&pair, "the source", "from/a b+\xc3\xa4", NULL, 200);
    both_copy(&pair, "no source", "nothing", NULL, "copies/to", &content, 404);
    both_copy(&pair, "a stale source", "from/a b+\xc3\xa4", stale.if_match, "copies/to", &content, 412);
    both_copy(&pair, "REPLACE", "from/a b+\xc3\xa4", right.if_match, "copies/to", &content, 200);
    both_read(&pair, "what REPLACE made", "copies/to", 0, 200);
    both_copy(&pair, "COPY", "from/a b+\xc3\xa4", right.if_match, "copies/as", NULL, 200);
    both_read(&pair, "what COPY made", "copies/as", 0, 200);
    both_copy(&pair, "to itself, changing nothing", "copies/to", NULL, "copies/to", NULL, 400);
    both_copy(&pair, "to itself", "copies/to", NULL, "copies/to", &content, 200);
    both_read(&pair, "what that made", "copies/to", 0, 200);
    fake_s3_free(pair.fake);
}

struct signing {
    const char *what;
    const char *access;
    const char *secret;
    int64_t offset_s;
    bool in_query;
    int status;
};

TEST(refusals_of_minio_and_of_the_fake_agree)
{
    struct s3_pair pair;
    struct http_request request;
    const char *access = server.keys.access_key_id;
    const char *secret = server.keys.secret_access_key;
    const struct signing cases[] = {
        {"a wrong secret, header", access, "wrong", 0, false, 403},
        {"a wrong secret, query", access, "wrong", 0, true, 403},
        {"an unknown key, header", "AKIDNOBODYSKEY", secret, 0, false, 403},
        {"an unknown key, query", "AKIDNOBODYSKEY", secret, 0, true, 403},
        {"16 minutes ago, header", access, secret, -960, false, 403},
        {"in 16 minutes, header", access, secret, 960, false, 403},
        {"14 minutes ago, header", access, secret, -840, false, 200},
        {"in 14 minutes, header", access, secret, 840, false, 200},
        {"expired, query", access, secret, -WIRE_DYING - 2, true, 403},
        {"nearly expired, query", access, secret, -WIRE_DYING + 3, true, 200},
        {"in 16 minutes, query", access, secret, 960, true, 403},
        {"in 14 minutes, query", access, secret, 840, true, 200},
    };
    open_pair(&pair);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct sigv4_keys with = {cases[i].access, cases[i].secret, NULL};
        put_of(&pair, "refused", NULL, &request);
        real_sign(&server, &with, cases[i].offset_s, cases[i].in_query, &request);
        both_say(&pair, cases[i].what, &request, cases[i].status);
    }
    put_of(&pair, "refused", &absent, &request);
    real_sign(&server, &server.keys, 0, true, &request);
    http_headers_remove(&request.headers, "if-none-match");
    both_say(&pair, "a signed header is gone", &request, ANY_REFUSAL); /* MinIO: 400, AWS: 403 */
    put_of(&pair, "refused", NULL, &request);
    real_sign(&server, &server.keys, 0, true, &request);
    assert_true(http_headers_set(&request.headers, S3_NONCE_HEADER, "other"));
    both_say(&pair, "a signed header is changed", &request, 403);
    put_of(&pair, "refused", NULL, &request);
    real_sign(&server, &server.keys, 0, false, &request);
    request.body.data = "other";
    both_say(&pair, "another body than was signed", &request, 400);
    put_of(&pair, "refused", NULL, &request);
    assert_true(http_headers_add(&request.headers, "content-md5", "Szpiw+W+FkKbLcAl4xMsPg=="));
    real_sign(&server, &server.keys, 0, true, &request);
    both_say(&pair, "another Content-MD5", &request, 400);
    assert_int_equal(s3_build_get(&pair.target, "refused", 0, 0, &request, NULL), OS_OK);
    both_say(&pair, "not signed", &request, 403);
    fake_s3_free(pair.fake);
}

static bool note_entry(void *context, const struct s3_list_entry *entry)
{
    return buf_add_f(context, "%s%s %s %llu\n", entry->key, entry->is_prefix ? "*" : "", entry->etag,
                     (unsigned long long)entry->length);
}

/* All entries as text. Each service gives its own tokens, and MinIO now and then a last page without entries. */
static void list_all(struct s3_pair *pair, bool of_fake, const struct s3_list_options *options, struct buf *ret)
{
    struct s3_list_options next = *options;
    char *token = NULL;
    do {
        struct http_request request;
        struct http_response response;
        struct s3_list_page page;
        next.continuation_token = token;
        assert_int_equal(s3_build_list(&pair->target, &next, &request, NULL), OS_OK);
        real_sign(&server, &server.keys, 0, false, &request);
        if (of_fake) {
            response = wire_s3(pair->fake, &request, real_now_ms());
        } else {
            response = real_answer(&server, &request);
            http_request_free(&request);
        }
        assert_int_equal(s3_parse_list(&response, note_entry, ret, &page, NULL), OS_OK);
        http_response_free(&response);
        free(token);
        token = page.next_token;
    } while (token != NULL);
}

TEST(lists_of_minio_and_of_the_fake_agree)
{
    static const char *const names[] = {"list/b/2",   "list/a",          "list/b/1",
                                        "list/b+c d", "list/\xc3\xa4&<", "list/z/1/2"};
    const struct s3_list_options options[] = {{.prefix = "list/"},
                                              {.prefix = "list/", .max_keys = 1},
                                              {.prefix = "list/", .max_keys = 2},
                                              {.prefix = "list/", .delimiter = "/"},
                                              {.prefix = "list/", .delimiter = "/", .max_keys = 1},
                                              {.prefix = "list/b/", .delimiter = "/"},
                                              {.prefix = "list/", .start_after = "list/b/1"},
                                              {.prefix = "nothing/"}};
    struct s3_pair pair;
    open_pair(&pair);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        both_put(&pair, "to be listed", names[i], NULL, 200);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct buf real;
        struct buf fake;
        buf_init(&real, 65536);
        buf_init(&fake, 65536);
        list_all(&pair, false, &options[i], &real);
        list_all(&pair, true, &options[i], &fake);
        assert_string_equal(buf_str(&fake), buf_str(&real));
        buf_free(&real);
        buf_free(&fake);
    }
    fake_s3_free(pair.fake);
}

/* ------------------------------------------------------------------------------------------------------- uploads */

struct both_uploads { /* each service gives its own ids */
    struct s3_pair *pair;
    struct s3_upload_id real;
    struct s3_upload_id fake;
};

static void both_create(struct s3_pair *pair, const char *key, struct both_uploads *ret)
{
    const struct s3_content content = {.content_type = "text/plain", .nonce = "0123456789abcdef"};
    const struct s3_creation creation = {.content = &content};
    struct http_request request;
    struct s3_error error;
    assert_int_equal(s3_build_create_upload(&pair->target, key, &creation, &request, NULL), OS_OK);
    real_sign(&server, &server.keys, 0, false, &request);
    struct http_response real = real_answer(&server, &request);
    struct http_response fake = wire_s3(pair->fake, &request, real_now_ms());
    ret->pair = pair;
    assert_int_equal(s3_parse_create_upload(&real, &ret->real, &error, NULL), OS_OK);
    assert_int_equal(s3_parse_create_upload(&fake, &ret->fake, &error, NULL), OS_OK);
    http_response_free(&real);
    http_response_free(&fake);
}

/* Of the same request with the id of each. Takes both. */
static void each_says(struct s3_pair *pair, const char *what, struct http_request requests[2], int status)
{
    for (int i = 0; i < 2; i++)
        real_sign(&server, &server.keys, 0, true, &requests[i]);
    struct http_response real = real_answer(&server, &requests[0]);
    struct http_response fake = wire_s3(pair->fake, &requests[1], real_now_ms());
    http_request_free(&requests[0]);
    compare_s3(what, &real, &fake, status);
    http_response_free(&real);
    http_response_free(&fake);
}

static const char *id_of(const struct both_uploads *uploads, int i)
{
    return i == 0 ? uploads->real.text : uploads->fake.text;
}

static void both_part(const struct both_uploads *uploads, const char *what, const char *key, uint32_t number,
                      const char *source_etag, int status)
{
    static const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = "bytes", .fd = -1, .length = 5};
    const struct s3_part_source source = {.key = "staged/source", .etag = source_etag, .count = 5};
    const struct s3_target *target = &uploads->pair->target;
    struct http_request requests[2];
    for (int i = 0; i < 2; i++) {
        const struct s3_part_place place = {.upload_id = id_of(uploads, i), .number = number};
        os_code code = source_etag ? s3_build_upload_part_copy(target, key, &place, &source, &requests[i], NULL)
                                   : s3_build_upload_part(target, key, &place, &body, NULL, &requests[i], NULL);
        assert_int_equal(code, OS_OK);
    }
    each_says(uploads->pair, what, requests, status);
}

struct both_parts {
    uint32_t number[2];
    size_t count;
    const char *etag;
};

static void both_complete(const struct both_uploads *uploads, const char *what, const char *key,
                          const struct both_parts *parts, const struct s3_condition *condition, int status)
{
    struct s3_part_name names[2];
    struct s3_completion said = {.length = 0};
    struct http_request requests[2];
    struct buf body;
    for (size_t i = 0; i < parts->count; i++)
        names[i] = (struct s3_part_name){.number = parts->number[i], .etag = parts->etag};
    if (condition != NULL)
        said.condition = *condition;
    assert_int_equal(s3_write_completion(names, parts->count, S3_CHECKSUM_NONE, &body, NULL), OS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            s3_build_complete_upload(&uploads->pair->target, key, id_of(uploads, i), &body, &said, &requests[i], NULL),
            OS_OK);
    }
    each_says(uploads->pair, what, requests, status);
    buf_free(&body);
}

static void both_end(const struct both_uploads *uploads, const char *what, const char *key, bool aborts, int status)
{
    struct http_request requests[2];
    for (int i = 0; i < 2; i++) {
        os_code code =
            aborts ? s3_build_abort_upload(&uploads->pair->target, key, id_of(uploads, i), &requests[i], NULL)
                   : s3_build_list_parts(&uploads->pair->target, key, id_of(uploads, i), 0, 0, &requests[i], NULL);
        assert_int_equal(code, OS_OK);
    }
    each_says(uploads->pair, what, requests, status);
}

TEST(uploads_of_minio_and_of_the_fake_agree)
{
    static const char key[] = "staged/a b+\xc3\xa4";
    const struct both_parts one = {.number = {1}, .count = 1, .etag = right.if_match};
    const struct both_parts absent_part = {.number = {2}, .count = 1, .etag = right.if_match};
    const struct both_parts stale_part = {.number = {1}, .count = 1, .etag = stale.if_match};
    const struct both_parts small = {.number = {1, 2}, .count = 2, .etag = right.if_match};
    struct s3_pair pair;
    struct both_uploads uploads;
    open_pair(&pair);
    both_put(&pair, "the source", "staged/source", NULL, 200);
    both_create(&pair, key, &uploads);
    both_end(&uploads, "ListParts of none", key, false, 200);
    both_part(&uploads, "UploadPart", key, 1, NULL, 200);
    both_part(&uploads, "UploadPartCopy of a stale source", key, 2, stale.if_match, 412);
    both_complete(&uploads, "a part that is not there", key, &absent_part, NULL, 400);
    both_complete(&uploads, "another ETag", key, &stale_part, NULL, 400);
    both_part(&uploads, "UploadPartCopy", key, 2, right.if_match, 200);
    both_complete(&uploads, "a first part that is too small", key, &small, NULL, 400);
    both_complete(&uploads, "If-Match on nothing", key, &one, &right, 404);
    both_complete(&uploads, "Complete", key, &one, &absent, 200);
    both_read(&pair, "what it made", key, 0, 200);
    both_complete(&uploads, "Complete again", key, &one, NULL, 404);
    both_end(&uploads, "ListParts of a completed one", key, false, 404);
    both_end(&uploads, "Abort of a completed one", key, true, 204);
    both_create(&pair, key, &uploads);
    both_part(&uploads, "UploadPart", key, 1, NULL, 200);
    both_complete(&uploads, "If-None-Match on an object", key, &one, &absent, 412);
    both_complete(&uploads, "If-Match, stale", key, &one, &stale, 412);
    both_end(&uploads, "Abort", key, true, 204);
    both_part(&uploads, "UploadPart after it", key, 1, NULL, 404);
    both_complete(&uploads, "Complete after it", key, &one, NULL, 404);
    fake_s3_free(pair.fake);
}

int main(int argc, char **argv)
{
    real_open(&server, "OSCOMMIT_TEST_MINIO_ENDPOINT", "s3");
    int status = test_main(argc, argv);
    real_close(&server);
    return status;
}
