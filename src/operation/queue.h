/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSCOMMIT_OPERATION_QUEUE_H
#define OSCOMMIT_OPERATION_QUEUE_H

#include "oscommit_async.h"

/* Embedded in an operation. */
struct queue_link {
    struct os_operation *operation;
    void (*free)(struct os_operation *operation); /* of one that nobody takes */
    struct queue_link *next;
};

/* From any thread. The operation may be gone when this returns. */
void queue_put(os_queue *queue, struct queue_link *link);

#endif
