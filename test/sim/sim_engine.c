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
    if (engine == NULL) {
        abort();
    }
    engine->process = process;
    engine->next = process->engines;
    process->engines = engine;
    snprintf(engine->user_agent, sizeof(engine->user_agent), "%s", options->user_agent);
    memory_switch(library);
    *ret = engine;
    return OS_OK;
}

bool http_engine_one_write(const struct http_engine *engine, const struct http_request *request)
{
    return http_one_write(request, engine->user_agent);
}

/* ------------------------------------------------------------------------------------------------ the end of one */

static void unlink_transfer(struct http_engine *engine, struct transfer *transfer)
{
    struct transfer **at = &engine->running;
    while (*at != transfer) {
        at = &(*at)->next;
    }
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

/* Tells the library, whose memory is `library`. */
static void end(struct http_engine *engine, struct transfer *transfer, os_code code, struct http_response *response,
                bool in_part, struct memory_owner *library)
{
    struct http_result result = {.code = code, .sent = transfer->sent, .answered_in_part = in_part};
    result.response = response;
    result.duration_us = world_of(engine)->schedule.now_us - transfer->begun_us;
    snprintf(result.message, sizeof(result.message), "%s", words_of(code));
    struct http_start start = transfer->start;
    unlink_transfer(engine, transfer);
    if (code == OS_OK && start.progress != NULL) {
        start.progress(start.progress_context, start.request->body.length, start.request->body.length);
    }
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
    if (engine->closing) {
        return error_set(err, OS_ERR_CANCELLED, "The client is being closed; open another one for new requests.");
    }
    struct memory_owner *library = memory_switch(NULL);
    struct transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL) {
        abort();
    }
    transfer->start = *start;
    transfer->id = ++engine->last_id;
    transfer->begun_us = world_of(engine)->schedule.now_us;
    buf_init(&transfer->bytes, 16 << 20);
    struct transfer **at = &engine->running;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = transfer;
    *ret_id = transfer->id;
    memory_switch(library);
    return OS_OK;
}

static struct transfer *find(struct http_engine *engine, uint64_t id)
{
    struct transfer *transfer = engine->running;
    while (transfer != NULL && transfer->id != id) {
        transfer = transfer->next;
    }
    return transfer;
}

void http_engine_cancel(struct http_engine *engine, uint64_t id)
{
    struct transfer *transfer = find(engine, id);
    if (transfer == NULL) {
        return;
    }
    struct memory_owner *library = memory_switch(NULL);
    end_without_answer(engine, transfer, OS_ERR_CANCELLED, library);
    memory_switch(library);
}

void http_engine_free(struct http_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    struct memory_owner *library = memory_switch(NULL);
    engine->closing = true;
    while (engine->running != NULL) {
        end_without_answer(engine, engine->running, OS_ERR_CANCELLED, library);
    }
    memory_switch(library);
}

/* ------------------------------------------------------------------------------------------------ the turn */

static void send(struct http_engine *engine, struct transfer *transfer, enum network_request kind)
{
    struct buf bytes;
    buf_init(&bytes, 16 << 20);
    if (!wire_render(transfer->start.request, engine->user_agent, &bytes)) {
        abort();
    }
    transfer->sent = true;
    transfer->moved_ms = now_ms(engine);
    network_send(engine->process, engine, transfer->id, kind, buf_str(&bytes), bytes.len);
    buf_free(&bytes);
}

/* A pause or a death at a request's boundary: `after` it, or just before it leaves. The deadline is looked at again
 * behind a pause, as the real engine does before each of its turns. */
static bool send_fresh(struct http_engine *engine)
{
    struct transfer *transfer = engine->running;
    while (transfer != NULL && transfer->sent) {
        transfer = transfer->next;
    }
    if (transfer == NULL) {
        return false;
    }
    uint64_t id = transfer->id;
    uint64_t occasion = network_occasion(engine->process);
    const struct http_request *request = transfer->start.request;
    enum network_request kind = network_request_of(request->host, request->method, buf_str(&request->query));
    network_strike_process(engine->process, occasion, kind, false);
    transfer = find(engine, id);
    uint64_t deadline_ms = transfer != NULL ? transfer->start.deadline_monotonic_ms : 0;
    if (transfer != NULL && (deadline_ms == 0 || deadline_ms > now_ms(engine))) {
        send(engine, transfer, kind);
        network_strike_process(engine->process, occasion, kind, true);
    }
    return transfer != NULL && transfer->sent;
}

static uint64_t due_ms(const struct transfer *transfer)
{
    uint64_t due = transfer->start.deadline_monotonic_ms ? transfer->start.deadline_monotonic_ms : UINT64_MAX;
    if (transfer->start.stall_ms != 0 && transfer->sent && transfer->moved_ms + transfer->start.stall_ms < due) {
        due = transfer->moved_ms + transfer->start.stall_ms;
    }
    return due;
}

/* Answers first: one that is here counts, whatever the time. One request each turn, since a callback may do anything.
 */
static bool end_one(struct http_engine *engine, struct memory_owner *library)
{
    for (struct transfer *each = engine->running; each; each = each->next) {
        if (!each->arrived) {
            continue;
        }
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
        if (due != UINT64_MAX && (due > now ? due - now : 0) < wait) {
            wait = due > now ? due - now : 0;
        }
    }
    return wait;
}

void http_engine_poll(struct http_engine *engine, uint64_t timeout_ms)
{
    struct memory_owner *library = memory_switch(NULL);
    while (send_fresh(engine)) {
        continue;
    }
    bool ended = end_one(engine, library);
    if (!ended && !engine->woken) {
        struct world *world = world_of(engine);
        uint64_t wait = wait_ms(engine, timeout_ms);
        task_wait(engine, process_after_ms(engine->process, world->schedule.now_us, wait));
    }
    engine->woken = false;
    while (end_one(engine, library)) {
        continue;
    }
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
    if (transfer == NULL || transfer->arrived) {
        return false;
    }
    transfer->arrived = true;
    transfer->delivery = delivery;
    if (!buf_add(&transfer->bytes, bytes, length)) {
        abort();
    }
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
