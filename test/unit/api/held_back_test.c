/* SPDX-License-Identifier: Apache-2.0 */
/* R6.5: the end of a guarded write's body leaves last and by itself, on a connection that the test watches. */
#include "oscommit_async.h"
#include "support/http_server.h"
#include "support/socket_watch.h"
#include "unit/api/client_scratch.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_OF(status) "HTTP/1.1 " status "\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n"
#define ETAG            "ETag: \"9dd4e461268c8034f5c8564e155c67a6\"\r\n"
#define NOTHING_MORE    "Content-Length: 0\r\n\r\n"

enum { BODY_BYTES = 100000, TAIL_BYTES = 512 };

static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    (void)context;
    (void)scratch;
    bool put = strcmp(record->method, "PUT") == 0;
    bool object = strstr(record->target, "/key") != NULL;
    if (put)
        *ret = (struct http_server_step){.answer = HEAD_OF("200 OK") ETAG NOTHING_MORE};
    else
        *ret = (struct http_server_step){.answer = object ? HEAD_OF("404 Not Found") NOTHING_MORE
                                                          : HEAD_OF("200 OK") NOTHING_MORE};
}

static void on_complete(void *context, os_operation *operation)
{
    *(os_operation **)context = operation;
}

/* On this thread, whose sends are watched. */
static os_verdict create(os_client *client, const char *data)
{
    os_operation *operation = NULL;
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY(data, BODY_BYTES);
    os_error error;
    start.complete = on_complete;
    start.context = &operation;
    CHECK_CODE(os_start_put_if_absent(client, "key", &body, NULL, &start, NULL, &error), OS_OK, &error);
    struct pollfd watched = {.fd = os_client_fd(client), .events = POLLIN};
    while (operation == NULL) {
        int64_t timeout_ms = os_client_timeout_ms(client);
        assert_true(poll(&watched, 1, timeout_ms < 60000 ? (int)timeout_ms : 60000) >= 0);
        CHECK_CODE(os_client_step(client, &error), OS_OK, &error);
    }
    os_verdict verdict = os_operation_verdict(operation);
    if (verdict != OS_COMMITTED)
        fail_msg("%s", os_operation_error(operation)->message);
    os_operation_free(operation);
    return verdict;
}

TEST_WITH(scratch, the_end_of_a_guarded_body_leaves_by_itself)
{
    struct http_server *server = http_server_start(&(struct http_server_options){.respond = answer_store});
    os_options options = OS_OPTIONS_INIT;
    options.foreign_loop = 1;
    options.stage_above = BODY_BYTES; /* one request */
    options.fences = OS_OFF;          /* nothing else is asked of the store */
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &options);
    char *data = calloc(1, BODY_BYTES);
    assert_non_null(data);
    socket_watch_begin();
    assert_int_equal(create(client, data), OS_COMMITTED);
    socket_watch_end();
    assert_in_range(socket_watch_sent_bytes(), BODY_BYTES, BODY_BYTES + 10000);
    assert_int_equal(socket_watch_last_send(), TAIL_BYTES);
    free(data);
    os_client_close(client);
    http_server_stop(server);
}
