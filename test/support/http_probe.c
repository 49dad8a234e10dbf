/* SPDX-License-Identifier: Apache-2.0 */
#include "support/http_probe.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ANSWER_MAX = 16 << 20, PATIENCE_MS = 120000, CONNECT_MS = 60000 };

uint64_t probe_now_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms;
}

struct http_engine *probe_engine(uint32_t max_connections, const char *ca_file)
{
    struct http_engine *engine = NULL;
    const struct http_engine_options options = {.ca_file = ca_file,
                                                .user_agent = "probe/1",
                                                .connect_timeout_ms = CONNECT_MS,
                                                .max_connections = max_connections};
    os_error err;
    if (http_engine_new(&options, &engine, &err) != OS_OK)
        fail_msg("%s", err.message);
    return engine;
}

static void on_done(void *context, const struct http_result *result)
{
    struct probe *probe = context;
    assert_false(probe->done);
    probe->done = true;
    probe->code = result->code;
    probe->sent = result->sent;
    probe->answered_in_part = result->answered_in_part;
    probe->status = result->response->status;
    probe->duration_us = result->duration_us;
    probe->sent_us = result->sent_us;
    probe->tail_kept = result->tail_kept;
    probe->acknowledged_bytes = result->acknowledged_bytes;
    probe->segment_bytes = result->segment_bytes;
    memcpy(probe->message, result->message, sizeof(probe->message));
    for (size_t i = 0; i < result->response->headers.count; i++) {
        const struct http_header *header = &result->response->headers.list[i];
        assert_true(http_headers_add(&probe->headers, header->name, header->value));
    }
    assert_true(buf_add(&probe->body, buf_str(&result->response->body), result->response->body.len));
    if (probe->after != NULL)
        probe->after(probe);
}

void probe_init(struct probe *probe, const char *method, const char *host, const char *path, const void *data,
                size_t length)
{
    *probe = (struct probe){.id = 0};
    http_request_init(&probe->request);
    probe->request.method = method;
    assert_true(http_request_set_origin(&probe->request, "http", host));
    assert_true(buf_add_str(&probe->request.path, path));
    if (data != NULL)
        probe->request.body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = data, .length = length};
    buf_init(&probe->body, ANSWER_MAX);
    probe->start = (struct http_start){.request = &probe->request,
                                       .deadline_monotonic_ms = probe_now_ms() + PATIENCE_MS,
                                       .body_max = ANSWER_MAX,
                                       .loopback = true,
                                       .done = on_done,
                                       .done_context = probe};
}

void probe_free(struct probe *probe)
{
    http_request_free(&probe->request);
    http_headers_free(&probe->headers);
    buf_free(&probe->body);
}

void probe_start(struct http_engine *engine, struct probe *probe)
{
    os_error err;
    if (http_engine_start(engine, &probe->start, &probe->id, &err) != OS_OK)
        fail_msg("%s", err.message);
}

void probe_wait(struct http_engine *engine, struct probe *probe)
{
    while (!probe->done)
        http_engine_poll(engine, PATIENCE_MS);
}

void http_probe_run(struct http_engine *engine, struct probe *probe)
{
    probe_start(engine, probe);
    probe_wait(engine, probe);
}

void probe_get(struct http_engine *engine, struct probe *probe, const char *host, const char *path)
{
    probe_init(probe, "GET", host, path, NULL, 0);
    http_probe_run(engine, probe);
}
