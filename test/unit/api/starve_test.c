/* SPDX-License-Identifier: Apache-2.0 */
/* Slow downloads over S3 do not keep a guarded write from being prompt. The embedded store: starve_local_test.c. */
#include "support/event.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DOWNLOADS = 64,
    WRITES = 5,
    PROMPT_MS = 40000, /* without room they would wait until their deadline, or for the downloads, which takes longer */
    DEADLINE_MS = 60000,
    OBJECT_BYTES = 256 << 10
};

struct downloads {
    os_client *client;
    os_cancel *cancel;
    os_sink_fn write; /* NULL: into memory */
    struct event begun;
    atomic_uint ended;
    pthread_t threads[DOWNLOADS];
};

static void *download(void *argument)
{
    struct downloads *downloads = argument;
    os_sink sink = OS_SINK_INIT;
    os_call call = OS_CALL_INIT;
    void *data = NULL;
    os_error error;
    call.cancel = downloads->cancel;
    call.deadline_ms = 10 * DEADLINE_MS;
    sink.write = downloads->write;
    sink.write_context = downloads;
    if (downloads->write == NULL)
        sink.ret_data = &data;
    (void)os_get(downloads->client, "large", &sink, &call, NULL, &error);
    os_free(data);
    atomic_fetch_add(&downloads->ended, 1);
    return NULL;
}

static void start_downloads(struct downloads *downloads)
{
    assert_int_equal(os_cancel_new(&downloads->cancel), OS_OK);
    for (size_t i = 0; i < DOWNLOADS; i++)
        assert_int_equal(pthread_create(&downloads->threads[i], NULL, download, downloads), 0);
}

static void end_downloads(struct downloads *downloads)
{
    os_cancel_trigger(downloads->cancel);
    for (size_t i = 0; i < DOWNLOADS; i++)
        pthread_join(downloads->threads[i], NULL);
    os_cancel_free(downloads->cancel);
}

static void check_writes_are_prompt(struct downloads *downloads)
{
    os_call call = OS_CALL_INIT;
    os_error error;
    call.deadline_ms = DEADLINE_MS;
    for (int i = 0; i < WRITES; i++) {
        char key[32];
        os_body body = OS_BODY_MEMORY("new", 3);
        snprintf(key, sizeof(key), "absent-%d", i);
        uint64_t start_ms = now_ms();
        os_verdict verdict = os_put_if_absent(downloads->client, key, &body, NULL, &call, NULL, &error);
        if (verdict != OS_COMMITTED)
            fail_msg("write %d: %s: %s", i, os_verdict_name(verdict), error.message);
        assert_in_range(now_ms() - start_ms, 0, PROMPT_MS);
    }
    assert_int_equal(atomic_load(&downloads->ended), 0);
}

/* ------------------------------------------------------------------------------------------------------ over S3 */

/* Objects come by a few bytes at a time; everything else at once. */
static void answer(void *context, const struct http_server_record *record, struct buf *scratch,
                   struct http_server_step *ret)
{
    struct downloads *downloads = context;
    bool is_get = strcmp(record->method, "GET") == 0;
    bool absent = strcmp(record->method, "HEAD") == 0 && strstr(record->target, "absent") != NULL;
    buf_reset(scratch);
    buf_add_f(scratch,
              "HTTP/1.1 %s\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nETag: \"9dd4e461268c8034f5c8564e155c67a6\"\r\n"
              "x-amz-request-id: 1\r\nContent-Length: %d\r\n\r\n",
              absent ? "404 Not Found" : "200 OK", is_get ? OBJECT_BYTES : 0);
    *ret = (struct http_server_step){.answer_length = scratch->len};
    if (is_get) {
        for (int i = 0; i < OBJECT_BYTES; i++)
            buf_add_char(scratch, 'x');
        *ret = (struct http_server_step){.answer_length = scratch->len, .drip_bytes = 64, .drip_ms = 100};
        event_set(&downloads->begun);
    }
    assert_true(buf_ok(scratch));
    ret->answer = scratch->data;
}

TEST_WITH(scratch, slow_downloads_over_s3_leave_room_for_guarded_writes)
{
    struct downloads downloads = {.begun = EVENT_INIT};
    struct http_server_options store = {.respond = answer, .respond_context = &downloads};
    struct http_server *server = http_server_start(&store);
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_OFF;
    downloads.client = scratch_s3_client(scratch, http_server_host(server), &options);
    start_downloads(&downloads);
    assert_true(event_reaches(&downloads.begun, DOWNLOADS * 7 / 8)); /* as many as there is room for */
    check_writes_are_prompt(&downloads);
    end_downloads(&downloads);
    os_client_close(downloads.client);
    http_server_stop(server);
}
