/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the probe that are under way together: started on the loop, waited for on the calling thread. */
#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "probe/probe.h"

#include "store/answer.h"
#include <stdarg.h>
#include <stdio.h>

#include <string.h>

void probe_fail(struct probe *probe, os_code code, const char *format, ...)
{
    char message[sizeof(probe->err->message)];
    va_list args;
    if (probe->code != OS_OK)
        return;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    probe->code = error_set(probe->err, code, "%s", message);
}

struct probe_batch {
    struct sync sync;
    struct probe *probe;
    struct probe_ask *asks;
    size_t count;
    size_t under_way;
    bool starting;
    bool stopped; /* cancelled or closed: what is under way was given up */
    struct clock_reading sent;
    struct op op;
};

static void probe_batch_finish(struct probe_batch *batch)
{
    op_end(&batch->op);
    sync_finish(&batch->sync);
}

static void probe_batch_copy_header(const struct http_response *response, const char *name, char *ret, size_t ret_size)
{
    const char *value = response ? http_headers_get(&response->headers, name) : NULL;
    if (value)
        text_copy(text_from(value), ret, ret_size);
}

static void probe_batch_keep(struct probe_ask *ask, const struct store_answer *answer)
{
    struct probe *probe = ask->batch->probe;
    struct probe_answer *kept = &ask->answer;
    memset(kept, 0, sizeof(*kept));
    kept->code = answer->code;
    kept->sent = answer->sent;
    kept->complete = answer->complete;
    kept->result_document = answer->result_document;
    kept->status = answer->status;
    memcpy(kept->service_code, answer->service.code, sizeof(kept->service_code));
    kept->object = answer->object;
    kept->upload_id = answer->upload_id;
    kept->part = answer->part;
    kept->versioning = answer->versioning;
    kept->error = answer->error;
    /* What is refused, as with a wrong secret, has left nothing that would have to be removed. */
    bool is_refused = probe_explained(kept) && kept->status >= 400 && kept->status < 500;
    probe->may_have_written = probe->may_have_written || (kept->sent && !is_refused);
    probe_batch_copy_header(answer->response, "x-amz-meta-" PROBE_METADATA, kept->metadata, sizeof(kept->metadata));
    probe_batch_copy_header(answer->response, "server", probe->server, sizeof(probe->server));
    if (answer->complete && s3_status_is_definite(answer->status))
        probe->marked[answer->mark]++;
    /* What comes from in front of the store (5xx) says nothing of the store's own answers. */
    if (answer->complete && answer->status < 500)
        *(answer->has_date ? &probe->date.written : &probe->date.held) += 1;
}

static void probe_batch_done(void *context, const struct store_answer *answer)
{
    struct probe_ask *ask = context;
    struct probe_batch *batch = ask->batch;
    os_client *client = batch->probe->client;
    ask->op = NULL;
    probe_batch_keep(ask, answer);
    client_note_date(client, answer, &batch->sent);
    client_note_request(client, store_verb_name(ask->request.verb), ask->request.key ? ask->request.key : "",
                        &batch->sent, answer->status, answer->code);
    batch->under_way--;
    if (batch->under_way == 0 && !batch->starting)
        probe_batch_finish(batch);
}

static void probe_batch_interrupted(struct op *op, enum op_reason reason)
{
    struct probe_batch *batch = container_of(op, struct probe_batch, op);
    (void)reason; /* it has no deadline: its requests have */
    struct store *store = batch->probe->client->store;
    batch->stopped = true;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->asks[i].op) {
            batch->probe->may_have_written = true;
            store->vtable->cancel(store, batch->asks[i].op);
        }
        batch->asks[i].op = NULL;
    }
    probe_batch_finish(batch);
}

/* A body that is held back has its own time on top. */
static uint64_t deadline_of(const struct probe_batch *batch, const struct probe_ask *ask)
{
    const struct probe *probe = batch->probe;
    uint64_t from_ms = batch->sent.monotonic_ms;
    if (ask->request.body.held_until_monotonic_ms > from_ms)
        from_ms = ask->request.body.held_until_monotonic_ms;
    uint64_t until_ms = from_ms + probe->client->settings.request_timeout_ms;
    return until_ms < probe->deadline_ms ? until_ms : probe->deadline_ms;
}

static void send(struct probe_batch *batch, struct probe_ask *ask)
{
    struct store *store = batch->probe->client->store;
    os_error *err = &ask->answer.error;
    memset(&ask->answer, 0, sizeof(ask->answer));
    ask->batch = batch;
    ask->request.deadline_monotonic_ms = deadline_of(batch, ask);
    if (!ask->presigned) {
        ask->op = store->vtable->start(store, &ask->request, probe_batch_done, ask);
    } else {
        struct store_sending sending = {.deadline_monotonic_ms = ask->request.deadline_monotonic_ms};
        ask->answer.code = store->vtable->prepare(store, &ask->request, ask->sign_s, ask->length_s, &ask->attempt, err);
        if (ask->answer.code == OS_OK)
            ask->op = store->vtable->send(store, ask->attempt, &sending, probe_batch_done, ask);
    }
    if (ask->op)
        batch->under_way++;
    else if (ask->answer.code == OS_OK)
        ask->answer.code = error_no_memory(err);
}

static void probe_batch_attempt(struct op *op)
{
    struct probe_batch *batch = container_of(op, struct probe_batch, op);
    clock_read(&batch->sent);
    batch->starting = true;
    for (size_t i = 0; i < batch->count; i++)
        send(batch, &batch->asks[i]);
    batch->starting = false;
    if (batch->under_way == 0)
        probe_batch_finish(batch);
}

static void probe_batch_start(struct sync *sync)
{
    struct probe_batch *batch = container_of(sync, struct probe_batch, sync);
    struct probe *probe = batch->probe;
    const struct op_limits limits = {
        .loop = probe->client->loop,
        .cancel = probe->cleaning ? NULL : probe->call.cancel,
        .closing = probe->client->closing,
        .deadline_ms = OP_NO_DEADLINE,
    };
    if (op_begin(&batch->op, &limits, probe_batch_attempt, probe_batch_interrupted)) {
        probe_batch_attempt(&batch->op);
        return;
    }
    batch->stopped = true;
    probe_batch_finish(batch);
}

bool probe_run(struct probe *probe, struct probe_ask *asks, size_t count)
{
    if (probe->code == OS_OK && clock_left_ms(probe->deadline_ms) == 0)
        probe_fail(probe, OS_ERR_DEADLINE, "The deadline passed before the probe was complete. Give it more time.");
    if (probe->code != OS_OK)
        return false;
    struct probe_batch batch = {.sync = {.start = probe_batch_start}, .probe = probe, .asks = asks, .count = count};
    os_error err;
    os_code code = sync_run(probe->client, &batch.sync, &err);
    for (size_t i = 0; i < count; i++) {
        probe->client->store->vtable->attempt_free(probe->client->store, asks[i].attempt);
        asks[i].attempt = NULL;
    }
    if (code != OS_OK)
        probe_fail(probe, code, "%s", err.message);
    else if (batch.stopped)
        probe_fail(probe, OS_ERR_CANCELLED, "The probe was cancelled.");
    return probe->code == OS_OK;
}

bool probe_succeeded(const struct probe_answer *answer)
{
    return answer->complete && answer->code == OS_OK && answer->status >= 200 && answer->status < 300;
}

bool probe_explained(const struct probe_answer *answer)
{
    return answer->complete && answer->service_code[0] != '\0';
}
