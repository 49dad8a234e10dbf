/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pool.h"

#include "base/error.h"
#include "base/thread.h"

#include <assert.h>
#include <stdlib.h>

struct pool {
    struct monitor monitor; /* of all below; woken when there is work, or no more will come */
    struct pool_job *first;
    struct pool_job *last;
    struct thread threads[POOL_THREADS];
    size_t thread_count;
    size_t free_count; /* threads that wait */
    bool stopping;
};

os_code pool_new(struct pool **ret, os_error *err)
{
    struct pool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL)
        return error_no_memory(err);
    if (!monitor_init(&pool->monitor)) {
        free(pool);
        return error_no_memory(err);
    }
    *ret = pool;
    return OS_OK;
}

static struct pool_job *pool_take(struct pool *pool)
{
    struct pool_job *job = pool->first;
    pool->first = job->next;
    if (pool->first == NULL)
        pool->last = NULL;
    return job;
}

static void pool_main(void *context)
{
    struct pool *pool = context;
    monitor_enter(&pool->monitor);
    while (pool->first || !pool->stopping) {
        if (pool->first == NULL) {
            pool->free_count++;
            monitor_wait(&pool->monitor);
            pool->free_count--;
            continue;
        }
        struct pool_job *job = pool_take(pool);
        monitor_leave(&pool->monitor);
        job->run(job);
        monitor_enter(&pool->monitor);
    }
    monitor_leave(&pool->monitor);
}

static void pool_queue(struct pool *pool, struct pool_job *job)
{
    job->next = NULL;
    if (pool->last)
        pool->last->next = job;
    else
        pool->first = job;
    pool->last = job;
}

bool pool_run(struct pool *pool, struct pool_job *job)
{
    monitor_enter(&pool->monitor);
    assert(!pool->stopping);
    bool idle = pool->free_count > 0 && pool->first == NULL;
    if (!idle && pool->thread_count < POOL_THREADS && thread_start(&pool->threads[pool->thread_count], pool_main, pool))
        pool->thread_count++;
    bool taken = pool->thread_count > 0;
    if (taken) {
        pool_queue(pool, job);
        monitor_wake(&pool->monitor);
    }
    monitor_leave(&pool->monitor);
    return taken;
}

void pool_free(struct pool *pool)
{
    if (pool == NULL)
        return;
    monitor_enter(&pool->monitor);
    assert(pool->first == NULL);
    pool->stopping = true;
    monitor_wake(&pool->monitor);
    monitor_leave(&pool->monitor);
    for (size_t i = 0; i < pool->thread_count; i++)
        thread_join(&pool->threads[i]);
    monitor_destroy(&pool->monitor);
    free(pool);
}
