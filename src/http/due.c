/* SPDX-License-Identifier: Apache-2.0 */
/* When a transfer is looked at again: when it may have to end, and when its body may go on. */
#include "http/internal.h"

uint64_t due_end_ms(const struct http_transfer *transfer)
{
    uint64_t due = UINT64_MAX;
    if (transfer->cancelled)
        return 0;
    if (transfer->start.deadline_monotonic_ms != 0)
        due = transfer->start.deadline_monotonic_ms;
    /* Before it is sent, the wait for a place is bounded by the deadline, and connecting by the connect timeout. */
    if (transfer->start.stall_ms != 0 && transfer->wire.sent &&
        transfer->start.stall_ms < UINT64_MAX - transfer->wire.moved_ms)
        due = earlier(due, transfer->wire.moved_ms + transfer->start.stall_ms);
    return due;
}

uint64_t tail_due_ms(const struct http_transfer *transfer)
{
    return transfer->tail.state == TAIL_WAITS || transfer->tail.state == TAIL_LEFT ? transfer->tail.look_ms
                                                                                   : UINT64_MAX;
}

/* The time at which its body is looked at. */
static uint64_t look_ms(const struct http_transfer *transfer)
{
    uint64_t look = tail_due_ms(transfer);
    return transfer->held ? earlier(look, transfer->start.request->body.held_until_monotonic_ms) : look;
}

static void plan(struct heap *heap, struct heap_node *node, uint64_t at_ms)
{
    if (at_ms == UINT64_MAX)
        heap_remove(heap, node);
    else
        heap_put(heap, node, at_ms);
}

void due_plan(struct http_transfer *transfer)
{
    struct http_engine *engine = transfer->engine;
    plan(&engine->looks, &transfer->look, look_ms(transfer));
    plan(&engine->dues, &transfer->due, due_end_ms(transfer));
}
