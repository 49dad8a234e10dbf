/* SPDX-License-Identifier: Apache-2.0 */
/* R1.4, R15.8 and F2.11 in the client: a source that changes while it is copied, on a store that ignores the pin. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct played {
    bool changes; /* the source, with its first part */
    bool has_id;
    atomic_uint parts;
    atomic_uint completes;
    atomic_uint aborts;
};

#define DATED "\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n"

static const char *body_of(struct played *played, const struct http_server_record *record)
{
    bool of_upload = strstr(record->target, "uploadId=") != NULL;
    if (strcmp(record->method, "PUT") == 0 && !of_upload)
        return "<CopyObjectResult><ETag>\"44444444444444444444444444444444\"</ETag>"
               "<LastModified>2026-11-21T10:00:00.000Z</LastModified></CopyObjectResult>";
    if (strcmp(record->method, "PUT") == 0) {
        atomic_fetch_add(&played->parts, 1);
        return "<CopyPartResult><ETag>\"44444444444444444444444444444444\"</ETag></CopyPartResult>";
    }
    if (strcmp(record->method, "POST") == 0 && !of_upload)
        return "<InitiateMultipartUploadResult><UploadId>an-upload</UploadId></InitiateMultipartUploadResult>";
    if (strcmp(record->method, "POST") == 0) {
        atomic_fetch_add(&played->completes, 1);
        return "<CompleteMultipartUploadResult><ETag>\"33333333333333333333333333333333-1\"</ETag>"
               "</CompleteMultipartUploadResult>";
    }
    if (strstr(record->target, "tagging") != NULL)
        return "<Tagging><TagSet></TagSet></Tagging>";
    return "<Error><Code>NoSuchUpload</Code><Message>It is gone</Message></Error>";
}

static void answer_head(struct played *played, const char *target, struct buf *ret)
{
    bool is_another = played->changes && atomic_load(&played->parts) > 0;
    if (strncmp(target, "/bucket/source", 14) == 0)
        buf_add_f(ret, "HTTP/1.1 200 OK" DATED "ETag: \"%032d\"\r\nContent-Length: 2000\r\n%s\r\n", is_another,
                  played->has_id ? "x-amz-version-id: an-id\r\n" : "");
    else
        buf_add_f(ret, "HTTP/1.1 %s" DATED "Content-Length: 0\r\n\r\n",
                  strncmp(target, "/bucket/key", 11) == 0 ? "404 Not Found" : "200 OK");
}

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct played *played = context;
    buf_reset(scratch);
    if (strcmp(record->method, "HEAD") == 0) {
        answer_head(played, record->target, scratch);
    } else if (strcmp(record->method, "DELETE") == 0) {
        atomic_fetch_add(&played->aborts, 1);
        buf_add_f(scratch, "HTTP/1.1 204 No Content" DATED "Content-Length: 0\r\n\r\n");
    } else {
        const char *body = body_of(played, record);
        buf_add_f(scratch, "HTTP/1.1 %s" DATED "Content-Length: %zu\r\n\r\n%s",
                  strstr(body, "<Error>") ? "404 Not Found" : "200 OK", strlen(body), body);
    }
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static os_verdict copy(const struct scratch *scratch, struct played *played, os_error *err)
{
    const struct http_server_options server = {.respond = respond, .respond_context = played};
    struct http_server *started = http_server_start(&server);
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_OFF;
    options.stage_above = 1000;
    os_client *client = scratch_s3_client(scratch, http_server_host(started), &options);
    os_verdict verdict = os_copy_if_not_exists(client, "source", "key", NULL, NULL, NULL, err);
    os_client_close(client);
    http_server_stop(started);
    assert_int_equal(atomic_load(&played->parts), 1);
    return verdict;
}

TEST_WITH(scratch, parts_of_a_source_that_has_changed_are_not_joined)
{
    struct played played = {.changes = true};
    os_error error;
    assert_int_equal(copy(scratch, &played, &error), OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_SOURCE);
    CHECK_SAYS(&error, "The source source was changed while it was being copied to key; nothing was written");
    assert_int_equal(atomic_load(&played.completes), 0);
    assert_int_equal(atomic_load(&played.aborts), 1);
}

TEST_WITH(scratch, those_of_one_that_stands_are)
{
    struct played stands = {.changes = false};
    struct played named = {.changes = true, .has_id = true}; /* the version that was copied is there yet */
    os_error error;
    assert_int_equal(copy(scratch, &stands, &error), OS_COMMITTED);
    scratch_tear_down(scratch);
    scratch_set_up(scratch);
    assert_int_equal(copy(scratch, &named, &error), OS_COMMITTED);
}

/* ------------------------------------------------------------------------------------------------ one request */

static int note_timeout(void *context, const os_record *record)
{
    *(uint64_t *)context = record->timeout_ms;
    return 0;
}

static uint64_t timeout_of_one_copy(const struct scratch *scratch, const char *source_match, const char *version_id)
{
    struct played played = {.changes = false};
    const struct http_server_options server = {.respond = respond, .respond_context = &played};
    struct http_server *started = http_server_start(&server);
    char fields[64];
    char profile[SCRATCH_PATH_SIZE];
    snprintf(fields, sizeof(fields), "\"copy_source_match\":\"%s\"", source_match);
    scratch_write_profile(scratch, fields, profile);
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_OFF;
    options.store_profile = profile;
    os_client *client = scratch_s3_client(scratch, http_server_host(started), &options);
    os_error error;
    uint64_t timeout_ms = 0;
    os_copy_options copied = OS_COPY_OPTIONS_INIT;
    copied.source_version_id = version_id;
    assert_int_equal(os_copy_if_not_exists(client, "source", "key", &copied, NULL, NULL, &error), OS_COMMITTED);
    CHECK_CODE(os_table_list(client, "key", NULL, note_timeout, &timeout_ms, &error), OS_OK, &error);
    os_client_close(client);
    http_server_stop(started);
    return timeout_ms;
}

/* 5 s of signature, 133 s of work and 2 s of margin; a source of 2,000 bytes needs 6 s of work. */
TEST_WITH(scratch, one_request_counts_on_any_size_where_the_pin_is_ignored)
{
    assert_int_equal(timeout_of_one_copy(scratch, "ignored", NULL), 140000);
}

TEST_WITH(scratch, so_it_does_of_the_version_without_an_id)
{
    assert_int_equal(timeout_of_one_copy(scratch, "ignored", "null"), 140000);
}

TEST_WITH(scratch, and_on_what_the_head_saw_where_it_is_not)
{
    assert_int_equal(timeout_of_one_copy(scratch, "enforced", NULL), 20000);
}

TEST_WITH(scratch, or_where_the_source_is_named_by_its_version_id)
{
    assert_int_equal(timeout_of_one_copy(scratch, "ignored", "an-id"), 20000);
}
