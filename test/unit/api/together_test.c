/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R3: a create whose HEAD and record go out together. The HEAD fails, the record is refused without saying whose it is,
 * and reading that fails as well. So both are due at the same moment: the step asks for both, and both are sent.
 */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define DATE "Date: Sat, 21 Nov 2026 18:00:00 GMT\r\nx-amz-request-id: A\r\n"

struct together {
    struct scratch scratch;
    struct http_server *store;
    struct http_server *ledger;
    atomic_uint heads;
    atomic_uint reads; /* of the record */
    atomic_bool released;
};

/* What stands there is seen by the second HEAD. */
static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    struct together *together = context;
    (void)scratch;
    if (strncmp(record->target, "/bucket/k", strlen("/bucket/k")) != 0)
        ret->answer = "HTTP/1.1 200 OK\r\n" DATE "Content-Length: 0\r\n\r\n";
    else if (atomic_fetch_add(&together->heads, 1) == 0)
        ret->answer = "HTTP/1.1 503 Service Unavailable\r\n" DATE "Content-Length: 0\r\n\r\n";
    else
        ret->answer = "HTTP/1.1 200 OK\r\n" DATE "ETag: \"there\"\r\nContent-Length: 0\r\n\r\n";
}

/* The first record is refused, the first reading of it fails, and the second shows another's. */
static void answer_ledger(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    static const char held[] = "{\"Item\":{\"path\":{\"S\":\"k\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"7\"},"
                               "\"timeout\":{\"N\":\"3600000\"},\"ttl\":{\"N\":\"1800000000\"}}}";
    static const char refused[] = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\"}";
    static const char failed[] = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\"}";
    struct together *together = context;
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    bool put = target && strstr(target, "PutItem");
    bool fails = !put && atomic_fetch_add(&together->reads, 1) == 0;
    const char *body = put ? refused : fails ? failed : held;
    const char *status = put ? "400 Bad Request" : fails ? "500 Internal Server Error" : "200 OK";
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body),
              body);
    *ret = (struct http_server_step){.hold = put, .answer = buf_str(scratch)};
}

/* On the client's own thread, which then lets the HEAD wait for its next try. */
static void release_the_record(void *context, const os_metric *metric)
{
    struct together *together = context;
    bool failed_head =
        metric->kind == OS_METRIC_REQUEST && strcmp(metric->operation, "HEAD") == 0 && metric->http_status == 503;
    if (failed_head && !atomic_exchange(&together->released, true))
        http_server_release(together->ledger, 1);
}

static void together_set_up(struct together *together)
{
    scratch_set_up(&together->scratch);
    together->store =
        http_server_start(&(struct http_server_options){.respond = answer_store, .respond_context = together});
    together->ledger =
        http_server_start(&(struct http_server_options){.respond = answer_ledger, .respond_context = together});
}

static void together_tear_down(struct together *together)
{
    http_server_stop(together->store);
    http_server_stop(together->ledger);
    scratch_tear_down(&together->scratch);
}

TEST_WITH(together, a_head_that_is_due_beside_the_record_is_sent)
{
    char ledger[64];
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    snprintf(ledger, sizeof(ledger), "http://%s", http_server_host(together->ledger));
    options.ledger_url = "dynamodb://table";
    options.dynamodb_endpoint = ledger;
    options.fences = OS_OFF;
    options.metric = release_the_record;
    options.metric_context = together;
    os_client *client = scratch_s3_client(&together->scratch, http_server_host(together->store), &options);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 5000; /* without the second HEAD it passes */
    os_verdict verdict = os_put_if_absent(client, "k", &body, NULL, &call, NULL, &error);
    os_client_close(client);
    if (verdict != OS_CONFLICT)
        fail_msg("%s: %s", os_verdict_name(verdict), error.message);
}
