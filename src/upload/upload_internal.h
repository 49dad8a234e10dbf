/* SPDX-License-Identifier: Apache-2.0 */
/* What upload.c, on the calling thread, and upload_loop.c, on the loop's, share. */
#ifndef OSCOMMIT_UPLOAD_UPLOAD_INTERNAL_H
#define OSCOMMIT_UPLOAD_UPLOAD_INTERNAL_H

#include "commit/backoff.h"
#include "loop/cancel.h"
#include "s3/part_plan.h"
#include "upload/upload.h"
#include "upload/upload_body.h"

/* One part on its way. The calling thread's until it is posted, then the loop's until stage_slot_done. */
struct stage_slot {
    struct stage *stage;
    struct stage_slot *next; /* in free_slots */
    struct loop_job job;
    uint32_t number;
    uint64_t offset;
    struct stage_bytes bytes; /* of a copy only the length */
    struct s3_part_source source;
    struct store_request request;
    struct store_op *op;
    struct loop_timer again;
    struct backoff backoff;
    struct clock_reading sent;
    uint64_t sent_bytes; /* of this try */
    uint32_t damaged;    /* how often the store found other bytes than were sent */
};

struct stage {
    os_client *client;
    const struct stage_wish *wish;
    struct staged *ret;
    struct part_plan plan;
    struct stage_reader reader;
    struct s3_content content;
    struct s3_creation creation;
    struct stage_slot *slots;
    uint32_t slot_count;
    size_t answer_cap;

    struct monitor monitor; /* of what follows, and of ret->answers; woken when a slot is free, by a failure, and when
                               all is over */
    struct stage_slot *free_slots;
    uint32_t busy; /* slots that are not free */
    bool closed;   /* stage_close waits for it */
    bool failed;   /* written by the loop's thread */
    os_error error;

    /* Of the loop's thread alone. */
    struct sync sync;
    struct loop_job close_job;
    struct store_request create_request;
    struct store_op *create_op;
    struct clock_reading create_sent;
    struct clock_reading started;
    struct loop_timer create_again;
    struct loop_timer deadline_timer;
    struct backoff backoff;
    struct cancel_link cancel_link;
    struct cancel_link closing_link;
    struct loop_timer drain_timer;
    os_error last_error; /* of a request that is made again */
    bool opening;        /* stage_open waits */
    bool closing;        /* stage_close waits; no part is sent any more */

    pthread_mutex_t
        progress_lock;   /* of the slots' sent_bytes and of what follows: a local store tells from its workers */
    uint64_t done_bytes; /* of the parts that are there */
    uint64_t told_bytes;
    uint64_t told_ms;
};

/* Creates the upload, and listens for deadline and cancellation until stage_close, which ends all that is under way.
 * Both block the calling thread. After an OS_OK of stage_open, stage->failed says whether it has come to something;
 * stage_close belongs to each of both. */
os_code stage_open(struct stage *stage, os_error *err);
void stage_close(struct stage *stage);

void stage_slot_init(struct stage *stage, struct stage_slot *slot);
void stage_slot_done(struct stage_slot *slot); /* free again; from both threads */

#endif
