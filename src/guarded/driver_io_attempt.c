/* SPDX-License-Identifier: Apache-2.0 */
/* The one attempt of a guard: described, signed, sent, measured, and its answer as an event (R2, R6 to R10). */
#include "guarded/driver.h"

#include "base/error.h"
#include "commit/words.h"
#include "store/answer.h"

#include <stdlib.h>
#include <string.h>

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

static void describe_attempt(struct run *run)
{
    const struct run_wish *wish = &run->wish;
    struct store_request *request = &run->io.attempt.request;
    memset(request, 0, sizeof(*request));
    request->verb = verb_of(wish->operation);
    request->key = run->key;
    request->source_key = wish->source_key;
    request->source_version_id = wish->source_version_id;
    request->source_etag = run->io.source.etag[0] ? run->io.source.etag : NULL;
    request->body = wish->body;
    request->content =
        wish->operation == GUARD_COPY && run->io.source.has_carried ? &run->io.source.carried.content : wish->content;
    request->attributes = wish->operation == GUARD_PUT ? wish->attributes : NULL;
    request->nonce = wish->operation == GUARD_DELETE || run->io.source.leave_nonce_out ? NULL : run->guard.nonce;
    request->progress = wish->progress;
    request->progress_context = wish->progress_context;
    way_condition(&wish->way, wish->etag, &request->condition); /* R7 */
    if (wish->upload)
        request->upload = (struct store_upload){
            .id = run->upload,
            .parts = wish->upload->parts,
            .part_count = wish->upload->part_count,
            .completion = wish->upload->completion,
        };
}

void run_sign_attempt(struct run *run, const struct guard_actions *todo)
{
    struct store *store = run->client->store;
    store->vtable->attempt_free(store, run->io.attempt.signed_request);
    run->io.attempt.signed_request = NULL;
    describe_attempt(run);
    os_code code = store->vtable->prepare(store, &run->io.attempt.request, todo->sign_date_s, todo->sign_length_s,
                                          todo->sign_renewed, &run->io.attempt.signed_request, &run->io.last_error);
    struct guard_event event = {.kind = GUARD_EVENT_SIGNED, .signed_ok = code == OS_OK};
    if (event.signed_ok) {
        struct http_delivery delivery;
        store->vtable->delivery(store, run->io.attempt.signed_request, &delivery);
        event.at_once = delivery.at_once;
        event.wire_bytes = delivery.wire_bytes;
    }
    run_event(run, &event);
}

static void learn_etags(struct run *run, const struct store_answer *answer)
{
    if (!run_has_md5_etag(run) || answer->code != OS_OK || answer->object.etag[0] == '\0')
        return;
    bool md5 = strcmp(answer->object.etag, run->md5_etag) == 0;
    if (!md5)
        run->client->etags = CLIENT_ETAGS_OTHER; /* once is enough: from now on nothing is predicted */
    else if (run->client->etags == CLIENT_ETAGS_UNKNOWN)
        run->client->etags = CLIENT_ETAGS_MD5;
}

/* The fence counts on the allowance: a store that takes longer, or a link, must not go unnoticed. */
static void measure(struct run *run, const struct store_answer *answer)
{
    if (answer->tail_kept) {
        run->io.attempt.tail_rate = answer->tail_rate;
        return;
    }
    if (answer->sent_ms <= run->io.attempt.allowance_ms)
        return;
    log_line(
        &run->client->log, OS_LOG_WARN,
        "%s of %s: the store has %llu ms to apply it, but the answer took %llu ms. If that is usual here, set "
        "allowance_s above %llu in all writers: otherwise another writer may take this one's writes for dead too early",
        store_verb_name(run->io.attempt.request.verb), run->key, (unsigned long long)run->io.attempt.allowance_ms,
        (unsigned long long)answer->sent_ms, (unsigned long long)(answer->sent_ms / 1000));
}

static void send_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->io.attempt.op = NULL;
    run_count_request(run, store_verb_name(run->io.attempt.request.verb), &run->io.attempt.sent, answer);
    if (answer->code != OS_OK)
        run->io.last_error = answer->error;
    else if (run->io.attempt.request.verb == STORE_DELETE)
        word_copy(run->io.attempt.marker_version_id, answer->object.version_id,
                  sizeof(run->io.attempt.marker_version_id));
    learn_etags(run, answer);
    measure(run, answer);
    struct attempt_reply reply = {
        .sent = answer->sent,
        .complete = answer->complete,
        .tail_kept = answer->tail_kept,
        .status = answer->status,
        .code = answer->service.code,
        .message = answer->service.message,
        .is_copy = run->io.attempt.request.verb == STORE_COPY,
        .is_complete = run->io.attempt.request.verb == STORE_COMPLETE,
        .result_document = answer->result_document,
        .has_if_match = run->io.attempt.request.condition.if_match != NULL,
    };
    struct guard_event event = {.kind = GUARD_EVENT_ATTEMPT, .attempt = verdict_classify(&reply)};
    run_date_of(run, answer, &event);
    word_copy(event.attempt_etag, answer->object.etag, sizeof(event.attempt_etag));
    word_copy(event.attempt_version_id, answer->object.version_id, sizeof(event.attempt_version_id));
    run_event(run, &event);
}

void run_want_send(struct run *run, const struct guard_actions *todo)
{
    clock_read(&run->io.attempt.sent);
    struct store *store = run->client->store;
    struct store_sending sending = {
        .deadline_monotonic_ms = run->io.attempt.sent.monotonic_ms + todo->send_deadline_ms,
        .user_timeout_ms = (uint32_t)todo->send_allowance_ms,
        .tail = todo->send_at_once ? HTTP_TAIL_AT_ONCE : HTTP_TAIL_HELD_BACK,
        .tail_clock = todo->send_clock,
        .tail_before_ms = todo->send_tail_ms,
        .late_segment_ms = run->guard.settings.late_segment_s * 1000,
    };
    run->io.attempt.allowance_ms = todo->send_allowance_ms;
    run->outcome.result.attempts++;
    run->io.attempt.op = store->vtable->send(store, run->io.attempt.signed_request, &sending, send_done, run);
    if (run->io.attempt.op == NULL)
        run_fail_later(run, GUARD_DO_SEND);
}
