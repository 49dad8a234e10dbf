/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a staged upload, on the loop's thread. */
#include "base/error.h"
#include "store/answer.h"
#include "upload/upload_internal.h"

#include <string.h>

void stage_slot_done(struct stage_slot *slot)
{
    struct stage *stage = slot->stage;
    monitor_enter(&stage->monitor);
    slot->next = stage->free_slots;
    stage->free_slots = slot;
    stage->busy--;
    monitor_wake(&stage->monitor);
    monitor_leave(&stage->monitor);
}

enum {
    STAGE_UNREACHABLE_MS =
        10000, /* as long as nothing has been staged, a store that cannot be reached is told at once */
    STAGE_COPY_PATIENCE_MS = 60000,
    STAGE_COPY_BYTES_PER_MS = 5 << 10, /* a part that is copied more slowly than 5 MiB/s is asked for again */
    STAGE_DRAIN_MS = 1000,             /* for parts that are under way when the rest has come to nothing */
    STAGE_DAMAGED_MAX = 3,
    STAGE_PROGRESS_MS = 100
};

/* ------------------------------------------------------------------------------------------------ answers */

/* The first failure counts. */
static void set_failed(struct stage *stage, const os_error *error)
{
    monitor_enter(&stage->monitor);
    if (!stage->failed) {
        stage->failed = true;
        stage->error = *error;
        monitor_wake(&stage->monitor);
    }
    monitor_leave(&stage->monitor);
}

static void note(struct stage *stage, enum store_verb verb, const struct clock_reading *sent,
                 const struct store_answer *answer)
{
    stage->ret->requests++;
    client_note_date(stage->client, answer, sent);
    client_note_request(stage->client, store_verb_name(verb), stage->wish->key, sent, answer->status, answer->code);
    if (answer->code != OS_OK)
        stage->last_error = answer->error;
}

/* Making a request of a staged upload again harms nobody. */
static bool is_passing(const struct store_answer *answer)
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

/* The answer's own error, but where it is about the source or the upload and not about the key that it names. */
static void fail_by(struct stage *stage, const struct store_answer *answer)
{
    os_error error = answer->error;
    const struct stage_source *source = stage->wish->source;
    if (answer->code == OS_OK)
        error_set(&error, OS_ERR_REFUSED,
                  "The store keeps receiving other bytes of %.300s than were sent; nothing was written. Something on "
                  "the path changes them.",
                  stage->wish->key);
    else if (strcmp(answer->service.code, "NoSuchUpload") == 0)
        error_set(&error, OS_ERR_EXPIRED,
                  "Somebody aborted the upload of %.300s while its parts were sent; nothing was written. Call again.",
                  stage->wish->key);
    else if (source && answer->status == 412)
        error_set(&error, OS_ERR_SOURCE,
                  "The source %.300s was changed while it was being copied to %.300s; nothing was written. Call again.",
                  source->key, stage->wish->key);
    else if (source && answer->code == OS_ERR_NOT_FOUND)
        error.code = OS_ERR_SOURCE;
    set_failed(stage, &error);
}

/* ------------------------------------------------------------------------------------------------ progress */

/* With the lock of what is told. */
static void tell_locked(struct stage *stage, bool end)
{
    const struct stage_wish *wish = stage->wish;
    struct clock_reading now;
    uint64_t total = wish->source ? wish->source->length : wish->body->http.length;
    if (wish->progress == NULL)
        return;
    clock_read(&now);
    if (!end && now.monotonic_ms - stage->told_ms < STAGE_PROGRESS_MS)
        return;
    uint64_t bytes = stage->done_bytes;
    for (uint32_t i = 0; i < stage->slot_count; i++)
        bytes += stage->slots[i].sent_bytes;
    if (bytes > stage->told_bytes) /* a part that is sent again does not take back what was told */
        stage->told_bytes = bytes;
    stage->told_ms = now.monotonic_ms;
    if (!wish->source && wish->body->goes_on)
        total = end ? stage->told_bytes : 0;
    wish->progress(wish->progress_context, stage->told_bytes, total);
}

static void tell(struct stage *stage, bool end)
{
    pthread_mutex_lock(&stage->progress_lock);
    tell_locked(stage, end);
    pthread_mutex_unlock(&stage->progress_lock);
}

static void forget_sent(struct stage_slot *slot)
{
    pthread_mutex_lock(&slot->stage->progress_lock);
    slot->sent_bytes = 0;
    pthread_mutex_unlock(&slot->stage->progress_lock);
}

static void count_part(struct stage_slot *slot)
{
    struct stage *stage = slot->stage;
    pthread_mutex_lock(&stage->progress_lock);
    stage->done_bytes += slot->bytes.length;
    slot->sent_bytes = 0;
    tell_locked(stage, false);
    pthread_mutex_unlock(&stage->progress_lock);
}

static void on_progress(void *context, uint64_t sent_bytes, uint64_t total_bytes)
{
    struct stage_slot *slot = context;
    (void)total_bytes;
    pthread_mutex_lock(&slot->stage->progress_lock);
    slot->sent_bytes = sent_bytes;
    tell_locked(slot->stage, false);
    pthread_mutex_unlock(&slot->stage->progress_lock);
}

/* ------------------------------------------------------------------------------------------------ parts */

static void send_part(struct stage_slot *slot);

static void end_slot(struct stage_slot *slot)
{
    forget_sent(slot);
    stage_slot_done(slot);
}

/* False when the store has other bytes than were sent. */
static bool take_part(struct stage_slot *slot, const struct store_answer *answer)
{
    struct stage *stage = slot->stage;
    const struct s3_body_sums *sums = &slot->bytes.sums;
    struct s3_part part = answer->part;
    if (!stage->wish->source && sums->checksum != S3_CHECKSUM_NONE) {
        if (part.sum.checksum == sums->checksum && strcmp(part.sum.text, sums->checksum_text) != 0)
            return false;
        part.sum.checksum = sums->checksum;
        memcpy(part.sum.text, slot->bytes.sum_text, sizeof(part.sum.text));
    }
    monitor_enter(&stage->monitor);
    stage->ret->answers[slot->number - 1] = part;
    monitor_leave(&stage->monitor);
    return true;
}

static void end_closing_when_drained(struct stage *stage);

static void part_done(void *context, const struct store_answer *answer)
{
    struct stage_slot *slot = context;
    struct stage *stage = slot->stage;
    slot->op = NULL;
    note(stage, slot->request.verb, &slot->sent, answer);
    if (!answer->complete || answer->status >= 500) /* a gateway answers for a store that is still at it */
        stage->ret->parts_in_doubt = true;
    if (stage->closing) {
        end_closing_when_drained(stage);
        return;
    }
    bool taken = answer->code == OS_OK && take_part(slot, answer);
    if (taken) {
        count_part(slot);
        end_slot(slot);
        return;
    }
    if (stage->failed)
        return;
    bool damaged = (answer->code == OS_OK || is_damage(answer)) && ++slot->damaged < STAGE_DAMAGED_MAX;
    if (damaged || is_passing(answer)) {
        loop_timer_set(stage->client->loop, &slot->again, backoff_next_ms(&slot->backoff));
        return;
    }
    fail_by(stage, answer);
}

static void describe_part(struct stage_slot *slot)
{
    struct stage *stage = slot->stage;
    const struct stage_source *source = stage->wish->source;
    struct store_request *request = &slot->request;
    uint64_t length = slot->bytes.length;
    *request = (struct store_request){
        .verb = source ? STORE_UPLOAD_PART_COPY : STORE_UPLOAD_PART,
        .key = stage->wish->key,
        .upload = {.id = stage->ret->upload_id, .part_number = slot->number, .part_offset = slot->offset},
        .deadline_monotonic_ms = stage->wish->deadline_monotonic_ms,
    };
    if (source) {
        slot->source = (struct s3_part_source){
            .key = source->key, .etag = source->etag, .version_id = source->version_id, .offset = slot->offset};
        slot->source.count = stage->plan.count > 1 ? length : 0;
        request->upload.part_source = &slot->source;
        uint64_t patience_ms = slot->sent.monotonic_ms + STAGE_COPY_PATIENCE_MS + length / STAGE_COPY_BYTES_PER_MS;
        if (patience_ms < request->deadline_monotonic_ms)
            request->deadline_monotonic_ms = patience_ms;
        return;
    }
    request->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = slot->bytes.data, .fd = -1, .length = length};
    request->upload.sums = stage->reader.bare ? NULL : &slot->bytes.sums;
    request->progress = stage->wish->progress ? on_progress : NULL;
    request->progress_context = slot;
}

static void send_part(struct stage_slot *slot)
{
    struct stage *stage = slot->stage;
    struct store *store = stage->client->store;
    clock_read(&slot->sent);
    forget_sent(slot);
    describe_part(slot);
    slot->op = store->vtable->start(store, &slot->request, part_done, slot);
    if (slot->op == NULL)
        loop_timer_set(stage->client->loop, &slot->again, backoff_next_ms(&slot->backoff)); /* out of memory */
}

static void on_again(struct loop_timer *timer)
{
    send_part((struct stage_slot *)((char *)timer - offsetof(struct stage_slot, again)));
}

static void on_posted(struct loop_job *job)
{
    struct stage_slot *slot = (struct stage_slot *)((char *)job - offsetof(struct stage_slot, job));
    slot->damaged = 0;
    backoff_restart(&slot->backoff);
    if (slot->stage->failed) /* set on this thread alone */
        end_slot(slot);
    else
        send_part(slot);
}

void stage_slot_init(struct stage *stage, struct stage_slot *slot)
{
    slot->stage = stage;
    slot->job.run = on_posted;
    slot->again.fire = on_again;
    slot->backoff.random = (uint64_t)(slot - stage->slots) + 1;
    slot->next = stage->free_slots;
    stage->free_slots = slot;
}

/* ------------------------------------------------------------------------------------------------ ends */

static void cancel_op(struct stage *stage, struct store_op **op)
{
    struct store *store = stage->client->store;
    if (*op)
        store->vtable->cancel(store, *op);
    *op = NULL;
}

static void end_opening(struct stage *stage)
{
    if (!stage->opening)
        return;
    stage->opening = false;
    sync_finish(&stage->sync);
}

static void clear_timers(struct stage *stage)
{
    loop_timer_clear(stage->client->loop, &stage->create_again);
    for (uint32_t i = 0; i < stage->slot_count; i++)
        loop_timer_clear(stage->client->loop, &stage->slots[i].again);
}

/* No request is made any more: the calling thread may be in the midst of reading, and comes later. */
static void stop(struct stage *stage, os_code code, const char *why)
{
    os_error error;
    const char *colon = stage->last_error.code != OS_OK ? " Last trouble: " : "";
    error_set(&error, code, "%s of %.300s %s while its parts were sent; nothing was written.%s%.500s",
              stage->wish->name, stage->wish->key, why, colon,
              stage->last_error.code != OS_OK ? stage->last_error.message : "");
    set_failed(stage, &error);
    clear_timers(stage);
    cancel_op(stage, &stage->create_op);
    end_opening(stage);
}

static void on_deadline(struct loop_timer *timer)
{
    stop((struct stage *)((char *)timer - offsetof(struct stage, deadline_timer)), OS_ERR_DEADLINE,
         "was ended by its deadline");
}

static void on_cancel(struct cancel_link *link)
{
    stop((struct stage *)((char *)link - offsetof(struct stage, cancel_link)), OS_ERR_CANCELLED, "was cancelled");
}

static void on_closing(struct cancel_link *link)
{
    stop((struct stage *)((char *)link - offsetof(struct stage, closing_link)), OS_ERR_CANCELLED,
         "was ended, as its client was closed,");
}

/* ------------------------------------------------------------------------------------------------ the upload */

static void create_done(void *context, const struct store_answer *answer)
{
    struct stage *stage = context;
    struct clock_reading now;
    clock_read(&now);
    stage->create_op = NULL;
    note(stage, STORE_CREATE_UPLOAD, &stage->create_sent, answer);
    bool lost = answer->code == OS_ERR_NETWORK && clock_elapsed_max(&stage->started, &now) > STAGE_UNREACHABLE_MS;
    if (answer->code != OS_OK && is_passing(answer) && !lost) {
        loop_timer_set(stage->client->loop, &stage->create_again, backoff_next_ms(&stage->backoff));
        return;
    }
    if (answer->code == OS_OK)
        memcpy(stage->ret->upload_id, answer->upload_id.text, sizeof(answer->upload_id.text));
    else
        fail_by(stage, answer);
    end_opening(stage);
}

/* Where an answer was lost, an upload without parts is left behind for each: `oscommit gc` finds it. */
static void create(struct loop_timer *timer)
{
    struct stage *stage = (struct stage *)((char *)timer - offsetof(struct stage, create_again));
    struct store *store = stage->client->store;
    _Static_assert(sizeof(stage->ret->upload_id) == sizeof(struct s3_upload_id), "");
    clock_read(&stage->create_sent);
    stage->create_request = (struct store_request){
        .verb = STORE_CREATE_UPLOAD,
        .key = stage->wish->key,
        .upload = {.creation = &stage->creation},
        .deadline_monotonic_ms = stage->wish->deadline_monotonic_ms,
    };
    stage->create_op = store->vtable->start(store, &stage->create_request, create_done, stage);
    if (stage->create_op == NULL)
        loop_timer_set(stage->client->loop, &stage->create_again, backoff_next_ms(&stage->backoff));
}

static void open_on_loop(struct sync *sync)
{
    struct stage *stage = (struct stage *)((char *)sync - offsetof(struct stage, sync));
    struct loop *loop = stage->client->loop;
    clock_read(&stage->started);
    uint64_t now_ms = stage->started.monotonic_ms;
    uint64_t deadline_ms = stage->wish->deadline_monotonic_ms;
    stage->opening = true;
    stage->backoff.random = stage->started.realtime_ms;
    stage->create_again.fire = create;
    stage->deadline_timer.fire = on_deadline;
    stage->cancel_link.heard = on_cancel;
    stage->closing_link.heard = on_closing;
    if (!cancel_link(stage->wish->cancel, &stage->cancel_link, loop) ||
        !cancel_link(stage->client->closing, &stage->closing_link, loop)) {
        os_error error;
        error_no_memory(&error);
        set_failed(stage, &error);
        end_opening(stage);
        return;
    }
    loop_timer_set(loop, &stage->deadline_timer, deadline_ms > now_ms ? deadline_ms - now_ms : 0);
    create(&stage->create_again);
}

os_code stage_open(struct stage *stage, os_error *err)
{
    stage->sync.start = open_on_loop;
    return sync_run(stage->client, &stage->sync, err);
}

static bool has_parts_under_way(const struct stage *stage)
{
    for (uint32_t i = 0; i < stage->slot_count; i++)
        if (stage->slots[i].op)
            return true;
    return false;
}

static void end_closing_when_drained(struct stage *stage)
{
    if (has_parts_under_way(stage))
        return;
    loop_timer_clear(stage->client->loop, &stage->drain_timer);
    if (!stage->failed)
        tell(stage, true);
    monitor_enter(&stage->monitor);
    stage->closed = true;
    monitor_wake(&stage->monitor); /* inside: the waiter destroys it right after */
    monitor_leave(&stage->monitor);
}

static void on_drain(struct loop_timer *timer)
{
    struct stage *stage = (struct stage *)((char *)timer - offsetof(struct stage, drain_timer));
    stage->ret->parts_in_doubt = true;
    for (uint32_t i = 0; i < stage->slot_count; i++)
        cancel_op(stage, &stage->slots[i].op);
    end_closing_when_drained(stage);
}

/* A part that is cut off can still be taken by the store, after the upload was aborted; one that was answered cannot.
 */
static void close_on_loop(struct loop_job *job)
{
    struct stage *stage = (struct stage *)((char *)job - offsetof(struct stage, close_job));
    cancel_unlink(&stage->cancel_link);
    cancel_unlink(&stage->closing_link);
    loop_timer_clear(stage->client->loop, &stage->deadline_timer);
    clear_timers(stage);
    cancel_op(stage, &stage->create_op);
    stage->closing = true;
    stage->drain_timer.fire = on_drain;
    loop_timer_set(stage->client->loop, &stage->drain_timer, STAGE_DRAIN_MS);
    end_closing_when_drained(stage);
}

/*
 * Jobs run in order: a slot that was posted before has been taken by then. Needs nothing that could be missing: the
 * loop must not keep what points into a stage that is gone.
 */
void stage_close(struct stage *stage)
{
    stage->close_job.run = close_on_loop;
    loop_post(stage->client->loop, &stage->close_job);
    monitor_enter(&stage->monitor);
    while (!stage->closed)
        monitor_wait(&stage->monitor);
    monitor_leave(&stage->monitor);
}
