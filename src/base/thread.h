/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, and waiting for one another: whatever blocks a thread on another one of the library goes through here, so
 * that a program which runs the library on threads of its own making (the simulator's coroutines) replaces this one
 * file. Plain mutexes, which are never held for long, stay pthread's.
 */
#ifndef OSCOMMIT_BASE_THREAD_H
#define OSCOMMIT_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* One thread at a time is inside; inside, it may wait until another one that is inside wakes it. */
struct monitor {
    pthread_mutex_t mutex;
    pthread_cond_t woken;
};

bool monitor_init(struct monitor *monitor); /* false: out of resources */
void monitor_destroy(struct monitor *monitor);
void monitor_enter(struct monitor *monitor);
void monitor_leave(struct monitor *monitor);

/* All of these inside. Waiting lets others in meanwhile; it may end for nothing, so look again. */
void monitor_wait(struct monitor *monitor);
bool monitor_wait_until(struct monitor *monitor, uint64_t monotonic_ms); /* false: that time has come */
void monitor_wake(struct monitor *monitor);                              /* all that wait */

struct thread {
    pthread_t id;
};

/* A thread that takes no signal: those belong to the program's own ones. False: the system's limit is reached. */
bool thread_start(struct thread *ret, void (*run)(void *context), void *context);
void thread_join(struct thread *thread);

/* The thread that calls. */
void thread_self(struct thread *ret);
bool thread_same(const struct thread *a, const struct thread *b);

/* Spreads threads over slots: their ids lie a stack's size apart. */
static inline uint32_t thread_hash(const struct thread *thread)
{
    return (uint32_t)(((uint64_t)(uintptr_t)thread->id * 0x9E3779B97F4A7C15U) >> 32);
}

#endif
