/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a multipart upload, on the loop's thread. */
#include "base/container.h"
#include "base/error.h"
#include "store/answer.h"
#include "upload/upload_internal.h"

#include <assert.h>
#include <string.h>

void upload_slot_done(struct upload_slot *slot)
{
    struct upload *upload = slot->upload;
    assert(slot->under_way == NULL);
    monitor_enter(&upload->monitor);
    slot->next = upload->free_slots;
    upload->free_slots = slot;
    assert(upload->busy > 0);
    upload->busy--;
    monitor_wake(&upload->monitor);
    monitor_leave(&upload->monitor);
}

enum {
    UPLOAD_UNREACHABLE_MS = 10000, /* as long as no part is there, a store that cannot be reached is an error at once */
    UPLOAD_COPY_PATIENCE_MS = 60000,
    UPLOAD_COPY_BYTES_PER_MS = 5 << 10, /* a part that is copied more slowly than 5 MiB/s is asked for again */
    UPLOAD_DRAIN_MS = 1000,             /* for parts that are under way when the rest has come to nothing */
    UPLOAD_DAMAGED_MAX = 3,
    UPLOAD_PROGRESS_MS = 100
};

/* ------------------------------------------------------------------------------------------------ answers */

/* The first failure counts. */
static void set_failed(struct upload *upload, const os_error *error)
{
    assert(error->code != OS_OK);
    monitor_enter(&upload->monitor);
    if (!upload->failed) {
        upload->failed = true;
        upload->error = *error;
        monitor_wake(&upload->monitor);
    }
    monitor_leave(&upload->monitor);
}

static void note(struct upload *upload, enum store_verb verb, const struct clock_reading *sent,
                 const struct store_answer *answer)
{
    upload->ret->requests += store_answer_is_of_request(answer) ? 1 : 0;
    client_note_date(upload->client, answer, sent);
    client_note_request(upload->client, store_verb_name(verb), upload->params->key, sent, answer->status, answer->code);
    if (answer->code != OS_OK)
        upload->last_error = answer->error;
}

/* Making a request of a multipart upload again harms nobody. */
static bool upload_loop_is_passing(const struct store_answer *answer)
{
    switch (answer->code) {
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_PROTOCOL:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED: return true;
    case OS_ERR_CONFLICT: return answer->status == 409;
    default: return strcmp(answer->service.code, "RequestTimeout") == 0;
    }
}

static bool is_damage(const struct store_answer *answer)
{
    return strcmp(answer->service.code, "BadDigest") == 0 ||
           strcmp(answer->service.code, "XAmzContentChecksumMismatch") == 0;
}

/* A store may say so inside a 200. */
static bool upload_loop_says(const struct store_answer *answer, const char *code)
{
    return strcmp(answer->service.code, code) == 0;
}

os_code upload_refuse_source(const struct upload_source *source, const char *key, bool is_gone, os_error *err)
{
    return error_set(err, OS_ERR_SOURCE,
                     "The source %.300s was %s while it was being copied to %.300s; nothing was written. Call again.",
                     source->key, is_gone ? "removed" : "changed", key);
}

static void fail_by_source(struct upload *upload, const struct store_answer *answer, os_error *ret)
{
    bool is_another = answer->status == 412 || upload_loop_says(answer, "PreconditionFailed");
    bool is_gone = upload_loop_says(answer, "NoSuchKey") || upload_loop_says(answer, "NoSuchVersion");
    if (is_another || is_gone)
        (void)upload_refuse_source(upload->params->source, upload->params->key, !is_another, ret);
    else if (answer->code == OS_ERR_NOT_FOUND)
        ret->code = OS_ERR_SOURCE;
}

/* The answer's own error, but where it is about the source or the upload and not about the key that it names. */
static void fail_by(struct upload *upload, const struct store_answer *answer)
{
    os_error error = answer->error;
    if (answer->code == OS_OK)
        error_set(&error, OS_ERR_REFUSED,
                  "The store keeps receiving other bytes of %.300s than were sent; nothing was written. Something on "
                  "the path changes them.",
                  upload->params->key);
    else if (upload_loop_says(answer, "NoSuchUpload"))
        error_set(&error, OS_ERR_EXPIRED,
                  "Somebody aborted the upload of %.300s while its parts were sent; nothing was written. Call again.",
                  upload->params->key);
    else if (upload->params->source)
        fail_by_source(upload, answer, &error);
    set_failed(upload, &error);
}

/* ------------------------------------------------------------------------------------------------ progress */

/* With the lock of what was reported. */
static void report_progress_locked(struct upload *upload, bool end)
{
    const struct upload_params *params = upload->params;
    struct clock_reading now;
    uint64_t total = params->source ? params->source->length : params->body->http.length;
    if (params->progress == NULL)
        return;
    clock_read(&now);
    if (!end && now.monotonic_ms - upload->reported_ms < UPLOAD_PROGRESS_MS)
        return;
    uint64_t bytes = upload->done_bytes;
    for (uint32_t i = 0; i < upload->slot_count; i++)
        bytes += upload->slots[i].sent_bytes;
    if (bytes > upload->reported_bytes) /* a part that is sent again does not take back what was reported */
        upload->reported_bytes = bytes;
    upload->reported_ms = now.monotonic_ms;
    if (!params->source && params->body->goes_on)
        total = end ? upload->reported_bytes : 0;
    params->progress(params->progress_context, upload->reported_bytes, total);
}

static void report_progress(struct upload *upload, bool end)
{
    pthread_mutex_lock(&upload->progress_lock);
    report_progress_locked(upload, end);
    pthread_mutex_unlock(&upload->progress_lock);
}

static void forget_sent(struct upload_slot *slot)
{
    pthread_mutex_lock(&slot->upload->progress_lock);
    slot->sent_bytes = 0;
    pthread_mutex_unlock(&slot->upload->progress_lock);
}

static void count_part(struct upload_slot *slot)
{
    struct upload *upload = slot->upload;
    pthread_mutex_lock(&upload->progress_lock);
    upload->done_bytes += slot->bytes.length;
    slot->sent_bytes = 0;
    report_progress_locked(upload, false);
    pthread_mutex_unlock(&upload->progress_lock);
}

static void upload_loop_on_progress(void *context, uint64_t sent_bytes, uint64_t total_bytes)
{
    struct upload_slot *slot = context;
    (void)total_bytes;
    pthread_mutex_lock(&slot->upload->progress_lock);
    slot->sent_bytes = sent_bytes;
    report_progress_locked(slot->upload, false);
    pthread_mutex_unlock(&slot->upload->progress_lock);
}

/* ------------------------------------------------------------------------------------------------ parts */

static void end_slot(struct upload_slot *slot)
{
    forget_sent(slot);
    upload_slot_done(slot);
}

/* False when the store has other bytes than were sent. */
static bool upload_loop_take_part(struct upload_slot *slot, const struct store_answer *answer)
{
    struct upload *upload = slot->upload;
    const struct s3_body_sums *sums = &slot->bytes.sums;
    struct s3_part part = answer->part;
    if (!upload->params->source && sums->checksum != S3_CHECKSUM_NONE) {
        if (part.sum.checksum == sums->checksum && strcmp(part.sum.text, sums->checksum_text) != 0)
            return false;
        part.sum.checksum = sums->checksum;
        memcpy(part.sum.text, slot->bytes.sum_text, sizeof(part.sum.text));
    }
    monitor_enter(&upload->monitor);
    assert(slot->number > 0 && slot->number <= upload->answer_cap);
    upload->ret->answers[slot->number - 1] = part;
    monitor_leave(&upload->monitor);
    return true;
}

static void end_closing_when_drained(struct upload *upload);

static void part_done(void *context, const struct store_answer *answer)
{
    struct upload_slot *slot = context;
    struct upload *upload = slot->upload;
    assert(slot->under_way != NULL && !upload->closed);
    slot->under_way = NULL;
    note(upload, slot->request.verb, &slot->sent, answer);
    if (!answer->complete || answer->status >= 500) /* a gateway answers for a store that is still at it */
        upload->ret->parts_in_doubt = true;
    if (upload->closing) {
        end_closing_when_drained(upload);
        return;
    }
    bool taken = answer->code == OS_OK && upload_loop_take_part(slot, answer);
    if (taken) {
        count_part(slot);
        end_slot(slot);
        return;
    }
    if (upload->failed)
        return;
    bool damaged = (answer->code == OS_OK || is_damage(answer)) && ++slot->damaged < UPLOAD_DAMAGED_MAX;
    if (damaged || upload_loop_is_passing(answer)) {
        retry_later(&slot->retry);
        return;
    }
    fail_by(upload, answer);
}

static void upload_loop_describe_part(struct upload_slot *slot)
{
    struct upload *upload = slot->upload;
    const struct upload_source *source = upload->params->source;
    struct store_request *request = &slot->request;
    uint64_t length = slot->bytes.length;
    *request = (struct store_request){
        .verb = source ? STORE_UPLOAD_PART_COPY : STORE_UPLOAD_PART,
        .key = upload->params->key,
        .upload = {.id = upload->ret->upload_id, .part_number = slot->number, .part_offset = slot->offset},
        .deadline_monotonic_ms = upload->params->deadline_monotonic_ms,
    };
    if (source) {
        slot->source = (struct s3_part_source){
            .key = source->key, .etag = source->etag, .version_id = source->version_id, .offset = slot->offset};
        slot->source.count = upload->plan.count > 1 ? length : 0;
        request->upload.part_source = &slot->source;
        uint64_t patience_ms = slot->sent.monotonic_ms + UPLOAD_COPY_PATIENCE_MS + length / UPLOAD_COPY_BYTES_PER_MS;
        if (patience_ms < request->deadline_monotonic_ms)
            request->deadline_monotonic_ms = patience_ms;
        return;
    }
    request->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = slot->bytes.data, .fd = -1, .length = length};
    request->upload.sums = upload->reader.bare ? NULL : &slot->bytes.sums;
    request->progress = upload->params->progress ? upload_loop_on_progress : NULL;
    request->progress_context = slot;
}

static void send_part(struct retry *retry)
{
    struct upload_slot *slot = container_of(retry, struct upload_slot, retry);
    struct upload *upload = slot->upload;
    assert(slot->under_way == NULL && !upload->closing);
    assert(upload->ret->upload_id[0]);
    struct store *store = upload->client->store;
    clock_read(&slot->sent);
    forget_sent(slot);
    upload_loop_describe_part(slot);
    slot->under_way = store->vtable->start(store, &slot->request, part_done, slot);
    if (slot->under_way == NULL)
        retry_later(retry); /* out of memory */
}

static void on_posted(struct loop_job *job)
{
    struct upload_slot *slot = container_of(job, struct upload_slot, job);
    assert(!slot->upload->closing); /* jobs run in order */
    slot->damaged = 0;
    backoff_restart(&slot->retry.backoff);
    if (slot->upload->failed) /* set on this thread alone */
        end_slot(slot);
    else
        send_part(&slot->retry);
}

void upload_slot_init(struct upload *upload, struct upload_slot *slot)
{
    slot->upload = upload;
    slot->job.run = on_posted;
    retry_init(&slot->retry, upload->client->loop, send_part);
    slot->retry.backoff.random = (uint64_t)(slot - upload->slots) + 1; /* all begin in the same millisecond */
    slot->next = upload->free_slots;
    upload->free_slots = slot;
}

/* ------------------------------------------------------------------------------------------------ ends */

static void cancel_op(struct upload *upload, struct store_op **op)
{
    struct store *store = upload->client->store;
    if (*op)
        store->vtable->cancel(store, *op);
    *op = NULL;
}

static void end_opening(struct upload *upload)
{
    if (!upload->opening)
        return;
    upload->opening = false;
    sync_finish(&upload->sync);
}

/* No request is made any more, and nobody listens. */
static void upload_loop_end(struct upload *upload)
{
    op_end(&upload->op);
    for (uint32_t i = 0; i < upload->slot_count; i++)
        retry_stop(&upload->slots[i].retry);
    cancel_op(upload, &upload->creation_under_way);
}

static const char *upload_loop_clause(enum op_reason reason)
{
    switch (reason) {
    case OP_DEADLINE: return "was ended by its deadline";
    case OP_CANCELLED: return "was cancelled";
    case OP_CLOSING: break;
    }
    return "was ended, as its client was closed,";
}

/* The calling thread may be in the midst of reading, and comes later. */
static void upload_loop_interrupted(struct op *op, enum op_reason reason)
{
    struct upload *upload = container_of(op, struct upload, op);
    os_error error;
    const char *colon = upload->last_error.code != OS_OK ? " Last trouble: " : "";
    error_set(&error, op_reason_code(reason), "%s of %.300s %s while its parts were sent; nothing was written.%s%.500s",
              upload->params->name, upload->params->key, upload_loop_clause(reason), colon,
              upload->last_error.code != OS_OK ? upload->last_error.message : "");
    set_failed(upload, &error);
    upload_loop_end(upload);
    end_opening(upload);
}

/* ------------------------------------------------------------------------------------------------ the upload */

static void create_done(void *context, const struct store_answer *answer)
{
    struct upload *upload = context;
    assert(upload->opening && upload->creation_under_way != NULL);
    upload->creation_under_way = NULL;
    note(upload, STORE_CREATE_UPLOAD, &upload->create_sent, answer);
    bool unread = answer->code == OS_ERR_NETWORK || answer->code == OS_ERR_PROTOCOL; /* each may have made an upload */
    bool lost = unread && retry_elapsed_ms(&upload->op.retry) > UPLOAD_UNREACHABLE_MS;
    if (answer->code != OS_OK && upload_loop_is_passing(answer) && !lost) {
        op_pause(&upload->op);
        return;
    }
    if (answer->code == OS_OK)
        memcpy(upload->ret->upload_id, answer->upload_id.text, sizeof(answer->upload_id.text));
    else
        fail_by(upload, answer);
    end_opening(upload);
}

/* Where an answer was lost, an upload without parts is left behind for each: `oscommit gc` finds it. */
static void upload_loop_create(struct op *op)
{
    struct upload *upload = container_of(op, struct upload, op);
    assert(upload->opening && upload->creation_under_way == NULL);
    struct store *store = upload->client->store;
    _Static_assert(sizeof(upload->ret->upload_id) == sizeof(struct s3_upload_id), "");
    clock_read(&upload->create_sent);
    upload->create_request = (struct store_request){
        .verb = STORE_CREATE_UPLOAD,
        .key = upload->params->key,
        .upload = {.creation = &upload->creation},
        .deadline_monotonic_ms = upload->params->deadline_monotonic_ms,
    };
    upload->creation_under_way = store->vtable->start(store, &upload->create_request, create_done, upload);
    if (upload->creation_under_way == NULL)
        op_pause(op);
}

static struct op_limits upload_loop_limits(const struct upload *upload)
{
    return (struct op_limits){
        .loop = upload->client->loop,
        .cancel = upload->params->cancel,
        .closing = upload->client->closing,
        .deadline_ms = clock_left_ms(upload->params->deadline_monotonic_ms),
    };
}

static void open_on_loop(struct sync *sync)
{
    struct upload *upload = container_of(sync, struct upload, sync);
    const struct op_limits limits = upload_loop_limits(upload);
    upload->opening = true;
    if (op_begin(&upload->op, &limits, upload_loop_create, upload_loop_interrupted)) {
        upload_loop_create(&upload->op);
        return;
    }
    os_error error;
    error_no_memory(&error);
    set_failed(upload, &error);
    end_opening(upload);
}

os_code upload_open(struct upload *upload, os_error *err)
{
    upload->sync.start = open_on_loop;
    return sync_run(upload->client, &upload->sync, err);
}

static bool has_parts_under_way(const struct upload *upload)
{
    for (uint32_t i = 0; i < upload->slot_count; i++)
        if (upload->slots[i].under_way)
            return true;
    return false;
}

static void end_closing_when_drained(struct upload *upload)
{
    assert(upload->closing && !upload->closed);
    if (has_parts_under_way(upload))
        return;
    loop_timer_clear(upload->client->loop, &upload->drain_timer);
    if (!upload->failed)
        report_progress(upload, true);
    monitor_enter(&upload->monitor);
    upload->closed = true;
    monitor_wake(&upload->monitor); /* inside: the waiter destroys it right after */
    monitor_leave(&upload->monitor);
}

static void on_drain(struct loop_timer *timer)
{
    struct upload *upload = container_of(timer, struct upload, drain_timer);
    assert(has_parts_under_way(upload));
    upload->ret->parts_in_doubt = true;
    for (uint32_t i = 0; i < upload->slot_count; i++)
        cancel_op(upload, &upload->slots[i].under_way);
    end_closing_when_drained(upload);
}

/* A part that is cut off can still be taken by the store, after the upload was aborted; one that was answered cannot.
 */
static void close_on_loop(struct loop_job *job)
{
    struct upload *upload = container_of(job, struct upload, close_job);
    assert(!upload->opening && !upload->closing);
    upload_loop_end(upload);
    upload->closing = true;
    upload->drain_timer.fire = on_drain;
    loop_timer_set(upload->client->loop, &upload->drain_timer, UPLOAD_DRAIN_MS);
    end_closing_when_drained(upload);
}

/*
 * Jobs run in order: a slot that was posted before has been taken by then. Needs nothing that could be missing: the
 * loop must not keep what points into an upload that is gone.
 */
void upload_close(struct upload *upload)
{
    upload->close_job.run = close_on_loop;
    loop_post(upload->client->loop, &upload->close_job);
    monitor_enter(&upload->monitor);
    while (!upload->closed)
        monitor_wait(&upload->monitor);
    monitor_leave(&upload->monitor);
}
