/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http/engine.h without libcurl: a request is rendered to bytes and given to the simulated network, the bytes of an
 * answer come back, limits and result codes are those that the real engine documents. It keeps R6's promises as the
 * real one does: a request leaves once, and not after its deadline. It stands where the library's own engine does, so
 * its memory is the simulator's: what fails here on purpose are allocations of the library.
 */
#include "sim/engine.h"

#include "base/error.h"
#include "sim/network.h"
#include "sim/wire.h"
#include "sim/world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transfer {
    struct transfer *next;
    uint64_t id;
    struct http_start start;
    bool sent;
    bool tail_is_due;
    bool tail_kept;
    uint64_t occasion;
    uint64_t sent_us;
    bool arrived; /* `delivery` says what */
    enum engine_delivery delivery;
    struct buf bytes;
    uint64_t begun_us;
    uint64_t moved_ms; /* when a byte last moved, for the stall */
};

struct http_engine {
    struct http_engine *next; /* of the process */
    struct process *process;
    struct transfer *running; /* the eldest first */
    uint64_t last_id;
    bool woken;
    bool closing;
    char user_agent[256];
};

static struct world *world_of(const struct http_engine *engine)
{
    return engine->process->world;
}

static uint64_t now_ms(const struct http_engine *engine)
{
    struct clock_reading now;
    process_read_clocks(engine->process, world_of(engine)->schedule.now_us, &now);
    return now.monotonic_ms;
}

os_code http_engine_new(const struct http_engine_options *options, struct http_engine **ret, os_error *err)
{
    (void)err;
    struct memory_owner *library = memory_switch(NULL);
    struct process *process = task_running->process;
    struct http_engine *engine = calloc(1, sizeof(*engine));
    if (engine == NULL)
        abort();
    engine->process = process;
    engine->next = process->engines;
    process->engines = engine;
    snprintf(engine->user_agent, sizeof(engine->user_agent), "%s", options->user_agent);
    memory_switch(library);
    *ret = engine;
    return OS_OK;
}

void http_engine_delivery(const struct http_engine *engine, const struct http_request *request, uint64_t segment_bytes,
                          struct http_delivery *ret)
{
    http_delivery_of(request, engine->user_agent, segment_bytes, ret);
}

static bool writes_rows(const struct http_request *request)
{
    static const char *const reads[] = {"GetItem", "BatchGetItem", "TransactGetItems"};
    const char *target = http_headers_get(&request->headers, "x-amz-target");
    const char *operation = target != NULL ? strchr(target, '.') : NULL;
    for (size_t i = 0; operation != NULL && i < sizeof(reads) / sizeof(reads[0]); i++)
        if (strcmp(operation + 1, reads[i]) == 0)
            return false;
    return true;
}

enum network_request network_request_of(const struct world *world, const struct http_request *request)
{
    const char *method = request->method;
    const char *query = buf_str(&request->query);
    if (strcmp(request->host, NETWORK_S3) != 0)
        return world->books != NULL && writes_rows(request) ? NETWORK_ROWS : NETWORK_LEDGER;
    bool reads = strcmp(method, "HEAD") == 0 || strcmp(method, "GET") == 0;
    bool aborts = strcmp(method, "DELETE") == 0 && strstr(query, "uploadId=") != NULL;
    bool stages = strstr(query, "uploads=") != NULL || strstr(query, "partNumber=") != NULL;
    return reads ? NETWORK_READ : aborts || stages ? NETWORK_STAGING : NETWORK_ATTEMPT;
}

/* ------------------------------------------------------------------------------------------------ the end of one */

static void unlink_transfer(struct http_engine *engine, struct transfer *transfer)
{
    struct transfer **at = &engine->running;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
}

static const char *words_of(os_code code)
{
    switch (code) {
    case OS_OK: return "";
    case OS_ERR_DEADLINE: return "the deadline passed before the answer came";
    case OS_ERR_CANCELLED: return "the request was cancelled";
    case OS_ERR_PROTOCOL: return "the answer was cut short";
    case OS_ERR_STOPPED: return "the receiver of the body stopped it";
    default: return "the connection broke";
    }
}

static uint32_t segment_bytes_to(const struct http_engine *engine, const struct transfer *transfer)
{
    bool to_s3 = strcmp(transfer->start.request->host, NETWORK_S3) == 0;
    return transfer->sent && to_s3 ? world_of(engine)->fleet.segment_bytes : 0;
}

/* Tells the library, whose memory is `library`. */
static void end(struct http_engine *engine, struct transfer *transfer, os_code code, struct http_response *response,
                bool in_part, struct memory_owner *library)
{
    struct http_result result = {.code = code, .sent = transfer->sent, .answered_in_part = in_part};
    result.response = response;
    struct world *world = world_of(engine);
    result.duration_us = world->schedule.now_us - transfer->begun_us;
    result.sent_us = transfer->sent ? world->schedule.now_us - transfer->sent_us : 0;
    result.tail_kept = transfer->tail_kept;
    result.segment_bytes = segment_bytes_to(engine, transfer);
    network_tail(world, engine, transfer->id, false);
    snprintf(result.message, sizeof(result.message), "%s", words_of(code));
    struct http_start start = transfer->start;
    unlink_transfer(engine, transfer);
    if (code == OS_OK && start.progress != NULL)
        start.progress(start.progress_context, start.request->body.length, start.request->body.length);
    memory_switch(library);
    start.done(start.done_context, &result);
    memory_switch(NULL);
    buf_free(&transfer->bytes);
    free(transfer);
}

static void end_without_answer(struct http_engine *engine, struct transfer *transfer, os_code code,
                               struct memory_owner *library)
{
    struct http_response response;
    http_response_init(&response, transfer->start.body_max);
    end(engine, transfer, code, &response, false, library);
    http_response_free(&response);
}

/* The sink is the library's. */
static void end_with_answer(struct http_engine *engine, struct transfer *transfer, struct memory_owner *library)
{
    struct http_response response;
    bool in_part = false;
    http_response_init(&response, transfer->start.body_max);
    memory_switch(transfer->start.sink ? library : NULL);
    os_code code = wire_parse(buf_str(&transfer->bytes), transfer->bytes.len, &transfer->start, &response, &in_part);
    memory_switch(NULL);
    end(engine, transfer, code, &response, in_part, library);
    http_response_free(&response);
}

/* ------------------------------------------------------------------------------------------------ start, cancel */

os_code http_engine_start(struct http_engine *engine, const struct http_start *start, uint64_t *ret_id, os_error *err)
{
    if (engine->closing)
        return error_set(err, OS_ERR_CANCELLED, "The client is being closed; open another one for new requests.");
    struct memory_owner *library = memory_switch(NULL);
    struct transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL)
        abort();
    transfer->start = *start;
    transfer->id = ++engine->last_id;
    transfer->begun_us = world_of(engine)->schedule.now_us;
    buf_init(&transfer->bytes, 16 << 20);
    struct transfer **at = &engine->running;
    while (*at != NULL)
        at = &(*at)->next;
    *at = transfer;
    *ret_id = transfer->id;
    memory_switch(library);
    return OS_OK;
}

static struct transfer *find(struct http_engine *engine, uint64_t id)
{
    struct transfer *transfer = engine->running;
    while (transfer != NULL && transfer->id != id)
        transfer = transfer->next;
    return transfer;
}

void http_engine_cancel(struct http_engine *engine, uint64_t id)
{
    struct transfer *transfer = find(engine, id);
    if (transfer == NULL)
        return;
    struct memory_owner *library = memory_switch(NULL);
    end_without_answer(engine, transfer, OS_ERR_CANCELLED, library);
    memory_switch(library);
}

void http_engine_free(struct http_engine *engine)
{
    if (engine == NULL)
        return;
    struct memory_owner *library = memory_switch(NULL);
    engine->closing = true;
    while (engine->running != NULL)
        end_without_answer(engine, engine->running, OS_ERR_CANCELLED, library);
    memory_switch(library);
}

/* ------------------------------------------------------------------------------------------------ the turn */

static bool arrives_at_once(const struct http_engine *engine, const struct transfer *transfer)
{
    struct http_delivery delivery;
    http_engine_delivery(engine, transfer->start.request, world_of(engine)->fleet.segment_bytes, &delivery);
    return delivery.at_once;
}

static void send(struct http_engine *engine, struct transfer *transfer, enum network_request kind)
{
    struct buf bytes;
    enum network_body body = NETWORK_BODY_AT_ONCE;
    if (kind == NETWORK_ATTEMPT && !arrives_at_once(engine, transfer))
        body = transfer->start.tail == HTTP_TAIL_HELD_BACK ? NETWORK_BODY_HELD_BACK : NETWORK_BODY_FREE;
    buf_init(&bytes, 16 << 20);
    if (!wire_render(transfer->start.request, engine->user_agent, &bytes))
        abort();
    transfer->sent = true;
    transfer->moved_ms = now_ms(engine);
    transfer->sent_us = world_of(engine)->schedule.now_us;
    network_send(engine->process, engine, transfer->id, kind, body, &bytes);
    buf_free(&bytes);
}

/* The promise of http_start.tail does not hold on this connection: nothing is sent. */
static bool breaks_promise(const struct http_engine *engine, const struct transfer *transfer)
{
    return transfer->start.tail == HTTP_TAIL_AT_ONCE && !arrives_at_once(engine, transfer);
}

/* The real engine's order: all before it has arrived, then the clock, then the write; and a stop in between. */
static bool let_tail_go(struct http_engine *engine, struct memory_owner *library)
{
    struct transfer *transfer = engine->running;
    while (transfer != NULL && !transfer->tail_is_due)
        transfer = transfer->next;
    if (transfer == NULL)
        return false;
    struct clock_reading now;
    uint64_t id = transfer->id;
    transfer->tail_is_due = false;
    process_read_clocks(engine->process, world_of(engine)->schedule.now_us, &now);
    if (clock_elapsed_max(&transfer->start.tail_clock, &now) >= transfer->start.tail_before_ms) {
        transfer->tail_kept = true;
        end_without_answer(engine, transfer, OS_ERR_DEADLINE, library);
        return true;
    }
    network_strike_tail(engine->process, transfer->occasion);
    network_tail(world_of(engine), engine, id, true);
    return true;
}

/* A pause or a death at a request's boundary: `after` it, or just before it leaves. The deadline is looked at again
 * behind a pause, as the real engine does before each of its turns. */
static bool send_fresh(struct http_engine *engine)
{
    struct transfer *transfer = engine->running;
    while (transfer != NULL && transfer->sent)
        transfer = transfer->next;
    if (transfer == NULL)
        return false;
    uint64_t id = transfer->id;
    uint64_t occasion = network_occasion(engine->process);
    enum network_request kind = network_request_of(world_of(engine), transfer->start.request);
    network_strike_process(engine->process, occasion, kind, false);
    transfer = find(engine, id);
    uint64_t deadline_ms = transfer != NULL ? transfer->start.deadline_monotonic_ms : 0;
    if (transfer != NULL && breaks_promise(engine, transfer)) {
        transfer->arrived = true;
        transfer->delivery = ENGINE_REFUSED;
        transfer->sent = true; /* it has had its turn */
        return true;
    }
    if (transfer != NULL && (deadline_ms == 0 || deadline_ms > now_ms(engine))) {
        transfer->occasion = occasion;
        send(engine, transfer, kind);
        network_strike_process(engine->process, occasion, kind, true);
    }
    return transfer != NULL && transfer->sent;
}

static uint64_t due_ms(const struct transfer *transfer)
{
    uint64_t due = transfer->start.deadline_monotonic_ms ? transfer->start.deadline_monotonic_ms : UINT64_MAX;
    if (transfer->start.stall_ms != 0 && transfer->sent && transfer->moved_ms + transfer->start.stall_ms < due)
        due = transfer->moved_ms + transfer->start.stall_ms;
    return due;
}

/* Answers first: one that is here counts, whatever the time. One request each turn, since a callback may do anything.
 */
static bool end_one(struct http_engine *engine, struct memory_owner *library)
{
    for (struct transfer *each = engine->running; each; each = each->next) {
        if (!each->arrived)
            continue;
        if (each->delivery == ENGINE_ANSWER) {
            end_with_answer(engine, each, library);
        } else {
            each->sent = each->delivery == ENGINE_RESET;
            end_without_answer(engine, each, OS_ERR_NETWORK, library);
        }
        return true;
    }
    uint64_t now = now_ms(engine);
    for (struct transfer *each = engine->running; each; each = each->next) {
        if (due_ms(each) <= now) {
            end_without_answer(engine, each, OS_ERR_DEADLINE, library);
            return true;
        }
    }
    return false;
}

static uint64_t wait_ms(const struct http_engine *engine, uint64_t timeout_ms)
{
    uint64_t now = now_ms(engine);
    uint64_t wait = timeout_ms;
    for (const struct transfer *each = engine->running; each; each = each->next) {
        uint64_t due = due_ms(each);
        if (due != UINT64_MAX && (due > now ? due - now : 0) < wait)
            wait = due > now ? due - now : 0;
    }
    return wait;
}

void http_engine_poll(struct http_engine *engine, uint64_t timeout_ms)
{
    struct memory_owner *library = memory_switch(NULL);
    while (send_fresh(engine) || let_tail_go(engine, library))
        continue;
    bool ended = end_one(engine, library);
    if (!ended && !engine->woken) {
        struct world *world = world_of(engine);
        uint64_t wait = wait_ms(engine, timeout_ms);
        task_wait(engine, process_after_ms(engine->process, world->schedule.now_us, wait));
    }
    engine->woken = false;
    while (end_one(engine, library))
        continue;
    memory_switch(library);
}

void http_engine_wakeup(struct http_engine *engine)
{
    engine->woken = true;
    task_wake_all(engine->process, engine);
}

/* ------------------------------------------------------------------------------------------------ from the network */

bool engine_receive(struct http_engine *engine, uint64_t id, enum engine_delivery delivery, const char *bytes,
                    size_t length)
{
    struct transfer *transfer = engine->process->dead ? NULL : find(engine, id);
    if (transfer == NULL || transfer->arrived)
        return false;
    transfer->arrived = true;
    transfer->delivery = delivery;
    if (!buf_add(&transfer->bytes, bytes, length))
        abort();
    task_wake_all(engine->process, engine);
    return true;
}

bool engine_tail_is_due(struct http_engine *engine, uint64_t id)
{
    struct transfer *transfer = engine->process->dead ? NULL : find(engine, id);
    if (transfer == NULL || transfer->arrived)
        return false;
    transfer->tail_is_due = true;
    task_wake_all(engine->process, engine);
    return true;
}

void engine_free_all(struct process *process)
{
    while (process->engines != NULL) {
        struct http_engine *engine = process->engines;
        process->engines = engine->next;
        while (engine->running != NULL) {
            struct transfer *transfer = engine->running;
            engine->running = transfer->next;
            buf_free(&transfer->bytes);
            free(transfer);
        }
        free(engine);
    }
}

/* The network of the simulator has a connection for everybody, and its processes run loops of their own. */
bool http_engine_has_room(const struct http_engine *engine)
{
    (void)engine;
    return true;
}

uint64_t http_engine_ended_count(const struct http_engine *engine)
{
    (void)engine;
    return 0;
}

int http_engine_fd(const struct http_engine *engine)
{
    (void)engine;
    return -1;
}

uint64_t http_engine_due_ms(struct http_engine *engine)
{
    (void)engine;
    return UINT64_MAX;
}

void http_engine_await(struct http_engine *engine)
{
    (void)engine;
}
