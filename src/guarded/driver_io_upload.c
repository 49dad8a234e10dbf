/* SPDX-License-Identifier: Apache-2.0 */
/* R14: whether our upload is still open, and the abort of the upload in another writer's record. */
#include "guarded/driver.h"

#include "base/error.h"
#include "store/answer.h"

#include <string.h>

/* A 404 without its code is another's: of the bucket, or of a middlebox. */
static enum upload_outcome outcome_of(const struct store_answer *answer, enum upload_outcome done)
{
    if (answer->code == OS_OK)
        return done;
    if (strcmp(answer->service.code, "NoSuchUpload") == 0 && answer->status == 404)
        return UPLOAD_GONE;
    switch (answer->code) {
    case OS_ERR_ARGUMENT: /* an id that no store can have given, and no request can name */
    case OS_ERR_DENIED:
    case OS_ERR_CREDENTIALS:
    case OS_ERR_NO_BUCKET:
    case OS_ERR_REFUSED:
    case OS_ERR_UNSUPPORTED: return UPLOAD_REFUSED;
    default: return UPLOAD_UNCLEAR;
    }
}

static void answered(struct run *run, enum guard_event_kind kind, enum upload_outcome done,
                     const struct store_answer *answer)
{
    run->io.parts.op = NULL;
    run_count_request(run, store_verb_name(run->io.parts.request.verb), &run->io.parts.sent, answer);
    struct guard_event event = {.kind = kind, .upload = outcome_of(answer, done)};
    if (kind == GUARD_EVENT_PARTS)
        run->io.parts.gone = event.upload == UPLOAD_GONE;
    if (answer->code != OS_OK && event.upload != UPLOAD_GONE)
        run->io.last_error = answer->error;
    run_date_of(run, answer, &event);
    run_event(run, &event);
}

static void parts_done(void *context, const struct store_answer *answer)
{
    answered(context, GUARD_EVENT_PARTS, UPLOAD_OPEN, answer);
}

static void abort_done(void *context, const struct store_answer *answer)
{
    answered(context, GUARD_EVENT_ABORTED, UPLOAD_ABORTED, answer);
}

static bool ignore_part(void *context, const struct s3_part *part)
{
    (void)context;
    (void)part;
    return true;
}

static void start(struct run *run, enum store_verb verb, const char *id, unsigned asked, store_done_fn done)
{
    struct store *store = run->client->store;
    clock_read(&run->io.parts.sent);
    run->io.parts.request = (struct store_request){
        .verb = verb,
        .key = run->key,
        .upload = {.id = id},
        .deadline_monotonic_ms = run->io.parts.sent.monotonic_ms + run->client->settings.request_timeout_ms,
    };
    if (verb == STORE_LIST_PARTS) {
        run->io.parts.request.upload.max_parts = 1;
        run->io.parts.request.upload.each_part = ignore_part;
        run->io.parts.request.upload.parts_page = &run->io.parts.page;
    }
    run->io.parts.op = store->vtable->start(store, &run->io.parts.request, done, run);
    if (run->io.parts.op == NULL)
        run_fail_later(run, asked);
}

void run_want_parts(struct run *run)
{
    start(run, STORE_LIST_PARTS, run->upload, GUARD_DO_PARTS, parts_done);
}

void run_want_abort(struct run *run, uint64_t upload)
{
    if (record_upload_number(run->io.records.seen_upload) == upload) {
        start(run, STORE_ABORT_UPLOAD, run->io.records.seen_upload, GUARD_DO_ABORT, abort_done);
        return;
    }
    run_fail_later(run, GUARD_DO_ABORT); /* another record has come meanwhile: the guard looks again */
}
