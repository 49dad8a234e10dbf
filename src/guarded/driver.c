/* SPDX-License-Identifier: Apache-2.0 */
#include "guarded/driver.h"

#include "base/container.h"
#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_OLD_DATE_MS = 600000 /* of S3 time that a native guard signs at */, DRIVER_REFUSED_MOST = 5 };

/* ------------------------------------------------------------------------------------------------ life */

static void driver_link(struct driver *driver)
{
    os_client *client = driver->client;
    assert(client->drivers == NULL || client->drivers->previous == NULL);
    driver->next = client->drivers;
    if (client->drivers)
        client->drivers->previous = driver;
    client->drivers = driver;
    client_background(client, 1);
}

#define ALL_REQUESTS (~0U)

static void driver_free(struct driver *driver)
{
    os_client *client = driver->client;
    assert(driver->answered && !driver->op.begun);
    driver_cancel_requests(driver, ALL_REQUESTS);
    client->store->vtable->attempt_free(client->store, driver->io.attempt.signed_request);
    loop_timer_clear(client->loop, &driver->time.guard_timer);
    loop_timer_clear(client->loop, &driver->io.failed_timer);
    if (driver->previous)
        driver->previous->next = driver->next;
    else
        client->drivers = driver->next;
    if (driver->next)
        driver->next->previous = driver->previous;
    release_let_go(client, &driver->waiter);
    if (driver->creation)
        release_drop(driver->creation);
    driver_free_memory(driver);
    client_background(client, -1);
}

static void add_tally(const struct driver *driver, struct driver_outcome *outcome)
{
    outcome->result.guards = driver->tally.guards;
    outcome->result.attempts = driver->tally.attempts;
    outcome->result.requests = driver->tally.requests;
    outcome->reached = driver->tally.reached;
    outcome->away = driver->tally.away;
    outcome->by_fence = driver->tally.by_fence;
}

/* After the verdict: an orphan's PutItem, and T3.10's GetItem. */
static unsigned still_wanted(const struct driver *driver)
{
    return GUARD_DO_RECORD_PUT | (driver->guard.state == GUARD_CLEARING ? GUARD_DO_RECORD_GET : 0);
}

/* Gives the outcome. From here on nothing of the params may be touched: it belongs to the caller again. */
static void driver_answer(struct driver *driver)
{
    assert(!driver->answered); /* exactly once */
    assert(driver->outcome->verdict != 0);
    driver->answered = true;
    op_end(&driver->op);
    loop_leave_turn(driver->client->loop, &driver->turn);
    driver_cancel_requests(driver, ALL_REQUESTS & ~still_wanted(driver));
    struct driver_outcome *outcome = driver->outcome;
    add_tally(driver, outcome);
    outcome->result.duration_ms = retry_elapsed_ms(&driver->op.retry);
    if (outcome->attempted)
        outcome->attempted->ticket.half = outcome->attempted->ticket.half || driver->io.half;
    outcome->result.waited_ms = driver->time.waited_ms;
    outcome->length_s = driver->length_s;
    log_line(&driver->client->log, OS_LOG_INFO, "%s %s: %s by %s (%s, %s)", driver->params.name, driver->key,
             os_verdict_name(outcome->verdict), outcome->result.rule, outcome->result.request,
             write_plan_guard_name(outcome->result.guard));
    driver->outcome = NULL;
    driver->done(driver->context);
}

static void driver_refuse(struct driver *driver, const os_error *error)
{
    driver->outcome->verdict = driver->params.ticket ? OS_UNKNOWN : OS_NOT_EXECUTED;
    if (driver->params.ticket)
        driver->outcome->attempted->ticket = *driver->params.ticket;
    driver->outcome->error = *error;
    driver->outcome->result.ask_again_ms = driver->params.ticket ? 1000 : 0;
    driver_answer(driver);
    driver_free(driver);
}

/* ------------------------------------------------------------------------------------------------ guards */

bool driver_new_nonce(char *ret)
{
    unsigned char bytes[16];
    if (!random_bytes(bytes, sizeof(bytes)))
        return false;
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

static void settings_for(const struct driver *driver, struct guard_settings *ret)
{
    const os_client *client = driver->client;
    *ret = client->settings.guard;
    ret->fences = client->fences == CLIENT_FENCES_YES;
    ret->length_s = driver->length_s;
    ret->native = driver->params.plan.guard == OS_GUARD_NATIVE;
    ret->native_writers = driver->params.plan.native_writers;
    const struct profile *profile = client->settings.profile;
    ret->complete_s = profile ? profile->complete_s : 0;
    ret->source_unpinned = driver_source_may_change(driver);
    ret->modified_tells = profile && profile->rename_object == PROFILE_NO;
    ret->versioned = client->versioned;
    ret->versions_likely = profile && profile->versioned == PROFILE_YES; /* of another bucket, or day, maybe */
    ret->answer_409 = driver->params.plan.answer_409;
    ret->forward_only = driver->params.forward_only;
    ret->commit_ms = client->pace.commit_ms;
    ret->etag_known = driver_has_md5_etag(driver) && client->etags == CLIENT_ETAGS_MD5;
}

/* R3. Without a record a Date may be older: the signature is the longer for it. A second guard of a copy waits for its
 * source: perhaps that is what the first had not reckoned with (R3.7). */
static bool knows_date(const struct driver *driver, const struct clock_reading *now)
{
    const os_client *client = driver->client;
    if (driver->params.plan.guard == OS_GUARD_NATIVE)
        return client->dates.known && clock_elapsed_max(&client->dates.clock, now) < DRIVER_OLD_DATE_MS;
    bool counts_on_source = driver->params.operation == GUARD_COPY && driver->tally.guards > 0;
    return !counts_on_source && client_recent_date(client, now);
}

static bool init_guard(struct driver *driver, const struct clock_reading *now)
{
    const os_client *client = driver->client;
    struct guard_settings settings;
    settings_for(driver, &settings);
    const struct driver_upload *upload = driver->params.upload;
    uint64_t random[2];
    char nonce[RECORD_NONCE_SIZE];
    if (!random_bytes(random, sizeof(random)) || !driver_new_nonce(nonce))
        return false;
    if (driver->params.ticket) {
        guard_init_resolve(&driver->guard, &settings, driver->params.ticket, random[1]);
        driver->io.half = driver->params.ticket->half;
        return true;
    }
    struct guard_start start = {
        .operation = driver->params.operation,
        .expected_etag = driver->params.etag,
        .our_etag = driver->md5_etag,
        .nonce = upload ? upload->nonce : nonce,
        .generation = random[0],
        .seed = random[1],
        .upload = upload ? record_upload_number(upload->id) : 0,
        .fencing = driver->params.fencing,
        .part_count = upload ? (uint32_t)upload->part_count : 0,
        .parts_in_doubt = upload && upload->parts_in_doubt,
        .released = driver->waiter.knows_released ? &driver->waiter.released : NULL,
        .known_nonce = driver->params.etag
                           ? known_versions_nonce(&driver->client->known_versions, driver->key, driver->params.etag)
                           : NULL,
        .has_recent_date = knows_date(driver, now),
        .recent_date_s = client->dates.date_s,
        .recent_clock = client->dates.clock,
    };
    guard_init(&driver->guard, &settings, &start);
    driver->waiter.knows_released = false; /* the next guard may come much later */
    return true;
}

static void step_guard(struct driver *driver, struct guard_event *event);

static void begin_guard(struct driver *driver)
{
    struct clock_reading now;
    assert(!driver->answered && (driver->tally.guards == 0 || guard_finished(&driver->guard)));
    clock_read(&now);
    if (!driver->params.upload && !driver->params.ticket)
        driver->io.half = false; /* its nonce is new */
    if (!init_guard(driver, &now)) {
        os_error error;
        error_set(&error, OS_ERR_IO, "The system gave no random bytes, so no nonce could be made for %s; try again.",
                  driver->key);
        driver_refuse(driver, &error);
        return;
    }
    driver->tally.guards++;
    driver->client->store->vtable->attempt_free(driver->client->store, driver->io.attempt.signed_request);
    driver->io.attempt.signed_request = NULL;
    struct guard_event event = {.kind = GUARD_EVENT_START};
    step_guard(driver, &event);
}

static void driver_on_turn(struct loop_turn *turn)
{
    begin_guard(container_of(turn, struct driver, turn));
}

/* A guard begins when a connection is free for it, and starts its requests at once: so the next one sees what is left. */
static void begin_soon(struct driver *driver)
{
    driver->turn.run = driver_on_turn;
    loop_await_turn(driver->client->loop, &driver->turn);
}

static void driver_let_go(struct release_waiter *waiter)
{
    begin_soon(container_of(waiter, struct driver, waiter));
}

static void begin_when_released(struct driver *driver)
{
    driver->waiter.path = driver->path;
    driver->waiter.etag = driver->params.etag ? driver->params.etag : RECORD_ETAG_CREATE;
    driver->waiter.go = driver_let_go;
    bool has_record = driver->params.plan.guard != OS_GUARD_NATIVE;
    if (!has_record || !release_holds_back(driver->client, &driver->waiter))
        begin_soon(driver);
}

static void driver_attempt(struct op *op)
{
    begin_guard(container_of(op, struct driver, op));
}

/* E6: twice as long; or as long as all of it takes at the rate that was seen, and half as long again. */
static void driver_lengthen(struct driver *driver)
{
    assert(driver->length_s > 0 && driver->length_s <= GUARD_LENGTH_MAX_S);
    uint64_t length_s = 2 * (uint64_t)driver->length_s;
    uint64_t needed_s = driver->io.attempt.tail_rate > 0
                            ? driver->guard.signature.wire_bytes * 3 / (2 * driver->io.attempt.tail_rate) + 1
                            : 0;
    length_s = needed_s > length_s ? needed_s : length_s;
    driver->length_s = length_s < GUARD_LENGTH_MAX_S ? (uint32_t)length_s : GUARD_LENGTH_MAX_S;
    driver->io.attempt.tail_rate = 0;
}

/* "The call starts new guards until its deadline, and only then returns the last verdict" (G2). */
static void start_again(struct driver *driver)
{
    assert(driver->params.ticket == NULL); /* a ticket is of one attempt, and none is made for it */
    if (guard_expired(&driver->guard))
        driver_lengthen(driver);
    if (driver->guard.outcome.reason == GUARD_REASON_UNMET)
        driver->refused_count++;
    log_line(&driver->client->log, OS_LOG_INFO, "%s %s: guard ended by %s, a new one starts", driver->params.name,
             driver->key, guard_rule_name(&driver->guard));
    if (driver->guard.outcome.reason == GUARD_REASON_RECORD_GONE ||
        driver->guard.outcome.reason == GUARD_REASON_EXPIRED || driver->guard.outcome.reason == GUARD_REASON_MISTAKEN)
        begin_when_released(driver);
    else
        op_pause(&driver->op);
}

/* The store refused the condition, and a moment later the expectation holds. A native writer who came and was undone
 * again explains that, but not time after time: then the condition itself is refused. */
static bool refused_for_an_instant(const struct driver *driver)
{
    return driver->guard.outcome.reason == GUARD_REASON_UNMET && driver->params.plan.guard != OS_GUARD_RECORD &&
           driver->params.ticket == NULL && driver->refused_count < DRIVER_REFUSED_MOST;
}

static bool wants_again(const struct driver *driver)
{
    return (guard_try_again(&driver->guard) || refused_for_an_instant(driver)) && !driver->stopped &&
           driver->io.gave_up == NULL;
}

/* ------------------------------------------------------------------------------------------------ events */

static void count_waiting(struct driver *driver, const struct clock_reading *now)
{
    bool waiting = driver->guard.state == GUARD_CONTEND_WAITING || driver->guard.state == GUARD_CONTEND_READING ||
                   driver->guard.state == GUARD_CONTEND_CHECKING;
    if (waiting && !driver->time.waiting)
        driver->time.waiting_since = *now;
    if (!waiting && driver->time.waiting)
        driver->time.waited_ms += clock_elapsed_max(&driver->time.waiting_since, now);
    driver->time.waiting = waiting;
}

static void end_guard(struct driver *driver)
{
    assert(guard_finished(&driver->guard) && guard_verdict(&driver->guard) != VERDICT_NONE);
    driver_cancel_requests(driver, ALL_REQUESTS);
    loop_timer_clear(driver->client->loop, &driver->time.guard_timer);
    if (!driver->answered && wants_again(driver)) {
        start_again(driver);
        return;
    }
    if (!driver->answered) {
        driver_describe(driver);
        driver_answer(driver);
    }
    driver_free(driver);
}

/* Of each guard of the call: the last one may end before it has sent anything. */
static void keep_ticket(struct driver *driver)
{
    assert(guard_verdict(&driver->guard) != VERDICT_NONE);
    const char *seen = driver->io.records.seen_upload;
    driver->outcome->owns_upload = driver->params.ticket && guard_owns_upload(&driver->guard) && driver->upload &&
                                   seen && strcmp(seen, driver->upload) == 0;
    if (!guard_by_fence(&driver->guard))
        return;
    struct driver_attempted *attempted = driver->outcome->attempted;
    if (attempted && !driver->tally.by_fence)
        version_copy(&attempted->lost_at, &attempted->seen);
    driver->outcome->upload_gone = driver->io.parts.gone && (driver->outcome->upload_gone || !driver->tally.by_fence);
    driver->tally.by_fence = true;
    if (attempted)
        driver_ticket_of(driver, &attempted->ticket);
}

/* R14: the store may still be at a Complete that only its fence calls lost. As long as the record names its upload, the
 * next writer aborts that first. */
static bool keeps_record(const struct driver *driver)
{
    return driver->guard.write.operation == GUARD_COMPLETE && driver->tally.by_fence &&
           guard_verdict(&driver->guard) != VERDICT_COMMITTED;
}

static void driver_stop(struct driver *driver);

static void step_guard(struct driver *driver, struct guard_event *event)
{
    struct guard_actions actions;
    assert(!guard_finished(&driver->guard)); /* what it had under way was cancelled */
    clock_read(&event->now);
    guard_step(&driver->guard, event, &actions);
    count_waiting(driver, &event->now);
    if (actions.drop)
        driver_cancel_requests(driver, actions.drop);
    if (actions.what & GUARD_DO_REPORT_LEASE)
        log_line(&driver->client->log, OS_LOG_WARN,
                 "%s: the record of another write has a timeout of %llu ms, over an hour; it is waited for",
                 driver->key, (unsigned long long)driver->guard.holder.record.timeout_ms);
    if (actions.what & GUARD_DO_VERDICT)
        keep_ticket(driver);
    release_of_step(driver, &actions, !keeps_record(driver));
    if (guard_finished(&driver->guard)) {
        end_guard(driver);
        return;
    }
    if (actions.what & GUARD_DO_VERDICT) { /* a PutItem, or T3.10's GetItem: the verdict need not wait for it */
        bool clears = driver->guard.state == GUARD_CLEARING;
        driver_cancel_requests(driver, ALL_REQUESTS & ~still_wanted(driver));
        if (clears) /* before the caller knows, who may create it again at once */
            driver->creation = release_expect(driver->client, driver->path, RECORD_ETAG_CREATE);
        if (!driver->answered && !wants_again(driver)) {
            driver_describe(driver);
            driver_answer(driver);
        }
        return;
    }
    if (driver->io.gave_up && actions.what == 0) {
        driver_stop(driver);
        return;
    }
    if (actions.has_timer)
        loop_timer_set(driver->client->loop, &driver->time.guard_timer,
                       driver->params.patient ? driver_patient_ms(driver, actions.timer_ms) : actions.timer_ms);
    driver_perform(driver, &actions);
}

static void on_guard_timer(struct loop_timer *timer)
{
    struct guard_event event = {.kind = GUARD_EVENT_TIMER};
    step_guard(container_of(timer, struct driver, time.guard_timer), &event);
}

/* ------------------------------------------------------------------------------------------------ stop */

static void refuse_stopped(struct driver *driver)
{
    os_error error;
    assert(driver->tally.attempts == 0);
    const char *colon = driver_last_code(driver) != OS_OK ? " Last trouble: " : "";
    const char *words = driver_last_words(driver);
    if (driver->cancelled)
        error_set(&error, OS_ERR_CANCELLED, "%s of %s was cancelled before the write was sent.%s%.500s",
                  driver->params.name, driver->key, colon, words);
    else
        error_set(&error, OS_ERR_DEADLINE, "The deadline of %s of %s passed before the write was sent.%s%.500s",
                  driver->params.name, driver->key, colon, words);
    driver_refuse(driver, &error);
}

static void driver_stop(struct driver *driver)
{
    if (driver->stopped || driver->answered)
        return;
    driver->stopped = true;
    if (driver->tally.guards == 0) {
        const os_error *trouble = fence_check_leave(driver->client, &driver->fences);
        if (trouble)
            driver_note_error(driver, trouble);
        driver->tally.requests += driver->fences.requests;
        refuse_stopped(driver);
    } else if (guard_verdict(&driver->guard) != VERDICT_NONE) { /* between two guards, or before an orphan's end */
        driver_describe(driver);
        driver_answer(driver);
        if (guard_finished(&driver->guard))
            driver_free(driver);
    } else {
        struct guard_event event = {.kind = GUARD_EVENT_STOP};
        step_guard(driver, &event);
    }
}

static void driver_interrupted(struct op *op, enum op_reason reason)
{
    struct driver *driver = container_of(op, struct driver, op);
    driver->cancelled = driver->cancelled || reason != OP_DEADLINE;
    driver_stop(driver);
}

void driver_free_all(os_client *client)
{
    while (client->drivers)
        driver_free(client->drivers);
}

/* ------------------------------------------------------------------------------------------------ start */

static void on_fences_ready(struct fence_waiter *waiter)
{
    begin_when_released(container_of(waiter, struct driver, fences));
}

static void on_fences_refused(struct fence_waiter *waiter, const os_error *error)
{
    struct driver *driver = container_of(waiter, struct driver, fences);
    driver->tally.requests += waiter->requests; /* all that the call has made of them */
    driver_refuse(driver, error);
}

static struct driver *driver_new(os_client *client, const struct driver_params *params)
{
    struct driver *driver = calloc(1, sizeof(*driver));
    if (driver == NULL)
        return NULL;
    driver->client = client;
    driver->params = *params;
    driver->length_s = params->length_s ? params->length_s : client->settings.guard.length_s;
    driver->time.guard_timer.fire = on_guard_timer;
    driver->io.failed_timer.fire = driver_on_failed;
    driver->on_event = step_guard;
    driver->fences.ready = on_fences_ready;
    driver->fences.refused = on_fences_refused;
    return driver;
}

bool driver_start(os_client *client, const struct driver_params *params, struct driver_outcome *ret,
                  driver_done_fn done, void *context)
{
    assert(params->ticket || (params->operation == GUARD_COMPLETE) == (params->upload != NULL));
    assert(params->ticket || params->operation != GUARD_COPY || params->source_key != NULL);
    struct driver_attempted *attempted = NULL;
    struct driver *driver = driver_new(client, params);
    if (driver == NULL)
        return false;
    const struct op_limits limits = {
        .loop = client->loop, .cancel = params->cancel, .closing = client->closing, .deadline_ms = params->deadline_ms};
    if (!driver_make_memory(driver, &attempted) ||
        !op_begin(&driver->op, &limits, driver_attempt, driver_interrupted)) {
        free(attempted);
        driver_free_memory(driver);
        return false;
    }
    driver_outcome_clear(ret);
    ret->attempted = attempted;
    ret->result.size = sizeof(ret->result);
    driver->outcome = ret;
    driver->done = done;
    driver->context = context;
    driver_link(driver);
    if (params->ticket)
        begin_soon(driver);
    else
        fence_check_wait(client, &driver->fences, driver->key);
    return true;
}
