/* SPDX-License-Identifier: Apache-2.0 */
/* What upload.c, on the calling thread, and upload_loop.c, on the loop's, share. */
#ifndef OSCOMMIT_UPLOAD_UPLOAD_INTERNAL_H
#define OSCOMMIT_UPLOAD_UPLOAD_INTERNAL_H

#include "loop/op.h"
#include "s3/part_plan.h"
#include "upload/upload.h"
#include "upload/upload_body.h"

/* One part on its way. The calling thread's until it is posted, then the loop's until upload_slot_done. */
struct upload_slot {
    struct upload *upload;
    struct upload_slot *next; /* in free_slots */
    struct loop_job job;
    uint32_t number;
    uint64_t offset;
    struct upload_bytes bytes; /* of a copy only the length */
    struct s3_part_source source;
    struct store_request request;
    struct store_op *under_way;
    struct retry retry;
    struct clock_reading sent;
    uint64_t sent_bytes; /* of this try */
    uint32_t damaged;    /* how often the store found other bytes than were sent */
};

struct upload {
    os_client *client;
    const struct upload_params *params;
    struct uploaded *ret;
    struct part_plan plan;
    struct upload_reader reader;
    struct s3_content content;
    struct s3_creation creation;
    struct upload_slot *slots;
    uint32_t slot_count;
    size_t answer_cap;

    struct monitor monitor; /* of what follows, and of ret->answers; woken when a slot is free, by a failure, and when
                               all is over */
    struct upload_slot *free_slots;
    uint32_t busy; /* slots that are not free */
    bool closed;   /* upload_close waits for it */
    bool failed;   /* written by the loop's thread */
    os_error error;

    /* Of the loop's thread alone. */
    struct sync sync;
    struct loop_job close_job;
    struct store_request create_request;
    struct store_op *creation_under_way;
    struct clock_reading create_sent;
    struct op op; /* from upload_open to upload_close; each attempt is a creation */
    struct loop_timer drain_timer;
    os_error last_error; /* of a request that is made again */
    bool opening;        /* upload_open waits */
    bool closing;        /* upload_close waits; no part is sent any more */

    pthread_mutex_t
        progress_lock;   /* of the slots' sent_bytes and of what follows: a local store reports from its workers */
    uint64_t done_bytes; /* of the parts that are there */
    uint64_t reported_bytes;
    uint64_t reported_ms;
};

/* Creates the upload, and listens for deadline and cancellation until upload_close, which ends all that is under way.
 * Both block the calling thread. After an OS_OK of upload_open, upload->failed says whether it has come to something;
 * upload_close belongs to each of both. */
os_code upload_open(struct upload *upload, os_error *err);
void upload_close(struct upload *upload);

void upload_slot_init(struct upload *upload, struct upload_slot *slot);
void upload_slot_done(struct upload_slot *slot); /* free again; from both threads */

#endif
