/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a run, and their answers as events. */
#include "client/run.h"

#include "base/error.h"
#include "client/store_answer.h"
#include "commit/words.h"

#include <assert.h>
#include <string.h>

/* Small requests that lost their way are asked again long before a lease is over. */
enum { RUN_LEDGER_TRY_MS = 2000, RUN_UNREACHABLE_MS = 10000 };

static uint64_t try_deadline_ms(const struct clock_reading *now, uint64_t most_ms)
{
    return now->monotonic_ms + most_ms;
}

static uint64_t ledger_deadline_ms(const struct run *run, const struct clock_reading *now)
{
    uint64_t most_ms = run->client->settings.request_timeout_ms;
    return try_deadline_ms(now, most_ms < RUN_LEDGER_TRY_MS ? most_ms : RUN_LEDGER_TRY_MS);
}

/* ------------------------------------------------------------------------------------------------ store */

/* Before anything was sent, a service that cannot be reached at all for a while is a reason to say so, not to go on
 * until the deadline. */
static bool given_up(struct run *run, os_code code)
{
    struct clock_reading now;
    clock_read(&now);
    bool unreachable = code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE;
    if (unreachable && !run->unreachable)
        run->unreachable_since = now;
    run->unreachable = unreachable;
    bool before_sending = run->guard.send_count == 0 && !run->guard.resolving;
    return unreachable && before_sending && clock_elapsed_max(&run->unreachable_since, &now) > RUN_UNREACHABLE_MS;
}

static enum head_outcome head_outcome_of(struct run *run, const struct store_answer *answer)
{
    switch (answer->code) {
    case OS_OK:
    case OS_ERR_NOT_FOUND: run->unreachable = false; return HEAD_ANSWERED;
    case OS_ERR_NETWORK:
    case OS_ERR_DEADLINE:
    case OS_ERR_PROTOCOL:
    case OS_ERR_SERVICE:
    case OS_ERR_THROTTLED:
    case OS_ERR_CONFLICT: return given_up(run, answer->code) ? HEAD_REFUSED : HEAD_FAILED;
    default: return HEAD_REFUSED;
    }
}

static void date_of(const struct store_answer *answer, struct guard_event *event)
{
    event->has_date = answer->has_date;
    event->date_s = answer->date_s;
}

void run_count_request(struct run *run, const char *operation, const struct clock_reading *sent,
                       const struct store_answer *answer)
{
    run->outcome.result.requests++;
    client_note_date(run->client, answer, sent);
    client_note_request(run->client, operation, run->key, sent, answer->status, answer->code);
}

/* An absent object is an answer, not a trouble. */
static void note_trouble(struct run *run, const struct store_answer *answer)
{
    if (answer->code != OS_OK && answer->code != OS_ERR_NOT_FOUND)
        run->last_error = answer->error;
}

bool run_etag_is_missing(const char *etag)
{
    return etag[0] == '\0' || strcmp(etag, "\"\"") == 0;
}

/* Then nobody can tell whether the version that is expected is there. */
static bool lacks_etag(const struct run *run, const struct store_answer *answer)
{
    return answer->code == OS_OK && !answer->object.delete_marker && run_etag_is_missing(answer->object.etag) &&
           run->guard.expected_etag[0] != '\0';
}

static void head_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->head_op = NULL;
    run_count_request(run, "HEAD", &run->head_sent, answer);
    note_trouble(run, answer);
    struct guard_event event = {.kind = GUARD_EVENT_HEAD, .head = head_outcome_of(run, answer)};
    if (lacks_etag(run, answer)) {
        event.head = HEAD_FAILED;
        error_set(&run->last_error, OS_ERR_PROTOCOL, "The store answered HEAD of %.300s without an ETag.", run->key);
    }
    date_of(answer, &event);
    if (answer->code == OS_OK)
        run_version_of(&answer->object, &event.version);
    if (event.head == HEAD_ANSWERED)
        version_copy(&run->head_version, &event.version);
    event.versioned = store_answer_names_version(answer);
    word_copy(run->head_version_id, answer->object.version_id, sizeof(run->head_version_id));
    run_event(run, &event);
}

/* A request could not even be started. The guard hears of it later, like of any other answer. */
void run_fail_later(struct run *run, unsigned request)
{
    error_no_memory(&run->last_error);
    run->failed |= request;
    loop_timer_set(run->client->loop, &run->failed_timer, 0);
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
    struct run *run = (struct run *)((char *)timer - offsetof(struct run, failed_timer));
    size_t i = 0;
    while (!(run->failed & requests[i]))
        i++;
    run->failed &= ~requests[i];
    if (run->failed)
        loop_timer_set(run->client->loop, timer, 0); /* before the event: it may end the run */
    struct guard_event event = events[i];
    run_event(run, &event);
}

static void want_head(struct run *run)
{
    clock_read(&run->head_sent);
    run->head_request = (struct store_request){
        .verb = STORE_HEAD,
        .key = run->key,
        .deadline_monotonic_ms = try_deadline_ms(&run->head_sent, run->client->settings.request_timeout_ms),
    };
    struct store *store = run->client->store;
    run->head_op = store->vtable->start(store, &run->head_request, head_done, run);
    if (run->head_op == NULL)
        run_fail_later(run, GUARD_DO_HEAD);
}

/* What the COPY needs of its source; false when it cannot be copied, with the reason in source_error. */
static bool take_source(struct run *run, const struct store_answer *answer)
{
    if (answer->code != OS_OK) {
        if (answer->code == OS_ERR_NOT_FOUND)
            error_set(&run->source_error, OS_ERR_SOURCE, "The source %s of the copy does not exist.",
                      run->wish.source_key);
        return false;
    }
    if (run->wish.source_etag && strcmp(run->wish.source_etag, answer->object.etag) != 0) {
        error_set(&run->source_error, OS_ERR_SOURCE, "The source %s has the ETag %s now, not %s; it was not copied.",
                  run->wish.source_key, answer->object.etag, run->wish.source_etag);
        return false;
    }
    run->outcome.source_bytes = answer->object.length;
    if (answer->object.length > run->wish.copy_most) {
        run->outcome.too_large = true;
        error_set(&run->source_error, OS_ERR_TOO_LARGE, "The source %.300s is too large for one CopyObject.",
                  run->wish.source_key);
        return false;
    }
    word_copy(run->source_etag, answer->object.etag, sizeof(run->source_etag));
    word_copy(run->outcome.source_etag, answer->object.etag, sizeof(run->outcome.source_etag));
    run->has_carried = false;
    if (answer->response == NULL)
        return true; /* the store carries metadata over itself */
    if (carried_take(&run->carried, answer->response, &run->source_error) != OS_OK)
        return false;
    run->has_carried = true;
    run->leave_nonce_out = !carried_has_room(&run->carried, run->guard.nonce);
    if (!run->leave_nonce_out || !run->guard.settings.native)
        return true;
    error_set(&run->source_error, OS_ERR_UNSUPPORTED,
              "The metadata of the source %.300s leaves no room for the guard's own entry, without which guard=native "
              "cannot tell this copy from another writer's; use guard=record for it.",
              run->wish.source_key);
    return false;
}

static void source_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->source_op = NULL;
    run_count_request(run, "HEAD", &run->source_sent, answer);
    run->source_error = answer->error;
    note_trouble(run, answer);
    struct guard_event event = {.kind = GUARD_EVENT_SOURCE, .source_bytes = answer->object.length};
    date_of(answer, &event);
    event.head = head_outcome_of(run, answer);
    if (event.head == HEAD_ANSWERED && !take_source(run, answer))
        event.head = HEAD_REFUSED;
    run_event(run, &event);
}

static void want_source(struct run *run)
{
    clock_read(&run->source_sent);
    run->source_request = (struct store_request){
        .verb = STORE_HEAD,
        .key = run->wish.source_key,
        .version_id = run->wish.source_version_id,
        .deadline_monotonic_ms = try_deadline_ms(&run->source_sent, run->client->settings.request_timeout_ms),
    };
    struct store *store = run->client->store;
    run->source_op = store->vtable->start(store, &run->source_request, source_done, run);
    if (run->source_op == NULL)
        run_fail_later(run, GUARD_DO_SOURCE);
}

/* ------------------------------------------------------------------------------------------------ attempt */

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
    struct store_request *request = &run->attempt_request;
    memset(request, 0, sizeof(*request));
    request->verb = verb_of(wish->operation);
    request->key = run->key;
    request->source_key = wish->source_key;
    request->source_version_id = wish->source_version_id;
    request->source_etag = run->source_etag[0] ? run->source_etag : NULL;
    request->body = wish->body;
    request->content = wish->operation == GUARD_COPY && run->has_carried ? &run->carried.content : wish->content;
    request->attributes = wish->operation == GUARD_PUT ? wish->attributes : NULL;
    request->nonce = wish->operation == GUARD_DELETE || run->leave_nonce_out ? NULL : run->guard.nonce;
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

static void sign_attempt(struct run *run, const struct guard_todo *todo)
{
    struct store *store = run->client->store;
    store->vtable->attempt_free(store, run->attempt);
    run->attempt = NULL;
    describe_attempt(run);
    os_code code = store->vtable->prepare(store, &run->attempt_request, todo->sign_date_s, todo->sign_length_s,
                                          todo->sign_renewed, &run->attempt, &run->last_error);
    struct guard_event event = {.kind = GUARD_EVENT_SIGNED, .signed_ok = code == OS_OK};
    event.one_write = event.signed_ok && store->vtable->one_write(store, run->attempt);
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

static void send_done(void *context, const struct store_answer *answer)
{
    struct run *run = context;
    run->send_op = NULL;
    run_count_request(run, store_verb_name(run->attempt_request.verb), &run->send_sent, answer);
    if (answer->code != OS_OK)
        run->last_error = answer->error;
    else if (run->attempt_request.verb == STORE_DELETE)
        word_copy(run->marker_version_id, answer->object.version_id, sizeof(run->marker_version_id));
    learn_etags(run, answer);
    struct attempt_reply reply = {
        .sent = answer->sent,
        .complete = answer->complete,
        .status = answer->status,
        .code = answer->service.code,
        .message = answer->service.message,
        .is_copy = run->attempt_request.verb == STORE_COPY,
        .is_complete = run->attempt_request.verb == STORE_COMPLETE,
        .result_document = answer->result_document,
        .has_if_match = run->attempt_request.condition.if_match != NULL,
    };
    struct guard_event event = {.kind = GUARD_EVENT_ATTEMPT, .attempt = verdict_classify(&reply)};
    date_of(answer, &event);
    word_copy(event.attempt_etag, answer->object.etag, sizeof(event.attempt_etag));
    word_copy(event.attempt_version_id, answer->object.version_id, sizeof(event.attempt_version_id));
    run_event(run, &event);
}

static void want_send(struct run *run, const struct guard_todo *todo)
{
    clock_read(&run->send_sent);
    struct store *store = run->client->store;
    run->outcome.result.attempts++;
    run->send_op = store->vtable->send(store, run->attempt, run->send_sent.monotonic_ms + todo->send_deadline_ms,
                                       (uint32_t)todo->send_allowance_ms, send_done, run);
    if (run->send_op == NULL)
        run_fail_later(run, GUARD_DO_SEND);
}

/* ------------------------------------------------------------------------------------------------ ledger */

static enum ledger_outcome ledger_outcome_of(struct run *run, const struct ledger_answer *answer)
{
    if (answer->outcome == LEDGER_THROTTLED || answer->outcome == LEDGER_AMBIGUOUS) {
        bool hopeless = answer->outcome == LEDGER_THROTTLED && given_up(run, answer->error.code);
        return hopeless ? LEDGER_REFUSED : answer->outcome;
    }
    run->unreachable = false;
    return answer->outcome;
}

static void count_ledger(struct run *run, const char *operation, const struct clock_reading *sent,
                         const struct ledger_answer *answer)
{
    run->outcome.result.requests += answer->requests;
    client_note_request(run->client, operation, run->key, sent, answer->error.http_status, answer->error.code);
    if (answer->error.code != OS_OK)
        run->last_error = answer->error;
}

static void put_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->put_op = NULL;
    count_ledger(run, "PutItem", &run->put_sent, answer);
    struct guard_event event = {.kind = GUARD_EVENT_RECORD_PUT, .ledger = ledger_outcome_of(run, answer)};
    record_copy(&event.record, &answer->record);
    memcpy(run->seen_upload, answer->upload, sizeof(run->seen_upload));
    run_event(run, &event);
}

static void want_put(struct run *run, const struct guard_todo *todo)
{
    record_copy(&run->put_record, &todo->record);
    run->put_condition = todo->condition;
    clock_read(&run->put_sent);
    struct ledger_request request = {
        .verb = LEDGER_PUT,
        .path = run->path,
        .etag = guard_record_etag(&run->guard),
        .record = &run->put_record,
        .upload = run->put_record.upload ? run->upload : NULL,
        .condition = &run->put_condition,
        .deadline_monotonic_ms = ledger_deadline_ms(run, &run->put_sent),
    };
    struct ledger *ledger = run->client->ledger;
    run->put_op = ledger->vtable->start(ledger, &request, put_done, run);
    if (run->put_op == NULL)
        run_fail_later(run, GUARD_DO_RECORD_PUT);
}

static void get_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->get_op = NULL;
    count_ledger(run, "GetItem", &run->get_sent, answer);
    struct guard_event event = {
        .kind = GUARD_EVENT_RECORD_GET, .ledger = ledger_outcome_of(run, answer), .found = answer->found};
    record_copy(&event.record, &answer->record);
    memcpy(run->seen_upload, answer->upload, sizeof(run->seen_upload));
    run_event(run, &event);
}

static bool weigh_row(void *context, const struct ledger_row *row)
{
    struct run *run = context;
    if (row->readable)
        guard_weigh_record(&run->guard, row->etag, &row->record, &run->evidence);
    else
        run->evidence.locked = true; /* nobody knows what it locks */
    return true;
}

static void query_done(void *context, const struct ledger_answer *answer)
{
    struct run *run = context;
    run->get_op = NULL;
    count_ledger(run, "Query", &run->get_sent, answer);
    struct guard_event event = {
        .kind = GUARD_EVENT_RECORD_QUERY, .ledger = ledger_outcome_of(run, answer), .evidence = run->evidence};
    run_event(run, &event);
}

static void want_get(struct run *run, const struct guard_todo *todo)
{
    bool query = (todo->what & GUARD_DO_RECORD_QUERY) != 0;
    memset(&run->evidence, 0, sizeof(run->evidence));
    clock_read(&run->get_sent);
    struct ledger_request request = {
        .verb = query ? LEDGER_LIST : LEDGER_GET,
        .path = run->path,
        .etag = todo->get_our_etag ? RECORD_ETAG_CREATE : guard_record_etag(&run->guard),
        .each = weigh_row,
        .each_context = run,
        .deadline_monotonic_ms = ledger_deadline_ms(run, &run->get_sent),
    };
    struct ledger *ledger = run->client->ledger;
    run->get_op = ledger->vtable->start(ledger, &request, query ? query_done : get_done, run);
    if (run->get_op == NULL)
        run_fail_later(run, query ? GUARD_DO_RECORD_QUERY : GUARD_DO_RECORD_GET);
}

/* ------------------------------------------------------------------------------------------------ all */

/* A step asks for one request, or for two that go out together: R1 with the source's HEAD, R1 with R3. No start ends
 * the run. */
void run_perform(struct run *run, const struct guard_todo *todo)
{
    unsigned what = todo->what;
    if (what & GUARD_DO_SIGN) {
        sign_attempt(run, todo);
    } else if (what & GUARD_DO_SEND) {
        want_send(run, todo);
    } else if (what & (GUARD_DO_RECORD_GET | GUARD_DO_RECORD_QUERY)) {
        want_get(run, todo);
    } else if (what & GUARD_DO_PARTS) {
        run_want_parts(run);
    } else if (what & GUARD_DO_ABORT) {
        run_want_abort(run, todo->upload);
    } else if (what & GUARD_DO_VERSIONS) {
        run_want_versions(run);
    } else {
        if (what & GUARD_DO_RECORD_PUT)
            want_put(run, todo);
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
    cancel_store_op(run, &run->head_op);
    cancel_store_op(run, &run->source_op);
    cancel_store_op(run, &run->send_op);
    cancel_store_op(run, &run->upload_op);
    run_free_versions(run);
    cancel_ledger_op(run, &run->get_op);
    run->failed &= (unsigned)GUARD_DO_RECORD_PUT;
    if (!but_put) {
        cancel_ledger_op(run, &run->put_op);
        run->failed = 0;
    }
    if (run->failed == 0)
        loop_timer_clear(run->client->loop, &run->failed_timer);
}
