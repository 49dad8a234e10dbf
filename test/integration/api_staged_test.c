/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that go in parts before they are guarded (R14, R15): from memory, files and streams; what is left behind. */
#include "support/raw_service.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

/* ------------------------------------------------------------------------------------------------ bytes */

/* No two pieces of a few bytes are alike, so that parts in the wrong order or at the wrong place are seen. */
static void make_bytes(unsigned char *ret, size_t length, uint64_t offset)
{
    for (size_t i = 0; i < length; i++) {
        uint64_t at = offset + i;
        ret[i] = (unsigned char)((at * 2654435761U) >> 13) ^ (unsigned char)(at >> 20);
    }
}

static void *new_bytes(size_t length)
{
    unsigned char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    make_bytes(bytes, length, 0);
    return bytes;
}

struct compare {
    uint64_t offset;
    bool same;
};

static int compare_piece(void *context, const void *data, size_t length)
{
    struct compare *compare = context;
    unsigned char *expected = malloc(length + 1);
    if (expected == NULL)
        return 1;
    make_bytes(expected, length, compare->offset);
    compare->same = compare->same && memcmp(expected, data, length) == 0;
    compare->offset += length;
    free(expected);
    return 0;
}

static void check_bytes(os_client *client, const char *key, size_t length)
{
    struct compare compare = {.same = true};
    os_sink sink = OS_SINK_INIT;
    os_error error;
    sink.write = compare_piece;
    sink.write_context = &compare;
    CHECK_CODE(os_get(client, key, &sink, NULL, NULL, &error), OS_OK, &error);
    assert_int_equal(compare.offset, length);
    assert_true(compare.same);
}

/* ------------------------------------------------------------------------------------------------ uploads */

/* How many uploads of the key are open. */
static unsigned open_uploads(const struct fixture *f, const char *key)
{
    char path[256];
    struct buf answer;
    unsigned count = 0;
    buf_init(&answer, 1 << 20);
    snprintf(path, sizeof(path), "/%s?prefix=%s&uploads=", f->bucket, key);
    assert_int_equal(raw_s3(getenv(f->backend->store_variable), "GET", path, NULL, &answer), 200);
    for (const char *at = buf_str(&answer); (at = strstr(at, "<UploadId>")) != NULL; at++)
        count++;
    buf_free(&answer);
    return count;
}

static os_options small_parts(const struct fixture *f)
{
    os_options options = fixture_options(f);
    options.part_size = 5 * MIB;
    options.release = OS_RELEASE_ALWAYS;
    return options;
}

static struct outcome put_absent(os_client *client, const char *key, const os_body *body, const os_call *call)
{
    struct outcome outcome = {.result = OS_RESULT_INIT};
    outcome.verdict = os_put_if_absent(client, key, body, NULL, call, &outcome.result, &outcome.error);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ tests */

static void a_large_body_is_created_and_replaced_in_parts(void **state)
{
    struct fixture *f = *state;
    os_options options = small_parts(f);
    os_client *client = fixture_client(&options);
    size_t length = 20 * MIB + 1;
    void *bytes = new_bytes(length);
    char key[64];
    fixture_key(f, "staged", key, sizeof(key));
    os_body body = OS_BODY_MEMORY(bytes, length);
    struct outcome made = put_absent(client, key, &body, NULL);
    CHECK_VERDICT(made, OS_COMMITTED);
    assert_string_equal(made.result.rule, "R9");
    check_bytes(client, key, length);
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.etag, made.result.etag);
    assert_int_equal(strlen(object.nonce), 32);

    struct outcome lost = put_absent(client, key, &body, NULL);
    CHECK_VERDICT(lost, OS_CONFLICT);
    assert_string_equal(lost.result.found_etag, made.result.etag);
    assert_int_equal(lost.result.attempts, 0);

    body.length = 12 * MIB;
    struct outcome replaced = {.result = OS_RESULT_INIT};
    replaced.verdict =
        os_put_if_match(client, key, made.result.etag, &body, NULL, NULL, &replaced.result, &replaced.error);
    CHECK_VERDICT(replaced, OS_COMMITTED);
    check_bytes(client, key, 12 * MIB);
    assert_int_equal(open_uploads(f, key), 0);
    outcome_clear(&made);
    outcome_clear(&lost);
    outcome_clear(&replaced);
    free(bytes);
    os_client_close(client);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {SUITE_TEST(a_large_body_is_created_and_replaced_in_parts, 0), {0}};
    static const struct suite suite = {.name = "staged uploads", .tests = tests, .needs = BACKEND_S3 | BACKEND_V4};
    return suite_main(&suite, argc, argv);
}
