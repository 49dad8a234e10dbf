/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a driver, and their answers as events. */
#include "guarded/driver.h"

#include "base/error.h"
#include "commit/words.h"
#include "store/answer.h"
#include "store/dates.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    DRIVER_UNREACHABLE_MS = 10000,
    DRIVER_UNBELIEVED_MOST = 40, /* HEADs in a row with a doubted Date; two with an absurd one */
    DRIVER_SHORT_PAUSES = 7      /* of these the first ones, before BACKOFF_MAX_MS is reached */
};
_Static_assert((DRIVER_UNBELIEVED_MOST - DRIVER_SHORT_PAUSES) * (BACKOFF_MAX_MS / 2) > DATE_JUMP_MS,
               "this call would end before other answers can agree");

static uint64_t try_deadline_ms(const struct clock_reading *now, uint64_t most_ms)
{
    return now->monotonic_ms + most_ms;
}

enum { DATELESS_MOST = 2 };

/* ------------------------------------------------------------------------------------------------ store */

/* Before anything was sent, a service that cannot be reached at all for a while is a reason to say so, not to go on
 * until the deadline. */
static bool given_up(struct driver *driver, os_code code)
{
    struct clock_reading now;
    clock_read(&now);
    bool unreachable = code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE;
    if (unreachable && !driver->io.reach.lost)
        driver->io.reach.lost_since = now;
    driver->io.reach.lost = unreachable;
    bool before_sending = driver->guard.attempt.send_count == 0 && !driver->guard.write.from_ticket;
    bool too_long = unreachable && clock_elapsed_max(&driver->io.reach.lost_since, &now) > DRIVER_UNREACHABLE_MS;
    if (too_long && driver->params.ticket) {
        driver->io.gave_up = "its store has not answered for ten seconds or more"; /* who resolves it can ask again */
        driver->tally.away |= DRIVER_STORE;
    }
    return too_long && before_sending;
}

uint64_t driver_store_left_ms(const struct driver *driver)
{
    struct clock_reading now;
    if (!driver->io.reach.lost)
        return UINT64_MAX;
    clock_read(&now);
    uint64_t gone_ms = clock_elapsed_max(&driver->io.reach.lost_since, &now);
    return gone_ms > DRIVER_UNREACHABLE_MS ? 0 : DRIVER_UNREACHABLE_MS + 1 - gone_ms;
}

static enum head_outcome head_outcome_of(struct driver *driver, const struct store_answer *answer)
{
    switch (answer->code) {
    case OS_OK:
    case OS_ERR_NOT_FOUND:
        driver->io.reach.lost = false;
        driver->tally.reached |= DRIVER_STORE;
        return HEAD_ANSWERED;
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_PROTOCOL:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED:
    case OS_ERR_CONFLICT:
        if (given_up(driver, answer->code))
            return HEAD_REFUSED;
        client_note_retry(driver->client, &answer->error);
        return HEAD_FAILED;
    default: return HEAD_REFUSED;
    }
}

/* Nothing is signed at it, and the next one will be no better, unless others have to agree (E10). */
static bool lacks_time(struct driver *driver, const struct store_answer *answer)
{
    bool doubted = driver->client->belief == DATE_DOUBTED;
    if (driver->client->belief == DATE_BELIEVED || answer->dateless) {
        driver->io.head.unbelieved_count = 0;
        return false;
    }
    driver->io.head.unbelieved_count += doubted ? 1 : DRIVER_UNBELIEVED_MOST / 2;
    if (driver->io.head.unbelieved_count < DRIVER_UNBELIEVED_MOST || driver->guard.attempt.send_count > 0 ||
        driver->guard.write.from_ticket)
        return false;
    os_error error;
    error_set(&error, OS_ERR_PROTOCOL,
              "The store's answers to HEAD of %.300s have a Date (second %llu) that is %s, so the store's time is "
              "unknown; nothing was written. Check that the clocks of its front ends are set, and that no proxy "
              "replaces the Date header.",
              driver->key, (unsigned long long)answer->date_s,
              doubted ? "later than the dates of previous answers, and no other answer agrees"
                      : "not a date, or before 2006, or after 2100");
    driver_note_error(driver, &error);
    return true;
}

/* An absent object is an answer, not a trouble. */
static void note_trouble(struct driver *driver, const struct store_answer *answer)
{
    if (answer->code != OS_OK && answer->code != OS_ERR_NOT_FOUND)
        driver_note_error(driver, &answer->error);
}

/* Then nobody can tell whether the version that is expected is there. */
static bool lacks_etag(struct driver *driver, const struct store_answer *answer)
{
    os_error error;
    if (answer->code != OS_OK || answer->object.delete_marker || !driver_etag_is_missing(answer->object.etag) ||
        driver->guard.write.expected_etag[0] == '\0')
        return false;
    error_set(&error, OS_ERR_PROTOCOL, "The store answered HEAD of %.300s without an ETag.", driver->key);
    driver_note_error(driver, &error);
    return true;
}

/* There is no S3 time then, and nothing of the protocol goes on; nor will it, by asking on. */
static bool has_no_clock(struct driver *driver, const struct store_answer *answer)
{
    bool answered = answer->code == OS_OK || answer->code == OS_ERR_NOT_FOUND;
    driver->io.head.dateless_count = answered && answer->dateless ? driver->io.head.dateless_count + 1 : 0;
    if (driver->io.head.dateless_count < DATELESS_MOST || driver->guard.attempt.send_count > 0 ||
        driver->guard.write.from_ticket)
        return false;
    os_error error;
    error_set(&error, OS_ERR_PROTOCOL,
              "The store answers HEAD of %.300s without a Date header. Guarded writes need the store's time. If a "
              "proxy stands in front of the store, let it pass the store's Date on.",
              driver->key);
    driver_note_error(driver, &error);
    return true;
}

static void head_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.head.op != NULL);
    driver->io.head.op = NULL;
    driver_count_request(driver, "HEAD", &driver->io.head.sent, answer);
    note_trouble(driver, answer);
    struct guard_event event = {.kind = GUARD_EVENT_HEAD, .head = head_outcome_of(driver, answer)};
    event.part_seen = driver_shows_part(driver, answer) && event.head != HEAD_FAILED;
    if (event.head == HEAD_ANSWERED && (lacks_etag(driver, answer) || event.part_seen))
        event.head = HEAD_FAILED;
    if (has_no_clock(driver, answer))
        event.head = HEAD_REFUSED;
    if (event.head == HEAD_REFUSED && driver->params.ticket && driver->io.gave_up == NULL)
        driver->io.gave_up = "its store refuses to answer";
    driver_date_of(driver, answer, &event);
    if (event.head == HEAD_ANSWERED && lacks_time(driver, answer))
        event.head = HEAD_REFUSED;
    if (answer->code == OS_OK)
        driver_version_of(&answer->object, &event.version);
    if (event.head == HEAD_ANSWERED) {
        if (driver->outcome->attempted)
            version_copy(&driver->outcome->attempted->seen, &event.version);
        driver_note_version(driver, event.version.etag, event.version.nonce);
        driver_read_history(driver, answer, &event.history);
    }
    event.versioned = store_answer_names_version(answer);
    fixed_str_copy(driver->io.head.version_id, answer->object.version_id, sizeof(driver->io.head.version_id));
    driver_event(driver, &event);
}

static void driver_head_key(struct driver *driver)
{
    assert(driver->io.head.op == NULL); /* one at a time: D0 is of this one */
    clock_read(&driver->io.head.sent);
    const struct store_request request = {
        .verb = STORE_HEAD,
        .key = driver->key,
        .deadline_monotonic_ms = try_deadline_ms(&driver->io.head.sent, driver->client->settings.request_timeout_ms),
    };
    struct store *store = driver->client->store;
    driver->io.head.op = store->vtable->start(store, &request, head_done, driver);
    if (driver->io.head.op == NULL)
        driver_fail_later(driver, GUARD_DO_HEAD);
}

/* For what the guard adds to the source's metadata; false when it cannot do without. */
static bool find_room(struct driver *driver)
{
    struct driver_source *source = driver->io.source;
    const struct s3_content *content = &source->source_metadata.content;
    source->leave_nonce_out = !s3_content_has_room(content, driver->guard.write.nonce, NULL, NULL);
    if (!source->leave_nonce_out)
        return true;
    if (driver->params.fencing != 0 && !s3_content_has_room(content, NULL, NULL, NULL))
        error_set(
            &source->error, OS_ERR_UNSUPPORTED,
            "The metadata of the source %.300s leaves no room for the fencing token. Without it the copy would not "
            "be held against older holders; nothing was written.",
            driver->params.source_key);
    else if (driver->guard.settings.native)
        error_set(&source->error, OS_ERR_UNSUPPORTED,
                  "The metadata of the source %.300s leaves no room for the entry that the guard adds. Without it "
                  "guard=native cannot distinguish this copy from another writer's; use guard=record for it.",
                  driver->params.source_key);
    else
        return true;
    return false;
}

/* A store without a response carries metadata over itself. */
static bool take_source_metadata(struct driver *driver, const struct store_answer *answer)
{
    struct driver_source *source = driver->io.source;
    source->has_source_metadata = false;
    if (answer->response == NULL)
        return true;
    if (source_metadata_take(&source->source_metadata, answer->response, &source->error) != OS_OK)
        return false;
    source->has_source_metadata = true;
    source->source_metadata.content.fencing =
        s3_copied_fencing(&source->source_metadata.headers, driver->params.fencing_text);
    return find_room(driver);
}

/* What the COPY needs of its source; false when it cannot be copied, with the reason in source_error. */
static bool take_source(struct driver *driver, const struct store_answer *answer)
{
    assert(driver->params.operation == GUARD_COPY);
    if (answer->code != OS_OK) {
        if (answer->code == OS_ERR_NOT_FOUND) {
            error_set(&driver->io.source->error, OS_ERR_SOURCE, "The source %s of the copy does not exist.",
                      driver->params.source_key);
            error_service(&driver->io.source->error, 404, NULL, NULL);
        }
        return false;
    }
    if (!driver_names_source(driver->params.source_key, &answer->object, &driver->io.source->error))
        return false;
    if (driver->params.source_etag && strcmp(driver->params.source_etag, answer->object.etag) != 0) {
        error_set(&driver->io.source->error, OS_ERR_SOURCE,
                  "The source %s now has the ETag %s, not %s; it was not copied.", driver->params.source_key,
                  answer->object.etag, driver->params.source_etag);
        return false;
    }
    driver->outcome->source_bytes = answer->object.length;
    if (answer->object.length > driver->params.copy_most) {
        driver->outcome->too_large = true;
        error_set(&driver->io.source->error, OS_ERR_TOO_LARGE, "The source %.300s is too large for one CopyObject.",
                  driver->params.source_key);
        return false;
    }
    fixed_str_copy(driver->io.source->etag, answer->object.etag, sizeof(driver->io.source->etag));
    fixed_str_copy(driver->outcome->source_etag, answer->object.etag, sizeof(driver->outcome->source_etag));
    return take_source_metadata(driver, answer);
}

static void source_done(void *context, const struct store_answer *answer)
{
    struct driver *driver = context;
    assert(driver->io.source->op != NULL);
    driver->io.source->op = NULL;
    driver_count_request(driver, "HEAD", &driver->io.source->sent, answer);
    driver->io.source->error = answer->error;
    note_trouble(driver, answer);
    struct guard_event event = {.kind = GUARD_EVENT_SOURCE, .source_bytes = answer->object.length};
    driver_date_of(driver, answer, &event);
    fixed_str_copy(event.version.etag, answer->object.etag, sizeof(event.version.etag));
    event.head = head_outcome_of(driver, answer);
    if (event.head == HEAD_ANSWERED && !take_source(driver, answer))
        event.head = HEAD_REFUSED;
    driver_event(driver, &event);
}

static void driver_head_source(struct driver *driver)
{
    assert(driver->io.source && driver->io.source->op == NULL && driver->params.source_key);
    clock_read(&driver->io.source->sent);
    const struct store_request request = {
        .verb = STORE_HEAD,
        .key = driver->params.source_key,
        .version_id = driver->params.source_version_id,
        .deadline_monotonic_ms = try_deadline_ms(&driver->io.source->sent, driver->client->settings.request_timeout_ms),
    };
    struct store *store = driver->client->store;
    driver->io.source->op = store->vtable->start(store, &request, source_done, driver);
    if (driver->io.source->op == NULL)
        driver_fail_later(driver, GUARD_DO_SOURCE);
}

/* ------------------------------------------------------------------------------------------------ all */

enum { DRIVER_TOGETHER = GUARD_DO_RECORD_PUT | GUARD_DO_RECORD_GET | GUARD_DO_SOURCE | GUARD_DO_HEAD };

/* What is not asked for together is asked for alone. */
static bool is_one_step(unsigned what)
{
    unsigned requests =
        what & ~(unsigned)(GUARD_DO_VERDICT | GUARD_DO_RELEASE | GUARD_DO_RELEASE_CREATION | GUARD_DO_REPORT_LEASE);
    unsigned alone = requests & ~(unsigned)DRIVER_TOGETHER;
    bool deletes = requests == (GUARD_DO_SEND | GUARD_DO_RECORD_GET); /* T3.10 */
    return alone == 0 || deletes || (requests == alone && (alone & (alone - 1)) == 0);
}

/* A step asks for one request, or for those of R1, R3 and R4 that are due at once, or T3.10's two. No start ends the
 * driver. */
void driver_perform(struct driver *driver, const struct guard_actions *actions)
{
    unsigned what = actions->what;
    assert(is_one_step(what));
    if (what & GUARD_DO_SIGN) {
        driver_sign_attempt(driver, actions);
    } else if (what & GUARD_DO_SEND) {
        driver_send_attempt(driver, actions);
        if (what & GUARD_DO_RECORD_GET)
            driver_read_creation(driver);
    } else if (what & GUARD_DO_RECORD_QUERY) {
        driver_read_record(driver, actions);
    } else if (what & GUARD_DO_PARTS) {
        driver_list_parts(driver);
    } else if (what & GUARD_DO_ABORT) {
        driver_abort_upload(driver, actions->upload);
    } else if (what & GUARD_DO_VERSIONS) {
        driver_list_versions(driver);
    } else {
        if (what & GUARD_DO_RECORD_PUT)
            driver_put_record(driver, actions);
        if (what & GUARD_DO_RECORD_GET)
            driver_read_record(driver, actions);
        if (what & GUARD_DO_SOURCE)
            driver_head_source(driver);
        if (what & GUARD_DO_HEAD)
            driver_head_key(driver);
    }
}

static void cancel_store_op(struct driver *driver, struct store_op **op)
{
    if (*op)
        driver->client->store->vtable->cancel(driver->client->store, *op);
    *op = NULL;
}

static void cancel_ledger_op(struct ledger_op **op)
{
    if (*op)
        ledger_cancel(*op);
    *op = NULL;
}

void driver_cancel_requests(struct driver *driver, unsigned what)
{
    if (what & GUARD_DO_HEAD)
        cancel_store_op(driver, &driver->io.head.op);
    if (what & GUARD_DO_SOURCE && driver->io.source)
        cancel_store_op(driver, &driver->io.source->op);
    if (what & GUARD_DO_SIGN && driver->io.attempt.keys.waits)
        credentials_leave(driver->client->store->credentials, &driver->io.attempt.keys);
    if (what & GUARD_DO_SEND)
        cancel_store_op(driver, &driver->io.attempt.op);
    if (what & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        cancel_store_op(driver, &driver->io.parts.op);
    if (what & GUARD_DO_VERSIONS)
        driver_free_versions(driver);
    if (what & GUARD_DO_RECORD_GET) /* or a Query, which takes its place */
        cancel_ledger_op(&driver->io.records.get_op);
    if (what & GUARD_DO_RECORD_PUT)
        cancel_ledger_op(&driver->io.records.put_op);
    driver->io.failed &= ~what; /* those that could not even be started */
    if (driver->io.failed == 0)
        loop_timer_clear(driver->client->loop, &driver->io.failed_timer);
}
