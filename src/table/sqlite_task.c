/* SPDX-License-Identifier: Apache-2.0 */
#include "table/sqlite_task.h"

#include "base/container.h"
#include "base/random.h"

/* A worker waits for a busy file no longer than a usual write takes; then others have their turn. */
enum { SLICE_MS = 20, PAUSE_FIRST_MS = 4, PAUSE_MOST_MS = 64 };

struct sqlite_patience sqlite_task_patience(const struct sqlite_task *task)
{
    uint64_t slice_end_ms = clock_monotonic_ms() + SLICE_MS;
    uint64_t until_ms = task->until_monotonic_ms;
    return (struct sqlite_patience){.until_ms = slice_end_ms < until_ms ? slice_end_ms : until_ms,
                                    .cancelled = &task->borrow.cancelled};
}

bool sqlite_task_is_cancelled(struct sqlite_task *task)
{
    return borrow_is_cancelled(&task->borrow);
}

static struct sqlite_task *task_of(struct loop_blocking *blocking)
{
    return container_of(blocking, struct sqlite_task, blocking);
}

static void sqlite_task_work(struct loop_blocking *blocking)
{
    struct sqlite_task *task = task_of(blocking);
    if (!borrow_enter(&task->borrow))
        return;
    task->is_untouched = task->work(task);
    task->waits = task->is_untouched && clock_monotonic_ms() < task->until_monotonic_ms;
    borrow_leave(&task->borrow);
}

static void sqlite_task_end(struct sqlite_task *task)
{
    loop_timer_clear(task->loop, &task->timer);
    if (!sqlite_task_is_cancelled(task))
        task->done(task);
    borrow_destroy(&task->borrow);
    task->free(task);
}

/* The last try is made when the time is over. */
static void sqlite_task_wait(struct sqlite_task *task)
{
    uint64_t left_ms = clock_left_ms(task->until_monotonic_ms);
    uint32_t most_ms = task->pause_ms * 2 < PAUSE_MOST_MS ? task->pause_ms * 2 : PAUSE_MOST_MS;
    uint64_t pause_ms = most_ms / 2 + random_next(&task->jitter) % (most_ms / 2 + 1);
    task->pause_ms = most_ms;
    loop_timer_set(task->loop, &task->timer, pause_ms < left_ms ? pause_ms : left_ms);
}

static void sqlite_task_worked(struct loop_blocking *blocking)
{
    struct sqlite_task *task = task_of(blocking);
    if (task->waits && !sqlite_task_is_cancelled(task))
        sqlite_task_wait(task);
    else
        sqlite_task_end(task);
}

static void sqlite_task_again(struct loop_timer *timer)
{
    struct sqlite_task *task = container_of(timer, struct sqlite_task, timer);
    loop_run_blocking(task->loop, &task->blocking);
}

bool sqlite_task_start(struct sqlite_task *task, struct loop *loop, enum loop_lane lane)
{
    if (!borrow_init(&task->borrow))
        return false;
    task->loop = loop;
    task->is_untouched = true;
    task->timer.fire = sqlite_task_again;
    task->pause_ms = PAUSE_FIRST_MS / 2;
    (void)random_bytes(&task->jitter, sizeof(task->jitter)); /* without it: less jitter */
    task->blocking.lane = lane;
    task->blocking.work = sqlite_task_work;
    task->blocking.done = sqlite_task_worked;
    loop_run_blocking(loop, &task->blocking);
    return true;
}

bool sqlite_task_stop(struct sqlite_task *task)
{
    borrow_cancel(&task->borrow);
    return task->is_untouched;
}

void sqlite_task_leave(struct sqlite_task *task)
{
    if (task->timer.node.inside)
        sqlite_task_end(task);
}

void sqlite_task_cancel(struct sqlite_task *task)
{
    (void)sqlite_task_stop(task);
    sqlite_task_leave(task);
}
