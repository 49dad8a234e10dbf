/* SPDX-License-Identifier: Apache-2.0 */
#include "client/workers.h"

#include "base/error.h"
#include "base/thread.h"

#include <stdlib.h>

struct workers {
    struct monitor monitor; /* of all below; woken when there is work, or no more will come */
    struct loop_blocking *first;
    struct loop_blocking *last;
    struct thread threads[WORKERS_MAX];
    size_t thread_count;
    size_t idle_count;
    size_t waiting_count; /* queued, not taken */
    bool stopping;
};

os_code workers_new(struct workers **ret, os_error *err)
{
    struct workers *workers = calloc(1, sizeof(*workers));
    if (workers == NULL)
        return error_no_memory(err);
    if (!monitor_init(&workers->monitor)) {
        free(workers);
        return error_no_memory(err);
    }
    *ret = workers;
    return OS_OK;
}

static void work_off(struct loop_blocking *blocking)
{
    struct loop *loop = blocking->loop;
    blocking->work(blocking);
    loop_post(loop, &blocking->job);
}

static struct loop_blocking *take(struct workers *workers)
{
    struct loop_blocking *blocking = workers->first;
    workers->first = blocking->next;
    if (workers->first == NULL)
        workers->last = NULL;
    workers->waiting_count--;
    return blocking;
}

static void worker_main(void *context)
{
    struct workers *workers = context;
    monitor_enter(&workers->monitor);
    for (;;) {
        while (workers->first == NULL && !workers->stopping) {
            workers->idle_count++;
            monitor_wait(&workers->monitor);
            workers->idle_count--;
        }
        if (workers->first == NULL)
            break;
        struct loop_blocking *blocking = take(workers);
        monitor_leave(&workers->monitor);
        work_off(blocking);
        monitor_enter(&workers->monitor);
    }
    monitor_leave(&workers->monitor);
}

void workers_run(struct workers *workers, struct loop_blocking *blocking)
{
    blocking->next = NULL;
    monitor_enter(&workers->monitor);
    if (workers->waiting_count >= workers->idle_count && workers->thread_count < WORKERS_MAX &&
        thread_start(&workers->threads[workers->thread_count], worker_main, workers))
        workers->thread_count++;
    if (workers->thread_count == 0) {
        monitor_leave(&workers->monitor);
        work_off(blocking);
        return;
    }
    if (workers->last)
        workers->last->next = blocking;
    else
        workers->first = blocking;
    workers->last = blocking;
    workers->waiting_count++;
    monitor_wake(&workers->monitor);
    monitor_leave(&workers->monitor);
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
