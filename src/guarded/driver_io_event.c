/* SPDX-License-Identifier: Apache-2.0 */
/* What the requests of a run share: how each is counted, and how its answer becomes an event. */
#include "guarded/driver.h"

#include "base/error.h"
#include "commit/words.h"

#include <string.h>

void run_event(struct run *run, struct guard_event *event)
{
    run->on_event(run, event);
}

void run_date_of(const struct run *run, const struct store_answer *answer, struct guard_event *event)
{
    event->has_date = run->client->belief == DATE_BELIEVED;
    event->date_s = event->has_date ? answer->date_s : 0;
}

void run_count_request(struct run *run, const char *operation, const struct clock_reading *sent,
                       const struct store_answer *answer)
{
    run->outcome.result.requests++;
    client_note_date(run->client, answer, sent);
    client_note_request(run->client, operation, run->key, sent, answer->status, answer->code);
}

bool run_etag_is_missing(const char *etag)
{
    return etag[0] == '\0' || strcmp(etag, "\"\"") == 0;
}

/* A request could not even be started. The guard hears of it later, like of any other answer. */
void run_fail_later(struct run *run, unsigned request)
{
    error_no_memory(&run->io.last_error);
    run->io.failed |= request;
    loop_timer_set(run->client->loop, &run->io.failed_timer, 0);
}

void run_on_failed(struct loop_timer *timer)
{
    static const struct guard_event events[] = {
        {.kind = GUARD_EVENT_HEAD, .head = HEAD_FAILED},
        {.kind = GUARD_EVENT_SOURCE, .head = HEAD_FAILED},
        {.kind = GUARD_EVENT_RECORD_PUT, .ledger = LEDGER_THROTTLED},
        {.kind = GUARD_EVENT_RECORD_GET, .ledger = LEDGER_THROTTLED},
        {.kind = GUARD_EVENT_RECORD_QUERY, .ledger = LEDGER_THROTTLED},
        {.kind = GUARD_EVENT_ATTEMPT, .attempt = ATTEMPT_NOT_SENT},
        {.kind = GUARD_EVENT_PARTS, .upload = UPLOAD_UNCLEAR},
        {.kind = GUARD_EVENT_ABORTED, .upload = UPLOAD_UNCLEAR},
        {.kind = GUARD_EVENT_VERSIONS, .versions = VERSIONS_UNCLEAR},
    };
    static const unsigned requests[] = {GUARD_DO_HEAD,       GUARD_DO_SOURCE,       GUARD_DO_RECORD_PUT,
                                        GUARD_DO_RECORD_GET, GUARD_DO_RECORD_QUERY, GUARD_DO_SEND,
                                        GUARD_DO_PARTS,      GUARD_DO_ABORT,        GUARD_DO_VERSIONS};
    struct run *run = (struct run *)((char *)timer - offsetof(struct run, io.failed_timer));
    size_t i = 0;
    while (!(run->io.failed & requests[i]))
        i++;
    run->io.failed &= ~requests[i];
    if (run->io.failed)
        loop_timer_set(run->client->loop, timer, 0); /* before the event: it may end the run */
    struct guard_event event = events[i];
    run_event(run, &event);
}

void run_version_of(const struct s3_object *object, struct object_version *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (object->delete_marker)
        return;
    ret->exists = true;
    ret->last_modified_s = object->last_modified_s;
    word_copy(ret->etag, object->etag, sizeof(ret->etag));
    word_copy(ret->version_id, object->version_id, sizeof(ret->version_id));
    size_t len = strnlen(object->nonce, sizeof(ret->nonce));
    if (len < sizeof(ret->nonce))
        memcpy(ret->nonce, object->nonce, len);
    else
        memcpy(ret->nonce, "?", 1); /* too long for one of ours: somebody's all the same */
}

/* An object that is encrypted with a key of KMS has another ETag (API Reference, "Object"). */
bool run_has_md5_etag(const struct run *run)
{
    const struct s3_attributes *attributes = run->wish.attributes;
    return run->wish.operation == GUARD_PUT && (attributes == NULL || attributes->encryption == NULL);
}
