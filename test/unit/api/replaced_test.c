/* SPDX-License-Identifier: Apache-2.0 */
/* G3.5: a guarded write names the nonce of the version that it replaces. N4.1: and of a forward-only key, what led there. */
#include "s3/history.h"
#include "s3/request.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

#define NONCE  "0123456789abcdef0123456789abcdef"
#define OTHERS "fedcba9876543210fedcba9876543210"
#define ETAG   "\"9dd4e461268c8034f5c8564e155c67a6\""

/* A store with one version at each key but those that are absent, and its metadata. */
struct shown {
    const char *headers;
};

static bool is_expired_probe(const struct http_server_record *record)
{
    return strcmp(record->method, "HEAD") == 0 && strstr(record->target, "X-Amz-Date=") != NULL &&
           strstr(record->target, "X-Amz-Date=20261121T100000Z") == NULL;
}

static void show(void *context, const struct http_server_record *record, struct buf *scratch,
                 struct http_server_step *ret)
{
    const struct shown *shown = context;
    static const char document[] = "<CopyObjectResult><ETag>" ETAG "</ETag></CopyObjectResult>";
    bool write = strcmp(record->method, "PUT") == 0;
    bool absent = !write && strstr(record->target, "absent") != NULL;
    const char *status = is_expired_probe(record) ? "403 Forbidden" : absent ? "404 Not Found" : "200 OK";
    const char *body = write && http_headers_get(&record->headers, "x-amz-copy-source") ? document : "";
    buf_reset(scratch);
    buf_add_f(scratch,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\nContent-Length: %zu\r\n"
              "ETag: " ETAG "\r\n%s\r\n%s",
              status, strlen(body), write || absent ? "" : shown->headers, body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

struct writing {
    struct shown shown;
    struct http_server *server;
    os_client *client;
    char key[16]; /* of its own, as the records stay: of no write is known that it was applied */
};

static void writing_open(struct writing *ret, const struct scratch *scratch, const char *headers)
{
    static unsigned keys;
    snprintf(ret->key, sizeof(ret->key), "there-%u", keys++);
    ret->shown.headers = headers;
    struct http_server_options options = {.respond = show, .respond_context = &ret->shown};
    ret->server = http_server_start(&options);
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), NULL);
}

static void writing_close(struct writing *writing)
{
    os_client_close(writing->client);
    http_server_stop(writing->server);
}

/* Of the last write; "" for none. */
static const char *sent(const struct writing *writing, const char *header)
{
    const char *value = NULL;
    for (size_t i = 0; i < http_server_count(writing->server); i++) {
        const struct http_server_record *record = http_server_record(writing->server, i);
        if (strcmp(record->method, "PUT") == 0)
            value = http_headers_get(&record->headers, header);
    }
    return value ? value : "";
}

static void replace_with(const struct writing *writing, const os_metadata *metadata, size_t count)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_error error = {0};
    options.metadata = metadata;
    options.metadata_count = count;
    if (os_put_if_match(writing->client, writing->key, ETAG, &body, &options, NULL, NULL, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
}

static void copy_over(const struct writing *writing)
{
    os_error error = {0};
    if (os_copy_if_match(writing->client, "source", writing->key, ETAG, NULL, NULL, NULL, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
}

TEST_WITH(scratch, a_replacement_names_what_it_replaces)
{
    struct writing writing;
    writing_open(&writing, scratch, S3_NONCE_HEADER ": " NONCE "\r\n" S3_REPLACED_HEADER ": " OTHERS "\r\n");
    replace_with(&writing, NULL, 0);
    assert_string_equal(sent(&writing, S3_REPLACED_HEADER), NONCE);
    assert_int_equal(strlen(sent(&writing, S3_NONCE_HEADER)), strlen(NONCE));
    assert_string_not_equal(sent(&writing, S3_NONCE_HEADER), NONCE);
    writing_close(&writing);
}

/* The source shows the same nonces: none of them goes along but as the one that is replaced. */
TEST_WITH(scratch, a_copy_names_what_it_replaces_and_not_what_its_source_did)
{
    struct writing writing;
    writing_open(&writing, scratch,
                 "x-amz-meta-colour: red\r\n" S3_NONCE_HEADER ": " NONCE "\r\n" S3_REPLACED_HEADER ": " OTHERS "\r\n");
    copy_over(&writing);
    assert_string_equal(sent(&writing, "x-amz-meta-colour"), "red");
    assert_string_equal(sent(&writing, S3_REPLACED_HEADER), NONCE);
    assert_string_not_equal(sent(&writing, S3_NONCE_HEADER), NONCE);
    writing_close(&writing);
}

TEST_WITH(scratch, what_is_not_known_is_not_named)
{
    static const char *const without[] = {"", S3_NONCE_HEADER ": 0123\r\n",
                                          S3_NONCE_HEADER ": " NONCE "0\r\n" S3_REPLACED_HEADER ": " OTHERS "\r\n"};
    for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
        struct writing writing;
        writing_open(&writing, scratch, without[i]);
        replace_with(&writing, NULL, 0);
        assert_string_equal(sent(&writing, S3_REPLACED_HEADER), "");
        writing_close(&writing);
    }
}

TEST_WITH(scratch, a_create_replaces_nothing)
{
    struct writing writing;
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error = {0};
    writing_open(&writing, scratch, "");
    if (os_put_if_absent(writing.client, "absent", &body, NULL, NULL, NULL, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
    assert_int_equal(strlen(sent(&writing, S3_NONCE_HEADER)), strlen(NONCE));
    assert_string_equal(sent(&writing, S3_REPLACED_HEADER), "");
    writing_close(&writing);
}

/* So many bytes of metadata, in one entry, and what of the guard's entries goes along. */
static const struct {
    size_t bytes;
    bool has_nonce;
    bool has_replaced;
} rooms[] = {
    {S3_METADATA_MAX - sizeof(S3_NONCE_METADATA S3_REPLACED_METADATA NONCE NONCE) + 1, true, true},
    {S3_METADATA_MAX - sizeof(S3_NONCE_METADATA S3_REPLACED_METADATA NONCE NONCE) + 2, true, false},
    {S3_METADATA_MAX - sizeof(S3_NONCE_METADATA NONCE) + 1, true, false},
    {S3_METADATA_MAX - sizeof(S3_NONCE_METADATA NONCE) + 2, false, false}, /* of a copy alone */
};
enum { ROOMS = sizeof(rooms) / sizeof(rooms[0]) };

static void check_sent(const struct writing *writing, size_t i)
{
    assert_string_equal(sent(writing, S3_REPLACED_HEADER), rooms[i].has_replaced ? NONCE : "");
    assert_int_equal(strlen(sent(writing, S3_NONCE_HEADER)), rooms[i].has_nonce ? strlen(NONCE) : 0);
}

TEST_WITH(scratch, a_put_without_room_for_both_has_the_nonce_alone)
{
    for (size_t i = 0; i < ROOMS - 1; i++) {
        struct writing writing;
        char value[S3_METADATA_MAX] = "";
        const os_metadata entry = {"m", value};
        memset(value, 'v', rooms[i].bytes - 1);
        writing_open(&writing, scratch, S3_NONCE_HEADER ": " NONCE "\r\n");
        replace_with(&writing, &entry, 1);
        check_sent(&writing, i);
        writing_close(&writing);
    }
}

TEST_WITH(scratch, a_copy_without_room_for_both_has_the_nonce_alone)
{
    for (size_t i = 0; i < ROOMS; i++) {
        struct writing writing;
        char headers[2 * S3_METADATA_MAX];
        char value[S3_METADATA_MAX] = "";
        memset(value, 'v', rooms[i].bytes - 1);
        snprintf(headers, sizeof(headers), "x-amz-meta-m: %s\r\n" S3_NONCE_HEADER ": " NONCE "\r\n", value);
        writing_open(&writing, scratch, headers);
        copy_over(&writing);
        check_sent(&writing, i);
        writing_close(&writing);
    }
}

/* ------------------------------------------------------------------------------------------------ N4.1 */

static void replace_forward(const struct writing *writing, const os_metadata *metadata, size_t count)
{
    os_body body = OS_BODY_MEMORY("y", 1);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_error error = {0};
    options.metadata = metadata;
    options.metadata_count = count;
    call.forward_only = OS_ON;
    if (os_put_if_match(writing->client, writing->key, ETAG, &body, &options, &call, NULL, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
}

/* The header of an object at `key` with one pair, which is of this bucket and key only where `here`. */
static void history_of(const char *key, bool here, char *ret, size_t ret_size)
{
    char place[S3_HISTORY_HASH_SIZE];
    char hash[S3_HISTORY_HASH_SIZE];
    char value[S3_HISTORY_SIZE];
    assert_true(s3_history_place("bucket", here ? key : "elsewhere", place));
    assert_true(s3_history_hash("*", hash));
    s3_history_write(place, OTHERS, hash, NULL, value);
    snprintf(ret, ret_size, S3_NONCE_HEADER ": " OTHERS "\r\n" S3_HISTORY_HEADER ": %s\r\n", value);
}

static void expect_history(const struct writing *writing, const char *base, char ret[S3_HISTORY_SIZE])
{
    char place[S3_HISTORY_HASH_SIZE];
    char hash[S3_HISTORY_HASH_SIZE];
    assert_true(s3_history_place("bucket", writing->key, place));
    assert_true(s3_history_hash(ETAG, hash));
    s3_history_write(place, sent(writing, S3_NONCE_HEADER), hash, base, ret);
}

TEST_WITH(scratch, a_forward_only_write_carries_its_pair_and_those_of_its_base)
{
    for (int here = 0; here < 2; here++) {
        struct writing writing;
        char headers[1024];
        char wanted[S3_HISTORY_SIZE];
        writing_open(&writing, scratch, headers);
        history_of(writing.key, here, headers, sizeof(headers));
        replace_forward(&writing, NULL, 0);
        const char *base = strstr(headers, S3_HISTORY_HEADER) + strlen(S3_HISTORY_HEADER ": ");
        headers[strlen(headers) - 2] = '\0';
        expect_history(&writing, here ? base : NULL, wanted);
        assert_string_equal(sent(&writing, S3_HISTORY_HEADER), wanted);
        writing_close(&writing);
    }
}

TEST_WITH(scratch, without_the_promise_no_pair_goes_along)
{
    struct writing writing;
    writing_open(&writing, scratch, S3_NONCE_HEADER ": " NONCE "\r\n");
    replace_with(&writing, NULL, 0);
    assert_string_equal(sent(&writing, S3_HISTORY_HEADER), "");
    writing_close(&writing);
}

/* The own pair before those of others; neither, before the nonces. */
TEST_WITH(scratch, pairs_without_room_are_left_out)
{
    static const size_t lengths[] = {0, 16 + 50, 0};
    const size_t most = S3_METADATA_MAX - strlen(S3_NONCE_METADATA S3_REPLACED_METADATA NONCE NONCE) - 1;
    for (size_t i = 1; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct writing writing;
        char headers[1024];
        char value[S3_METADATA_MAX] = "";
        const os_metadata entry = {"m", value};
        size_t room = i == 1 ? strlen(S3_HISTORY_METADATA) + lengths[1] : 0;
        memset(value, 'v', most - room);
        writing_open(&writing, scratch, headers);
        history_of(writing.key, true, headers, sizeof(headers));
        replace_forward(&writing, &entry, 1);
        assert_int_equal(strlen(sent(&writing, S3_HISTORY_HEADER)), lengths[i]);
        assert_string_equal(sent(&writing, S3_REPLACED_HEADER), OTHERS);
        writing_close(&writing);
    }
}
