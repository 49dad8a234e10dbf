/* SPDX-License-Identifier: Apache-2.0 */
/* F6: the fence counts on the allowance, so an answer that takes longer does not go unnoticed. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

enum { WORK_S = 1, LONG_S = 60, DRIP_MS = 300, DRIPS = 6 };

struct lines {
    char warning[512]; /* the last */
    unsigned count;
};

/* The answer to a PUT comes in pieces; `context`: whether the first waits, so that all take longer than a second. */
static void answer_slowly(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    const bool *slow = context;
    bool put = strcmp(record->method, "PUT") == 0;
    bool there = put || strstr(record->target, "absent") == NULL;
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: 1\r\n",
              there ? "200 OK" : "404 Not Found");
    buf_add_str(scratch, put ? "ETag: \"9dd4e461268c8034f5c8564e155c67a6\"\r\n" : "");
    buf_add_str(scratch, "Content-Length: 0\r\n\r\n");
    assert_true(buf_ok(scratch));
    *ret = (struct http_server_step){.answer = scratch->data, .answer_length = scratch->len};
    if (put && *slow) {
        ret->drip_bytes = scratch->len / DRIPS + 1;
        ret->drip_ms = DRIP_MS;
    }
}

static void keep_warning(void *context, os_log_level level, const char *line)
{
    struct lines *lines = context;
    if (level != OS_LOG_WARN || strstr(line, "allowance_s") == NULL)
        return;
    lines->count++;
    snprintf(lines->warning, sizeof(lines->warning), "%s", line);
}

static struct lines warnings_of(const struct scratch *scratch, bool slow)
{
    struct lines lines = {.count = 0};
    struct http_server_options store = {.respond = answer_slowly, .respond_context = &slow};
    struct http_server *server = http_server_start(&store);
    os_options options = OS_OPTIONS_INIT;
    options.allowance_s = slow ? WORK_S : LONG_S;
    options.fences = OS_ON;
    options.log = keep_warning;
    options.log_context = &lines;
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &options);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_error error = {0};
    os_verdict verdict = os_put_if_absent(client, slow ? "absent-slow" : "absent", &body, NULL, NULL, NULL, &error);
    if (verdict != OS_COMMITTED)
        fail_msg("%s", error.message);
    os_client_close(client);
    http_server_stop(server);
    return lines;
}

TEST_WITH(scratch, an_answer_that_takes_longer_than_its_allowance_is_a_warning)
{
    struct lines lines = warnings_of(scratch, true);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.warning, "absent-slow"));
    assert_non_null(strstr(lines.warning, "1000 ms"));
    assert_non_null(strstr(lines.warning, "set allowance_s above 1"));
}

TEST_WITH(scratch, one_that_takes_less_is_none)
{
    assert_int_equal(warnings_of(scratch, false).count, 0);
}
