/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/store/store_call.h"

#include "base/clock.h"
#include "credentials/credentials.h"
#include "support/raw_service.h"

#include <stdio.h>

enum { LENGTH_S = 60, PATIENCE_MS = 60000 };

struct call {
    struct on_store *on;
    const struct store_request *request;
    bool guarded;
    struct store_sending sending; /* of a guarded one */
    struct http_delivery delivery;
    struct store_attempt *attempt;
    struct store_answer answer;
    struct event done;
};

static void note_answer(void *context, const struct store_answer *answer)
{
    struct call *call = context;
    call->answer = *answer;
    call->answer.response = NULL;
    event_set(&call->done);
}

static os_code prepare(struct call *call, os_error *err)
{
    struct store *store = call->on->store;
    struct clock_reading now;
    clock_read(&now);
    return store->vtable->prepare(store, call->request, now.realtime_ms / 1000, LENGTH_S, &call->attempt, err);
}

static void start_guarded(struct call *call)
{
    struct store *store = call->on->store;
    os_error err;
    os_code code = prepare(call, &err);
    struct store_op *op = NULL;
    call->sending.deadline_monotonic_ms = call->request->deadline_monotonic_ms;
    if (code == OS_OK)
        op = store->vtable->send(store, call->attempt, &call->sending, note_answer, call);
    if (op == NULL)
        note_answer(call, &(struct store_answer){.code = code == OS_OK ? OS_ERR_NO_MEMORY : code, .error = err});
}

static void start(void *context)
{
    struct call *call = context;
    struct store *store = call->on->store;
    if (call->guarded)
        start_guarded(call);
    else if (store->vtable->start(store, call->request, note_answer, call) == NULL)
        note_answer(call, &(struct store_answer){.code = OS_ERR_NO_MEMORY});
}

static void free_attempt(void *context)
{
    struct call *call = context;
    call->on->store->vtable->attempt_free(call->on->store, call->attempt);
}

static void look_at_attempt(void *context)
{
    struct call *call = context;
    struct store *store = call->on->store;
    os_error err;
    assert_int_equal(prepare(call, &err), OS_OK);
    store->vtable->delivery(store, call->attempt, &call->delivery);
    free_attempt(call);
}

static struct store_answer run(struct on_store *on, struct store_request *request, const struct store_sending *sending)
{
    struct call call = {.on = on, .request = request, .guarded = sending != NULL, .done = EVENT_INIT};
    if (sending)
        call.sending = *sending;
    struct clock_reading now;
    clock_read(&now);
    request->deadline_monotonic_ms = now.monotonic_ms + PATIENCE_MS;
    on_loop_call(&on->on, start, &call);
    event_wait(&call.done);
    on_loop_call(&on->on, free_attempt, &call);
    return call.answer;
}

struct store_answer store_call(struct on_store *on, struct store_request *request)
{
    return run(on, request, NULL);
}

struct store_answer store_call_guarded(struct on_store *on, struct store_request *request)
{
    static const struct store_sending plainly;
    return run(on, request, &plainly);
}

struct store_answer store_call_sending(struct on_store *on, struct store_request *request,
                                       const struct store_sending *sending)
{
    return run(on, request, sending);
}

struct http_delivery store_call_delivery(struct on_store *on, const struct store_request *request)
{
    struct call call = {.on = on, .request = request};
    on_loop_call(&on->on, look_at_attempt, &call);
    return call.delivery;
}

static void open_with(struct on_store *ret, const char *url, const char *bucket, enum store_marks marks,
                      const struct credentials_source *source)
{
    struct store_config config = {
        .endpoint = &ret->endpoint, .stall_ms = PATIENCE_MS, .user_agent = "test", .marks = marks};
    on_loop_set_up(&ret->on);
    snprintf(ret->bucket, sizeof(ret->bucket), "%s", bucket);
    config.loop = ret->on.loop;
    config.bucket = ret->bucket;
    assert_int_equal(endpoint_parse("s3", url, raw_region(), &ret->endpoint, NULL), OS_OK);
    assert_int_equal(credentials_new(source, &ret->credentials, NULL), OS_OK);
    config.credentials = ret->credentials;
    assert_int_equal(s3_store_new(&config, &ret->store, NULL), OS_OK);
}

void on_store_open_marks(struct on_store *ret, const char *url, const char *bucket, enum store_marks marks)
{
    const struct credentials_source source = {
        .no_environment = true, .access_key_id = raw_access_key(), .secret_access_key = raw_secret_key()};
    open_with(ret, url, bucket, marks, &source);
}

static void attach(void *context)
{
    static const struct http_engine_options http = {
        .user_agent = "test", .connect_timeout_ms = PATIENCE_MS, .max_connections = 1};
    struct on_store *on = context;
    assert_int_equal(credentials_attach(on->credentials, on->on.loop, &http, NULL), OS_OK);
}

void on_store_open_source(struct on_store *ret, const char *url, const char *bucket,
                          const struct credentials_source *source)
{
    open_with(ret, url, bucket, STORE_MARKS_NONE, source);
    on_loop_call(&ret->on, attach, ret);
}

void on_store_open(struct on_store *ret, const char *url, const char *bucket)
{
    on_store_open_marks(ret, url, bucket, STORE_MARKS_NONE);
}

static void stop_keys(void *context)
{
    credentials_stop(context);
}

void on_store_close(struct on_store *on)
{
    on_loop_call(&on->on, stop_keys, on->credentials);
    on_loop_settle(&on->on);
    on->store->vtable->free(on->store);
    credentials_free(on->credentials);
}

struct http_server *on_store_serve(struct on_store *ret, enum store_marks marks)
{
    char url[64];
    struct http_server *server = http_server_start(NULL);
    snprintf(url, sizeof(url), "http://%s", http_server_host(server));
    on_store_open_marks(ret, url, "bucket", marks);
    return server;
}

void on_store_stop(struct on_store *on, struct http_server *server)
{
    on_store_close(on);
    http_server_stop(server);
}

void store_check_answer(struct store_answer answer, os_code wanted, const char *file, int line)
{
    if (answer.code == wanted)
        return;
    print_error("%s instead of %s: %s\n", os_code_name(answer.code), os_code_name(wanted), answer.error.message);
    _fail(file, line);
}
