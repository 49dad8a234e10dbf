/* SPDX-License-Identifier: Apache-2.0 */
/* R14: whether our upload is still open, and the abort of the upload in another writer's record. */
#include "guarded/driver.h"

#include "base/error.h"
#include "store/answer.h"

#include <assert.h>
#include <string.h>

/* A 404 without its code is another's: of the bucket, or of a middlebox. */
static enum upload_outcome driver_io_upload_outcome_of(const struct store_answer *answer, enum upload_outcome done)
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

static void driver_io_upload_answered(struct driver *driver, enum guard_event_kind kind, enum upload_outcome done,
                                      const struct store_answer *answer)
{
    assert(driver->io.parts.op != NULL);
    driver->io.parts.op = NULL;
    driver_count_request(driver, store_verb_name(driver->io.parts.verb), &driver->io.parts.sent, answer);
    struct guard_event event = {.kind = kind, .upload = driver_io_upload_outcome_of(answer, done)};
    if (kind == GUARD_EVENT_PARTS)
        driver->io.parts.gone = event.upload == UPLOAD_GONE;
    if (answer->code != OS_OK && event.upload != UPLOAD_GONE)
        driver_note_error(driver, &answer->error);
    driver_date_of(driver, answer, &event);
    driver_event(driver, &event);
}

static void parts_done(void *context, const struct store_answer *answer)
{
    driver_io_upload_answered(context, GUARD_EVENT_PARTS, UPLOAD_OPEN, answer);
}

static void abort_done(void *context, const struct store_answer *answer)
{
    driver_io_upload_answered(context, GUARD_EVENT_ABORTED, UPLOAD_ABORTED, answer);
}

static bool ignore_part(void *context, const struct s3_part *part)
{
    (void)context;
    (void)part;
    return true;
}

static void driver_io_upload_start(struct driver *driver, enum store_verb verb, const char *id, unsigned asked,
                                   store_done_fn done)
{
    assert(driver->io.parts.op == NULL && id != NULL);
    struct store *store = driver->client->store;
    clock_read(&driver->io.parts.sent);
    driver->io.parts.verb = verb;
    struct store_request request = {
        .verb = verb,
        .key = driver->key,
        .upload = {.id = id},
        .deadline_monotonic_ms = driver->io.parts.sent.monotonic_ms + driver->client->settings.request_timeout_ms,
    };
    if (verb == STORE_LIST_PARTS) {
        request.upload.max_parts = 1;
        request.upload.each_part = ignore_part;
        request.upload.parts_page = &driver->io.parts.page;
    }
    driver->io.parts.op = store->vtable->start(store, &request, done, driver);
    if (driver->io.parts.op == NULL)
        driver_fail_later(driver, asked);
}

void driver_list_parts(struct driver *driver)
{
    driver_io_upload_start(driver, STORE_LIST_PARTS, driver->upload, GUARD_DO_PARTS, parts_done);
}

void driver_abort_upload(struct driver *driver, uint64_t upload)
{
    if (driver->io.records.seen_upload && record_upload_number(driver->io.records.seen_upload) == upload) {
        driver_io_upload_start(driver, STORE_ABORT_UPLOAD, driver->io.records.seen_upload, GUARD_DO_ABORT, abort_done);
        return;
    }
    driver_fail_later(driver, GUARD_DO_ABORT); /* another record has come meanwhile: the guard looks again */
}
