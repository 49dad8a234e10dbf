/* SPDX-License-Identifier: Apache-2.0 */
#include "client/store_call.h"

#include "base/error.h"
#include "client/arguments.h"
#include "store/answer.h"

#include <string.h>

enum { PLAIN_UNREACHABLE_MS = 10000 };

static void launch(struct plain *plain);

static void finish(struct plain *plain, os_code code)
{
    struct loop *loop = plain->client->loop;
    plain->code = code;
    loop_timer_clear(loop, &plain->deadline_timer);
    loop_timer_clear(loop, &plain->again_timer);
    cancel_unlink(&plain->cancel_link);
    cancel_unlink(&plain->closing_link);
    sync_finish(&plain->sync);
}

static bool worth_repeating(const struct plain *plain, const struct store_answer *answer)
{
    os_code code = answer->code;
    struct clock_reading now;
    clock_read(&now);
    if (!plain->may_repeat || plain->delivered)
        return false;
    if (code == OS_ERR_SERVICE || code == OS_ERR_THROTTLED)
        return true;
    bool unreachable =
        !answer->complete && (code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE || code == OS_ERR_PROTOCOL);
    return unreachable && clock_elapsed_max(&plain->started, &now) < PLAIN_UNREACHABLE_MS;
}

static bool is_write(const struct plain *plain)
{
    enum store_verb verb = plain->request.verb;
    return verb == STORE_PUT || verb == STORE_DELETE || verb == STORE_COMPLETE || verb == STORE_RENAME;
}

/* Also when our own body broke off: versitygw 1.8.0 now and then keeps a body cut short, as s3rver always does. */
static bool may_be_applied(const struct plain *plain, const struct store_answer *answer)
{
    bool unclear = !answer->complete || answer->status >= 500;
    if (plain->request.verb == STORE_COMPLETE) /* V2; and NoSuchUpload is what a completed one is called, too */
        unclear = unclear || answer->status < 300 || strcmp(answer->service.code, "NoSuchUpload") == 0;
    return is_write(plain) && answer->code != OS_OK && answer->sent && unclear;
}

static os_code undecided(struct plain *plain)
{
    os_error last = plain->error;
    error_set(&plain->error, OS_ERR_UNDECIDED, "%s of %.300s may have been applied, or may still be: %.500s",
              store_verb_name(plain->request.verb), plain->request.key, last.message);
    error_service(&plain->error, last.http_status, last.service_code, last.request_id);
    return OS_ERR_UNDECIDED;
}

static void done(void *context, const struct store_answer *answer)
{
    struct plain *plain = context;
    plain->op = NULL;
    client_note_date(plain->client, answer, &plain->sent);
    client_note_request(plain->client, store_verb_name(plain->request.verb),
                        plain->request.key ? plain->request.key : "", &plain->sent, answer->status, answer->code);
    plain->error = answer->error;
    plain->no_upload = strcmp(answer->service.code, "NoSuchUpload") == 0;
    if (answer->code != OS_OK && worth_repeating(plain, answer)) {
        loop_timer_set(plain->client->loop, &plain->again_timer, backoff_next_ms(&plain->backoff));
        return;
    }
    if (may_be_applied(plain, answer)) {
        finish(plain, undecided(plain));
        return;
    }
    plain->object = answer->object;
    memcpy(plain->content_type, answer->content_type, sizeof(plain->content_type));
    os_code code = answer->code;
    if (code == OS_OK && plain->carried && answer->response)
        code = carried_take(plain->carried, answer->response, &plain->error);
    finish(plain, code);
}

static void launch(struct plain *plain)
{
    struct store *store = plain->client->store;
    clock_read(&plain->sent);
    plain->op = store->vtable->start(store, &plain->request, done, plain);
    if (plain->op == NULL)
        finish(plain, error_no_memory(&plain->error));
}

static void on_again(struct loop_timer *timer)
{
    launch((struct plain *)((char *)timer - offsetof(struct plain, again_timer)));
}

static void stop(struct plain *plain, os_code code, const char *why)
{
    bool under_way = plain->op != NULL;
    if (plain->op)
        plain->client->store->vtable->cancel(plain->client->store, plain->op);
    plain->op = NULL;
    os_error last = plain->error;
    error_set(&plain->error, code, "%s of %.300s was ended: %s.%s%.400s", store_verb_name(plain->request.verb),
              plain->request.key ? plain->request.key : "the list", why, last.code != OS_OK ? " Last trouble: " : "",
              last.code != OS_OK ? last.message : "");
    finish(plain, under_way && is_write(plain) ? undecided(plain) : code);
}

static void on_deadline(struct loop_timer *timer)
{
    stop((struct plain *)((char *)timer - offsetof(struct plain, deadline_timer)), OS_ERR_DEADLINE,
         "its deadline passed");
}

static void cancelled(struct plain *plain, const char *why)
{
    if (plain->grace_ms == 0) {
        stop(plain, OS_ERR_CANCELLED, why);
        return;
    }
    struct clock_reading now;
    clock_read(&now);
    if (plain->request.deadline_monotonic_ms <= now.monotonic_ms + plain->grace_ms)
        return;
    plain->request.deadline_monotonic_ms = now.monotonic_ms + plain->grace_ms;
    loop_timer_set(plain->client->loop, &plain->deadline_timer, plain->grace_ms);
}

static void on_cancel(struct cancel_link *link)
{
    cancelled((struct plain *)((char *)link - offsetof(struct plain, cancel_link)), "it was cancelled");
}

static void on_closing(struct cancel_link *link)
{
    cancelled((struct plain *)((char *)link - offsetof(struct plain, closing_link)), "its client was closed");
}

static void start(struct sync *sync)
{
    struct plain *plain = (struct plain *)sync;
    clock_read(&plain->started);
    plain->backoff.random = plain->started.realtime_ms;
    plain->deadline_timer.fire = on_deadline;
    plain->again_timer.fire = on_again;
    plain->cancel_link.heard = on_cancel;
    plain->closing_link.heard = on_closing;
    plain->request.deadline_monotonic_ms = plain->started.monotonic_ms + plain->call.deadline_ms;
    if (!cancel_link(plain->call.cancel, &plain->cancel_link, plain->client->loop) ||
        !cancel_link(plain->client->closing, &plain->closing_link, plain->client->loop)) {
        finish(plain, error_no_memory(&plain->error));
        return;
    }
    loop_timer_set(plain->client->loop, &plain->deadline_timer, plain->call.deadline_ms);
    launch(plain);
}

os_code plain_run(struct plain *plain, os_client *client, const os_call *call, os_error *err)
{
    os_code code = call_take(call, &plain->call, err);
    if (code != OS_OK)
        return code;
    plain->client = client;
    plain->sync.start = start;
    plain->request.progress = plain->call.progress;
    plain->request.progress_context = plain->call.progress_context;
    code = sync_run(client, &plain->sync, err);
    if (code != OS_OK)
        return code;
    if (err)
        *err = plain->error;
    if (plain->code == OS_OK)
        error_clear(err);
    return plain->code;
}

static void copy_cut(char *ret, size_t ret_size, const char *from)
{
    size_t len = strnlen(from, ret_size - 1);
    memcpy(ret, from, len);
    ret[len] = '\0';
}

os_code plain_upload_state(os_client *client, const char *key, const char *id, const os_call *call, os_error *err)
{
    struct s3_parts_page page;
    struct plain plain = {
        .may_repeat = true,
        .request = {.verb = STORE_LIST_PARTS, .key = key, .upload = {.id = id, .max_parts = 1, .parts_page = &page}}};
    os_code code = plain_run(&plain, client, call, err);
    if (code != OS_ERR_NOT_FOUND || plain.no_upload)
        return code;
    return error_set(err, OS_ERR_PROTOCOL,
                     "ListParts of %.300s was answered with a 404 that does not say NoSuchUpload, so it may not come "
                     "from the store. Connect to the store without a proxy that makes up answers.",
                     key);
}

void plain_give_object(const struct plain *plain, os_object *ret)
{
    if (ret == NULL)
        return;
    os_object object = OS_OBJECT_INIT;
    copy_cut(object.etag, sizeof(object.etag), plain->object.etag);
    copy_cut(object.version_id, sizeof(object.version_id), plain->object.version_id);
    copy_cut(object.nonce, sizeof(object.nonce), plain->object.nonce);
    copy_cut(object.content_type, sizeof(object.content_type), plain->content_type);
    object.length = plain->object.length;
    object.last_modified_s = plain->object.last_modified_s;
    size_t size = ret->size && ret->size < sizeof(object) ? ret->size : sizeof(object);
    object.size = size;
    memcpy(ret, &object, size);
}
