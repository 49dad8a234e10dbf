/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/cancel.h"

#include "base/container.h"
#include "base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct os_cancel {
    pthread_mutex_t mutex;
    atomic_bool triggered;
    struct cancel_link *links;
};

/* A job that outlives its link: the link may be gone when the loop comes to it. Allocated with the link, so that
 * triggering cannot fail. */
struct cancel_notice {
    struct loop_job job;
    struct cancel_link *link; /* NULL: unlinked meanwhile; loop's thread only, but for its creation */
    bool posted;              /* under the token's mutex */
};

os_code os_cancel_new(os_cancel **ret)
{
    os_cancel *cancel = calloc(1, sizeof(*cancel));
    if (cancel == NULL)
        return OS_ERR_NO_MEMORY;
    if (pthread_mutex_init(&cancel->mutex, NULL) != 0) {
        free(cancel);
        return OS_ERR_NO_MEMORY;
    }
    *ret = cancel;
    return OS_OK;
}

void os_cancel_free(os_cancel *cancel)
{
    if (cancel == NULL)
        return;
    pthread_mutex_destroy(&cancel->mutex);
    free(cancel);
}

static void run_notice(struct loop_job *job)
{
    struct cancel_notice *notice = container_of(job, struct cancel_notice, job);
    struct cancel_link *link = notice->link;
    if (link) {
        pthread_mutex_lock(&link->cancel->mutex);
        link->notice = NULL;
        pthread_mutex_unlock(&link->cancel->mutex);
        link->on_cancelled(link);
    }
    free(notice);
}

/* The token's mutex is held. */
static void post(struct cancel_link *link)
{
    if (link->notice == NULL || link->notice->posted)
        return;
    link->notice->posted = true;
    loop_post(link->loop, &link->notice->job);
}

void os_cancel_trigger(os_cancel *cancel)
{
    pthread_mutex_lock(&cancel->mutex);
    atomic_store(&cancel->triggered, true);
    for (struct cancel_link *link = cancel->links; link; link = link->next)
        post(link);
    pthread_mutex_unlock(&cancel->mutex);
}

bool cancel_triggered(os_cancel *cancel)
{
    return cancel && atomic_load(&cancel->triggered);
}

bool cancel_link(os_cancel *cancel, struct cancel_link *link, struct loop *loop)
{
    link->cancel = cancel;
    link->loop = loop;
    link->notice = NULL;
    if (cancel == NULL)
        return true;
    struct cancel_notice *notice = calloc(1, sizeof(*notice));
    if (notice == NULL) {
        link->cancel = NULL;
        return false;
    }
    notice->job.run = run_notice;
    notice->link = link;
    link->notice = notice;
    pthread_mutex_lock(&cancel->mutex);
    link->previous = NULL;
    link->next = cancel->links;
    if (cancel->links)
        cancel->links->previous = link;
    cancel->links = link;
    if (atomic_load(&cancel->triggered))
        post(link);
    pthread_mutex_unlock(&cancel->mutex);
    return true;
}

void cancel_unlink(struct cancel_link *link)
{
    os_cancel *cancel = link->cancel;
    if (cancel == NULL)
        return;
    pthread_mutex_lock(&cancel->mutex);
    if (link->previous)
        link->previous->next = link->next;
    else
        cancel->links = link->next;
    if (link->next)
        link->next->previous = link->previous;
    struct cancel_notice *notice = link->notice;
    bool posted = notice && notice->posted;
    if (posted)
        notice->link = NULL; /* its job, on this very thread, will free it */
    pthread_mutex_unlock(&cancel->mutex);
    if (notice && !posted)
        free(notice);
    link->cancel = NULL;
    link->notice = NULL;
}
