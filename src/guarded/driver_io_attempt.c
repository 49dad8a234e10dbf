/* SPDX-License-Identifier: Apache-2.0 */
/* The one attempt of a guard: described, signed, sent, measured, and its answer as an event (R2, R6 to R10). */
#include "guarded/driver.h"

#include "base/container.h"
#include "base/error.h"
#include "commit/words.h"
#include "store/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COMMIT_MOST_MS = 250, NONCES_LOST_MOST = 3 };

static enum store_verb verb_of(enum guard_operation operation)
{
    switch (operation) {
    case GUARD_PUT: return STORE_PUT;
    case GUARD_COPY: return STORE_COPY;
    case GUARD_COMPLETE: return STORE_COMPLETE;
    case GUARD_DELETE: break;
    }
    return STORE_DELETE;
}

/* Beside the nonce, and only where both have room: what is left out is not known to others, and nothing worse. The
 * metadata of an upload was given at its creation. */
static const char *replaced_of(const struct driver *driver, const struct store_request *request)
{
    const char *replaced = driver->io.attempt.replaced;
    bool carries = request->verb == STORE_PUT || request->verb == STORE_COPY;
    bool goes_along = carries && request->nonce && replaced[0];
    return goes_along && s3_content_has_room(request->content, request->nonce, replaced, NULL) ? replaced : NULL;
}

static const struct s3_content *content_of(const struct driver *driver)
{
    const struct driver_source *source = driver->io.source;
    return source && source->has_source_metadata ? &source->source_metadata.content : driver->params.content;
}

static void describe_attempt(struct driver *driver, const char *replaced, struct store_request *request)
{
    const struct driver_params *params = &driver->params;
    const struct driver_source *source = driver->io.source;
    assert(params->ticket == NULL); /* who resolves makes no attempt */
    memset(request, 0, sizeof(*request));
    request->verb = verb_of(params->operation);
    request->key = driver->key;
    request->source_key = params->source_key;
    request->source_version_id = params->source_version_id;
    request->source_etag = source ? source->etag : NULL;
    request->body = params->body;
    request->content = content_of(driver);
    request->attributes = params->operation == GUARD_PUT ? params->attributes : NULL;
    bool without_nonce = params->operation == GUARD_DELETE || (source && source->leave_nonce_out);
    request->nonce = without_nonce ? NULL : driver->guard.write.nonce;
    request->fencing = params->operation == GUARD_COPY ? params->fencing_text : NULL;
    fixed_str_copy(driver->io.attempt.replaced, replaced, sizeof(driver->io.attempt.replaced));
    request->replaced = replaced_of(driver, request);
    driver_describe_history(driver, request);
    request->progress = params->progress;
    request->progress_context = params->progress_context;
    write_plan_condition(&params->plan, params->etag, &request->condition); /* R7 */
    if (params->upload)
        request->upload = (struct store_upload){
            .id = driver->upload,
            .parts = params->upload->parts,
            .part_count = params->upload->part_count,
            .completion = params->upload->completion,
        };
}

/* `why_not`: there are no keys. */
static void sign_attempt(struct driver *driver, const struct store_request *request, const os_error *why_not)
{
    struct store *store = driver->client->store;
    struct driver_attempt *attempt = &driver->io.attempt;
    os_error error;
    if (why_not != NULL)
        error = *why_not;
    bool signed_ok =
        why_not == NULL && store->vtable->prepare(store, request, attempt->sign_date_s, attempt->sign_length_s,
                                                  &attempt->signed_request, &error) == OS_OK;
    struct guard_event event = {.kind = GUARD_EVENT_SIGNED, .signed_ok = signed_ok};
    if (signed_ok) {
        struct http_delivery delivery;
        store->vtable->delivery(store, attempt->signed_request, &delivery);
        event.at_once = delivery.at_once;
        event.wire_bytes = delivery.wire_bytes;
    } else {
        driver_note_error(driver, &error);
    }
    driver_event(driver, &event);
}

static void on_renewed(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct driver *driver = container_of(waiter, struct driver, io.attempt.keys);
    struct store_request request;
    char replaced[RECORD_NONCE_SIZE];
    fixed_str_copy(replaced, driver->io.attempt.replaced, sizeof(replaced));
    describe_attempt(driver, replaced, &request);
    sign_attempt(driver, &request, why_none);
}

/* With keys that were refused nothing is signed again: it waits for others, if they have to be looked for. The guard
 * counts the time that this takes (R6). */
void driver_sign_attempt(struct driver *driver, const struct guard_actions *actions)
{
    struct driver_attempt *attempt = &driver->io.attempt;
    assert(attempt->op == NULL); /* nothing is signed beside an attempt under way */
    struct store *store = driver->client->store;
    store->vtable->attempt_free(store, attempt->signed_request);
    attempt->signed_request = NULL;
    struct store_request request;
    describe_attempt(driver, actions->sign_replaced, &request);
    attempt->verb = request.verb;
    attempt->carries_nonce = request.nonce != NULL;
    attempt->has_if_match = request.condition.if_match != NULL;
    attempt->sign_date_s = actions->sign_date_s;
    attempt->sign_length_s = actions->sign_length_s;
    os_error why;
    enum credentials_state keys = CREDENTIALS_READY;
    attempt->keys.ready = on_renewed;
    if (actions->sign_renewed && store->credentials != NULL)
        keys = credentials_wait(store->credentials, true, &attempt->keys, &why);
    if (keys != CREDENTIALS_SEARCHED)
        sign_attempt(driver, &request, keys == CREDENTIALS_NONE ? &why : NULL);
}

static void learn_etags(struct driver *driver, const struct store_answer *answer)
{
    if (!driver_has_md5_etag(driver) || answer->code != OS_OK || answer->object.etag[0] == '\0')
        return;
    bool md5 = strcmp(answer->object.etag, driver->md5_etag) == 0;
    if (!md5)
        driver->client->etags = CLIENT_ETAGS_OTHER; /* once is enough: from now on nothing is predicted */
    else if (driver->client->etags == CLIENT_ETAGS_UNKNOWN)
        driver->client->etags = CLIENT_ETAGS_MD5;
}

/* The fence counts on the allowance: a store that takes longer, or a link, must not go unnoticed. */
static void driver_io_attempt_measure(struct driver *driver, const struct store_answer *answer)
{
    if (answer->tail_kept) {
        driver->io.attempt.tail_rate = answer->tail_rate;
        return;
    }
    if (answer->sent_ms <= driver->io.attempt.allowance_ms)
        return;
    log_line(
        &driver->client->log, OS_LOG_WARN,
        "%s of %s: the store has %llu ms to apply it, but the answer took %llu ms. If that is usual here, set "
        "allowance_s above %llu in all writers: otherwise another writer may take this one's writes for dead too early",
        store_verb_name(driver->io.attempt.verb), driver->key, (unsigned long long)driver->io.attempt.allowance_ms,
        (unsigned long long)answer->sent_ms, (unsigned long long)(answer->sent_ms / 1000));
}

/* R11.5: the mean of many, in which the last counts for a quarter. */
static void note_commit_time(struct driver *driver)
{
    struct clock_reading now;
    clock_read(&now);
    uint64_t took_ms = clock_elapsed_max(&driver->io.attempt.sent, &now);
    uint32_t bounded_ms = took_ms < 1 ? 1 : took_ms > COMMIT_MOST_MS ? COMMIT_MOST_MS : (uint32_t)took_ms;
    uint32_t mean_ms = driver->client->pace.commit_ms;
    driver->client->pace.commit_ms = mean_ms == 0 ? bounded_ms : (3 * mean_ms + bounded_ms + 3) / 4;
}

/* R3.6: the next replacement of it may be this client's. */
static void note_written(struct driver *driver, const struct store_answer *answer)
{
    note_commit_time(driver);
    bool carries = driver->io.attempt.carries_nonce || driver->params.upload != NULL;
    if (carries && driver->client->known_versions.nonces_lost < NONCES_LOST_MOST)
        driver_note_version(driver, answer->object.etag, driver->guard.write.nonce);
    if (driver->io.attempt.history)
        known_versions_note_history(&driver->client->known_versions, driver->key, answer->object.etag,
                                    driver->io.attempt.history);
}

static void send_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.attempt.op != NULL);
    driver->io.attempt.op = NULL;
    driver_count_request(driver, store_verb_name(driver->io.attempt.verb), &driver->io.attempt.sent, answer);
    if (answer->code != OS_OK)
        driver_note_error(driver, &answer->error);
    else if (driver->io.attempt.verb == STORE_DELETE)
        fixed_str_copy(driver->io.attempt.marker_version_id, answer->object.version_id,
                       sizeof(driver->io.attempt.marker_version_id));
    learn_etags(driver, answer);
    driver_io_attempt_measure(driver, answer);
    struct attempt_reply reply = {
        .sent = answer->sent,
        .complete = answer->complete,
        .tail_kept = answer->tail_kept,
        .status = answer->status,
        .code = answer->service.code,
        .message = answer->service.message,
        .is_copy = driver->io.attempt.verb == STORE_COPY,
        .is_complete = driver->io.attempt.verb == STORE_COMPLETE,
        .result_document = answer->result_document,
        .has_if_match = driver->io.attempt.has_if_match,
    };
    struct guard_event event = {.kind = GUARD_EVENT_ATTEMPT, .attempt = verdict_classify(&reply)};
    if (event.attempt == ATTEMPT_OK)
        note_written(driver, answer);
    driver_date_of(driver, answer, &event);
    fixed_str_copy(event.attempt_etag, answer->object.etag, sizeof(event.attempt_etag));
    fixed_str_copy(event.attempt_version_id, answer->object.version_id, sizeof(event.attempt_version_id));
    driver_event(driver, &event);
}

void driver_send_attempt(struct driver *driver, const struct guard_actions *actions)
{
    assert(driver->io.attempt.signed_request && driver->io.attempt.op == NULL); /* R2, R6 */
    clock_read(&driver->io.attempt.sent);
    struct store *store = driver->client->store;
    struct store_sending sending = {
        .deadline_monotonic_ms = driver->io.attempt.sent.monotonic_ms + actions->send_deadline_ms,
        .user_timeout_ms = (uint32_t)actions->send_allowance_ms,
        .tail = actions->send_at_once ? HTTP_TAIL_AT_ONCE : HTTP_TAIL_HELD_BACK,
        .tail_clock = actions->send_clock,
        .tail_before_ms = actions->send_tail_ms,
        .late_segment_ms = driver->guard.settings.late_segment_s * 1000,
    };
    driver->io.attempt.allowance_ms = actions->send_allowance_ms;
    driver->tally.attempts++;
    driver->io.attempt.op = store->vtable->send(store, driver->io.attempt.signed_request, &sending, send_done, driver);
    if (driver->io.attempt.op == NULL)
        driver_fail_later(driver, GUARD_DO_SEND);
}
