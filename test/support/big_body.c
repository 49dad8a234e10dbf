/* SPDX-License-Identifier: Apache-2.0 */
#include "support/big_body.h"

#include "support/raw_service.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ bytes */

void big_bytes(void *ret, size_t length, uint64_t offset)
{
    unsigned char *bytes = ret;
    for (size_t i = 0; i < length; i++) {
        uint64_t at = offset + i;
        bytes[i] = (unsigned char)(((at * 2654435761U) >> 13) ^ (at >> 20));
    }
}

void *big_memory(size_t length)
{
    void *bytes = malloc(length + 1);
    assert_non_null(bytes);
    big_bytes(bytes, length, 0);
    return bytes;
}

void big_file(const char *path, size_t length)
{
    void *bytes = big_memory(length);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

/* Odd pieces, as a pipe gives them; an event at `at` stands between two of them. */
static int64_t give(void *context, void *ret, size_t size)
{
    struct big_stream *stream = context;
    const uint64_t most = 65521;
    if (stream->meanwhile && stream->offset == stream->at) {
        void (*meanwhile)(void *) = stream->meanwhile;
        stream->meanwhile = NULL;
        meanwhile(stream->context);
    }
    uint64_t left = stream->length - stream->offset;
    if (left == 0)
        return stream->breaks ? -1 : 0;
    if (stream->meanwhile && stream->at > stream->offset && stream->at - stream->offset < left)
        left = stream->at - stream->offset;
    uint64_t count = size < most ? size : most;
    if (count > left)
        count = left;
    big_bytes(ret, (size_t)count, stream->offset);
    stream->offset += count;
    return (int64_t)count;
}

os_body big_stream_body(struct big_stream *stream)
{
    os_body body = {.size = sizeof(body), .read = give, .read_context = stream};
    return body;
}

struct compare {
    uint64_t offset;
    bool same;
    unsigned char expected[256 << 10];
};

static int compare_piece(void *context, const void *data, size_t length)
{
    struct compare *compare = context;
    const char *next = data;
    while (length > 0) {
        size_t count = length < sizeof(compare->expected) ? length : sizeof(compare->expected);
        big_bytes(compare->expected, count, compare->offset);
        compare->same = compare->same && memcmp(compare->expected, next, count) == 0;
        compare->offset += count;
        next += count;
        length -= count;
    }
    return 0;
}

void check_big(os_client *client, const char *key, size_t length)
{
    struct compare *compare = calloc(1, sizeof(*compare));
    os_sink sink = OS_SINK_INIT;
    os_error error;
    assert_non_null(compare);
    compare->same = true;
    sink.write = compare_piece;
    sink.write_context = compare;
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(compare->offset, length);
    assert_true(compare->same);
    free(compare);
}

struct outcome put_absent(os_client *client, const char *key, const os_body *body, const os_call *call)
{
    struct outcome outcome = {.result = OS_RESULT_INIT};
    outcome.verdict = os_put_if_absent(client, key, body, NULL, call, &outcome.result, &outcome.error);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ uploads */

static void list_uploads(const struct fixture *f, const char *key, struct buf *ret)
{
    char path[256];
    buf_init(ret, 1 << 20);
    snprintf(path, sizeof(path), "/%s?prefix=%s&uploads=", f->bucket, key);
    assert_int_equal(raw_s3(getenv(f->backend->store_variable), "GET", path, NULL, ret), 200);
}

/* Of any key: two files each. */
static unsigned embedded_uploads(const struct fixture *f)
{
    char path[512];
    unsigned count = 0;
    struct dirent *entry;
    snprintf(path, sizeof(path), "%s/.oscommit/uploads", f->store_url + strlen("file://"));
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        count += strchr(entry->d_name, '.') == NULL;
    if (folder)
        closedir(folder);
    return count;
}

unsigned open_uploads(const struct fixture *f, const char *key)
{
    struct buf answer;
    unsigned count = 0;
    if (f->backend->store_variable == NULL)
        return embedded_uploads(f);
    list_uploads(f, key, &answer);
    for (const char *at = buf_str(&answer); (at = strstr(at, "<UploadId>")) != NULL; at++)
        count++;
    buf_free(&answer);
    return count;
}

void upload_of(const struct fixture *f, const char *key, char *ret)
{
    struct buf answer;
    list_uploads(f, key, &answer);
    const char *from = strstr(buf_str(&answer), "<UploadId>");
    assert_non_null(from);
    from += strlen("<UploadId>");
    const char *to = strchr(from, '<');
    assert_non_null(to);
    assert_in_range(to - from, 1, 1024);
    memcpy(ret, from, (size_t)(to - from));
    ret[to - from] = '\0';
    buf_free(&answer);
}

void abort_upload(const struct fixture *f, const char *key, const char *upload_id)
{
    char path[1500];
    snprintf(path, sizeof(path), "/%s/%s?uploadId=%s", f->bucket, key, upload_id);
    assert_int_equal(raw_s3(getenv(f->backend->store_variable), "DELETE", path, NULL, NULL), 204);
}

/* <name>...</name>, if it is there before `end`. */
static void add_element(const char *part, const char *end, const char *name, struct buf *ret)
{
    char tag[32];
    snprintf(tag, sizeof(tag), "<%s>", name);
    const char *from = strstr(part, tag);
    if (from == NULL || from > end)
        return;
    const char *to = strchr(from + 1, '<');
    assert_non_null(to);
    buf_add_f(ret, "%.*s</%s>", (int)(to - from), from, name);
}

void complete_upload(const struct fixture *f, const char *key, const char *upload_id)
{
    const char *endpoint = getenv(f->backend->store_variable);
    char path[1500];
    struct buf listed;
    struct buf request;
    buf_init(&listed, 1 << 20);
    buf_init(&request, 1 << 20);
    snprintf(path, sizeof(path), "/%s/%s?uploadId=%s", f->bucket, key, upload_id);
    assert_int_equal(raw_s3(endpoint, "GET", path, NULL, &listed), 200);
    buf_add_f(&request, "<CompleteMultipartUpload>");
    for (const char *part = buf_str(&listed); (part = strstr(part, "<Part>")) != NULL; part++) {
        const char *end = strstr(part, "</Part>");
        assert_non_null(end);
        buf_add_f(&request, "<Part>");
        add_element(part, end, "PartNumber", &request);
        add_element(part, end, "ETag", &request);
        add_element(part, end, "ChecksumCRC64NVME", &request);
        buf_add_f(&request, "</Part>");
    }
    buf_add_f(&request, "</CompleteMultipartUpload>");
    assert_int_equal(raw_s3(endpoint, "POST", path, buf_str(&request), NULL), 200);
    buf_free(&request);
    buf_free(&listed);
}
