/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded call, step after step (client/steps.h): what the parts of this folder share. */
#ifndef OSCOMMIT_GUARDED_CALL_H
#define OSCOMMIT_GUARDED_CALL_H

#include "client/body.h"
#include "client/pause.h"
#include "guarded/driver.h"
#include "guarded/guarded.h"
#include "upload/upload.h"

struct guarded_put { /* of put.c: it outlives a step */
    struct write_plan_rules rules;
    struct s3_content content;
    struct s3_attributes attributes;
    struct body body;
};

struct guarded {
    struct steps steps;
    guarded_step_fn step; /* the next one */
    struct sync sync;
    os_client *client;
    const struct guarded_arguments *arguments;
    struct driver_params params;
    struct driver_outcome outcome;
    char etag[VERSION_ETAG_SIZE];        /* what params points to: normalised */
    char source_etag[VERSION_ETAG_SIZE]; /* the same */
    char *key;                           /* whole; own */
    char *source_key;                    /* the same; NULL: no copy */
    char copied_etag[VERSION_ETAG_SIZE]; /* COPY: of the version that was copied */
    char fencing[TEXT_NUMBER_SIZE];      /* L10 */
    struct clock_reading begun;          /* the call */
    struct guarded_put put;
    struct asking *asking; /* of resolve.c; own */
    void (*free_asking)(struct asking *asking);
    struct driver_outcome *copied; /* rename.c: the copy's, while the source is being deleted; own */
    guarded_step_fn first;
    guarded_step_fn after_driver;
    guarded_step_fn after_copy; /* copy.c */
    void (*over)(struct guarded *guarded);
    bool must_stay;    /* N4.5: the key that a delete or a rename would take away */
    bool started;      /* the driver of the last guarded_drive */
    bool refused;      /* nothing was sent: outcome.error says why, and nothing else counts */
    bool reports_late; /* its metric is reported at its end, not after each driver */
};

/* A call that nobody waits for: prepared on any thread, begun on the loop's, where `over` is called when its outcome is
 * there. `guarded` and `arguments` live until then; guarded_free belongs to it. */
void guarded_init(struct guarded *ret, os_client *client, const struct guarded_arguments *arguments,
                  guarded_step_fn first);
void guarded_start(struct guarded *guarded, void (*over)(struct guarded *guarded));
void guarded_free(struct guarded *guarded); /* the outcome's ticket stays the caller's */

/* ------------------------------------------------------------------------------------------------ steps */

/* The ends of a step: the call is over, with an outcome or for want of anything that could be sent ... */
enum steps_next guarded_over(struct guarded *guarded);
enum steps_next guarded_refuse(struct guarded *guarded, const os_error *why);
/* ... or it waits for a driver of `params`, and an `unknown` has its ticket. `next` looks whether it was `started` ... */
enum steps_next guarded_drive(struct guarded *guarded, guarded_step_fn next);
enum steps_next guarded_refuse_unstarted(struct guarded *guarded);
/* ... or something else on the loop's thread ... */
enum steps_next guarded_wait(struct guarded *guarded, struct sync *wait, guarded_step_fn next);
/* ... or `next` may block. */
enum steps_next guarded_block(struct guarded *guarded, guarded_step_fn next);

/* The key, and what is expected there. */
os_code guarded_take_key(struct guarded *guarded, os_error *err);
/* L10; 0: none. OS_ERR_UNSUPPORTED where the store is known to lose it. */
os_code guarded_take_fencing(struct guarded *guarded, uint64_t token, os_error *err);
/* copy.c: the key, and the source. */
os_code guarded_take_copy(struct guarded *guarded, os_error *err);
/* copy.c: the copy by its write plan; then `after_copy`. How large the source is, is known when the first request has
 * found out. */
enum steps_next guarded_copy_source(struct guarded *guarded);

/* Sets params.plan, for a body or a source of so many bytes; or why there is none. */
os_code guarded_choose_plan(struct guarded *guarded, uint64_t bytes, os_error *err);
os_code guarded_choose_plan_by(struct guarded *guarded, const struct write_plan_rules *rules, uint64_t bytes,
                               os_error *err);
/* One driver for `params`, with the ticket if there is one; blocks. Else nothing was sent. */
os_code guarded_once(struct guarded *guarded, os_error *err);
/* abort_and_verify.c: what a HEAD of the key shows. Cancellation leaves it `grace_ms`. */
struct guarded_seen {
    struct object_version version;
    bool has_length;
    uint64_t length;
    uint32_t requests; /* that this took */
};
os_code guarded_head(struct guarded *guarded, uint64_t deadline_ms, uint64_t grace_ms, struct guarded_seen *ret,
                     os_error *err);
/* abort_and_verify.c: aborts the upload of a Complete that ended `conflict` or `not executed` (R14). Where that rests
 * on the fence alone, it is `committed` if the object has its nonce after that, and `unknown`, with a ticket, if the
 * abort or that look came to nothing, or the object is not what it was when the Complete was called lost. */
void guarded_drop_upload(struct guarded *guarded, const char *upload_id, bool parts_in_doubt);
void guarded_end_upload(struct guarded *guarded, const char *upload_id, bool parts_in_doubt);
/* abort_and_verify.c: the same of a ticket's, whose upload is left alone unless `may_abort`. */
void guarded_end_ticket(struct guarded *guarded, const char *upload_id, bool may_abort);
/* abort_and_verify.c: V4 of a Complete that was held for lost. What shows its nonce is `committed` if it is whole (V4.4,
 * V4.6); else `unknown`, without a ticket yet. False: it shows nothing of it. */
bool guarded_judge_seen(struct guarded *guarded, struct guard_ticket *written, const struct guarded_seen *seen);
/* To an `unknown`; NULL: of no upload. */
void guarded_add_ticket(struct guarded *guarded, const struct guard_ticket *ticket, const char *upload_id);
void guarded_report_metric(struct guarded *guarded); /* of one with reports_late */

os_code guarded_refuse_forward_only(const struct guarded *guarded, os_error *err); /* N4.5: what deletes */
os_call guarded_rest_of_call(const struct guarded *guarded); /* deadline and cancellation, for one more request */
uint64_t guarded_deadline(const struct guarded *guarded);    /* on the monotonic clock */
uint64_t guarded_time_left(const struct guarded *guarded);   /* at least 1 ms */

/* False: there is not so much time left. */
bool guarded_interval_init(const struct guarded *guarded, uint64_t ms, struct client_interval *ret);
/* False: there is not so much time left, or the call is cancelled; then it may have been shorter. Blocks. */
bool guarded_pause(struct guarded *guarded, uint64_t ms);

/* What goes in parts: a body, or the source of a copy. Borrowed. */
struct multipart_params {
    uint32_t requests;           /* made before, for the result */
    struct s3_creation creation; /* content headers, metadata, tags ... without nonce and checksum */
    struct body *body;
    const struct upload_source *source;
    int64_t source_modified_s;
};

/* R15: sends the parts of guarded->params (key, etag, name, plan ...), makes the guarded Complete, and aborts the upload
 * unless that was, or may have been, applied. Where the upload has become useless and the bytes can be had again, all
 * over again until the deadline. Leaves an outcome. */
void multipart_put(struct guarded *guarded, const struct multipart_params *params);

/* rename_native.c: a rename by one RenameObject, of guarded->params (source_key, source_etag, key, plan). Where it would
 * take along the token of the source (L10), it is not sent, and *ret_keeps_token says so. */
os_code rename_natively(struct guarded *guarded, bool *ret_keeps_token, os_error *err);

/* copy_multipart.c: a COPY in parts, by multipart_put. */
os_code copy_in_parts(struct guarded *guarded, os_error *err);

#endif
