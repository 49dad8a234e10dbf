/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"

#include "base/container.h"
#include "base/error.h"
#include "base/thread.h"
#include "loop/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LOOP_IDLE_MS = 60000 }; /* nothing to wait for but a wake-up */

struct loop {
    struct http_engine *http;
    struct workers *workers;
    pthread_mutex_t mutex; /* of the posted jobs */
    struct loop_job *first;
    struct loop_job *last;
    bool runs; /* on `thread`: under the mutex */
    struct thread thread;
    struct loop_timer *timers; /* sorted by time */
    atomic_bool stopping;
};

static void post_done(struct loop_blocking *blocking)
{
    loop_post(blocking->loop, &blocking->job);
}

os_code loop_new(const struct http_engine_options *http, struct loop **ret, os_error *err)
{
    struct loop *loop = calloc(1, sizeof(*loop));
    if (loop == NULL)
        return error_no_memory(err);
    if (pthread_mutex_init(&loop->mutex, NULL) != 0) {
        free(loop);
        return error_no_memory(err);
    }
    os_code code = http_engine_new(http, &loop->http, err);
    if (code == OS_OK)
        code = workers_new(post_done, &loop->workers, err);
    if (code != OS_OK) {
        loop_free(loop);
        return code;
    }
    *ret = loop;
    return OS_OK;
}

struct http_engine *loop_http(struct loop *loop)
{
    return loop->http;
}

static bool run_jobs(struct loop *loop)
{
    pthread_mutex_lock(&loop->mutex);
    struct loop_job *job = loop->first;
    loop->first = NULL;
    loop->last = NULL;
    pthread_mutex_unlock(&loop->mutex);
    bool any = job != NULL;
    while (job) {
        struct loop_job *next = job->next; /* running a job may free it */
        job->run(job);
        job = next;
    }
    return any;
}

void loop_post(struct loop *loop, struct loop_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&loop->mutex);
    if (loop->last)
        loop->last->next = job;
    else
        loop->first = job;
    loop->last = job;
    pthread_mutex_unlock(&loop->mutex);
    http_engine_wakeup(loop->http);
}

/* ------------------------------------------------------------------------------------------------ timers */

static uint64_t monotonic_ms(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms;
}

void loop_timer_clear(struct loop *loop, struct loop_timer *timer)
{
    if (!timer->armed)
        return;
    if (timer->previous)
        timer->previous->next = timer->next;
    else
        loop->timers = timer->next;
    if (timer->next)
        timer->next->previous = timer->previous;
    timer->armed = false;
}

/* A sorted list: a client has a few timers per call under way, set far less often than requests are made. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t delay_ms)
{
    loop_timer_clear(loop, timer);
    uint64_t now_ms = monotonic_ms();
    timer->at_monotonic_ms = delay_ms > UINT64_MAX - now_ms ? UINT64_MAX : now_ms + delay_ms;
    struct loop_timer *before = NULL;
    struct loop_timer *after = loop->timers;
    while (after && after->at_monotonic_ms <= timer->at_monotonic_ms) {
        before = after;
        after = after->next;
    }
    timer->previous = before;
    timer->next = after;
    if (before)
        before->next = timer;
    else
        loop->timers = timer;
    if (after)
        after->previous = timer;
    timer->armed = true;
}

static void fire_timers(struct loop *loop)
{
    uint64_t now_ms = monotonic_ms();
    while (loop->timers && loop->timers->at_monotonic_ms <= now_ms) {
        struct loop_timer *timer = loop->timers;
        loop_timer_clear(loop, timer);
        timer->fire(timer);
    }
}

static uint64_t idle_ms(const struct loop *loop)
{
    if (loop->timers == NULL)
        return LOOP_IDLE_MS;
    uint64_t now_ms = monotonic_ms();
    uint64_t at_ms = loop->timers->at_monotonic_ms;
    uint64_t wait_ms = at_ms > now_ms ? at_ms - now_ms : 0;
    return wait_ms < LOOP_IDLE_MS ? wait_ms : LOOP_IDLE_MS;
}

static void note_thread(struct loop *loop, bool runs)
{
    pthread_mutex_lock(&loop->mutex);
    loop->runs = runs;
    thread_self(&loop->thread);
    pthread_mutex_unlock(&loop->mutex);
}

bool loop_is_inside(struct loop *loop)
{
    struct thread self;
    thread_self(&self);
    pthread_mutex_lock(&loop->mutex);
    bool runs_it = loop->runs && thread_same(&loop->thread, &self);
    pthread_mutex_unlock(&loop->mutex);
    return runs_it || (loop->workers && workers_include(loop->workers, &self));
}

void loop_run(struct loop *loop)
{
    note_thread(loop, true);
    while (!atomic_load(&loop->stopping)) {
        bool busy = run_jobs(loop);
        fire_timers(loop);
        http_engine_poll(loop->http, busy ? 0 : idle_ms(loop));
    }
    while (run_jobs(loop))
        continue;
    note_thread(loop, false);
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->stopping, true);
    http_engine_wakeup(loop->http);
}

void loop_drain(struct loop *loop)
{
    workers_free(loop->workers);
    loop->workers = NULL;
    while (run_jobs(loop)) /* what the workers had still to say */
        continue;
}

void loop_free(struct loop *loop)
{
    if (loop == NULL)
        return;
    loop_drain(loop);
    http_engine_free(loop->http);
    pthread_mutex_destroy(&loop->mutex);
    free(loop);
}

/* ------------------------------------------------------------------------------------------------ blocking work */

static void blocking_done(struct loop_job *job)
{
    struct loop_blocking *blocking = container_of(job, struct loop_blocking, job);
    blocking->done(blocking);
}

void loop_run_blocking(struct loop *loop, struct loop_blocking *blocking)
{
    assert(loop->workers != NULL); /* what is under way when a loop ends was cancelled before */
    blocking->loop = loop;
    blocking->job.run = blocking_done;
    workers_run(loop->workers, blocking);
}
