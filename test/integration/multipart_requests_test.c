/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole multipart uploads against MinIO and versitygw: built, signed, sent and read by the library. What both are known to
 * do alike is asked of both; where they differ, the difference stands in the table of servers.
 */
#include "support/test.h"
#include "unit/sim/real.h"

/* cmocka wants these three first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/crc.h"
#include "base/digest.h"
#include "s3/multipart_response.h"
#include "s3/part_plan.h"
#include "support/raw_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 5 << 20, LAST = 12345, WHOLE = PART + LAST };

struct store {
    const char *variable;
    const char *name;
    bool lists_all_uploads; /* MinIO lists those of one exact key only */
    bool continues_uploads; /* versitygw 1.8.0 refuses its own upload-id-marker (versitygw issue 2149) */
    int abort_of_none;      /* MinIO accepts it: an accepted abort is no evidence that the upload was open (R14) */
    struct real_service real;
    struct s3_target target;
};

static struct store stores[] = {
    {.variable = "OSCOMMIT_TEST_MINIO_ENDPOINT", .name = "MinIO", .continues_uploads = true, .abort_of_none = 204},
    {.variable = "OSCOMMIT_TEST_VERSITYGW_ENDPOINT",
     .name = "versitygw",
     .lists_all_uploads = true,
     .abort_of_none = 404},
};

static unsigned char *bytes; /* WHOLE of them, no two parts alike */

/* ------------------------------------------------------------------------------------------------ one request each */

/* Signed in the query where a fence would be (a Complete), in the header elsewhere. */
static struct http_response send_request(struct store *store, struct http_request *request, os_code built, bool fenced)
{
    assert_int_equal(built, OS_OK);
    real_sign(&store->real, &store->real.keys, 0, fenced, request);
    struct http_response response = real_answer(&store->real, request);
    http_request_free(request);
    return response;
}

static void check_status(struct store *store, const struct http_response *response, int status, const char *code)
{
    struct s3_error error;
    s3_parse_error(response, &error);
    if (response->status != status)
        fail_msg("%s: %d %s: %s", store->name, response->status, error.code, error.message);
    if (code)
        assert_string_equal(error.code, code);
}

static struct s3_upload_id create(struct store *store, const char *key, const struct s3_creation *creation)
{
    struct http_request request;
    struct s3_upload_id id;
    struct s3_error error;
    os_code code = s3_build_create_upload(&store->target, key, creation, &request, NULL);
    struct http_response response = send_request(store, &request, code, false);
    check_status(store, &response, 200, NULL);
    assert_int_equal(s3_parse_create_upload(&response, &id, &error, NULL), OS_OK);
    http_response_free(&response);
    return id;
}

static struct s3_part upload_part(struct store *store, const char *key, const struct s3_upload_id *id, uint32_t number,
                                  uint64_t offset, uint64_t length, bool with_sum)
{
    unsigned char md5[MD5_SIZE];
    char md5_text[25];
    char sum_text[CRC32C_TEXT_SIZE];
    struct http_request request;
    struct s3_part part;
    const struct s3_part_place place = {id->text, number};
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = bytes + offset, .fd = -1, .length = length};
    assert_true(md5_digest(bytes + offset, (size_t)length, md5));
    text_base64(md5, sizeof(md5), md5_text);
    crc32c_text(crc32c_add(0, bytes + offset, (size_t)length), sum_text);
    const struct s3_body_sums sums = {md5_text, with_sum ? S3_CHECKSUM_CRC32C : S3_CHECKSUM_NONE,
                                      with_sum ? sum_text : NULL};
    os_code code = s3_build_upload_part(&store->target, key, &place, &body, &sums, &request, NULL);
    struct http_response response = send_request(store, &request, code, false);
    check_status(store, &response, 200, NULL);
    assert_int_equal(s3_parse_part(&response, &part, NULL), OS_OK);
    if (part.sum.checksum == S3_CHECKSUM_CRC32C)
        assert_string_equal(part.sum.text, sum_text);
    http_response_free(&response);
    part.number = number;
    return part;
}

static struct s3_part copy_part(struct store *store, const char *key, const struct s3_upload_id *id, uint32_t number,
                                const struct s3_part_source *source)
{
    struct http_request request;
    struct s3_part part;
    struct s3_error error;
    const struct s3_part_place place = {id->text, number};
    os_code code = s3_build_upload_part_copy(&store->target, key, &place, source, &request, NULL);
    struct http_response response = send_request(store, &request, code, false);
    check_status(store, &response, 200, NULL);
    assert_int_equal(s3_parse_part_copy(&response, &part, &error, NULL), OS_OK);
    http_response_free(&response);
    part.number = number;
    return part;
}

static struct http_response complete(struct store *store, const char *key, const struct s3_upload_id *id,
                                     const struct s3_part *parts, size_t count, const struct s3_completion *completion)
{
    struct s3_part_name names[4];
    struct http_request request;
    struct buf body;
    enum s3_checksum checksum = S3_CHECKSUM_NONE;
    assert_in_range(count, 1, 4);
    for (size_t i = 0; i < count; i++) {
        bool has_sum = parts[i].sum.checksum == S3_CHECKSUM_CRC32C;
        checksum = has_sum ? S3_CHECKSUM_CRC32C : checksum;
        names[i] = (struct s3_part_name){parts[i].number, parts[i].etag, has_sum ? parts[i].sum.text : NULL};
    }
    assert_int_equal(s3_write_completion(names, count, checksum, &body, NULL), OS_OK);
    os_code code = s3_build_complete_upload(&store->target, key, id->text, &body, completion, &request, NULL);
    struct http_response response = send_request(store, &request, code, true);
    buf_free(&body);
    return response;
}

static struct s3_completed check_completed(struct store *store, struct http_response *response)
{
    struct s3_completed completed;
    struct s3_error error;
    check_status(store, response, 200, NULL);
    assert_int_equal(s3_parse_completed(response, &completed, &error, NULL), OS_OK);
    assert_true(completed.etag[0] != '\0');
    http_response_free(response);
    return completed;
}

static void refused(struct store *store, struct http_response *response, int status, const char *code)
{
    check_status(store, response, status, code);
    http_response_free(response);
}

static void abort_upload(struct store *store, const char *key, const struct s3_upload_id *id, int status)
{
    struct http_request request;
    os_code code = s3_build_abort_upload(&store->target, key, id->text, &request, NULL);
    struct http_response response = send_request(store, &request, code, true);
    refused(store, &response, status, status == 404 ? "NoSuchUpload" : NULL);
}

static struct http_response ask_parts(struct store *store, const char *key, const struct s3_upload_id *id,
                                      uint32_t after, uint32_t max_parts)
{
    struct http_request request;
    os_code code = s3_build_list_parts(&store->target, key, id->text, after, max_parts, &request, NULL);
    return send_request(store, &request, code, false);
}

static void check_object(struct store *store, const char *key, const char *etag, const char *nonce)
{
    struct http_request request;
    struct s3_object object;
    os_code code = s3_build_head(&store->target, key, &request, NULL);
    struct http_response head = send_request(store, &request, code, false);
    check_status(store, &head, 200, NULL);
    assert_int_equal(s3_parse_object(&head, &object, NULL), OS_OK);
    assert_int_equal(object.length, WHOLE);
    assert_string_equal(object.nonce, nonce);
    assert_string_equal(object.etag, etag);
    assert_string_equal(http_headers_get(&head.headers, "content-type"), "text/plain");
    assert_string_equal(http_headers_get(&head.headers, "cache-control"), "no-store");
    assert_string_equal(http_headers_get(&head.headers, "x-amz-meta-one"), "two  three");
    http_response_free(&head);
    /* around the seam of its parts */
    code = s3_build_get(&store->target, key, PART - 100, 200, &request, NULL);
    struct http_response range = send_request(store, &request, code, false);
    check_status(store, &range, 206, NULL);
    assert_int_equal(range.body.len, 200);
    assert_memory_equal(range.body.data, bytes + PART - 100, 200);
    http_response_free(&range);
}

/* ------------------------------------------------------------------------------------------------ the tests */

static const os_metadata metadata[] = {{"one", "two  three"}};
static const os_metadata tags[] = {{"a tag", "its=value+ /@"}};
static const struct s3_content content = {.content_type = "text/plain",
                                          .cache_control = "no-store",
                                          .metadata = metadata,
                                          .metadata_count = 1,
                                          .nonce = "0123456789abcdef"};
static const struct s3_creation plain = {.content = &content, .tags = tags, .tag_count = 1};
static const struct s3_creation summed = {.content = &content, .checksum = S3_CHECKSUM_CRC32C};
static const struct s3_completion if_absent = {.condition = {.if_none_match_any = true}};

static struct s3_completed put_staged(struct store *store, const char *key, const struct s3_creation *creation)
{
    bool with_sum = creation->checksum != S3_CHECKSUM_NONE;
    struct s3_upload_id id = create(store, key, creation);
    struct s3_part parts[2];
    parts[1] = upload_part(store, key, &id, 2, PART, LAST, with_sum);
    (void)upload_part(store, key, &id, 1, LAST, PART, with_sum); /* sent again: the later one counts */
    parts[0] = upload_part(store, key, &id, 1, 0, PART, with_sum);
    struct http_response response = complete(store, key, &id, parts, 2, &if_absent);
    return check_completed(store, &response);
}

TEST(a_staged_upload_becomes_an_object_with_all_it_was_given)
{
    struct store *store = *state;
    struct s3_completed completed = put_staged(store, "staged/a b+\xc3\xa4&", &plain);
    check_object(store, "staged/a b+\xc3\xa4&", completed.etag, content.nonce);
    completed = put_staged(store, "staged/summed", &summed);
    check_object(store, "staged/summed", completed.etag, content.nonce);
}

TEST(a_part_whose_sum_is_wrong_is_refused)
{
    struct store *store = *state;
    const char *key = "staged/wrong";
    struct s3_upload_id id = create(store, key, &summed);
    const struct s3_part_place place = {id.text, 1};
    const struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = bytes, .fd = -1, .length = 100};
    const struct s3_body_sums sums[] = {{"AAAAAAAAAAAAAAAAAAAAAA==", S3_CHECKSUM_NONE, NULL},
                                        {NULL, S3_CHECKSUM_CRC32C, "AAAAAA=="}};
    for (size_t i = 0; i < 2; i++) {
        struct http_request request;
        os_code code = s3_build_upload_part(&store->target, key, &place, &body, &sums[i], &request, NULL);
        struct http_response response = send_request(store, &request, code, false);
        refused(store, &response, 400, NULL);
    }
    abort_upload(store, key, &id, 204);
}

/* The conditions of a Complete, as the table of stores has them for both. */
TEST(a_complete_holds_to_its_condition)
{
    struct store *store = *state;
    const char *key = "staged/condition";
    struct s3_completed first = put_staged(store, key, &plain);
    struct s3_upload_id id = create(store, key, &plain);
    const struct s3_part part = upload_part(store, key, &id, 1, 0, WHOLE, false);
    struct http_response response = complete(store, key, &id, &part, 1, &if_absent);
    refused(store, &response, 412, "PreconditionFailed");
    const struct s3_completion stale = {.condition = {.if_match = "\"00000000000000000000000000000000-2\""}};
    response = complete(store, key, &id, &part, 1, &stale);
    refused(store, &response, 412, "PreconditionFailed");
    response = ask_parts(store, key, &id, 0, 0); /* what was refused leaves the upload open */
    refused(store, &response, 200, NULL);
    const struct s3_completion right = {.condition = {.if_match = first.etag}};
    response = complete(store, key, &id, &part, 1, &right);
    struct s3_completed second = check_completed(store, &response);
    abort_upload(store, key, &id, store->abort_of_none);
    check_object(store, key, second.etag, content.nonce); /* it is too late for an abort */
    response = ask_parts(store, key, &id, 0, 0);
    refused(store, &response, 404, "NoSuchUpload");
}

TEST(an_object_is_copied_by_parts)
{
    struct store *store = *state;
    struct s3_completed source = put_staged(store, "staged/source \xc3\xa4?", &plain);
    struct s3_upload_id id = create(store, "staged/copy", &plain);
    struct part_plan plan;
    struct s3_part parts[2];
    assert_int_equal(part_plan_copy(WHOLE, PART, &plan, NULL), OS_OK);
    assert_int_equal(plan.count, 2);
    for (uint32_t number = 1; number <= 2; number++) {
        struct s3_part_source range = {.key = "staged/source \xc3\xa4?", .etag = source.etag};
        assert_true(part_plan_range(&plan, number, &range.offset, &range.count));
        parts[number - 1] = copy_part(store, "staged/copy", &id, number, &range);
    }
    struct http_response response = complete(store, "staged/copy", &id, parts, 2, &if_absent);
    struct s3_completed copy = check_completed(store, &response);
    assert_string_equal(copy.etag, source.etag); /* the same parts of the same bytes */
    check_object(store, "staged/copy", copy.etag, content.nonce);
}

TEST(a_part_is_not_copied_from_a_source_that_changed)
{
    struct store *store = *state;
    struct s3_upload_id id = create(store, "staged/pinned", &plain);
    struct http_request request;
    (void)put_staged(store, "staged/changed", &plain);
    const struct s3_part_place place = {id.text, 1};
    const struct s3_part_source source = {
        .key = "staged/changed", .etag = "\"00000000000000000000000000000000-2\"", .count = PART};
    os_code code = s3_build_upload_part_copy(&store->target, "staged/pinned", &place, &source, &request, NULL);
    struct http_response response = send_request(store, &request, code, false);
    refused(store, &response, 412, "PreconditionFailed");
    abort_upload(store, "staged/pinned", &id, 204);
}

static bool note_part(void *context, const struct s3_part *part)
{
    struct s3_part *list = context;
    assert_in_range(part->number, 1, 3);
    list[part->number] = *part;
    list[0].number++;
    return true;
}

TEST(parts_are_listed_page_by_page)
{
    struct store *store = *state;
    const char *key = "staged/listed";
    struct s3_upload_id id = create(store, key, &plain);
    struct s3_part sent[4];
    struct s3_part listed[4] = {{.number = 0}};
    struct s3_parts_page page = {.truncated = true};
    for (uint32_t number = 1; number <= 3; number++)
        sent[number] = upload_part(store, key, &id, number, number, 1000 + number, false);
    for (unsigned pages = 0; page.truncated; pages++) {
        assert_true(pages < 4);
        struct http_response response = ask_parts(store, key, &id, page.next_after, 1);
        check_status(store, &response, 200, NULL);
        assert_int_equal(s3_parse_parts(&response, page.next_after, note_part, listed, &page, NULL), OS_OK);
        http_response_free(&response);
    }
    assert_int_equal(listed[0].number, 3);
    for (uint32_t number = 1; number <= 3; number++) {
        assert_string_equal(listed[number].etag, sent[number].etag);
        assert_int_equal(listed[number].length, 1000 + number);
        assert_true(listed[number].last_modified_s > 1700000000);
    }
    abort_upload(store, key, &id, 204);
}

struct uploads_seen {
    const struct s3_upload_id *ids;
    unsigned found;
    unsigned all;
};

static bool note_upload(void *context, const struct s3_listed_upload *upload)
{
    struct uploads_seen *seen = context;
    seen->all++;
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(upload->id.text, seen->ids[i].text) == 0) {
            assert_string_equal(upload->key, "uploads/a b+\xc3\xa4&%");
            assert_true(upload->initiated_s > 1700000000);
            seen->found |= 1U << i;
        }
    }
    return true;
}

static unsigned list_uploads(struct store *store, const char *prefix, uint32_t max_uploads,
                             const struct s3_upload_id *ids)
{
    struct uploads_seen seen = {.ids = ids};
    struct s3_uploads_page page = {.truncated = true};
    for (unsigned pages = 0; page.truncated; pages++) {
        struct http_request request;
        struct s3_uploads_page next;
        const struct s3_list_uploads_options options = {prefix, page.next_key_marker, page.next_upload_id_marker,
                                                        max_uploads};
        assert_true(pages < 5);
        os_code code = s3_build_list_uploads(&store->target, &options, &request, NULL);
        struct http_response response = send_request(store, &request, code, false);
        if (pages > 0 && !store->continues_uploads) {
            refused(store, &response, 400, "InvalidArgument");
            free(page.next_key_marker);
            free(page.next_upload_id_marker);
            break;
        }
        check_status(store, &response, 200, NULL);
        assert_int_equal(s3_parse_uploads(&response, &options, note_upload, &seen, &next, NULL), OS_OK);
        http_response_free(&response);
        free(page.next_key_marker);
        free(page.next_upload_id_marker);
        page = next;
    }
    return seen.found;
}

TEST(open_uploads_are_listed_and_aborted)
{
    struct store *store = *state;
    const char *key = "uploads/a b+\xc3\xa4&%";
    struct s3_upload_id ids[3];
    for (unsigned i = 0; i < 3; i++)
        ids[i] = create(store, key, &plain);
    assert_int_equal(list_uploads(store, key, 0, ids), 7);
    unsigned found = list_uploads(store, key, 2, ids);
    assert_true(store->continues_uploads ? found == 7 : found == 3 || found == 5 || found == 6);
    assert_int_equal(list_uploads(store, "uploads/", 0, ids), store->lists_all_uploads ? 7 : 0);
    for (unsigned i = 0; i < 3; i++)
        abort_upload(store, key, &ids[i], 204);
    assert_int_equal(list_uploads(store, key, 0, ids), 0);
    abort_upload(store, key, &ids[0], store->abort_of_none);
    struct http_response response = ask_parts(store, key, &ids[0], 0, 0);
    refused(store, &response, 404, "NoSuchUpload");
    const struct s3_part gone = {.number = 1, .etag = "\"00000000000000000000000000000000\""};
    response = complete(store, key, &ids[0], &gone, 1, NULL);
    refused(store, &response, 404, "NoSuchUpload");
}

/* ------------------------------------------------------------------------------------------------ surroundings */

static void open_store(struct store *store)
{
    char url[300];
    real_open(&store->real, store->variable, "s3");
    snprintf(url, sizeof(url), "http://%s", store->real.endpoint.host);
    if (!raw_make_bucket(url, store->real.unique))
        exit(1);
    store->target = (struct s3_target){.endpoint = &store->real.endpoint, .bucket = store->real.unique};
}

static void fill_bytes(void)
{
    uint32_t x = 1;
    for (size_t i = 0; i < WHOLE; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

int main(int argc, char **argv)
{
    int failed = 0;
    test_take_arguments(argc, argv);
    bytes = malloc(WHOLE);
    if (bytes == NULL)
        return 1;
    fill_bytes();
    for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
        open_store(&stores[i]);
        failed += test_run_group(&(struct test_group){.name = stores[i].name, .state = &stores[i]});
        real_close(&stores[i].real);
    }
    free(bytes);
    return test_exit_status(failed);
}
