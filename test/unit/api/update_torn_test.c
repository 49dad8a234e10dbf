/* SPDX-License-Identifier: Apache-2.0 */
/* os_update on a store that may give the ETag of one version and the bytes of another. */
#include "base/clock.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MD5_OF_1 "\"c4ca4238a0b923820dcc509a6f75849b\""
#define MD5_OF_2 "\"c81e728d9d4c2f636f067f89cc14862c\""

/* An answer to a GET. */
struct got {
    const char *etag;
    const char *bytes;
};

struct torn {
    struct scratch scratch;
    struct http_server *server;
    os_client *client;
    const struct got *answers; /* the last one again and again */
    unsigned answer_count;
    atomic_uint gets;
    char seen[16];
    char etag[128];
    os_result result;
    os_error error;
};

static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct torn *torn = context;
    bool is_get = strcmp(record->method, "GET") == 0;
    unsigned number = is_get ? atomic_fetch_add(&torn->gets, 1) : 0;
    const struct got *got = &torn->answers[number < torn->answer_count ? number : torn->answer_count - 1];
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 200 OK\r\nETag: %s\r\nx-amz-request-id: 1\r\nContent-Length: %zu\r\n\r\n%s", got->etag,
              is_get ? strlen(got->bytes) : 0, is_get ? got->bytes : "");
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void torn_set_up(struct torn *torn)
{
    scratch_set_up(&torn->scratch);
    torn->result = (os_result)OS_RESULT_INIT;
    const struct http_server_options server = {.respond = respond, .respond_context = torn};
    torn->server = http_server_start(&server);
    torn->client = scratch_s3_client(&torn->scratch, http_server_host(torn->server), NULL);
}

static void torn_tear_down(struct torn *torn)
{
    os_result_clear(&torn->result);
    os_client_close(torn->client);
    http_server_stop(torn->server);
    scratch_tear_down(&torn->scratch);
}

/* Gives the same bytes back, so that nothing is written. */
static int look(void *context, const os_current *current, os_body *ret)
{
    struct torn *torn = context;
    snprintf(torn->seen, sizeof(torn->seen), "%s", (const char *)current->data);
    snprintf(torn->etag, sizeof(torn->etag), "%s", current->etag);
    ret->data = current->data;
    ret->length = current->length;
    return 0;
}

static void look_at(struct torn *torn, const struct got *answers, unsigned count)
{
    torn->answers = answers;
    torn->answer_count = count;
    os_verdict verdict = os_update(torn->client, "key", look, torn, NULL, NULL, &torn->result, &torn->error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s: %s", os_verdict_name(verdict), torn->error.message);
    assert_int_equal(torn->result.unchanged, 1);
    assert_int_equal(torn->result.requests, atomic_load(&torn->gets));
    assert_string_equal(torn->result.etag, torn->etag);
}

TEST_WITH(torn, an_etag_of_its_bytes_is_read_once)
{
    static const struct got answers[] = {{MD5_OF_1, "1"}};
    look_at(torn, answers, 1);
    assert_int_equal(atomic_load(&torn->gets), 1);
}

TEST_WITH(torn, an_etag_of_other_bytes_is_read_again)
{
    static const struct got answers[] = {{MD5_OF_2, "1"}, {MD5_OF_2, "1"}, {MD5_OF_2, "2"}};
    look_at(torn, answers, 3);
    assert_int_equal(atomic_load(&torn->gets), 3);
    assert_string_equal(torn->seen, "2");
    assert_string_equal(torn->etag, MD5_OF_2);
}

TEST_WITH(torn, only_the_same_three_times_in_a_row_is_no_md5)
{
    static const struct got answers[] = {{MD5_OF_2, "1"}, {MD5_OF_1, "2"}, {MD5_OF_2, "1"},
                                         {MD5_OF_2, "1"}, {MD5_OF_2, "1"}, {MD5_OF_2, "2"}};
    look_at(torn, answers, 6);
    assert_int_equal(atomic_load(&torn->gets), 5);
    assert_string_equal(torn->seen, "1");
}

TEST_WITH(torn, an_etag_that_is_no_md5_is_read_once)
{
    static const struct got answers[] = {{"\"c4ca4238a0b923820dcc509a6f75849b-2\"", "1"}};
    look_at(torn, answers, 1);
    assert_int_equal(atomic_load(&torn->gets), 1);
}
