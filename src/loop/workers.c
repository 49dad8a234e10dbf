/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/workers.h"

#include "base/error.h"
#include "base/thread.h"

#include <stdlib.h>

struct lane {
    struct loop_blocking *first;
    struct loop_blocking *last;
    size_t waiting_count; /* queued, not taken */
    size_t busy_count;    /* taken, not done */
    size_t most;          /* of these */
};

struct workers {
    struct monitor monitor; /* of all below; woken when there is work, or no more will come */
    struct lane lanes[LOOP_LANES];
    struct thread threads[WORKERS_MAX];
    size_t thread_count;
    size_t idle_count;
    uint64_t came_count;
    bool stopping;
    workers_done_fn done;
};

os_code workers_new(workers_done_fn done, struct workers **ret, os_error *err)
{
    struct workers *workers = calloc(1, sizeof(*workers));
    if (workers == NULL)
        return error_no_memory(err);
    if (!monitor_init(&workers->monitor)) {
        free(workers);
        return error_no_memory(err);
    }
    workers->done = done;
    for (size_t i = 0; i < LOOP_LANES; i++)
        workers->lanes[i].most = i >= LOOP_RECORDS_READ ? WORKERS_LEDGER : WORKERS_LANE;
    *ret = workers;
    return OS_OK;
}

static void work_off(const struct workers *workers, struct loop_blocking *blocking)
{
    blocking->work(blocking);
    workers->done(blocking);
}

/* Of what waits, so much may run now. */
static size_t runnable_of(const struct lane *lane)
{
    size_t room = lane->most - lane->busy_count;
    return lane->waiting_count < room ? lane->waiting_count : room;
}

static size_t runnable(const struct workers *workers)
{
    size_t count = 0;
    for (size_t i = 0; i < LOOP_LANES; i++)
        count += runnable_of(&workers->lanes[i]);
    return count;
}

/* That has waited longest of all that may run now; NULL: nothing may. */
static struct lane *workers_choose(struct workers *workers)
{
    struct lane *chosen = NULL;
    for (size_t i = 0; i < LOOP_LANES; i++) {
        struct lane *lane = &workers->lanes[i];
        if (runnable_of(lane) > 0 && (chosen == NULL || lane->first->came < chosen->first->came))
            chosen = lane;
    }
    return chosen;
}

static struct loop_blocking *workers_take(struct lane *lane)
{
    struct loop_blocking *blocking = lane->first;
    lane->first = blocking->next;
    if (lane->first == NULL)
        lane->last = NULL;
    lane->waiting_count--;
    lane->busy_count++;
    return blocking;
}

static bool is_over(const struct workers *workers)
{
    bool waits = false;
    for (size_t i = 0; i < LOOP_LANES; i++)
        waits = waits || workers->lanes[i].first != NULL;
    return workers->stopping && !waits;
}

static void work_in(struct workers *workers, struct lane *lane)
{
    struct loop_blocking *blocking = workers_take(lane);
    monitor_leave(&workers->monitor);
    work_off(workers, blocking);
    monitor_enter(&workers->monitor);
    lane->busy_count--;
    if (workers->idle_count > 0 && (runnable(workers) > 1 || is_over(workers)))
        monitor_wake(&workers->monitor); /* this thread takes one */
}

static void worker_main(void *context)
{
    struct workers *workers = context;
    monitor_enter(&workers->monitor);
    while (!is_over(workers)) {
        struct lane *lane = workers_choose(workers);
        if (lane != NULL) {
            work_in(workers, lane);
            continue;
        }
        workers->idle_count++;
        monitor_wait(&workers->monitor);
        workers->idle_count--;
    }
    monitor_leave(&workers->monitor);
}

static void workers_queue(struct workers *workers, struct lane *lane, struct loop_blocking *blocking)
{
    blocking->next = NULL;
    blocking->came = workers->came_count++;
    if (lane->last)
        lane->last->next = blocking;
    else
        lane->first = blocking;
    lane->last = blocking;
    lane->waiting_count++;
}

/* What was just queued, where nothing else waits: no thread is at it, so that it takes no place in its lane. */
static void take_back(struct lane *lane)
{
    (void)workers_take(lane);
    lane->busy_count--;
}

void workers_run(struct workers *workers, struct loop_blocking *blocking)
{
    monitor_enter(&workers->monitor);
    workers_queue(workers, &workers->lanes[blocking->lane], blocking);
    if (runnable(workers) > workers->idle_count && workers->thread_count < WORKERS_MAX &&
        thread_start(&workers->threads[workers->thread_count], worker_main, workers))
        workers->thread_count++;
    bool alone = workers->thread_count == 0;
    if (alone)
        take_back(&workers->lanes[blocking->lane]);
    else
        monitor_wake(&workers->monitor);
    monitor_leave(&workers->monitor);
    if (alone)
        work_off(workers, blocking);
}

bool workers_include(struct workers *workers, const struct thread *thread)
{
    bool found = false;
    monitor_enter(&workers->monitor);
    for (size_t i = 0; i < workers->thread_count && !found; i++)
        found = thread_same(&workers->threads[i], thread);
    monitor_leave(&workers->monitor);
    return found;
}

void workers_free(struct workers *workers)
{
    if (workers == NULL)
        return;
    monitor_enter(&workers->monitor);
    workers->stopping = true;
    monitor_wake(&workers->monitor);
    monitor_leave(&workers->monitor);
    for (size_t i = 0; i < workers->thread_count; i++)
        thread_join(&workers->threads[i]);
    monitor_destroy(&workers->monitor);
    free(workers);
}
