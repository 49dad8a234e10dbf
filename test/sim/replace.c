/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the simulator puts in the place of base/clock.c, base/random.c and base/thread.c: the clocks and the luck of the
 * simulated process whose thread runs, and threads that are coroutines. As only one of them runs at a time, and none is
 * interrupted, a monitor needs no lock: its address is all that a waiting thread is known by.
 */
#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "sim/world.h"

#include <assert.h>
#include <string.h>

void clock_read(struct clock_reading *ret)
{
    const struct process *process = task_running->process;
    process_read_clocks(process, process->world->schedule.now_us, ret);
}

bool random_bytes(void *ret, size_t len)
{
    unsigned char *bytes = ret;
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)(random_next(&task_running->process->random) >> 32);
    return true;
}

bool monitor_init(struct monitor *monitor)
{
    memset(monitor, 0, sizeof(*monitor));
    return true;
}

void monitor_destroy(struct monitor *monitor)
{
    (void)monitor;
}

void monitor_enter(struct monitor *monitor)
{
    (void)monitor;
}

void monitor_leave(struct monitor *monitor)
{
    (void)monitor;
}

void monitor_wait(struct monitor *monitor)
{
    (void)task_wait(monitor, UINT64_MAX);
}

bool monitor_wait_until(struct monitor *monitor, uint64_t monotonic_ms)
{
    struct process *process = task_running->process;
    struct clock_reading now;
    clock_read(&now);
    if (now.monotonic_ms >= monotonic_ms)
        return false;
    return task_wait(monitor,
                     process_after_ms(process, process->world->schedule.now_us, monotonic_ms - now.monotonic_ms));
}

void monitor_wake(struct monitor *monitor)
{
    task_wake_all(task_running->process, monitor);
}

/* The thread's number among its process's stands for it. */
bool thread_start(struct thread *ret, void (*run)(void *context), void *context)
{
    struct process *process = task_running->process;
    ret->id = (pthread_t)task_start(process, run, context, &process->memory)->id;
    return true;
}

void thread_join(struct thread *thread)
{
    struct task *task = task_running->process->tasks;
    while (task->id != (uint64_t)thread->id)
        task = task->next;
    while (!task_ended(task))
        (void)task_wait(task, UINT64_MAX);
}

void thread_self(struct thread *ret)
{
    ret->id = (pthread_t)task_running->id;
}

bool thread_same(const struct thread *a, const struct thread *b)
{
    return a->id == b->id;
}
