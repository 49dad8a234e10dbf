/* SPDX-License-Identifier: Apache-2.0 */
/* Completed operations, in the order in which they completed. */
#include "operation/queue.h"

#include "base/clock.h"
#include "base/thread.h"

#include <stdlib.h>

struct os_queue {
    struct monitor monitor; /* of the list; woken when it gets its first */
    struct queue_link *first;
    struct queue_link *last;
};

os_code os_queue_new(os_queue **ret)
{
    os_queue *queue = calloc(1, sizeof(*queue));
    if (queue == NULL)
        return OS_ERR_NO_MEMORY;
    if (!monitor_init(&queue->monitor)) {
        free(queue);
        return OS_ERR_NO_MEMORY;
    }
    *ret = queue;
    return OS_OK;
}

void queue_put(os_queue *queue, struct queue_link *link)
{
    link->next = NULL;
    monitor_enter(&queue->monitor);
    if (queue->last)
        queue->last->next = link;
    else
        queue->first = link;
    queue->last = link;
    monitor_wake(&queue->monitor); /* inside: who takes it may free the queue right after */
    monitor_leave(&queue->monitor);
}

static struct queue_link *queue_unlink_first(os_queue *queue)
{
    struct queue_link *link = queue->first;
    if (link == NULL)
        return NULL;
    queue->first = link->next;
    if (queue->first == NULL)
        queue->last = NULL;
    return link;
}

os_operation *os_queue_take(os_queue *queue, uint64_t wait_ms)
{
    struct clock_reading now;
    bool in_time = wait_ms > 0;
    if (in_time)
        clock_read(&now);
    uint64_t until_ms = in_time && wait_ms < UINT64_MAX / 2 ? now.monotonic_ms + wait_ms : UINT64_MAX / 2;
    monitor_enter(&queue->monitor);
    while (queue->first == NULL && in_time)
        in_time = monitor_wait_until(&queue->monitor, until_ms);
    const struct queue_link *link = queue_unlink_first(queue);
    monitor_leave(&queue->monitor);
    return link ? link->operation : NULL;
}

void os_queue_free(os_queue *queue)
{
    if (queue == NULL)
        return;
    for (const struct queue_link *left; (left = queue_unlink_first(queue)) != NULL;)
        left->free(left->operation);
    monitor_destroy(&queue->monitor);
    free(queue);
}
