/* SPDX-License-Identifier: Apache-2.0 */
#include "client/workers.h"

#include "base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct workers {
    pthread_mutex_t mutex;
    pthread_cond_t work_there;
    struct loop_blocking *first;
    struct loop_blocking *last;
    pthread_t threads[WORKERS_MAX];
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
    if (pthread_mutex_init(&workers->mutex, NULL) != 0) {
        free(workers);
        return error_no_memory(err);
    }
    if (pthread_cond_init(&workers->work_there, NULL) != 0) {
        pthread_mutex_destroy(&workers->mutex);
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

static void *worker_main(void *argument)
{
    struct workers *workers = argument;
    pthread_mutex_lock(&workers->mutex);
    for (;;) {
        while (workers->first == NULL && !workers->stopping) {
            workers->idle_count++;
            pthread_cond_wait(&workers->work_there, &workers->mutex);
            workers->idle_count--;
        }
        if (workers->first == NULL)
            break;
        struct loop_blocking *blocking = take(workers);
        pthread_mutex_unlock(&workers->mutex);
        work_off(blocking);
        pthread_mutex_lock(&workers->mutex);
    }
    pthread_mutex_unlock(&workers->mutex);
    return NULL;
}

/* Signals belong to the program's own threads. */
static int start_without_signals(pthread_t *thread, void *(*main_fn)(void *), void *argument)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, main_fn, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

void workers_run(struct workers *workers, struct loop_blocking *blocking)
{
    blocking->next = NULL;
    pthread_mutex_lock(&workers->mutex);
    if (workers->waiting_count >= workers->idle_count && workers->thread_count < WORKERS_MAX &&
        start_without_signals(&workers->threads[workers->thread_count], worker_main, workers) == 0)
        workers->thread_count++;
    if (workers->thread_count == 0) {
        pthread_mutex_unlock(&workers->mutex);
        work_off(blocking);
        return;
    }
    if (workers->last)
        workers->last->next = blocking;
    else
        workers->first = blocking;
    workers->last = blocking;
    workers->waiting_count++;
    pthread_cond_signal(&workers->work_there);
    pthread_mutex_unlock(&workers->mutex);
}

void workers_free(struct workers *workers)
{
    if (workers == NULL)
        return;
    pthread_mutex_lock(&workers->mutex);
    workers->stopping = true;
    pthread_cond_broadcast(&workers->work_there);
    pthread_mutex_unlock(&workers->mutex);
    for (size_t i = 0; i < workers->thread_count; i++)
        pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->work_there);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}
