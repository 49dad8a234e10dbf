/* SPDX-License-Identifier: Apache-2.0 */
#include "client/store_call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "s3/request.h"
#include "store/answer.h"

#include <string.h>

enum { STORE_CALL_UNREACHABLE_MS = 10000 };

static void store_call_finish(struct store_call *store_call, os_code code)
{
    store_call->code = code;
    op_end(&store_call->op);
    sync_finish(&store_call->sync);
}

/* `told_before`: the deadline is here, and will tell what was in the way before. */
static bool worth_repeating(const struct store_call *store_call, const struct store_answer *answer, bool told_before)
{
    os_code code = answer->code;
    if (!store_call->may_repeat || store_call->delivered)
        return false;
    if (code == OS_ERR_SERVICE || code == OS_ERR_THROTTLED || told_before)
        return true;
    bool unreachable =
        !answer->complete && (code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE || code == OS_ERR_PROTOCOL);
    return unreachable && retry_elapsed_ms(&store_call->op.retry) < STORE_CALL_UNREACHABLE_MS;
}

static bool store_call_is_write(const struct store_call *store_call)
{
    enum store_verb verb = store_call->request.verb;
    return verb == STORE_PUT || verb == STORE_DELETE || verb == STORE_COMPLETE || verb == STORE_RENAME;
}

/* Also when our own body broke off: versitygw 1.8.0 now and then keeps a body cut short, as s3rver always does. */
static bool may_be_applied(const struct store_call *store_call, const struct store_answer *answer)
{
    bool unclear = !answer->complete || answer->status >= 500;
    bool written = answer->status >= 200 && answer->status < 300; /* and the rest of the answer cannot be used */
    if (store_call->request.verb == STORE_COMPLETE) /* V2; and NoSuchUpload is what a completed one is called, too */
        unclear = unclear || answer->status < 300 || strcmp(answer->service.code, "NoSuchUpload") == 0;
    return store_call_is_write(store_call) && answer->code != OS_OK && answer->sent && (unclear || written);
}

static os_code undecided(struct store_call *store_call)
{
    os_error last = store_call->error;
    error_set(&store_call->error, OS_ERR_UNDECIDED, "%s of %.300s may have been applied, or may still be: %.500s",
              store_verb_name(store_call->request.verb), store_call->request.key, last.message);
    error_service(&store_call->error, last.http_status, last.service_code, last.request_id);
    return OS_ERR_UNDECIDED;
}

/* The time of the call is over, of which its timer is about to tell: a try that it ends says nothing of the store. */
static bool was_cut_by_deadline(const struct store_call *store_call, const struct store_answer *answer)
{
    return answer->code == OS_ERR_DEADLINE && clock_left_ms(store_call->request.deadline_monotonic_ms) == 0;
}

static void note_known(os_client *client, const char *key, const struct store_answer *answer)
{
    const char *etag = answer->object.etag;
    known_versions_note(&client->known_versions, key, etag, answer->object.nonce);
    if (answer->response)
        known_versions_note_history(&client->known_versions, key, etag,
                                    http_headers_get(&answer->response->headers, S3_HISTORY_HEADER));
}

/* Who reads an object often replaces it next. */
static void note_version(const struct store_call *store_call, const struct store_answer *answer)
{
    const struct store_request *request = &store_call->request;
    bool shows = request->verb == STORE_HEAD || request->verb == STORE_GET;
    if (answer->code == OS_OK && shows && request->version_id == NULL)
        note_known(store_call->client, request->key, answer);
}

/* The answer to a HEAD has no body to say what is missing. */
static bool may_lack_bucket(const struct store_call *store_call, const struct store_answer *answer)
{
    const os_client *client = store_call->client;
    return store_call->request.verb == STORE_HEAD && answer->code == OS_ERR_NOT_FOUND &&
           !answer->object.delete_marker && client->settings.bucket != NULL && client->bucket == CLIENT_BUCKET_UNKNOWN;
}

static void note_bucket(os_client *client, const struct store_answer *answer)
{
    if (answer->code == OS_OK && client->bucket == CLIENT_BUCKET_UNKNOWN)
        client->bucket = CLIENT_BUCKET_SEEN;
}

static void store_call_done(void *context, const struct store_answer *answer)
{
    struct store_call *store_call = context;
    store_call->under_way = NULL;
    store_call->requests += store_answer_is_of_request(answer) ? 1 : 0;
    client_note_date(store_call->client, answer, &store_call->sent);
    client_note_request(store_call->client, store_verb_name(store_call->request.verb),
                        store_call->request.key ? store_call->request.key : "", &store_call->sent, answer->status,
                        answer->code);
    const os_error before = store_call->error;
    store_call->error = answer->error;
    store_call->no_upload = strcmp(answer->service.code, "NoSuchUpload") == 0;
    bool told_before = was_cut_by_deadline(store_call, answer) && before.code != OS_OK;
    if (answer->code != OS_OK && worth_repeating(store_call, answer, told_before)) {
        if (told_before)
            store_call->error = before;
        client_note_retry(store_call->client, &store_call->error);
        op_pause(&store_call->op);
        return;
    }
    if (may_be_applied(store_call, answer)) {
        store_call_finish(store_call, undecided(store_call));
        return;
    }
    note_version(store_call, answer);
    note_bucket(store_call->client, answer);
    store_call->may_lack_bucket = may_lack_bucket(store_call, answer);
    store_call->object = answer->object;
    memcpy(store_call->content_type, answer->content_type, sizeof(store_call->content_type));
    os_code code = answer->code;
    if (code == OS_OK && store_call->source_metadata && answer->response)
        code = source_metadata_take(store_call->source_metadata, answer->response, &store_call->error);
    store_call_finish(store_call, code);
}

static void store_call_attempt(struct op *op)
{
    struct store_call *store_call = container_of(op, struct store_call, op);
    struct store *store = store_call->client->store;
    store_call->request.deadline_monotonic_ms = op->deadline_monotonic_ms;
    clock_read(&store_call->sent);
    store_call->under_way = store->vtable->start(store, &store_call->request, store_call_done, store_call);
    if (store_call->under_way == NULL)
        store_call_finish(store_call, error_no_memory(&store_call->error));
}

static void store_call_interrupted(struct op *op, enum op_reason reason)
{
    struct store_call *store_call = container_of(op, struct store_call, op);
    struct store *store = store_call->client->store;
    bool may_be_written = store_call->under_way && store_call_is_write(store_call);
    if (store_call->under_way) {
        store->vtable->cancel(store, store_call->under_way);
        store_call->requests++; /* as far as is known */
    }
    store_call->under_way = NULL;
    os_error last = store_call->error;
    os_code code = op_reason_code(reason);
    error_set(&store_call->error, code, "%s of %.300s was ended: %s.%s%.600s",
              store_verb_name(store_call->request.verb), store_call->request.key ? store_call->request.key : "the list",
              op_reason_clause(reason), last.code != OS_OK ? " Last trouble: " : "",
              last.code != OS_OK ? last.message : "");
    store_call_finish(store_call, may_be_written ? undecided(store_call) : code);
}

static void store_call_start(struct sync *sync)
{
    struct store_call *store_call = container_of(sync, struct store_call, sync);
    struct op_limits limits = client_limits(store_call->client, &store_call->call);
    limits.grace_ms = store_call->grace_ms;
    error_clear(&store_call->error);
    if (op_begin(&store_call->op, &limits, store_call_attempt, store_call_interrupted))
        store_call_attempt(&store_call->op);
    else
        store_call_finish(store_call, error_no_memory(&store_call->error));
}

os_code store_call_prepare(struct store_call *store_call, os_client *client, const os_call *call, os_error *err)
{
    os_code code = arguments_take_call(call, &store_call->call, err);
    if (code != OS_OK)
        return code;
    store_call->client = client;
    store_call->sync.start = store_call_start;
    store_call->request.progress = store_call->call.progress;
    store_call->request.progress_context = store_call->call.progress_context;
    store_call->code = error_no_memory(&store_call->error);
    return OS_OK;
}

os_code store_call_code(const struct store_call *store_call, os_error *err)
{
    if (err)
        *err = store_call->error;
    if (store_call->code == OS_OK)
        error_clear(err);
    return store_call->code;
}

os_code store_call_run(struct store_call *store_call, os_client *client, const os_call *call, os_error *err)
{
    os_code code = store_call_prepare(store_call, client, call, err);
    if (code == OS_OK)
        code = sync_run(client, &store_call->sync, err);
    return code == OS_OK ? store_call_code(store_call, err) : code;
}

os_code store_call_upload_state(os_client *client, const char *key, const char *id, const os_call *call, os_error *err)
{
    struct s3_parts_page page;
    struct store_call store_call = {
        .may_repeat = true,
        .request = {.verb = STORE_LIST_PARTS, .key = key, .upload = {.id = id, .max_parts = 1, .parts_page = &page}}};
    os_code code = store_call_run(&store_call, client, call, err);
    if (code != OS_ERR_NOT_FOUND || store_call.no_upload)
        return code;
    return error_set(err, OS_ERR_PROTOCOL,
                     "ListParts of %.300s was answered with a 404 that does not say NoSuchUpload, so it may not come "
                     "from the store. Connect to the store without a proxy that makes up answers.",
                     key);
}

void store_call_export_object(const struct store_call *store_call, os_object *ret)
{
    if (ret == NULL)
        return;
    os_object object = OS_OBJECT_INIT;
    TEXT_COPY_STR_CUT(store_call->object.etag, object.etag);
    TEXT_COPY_STR_CUT(store_call->object.version_id, object.version_id);
    TEXT_COPY_STR_CUT(store_call->object.nonce, object.nonce);
    TEXT_COPY_STR_CUT(store_call->object.replaced, object.replaced);
    TEXT_COPY_STR_CUT(store_call->content_type, object.content_type);
    object.length = store_call->object.length;
    object.fencing = store_call->object.fencing;
    object.last_modified_s = store_call->object.last_modified_s;
    versioned_give(&object, sizeof(object), ret);
}
