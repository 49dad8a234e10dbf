/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded call on its calling thread: what the public functions and the parts of this folder share. */
#ifndef OSCOMMIT_GUARDED_CALL_H
#define OSCOMMIT_GUARDED_CALL_H

#include "client/body.h"
#include "guarded/driver.h"
#include "upload/upload.h"

struct guarded {
    struct sync sync;
    os_client *client;
    struct driver_params params;
    struct driver_outcome outcome;
    struct clock_reading begun; /* the call */
    bool started;
    bool reports_late; /* its metric is reported at its end, not after each driver */
};

/* Deadline, cancellation and progress of a call, and when it began. */
os_code guarded_take_call(struct guarded *guarded, const os_call *call, os_error *err);
/* Sets params.plan, for a body or a source of so many bytes; or why there is none. */
os_code guarded_choose_plan(struct guarded *guarded, uint64_t bytes, os_error *err);
os_code guarded_choose_plan_by(struct guarded *guarded, const struct write_plan_rules *rules, uint64_t bytes,
                               os_error *err);
/* One driver for `params`, with the ticket if there is one; blocks. Else nothing was sent. */
os_code guarded_once(struct guarded *guarded, os_error *err);
os_verdict guarded_run(struct guarded *guarded, os_result *ret, os_error *err); /* the same, and hands it over */
/* One HEAD of the key. Cancellation leaves it `grace_ms`. */
os_code guarded_head(struct guarded *guarded, uint64_t deadline_ms, uint64_t grace_ms, struct object_version *ret,
                     os_error *err);
/* abort_and_verify.c: aborts the upload of a Complete that ended `conflict` or `not executed` (R14). Where that rests
 * on the fence alone, it is `committed` if the object has its nonce after that, and `unknown`, with a ticket, if the
 * abort or that look came to nothing, or the object is not what it was when the Complete was called lost. */
void guarded_end_upload(struct guarded *guarded, const char *upload_id, bool parts_in_doubt);
/* abort_and_verify.c: the same of a ticket's, whose upload is left alone unless `may_abort`. */
void guarded_end_ticket(struct guarded *guarded, const char *upload_id, bool may_abort);
void guarded_prove(struct driver_outcome *outcome, const struct object_version *version); /* V4, of a HEAD */
void guarded_add_ticket(struct guarded *guarded, const char *upload_id); /* to an `unknown`; NULL: no upload */
void guarded_report_metric(struct guarded *guarded);                     /* of one with reports_late */
/* Hands the outcome over. */
os_verdict guarded_give(struct guarded *guarded, os_result *ret, os_error *err);
/* What an early refusal gives: nothing was sent. */
os_verdict guarded_refuse(os_result *ret, os_verdict verdict);
void guarded_note_metric(os_client *client, const struct guarded *guarded); /* loop's thread */

uint64_t guarded_deadline(const struct guarded *guarded);  /* on the monotonic clock */
uint64_t guarded_time_left(const struct guarded *guarded); /* at least 1 ms */

/* Bodies of more bytes go in parts (R15). `create`: of a put if absent. */
uint64_t client_multipart_above(const os_client *client, bool create);

/* What goes in parts: a body, or the source of a copy. Borrowed. */
struct multipart_params {
    uint32_t requests;           /* made before, for the result */
    struct s3_creation creation; /* content headers, metadata, tags ... without nonce and checksum */
    struct body *body;
    const struct upload_source *source;
};

/* R15: sends the parts of guarded->params (key, etag, name, plan ...), makes the guarded Complete, and aborts the upload
 * unless that was, or may have been, applied. Where the upload has become useless and the bytes can be had again, all
 * over again until the deadline. */
os_verdict multipart_put(struct guarded *guarded, const struct multipart_params *params, os_result *ret, os_error *err);

/* rename_native.c: a rename by one RenameObject, of guarded->params (source_key, source_etag, key, plan). */
os_verdict rename_natively(struct guarded *guarded, os_result *ret, os_error *err);

/* copy_multipart.c: a COPY in parts, by multipart_put. `ret_source_etag` (VERSION_ETAG_SIZE): of the version that was
 * copied. */
os_verdict copy_in_parts(struct guarded *guarded, char *ret_source_etag, os_result *ret, os_error *err);

#endif
