/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's turn: which requests run, when they end, and who is told. Deadlines and stalls are kept here, not by
 * libcurl, because they end a request with a reset. A callback may start and cancel requests: nothing is held over a
 * call to one, and what libcurl forbids inside its own callbacks waits for the next turn.
 */
#include "http/engine.h"

#include "base/error.h"
#include "base/named_file.h"
#include "http/internal.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAKEUP_TRIES = 4, REST_MS = 10 };

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

static bool make_handles(struct http_engine *engine)
{
    engine->multi = curl_multi_init();
    engine->share = curl_share_init();
    if (engine->multi == NULL || engine->share == NULL)
        return false;
    long per_host = (long)engine->max_connections;
    return curl_share_setopt(engine->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK &&
           curl_multi_setopt(engine->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING) == CURLM_OK &&
           curl_multi_setopt(engine->multi, CURLMOPT_MAX_HOST_CONNECTIONS, per_host) == CURLM_OK &&
           curl_multi_setopt(engine->multi, CURLMOPT_MAXCONNECTS, 4 * per_host) == CURLM_OK &&
           /* Without a descriptor left for it, libcurl makes a handle that sleeps through every wakeup, and says
            * nothing. */
           curl_multi_wakeup(engine->multi) == CURLM_OK;
}

static uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    uint32_t value_or_least = value < least ? least : value;
    return value_or_least < most ? value_or_least : most;
}

static bool take_options(struct http_engine *engine, const struct http_engine_options *options, const char *ca_file)
{
    engine->connect_timeout_ms =
        options->connect_timeout_ms < LONG_MAX / 2 ? options->connect_timeout_ms : LONG_MAX / 2;
    engine->max_connections = between(1, options->max_connections, 10000);
    engine->bulk_max = engine->max_connections - (engine->max_connections + 6) / 8;
    engine->user_agent = strdup(options->user_agent != NULL ? options->user_agent : "oscommit");
    engine->ca_file = ca_file != NULL ? strdup(ca_file) : NULL;
    return engine->user_agent != NULL && (ca_file == NULL || engine->ca_file != NULL);
}

/* OpenSSL reads it with each new connection, on the engine's thread: what makes it wait would hold up everything. */
static bool can_be_read(const char *ca_file, os_error *err)
{
    const char *why = NULL;
    int fd = named_file_open(ca_file, &why);
    if (fd < 0) {
        (void)error_set(err, OS_ERR_CONFIG, "The CA file %.300s cannot be read: %s.", ca_file, why);
        return false;
    }
    (void)close(fd);
    return true;
}

os_code http_engine_new(const struct http_engine_options *options, struct http_engine **ret, os_error *err)
{
    const char *ca_file = options->ca_file != NULL && options->ca_file[0] != '\0' ? options->ca_file : NULL;
    if (ca_file != NULL && !can_be_read(ca_file, err))
        return OS_ERR_CONFIG;
    if (!global_begin())
        return error_no_memory(err);
    struct http_engine *engine = calloc(1, sizeof(*engine));
    if (engine == NULL) {
        global_end();
        return error_no_memory(err);
    }
    atomic_init(&engine->woken, false);
    if (!take_options(engine, options, ca_file) || !make_handles(engine)) {
        http_engine_free(engine);
        return error_no_memory(err);
    }
    *ret = engine;
    return OS_OK;
}

static void unlink_running(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    if (transfer->prev != NULL)
        transfer->prev->next = transfer->next;
    else
        engine->running = transfer->next;
    if (transfer->next != NULL)
        transfer->next->prev = transfer->prev;
    else
        engine->youngest = transfer->prev;
    transfer->prev = NULL;
    transfer->next = NULL;
}

/* Only a handle whose request came to its end is used again: libcurl 7.88 keeps the receive buffer of one that never
 * had a connection (a name that is unknown, a place that did not become free), and then refuses its options. */
static void put_back(struct http_transfer *transfer, bool ended_well)
{
    struct http_engine *engine = transfer->engine;
    if (!ended_well || engine->spare_count >= engine->max_connections) {
        transfer_free(transfer);
        return;
    }
    transfer_clear(transfer);
    transfer->next = engine->spare;
    engine->spare = transfer;
    engine->spare_count++;
}

/* Before the connection is gone. */
static void describe_course(const struct http_transfer *transfer, struct http_result *ret)
{
    uint64_t now_us = clock_monotonic_us();
    ret->duration_us = now_us - transfer->begun_us;
    ret->sent_us = transfer->wire.sent ? now_us - transfer->wire.sent_at_us : 0;
    ret->segment_bytes = transfer->wire.segment_bytes;
    ret->tail_kept = transfer->tail.kept;
    ret->acknowledged_bytes =
        transfer->tail.kept ? transfer->tail.acknowledged_bytes : socket_acknowledged_bytes(transfer);
}

/* Takes it out of libcurl, which closes a connection that is in the midst of it, and tells the caller. */
static void engine_end(struct http_transfer *transfer, CURLcode code)
{
    struct http_engine *engine = transfer->engine;
    struct http_result result = {.response = &transfer->answer.response, .sent = transfer->wire.sent};
    assert(!engine->in_libcurl);
    if (code == CURLE_OK && !transfer->answer.headers_whole) { /* libcurl calls it an answer when they break off */
        failure_set(transfer, OS_ERR_PROTOCOL, "the answer of %s was cut short within its headers",
                    transfer->start.request->host);
    }
    failure_describe(transfer, code, &result);
    describe_course(transfer, &result);
    if (transfer->in_multi) {
        engine->bulk_count -= transfer->start.bulk;
        CURLMcode removed = curl_multi_remove_handle(engine->multi, transfer->easy);
        assert(removed == CURLM_OK);
    }
    socket_leave(transfer);
    unlink_running(transfer);
    if (!transfer->answer.headers_whole) {
        transfer->answer.response.status = 0;
        http_headers_free(&transfer->answer.response.headers);
    }
    result.answered_in_part = result.code != OS_OK && transfer->answer.headers_whole;
    engine->ended_count++;
    bool ended_well = result.code == OS_OK;
    transfer->start.done(transfer->start.done_context, &result);
    put_back(transfer, ended_well);
}

static void abort_with(struct http_transfer *transfer, os_code code, const char *message)
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
    while (engine->running != NULL)
        abort_with(engine->running, OS_ERR_CANCELLED, "the client was closed");
    while (engine->spare != NULL) {
        struct http_transfer *transfer = engine->spare;
        engine->spare = transfer->next;
        transfer_free(transfer);
    }
    if (engine->multi != NULL)
        (void)curl_multi_cleanup(engine->multi);
    if (engine->share != NULL)
        (void)curl_share_cleanup(engine->share);
    free(engine->sockets);
    free(engine->ca_file);
    free(engine->user_agent);
    free(engine);
    global_end();
}

static struct http_transfer *take_spare(struct http_engine *engine)
{
    struct http_transfer *transfer = engine->spare;
    if (transfer == NULL)
        return transfer_new(engine);
    engine->spare = transfer->next;
    engine->spare_count--;
    transfer->next = NULL;
    return transfer;
}

os_code http_engine_start(struct http_engine *engine, const struct http_start *start, uint64_t *ret_id, os_error *err)
{
    if (engine->closing)
        return error_set(err, OS_ERR_CANCELLED, "The client is being closed; open another one for new requests.");
    struct http_transfer *transfer = take_spare(engine);
    if (transfer == NULL)
        return error_no_memory(err);
    os_code code = transfer_prepare(transfer, start, err);
    if (code != OS_OK) {
        transfer_free(transfer);
        return code;
    }
    transfer->id = ++engine->last_id;
    transfer->prev = engine->youngest;
    if (engine->youngest != NULL)
        engine->youngest->next = transfer;
    else
        engine->running = transfer;
    engine->youngest = transfer;
    *ret_id = transfer->id;
    return OS_OK;
}

void http_engine_cancel(struct http_engine *engine, uint64_t id)
{
    struct http_transfer *transfer = engine->running;
    while (transfer != NULL && transfer->id != id)
        transfer = transfer->next;
    if (transfer == NULL)
        return;
    if (!engine->in_libcurl) {
        abort_with(transfer, OS_ERR_CANCELLED, "the request was cancelled");
        return;
    }
    failure_set(transfer, OS_ERR_CANCELLED, "the request was cancelled");
    transfer->wire.aborting = true;
    transfer->cancelled = true;
}

/* Those that must be quick, of guards, always find a connection beside those that take as long as their bytes do. */
static bool may_begin(const struct http_transfer *transfer)
{
    const struct http_engine *engine = transfer->engine;
    return !transfer->in_multi && (!transfer->start.bulk || engine->bulk_count < engine->bulk_max);
}

static bool engine_begin(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    if (curl_multi_add_handle(engine->multi, transfer->easy) != CURLM_OK) {
        abort_with(transfer, OS_ERR_NO_MEMORY, "out of memory");
        return false;
    }
    transfer->in_multi = true;
    transfer->wire.moved_ms = engine->now_ms;
    engine->bulk_count += transfer->start.bulk;
    return true;
}

static void begin_fresh(struct http_engine *engine)
{
    struct http_transfer *transfer = engine->running;
    while (transfer != NULL) {
        bool kept = !may_begin(transfer) || engine_begin(transfer);
        transfer = kept ? transfer->next : engine->running; /* the callback may have changed anything */
    }
}

static void engine_perform(struct http_engine *engine)
{
    int running = 0;
    engine->in_libcurl = true;
    CURLMcode code = curl_multi_perform(engine->multi, &running);
    engine->in_libcurl = false;
    while (code != CURLM_OK && engine->running != NULL) /* out of memory, or its own books are in disorder */
        abort_with(engine->running, OS_ERR_NO_MEMORY, curl_multi_strerror(code));
}

static void engine_reap(struct http_engine *engine)
{
    int left = 0;
    CURLMsg *message = NULL;
    while ((message = curl_multi_info_read(engine->multi, &left)) != NULL) {
        struct http_transfer *transfer = NULL;
        CURLcode code = message->data.result;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer) == CURLE_OK)
            engine_end(transfer, code);
    }
}

/* The time at which it must be looked at again; UINT64_MAX: only when something happens. */
static uint64_t due_ms(const struct http_transfer *transfer)
{
    uint64_t due = UINT64_MAX;
    if (transfer->cancelled)
        return 0;
    if (transfer->start.deadline_monotonic_ms != 0)
        due = transfer->start.deadline_monotonic_ms;
    /* Before it is sent, the wait for a place is bounded by the deadline, and connecting by the connect timeout. */
    if (transfer->start.stall_ms != 0 && transfer->wire.sent &&
        transfer->start.stall_ms < UINT64_MAX - transfer->wire.moved_ms &&
        transfer->wire.moved_ms + transfer->start.stall_ms < due)
        due = transfer->wire.moved_ms + transfer->start.stall_ms;
    return due;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The same, and the time at which its body may go. */
static uint64_t wake_ms(const struct http_transfer *transfer)
{
    uint64_t due = earlier(due_ms(transfer), tail_due_ms(transfer));
    return transfer->held ? earlier(due, transfer->start.request->body.held_until_monotonic_ms) : due;
}

static bool expire_at_deadline(struct http_transfer *transfer)
{
    uint64_t deadline_ms = transfer->start.deadline_monotonic_ms;
    if (deadline_ms == 0 || deadline_ms > transfer->engine->now_ms)
        return false;
    abort_with(transfer, OS_ERR_DEADLINE,
               transfer->wire.sent ? "the deadline passed before the answer came"
                                   : "the deadline passed before anything was sent");
    return true;
}

/* Before libcurl's turn: a request that is not wholly sent sends nothing more after its deadline, also when the process
 * was stopped for a while. One that only waits gets the turn first: its answer may be here. */
static bool expire_unsent(struct http_transfer *transfer)
{
    bool sending = !transfer->in_multi || transfer->wire.bytes_out < body_length(&transfer->start.request->body);
    return sending && expire_at_deadline(transfer);
}

static bool expire_any(struct http_transfer *transfer)
{
    uint64_t now_ms = transfer->engine->now_ms;
    if (due_ms(transfer) > now_ms)
        return false;
    if (transfer->cancelled) {
        abort_with(transfer, OS_ERR_CANCELLED, "the request was cancelled");
        return true;
    }
    if (expire_at_deadline(transfer))
        return true;
    if (socket_drains(transfer)) { /* libcurl has handed over everything, and the kernel is still sending */
        transfer->wire.moved_ms = now_ms;
        return false;
    }
    abort_with(transfer, OS_ERR_DEADLINE, "the connection stood still for too long");
    return true;
}

/* Ends what `expired` says, and gives the time at which the next will be due. */
static uint64_t engine_expire(struct http_engine *engine, bool (*expired)(struct http_transfer *transfer))
{
    uint64_t due = UINT64_MAX;
    engine->now_ms = clock_monotonic_us() / 1000;
    struct http_transfer *transfer = engine->running;
    while (transfer != NULL) {
        if (expired(transfer)) {
            transfer = engine->running; /* the callback may have changed anything */
            due = UINT64_MAX;
            continue;
        }
        if (wake_ms(transfer) < due)
            due = wake_ms(transfer);
        transfer = transfer->next;
    }
    return due;
}

static bool may_go_on(struct http_transfer *transfer, uint64_t now_ms)
{
    if (tail_due_ms(transfer) <= now_ms)
        return tail_look(transfer);
    bool is_over = transfer->held && transfer->start.request->body.held_until_monotonic_ms <= now_ms;
    transfer->held = transfer->held && !is_over;
    return is_over;
}

/* Bodies whose time has come. */
static void let_bodies_go(struct http_engine *engine)
{
    uint64_t now_ms = clock_monotonic_us() / 1000;
    engine->in_libcurl = true; /* it may call back at once */
    for (struct http_transfer *each = engine->running; each != NULL; each = each->next)
        if (may_go_on(each, now_ms))
            (void)curl_easy_pause(each->easy, CURLPAUSE_CONT); /* what goes wrong in it ends the transfer later */
    engine->in_libcurl = false;
}

/* A libcurl that has no memory to wait with says so at once: asked again and again, it would take a whole processor. A
 * wakeup in that time is heard at its end. */
static void wait_for_events(struct http_engine *engine, uint64_t wait_ms)
{
    if (curl_multi_poll(engine->multi, NULL, 0, wait_ms < INT_MAX ? (int)wait_ms : INT_MAX, NULL) != CURLM_OK)
        (void)poll(NULL, 0, wait_ms < REST_MS ? (int)wait_ms : REST_MS);
}

void http_engine_poll(struct http_engine *engine, uint64_t timeout_ms)
{
    assert(!engine->polling && !engine->in_libcurl);
    engine->polling = true;
    uint64_t ended_before = engine->ended_count;
    uint64_t now_ms = clock_monotonic_us() / 1000;
    uint64_t until_ms = timeout_ms < UINT64_MAX - now_ms ? now_ms + timeout_ms : UINT64_MAX;
    for (;;) {
        (void)engine_expire(engine, expire_unsent);
        begin_fresh(engine);
        let_bodies_go(engine);
        engine_perform(engine);
        engine_reap(engine);
        uint64_t due = engine_expire(engine, expire_any);
        if (engine->ended_count != ended_before || atomic_exchange(&engine->woken, false) || engine->now_ms >= until_ms)
            break;
        uint64_t wake = earlier(due, until_ms); /* may have passed since let_bodies_go looked */
        wait_for_events(engine, wake > engine->now_ms ? wake - engine->now_ms : 0);
    }
    engine->polling = false;
}

void http_engine_wakeup(struct http_engine *engine)
{
    atomic_store(&engine->woken, true);
    CURLMcode code = curl_multi_wakeup(engine->multi);
    for (int tries = 1; code != CURLM_OK && tries < WAKEUP_TRIES; tries++) /* lost, it is a poll's whole time */
        code = curl_multi_wakeup(engine->multi);
}

void http_engine_delivery(const struct http_engine *engine, const struct http_request *request, uint64_t segment_bytes,
                          struct http_delivery *ret)
{
    http_delivery_of(request, engine->user_agent, segment_bytes, ret);
}
