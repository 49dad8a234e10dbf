/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a run, and their answers as events. */
#include "guarded/driver.h"

#include "base/error.h"
#include "commit/backoff.h"
#include "commit/words.h"
#include "store/answer.h"
#include "store/dates.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    RUN_UNREACHABLE_MS = 10000,
    RUN_UNBELIEVED_MOST = 40, /* HEADs in a row with a doubted Date; two with an absurd one */
    RUN_SHORT_PAUSES = 7      /* of these the first ones, before BACKOFF_MAX_MS is reached */
};
_Static_assert((RUN_UNBELIEVED_MOST - RUN_SHORT_PAUSES) * (BACKOFF_MAX_MS / 2) > DATE_JUMP_MS,
               "this call would end before other answers can agree");

static uint64_t try_deadline_ms(const struct clock_reading *now, uint64_t most_ms)
{
    return now->monotonic_ms + most_ms;
}

enum { DATELESS_MOST = 2 };

/* ------------------------------------------------------------------------------------------------ store */

/* Before anything was sent, a service that cannot be reached at all for a while is a reason to say so, not to go on
 * until the deadline. */
static bool given_up(struct run *run, os_code code)
{
    struct clock_reading now;
    clock_read(&now);
    bool unreachable = code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE;
    if (unreachable && !run->io.reach.lost)
        run->io.reach.lost_since = now;
    run->io.reach.lost = unreachable;
    bool before_sending = run->guard.send_count == 0 && !run->guard.resolving;
    bool too_long = unreachable && clock_elapsed_max(&run->io.reach.lost_since, &now) > RUN_UNREACHABLE_MS;
    if (too_long && run->wish.ticket) {
        run->io.gave_up = "its store has not answered for ten seconds or more"; /* who resolves it can ask again */
        run->outcome.away |= RUN_STORE;
    }
    return too_long && before_sending;
}

uint64_t run_store_left_ms(const struct run *run)
{
    struct clock_reading now;
    if (!run->io.reach.lost)
        return UINT64_MAX;
    clock_read(&now);
    uint64_t gone_ms = clock_elapsed_max(&run->io.reach.lost_since, &now);
    return gone_ms > RUN_UNREACHABLE_MS ? 0 : RUN_UNREACHABLE_MS + 1 - gone_ms;
}

static enum head_outcome head_outcome_of(struct run *run, const struct store_answer *answer)
{
    switch (answer->code) {
    case OS_OK:
    case OS_ERR_NOT_FOUND:
        run->io.reach.lost = false;
        run->outcome.heard |= RUN_STORE;
        return HEAD_ANSWERED;
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_PROTOCOL:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED:
    case OS_ERR_CONFLICT: return given_up(run, answer->code) ? HEAD_REFUSED : HEAD_FAILED;
    default: return HEAD_REFUSED;
    }
}

/* Nothing is signed at it, and the next one will be no better, unless others have to agree (E10). */
static bool lacks_time(struct run *run, const struct store_answer *answer)
{
    bool doubted = run->client->belief == DATE_DOUBTED;
    if (run->client->belief == DATE_BELIEVED || answer->dateless) {
        run->io.head.unbelieved_count = 0;
        return false;
    }
    run->io.head.unbelieved_count += doubted ? 1 : RUN_UNBELIEVED_MOST / 2;
    if (run->io.head.unbelieved_count < RUN_UNBELIEVED_MOST || run->guard.send_count > 0 || run->guard.resolving)
        return false;
    error_set(&run->io.last_error, OS_ERR_PROTOCOL,
              "The store's answers to HEAD of %.300s have a Date (second %llu) that is %s, so the store's time is "
              "unknown; nothing was written. Check that the clocks of its front ends are set, and that no proxy "
              "replaces the Date header.",
              run->key, (unsigned long long)answer->date_s,
              doubted ? "later than the dates of previous answers, and no other answer agrees"
                      : "not a date, or before 2006, or after 2100");
    return true;
}

/* An absent object is an answer, not a trouble. */
static void note_trouble(struct run *run, const struct store_answer *answer)
{
    if (answer->code != OS_OK && answer->code != OS_ERR_NOT_FOUND)
        run->io.last_error = answer->error;
}

/* Then nobody can tell whether the version that is expected is there. */
static bool lacks_etag(const struct run *run, const struct store_answer *answer)
{
    return answer->code == OS_OK && !answer->object.delete_marker && run_etag_is_missing(answer->object.etag) &&
           run->guard.expected_etag[0] != '\0';
}

/* There is no S3 time then, and nothing of the protocol goes on; nor will it, by asking on. */
static bool has_no_clock(struct run *run, const struct store_answer *answer)
{
    bool answered = answer->code == OS_OK || answer->code == OS_ERR_NOT_FOUND;
    run->io.head.dateless_count = answered && answer->dateless ? run->io.head.dateless_count + 1 : 0;
    return run->io.head.dateless_count >= DATELESS_MOST && run->guard.send_count == 0 && !run->guard.resolving;
}

static void head_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->io.head.op = NULL;
    run_count_request(run, "HEAD", &run->io.head.sent, answer);
    note_trouble(run, answer);
    struct guard_event event = {.kind = GUARD_EVENT_HEAD, .head = head_outcome_of(run, answer)};
    if (lacks_etag(run, answer)) {
        event.head = HEAD_FAILED;
        error_set(&run->io.last_error, OS_ERR_PROTOCOL, "The store answered HEAD of %.300s without an ETag.", run->key);
    }
    if (has_no_clock(run, answer)) {
        event.head = HEAD_REFUSED;
        error_set(&run->io.last_error, OS_ERR_PROTOCOL,
                  "The store answers HEAD of %.300s without a Date header. Guarded writes need the store's time. If a "
                  "proxy stands in front of the store, let it pass the store's Date on.",
                  run->key);
    }
    if (event.head == HEAD_REFUSED && run->wish.ticket && run->io.gave_up == NULL)
        run->io.gave_up = "its store refuses to answer";
    run_date_of(run, answer, &event);
    if (event.head == HEAD_ANSWERED && lacks_time(run, answer))
        event.head = HEAD_REFUSED;
    if (answer->code == OS_OK)
        run_version_of(&answer->object, &event.version);
    if (event.head == HEAD_ANSWERED)
        version_copy(&run->io.head.version, &event.version);
    event.versioned = store_answer_names_version(answer);
    word_copy(run->io.head.version_id, answer->object.version_id, sizeof(run->io.head.version_id));
    run_event(run, &event);
}

static void want_head(struct run *run)
{
    clock_read(&run->io.head.sent);
    run->io.head.request = (struct store_request){
        .verb = STORE_HEAD,
        .key = run->key,
        .deadline_monotonic_ms = try_deadline_ms(&run->io.head.sent, run->client->settings.request_timeout_ms),
    };
    struct store *store = run->client->store;
    run->io.head.op = store->vtable->start(store, &run->io.head.request, head_done, run);
    if (run->io.head.op == NULL)
        run_fail_later(run, GUARD_DO_HEAD);
}

/* What the COPY needs of its source; false when it cannot be copied, with the reason in source_error. */
static bool take_source(struct run *run, const struct store_answer *answer)
{
    if (answer->code != OS_OK) {
        if (answer->code == OS_ERR_NOT_FOUND) {
            error_set(&run->io.source.error, OS_ERR_SOURCE, "The source %s of the copy does not exist.",
                      run->wish.source_key);
            error_service(&run->io.source.error, 404, NULL, NULL);
        }
        return false;
    }
    if (run->wish.source_etag && strcmp(run->wish.source_etag, answer->object.etag) != 0) {
        error_set(&run->io.source.error, OS_ERR_SOURCE, "The source %s now has the ETag %s, not %s; it was not copied.",
                  run->wish.source_key, answer->object.etag, run->wish.source_etag);
        return false;
    }
    run->outcome.source_bytes = answer->object.length;
    if (answer->object.length > run->wish.copy_most) {
        run->outcome.too_large = true;
        error_set(&run->io.source.error, OS_ERR_TOO_LARGE, "The source %.300s is too large for one CopyObject.",
                  run->wish.source_key);
        return false;
    }
    word_copy(run->io.source.etag, answer->object.etag, sizeof(run->io.source.etag));
    word_copy(run->outcome.source_etag, answer->object.etag, sizeof(run->outcome.source_etag));
    run->io.source.has_carried = false;
    if (answer->response == NULL)
        return true; /* the store carries metadata over itself */
    if (carried_take(&run->io.source.carried, answer->response, &run->io.source.error) != OS_OK)
        return false;
    run->io.source.has_carried = true;
    run->io.source.leave_nonce_out = !carried_has_room(&run->io.source.carried, run->guard.nonce);
    if (!run->io.source.leave_nonce_out || !run->guard.settings.native)
        return true;
    error_set(&run->io.source.error, OS_ERR_UNSUPPORTED,
              "The metadata of the source %.300s leaves no room for the entry that the guard adds. Without it "
              "guard=native cannot distinguish this copy from another writer's; use guard=record for it.",
              run->wish.source_key);
    return false;
}

static void source_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->io.source.op = NULL;
    run_count_request(run, "HEAD", &run->io.source.sent, answer);
    run->io.source.error = answer->error;
    note_trouble(run, answer);
    struct guard_event event = {.kind = GUARD_EVENT_SOURCE, .source_bytes = answer->object.length};
    run_date_of(run, answer, &event);
    event.head = head_outcome_of(run, answer);
    if (event.head == HEAD_ANSWERED && !take_source(run, answer))
        event.head = HEAD_REFUSED;
    run_event(run, &event);
}

static void want_source(struct run *run)
{
    clock_read(&run->io.source.sent);
    run->io.source.request = (struct store_request){
        .verb = STORE_HEAD,
        .key = run->wish.source_key,
        .version_id = run->wish.source_version_id,
        .deadline_monotonic_ms = try_deadline_ms(&run->io.source.sent, run->client->settings.request_timeout_ms),
    };
    struct store *store = run->client->store;
    run->io.source.op = store->vtable->start(store, &run->io.source.request, source_done, run);
    if (run->io.source.op == NULL)
        run_fail_later(run, GUARD_DO_SOURCE);
}

/* ------------------------------------------------------------------------------------------------ all */

/* A step asks for one request, or for two that go out together: R1 with the source's HEAD, R1 with R3. No start ends
 * the run. */
void run_perform(struct run *run, const struct guard_actions *todo)
{
    unsigned what = todo->what;
    if (what & GUARD_DO_SIGN) {
        run_sign_attempt(run, todo);
    } else if (what & GUARD_DO_SEND) {
        run_want_send(run, todo);
    } else if (what & (GUARD_DO_RECORD_GET | GUARD_DO_RECORD_QUERY)) {
        run_want_get(run, todo);
    } else if (what & GUARD_DO_PARTS) {
        run_want_parts(run);
    } else if (what & GUARD_DO_ABORT) {
        run_want_abort(run, todo->upload);
    } else if (what & GUARD_DO_VERSIONS) {
        run_want_versions(run);
    } else {
        if (what & GUARD_DO_RECORD_PUT)
            run_want_put(run, todo);
        if (what & GUARD_DO_SOURCE)
            want_source(run);
        if (what & GUARD_DO_HEAD)
            want_head(run);
    }
}

static void cancel_store_op(struct run *run, struct store_op **op)
{
    if (*op)
        run->client->store->vtable->cancel(run->client->store, *op);
    *op = NULL;
}

static void cancel_ledger_op(struct run *run, struct ledger_op **op)
{
    if (*op)
        run->client->ledger->vtable->cancel(run->client->ledger, *op);
    *op = NULL;
}

void run_cancel_requests(struct run *run, bool but_put)
{
    cancel_store_op(run, &run->io.head.op);
    cancel_store_op(run, &run->io.source.op);
    cancel_store_op(run, &run->io.attempt.op);
    cancel_store_op(run, &run->io.parts.op);
    run_free_versions(run);
    cancel_ledger_op(run, &run->io.records.get_op);
    run->io.failed &= (unsigned)GUARD_DO_RECORD_PUT;
    if (!but_put) {
        cancel_ledger_op(run, &run->io.records.put_op);
        run->io.failed = 0;
    }
    if (run->io.failed == 0)
        loop_timer_clear(run->client->loop, &run->io.failed_timer);
}
