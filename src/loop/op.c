/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/op.h"

#include "base/container.h"

#include <assert.h>

static void op_on_retry(struct retry *retry)
{
    struct op *op = container_of(retry, struct op, retry);
    assert(op->begun);
    op->attempt(op);
}

static void op_on_deadline(struct loop_timer *timer)
{
    struct op *op = container_of(timer, struct op, deadline_timer);
    assert(op->begun);
    op->interrupted(op, OP_DEADLINE);
}

static void op_interrupt(struct op *op, enum op_reason reason)
{
    assert(op->begun);
    if (op->grace_ms == 0)
        op->interrupted(op, reason);
    else
        op_shorten(op, op->grace_ms);
}

static void op_on_cancel(struct cancel_link *link)
{
    op_interrupt(container_of(link, struct op, cancel_link), OP_CANCELLED);
}

static void op_on_closing(struct cancel_link *link)
{
    op_interrupt(container_of(link, struct op, closing_link), OP_CLOSING);
}

static void op_set_deadline(struct op *op, uint64_t now_ms, uint64_t left_ms)
{
    op->deadline_monotonic_ms = left_ms > UINT64_MAX - now_ms ? UINT64_MAX : now_ms + left_ms;
    if (left_ms != OP_NO_DEADLINE)
        loop_timer_set(op->retry.loop, &op->deadline_timer, left_ms);
}

bool op_begin(struct op *op, const struct op_limits *limits, void (*attempt)(struct op *op),
              void (*interrupted)(struct op *op, enum op_reason reason))
{
    *op = (struct op){
        .attempt = attempt,
        .interrupted = interrupted,
        .grace_ms = limits->grace_ms,
        .deadline_timer = {.fire = op_on_deadline},
        .cancel_link = {.on_cancelled = op_on_cancel},
        .closing_link = {.on_cancelled = op_on_closing},
        .begun = true,
    };
    retry_init(&op->retry, limits->loop, op_on_retry);
    if (!cancel_link(limits->cancel, &op->cancel_link, limits->loop) ||
        !cancel_link(limits->closing, &op->closing_link, limits->loop)) {
        op_end(op);
        return false;
    }
    op_set_deadline(op, op->retry.started.monotonic_ms, limits->deadline_ms);
    return true;
}

void op_end(struct op *op)
{
    op->begun = false;
    retry_stop(&op->retry);
    loop_timer_clear(op->retry.loop, &op->deadline_timer);
    cancel_unlink(&op->cancel_link);
    cancel_unlink(&op->closing_link);
}

void op_pause(struct op *op)
{
    assert(op->begun);
    retry_later(&op->retry);
}

void op_pause_ms(struct op *op, uint64_t delay_ms)
{
    assert(op->begun);
    retry_after(&op->retry, delay_ms);
}

void op_shorten(struct op *op, uint64_t left_ms)
{
    struct clock_reading now;
    assert(op->begun);
    clock_read(&now);
    if (op->deadline_monotonic_ms > now.monotonic_ms + left_ms)
        op_set_deadline(op, now.monotonic_ms, left_ms);
}

os_code op_reason_code(enum op_reason reason)
{
    return reason == OP_DEADLINE ? OS_ERR_DEADLINE : OS_ERR_CANCELLED;
}

const char *op_reason_clause(enum op_reason reason)
{
    switch (reason) {
    case OP_DEADLINE: return "its deadline passed";
    case OP_CANCELLED: return "it was cancelled";
    case OP_CLOSING: break;
    }
    return "its client was closed";
}
