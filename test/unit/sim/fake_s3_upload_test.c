/* SPDX-License-Identifier: Apache-2.0 */
/* Multipart uploads of the fake S3, asked by the library's own requests and read by its own parsers. */
#include "support/test.h"
#include "wire.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "s3/multipart_request.h"
#include "s3/multipart_response.h"
#include "s3/version_response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY   "staged/a b"
#define NONCE "0123456789abcdef0123456789abcdef"
/* The MD5 of "bytes"; and, made of it as the only part, of those sixteen bytes. */
#define PART_ETAG  "\"4b3a6218bb3e3a7303e8a171a60fcf92\""
#define WHOLE_ETAG "\"0b034e41e6cd53ddca775db50cc1ff6a-1\""
enum { PART_MIN = 5 << 20 };

static struct http_response ask(struct fake_s3 *s3, struct http_request *request)
{
    wire_sign("s3", &wire_keys, WIRE_S, true, request);
    return wire_s3(s3, request, WIRE_MS);
}

static void expect(struct http_response response, int status, const char *code)
{
    assert_int_equal(response.status, status);
    assert_string_equal(status < 300 ? "" : wire_s3_code(&response), code);
    http_response_free(&response);
}

static struct s3_upload_id create(struct fake_s3 *s3)
{
    static const struct s3_content content = {.content_type = "text/plain", .nonce = NONCE};
    static const os_metadata tags[] = {{"a b", "c&<"}, {"empty", ""}};
    const struct s3_creation creation = {.content = &content, .tags = tags, .tag_count = 2};
    struct http_request request;
    struct s3_upload_id id;
    struct s3_error error;
    assert_int_equal(s3_build_create_upload(&wire_s3_target, KEY, &creation, &request, NULL), OS_OK);
    struct http_response response = ask(s3, &request);
    assert_int_equal(s3_parse_create_upload(&response, &id, &error, NULL), OS_OK);
    http_response_free(&response);
    return id;
}

static struct http_response part_of(struct fake_s3 *s3, const char *id, uint32_t number, const char *data,
                                    size_t length)
{
    const struct s3_part_place place = {.upload_id = id, .number = number};
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = data, .fd = -1, .length = length};
    struct http_request request;
    assert_int_equal(s3_build_upload_part(&wire_s3_target, KEY, &place, &body, NULL, &request, NULL), OS_OK);
    return ask(s3, &request);
}

static struct s3_part put_part(struct fake_s3 *s3, const char *id, uint32_t number, const char *data, size_t length)
{
    struct s3_part part;
    struct http_response response = part_of(s3, id, number, data, length);
    assert_int_equal(response.status, 200);
    assert_int_equal(s3_parse_part(&response, &part, NULL), OS_OK);
    http_response_free(&response);
    return part;
}

struct finish {
    const char *id;
    const struct s3_part_name *parts;
    size_t count;
    const struct s3_completion *said;
    bool contended;
};

static struct http_response complete(struct fake_s3 *s3, const struct finish *finish)
{
    struct http_request request;
    struct buf body;
    assert_int_equal(s3_write_completion(finish->parts, finish->count, S3_CHECKSUM_NONE, &body, NULL), OS_OK);
    assert_int_equal(s3_build_complete_upload(&wire_s3_target, KEY, finish->id, &body, finish->said, &request, NULL),
                     OS_OK);
    wire_sign("s3", &wire_keys, WIRE_S, true, &request);
    struct http_response response =
        finish->contended ? wire_s3_contended(s3, &request, WIRE_MS) : wire_s3(s3, &request, WIRE_MS);
    buf_free(&body);
    return response;
}

static struct http_response complete_one(struct fake_s3 *s3, const char *id, const struct s3_condition *condition)
{
    static const struct s3_part_name parts[] = {{.number = 1, .etag = PART_ETAG}};
    struct s3_completion said = {.length = 5};
    if (condition != NULL)
        said.condition = *condition;
    return complete(s3, &(struct finish){.id = id, .parts = parts, .count = 1, .said = &said});
}

static struct http_response abort_of(struct fake_s3 *s3, const char *id)
{
    struct http_request request;
    assert_int_equal(s3_build_abort_upload(&wire_s3_target, KEY, id, &request, NULL), OS_OK);
    return ask(s3, &request);
}

static struct http_response parts_of(struct fake_s3 *s3, const char *id, uint32_t after, uint32_t max)
{
    struct http_request request;
    assert_int_equal(s3_build_list_parts(&wire_s3_target, KEY, id, after, max, &request, NULL), OS_OK);
    return ask(s3, &request);
}

static struct s3_upload_id staged(struct fake_s3 *s3)
{
    struct s3_upload_id id = create(s3);
    put_part(s3, id.text, 1, "bytes", 5);
    return id;
}

/* ------------------------------------------------------------------------------------------------------ complete */

TEST(a_completed_upload_is_an_object_with_what_its_creation_said)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    struct s3_completed completed;
    struct s3_error error;
    struct s3_object object;
    assert_int_equal(fake_s3_version_count(s3, KEY), 0);
    struct http_response response = complete_one(s3, id.text, NULL);
    assert_int_equal(s3_parse_completed(&response, &completed, &error, NULL), OS_OK);
    assert_string_equal(completed.etag, WHOLE_ETAG);
    http_response_free(&response);
    response = wire_head(s3, KEY);
    assert_int_equal(s3_parse_object(&response, &object, NULL), OS_OK);
    assert_string_equal(object.etag, WHOLE_ETAG);
    assert_string_equal(object.nonce, NONCE);
    assert_int_equal(object.length, 5);
    assert_string_equal(http_headers_get(&response.headers, "content-type"), "text/plain");
    http_response_free(&response);
    struct fake_s3_upload upload = fake_s3_upload_at(s3, 0);
    assert_int_equal(upload.state, FAKE_S3_COMPLETED);
    assert_int_equal(upload.serial, 1);
    assert_string_equal(upload.nonce, NONCE);
    fake_s3_free(s3);
}

TEST(parts_are_joined_in_the_order_of_their_numbers)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = create(s3);
    char *large = malloc(PART_MIN);
    assert_non_null(large);
    memset(large, 'x', PART_MIN);
    struct s3_part last = put_part(s3, id.text, 7, "end", 3);
    put_part(s3, id.text, 3, "replaced", 8);
    struct s3_part first = put_part(s3, id.text, 3, large, PART_MIN);
    free(large);
    const struct s3_part_name parts[] = {{.number = 3, .etag = first.etag}, {.number = 7, .etag = last.etag}};
    expect(complete(s3, &(struct finish){.id = id.text, .parts = parts, .count = 2}), 200, "");
    struct http_request request;
    assert_int_equal(s3_build_get(&wire_s3_target, KEY, PART_MIN - 2, 0, &request, NULL), OS_OK);
    struct http_response response = ask(s3, &request);
    assert_string_equal(buf_str(&response.body), "xxend");
    http_response_free(&response);
    fake_s3_free(s3);
}

TEST(a_completion_that_does_not_fit_its_parts_is_refused)
{
    static const struct s3_part_name wrong_etag[] = {{.number = 1, .etag = "\"00000000000000000000000000000000\""}};
    static const struct s3_part_name missing[] = {{.number = 2, .etag = PART_ETAG}};
    static const struct s3_part_name small[] = {{.number = 1, .etag = PART_ETAG}, {.number = 2, .etag = PART_ETAG}};
    static const struct s3_completion long_one = {.length = 6};
    static const struct s3_part_name one[] = {{.number = 1, .etag = PART_ETAG}};
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    expect(complete(s3, &(struct finish){.id = id.text, .parts = wrong_etag, .count = 1}), 400, "InvalidPart");
    expect(complete(s3, &(struct finish){.id = id.text, .parts = missing, .count = 1}), 400, "InvalidPart");
    expect(complete(s3, &(struct finish){.id = id.text, .parts = one, .count = 1, .said = &long_one}), 400,
           "InvalidRequest");
    put_part(s3, id.text, 2, "bytes", 5);
    expect(complete(s3, &(struct finish){.id = id.text, .parts = small, .count = 2}), 400, "EntityTooSmall");
    assert_int_equal(fake_s3_version_count(s3, KEY), 0);
    assert_int_equal(fake_s3_upload_at(s3, 0).state, FAKE_S3_OPEN);
    fake_s3_free(s3);
}

TEST(an_upload_is_completed_once)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    expect(complete_one(s3, id.text, NULL), 200, "");
    expect(complete_one(s3, id.text, NULL), 404, "NoSuchUpload");
    expect(part_of(s3, id.text, 1, "late", 4), 404, "NoSuchUpload");
    expect(parts_of(s3, id.text, 0, 0), 404, "NoSuchUpload");
    expect(abort_of(s3, id.text), 404, "NoSuchUpload");
    assert_int_equal(fake_s3_version_count(s3, KEY), 1);
    fake_s3_free(s3);
}

static void be_lenient(struct fake_s3_options *options)
{
    options->completes_again = true;
    options->aborts_gone = true;
    options->blanks_first = true;
    options->versioned = true;
}

TEST(a_store_may_take_a_second_completion_and_an_abort_for_well)
{
    struct fake_s3 *s3 = wire_s3_with(be_lenient);
    struct s3_upload_id id = staged(s3);
    for (int i = 0; i < 2; i++) {
        struct s3_completed completed;
        struct s3_error error;
        struct http_response response = complete_one(s3, id.text, NULL);
        assert_int_equal(buf_str(&response.body)[0], ' ');
        assert_int_equal(s3_parse_completed(&response, &completed, &error, NULL), OS_OK);
        assert_string_equal(completed.etag, WHOLE_ETAG);
        assert_string_equal(completed.version_id, "v1");
        http_response_free(&response);
        expect(abort_of(s3, id.text), 204, "");
    }
    assert_int_equal(fake_s3_version_count(s3, KEY), 1);
    assert_int_equal(fake_s3_upload_at(s3, 0).state, FAKE_S3_COMPLETED);
    fake_s3_free(s3);
}

/* ---------------------------------------------------------------------------------------------------- conditions */

TEST(conditions_of_completions_are_held)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_condition right = {.if_match = WHOLE_ETAG};
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    expect(complete_one(s3, id.text, &right), 404, "NoSuchKey");
    expect(complete_one(s3, id.text, &absent), 200, "");
    id = staged(s3);
    expect(complete_one(s3, id.text, &absent), 412, "PreconditionFailed");
    assert_int_equal(fake_s3_upload_at(s3, 1).state, FAKE_S3_OPEN);
    expect(complete_one(s3, id.text, &right), 200, "");
    assert_int_equal(fake_s3_version_count(s3, KEY), 2);
    fake_s3_free(s3);
}

static void answer_409(struct fake_s3_options *options)
{
    options->answer_409 = FAKE_S3_409_UNDECIDED;
}

TEST(an_upload_whose_completion_was_undecided_must_be_staged_again)
{
    static const struct s3_part_name parts[] = {{.number = 1, .etag = PART_ETAG}};
    const struct s3_condition absent = {.if_none_match_any = true};
    const struct s3_completion said = {.condition = absent};
    struct fake_s3 *s3 = wire_s3_with(answer_409);
    struct s3_upload_id id = staged(s3);
    struct finish contended = {.id = id.text, .parts = parts, .count = 1, .said = &said, .contended = true};
    expect(complete(s3, &contended), 409, "ConditionalRequestConflict");
    expect(complete_one(s3, id.text, &absent), 409, "ConditionalRequestConflict");
    expect(abort_of(s3, id.text), 204, "");
    id = staged(s3);
    expect(complete_one(s3, id.text, &absent), 200, "");
    fake_s3_free(s3);
}

static void ignore_conditions_of_completions(struct fake_s3_options *options)
{
    options->conditions[FAKE_S3_COMPLETE] = FAKE_S3_IGNORED;
}

TEST(conditions_are_ignored_request_by_request)
{
    const struct s3_condition absent = {.if_none_match_any = true};
    struct fake_s3 *s3 = wire_s3_with(ignore_conditions_of_completions);
    expect(wire_put(s3, KEY, "bytes", NULL, &absent), 200, "");
    struct s3_upload_id id = staged(s3);
    expect(complete_one(s3, id.text, &absent), 200, "");
    expect(wire_put(s3, KEY, "bytes", NULL, &absent), 412, "PreconditionFailed");
    fake_s3_free(s3);
}

/* --------------------------------------------------------------------------------------------------- abort, copy */

TEST(nothing_follows_an_abort)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    expect(abort_of(s3, id.text), 204, "");
    expect(abort_of(s3, id.text), 404, "NoSuchUpload");
    expect(part_of(s3, id.text, 2, "late", 4), 404, "NoSuchUpload");
    expect(complete_one(s3, id.text, NULL), 404, "NoSuchUpload");
    assert_int_equal(fake_s3_version_count(s3, KEY), 0);
    assert_int_equal(fake_s3_upload_at(s3, 0).state, FAKE_S3_ABORTED);
    fake_s3_free(s3);
}

static struct http_response copy_part(struct fake_s3 *s3, const char *id, const char *etag, uint64_t count)
{
    const struct s3_part_place place = {.upload_id = id, .number = 1};
    const struct s3_part_source source = {.key = "from", .etag = etag, .offset = 1, .count = count};
    struct http_request request;
    assert_int_equal(s3_build_upload_part_copy(&wire_s3_target, KEY, &place, &source, &request, NULL), OS_OK);
    return ask(s3, &request);
}

TEST(a_part_may_be_copied_from_an_object)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = create(s3);
    struct s3_part part;
    struct s3_error error;
    expect(copy_part(s3, id.text, NULL, 3), 404, "NoSuchKey");
    expect(wire_put(s3, "from", "bytes", NULL, NULL), 200, "");
    expect(copy_part(s3, id.text, "\"stale\"", 3), 412, "PreconditionFailed");
    struct http_response response = copy_part(s3, id.text, PART_ETAG, 3);
    assert_int_equal(s3_parse_part_copy(&response, &part, &error, NULL), OS_OK);
    assert_int_equal(part.last_modified_s, WIRE_S);
    http_response_free(&response);
    const struct s3_part_name parts[] = {{.number = 1, .etag = part.etag}};
    expect(complete(s3, &(struct finish){.id = id.text, .parts = parts, .count = 1}), 200, "");
    struct http_request request;
    assert_int_equal(s3_build_get(&wire_s3_target, KEY, 0, 0, &request, NULL), OS_OK);
    response = ask(s3, &request);
    assert_string_equal(buf_str(&response.body), "yte");
    http_response_free(&response);
    fake_s3_free(s3);
}

static bool note_tag(void *context, const char *name, const char *value)
{
    return buf_add_f(context, "%s=%s;", name, value);
}

static void tags_are(struct fake_s3 *s3, const char *version_id, const char *expected)
{
    struct http_request request;
    struct s3_error error;
    struct buf text;
    buf_init(&text, 1024);
    assert_int_equal(s3_build_get_tags(&wire_s3_target, KEY, version_id, &request, NULL), OS_OK);
    struct http_response response = ask(s3, &request);
    assert_int_equal(s3_parse_tags(&response, note_tag, &text, &error, NULL), OS_OK);
    assert_string_equal(buf_str(&text), expected);
    http_response_free(&response);
    buf_free(&text);
}

TEST(an_object_has_the_tags_of_its_upload)
{
    struct fake_s3 *s3 = wire_s3_with(be_lenient);
    struct s3_upload_id id = staged(s3);
    expect(complete_one(s3, id.text, NULL), 200, "");
    tags_are(s3, NULL, "a b=c&<;empty=;");
    expect(wire_put(s3, KEY, "bytes", NULL, NULL), 200, "");
    tags_are(s3, NULL, "");
    tags_are(s3, "v1", "a b=c&<;empty=;");
    struct http_request request;
    assert_int_equal(s3_build_get_tags(&wire_s3_target, KEY, "v7", &request, NULL), OS_OK);
    expect(ask(s3, &request), 404, "NoSuchVersion");
    enum s3_versioning versioning;
    struct s3_error error;
    assert_int_equal(s3_build_get_versioning(&wire_s3_target, &request, NULL), OS_OK);
    struct http_response response = ask(s3, &request);
    assert_int_equal(s3_parse_versioning(&response, &versioning, &error, NULL), OS_OK);
    assert_int_equal(versioning, S3_VERSIONING_ENABLED);
    http_response_free(&response);
    fake_s3_free(s3);
}

/* --------------------------------------------------------------------------------------------------------- lists */

static bool note_part(void *context, const struct s3_part *part)
{
    return buf_add_f(context, "%u %s %llu;", (unsigned)part->number, part->etag, (unsigned long long)part->length);
}

TEST(parts_are_listed_in_pages)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id id = staged(s3);
    put_part(s3, id.text, 4, "bytes", 5);
    struct buf text;
    buf_init(&text, 1024);
    struct s3_parts_page page = {.truncated = true};
    int pages = 0;
    for (uint32_t after = 0; page.truncated; after = page.next_after, pages++) {
        struct http_response response = parts_of(s3, id.text, after, 1);
        assert_int_equal(s3_parse_parts(&response, after, note_part, &text, &page, NULL), OS_OK);
        http_response_free(&response);
    }
    assert_int_equal(pages, 2);
    assert_string_equal(buf_str(&text), "1 " PART_ETAG " 5;4 " PART_ETAG " 5;");
    buf_free(&text);
    fake_s3_free(s3);
}

static bool note_upload(void *context, const struct s3_listed_upload *upload)
{
    return buf_add_f(context, "%s %s;", upload->key, upload->id.text);
}

TEST(open_uploads_are_listed_in_pages)
{
    struct fake_s3 *s3 = wire_s3_with(NULL);
    struct s3_upload_id first = staged(s3);
    struct s3_upload_id gone = staged(s3);
    struct s3_upload_id last = create(s3);
    expect(abort_of(s3, gone.text), 204, "");
    struct s3_list_uploads_options options = {.prefix = "staged/", .max_uploads = 1};
    struct s3_uploads_page page = {0};
    struct buf text;
    buf_init(&text, 1024);
    do {
        struct s3_uploads_page before = page;
        struct http_request request;
        options.key_marker = before.next_key_marker;
        options.upload_id_marker = before.next_upload_id_marker;
        assert_int_equal(s3_build_list_uploads(&wire_s3_target, &options, &request, NULL), OS_OK);
        struct http_response response = ask(s3, &request);
        assert_int_equal(s3_parse_uploads(&response, &options, note_upload, &text, &page, NULL), OS_OK);
        http_response_free(&response);
        free(before.next_key_marker);
        free(before.next_upload_id_marker);
    } while (page.truncated);
    char expected[256];
    snprintf(expected, sizeof(expected), KEY " %.60s;" KEY " %.60s;", first.text, last.text);
    assert_string_equal(buf_str(&text), expected);
    buf_free(&text);
    fake_s3_free(s3);
}
