/* SPDX-License-Identifier: Apache-2.0 */
/* L10 of copies on a made-up S3 store: which token goes out, what it is held against, and what is sent of a lost race. */
#include "s3/request.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

#define THERE  "\"11111111111111111111111111111111\""
#define COPIED "\"22222222222222222222222222222222\""
#define TOKEN  S3_FENCING_HEADER ": "

/* A store that shows the same for ever: the source, with 2,000 bytes, and what is at the key, if anything. */
struct played {
    const char *source_headers; /* metadata */
    const char *key_headers;
    struct http_server *server;
    os_client *client;
};

static void answer_head(const struct played *played, const char *target, struct buf *ret)
{
    bool of_source = strncmp(target, "/bucket/source", 14) == 0;
    bool absent = strncmp(target, "/bucket/absent", 14) == 0;
    buf_add_f(ret,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: 2000\r\n",
              absent ? "404 Not Found" : "200 OK");
    if (!absent)
        buf_add_f(ret, "ETag: %s\r\n%s", of_source ? COPIED : THERE,
                  of_source ? played->source_headers : played->key_headers);
    buf_add_str(ret, "\r\n");
}

static const char *body_of(const struct http_server_record *record)
{
    bool of_upload = strstr(record->target, "uploadId=") != NULL;
    bool posts = strcmp(record->method, "POST") == 0;
    if (posts && of_upload)
        return "<CompleteMultipartUploadResult><ETag>" COPIED "</ETag></CompleteMultipartUploadResult>";
    if (posts)
        return "<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>";
    if (strcmp(record->method, "GET") == 0)
        return "<Tagging><TagSet></TagSet></Tagging>";
    if (of_upload)
        return "<CopyPartResult><ETag>" COPIED "</ETag></CopyPartResult>";
    return http_headers_get(&record->headers, "x-amz-copy-source") ? "<CopyObjectResult><ETag>" COPIED
                                                                     "</ETag></CopyObjectResult>"
                                                                   : "";
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    const struct played *played = context;
    buf_reset(scratch);
    if (strcmp(record->method, "HEAD") == 0) {
        answer_head(played, record->target, scratch);
    } else {
        const char *body = body_of(record);
        buf_add_f(scratch,
                  "HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n"
                  "Content-Length: %zu\r\n\r\n%s",
                  strlen(body), body);
    }
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void play(struct played *ret, const struct scratch *scratch, const os_options *more)
{
    const struct http_server_options options = {.respond = respond, .respond_context = ret};
    os_options own = *more;
    own.fences = OS_OFF;
    ret->server = http_server_start(&options);
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), &own);
}

static void end(struct played *played)
{
    os_client_close(played->client);
    http_server_stop(played->server);
}

/* Over what is there, unless the key begins with "absent". */
static os_verdict copy_with(const struct played *played, const char *key, uint64_t token, os_result *result,
                            os_error *error)
{
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.fencing = token;
    os_result_clear(result);
    return strncmp(key, "absent", 6) == 0
               ? os_copy_if_not_exists(played->client, "source", key, &options, NULL, result, error)
               : os_copy_if_match(played->client, "source", key, THERE, &options, NULL, result, error);
}

static const struct http_server_record *nth_sent(const struct played *played, const char *method, size_t n)
{
    for (size_t i = 0; i < http_server_count(played->server); i++) {
        const struct http_server_record *record = http_server_record(played->server, i);
        if (strcmp(record->method, method) == 0 && n-- == 0)
            return record;
    }
    return NULL;
}

static const char *header_of(const struct http_server_record *record, const char *name)
{
    assert_non_null(record);
    const char *value = http_headers_get(&record->headers, name);
    return value ? value : "";
}

#define CHECK_COMMITTED(verdict, error)       \
    do {                                      \
        if ((verdict) != OS_COMMITTED)        \
            fail_msg("%s", (error)->message); \
    } while (0)

TEST_WITH(scratch, a_copy_has_the_token_of_its_call_and_never_that_of_its_source)
{
    struct played played = {TOKEN "99\r\nx-amz-meta-colour: red\r\n", TOKEN "6\r\n", NULL, NULL};
    os_result result = OS_RESULT_INIT;
    os_error error;
    play(&played, scratch, &(os_options)OS_OPTIONS_INIT);
    CHECK_COMMITTED(copy_with(&played, "there", 6, &result, &error), &error);
    CHECK_COMMITTED(copy_with(&played, "absent", 18446744073709551615U, &result, &error), &error);
    CHECK_COMMITTED(copy_with(&played, "absent-2", 0, &result, &error), &error);
    static const char *const sent[] = {"6", "18446744073709551615",
                                       "0" /* none, on a store that keeps what is not named */};
    for (size_t i = 0; i < 3; i++) {
        const struct http_server_record *put = nth_sent(&played, "PUT", i);
        assert_string_equal(header_of(put, S3_FENCING_HEADER), sent[i]);
        assert_string_equal(header_of(put, "x-amz-meta-colour"), "red");
        assert_string_equal(header_of(put, "x-amz-metadata-directive"), "REPLACE");
    }
    os_result_clear(&result);
    end(&played);
}

/* In any mode; the last copies find the store's time known, and need no HEAD for that. */
TEST_WITH(scratch, a_copy_over_what_a_newer_holder_wrote_is_a_conflict_and_is_not_sent)
{
    static const os_guard guards[] = {OS_GUARD_RECORD, OS_GUARD_NATIVE, OS_GUARD_BOTH};
    static const uint64_t larger[] = {0, 1000};
    char profile[SCRATCH_PATH_SIZE];
    scratch_write_profile(scratch,
                          "\"requests\":{\"copy\":{\"match\":\"enforced\",\"match_atomic\":true},"
                          "\"complete\":{\"match\":\"enforced\",\"match_atomic\":true}}",
                          profile);
    for (size_t i = 0; i < 6; i++) {
        struct played played = {"", TOKEN "7\r\n", NULL, NULL};
        os_result result = OS_RESULT_INIT;
        os_options options = OS_OPTIONS_INIT;
        os_error error;
        options.guard = guards[i % 3];
        options.store_profile = profile;
        options.stage_above = larger[i / 3];
        play(&played, scratch, &options);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(copy_with(&played, "there", 6, &result, &error), OS_CONFLICT);
            CHECK_SAYS(&error, "there was written with the fencing token 7, which is newer than 6 of this call");
            assert_int_equal(result.found_fencing, 7);
            assert_string_equal(result.found_etag, THERE);
            assert_null(nth_sent(&played, "PUT", 0));
            assert_null(nth_sent(&played, "POST", 0));
        }
        os_result_clear(&result);
        end(&played);
    }
}

TEST_WITH(scratch, one_in_parts_has_it_from_the_creation_of_its_upload_on)
{
    struct played played = {TOKEN "99\r\n", TOKEN "7\r\n", NULL, NULL};
    os_result result = OS_RESULT_INIT;
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    options.stage_above = 1000;
    play(&played, scratch, &options);
    CHECK_COMMITTED(copy_with(&played, "there", 7, &result, &error), &error);
    CHECK_COMMITTED(copy_with(&played, "absent", 0, &result, &error), &error);
    assert_string_equal(result.request, "CompleteMultipartUpload");
    assert_string_equal(header_of(nth_sent(&played, "POST", 0), S3_FENCING_HEADER), "7");
    assert_string_equal(header_of(nth_sent(&played, "POST", 2), S3_FENCING_HEADER), "");
    assert_non_null(nth_sent(&played, "PUT", 1));
    os_result_clear(&result);
    end(&played);
}

/* Puts and copies. */
TEST_WITH(scratch, a_store_that_loses_metadata_takes_no_token)
{
    struct played played = {"", "", NULL, NULL};
    char profile[SCRATCH_PATH_SIZE];
    os_put_options put = OS_PUT_OPTIONS_INIT;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    scratch_write_profile(scratch, "\"metadata_survives\":\"no\"", profile);
    options.store_profile = profile;
    put.fencing = 7;
    play(&played, scratch, &options);
    assert_int_equal(copy_with(&played, "there", 7, &result, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "would lose the fencing token of there");
    assert_int_equal(os_put_if_absent(played.client, "absent", &body, &put, NULL, NULL, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    assert_null(nth_sent(&played, "PUT", 0));
    CHECK_COMMITTED(copy_with(&played, "there", 0, &result, &error), &error);
    os_result_clear(&result);
    end(&played);
}

/* ------------------------------------------------------------------------------------------------ room */

/* The source has one entry, which leaves so many bytes. */
static os_verdict copy_with_room(const struct scratch *scratch, size_t left, uint64_t stage_above, char ret_sent[2][64],
                                 os_error *error)
{
    static unsigned keys;
    char value[S3_METADATA_MAX] = "";
    char headers[S3_METADATA_MAX + 64];
    char key[16];
    memset(value, 'v', S3_METADATA_MAX - 1 - left);
    snprintf(headers, sizeof(headers), "x-amz-meta-m: %s\r\n", value);
    snprintf(key, sizeof(key), "absent-%u", keys++);
    struct played played = {headers, "", NULL, NULL};
    os_result result = OS_RESULT_INIT;
    os_options options = OS_OPTIONS_INIT;
    options.stage_above = stage_above;
    play(&played, scratch, &options);
    os_verdict verdict = copy_with(&played, key, 7, &result, error);
    const struct http_server_record *put = nth_sent(&played, "PUT", 0);
    snprintf(ret_sent[0], 64, "%s", put ? header_of(put, S3_FENCING_HEADER) : "nothing");
    snprintf(ret_sent[1], 64, "%s", put ? header_of(put, S3_NONCE_HEADER) : "nothing");
    os_result_clear(&result);
    end(&played);
    return verdict;
}

TEST_WITH(scratch, a_copy_without_room_for_its_token_is_refused)
{
    size_t token = strlen(S3_FENCING_METADATA) + strlen("7");
    size_t both = token + strlen(S3_NONCE_METADATA) + 32;
    char sent[2][64];
    os_error error;
    CHECK_COMMITTED(copy_with_room(scratch, both, 0, sent, &error), &error);
    assert_string_equal(sent[0], "7");
    assert_int_equal(strlen(sent[1]), 32);
    CHECK_COMMITTED(copy_with_room(scratch, both - 1, 0, sent, &error), &error);
    assert_string_equal(sent[0], "7");
    assert_string_equal(sent[1], "");
    CHECK_COMMITTED(copy_with_room(scratch, token, 0, sent, &error), &error);
    assert_string_equal(sent[0], "7");
    assert_int_equal(copy_with_room(scratch, token - 1, 0, sent, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "no room for the fencing token");
    assert_string_equal(sent[0], "nothing");
    assert_int_equal(copy_with_room(scratch, both - 1, 1000, sent, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_UNSUPPORTED, &error);
    CHECK_SAYS(&error, "leaves no room");
    assert_string_equal(sent[0], "nothing");
}

/* ------------------------------------------------------------------------------------------------ rename */

/* `sent`: the token; NULL: it was one RenameObject. */
static void check_rename(const struct scratch *scratch, const char *source_headers, uint64_t token, const char *sent)
{
    struct played played = {source_headers, "", NULL, NULL};
    char profile[SCRATCH_PATH_SIZE];
    os_options options = OS_OPTIONS_INIT;
    os_copy_options renamed = OS_COPY_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_error error;
    scratch_write_profile(scratch,
                          "\"requests\":{\"rename\":{\"absent\":\"enforced\",\"absent_atomic\":true},"
                          "\"copy\":{\"absent\":\"enforced\",\"absent_atomic\":true},"
                          "\"delete\":{\"match\":\"enforced\",\"match_atomic\":true}},\"rename_object\":\"yes\"",
                          profile);
    options.store_profile = profile;
    options.guard = OS_GUARD_NATIVE;
    renamed.fencing = token;
    play(&played, scratch, &options);
    CHECK_COMMITTED(os_rename_if_not_exists(played.client, "source", "absent", &renamed, NULL, &result, &error),
                    &error);
    CHECK_CODE(error.code, OS_OK, &error);
    const struct http_server_record *put = nth_sent(&played, "PUT", 0);
    assert_string_equal(result.request, sent == NULL ? "RenameObject" : "CopyObject");
    assert_string_equal(header_of(put, "x-amz-copy-source"), sent == NULL ? "" : "/bucket/source");
    assert_string_equal(header_of(put, S3_FENCING_HEADER), sent == NULL ? "" : sent);
    assert_null(nth_sent(&played, "PUT", 1));
    assert_int_equal(nth_sent(&played, "DELETE", 0) != NULL, sent != NULL);
    os_result_clear(&result);
    end(&played);
}

/* RenameObject could write none, and would take the source's along. The delete is not held against that. */
TEST_WITH(scratch, a_rename_writes_its_token_and_leaves_that_of_its_source_behind)
{
    check_rename(scratch, "", 7, "7");
    check_rename(scratch, TOKEN "99\r\n", 7, "7");
    check_rename(scratch, TOKEN "99\r\n", 0, "0");
    check_rename(scratch, "", 0, NULL);
}
