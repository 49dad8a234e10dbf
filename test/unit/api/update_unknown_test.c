/* SPDX-License-Identifier: Apache-2.0 */
/* os_update on a store that takes writes and does not say what became of them. */
#include "base/clock.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct silent {
    struct scratch scratch;
    struct http_server *server;
    os_client *client;
    struct clock_reading begun;
    atomic_uint puts;
    atomic_bool refuses_heads; /* after the first PUT */
    int runs;
    os_result result;
    os_error error;
};

/* S3 time: starts at 10:00:00 and goes at the rate of ours. */
static void respond(void *context, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct silent *silent = context;
    struct clock_reading now;
    clock_read(&now);
    unsigned second = (unsigned)(clock_elapsed_max(&silent->begun, &now) / 1000);
    bool is_put = strcmp(record->method, "PUT") == 0;
    if (is_put)
        atomic_fetch_add(&silent->puts, 1);
    const char *status = "200 OK\r\nETag: \"3416a75f4cea9109507cacd8e2f2aefc\"";
    const char *body = strcmp(record->method, "GET") == 0 ? "41" : "";
    if (is_put || atomic_load(&silent->puts) > 0)
        status = is_put ? "500 Internal Server Error" : "403 Forbidden";
    buf_reset(scratch);
    buf_add_f(scratch,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:%02u GMT\r\nx-amz-request-id: 1\r\nContent-Length: "
              "%zu\r\n\r\n%s",
              status, second, strlen(body), body);
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
}

static void silent_set_up(struct silent *silent)
{
    scratch_set_up(&silent->scratch);
    clock_read(&silent->begun);
    silent->result = (os_result)OS_RESULT_INIT;
    const struct http_server_options server = {.respond = respond, .respond_context = silent};
    silent->server = http_server_start(&server);
    silent->client = scratch_s3_client(&silent->scratch, http_server_host(silent->server), NULL);
}

static void silent_tear_down(struct silent *silent)
{
    os_result_clear(&silent->result);
    os_client_close(silent->client);
    http_server_stop(silent->server);
    scratch_tear_down(&silent->scratch);
}

static int increment(void *context, const os_current *current, os_body *ret)
{
    struct silent *silent = context;
    silent->runs++;
    assert_string_equal(current->data, "41");
    ret->data = "42";
    ret->length = 2;
    return 0;
}

TEST_WITH(silent, an_unknown_ends_it_with_its_ticket)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 4000;
    os_verdict verdict =
        os_update(silent->client, "key", increment, silent, NULL, &call, &silent->result, &silent->error);
    if (verdict != OS_UNKNOWN)
        fail_msg("%s: %s", os_verdict_name(verdict), silent->error.message);
    assert_int_equal(silent->error.code, OS_ERR_UNDECIDED);
    assert_int_equal(silent->runs, 1);
    assert_int_equal(atomic_load(&silent->puts), 1);
    assert_non_null(silent->result.ticket);
    assert_int_equal(silent->result.final, 0);
    assert_int_equal(silent->result.unchanged, 0);
}

TEST_WITH(silent, its_ticket_is_freed_where_nobody_takes_it)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 4000;
    assert_int_equal(os_update(silent->client, "key", increment, silent, NULL, &call, NULL, NULL), OS_UNKNOWN);
}
