/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/process.h"

#include "sim/coroutine.h"
#include "sim/world.h"

#include <assert.h>
#include <stdlib.h>

struct task *task_running;

/* ------------------------------------------------------------------------------------------------ threads */

static void run_task(void *context)
{
    struct task *task = context;
    task->run(task->context);
    memory_switch(NULL);
    task_wake_all(task->process, task); /* those that join it */
}

static void resume(void *context, uint64_t wait)
{
    struct task *task = context;
    struct process *process = task->process;
    struct schedule *schedule = &process->world->schedule;
    if (process->dead || !task->waiting || task->wait != wait)
        return;
    if (process->stopped_until_us > schedule->now_us) {
        schedule_at(schedule, process->stopped_until_us, resume, task, wait);
        return;
    }
    task->waiting = false;
    task->waits_on = NULL;
    task_running = task;
    memory_switch(task->memory);
    coroutine_resume(task->coroutine);
    task->memory = memory_switch(NULL);
    task_running = NULL;
    if (process->dead)
        process_kill(process);
}

struct task *task_start(struct process *process, void (*run)(void *context), void *context, struct memory_owner *memory)
{
    struct memory_owner *was = memory_switch(NULL);
    struct task *task = calloc(1, sizeof(*task));
    if (task == NULL)
        abort();
    *task = (struct task){.next = process->tasks, .process = process, .run = run, .context = context};
    task->memory = memory;
    task->id = ++process->task_count;
    task->coroutine = coroutine_new(run_task, task);
    if (task->coroutine == NULL)
        abort();
    process->tasks = task;
    task->waiting = true;
    schedule_at(&process->world->schedule, process->world->schedule.now_us, resume, task, task->wait);
    memory_switch(was);
    return task;
}

bool task_wait(const void *waits_on, uint64_t until_us)
{
    struct task *task = task_running;
    assert(task != NULL && !task->waiting);
    struct memory_owner *was = memory_switch(NULL);
    task->waiting = true;
    task->woken = false;
    task->waits_on = waits_on;
    task->wait++;
    if (until_us != UINT64_MAX)
        schedule_at(&task->process->world->schedule, until_us, resume, task, task->wait);
    coroutine_yield();
    memory_switch(was);
    return task->woken;
}

void task_wake_all(struct process *process, const void *waits_on)
{
    struct memory_owner *was = memory_switch(NULL);
    struct schedule *schedule = &process->world->schedule;
    for (struct task *task = process->tasks; task; task = task->next) {
        if (task->waiting && !task->woken && task->waits_on == waits_on) {
            task->woken = true;
            schedule_at(schedule, schedule->now_us, resume, task, task->wait);
        }
    }
    memory_switch(was);
}

bool task_ended(const struct task *task)
{
    return coroutine_ended(task->coroutine);
}

/* ------------------------------------------------------------------------------------------------ clocks */

enum { MILLION = 1000000 };

static uint64_t run_fast(uint64_t us, int64_t ppm)
{
    return (uint64_t)((int64_t)us + (int64_t)us / MILLION * ppm + (int64_t)us % MILLION * ppm / MILLION);
}

void process_read_clocks(const struct process *process, uint64_t now_us, struct clock_reading *ret)
{
    const struct process_clocks *clocks = &process->clocks;
    uint64_t since_us = run_fast(now_us, clocks->drift_ppm);
    uint64_t awake_us = run_fast(now_us - clocks->suspended_us, clocks->drift_ppm);
    ret->monotonic_ms = (clocks->monotonic_base_us + awake_us) / 1000;
    ret->boottime_ms = (clocks->boottime_base_us + since_us) / 1000;
    ret->realtime_ms = (clocks->realtime_base_us + (clocks->is_disciplined ? now_us : since_us)) / 1000;
}

uint64_t process_after_ms(const struct process *process, uint64_t now_us, uint64_t monotonic_ms)
{
    if (monotonic_ms > UINT64_C(1) << 40)
        return UINT64_MAX;
    uint64_t rate = (uint64_t)(MILLION + process->clocks.drift_ppm);
    return now_us + monotonic_ms * 1000 * MILLION / rate + 1000;
}

void process_stop(struct process *process, uint64_t for_us, bool suspended)
{
    uint64_t now_us = process->world->schedule.now_us;
    uint64_t from_us = process->stopped_until_us > now_us ? process->stopped_until_us : now_us;
    process->stopped_until_us = from_us + for_us;
    process->stopped_us += for_us;
    if (suspended)
        process->clocks.suspended_us += for_us;
}

/* ------------------------------------------------------------------------------------------------ death */

static void free_tasks(struct process *process)
{
    while (process->tasks) {
        struct task *task = process->tasks;
        process->tasks = task->next;
        coroutine_free(task->coroutine);
        free(task);
    }
}

/* From within, the scheduler does the rest as soon as it has the thread back. Events that still name one of its threads
 * find the process dead, so the threads themselves stay until the end of the world. */
void process_kill(struct process *process)
{
    process->dead = true;
    if (task_running != NULL && task_running->process == process) {
        memory_switch(NULL);
        coroutine_yield();
        abort(); /* a dead process runs on */
    }
    for (struct task *task = process->tasks; task; task = task->next) {
        coroutine_free(task->coroutine);
        task->coroutine = NULL;
    }
    memory_clear(&process->memory);
    process->died(process);
}

void process_free(struct process *process)
{
    free_tasks(process);
    memory_clear(&process->memory);
    free(process);
}
