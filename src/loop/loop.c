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

enum {
    LOOP_IDLE_MS = 60000, /* nothing to wait for but a wake-up */
    TURN_PATIENCE_REQUESTS = 64
};

struct loop {
    struct http_engine *http;
    struct workers *workers;
    pthread_mutex_t mutex; /* of the posted jobs */
    struct loop_job *first;
    struct loop_job *last;
    bool runs; /* on `thread`: under the mutex */
    struct thread thread;
    struct heap timers;
    struct loop_turn *first_turn;
    struct loop_turn *last_turn;
    uint64_t ended_at_turn; /* requests, when the last turn was given */
    atomic_bool stopping;
    atomic_bool hurries;
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

void loop_timer_clear(struct loop *loop, struct loop_timer *timer)
{
    if (timer->node.inside) /* of an operation that has not begun there is no loop */
        heap_remove(&loop->timers, &timer->node);
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t delay_ms)
{
    uint64_t now_ms = clock_monotonic_ms();
    heap_put(&loop->timers, &timer->node, delay_ms > UINT64_MAX - now_ms ? UINT64_MAX : now_ms + delay_ms);
}

static bool fire_timers(struct loop *loop)
{
    bool any = false;
    uint64_t now_ms = clock_monotonic_ms();
    while (heap_first_key(&loop->timers) <= now_ms) {
        struct loop_timer *timer = container_of(heap_first(&loop->timers), struct loop_timer, node);
        loop_timer_clear(loop, timer);
        timer->fire(timer);
        any = true;
    }
    return any;
}

static uint64_t idle_ms(const struct loop *loop)
{
    uint64_t now_ms = clock_monotonic_ms();
    uint64_t at_ms = heap_first_key(&loop->timers);
    uint64_t wait_ms = at_ms > now_ms ? at_ms - now_ms : 0;
    return wait_ms < LOOP_IDLE_MS ? wait_ms : LOOP_IDLE_MS;
}

/* ------------------------------------------------------------------------------------------------ turns */

void loop_await_turn(struct loop *loop, struct loop_turn *turn)
{
    assert(!turn->waits);
    turn->waits = true;
    turn->next = NULL;
    turn->previous = loop->last_turn;
    if (loop->last_turn)
        loop->last_turn->next = turn;
    else
        loop->first_turn = turn;
    loop->last_turn = turn;
}

void loop_leave_turn(struct loop *loop, struct loop_turn *turn)
{
    if (!turn->waits)
        return;
    turn->waits = false;
    if (turn->previous)
        turn->previous->next = turn->next;
    else
        loop->first_turn = turn->next;
    if (turn->next)
        turn->next->previous = turn->previous;
    else
        loop->last_turn = turn->previous;
}

/* Requests that wait for no turn could take every connection for ever. */
static bool is_overdue(const struct loop *loop)
{
    return http_engine_ended_count(loop->http) - loop->ended_at_turn >= TURN_PATIENCE_REQUESTS;
}

static bool may_begin(const struct loop *loop)
{
    return atomic_load(&loop->hurries) || http_engine_has_room(loop->http) || is_overdue(loop);
}

static bool give_turns(struct loop *loop)
{
    bool any = false;
    while (loop->first_turn && may_begin(loop)) {
        struct loop_turn *turn = loop->first_turn;
        loop_leave_turn(loop, turn);
        loop->ended_at_turn = http_engine_ended_count(loop->http);
        turn->run(turn);
        any = true;
    }
    return any;
}

/* ------------------------------------------------------------------------------------------------ running */

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

static bool has_jobs(struct loop *loop)
{
    pthread_mutex_lock(&loop->mutex);
    bool any = loop->first != NULL;
    pthread_mutex_unlock(&loop->mutex);
    return any;
}

/* All but the connections. True: there was something to do. */
static bool run_what_is_due(struct loop *loop)
{
    bool busy = run_jobs(loop);
    busy = fire_timers(loop) || busy;
    return give_turns(loop) || busy;
}

static bool is_stopping(void *context)
{
    const struct loop *loop = context;
    return atomic_load(&loop->stopping);
}

void loop_run_until(struct loop *loop, bool (*is_over)(void *context), void *context)
{
    note_thread(loop, true);
    while (!is_over(context)) {
        bool busy = run_what_is_due(loop);
        http_engine_poll(loop->http, busy ? 0 : idle_ms(loop));
    }
    note_thread(loop, false);
}

void loop_run(struct loop *loop)
{
    loop_run_until(loop, is_stopping, loop);
    note_thread(loop, true);
    while (run_jobs(loop))
        continue;
    note_thread(loop, false);
}

void loop_step(struct loop *loop)
{
    note_thread(loop, true);
    (void)run_what_is_due(loop);
    http_engine_poll(loop->http, 0);
    (void)give_turns(loop);
    if (has_jobs(loop)) /* the next step runs them: one that goes on for ever would block */
        http_engine_wakeup(loop->http);
    http_engine_await(loop->http);
    note_thread(loop, false);
}

int loop_fd(const struct loop *loop)
{
    return http_engine_fd(loop->http);
}

uint64_t loop_due_ms(const struct loop *loop)
{
    uint64_t now_ms = clock_monotonic_ms();
    uint64_t timer_ms = heap_first_key(&loop->timers);
    uint64_t engine_ms = http_engine_due_ms(loop->http);
    uint64_t due_ms = timer_ms < engine_ms ? timer_ms : engine_ms;
    if (loop->first_turn && may_begin(loop))
        return 0;
    if (due_ms == UINT64_MAX)
        return UINT64_MAX;
    return due_ms > now_ms ? due_ms - now_ms : 0;
}

void loop_stop(struct loop *loop)
{
    atomic_store(&loop->stopping, true);
    http_engine_wakeup(loop->http);
}

void loop_hurry(struct loop *loop)
{
    atomic_store(&loop->hurries, true);
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
