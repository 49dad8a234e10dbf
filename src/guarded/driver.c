/* SPDX-License-Identifier: Apache-2.0 */
#include "guarded/driver.h"

#include "aws/digest.h"
#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_OLD_DATE_MS = 600000 /* of S3 time that a native guard signs at */, RUN_REFUSED_MOST = 5 };

static struct run *from_timer(struct loop_timer *timer, size_t offset)
{
    return (struct run *)((char *)timer - offset);
}

/* ------------------------------------------------------------------------------------------------ life */

static void run_link(struct run *run)
{
    os_client *client = run->client;
    run->next = client->runs;
    if (client->runs)
        client->runs->previous = run;
    client->runs = run;
    client_background(client, 1);
}

static void run_free(struct run *run)
{
    os_client *client = run->client;
    assert(run->answered);
    run_cancel_requests(run, false);
    client->store->vtable->attempt_free(client->store, run->io.attempt.signed_request);
    loop_timer_clear(client->loop, &run->time.guard_timer);
    loop_timer_clear(client->loop, &run->time.deadline_timer);
    loop_timer_clear(client->loop, &run->time.again_timer);
    loop_timer_clear(client->loop, &run->io.failed_timer);
    if (run->previous)
        run->previous->next = run->next;
    else
        client->runs = run->next;
    if (run->next)
        run->next->previous = run->previous;
    carried_free(&run->io.source.carried);
    free(run->path);
    free(run->upload);
    free(run->key);
    free(run);
    client_background(client, -1);
}

/* Gives the outcome. From here on nothing of the wish may be touched: it belongs to the caller again. */
static void run_answer(struct run *run)
{
    struct clock_reading now;
    clock_read(&now);
    run->answered = true;
    cancel_unlink(&run->cancel_link);
    cancel_unlink(&run->closing_link);
    loop_timer_clear(run->client->loop, &run->time.deadline_timer);
    run_cancel_requests(run, true);
    run->outcome.result.duration_ms = clock_elapsed_max(&run->time.started, &now);
    run->outcome.result.waited_ms = run->time.waited_ms;
    run->outcome.length_s = run->length_s;
    log_line(&run->client->log, OS_LOG_INFO, "%s %s: %s by %s (%s, %s)", run->wish.name, run->key,
             os_verdict_name(run->outcome.verdict), run->outcome.result.rule, run->outcome.result.request,
             way_guard_name(run->outcome.result.guard));
    run->done(run->context, &run->outcome);
}

static void refuse(struct run *run, const os_error *error)
{
    run->outcome.verdict = run->wish.ticket ? OS_UNKNOWN : OS_NOT_EXECUTED;
    if (run->wish.ticket)
        run->outcome.ticket = *run->wish.ticket;
    run->outcome.error = *error;
    run->outcome.result.ask_again_ms = run->wish.ticket ? 1000 : 0;
    run_answer(run);
    run_free(run);
}

/* ------------------------------------------------------------------------------------------------ guards */

bool run_new_nonce(char *ret)
{
    unsigned char bytes[16];
    if (!random_bytes(bytes, sizeof(bytes)))
        return false;
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

static void settings_for(const struct run *run, struct guard_settings *ret)
{
    const os_client *client = run->client;
    *ret = client->settings.guard;
    ret->fences = client->fences == CLIENT_FENCES_YES;
    ret->length_s = run->length_s;
    ret->native = run->wish.way.guard == OS_GUARD_NATIVE;
    ret->native_writers = run->wish.way.native_writers;
    const struct profile *profile = client->settings.profile;
    ret->complete_s = profile ? profile->complete_s : 0;
    ret->modified_tells = profile && profile->rename_object == PROFILE_NO;
    ret->versioned = client->versioned;
    ret->versions_likely = profile && profile->versioned == PROFILE_YES; /* of another bucket, or day, maybe */
    ret->answer_409 = run->wish.way.answer_409;
    ret->etag_known = run_has_md5_etag(run) && client->etags == CLIENT_ETAGS_MD5;
}

/* R3: a create has nothing to see, so its record lacks no `saw`; a replacement's would, and with it row A's best
 * evidence. Without a record nothing is lost, and a Date may be older: the signature is the longer for it. */
static bool knows_date(const struct run *run, const struct clock_reading *now)
{
    const os_client *client = run->client;
    if (run->wish.way.guard == OS_GUARD_NATIVE)
        return client->dates.known && clock_elapsed_max(&client->dates.clock, now) < RUN_OLD_DATE_MS;
    return run->wish.etag == NULL && client_recent_date(client, now);
}

static bool init_guard(struct run *run, const struct clock_reading *now)
{
    const os_client *client = run->client;
    struct guard_settings settings;
    settings_for(run, &settings);
    const struct run_upload *upload = run->wish.upload;
    uint64_t random[2];
    char nonce[RECORD_NONCE_SIZE];
    if (!random_bytes(random, sizeof(random)) || !run_new_nonce(nonce))
        return false;
    if (run->wish.ticket) {
        guard_init_resolve(&run->guard, &settings, run->wish.ticket, random[1]);
        return true;
    }
    struct guard_start start = {
        .operation = run->wish.operation,
        .expected_etag = run->wish.etag,
        .our_etag = run->md5_etag,
        .nonce = upload ? upload->nonce : nonce,
        .generation = random[0],
        .seed = random[1],
        .upload = upload ? record_upload_number(upload->id) : 0,
        .part_count = upload ? (uint32_t)upload->part_count : 0,
        .parts_in_doubt = upload && upload->parts_in_doubt,
        .has_recent_date = knows_date(run, now),
        .recent_date_s = client->dates.date_s,
        .recent_clock = client->dates.clock,
    };
    guard_init(&run->guard, &settings, &start);
    return true;
}

static void step_guard(struct run *run, struct guard_event *event);

static void begin_guard(struct run *run)
{
    struct clock_reading now;
    clock_read(&now);
    if (!init_guard(run, &now)) {
        os_error error;
        error_set(&error, OS_ERR_IO, "The system gave no random bytes, so no nonce could be made for %s; try again.",
                  run->key);
        refuse(run, &error);
        return;
    }
    run->outcome.result.guards++;
    run->client->store->vtable->attempt_free(run->client->store, run->io.attempt.signed_request);
    run->io.attempt.signed_request = NULL;
    struct guard_event event = {.kind = GUARD_EVENT_START};
    step_guard(run, &event);
}

static void begin_soon(struct run *run)
{
    loop_timer_set(run->client->loop, &run->time.again_timer, 0);
}

static void on_again(struct loop_timer *timer)
{
    begin_guard(from_timer(timer, offsetof(struct run, time.again_timer)));
}

/* E6: twice as long; or as long as all of it takes at the rate that was seen, and half as long again. */
static void lengthen(struct run *run)
{
    uint64_t length_s = 2 * (uint64_t)run->length_s;
    uint64_t needed_s =
        run->io.attempt.tail_rate > 0 ? run->guard.wire_bytes * 3 / (2 * run->io.attempt.tail_rate) + 1 : 0;
    length_s = needed_s > length_s ? needed_s : length_s;
    run->length_s = length_s < GUARD_LENGTH_MAX_S ? (uint32_t)length_s : GUARD_LENGTH_MAX_S;
    run->io.attempt.tail_rate = 0;
}

/* "The call starts new guards until its deadline, and only then returns the last verdict" (G2). */
static void start_again(struct run *run)
{
    if (guard_expired(&run->guard))
        lengthen(run);
    if (run->guard.reason == GUARD_REASON_UNMET)
        run->refused_count++;
    log_line(&run->client->log, OS_LOG_INFO, "%s %s: guard ended by %s, a new one starts", run->wish.name, run->key,
             guard_rule_name(&run->guard));
    bool at_once = run->guard.reason == GUARD_REASON_RECORD_GONE || run->guard.reason == GUARD_REASON_EXPIRED;
    loop_timer_set(run->client->loop, &run->time.again_timer, at_once ? 0 : backoff_next_ms(&run->time.again_backoff));
}

/* The store refused the condition, and a moment later the expectation holds. A native writer who came and was undone
 * again explains that, but not time after time: then the condition itself is refused. */
static bool refused_for_an_instant(const struct run *run)
{
    return run->guard.reason == GUARD_REASON_UNMET && run->wish.way.guard != OS_GUARD_RECORD &&
           run->wish.ticket == NULL && run->refused_count < RUN_REFUSED_MOST;
}

static bool wants_again(const struct run *run)
{
    return (guard_try_again(&run->guard) || refused_for_an_instant(run)) && !run->stopped && run->io.gave_up == NULL;
}

/* ------------------------------------------------------------------------------------------------ events */

static void count_waiting(struct run *run, const struct clock_reading *now)
{
    bool waiting = run->guard.state == GUARD_CONTEND_WAITING || run->guard.state == GUARD_CONTEND_READING ||
                   run->guard.state == GUARD_CONTEND_CHECKING;
    if (waiting && !run->time.waiting)
        run->time.waiting_since = *now;
    if (!waiting && run->time.waiting)
        run->time.waited_ms += clock_elapsed_max(&run->time.waiting_since, now);
    run->time.waiting = waiting;
}

static void end_guard(struct run *run)
{
    run_cancel_requests(run, false);
    loop_timer_clear(run->client->loop, &run->time.guard_timer);
    if (!run->answered && wants_again(run)) {
        start_again(run);
        return;
    }
    if (!run->answered) {
        run_describe(run);
        run_answer(run);
    }
    run_free(run);
}

/* Of each guard of the call: the last one may end before it has sent anything. */
static void keep_ticket(struct run *run)
{
    run->outcome.owns_upload = run->wish.ticket && guard_owns_upload(&run->guard) && run->upload &&
                               strcmp(run->io.records.seen_upload, run->upload) == 0;
    if (!guard_by_fence(&run->guard))
        return;
    if (!run->outcome.by_fence)
        version_copy(&run->outcome.lost_at, &run->io.head.version);
    run->outcome.upload_gone = run->io.parts.gone && (run->outcome.upload_gone || !run->outcome.by_fence);
    run->outcome.by_fence = true;
    guard_ticket_of(&run->guard, &run->outcome.ticket);
}

/* R14: the store may still be at a Complete that only its fence calls lost. As long as the record names its upload, the
 * next writer aborts that first. */
static bool keeps_record(const struct run *run)
{
    return run->guard.operation == GUARD_COMPLETE && run->outcome.by_fence &&
           guard_verdict(&run->guard) != VERDICT_COMMITTED;
}

static void run_stop(struct run *run);

static void step_guard(struct run *run, struct guard_event *event)
{
    struct guard_actions todo;
    clock_read(&event->now);
    guard_step(&run->guard, event, &todo);
    count_waiting(run, &event->now);
    if (todo.what & GUARD_DO_REPORT_LEASE)
        log_line(&run->client->log, OS_LOG_WARN,
                 "%s: the record of another writer has a timeout of %llu ms, over an hour; it is waited for", run->key,
                 (unsigned long long)run->guard.seen.timeout_ms);
    if (todo.what & GUARD_DO_VERDICT)
        keep_ticket(run);
    if ((todo.what & GUARD_DO_RELEASE) && !keeps_record(run))
        release_start(run->client, run->path, guard_record_etag(&run->guard), &todo.release, &todo.release_condition,
                      run->outcome.away & RUN_LEDGER ? RELEASE_AWAY_MS : RELEASE_PATIENCE_MS);
    if (guard_finished(&run->guard)) {
        end_guard(run);
        return;
    }
    if (todo.what & GUARD_DO_VERDICT) { /* a PutItem is still to be answered: the verdict need not wait for it */
        run_cancel_requests(run, true);
        if (!run->answered && !wants_again(run)) {
            run_describe(run);
            run_answer(run);
        }
        return;
    }
    if (run->io.gave_up && todo.what == 0) {
        run_stop(run);
        return;
    }
    if (todo.has_timer)
        loop_timer_set(run->client->loop, &run->time.guard_timer,
                       run->wish.patient ? run_patient_ms(run, todo.timer_ms) : todo.timer_ms);
    run_perform(run, &todo);
}

static void on_guard_timer(struct loop_timer *timer)
{
    struct guard_event event = {.kind = GUARD_EVENT_TIMER};
    step_guard(from_timer(timer, offsetof(struct run, time.guard_timer)), &event);
}

/* ------------------------------------------------------------------------------------------------ stop */

static void refuse_stopped(struct run *run)
{
    os_error error;
    const char *colon = run->io.last_error.code != OS_OK ? " Last trouble: " : "";
    const char *words = run->io.last_error.code != OS_OK ? run->io.last_error.message : "";
    if (run->cancelled)
        error_set(&error, OS_ERR_CANCELLED, "%s of %s was cancelled before anything was sent.%s%.500s", run->wish.name,
                  run->key, colon, words);
    else
        error_set(&error, OS_ERR_DEADLINE, "The deadline of %s of %s passed before anything was sent.%s%.500s",
                  run->wish.name, run->key, colon, words);
    refuse(run, &error);
}

static void run_stop(struct run *run)
{
    if (run->stopped || run->answered)
        return;
    run->stopped = true;
    if (run->outcome.result.guards == 0) {
        fence_check_leave(run);
        refuse_stopped(run);
    } else if (guard_verdict(&run->guard) != VERDICT_NONE) { /* between two guards, or before an orphan's end */
        run_describe(run);
        run_answer(run);
        if (guard_finished(&run->guard))
            run_free(run);
    } else {
        struct guard_event event = {.kind = GUARD_EVENT_STOP};
        step_guard(run, &event);
    }
}

static void on_deadline(struct loop_timer *timer)
{
    run_stop(from_timer(timer, offsetof(struct run, time.deadline_timer)));
}

static void cancel_run(struct run *run)
{
    run->cancelled = true;
    run_stop(run);
}

static void on_cancel(struct cancel_link *link)
{
    cancel_run((struct run *)((char *)link - offsetof(struct run, cancel_link)));
}

static void on_closing(struct cancel_link *link)
{
    cancel_run((struct run *)((char *)link - offsetof(struct run, closing_link)));
}

void run_free_all(os_client *client)
{
    while (client->runs)
        run_free(client->runs);
}

/* ------------------------------------------------------------------------------------------------ start */

static bool copy_names(struct run *run)
{
    run->key = strdup(run->wish.key);
    run->path = client_record_path(run->client, run->wish.key);
    if (run->key == NULL || run->path == NULL)
        return false;
    if (run->wish.upload && (run->upload = strdup(run->wish.upload->id)) == NULL)
        return false;
    if (run->wish.operation != GUARD_PUT || run->wish.body.kind != HTTP_BODY_MEMORY)
        return true;
    char hex[33];
    if (!md5_hex(run->wish.body.data, (size_t)run->wish.body.length, hex))
        return false;
    snprintf(run->md5_etag, sizeof(run->md5_etag), "\"%s\"", hex);
    return true;
}

bool run_start(os_client *client, const struct run_wish *wish, run_done_fn done, void *context)
{
    struct run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return false;
    run->client = client;
    run->wish = *wish;
    run->done = done;
    run->context = context;
    run->length_s = wish->length_s ? wish->length_s : client->settings.guard.length_s;
    run->outcome.result.size = sizeof(run->outcome.result);
    run->time.guard_timer.fire = on_guard_timer;
    run->time.deadline_timer.fire = on_deadline;
    run->time.again_timer.fire = on_again;
    run->io.failed_timer.fire = run_on_failed;
    run->on_event = step_guard;
    run->on_ready = begin_soon;
    run->on_refused = refuse;
    run->cancel_link.heard = on_cancel;
    run->closing_link.heard = on_closing;
    clock_read(&run->time.started);
    run->time.again_backoff.random = run->time.started.realtime_ms;
    if (!copy_names(run) || !cancel_link(wish->cancel, &run->cancel_link, client->loop) ||
        !cancel_link(client->closing, &run->closing_link, client->loop)) {
        cancel_unlink(&run->cancel_link);
        free(run->path);
        free(run->upload);
        free(run->key);
        free(run);
        return false;
    }
    run_link(run);
    loop_timer_set(client->loop, &run->time.deadline_timer, wish->deadline_ms);
    if (wish->ticket)
        begin_soon(run);
    else
        fence_check_wait(run);
    return true;
}
