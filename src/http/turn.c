/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's turn: what may begin, what has to end, which bodies go on, and libcurl's share of it. Deadlines and stalls
 * are kept here, not by libcurl, because they end a request with a reset. Nothing is walked through: a turn costs what
 * happens in it, however many requests there are.
 */
#include "base/container.h"
#include "http/internal.h"

#include <assert.h>

/* Takes out the first whose time has come. */
static struct heap_node *take_due(struct heap *heap, uint64_t now_ms)
{
    struct heap_node *node = heap_first_key(heap) <= now_ms ? heap_first(heap) : NULL;
    if (node != NULL)
        heap_remove(heap, node);
    return node;
}

/* ------------------------------------------------------------------------------------------------ deadlines */

static bool expire_at_deadline(struct http_transfer *transfer)
{
    uint64_t deadline_ms = transfer->start.deadline_monotonic_ms;
    if (deadline_ms == 0 || deadline_ms > transfer->engine->now_ms)
        return false;
    struct http_result late;
    failure_describe_deadline(transfer, &late);
    engine_abort(transfer, late.code, late.message);
    return true;
}

/* Before libcurl's turn: a request that is not wholly sent sends nothing more after its deadline, also when the process
 * was stopped for a while. One that only waits gets the turn first: its answer may be here. */
static void expire_unsent(struct http_engine *engine)
{
    struct heap_node *node = NULL;
    while ((node = take_due(&engine->unsent, engine->now_ms)) != NULL) {
        struct http_transfer *transfer = container_of(node, struct http_transfer, unsent);
        if (!transfer->wire.sent || transfer->wire.bytes_out < body_length(&transfer->start.request->body))
            (void)expire_at_deadline(transfer);
    }
}

static void expire_one(struct http_transfer *transfer)
{
    if (transfer->cancelled) {
        engine_abort(transfer, OS_ERR_CANCELLED, "the request was cancelled");
        return;
    }
    if (expire_at_deadline(transfer))
        return;
    if (due_end_ms(transfer) > transfer->engine->now_ms) { /* something has moved since it was planned */
        due_plan(transfer);
        return;
    }
    if (socket_drains(transfer)) { /* libcurl has handed over everything, and the kernel is still sending */
        transfer->wire.moved_ms = transfer->engine->now_ms;
        due_plan(transfer);
        return;
    }
    engine_abort(transfer, OS_ERR_DEADLINE, "the connection stood still for too long");
}

static void expire_due(struct http_engine *engine)
{
    struct heap_node *node = NULL;
    while ((node = take_due(&engine->dues, engine->now_ms)) != NULL)
        expire_one(container_of(node, struct http_transfer, due));
}

/* ------------------------------------------------------------------------------------------------ the turn */

static void begin_waiting(struct http_engine *engine)
{
    struct http_transfer *transfer = NULL;
    while ((transfer = queue_next(engine)) != NULL) {
        if ((engine->disordered && !engine_renew_multi(engine)) || !transfer_take_handle(transfer)) {
            engine_abort(transfer, OS_ERR_NO_MEMORY, "out of memory");
            continue;
        }
        transfer->wire.moved_ms = engine->now_ms;
    }
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
    struct heap_node *node = NULL;
    engine->in_libcurl = true; /* it may call back at once */
    while ((node = take_due(&engine->looks, now_ms)) != NULL) {
        struct http_transfer *transfer = container_of(node, struct http_transfer, look);
        bool goes_on = may_go_on(transfer, now_ms);
        /* What else goes wrong in it ends the transfer later; this is libcurl 7.88's word for its books (lib/easy.c). */
        if (goes_on && curl_easy_pause(transfer->easy, CURLPAUSE_CONT) == CURLE_ABORTED_BY_CALLBACK &&
            transfer->fault.code == OS_OK)
            engine->disordered = true;
        if (!transfer->look.inside && !goes_on)
            due_plan(transfer);
    }
    engine->in_libcurl = false;
}

static void reap(struct http_engine *engine)
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

/* Out of memory, or its own books are in disorder: they are by then. 7.88 keeps an entry of a socket that it had no memory
 * for, also when that is closed before it was a connection, and crashes with the next of the same number (singlesocket in
 * lib/multi.c). */
static void perform(struct http_engine *engine)
{
    bool spoilt = engine->disordered && engine->started != NULL;
    engine->in_libcurl = true;
    CURLMcode code = spoilt ? CURLM_OUT_OF_MEMORY : events_hand_over(engine);
    engine->in_libcurl = false;
    if (code == CURLM_OK)
        return;
    engine->disordered = true;
    reap(engine); /* what has its answer keeps it */
    while (engine->started != NULL)
        engine_abort(engine->started, OS_ERR_NO_MEMORY, curl_multi_strerror(code));
}

/* What is due ends only if its answer is not here: the process may have been stopped since the kernel was asked. */
static void hear_all(struct http_engine *engine)
{
    size_t rounds = engine->socket_count / EVENTS_AT_A_TIME + 1;
    do {
        events_wait(engine, 0);
        perform(engine);
        reap(engine);
    } while (--rounds > 0);
}

static void take_turn(struct http_engine *engine)
{
    engine->now_ms = clock_monotonic_us() / 1000;
    expire_unsent(engine);
    socket_end_idle(engine);
    begin_waiting(engine);
    let_bodies_go(engine);
    perform(engine);
    reap(engine);
    engine->now_ms = clock_monotonic_us() / 1000;
    if (heap_first_key(&engine->dues) > engine->now_ms)
        return;
    hear_all(engine);
    expire_due(engine);
}

static uint64_t next_turn_ms(struct http_engine *engine)
{
    if (queue_may_begin(engine)) /* started by a callback of libcurl's turn */
        return 0;
    uint64_t due = earlier(heap_first_key(&engine->unsent), heap_first_key(&engine->dues));
    due = earlier(due, heap_first_key(&engine->looks));
    due = earlier(due, engine->idle_due_ms);
    return earlier(due, events_due_ms(engine));
}

void http_engine_poll(struct http_engine *engine, uint64_t timeout_ms)
{
    assert(!engine->polling && !engine->in_libcurl);
    engine->polling = true;
    uint64_t ended_before = engine->ended_count;
    uint64_t now_ms = clock_monotonic_us() / 1000;
    uint64_t until_ms = timeout_ms < UINT64_MAX - now_ms ? now_ms + timeout_ms : UINT64_MAX;
    events_wait(engine, 0);
    for (;;) {
        take_turn(engine);
        if (engine->ended_count != ended_before || events_were_woken(engine) || engine->now_ms >= until_ms)
            break;
        uint64_t wake = earlier(next_turn_ms(engine), until_ms); /* may have passed meanwhile */
        events_wait(engine, wake > engine->now_ms ? wake - engine->now_ms : 0);
    }
    engine->polling = false;
}

uint64_t http_engine_due_ms(struct http_engine *engine)
{
    return engine->started != NULL ? next_turn_ms(engine) : engine->idle_due_ms;
}
