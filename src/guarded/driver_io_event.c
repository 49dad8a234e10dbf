/* SPDX-License-Identifier: Apache-2.0 */
/* What the requests of a driver share: how each is counted, and how its answer becomes an event. */
#include "guarded/driver.h"

#include "base/container.h"
#include "base/error.h"
#include "commit/words.h"
#include "store/answer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void driver_note_error(struct driver *driver, const os_error *error)
{
    assert(error->code != OS_OK);
    driver->io.last_is_the_ledgers = false;
    if (driver->io.last_error == NULL)
        driver->io.last_error = malloc(sizeof(*driver->io.last_error));
    if (driver->io.last_error)
        *driver->io.last_error = *error;
}

os_code driver_last_code(const struct driver *driver)
{
    return driver->io.last_error ? driver->io.last_error->code : OS_OK;
}

const char *driver_last_words(const struct driver *driver)
{
    return driver->io.last_error ? driver->io.last_error->message : "";
}

void driver_event(struct driver *driver, struct guard_event *event)
{
    assert(driver->tally.guards > 0);
    driver->on_event(driver, event);
}

void driver_date_of(const struct driver *driver, const struct store_answer *answer, struct guard_event *event)
{
    event->has_date = driver->client->belief == DATE_BELIEVED;
    event->date_s = event->has_date ? answer->date_s : 0;
}

void driver_count_request(struct driver *driver, const char *operation, const struct clock_reading *sent,
                          const struct store_answer *answer)
{
    driver->tally.requests += store_answer_is_of_request(answer) ? 1 : 0;
    client_note_date(driver->client, answer, sent);
    client_note_request(driver->client, operation, driver->key, sent, answer->status, answer->code);
}

bool driver_etag_is_missing(const char *etag)
{
    return etag[0] == '\0' || strcmp(etag, "\"\"") == 0;
}

bool driver_names_source(const char *key, const struct s3_object *source, os_error *err)
{
    if (driver_etag_is_missing(source->etag))
        error_set(err, OS_ERR_PROTOCOL,
                  "The store answered HEAD of %.300s, the source of the copy, without an ETag. So nothing can tell "
                  "whether it changes while it is copied; nothing was written.",
                  key);
    else if (!source->has_length)
        error_set(err, OS_ERR_PROTOCOL,
                  "The store answered HEAD of %.300s, the source of the copy, without a Content-Length. So nothing can "
                  "tell how long the copy takes; nothing was written.",
                  key);
    else
        return true;
    return false;
}

/* A request could not even be started. The guard hears of it later, like of any other answer. */
void driver_fail_later(struct driver *driver, unsigned request)
{
    assert(request != 0 && !(driver->io.failed & request));
    os_error error;
    error_no_memory(&error);
    driver_note_error(driver, &error);
    driver->io.failed |= request;
    loop_timer_set(driver->client->loop, &driver->io.failed_timer, 0);
}

void driver_on_failed(struct loop_timer *timer)
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
    struct driver *driver = container_of(timer, struct driver, io.failed_timer);
    assert(driver->io.failed != 0); /* else the search below has no end */
    size_t i = 0;
    while (!(driver->io.failed & requests[i]))
        i++;
    driver->io.failed &= ~requests[i];
    if (driver->io.failed)
        loop_timer_set(driver->client->loop, timer, 0); /* before the event: it may end the driver */
    struct guard_event event = events[i];
    driver_event(driver, &event);
}

static void take_nonce(const char *nonce, struct object_version *ret)
{
    size_t len = strlen(nonce);
    if (len < sizeof(ret->nonce))
        memcpy(ret->nonce, nonce, len);
    else
        memcpy(ret->nonce, "?", 1); /* too long for one of ours: somebody's all the same */
}

void driver_version_of(const struct s3_object *object, struct object_version *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (object->delete_marker)
        return;
    ret->exists = true;
    ret->last_modified_s = object->last_modified_s;
    ret->fencing = object->fencing;
    fixed_str_copy(ret->etag, object->etag, sizeof(ret->etag));
    fixed_str_copy(ret->version_id, object->version_id, sizeof(ret->version_id));
    take_nonce(object->nonce, ret);
    if (record_is_nonce(object->replaced)) /* anything else is no proof of a write */
        fixed_str_copy(ret->replaced, object->replaced, sizeof(ret->replaced));
}

/* What was written with a nonce and stands without it is a store's that keeps no metadata, whatever its profile says. */
void driver_note_version(struct driver *driver, const char *etag, const char *nonce)
{
    struct known_versions *known = &driver->client->known_versions;
    const char *known_nonce = known_versions_nonce(known, driver->key, etag);
    if (known_nonce && known_nonce[0])
        known->nonces_lost = nonce[0] ? 0 : known->nonces_lost + 1;
    known_versions_note(known, driver->key, etag, nonce);
}

/* An object that is encrypted with a key of KMS has another ETag (API Reference, "Object"). */
bool driver_has_md5_etag(const struct driver *driver)
{
    const struct s3_attributes *attributes = driver->params.attributes;
    return driver->params.operation == GUARD_PUT && (attributes == NULL || attributes->encryption == NULL);
}
