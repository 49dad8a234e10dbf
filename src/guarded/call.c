/* SPDX-License-Identifier: Apache-2.0 */
/* A guarded call: its write plan, its driver on the loop's thread, its outcome handed back. */
#include "guarded/call.h"

#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "client/ticket.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint64_t guarded_deadline(const struct guarded *guarded)
{
    return guarded->begun.monotonic_ms + guarded->params.deadline_ms;
}

uint64_t guarded_time_left(const struct guarded *guarded)
{
    return clock_left_for_call_ms(guarded_deadline(guarded));
}

static os_code guarded_take_call(struct guarded *guarded, os_error *err)
{
    os_call own;
    os_code code = arguments_take_call(guarded->arguments->call, &own, err);
    if (code != OS_OK)
        return code;
    const struct guarded_arguments *arguments = guarded->arguments;
    const char *goes = arguments->source ? arguments->source : arguments->key; /* of a delete or a rename */
    clock_read(&guarded->begun);
    guarded->params.forward_only = arguments_forward_only(guarded->client, arguments->key, &own);
    guarded->must_stay = arguments_forward_only(guarded->client, goes, &own);
    guarded->params.deadline_ms = own.deadline_ms;
    guarded->params.cancel = own.cancel;
    guarded->params.progress = own.progress;
    guarded->params.progress_context = own.progress_context;
    return OS_OK;
}

os_code guarded_take_key(struct guarded *guarded, os_error *err)
{
    const struct guarded_arguments *arguments = guarded->arguments;
    os_code code = OS_OK;
    if (arguments->replaces) {
        guarded->params.etag = guarded->etag;
        code = arguments_etag(arguments->etag, guarded->etag, err);
    }
    if (code == OS_OK)
        code = client_object_key(guarded->client, arguments->key, &guarded->key, err);
    guarded->params.key = guarded->key;
    return code;
}

os_code guarded_take_fencing(struct guarded *guarded, uint64_t token, os_error *err)
{
    const struct profile *profile = guarded->client->settings.profile;
    if (token != 0 && profile && profile->metadata_survives == PROFILE_NO)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "By its profile the store loses the metadata of objects, and so would lose the fencing token "
                         "of %.300s: nothing was written. Keep such keys in another store.",
                         guarded->arguments->key);
    text_number(token, guarded->fencing);
    guarded->params.fencing = token;
    guarded->params.fencing_text = token != 0 ? guarded->fencing : NULL;
    return OS_OK;
}

os_code guarded_refuse_forward_only(const struct guarded *guarded, os_error *err)
{
    const struct guarded_arguments *arguments = guarded->arguments;
    if (!guarded->must_stay)
        return OS_OK;
    return arguments_refuse_forward_only(arguments->name, arguments->source ? arguments->source : arguments->key, err);
}

os_call guarded_rest_of_call(const struct guarded *guarded)
{
    return (os_call){
        .size = sizeof(os_call), .deadline_ms = guarded_time_left(guarded), .cancel = guarded->params.cancel};
}

static bool has_time_for(const struct guarded *guarded, uint64_t ms)
{
    return ms < clock_left_ms(guarded_deadline(guarded));
}

bool guarded_interval_init(const struct guarded *guarded, uint64_t ms, struct client_interval *ret)
{
    if (!has_time_for(guarded, ms))
        return false;
    client_interval_init(guarded->client, guarded->params.cancel, ms, ret);
    return true;
}

bool guarded_pause(struct guarded *guarded, uint64_t ms)
{
    return has_time_for(guarded, ms) && client_pause(guarded->client, guarded->params.cancel, ms);
}

static enum write_plan_operation plan_operation_of(enum guard_operation operation)
{
    switch (operation) {
    case GUARD_PUT: return PLAN_PUT;
    case GUARD_COPY: return PLAN_COPY;
    case GUARD_DELETE: return PLAN_DELETE;
    case GUARD_COMPLETE: break;
    }
    return PLAN_COMPLETE;
}

os_code guarded_choose_plan_by(struct guarded *guarded, const struct write_plan_rules *rules, uint64_t bytes,
                               os_error *err)
{
    struct driver_params *params = &guarded->params;
    struct write_plan_params asked = {
        .operation = plan_operation_of(params->operation), .create = params->etag == NULL, .bytes = bytes};
    return write_plan_choose(rules, &asked, &params->plan, err);
}

os_code guarded_choose_plan(struct guarded *guarded, uint64_t bytes, os_error *err)
{
    struct write_plan_rules rules;
    client_write_plan_rules(guarded->client, &rules);
    return guarded_choose_plan_by(guarded, &rules, bytes, err);
}

static void guarded_note_metric(const struct guarded *guarded)
{
    os_metric metric = {
        .size = sizeof(metric),
        .kind = OS_METRIC_GUARDED,
        .operation = guarded->params.name,
        .duration_us = guarded->outcome.result.duration_ms * 1000,
        .verdict = guarded->outcome.verdict,
        .guards = guarded->outcome.result.guards,
        .requests = guarded->outcome.result.requests,
        .guard = guarded->outcome.result.guard,
        .request = guarded->outcome.result.request,
    };
    client_report_metric(guarded->client, &metric);
}

static void guarded_call_report_metric(struct sync *sync)
{
    struct guarded *guarded = container_of(sync, struct guarded, sync);
    guarded_note_metric(guarded);
    sync_finish(sync);
}

void guarded_report_metric(struct guarded *guarded)
{
    guarded->sync.start = guarded_call_report_metric;
    sync_run(guarded->client, &guarded->sync, NULL);
}

void guarded_add_ticket(struct guarded *guarded, const struct guard_ticket *ticket, const char *upload_id)
{
    if (guarded->outcome.verdict != OS_UNKNOWN || ticket->record.nonce[0] == '\0')
        return;
    struct ticket_place place;
    ticket_place_of(&guarded->client->settings, &place);
    guarded->outcome.result.ticket = ticket_write(&place, guarded->params.key, upload_id, ticket);
}

static void guarded_done(void *context)
{
    struct guarded *guarded = context;
    if (!guarded->reports_late && !guarded->outcome.too_large) /* else there is more to come */
        guarded_note_metric(guarded);                          /* here, as callbacks run on one thread */
    sync_finish(&guarded->sync);
}

static void guarded_start_driver(struct sync *sync)
{
    struct guarded *guarded = container_of(sync, struct guarded, sync);
    guarded->started = driver_start(guarded->client, &guarded->params, &guarded->outcome, guarded_done, guarded);
    if (!guarded->started)
        sync_finish(sync);
}

static void guarded_add_ticket_of_driver(struct guarded *guarded)
{
    const struct driver_attempted *attempted = guarded->outcome.attempted;
    if (attempted)
        guarded_add_ticket(guarded, &attempted->ticket, guarded->params.upload ? guarded->params.upload->id : NULL);
}

os_code guarded_once(struct guarded *guarded, os_error *err)
{
    guarded->sync.start = guarded_start_driver;
    os_code code = sync_run(guarded->client, &guarded->sync, err);
    if (code == OS_OK && !guarded->started)
        code = error_no_memory(err);
    if (code == OS_OK)
        guarded_add_ticket_of_driver(guarded);
    return code;
}

/* ------------------------------------------------------------------------------------------------ steps */

static enum steps_next guarded_step(struct steps *steps)
{
    struct guarded *guarded = container_of(steps, struct guarded, steps);
    return guarded->step(guarded);
}

enum steps_next guarded_over(struct guarded *guarded)
{
    assert(guarded->refused || guarded->outcome.verdict != 0);
    return STEPS_OVER;
}

enum steps_next guarded_refuse(struct guarded *guarded, const os_error *why)
{
    guarded->refused = true;
    guarded->outcome.error = *why;
    return STEPS_OVER;
}

enum steps_next guarded_wait(struct guarded *guarded, struct sync *wait, guarded_step_fn next)
{
    guarded->step = next;
    guarded->steps.wait = wait;
    return STEPS_WAIT;
}

enum steps_next guarded_block(struct guarded *guarded, guarded_step_fn next)
{
    guarded->step = next;
    return STEPS_BLOCK;
}

static enum steps_next guarded_driven(struct guarded *guarded)
{
    if (guarded->started)
        guarded_add_ticket_of_driver(guarded);
    return guarded->after_driver(guarded);
}

enum steps_next guarded_drive(struct guarded *guarded, guarded_step_fn next)
{
    guarded->started = false;
    guarded->after_driver = next;
    guarded->sync.start = guarded_start_driver;
    return guarded_wait(guarded, &guarded->sync, guarded_driven);
}

enum steps_next guarded_refuse_unstarted(struct guarded *guarded)
{
    os_error error;
    assert(!guarded->started);
    error_no_memory(&error);
    return guarded_refuse(guarded, &error);
}

static enum steps_next guarded_first(struct guarded *guarded)
{
    os_error error;
    if (guarded_take_call(guarded, &error) != OS_OK)
        return guarded_refuse(guarded, &error);
    return guarded->first(guarded);
}

/* ------------------------------------------------------------------------------------------------ the call */

void guarded_init(struct guarded *ret, os_client *client, const struct guarded_arguments *arguments,
                  guarded_step_fn first)
{
    memset(ret, 0, sizeof(*ret));
    ret->client = client;
    ret->steps.client = client;
    ret->steps.step = guarded_step;
    ret->arguments = arguments;
    ret->params.name = arguments->name;
    ret->first = first;
    ret->step = guarded_first;
    ret->put.body.fd = -1;
}

void guarded_free(struct guarded *guarded)
{
    body_close(&guarded->put.body);
    if (guarded->asking)
        guarded->free_asking(guarded->asking);
    free(guarded->outcome.attempted);
    guarded->outcome.attempted = NULL;
    free(guarded->copied);
    free(guarded->key);
    free(guarded->source_key);
}

/* What counts of the outcome. Of a call that asks, a refusal leaves everything as it was. */
static void guarded_conclude(struct guarded *guarded)
{
    struct driver_outcome *outcome = &guarded->outcome;
    if (guarded->refused) {
        free(outcome->result.ticket);
        outcome->result = (os_result)OS_RESULT_INIT;
        outcome->verdict = guarded->arguments->asks ? OS_UNKNOWN : OS_NOT_EXECUTED;
    }
    if (outcome->verdict != OS_UNKNOWN)
        outcome->result.final = 1;
}

static void guarded_on_over(struct steps *steps)
{
    struct guarded *guarded = container_of(steps, struct guarded, steps);
    if (steps->no_thread) {
        guarded->refused = true;
        error_set(&guarded->outcome.error, OS_ERR_NO_MEMORY,
                  "No thread could be started for a part of %s that blocks; the system's limit is reached. End other "
                  "threads, or raise the limit.",
                  guarded->arguments->name);
    }
    guarded_conclude(guarded);
    guarded->over(guarded);
}

void guarded_start(struct guarded *guarded, void (*over)(struct guarded *guarded))
{
    guarded->over = over;
    guarded->steps.over = guarded_on_over;
    steps_start(&guarded->steps);
}

/* The caller's result may be of an older release: only what it knows is filled. */
void guarded_give_result(os_result *result, os_result *ret)
{
    if (ret == NULL || versioned_size(ret, sizeof(*result)) < offsetof(os_result, ticket) + sizeof(result->ticket)) {
        free(result->ticket);
        result->ticket = NULL;
    }
    if (ret)
        versioned_give(result, sizeof(*result), ret);
}

static os_verdict guarded_give(struct guarded *guarded, os_result *ret, os_error *err)
{
    guarded_conclude(guarded);
    if (err)
        *err = guarded->outcome.error;
    guarded_give_result(&guarded->outcome.result, ret);
    return guarded->outcome.verdict;
}

os_verdict guarded_call(os_client *client, const struct guarded_arguments *arguments, guarded_step_fn first,
                        os_result *ret, os_error *err)
{
    struct guarded guarded;
    struct inside inside;
    guarded_init(&guarded, client, arguments, first);
    if (client_enter(client, &inside, &guarded.outcome.error) != OS_OK) {
        guarded.refused = true;
        return guarded_give(&guarded, ret, err);
    }
    steps_run(&guarded.steps);
    os_verdict verdict = guarded_give(&guarded, ret, err);
    guarded_free(&guarded);
    client_leave(client, &inside);
    return verdict;
}
