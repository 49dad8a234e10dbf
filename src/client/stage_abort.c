/* SPDX-License-Identifier: Apache-2.0 */
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
            abort->request.key, abort->request.upload.id, abort->last_error.message);
    sync_finish(&abort->sync);
}

/* "Ask again" is for answers that decide nothing; a refusal will not change. */
static bool is_unclear(const struct store_answer *answer)
{
    return !answer->complete || answer->status >= 500 || answer->status == 429 || answer->status == 409;
}

static void done(void *context, const struct store_answer *answer)
{
    struct abort *abort = context;
    abort->op = NULL;
    client_note_date(abort->client, answer, &abort->sent);
    client_note_request(abort->client, store_verb_name(STORE_ABORT_UPLOAD), abort->request.key, &abort->sent,
                        answer->status, answer->code);
    abort->gone = answer->code == OS_OK || strcmp(answer->service.code, "NoSuchUpload") == 0;
    abort->last_error = answer->error;
    if (!abort->gone && is_unclear(answer))
        loop_timer_set(abort->client->loop, &abort->again, backoff_next_ms(&abort->backoff));
    else
        end(abort);
}

static void send_abort(struct loop_timer *timer)
{
    struct abort *abort = (struct abort *)((char *)timer - offsetof(struct abort, again));
    struct store *store = abort->client->store;
    clock_read(&abort->sent);
    abort->op = store->vtable->start(store, &abort->request, done, abort);
    if (abort->op == NULL)
        loop_timer_set(abort->client->loop, &abort->again, backoff_next_ms(&abort->backoff));
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
    abort->again.fire = send_abort;
    abort->deadline.fire = on_deadline;
    uint64_t least_ms = now.monotonic_ms + STAGE_ABORT_MS;
    uint64_t *deadline_ms = &abort->request.deadline_monotonic_ms;
    if (*deadline_ms < least_ms)
        *deadline_ms = least_ms;
    loop_timer_set(abort->client->loop, &abort->deadline, *deadline_ms - now.monotonic_ms);
    send_abort(&abort->again);
}

bool stage_abort(os_client *client, const char *key, const char *upload_id, uint64_t deadline_monotonic_ms)
{
    struct abort abort = {
        .client = client,
        .request = {.verb = STORE_ABORT_UPLOAD,
                    .key = key,
                    .upload = {.id = upload_id},
                    .deadline_monotonic_ms = deadline_monotonic_ms},
    };
    abort.sync.start = start;
    return sync_run(client, &abort.sync, NULL) == OS_OK && abort.gone;
}
