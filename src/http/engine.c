/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine, and the life of a request: how it is started, cancelled, ended, and who is told. A callback may start and
 * cancel requests: nothing is held over a call to one, and what libcurl forbids inside its own callbacks waits for the
 * next turn.
 */
#include "http/engine.h"

#include "base/error.h"
#include "http/internal.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* curl_global_init counts its callers itself, but only some builds of it may be called from two threads at once. */
static pthread_mutex_t global_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool global_begin(void)
{
    (void)pthread_mutex_lock(&global_mutex);
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)pthread_mutex_unlock(&global_mutex);
    return code == CURLE_OK;
}

static void global_end(void)
{
    (void)pthread_mutex_lock(&global_mutex);
    curl_global_cleanup();
    (void)pthread_mutex_unlock(&global_mutex);
}

static CURLM *make_multi(struct http_engine *engine)
{
    long per_host = (long)engine->max_connections;
    CURLM *multi = curl_multi_init();
    if (multi != NULL && curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, per_host) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 4 * per_host) == CURLM_OK && events_hear(engine, multi))
        return multi;
    if (multi != NULL)
        (void)curl_multi_cleanup(multi);
    return NULL;
}

static bool make_handles(struct http_engine *engine)
{
    engine->multi = make_multi(engine);
    engine->share = curl_share_init();
    return engine->multi != NULL && engine->share != NULL && events_open(engine) &&
           curl_share_setopt(engine->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
}

bool engine_renew_multi(struct http_engine *engine)
{
    CURLM *multi = make_multi(engine);
    if (multi == NULL)
        return false;
    (void)curl_multi_cleanup(engine->multi);
    engine->multi = multi;
    engine->disordered = false;
    return true;
}

static uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    uint32_t value_or_least = value < least ? least : value;
    return value_or_least < most ? value_or_least : most;
}

static bool take_options(struct http_engine *engine, const struct http_engine_options *options)
{
    engine->connect_timeout_ms =
        options->connect_timeout_ms < LONG_MAX / 2 ? options->connect_timeout_ms : LONG_MAX / 2;
    engine->max_connections = between(1, options->max_connections, 10000);
    engine->bulk_max = engine->max_connections - (engine->max_connections + 6) / 8;
    engine->user_agent = strdup(options->user_agent != NULL ? options->user_agent : "oscommit");
    engine->spare = calloc(engine->max_connections, sizeof(CURL *));
    return engine->user_agent != NULL && engine->spare != NULL;
}

os_code http_engine_new(const struct http_engine_options *options, struct http_engine **ret, os_error *err)
{
    if (!global_begin())
        return error_no_memory(err);
    struct http_engine *engine = calloc(1, sizeof(*engine));
    if (engine == NULL) {
        global_end();
        return error_no_memory(err);
    }
    engine->events.epoll_fd = -1;
    engine->events.wake_fd = -1;
    engine->idle_due_ms = UINT64_MAX;
    os_code code = trust_choose(options->ca_file, &engine->trust, err);
    if (code == OS_OK && !(take_options(engine, options) && make_handles(engine)))
        code = error_no_memory(err);
    if (code == OS_OK)
        code = transfer_make_first_handle(engine, err);
    if (code != OS_OK) {
        http_engine_free(engine);
        return code;
    }
    *ret = engine;
    return OS_OK;
}

static struct http_transfer **slot_of(struct http_engine *engine, uint64_t id)
{
    return &engine->by_id[id % ID_SLOTS];
}

static void link_started(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    struct http_transfer **slot = slot_of(engine, transfer->id);
    transfer->next_of_slot = *slot;
    *slot = transfer;
    transfer->prev = engine->youngest;
    if (engine->youngest != NULL)
        engine->youngest->next = transfer;
    else
        engine->started = transfer;
    engine->youngest = transfer;
}

static void unlink_started(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    struct http_transfer **at = slot_of(engine, transfer->id);
    while (*at != transfer)
        at = &(*at)->next_of_slot;
    *at = transfer->next_of_slot;
    if (transfer->prev != NULL)
        transfer->prev->next = transfer->next;
    else
        engine->started = transfer->next;
    if (transfer->next != NULL)
        transfer->next->prev = transfer->prev;
    else
        engine->youngest = transfer->prev;
}

static uint64_t acknowledged_bytes(const struct http_transfer *transfer)
{
    if (transfer->start.tail != HTTP_TAIL_HELD_BACK)
        return 0;
    return transfer->tail.kept ? transfer->tail.acknowledged_bytes : socket_acknowledged_bytes(transfer);
}

/* Before the connection is gone. */
static void describe_course(const struct http_transfer *transfer, struct http_result *ret)
{
    uint64_t now_us = clock_monotonic_us();
    ret->duration_us = now_us - transfer->begun_us;
    ret->sent_us = transfer->wire.sent ? now_us - transfer->wire.sent_at_us : 0;
    ret->segment_bytes = transfer->wire.segment_bytes;
    ret->tail_kept = transfer->tail.kept;
    ret->acknowledged_bytes = acknowledged_bytes(transfer);
}

static void leave_all(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    heap_remove(&engine->unsent, &transfer->unsent);
    heap_remove(&engine->looks, &transfer->look);
    heap_remove(&engine->dues, &transfer->due);
    if (transfer->begun)
        queue_ended(transfer);
    else
        queue_leave(transfer);
    unlink_started(transfer);
}

/* Takes it out of libcurl, which closes a connection that it is in the midst of. */
static void leave_libcurl(struct http_transfer *transfer)
{
    if (transfer->easy == NULL)
        return;
    socket_forget_opened(transfer);
    transfer->engine->in_libcurl = true; /* it may tell of progress once more */
    CURLMcode removed = curl_multi_remove_handle(transfer->engine->multi, transfer->easy);
    transfer->engine->in_libcurl = false;
    assert(removed == CURLM_OK);
    socket_leave(transfer);
}

static bool begins_again(struct http_transfer *transfer)
{
    if (!transfer->wire.stale || transfer->anew || transfer->fault.code != OS_OK)
        return false;
    leave_libcurl(transfer);
    if (transfer_begin_again(transfer))
        return true;
    failure_set(transfer, OS_ERR_NO_MEMORY, "out of memory");
    return false;
}

void engine_end(struct http_transfer *transfer, CURLcode code)
{
    struct http_engine *engine = transfer->engine;
    struct http_result result = {.response = &transfer->answer.response, .sent = transfer->wire.sent};
    assert(!engine->in_libcurl);
    if (begins_again(transfer))
        return;
    if (code == CURLE_OK && !transfer->answer.headers_whole) { /* libcurl calls it an answer when they break off */
        failure_set(transfer, OS_ERR_PROTOCOL, "the answer of %s was cut short within its headers",
                    transfer->start.request->host);
    }
    failure_describe(transfer, code, &result);
    describe_course(transfer, &result);
    leave_libcurl(transfer);
    leave_all(transfer);
    if (!transfer->answer.headers_whole) {
        transfer->answer.response.status = 0;
        http_headers_free(&transfer->answer.response.headers);
    }
    result.answered_in_part = result.code != OS_OK && transfer->answer.headers_whole;
    engine->ended_count++;
    transfer_put_handle(transfer, result.code == OS_OK);
    transfer->start.done(transfer->start.done_context, &result);
    transfer_free(transfer);
}

void engine_abort(struct http_transfer *transfer, os_code code, const char *message)
{
    failure_set(transfer, code, "%s", message);
    transfer->wire.aborting = true;
    engine_end(transfer, CURLE_ABORTED_BY_CALLBACK);
}

void http_engine_free(struct http_engine *engine)
{
    if (engine == NULL)
        return;
    assert(!engine->polling);
    engine->closing = true;
    while (engine->started != NULL)
        engine_abort(engine->started, OS_ERR_CANCELLED, "the client was closed");
    while (engine->spare_count > 0)
        curl_easy_cleanup(engine->spare[--engine->spare_count]);
    if (engine->multi != NULL)
        (void)curl_multi_cleanup(engine->multi);
    if (engine->share != NULL)
        (void)curl_share_cleanup(engine->share);
    events_close(engine);
    queue_free(engine);
    free(engine->spare);
    free(engine->sockets);
    trust_clear(&engine->trust);
    free(engine->user_agent);
    free(engine);
    global_end();
}

os_code http_engine_start(struct http_engine *engine, const struct http_start *start, uint64_t *ret_id, os_error *err)
{
    if (engine->closing)
        return error_set(err, OS_ERR_CANCELLED, "The client is being closed; open another one for new requests.");
    struct http_transfer *transfer = NULL;
    os_code code = transfer_new(engine, start, &transfer, err);
    if (code != OS_OK)
        return code;
    transfer->id = ++engine->last_id;
    if (!queue_join(transfer)) {
        transfer_free(transfer);
        return error_no_memory(err);
    }
    link_started(transfer);
    if (start->deadline_monotonic_ms != 0)
        heap_put(&engine->unsent, &transfer->unsent, start->deadline_monotonic_ms);
    due_plan(transfer);
    *ret_id = transfer->id;
    return OS_OK;
}

void http_engine_cancel(struct http_engine *engine, uint64_t id)
{
    struct http_transfer *transfer = *slot_of(engine, id);
    while (transfer != NULL && transfer->id != id)
        transfer = transfer->next_of_slot;
    if (transfer == NULL)
        return;
    if (!engine->in_libcurl) {
        engine_abort(transfer, OS_ERR_CANCELLED, "the request was cancelled");
        return;
    }
    failure_set(transfer, OS_ERR_CANCELLED, "the request was cancelled");
    transfer->wire.aborting = true;
    transfer->cancelled = true;
    due_plan(transfer);
}

uint64_t http_engine_ended_count(const struct http_engine *engine)
{
    return engine->ended_count;
}

void http_engine_delivery(const struct http_engine *engine, const struct http_request *request, uint64_t segment_bytes,
                          struct http_delivery *ret)
{
    http_delivery_of(request, engine->user_agent, segment_bytes, ret);
}
