/* SPDX-License-Identifier: Apache-2.0 */
/* Writes without a guard: what is said of one that was not answered, and that none is sent twice. */
#include "client/client.h"
#include "http/engine.h"
#include "support/clock_jump.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct plainly {
    struct http_server *server;
    os_client *client;
    os_error error;
    atomic_uint asked;
};

static void plainly_open(struct plainly *ret, const struct scratch *scratch)
{
    memset(ret, 0, sizeof(*ret));
    ret->server = http_server_start(NULL);
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), NULL);
}

static void plainly_close(struct plainly *plainly)
{
    os_client_close(plainly->client);
    http_server_stop(plainly->server);
}

static os_code put(struct plainly *plainly)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    return os_put(plainly->client, "key", &body, NULL, NULL, NULL, &plainly->error);
}

static os_code delete_it(struct plainly *plainly)
{
    return os_delete(plainly->client, "key", NULL, &plainly->error);
}

#define DATED "\r\nx-amz-request-id: 1\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: "
#define CUT   "HTTP/1.1 200 OK" DATED "100\r\n\r\nETag"

static void check_write(const struct scratch *scratch, os_code (*write)(struct plainly *))
{
    static const struct {
        const char *answer;
        os_code code;
        enum http_server_leave leave;
    } answers[] = {
        {NULL, OS_ERR_UNDECIDED, HTTP_SERVER_CLOSE},
        {"HTTP/1.1 500 Internal Server Error" DATED "0\r\n\r\n", OS_ERR_UNDECIDED, HTTP_SERVER_KEEP},
        {"HTTP/1.1 502 Bad Gateway" DATED "0\r\n\r\n", OS_ERR_UNDECIDED, HTTP_SERVER_KEEP},
        {"HTTP/1.1 503 Slow Down" DATED "0\r\n\r\n", OS_ERR_UNDECIDED, HTTP_SERVER_KEEP},
        {CUT, OS_ERR_UNDECIDED, HTTP_SERVER_CLOSE},
        {"HTTP/1.1 413 Content Too Large" DATED "0\r\n\r\n", OS_ERR_TOO_LARGE, HTTP_SERVER_KEEP},
        {"HTTP/1.1 200 OK" DATED "0\r\n\r\n", OS_OK, HTTP_SERVER_KEEP},
    };
    struct plainly plainly;
    plainly_open(&plainly, scratch);
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        size_t before = http_server_count(plainly.server);
        http_server_push(plainly.server,
                         &(struct http_server_step){.answer = answers[i].answer, .leave = answers[i].leave});
        CHECK_CODE(write(&plainly), answers[i].code, &plainly.error);
        assert_int_equal(http_server_count(plainly.server), before + 1);
        if (answers[i].code == OS_ERR_UNDECIDED)
            CHECK_SAYS(&plainly.error, "may have been applied");
    }
    plainly_close(&plainly);
}

TEST_WITH(scratch, R10_a_put_that_was_not_answered_is_undecided)
{
    check_write(scratch, put);
}

TEST_WITH(scratch, R10_a_deletion_that_was_not_answered_is_undecided)
{
    check_write(scratch, delete_it);
}

/* V2: a store that says 2xx has written it, however little of the rest can be used. */
TEST_WITH(scratch, a_put_whose_answer_cannot_be_used_is_undecided)
{
    struct plainly plainly;
    char answer[600];
    snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nETag: \"%0*d\"" DATED "0\r\n\r\n", 200, 7);
    plainly_open(&plainly, scratch);
    http_server_push(plainly.server, &(struct http_server_step){.answer = answer});
    CHECK_CODE(put(&plainly), OS_ERR_UNDECIDED, &plainly.error);
    assert_int_equal(http_server_count(plainly.server), 1);
    plainly_close(&plainly);
}

/* The last try is under way when the time ends: that it got no answer says less than what was answered before. */
TEST_WITH(scratch, a_read_that_its_deadline_ends_says_what_was_in_its_way)
{
    struct plainly plainly;
    os_call call = OS_CALL_INIT;
    os_sink sink = OS_SINK_INIT;
    void *data = NULL;
    sink.ret_data = &data;
    call.deadline_ms = 3000;
    plainly_open(&plainly, scratch);
    http_server_push(plainly.server,
                     &(struct http_server_step){.answer = "HTTP/1.1 500 Internal Server Error" DATED "0\r\n\r\n"});
    http_server_push(plainly.server, &(struct http_server_step){.hold = true, .leave = HTTP_SERVER_DRAIN});
    CHECK_CODE(os_get(plainly.client, "key", &sink, &call, NULL, &plainly.error), OS_ERR_DEADLINE, &plainly.error);
    CHECK_SAYS(&plainly.error, "its deadline passed");
    CHECK_SAYS(&plainly.error, "500");
    http_server_release(plainly.server, 1);
    plainly_close(&plainly);
}

/* The hour passes while the second try waits for the rest of its answer. */
static void let_the_hour_pass(void *context, const struct http_server_record *record, struct buf *scratch,
                              struct http_server_step *ret)
{
    struct plainly *plainly = context;
    (void)record, (void)scratch;
    if (atomic_fetch_add(&plainly->asked, 1) == 0) {
        ret->answer = "HTTP/1.1 500 Internal Server Error" DATED "0\r\n\r\n";
        return;
    }
    clock_jump(HOUR_MS);
    http_engine_wakeup(loop_http(plainly->client->loop));
    *ret = (struct http_server_step){.hold = true, .leave = HTTP_SERVER_DRAIN};
}

TEST_WITH(scratch, so_does_one_that_was_tried_for_long)
{
    struct plainly plainly = {.asked = 0};
    os_call call = OS_CALL_INIT;
    os_sink sink = OS_SINK_INIT;
    void *data = NULL;
    sink.ret_data = &data;
    call.deadline_ms = HOUR_MS;
    plainly.server =
        http_server_start(&(struct http_server_options){.respond = let_the_hour_pass, .respond_context = &plainly});
    plainly.client = scratch_s3_client(scratch, http_server_host(plainly.server), NULL);
    CHECK_CODE(os_get(plainly.client, "key", &sink, &call, NULL, &plainly.error), OS_ERR_DEADLINE, &plainly.error);
    CHECK_SAYS(&plainly.error, "its deadline passed");
    CHECK_SAYS(&plainly.error, "500");
    http_server_release(plainly.server, 1);
    plainly_close(&plainly);
}
