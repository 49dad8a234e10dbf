/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static bool init_woken(pthread_cond_t *ret)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0)
        return false;
    int failed = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    failed = failed ? failed : pthread_cond_init(ret, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return failed == 0;
}

bool monitor_init(struct monitor *monitor)
{
    if (pthread_mutex_init(&monitor->mutex, NULL) != 0)
        return false;
    if (init_woken(&monitor->woken))
        return true;
    pthread_mutex_destroy(&monitor->mutex);
    return false;
}

void monitor_destroy(struct monitor *monitor)
{
    pthread_cond_destroy(&monitor->woken);
    pthread_mutex_destroy(&monitor->mutex);
}

void monitor_enter(struct monitor *monitor)
{
    pthread_mutex_lock(&monitor->mutex);
}

void monitor_leave(struct monitor *monitor)
{
    pthread_mutex_unlock(&monitor->mutex);
}

void monitor_wait(struct monitor *monitor)
{
    pthread_cond_wait(&monitor->woken, &monitor->mutex);
}

bool monitor_wait_until(struct monitor *monitor, uint64_t monotonic_ms)
{
    struct timespec until = {
        .tv_sec = (time_t)(monotonic_ms / 1000),
        .tv_nsec = (long)(monotonic_ms % 1000) * 1000000,
    };
    return pthread_cond_timedwait(&monitor->woken, &monitor->mutex, &until) != ETIMEDOUT;
}

void monitor_wake(struct monitor *monitor)
{
    pthread_cond_broadcast(&monitor->woken);
}

struct beginning { /* malloc'ed for the new thread, which frees it */
    void (*run)(void *context);
    void *context;
};

static void *thread_begin(void *argument)
{
    struct beginning own = *(struct beginning *)argument;
    free(argument);
    own.run(own.context);
    return NULL;
}

bool thread_start(struct thread *ret, void (*run)(void *context), void *context)
{
    struct beginning *beginning = malloc(sizeof(*beginning));
    if (beginning == NULL)
        return false;
    *beginning = (struct beginning){.run = run, .context = context};
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&ret->id, NULL, thread_begin, beginning);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0)
        free(beginning);
    return failed == 0;
}

void thread_join(struct thread *thread)
{
    pthread_join(thread->id, NULL);
}

void thread_self(struct thread *ret)
{
    ret->id = pthread_self();
}

bool thread_same(const struct thread *a, const struct thread *b)
{
    return pthread_equal(a->id, b->id) != 0;
}
