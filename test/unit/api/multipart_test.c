/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies go in parts (R15), and what is left of them behind; on the embedded store. */
#include "client/client.h"
#include "unit/api/client_scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static os_client *open_staging(const struct scratch *scratch)
{
    os_options options = OS_OPTIONS_INIT;
    options.stage_above = 1000;
    return scratch_client(scratch, &options);
}

static os_result create(os_client *client, const char *key, const os_body *body)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    if (os_put_if_absent(client, key, body, NULL, NULL, &result, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
    return result;
}

TEST_WITH(scratch, a_body_above_the_threshold_goes_in_parts)
{
    static const struct {
        size_t length;
        const char *request;
    } cases[] = {{0, "PutObject"}, {1000, "PutObject"}, {1001, "CompleteMultipartUpload"}};
    os_client *client = open_staging(scratch);
    char data[1001] = "";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char key[16];
        os_object object = OS_OBJECT_INIT;
        os_error error;
        snprintf(key, sizeof(key), "key-%zu", i);
        os_body body = OS_BODY_MEMORY(data, cases[i].length);
        os_result result = create(client, key, &body);
        assert_string_equal(result.request, cases[i].request);
        CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
        assert_int_equal(object.length, cases[i].length);
        assert_string_equal(object.etag, result.etag);
    }
    os_client_close(client);
}

/* R15, F3: the threshold of a store that keeps stalled bodies is what arrives at once, and grows with what is seen of
 * the connections. Here it does so while the stream is being read. */
struct growing {
    os_client *client;
    size_t given;
};
enum { GROWING_LENGTH = 5000, AT_ONCE_FIRST = 100, AT_ONCE_LATER = 100000 };

static int64_t give_and_grow(void *context, void *ret, size_t size)
{
    struct growing *growing = context;
    size_t left = GROWING_LENGTH - growing->given;
    size_t length = size < left ? size : left;
    memset(ret, 'g', length);
    growing->given += length;
    atomic_store(&growing->client->store->at_once_bytes, AT_ONCE_LATER);
    return (int64_t)length;
}

TEST_WITH(scratch, a_stream_is_whole_although_the_threshold_grows_meanwhile)
{
    os_options options = OS_OPTIONS_INIT;
    options.stalled_body_s = GUARD_STALLED_BODY_FOR_EVER;
    os_client *client = scratch_client(scratch, &options);
    struct growing growing = {.client = client};
    os_body body = {.size = sizeof(body), .read = give_and_grow, .read_context = &growing};
    os_object object = OS_OBJECT_INIT;
    os_error error;
    atomic_store(&client->store->at_once_bytes, AT_ONCE_FIRST);
    os_result result = create(client, "stream", &body);
    assert_string_equal(result.request, "CompleteMultipartUpload");
    CHECK_CODE(os_head(client, "stream", NULL, &object, &error), OS_OK, &error);
    assert_int_equal(object.length, GROWING_LENGTH);
    os_result_clear(&result);
    os_client_close(client);
}

/* ------------------------------------------------------------------------------------------------ left behind */

/* The embedded store keeps an open upload as a file with a name without a dot, and what it must remember beside it. */
static unsigned open_uploads(const struct scratch *scratch)
{
    char path[160];
    unsigned count = 0;
    struct dirent *entry;
    snprintf(path, sizeof(path), "%s/.oscommit/uploads", scratch->root);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        count += strchr(entry->d_name, '.') == NULL;
    if (folder)
        closedir(folder);
    return count;
}

/* `meanwhile` comes when the upload has been created. */
struct stream {
    size_t given;
    void (*meanwhile)(struct stream *stream);
    const struct scratch *scratch;
    os_client *client;
    os_cancel *cancel;
    unsigned open; /* then */
};
enum { STREAM_LENGTH = 7 << 20, STREAM_MEANWHILE = 6 << 20 };

static int64_t give(void *context, void *ret, size_t size)
{
    struct stream *stream = context;
    if (stream->given == STREAM_MEANWHILE)
        stream->meanwhile(stream);
    size_t end = stream->given < STREAM_MEANWHILE ? STREAM_MEANWHILE : STREAM_LENGTH;
    size_t count = end - stream->given;
    count = count < size ? count : size;
    memset(ret, 'x', count);
    stream->given += count;
    return (int64_t)count;
}

static void lose(struct stream *stream)
{
    os_body body = OS_BODY_MEMORY("first", 5);
    stream->open = open_uploads(stream->scratch);
    create(stream->client, "key", &body);
}

static void cancel(struct stream *stream)
{
    stream->open = open_uploads(stream->scratch);
    os_cancel_trigger(stream->cancel);
}

static void put_stream(struct stream *stream, os_verdict verdict, os_code code)
{
    os_body body = {.size = sizeof(body), .read = give, .read_context = stream};
    os_call call = OS_CALL_INIT;
    os_error error = {0};
    call.cancel = stream->cancel;
    assert_int_equal(os_put_if_absent(stream->client, "key", &body, NULL, &call, NULL, &error), verdict);
    assert_int_equal(error.code, code);
    assert_int_equal(stream->open, 1);
    assert_int_equal(open_uploads(stream->scratch), 0);
}

TEST_WITH(scratch, a_lost_race_aborts_the_upload)
{
    struct stream stream = {.meanwhile = lose, .scratch = scratch, .client = open_staging(scratch)};
    put_stream(&stream, OS_CONFLICT, OS_ERR_CONFLICT);
    os_client_close(stream.client);
}

TEST_WITH(scratch, a_cancelled_call_aborts_the_upload)
{
    struct stream stream = {.meanwhile = cancel, .scratch = scratch, .client = open_staging(scratch)};
    assert_int_equal(os_cancel_new(&stream.cancel), OS_OK);
    put_stream(&stream, OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    os_client_close(stream.client);
    os_cancel_free(stream.cancel);
}

/* Nothing is staged for a race that is lost already. */
TEST_WITH(scratch, what_a_head_shows_before_is_a_conflict_at_once)
{
    os_client *client = open_staging(scratch);
    char data[2000] = "";
    os_body small = OS_BODY_MEMORY(data, 10);
    os_body large = OS_BODY_MEMORY(data, sizeof(data));
    os_result made = create(client, "key", &small);
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    assert_int_equal(os_put_if_absent(client, "key", &large, NULL, NULL, &result, &error), OS_CONFLICT);
    assert_string_equal(result.found_etag, made.etag);
    assert_string_equal(result.rule, "R1");
    assert_int_equal(result.requests, 1);
    os_client_close(client);
}
