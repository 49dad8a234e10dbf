/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/frame.h"

#include <stdlib.h>
#include <string.h>

/* An abort, and then a HEAD, may each take UPLOAD_ABORT_MS beyond the deadline (guarded/abort_and_verify.c). */
enum { SLACK_MS = 5000 };

void frame_enter(struct worker *worker)
{
    memory_switch(&worker->process->memory);
}

void frame_leave(void)
{
    memory_switch(NULL);
}

uint64_t frame_now_us(const struct worker *worker)
{
    return worker->world->schedule.now_us;
}

struct cancelling {
    struct process *process;
    uint64_t calls;
};

static void cancel(void *context, uint64_t unused)
{
    struct cancelling *cancelling = context;
    struct worker *worker = cancelling->process->owner;
    (void)unused;
    if (!cancelling->process->dead && worker != NULL && worker->cancel != NULL && worker->calls == cancelling->calls)
        os_cancel_trigger(worker->cancel);
    free(cancelling);
}

void frame_cancel_later(struct worker *worker, uint64_t after_us)
{
    struct cancelling *cancelling = calloc(1, sizeof(*cancelling));
    if (cancelling == NULL)
        abort();
    *cancelling = (struct cancelling){.process = worker->process, .calls = worker->calls + 1};
    frame_enter(worker);
    os_code code = os_cancel_new(&worker->cancel);
    frame_leave();
    if (code != OS_OK)
        worker->cancel = NULL;
    schedule_at(&worker->world->schedule, frame_now_us(worker) + after_us, cancel, cancelling, 0);
}

void frame_forget_cancel(struct worker *worker)
{
    frame_enter(worker);
    os_cancel_free(worker->cancel);
    frame_leave();
    worker->cancel = NULL;
}

void frame_begin(struct worker *worker, struct frame *ret, uint64_t deadline_ms)
{
    *ret = (struct frame){.worker = worker, .call = OS_CALL_INIT, .result = OS_RESULT_INIT};
    ret->call.deadline_ms = deadline_ms;
    ret->call.cancel = worker->cancel;
    ret->stopped_us = worker->process->stopped_us;
    worker->calls++;
    process_read_clocks(worker->process, frame_now_us(worker), &ret->begun);
    frame_enter(worker);
}

void frame_end(struct frame *frame, const char *what)
{
    struct worker *worker = frame->worker;
    struct clock_reading now;
    frame_leave();
    process_read_clocks(worker->process, frame_now_us(worker), &now);
    uint64_t took_ms = now.monotonic_ms - frame->begun.monotonic_ms;
    uint64_t stopped_ms = (worker->process->stopped_us - frame->stopped_us) / 1000 * 6 / 5;
    if (took_ms > frame->call.deadline_ms + stopped_ms + SLACK_MS) {
        world_fail(worker->world, "%s took %llu ms, with a deadline of %llu ms.", what, (unsigned long long)took_ms,
                   (unsigned long long)frame->call.deadline_ms);
    }
    if (strstr(frame->error.message, "(null)") != NULL) /* glibc's text for a NULL in a sentence */
        world_fail(worker->world, "%s says: %s", what, frame->error.message);
    frame_forget_cancel(worker);
}
