/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upload is aborted, and then asked for: a part that was under way may keep it open, or open it again (Amazon S3 API
 * Reference, "AbortMultipartUpload", says to abort again then, and to ask with ListParts).
 */
#include "upload/upload.h"

#include "base/container.h"
#include "loop/op.h"
#include "store/answer.h"

#include <assert.h>
#include <string.h>

struct abort {
    struct sync sync;
    os_client *client;
    struct store_request request;
    struct store_op *under_way;
    struct clock_reading sent;
    struct op op;
    os_cancel *cancel;
    uint64_t deadline_monotonic_ms;
    os_error last_error;
    bool parts_in_doubt;
    bool accepted; /* and now it is asked for */
    bool settling; /* it was gone, and is asked for once more */
    bool gone;
    bool had_effect; /* an abort was accepted */
    bool was_gone;   /* before that */
};

static void upload_abort_end(struct abort *abort)
{
    struct store *store = abort->client->store;
    if (abort->under_way)
        store->vtable->cancel(store, abort->under_way);
    op_end(&abort->op);
    if (!abort->gone)
        log_line(
            &abort->client->log, OS_LOG_WARN,
            "%s: the upload %s could not be aborted, and stays until `oscommit gc` or a rule of the bucket removes "
            "it: %s",
            abort->request.key, abort->request.upload.id,
            abort->last_error.code == OS_OK ? "it was still open after its abort" : abort->last_error.message);
    sync_finish(&abort->sync);
}

/* "Ask again" is for answers that decide nothing; a refusal will not change. */
static bool is_unclear(const struct store_answer *answer)
{
    bool server = answer->status >= 500 && answer->status != 501;
    return !answer->complete || server || answer->status == 429 || answer->status == 409;
}

static bool is_gone(const struct store_answer *answer)
{
    return strcmp(answer->service.code, "NoSuchUpload") == 0;
}

static bool upload_abort_no_part(void *context, const struct s3_part *part)
{
    (void)context;
    (void)part;
    return true;
}

/* versitygw 1.8.0 makes the upload's folder again for a part whose bytes had come before the abort. */
static void found_gone(struct abort *abort)
{
    assert(abort->gone);
    if (abort->settling || !abort->parts_in_doubt) {
        upload_abort_end(abort);
        return;
    }
    abort->settling = true;
    abort->accepted = true;
    op_pause_ms(&abort->op, UPLOAD_VERIFY_MS);
}

static void asked(struct abort *abort, const struct store_answer *answer)
{
    abort->gone = is_gone(answer) || answer->status == 403; /* who may not ask has to believe that it was accepted */
    abort->last_error = answer->error;
    if (answer->code == OS_OK)
        abort->accepted = false;
    if (abort->gone) {
        found_gone(abort);
        return;
    }
    if (!is_unclear(answer)) /* a store may go on like this for ever */
        op_shorten(&abort->op, UPLOAD_ABORT_MS);
    op_pause(&abort->op);
}

static void aborted(struct abort *abort, const struct store_answer *answer)
{
    abort->accepted = answer->code == OS_OK;
    abort->gone = is_gone(answer);
    abort->last_error = answer->error;
    abort->had_effect = abort->had_effect || abort->accepted;
    abort->was_gone = abort->was_gone || (abort->gone && !abort->had_effect);
    if (abort->accepted)
        op_pause_ms(&abort->op, 0);
    else if (abort->gone)
        found_gone(abort);
    else if (is_unclear(answer))
        op_pause(&abort->op);
    else
        upload_abort_end(abort);
}

static void upload_abort_done(void *context, const struct store_answer *answer)
{
    struct abort *abort = context;
    assert(abort->under_way != NULL);
    abort->under_way = NULL;
    client_note_date(abort->client, answer, &abort->sent);
    client_note_request(abort->client, store_verb_name(abort->request.verb), abort->request.key, &abort->sent,
                        answer->status, answer->code);
    if (abort->request.verb == STORE_LIST_PARTS)
        asked(abort, answer);
    else
        aborted(abort, answer);
}

static void upload_abort_attempt(struct op *op)
{
    struct abort *abort = container_of(op, struct abort, op);
    assert(abort->under_way == NULL);
    struct store *store = abort->client->store;
    abort->request.verb = abort->accepted ? STORE_LIST_PARTS : STORE_ABORT_UPLOAD;
    abort->request.deadline_monotonic_ms = op->deadline_monotonic_ms;
    clock_read(&abort->sent);
    abort->under_way = store->vtable->start(store, &abort->request, upload_abort_done, abort);
    if (abort->under_way == NULL)
        op_pause(op);
}

static void upload_abort_interrupted(struct op *op, enum op_reason reason)
{
    assert(reason == OP_DEADLINE); /* the others have only shortened it */
    upload_abort_end(container_of(op, struct abort, op));
}

static void upload_abort_start(struct sync *sync)
{
    struct abort *abort = container_of(sync, struct abort, sync);
    struct clock_reading now;
    clock_read(&now);
    uint64_t least_ms = now.monotonic_ms + UPLOAD_ABORT_MS;
    struct op_limits limits = {.loop = abort->client->loop,
                               .cancel = abort->cancel,
                               .closing = abort->client->closing,
                               .deadline_ms = UPLOAD_ABORT_MS,
                               .grace_ms = UPLOAD_ABORT_MS};
    if (abort->deadline_monotonic_ms > least_ms)
        limits.deadline_ms = abort->deadline_monotonic_ms - now.monotonic_ms;
    if (!op_begin(&abort->op, &limits, upload_abort_attempt, upload_abort_interrupted)) {
        /* Nobody can end it sooner, so it ends soon. Without tokens nothing needs memory. */
        limits = (struct op_limits){.loop = limits.loop, .deadline_ms = UPLOAD_ABORT_MS};
        op_begin(&abort->op, &limits, upload_abort_attempt, upload_abort_interrupted);
    }
    upload_abort_attempt(&abort->op);
}

enum upload_abort_outcome upload_abort(os_client *client, const char *key, const struct upload_abort_params *params)
{
    struct s3_parts_page page = {.truncated = false};
    struct abort abort = {
        .client = client,
        .cancel = params->cancel,
        .parts_in_doubt = params->parts_in_doubt,
        .request = {.key = key,
                    .upload = {.id = params->upload_id,
                               .max_parts = 1,
                               .each_part = upload_abort_no_part,
                               .parts_page = &page}},
        .deadline_monotonic_ms = params->deadline_monotonic_ms,
    };
    abort.sync.start = upload_abort_start;
    if (sync_run(client, &abort.sync, NULL) != OS_OK || !abort.gone)
        return UPLOAD_MAY_STAY;
    return abort.was_gone ? UPLOAD_WAS_GONE : UPLOAD_IS_ABORTED;
}
