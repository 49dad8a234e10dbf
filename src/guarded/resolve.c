/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket is resolved by one question, or by as many as it takes. */
#include "base/container.h"
#include "base/error.h"
#include "client/arguments.h"
#include "client/ticket.h"
#include "guarded/call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct asking {
    struct guarded *guarded;
    struct guard_ticket ticket;
    struct driver_upload upload;
    char upload_id[RECORD_UPLOAD_SIZE];
    char *key;  /* of the ticket */
    char *only; /* of the options: NULL, any */
    os_resolve_options options;
    struct client_interval interval; /* between two questions */

    os_result before; /* of the questions before this one */
    uint64_t whole_ms;
    bool again; /* it is not the first: if it brings nothing, what follows still holds */
    unsigned away;
    os_error why;
};

/* ------------------------------------------------------------------------------------------------ the ticket */

static os_code resolve_take_options(struct asking *asking, const os_resolve_options *options, os_error *err)
{
    os_code code = versioned_copy(options, &asking->options, sizeof(asking->options), "os_resolve_options", err);
    if (code != OS_OK || asking->options.key == NULL || asking->options.key[0] == '\0')
        return code;
    return client_object_key(asking->guarded->client, asking->options.key, &asking->only, err);
}

static os_code check_ledger(const os_client *client, const struct guard_ticket *ticket, os_error *err)
{
    if (client->ledger || ticket->native)
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "This ticket belongs to a ledger-guarded write; set ledger_url to that ledger.");
}

static os_code take_ticket(struct asking *asking, const char *text, os_error *err)
{
    os_client *client = asking->guarded->client;
    struct driver_params *params = &asking->guarded->params;
    struct ticket_contents of = {.key = asking->only, .same_store = asking->options.same_store != 0};
    ticket_place_of(&client->settings, &of.place);
    os_code code = ticket_read(text, &of, &asking->key, asking->upload_id, &asking->ticket, err);
    if (code == OS_OK)
        code = client->store->vtable->check_key(client->store, asking->key, err);
    if (code == OS_OK)
        code = check_ledger(client, &asking->ticket, err);
    asking->upload.id = asking->upload_id;
    params->operation = asking->ticket.operation;
    params->key = asking->key;
    params->ticket = &asking->ticket;
    params->upload = asking->upload_id[0] ? &asking->upload : NULL;
    asking->guarded->reports_late = asking->upload_id[0] != '\0';
    return code;
}

static void asking_free(struct asking *asking)
{
    free(asking->key);
    free(asking->only);
    free(asking);
}

/* ------------------------------------------------------------------------------------------------ one question */

static enum steps_next resolve_ask_again(struct guarded *guarded);

static bool goes_on(const struct asking *asking)
{
    const struct driver_outcome *outcome = &asking->guarded->outcome;
    bool gives_up = outcome->away && asking->options.give_up;
    return asking->guarded->params.patient && outcome->verdict == OS_UNKNOWN && outcome->result.ask_again_ms > 0 &&
           !gives_up;
}

static enum steps_next resolve_pause_or_end(struct guarded *guarded)
{
    struct asking *asking = guarded->asking;
    uint64_t pause_ms = guarded->outcome.result.ask_again_ms;
    if (goes_on(asking) && guarded_interval_init(guarded, pause_ms, &asking->interval))
        return guarded_wait(guarded, &asking->interval.sync, resolve_ask_again);
    return guarded_over(guarded);
}

/* A question that the deadline cuts short may have brought nothing: then what was said before still holds. */
static enum steps_next resolve_asked(struct guarded *guarded)
{
    struct asking *asking = guarded->asking;
    struct driver_outcome *outcome = &guarded->outcome;
    if (asking->again && outcome->verdict == OS_UNKNOWN && !outcome->away && (asking->away & ~outcome->reached)) {
        outcome->away = asking->away;
        outcome->error = asking->why;
    }
    return resolve_pause_or_end(guarded);
}

/* R14: a Complete that was not and never will be applied leaves its upload behind. */
static enum steps_next resolve_end_upload(struct guarded *guarded)
{
    const struct asking *asking = guarded->asking;
    bool may_abort = guarded->outcome.owns_upload || asking->options.abort_upload != 0;
    guarded_end_ticket(guarded, asking->upload_id, may_abort);
    guarded_report_metric(guarded);
    return resolve_asked(guarded);
}

static enum steps_next resolve_answered(struct guarded *guarded)
{
    struct asking *asking = guarded->asking;
    os_result *result = &guarded->outcome.result;
    if (!guarded->started)
        return guarded_refuse_unstarted(guarded);
    guarded->params.deadline_ms = asking->whole_ms;
    result->guards += asking->before.guards;
    result->requests += asking->before.requests;
    result->duration_ms += asking->before.duration_ms + asking->before.ask_again_ms;
    return guarded->reports_late ? guarded_block(guarded, resolve_end_upload) : resolve_asked(guarded);
}

static enum steps_next resolve_ask(struct guarded *guarded)
{
    struct asking *asking = guarded->asking;
    assert(guarded->params.ticket == &asking->ticket);
    asking->before = guarded->outcome.result;
    asking->whole_ms = guarded->params.deadline_ms;
    free(asking->before.ticket);
    if (guarded->outcome.attempted && guarded->outcome.attempted->ticket.half)
        asking->ticket.half = true; /* V4.8 */
    driver_outcome_clear(&guarded->outcome);
    guarded->params.deadline_ms = guarded_time_left(guarded);
    return guarded_drive(guarded, resolve_answered);
}

/* ------------------------------------------------------------------------------------------------ many */

static enum steps_next resolve_ask_again(struct guarded *guarded)
{
    struct asking *asking = guarded->asking;
    if (asking->interval.cut)
        return guarded_over(guarded);
    asking->again = true;
    asking->away = guarded->outcome.away;
    asking->why = guarded->outcome.error;
    return resolve_ask(guarded);
}

/* ------------------------------------------------------------------------------------------------ the call */

enum steps_next guarded_resolve(struct guarded *guarded)
{
    const struct guarded_arguments *arguments = guarded->arguments;
    struct asking *asking = calloc(1, sizeof(*asking));
    os_error error;
    guarded->asking = asking;
    guarded->free_asking = asking_free;
    guarded->params.patient = arguments->patient;
    if (asking == NULL) {
        error_no_memory(&error);
        return guarded_refuse(guarded, &error);
    }
    asking->guarded = guarded;
    os_code code = resolve_take_options(asking, arguments->resolve_options, &error);
    if (code == OS_OK)
        code = take_ticket(asking, arguments->ticket, &error);
    return code == OS_OK ? resolve_ask(guarded) : guarded_refuse(guarded, &error);
}
