/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upload is aborted, and then asked for: a part that was under way may keep it open, or open it again (Amazon S3 API
 * Reference, "AbortMultipartUpload", says to abort again then, and to ask with ListParts).
 */
#include "client/stage.h"

#include "client/store_answer.h"
#include "commit/backoff.h"

#include <string.h>

struct abort {
    struct sync sync;
    os_client *client;
    struct store_request request;
    struct store_op *op;
    struct clock_reading sent;
    struct loop_timer again;
    struct loop_timer deadline;
    struct backoff backoff;
    os_error last_error;
    bool parts_in_doubt;
    bool accepted; /* and now it is asked for */
    bool settling; /* it was gone, and is asked for once more */
    bool gone;
};

static void end(struct abort *abort)
{
    struct store *store = abort->client->store;
    if (abort->op)
        store->vtable->cancel(store, abort->op);
    loop_timer_clear(abort->client->loop, &abort->again);
    loop_timer_clear(abort->client->loop, &abort->deadline);
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

static bool no_part(void *context, const struct s3_part *part)
{
    (void)context;
    (void)part;
    return true;
}

static void again(struct abort *abort)
{
    loop_timer_set(abort->client->loop, &abort->again, backoff_next_ms(&abort->backoff));
}

/* versitygw 1.8.0 makes the upload's folder again for a part whose bytes had come before the abort. */
static void found_gone(struct abort *abort)
{
    if (abort->settling || !abort->parts_in_doubt) {
        end(abort);
        return;
    }
    abort->settling = true;
    abort->accepted = true;
    loop_timer_set(abort->client->loop, &abort->again, STAGE_SETTLE_MS);
}

static void asked(struct abort *abort, const struct store_answer *answer)
{
    bool is_open = answer->code == OS_OK;
    abort->gone = !is_open && !is_unclear(answer); /* who may not ask has to believe that it was accepted */
    if (is_open)
        abort->accepted = false;
    if (abort->gone)
        found_gone(abort);
    else
        again(abort);
}

static void aborted(struct abort *abort, const struct store_answer *answer)
{
    abort->accepted = answer->code == OS_OK;
    abort->gone = is_gone(answer);
    abort->last_error = answer->error;
    if (abort->accepted)
        loop_timer_set(abort->client->loop, &abort->again, 0);
    else if (abort->gone)
        found_gone(abort);
    else if (is_unclear(answer))
        again(abort);
    else
        end(abort);
}

static void done(void *context, const struct store_answer *answer)
{
    struct abort *abort = context;
    abort->op = NULL;
    client_note_date(abort->client, answer, &abort->sent);
    client_note_request(abort->client, store_verb_name(abort->request.verb), abort->request.key, &abort->sent,
                        answer->status, answer->code);
    if (abort->request.verb == STORE_LIST_PARTS)
        asked(abort, answer);
    else
        aborted(abort, answer);
}

static void send_next(struct loop_timer *timer)
{
    struct abort *abort = (struct abort *)((char *)timer - offsetof(struct abort, again));
    struct store *store = abort->client->store;
    abort->request.verb = abort->accepted ? STORE_LIST_PARTS : STORE_ABORT_UPLOAD;
    clock_read(&abort->sent);
    abort->op = store->vtable->start(store, &abort->request, done, abort);
    if (abort->op == NULL)
        again(abort);
}

static void on_deadline(struct loop_timer *timer)
{
    end((struct abort *)((char *)timer - offsetof(struct abort, deadline)));
}

static void start(struct sync *sync)
{
    struct abort *abort = (struct abort *)sync;
    struct clock_reading now;
    clock_read(&now);
    abort->backoff.random = now.realtime_ms;
    abort->again.fire = send_next;
    abort->deadline.fire = on_deadline;
    uint64_t least_ms = now.monotonic_ms + STAGE_ABORT_MS;
    uint64_t *deadline_ms = &abort->request.deadline_monotonic_ms;
    if (*deadline_ms < least_ms)
        *deadline_ms = least_ms;
    loop_timer_set(abort->client->loop, &abort->deadline, *deadline_ms - now.monotonic_ms);
    send_next(&abort->again);
}

bool stage_abort(os_client *client, const char *key, const char *upload_id, bool parts_in_doubt,
                 uint64_t deadline_monotonic_ms)
{
    struct s3_parts_page page = {.truncated = false};
    struct abort abort = {
        .client = client,
        .parts_in_doubt = parts_in_doubt,
        .request = {.key = key,
                    .upload = {.id = upload_id, .max_parts = 1, .each_part = no_part, .parts_page = &page},
                    .deadline_monotonic_ms = deadline_monotonic_ms},
    };
    abort.sync.start = start;
    return sync_run(client, &abort.sync, NULL) == OS_OK && abort.gone;
}
